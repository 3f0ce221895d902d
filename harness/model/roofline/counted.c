/* SPDX-License-Identifier: Apache-2.0 */
#include "model/roofline/counted.h"

#include "base/str.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is asked for ---- */

int rft_counted_wish_parse(rft_counted_wish *out, const char *text, rft_arena *arena, rft_err *err) {
    *out = (rft_counted_wish){.chosen = !text || strcmp(text, "default") == 0, .set = rft_counter_set_none()};
    return out->chosen ? 0 : rft_counter_set_parse(&out->set, text, arena, err);
}

bool rft_counted_wish_is_none(const rft_counted_wish *wish) {
    return !wish->chosen && rft_counter_set_is_empty(&wish->set);
}

/* ---- which points ---- */

typedef struct choosing {
    rft_counted_choice *items;
    size_t count;
} choosing;

/* A point that is there already keeps its role and place, and gets the larger set and the earlier of the two turns. */
static void choose_point(choosing *to, rft_counted_choice choice) {
    for (size_t i = 0; i < to->count; i++) {
        if (to->items[i].point->id == choice.point->id) {
            to->items[i].turn = choice.turn < to->items[i].turn ? choice.turn : to->items[i].turn;
            to->items[i].large = to->items[i].large || choice.large;
            return;
        }
    }
    to->items[to->count++] = choice;
}

static size_t place_of(const rft_point *const *ranked, size_t count, const rft_point *point) {
    for (size_t i = 0; i < count; i++) {
        if (ranked[i]->id == point->id) {
            return i + 1;
        }
    }
    return 0;
}

/* Of the best's variant; what it is an alias of, and only when that was measured. */
static const rft_point *default_of(const rft_run *run, const rft_point *best, const rft_point *const *ranked,
                                   size_t count) {
    const rft_point *point = rft_run_default(run, best->sweep, best->variant, best->problem);
    int64_t id = !point ? 0 : point->alias_of ? point->alias_of : point->id;
    for (size_t i = 0; i < count; i++) {
        if (ranked[i]->id == id) {
            return ranked[i];
        }
    }
    return NULL;
}

static void choose_largest(choosing *to, const rft_run *run, const rft_point *const *ranked, size_t count) {
    for (size_t i = 0; i < count && i < RFT_COUNTED_BEST; i++) {
        choose_point(to, (rft_counted_choice){.point = ranked[i],
                                              .large = true,
                                              .role = i ? RFT_COUNTED_AMONG_BEST : RFT_COUNTED_BEST_OF_PROBLEM,
                                              .turn = i ? RFT_COUNTED_TURN_AMONG_BEST : RFT_COUNTED_TURN_LARGEST,
                                              .place = i + 1});
    }
    const rft_point *reference = default_of(run, ranked[0], ranked, count);
    if (reference) {
        choose_point(to, (rft_counted_choice){reference, true, RFT_COUNTED_DEFAULT, RFT_COUNTED_TURN_DEFAULT,
                                              place_of(ranked, count, reference)});
    }
    choose_point(to, (rft_counted_choice){ranked[count - 1], true, RFT_COUNTED_WORST, RFT_COUNTED_TURN_WORST, count});
}

size_t rft_counted_ladder(const rft_run *run, size_t sweep) {
    const rft_sweep *data = &run->sweeps[sweep].sweep;
    size_t found = SIZE_MAX, most = 0;
    double longest_s = 0;
    for (size_t p = 0; p < data->problem_count; p++) {
        const rft_point *best = data->problems[p].odd ? NULL : rft_run_best(run, sweep, SIZE_MAX, p);
        size_t measured = 0;
        for (size_t v = 0; v < data->variant_count && best; v++) {
            measured += rft_run_best(run, sweep, v, p) != NULL;
        }
        double time_s = best ? rft_point_median_s(best) : 0;
        if (best && (found == SIZE_MAX || measured > most || (measured == most && time_s > longest_s))) {
            found = p;
            most = measured;
            longest_s = time_s;
        }
    }
    return found;
}

