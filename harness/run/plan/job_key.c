/* SPDX-License-Identifier: Apache-2.0 */
/* job_key.c - what makes two jobs the same point, and what makes their numbers the same (job.h). */
#include "run/plan/job.h"

#include <string.h>

void rft_job_key(rft_job_place place, const rft_value *config, size_t param_count, char out[RFT_HASH_HEX_SIZE]) {
    const uint64_t numbers[] = {place.sweep, place.variant, place.problem};
    rft_sha256 hash;
    rft_str text = RFT_STR_INIT;
    rft_sha256_init(&hash);
    rft_sha256_add(&hash, numbers, sizeof numbers);
    for (size_t i = 0; i < param_count; i++) {
        rft_str_truncate(&text, 0);
        rft_str_add_char(&text, (char)('0' + (int)config[i].kind));
        rft_value_format(&text, &config[i]);
        rft_sha256_add_text(&hash, rft_str_get(&text));
    }
    rft_sha256_hex(&hash, out);
    rft_str_clear(&text);
}

/* ---- aliases: only fields go in, never padding ---- */

#define ADD(hash, field) rft_sha256_add(hash, &(field), sizeof(field))

static void add_buffers(rft_sha256 *hash, const rft_point_spec *spec) {
    for (size_t i = 0; i < spec->buffer_count; i++) {
        const rft_buffer *buffer = &spec->buffers[i];
        rft_sha256_add_text(hash, buffer->name);
        ADD(hash, buffer->type);
        ADD(hash, buffer->count);
        ADD(hash, buffer->role);
        ADD(hash, buffer->fill.kind);
        ADD(hash, buffer->fill.low);
        ADD(hash, buffer->fill.high);
        ADD(hash, buffer->fill.below);
        ADD(hash, buffer->fill.order);
        rft_sha256_add_text(hash, buffer->fill.identity);
    }
}

static void add_map(rft_sha256 *hash, const rft_tensor_map *map) {
    ADD(hash, map->rank);
    ADD(hash, map->dims);
    ADD(hash, map->strides);
    ADD(hash, map->box);
    ADD(hash, map->swizzle);
    ADD(hash, map->l2_promotion);
    if (map->tf32) {
        ADD(hash, map->tf32);
    }
    if (map->im2col) {
        ADD(hash, map->im2col);
        ADD(hash, map->lower);
        ADD(hash, map->upper);
    }
}

static size_t without_macros(const rft_arg *args, size_t count) {
    size_t left = count;
    for (size_t i = 0; i < count; i++) {
        left -= args[i].is_macro ? 1 : 0;
    }
    return left;
}

/* What is compiled, too, is among the options; whether it is an argument is known once there is code. */
static void add_args(rft_sha256 *hash, const rft_arg *args, size_t count) {
    const size_t left = without_macros(args, count);
    ADD(hash, left);
    for (size_t i = 0; i < count; i++) {
        const rft_arg *arg = &args[i];
        if (arg->is_macro) {
            continue;
        }
        ADD(hash, arg->kind);
        ADD(hash, arg->at);
        if (arg->kind == RFT_ARG_STRUCT) {
            rft_sha256_add_text(hash, arg->hex);
            add_args(hash, arg->fields, arg->field_count);
            continue;
        }
        if (arg->kind == RFT_ARG_SCALAR) {
            ADD(hash, arg->type);
            ADD(hash, arg->scalar);
            continue;
        }
        ADD(hash, arg->buffer);
        ADD(hash, arg->offset_bytes);
        if (arg->kind == RFT_ARG_TENSOR_MAP) {
            add_map(hash, &arg->map);
        }
    }
}

static void add_vendor(rft_sha256 *hash, const rft_vendor_call *call) {
    ADD(hash, call->math);
    ADD(hash, call->a);
    ADD(hash, call->b);
    ADD(hash, call->d);
    ADD(hash, call->m);
    ADD(hash, call->n);
    ADD(hash, call->k);
    ADD(hash, call->a_order);
    ADD(hash, call->b_order);
    ADD(hash, call->d_order);
    ADD(hash, call->exact_accumulation);
    ADD(hash, call->scale);
    ADD(hash, call->a_scale);
    ADD(hash, call->b_scale);
    ADD(hash, call->epilogue);
    ADD(hash, call->extra);
    ADD(hash, call->algo);
}

