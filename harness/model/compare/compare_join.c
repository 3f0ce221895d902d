/* SPDX-License-Identifier: Apache-2.0 */
/* compare_join.c - which sweeps and problems of several runs are the same (compare.h). */
#include "model/compare/compare_parts.h"

#include "model/transition/refine.h"

#include <string.h>

typedef struct sweep_group {
    size_t rep_side, rep_sweep; /* the side that named it */
    size_t sweeps[RFT_COMPARE_MOST];
} sweep_group;

typedef struct joiner {
    rft_compare *compare;
    rft_arena *arena;
    sweep_group *groups;
    size_t group_count;
    rft_compare_join *joins;
    size_t join_count;
    size_t alone_capacity;
} joiner;

static const rft_run_sweep *sweeps_of(const rft_compare *compare, size_t side) {
    return compare->sides[side].run->sweeps;
}

/* The axis of that name; SIZE_MAX. */
static size_t axis_at(const rft_sweep *sweep, const char *name) {
    size_t at = 0;
    while (at < sweep->axis_count && strcmp(sweep->axes[at].name, name) != 0) {
        at++;
    }
    return at < sweep->axis_count ? at : SIZE_MAX;
}

static bool same_axes(const rft_sweep *a, const rft_sweep *b) {
    bool same = a->axis_count == b->axis_count;
    for (size_t i = 0; same && i < a->axis_count; i++) {
        same = axis_at(b, a->axes[i].name) != SIZE_MAX;
    }
    return same;
}

/* Parameters with one value are part of the kernel, not of what is searched. */
static const rft_param *next_tuned(const rft_variant *variant, size_t *at) {
    while (*at < variant->param_count && variant->params[*at].value_count < 2) {
        (*at)++;
    }
    return *at < variant->param_count ? &variant->params[(*at)++] : NULL;
}

static bool same_params(const rft_variant *a, const rft_variant *b) {
    size_t i = 0, k = 0;
    for (;;) {
        const rft_param *p = next_tuned(a, &i), *q = next_tuned(b, &k);
        if (!p || !q) {
            return p == q;
        }
        if (strcmp(p->name, q->name) != 0 || p->value_count != q->value_count ||
            !rft_values_equal(p->values, q->values, p->value_count)) {
            return false;
        }
    }
}

/* The name of the only variant is the kernel's, or the file's: it says nothing. */
bool rft_compare_same_space(const rft_sweep *a, const rft_sweep *b) {
    bool same = a->variant_count == b->variant_count;
    for (size_t v = 0; same && v < a->variant_count; v++) {
        same = (a->variant_count == 1 || strcmp(a->variants[v].name, b->variants[v].name) == 0) &&
               same_params(&a->variants[v], &b->variants[v]);
    }
    return same;
}

static bool same_kernels(const rft_sweep *a, const rft_sweep *b) {
    bool same = a->variant_count == b->variant_count && a->variant_count > 0;
    for (size_t v = 0; same && v < a->variant_count; v++) {
        const char *x = a->variants[v].kernel, *y = b->variants[v].kernel;
        same = x && *x && rft_text_equal(x, y);
    }
    return same;
}

static bool tunes_anything(const rft_sweep *sweep) {
    size_t at = 0;
    return sweep->variant_count > 0 && next_tuned(&sweep->variants[0], &at) != NULL;
}

/* 0: by name; 1: by kernel; 2: by an equal space. */
static bool sweeps_match(const rft_sweep *a, const rft_sweep *b, int way) {
    if (!same_axes(a, b)) {
        return false;
    }
    return way == 0   ? rft_text_equal(a->name, b->name)
           : way == 1 ? same_kernels(a, b)
                      : tunes_anything(a) && rft_compare_same_space(a, b);
}

static void join_side(joiner *j, size_t side) {
    const rft_run_sweep *sweeps = sweeps_of(j->compare, side);
    size_t count = j->compare->sides[side].run->sweep_count, known = j->group_count;
    bool *taken = rft_arena_calloc(j->arena, count + 1, sizeof *taken);
    for (int way = 0; way < 3; way++) {
        for (size_t s = 0; s < count; s++) {
            for (size_t g = 0; g < known && !taken[s]; g++) {
                sweep_group *of = &j->groups[g];
                const rft_sweep *rep = &sweeps_of(j->compare, of->rep_side)[of->rep_sweep].sweep;
                if (of->sweeps[side] == RFT_COMPARE_ABSENT && sweeps_match(rep, &sweeps[s].sweep, way)) {
                    of->sweeps[side] = s;
                    taken[s] = true;
                }
            }
        }
    }
    for (size_t s = 0; s < count; s++) {
        if (!taken[s]) {
            sweep_group *of = &j->groups[j->group_count++];
            *of = (sweep_group){.rep_side = side, .rep_sweep = s};
            for (size_t k = 0; k < RFT_COMPARE_MOST; k++) {
                of->sweeps[k] = k == side ? s : RFT_COMPARE_ABSENT;
            }
        }
    }
}

static void add_alone(joiner *j, size_t side, const char *text) {
    rft_compare *c = j->compare;
    c->alone = rft_arena_grown(j->arena, c->alone, c->alone_count, &j->alone_capacity, sizeof *c->alone);
    c->alone[c->alone_count++] = (rft_compare_alone){side, text};
}

static bool same_problem(const rft_sweep *a, size_t p, const rft_sweep *b, size_t q) {
    bool same = !a->problems[p].odd && !b->problems[q].odd;
    for (size_t i = 0; same && i < a->axis_count; i++) {
        same = rft_value_equal(&a->problems[p].values[i], &b->problems[q].values[axis_at(b, a->axes[i].name)]);
    }
    return same;
}

