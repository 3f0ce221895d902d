/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kept_ceilings.h - ceilings kept for a day, one file a GPU in a folder of the cache: a later run on the same
 * card, driver, power limit, clocks and code of the ceilings need not measure them again.
 *
 * The file's first line is a word and the SHA-256 of all behind it; one that is cut off, altered, of another GPU or
 * another state is as good as none. Written beside and renamed. Nothing here is worth failing for.
 */
#ifndef RFT_RUN_KEPT_CEILINGS_H
#define RFT_RUN_KEPT_CEILINGS_H

#include "base/clock.h"
#include "model/run/run.h"

#define RFT_KEPT_CEILINGS_S (24.0 * 3600.0)

typedef struct rft_kept_ceilings_opts {
    const char *folder; /* of the cache; NULL: nothing is kept */
    const rft_gpu_info *gpu;
    const rft_env *env; /* of the device as it is now: driver and power limit */
    const rft_clock *clock;
} rft_kept_ceilings_opts;

typedef struct rft_kept_ceilings {
    rft_ceilings ceilings; /* those of `there`; the others are not measured. Without datasheet and limit */
    rft_ceiling_set there; /* RFT_CEILING_BIT()s of what is kept and not older than a day */
    const char *why;       /* why nothing is; NULL */
    const char *path;      /* of the file, whether it is there or not; NULL: nothing is kept here */
} rft_kept_ceilings;

/* Texts live in `arena`. */
void rft_kept_ceilings_read(rft_kept_ceilings *out, const rft_kept_ceilings_opts *opts, rft_arena *arena);
/* Adds what of `ceilings` was measured to what is kept. RFT_E_IO: it could not be written, which costs the next run
 * half a second. RFT_OK without a folder. */
int rft_kept_ceilings_write(const rft_kept_ceilings_opts *opts, const rft_ceilings *ceilings, rft_err *err);

#endif
