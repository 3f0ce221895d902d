/* SPDX-License-Identifier: Apache-2.0 */
/* baseline.h - where the best of a problem stands beside a baseline. Pure; docs/baselines.md. */
#ifndef RFT_MODEL_BASELINE_H
#define RFT_MODEL_BASELINE_H

#include "model/run/run.h"

/* No numbers yet. Texts are copied into the arena. */
rft_baseline rft_baseline_none(rft_arena *arena, size_t sweep, size_t problem, const char *name, const char *which);

/* With all that it points to in the arena. */
rft_baseline rft_baseline_copy(rft_arena *arena, const rft_baseline *baseline);

/* Are there numbers to compare with? */
bool rft_baseline_is_measured(const rft_baseline *baseline);

/* Appends it, or replaces the one of the same sweep, problem, name and which. Texts and arrays are borrowed:
 * run->arena's. Returns where it is now; pointers to others may die. */
const rft_baseline *rft_run_put_baseline(rft_run *run, const rft_baseline *baseline);
/* NULL: not there. */
const rft_baseline *rft_run_find_baseline(const rft_run *run, const rft_baseline *like);
/* Those of a problem, in the order stored. Array in `arena`. */
size_t rft_run_baselines(const rft_run *run, size_t sweep, size_t problem, rft_arena *arena, const rft_baseline ***out);

bool rft_run_has_baselines(const rft_run *run, size_t sweep);
/* What the best of a problem is compared with first: measured here before imported, the best of a list, never its
 * first; NULL. */
const rft_baseline *rft_run_chief_baseline(const rft_run *run, size_t sweep, size_t problem, rft_arena *arena);
/* "cuBLASLt": what all chief baselines of a run are; NULL where they differ, or there are none. */
const char *rft_run_chief_name(const rft_run *run, rft_arena *arena);

/* How far the worst output lies from the reference: |o - r| / (|r| + mean |r|). */
typedef struct rft_errors {
    const char *output;
    double most, rms; /* largest and root mean square; NaN: not recorded, or no floating-point type */
} rft_errors;
rft_errors rft_errors_of(const rft_verification *check);
/* Of the same output, known of both. */
bool rft_errors_comparable(const rft_errors *own, const rft_errors *its);
/* Other arithmetic: `own` has the larger root mean square by more than another order of the same explains. */
bool rft_errors_larger(const rft_verification *own, const rft_verification *its);

/* The fastest of a problem that was measured by this run's own protocol and is as exact as the first that was; NULL. */
const rft_baseline *rft_run_fastest_baseline(const rft_run *run, size_t sweep, size_t problem);

/* "cuBLASLt, best of 8 heuristics", "cuBLASLt, first heuristic", "torch.matmul (other protocol)". In `arena`. */
const char *rft_baseline_label(const rft_baseline *baseline, rft_arena *arena);
/* The same in few words, for beside a ratio: "cuBLASLt", "cuBLASLt (first)", "torch.matmul (other protocol)". */
const char *rft_baseline_short_label(const rft_baseline *baseline, rft_arena *arena);

/* A configuration beside a baseline. */
typedef struct rft_versus {
    double frac;      /* the baseline's time over the configuration's: 1.04 is 4 % faster; NaN: one was not measured */
    double low, high; /* from the intervals of both, widened by the run's drift; NaN where the baseline has none */
    bool tie;         /* as between configurations. Never with another protocol: then nothing is judged */
} rft_versus;
rft_versus rft_versus_of(const rft_run *run, const rft_point *point, const rft_baseline *baseline);

/* "104.2 % [103.9, 104.5] of cuBLASLt", with ", a tie" or "(other protocol)"; "cuBLASLt: not measured: why". In
 * `arena`. */
const char *rft_versus_text(const rft_run *run, const rft_point *point, const rft_baseline *baseline, rft_arena *arena);

#endif
