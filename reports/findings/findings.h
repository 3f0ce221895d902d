/* SPDX-License-Identifier: Apache-2.0 */
/* findings.h - the subjects of a run, one function each (finding.h says how to add one). Everything lives in `arena`;
 * NULL: there is nothing to say. */
#ifndef RFT_REPORTS_FINDINGS_H
#define RFT_REPORTS_FINDINGS_H

#include "model/mix/mix_total.h"
#include "model/roofline/counted.h"
#include "model/roofline/projection.h"
#include "model/roofline/sheet_roof.h"
#include "model/run/links.h"
#include "model/run/run_base.h"
#include "reports/findings/finding.h"
#include "reports/findings/profile_charts.h"

/* What no run shows, each with what this one knows of it: who made it, other cards and days, load that lasts ... A list
 * for programs: `what`, `known`. */
rft_finding *rft_finding_unchecked(const rft_run *run, rft_mix_total *const *mixes, size_t count, rft_arena *arena);
/* The package that the run came in, and the above; NULL: it came in none. */
rft_finding *rft_finding_package(const rft_run *run, rft_mix_total *const *mixes, size_t count, rft_arena *arena);
/* What SPEC, MLPerf, the EE HPC Working Group and STREAM ask of a result, and whether this run meets it: a page. What
 * is not known is never met. */
rft_finding *rft_finding_conformance(const rft_run *run, rft_arena *arena);
/* The system in the field names of MLPerf's description; what the run does not know is null for programs, and a note
 * names it. */
rft_finding *rft_finding_system(const rft_run *run, rft_arena *arena);
/* Device, notices, run and its cost. */
rft_finding *rft_finding_head(const rft_run *run, rft_arena *arena);
/* Cards that measured the run together, and which of them ranks; NULL: one alone. */
rft_finding *rft_finding_split(const rft_run *run, rft_arena *arena);
/* The card behind a soak, beside what it was when the run began: errors, rows, links; NULL: it was not read again. */
rft_finding *rft_finding_state(const rft_run *run, rft_arena *arena);
/* What all sessions took: time, GPU, compilers; null where it was not recorded. */
rft_finding *rft_finding_cost(const rft_run *run, rft_arena *arena);
/* The launches of a point of several that were timed one by one: time, share and bound of each. */
rft_finding *rft_finding_steps(const rft_run *run, const rft_point *point, rft_arena *arena);
/* Every ceiling: what was measured, by its name; why others were not. A terminal's full form has clocks under load. */
rft_finding *rft_finding_ceilings(const rft_run *run, rft_arena *arena);
/* Copies from card to card, and of all cards at once from and to the host. Pages have their own card's in its ceilings.
 */
rft_finding *rft_finding_links(const rft_links *links, rft_arena *arena);
/* The operation behind each ceiling, and the hardware's limits; NULL where neither is known. */
rft_finding *rft_finding_operations(const rft_run *run, rft_arena *arena);
/* The device at rest, or why power is not known; NULL where it was not asked for. */
rft_finding *rft_finding_idle(const rft_run *run, rft_arena *arena);
/* Watts and joules of a point, and its times under load, where it has such a load and was measured; else NULL. `reason`
 * says why a figure is null. */
rft_finding *rft_finding_energy(const rft_run *run, const rft_point *point, rft_arena *arena);
rft_finding *rft_finding_sustained(const rft_run *run, const rft_point *point, rft_arena *arena);
/* Both, of every point of the sweep that has one. */
rft_finding *rft_finding_loads(const rft_run *run, size_t sweep, rft_arena *arena);
/* What power there was in a run, in sentences for a page. */
rft_finding *rft_finding_power(const rft_run *run, rft_arena *arena);
/* The ridge point of every pipe and memory level of which something is known. */
rft_finding *rft_finding_ridges(const rft_run *run, rft_arena *arena);
/* How the search went on a problem: the best so far over the configurations tried, and when it was met. NULL for
 * `problem` SIZE_MAX, and where none was measured; people see only what had enough trials to be called a search. */
rft_finding *rft_finding_progress(const rft_run *run, size_t sweep, size_t problem, rft_arena *arena);
extern const char rft_progress_legend[]; /* of its charts */

