/* SPDX-License-Identifier: Apache-2.0 */
/* ceiling_limits.c - the hardware's own limits, from the device's clocks and widths (datasheet.h). */
#include "model/roofline/datasheet.h"

#include "base/units.h"

/* Per SM and clock. 0 = not known. */
typedef struct arch_widths {
    int cc;
    int fp16_lanes;                                                     /* FMA results, counting each half of a pair */
    int sfu_lanes;                                                      /* ex2 results */
    int tensor_fp64, tensor_tf32, tensor_half, tensor_fp8, tensor_int8; /* FLOP, dense */
    int l2_bytes;                                                       /* of the whole device, per clock */
} arch_widths;

/* fp16_lanes, sfu_lanes: CUDA C++ Programming Guide, throughput of native arithmetic instructions. Tensor cores:
 * whitepapers of Turing, A100, GA102, Ada, H100, RTX Blackwell; the Blackwell Technical Brief's figures of a B200 by
 * its SMs and clock, the power of two above. GeForce parts with FP32 accumulation reach half of them: a limit all the
 * same. L2 of GH100: what Nsight Compute takes as its peak. */
static const arch_widths widths[] = {
    {.cc = 75, .fp16_lanes = 128, .sfu_lanes = 16, .tensor_half = 1024, .tensor_int8 = 2048},
    {.cc = 80,
     .fp16_lanes = 256,
     .sfu_lanes = 16,
     .tensor_fp64 = 128,
     .tensor_tf32 = 1024,
     .tensor_half = 2048,
     .tensor_int8 = 4096},
    {.cc = 86, .fp16_lanes = 128, .sfu_lanes = 16, .tensor_tf32 = 512, .tensor_half = 1024, .tensor_int8 = 2048},
    {.cc = 89,
     .fp16_lanes = 128,
     .sfu_lanes = 16,
     .tensor_tf32 = 512,
     .tensor_half = 1024,
     .tensor_fp8 = 2048,
     .tensor_int8 = 2048},
    {.cc = 90,
     .fp16_lanes = 256,
     .sfu_lanes = 16,
     .tensor_fp64 = 256,
     .tensor_tf32 = 2048,
     .tensor_half = 4096,
     .tensor_fp8 = 8192,
     .tensor_int8 = 8192,
     .l2_bytes = 5120},
    {.cc = 100,
     .fp16_lanes = 256,
     .sfu_lanes = 16,
     .tensor_fp64 = 128,
     .tensor_tf32 = 4096,
     .tensor_half = 8192,
     .tensor_fp8 = 16384,
     .tensor_int8 = 16384},
    /* Blackwell Ultra: FP64 and INT8 were cut, by how much is not published. */
    {.cc = 103, .fp16_lanes = 256, .tensor_tf32 = 4096, .tensor_half = 8192, .tensor_fp8 = 16384},
    {.cc = 120,
     .fp16_lanes = 128,
     .sfu_lanes = 16,
     .tensor_tf32 = 512,
     .tensor_half = 1024,
     .tensor_fp8 = 2048,
     .tensor_int8 = 2048},
    {.cc = 121,
     .fp16_lanes = 128,
     .sfu_lanes = 16,
     .tensor_tf32 = 512,
     .tensor_half = 1024,
     .tensor_fp8 = 2048,
     .tensor_int8 = 2048},
};

#define L1_BYTES 128 /* per SM and clock, L1 and shared memory alike, on every architecture from 7.0 on */

static void set_limit(rft_ceiling *ceiling, double limit, const char *basis) {
    ceiling->limit = limit;
    ceiling->limit_basis = basis;
}

/* SMs x lanes x operations each x clock. */
static void set_lanes(rft_ceilings *ceilings, rft_ceiling_id id, const rft_gpu_info *gpu, int lanes, int ops,
                      rft_arena *arena) {
    int mhz = gpu->sm_clock_khz / 1000;
    if (lanes > 0 && mhz > 0 && gpu->sms > 0) {
        double limit = (double)gpu->sms * lanes * ops * gpu->sm_clock_khz * 1e3;
        set_limit(&ceilings->items[id], limit,
                  ops == 1 ? rft_arena_printf(arena, "%d SMs x %d x %d MHz", gpu->sms, lanes, mhz)
                           : rft_arena_printf(arena, "%d SMs x %d lanes x %d x %d MHz", gpu->sms, lanes, ops, mhz));
    }
}

