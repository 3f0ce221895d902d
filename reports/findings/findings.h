/* SPDX-License-Identifier: Apache-2.0 */
/* findings.h - the subjects of a run, one function each (finding.h says how to add one). Everything lives in `arena`;
 * NULL: there is nothing to say. */
#ifndef RFT_REPORTS_FINDINGS_H
#define RFT_REPORTS_FINDINGS_H

#include "model/run/run.h"
#include "reports/findings/finding.h"

/* The launches of a point of several that were timed one by one: time, share and bound of each. */
rft_finding *rft_finding_steps(const rft_run *run, const rft_point *point, rft_arena *arena);
/* The ridge point of every pipe and memory level of which something is known. */
rft_finding *rft_finding_ridges(const rft_run *run, rft_arena *arena);
/* How the search went on a problem: the best so far over the configurations tried, and when it was met. NULL for
 * `problem` SIZE_MAX, and where none was measured; people see only what had enough trials to be called a search. */
rft_finding *rft_finding_progress(const rft_run *run, size_t sweep, size_t problem, rft_arena *arena);

/* What became of a sweep's points. */
rft_finding *rft_finding_counts(const rft_run *run, size_t sweep, rft_arena *arena);
/* What was not measured, by kind of reason, each with an example; an empty array where all was. */
rft_finding *rft_finding_failures(const rft_run *run, size_t sweep, rft_arena *arena);
/* What could make a point faster, for the same work and for other work, and which rules could not be judged. NULL for
 * no point. A page has five pieces of advice without `full`, a terminal's brief form three. */
rft_finding *rft_finding_advice(const rft_run *run, const rft_point *point, bool full, rft_arena *arena);

/* Whether the device changed while the run was on, and whether its clock was held down. People see what changes how the
 * numbers are to be read; with `all` also that nothing does. */
rft_finding *rft_finding_steadiness(const rft_run *run, bool all, rft_arena *arena);

/* ---- what several of them need ---- */

/* {"n": 4096} and {"TILE_M": 128}, for programs. */
rft_finding *rft_finding_problem(const rft_sweep *sweep, size_t problem, rft_arena *arena);
rft_finding *rft_finding_config(const rft_sweep *sweep, const rft_point *point, rft_arena *arena);

/* What became of the points of a sweep. */
typedef struct rft_counts {
    uint64_t cartesian,
        valid;     /* over variants and problems, odd ones and those of refine() left out; 0 = not counted */
    size_t points; /* taken up, odd ones left out; aliases are counted in `aliases` alone */
    size_t aliases;
    size_t compiled, ran, verified, measured;
    size_t odd_checked, odd_measured, odd_passed;
    size_t failed;                    /* other than ok, odd ones included */
    size_t refined_problems, refined; /* that refine() added; points on them */
    size_t outcomes[RFT_OUTCOME_COUNT];
} rft_counts;
rft_counts rft_counts_of(const rft_run *run, size_t sweep);

#endif
