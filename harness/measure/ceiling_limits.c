/* SPDX-License-Identifier: Apache-2.0 */
/* What the hardware itself cannot exceed, and what its maker says; each with the clock it is stated at. */
#include "measure/ceilings.h"

#include "base/str.h"

#include <math.h>
#include <string.h>

#define BYTES_PER_CLOCK_SM 128.0 /* L1 and shared memory of every architecture from 7.0 on */

/* Packed FP16 results (one FMA of one half) and ex2 results per clock and SM; 0 = not known. CUDA C++ Programming
 * Guide, "Arithmetic Instructions" (throughput table). */
static double fp16_lanes(const rft_gpu_info *gpu) {
    switch (gpu->cc_major * 10 + gpu->cc_minor) {
    case 80:
    case 90:
    case 100:
        return 256.0;
    case 86:
    case 89:
    case 120:
        return 128.0;
    default:
        return 0.0;
    }
}

static double sfu_lanes(const rft_gpu_info *gpu) {
    switch (gpu->cc_major * 10 + gpu->cc_minor) {
    case 75:
    case 80:
    case 86:
    case 87:
    case 89:
    case 90:
    case 100:
    case 120:
        return 16.0;
    default:
        return 0.0;
    }
}

/* per_clock of `what` in one SM and clock; operations = per_clock * factor. */
static void set_pipe(rft_ceiling *ceiling, const rft_gpu_info *gpu, rft_arena *arena, double per_clock,
                     const char *what, int factor) {
    if (per_clock <= 0.0 || gpu->sm_clock_khz <= 0) {
        return;
    }
    ceiling->limit = per_clock * factor * gpu->sms * gpu->sm_clock_khz * 1e3;
    rft_str text = RFT_STR_INIT;
    rft_str_add_double(&text, per_clock);
    rft_str_addf(&text, " %s", what);
    if (factor != 1) {
        rft_str_addf(&text, " x %d", factor);
    }
    rft_str_addf(&text, " x %d SMs x %d MHz", gpu->sms, gpu->sm_clock_khz / 1000);
    ceiling->limit_basis = rft_arena_strdup(arena, rft_str_get(&text));
    rft_str_clear(&text);
}

static void set_bus(const rft_gpu_info *gpu, rft_arena *arena, rft_ceilings *out) {
    static const rft_ceiling_id ids[] = {RFT_CEILING_DRAM_READ, RFT_CEILING_DRAM_WRITE, RFT_CEILING_DRAM_COPY,
                                         RFT_CEILING_DRAM_2TO1};
    if (gpu->memory_clock_khz <= 0 || gpu->memory_bus_bits <= 0) {
        return;
    }
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        rft_ceiling *ceiling = &out->items[ids[i]];
        ceiling->limit = gpu->memory_clock_khz * 1e3 * 2.0 * gpu->memory_bus_bits / 8.0;
        ceiling->limit_basis =
            rft_arena_printf(arena, "%d MHz x 2 x %d bit", gpu->memory_clock_khz / 1000, gpu->memory_bus_bits);
    }
}

/* ---- datasheets: dense rates in 1e12 per second, 0 = not stated ---- */

typedef struct datasheet {
    const char *name; /* part of the device's name; the first that fits counts */
    double dram, fp64, fp32, fp16, tensor_fp64, tensor_tf32, tensor_16, tensor_fp8, tensor_int8;
    const char *vector_basis, *tensor_basis;
} datasheet;

#define SXM_HOPPER_CLOCKS "datasheet, at 1980 MHz boost", "datasheet, dense, at 1830 MHz boost"
#define PLAIN_BASIS "datasheet, boost clock", "datasheet, dense, boost clock"

