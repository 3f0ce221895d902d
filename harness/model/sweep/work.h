/* SPDX-License-Identifier: Apache-2.0 */
/*
 * work.h - work (what anyone must do for this problem) and traffic (what a configuration moves and executes).
 * Vocabulary: docs/vocabulary.md. Work never depends on the configuration and is never replaced by traffic.
 */
#ifndef RFT_MODEL_WORK_H
#define RFT_MODEL_WORK_H

#include <stdbool.h>
#include <stddef.h>

/* Pipes: name as written in a sweep's `work` and `traffic`, label on paper, unit of a rate. Operations are counted, an
 * FMA is 2. Ceilings (model/run/ceiling.h) of the same name follow from the rows of atomics and matrix units, counters
 * from those of the latter. */
#define RFT_TENSOR_PIPE_MAP(X)                                                                                         \
    X(TENSOR_FP64, "tensor_fp64", "FP64 tensor", "FLOP/s")                                                             \
    X(TENSOR_TF32, "tensor_tf32", "TF32 tensor", "FLOP/s")                                                             \
    X(TENSOR_BF16, "tensor_bf16", "BF16 tensor", "FLOP/s")                                                             \
    X(TENSOR_FP16, "tensor_fp16", "FP16 tensor", "FLOP/s")                                                             \
    X(TENSOR_FP8, "tensor_fp8", "FP8 tensor", "FLOP/s")                                                                \
    X(TENSOR_INT8, "tensor_int8", "INT8 tensor", "op/s")
#define RFT_PLAIN_PIPE_MAP(X)                                                                                          \
    X(FP64, "fp64", "FP64", "FLOP/s")                                                                                  \
    X(FP32, "fp32", "FP32", "FLOP/s")                                                                                  \
    X(FP16, "fp16", "FP16 packed", "FLOP/s")                                                                           \
    X(SFU, "sfu", "SFU (ex2)", "op/s")                                                                                 \
    X(INT32, "int32", "INT32", "op/s")
/* 32-bit atomic additions by where they are done. Shared memory: 32 for each pass of a warp; the L2: one for each
 * sector of a warp's access; ..._ONE: of these the ones that one address (of each block) takes one after another. A
 * sweep writes them without "atomics_" in a table `atomics`. */
#define RFT_ATOMICS_PREFIX "atomics_"
#define RFT_ATOMIC_PIPE_MAP(X)                                                                                         \
    X(ATOMICS_SHARED, RFT_ATOMICS_PREFIX "shared", "shared atomics", "op/s")                                           \
    X(ATOMICS_SHARED_ONE, RFT_ATOMICS_PREFIX "shared_one", "shared atomics on one address", "op/s")                    \
    X(ATOMICS_L2, RFT_ATOMICS_PREFIX "l2", "L2 atomics", "op/s")                                                       \
    X(ATOMICS_L2_ONE, RFT_ATOMICS_PREFIX "l2_one", "L2 atomics on one address", "op/s")                                \
    X(ATOMICS_SHARED_F32, RFT_ATOMICS_PREFIX "shared_f32", "shared FP32 atomics", "op/s")                              \
    X(ATOMICS_SHARED_F32_ONE, RFT_ATOMICS_PREFIX "shared_f32_one", "shared FP32 atomics on one address", "op/s")       \
    X(ATOMICS_L2_F32, RFT_ATOMICS_PREFIX "l2_f32", "L2 FP32 atomics", "op/s")                                          \
    X(ATOMICS_L2_F32_ONE, RFT_ATOMICS_PREFIX "l2_f32_one", "L2 FP32 atomics on one address", "op/s")
#define RFT_PIPE_MAP(X)                                                                                                \
    RFT_PLAIN_PIPE_MAP(X)                                                                                              \
    RFT_ATOMIC_PIPE_MAP(X)                                                                                             \
    RFT_TENSOR_PIPE_MAP(X)

typedef enum rft_pipe {
#define RFT_PIPE_ENUM(name, ...) RFT_PIPE_##name,
    RFT_PIPE_MAP(RFT_PIPE_ENUM)
#undef RFT_PIPE_ENUM
        RFT_PIPE_COUNT
} rft_pipe;

/* Memory levels: bytes through each. */
#define RFT_LEVEL_MAP(X)                                                                                               \
    X(DRAM, "dram", "device memory")                                                                                   \
    X(L2, "l2", "L2")                                                                                                  \
    X(L1, "l1", "L1")                                                                                                  \
    X(SHARED, "shared", "shared memory")

typedef enum rft_level {
#define RFT_LEVEL_ENUM(name, text, label) RFT_LEVEL_##name,
    RFT_LEVEL_MAP(RFT_LEVEL_ENUM)
#undef RFT_LEVEL_ENUM
        RFT_LEVEL_COUNT
} rft_level;

const char *rft_pipe_name(rft_pipe pipe);
const char *rft_pipe_label(rft_pipe pipe);
bool rft_pipe_is_tensor(rft_pipe pipe);         /* false for RFT_PIPE_COUNT */
bool rft_pipe_is_atomic(rft_pipe pipe);         /* likewise */
const char *rft_pipe_unit(rft_pipe pipe);       /* of its rate: "FLOP/s", "op/s" */
const char *rft_pipe_atomic_key(rft_pipe pipe); /* "l2_one", in a sweep's `atomics`; NULL for other pipes */
const char *rft_level_name(rft_level level);
const char *rft_level_label(rft_level level);

/* Evidence class of a bound, strongest first. */
typedef enum rft_evidence { RFT_EVIDENCE_COUNTED, RFT_EVIDENCE_MODELLED, RFT_EVIDENCE_DECLARED } rft_evidence;
const char *rft_evidence_name(rft_evidence evidence); /* "counted", "modelled", "declared" */

typedef struct rft_work {
    double pipe_ops[RFT_PIPE_COUNT]; /* operations, >= 0; 0 = none */
    double bytes_read;               /* compulsory bytes read, >= 0 */
    double bytes_written;            /* compulsory bytes written, >= 0 */
    double items;                    /* the script's own items (tokens ...); 0 = none declared */
    const char *item_name;           /* "token"; NULL = none */
} rft_work;

typedef struct rft_traffic {
    bool present;                        /* false: nothing is known beyond the work */
    rft_evidence evidence;               /* COUNTED or MODELLED when present */
    double level_bytes[RFT_LEVEL_COUNT]; /* NaN = not known */
    double dram_read_frac;               /* share of the dram bytes that are reads; NaN = as the work's */
    double pipe_ops[RFT_PIPE_COUNT];     /* NaN = not known (then the work's count stands) */
    double warp_instructions;            /* NaN = not known */
} rft_traffic;

/* A traffic with present = false and every quantity NaN. */
rft_traffic rft_traffic_unknown(void);

double rft_work_bytes(const rft_work *work);       /* read + written */
double rft_work_ops(const rft_work *work);         /* over all pipes */
rft_pipe rft_work_main_pipe(const rft_work *work); /* most operations; RFT_PIPE_COUNT when none */
double rft_work_intensity(const rft_work *work);   /* ops over all pipes per byte; NaN when there are no bytes. A
                                                      placement   counts the main pipe alone (placement.h) */
double rft_work_read_frac(const rft_work *work);   /* 0..1; 0.5 when there are no bytes */

#endif
