/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spec.h - one point, spelled out: buffers, launches, what to compile, how it is checked, its work and traffic.
 * The script room makes it from Lua, the wire carries it, the measure room carries it out. Pure data in one arena.
 */
#ifndef RFT_MODEL_SPEC_H
#define RFT_MODEL_SPEC_H

#include "base/npy.h"
#include "model/sweep/value.h"
#include "model/sweep/vendor_math.h"
#include "model/sweep/work.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* CONSTANT: the contents of a __constant__ or __device__ variable of the kernel's code, and of the reference's where it
 * has one of the name; an input that no launch and no reference takes as an argument. */
typedef enum rft_buffer_role {
    RFT_BUFFER_INPUT,
    RFT_BUFFER_OUTPUT,
    RFT_BUFFER_INOUT,
    RFT_BUFFER_TEMP,
    RFT_BUFFER_CONSTANT
} rft_buffer_role;
typedef enum rft_fill_kind {
    RFT_FILL_NONE,
    RFT_FILL_UNIFORM,
    RFT_FILL_INTEGERS,
    RFT_FILL_GIVEN,
    RFT_FILL_KERNEL,
    RFT_FILL_FILE
} rft_fill_kind;
typedef enum rft_order { RFT_ORDER_RANDOM, RFT_ORDER_SORTED, RFT_ORDER_ZIPF } rft_order;

/* Contents. UNIFORM: reals in [low, high) (for integer types: whole numbers in it). INTEGERS: whole numbers in
 * [0, below). GIVEN: the bytes themselves. KERNEL: what a kernel of the sweep's makes of the seed. FILE: an .npy file's
 * elements. */
typedef struct rft_fill {
    rft_fill_kind kind;
    double low, high;
    int64_t below;
    rft_order order;
    /* GIVEN: the contents, two hexadecimal digits a byte. KERNEL, FILE: equal texts are equal contents of equal seeds.
     * NULL for the others. */
    const char *identity;
    const struct rft_filler *kernel; /* KERNEL */
    const rft_npy_file *file;        /* FILE */
} rft_fill;
bool rft_fill_equal(const rft_fill *a, const rft_fill *b);

typedef struct rft_buffer {
    const char *name; /* CONSTANT: the variable's as in C++, "ns::d_filter", or its symbol */
    rft_type type;
    uint64_t count; /* elements, >= 1 */
    rft_buffer_role role;
    rft_fill fill; /* INPUT, INOUT and CONSTANT; NONE for the others */
} rft_buffer;

/* A TMA descriptor over a buffer (cuTensorMapEncodeTiled, or of im2col cuTensorMapEncodeIm2col). Dimensions fastest
 * first. */
typedef struct rft_tensor_map {
    int rank;            /* 1..5 */
    uint64_t dims[5];    /* elements */
    uint64_t strides[5]; /* bytes of dimension i + 1's step; [0] unused for rank 1; 0 = dense */
    uint32_t box[5];     /* elements, 1..256; of im2col channels and pixels (1..1024) */
    int swizzle;         /* bytes: 0, 32, 64, 128 */
    int l2_promotion;    /* bytes: 0, 64, 128, 256 */
    int tf32;            /* 1: of F32, each element is rounded to TF32 on its way to shared memory */
    /* 1: rank - 2 dimensions between the first, channels, and the last, images, have pixels; boxes are as many of those
     * as box[1] says, in the order of memory, whose place in dimension 1 + i is lower[i] to dims[1 + i] - 1 + upper[i].
     */
    int im2col;
    int lower[3], upper[3];
} rft_tensor_map;

/* The largest offset of a corner of im2col with so many dimensions, 3 to 5; the least is one below 0 further. */
#define RFT_IM2COL_MOST(rank) ((rank) == 3 ? 32767 : (rank) == 4 ? 127 : 15)

