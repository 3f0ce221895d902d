/* SPDX-License-Identifier: Apache-2.0 */
/* scripted_vendor.h - a vendor library on the scripted GPU: it multiplies f32 on the host, and its algorithms take as
 * long as the script says. */
#ifndef RFT_TEST_SCRIPTED_VENDOR_H
#define RFT_TEST_SCRIPTED_VENDOR_H

#include "gpu/vendor.h"
#include "support/scripted_gpu.h"

#define RFT_SCRIPTED_ALGOS 12

typedef struct rft_scripted_vendor_opts {
    int algo_count;
    double seconds[RFT_SCRIPTED_ALGOS]; /* of each algorithm */
    int wrong;                          /* number of the algorithm that computes something else, from 1; 0: none */
    int refused;                        /* that the library refuses to launch, from 1; 0: none */
    uint64_t workspace_bytes;
    const char *no_plan; /* why there is no algorithm at all; NULL: there are */
    /* d from a and b; NULL: the matrix product */
    void (*compute)(const rft_vendor_matmul *matmul, const float *a, const float *b, float *d);
} rft_scripted_vendor_opts;

/* `opts` is borrowed: a test may change it between points. Close it before the GPU. */
rft_vendor *rft_scripted_vendor_new(rft_scripted_gpu *gpu, const rft_scripted_vendor_opts *opts);
/* Plans and libraries that were made and not freed, in this process. */
int rft_scripted_vendors_alive(void);

#endif
