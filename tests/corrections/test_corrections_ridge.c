/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ceilings and ridge points (docs/corrections.md A1-A3, A13-A15, A18, E1, E3, E11, E27, E28) from
 * kernels/lib/devices.lua, which names NVIDIA's datasheet of each device, and from widths and clocks
 * (model/roofline/datasheet.h).
 */
#include "corrections/machines.h"
#include "corrections/work_formulas.h"

#include "base/json.h"
#include "model/card/occupancy.h"

#include <math.h>
#include <string.h>

#define TERA 1e12

/* Limits of an sm_90a device at an SM clock. */
static rft_ceilings limits_at(const machines *m, int mhz) {
    rft_run *run = rft_run_new();
    rft_ceilings limits = run->ceilings;
    rft_run_free(run);
    rft_gpu_info gpu;
    assert_int_equal(rft_gpu_info_for_arch(&gpu, "sm_90a", NULL), 0);
    gpu.sm_clock_khz = mhz * 1000;
    gpu.memory_clock_khz = 3201000; /* an H200's, as its driver says; bus width: its datasheet */
    gpu.memory_bus_bits = 6144;
    rft_limits_apply(&limits, &gpu, m->arena);
    return limits;
}

/* S0 and S2: ridge = peak / bandwidth. S4: 2000 TFLOP/s over 8 TB/s. */
static void a01_ridge_points(void **state) {
    const machines *m = *state;
    assert_prints(machine_ridge(m, MACHINE_H100, RFT_CEILING_TENSOR_FP16), "295");
    assert_prints(machine_ridge(m, MACHINE_H100, RFT_CEILING_TENSOR_BF16), "295");
    assert_prints(machine_ridge(m, MACHINE_H100, RFT_CEILING_TENSOR_INT8), "591");
    assert_prints(machine_ridge(m, MACHINE_H100, RFT_CEILING_TENSOR_FP8), "591");
    assert_prints(machine_ridge(m, MACHINE_H100, RFT_CEILING_FP32), "20");
    assert_prints(312.0 / 2.0, "156"); /* the A100 of S2, at its rounded bandwidth; E27 */
    assert_prints(2000.0 / 8.0, "250");
    assert_prints(machine_ridge(m, MACHINE_H200, RFT_CEILING_TENSOR_BF16), "206");
    assert_prints(machine_ridge(m, MACHINE_H200, RFT_CEILING_TENSOR_FP8), "412");
    assert_prints(machine_ridge(m, MACHINE_H200, RFT_CEILING_TENSOR_TF32), "103");
    assert_prints(machine_ridge(m, MACHINE_H200, RFT_CEILING_FP32), "14");
    assert_prints(790.0 / 4.3, "184"); /* torch's 8192^3 matmul and copy on an H200 */
    /* On both sides of the ridge the lower of the two lines holds, and at it they meet. */
    double ridge = machine_ridge(m, MACHINE_H100, RFT_CEILING_TENSOR_BF16), peak = 989.4 * TERA;
    assert_true(work_roof(ridge / 2, peak, 3.35 * TERA) < 0.501 * peak);
    assert_true(work_roof(2 * ridge, peak, 3.35 * TERA) == peak);
    assert_true(fabs(work_roof(ridge, peak, 3.35 * TERA) / peak - 1.0) < 1e-3);
}

static void a02_ceilings_of_the_table(void **state) {
    const machines *m = *state;
    assert_prints(machine_rate(m, MACHINE_H100, RFT_CEILING_TENSOR_BF16) / TERA, "989");
    assert_prints(machine_rate(m, MACHINE_H100, RFT_CEILING_TENSOR_FP8) / TERA, "1979");
    assert_prints(machine_rate(m, MACHINE_H100, RFT_CEILING_FP32) / TERA, "67");
    assert_prints(machine_rate(m, MACHINE_H100, RFT_CEILING_DRAM_READ) / TERA, "3.35");
    assert_prints(machine_rate(m, MACHINE_A100, RFT_CEILING_TENSOR_BF16) / TERA, "312");
    assert_prints(machine_rate(m, MACHINE_A100, RFT_CEILING_DRAM_READ) / TERA, "2.0");
    assert_prints(machine_rate(m, MACHINE_A10, RFT_CEILING_TENSOR_BF16) / TERA, "125");
    assert_prints(machine_rate(m, MACHINE_A10, RFT_CEILING_DRAM_READ) / TERA, "0.6");
    assert_prints(machine_rate(m, MACHINE_RTX4090, RFT_CEILING_DRAM_READ) / TERA, "1.008");
    rft_gpu_info h100;
    assert_int_equal(rft_gpu_info_for_arch(&h100, "sm_90a", NULL), 0);
    assert_int_equal(h100.l2_bytes, 50LL << 20);
}