typedef enum rft_arg_kind { RFT_ARG_BUFFER, RFT_ARG_SCALAR, RFT_ARG_TENSOR_MAP, RFT_ARG_STRUCT } rft_arg_kind;

typedef struct rft_arg {
    rft_arg_kind kind;
    size_t buffer;         /* BUFFER, TENSOR_MAP: index into spec.buffers */
    uint64_t offset_bytes; /* BUFFER: added to the address */
    rft_type type;         /* SCALAR; BUFFER where is_cast: what it is passed as, whatever its elements are */
    bool is_cast;
    unsigned char scalar[8]; /* SCALAR: the value in the type's own bytes, little endian */
    rft_tensor_map map;      /* TENSOR_MAP */
    /* STRUCT, by value: its bytes, two digits each, with 0 where its addresses go; those, each a BUFFER or TENSOR_MAP
     * at its byte; and its fields for messages: "i32 at 0, f32 at 4". */
    const char *hex, *layout;
    uint64_t bytes;
    struct rft_arg *fields;
    size_t field_count;
    uint64_t at; /* of a field */
    /* Of a reference's own arguments: a compiled dimension, which its kernel may take or leave out; the name of any
     * other dimension, else NULL. */
    bool is_macro;
    const char *dim;
} rft_arg;

#define RFT_STRUCT_BYTES_MAX 32764 /* of a kernel's parameters together */
#define RFT_STRUCT_FIELDS_MAX 64   /* that are addresses */

/* L2 persistence: CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW. bytes = 0: none. */
typedef struct rft_window {
    size_t buffer;
    uint64_t offset_bytes, bytes;
    double hit_ratio; /* 0..1 */
} rft_window;

/* A multiplication by the vendor's library: D (m x n) = A (m x k) times B (k x n), each dense. */
typedef struct rft_vendor_call {
    rft_vendor_math math;
    size_t a, b, d; /* indices into spec.buffers */
    int64_t m, n, k;
    rft_vendor_order a_order, b_order, d_order;
    bool exact_accumulation; /* fp8: not the faster accumulation of fewer bits */
    rft_vendor_scale scale;
    size_t a_scale, b_scale; /* indices into spec.buffers; where there is a scale */
    rft_vendor_epilogue epilogue;
    size_t extra; /* index into spec.buffers of what the epilogue reads, where there is one */
    int algo;     /* which of the library's list, from 0: the one that it would choose itself */
} rft_vendor_call;

typedef enum rft_launch_kind { RFT_LAUNCH_KERNEL, RFT_LAUNCH_MEMSET, RFT_LAUNCH_VENDOR } rft_launch_kind;

typedef struct rft_launch {
    rft_launch_kind kind;
    const char *entry; /* KERNEL: name expression, an element of spec.unit.names */
    rft_arg *args;
    size_t arg_count;
    int64_t grid[3];      /* blocks; grid[0] = 0 means resident(): as many as fit at once */
    int64_t block[3];     /* threads */
    int64_t shared_bytes; /* dynamic */
    int64_t cluster[3];   /* blocks; all 1 = none */
    bool cooperative;
    bool pdl; /* programmatic stream serialization */
    rft_window window;
    size_t memset_buffer;   /* MEMSET: whole buffer */
    int memset_byte;        /* 0..255 */
    rft_vendor_call vendor; /* VENDOR */
    bool has_work;          /* declared for this launch alone: */
    rft_work work;
    rft_traffic traffic; /* modelled for this launch alone, if present */
} rft_launch;

/* What NVRTC is asked for. One unit gives one cubin with all its names. */
typedef struct rft_unit_spec {
    const char *source; /* path of the .cu file */
    const char **names; /* name expressions: "saxpy<4>", or a plain extern "C" name */
    size_t name_count;
    const char **options; /* -D macros first, in parameter order, then the kernel's own options */
    size_t option_count;
} rft_unit_spec;

