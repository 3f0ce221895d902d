/* SPDX-License-Identifier: Apache-2.0 */
/* The built-in kernels on the host. fill, convert, guard and compare are the device's own text, one thread after
 * another. */
#include "support/scripted_gpu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The thread whose turn it is; the kernels' text reads them. */
static uint64_t host_thread, host_threads;

#define RFT_HOST_KERNELS
#define RFT_KERNEL static void
#define RFT_DEVICE static inline
#define RFT_THREAD host_thread
#define RFT_THREADS host_threads
#include "measure/device/prelude.cuh"

#include "measure/device/fill.cu"

#include "measure/device/convert.cu"

#include "measure/device/guard.cu"

#include "measure/device/partials.cuh"

#include "measure/device/compare.cu"
#include "measure/device/fold.cu"

#define EACH_THREAD(launch)                                                                                            \
    for (host_threads = (uint64_t)(launch)->grid[0] * (launch)->block[0], host_thread = 0; host_thread < host_threads; \
         host_thread++)
#define ARG RFT_SCRIPTED_ARG
#define POINTER RFT_SCRIPTED_POINTER

static void run_fill(rft_scripted_gpu *gpu, const rft_gpu_launch *l, void *self) {
    (void)gpu, (void)self;
    EACH_THREAD(l) {
        rft_fill_kernel(POINTER(l, 0, void), ARG(l, 1, rft_u64), ARG(l, 2, int), ARG(l, 3, int), ARG(l, 4, int),
                        ARG(l, 5, double), ARG(l, 6, double), ARG(l, 7, rft_i64), ARG(l, 8, rft_u64));
    }
}

static void run_convert(rft_scripted_gpu *gpu, const rft_gpu_launch *l, void *self) {
    (void)gpu, (void)self;
    EACH_THREAD(l) {
        rft_convert_kernel(POINTER(l, 0, double), POINTER(l, 1, const void), ARG(l, 2, int), ARG(l, 3, rft_u64));
    }
}

static void run_magnitude(rft_scripted_gpu *gpu, const rft_gpu_launch *l, void *self) {
    (void)gpu, (void)self;
    EACH_THREAD(l) {
        rft_magnitude_kernel(POINTER(l, 0, const void), ARG(l, 1, int), ARG(l, 2, rft_u64),
                             POINTER(l, 3, rft_magnitude_partial));
    }
}

static void run_compare(rft_scripted_gpu *gpu, const rft_gpu_launch *l, void *self) {
    (void)gpu, (void)self;
    EACH_THREAD(l) {
        rft_compare_kernel(POINTER(l, 0, const void), ARG(l, 1, int), POINTER(l, 2, const void), ARG(l, 3, int),
                           ARG(l, 4, rft_u64), ARG(l, 5, double), ARG(l, 6, double),
                           POINTER(l, 7, rft_compare_partial));
    }
}

static void run_checksum(rft_scripted_gpu *gpu, const rft_gpu_launch *l, void *self) {
    (void)gpu, (void)self;
    EACH_THREAD(l) {
        rft_checksum_kernel(POINTER(l, 0, const void), ARG(l, 1, rft_u64), POINTER(l, 2, rft_u64));
    }
}

static void run_fold(rft_scripted_gpu *gpu, const rft_gpu_launch *l, void *self) {
    (void)gpu, (void)self;
    EACH_THREAD(l) {
        rft_fold_kernel(ARG(l, 0, int), POINTER(l, 1, const void), ARG(l, 2, rft_u32), POINTER(l, 3, void));
    }
}

static void run_guard_mark(rft_scripted_gpu *gpu, const rft_gpu_launch *l, void *self) {
    (void)gpu, (void)self;
    EACH_THREAD(l) {
        rft_guard_mark(((const rft_guard_list *)l->values[0])->areas, ARG(l, 1, rft_u32));
    }
}

static void run_guard_check(rft_scripted_gpu *gpu, const rft_gpu_launch *l, void *self) {
    (void)gpu, (void)self;
    EACH_THREAD(l) {
        rft_guard_check(((const rft_guard_list *)l->values[0])->areas, ARG(l, 1, rft_u32),
                        POINTER(l, 2, rft_guard_partial));
    }
}

