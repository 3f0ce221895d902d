/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/check_unchanged.h"
#include "cli/check_facts.h"
#include "run/plan/job.h"

#include <string.h>

#define VALUES_MOST 4 /* other values of a parameter that are tried from one configuration */
#define PROBLEMS_MOST 6
#define PARAMS_MOST 64 /* of a variant with more none is looked at */

typedef struct look {
    const rft_check_unchanged *of;
    const rft_sweep *sweep;
    const rft_variant *variant;
    size_t problem;
    const rft_space *space;
    rft_arena *arena; /* of this problem */
    rft_value *begun[RFT_CHECK_BEGUN];
    size_t begun_count;
} look;

static void begin(look *l) {
    uint64_t count = rft_space_count(l->space);
    rft_value *config = rft_arena_calloc(l->arena, l->variant->param_count + 1, sizeof *config);
    uint64_t by_default = rft_check_default(l->space, config);
    uint64_t wanted = count < RFT_CHECK_BEGUN ? count : RFT_CHECK_BEGUN;
    for (uint64_t i = 0; i < wanted; i++) {
        uint64_t index = rft_check_sample_index(l->space, by_default, i, wanted);
        rft_space_get(l->space, index, config);
        l->begun[l->begun_count++] = rft_values_copy(l->arena, config, l->variant->param_count);
    }
}

/* So many values of a parameter are looked at, the last one first, then evenly to the first. */
static size_t looked_at(const rft_param *p) {
    return p->value_count < VALUES_MOST + 1 ? p->value_count : VALUES_MOST + 1;
}

/* The k-th of them in place of that of `param`; false: that is it already, or it is not valid. */
static bool change(const look *l, const rft_value *config, size_t param, size_t k, rft_value *out) {
    const rft_param *p = &l->variant->params[param];
    size_t last = p->value_count - 1, steps = looked_at(p) - 1;
    size_t other = last - (steps > 0 ? k * last / steps : 0);
    memcpy(out, config, l->variant->param_count * sizeof *out);
    out[param] = p->values[other];
    return other != rft_param_find(p, &config[param]) && rft_space_find(l->space, out) != UINT64_MAX;
}

static bool launch_key(const look *l, const rft_value *config, char out[RFT_HASH_HEX_SIZE]) {
    rft_arena *arena = rft_arena_new();
    rft_point_spec spec;
    rft_err ignored = RFT_ERR_INIT;
    int rc = l->sweep->vt->point(l->sweep->self, l->of->variant, l->sweep->problems[l->problem].values, config, arena,
                                 &spec, &ignored);
    if (rc == RFT_OK) {
        rft_job_launch_key(&spec, out);
    }
    rft_arena_free(arena);
    return rc == RFT_OK;
}

/* Is the launch the same for all that is tried? Adds to *pairs how many were. Where none is valid, nothing is known. */
static bool same_launches(const look *l, size_t param, size_t *pairs) {
    rft_value *other = rft_arena_calloc(l->arena, l->variant->param_count + 1, sizeof *other);
    char a[RFT_HASH_HEX_SIZE], b[RFT_HASH_HEX_SIZE];
    for (size_t i = 0; i < l->begun_count; i++) {
        bool known = launch_key(l, l->begun[i], a);
        size_t tried = 0;
        for (size_t k = 0; known && k < looked_at(&l->variant->params[param]); k++) {
            if (change(l, l->begun[i], param, k, other)) {
                tried++;
                if (!launch_key(l, other, b) || strcmp(a, b) != 0) {
                    return false;
                }
            }
        }
        *pairs += tried;
    }
    return true;
}

static rft_once_request request_of(const look *l, const rft_value *config) {
    return (rft_once_request){.sweep = l->sweep,
                              .variant = l->of->variant,
                              .problem = l->sweep->problems[l->problem].values,
                              .config = config,
                              .gpu = l->of->gpu,
                              .pool = l->of->pool};
}

/* *known false: it does not compile, is skipped, or its code cannot be compared. */
static int code_of(const look *l, const rft_value *config, char out[RFT_HASH_HEX_SIZE], bool *known, rft_err *err) {
    rft_once_request request = request_of(l, config);
    rft_once_result result;
    rft_arena *arena = rft_arena_new();
    int rc = rft_once(&request, arena, &result, err);
    *known = rc == RFT_OK && result.compiled && result.compiled->ok &&
             rft_cubin_code_hash(result.compiled->cubin, result.compiled->cubin_bytes, out);
    rft_arena_free(arena);
    return rc;
}

