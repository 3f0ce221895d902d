/* SPDX-License-Identifier: Apache-2.0 */
/* ktt_parts.h - what the files that read KTT's results share. Inside of the store room. */
#ifndef RFT_STORE_KTT_PARTS_H
#define RFT_STORE_KTT_PARTS_H

#include "store/exchange/ktt_read.h"

#define RFT_KTT_TEXT_MAX 4096 /* bytes of a name, of a value */
#define RFT_KTT_SWEEPS_MAX 1000

typedef struct rft_ktt_reader {
    rft_run *run;
    const char *what;
    rft_err *err;
    double unit_s;            /* of one unit of time */
    bool in_blocks;           /* GlobalSize counts blocks, not threads */
    const rft_point *counted; /* the last one with counters; NULL */
    int code;                 /* first failure */
} rft_ktt_reader;

/* Keeps the first failure: "FILE: Results[12].Status: expected ...". Returns r->code. */
int rft_ktt_fail(rft_ktt_reader *r, const char *expected, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The text of a member, in the run's arena; "" after a failure. */
const char *rft_ktt_text(rft_ktt_reader *r, const json_t *object, const char *key, const char *path);

/* ---- ktt_space.c ---- */
/* The sweep of a result's kernel, made at its first one; 0 after a failure. `index`: of the result. */
size_t rft_ktt_sweep_of(rft_ktt_reader *r, const json_t *result, size_t index);
/* The configuration of a result: the parameters of its sweep's only variant. */
void rft_ktt_config(rft_ktt_reader *r, rft_point *point, const json_t *list, size_t index);
/* Once all points are read: the values that occur, in order. KTT does not store the space itself. */
void rft_ktt_gather_values(rft_run *run, size_t sweep);

/* ---- ktt_counters.c ---- */
/* The counters of one computation and the traffic they make, into the point. `before` is a point of the same file or
 * NULL: its counters' names are shared. NULL, or what was expected; *where is set to the member. */
const char *rft_ktt_counters(rft_point *point, const json_t *list, const rft_point *before, rft_arena *arena,
                             const char **where);

#endif
