/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What only a measurement can say (docs/corrections.md E7-E9, E18-E20), from this project's own runs on an H200 under
 * sweeps/recorded/nvidia-h200. Bounds, not digits, so that a new recording of the same device passes.
 */
#include "corrections/machines.h"
#include "corrections/work_formulas.h"

#include <math.h>
#include <string.h>

#define SHEET_BYTES_S 4.8e12 /* of the H200's memory */

static double counted(const rft_point *point, rft_counter counter) {
    assert_non_null(point);
    assert_non_null(point->counters);
    return point->counters->values[counter];
}

/* 4096^2: 36, 87 and 93 % of an H100 are claimed, and 2.4x for wide loads alone. */
static void e07_gemv_ladder(void **state) {
    (void)state;
    rft_run *run = recorded_run("gemv");
    size_t small = recorded_problem(run, 0, "n", 4096), large = recorded_problem(run, 0, "n", 16384);
    double naive = recorded_bytes_s(recorded_best(run, 0, "naive", small));
    double wide = recorded_bytes_s(recorded_best(run, 0, "vectorised", small));
    double shared = recorded_bytes_s(recorded_best(run, 0, "x in shared memory", small));
    print_message("GEMV 4096: %.3g, %.3g, %.3g B/s\n", naive, wide, shared);
    assert_true(wide > 10 * naive); /* another mapping, not wider loads alone */
    assert_true(naive < 0.1 * SHEET_BYTES_S);
    assert_true(shared < wide);              /* x was in the L1 already */
    assert_true(wide < 0.7 * SHEET_BYTES_S); /* 12 us: the launch and the ramp count */
    assert_between(recorded_bytes_s(recorded_best(run, 0, "vectorised", large)) / SHEET_BYTES_S, 0.88, 0.98);
    rft_run_free(run);
}

/* Copy-scale fp16, 2^29 halfs: 63, 84 and 96 % are claimed for 2, 4 and 16 bytes a thread. */
static void e08_elementwise_share_of_peak(void **state) {
    (void)state;
    rft_run *run = recorded_run("copy_scale");
    size_t fp16 = 0;
    while (run->sweeps[fp16].sweep.name[0] && strcmp(run->sweeps[fp16].sweep.name, "copy_scale_fp16") != 0) {
        fp16++;
        assert_true(fp16 < run->sweep_count);
    }
    size_t problem = recorded_problem(run, fp16, "n", 536870912);
    static const char *const loads[] = {"2 B loads", "4 B loads (half2)", "16 B loads"};
    double share[3];
    for (int i = 0; i < 3; i++) {
        share[i] = recorded_bytes_s(recorded_best(run, fp16, loads[i], problem)) / SHEET_BYTES_S;
        print_message("%s: %.1f %% of the datasheet\n", loads[i], 100 * share[i]);
    }
    assert_between(share[2], 0.88, 0.915);
    assert_between(share[1], 0.88, 0.915); /* half2 is enough where threads have several items */
    assert_true(share[0] < share[1] && share[0] > 0.75);
    double read = rft_ceilings_rate(&run->ceilings, RFT_CEILING_DRAM_READ) / SHEET_BYTES_S;
    double copy = rft_ceilings_rate(&run->ceilings, RFT_CEILING_DRAM_COPY) / SHEET_BYTES_S;
    assert_between(read, 0.95, 0.98); /* reads alone */
    assert_between(copy, 0.88, 0.915);
    rft_run_free(run);
}

/* A launch takes the same whatever the stride: 6 % of the shortest time where an empty kernel takes 4.1 us. */
static double beyond_launch_s(const rft_run *run, const rft_point *point) {
    return rft_point_median_s(point) - run->ceilings.items[RFT_CEILING_LAUNCH].stats.median;
}