static size_t find_problem(const rft_sweep *a, size_t p, const rft_sweep *b) {
    for (size_t q = 0; q < b->problem_count; q++) {
        if (same_problem(a, p, b, q)) {
            return q;
        }
    }
    return RFT_COMPARE_ABSENT;
}

/* "gemv", or "convolution_A100 / convolution_A4000" where the names differ. */
static const char *group_name(const joiner *j, const sweep_group *of) {
    rft_str text = RFT_STR_INIT;
    const char *last = NULL;
    for (size_t side = 0; side < j->compare->side_count; side++) {
        const char *name =
            of->sweeps[side] == RFT_COMPARE_ABSENT ? NULL : sweeps_of(j->compare, side)[of->sweeps[side]].sweep.name;
        if (name && !(last && strcmp(last, name) == 0)) {
            rft_str_addf(&text, "%s%s", last ? " / " : "", name);
            last = name;
        }
    }
    const char *kept = rft_arena_strdup(j->arena, rft_str_get(&text));
    rft_str_clear(&text);
    return kept;
}

/* Was the problem already met on an earlier side? */
static bool is_known(const joiner *j, const sweep_group *of, size_t side, size_t problem) {
    const rft_sweep *sweep = &sweeps_of(j->compare, side)[of->sweeps[side]].sweep;
    for (size_t earlier = 0; earlier < side; earlier++) {
        if (of->sweeps[earlier] != RFT_COMPARE_ABSENT &&
            find_problem(sweep, problem, &sweeps_of(j->compare, earlier)[of->sweeps[earlier]].sweep) !=
                RFT_COMPARE_ABSENT) {
            return true;
        }
    }
    return false;
}

static void join_problem(joiner *j, size_t g, size_t side, size_t problem, const char *sweep_name) {
    const sweep_group *of = &j->groups[g];
    const rft_compare *c = j->compare;
    const rft_sweep *sweep = &sweeps_of(c, side)[of->sweeps[side]].sweep;
    size_t partners = 0;
    rft_compare_join join = {.group = g, .sweep_name = sweep_name};
    join.sweeps = rft_arena_calloc(j->arena, c->side_count, sizeof *join.sweeps);
    join.problems = rft_arena_calloc(j->arena, c->side_count, sizeof *join.problems);
    for (size_t k = 0; k < c->side_count; k++) {
        join.sweeps[k] = of->sweeps[k];
        join.problems[k] = of->sweeps[k] == RFT_COMPARE_ABSENT
                               ? RFT_COMPARE_ABSENT
                               : find_problem(sweep, problem, &sweeps_of(c, k)[of->sweeps[k]].sweep);
        partners += join.problems[k] != RFT_COMPARE_ABSENT;
    }
    const char *text = rft_run_problem_text(c->sides[side].run, of->sweeps[side], problem, true, j->arena);
    join.name = rft_arena_printf(j->arena, "%s%s%s", sweep_name, *text ? " " : "", text);
    if (partners > 1) {
        j->joins[j->join_count++] = join;
    } else {
        add_alone(j, side, join.name);
    }
}

static void join_group(joiner *j, size_t g) {
    const sweep_group *of = &j->groups[g];
    const char *name = group_name(j, of);
    size_t members = 0;
    for (size_t side = 0; side < j->compare->side_count; side++) {
        members += of->sweeps[side] != RFT_COMPARE_ABSENT;
    }
    if (members < 2) {
        const rft_sweep *sweep = &sweeps_of(j->compare, of->rep_side)[of->rep_sweep].sweep;
        size_t timed = 0;
        for (size_t p = 0; p < sweep->problem_count; p++) {
            timed += !sweep->problems[p].odd;
        }
        add_alone(
            j, of->rep_side,
            rft_arena_printf(j->arena, "%s (the whole sweep, %zu problem%s)", name, timed, timed == 1 ? "" : "s"));
        return;
    }
    for (size_t side = 0; side < j->compare->side_count; side++) {
        if (of->sweeps[side] == RFT_COMPARE_ABSENT) {
            continue;
        }
        const rft_sweep *sweep = &sweeps_of(j->compare, side)[of->sweeps[side]].sweep;
        const size_t *order = rft_refine_order(sweep, j->arena);
        for (size_t i = 0; i < sweep->problem_count; i++) {
            if (!sweep->problems[order[i]].odd && !is_known(j, of, side, order[i])) {
                join_problem(j, g, side, order[i], name);
            }
        }
    }
}

size_t rft_compare_joined(rft_compare *compare, rft_compare_join **out, rft_arena *arena) {
    joiner j = {.compare = compare, .arena = arena};
    size_t sweeps = 0, problems = 0;
    for (size_t side = 0; side < compare->side_count; side++) {
        const rft_run *run = compare->sides[side].run;
        sweeps += run->sweep_count;
        for (size_t s = 0; s < run->sweep_count; s++) {
            problems += run->sweeps[s].sweep.problem_count;
        }
    }
    j.groups = rft_arena_calloc(arena, sweeps + 1, sizeof *j.groups);
    j.joins = rft_arena_calloc(arena, problems + 1, sizeof *j.joins);
    for (size_t side = 0; side < compare->side_count; side++) {
        join_side(&j, side);
    }
    for (size_t g = 0; g < j.group_count; g++) {
        join_group(&j, g);
    }
    *out = j.joins;
    return j.join_count;
}
