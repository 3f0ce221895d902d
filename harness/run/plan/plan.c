/* SPDX-License-Identifier: Apache-2.0 */
#include "run/plan/plan.h"

#include "base/fs.h"
#include "base/units.h"

#include <stdlib.h>
#include <string.h>

static uint64_t add_capped(uint64_t a, uint64_t b) {
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static int add_space(rft_plan *plan, size_t sweep_index, size_t variant, size_t problem, const rft_log *log,
                     rft_err *err) {
    const rft_sweep *sweep = plan->sweeps[sweep_index];
    rft_space_opts opts = {0};
    rft_space *space = NULL;
    int rc = rft_space_new(&space, sweep, variant, sweep->problems[problem].values, &opts, err);
    if (rc != RFT_OK) {
        return rft_err_context(err, "sweep %s", sweep->name);
    }
    plan->spaces[sweep_index][variant * sweep->problem_count + problem] = space;
    if (!sweep->problems[problem].odd) {
        plan->cartesian = add_capped(plan->cartesian, rft_space_cartesian(space));
        plan->valid = add_capped(plan->valid, rft_space_count(space));
        plan->estimated = plan->estimated || !rft_space_exact(space);
    }
    if (!rft_space_exact(space) && problem + 1 == sweep->problem_count) {
        char about[32];
        rft_units_format_count(about, sizeof about, rft_space_count(space));
        rft_log_warn(log, "sweep %s: too large to be counted exactly: about %s configurations are valid (%s)",
                     sweep->name, about, rft_space_count_basis(space));
    }
    if (rft_space_errors(space) > 0 && problem + 1 == sweep->problem_count) {
        rft_log_warn(
            log,
            "sweep %s: a constraint raised an error for %llu sets of values, which were left out; the first: %s. "
            "Guard it against values it cannot take.",
            sweep->name, (unsigned long long)rft_space_errors(space), rft_space_first_error(space));
    }
    return RFT_OK;
}

static int plan_sweep(rft_plan *plan, size_t index, const rft_log *log, rft_err *err) {
    const rft_sweep *sweep = plan->sweeps[index];
    uint64_t before = plan->valid;
    size_t count = sweep->variant_count * sweep->problem_count;
    plan->spaces[index] = rft_calloc(count + 1, sizeof *plan->spaces[index]);
    for (size_t v = 0; v < sweep->variant_count; v++) {
        for (size_t p = 0; p < sweep->problem_count; p++) {
            int rc = add_space(plan, index, v, p, log, err);
            if (rc != RFT_OK) {
                return rc;
            }
        }
    }
    return plan->valid > before ? RFT_OK : rft_plan_contradiction(plan, index, err);
}

int rft_plan_new(rft_plan **out, const rft_sweep *const *sweeps, size_t sweep_count, const rft_log *log, rft_err *err) {
    rft_plan *plan = rft_alloc(sizeof *plan);
    int rc = RFT_OK;
    plan->arena = rft_arena_new();
    plan->sweeps = rft_arena_calloc(plan->arena, sweep_count + 1, sizeof *plan->sweeps);
    for (size_t s = 0; s < sweep_count; s++) {
        plan->sweeps[s] = sweeps[s];
    }
    plan->sweep_count = sweep_count;
    plan->spaces = rft_calloc(sweep_count + 1, sizeof *plan->spaces);
    for (size_t s = 0; s < sweep_count && rc == RFT_OK; s++) {
        rc = plan_sweep(plan, s, log, err);
    }
    if (rc != RFT_OK) {
        rft_plan_free(plan);
        return rc;
    }
    *out = plan;
    return RFT_OK;
}

void rft_plan_free(rft_plan *plan) {
    if (!plan) {
        return;
    }
    for (size_t s = 0; s < plan->sweep_count; s++) {
        size_t count = plan->sweeps[s]->variant_count * plan->sweeps[s]->problem_count;
        for (size_t i = 0; plan->spaces[s] && i < count; i++) {
            rft_space_free(plan->spaces[s][i]);
        }
        free(plan->spaces[s]);
    }
    free(plan->spaces);
    rft_arena_free(plan->arena);
    free(plan);
}

rft_space *rft_plan_space(const rft_plan *plan, size_t sweep, size_t variant, size_t problem) {
    return plan->spaces[sweep][variant * plan->sweeps[sweep]->problem_count + problem];
}

size_t rft_plan_odd_problem(const rft_plan *plan, size_t sweep, size_t variant) {
    for (size_t p = 0; p < plan->sweeps[sweep]->problem_count; p++) {
        const rft_space *space = rft_plan_space(plan, sweep, variant, p);
        if (plan->sweeps[sweep]->problems[p].odd && space && rft_space_count(space) > 0) {
            return p;
        }
    }
    return SIZE_MAX;
}

/* ---- describing ---- */

/* Bytes of the folder that holds both files, with its slash: what is stored begins behind it, so that a recording does
 * not carry the folders of the machine it was made on. */
static size_t shared_folder(const char *a, const char *b) {
    size_t shared = 0;
    for (size_t i = 0; a[i] && a[i] == b[i]; i++) {
        if (a[i] == '/') {
            shared = i + 1;
        }
    }
    return shared;
}

static rft_axis *copy_axes(rft_arena *arena, const rft_sweep *sweep) {
    rft_axis *axes = rft_arena_memdup(arena, sweep->axes, sweep->axis_count * sizeof *axes);
    for (size_t i = 0; i < sweep->axis_count; i++) {
        axes[i].name = rft_arena_strdup(arena, axes[i].name);
        axes[i].values = rft_values_copy(arena, axes[i].values, axes[i].value_count);
    }
    return axes;
}

static rft_problem *copy_problems(rft_arena *arena, const rft_sweep *sweep) {
    rft_problem *problems = rft_arena_memdup(arena, sweep->problems, sweep->problem_count * sizeof *problems);
    for (size_t i = 0; i < sweep->problem_count; i++) {
        problems[i].values = rft_values_copy(arena, problems[i].values, sweep->axis_count);
    }
    return problems;
}

static void copy_variant(rft_arena *arena, rft_variant *variant, const char *script) {
    variant->name = rft_arena_strdup(arena, variant->name);
    variant->kernel = rft_arena_strdup(arena, variant->kernel);
    if (*variant->source) { /* a bare space has none */
        char *source = rft_fs_absolute(variant->source);
        variant->source = rft_arena_strdup(arena, source + shared_folder(source, script));
        free(source);
    } else {
        variant->source = "";
    }
    variant->entry = rft_arena_strdup(arena, variant->entry);
    variant->unverified_reference = rft_arena_strdup(arena, variant->unverified_reference);
    variant->params = rft_arena_memdup(arena, variant->params, variant->param_count * sizeof *variant->params);
    for (size_t i = 0; i < variant->param_count; i++) {
        rft_param *param = &variant->params[i];
        param->name = rft_arena_strdup(arena, param->name);
        param->help = rft_arena_strdup(arena, param->help);
        param->default_value = rft_value_copy(arena, &param->default_value);
        param->values = rft_values_copy(arena, param->values, param->value_count);
    }
    variant->constraints =
        rft_arena_memdup(arena, variant->constraints, variant->constraint_count * sizeof *variant->constraints);
    for (size_t i = 0; i < variant->constraint_count; i++) {
        rft_constraint *c = &variant->constraints[i];
        c->text = rft_arena_strdup(arena, c->text);
        c->params = rft_arena_memdup(arena, c->params, c->param_count * sizeof *c->params);
        c->axes = rft_arena_memdup(arena, c->axes, c->axis_count * sizeof *c->axes);
        c->expr = NULL;
        c->slots = NULL;
        c->slot_count = 0;
    }
}

static void copy_sweep(rft_arena *arena, rft_sweep *out, const rft_sweep *sweep) {
    *out = *sweep;
    out->vt = NULL;
    out->self = NULL;
    out->name = rft_arena_strdup(arena, sweep->name);
    char *script = rft_fs_absolute(sweep->path);
    char *source =
        rft_fs_absolute(sweep->variant_count && *sweep->variants[0].source ? sweep->variants[0].source : sweep->path);
    out->path = rft_arena_strdup(arena, script + shared_folder(script, source));
    free(source);
    out->script_hash = rft_arena_strdup(arena, sweep->script_hash);
    out->item_name = rft_arena_strdup(arena, sweep->item_name);
    out->note = rft_arena_strdup(arena, sweep->note);
    out->search.strategy = rft_arena_strdup(arena, sweep->search.strategy);
    out->axes = copy_axes(arena, sweep);
    out->variants = rft_arena_memdup(arena, sweep->variants, sweep->variant_count * sizeof *out->variants);
    for (size_t v = 0; v < sweep->variant_count; v++) {
        copy_variant(arena, &out->variants[v], script);
    }
    out->baselines = rft_arena_calloc(arena, sweep->baseline_count + 1, sizeof *out->baselines);
    for (size_t i = 0; i < sweep->baseline_count; i++) {
        out->baselines[i] = rft_arena_strdup(arena, sweep->baselines[i]);
    }
    free(script);
}

void rft_plan_describe_problems(const rft_plan *plan, size_t s, rft_run *run) {
    rft_run_sweep *out = &run->sweeps[s];
    const rft_sweep *sweep = plan->sweeps[s];
    size_t count = sweep->variant_count * sweep->problem_count;
    out->sweep.problems = copy_problems(run->arena, sweep);
    out->sweep.problem_count = sweep->problem_count;
    out->cartesian = rft_arena_calloc(run->arena, count + 1, sizeof *out->cartesian);
    out->valid = rft_arena_calloc(run->arena, count + 1, sizeof *out->valid);
    for (size_t i = 0; i < count; i++) {
        out->cartesian[i] = rft_space_cartesian(plan->spaces[s][i]);
        out->valid[i] = rft_space_count(plan->spaces[s][i]);
    }
}

void rft_plan_describe(const rft_plan *plan, rft_run *run) {
    run->sweep_count = plan->sweep_count;
    run->sweeps = rft_arena_calloc(run->arena, plan->sweep_count + 1, sizeof *run->sweeps);
    for (size_t s = 0; s < plan->sweep_count; s++) {
        copy_sweep(run->arena, &run->sweeps[s].sweep, plan->sweeps[s]);
        rft_plan_describe_problems(plan, s, run);
    }
}

/* ---- which constraints leave nothing: the first ones that do, and of these only what is needed ---- */

/* A variant on a problem, and which of its constraints are left out. */
typedef struct plan_trial {
    const rft_sweep *sweep;
    size_t variant, problem;
    bool *unused;
} plan_trial;

/* A space that can be neither counted nor sampled is not known to be empty. */
static bool is_empty(const plan_trial *t) {
    rft_space *space = NULL;
    rft_space_opts opts = {.unused = t->unused};
    rft_err ignored = RFT_ERR_INIT;
    int rc = rft_space_new(&space, t->sweep, t->variant, t->sweep->problems[t->problem].values, &opts, &ignored);
    bool empty = rc == RFT_OK && rft_space_count(space) == 0;
    rft_space_free(space);
    return empty;
}

/* Leaves used only what contradicts: all behind the first that leaves nothing, then each the others can do without. */
static void reduce(const plan_trial *t, size_t count) {
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

#define WHY " -- " /* in front of a constraint's comment, which says what to do where it leaves nothing */

/* "BM >= 64; BM * BN < 512"; returns the last one's comment, NULL where it has none. */
static const char *add_texts(rft_str *out, const plan_trial *t) {
    const rft_variant *variant = &t->sweep->variants[t->variant];
    const char *why = NULL;
    for (size_t i = 0; i < variant->constraint_count; i++) {
        if (!t->unused[i]) {
            const char *text = variant->constraints[i].text;
            why = strstr(text, WHY);
            rft_str_addf(out, "%s%.*s", out->length ? "; " : "", why ? (int)(why - text) : (int)strlen(text), text);
        }
    }
    return why ? why + strlen(WHY) : NULL;
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
        remedy =
            strstr(raised, "compare boolean with number")
                ? "a chain of comparisons is written in two: 1 <= VEC and VEC <= 4"
                : "a constraint says true or false for all values of `tune` and `over`: return VEC * BLOCK <= 1024";
    } else {
        /* The last problem of the first variant stands for all. */
        plan_trial t = {.sweep = sweep, .problem = sweep->problem_count - 1};
        size_t count = sweep->variants[0].constraint_count, left = 0;
        rft_str texts = RFT_STR_INIT;
        t.unused = rft_calloc(count + 1, sizeof *t.unused);
        reduce(&t, count);
        const char *why = add_texts(&texts, &t);
        for (size_t i = 0; i < count; i++) {
            left += !t.unused[i];
        }
        bool negates = left == 1 && strncmp(rft_str_get(&texts), "not ", 4) == 0 && strstr(rft_str_get(&texts), "==");
        remedy = left == 1 && why ? why : negates ? "`not A == B` is (not A) == B: write A ~= B" : remedy;
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

/* ---- problems that are added while the plan is carried out ---- */

static size_t find_problem(const rft_sweep *sweep, const rft_value *values) {
    for (size_t p = 0; p < sweep->problem_count; p++) {
        if (rft_values_equal(sweep->problems[p].values, values, sweep->axis_count)) {
            return p;
        }
    }
    return SIZE_MAX;
}

/* A copy with one problem more: a holder of the sweep of before keeps that. */
static rft_sweep *with_problem(rft_arena *arena, const rft_sweep *sweep, const rft_problem *added) {
    rft_sweep *grown = rft_arena_memdup(arena, sweep, sizeof *sweep);
    grown->problems = rft_arena_calloc(arena, sweep->problem_count + 1, sizeof *grown->problems);
    memcpy(grown->problems, sweep->problems, sweep->problem_count * sizeof *sweep->problems);
    grown->problems[grown->problem_count++] = *added;
    return grown;
}

/* Makes the spaces of the last problem; those of the others move to where the longer list has them. */
static int grow_spaces(rft_plan *plan, size_t s, rft_err *err) {
    const rft_sweep *sweep = plan->sweeps[s];
    size_t count = sweep->problem_count, before = count - 1;
    rft_space **spaces = rft_calloc(sweep->variant_count * count + 1, sizeof *spaces);
    int rc = RFT_OK;
    for (size_t v = 0; v < sweep->variant_count; v++) {
        memcpy(&spaces[v * count], &plan->spaces[s][v * before], before * sizeof *spaces);
    }
    free(plan->spaces[s]);
    plan->spaces[s] = spaces;
    for (size_t v = 0; v < sweep->variant_count && rc == RFT_OK; v++) {
        rft_space_opts opts = {0};
        rc = rft_space_new(&spaces[v * count + before], sweep, v, sweep->problems[before].values, &opts, err);
    }
    return rc == RFT_OK ? RFT_OK : rft_err_context(err, "sweep %s", sweep->name);
}

int rft_plan_add_problem(rft_plan *plan, size_t s, const rft_problem *problem, rft_plan_added *out, rft_err *err) {
    const rft_sweep *sweep = plan->sweeps[s];
    rft_err raised = RFT_ERR_INIT;
    rft_problem added = *problem;
    *out = (rft_plan_added){.problem = SIZE_MAX};
    added.values = rft_values_copy(plan->arena, problem->values, sweep->axis_count);
    int rc = sweep->vt->complete(sweep->self, added.values, plan->arena, &raised);
    if (rc == RFT_E_SCRIPT_STOPPED) {
        if (err) {
            *err = raised;
        }
        return rc;
    }
    if (rc != RFT_OK) {
        out->why = rft_arena_printf(plan->arena, "%s%s%s", raised.place, *raised.place ? ": " : "", raised.message);
        return RFT_OK;
    }
    if (find_problem(sweep, added.values) != SIZE_MAX) {
        return RFT_OK;
    }
    plan->sweeps[s] = with_problem(plan->arena, sweep, &added);
    out->problem = sweep->problem_count;
    return grow_spaces(plan, s, err);
}