/* Counted bytes and sectors of each stride against the granules; then the times. */
static void e09_strided_read(void **state) {
    (void)state;
    rft_run *run = recorded_run("strided");
    double whole = beyond_launch_s(run, recorded_best(run, 0, NULL, recorded_problem(run, 0, "stride", 1)));
    for (int stride = 1; stride <= 64; stride *= 2) {
        size_t problem = recorded_problem(run, 0, "stride", stride);
        const rft_point *point = recorded_counted(run, 0, problem);
        double outputs = point ? point->work.bytes_written / 4 : (double)NAN;
        double slower = beyond_launch_s(run, recorded_best(run, 0, NULL, problem)) / whole;
        print_message("stride %d: %.3f B read, %.1f B a sector, %.2fx the time\n", stride,
                      counted(point, RFT_COUNTER_DRAM_READ) / outputs,
                      counted(point, RFT_COUNTER_LOAD_BYTES_PER_SECTOR), slower);
        assert_true(fabs(counted(point, RFT_COUNTER_DRAM_READ) / outputs / fmin(4.0 * stride, 64) - 1) < 0.01);
        assert_true(fabs(counted(point, RFT_COUNTER_L2_READ) * 32 / outputs / fmin(4.0 * stride, 32) - 1) < 0.01);
        assert_true(fabs(counted(point, RFT_COUNTER_LOAD_BYTES_PER_SECTOR) - fmax(32.0 / stride, 4)) < 0.1);
        double modelled = point->traffic.level_bytes[RFT_LEVEL_DRAM] * point->traffic.dram_read_frac;
        assert_true(fabs(modelled / counted(point, RFT_COUNTER_DRAM_READ) - 1) < 0.01);
        if (stride <= 32) { /* at 64 the address translation joins */
            assert_between(slower / ((4 + fmin(4.0 * stride, 64)) / 8), 0.9, 1.1);
        } else {
            assert_true(slower > 8.5);
        }
    }
    rft_run_free(run);
}

static void e18_dram_intensity(void **state) {
    (void)state;
    rft_run *run = recorded_run("matmul_fp32");
    static const double sizes[] = {2048, 4096};
    for (size_t i = 0; i < 2; i++) {
        double n = sizes[i];
        const rft_point *point = recorded_counted(run, 0, recorded_problem(run, 0, "n", (int64_t)n));
        /* Writes may still lie in the L2 when counting ends: the compulsory ones. */
        double ops = 2 * n * n * n, dram = ops / (counted(point, RFT_COUNTER_DRAM_READ) + 4 * n * n);
        double sm = ops / (32 * (counted(point, RFT_COUNTER_L2_READ) + counted(point, RFT_COUNTER_L2_WRITE)));
        print_message("n = %g: %.0f FLOP/B of device memory, %.1f of L2\n", n, dram, sm);
        assert_between(sm, 32.0 / 4, 256.0 / 4); /* T/4, of tiles wider than 32 */
        assert_true(dram > 2 * sm && dram <= n / 6 * 1.001);
        if (n == 2048) {
            assert_true(dram > 0.95 * n / 6); /* A and B come from device memory once: 50 MB, L2 60 */
        }
    }
    rft_run_free(run);
}

/* The ladder at 2048^3, measured: what to keep instead of the three sets of S4. */
static void e19_matmul_ladder(void **state) {
    (void)state;
    rft_run *run = recorded_run("matmul_fp32");
    size_t problem = recorded_problem(run, 0, "n", 2048);
    double naive = recorded_ops_s(recorded_best(run, 0, "naive", problem));
    double tiled = recorded_ops_s(recorded_best(run, 0, "tiled", problem));
    double micro = recorded_ops_s(recorded_best(run, 0, "register-tiled", problem));
    print_message("matmul 2048: %.3g, %.3g, %.3g FLOP/s\n", naive, tiled, micro);
    assert_true(naive < tiled && tiled < 2.5 * naive); /* not 18 times */
    assert_true(micro > 4 * tiled);
    assert_true(micro < rft_ceilings_rate(&run->ceilings, RFT_CEILING_FP32));
    assert_true(micro < 66.9e12 && 78e12 > 66.9e12);
    rft_run_free(run);
}

/* FADD + FMUL of a matmul are nothing: it is all FFMA, two operations each. */
static void e20_operations_from_counters(void **state) {
    (void)state;
    rft_run *run = recorded_run("matmul_fp32");
    size_t judged = 0;
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_point *point = &run->points[i];
        if (point->counters && point->counters->values[RFT_COUNTER_FFMA] > 0) {
            double adds_and_products = counted(point, RFT_COUNTER_FADD) + counted(point, RFT_COUNTER_FMUL);
            double all = adds_and_products + 2 * counted(point, RFT_COUNTER_FFMA);
            rft_traffic traffic = rft_counters_traffic(point->counters);
            assert_true(adds_and_products < 0.001 * all);
            assert_true(fabs(all / point->work.pipe_ops[RFT_PIPE_FP32] - 1) < 0.01); /* 2 M N K */
            assert_true(traffic.pipe_ops[RFT_PIPE_FP32] == all);
            judged++;
        }
    }
    assert_true(judged >= 5);
    rft_run_free(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(e07_gemv_ladder),   cmocka_unit_test(e08_elementwise_share_of_peak),
        cmocka_unit_test(e09_strided_read),  cmocka_unit_test(e18_dram_intensity),
        cmocka_unit_test(e19_matmul_ladder), cmocka_unit_test(e20_operations_from_counters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
