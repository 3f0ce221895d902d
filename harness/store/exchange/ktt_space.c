/* SPDX-License-Identifier: Apache-2.0 */
/* ktt_space.c - kernels, parameters and configurations of KTT's results. */
#include "store/exchange/ktt_parts.h"

#include "base/str.h"
#include "store/value_json.h"

#include <stdlib.h>
#include <string.h>

#define PARAMS_MAX 1000

static bool fits_kind(const json_t *value, const char *kind) {
    if (strcmp(kind, "Int") == 0 || strcmp(kind, "UnsignedInt") == 0) {
        return json_is_integer(value) && (kind[0] != 'U' || json_integer_value(value) >= 0);
    }
    return strcmp(kind, "Double") == 0   ? json_is_number(value)
           : strcmp(kind, "Bool") == 0   ? json_is_boolean(value)
           : strcmp(kind, "String") == 0 ? json_is_string(value)
                                         : json_is_number(value) || json_is_boolean(value) || json_is_string(value);
}

static bool repeats(const json_t *list, size_t place) {
    const char *name = json_string_value(json_object_get(json_array_get(list, place), "Name"));
    for (size_t i = 0; i < place; i++) {
        if (strcmp(json_string_value(json_object_get(json_array_get(list, i), "Name")), name) == 0) {
            return true;
        }
    }
    return false;
}

/* The first configuration of a kernel says which parameters it has. */
static void name_params(rft_ktt_reader *r, rft_variant *variant, const json_t *list, size_t result) {
    size_t count = json_array_size(list);
    if (!json_is_array(list) || count > PARAMS_MAX) {
        rft_ktt_fail(r, "a list of at most 1,000 parameters", "Results[%zu].Configuration", result);
        return;
    }
    variant->params = rft_arena_calloc(r->run->arena, count + 1, sizeof *variant->params);
    for (size_t i = 0; i < count && !r->code; i++) {
        char path[80];
        rft_text_format(path, sizeof path, "Results[%zu].Configuration[%zu]", result, i);
        variant->params[i] = (rft_param){.name = rft_ktt_text(r, json_array_get(list, i), "Name", path), .help = ""};
        if (!r->code && repeats(list, i)) {
            rft_ktt_fail(r, "every parameter once", "%s.Name", path);
        }
    }
    variant->param_count = r->code ? 0 : count;
}

void rft_ktt_config(rft_ktt_reader *r, rft_point *point, const json_t *list, size_t result) {
    const rft_variant *variant = &r->run->sweeps[point->sweep].sweep.variants[0];
    point->config = rft_arena_calloc(r->run->arena, variant->param_count + 1, sizeof *point->config);
    if (!json_is_array(list) || json_array_size(list) != variant->param_count) {
        rft_ktt_fail(r, "the same parameters as in the kernel's first configuration", "Results[%zu].Configuration",
                     result);
    }
    for (size_t i = 0; i < variant->param_count && !r->code; i++) {
        const json_t *entry = json_array_get(list, i), *value = json_object_get(entry, "Value");
        const char *kind = rft_json_text_or(entry, "ValueType", "");
        if (strcmp(rft_json_text_or(entry, "Name", ""), variant->params[i].name) != 0) {
            rft_ktt_fail(r, "the same parameters as in the kernel's first configuration",
                         "Results[%zu].Configuration[%zu].Name", result, i);
        } else if (!value || !fits_kind(value, kind) || json_string_length(value) > RFT_KTT_TEXT_MAX) {
            rft_ktt_fail(r, kind[0] ? "a value of its ValueType" : "a number, true, false or a text",
                         "Results[%zu].Configuration[%zu].Value", result, i);
        } else {
            (void)rft_json_to_value(&point->config[i], value, r->run->arena);
        }
    }
}

static int compare_values(const void *a, const void *b) {
    const rft_value *x = a, *y = b;
    if (x->kind == RFT_VALUE_TEXT || y->kind == RFT_VALUE_TEXT) {
        return x->kind == y->kind ? strcmp(x->as.text, y->as.text) : (int)x->kind - (int)y->kind;
    }
    double left = rft_value_number(x), right = rft_value_number(y);
    return left != right ? (left < right ? -1 : 1) : (int)x->kind - (int)y->kind;
}

