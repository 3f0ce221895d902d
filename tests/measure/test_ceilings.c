/* SPDX-License-Identifier: Apache-2.0 */
/* Ceilings on a device whose speeds are known. */
#include "measure/measure_fixture.h"

#include "support/scripted_meter.h"

#include <math.h>
#include <string.h>

static void expect(const rft_ceilings *ceilings, rft_ceiling_id id, double rate, double off_frac) {
    const rft_ceiling *ceiling = &ceilings->items[id];
    if (!ceiling->measured || fabs(ceiling->stats.median / rate - 1.0) > off_frac) {
        print_error("%s: measured %d, %g where %g was expected (%s)\n", rft_ceiling_name(id), ceiling->measured,
                    ceiling->stats.median, rate, ceiling->reason ? ceiling->reason : "");
    }
    assert_true(ceiling->measured);
    assert_null(ceiling->reason);
    assert_true(fabs(ceiling->stats.median / rate - 1.0) <= off_frac);
    assert_true(ceiling->stats.n >= 10);
    assert_non_null(ceiling->kernel);
    assert_true(fabs(ceiling->clock_mhz - 1980.0) < 1.0);
}

static void test_rates(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    rft_ceilings ceilings;
    double before_s = rft_scripted_now_s(f.scripted);
    assert_int_equal(f.probe->ceilings(f.probe, NULL, f.arena, &ceilings, &f.err), 0);
    const rft_scripted_speeds speeds = rft_scripted_defaults().speeds;
    expect(&ceilings, RFT_CEILING_DRAM_READ, speeds.dram_read, 1e-3);
    expect(&ceilings, RFT_CEILING_DRAM_WRITE, speeds.dram_write, 1e-3);
    expect(&ceilings, RFT_CEILING_DRAM_COPY, speeds.dram_copy, 1e-3);
    expect(&ceilings, RFT_CEILING_DRAM_2TO1, speeds.dram_2to1, 1e-3);
    expect(&ceilings, RFT_CEILING_L2_READ, speeds.l2, 1e-3);
    expect(&ceilings, RFT_CEILING_L1_READ, speeds.l1, 1e-3);
    expect(&ceilings, RFT_CEILING_SHARED_READ, speeds.shared, 1e-3);
    expect(&ceilings, RFT_CEILING_FP32, speeds.fp32, 1e-3);
    expect(&ceilings, RFT_CEILING_FP64, speeds.fp64, 1e-3);
    expect(&ceilings, RFT_CEILING_FP16, speeds.fp16, 1e-3);
    expect(&ceilings, RFT_CEILING_SFU, speeds.sfu, 1e-3);
    expect(&ceilings, RFT_CEILING_INT32, speeds.int32, 1e-3);
    expect(&ceilings, RFT_CEILING_ATOMICS_SHARED, speeds.atomics_shared, 1e-3);
    expect(&ceilings, RFT_CEILING_ATOMICS_SHARED_ONE, speeds.atomics_one * 132, 1e-3);
    expect(&ceilings, RFT_CEILING_ATOMICS_L2, speeds.atomics_l2, 1e-3); /* sectors, whoever fills them */
    expect(&ceilings, RFT_CEILING_ATOMICS_L2_ONE, speeds.atomics_one, 1e-3);
    expect(&ceilings, RFT_CEILING_ATOMICS_SHARED_F32, speeds.atomics_shared / 2, 1e-3);
    expect(&ceilings, RFT_CEILING_ATOMICS_SHARED_F32_ONE, speeds.atomics_one * 132 / 2, 1e-3);
    expect(&ceilings, RFT_CEILING_ATOMICS_L2_F32, speeds.atomics_l2 / 2, 1e-3);
    expect(&ceilings, RFT_CEILING_ATOMICS_L2_F32_ONE, speeds.atomics_one / 2, 1e-3);
    const rft_ceiling *launch = &ceilings.items[RFT_CEILING_LAUNCH];
    assert_true(launch->measured && fabs(launch->stats.median - speeds.launch_s) < 1e-9);
    expect(&ceilings, RFT_CEILING_TENSOR_TF32, speeds.tensor_tf32, 5e-3);
    expect(&ceilings, RFT_CEILING_TENSOR_BF16, speeds.tensor_bf16, 5e-3);
    expect(&ceilings, RFT_CEILING_TENSOR_FP8, speeds.tensor_fp8, 5e-3);
    expect(&ceilings, RFT_CEILING_TENSOR_INT8, speeds.tensor_int8, 5e-3);
    assert_true(fabs(rft_ceilings_rate(&ceilings, RFT_CEILING_H2D) / speeds.h2d - 1.0) < 1e-2);
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        bool one = id < RFT_CEILING_SEVERAL_FIRST; /* a card alone */
        assert_true(ceilings.items[id].measured == one && (ceilings.items[id].measured_unix_ns > 0) == one);
        assert_int_equal(ceilings.items[id].sustained.n, 0); /* not asked for */
    }
    assert_true(strstr(ceilings.items[RFT_CEILING_DRAM_COPY].kernel, "copy, 16-byte accesses, ") ==
                ceilings.items[RFT_CEILING_DRAM_COPY].kernel);
    assert_true(rft_scripted_now_s(f.scripted) - before_s < 10.0);
    fixture_stop(&f);
}

