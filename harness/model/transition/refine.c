/* SPDX-License-Identifier: Apache-2.0 */
#include "model/transition/refine.h"

#include "base/str.h"
#include "model/stats/turn.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SPAN_GEOMETRIC 4.0
#define RATIO_TOL 1e-9
#define TURN_SEED 1

/* ---- the value halfway ---- */

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The axis' own values, ascending. Heap. */
static double *sorted_grid(const rft_axis *axis) {
    double *grid = rft_calloc(axis->value_count + 1, sizeof *grid);
    for (size_t i = 0; i < axis->value_count; i++) {
        grid[i] = rft_value_number(&axis->values[i]);
    }
    if (axis->value_count > 1) {
        qsort(grid, axis->value_count, sizeof *grid, by_value);
    }
    return grid;
}

static bool is_geometric(const rft_axis *axis) {
    size_t n = axis->value_count;
    double *grid = sorted_grid(axis);
    bool positive = n > 1 && grid[0] > 0;
    bool equal_factors = positive && n > 2;
    for (size_t i = 2; i < n && equal_factors; i++) {
        equal_factors = fabs(grid[i] / grid[i - 1] * grid[0] / grid[1] - 1) <= RATIO_TOL;
    }
    bool geometric = positive && (equal_factors || grid[n - 1] / grid[0] > SPAN_GEOMETRIC);
    free(grid);
    return geometric;
}

/* The multiple next to `middle` of the coarsest power of two that both ends share and that leaves it between them. */
static bool middle_integer(int64_t low, int64_t high, double middle, int64_t *out) {
    uint64_t bits = (uint64_t)low | (uint64_t)high;
    for (uint64_t step = bits & (~bits + 1); step > 0; step /= 2) {
        double near = round(middle / (double)step) * (double)step;
        if (near > (double)low && near < (double)high) {
            *out = (int64_t)near;
            return true;
        }
    }
    return false;
}

bool rft_refine_middle(const rft_axis *axis, const rft_value *low, const rft_value *high, rft_value *out) {
    double a = rft_value_number(low), b = rft_value_number(high);
    if (!(a < b)) {
        return false;
    }
    double middle = a > 0 && is_geometric(axis) ? sqrt(a) * sqrt(b) : a + (b - a) / 2;
    if (low->kind == RFT_VALUE_INT && high->kind == RFT_VALUE_INT) {
        int64_t integer = 0;
        bool between = middle_integer(low->as.integer, high->as.integer, middle, &integer);
        *out = rft_value_int(integer);
        return between;
    }
    *out = rft_value_real(middle);
    return middle > a && middle < b;
}

/* ---- flips ---- */

static bool differ(const rft_bound *a, const rft_bound *b) {
    bool known = a->resource != RFT_RESOURCE_UNKNOWN && b->resource != RFT_RESOURCE_UNKNOWN;
    return known && (!rft_bound_same(a, b) || rft_bound_is_held(a) != rft_bound_is_held(b));
}

static double x_of(const rft_profile *profile, size_t step) {
    return rft_value_number(&profile->steps[step].value);
}

/* Turns that noise leaves open count as well: it is by measuring between the neighbours that they become clear. */
static size_t find_turns(const rft_profile *profile, rft_arena *arena, rft_turn **out) {
    rft_turn_point *points = rft_arena_calloc(arena, profile->step_count + 1, sizeof *points);
    size_t count = 0;
    for (size_t i = 0; i < profile->step_count; i++) {
        const rft_point *best = profile->steps[i].best;
        if (best) {
            const rft_stats *stats = &rft_point_measurement(best)->stats;
            double noise_frac = stats->interval_is_95 ? rft_stats_half_width_frac(stats) / 1.96 : (double)NAN;
            points[count++] = (rft_turn_point){x_of(profile, i), stats->median, noise_frac};
        }
    }
    return rft_turns_find(points, count, TURN_SEED, arena, out);
}

static bool has_turn(const rft_turn *turns, size_t count, double low, double high) {
    for (size_t i = 0; i < count; i++) {
        bool open = turns[i].kind == RFT_TURN_FOUND || turns[i].kind == RFT_TURN_UNCLEAR;
        if (open && turns[i].where > low && turns[i].where <= high) {
            return true;
        }
    }
    return false;
}

size_t rft_refine_values(const rft_run *run, const rft_profile *profile, rft_arena *arena, rft_refine_value **out) {
    const rft_axis *axis = &run->sweeps[profile->sweep].sweep.axes[profile->index];
    rft_turn *turns = NULL;
    size_t count = 0;
    *out = rft_arena_calloc(arena, profile->step_count + 1, sizeof **out);
    if (profile->along_param || axis->refine_depth == 0 || profile->step_count < 2) {
        return 0;
    }
    size_t turn_count = find_turns(profile, arena, &turns);
    for (size_t i = 0; i + 1 < profile->step_count; i++) {
        const rft_profile_step *left = &profile->steps[i], *right = &profile->steps[i + 1];
        int deeper = left->refined > right->refined ? left->refined : right->refined;
        rft_refine_value found = {.depth = deeper + 1, .left = left->problem, .right = right->problem};
        bool flips = left->best && right->best &&
                     (differ(&left->bound, &right->bound) ||
                      has_turn(turns, turn_count, x_of(profile, i), x_of(profile, i + 1)));
        if (flips && found.depth <= axis->refine_depth &&
            rft_refine_middle(axis, &left->value, &right->value, &found.value)) {
            (*out)[count++] = found;
        }
    }
    return count;
}

/* ---- problems that were added ---- */