void rft_ktt_gather_values(rft_run *run, size_t sweep) {
    rft_variant *variant = &run->sweeps[sweep].sweep.variants[0];
    rft_value *all = rft_calloc(run->point_count + 1, sizeof *all);
    double product = 1.0;
    size_t points = 0;
    for (size_t i = 0; i < variant->param_count; i++) {
        size_t count = 0, kept = 0;
        for (size_t p = 0; p < run->point_count; p++) {
            if (run->points[p].sweep == sweep) {
                all[count++] = run->points[p].config[i];
            }
        }
        qsort(all, count, sizeof *all, compare_values);
        for (size_t v = 0; v < count; v++) {
            if (v == 0 || compare_values(&all[v], &all[kept - 1]) != 0) {
                all[kept++] = all[v];
            }
        }
        rft_param *param = &variant->params[i];
        param->values = rft_arena_memdup(run->arena, all, kept * sizeof *all);
        param->value_count = kept;
        param->default_value = all[0];
        product *= (double)kept;
    }
    for (size_t p = 0; p < run->point_count; p++) {
        points += run->points[p].sweep == sweep;
    }
    *run->sweeps[sweep].cartesian = product < 9e18 ? (uint64_t)product : UINT64_MAX;
    *run->sweeps[sweep].valid = points;
    if (points < *run->sweeps[sweep].cartesian) { /* by constraints, or since KTT was stopped */
        run->sweeps[sweep].unexplored = "the other combinations are not in the file, nor is why";
    }
    free(all);
}

static void make_sweep(rft_ktt_reader *r, const char *kernel, const json_t *result, size_t index) {
    rft_arena *arena = r->run->arena;
    rft_run_sweep *out = &r->run->sweeps[r->run->sweep_count++];
    const json_t *first = json_array_get(json_object_get(result, "ComputationResults"), 0);
    out->sweep =
        (rft_sweep){.name = kernel, .path = "", .script_hash = "", .diagnostic = -1, .measure = RFT_MEASURE_OPTS_INIT};
    out->sweep.measure.cache = RFT_CACHE_HOT; /* KTT flushes nothing, and times one run */
    out->sweep.measure.min_samples = out->sweep.measure.max_samples = 1;
    out->sweep.search = (rft_search_opts){.strategy = "KTT's"};
    out->sweep.problem_count = out->sweep.variant_count = 1;
    out->sweep.problems = rft_arena_calloc(arena, 1, sizeof *out->sweep.problems);
    out->sweep.variants = rft_arena_calloc(arena, 1, sizeof *out->sweep.variants);
    out->sweep.variants[0] = (rft_variant){
        .name = kernel,
        .kernel = kernel,
        .source = "",
        .entry = rft_arena_strdup(arena, rft_json_text_or(first, "KernelFunction", kernel)),
    };
    out->cartesian = rft_arena_calloc(arena, 1, sizeof *out->cartesian);
    out->valid = rft_arena_calloc(arena, 1, sizeof *out->valid);
    name_params(r, &out->sweep.variants[0], json_object_get(result, "Configuration"), index);
}

size_t rft_ktt_sweep_of(rft_ktt_reader *r, const json_t *result, size_t index) {
    char path[60];
    rft_text_format(path, sizeof path, "Results[%zu]", index);
    const char *kernel = rft_ktt_text(r, result, "KernelName", path);
    for (size_t s = 0; s < r->run->sweep_count; s++) {
        if (strcmp(r->run->sweeps[s].sweep.name, kernel) == 0) {
            return s;
        }
    }
    if (!r->code && r->run->sweep_count == RFT_KTT_SWEEPS_MAX) {
        rft_ktt_fail(r, "at most 1,000 kernels", "%s.KernelName", path);
    }
    if (!r->code) {
        make_sweep(r, kernel, result, index);
    }
    return r->code ? 0 : r->run->sweep_count - 1;
}