static void run_nothing(rft_scripted_gpu *gpu, const rft_gpu_launch *l, void *self) {
    (void)gpu, (void)l, (void)self;
}

static void run_flush_write(rft_scripted_gpu *gpu, const rft_gpu_launch *l, void *self) {
    (void)self;
    uint64_t vectors = ARG(l, 1, rft_u64);
    memset(POINTER(l, 0, void), 1, vectors * 16);
    rft_scripted_spend(gpu, (double)vectors * 16 / rft_scripted_options(gpu)->speeds.dram_write);
}

static void run_flush_read(rft_scripted_gpu *gpu, const rft_gpu_launch *l, void *self) {
    (void)self;
    rft_scripted_spend(gpu, (double)ARG(l, 1, rft_u64) * 16 / rft_scripted_options(gpu)->speeds.dram_read);
}

/* Layout of device/stamp.cu. */
typedef struct stamp_slot {
    uint64_t time_ns, cycles, ticket, unused;
} stamp_slot;

static void run_stamp(rft_scripted_gpu *gpu, const rft_gpu_launch *l, void *self) {
    (void)self;
    stamp_slot *slots = POINTER(l, 0, stamp_slot);
    double now_s = rft_scripted_now_s(gpu), cycles = rft_scripted_cycles(gpu);
    for (unsigned sm = 0; sm < l->grid[0] && sm < ARG(l, 1, uint32_t); sm++) {
        slots[sm] = (stamp_slot){(uint64_t)(now_s * 1e9), (uint64_t)cycles + sm, ARG(l, 2, uint64_t), 0};
    }
}

static void run_block(rft_scripted_gpu *gpu, const rft_gpu_launch *l, void *self) {
    (void)self;
    volatile uint32_t *words = POINTER(l, 0, volatile uint32_t);
    uint32_t ticket = ARG(l, 1, uint32_t);
    if ((int32_t)(words[0] - ticket) < 0) {
        rft_scripted_block(gpu, words, ticket, (double)ARG(l, 2, uint64_t) * 1e-9);
    }
}

/* ---- ceilings: as long as the scripted speeds say ---- */

static double threads_of(const rft_gpu_launch *l) {
    return (double)l->grid[0] * l->block[0];
}

/* The n-th template argument of "name<8, 16>". */
static int template_argument(const rft_gpu_launch *l, int n) {
    const char *at = strchr(rft_scripted_symbol(l), '<');
    for (int i = 0; at && i < n; i++) {
        at = strchr(at + 1, ',');
    }
    return at ? atoi(at + 1) : 0;
}

static void run_dram(rft_scripted_gpu *gpu, const rft_gpu_launch *l, void *self) {
    const rft_scripted_speeds *speeds = &rft_scripted_options(gpu)->speeds;
    const char *kind = self;
    uint64_t vectors = strcmp(kind, "copy") == 0   ? ARG(l, 2, uint64_t)
                       : strcmp(kind, "2to1") == 0 ? ARG(l, 3, uint64_t)
                                                   : ARG(l, 1, uint64_t);
    double bytes = (double)vectors * 16;
    rft_scripted_spend(gpu, strcmp(kind, "read") == 0    ? bytes / speeds->dram_read
                            : strcmp(kind, "write") == 0 ? bytes / speeds->dram_write
                            : strcmp(kind, "copy") == 0  ? 2 * bytes / speeds->dram_copy
                                                         : 3 * bytes / speeds->dram_2to1);
}

static void run_l2(rft_scripted_gpu *gpu, const rft_gpu_launch *l, void *self) {
    (void)self;
    double bytes = threads_of(l) * template_argument(l, 0) * 16 * ARG(l, 3, uint32_t);
    rft_scripted_spend(gpu, bytes / rft_scripted_options(gpu)->speeds.l2);
}

static void run_l1(rft_scripted_gpu *gpu, const rft_gpu_launch *l, void *self) {
    (void)self;
    double bytes = threads_of(l) * template_argument(l, 0) * 16 * ARG(l, 1, uint32_t);
    rft_scripted_spend(gpu, bytes / rft_scripted_options(gpu)->speeds.l1);
}