/* On a device of an H200's speeds and sizes but for the memory, which is host memory here: no more than a second, most
 * of it the kernels themselves. Buffers of 4 GiB take 65 times as long as these of 63 MiB. */
static void test_cost(void **state) {
    (void)state;
    fixture f;
    rft_scripted_opts opts = rft_scripted_defaults();
    opts.info.memory_bytes = 256ll << 20;
    opts.info.l2_bytes = 1 << 20;
    opts.speeds.launch_s = 1e-7;
    fixture_start(&f, &opts);
    rft_ceilings ceilings;
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_OK); /* the device is awake */
    double before_s = rft_scripted_now_s(f.scripted);
    assert_int_equal(f.probe->ceilings(f.probe, NULL, f.arena, &ceilings, &f.err), 0);
    double took_s = rft_scripted_now_s(f.scripted) - before_s;
    double dram_s = 0.0, scale = 4096.0 / 63.0;
    const rft_ceiling *read = &ceilings.items[RFT_CEILING_DRAM_READ];
    assert_non_null(strstr(read->kernel, "1 x 63 MiB"));
    for (int id = RFT_CEILING_DRAM_READ; id <= RFT_CEILING_DRAM_2TO1; id++) {
        double buffers = id == RFT_CEILING_DRAM_COPY ? 2.0 : id == RFT_CEILING_DRAM_2TO1 ? 3.0 : 1.0;
        double whole_s = buffers * (63 << 20) / ceilings.items[id].stats.median;
        double tries = id == RFT_CEILING_DRAM_WRITE ? 48.0 : 72.0;
        dram_s +=
            whole_s * (tries / 6 + 8 * 2 + 2 * 11); /* a sixth each (10 x L2); the best 8 twice, the best 2 11 times */
    }
    print_message("%.3f s, device memory %.4f s of it, busy %.3f s; with 4 GiB %.3f s\n", took_s, dram_s,
                  ceilings.busy_s, took_s + (scale - 1.0) * dram_s);
    took_s -= 6 * 2 * 0.1; /* the six matrix pipes' best two start from a rested device */
    assert_true(ceilings.busy_s > 0.5 * took_s && ceilings.busy_s < took_s);
    assert_true(took_s + (scale - 1.0) * dram_s < 1.0); /* 0.24 s of it atomics and INT32, which runs measure if used */
    fixture_stop(&f);
}

/* What is not asked for is neither compiled nor measured, and says how to have it. */
static void test_some(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    rft_ceilings ceilings;
    const rft_ceilings_request request = {.wanted = RFT_CEILING_BIT(RFT_CEILING_DRAM_COPY) |
                                                    RFT_CEILING_BIT(RFT_CEILING_FP16) |
                                                    RFT_CEILING_BIT(RFT_CEILING_TENSOR_BF16)};
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_OK);
    unsigned before = rft_scripted_compiler_count(f.compiler);
    assert_int_equal(f.probe->ceilings(f.probe, &request, f.arena, &ceilings, &f.err), 0);
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        bool wanted = (request.wanted & RFT_CEILING_BIT(id)) != 0;
        assert_true(ceilings.items[id].measured == wanted);
        if (!wanted) {
            assert_string_equal(ceilings.items[id].reason, rft_ceiling_not_asked((rft_ceiling_id)id));
            assert_int_equal(ceilings.items[id].measured_unix_ns, 0);
        }
    }
    assert_int_equal(rft_scripted_compiler_count(f.compiler) - before, 3);
    fixture_stop(&f);
}

/* A pipe that holds its rate for a second of its own work, and then three quarters of it. */
typedef struct tiring {
    double worked_s;
} tiring;