static bool in_grid(const rft_axis *axis, const rft_value *value) {
    for (size_t i = 0; i < axis->value_count; i++) {
        if (rft_value_equal(&axis->values[i], value)) {
            return true;
        }
    }
    return false;
}

static bool same_beside(const rft_sweep *sweep, size_t axis, size_t a, size_t b) {
    for (size_t i = 0; i < sweep->axis_count; i++) {
        if (i != axis && sweep->axes[i].swept &&
            !rft_value_equal(&sweep->problems[a].values[i], &sweep->problems[b].values[i])) {
            return false;
        }
    }
    return true;
}

bool rft_refine_ends_of(const rft_sweep *sweep, size_t problem, rft_refine_ends *out) {
    const rft_problem *added = &sweep->problems[problem];
    double low = -INFINITY, high = INFINITY;
    *out = (rft_refine_ends){.left = SIZE_MAX, .right = SIZE_MAX};
    while (out->axis < sweep->axis_count &&
           (sweep->axes[out->axis].refine_depth == 0 || in_grid(&sweep->axes[out->axis], &added->values[out->axis]))) {
        out->axis++;
    }
    if (added->refined == 0 || out->axis == sweep->axis_count) {
        return false;
    }
    double at = rft_value_number(&added->values[out->axis]);
    for (size_t p = 0; p < sweep->problem_count; p++) {
        const rft_problem *other = &sweep->problems[p];
        double x = rft_value_number(&other->values[out->axis]);
        if (other->odd || other->refined >= added->refined || !same_beside(sweep, out->axis, p, problem)) {
            continue;
        }
        if (x < at && x > low) {
            low = x;
            out->left = p;
        } else if (x > at && x < high) {
            high = x;
            out->right = p;
        }
    }
    return out->left != SIZE_MAX && out->right != SIZE_MAX;
}

static uint64_t add_saturating(uint64_t a, uint64_t b) {
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* On one line along the axis. */
static uint64_t most_on_line(const rft_axis *axis) {
    uint64_t most = 0, halves = ((uint64_t)1 << axis->refine_depth) - 1;
    bool integers = true;
    for (size_t i = 0; i < axis->value_count; i++) {
        integers = integers && axis->values[i].kind == RFT_VALUE_INT;
    }
    double *grid = sorted_grid(axis);
    for (size_t i = 1; i < axis->value_count; i++) {
        double between = integers ? grid[i] - grid[i - 1] - 1 : (double)INFINITY;
        most = add_saturating(most, between < (double)halves ? (uint64_t)between : halves);
    }
    free(grid);
    return most;
}

uint64_t rft_refine_most(const rft_sweep *sweep) {
    uint64_t most = 0;
    for (size_t a = 0; a < sweep->axis_count && !sweep->bare_space; a++) {
        const rft_axis *axis = &sweep->axes[a];
        uint64_t lines = 1;
        for (size_t i = 0; i < sweep->axis_count; i++) {
            lines *= i != a && sweep->axes[i].swept ? sweep->axes[i].value_count : 1;
        }
        uint64_t each = axis->refine_depth > 0 && axis->along ? most_on_line(axis) : 0;
        most = add_saturating(most, each > 0 && lines > UINT64_MAX / each ? UINT64_MAX : lines * each);
    }
    return most;
}

bool rft_refine_is_asked(const rft_sweep *sweep) {
    for (size_t a = 0; a < sweep->axis_count && !sweep->bare_space; a++) {
        if (sweep->axes[a].refine_depth > 0 && sweep->axes[a].along) {
            return true;
        }
    }
    return false;
}

size_t rft_refine_added(const rft_sweep *sweep) {
    size_t count = 0;
    for (size_t p = 0; p < sweep->problem_count; p++) {
        count += sweep->problems[p].refined > 0;
    }
    return count;
}

const size_t *rft_refine_order(const rft_sweep *sweep, rft_arena *arena) {
    size_t *order = rft_arena_calloc(arena, sweep->problem_count + 1, sizeof *order);
    for (size_t p = 0; p < sweep->problem_count; p++) {
        rft_refine_ends ends;
        size_t at = p;
        if (rft_refine_ends_of(sweep, p, &ends)) {
            at = 0;
            while (at < p && order[at] != ends.left) {
                at++;
            }
            at += at < p ? 1 : 0;
        }
        memmove(&order[at + 1], &order[at], (p - at) * sizeof *order);
        order[at] = p;
    }
    return order;
}

const char *rft_refine_text(const rft_run *run, size_t sweep, size_t problem, rft_arena *arena) {
    const rft_sweep *data = &run->sweeps[sweep].sweep;
    rft_refine_ends ends;
    if (data->problems[problem].refined == 0) {
        return NULL;
    }
    const rft_point **ranked = NULL;
    size_t count = rft_run_ranked(run, sweep, SIZE_MAX, problem, arena, &ranked);
    rft_str text = RFT_STR_INIT;
    bool others = false; /* the prior's choices */
    for (size_t i = 0; i < count && count > 1; i++) {
        others = others || ranked[i]->prior > 0;
    }
    rft_str_addf(&text, "refined: %zu configuration%s measured there", count, count == 1 ? "" : "s");
    if (rft_refine_ends_of(data, problem, &ends)) {
        const char *const *name = &data->axes[ends.axis].name;
        rft_str_add(&text, others ? ", the winners of " : ", from the winners of ");
        rft_values_format(&text, name, &data->problems[ends.left].values[ends.axis], 1);
        rft_str_add(&text, " and ");
        rft_values_format(&text, name, &data->problems[ends.right].values[ends.axis], 1);
        rft_str_add(&text, others ? " among them" : "");
    }
    const char *kept = rft_arena_strdup(arena, rft_str_get(&text));
    rft_str_clear(&text);
    return kept;
}
