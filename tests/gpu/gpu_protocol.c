/* SPDX-License-Identifier: Apache-2.0 */
/* The measuring probe on a real device. A fault happens in a copy of this program (`gpu_protocol --fault`), because a
 * process is of no more use after one. `gpu_protocol --ceilings` prints the ceilings alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/units.h"
#include "gpu/gpu_device.h"
#include "gpu/gpu_tests.h"
#include "measure/protocol.h"
#include "support/plain_reference.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern const unsigned char rft_embedded_gpu_protocol_cu[];
extern const unsigned char rft_embedded_gpu_protocol_types_cu[];

enum { ACC, IN, OUT, BUFFERS }; /* sorted by name */
#define N (1 << 24)

static const char *const names[] = {"good<1>",      "good<4>",      "wrong",         "partial",
                                    "not_a_number", "spoils_input", "out_of_bounds", "plain"};
enum { NAMES = 8 };

typedef struct fixture {
    gpu_device on;
    rft_probe *probe;
    rft_compile_result unit, reference, plain_reference;
    rft_buffer buffers[BUFFERS];
    rft_arg args[BUFFERS + 1];
    rft_launch launches[2];
    rft_value problem[1];
    size_t problem_count;
    rft_point_spec spec;
    rft_probe_request request;
    rft_probe_result result;
    rft_err err;
} fixture;

static fixture the;

static int compile(fixture *f, const unsigned char *text, const char *const *entries, size_t count,
                   rft_compile_result *out) {
    return gpu_device_compile(&f->on, "gpu_protocol.cu", text, entries, count, out, &f->err);
}

static int open_all(fixture *f) {
    const char *const reference = "reference", *const plain_reference = "plain_reference";
    int rc = gpu_device_open(&f->on, &f->err);
    if (rc == 0) {
        rc = compile(f, rft_embedded_gpu_protocol_cu, names, NAMES, &f->unit);
    }
    if (rc == 0) {
        rc = compile(f, rft_embedded_gpu_protocol_cu, &reference, 1, &f->reference);
    }
    if (rc == 0) {
        rc = compile(f, rft_embedded_gpu_protocol_cu, &plain_reference, 1, &f->plain_reference);
    }
    return rc == 0 ? rft_protocol_new(&f->probe, f->on.gpu, f->on.compiler, rft_clock_system(), NULL, &f->err) : rc;
}

static void make_spec(fixture *f, int64_t n) {
    const rft_fill fill = {.kind = RFT_FILL_UNIFORM, .low = -1.0, .high = 1.0};
    const uint64_t count = (uint64_t)n;
    f->buffers[ACC] = (rft_buffer){"acc", RFT_TYPE_F32, count, RFT_BUFFER_INOUT, fill};
    f->buffers[IN] = (rft_buffer){"in", RFT_TYPE_F32, count, RFT_BUFFER_INPUT, fill};
    f->buffers[OUT] = (rft_buffer){.name = "out", .type = RFT_TYPE_F32, .count = count, .role = RFT_BUFFER_OUTPUT};
    for (size_t i = 0; i < BUFFERS; i++) {
        f->args[i] = (rft_arg){.kind = RFT_ARG_BUFFER, .buffer = i};
    }
    f->args[BUFFERS] = (rft_arg){.kind = RFT_ARG_SCALAR, .type = RFT_TYPE_I64};
    memcpy(f->args[BUFFERS].scalar, &n, sizeof n);
    f->launches[0] = (rft_launch){.kind = RFT_LAUNCH_KERNEL,
                                  .args = f->args,
                                  .arg_count = BUFFERS + 1,
                                  .grid = {0, 1, 1}, /* resident() */
                                  .block = {256, 1, 1},
                                  .cluster = {1, 1, 1}};
    f->problem[0] = rft_value_int(n);
    f->problem_count = 1;
    f->spec = (rft_point_spec){.buffers = f->buffers,
                               .buffer_count = BUFFERS,
                               .launches = f->launches,
                               .launch_count = 1,
                               .check = {.tol = NAN, .length = 2.0},
                               .traffic = rft_traffic_unknown()};
    f->request = (rft_probe_request){.spec = &f->spec,
                                     .unit = &f->unit,
                                     .reference = &f->reference,
                                     .problem_key = rft_arena_printf(f->on.arena, "n=%lld", (long long)n),
                                     .measure = RFT_MEASURE_OPTS_INIT};
}