static void run_tiring(rft_scripted_gpu *gpu, const rft_gpu_launch *launch, void *self) {
    tiring *t = self;
    double steps = RFT_SCRIPTED_ARG(launch, 0, uint32_t), threads = (double)launch->grid[0] * launch->block[0];
    double rate = rft_scripted_options(gpu)->speeds.fp32 * (t->worked_s > 1.0 ? 0.75 : 1.0);
    double seconds = steps * threads * 8 * 16 * 2.0 / rate;
    t->worked_s += seconds;
    rft_scripted_spend(gpu, seconds);
}

/* Burst before, sustained after seconds of the same load. */
static void test_soak(void **state) {
    (void)state;
    fixture f;
    tiring t = {0};
    fixture_start(&f, NULL);
    rft_scripted_gpu_kernel(f.scripted, "rft_pipe_fp32<8, 16>", run_tiring, &t);
    rft_scripted_meter *meter = rft_scripted_meter_new(rft_scripted_gpu_clock(f.scripted));
    rft_scripted_meter_power(meter, 650.0);
    rft_protocol_meter(f.probe, rft_scripted_meter_device(meter), NULL);
    const double fp32 = rft_scripted_defaults().speeds.fp32, copy = rft_scripted_defaults().speeds.dram_copy;
    rft_ceilings ceilings;
    const rft_ceilings_request request = {
        .wanted = RFT_CEILING_BIT(RFT_CEILING_FP32) | RFT_CEILING_BIT(RFT_CEILING_DRAM_COPY), .soak_s = 3.0};
    double slower_s = 1.0; /* the other instance is out of it */
    rft_scripted_gpu_times(f.scripted, "rft_pipe_fp32<16, 16>", &slower_s, 1);
    double before_s = rft_scripted_now_s(f.scripted);
    assert_int_equal(f.probe->ceilings(f.probe, &request, f.arena, &ceilings, &f.err), 0);
    const rft_ceiling *pipe = &ceilings.items[RFT_CEILING_FP32], *dram = &ceilings.items[RFT_CEILING_DRAM_COPY];
    assert_true(fabs(pipe->stats.median / fp32 - 1.0) < 5e-3);
    assert_true(pipe->sustained.n >= 15 && pipe->sustained.n <= 64);
    assert_true(fabs(pipe->sustained.median / (0.75 * fp32) - 1.0) < 5e-3);
    assert_true(fabs(pipe->sustained_clock_mhz - 1980.0) < 1.0);
    assert_true(pipe->sustained_power_w == 650.0 && dram->sustained_power_w == 650.0);
    assert_true(isnan(ceilings.items[RFT_CEILING_FP64].sustained_power_w));
    assert_true(fabs(rft_ceilings_per_cycle(&ceilings, RFT_CEILING_FP32) / (fp32 / 1980e6) - 1.0) < 1e-2);
    assert_true(fabs(rft_ceilings_sustained_per_cycle(&ceilings, RFT_CEILING_FP32) / (0.75 * fp32 / 1980e6) - 1.0) <
                1e-2);
    assert_true(isnan(rft_ceilings_per_cycle(&ceilings, RFT_CEILING_DRAM_COPY)));
    assert_true(rft_ceiling_sags(pipe) && !rft_ceiling_sags(dram));
    assert_true(fabs(dram->sustained.median / copy - 1.0) < 5e-3);
    assert_true(rft_ceilings_sustained_rate(&ceilings, RFT_CEILING_FP32) == pipe->sustained.median);
    assert_true(isnan(rft_ceilings_sustained_rate(&ceilings, RFT_CEILING_FP64)));
    double took_s = rft_scripted_now_s(f.scripted) - before_s;
    print_message("two loads of 3 s: %.1f s\n", took_s);
    assert_true(took_s > 6.0 && took_s < 12.0);
    fixture_stop(&f);
    rft_scripted_meter_free(meter);
}

/* The best variant counts: one instance is made faster than all others. */
static void test_best_variant(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    double fast_s = 0.5e-6; /* also over a part of the buffers */
    rft_scripted_gpu_times(f.scripted, "rft_dram_read<8, 2>", &fast_s, 1);
    rft_ceilings ceilings;
    assert_int_equal(f.probe->ceilings(f.probe, NULL, f.arena, &ceilings, &f.err), 0);
    const rft_ceiling *read = &ceilings.items[RFT_CEILING_DRAM_READ];
    assert_non_null(strstr(read->kernel, "8 in flight a thread, read-only path"));
    assert_true(read->stats.median > 4.25e12);
    fixture_stop(&f);
}