static void run_shared(rft_scripted_gpu *gpu, const rft_gpu_launch *l, void *self) {
    (void)self;
    double bytes = threads_of(l) * template_argument(l, 0) * 16 * ARG(l, 0, uint32_t);
    rft_scripted_spend(gpu, bytes / rft_scripted_options(gpu)->speeds.shared);
}

static void run_pipe(rft_scripted_gpu *gpu, const rft_gpu_launch *l, void *self) {
    const rft_scripted_speeds *speeds = &rft_scripted_options(gpu)->speeds;
    const char *pipe = self;
    double instructions = threads_of(l) * template_argument(l, 0) * template_argument(l, 1) * ARG(l, 0, uint32_t);
    rft_scripted_spend(gpu, strcmp(pipe, "fp32") == 0   ? 2 * instructions / speeds->fp32
                            : strcmp(pipe, "fp64") == 0 ? 2 * instructions / speeds->fp64
                            : strcmp(pipe, "fp16") == 0 ? 4 * instructions / speeds->fp16
                            : strcmp(pipe, "int32") == 0
                                ? (strstr(rft_scripted_symbol(l), "mix") ? 3 : 2) * instructions / speeds->int32
                                : instructions / speeds->sfu);
}

/* Four additions a thread and step; in the L2 a sector holds 8 neighbours. */
static void run_atomics(rft_scripted_gpu *gpu, const rft_gpu_launch *l, void *self) {
    const rft_scripted_opts *opts = rft_scripted_options(gpu);
    const bool shared = self != NULL;
    uint32_t steps = ARG(l, shared ? 0 : 1, uint32_t), stride = ARG(l, shared ? 1 : 3, uint32_t);
    double one = opts->speeds.atomics_one * (shared ? opts->info.sms : 1);
    double spread = shared ? opts->speeds.atomics_shared : opts->speeds.atomics_l2 * (stride == 1 ? 8 : 1);
    double slower = strstr(rft_scripted_symbol(l), "f32") ? 2 : 1;
    rft_scripted_spend(gpu, 4 * threads_of(l) * steps * slower / (stride > 0 ? spread : one));
}