static int measure(fixture *f, const char *entry) {
    f->launches[0].entry = entry;
    f->launches[1].entry = entry;
    const rft_reference_dims dims = {.values = f->problem, .count = f->problem_count};
    f->spec.check.reference = plain_reference(&f->spec, f->request.reference->entries[0].name, &dims, f->on.arena);
    return f->probe->measure(f->probe, &f->request, f->on.arena, &f->result, &f->err);
}

static rft_outcome run(fixture *f, const char *entry) {
    if (measure(f, entry) != 0) {
        fail_msg("%s: %s", entry, f->err.message);
    }
    const rft_measurement *m = &f->result.measurement;
    char median[32];
    rft_units_format_seconds(median, sizeof median, m->stats.median, 4);
    printf("%s: %s, n = %zu (%s), median %s, %.0f MHz, wall %.4f s, busy %.4f s, verified in %.4f s%s%s\n", entry,
           rft_outcome_name(f->result.outcome), m->n, rft_stop_reason_name(m->stop), median, m->clock_mhz, m->wall_s,
           m->busy_s, m->verify_s, f->result.reason ? ": " : "", f->result.reason ? f->result.reason : "");
    return f->result.outcome;
}

/* ---- points ---- */

static void a_good_kernel_is_ok(void **state) {
    fixture *f = *state;
    make_spec(f, N);
    assert_true(rft_outcome_is_measured(run(f, "good<4>")));
    const rft_measurement *m = &f->result.measurement;
    double bytes = 4.0 * 4.0 * N, limit = 2.0 * f->on.info.memory_clock_khz * 1e3 * f->on.info.memory_bus_bits / 8.0;
    assert_true(f->result.verification.done && f->result.verification.wrong_count == 0);
    assert_int_equal(f->result.verification.total_count, 2 * N);
    assert_true(m->n >= 10);
    printf("  %.0f GB/s\n", bytes / m->stats.median * 1e-9);
    if (limit > 0.0) {
        /* At most the dirty lines that are still in the L2 at the end are not counted. */
        assert_true(bytes / m->stats.median < 1.5 * limit && bytes / m->stats.median > 0.2 * limit);
    }
    assert_true(m->clock_mhz > 100.0 && m->clock_mhz <= f->on.info.sm_clock_khz * 1e-3 * 1.05);
    assert_true(f->result.facts.blocks_per_sm >= 1 && f->result.facts.registers > 0);
    assert_true(fabs(f->result.facts.waves - 1.0) < 1e-9);
    /* The second configuration finds inputs and reference results already there. The least of three: the host's time is
     * in it, and the host may be busy. */
    double first_s = m->verify_s, least_s = INFINITY;
    for (int i = 0; i < 3; i++) {
        assert_true(rft_outcome_is_measured(run(f, "good<1>")));
        least_s = fmin(least_s, f->result.measurement.verify_s);
    }
    assert_true(least_s <= first_s);
}

static void wrong_kernels_are_caught(void **state) {
    fixture *f = *state;
    make_spec(f, N);
    assert_int_equal(run(f, "wrong"), RFT_OUTCOME_WRONG_RESULT);
    assert_int_equal(f->result.verification.index, N - 5);
    assert_int_equal(f->result.verification.wrong_count, 1);
    assert_true(fabs(f->result.verification.worst_abs_error - 1.0) < 1e-5);
    assert_int_equal(run(f, "partial"), RFT_OUTCOME_WRONG_RESULT);
    assert_int_equal(f->result.verification.index, N - 100);
    assert_int_equal(f->result.verification.wrong_count, 100);
    assert_int_equal(run(f, "not_a_number"), RFT_OUTCOME_WRONG_RESULT);
    assert_int_equal(f->result.verification.index, 77);
    assert_int_equal(f->result.verification.wrong_count, 1);
    assert_int_equal(run(f, "spoils_input"), RFT_OUTCOME_WRONG_RESULT);
    assert_string_equal(f->result.reason, "the kernel wrote to its input in");
    assert_int_equal(f->result.measurement.n, 0);
    assert_true(rft_outcome_is_measured(run(f, "good<4>")));
}

