/* SPDX-License-Identifier: Apache-2.0 */
/* words.h - what findings and pages say in the same words: names of problems and configurations, rates, and the
 * quantity that charts show. Texts live in `arena`. */
#ifndef RFT_REPORTS_WORDS_H
#define RFT_REPORTS_WORDS_H

#include "model/roofline/bound.h"
#include "model/roofline/reach.h"
#include "model/run/run.h"
#include "model/transition/transition.h"
#include "reports/figures.h"

/* "gemv n=4096"; the sweep's name alone when nothing is swept. */
const char *rft_words_problem(const rft_run *run, size_t sweep, size_t problem, rft_arena *arena);
/* "VEC=4 BLOCK=256", with the variant's name before it when there are several. */
const char *rft_words_config(const rft_run *run, const rft_point *point, rft_arena *arena);
/* As readers are told it: a number of runs a sample that was not recorded is one. Borrows what `m` points to. */
rft_measurement rft_words_measurement(const rft_measurement *m);
/* A parameter's or axis' value. */
const char *rft_words_value(const rft_value *value, rft_arena *arena);
/* "n, with stride=4": the axis that an axis profile follows, what is held, and the variant where it is of one. */
const char *rft_words_line(const rft_run *run, const rft_profile *profile, rft_arena *arena);
/* A place on an axis: "179", "4.75M"; "n/a" for NaN. Estimated: never with more than three digits. */
const char *rft_words_place(double value, bool estimated, rft_arena *arena);
/* What made the run: "rooftune 0.2.0 (65c5f56)", "rooftune, from a Kernel Tuner cache". */
const char *rft_words_tool(const rft_run *run, rft_arena *arena);
/* "replayed recording, NVIDIA H200, 2026-11-21"; NULL when measured. */
const char *rft_words_replay(const rft_run *run, rft_arena *arena);
/* "compared with variant first (BLOCK=64), which nothing verifies"; NULL when its reference is none of the variants or
 * was itself verified. */
const char *rft_words_unverified(const rft_variant *variant, rft_arena *arena);
/* Candidates that cannot be told from the best of their problem. */
size_t rft_ties_of(const rft_run *run, const rft_point *best, rft_arena *arena);
/* "17.7", "1,204": a number a second, in three digits or more. */
void rft_words_per_second(char *out, size_t size, double rate);
/* What held the clock down while points were measured, or that it is not known. */
const char *rft_words_throttled(const rft_run *run, rft_arena *arena);
/* The first letter large, a full stop. */
const char *rft_words_sentence(const char *text, rft_arena *arena);
/* "3.235 ms, 95 % interval [3.230, 3.252], n = 32, settled, cold cache": of one measurement. */
const char *rft_words_time(const rft_measurement *m, rft_arena *arena);
/* With spaces at which no line is broken. */
const char *rft_words_unbroken(const char *words, rft_arena *arena);
/* "42 points" / "1 point" */
const char *rft_words_plural(uint64_t count, const char *one, const char *many, rft_arena *arena);

/* ---- rates ---- */
/* Whether a rate of this placement is told in operations (else in bytes). */
bool rft_rate_in_ops(const rft_placement *place);
double rft_rate_of(const rft_placement *place);        /* NaN without work */
const char *rft_rate_unit(const rft_placement *place); /* "FLOP/s", "op/s" or "B/s" */
const char *rft_words_rate(const rft_placement *place, rft_arena *arena);
/* "98.4 %", "at most 98.4 %" (writes were still in the L2), "back to back 92.9 %"; "n/a". */
const char *rft_words_reach(const rft_reach *reach, rft_arena *arena);
/* "FP16 tensor and SFU (ex2) in turns" (rft_bound_turns()); NULL. */
const char *rft_words_turns(const rft_bound *bound, rft_arena *arena);
/* "dram"; where two ceilings are met in turns that too, "latency (FP16 tensor and SFU (ex2) in turns)". */
const char *rft_words_bound_name(const rft_bound *bound, rft_arena *arena);
/* Behind all else of it: ", in step 2", or that busy units stand beside it (rft_bound_busy_text()); "". */
const char *rft_words_beside(const rft_bound *bound, rft_arena *arena);
/* "dram 95 %, counted", "mostly dram 69 %, counted", "latency", "not known": for a narrow cell. */
const char *rft_words_bound(const rft_bound *bound, rft_arena *arena);
/* What must be said beside a point's share of its roof: the cause of more than 100 %, or why it is at most that;
 * without a full stop. NULL: nothing. */
const char *rft_words_share_note(const rft_run *run, const rft_point *point, rft_arena *arena);
/* "memory" or the pipe's label: the ceiling the efficiency is of. */
const char *rft_words_roof(const rft_placement *place);

/* From the times of one problem to what its charts show: the useful rate, or the time itself where the work is not
 * known. */
typedef struct rft_measure {
    double amount; /* bytes or operations of the problem; NaN: seconds are shown */
    rft_figure_scale scale;
    const char *title; /* "useful rate (TB/s)" */
} rft_measure;
rft_measure rft_measure_of(const rft_placement *place, const rft_point *best, rft_arena *arena);
double rft_measure_shown(const rft_measure *measure, double time_s);

#endif
