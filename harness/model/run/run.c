/* SPDX-License-Identifier: Apache-2.0 */
#include "model/run/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void rft_env_set(rft_env *env, rft_arena *arena, const char *key, const char *value, const char *reason) {
    rft_env_item *item = (rft_env_item *)rft_env_get(env, key);
    if (item == NULL) {
        if (env->count == env->capacity) {
            /* The old array stays in the arena until the run ends: a few kilobytes. */
            size_t capacity = env->capacity ? env->capacity * 2 : 32;
            rft_env_item *items = rft_arena_calloc(arena, capacity, sizeof *items);
            if (env->count > 0) {
                memcpy(items, env->items, env->count * sizeof *items);
            }
            env->items = items;
            env->capacity = capacity;
        }
        item = &env->items[env->count++];
        item->key = rft_arena_strdup(arena, key);
    }
    item->value = rft_arena_strdup(arena, value);
    item->reason = value ? NULL : rft_arena_strdup(arena, reason ? reason : "not known");
}

const rft_env_item *rft_env_get(const rft_env *env, const char *key) {
    for (size_t i = 0; i < env->count; i++) {
        if (strcmp(env->items[i].key, key) == 0) {
            return &env->items[i];
        }
    }
    return NULL;
}

const char *rft_env_value(const rft_env *env, const char *key) {
    const rft_env_item *item = rft_env_get(env, key);
    return item ? item->value : NULL;
}

rft_facts rft_facts_unknown(void) {
    return (rft_facts){.registers = -1,
                       .spill_bytes = -1,
                       .stack_bytes = -1,
                       .shared_static_bytes = -1,
                       .shared_dynamic_bytes = -1,
                       .blocks_per_sm = -1,
                       .occupancy_frac = NAN,
                       .waves = NAN,
                       .compile_s = NAN};
}

rft_run *rft_run_new(void) {
    rft_run *run = rft_alloc(sizeof *run);
    run->arena = rft_arena_new();
    for (int i = 0; i < RFT_CEILING_COUNT; i++) {
        run->ceilings.items[i] = rft_ceiling_none("not measured");
    }
    return run;
}

void rft_run_add_reference(rft_run *run, const rft_reference *reference) {
    if (run->reference_count == run->reference_capacity) {
        size_t capacity = run->reference_capacity ? run->reference_capacity * 2 : 64;
        rft_reference *grown = rft_arena_calloc(run->arena, capacity, sizeof *grown);
        if (run->reference_count > 0) {
            memcpy(grown, run->references, run->reference_count * sizeof *grown);
        }
        run->references = grown;
        run->reference_capacity = capacity;
    }
    run->references[run->reference_count++] = *reference;
}

void rft_run_free(rft_run *run) {
    if (run != NULL) {
        rft_arena_free(run->arena);
        free(run);
    }
}

const char *rft_run_problem_text(const rft_run *run, size_t sweep, size_t problem, bool swept_only, rft_arena *arena) {
    const rft_sweep *data = &run->sweeps[sweep].sweep;
    bool any_swept = false;
    for (size_t i = 0; i < data->axis_count; i++) {
        any_swept = any_swept || data->axes[i].swept;
    }
    rft_str text = RFT_STR_INIT;
    for (size_t i = 0; i < data->axis_count; i++) {
        /* A listed problem (`problems`) has no swept axis: then all of them tell it from the others. */
        if (swept_only && any_swept && !data->axes[i].swept) {
            continue;
        }
        rft_str_add(&text, text.length > 0 ? " " : "");
        rft_values_format(&text, &data->axes[i].name, &data->problems[problem].values[i], 1);
    }
    const char *result = rft_arena_strdup(arena, rft_str_get(&text));
    rft_str_clear(&text);
    return result;
}

const char *rft_run_config_text(const rft_run *run, const rft_point *point, bool tuned_only, rft_arena *arena) {
    const rft_variant *variant = &run->sweeps[point->sweep].sweep.variants[point->variant];
    rft_str text = RFT_STR_INIT;
    for (size_t i = 0; i < variant->param_count; i++) {
        if (tuned_only && variant->params[i].value_count < 2) {
            continue;
        }
        rft_str_add(&text, text.length > 0 ? " " : "");
        rft_values_format(&text, &variant->params[i].name, &point->config[i], 1);
    }
    const char *result = rft_arena_strdup(arena, rft_str_get(&text));
    rft_str_clear(&text);
    return result;
}