static void a_cold_cache_is_cold(void **state) {
    fixture *f = *state;
    make_spec(f, 1 << 19); /* 2 MiB each: fits every L2 we know */
    assert_true(rft_outcome_is_measured(run(f, "good<4>")));
    double cold_s = f->result.measurement.stats.median;
    f->request.measure.cache = RFT_CACHE_HOT;
    assert_true(rft_outcome_is_measured(run(f, "good<4>")));
    printf("  cold %.2f us, hot %.2f us\n", cold_s * 1e6, f->result.measurement.stats.median * 1e6);
    assert_true(f->result.measurement.stats.median < cold_s);
}

/* Without an inout. */
static void make_plain_spec(fixture *f, int64_t n) {
    make_spec(f, n);
    f->buffers[ACC].role = RFT_BUFFER_INPUT;
    f->request.reference = &f->plain_reference;
    f->request.problem_key = rft_arena_printf(f->on.arena, "plain n=%lld", (long long)n);
}

static const rft_measurement *plain(fixture *f, rft_cache_mode cache) {
    f->request.measure.cache = cache;
    assert_true(rft_outcome_is_measured(run(f, "plain")));
    const rft_measurement *m = &f->result.measurement;
    assert_int_equal(m->cache, cache);
    printf("  %s: %.3f us, %d runs a sample, floor %.2f us, %.0f cycles at %.0f MHz\n", rft_cache_mode_name(cache),
           m->stats.median * 1e6, m->batch, m->floor_s * 1e6, rft_measurement_cycles(m), m->clock_mhz);
    return m;
}

/* 24 MiB a run: from the L2 when hot, from device memory when cold or rotating. */
static void cache_modes_are_ordered(void **state) {
    fixture *f = *state;
    make_plain_spec(f, 1 << 21);
    if (f->on.info.l2_bytes < (32 << 20)) {
        make_plain_spec(f, f->on.info.l2_bytes / 16);
    }
    double cold_s = plain(f, RFT_CACHE_COLD)->stats.median;
    double hot_s = plain(f, RFT_CACHE_HOT)->stats.median;
    double rotating_s = plain(f, RFT_CACHE_ROTATING)->stats.median;
    assert_true(f->result.verification.done);
    assert_true(hot_s < cold_s);
    assert_true(rotating_s > 1.1 * hot_s);
    assert_true(rotating_s > 0.5 * cold_s && rotating_s < 2.0 * cold_s);
    make_spec(f, 1 << 19); /* inouts are restored in each copy, else the second verified run would be wrong */
    f->request.measure.cache = RFT_CACHE_ROTATING;
    assert_true(rft_outcome_is_measured(run(f, "good<4>")));
    assert_true(rft_outcome_is_measured(run(f, "good<1>")));
}

static void a_batch_hides_the_floor(void **state) {
    fixture *f = *state;
    make_plain_spec(f, 1024);
    const rft_measurement *m = plain(f, RFT_CACHE_COLD);
    assert_int_equal(m->batch, 1);
    assert_true(m->floor_s > 0.5e-6 && m->floor_s < 20e-6);
    assert_true(m->stats.median > 0.9 * m->floor_s); /* nothing is subtracted */
    assert_true(rft_measurement_near_floor_s(m, NULL) == m->floor_s);
    m = plain(f, RFT_CACHE_HOT);
    assert_true(m->batch >= 16);
    assert_true(m->stats.median < m->floor_s);
    double hot_s = m->stats.median;
    m = plain(f, RFT_CACHE_ROTATING);
    assert_true(m->batch >= 16);
    assert_true(m->stats.median > 0.9 * hot_s && m->stats.median < 3.0 * m->floor_s);
    size_t known = 0;
    for (size_t i = 0; i < m->n; i++) {
        known += isfinite(m->clocks_mhz[i]);
    }
    assert_true(known == m->n); /* a batch is long enough for the clock to be read */
    make_plain_spec(f, N);      /* far from the floor */
    assert_int_equal(plain(f, RFT_CACHE_HOT)->batch, 1);
}

