/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vendor_math.h - the kinds of matrix multiplication that a vendor's library is asked for: what a script names, the
 * wire carries and gpu/vendor.h is asked. docs/baselines.md.
 */
#ifndef RFT_MODEL_VENDOR_MATH_H
#define RFT_MODEL_VENDOR_MATH_H

#include "model/sweep/value.h"

#include <stdbool.h>
#include <stdint.h>

/* name, type of A and B, usual type of D, text, first compute capability x 10. Accumulation is in FP32, for int8 in
 * INT32, for fp64 in FP64; fp32 never uses the matrix units, tf32 may round its inputs. */
#define RFT_VENDOR_MATH_MAP(X)                                                                                         \
    X(FP32, F32, F32, "fp32", 50)                                                                                      \
    X(TF32, F32, F32, "tf32", 80)                                                                                      \
    X(FP16, F16, F16, "fp16", 70)                                                                                      \
    X(BF16, BF16, BF16, "bf16", 80)                                                                                    \
    X(FP8, E4M3, BF16, "fp8", 89)                                                                                      \
    X(INT8, I8, I32, "int8", 75)                                                                                       \
    X(FP64, F64, F64, "fp64", 50)

typedef enum rft_vendor_math {
#define RFT_VENDOR_ENUM(name, in, out, text, cc) RFT_VENDOR_##name,
    RFT_VENDOR_MATH_MAP(RFT_VENDOR_ENUM)
#undef RFT_VENDOR_ENUM
        RFT_VENDOR_MATH_COUNT
} rft_vendor_math;
const char *rft_vendor_math_name(rft_vendor_math math); /* "fp32" */
bool rft_vendor_math_from_name(rft_vendor_math *out, const char *name);
/* The math that inputs of this type have when nothing else is said: f32 means fp32. False: no library multiplies them.
 */
bool rft_vendor_math_of_type(rft_vendor_math *out, rft_type input);
rft_type rft_vendor_input_type(rft_vendor_math math); /* the usual one */
/* Can A, or B, have this type? fp8 also reads e5m2, but not as both. */
bool rft_vendor_math_reads(rft_vendor_math math, rft_type input);
rft_type rft_vendor_output_type(rft_vendor_math math);
/* Can the result have this type? fp16, bf16 and fp8 may also write f32, fp8 f16. */
bool rft_vendor_math_writes(rft_vendor_math math, rft_type output);

/* What elements of A and B are multiplied by: numbers in fp32 in device memory, laid out as cuBLASLt wants them on
 * Hopper. TENSOR: one for A, one for B. ROWS: one for each row of A, one for each column of B. BLOCKS: one for 128 k's
 * of a row of A, the rows of a block of k's being neighbours; one for 128 k's of 128 columns of B, the k's being
 * neighbours, in rows filled up to multiples of 4. */
#define RFT_VENDOR_SCALE_MAP(X)                                                                                        \
    X(NONE, "none")                                                                                                    \
    X(TENSOR, "tensor")                                                                                                \
    X(ROWS, "rows")                                                                                                    \
    X(BLOCKS, "blocks")

typedef enum rft_vendor_scale {
#define RFT_VENDOR_SCALE_ENUM(name, text) RFT_VENDOR_SCALE_##name,
    RFT_VENDOR_SCALE_MAP(RFT_VENDOR_SCALE_ENUM)
#undef RFT_VENDOR_SCALE_ENUM
        RFT_VENDOR_SCALE_COUNT
} rft_vendor_scale;
const char *rft_vendor_scale_name(rft_vendor_scale scale); /* "rows" */
bool rft_vendor_scale_from_name(rft_vendor_scale *out, const char *name);
/* How many numbers A (m x k), or B (k x n), has. */
int64_t rft_vendor_scales_of_a(rft_vendor_scale scale, int64_t m, int64_t k);
int64_t rft_vendor_scales_of_b(rft_vendor_scale scale, int64_t n, int64_t k);

/* What the library does with sums before it rounds them: name, text, is `extra` a vector. BIAS: plus extra, a number
 * for each column of D, of D's type; then max(0, x), or x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))). RESIDUAL:
 * plus extra, which lies as D does. */
#define RFT_VENDOR_EPILOGUE_MAP(X)                                                                                     \
    X(NONE, "none", false)                                                                                             \
    X(BIAS, "bias", true)                                                                                              \
    X(BIAS_RELU, "bias_relu", true)                                                                                    \
    X(BIAS_GELU, "bias_gelu", true)                                                                                    \
    X(RESIDUAL, "residual", false)

typedef enum rft_vendor_epilogue {
#define RFT_VENDOR_EPILOGUE_ENUM(name, text, vector) RFT_VENDOR_EPILOGUE_##name,
    RFT_VENDOR_EPILOGUE_MAP(RFT_VENDOR_EPILOGUE_ENUM)
#undef RFT_VENDOR_EPILOGUE_ENUM
        RFT_VENDOR_EPILOGUE_COUNT
} rft_vendor_epilogue;
const char *rft_vendor_epilogue_name(rft_vendor_epilogue epilogue); /* "bias_gelu" */
bool rft_vendor_epilogue_from_name(rft_vendor_epilogue *out, const char *name);
bool rft_vendor_epilogue_has_bias(rft_vendor_epilogue epilogue);

typedef enum rft_vendor_order { RFT_VENDOR_ROW, RFT_VENDOR_COLUMN } rft_vendor_order;

#endif