/* Widths x clocks: what datasheets and the clocks read on an H200 come to. */
static void a02_limits_from_widths(void **state) {
    rft_ceilings at_max = limits_at(*state, 1980), at_boost = limits_at(*state, 1830);
    assert_prints(at_max.items[RFT_CEILING_FP32].limit / TERA, "66.9");
    assert_prints(at_boost.items[RFT_CEILING_TENSOR_BF16].limit / TERA, "989");
    assert_prints(at_max.items[RFT_CEILING_TENSOR_BF16].limit / TERA, "1071"); /* 1070.5 */
    assert_prints(at_max.items[RFT_CEILING_DRAM_READ].limit / TERA, "4.92");
    assert_prints(at_max.items[RFT_CEILING_SHARED_READ].limit / 132 / 1980e6, "128"); /* B per clock and SM */
    assert_prints(at_max.items[RFT_CEILING_SFU].limit / 132 / 1980e6, "16");
}

/* S1's card, an RTX 3050 with 6 GB at 70 W: 18 SMs of sm_86, base 1042 and boost 1470 MHz, 96 bit of 14 Gbit/s
 * (NVIDIA, GeForce RTX 3050 product page). */
static void a03_rtx3050_from_its_widths(void **state) {
    (void)state;
    rft_gpu_info card = {.cc_major = 8, .cc_minor = 6, .sms = 18};
    double per_hertz = 2.0 * card.sms * rft_gpu_info_fp32_lanes(&card);
    assert_prints(96 / 8 * 14.0, "168"); /* GB/s */
    assert_prints(per_hertz * 1042e6 / TERA, "4.802");
    assert_prints(per_hertz * 1470e6 / TERA, "6.774");
    /* Its 30.1 TFLOP/s of the tensor units do not follow: 1024 a clock and SM with FP16 sums give 27.1. */
    assert_prints(card.sms * 1024 * 1470e6 / TERA, "27.1");
}

static void a13_from_a100_to_h100(void **state) {
    const machines *m = *state;
    double compute =
        machine_rate(m, MACHINE_H100, RFT_CEILING_TENSOR_BF16) / machine_rate(m, MACHINE_A100, RFT_CEILING_TENSOR_BF16);
    double bandwidth =
        machine_rate(m, MACHINE_H100, RFT_CEILING_DRAM_COPY) / machine_rate(m, MACHINE_A100, RFT_CEILING_DRAM_COPY);
    assert_prints(compute, "3.2");
    assert_prints(3.35 / 2.0, "1.7"); /* with the bandwidth rounded; with 2.039: */
    assert_prints(bandwidth, "1.6");
    /* A layer between both ridges changes side and gains less than compute did; the whole band of the model: */
    double intensity = 200.0;
    assert_true(intensity > machine_ridge(m, MACHINE_A100, RFT_CEILING_TENSOR_BF16));
    assert_true(intensity < machine_ridge(m, MACHINE_H100, RFT_CEILING_TENSOR_BF16));
    double gain = work_roof(intensity, 989.4 * TERA, 3.35 * TERA) / work_roof(intensity, 312 * TERA, 2.039 * TERA);
    assert_prints(gain, "2.15");
    assert_between(gain, bandwidth, compute);
    /* 1.4x for a whole training step is below what memory alone allows: the roofline does not explain all of it. */
    assert_true(1.4 < bandwidth);
}

static void a14_l2_roofline(void **state) {
    (void)state;
    assert_prints(989.0 / 12.0, "82");                  /* at S0's 12 TB/s; E11 */
    assert_prints(4096.0 * 4096 * 2 / (1 << 20), "32"); /* MiB: fits 50 */
    assert_prints(8192.0 * 8192 * 2 / (1 << 20), "128");
    assert_prints(256.0 * 256 * 2 / 1024, "128"); /* KiB of scores at L = 256 */
    rft_run *run = recorded_run("strided");
    double l2 = rft_ceilings_rate(&run->ceilings, RFT_CEILING_L2_READ);
    assert_between(l2 / rft_ceilings_rate(&run->ceilings, RFT_CEILING_DRAM_READ), 2.0, 3.0); /* "2-3x" */
    rft_run_free(run);
}