/* What a sample takes beyond 3 of its kernel's times, for its flush, restoring acc and stamps: seconds. */
static double beyond_s(fixture *f) {
    assert_true(rft_outcome_is_measured(run(f, "good<4>")));
    const rft_measurement *m = &f->result.measurement;
    double timed_s = 0.0;
    for (size_t i = 0; i < m->n; i++) {
        timed_s += m->samples_s[i];
    }
    printf("  samples %.2f ms, busy %.2f ms, wall %.2f ms: %.1f %%\n", timed_s * 1e3, m->busy_s * 1e3, m->wall_s * 1e3,
           m->busy_s / m->wall_s * 100.0);
    assert_true(m->busy_s > timed_s && m->busy_s < m->wall_s);
    return (m->wall_s - m->verify_s) / (double)m->n - 3.0 * m->stats.median;
}

/* A device that never waits: samples of 128 MiB read and 128 MiB written, and little else, once all is set up.
 * More would be waiting for the host, which may be busy with others for one measurement, but not for ten. */
static void the_device_is_kept_busy(void **state) {
    fixture *f = *state;
    double least_s = INFINITY;
    make_spec(f, N);
    assert_true(rft_outcome_is_measured(run(f, "good<4>")));
    for (int i = 0; i < 10 && !(least_s < 300e-6); i++) {
        least_s = fmin(least_s, beyond_s(f));
    }
    assert_true(least_s < 300e-6);
}

static void a_slow_kernel_stops_at_five(void **state) {
    fixture *f = *state;
    make_spec(f, N);
    assert_true(rft_outcome_is_measured(run(f, "good<4>")));
    f->request.rival_s = f->result.measurement.stats.min / 2.0;
    assert_int_equal(run(f, "good<4>"), RFT_OUTCOME_OK);
    assert_int_equal(f->result.measurement.stop, RFT_STOP_SLOWER);
    assert_int_equal(f->result.measurement.n, 5);
}

static void too_few_arguments_are_told(void **state) {
    fixture *f = *state;
    make_spec(f, N);
    f->launches[0].arg_count = 2;
    assert_int_equal(run(f, "good<4>"), RFT_OUTCOME_LAUNCH_FAILED);
    if (!strstr(f->result.reason, "CUDA_ERROR")) { /* the driver can be asked since 12.4 */
        assert_string_equal(f->result.reason, "good<4> takes 4 parameters, 2 are given: acc, in");
    }
    f->launches[0].arg_count = BUFFERS + 1;
    f->problem_count = 0;
    f->request.problem_key = "without its size";
    assert_int_equal(run(f, "good<4>"), RFT_OUTCOME_LAUNCH_FAILED);
    if (!strstr(f->result.reason, "CUDA_ERROR")) {
        assert_string_equal(f->result.reason,
                            "not verified: the reference reference: reference takes 4 parameters, 3 are "
                            "given: acc, in, out");
    }
    make_spec(f, N);
    assert_true(rft_outcome_is_measured(run(f, "good<4>")));
}

static void steps_add_up(void **state) {
    fixture *f = *state;
    make_spec(f, N);
    f->launches[1] = (rft_launch){.kind = RFT_LAUNCH_MEMSET, .memset_buffer = ACC, .memset_byte = 0};
    f->spec.launch_count = 2;
    f->request.round = RFT_ROUNDS - 1;
    f->request.problem_key = "two launches";
    /* acc ends as 0, which the reference does not do: allowed here, the times are what counts. */
    double any[BUFFERS] = {1e9, NAN, NAN};
    f->spec.check.buffer_tol = any;
    assert_true(rft_outcome_is_measured(run(f, "good<4>")));
    const rft_measurement *m = &f->result.measurement;
    assert_int_equal(m->step_count, 2);
    printf("  steps %.2f + %.2f us, together %.2f us\n", m->step_s[0] * 1e6, m->step_s[1] * 1e6, m->stats.median * 1e6);
    assert_true(m->step_s[0] > m->step_s[1]);
    assert_true(m->step_s[0] + m->step_s[1] > 0.8 * m->stats.median);
}

static void too_much_is_skipped(void **state) {
    fixture *f = *state;
    make_spec(f, N);
    f->buffers[OUT].count = 1ull << 42;
    assert_int_equal(run(f, "good<4>"), RFT_OUTCOME_SKIPPED);
    f->buffers[OUT].count = N;
    f->launches[0].block[0] = 2048;
    assert_int_equal(run(f, "good<4>"), RFT_OUTCOME_SKIPPED);
}

