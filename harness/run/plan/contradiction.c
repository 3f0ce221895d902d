/* SPDX-License-Identifier: Apache-2.0 */
/* contradiction.c - which constraints leave nothing: the first ones that do, and of these only what is needed. */
#include "run/plan/plan.h"

#include <stdlib.h>

/* A variant on a problem, and which of its constraints are left out. */
typedef struct trial {
    const rft_sweep *sweep;
    size_t variant, problem;
    bool *unused;
} trial;

/* A space that can be neither counted nor sampled is not known to be empty. */
static bool is_empty(const trial *t) {
    rft_space *space = NULL;
    rft_space_opts opts = {.unused = t->unused};
    rft_err ignored = RFT_ERR_INIT;
    int rc = rft_space_new(&space, t->sweep, t->variant, t->sweep->problems[t->problem].values, &opts, &ignored);
    bool empty = rc == RFT_OK && rft_space_count(space) == 0;
    rft_space_free(space);
    return empty;
}

/* Leaves used only what contradicts: all behind the first that leaves nothing, then each the others can do without. */
static void reduce(const trial *t, size_t count) {
    for (size_t i = 0; i < count; i++) {
        t->unused[i] = true;
    }
    size_t end = 0;
    while (end < count && !is_empty(t)) {
        t->unused[end++] = false;
    }
    for (size_t i = 0; i < end; i++) {
        t->unused[i] = true;
        t->unused[i] = is_empty(t);
    }
}

/* "BM >= 64; BM * BN < 512". */
static void add_texts(rft_str *out, const trial *t) {
    const rft_variant *variant = &t->sweep->variants[t->variant];
    for (size_t i = 0; i < variant->constraint_count; i++) {
        if (!t->unused[i]) {
            rft_str_addf(out, "%s%s", out->length ? "; " : "", variant->constraints[i].text);
        }
    }
}

static const char *first_raised(const rft_plan *plan, size_t index) {
    const rft_sweep *sweep = plan->sweeps[index];
    for (size_t i = 0; i < sweep->variant_count * sweep->problem_count; i++) {
        if (rft_space_errors(plan->spaces[index][i]) > 0) {
            return rft_space_first_error(plan->spaces[index][i]);
        }
    }
    return NULL;
}

int rft_plan_contradiction(const rft_plan *plan, size_t index, rft_err *err) {
    const rft_sweep *sweep = plan->sweeps[index];
    const char *raised = first_raised(plan, index);
    const char *remedy = "loosen `where`, or give `tune` values that satisfy it";
    if (raised) {
        rft_err_set(err, RFT_E_SPACE, "sweep %s: no configuration is valid: a constraint raises an error: %s",
                    sweep->name, raised);
    } else {
        /* The last problem of the first variant stands for all. */
        trial t = {.sweep = sweep, .problem = sweep->problem_count - 1};
        size_t count = sweep->variants[0].constraint_count, left = 0;
        rft_str texts = RFT_STR_INIT;
        t.unused = rft_calloc(count + 1, sizeof *t.unused);
        reduce(&t, count);
        add_texts(&texts, &t);
        for (size_t i = 0; i < count; i++) {
            left += !t.unused[i];
        }
        rft_err_set(err, RFT_E_SPACE, "sweep %s: no configuration is valid%s%s", sweep->name,
                    left == 0   ? ""
                    : left == 1 ? "; this constraint alone leaves nothing: "
                                : "; these constraints contradict each other: ",
                    rft_str_get(&texts));
        rft_str_clear(&texts);
        free(t.unused);
    }
    rft_err_place(err, "%s", sweep->path);
    return rft_err_remedy(err, "%s", remedy);
}