/* What the report's ladder holds against each other: without counts of both, it cannot say what a rung changed, and
 * without the large set not what its warps wait for. */
static void choose_rungs(choosing *to, const rft_run *run, size_t sweep, rft_arena *arena) {
    const rft_sweep *data = &run->sweeps[sweep].sweep;
    size_t problem = rft_counted_ladder(run, sweep);
    const rft_point **ranked = NULL;
    size_t count = problem == SIZE_MAX ? 0 : rft_run_ranked(run, sweep, SIZE_MAX, problem, arena, &ranked);
    for (size_t v = 0; v < data->variant_count; v++) {
        size_t place = 0;
        while (place < count && ranked[place]->variant != v) {
            place++;
        }
        if (place < count) {
            choose_point(to,
                         (rft_counted_choice){ranked[place], true, RFT_COUNTED_RUNG, RFT_COUNTED_TURN_RUNG, place + 1});
        }
    }
}

static int by_place(const void *a, const void *b) {
    const rft_counted_choice *x = a, *y = b;
    if (x->point->problem != y->point->problem) {
        return x->point->problem < y->point->problem ? -1 : 1;
    }
    return x->place != y->place ? (x->place < y->place ? -1 : 1)
                                : (x->point->id > y->point->id) - (x->point->id < y->point->id);
}

size_t rft_counted_choose(const rft_run *run, size_t sweep, rft_arena *arena, rft_counted_choice **out) {
    const rft_sweep *data = &run->sweeps[sweep].sweep;
    size_t largest = rft_run_largest(run, sweep);
    choosing to = {
        rft_arena_calloc(arena, data->problem_count + RFT_COUNTED_BEST + 3 + data->variant_count, sizeof *to.items), 0};
    for (size_t p = 0; p < data->problem_count; p++) {
        const rft_point **ranked = NULL;
        size_t count = data->problems[p].odd ? 0 : rft_run_ranked(run, sweep, SIZE_MAX, p, arena, &ranked);
        const rft_point *best = count ? ranked[0] : NULL;
        if (best && p == largest) {
            choose_largest(&to, run, ranked, count);
        } else if (best) {
            choose_point(&to, (rft_counted_choice){best, false, RFT_COUNTED_BEST_OF_PROBLEM, RFT_COUNTED_TURN_BEST, 1});
        }
    }
    choose_rungs(&to, run, sweep, arena);
    if (to.count > 1) {
        qsort(to.items, to.count, sizeof *to.items, by_place);
    }
    *out = to.items;
    return to.count;
}

static int compare_turns(const void *a, const void *b) {
    const rft_counted_choice *x = a, *y = b;
    if (x->turn != y->turn) {
        return x->turn < y->turn ? -1 : 1;
    }
    if (x->turn == RFT_COUNTED_TURN_AMONG_BEST && x->place != y->place) {
        return x->place < y->place ? -1 : 1;
    }
    return x->point->sweep != y->point->sweep ? (x->point->sweep < y->point->sweep ? -1 : 1) : by_place(a, b);
}

void rft_counted_by_turn(rft_counted_choice *choices, size_t count) {
    if (count > 1) {
        qsort(choices, count, sizeof *choices, compare_turns);
    }
}

void rft_counted_leave_out(rft_counters *counters) {
    for (int i = 0; i < RFT_COUNTER_COUNT; i++) {
        if (!rft_counter_was_asked(counters->values[i], counters->reasons[i])) {
            counters->reasons[i] = RFT_COUNTED_LEFT_OUT;
        }
    }
}

bool rft_counted_left_out(const rft_counters *counters) {
    for (int i = 0; i < RFT_COUNTER_COUNT; i++) {
        if (isnan(counters->values[i]) && rft_text_equal(counters->reasons[i], RFT_COUNTED_LEFT_OUT)) {
            return true;
        }
    }
    return false;
}

/* ---- what is known ---- */

/* Of a point of one launch; NaN where its shape is not known. */
static double warps_of(const rft_point *point) {
    if (!point->has_launch || point->step_count > 1) {
        return NAN;
    }
    double blocks = 1, threads = 1;
    for (int i = 0; i < 3; i++) {
        blocks *= (double)point->grid[i];
        threads *= (double)point->block[i];
    }
    return blocks * ceil(threads / RFT_WARP_LANES);
}