/* ---- types ---- */

typedef struct small_type {
    rft_type type;
    const char *same, *widen;
} small_type;

static void small_floats_are_read_as_the_toolkit_does(void **state) {
    fixture *f = *state;
    static const small_type types[] = {{RFT_TYPE_F16, "same<__half>", "widen<__half>"},
                                       {RFT_TYPE_BF16, "same<__nv_bfloat16>", "widen<__nv_bfloat16>"},
                                       {RFT_TYPE_E4M3, "same<__nv_fp8_e4m3>", "widen<__nv_fp8_e4m3>"},
                                       {RFT_TYPE_E5M2, "same<__nv_fp8_e5m2>", "widen<__nv_fp8_e5m2>"}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        rft_compile_result unit, reference;
        if (compile(f, rft_embedded_gpu_protocol_types_cu, &types[i].same, 1, &unit) != 0 ||
            compile(f, rft_embedded_gpu_protocol_types_cu, &types[i].widen, 1, &reference) != 0) {
            fail_msg("%s", f->err.message);
        }
        make_spec(f, 1 << 20);
        f->buffers[0] = f->buffers[IN];
        f->buffers[1] = f->buffers[OUT];
        f->buffers[0].type = f->buffers[1].type = types[i].type;
        f->buffers[0].fill.low = -300.0;
        f->buffers[0].fill.high = 300.0;
        f->spec.buffer_count = 2;
        f->spec.check.tol = 1e-12;
        f->launches[0].arg_count = 3;
        f->launches[0].grid[0] = (1 << 20) / 256;
        f->args[2] = f->args[BUFFERS];
        f->request.unit = &unit;
        f->request.reference = &reference;
        f->request.problem_key = types[i].same;
        f->request.verify_only = true;
        assert_int_equal(run(f, types[i].same), RFT_OUTCOME_OK);
        assert_true(f->result.verification.worst_frac == 0.0);
    }
}

/* ---- faults ---- */

static int fault_child(void) {
    if (open_all(&the) != 0) {
        printf("%s\n", the.err.message);
        return 2;
    }
    make_spec(&the, N);
    int rc = measure(&the, "out_of_bounds");
    if (rc != 0 || the.result.outcome != RFT_OUTCOME_LAUNCH_FAILED) {
        printf("rc %d, outcome %s: %s\n", rc, rc == 0 ? rft_outcome_name(the.result.outcome) : the.err.message,
               rc == 0 && the.result.reason ? the.result.reason : "");
        return 3;
    }
    printf("in the child: %s\n", the.result.reason);
    rc = measure(&the, "good<4>");
    printf("then: %s\n", the.err.message);
    fflush(stdout);
    _exit(rc == RFT_E_DEVICE && strstr(the.err.message, "illegal") ? 0 : 4);
}

static void a_fault_ends_the_probe_not_us(void **state) {
    fixture *f = *state;
    int status = 0;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        execl("/proc/self/exe", "gpu_protocol", "--fault", (char *)NULL);
        _exit(126);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    make_spec(f, N);
    assert_true(rft_outcome_is_measured(run(f, "good<4>")));
}

/* ---- ceilings ---- */

static void print_ceilings(const rft_ceilings *ceilings, double wall_s) {
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        const rft_ceiling *c = &ceilings->items[id];
        char rate[48];
        if (!c->measured) {
            printf("%-12s %s\n", rft_ceiling_name((rft_ceiling_id)id), c->reason);
            continue;
        }
        rft_units_format_si(rate, sizeof rate, c->stats.median, 4, rft_ceiling_unit((rft_ceiling_id)id));
        printf("%-12s %-14s iqr %.2f %%, %.0f MHz: %s\n", rft_ceiling_name((rft_ceiling_id)id), rate,
               c->stats.iqr_frac * 100.0, c->clock_mhz, c->kernel);
    }
    printf("ceilings took %.2f s, the GPU was busy for %.2f s\n", wall_s, ceilings->busy_s);
}