typedef struct tensor_kernel {
    const char *symbol;
    size_t speed; /* offset in rft_scripted_speeds */
    double m, n;  /* tile of one mma.sync; wgmma: 64 x its first template argument */
    double k;
} tensor_kernel;
#define TENSOR(name, type, m, n, k)                                                                                    \
    { "rft_" name, offsetof(rft_scripted_speeds, tensor_##type), m, n, k }

static tensor_kernel tensor_kernels[] = {
    TENSOR("wgmma_tf32", tf32, 64, 0, 8),    TENSOR("wgmma_bf16", bf16, 64, 0, 16),
    TENSOR("wgmma_fp16", fp16, 64, 0, 16),   TENSOR("wgmma_fp8", fp8, 64, 0, 32),
    TENSOR("wgmma_int8", int8, 64, 0, 32),   TENSOR("mma_tf32", tf32, 16, 8, 8),
    TENSOR("mma_bf16", bf16, 16, 8, 16),     TENSOR("mma_fp16", fp16, 16, 8, 16),
    TENSOR("mma_fp8", fp8, 16, 8, 32),       TENSOR("mma_int8", int8, 16, 8, 32),
    TENSOR("mma_fp64_k4", fp64, 8, 8, 4),    TENSOR("mma_fp64_k8", fp64, 16, 8, 8),
    TENSOR("mma_fp64_k16", fp64, 16, 8, 16),
};

static void run_tensor(rft_scripted_gpu *gpu, const rft_gpu_launch *l, void *self) {
    const tensor_kernel *kernel = self;
    const rft_scripted_speeds *speeds = &rft_scripted_options(gpu)->speeds;
    double speed = 0.0, steps = ARG(l, 0, uint32_t);
    memcpy(&speed, (const char *)speeds + kernel->speed, sizeof speed);
    double n = kernel->n > 0 ? kernel->n : template_argument(l, 0);
    double each = kernel->n > 0 ? template_argument(l, 0) * template_argument(l, 1) * template_argument(l, 2)
                                : 4 * template_argument(l, 3);
    double units = threads_of(l) / (kernel->n > 0 ? 32 : 128); /* warps or warpgroups */
    rft_scripted_spend(gpu, steps * units * each * 2 * kernel->m * n * kernel->k / speed);
}

void rft_scripted_gpu_builtins(rft_scripted_gpu *gpu) {
    static char read_kind[] = "read", write_kind[] = "write", copy_kind[] = "copy", axpy_kind[] = "2to1";
    static char fp32[] = "fp32", fp64[] = "fp64", fp16[] = "fp16", sfu[] = "sfu", int32[] = "int32";
    static char shared[] = "shared";
    rft_scripted_gpu_kernel(gpu, "rft_fill_kernel", run_fill, NULL);
    rft_scripted_gpu_kernel(gpu, "rft_convert_kernel", run_convert, NULL);
    rft_scripted_gpu_kernel(gpu, "rft_magnitude_kernel", run_magnitude, NULL);
    rft_scripted_gpu_kernel(gpu, "rft_compare_kernel", run_compare, NULL);
    rft_scripted_gpu_kernel(gpu, "rft_checksum_kernel", run_checksum, NULL);
    rft_scripted_gpu_kernel(gpu, "rft_fold_kernel", run_fold, NULL);
    rft_scripted_gpu_kernel(gpu, "rft_guard_mark_kernel", run_guard_mark, NULL);
    rft_scripted_gpu_kernel(gpu, "rft_guard_check_kernel", run_guard_check, NULL);
    rft_scripted_gpu_kernel(gpu, "rft_flush_write_kernel", run_flush_write, NULL);
    rft_scripted_gpu_kernel(gpu, "rft_flush_read_kernel", run_flush_read, NULL);
    rft_scripted_gpu_kernel(gpu, "rft_stamp_kernel", run_stamp, NULL);
    rft_scripted_gpu_kernel(gpu, "rft_block_kernel", run_block, NULL);
    rft_scripted_gpu_kernel(gpu, "rft_empty_kernel", run_nothing, NULL);
    rft_scripted_gpu_kernel(gpu, "rft_dram_read", run_dram, read_kind);
    rft_scripted_gpu_kernel(gpu, "rft_dram_write", run_dram, write_kind);
    rft_scripted_gpu_kernel(gpu, "rft_dram_copy", run_dram, copy_kind);
    rft_scripted_gpu_kernel(gpu, "rft_dram_2to1", run_dram, axpy_kind);
    rft_scripted_gpu_kernel(gpu, "rft_l2_read", run_l2, NULL);
    rft_scripted_gpu_kernel(gpu, "rft_l1_read", run_l1, NULL);
    rft_scripted_gpu_kernel(gpu, "rft_shared_read", run_shared, NULL);
    rft_scripted_gpu_kernel(gpu, "rft_pipe_fp32", run_pipe, fp32);
    rft_scripted_gpu_kernel(gpu, "rft_pipe_fp64", run_pipe, fp64);
    rft_scripted_gpu_kernel(gpu, "rft_pipe_fp16", run_pipe, fp16);
    rft_scripted_gpu_kernel(gpu, "rft_pipe_sfu", run_pipe, sfu);
    rft_scripted_gpu_kernel(gpu, "rft_pipe_int32_mix", run_pipe, int32);
    rft_scripted_gpu_kernel(gpu, "rft_pipe_int32_mad", run_pipe, int32);
    rft_scripted_gpu_kernel(gpu, "rft_atomics_shared", run_atomics, shared);
    rft_scripted_gpu_kernel(gpu, "rft_atomics_l2", run_atomics, NULL);
    for (size_t i = 0; i < sizeof tensor_kernels / sizeof *tensor_kernels; i++) {
        rft_scripted_gpu_kernel(gpu, tensor_kernels[i].symbol, run_tensor, &tensor_kernels[i]);
    }
}