/* A kernel that fills a buffer. Its arguments: the buffer, its count as u64, a seed as u64 (the value here stands for
 * one: rft_fill_seed()), then what the script gives: scalars, and inputs and inouts, which are filled before it. None
 * depends on itself. */
typedef struct rft_filler {
    const char *shown;  /* "fill.cu:rows" */
    rft_unit_spec unit; /* one name; no parameter macros */
    rft_launch launch;
} rft_filler;
#define RFT_FILL_ARG_SEED 2
/* The seed of one buffer, from the sweep's: buffers of other names have others. */
uint64_t rft_fill_seed(const char *buffer, uint64_t seed);

typedef struct rft_point_spec rft_point_spec;

/* How the outputs are checked: against what the reference leaves in the buffers of the same names.
 * Judged: |out - ref| <= tol * (|ref| + scale), scale = mean |ref| of the buffer; integers exactly unless tol > 0. */
typedef struct rft_check {
    rft_point_spec *reference; /* what is run to know what is right; NULL: nothing can be verified */
    double tol;                /* default for every output; NaN = derived from type and length */
    double length;             /* accumulation length for the derived tolerance, >= 1 */
    double *buffer_tol;        /* per spec.buffers; NaN = default; NULL = none given */
} rft_check;

#define RFT_BUFFERS_MAX 63
/* Does the reference take it as an argument? */
bool rft_buffer_is_argument(const rft_buffer *buffer);

struct rft_point_spec {
    rft_buffer *buffers; /* sorted by name, behind them the constants, sorted; RFT_BUFFERS_MAX at most */
    size_t buffer_count;
    rft_launch *prepare; /* once per configuration, untimed */
    size_t prepare_count;
    rft_launch *launches; /* timed as one */
    size_t launch_count;
    rft_unit_spec unit;
    rft_check check;
    rft_work work;
    rft_traffic traffic; /* modelled, if the kernel says */
    /* Of a reference (reference_spec.h): "saxpy.cu:saxpy_reference", "variant naive (BLOCK=256)"; of a point NULL. */
    const char *told;
    /* It is another variant of the sweep: it writes the point's buffers as a point does, and is verified against
     * check.reference first, where there is one. Otherwise its buffers are those of reference_spec.h. */
    bool is_variant;
};

/* The tolerance a floating-point buffer is judged by: the buffer's own, the check's, or derived:
 * 2 * 2^-bits(type) + 8 * 2^-24 * sqrt(length) (fp32 accumulation, random rounding; Higham, Accuracy and Stability of
 * Numerical Algorithms, 2nd ed., section 2.8 on the sqrt(n) growth); for f64 the accumulation is f64 too: 2^-53 for
 * 2^-24. 0 for integer types unless one is given. */
double rft_spec_tolerance(const rft_point_spec *spec, size_t buffer);

/* Every buffer has padding of its own before and behind it, whose last and first RFT_GUARD_BYTES hold a pattern: a
 * kernel that writes outside is found out. As long as a row of the largest tiles, and a multiple of every alignment. */
#define RFT_GUARD_BYTES (64u << 10)
/* Padding before a buffer of so many bytes. It keeps the alignment that the driver gives: 2 MiB where an allocation has
 * pages of its own, 512 B otherwise. */
uint64_t rft_spec_padding_before(uint64_t bytes);
/* The buffer with its padding, in whole pages where it has its own; UINT64_MAX: more than there are numbers for. */
uint64_t rft_spec_padded_bytes(uint64_t bytes);

/* Device bytes the point needs: buffers, originals of inouts, fp64 reference results, each with its padding, and the
 * scratch of the references (rft_spec_scratch_bytes()). */
uint64_t rft_spec_memory_bytes(const rft_point_spec *spec);
/* What the temp buffers of the point's reference, and of that one's, take while it runs; UINT64_MAX: too much. */
uint64_t rft_spec_scratch_bytes(const rft_point_spec *spec);

#endif
