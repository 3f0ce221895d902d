/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Placement under a roof, by the product's own model (docs/corrections.md A8-A10, A17, A19). Sources: S2
 * (roofline distance, classification, question 4), S0 (decision tree, opening story). The ceilings are those
 * of S2: 989 TFLOP/s, 3.35 TB/s.
 */
#include "corrections/machines.h"
#include "corrections/work_formulas.h"
#include "unit/model_fixture.h"

#include "model/roofline/bound.h"
#include "model/roofline/placement.h"

/* Where a kernel of this intensity (FLOP/B) and rate (TFLOP/s, bf16) stands. */
static rft_placement placed(rft_run *run, double intensity, double tflops) {
    rft_point *point = fixture_point(run, 0, NULL, intensity * 1e10 / (tflops * 1e12));
    point->work.bytes_read = point->work.bytes_written = 0.5e10;
    point->work.pipe_ops[RFT_PIPE_TENSOR_BF16] = intensity * 1e10;
    return rft_placement_of(run, point);
}

static int set_up(void **state) {
    rft_run *run = fixture_run();
    fixture_axis(run, "n", true, true);
    fixture_problem(run, (int64_t[4]){1});
    fixture_ceiling(run, RFT_CEILING_DRAM_READ, 3.35e12);
    fixture_ceiling(run, RFT_CEILING_DRAM_COPY, 3.35e12);
    fixture_ceiling(run, RFT_CEILING_TENSOR_BF16, 989e12);
    *state = run;
    return 0;
}

static int tear_down(void **state) {
    rft_run_free(*state);
    return 0;
}

/* Below half the ridge memory, above 1.5 of it compute, else both; 28 of 32 bytes. */
static void a08_decision_tree(void **state) {
    (void)state;
    double ridge = 990 / 3.35;
    assert_true(work_intensity_gemm(1, 4096, 4096, 2) < 0.5 * ridge);
    assert_true(work_intensity_gemm(32, 4096, 4096, 2) < 0.5 * ridge);
    /* Its own prefill layer of M = 512, "compute", lies in the tree's balanced zone. */
    assert_between(work_intensity_gemm(512, 4096, 4096, 2), 0.5 * ridge, 1.5 * ridge);
    assert_true(work_intensity_gemm(4096, 4096, 4096, 2) > 1.5 * ridge);
    assert_prints(100 * 28.0 / 32, "87.5");
    assert_prints(32.0 / 4, "8");
}

static void a09_roofline_distance(void **state) {
    rft_run *run = *state;
    rft_placement naive = placed(run, 61.1, 65), flash = placed(run, 340.7, 450);
    assert_prints(100 * naive.efficiency_frac, "32"); /* both < 50: WARNING */
    assert_prints(100 * flash.efficiency_frac, "45.5");
    assert_prints(1 / naive.efficiency_frac, "3.1");
    assert_prints(1 / flash.efficiency_frac, "2.2");
    assert_int_equal(naive.roof, RFT_RESOURCE_DRAM);
    assert_int_equal(flash.roof, RFT_RESOURCE_PIPE);
    assert_prints(450.0 / 65, "6.9");
    /* At the right intensities (E12, E13) nothing of this changes. */
    assert_prints(100 * placed(run, 61.4, 65).efficiency_frac, "32");
    assert_prints(100 * placed(run, 1044, 450).efficiency_frac, "45.5");
}

/* classify_operation(): shares of the peak and of the memory ceiling, and which of both holds. */
static void a10_classification(void **state) {
    rft_run *run = *state;
    rft_placement memory = placed(run, 64, 120), compute = placed(run, 400, 600);
    assert_int_equal(memory.roof, RFT_RESOURCE_DRAM);
    assert_prints(100 * memory.rate_ops_s / 989e12, "12.1");
    assert_prints(100 * memory.efficiency_frac, "56.0");
    assert_int_equal(compute.roof, RFT_RESOURCE_PIPE);
    assert_int_equal(compute.roof_pipe, RFT_PIPE_TENSOR_BF16);
    assert_prints(100 * compute.efficiency_frac, "60.7"); /* 600 of 989 */
    assert_prints(312 / 2.0, "156");                      /* the ridge of its default, an A100 */
}

static void a17_worked_question(void **state) {
    rft_placement place = placed(*state, 64, 120);
    assert_prints(place.rate_ops_s / place.efficiency_frac / 1e12, "214.4");
    assert_prints(100 * place.efficiency_frac, "56");
    assert_prints(100 * (1 - place.efficiency_frac), "44");
    assert_between(placed(*state, 64, 190).efficiency_frac, 0.7, 0.9); /* "70-90 % is good", and its 190 */
}

/* 85 % of the bandwidth, 12 % of the compute: arithmetic 40 % faster gains 3.6 % even where nothing overlaps. */
static void a19_wrong_bottleneck(void **state) {
    (void)state;
    double gain = 1 / (1 - 0.12 * (1 - 1 / 1.4)) - 1;
    assert_prints(100 * gain, "3.6");
    assert_true(0.02 < gain);
    assert_prints(100 * (1 / 0.85 - 1), "18"); /* what memory still had to give */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a08_decision_tree),
        cmocka_unit_test_setup_teardown(a09_roofline_distance, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a10_classification, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a17_worked_question, set_up, tear_down),
        cmocka_unit_test(a19_wrong_bottleneck),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