static void a15_half_the_bytes(void **state) {
    (void)state;
    for (double n = 128; n <= 4096; n *= 2) {
        assert_true(fabs(work_intensity_gemm(n, n, n, 4) - n / 6) < 1e-9);
        assert_true(fabs(work_intensity_gemm(n, n, n, 2) - n / 3) < 1e-9);
    }
    rft_work wide = work_per_element(1, 1, 1, 4), narrow = work_per_element(1, 1, 1, 2);
    assert_prints(rft_work_bytes(&wide) / rft_work_bytes(&narrow), "2.0"); /* the most a memory-bound one gains */
}

/* "Always memory-bound": below the FP32 ridge of every device with a datasheet. */
static void a18_memory_bound_everywhere(void **state) {
    const machines *m = *state;
    json_t *table = NULL;
    assert_int_equal(rft_json_parse(&table, m->json, strlen(m->json), "devices", NULL), 0);
    double least = (double)INFINITY;
    size_t devices = 0;
    for (size_t i = 0; i < json_array_size(table); i++) {
        const json_t *fp32 = json_object_get(json_array_get(table, i), "fp32");
        if (fp32) {
            double dram = json_number_value(json_object_get(json_array_get(table, i), "dram"));
            least = fmin(least, json_number_value(fp32) / dram);
            devices++;
        }
    }
    json_decref(table);
    assert_true(devices > 50);
    rft_work norm = work_per_element(8, 1, 1, 2), relu = work_per_element(1, 1, 1, 2);
    rft_work bias = work_per_element(1, 1, 1, 2), dropout = work_per_element(2, 1, 1, 2);
    rft_work embedding = work_per_element(0, 1, 1, 2);
    const rft_work *const always[] = {&norm, &relu, &bias, &dropout, &embedding};
    for (size_t i = 0; i < sizeof always / sizeof *always; i++) {
        assert_true(rft_work_intensity(always[i]) < least);
    }
}

/* S0 says M ~ 2. The closed form against a search on the intensity itself. */
static void e01_ridge_m(void **state) {
    const machines *m = *state;
    double h100 = machine_ridge(m, MACHINE_H100, RFT_CEILING_TENSOR_BF16);
    double h200 = machine_ridge(m, MACHINE_H200, RFT_CEILING_TENSOR_BF16);
    assert_prints(work_ridge_m(4096, 4096, 2, h100), "345");
    assert_prints(work_ridge_m(4096, 4096, 2, h200), "229");
    assert_prints(work_ridge_m(4096, 4096, 2, 184), "202");
    assert_prints(work_ridge_m(8192, 8192, 2, 206), "217");
    assert_prints(work_ridge_m(8192, 8192, 2, 184), "193");
    assert_prints(work_ridge_m(16384, 16384, 2, 206), "211"); /* 211.3; with 990 / 4.8 it is 211.6, printed as 212 */
    assert_prints(work_ridge_m(16384, 16384, 2, 990.0 / 4.8), "212");
    assert_prints(work_ridge_m(16384, 16384, 2, 184), "188");
    assert_true(isinf(work_ridge_m(256, 4096, 2, h100))); /* r b (n + k) >= 2 n k: never compute-bound */
    static const double sizes[][2] = {{4096, 4096}, {8192, 8192}, {4096, 14336}, {1024, 65536}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        double low = 1, high = 1e6;
        while (high - low > 1e-6) {
            double middle = (low + high) / 2;
            *(work_intensity_gemm(middle, sizes[i][0], sizes[i][1], 2) < h200 ? &low : &high) = middle;
        }
        assert_true(fabs(low / work_ridge_m(sizes[i][0], sizes[i][1], 2, h200) - 1.0) < 1e-6);
    }
    assert_true(work_intensity_gemm(1e9, 256, 4096, 2) < h100);
}

/* M = 512, N = 4096 on 132 SMs: above the ridge the model allows all of the peak, the waves do not. */
static void e03_waves_limit_the_prefill(void **state) {
    const machines *m = *state;
    double intensity = work_intensity_gemm(512, 4096, 4096, 2);
    assert_true(intensity > machine_ridge(m, MACHINE_H100, RFT_CEILING_TENSOR_FP16));
    assert_prints(100 * work_roof(intensity, 989.4, 3.35) / 989.4, "100");
    rft_gpu_info h100;
    assert_int_equal(rft_gpu_info_for_arch(&h100, "sm_90a", NULL), 0);
    static const struct {
        int tile_m, tile_n, blocks;
        const char *percent;
    } rows[] = {{128, 256, 64, "48"}, {128, 128, 128, "97"}};
    for (size_t i = 0; i < 2; i++) {
        int stages = 4, depth = 64;
        int64_t shared = (int64_t)(rows[i].tile_m + rows[i].tile_n) * depth * 2 * stages;
        int resident = rft_occupancy_blocks(&h100, 384, 168, shared);
        int blocks = (512 / rows[i].tile_m) * (4096 / rows[i].tile_n);
        double waves = (double)blocks / (resident * h100.sms);
        assert_int_equal(resident, 1);
        assert_int_equal(blocks, rows[i].blocks);
        assert_prints(100 * waves / ceil(waves), rows[i].percent);
    }
}

