/* SPDX-License-Identifier: Apache-2.0 */
#include "model/run/run_foreign.h"

#include "base/units.h"

#include <math.h>

const char *rft_run_foreign(const rft_run *run) {
    return rft_env_value(&run->env, RFT_ENV_FOREIGN);
}

const char *rft_run_foreign_notice(const rft_run *run, rft_arena *arena) {
    const char *format = rft_run_foreign(run);
    return format ? rft_arena_printf(arena, "another tuner's measurements (%s): not verified by rooftune, no ceilings",
                                     format)
                  : NULL;
}

const char *rft_run_device(const rft_run *run) {
    const char *name = rft_run_foreign(run) ? rft_env_value(&run->env, "gpu.name") : run->gpu.name;
    return name && *name ? name : NULL;
}

/* ---- the work ---- */

enum { RECORDED, MEAN, MEDIAN, LEAST, TIMES };

static double time_of(const rft_measurement *m, int which) {
    const rft_stats *stats = &m->stats;
    return which == RECORDED ? m->recorded_s
           : which == MEAN   ? stats->mean
           : which == MEDIAN ? stats->median
                             : stats->min;
}

/* What all of them are about, and how far the furthest is from it. */
static rft_foreign_amount agreed(const double *amounts, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(amounts[i])) { /* a time that was not recorded */
            return (rft_foreign_amount){NAN, INFINITY, NULL};
        }
    }
    rft_foreign_amount out = {.amount = rft_stats_of(amounts, count).median};
    for (size_t i = 0; i < count; i++) {
        out.apart_frac = fmax(out.apart_frac, fabs(amounts[i] / out.amount - 1.0));
    }
    return out;
}

static const char no_rate[] = "no rate is recorded";

static rft_foreign_amount unknown(const char *reason) {
    return (rft_foreign_amount){NAN, NAN, reason};
}

static rft_foreign_amount amount_of(const rft_run *run, size_t sweep, size_t problem, bool bytes, rft_arena *arena) {
    double *amounts[TIMES];
    size_t measured = 0, rated = 0;
    for (int which = 0; which < TIMES; which++) {
        amounts[which] = rft_arena_calloc(arena, run->point_count + 1, sizeof *amounts[which]);
    }
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_point *point = &run->points[i];
        const rft_measurement *m = point->alias_of ? NULL : rft_point_measurement(point);
        if (!m || point->sweep != sweep || point->problem != problem) {
            continue;
        }
        double rate = bytes ? m->recorded_bytes_s : m->recorded_flop_s;
        measured++;
        if (rate > 0.0 && m->stats.min > 0.0) {
            for (int which = 0; which < TIMES; which++) {
                amounts[which][rated] = rate * time_of(m, which);
            }
            rated++;
        }
    }
    if (rated == 0) {
        return unknown(no_rate);
    }
    if (rated < measured) {
        return unknown(rft_arena_printf(arena, "%zu of %zu configurations have no rate", measured - rated, measured));
    }
    rft_foreign_amount best = {.apart_frac = INFINITY};
    for (int which = RECORDED; which < TIMES; which++) {
        rft_foreign_amount other = agreed(amounts[which], rated);
        best = other.apart_frac < best.apart_frac ? other : best;
    }
    if (best.apart_frac <= RFT_FOREIGN_WORK_FRAC) {
        return best;
    }
    return unknown(rft_arena_printf(arena, "time and recorded rate tell of works that differ by %s",
                                    rft_arena_fixed(arena, best.apart_frac * 100.0, 0, " %")));
}

rft_foreign_work rft_foreign_work_of(const rft_run *run, size_t sweep, size_t problem, rft_arena *arena) {
    return (rft_foreign_work){.flop = amount_of(run, sweep, problem, false, arena),
                              .bytes = amount_of(run, sweep, problem, true, arena)};
}

const char *rft_foreign_amount_text(double amount, bool bytes, int digits, rft_arena *arena) {
    char text[40];
    return rft_arena_strdup(arena, rft_units_format_si(text, sizeof text, amount, digits, bytes ? "B" : "FLOP"));
}

const char *rft_foreign_work_missing(const rft_foreign_work *work) {
    bool known = !work->flop.reason || !work->bytes.reason;
    return known ? NULL : work->flop.reason == no_rate ? work->bytes.reason : work->flop.reason;
}

const char *rft_run_foreign_work_notice(const rft_run *run, rft_arena *arena) {
    if (!rft_run_foreign(run) || run->sweep_count != 1 || run->sweeps[0].sweep.problem_count != 1) {
        return NULL;
    }
    rft_foreign_work work = rft_foreign_work_of(run, 0, 0, arena);
    if (rft_foreign_work_missing(&work)) {
        return rft_arena_printf(arena, "the work of one run is not known: %s", rft_foreign_work_missing(&work));
    }
    bool both = !work.flop.reason && !work.bytes.reason;
    return rft_arena_printf(arena, "one run does %s%s%s, by time and recorded rate",
                            work.flop.reason ? "" : rft_foreign_amount_text(work.flop.amount, false, 3, arena),
                            both ? " and " : "",
                            work.bytes.reason ? "" : rft_foreign_amount_text(work.bytes.amount, true, 3, arena));
}
