/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tiled matrix multiplication (docs/corrections.md E18, E19, E24) and registers (A21). Source: S4; the last
 * test's rates are public figures of one H100: cuBLAS and fast.cu at 4096 and 8192, CUTLASS 3.x by its builder.
 */
#include "corrections/machines.h"
#include "corrections/work_formulas.h"

#include "model/card/occupancy.h"

#define TERA 1e12

/* Floats that the blocks of an n x n x n product load when a tile x tile block walks along K, counted step by step. */
static double tiled_loads(int n, int tile) {
    double loads = 0;
    for (int row = 0; row < n; row += tile) {
        for (int column = 0; column < n; column += tile) {
            for (int k = 0; k < n; k += tile) {
                loads += 2.0 * tile * tile;
            }
        }
    }
    return loads;
}

static void e18_tile_intensity(void **state) {
    (void)state;
    double n = 2048, ops = 2 * n * n * n;
    static const struct {
        int tile;
        const char *intensity;
    } rows[] = {{1, "0.25"}, {8, "2"}, {16, "4"}, {32, "8"}, {128, "32"}};
    for (size_t i = 1; i < sizeof rows / sizeof *rows; i++) { /* 1 takes 2048^3 steps: */
        assert_prints(ops / (4 * tiled_loads(2048, rows[i].tile)), rows[i].intensity);
    }
    assert_prints(2 * 64.0 * 64 * 64 / (4 * tiled_loads(64, 1)), rows[0].intensity);
    assert_prints(work_intensity_gemm(n, n, n, 4), "341"); /* each matrix once: what L2 can spare at most */
    assert_prints(3 * n * n * 4 / 1e6, "50");              /* MB: about the L2 of an H100 */
}

/* Of each k a thread loads a column of its micro tile of A and a row of that of B. */
static double shared_intensity(double reg_m, double reg_n) {
    return 2 * reg_m * reg_n / (4 * (reg_m + reg_n));
}

static void e18_register_tiles_spare_shared_memory(void **state) {
    const machines *m = *state;
    assert_prints(shared_intensity(1, 1), "0.25");
    assert_prints(shared_intensity(8, 8), "2");
    assert_int_equal((32 / 8) * (32 / 8), 16); /* threads of a 32 x 32 tile: half a warp */
    /* FP32's ridge on a device of 8 TB/s; 250 is that of its fp16. */
    assert_prints(machine_ridge(m, MACHINE_GB200, RFT_CEILING_FP32), "10");
    assert_prints(machine_ridge(m, MACHINE_B200, RFT_CEILING_FP32), "10");
    assert_between(machine_ridge(m, MACHINE_B200, RFT_CEILING_TENSOR_FP16), 250, 315);
    rft_gpu_info b200;
    assert_int_equal(rft_gpu_info_for_arch(&b200, "sm_100a", NULL), 0);
    assert_int_equal(b200.shared_per_block_static, 48 << 10); /* a block's, without opting in */
    assert_int_equal(b200.shared_per_block, 227 << 10);
    assert_int_equal(b200.shared_per_sm, 228 << 10);
}

static void e19_contradictory_results(void **state) {
    const machines *m = *state;
    double ops = 2 * 2048.0 * 2048 * 2048;
    /* The set with times agrees with itself. */
    assert_between(ops / 9.51e-3 / 1806.9e9, 0.999, 1.001);
    assert_between(ops / 7.82e-3 / 2196.2e9, 0.999, 1.001);
    assert_between(ops / 5.15e-3 / 3333.4e9, 0.999, 1.001);
    /* The naive kernel of all three: 0.045, 2.5 and 1.81 TFLOP/s. */
    assert_true(2.5 / 0.045 > 50 && 2.5 / 1.81 > 1.3);
    /* "45 GFLOP/s is 2 %, 256 are 12 %" belongs to a peak of 2.2 TFLOP/s, not to one that reaches 78. */
    assert_between(0.045 / 0.02, 2.0, 2.4);
    assert_between(0.256 / 0.12, 2.0, 2.4);
    /* 78 of FP32: more than a B200 has, 98 % of a GB200. */
    assert_true(78 * TERA > machine_rate(m, MACHINE_B200, RFT_CEILING_FP32));
    assert_prints(100 * 78 * TERA / machine_rate(m, MACHINE_GB200, RFT_CEILING_FP32), "98");
}

static void a21_registers_and_occupancy(void **state) {
    (void)state;
    rft_gpu_info h100;
    assert_int_equal(rft_gpu_info_for_arch(&h100, "sm_90a", NULL), 0);
    assert_prints(rft_occupancy_frac(&h100, 256, rft_occupancy_blocks(&h100, 256, 128, 0)), "0.25");
    assert_prints(rft_occupancy_frac(&h100, 256, rft_occupancy_blocks(&h100, 256, 32, 0)), "1.00");
}

/* "90-95 % of peak". */
static void e24_gemm_share_of_peak(void **state) {
    const machines *m = *state;
    double peak = machine_rate(m, MACHINE_H100, RFT_CEILING_TENSOR_BF16) / TERA;
    assert_prints(100 * 763 / peak, "77"); /* fast.cu, 4096 */
    assert_prints(100 * 808 / peak, "82"); /* 8192 */
    assert_prints(100 * 716 / peak, "72"); /* cuBLAS, 4096 */
    assert_prints(100 * 795 / peak, "80"); /* 8192 */
    assert_prints(100 * 641 / peak, "65"); /* CUTLASS 3.x, 8192 */
    /* On another path than TF32 the float GEMM of the sample has no tensor unit; TF32's peak is half of bf16's. */
    assert_prints(machine_rate(m, MACHINE_H100, RFT_CEILING_TENSOR_TF32) / TERA / peak, "0.5");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a21_registers_and_occupancy),
        cmocka_unit_test(e18_tile_intensity),
        cmocka_unit_test(e18_register_tiles_spare_shared_memory),
        cmocka_unit_test(e19_contradictory_results),
        cmocka_unit_test(e24_gemm_share_of_peak),
    };
    return cmocka_run_group_tests(tests, machines_set_up, machines_tear_down);
}