/* The median of a noisy device, not its luckiest sample. */
static void test_median(void **state) {
    (void)state;
    fixture f;
    double times[] = {10e-6, 10e-6, 10e-6, 10e-6, 10e-6, 1e-6, 10e-6};
    fixture_start(&f, NULL);
    rft_scripted_gpu_times(f.scripted, "rft_empty_kernel", times, 7);
    rft_ceilings ceilings;
    assert_int_equal(f.probe->ceilings(f.probe, NULL, f.arena, &ceilings, &f.err), 0);
    const rft_stats *stats = &ceilings.items[RFT_CEILING_LAUNCH].stats;
    assert_true(fabs(stats->median - 10e-6) < 1e-9 && fabs(stats->min - 1e-6) < 1e-9);
    fixture_stop(&f);
}

static void test_too_little_memory(void **state) {
    (void)state;
    fixture f;
    rft_scripted_opts opts = rft_scripted_defaults();
    opts.info.memory_bytes = 8 << 20;
    opts.info.l2_bytes = 1 << 20; /* three buffers of 4 MiB do not fit beside the flush buffers */
    fixture_start(&f, &opts);
    rft_ceilings ceilings;
    assert_int_equal(f.probe->ceilings(f.probe, NULL, f.arena, &ceilings, &f.err), 0);
    assert_false(ceilings.items[RFT_CEILING_DRAM_COPY].measured);
    assert_string_equal(ceilings.items[RFT_CEILING_DRAM_COPY].reason, "out of memory");
    assert_true(ceilings.items[RFT_CEILING_FP32].measured);
    assert_true(ceilings.items[RFT_CEILING_LAUNCH].measured);
    fixture_stop(&f);
}

static void test_not_compiled(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    rft_scripted_compiler_fail(f.compiler, "rft_pipe_sfu", "no such instruction");
    rft_ceilings ceilings;
    assert_int_equal(f.probe->ceilings(f.probe, NULL, f.arena, &ceilings, &f.err), 0);
    assert_false(ceilings.items[RFT_CEILING_SFU].measured);
    assert_non_null(strstr(ceilings.items[RFT_CEILING_SFU].reason, "no such instruction"));
    assert_true(ceilings.items[RFT_CEILING_FP32].measured); /* of another unit */
    assert_true(ceilings.items[RFT_CEILING_L2_READ].measured);
    rft_scripted_compiler_fail(f.compiler, "rft_dram_copy", "no such load");
    assert_int_equal(f.probe->ceilings(f.probe, NULL, f.arena, &ceilings, &f.err), 0);
    assert_non_null(strstr(ceilings.items[RFT_CEILING_DRAM_COPY].reason, "no such load"));
    for (int id = RFT_CEILING_DRAM_READ; id < RFT_CEILING_TENSOR_FIRST; id++) {
        assert_true(ceilings.items[id].measured == (id != RFT_CEILING_DRAM_COPY));
    }
    fixture_stop(&f);
}

static void test_lost_device(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    rft_scripted_gpu_fault(f.scripted, "rft_l2_read", RFT_SCRIPTED_ILLEGAL, 0);
    rft_ceilings ceilings;
    assert_int_equal(f.probe->ceilings(f.probe, NULL, f.arena, &ceilings, &f.err), RFT_E_DEVICE);
    assert_int_equal(fixture_measure(&f, "good"), RFT_E_DEVICE);
    fixture_stop(&f);
}

/* Nothing of theirs stays on the device but what every point needs. */
static void test_memory_given_back(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    rft_ceilings ceilings;
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_OK);
    uint64_t used = rft_scripted_memory_used(f.scripted);
    assert_int_equal(f.probe->ceilings(f.probe, NULL, f.arena, &ceilings, &f.err), 0);
    assert_true(rft_scripted_memory_used(f.scripted) <= used);
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_OK);
    assert_int_equal(rft_scripted_memory_used(f.scripted), used);
    fixture_stop(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rates),
        cmocka_unit_test(test_cost),
        cmocka_unit_test(test_some),
        cmocka_unit_test(test_soak),
        cmocka_unit_test(test_best_variant),
        cmocka_unit_test(test_median),
        cmocka_unit_test(test_too_little_memory),
        cmocka_unit_test(test_not_compiled),
        cmocka_unit_test(test_lost_device),
        cmocka_unit_test(test_memory_given_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