/* Is the code the same for all that is compiled? */
static int same_code(const look *l, size_t param, bool *same, rft_err *err) {
    rft_value *other = rft_arena_calloc(l->arena, l->variant->param_count + 1, sizeof *other);
    char a[RFT_HASH_HEX_SIZE], b[RFT_HASH_HEX_SIZE];
    int rc = RFT_OK;
    *same = true;
    for (size_t i = 0; i < l->begun_count && *same && rc == RFT_OK; i++) {
        for (size_t k = 0; k < looked_at(&l->variant->params[param]) && *same; k++) {
            if (rc == RFT_OK && change(l, l->begun[i], param, k, other)) {
                bool known = false, known_other = false;
                rc = code_of(l, l->begun[i], a, &known, err);
                rc = rc == RFT_OK ? code_of(l, other, b, &known_other, err) : rc;
                *same = known && known_other && strcmp(a, b) == 0;
            }
        }
    }
    return rc;
}

static void warn(const rft_check_unchanged *of, size_t param, size_t pairs) {
    const rft_sweep *sweep = of->plan->sweeps[of->sweep];
    const rft_variant *variant = &sweep->variants[of->variant];
    const rft_param *p = &variant->params[param];
    const char *source = strrchr(variant->source, '/');
    rft_arena *arena = of->warnings->arena;
    rft_check_warn(of->warnings, rft_check_place(sweep, variant, arena),
                   rft_arena_printf(arena, "use %s in %s or in launch, or leave it out of tune", p->name,
                                    source ? source + 1 : variant->source),
                   "%s changes nothing: %zu values%s gave the same code and launch (%zu pair%s looked at)", p->name,
                   looked_at(p), looked_at(p) < p->value_count ? " tried" : "", pairs, pairs == 1 ? "" : "s");
}

/* Has the first pair of each parameter compiled while others are waited for. */
static void queue(const look *l, const bool *same) {
    rft_value *other = rft_arena_calloc(l->arena, l->variant->param_count + 1, sizeof *other);
    for (size_t param = 0; param < l->variant->param_count; param++) {
        size_t k = 0;
        size_t most = looked_at(&l->variant->params[param]);
        while (same[param] && l->begun_count > 0 && k < most && !change(l, l->begun[0], param, k, other)) {
            k++;
        }
        if (same[param] && l->begun_count > 0 && k < most) {
            rft_once_request request = request_of(l, other);
            rft_err ignored = RFT_ERR_INIT;
            (void)rft_once_queue(&request, &ignored);
        }
    }
}

/* The parameters that are still alike, on one problem more. */
static int look_at(const rft_check_unchanged *of, size_t problem, bool *same, size_t *pairs, rft_err *err) {
    look l = {.of = of, .sweep = of->plan->sweeps[of->sweep], .problem = problem};
    l.variant = &l.sweep->variants[of->variant];
    l.space = rft_plan_space(of->plan, of->sweep, of->variant, problem);
    int rc = RFT_OK;
    if (l.sweep->problems[problem].odd || rft_space_count(l.space) == 0) {
        return RFT_OK;
    }
    l.arena = rft_arena_new();
    begin(&l);
    for (size_t i = 0; i < l.variant->param_count; i++) {
        same[i] = same[i] && same_launches(&l, i, &pairs[i]);
    }
    queue(&l, same);
    for (size_t i = 0; i < l.variant->param_count && rc == RFT_OK; i++) {
        rc = same[i] ? same_code(&l, i, &same[i], err) : RFT_OK;
    }
    rft_arena_free(l.arena);
    return rc;
}

int rft_check_unchanged_params(const rft_check_unchanged *of, rft_err *err) {
    const rft_sweep *sweep = of->plan->sweeps[of->sweep];
    const rft_variant *variant = &sweep->variants[of->variant];
    rft_arena *arena = of->warnings->arena;
    bool *same = rft_arena_calloc(arena, variant->param_count + 1, sizeof *same);
    size_t *pairs = rft_arena_calloc(arena, variant->param_count + 1, sizeof *pairs);
    size_t looks = sweep->problem_count < PROBLEMS_MOST ? sweep->problem_count : PROBLEMS_MOST;
    int rc = RFT_OK;
    for (size_t i = 0; i < variant->param_count; i++) {
        same[i] = variant->params[i].value_count > 1 && !rft_variant_is_library(variant);
    }
    for (size_t p = 0; p < sweep->problem_count; p++) {
        if (variant->param_count > PARAMS_MOST ||
            !rft_space_exact(rft_plan_space(of->plan, of->sweep, of->variant, p))) {
            return RFT_OK;
        }
    }
    for (size_t i = 0; i < looks && rc == RFT_OK; i++) { /* the last one first, then evenly to the first */
        size_t back = looks > 1 ? i * (sweep->problem_count - 1) / (looks - 1) : 0;
        rc = look_at(of, sweep->problem_count - 1 - back, same, pairs, err);
    }
    for (size_t i = 0; i < variant->param_count && rc == RFT_OK; i++) {
        if (same[i] && pairs[i] > 0) {
            warn(of, i, pairs[i]);
        }
    }
    return rc;
}