static double less(double counted, double offset) {
    return isnan(counted) || isnan(offset) ? counted : fmax(counted - offset, 0);
}

static bool declares(const rft_point *point, rft_pipe pipe) {
    return point->work.pipe_ops[pipe] > 0 || (point->traffic.present && point->traffic.pipe_ops[pipe] > 0);
}

/* Shared memory is then judged by the rest: its atomics have a ceiling of their own. */
static void take_atomics(const rft_point *point, rft_traffic *traffic) {
    static const rft_pipe types[][2] = {{RFT_PIPE_ATOMICS_SHARED, RFT_PIPE_ATOMICS_SHARED_F32},
                                        {RFT_PIPE_ATOMICS_L2, RFT_PIPE_ATOMICS_L2_F32}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        bool u32 = declares(point, types[i][0]), f32 = declares(point, types[i][1]);
        rft_pipe pipe = types[i][f32];
        traffic->pipe_ops[pipe] = u32 != f32 ? rft_counters_atomics(point->counters, pipe) : (double)NAN;
        if (!isnan(traffic->pipe_ops[pipe])) {
            traffic->present = true;
            traffic->evidence = RFT_EVIDENCE_COUNTED;
            double *shared = &traffic->level_bytes[RFT_LEVEL_SHARED];
            *shared = i == 0 ? less(*shared, traffic->pipe_ops[pipe] * RFT_WAVEFRONT_BYTES / RFT_WARP_LANES) : *shared;
        }
    }
}

/* CUPTI counts a wavefront of shared memory and one of L1 for every warp, whatever it does (docs/counters.md). Foreign
 * runs were counted by other means, which do not say how long the range took. */
rft_traffic rft_counted_traffic(const rft_point *point) {
    if (!point->counters) {
        return rft_traffic_unknown();
    }
    rft_traffic traffic = rft_counters_traffic(point->counters);
    take_atomics(point, &traffic);
    if (!isnan(point->counters->values[RFT_COUNTER_TIME])) {
        double offset = RFT_WAVEFRONT_BYTES * warps_of(point);
        traffic.level_bytes[RFT_LEVEL_L1] = less(traffic.level_bytes[RFT_LEVEL_L1], offset);
        traffic.level_bytes[RFT_LEVEL_SHARED] = less(traffic.level_bytes[RFT_LEVEL_SHARED], offset);
    }
    return traffic;
}

bool rft_counted_any(const rft_point *point) {
    for (int i = 0; point->counters && i < RFT_COUNTER_COUNT; i++) {
        if (!isnan(point->counters->values[i])) {
            return true;
        }
    }
    for (size_t i = 0; point->counters && i < point->counters->raw_count; i++) {
        if (!isnan(point->counters->raw[i].value)) {
            return true;
        }
    }
    return false;
}

const char *rft_counted_missing(const rft_point *point) {
    if (!point->counters) {
        return "not counted";
    }
    if (rft_counted_any(point)) {
        return NULL;
    }
    for (int i = 0; i < RFT_COUNTER_COUNT; i++) {
        const char *reason = point->counters->reasons[i];
        if (reason && !rft_text_equal(reason, RFT_COUNTER_NOT_ASKED)) {
            return reason;
        }
    }
    for (size_t i = 0; i < point->counters->raw_count; i++) {
        if (point->counters->raw[i].reason) {
            return point->counters->raw[i].reason;
        }
    }
    return "not counted";
}

size_t rft_counted_disagreements(const rft_run *run, const rft_point *point, rft_arena *arena,
                                 rft_disagreement out[RFT_DISAGREEMENTS_MAX]) {
    const rft_measurement *measurement = rft_point_measurement(point);
    if (!point->counters || !measurement) {
        return 0;
    }
    bool cold = measurement->cache != RFT_CACHE_HOT;
    return rft_counters_compare(point->counters, &point->work, run->gpu.l2_bytes, cold, arena, out);
}
