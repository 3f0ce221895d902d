/* SPDX-License-Identifier: Apache-2.0 */
/* Projection: every number here is worked out by hand in the comment beside it. */
#include "unit/model_fixture.h"

#include "model/roofline/projection.h"

static void sheet(rft_ceilings *ceilings, rft_ceiling_id id, double rate) {
    ceilings->items[id].datasheet = rate;
}

/* Here: device memory 4.2 of 5.25 TB/s (80 %), FP32 60 of 75 TFLOP/s (80 %), BF16 700 of 1,000 (70 %). */
static rft_run *new_run(void) {
    rft_run *run = fixture_run();
    for (int i = 0; i < RFT_CEILING_COUNT; i++) {
        run->ceilings.items[i].datasheet = NAN;
    }
    run->ceilings.items[RFT_CEILING_DRAM_READ].measured = false;
    sheet(&run->ceilings, RFT_CEILING_DRAM_COPY, 5.25e12);
    sheet(&run->ceilings, RFT_CEILING_FP32, 75e12);
    sheet(&run->ceilings, RFT_CEILING_TENSOR_BF16, 1000e12);
    fixture_axis(run, "n", true, true);
    fixture_problem(run, (const int64_t[]){1});
    return run;
}

/* There: 2.5 TB/s, FP32 150 TFLOP/s; nothing else. */
static rft_run other(const rft_run *run) {
    static const rft_gpu_info gpu = {.name = "other", .arch = ""};
    rft_ceilings sheets = {0}, converted;
    for (int i = 0; i < RFT_CEILING_COUNT; i++) {
        sheets.items[i] = rft_ceiling_none("");
        sheets.items[i].datasheet = NAN;
    }
    sheet(&sheets, RFT_CEILING_DRAM_COPY, 2.5e12);
    sheet(&sheets, RFT_CEILING_FP32, 150e12);
    rft_projection_convert(&converted, &run->ceilings, &sheets, run->arena);
    return rft_projection_run(run, &gpu, &converted);
}

static rft_point *point_of(rft_run *run, double gigabytes, double gigaops, double median_s) {
    rft_point *point = fixture_point(run, 0, NULL, median_s);
    point->work.bytes_read = point->work.bytes_written = gigabytes * 0.5e9;
    point->work.pipe_ops[RFT_PIPE_FP32] = gigaops * 1e9;
    return point;
}

static void a_datasheet_is_taken_at_the_share_that_this_card_reaches(void **state) {
    (void)state;
    rft_run *run = new_run();
    rft_run there = other(run);
    const rft_ceilings *c = &there.ceilings;
    assert_true(near(rft_ceilings_rate(c, RFT_CEILING_DRAM_COPY), 2e12, 1e-12)); /* 2.5 x 4.2 / 5.25 */
    assert_true(near(rft_ceilings_rate(c, RFT_CEILING_FP32), 120e12, 1e-12));    /* 150 x 60 / 75 */
    assert_string_equal(c->items[RFT_CEILING_FP32].kernel, "80.0 % of the datasheet, as here");
    assert_true(near(rft_ceilings_rate(c, RFT_CEILING_LAUNCH), 2.7e-6, 1e-12)); /* as here */
    /* Never a datasheet value in place of a ceiling. */
    assert_true(isnan(rft_ceilings_rate(c, RFT_CEILING_TENSOR_BF16)));
    assert_string_equal(c->items[RFT_CEILING_TENSOR_BF16].reason, "not in the other's datasheet");
    assert_string_equal(c->items[RFT_CEILING_DRAM_READ].reason, "not measured here");
    assert_int_equal(there.gpu.l2_bytes, run->gpu.l2_bytes);
    rft_run_free(run);
}

static void memory_stays_memory(void **state) {
    (void)state;
    rft_run *run = new_run();
    rft_run there = other(run);
    /* 4.2 GB: 1 ms here at the ceiling, 2.1 ms there. Measured 1.25 ms: 80 %. At 80 % there: 2.625 ms. */
    rft_projected p = rft_projection_of(run, &there, point_of(run, 4.2, 0, 1.25e-3));
    assert_int_equal(p.here, RFT_PROJECTED_MEMORY);
    assert_int_equal(p.there, RFT_PROJECTED_MEMORY);
    assert_true(near(p.share_frac, 0.8, 1e-9));
    assert_true(near(p.roof_here_s, 1e-3, 1e-9) && near(p.roof_there_s, 2.1e-3, 1e-9));
    assert_true(near(p.estimate_s, 2.625e-3, 1e-9));
    assert_true(near(p.low, 1.25 / 2.625, 1e-9) && near(p.high, 1.25 / 2.1, 1e-9));
    assert_false(p.changes || p.same_time);
    assert_int_equal(p.evidence, RFT_EVIDENCE_DECLARED);
    assert_int_equal(p.left_out, 0);
    rft_run_free(run);
}

