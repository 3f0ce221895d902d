/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_program.h - what the programs under build/bench share: they start `rooftune` and its peers as a user would,
 * in a scratch folder, and read the run files that are left. They print figures and ratios; their exit status is 0 when
 * everything could be measured, 1 when something failed, 77 without a GPU. A missed goal is printed, and an error of
 * same_again alone.
 *
 *   tuning_rate    the same 128 configurations tuned by Kernel Tuner and by rooftune, from start to finish
 *   racing         GPU time with the race and without, and what the race's best is worth
 *   keeping_busy   wall time against compiling and GPU time, GPU busy share, time to the first point, overhead a point
 *   splitting      one run divided among the host's cards against one card alone
 *   peers          the tuned best of a sweep against torch, torch.compile and CUB, in turns, row by row of a table
 *   same_again     equal runs on one card: false verdicts, what intervals cover, where the variance lies
 *   fleet_files    compare of 1,000 run files: wall time and memory (no GPU)
 *   space          the published spaces, counted and listed by rooftune and by python-constraint (no GPU)
 *
 * The program is $ROOFTUNE, else ../rooftune; sweeps are looked for in ../tests/bench (the kit), then in the source
 * tree. A failure that leaves nothing to measure prints its reason and ends the process with status 1.
 */
#ifndef RFT_TESTS_BENCH_PROGRAM_H
#define RFT_TESTS_BENCH_PROGRAM_H

#include "model/run/run.h"

#include <stdbool.h>

/* Opens the scratch folder, which is the working folder of everything that is started. Ends with 77 without a GPU. */
void bench_open(void);
void bench_open_anywhere(void); /* the same without asking for a GPU: for what runs on a recording */
void bench_close(void);         /* removes it */

/* "sgemm/sgemm.lua" -> its path. Static storage, four results live at a time. */
const char *bench_file(const char *name);
const char *bench_file_or_null(const char *name); /* the same; NULL where it is in neither place */

/* A program run to its end; output is kept in the scratch folder's files "out" and "err". */
typedef struct bench_result {
    int status;     /* exit status, 128 + N for signal N */
    double wall_s;  /* from fork to its end */
    double first_s; /* to the first line of stdout that contains `awaited`; NaN when it never came */
} bench_result;

/* `words` ends with NULL; words[0] NULL-free path, or "rooftune". `awaited` NULL: nothing is awaited. */
bench_result bench_run(const char *const *words, const char *awaited);
/* The same; prints what the program said and ends with 1 unless its status is 0. */
bench_result bench_run_well(const char *const *words, const char *awaited);
/* The same of `rooftune run sgemm/sgemm.lua MORE...` into sgemm.db, without counters and energy, events on stdout.
 * `more`: at most 9 options and arguments, and NULL. */
bench_result bench_run_sgemm(const char *const *more, const char *awaited);
/* What the last program wrote to stdout. Valid until the next. */
const char *bench_out(void);

/* When parts of a run ended, in seconds since its events began: the first point, the last of the first round (not one
 * that a run which goes on tells again), the last of all, the last event. Of the last program's stdout; NaN: none came.
 */
typedef struct bench_parts {
    double first_s, round_s, last_s, end_s;
} bench_parts;
bench_parts bench_parts_of_out(void);

/* Deletes the cubin cache (RFT_CACHE, in the scratch folder), the peers' ~/.cupy and the driver's ~/.nv/ComputeCache:
 * HOME is the scratch folder for everything that is started. */
void bench_empty_caches(void);

/* A run file in the scratch folder; rft_run_free(). */
rft_run *bench_load(const char *name);

/* Compile workers that rooftune starts here: usable cores - 2, at least 1 (2 on machines of 2 and 3 cores). */
unsigned bench_compile_workers(void);

/* "  wall time            7.1 s, 6.3 times faster (goal: 6)": */
void bench_line(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
