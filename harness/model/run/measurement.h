/* SPDX-License-Identifier: Apache-2.0 */
/* measurement.h - a point's samples and what follows from them. */
#ifndef RFT_MODEL_MEASUREMENT_H
#define RFT_MODEL_MEASUREMENT_H

#include "base/arena.h"
#include "model/run/ceiling.h"
#include "model/stats/repeat.h"
#include "model/stats/stats.h"
#include "model/sweep/sweep.h"

typedef struct rft_measurement {
    double *samples_s;  /* seconds of one run of the point, every one, in order taken; NULL when n = 0 */
    double *clocks_mhz; /* SM clock during each of these samples, NaN where it was not read; NULL = not recorded */
    size_t n;
    rft_stats stats; /* of samples_s */
    rft_stop_reason stop;
    rft_cache_mode cache;
    rft_timing_mode mode;
    double clock_mhz;   /* SM clock of the median run (run_repeat.h), at first the samples' median; NaN = not read */
    double wall_s;      /* time spent */
    double first_run_s; /* the verified run, which nothing held back or warmed up; NaN = not recorded */
    double verify_s;
    double busy_s;  /* the GPU ran what is verified and measured: reference, comparison, warm-up and timed launches; not
                     * flushing, not spinning, not waiting for the host. NaN = not recorded */
    double *step_s; /* final round: median of each launch alone; NULL otherwise */
    size_t step_count;
    int batch; /* runs of the point between the two events of a sample, which is their mean; 0 = not recorded: one */
    double floor_s; /* an empty kernel between the same two events. NaN = not read: the point is much longer, or it was
                     * recorded before. Never subtracted */
    /* Throttling (model/stats/throttle.h). attempts 0: not looked at, or not recorded; then the rest is NaN and
     * NULL.
     */
    int attempts;               /* at these samples; the least affected one is kept */
    double throttled_frac;      /* of the samples kept that ran below the run's clock */
    double throttled_below_mhz; /* that clock; NaN = there was nothing to compare with */
    const char *throttled_by;   /* rft_throttle_name(): what held the clock down, below the run's or the
                                 * device's highest; NULL: nothing did, or it is not known */
    const char *throttle_note;  /* a sentence on it, without a full stop; NULL likewise */
    /* Final round: turns its samples were taken in, joined in order; it goes on while `stop` is NOT_YET. 0: at once, or
     * not recorded. */
    int turns;
    /* Final round: samples of each device process, in the order taken; their sum is n, and none is 0. A process is a
     * draw of its own: a fresh OS process, context and allocations. NULL, 0: not recorded. */
    size_t *process_n;
    size_t process_count;
    /* The figure and its two intervals; follows from the samples of the whole run (model/run/run_repeat.h fills it).
     * freedom 0: what another run would read is not known. */
    rft_repeat repeat;
    /* What another tuner recorded beside its samples: the one time that it tells of them, and rates of that by its own
     * count of operations and bytes (run_foreign.h). NaN: it recorded none, or rooftune measured. */
    double recorded_s, recorded_flop_s, recorded_bytes_s;
} rft_measurement;
/* Not measured: no samples, NaN where a number may be absent. */
rft_measurement rft_measurement_none(void);
/* SM cycles of one run: median over the samples of seconds x clock; NaN where the samples' clocks are not there. */
double rft_measurement_cycles(const rft_measurement *m);
/* A time under this many times the floor is near it: part of it is the launch. */
#define RFT_NEAR_FLOOR 10.0
/* The floor that a sample of one run is near to: its own reading of it, else the ceilings' (NULL = none). NaN where the
 * time is far from it, it is not known, or the samples are batches, which hide it. */
double rft_measurement_near_floor_s(const rft_measurement *m, const rft_ceilings *ceilings);
/* What must be said beside the number, in words without a full stop: that it is near the floor, that samples are
 * batches, that they are not independent. NULL = nothing. Text in `arena`. */
const char *rft_measurement_note(const rft_measurement *m, const rft_ceilings *ceilings, rft_arena *arena);
/* The same with all that it points to in the arena. */
rft_measurement rft_measurement_copy(const rft_measurement *m, rft_arena *arena);
/* process_n fits the samples, or is not recorded. */
bool rft_measurement_processes_fit(const rft_measurement *m);
/* Adds a further turn's samples, with all that was spent on them; `into` may be none so far. `same_process`: the last
 * process of `into` took them; else each of the turn's is a new one. `stop` is left to the caller that decides on more
 * turns. What it needs is copied into the arena. */
void rft_measurement_join(rft_measurement *into, const rft_measurement *turn, bool same_process, rft_arena *arena);

#endif