/* Of many sweeps a row each: the best of its longest problem. */
#define RFT_SWEEPS_MANY 10 /* more are many */
rft_finding *rft_finding_sweeps(const rft_run *run, rft_arena *arena);
/* The best of every problem, for a terminal: figures, configuration, how it stands to baselines, notes. */
rft_finding *rft_finding_problems(const rft_run *run, size_t sweep, rft_arena *arena);
/* Each variant's best beside the first's and the one before; NULL with one variant. `all`: of all problems on a page,
 * else of the one where most variants were measured. */
rft_finding *rft_finding_ladder(const rft_run *run, size_t sweep, bool all, rft_arena *arena);
/* The same in words: each rung over the one before, and what explains the step that wins most; NULL: no ladder. */
const char *rft_finding_ladder_line(const rft_run *run, size_t sweep, rft_arena *arena);
/* On a page: the useful rate of each variant's best on several problems (`all`: on all of them). NULL with one variant.
 */
rft_finding *rft_finding_ladder_problems(const rft_run *run, size_t sweep, bool all, rft_arena *arena);
/* A problem's baselines, or all of a sweep (SIZE_MAX), and where the best stands beside each; an empty array where
 * there are none. A terminal's brief form has only where they are from and why some are missing. */
rft_finding *rft_finding_baselines(const rft_run *run, size_t sweep, size_t problem, rft_arena *arena);
/* One of them: an array of one. */
rft_finding *rft_finding_baseline(const rft_run *run, const rft_baseline *baseline, rft_arena *arena);
/* What became of a sweep's points. */
rft_finding *rft_finding_counts(const rft_run *run, size_t sweep, rft_arena *arena);
/* Which variants were compared with one that nothing verifies; NULL: none. Part of rft_finding_counts(). */
rft_finding *rft_finding_unverified(const rft_run *run, size_t sweep, rft_arena *arena);
/* Base and peak: what one configuration for all problems costs against the best for each. NULL: one problem. */
rft_finding *rft_finding_base(const rft_run *run, size_t sweep, rft_arena *arena);
rft_finding *rft_finding_base_of(const rft_run *run, size_t sweep, const rft_base *base, rft_arena *arena);
/* How right the priors were: rank correlation with the measured times, and what the first choice loses, a variant on a
 * problem; NULL: there is none. */
rft_finding *rft_finding_priors(const rft_run *run, size_t sweep, rft_arena *arena);
/* How exact the results are beside those of the sweep's first baseline; NULL: no errors differ by a factor of 2. */
rft_finding *rft_finding_errors(const rft_run *run, size_t sweep, rft_arena *arena);
/* What was not measured, by kind of reason, each with an example; an empty array where all was. */
rft_finding *rft_finding_failures(const rft_run *run, size_t sweep, rft_arena *arena);
/* What compute-sanitizer said of the points that it was asked about; NULL: of none. */
rft_finding *rft_finding_sanitized(const rft_run *run, size_t sweep, rft_arena *arena);
/* What could make a point faster, for the same work and for other work, and which rules could not be judged. NULL for
 * no point. A page without --full and a terminal's brief form have three pieces of advice. */
rft_finding *rft_finding_advice(const rft_run *run, const rft_point *point, rft_arena *arena);

/* Whether the device changed while the run was on, and whether its clock was held down. People see what changes how the
 * numbers are to be read; with `all` also that nothing does. */
rft_finding *rft_finding_steadiness(const rft_run *run, bool all, rft_arena *arena);

/* The transitions along a sweep's axes. */
rft_finding *rft_finding_transitions(const rft_run *run, size_t sweep, rft_arena *arena);
/* On a page: those along the axes, and with `all` those along parameters and the lines without any; else NULL where no
 * axis is looked along. */
typedef struct rft_transition_view {
    bool charts; /* of lines with a change; `full`: of every line */
    bool all, full;
    rft_transitions_kept *kept; /* or NULL */
} rft_transition_view;
rft_finding *rft_finding_transitions_paged(const rft_run *run, size_t sweep, const rft_transition_view *view,
                                           rft_arena *arena);
/* Of every variant's parameters on a problem the best over all others at each value: what each costs and explains. A
 * terminal's brief form has the best's variant alone. */
