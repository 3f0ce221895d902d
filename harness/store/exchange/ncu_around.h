/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ncu_around.h - what stands before Nsight Compute's first table, or in its place: versions, refusals, and files that
 * are something else of the profiler's. Private to store/exchange.
 */
#ifndef RFT_STORE_NCU_AROUND_H
#define RFT_STORE_NCU_AROUND_H

#include "base/arena.h"

#include <stddef.h>

/* A remedy. */
#define RFT_NCU_COMMAND "`rooftune point ... --ncu` prints the command line whose output is read"

typedef struct rft_ncu_around {
    const char *table;   /* its first line; NULL: there is none */
    size_t line;         /* that line's number, from 1 */
    const char *version; /* "2025.3.0.0", of `ncu --version`; NULL: it is not there */
    const char *error;   /* behind the first "==ERROR== "; NULL */
    /* Without a table: what the file is, and what to do; never NULL then. */
    const char *instead, *remedy;
} rft_ncu_around;

/* `text` has `size` bytes; texts are static or in `arena`. */
rft_ncu_around rft_ncu_look_around(const char *text, size_t size, rft_arena *arena);

#endif
