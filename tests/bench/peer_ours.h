/* SPDX-License-Identifier: Apache-2.0 */
/* peer_ours.h - our side of a row of build/bench/peers: the tuned best of a run, and one more measurement of it. */
#ifndef RFT_TESTS_BENCH_PEER_OURS_H
#define RFT_TESTS_BENCH_PEER_OURS_H

#include "bench/peer_table.h"
#include "model/run/run.h"

#define PEER_WORDS_MOST 64

/* The runs that bests are taken from, each loaded or made once. */
typedef struct peer_runs peer_runs;
/* `folder` (absolute) has NAME.db or NAME.json.gz for sweeps/NAME.lua; NULL, or where it has neither: the sweep is run
 * first, without energy and counters, into the scratch folder. `device`: what is measured on, for -d; NULL: device 0.
 */
peer_runs *peer_runs_new(const char *folder, const char *device);
void peer_runs_free(peer_runs *runs); /* NULL is accepted */

typedef struct peer_ours {
    const rft_run *run;
    const rft_point *best;
    const char *from;                   /* the run file */
    const char *variant, *config;       /* "VEC=4 BLOCK=256"; all texts in the arena of the call */
    const char *words[PEER_WORDS_MOST]; /* `rooftune point ...`, ends with NULL */
    double peak;                        /* device memory's bandwidth by the datasheet, B/s; NaN: not known */
    rft_ceiling_id ceiling;             /* of device memory, by the mix of the declared bytes */
} peer_ours;

/* What device memory alone needs for `bytes`, microseconds: at the measured ceiling of their mix, and the launch floor.
 * NaN where the run has no such ceiling. Bytes that L2 keeps are counted like all others. */
double peer_ours_floor_us(const peer_ours *ours, double bytes);

/* The best of the row's problem. RFT_E_NOT_FOUND: no such sweep, problem, or nothing was measured there; RFT_E_NOTHING:
 * the sweep could not be run (message: what it said); and errors of rft_store_load(). */
int peer_ours_find(peer_ours *out, peer_runs *runs, const peer_row *row, rft_arena *arena, rft_err *err);

typedef struct peer_shot {
    double median_us;
    size_t samples;
    double useful_bytes;
    const char *cache; /* "cold", in the arena */
} peer_shot;

/* Measures it once more. RFT_E_NOTHING: it could not be (message: what it said). */
int peer_ours_measure(peer_shot *out, const peer_ours *ours, rft_arena *arena, rft_err *err);

#endif