/* `request` NULL: all. */
static int measure_ceilings(fixture *f, const rft_ceilings_request *request, rft_ceilings *ceilings) {
    const rft_clock *clock = rft_clock_system();
    int64_t begun_ns = clock->monotonic_ns(clock->self);
    int rc = f->probe->ceilings(f->probe, request, f->on.arena, ceilings, &f->err);
    if (rc == 0) {
        print_ceilings(ceilings, (double)(clock->monotonic_ns(clock->self) - begun_ns) * 1e-9);
    }
    return rc;
}

static double rate(const rft_ceilings *ceilings, rft_ceiling_id id) {
    assert_true(ceilings->items[id].measured);
    return ceilings->items[id].stats.median;
}

static void ceilings_are_plausible(void **state) {
    fixture *f = *state;
    rft_ceilings c;
    rft_ceilings_request request = {.wanted = RFT_CEILINGS_ALL};
    for (int id = RFT_CEILING_TENSOR_FIRST; id < RFT_CEILING_TENSOR_END; id++) { /* gpu_tensor has these */
        request.wanted &= ~RFT_CEILING_BIT(id);
    }
    if (measure_ceilings(f, &request, &c) != 0) {
        fail_msg("%s", f->err.message);
    }
    double bus = 2.0 * f->on.info.memory_clock_khz * 1e3 * f->on.info.memory_bus_bits / 8.0;
    double copy = rate(&c, RFT_CEILING_DRAM_COPY), l2 = rate(&c, RFT_CEILING_L2_READ);
    if (bus > 0.0) {
        assert_true(copy > 0.6 * bus && copy < 1.03 * bus);
        assert_true(rate(&c, RFT_CEILING_DRAM_READ) > 0.6 * bus && rate(&c, RFT_CEILING_DRAM_READ) < 1.03 * bus);
        assert_true(rate(&c, RFT_CEILING_DRAM_WRITE) > 0.5 * bus);
        assert_true(rate(&c, RFT_CEILING_DRAM_2TO1) > 0.6 * bus);
    }
    assert_true(l2 > 1.2 * copy && rate(&c, RFT_CEILING_L1_READ) > l2);
    double clock_hz = c.items[RFT_CEILING_FP32].clock_mhz * 1e6;
    double peak = 2.0 * rft_gpu_info_fp32_lanes(&f->on.info) * f->on.info.sms * clock_hz;
    printf("fp32 at %.2f %% of its peak at the clock measured\n", rate(&c, RFT_CEILING_FP32) / peak * 100.0);
    if (peak > 0.0) {
        assert_true(rate(&c, RFT_CEILING_FP32) > 0.95 * peak && rate(&c, RFT_CEILING_FP32) < 1.03 * peak);
    }
    assert_true(c.busy_s > 0.01);
    assert_true(rate(&c, RFT_CEILING_LAUNCH) > 0.5e-6 && rate(&c, RFT_CEILING_LAUNCH) < 50e-6);
}

static int set_up(void **state) {
    *state = &the;
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    the.probe->free(the.probe);
    gpu_device_close(&the.on);
    return 0;
}

int gpu_protocol(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_kernel_is_ok),
        cmocka_unit_test(wrong_kernels_are_caught),
        cmocka_unit_test(a_cold_cache_is_cold),
        cmocka_unit_test(cache_modes_are_ordered),
        cmocka_unit_test(a_batch_hides_the_floor),
        cmocka_unit_test(steps_add_up),
        cmocka_unit_test(the_device_is_kept_busy),
        cmocka_unit_test(a_slow_kernel_stops_at_five),
        cmocka_unit_test(too_few_arguments_are_told),
        cmocka_unit_test(too_much_is_skipped),
        cmocka_unit_test(small_floats_are_read_as_the_toolkit_does),
        cmocka_unit_test(a_fault_ends_the_probe_not_us),
        cmocka_unit_test(ceilings_are_plausible),
    };
    if (argc == 2 && strcmp(argv[1], "--fault") == 0) {
        return fault_child();
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (open_all(&the) != 0) {
        return gpu_device_skipped(&the.on, &the.err);
    }
    if (argc == 2 && strcmp(argv[1], "--ceilings") == 0) {
        rft_ceilings ceilings;
        int rc = measure_ceilings(&the, NULL, &ceilings);
        if (rc != 0) {
            printf("%s\n", the.err.message);
        }
        return rc != 0;
    }
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