static const datasheet datasheets[] = {
    {"H200 NVL", 4.8, 30.0, 60.0, 0, 60.0, 417.5, 835.5, 1670.5, 1670.5, PLAIN_BASIS},
    {"H200", 4.8, 33.5, 66.9, 133.8, 66.9, 494.7, 989.4, 1978.9, 1978.9, SXM_HOPPER_CLOCKS},
    {"H100 PCIe", 2.04, 25.6, 51.2, 102.4, 51.2, 378.0, 756.0, 1513.0, 1513.0, PLAIN_BASIS},
    {"H100 80GB HBM3", 3.35, 33.5, 66.9, 133.8, 66.9, 494.7, 989.4, 1978.9, 1978.9, SXM_HOPPER_CLOCKS},
    {"A100-SXM4-80GB", 2.039, 9.7, 19.5, 78.0, 19.5, 156.0, 312.0, 0, 624.0, "datasheet, at 1410 MHz boost",
     "datasheet, dense, at 1410 MHz boost"},
    {"A100-SXM4-40GB", 1.555, 9.7, 19.5, 78.0, 19.5, 156.0, 312.0, 0, 624.0, "datasheet, at 1410 MHz boost",
     "datasheet, dense, at 1410 MHz boost"},
    {"B200", 7.7, 0, 0, 0, 0, 1125.0, 2250.0, 4500.0, 4500.0, PLAIN_BASIS},
    {"L40S", 0.864, 0, 91.6, 0, 0, 183.0, 362.0, 733.0, 733.0, PLAIN_BASIS},
    {"A10G", 0.6, 0, 0, 0, 0, 0, 0, 0, 0, PLAIN_BASIS},
    {"A10", 0.6, 0, 31.2, 0, 0, 62.5, 125.0, 0, 250.0, PLAIN_BASIS},
    {"RTX 4090", 1.008, 0, 82.6, 0, 0, 0, 0, 0, 0, PLAIN_BASIS},
    {"RTX 5090", 1.792, 0, 104.8, 0, 0, 0, 0, 0, 0, PLAIN_BASIS},
};

static void set_sheet(rft_ceilings *out, rft_ceiling_id id, double tera, const char *basis) {
    if (tera > 0.0) {
        out->items[id].datasheet = tera * 1e12;
        out->items[id].datasheet_basis = basis;
    }
}

static void set_datasheet(const rft_gpu_info *gpu, rft_ceilings *out) {
    const datasheet *sheet = NULL;
    for (size_t i = 0; !sheet && i < sizeof datasheets / sizeof *datasheets; i++) {
        sheet = gpu->name && strstr(gpu->name, datasheets[i].name) ? &datasheets[i] : NULL;
    }
    if (!sheet) {
        return;
    }
    for (int id = RFT_CEILING_DRAM_READ; id <= RFT_CEILING_DRAM_2TO1; id++) {
        set_sheet(out, (rft_ceiling_id)id, sheet->dram, "datasheet");
    }
    set_sheet(out, RFT_CEILING_FP64, sheet->fp64, sheet->vector_basis);
    set_sheet(out, RFT_CEILING_FP32, sheet->fp32, sheet->vector_basis);
    set_sheet(out, RFT_CEILING_FP16, sheet->fp16, sheet->vector_basis);
    set_sheet(out, RFT_CEILING_TENSOR_FP64, sheet->tensor_fp64, sheet->vector_basis);
    set_sheet(out, RFT_CEILING_TENSOR_TF32, sheet->tensor_tf32, sheet->tensor_basis);
    set_sheet(out, RFT_CEILING_TENSOR_BF16, sheet->tensor_16, sheet->tensor_basis);
    set_sheet(out, RFT_CEILING_TENSOR_FP16, sheet->tensor_16, sheet->tensor_basis);
    set_sheet(out, RFT_CEILING_TENSOR_FP8, sheet->tensor_fp8, sheet->tensor_basis);
    set_sheet(out, RFT_CEILING_TENSOR_INT8, sheet->tensor_int8, sheet->tensor_basis);
}

void rft_ceilings_limits(const rft_gpu_info *gpu, rft_arena *arena, rft_ceilings *out) {
    rft_ceiling *items = out->items;
    set_bus(gpu, arena, out);
    set_pipe(&items[RFT_CEILING_L1_READ], gpu, arena, BYTES_PER_CLOCK_SM, "B", 1);
    set_pipe(&items[RFT_CEILING_SHARED_READ], gpu, arena, BYTES_PER_CLOCK_SM, "B", 1);
    set_pipe(&items[RFT_CEILING_FP64], gpu, arena, rft_gpu_info_fp64_lanes(gpu), "lanes", 2);
    set_pipe(&items[RFT_CEILING_FP32], gpu, arena, rft_gpu_info_fp32_lanes(gpu), "lanes", 2);
    set_pipe(&items[RFT_CEILING_FP16], gpu, arena, fp16_lanes(gpu), "halves", 2);
    set_pipe(&items[RFT_CEILING_SFU], gpu, arena, sfu_lanes(gpu), "lanes", 1);
    set_datasheet(gpu, out);
}