rft_finding *rft_finding_params(const rft_run *run, size_t sweep, size_t problem, rft_arena *arena);
/* The best along each axis of a sweep, as a share of its roof; on a page as charts (`full`: all of them), `bars`:
 * behind that of the variants. kept: or NULL. */
rft_finding *rft_finding_axes(const rft_run *run, size_t sweep, bool bars, bool full, rft_transitions_kept *kept,
                              rft_arena *arena);
/* Both kinds of profile, of the problem that takes longest: for programs. */
rft_finding *rft_finding_profiles(const rft_run *run, size_t sweep, rft_arena *arena);
/* The rooflines that the bests along a sweep's axes follow. */
rft_finding *rft_finding_fits(const rft_run *run, size_t sweep, rft_arena *arena);
/* Those of a run for a page, with their heading; NULL for none. */
rft_finding *rft_finding_fits_of(const rft_run *run, const rft_fitted *fits, size_t count, size_t left_out,
                                 rft_arena *arena);
/* The rooflines of a run, one a pipe, with what lies above them and, on a page, the fits. */
rft_finding *rft_finding_rooflines(const rft_run *run, rft_arena *arena);
/* All configurations of a problem as charts: few profiles, their distribution, the heat map of the two parameters that
 * matter most, the search (`full`: by evaluations, too). */
rft_finding *rft_finding_distribution(const rft_run *run, const rft_point *best, bool full, rft_arena *arena);

/* Mixes and remarks of --mix; NULL without a book. `linked`: operations lead to the chapters of their sweeps. */
rft_finding *rft_finding_mixes(const rft_mix_book *book, rft_mix_total *const *totals, size_t count, bool linked,
                               rft_arena *arena);
rft_finding *rft_finding_mix(const rft_mix_total *total, bool linked, rft_arena *arena);
/* `headed`: also on a page, whose chapter else has that name. */
rft_finding *rft_finding_remarks(const rft_mix_book *book, bool headed, rft_arena *arena);
/* What was counted of a point, why not, and what disagrees with the declared work; NULL when it was not asked for. */
typedef struct rft_counted_of {
    const rft_counters *counters;
    const rft_work *work;
    int64_t l2_bytes;
    bool cold; /* its cache was flushed */
} rft_counted_of;
rft_finding *rft_finding_counters_of(const rft_counted_of *counted, rft_arena *arena);
rft_finding *rft_finding_counters(const rft_run *run, const rft_point *point, rft_arena *arena);
/* Of a sweep: for programs all points that were counted; for people the best of every problem, and where counted and
 * declared work are apart, the farthest first; a terminal's brief form has two of those. `full`: all on a page, too. */
rft_finding *rft_finding_counted(const rft_run *run, size_t sweep, bool full, rft_arena *arena);
/* The large set of each sweep's largest problem, for a page; NULL where there is none. */
rft_finding *rft_finding_counters_large(const rft_run *run, rft_arena *arena);

/* Workloads under the datasheets of several devices; a run under the ceilings of others. Pages have neither. */
rft_finding *rft_finding_model(const rft_model_answer *answer, rft_arena *arena);
rft_finding *rft_finding_projection(const rft_projection_answer *answer, rft_arena *arena);
/* The best of a problem with all that is known of it: configuration, times, rate, bound, and the findings above. */
rft_finding *rft_finding_best(const rft_run *run, const rft_point *best, rft_arena *arena);
/* What closes a sweep on a page, on a terminal and for programs alike: where a new subject has its place at once. */
rft_finding *rft_finding_closing(const rft_run *run, size_t sweep, rft_arena *arena);
/* All findings of a run as one, for programs: `show --json`. */
rft_finding *rft_finding_run(const rft_run *run, rft_arena *arena);

/* ---- what several of them need ---- */

/* Is the rate of any under seconds of load known? */
bool rft_ceilings_are_soaked(const rft_ceilings *ceilings);

/* What goes beside a median in every JSON: cache, runs a sample, clock, cycles, floor, throttling (the fields that are
 * SHOWN in model/run/field.h); null where one was not recorded, and all of them without `m`. */
rft_finding *rft_finding_timing(const rft_measurement *m, rft_arena *arena);
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
/* "36 points: 30 ok, 6 skipped; 2 more are aliases (same cubin and launch)", without a full stop. */
const char *rft_counts_text(const rft_run *run, size_t sweep, rft_arena *arena);

#endif