static void compute_becomes_memory(void **state) {
    (void)state;
    rft_run *run = new_run();
    rft_run there = other(run);
    /* 60 Gop: 1 ms here, 0.5 ms there. 2.1 GB: 0.5 ms here, 1.05 ms there. Measured 1.25 ms: 80 % of FP32. */
    rft_projected p = rft_projection_of(run, &there, point_of(run, 2.1, 60, 1.25e-3));
    assert_int_equal(p.here, RFT_PROJECTED_COMPUTE);
    assert_int_equal(p.pipe_here, RFT_PIPE_FP32);
    assert_int_equal(p.there, RFT_PROJECTED_MEMORY);
    assert_int_equal(p.nearest_there, RFT_RESOURCE_DRAM);
    assert_true(p.changes);
    assert_true(near(p.estimate_s, 1.05e-3 / 0.8, 1e-9));
    assert_true(near(p.low, 1.25 * 0.8 / 1.05, 1e-9) && near(p.high, 1.25 / 1.05, 1e-9));
    rft_run_free(run);
}

static void latency_is_taken_to_last_as_long(void **state) {
    (void)state;
    rft_run *run = new_run();
    rft_run there = other(run);
    /* 0.84 GB: 0.2 ms here, 0.42 ms there; measured 1 ms. */
    rft_projected p = rft_projection_of(run, &there, point_of(run, 0.84, 0, 1e-3));
    assert_int_equal(p.here, RFT_PROJECTED_LATENCY);
    assert_int_equal(p.there, RFT_PROJECTED_LATENCY);
    assert_true(p.same_time && !p.changes && isnan(p.estimate_s));
    assert_true(near(p.low, 1.0, 1e-12) && near(p.high, 1 / 0.42, 1e-9));
    /* 1.68 GB: 0.4 ms here, but 0.84 ms there: of the same millisecond more than 60 %. */
    p = rft_projection_of(run, &there, point_of(run, 1.68, 0, 1e-3));
    assert_int_equal(p.there, RFT_PROJECTED_MEMORY);
    assert_true(p.same_time && p.changes && near(p.low, 1.0, 1e-12) && near(p.high, 1 / 0.84, 1e-9));
    /* 2.31 GB: 0.55 ms here, 1.155 ms there: slower for certain. */
    p = rft_projection_of(run, &there, point_of(run, 2.31, 0, 1e-3));
    assert_true(near(p.low, 1 / 1.155, 1e-9) && near(p.high, 1 / 1.155, 1e-9));
    rft_run_free(run);
}

static void no_time_is_below_an_empty_kernel(void **state) {
    (void)state;
    rft_run *run = new_run();
    rft_run there = other(run);
    /* 1.2 Gop in 24 us: 20 us here (83 %), 10 us there, 12 us at 83 %. */
    rft_projected p = rft_projection_of(run, &there, point_of(run, 0, 1.2, 24e-6));
    assert_int_equal(p.there, RFT_PROJECTED_COMPUTE);
    assert_true(near(p.high, 2.4, 1e-9));
    /* 0.54 Gop in 10.8 us: 9 us here, 4.5 us there, at 83 % 5.4 us, below three empty kernels of 2.7 us. */
    p = rft_projection_of(run, &there, point_of(run, 0, 0.54, 10.8e-6));
    assert_int_equal(p.here, RFT_PROJECTED_COMPUTE);
    assert_int_equal(p.there, RFT_PROJECTED_LAUNCH);
    assert_true(p.changes && near(p.high, 2.4, 1e-9));
    /* 0.06 Gop in 4 us: launch here; at the roof 0.5 us there, which no launch allows: 4 / 2.7. */
    p = rft_projection_of(run, &there, point_of(run, 0, 0.06, 4e-6));
    assert_int_equal(p.here, RFT_PROJECTED_LAUNCH);
    assert_int_equal(p.there, RFT_PROJECTED_LAUNCH);
    assert_true(p.same_time && near(p.low, 1.0, 1e-12) && near(p.high, 4 / 2.7, 1e-9));
    rft_run_free(run);
}

