/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/check_facts.h"

#include "base/units.h"
#include "gpu/compiler.h"
#include "model/card/occupancy.h"
#include "model/sweep/mangled.h"

#include <math.h>
#include <string.h>

uint64_t rft_check_sample_index(const rft_space *space, uint64_t by_default, uint64_t i, uint64_t count) {
    if (!rft_space_exact(space)) {
        return i == 0 && by_default != UINT64_MAX ? by_default : rft_space_sample(space, i);
    }
    bool has_default = by_default != UINT64_MAX;
    if (has_default && i == 0) {
        return by_default;
    }
    uint64_t others = rft_space_count(space) - (has_default ? 1 : 0);
    uint64_t at = i - (has_default ? 1 : 0);
    uint64_t last = count - (has_default ? 2 : 1);
    /* of the configurations without the default; the product of two counts may be too large for an integer */
    uint64_t index = last == 0 ? 0 : at * ((others - 1) / last) + at * ((others - 1) % last) / last;
    return index + (has_default && index >= by_default ? 1 : 0);
}

uint64_t rft_check_default(const rft_space *space, rft_value *scratch) {
    const rft_variant *variant = rft_space_variant(space);
    for (size_t i = 0; i < variant->param_count; i++) {
        scratch[i] = variant->params[i].default_value;
    }
    return rft_space_find(space, scratch);
}

void rft_check_compiles_add(rft_check_compiles *c, const rft_once_result *r) {
    char key[RFT_HASH_HEX_SIZE];
    rft_sha256 hash;
    if (rft_source_is_given(r->spec.unit.source)) {
        return;
    }
    rft_sha256_init(&hash);
    rft_sha256_add_text(&hash, r->spec.unit.source);
    for (size_t i = 0; i < r->spec.unit.name_count; i++) {
        rft_sha256_add_text(&hash, r->spec.unit.names[i]);
    }
    for (size_t i = 0; i < r->spec.unit.option_count; i++) {
        rft_sha256_add_text(&hash, r->spec.unit.options[i]);
    }
    rft_sha256_hex(&hash, key);
    if (rft_key_map_get(&c->seen, key, 0) == 0) {
        rft_key_map_put(&c->seen, key, 1);
        c->distinct++;
        c->seconds += r->compiled->seconds;
    }
}

void rft_check_compiles_expect(rft_check_compiles *c, const rft_plan *plan, size_t s) {
    const rft_sweep *sweep = plan->sweeps[s];
    bool each_problem = false;
    for (size_t a = 0; a < sweep->axis_count; a++) {
        each_problem = each_problem || sweep->axes[a].compiled;
    }
    for (size_t v = 0; v < sweep->variant_count; v++) {
        uint64_t sum = 0;
        uint64_t most = 0;
        bool compiled = !rft_variant_is_library(&sweep->variants[v]) && !rft_variant_is_given(&sweep->variants[v]);
        for (size_t p = 0; p < sweep->problem_count && compiled; p++) {
            uint64_t count = rft_space_count(rft_plan_space(plan, s, v, p));
            sum += count;
            most = count > most ? count : most;
        }
        c->all += each_problem ? sum : most;
    }
}

void rft_check_tell_compiles(const rft_check_compiles *c, size_t workers, rft_str *out) {
    char each[32];
    char all[32];
    if (c->distinct > 0) {
        double each_s = c->seconds / (double)c->distinct;
        rft_units_format_seconds(each, sizeof each, each_s, 2);
        rft_units_format_seconds(all, sizeof all, each_s * ceil((double)c->all / (double)workers), 2);
        rft_str_addf(out, "distinct compiles: %llu, %s each; a run needs %llu at most: about %s, %zu at a time\n",
                     (unsigned long long)c->distinct, each, (unsigned long long)c->all, all, workers);
    }
}

void rft_check_compiles_clear(rft_check_compiles *c) {
    rft_key_map_clear(&c->seen);
}

size_t rft_check_kernel_launches(const rft_point_spec *spec) {
    size_t count = 0;
    for (size_t i = 0; i < spec->launch_count; i++) {
        count += spec->launches[i].kind == RFT_LAUNCH_KERNEL ? 1 : 0;
    }
    return count;
}