static void set_memory(rft_ceilings *ceilings, const rft_gpu_info *gpu, rft_arena *arena) {
    static const rft_ceiling_id mixes[] = {RFT_CEILING_DRAM_READ, RFT_CEILING_DRAM_WRITE, RFT_CEILING_DRAM_COPY,
                                           RFT_CEILING_DRAM_2TO1};
    if (gpu->memory_clock_khz <= 0 || gpu->memory_bus_bits <= 0) {
        return;
    }
    /* The driver's memory clock is half the data rate for every memory type it reports. */
    double limit = 2.0 * gpu->memory_clock_khz * 1e3 * gpu->memory_bus_bits / 8.0;
    const char *basis =
        rft_arena_printf(arena, "%d MHz x 2 x %d bit", gpu->memory_clock_khz / 1000, gpu->memory_bus_bits);
    for (size_t i = 0; i < sizeof mixes / sizeof *mixes; i++) {
        set_limit(&ceilings->items[mixes[i]], limit, basis);
    }
}

static void set_widths(rft_ceilings *ceilings, const rft_gpu_info *gpu, const arch_widths *width, rft_arena *arena) {
    set_lanes(ceilings, RFT_CEILING_FP16, gpu, width->fp16_lanes, 2, arena);
    set_lanes(ceilings, RFT_CEILING_SFU, gpu, width->sfu_lanes, 1, arena);
    set_lanes(ceilings, RFT_CEILING_TENSOR_FP64, gpu, width->tensor_fp64, 1, arena);
    set_lanes(ceilings, RFT_CEILING_TENSOR_TF32, gpu, width->tensor_tf32, 1, arena);
    set_lanes(ceilings, RFT_CEILING_TENSOR_FP16, gpu, width->tensor_half, 1, arena);
    /* Turing's tensor cores know no bf16. */
    set_lanes(ceilings, RFT_CEILING_TENSOR_BF16, gpu, width->cc >= 80 ? width->tensor_half : 0, 1, arena);
    set_lanes(ceilings, RFT_CEILING_TENSOR_FP8, gpu, width->tensor_fp8, 1, arena);
    set_lanes(ceilings, RFT_CEILING_TENSOR_INT8, gpu, width->tensor_int8, 1, arena);
    if (width->l2_bytes > 0 && gpu->sm_clock_khz > 0) {
        set_limit(&ceilings->items[RFT_CEILING_L2_READ], (double)width->l2_bytes * gpu->sm_clock_khz * 1e3,
                  rft_arena_printf(arena, "%d B x %d MHz", width->l2_bytes, gpu->sm_clock_khz / 1000));
    }
}

/* Nothing is faster than its own limit: such a reading says that the kernel did not do what it was counted for. */
static void withdraw_impossible(rft_ceilings *ceilings, rft_arena *arena) {
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        rft_ceiling *ceiling = &ceilings->items[id];
        if (id != RFT_CEILING_LAUNCH && ceiling->measured && ceiling->stats.median > 1.03 * ceiling->limit) {
            char rate[48];
            char limit[48];
            rft_units_format_si(rate, sizeof rate, ceiling->stats.median, 3, rft_ceiling_unit((rft_ceiling_id)id));
            rft_units_format_si(limit, sizeof limit, ceiling->limit, 3, rft_ceiling_unit((rft_ceiling_id)id));
            ceiling->measured = false;
            ceiling->reason =
                rft_arena_printf(arena, "withdrawn: %s read, over the hardware's limit of %s", rate, limit);
        }
    }
}

void rft_limits_apply(rft_ceilings *ceilings, const rft_gpu_info *gpu, rft_arena *arena) {
    set_memory(ceilings, gpu, arena);
    set_lanes(ceilings, RFT_CEILING_FP32, gpu, rft_gpu_info_fp32_lanes(gpu), 2, arena);
    set_lanes(ceilings, RFT_CEILING_FP64, gpu, rft_gpu_info_fp64_lanes(gpu), 2, arena);
    if (gpu->cc_major >= 7) {
        set_lanes(ceilings, RFT_CEILING_L1_READ, gpu, L1_BYTES, 1, arena);
        set_lanes(ceilings, RFT_CEILING_SHARED_READ, gpu, L1_BYTES, 1, arena);
    }
    int cc = gpu->cc_major * 10 + gpu->cc_minor;
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        if (widths[i].cc == cc) {
            set_widths(ceilings, gpu, &widths[i], arena);
        }
    }
    withdraw_impossible(ceilings, arena);
}