static void what_has_no_ceiling_there_is_said(void **state) {
    (void)state;
    rft_run *run = new_run();
    rft_run there = other(run);
    rft_point *point = point_of(run, 4.2, 0, 1.25e-3);
    point->work.pipe_ops[RFT_PIPE_TENSOR_BF16] = 70e9; /* 0.1 ms here */
    rft_projected p = rft_projection_of(run, &there, point);
    assert_int_equal(p.there, RFT_PROJECTED_MEMORY);
    assert_int_equal(p.left_out, 1u << RFT_RESOURCE_PIPE);
    assert_int_equal(p.left_out_pipes, 1u << RFT_PIPE_TENSOR_BF16);
    point->work.pipe_ops[RFT_PIPE_TENSOR_BF16] = 840e9; /* 1.2 ms here: it is the bound */
    p = rft_projection_of(run, &there, point);
    assert_int_equal(p.here, RFT_PROJECTED_COMPUTE);
    assert_int_equal(p.there, RFT_PROJECTED_UNKNOWN);
    assert_string_equal(p.reason, "what holds it back here has no ceiling there");
    assert_true(isnan(p.low) && isnan(p.high) && isnan(p.estimate_s) && !p.changes);
    /* Latency stays latency, though its nearest ceiling is not known there: 70 Gop take 0.1 ms of 1 here. */
    point = point_of(run, 0, 0, 1e-3);
    point->work.pipe_ops[RFT_PIPE_TENSOR_BF16] = 70e9;
    p = rft_projection_of(run, &there, point);
    assert_int_equal(p.here, RFT_PROJECTED_LATENCY);
    assert_int_equal(p.there, RFT_PROJECTED_LATENCY);
    assert_true(p.same_time && near(p.low, 1.0, 1e-12) && !p.changes);
    assert_int_equal(p.left_out_pipes, 1u << RFT_PIPE_TENSOR_BF16);
    rft_run_free(run);
}

static void traffic_says_what_holds_it_back(void **state) {
    (void)state;
    rft_run *run = new_run();
    rft_run there = other(run);
    /* Twice the compulsory bytes: 8.4 GB, 2 ms here of 2.5, 4.2 ms there, at 80 % 5.25 ms. The roof is the work's. */
    rft_point *point = point_of(run, 4.2, 0, 2.5e-3);
    point->traffic.present = true;
    point->traffic.level_bytes[RFT_LEVEL_DRAM] = 8.4e9;
    rft_projected p = rft_projection_of(run, &there, point);
    assert_int_equal(p.evidence, RFT_EVIDENCE_MODELLED);
    assert_true(near(p.estimate_s, 5.25e-3, 1e-9) && near(p.roof_there_s, 2.1e-3, 1e-9));
    assert_true(near(p.low, 2.5 / 5.25, 1e-9) && near(p.high, 2.5 / 2.1, 1e-9));
    rft_run_free(run);
}

static void the_same_device_changes_nothing(void **state) {
    (void)state;
    rft_run *run = new_run();
    rft_ceilings converted;
    rft_projection_convert(&converted, &run->ceilings, &run->ceilings, run->arena);
    rft_run there = rft_projection_run(run, &run->gpu, &converted);
    rft_projected p = rft_projection_of(run, &there, point_of(run, 4.2, 6, 1.25e-3));
    assert_true(near(p.low, 1.0, 1e-9) && near(p.high, 1.25, 1e-9) && !p.changes);
    /* Faster than its roof: still no more than what the roof allows. */
    p = rft_projection_of(run, &there, point_of(run, 4.2, 6, 0.95e-3));
    assert_true(near(p.low, 0.95, 1e-9) && near(p.high, 0.95, 1e-9));
    rft_run_free(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_datasheet_is_taken_at_the_share_that_this_card_reaches),
        cmocka_unit_test(memory_stays_memory),
        cmocka_unit_test(compute_becomes_memory),
        cmocka_unit_test(latency_is_taken_to_last_as_long),
        cmocka_unit_test(no_time_is_below_an_empty_kernel),
        cmocka_unit_test(what_has_no_ceiling_there_is_said),
        cmocka_unit_test(traffic_says_what_holds_it_back),
        cmocka_unit_test(the_same_device_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
