/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scripted_sweep.h - a sweep without Lua: y = 2 x over n, with the parameters
 *   FATE      what goes wrong (scripted_worker.c), or "ok"; "script_error" and "too_large" are dealt with here; with
 *             "fill_ok" and "fill_hangs" a kernel fills x, with "fill_ok" as the first of FATE the baselines', too
 *   SPEED     microseconds a launch takes; with the fate "knee" a launch has a latency and, from n = 12,000 on, a
 *             rate (scripted_worker.c)
 *   COSMETIC  reaches neither compiler nor launch: values of it are aliases
 */
#ifndef RFT_TEST_SCRIPTED_SWEEP_H
#define RFT_TEST_SCRIPTED_SWEEP_H

#include "model/sweep/sweep.h"

typedef struct scripted_sweep_opts {
    const char *name;                         /* NULL: "scripted" */
    const char *folder;                       /* of victim.cu, reference.cu and broken.cu */
    const char *reference;                    /* file; NULL: reference.cu */
    const char *source;                       /* file; NULL: victim.cu */
    const char *fates[64];                    /* NULL-terminated; none: "ok" alone */
    int speeds[64];                           /* 0-terminated; none: 10 alone */
    int cosmetics;                            /* values; 0 stands for 1 */
    int64_t sizes[8];                         /* 0-terminated; none: 1000 alone */
    int64_t odd;                              /* 0: none */
    int variants;                             /* 0 stands for 1; the variant v is slower by v microseconds */
    int refine;                               /* depth of refine() on n; 0: none */
    bool constrained;                         /* where: SPEED <= n / 10 */
    const char *baselines[4];                 /* names, NULL-terminated */
    bool baseline_error;                      /* spelling one out fails */
    bool baseline_binary;                     /* they are kernels, in place of a library's calls */
    double (*prior)(const rft_value *config); /* below 0: it fails there; NULL: no prior */
    double modelled_frac; /* traffic: at SCRIPTED_SHARED_LIMIT shared memory takes this share of SPEED; 0: none */
    bool library;         /* the kernel is the vendor's library: SPEED is a place in its list, from 1 */
} scripted_sweep_opts;

#define SCRIPTED_SHARED_LIMIT 1e12 /* bytes per second */

enum { PARAM_FATE, PARAM_SPEED, PARAM_COSMETIC, PARAM_COUNT };

/* Lives in the arena, which outlives it. */
rft_sweep *scripted_sweep_new(rft_arena *arena, const scripted_sweep_opts *opts);

#endif
