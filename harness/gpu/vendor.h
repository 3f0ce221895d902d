/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vendor.h - the seam to the vendor's matrix multiplication, the baseline of the same run and the same protocol: its
 * launches go to the stream of an rft_gpu, so the caller times them like any other. Implementation: cublaslt.c
 * (cuBLASLt, opened at run time; built where its header is). docs/baselines.md.
 */
#ifndef RFT_GPU_VENDOR_H
#define RFT_GPU_VENDOR_H

#include "base/err.h"
#include "gpu/gpu.h"
#include "model/sweep/vendor_math.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* D (m x n) = A (m x k) times B (k x n), each dense. ROW: a row's elements are neighbours. Orders that a math does not
 * have are refused by plan(): fp8 (and, on some devices, int8) wants A by rows and B by columns. */
typedef struct rft_vendor_matmul {
    rft_vendor_math math;
    rft_type d;
    int64_t m, n, k;
    rft_vendor_order a_order, b_order, d_order;
    bool exact_accumulation;      /* fp8: not the faster accumulation of fewer bits, which is what peers measure */
    bool a_e5m2, b_e5m2;          /* fp8: of that type, not e4m3 */
    rft_vendor_scale scale;       /* fp8 */
    rft_vendor_epilogue epilogue; /* not of int8 and fp64; a bias wants D by rows */
} rft_vendor_matmul;

typedef struct rft_vendor_algo {
    char name[112]; /* "algo 66, tile 128x256, stages 64xauto, cluster 2x1x1" */
    int id;
    int tile_m, tile_n; /* of D as the library sees it (its D is ours transposed when ours is by rows); 0 = not told */
    int split_k;
    uint64_t workspace_bytes;
    double waves; /* the library's own estimate; NaN = not told */
} rft_vendor_algo;

enum { RFT_VENDOR_ALGOS_MAX = 32 };

/* What the library offers for one problem, in the order in which it would choose: algos[0] is what a caller that does
 * not search gets. */
typedef struct rft_vendor_plan {
    rft_vendor_matmul matmul;
    rft_vendor_algo algos[RFT_VENDOR_ALGOS_MAX];
    size_t algo_count;        /* >= 1 */
    uint64_t workspace_bytes; /* the most that one of them wants */
} rft_vendor_plan;

typedef struct rft_vendor_buffers {
    rft_device_ptr a, b, d;          /* multiples of 256 bytes, as the device's alloc() gives them */
    rft_device_ptr workspace;        /* of plan->workspace_bytes; may be 0 when that is 0 */
    rft_device_ptr extra;            /* what the epilogue reads; a multiple of 256 */
    rft_device_ptr a_scale, b_scale; /* where the plan's matmul has a scale; multiples of 16 */
} rft_vendor_buffers;

typedef struct rft_vendor rft_vendor;
typedef struct rft_vendor_vt {
    void (*close)(rft_vendor *vendor);          /* before the device it stands on; frees no plan */
    const char *(*version)(rft_vendor *vendor); /* "cuBLASLt 13.1.0, /path"; lives as long as vendor */
    /* Asks for up to RFT_VENDOR_ALGOS_MAX algorithms. RFT_E_LIMIT with the reason and a remedy: the library has none
     * for this math, shape and layout on this device. *out is owned: plan_free(). */
    int (*plan)(rft_vendor *vendor, const rft_vendor_matmul *matmul, rft_vendor_plan **out, rft_err *err);
    void (*plan_free)(rft_vendor *vendor, rft_vendor_plan *plan); /* NULL is accepted */
    /* Queues one multiplication on the device's stream; the host does not wait. RFT_E_LIMIT: the library refuses this
     * algorithm (take another); RFT_E_DEVICE: a fault. */
    int (*launch)(rft_vendor *vendor, const rft_vendor_plan *plan, size_t algo, const rft_vendor_buffers *buffers,
                  rft_err *err);
} rft_vendor_vt;
struct rft_vendor {
    const rft_vendor_vt *vt;
};

/* Opens cuBLASLt on a CUDA device, which must outlive it. places NULL: none.
 * RFT_E_NOT_FOUND with a remedy: not there, or of a release that rooftune or the driver does not take, or this program
 * was built without its header. RFT_E_DEVICE: it does not start on this device. */
int rft_cublaslt_open(rft_vendor **out, rft_gpu *gpu, const rft_library_places *places, rft_err *err);

#endif
