/* SPDX-License-Identifier: Apache-2.0 */
/* Ridge points and distance from the roof, by hand. */
#include "unit/model_fixture.h"

#include "model/roofline/bound.h"
#include "model/roofline/ridge.h"

static void every_pair_has_its_ridge(void **state) {
    (void)state;
    rft_run *run = fixture_run(); /* dram read 4.4, copy 4.2 TB/s; FP32 60, BF16 700 TFLOP/s */
    fixture_ceiling(run, RFT_CEILING_L2_READ, 10e12);
    rft_ridge fp32 = rft_ridge_of(&run->ceilings, RFT_PIPE_FP32),
              bf16 = rft_ridge_of(&run->ceilings, RFT_PIPE_TENSOR_BF16);
    assert_true(near(fp32.measured[RFT_RIDGE_DRAM_READ], 60 / 4.4, 1e-12));
    assert_true(near(fp32.measured[RFT_RIDGE_DRAM_COPY], 60 / 4.2, 1e-12));
    assert_true(near(fp32.measured[RFT_RIDGE_L2_READ], 6.0, 1e-12));
    assert_true(near(bf16.measured[RFT_RIDGE_L2_READ], 70.0, 1e-12));
    assert_true(isnan(fp32.measured[RFT_RIDGE_SHARED_READ]) && isnan(fp32.measured[RFT_RIDGE_DRAM_WRITE]));
    /* A lower bound of a rate makes no ridge. */
    run->ceilings.items[RFT_CEILING_TENSOR_BF16].at_least = true;
    assert_true(isnan(rft_ridge_of(&run->ceilings, RFT_PIPE_TENSOR_BF16).measured[RFT_RIDGE_L2_READ]));
    rft_run_free(run);
}

static void datasheet_and_limit_stand_beside(void **state) {
    (void)state;
    rft_ceilings ceilings = {0};
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        ceilings.items[id] = rft_ceiling_none("not asked for");
        ceilings.items[id].datasheet = ceilings.items[id].limit = NAN;
    }
    rft_ridge none = rft_ridge_of(&ceilings, RFT_PIPE_TENSOR_BF16);
    assert_false(rft_ridge_is_known(&none));
    /* H100 SXM: 989.4 over 3.35 = 295 op/B; limits of the fixture's kind: 1,000 over 3.4. */
    ceilings.items[RFT_CEILING_TENSOR_BF16].datasheet = 989.4e12;
    ceilings.items[RFT_CEILING_DRAM_READ].datasheet = 3.35e12;
    ceilings.items[RFT_CEILING_TENSOR_BF16].limit = 1e15;
    ceilings.items[RFT_CEILING_DRAM_READ].limit = 3.4e12;
    rft_ridge ridge = rft_ridge_of(&ceilings, RFT_PIPE_TENSOR_BF16);
    assert_true(rft_ridge_is_known(&ridge));
    assert_true(near(ridge.datasheet, 295.34, 1e-4) && near(ridge.limit, 294.12, 1e-4));
    none = rft_ridge_of(&ceilings, RFT_PIPE_INT32); /* no ceiling of it at all */
    assert_false(rft_ridge_is_known(&none));
}

/* A9: 50 % and 80 %; naive 32 % is 3.1 times below, flash 45.5 % 2.2 times. */
static void bands_and_gaps(void **state) {
    (void)state;
    assert_string_equal(rft_efficiency_band(0.32), "warning");
    assert_string_equal(rft_efficiency_band(0.455), "warning");
    assert_string_equal(rft_efficiency_band(0.4999), "warning");
    assert_string_equal(rft_efficiency_band(0.5), "note");
    assert_string_equal(rft_efficiency_band(0.7999), "note");
    assert_string_equal(rft_efficiency_band(0.8), "good");
    assert_string_equal(rft_efficiency_band(1.02), "good");
    assert_null(rft_efficiency_band(NAN));
    assert_true(near(rft_gap_factor(0.32), 3.125, 1e-12) && near(rft_gap_factor(0.455), 2.198, 1e-3));
    assert_true(isnan(rft_gap_factor(NAN)) && isnan(rft_gap_factor(0)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pair_has_its_ridge),
        cmocka_unit_test(datasheet_and_limit_stand_beside),
        cmocka_unit_test(bands_and_gaps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