static void add_launches(rft_sha256 *hash, const rft_launch *launches, size_t count, bool with_names) {
    ADD(hash, count);
    for (size_t i = 0; i < count; i++) {
        const rft_launch *launch = &launches[i];
        ADD(hash, launch->kind);
        rft_sha256_add_text(hash, with_names ? launch->entry : NULL);
        add_args(hash, launch->args, launch->arg_count);
        ADD(hash, launch->grid);
        ADD(hash, launch->block);
        ADD(hash, launch->shared_bytes);
        ADD(hash, launch->cluster);
        ADD(hash, launch->cooperative);
        ADD(hash, launch->pdl);
        ADD(hash, launch->window.buffer);
        ADD(hash, launch->window.offset_bytes);
        ADD(hash, launch->window.bytes);
        ADD(hash, launch->window.hit_ratio);
        ADD(hash, launch->memset_buffer);
        ADD(hash, launch->memset_byte);
        add_vendor(hash, &launch->vendor);
    }
}

static void add_unit(rft_sha256 *hash, const rft_unit_spec *unit) {
    rft_sha256_add_text(hash, unit->source);
    for (size_t i = 0; i < unit->name_count; i++) {
        rft_sha256_add_text(hash, unit->names[i]);
    }
    for (size_t i = 0; i < unit->option_count; i++) {
        rft_sha256_add_text(hash, unit->options[i]);
    }
}

static void add_references(rft_sha256 *hash, const rft_point_spec *spec) {
    for (const rft_point_spec *r = spec->check.reference; r; r = r->check.reference) {
        rft_sha256_add_text(hash, r->told);
        add_unit(hash, &r->unit);
        add_buffers(hash, r);
        add_launches(hash, r->prepare, r->prepare_count, true);
        add_launches(hash, r->launches, r->launch_count, true);
    }
}

void rft_job_reference_key(const rft_point_spec *spec, char out[RFT_HASH_HEX_SIZE]) {
    rft_sha256 hash;
    rft_sha256_init(&hash);
    add_references(&hash, spec);
    rft_sha256_hex(&hash, out);
}

const char *rft_job_reference(rft_job *job) {
    if (!*job->reference_key) {
        rft_job_reference_key(&job->spec, job->reference_key);
    }
    return job->reference_key;
}

/* How it is judged is part of it: the same code may pass a wide tolerance and fail a narrow one. */
static void add_check(rft_sha256 *hash, rft_job *job) {
    const rft_point_spec *spec = &job->spec;
    const rft_check *check = &spec->check;
    rft_sha256_add_text(hash, rft_job_reference(job));
    ADD(hash, check->tol);
    ADD(hash, check->length);
    if (check->buffer_tol) {
        rft_sha256_add(hash, check->buffer_tol, spec->buffer_count * sizeof *check->buffer_tol);
    }
}

const char *rft_job_alias_key(rft_job *job, const char *cubin_hash) {
    if (job->alias_cubin && strcmp(job->alias_cubin, cubin_hash) == 0) {
        return job->alias_key;
    }
    const uint64_t place[] = {job->sweep, job->problem, job->spec.buffer_count};
    rft_sha256 hash;
    rft_sha256_init(&hash);
    rft_sha256_add(&hash, place, sizeof place);
    rft_sha256_add_text(&hash, cubin_hash);
    add_buffers(&hash, &job->spec);
    add_launches(&hash, job->spec.prepare, job->spec.prepare_count, true);
    add_launches(&hash, job->spec.launches, job->spec.launch_count, true);
    add_check(&hash, job);
    rft_sha256_hex(&hash, job->alias_key);
    job->alias_cubin = rft_arena_strdup(job->arena, cubin_hash);
    return job->alias_key;
}

void rft_job_launch_key(const rft_point_spec *spec, char out[RFT_HASH_HEX_SIZE]) {
    rft_sha256 hash;
    rft_sha256_init(&hash);
    add_buffers(&hash, spec);
    add_launches(&hash, spec->prepare, spec->prepare_count, false);
    add_launches(&hash, spec->launches, spec->launch_count, false);
    rft_sha256_hex(&hash, out);
}
