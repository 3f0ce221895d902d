/* SPDX-License-Identifier: Apache-2.0 */
/* device_kernels.h - the project's own kernels: loading and launching them, and what the reducing ones say. */
#ifndef RFT_MEASURE_DEVICE_KERNELS_H
#define RFT_MEASURE_DEVICE_KERNELS_H

#include "measure/protocol_state.h"

/* Compiles and loads the kernels, events and work space at the first use. */
int rft_kernels_prepare(rft_protocol *p, rft_err *err);

/* Compiles a group of the embedded sources for the device and loads it. `symbols` (arena): lowered names, in order. */
typedef struct rft_kernel_group {
    const char *title;                 /* as the source is named in messages */
    const unsigned char *const *texts; /* NUL-terminated, put one after the other behind prelude.cuh */
    size_t text_count;
    const char *const *names; /* name expressions */
    size_t name_count;
    rft_ceiling_set ceilings; /* RFT_CEILING_BIT()s of what is measured with them; 0: points need them */
} rft_kernel_group;
int rft_kernels_load(rft_protocol *p, const rft_kernel_group *group, rft_module **module, rft_function **functions,
                     rft_err *err);
/* What rft_kernels_load() asks the compiler for. Lives in `arena`; borrows the group. */
rft_compile_request rft_kernels_request(const rft_kernel_group *group, const char *arch, rft_arena *arena);
/* The kernels that every point needs, apart from each other so that they can be compiled side by side. Their names
 * together are in the order of rft_builtin. */
extern const rft_kernel_group rft_builtin_groups[RFT_BUILTIN_GROUPS];

/* Launches a kernel with plain arguments. */
typedef struct rft_grid_1d {
    unsigned blocks, threads;
} rft_grid_1d;
int rft_kernel_launch(rft_protocol *p, rft_function *function, rft_grid_1d grid, void **values, rft_err *err);
/* Seeds `count` elements; equal name, seed and fill give equal contents. */
int rft_kernel_fill(rft_protocol *p, const rft_buffer *buffer, uint64_t seed, rft_device_ptr to, rft_err *err);
int rft_kernel_convert(rft_protocol *p, rft_device_ptr to, rft_device_ptr from, rft_type type, uint64_t count,
                       rft_err *err);

/* ---- verdicts: results of reducing kernels. Queue any number, each into a slot of its own, then read all ---- */

/* What to judge: `want` is double for floating-point types, `type` otherwise. */
typedef struct rft_comparison {
    rft_device_ptr got, want;
    rft_type type;
    uint64_t count;
    double tol;
    double scale; /* mean |want| */
} rft_comparison;
typedef struct rft_difference {
    double worst_frac;
    double squares; /* sum over the elements: worst_frac is the root of the largest */
    uint64_t index, wrong_count;
    double got, want; /* at index */
} rft_difference;
/* Room for `slots` verdicts. Before the first is queued: the old ones are lost. */
int rft_verdicts_take(rft_protocol *p, size_t slots, rft_err *err);
int rft_verdicts_queue_compare(rft_protocol *p, const rft_comparison *comparison, size_t slot, rft_err *err);
int rft_verdicts_queue_checksum(rft_protocol *p, rft_device_ptr data, uint64_t bytes, size_t slot, rft_err *err);
/* How many of `count` elements are NaN, and the first of them: as a difference. */
int rft_verdicts_queue_nan(rft_protocol *p, rft_device_ptr data, rft_type type, uint64_t count, size_t slot,
                           rft_err *err);
/* Mean |value| of `count` elements of a comparison's `want`. */
int rft_verdicts_queue_scale(rft_protocol *p, const rft_comparison *comparison, size_t slot, rft_err *err);
int rft_verdicts_read(rft_protocol *p, size_t slots, rft_err *err); /* waits for the stream */
rft_difference rft_verdict_difference(const rft_protocol *p, size_t slot);
uint64_t rft_verdict_checksum(const rft_protocol *p, size_t slot);
double rft_verdict_scale(const rft_protocol *p, size_t slot); /* 0 when no value is finite */
/* Queues one, and waits for it. */
int rft_kernel_checksum(rft_protocol *p, rft_device_ptr data, uint64_t bytes, uint64_t *out, rft_err *err);

/* ---- bands: RFT_GUARD_BYTES before and as many behind each of some areas of device memory (device/guard.cu) ---- */

typedef struct rft_guard_area {
    rft_device_ptr data;
    uint64_t bytes;
} rft_guard_area;
#define RFT_GUARD_AREAS (3 * (RFT_BUFFERS_MAX + 1)) /* at most, in one call */
typedef struct rft_trespass {
    uint64_t changed_bytes; /* in all bands; 0: what is below means nothing */
    size_t area;            /* with the changed byte that is nearest to what it guards: */
    bool behind;
    uint64_t distance; /* bytes between the two; 0: beside each other */
} rft_trespass;
/* Writes the pattern. */
int rft_kernel_mark_guards(rft_protocol *p, const rft_guard_area *areas, size_t count, rft_err *err);
/* Where the pattern was changed. */
int rft_verdicts_queue_guards(rft_protocol *p, const rft_guard_area *areas, size_t count, size_t slot, rft_err *err);
rft_trespass rft_verdict_trespass(const rft_protocol *p, size_t slot);

#endif