static const rft_compiled_entry *entry_of(const rft_compile_result *compiled, const char *name) {
    for (size_t i = 0; i < compiled->entry_count; i++) {
        if (strcmp(compiled->entries[i].name, name) == 0) {
            return &compiled->entries[i];
        }
    }
    return NULL;
}

static void add_count(rft_str *out, int width, int64_t count, const char *of) {
    if (count < 0) {
        rft_str_addf(out, "%*s %s, ", width, "?", of);
    } else {
        rft_str_addf(out, "%*lld %s, ", width, (long long)count, of);
    }
}

static json_t *json_known(int64_t count) {
    return count < 0 ? json_null() : json_integer(count);
}

/* NaN: its registers are not known. */
static double occupancy_of(const rft_check_code *code, const rft_gpu_info *gpu) {
    int blocks = rft_occupancy_blocks(gpu, code->threads, code->registers, code->shared_bytes);
    return code->registers < 0 ? (double)NAN : rft_occupancy_frac(gpu, code->threads, blocks);
}

void rft_check_tell_code(const rft_check_code *code, const rft_gpu_info *gpu, rft_str *out) {
    double occupancy = occupancy_of(code, gpu);
    add_count(out, 4, code->registers, "registers");
    add_count(out, 4, code->spill_bytes, "B spilled");
    add_count(out, 6, code->shared_bytes, "B shared");
    rft_str_add(out, "occupancy ");
    if (isnan(occupancy)) {
        rft_str_add(out, "?\n");
    } else {
        rft_str_add_fixed(out, occupancy * 100, 0);
        rft_str_add(out, " %\n");
    }
}

void rft_check_put_code(const rft_check_code *code, const rft_gpu_info *gpu, json_t *row) {
    json_object_set_new(row, "registers", json_known(code->registers));
    json_object_set_new(row, "spill_bytes", json_known(code->spill_bytes));
    json_object_set_new(row, "occupancy", rft_json_real_new(occupancy_of(code, gpu)));
}

static void tell_launch(const rft_launch *launch, const rft_compiled_entry *entry, const rft_gpu_info *gpu,
                        rft_str *out, json_t *rows) {
    bool knows_spills = entry->spill_store_bytes >= 0 && entry->spill_load_bytes >= 0;
    const rft_check_code code = {.threads = (int)(launch->block[0] * launch->block[1] * launch->block[2]),
                                 .registers = entry->registers,
                                 .spill_bytes = knows_spills ? entry->spill_store_bytes + entry->spill_load_bytes : -1,
                                 .shared_bytes =
                                     entry->shared_bytes < 0 ? -1 : launch->shared_bytes + entry->shared_bytes};
    json_t *row = json_pack("{s:s}", "entry", launch->entry);
    rft_str_addf(out, "      %-42s", launch->entry);
    rft_check_tell_code(&code, gpu, out);
    rft_check_put_code(&code, gpu, row);
    json_object_set_new(row, "shared_bytes", json_known(code.shared_bytes));
    json_array_append_new(rows, row);
}

void rft_check_tell_launches(const rft_once_result *r, const rft_gpu_info *gpu, rft_str *out, json_t *rows) {
    for (size_t i = 0; i < r->spec.launch_count; i++) {
        const rft_launch *launch = &r->spec.launches[i];
        const rft_compiled_entry *entry =
            launch->kind == RFT_LAUNCH_KERNEL ? entry_of(r->compiled, launch->entry) : NULL;
        if (entry) {
            tell_launch(launch, entry, gpu, out, rows);
        }
    }
}

void rft_check_tell_options(const rft_unit_spec *unit, rft_str *out) {
    rft_str_add(out, "    options for NVRTC, of the first:");
    for (size_t i = 0; i < unit->option_count; i++) {
        rft_str_addf(out, " %s", unit->options[i]);
    }
    rft_str_add(out, unit->option_count ? "\n" : " none\n");
}

void rft_check_tell_structs(const rft_point_spec *spec, rft_str *out) {
    for (size_t i = 0; i < spec->launch_count; i++) {
        for (size_t a = 0; a < spec->launches[i].arg_count; a++) {
            const rft_arg *arg = &spec->launches[i].args[a];
            if (arg->kind == RFT_ARG_STRUCT) {
                rft_str_addf(out, "    argument %zu of %s, a struct of %llu byte%s: %s\n", a + 1,
                             spec->launches[i].entry, (unsigned long long)arg->bytes, arg->bytes == 1 ? "" : "s",
                             *arg->layout ? arg->layout : "empty");
            }
        }
    }
}