static void e11_l2_bandwidth(void **state) {
    rft_ceilings slow = limits_at(*state, 1755), fast = limits_at(*state, 1980);
    double low = slow.items[RFT_CEILING_L2_READ].limit, high = fast.items[RFT_CEILING_L2_READ].limit;
    assert_prints(low / TERA, "9.0");
    assert_prints(high / TERA, "10.1");
    assert_prints(989.4 * TERA / high, "98");
    assert_prints(989.4 * TERA / low, "110");
    assert_prints(990.0 / 9.8, "101");
    rft_run *run = recorded_run("strided");
    double measured = rft_ceilings_rate(&run->ceilings, RFT_CEILING_L2_READ);
    assert_between(measured / TERA, 9.2, 9.8); /* 9.35, 9.54 and 9.7 on three cards */
    assert_true(measured < high && high < 12 * TERA);
    /* What a persistence window may hold at all: the set-aside of the device, less than its L2. */
    assert_between((double)run->gpu.persisting_l2_max_bytes, 4096.0 * 4096 * 2, 0.75 * (double)run->gpu.l2_bytes);
    rft_run_free(run);
}

static void e27_spec_table(void **state) {
    const machines *m = *state;
    assert_prints(machine_rate(m, MACHINE_H100, RFT_CEILING_TENSOR_BF16) /
                      machine_rate(m, MACHINE_H100, RFT_CEILING_FP32),
                  "14.8");
    assert_prints(machine_rate(m, MACHINE_RTX4090, RFT_CEILING_TENSOR_BF16) / TERA, "165.2"); /* FP32 sums */
    assert_prints(2 * machine_rate(m, MACHINE_RTX4090, RFT_CEILING_TENSOR_BF16) / TERA, "330.4");
    assert_prints(machine_rate(m, MACHINE_A100, RFT_CEILING_DRAM_READ) / TERA, "2.039");
    assert_prints(machine_ridge(m, MACHINE_A100, RFT_CEILING_TENSOR_BF16), "153");
    rft_gpu_info a10g = {.name = "NVIDIA A10G", .sms = 80, .memory_bus_bits = 384};
    rft_datasheet_facts facts;
    assert_int_equal(rft_datasheet_facts_of(&facts, &a10g, m->json, m->arena, NULL), 0);
    assert_null(facts.name); /* 125 is the A10's: no document of NVIDIA gives the A10G's */
}

/* The intensity doubles, the ridge moves 14.8 times as far. */
static void e28_half_precision_moves_toward_memory(void **state) {
    const machines *m = *state;
    double fp32 = machine_ridge(m, MACHINE_H100, RFT_CEILING_FP32);
    double bf16 = machine_ridge(m, MACHINE_H100, RFT_CEILING_TENSOR_BF16);
    assert_prints(6 * fp32, "120");
    assert_prints(3 * bf16, "886");
    assert_true(work_intensity_gemm(512, 512, 512, 4) > fp32);
    assert_true(work_intensity_gemm(512, 512, 512, 2) < bf16);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a01_ridge_points),
        cmocka_unit_test(a02_ceilings_of_the_table),
        cmocka_unit_test(a02_limits_from_widths),
        cmocka_unit_test(a03_rtx3050_from_its_widths),
        cmocka_unit_test(a13_from_a100_to_h100),
        cmocka_unit_test(a14_l2_roofline),
        cmocka_unit_test(a15_half_the_bytes),
        cmocka_unit_test(a18_memory_bound_everywhere),
        cmocka_unit_test(e01_ridge_m),
        cmocka_unit_test(e03_waves_limit_the_prefill),
        cmocka_unit_test(e11_l2_bandwidth),
        cmocka_unit_test(e27_spec_table),
        cmocka_unit_test(e28_half_precision_moves_toward_memory),
    };
    return cmocka_run_group_tests(tests, machines_set_up, machines_tear_down);
}