static void tell_sizes(const char *what, const uint32_t sizes[3], rft_str *out) {
    if ((uint64_t)sizes[0] * sizes[1] * sizes[2] > 1) {
        rft_str_addf(out, ", %s of %u x %u x %u", what, sizes[0], sizes[1], sizes[2]);
    }
}

static void tell_kernel(const rft_compile_result *compiled, const rft_compiled_entry *entry, rft_str *out) {
    uint32_t bytes[RFT_PARAMS_MAX];
    size_t count = rft_cubin_params(compiled->cubin, compiled->cubin_bytes, entry->symbol, bytes, RFT_PARAMS_MAX);
    rft_kernel_needs needs = rft_cubin_needs(compiled->cubin, compiled->cubin_bytes, entry->symbol);
    rft_str_addf(out, "    %s takes ", entry->name);
    for (size_t i = 0; i < count; i++) {
        rft_str_addf(out, "%s%u", i ? ", " : "", bytes[i]);
    }
    rft_str_add(out, count ? " bytes" : "no parameters that it tells");
    tell_sizes("blocks", needs.block, out);
    tell_sizes("clusters", needs.cluster, out);
    if (needs.threads_max > 0) {
        rft_str_addf(out, ", blocks of %llu threads at most", (unsigned long long)needs.threads_max);
    }
    rft_str_add(out, "\n");
}

void rft_check_tell_given(const rft_once_result *r, rft_arena *arena, rft_str *out) {
    const char *slash = strrchr(r->spec.unit.source, '/');
    const rft_compile_result *compiled = r->compiled;
    bool readable = compiled && compiled->ok;
    rft_str_addf(out, "    given binary %s%s%s%s\n", slash ? slash + 1 : r->spec.unit.source, readable ? ": " : "",
                 readable ? rft_given_describe(compiled->cubin, compiled->cubin_bytes, arena) : "",
                 readable && compiled->is_ptx ? ", which the driver will compile" : "");
    for (size_t i = 0; readable && i < compiled->entry_count; i++) {
        tell_kernel(compiled, &compiled->entries[i], out);
    }
}

/* What is not valid on the odd problem is verified at no size that blocks do not divide. */
static void tell_valid(const rft_plan *plan, size_t s, size_t v, size_t odd, rft_str *out) {
    uint64_t count = rft_space_count(rft_plan_space(plan, s, v, odd)), most = count;
    for (size_t p = 0; p < plan->sweeps[s]->problem_count; p++) {
        uint64_t timed = plan->sweeps[s]->problems[p].odd ? 0 : rft_space_count(rft_plan_space(plan, s, v, p));
        most = timed > most ? timed : most;
    }
    rft_str_addf(out, "%s %llu", plan->sweeps[s]->variants[v].name, (unsigned long long)count);
    if (count < most) {
        rft_str_addf(out, " of %llu", (unsigned long long)most);
    }
    rft_str_add(out, " valid");
}

/* A variant without one is told of with the first. */
static bool is_told_at(const rft_plan *plan, size_t s, size_t v, size_t odd, bool first) {
    const size_t own = rft_plan_odd_problem(plan, s, v);
    return own == odd || (first && own == SIZE_MAX);
}

void rft_check_tell_odd(const rft_plan *plan, size_t s, rft_str *out) {
    const rft_sweep *sweep = plan->sweeps[s];
    size_t told = 0;
    for (size_t p = 0; p < sweep->problem_count; p++) {
        if (!sweep->problems[p].odd) {
            continue;
        }
        const char *before = "; ";
        rft_str_add(out, "  odd problem, only verified:");
        for (size_t a = 0; a < sweep->axis_count; a++) {
            rft_str_addf(out, " %s=", sweep->axes[a].name);
            rft_value_format(out, &sweep->problems[p].values[a]);
        }
        for (size_t v = 0; v < sweep->variant_count; v++) {
            if (is_told_at(plan, s, v, p, told == 0)) {
                rft_str_add(out, before);
                tell_valid(plan, s, v, p, out);
                before = ", ";
            }
        }
        rft_str_add(out, "\n");
        told++;
    }
    rft_str_add(out, told ? "" : "  odd problem: none\n");
}
