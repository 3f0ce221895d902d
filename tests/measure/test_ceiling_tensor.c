/* SPDX-License-Identifier: Apache-2.0 */
/* Ceilings of the matrix units and of host copies: on a device whose speeds are known. That their kernels
 * compile: test_device_text.c. */
#include "measure/measure_fixture.h"

#include "measure/ceiling/ceiling_host.h"
#include "measure/ceiling/ceiling_tensor.h"
#include "support/scripted_vendor.h"

#include <math.h>
#include <string.h>

#define TENSOR_FIRST RFT_CEILING_TENSOR_FP64
#define TENSOR_LAST RFT_CEILING_TENSOR_INT8

typedef struct scene {
    fixture f;
    rft_protocol *p;
    rft_ceilings ceilings;
} scene;

static rft_scripted_opts options_of(const char *arch) {
    rft_scripted_opts opts = rft_scripted_defaults();
    int64_t memory_bytes = opts.info.memory_bytes, l2_bytes = opts.info.l2_bytes;
    assert_int_equal(rft_gpu_info_for_arch(&opts.info, arch, NULL), 0);
    opts.info.memory_bytes = memory_bytes;
    opts.info.l2_bytes = l2_bytes;
    return opts;
}

static void start(scene *s, const rft_scripted_opts *opts) {
    fixture_start(&s->f, opts);
    s->p = (rft_protocol *)s->f.probe;
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        s->ceilings.items[id] = (rft_ceiling){.reason = "not asked", .stats = rft_stats_of(NULL, 0)};
    }
    assert_int_equal(rft_kernels_prepare(s->p, &s->f.err), 0);
    s->p->sampling.blocking = true;
}

static void expect(const scene *s, rft_ceiling_id id, double rate, const char *text) {
    const rft_ceiling *ceiling = &s->ceilings.items[id];
    if (!ceiling->measured || fabs(ceiling->stats.median / rate - 1.0) > 5e-3 || !strstr(ceiling->kernel, text)) {
        print_error("%s: %g where %g was expected: %s\n", rft_ceiling_name(id), ceiling->stats.median, rate,
                    ceiling->measured ? ceiling->kernel : ceiling->reason);
    }
    assert_true(ceiling->measured && ceiling->reason == NULL);
    assert_true(fabs(ceiling->stats.median / rate - 1.0) <= 5e-3);
    assert_non_null(strstr(ceiling->kernel, text));
    assert_true(ceiling->stats.n >= 10);
}

static void expect_reason(const scene *s, rft_ceiling_id id, const char *reason) {
    assert_false(s->ceilings.items[id].measured);
    assert_false(s->ceilings.items[id].at_least);
    assert_non_null(strstr(s->ceilings.items[id].reason, reason));
}

/* ---- tensor ---- */

static void hopper_by_wgmma(void **state) {
    (void)state;
    scene s = {0};
    const rft_scripted_speeds speeds = rft_scripted_defaults().speeds;
    start(&s, NULL);
    assert_int_equal(rft_ceilings_tensor(s.p, s.f.arena, &s.ceilings, &s.f.err), 0);
    expect(&s, RFT_CEILING_TENSOR_TF32, speeds.tensor_tf32, "TF32, wgmma m64n");
    expect(&s, RFT_CEILING_TENSOR_BF16, speeds.tensor_bf16, "BF16, wgmma m64n");
    expect(&s, RFT_CEILING_TENSOR_FP16, speeds.tensor_fp16, "FP16, wgmma m64n");
    expect(&s, RFT_CEILING_TENSOR_FP8, speeds.tensor_fp8, "FP8 (e4m3), wgmma m64n");
    expect(&s, RFT_CEILING_TENSOR_INT8, speeds.tensor_int8, "INT8, wgmma m64n");
    expect(&s, RFT_CEILING_TENSOR_FP64, speeds.tensor_fp64, "FP64, mma.sync m");
    for (int id = TENSOR_FIRST; id <= TENSOR_LAST; id++) {
        assert_false(s.ceilings.items[id].at_least);
    }
    assert_string_equal(s.ceilings.items[RFT_CEILING_FP32].reason, "not asked");
    fixture_stop(&s.f);
}

static void ampere_by_mma_sync(void **state) {
    (void)state;
    scene s = {0};
    rft_scripted_opts opts = options_of("sm_86");
    start(&s, &opts);
    assert_int_equal(rft_ceilings_tensor(s.p, s.f.arena, &s.ceilings, &s.f.err), 0);
    expect(&s, RFT_CEILING_TENSOR_BF16, opts.speeds.tensor_bf16, "BF16, mma.sync m16n8k16");
    expect(&s, RFT_CEILING_TENSOR_INT8, opts.speeds.tensor_int8, "INT8, mma.sync m16n8k32");
    assert_false(s.ceilings.items[RFT_CEILING_TENSOR_BF16].at_least);
    expect_reason(&s, RFT_CEILING_TENSOR_FP64, "no FP64 tensor units");
    expect_reason(&s, RFT_CEILING_TENSOR_FP8, "no FP8 tensor units");
    fixture_stop(&s.f);
}

/* Blackwell's tcgen05 is not driven: what is measured is a lower bound and says so. FP64 has no other path. */
static void blackwell_at_least(void **state) {
    (void)state;
    scene s = {0};
    rft_scripted_opts opts = options_of("sm_100a");
    start(&s, &opts);
    assert_int_equal(rft_ceilings_tensor(s.p, s.f.arena, &s.ceilings, &s.f.err), 0);
    expect(&s, RFT_CEILING_TENSOR_FP8, opts.speeds.tensor_fp8, "mma.sync m16n8k32");
    expect(&s, RFT_CEILING_TENSOR_FP64, opts.speeds.tensor_fp64, "mma.sync m8n8k4");
    for (int id = TENSOR_FIRST + 1; id <= TENSOR_LAST; id++) {
        assert_true(s.ceilings.items[id].at_least);
    }
    assert_false(s.ceilings.items[RFT_CEILING_TENSOR_FP64].at_least);
    fixture_stop(&s.f);
}

static void older_devices_say_why(void **state) {
    (void)state;
    scene s = {0};
    rft_scripted_opts opts = options_of("sm_75");
    start(&s, &opts);
    assert_int_equal(rft_ceilings_tensor(s.p, s.f.arena, &s.ceilings, &s.f.err), 0);
    for (int id = TENSOR_FIRST; id <= TENSOR_LAST; id++) {
        expect_reason(&s, (rft_ceiling_id)id, "8.0 or newer");
    }
    fixture_stop(&s.f);
}

/* 1.5 times the rate of all other shapes, at whatever length its loop is given. */
static void run_fast(rft_scripted_gpu *gpu, const rft_gpu_launch *launch, void *self) {
    (void)self;
    double steps = RFT_SCRIPTED_ARG(launch, 0, uint32_t), warpgroups = launch->grid[0] * launch->block[0] / 128.0;
    double ops = steps * warpgroups * 16 * 2.0 * 64 * 128 * 16;
    rft_scripted_spend(gpu, ops / (1.5 * rft_scripted_options(gpu)->speeds.tensor_bf16));
}

static void the_best_shape_counts(void **state) {
    (void)state;
    scene s = {0};
    start(&s, NULL);
    rft_scripted_gpu_kernel(s.f.scripted, "rft_wgmma_bf16<128, 2, 1, 4>", run_fast, NULL);
    assert_int_equal(rft_ceilings_tensor(s.p, s.f.arena, &s.ceilings, &s.f.err), 0);
    expect(&s, RFT_CEILING_TENSOR_BF16, 1.5 * rft_scripted_defaults().speeds.tensor_bf16,
           "m64n128k16, random operands, A from registers, 2 warpgroups a block");
    fixture_stop(&s.f);
}

static void one_type_that_fails_costs_only_itself(void **state) {
    (void)state;
    scene s = {0};
    start(&s, NULL);
    rft_scripted_compiler_fail(s.f.compiler, "rft_wgmma_fp8", "no such instruction");
    assert_int_equal(rft_ceilings_tensor(s.p, s.f.arena, &s.ceilings, &s.f.err), 0);
    expect_reason(&s, RFT_CEILING_TENSOR_FP8, "no such instruction");
    assert_true(s.ceilings.items[RFT_CEILING_TENSOR_FP16].measured);
    assert_true(s.ceilings.items[RFT_CEILING_TENSOR_INT8].measured);
    fixture_stop(&s.f);
}

static void a_lost_device_is_told(void **state) {
    (void)state;
    scene s = {0};
    start(&s, NULL);
    rft_scripted_gpu_fault(s.f.scripted, "rft_wgmma_fp16", RFT_SCRIPTED_ILLEGAL, 3);
    assert_int_equal(rft_ceilings_tensor(s.p, s.f.arena, &s.ceilings, &s.f.err), RFT_E_DEVICE);
    assert_non_null(strstr(s.f.err.message, "illegal"));
    assert_true(s.ceilings.items[RFT_CEILING_TENSOR_BF16].measured);
    fixture_stop(&s.f);
}

/* ---- the vendor's library ---- */

static void compute_nothing(const rft_vendor_matmul *matmul, const float *a, const float *b, float *d) {
    (void)matmul, (void)a, (void)b, (void)d;
}

typedef struct source {
    rft_scripted_gpu *gpu;
    const rft_scripted_vendor_opts *opts; /* NULL: there is no library */
    int asked;
} source;

static int open_vendor(void *self, rft_gpu *gpu, rft_vendor **out, rft_err *err) {
    source *s = self;
    (void)gpu;
    s->asked++;
    if (!s->opts) {
        return rft_err_set(err, RFT_E_NOT_FOUND, "cuBLASLt cannot be opened");
    }
    *out = rft_scripted_vendor_new(s->gpu, s->opts);
    return RFT_OK;
}

/* Of a square of 2048, which is what fits here. */
static double seconds_at(double rate) {
    return 2.0 * 2048.0 * 2048.0 * 2048.0 / rate;
}

static void measure_beside(const char *arch, const rft_scripted_vendor_opts *vendor_opts, rft_ceiling *bf16) {
    scene s = {0};
    rft_scripted_opts opts = options_of(arch);
    opts.info.memory_bytes = opts.info.memory_free_bytes = 256ll << 20;
    start(&s, &opts);
    source from = {s.f.scripted, vendor_opts, 0};
    rft_protocol_use_vendor(s.f.probe, &(rft_vendor_source){open_vendor, &from});
    uint64_t used = rft_scripted_memory_used(s.f.scripted);
    assert_int_equal(rft_ceilings_tensor(s.p, s.f.arena, &s.ceilings, &s.f.err), 0);
    assert_int_equal(from.asked, 1);
    assert_int_equal(rft_scripted_memory_used(s.f.scripted), used);
    *bf16 = s.ceilings.items[RFT_CEILING_TENSOR_BF16];
    static char kernel[256];
    rft_text_format(kernel, sizeof kernel, "%s", bf16->kernel);
    bf16->kernel = kernel;
    fixture_stop(&s.f);
    assert_int_equal(rft_scripted_vendors_alive(), 0);
}

/* The higher counts, and says whose it is. Where the library takes the path that our kernels lack, its rate is no lower
 * bound any more. */
static void the_higher_of_both_counts(void **state) {
    (void)state;
    rft_ceiling bf16;
    const double ours = rft_scripted_defaults().speeds.tensor_bf16;
    rft_scripted_vendor_opts library = {.algo_count = 4, .refused = 3, .compute = compute_nothing};
    library.seconds[0] = library.seconds[2] = library.seconds[3] = seconds_at(0.5 * ours);
    library.seconds[1] = seconds_at(0.9 * ours);
    measure_beside("sm_90a", &library, &bf16);
    assert_true(fabs(bf16.stats.median / ours - 1.0) < 5e-3);
    assert_non_null(strstr(bf16.kernel, "BF16, wgmma"));
    library.seconds[1] = seconds_at(1.2 * ours);
    measure_beside("sm_90a", &library, &bf16);
    assert_true(fabs(bf16.stats.median / (1.2 * ours) - 1.0) < 5e-3);
    assert_string_equal(bf16.kernel, "cuBLASLt 99.1.2, bf16 matmul of 2048 x 2048 x 2048, random operands, algo 61");
    measure_beside("sm_100a", &library, &bf16);
    assert_false(bf16.at_least);
    library.seconds[1] = seconds_at(0.9 * ours);
    measure_beside("sm_100a", &library, &bf16);
    assert_true(bf16.at_least);
    assert_non_null(strstr(bf16.kernel, "mma.sync"));
}

static void without_the_library_our_own_count(void **state) {
    (void)state;
    rft_ceiling bf16;
    const double ours = rft_scripted_defaults().speeds.tensor_bf16;
    measure_beside("sm_90a", NULL, &bf16);
    assert_true(bf16.measured && fabs(bf16.stats.median / ours - 1.0) < 5e-3);
    const rft_scripted_vendor_opts nothing = {.no_plan = "no algorithm for this"};
    measure_beside("sm_90a", &nothing, &bf16);
    assert_true(bf16.measured && fabs(bf16.stats.median / ours - 1.0) < 5e-3);
}

/* ---- host copies ---- */

static void host_copies(void **state) {
    (void)state;
    scene s = {0};
    const rft_scripted_speeds speeds = rft_scripted_defaults().speeds;
    start(&s, NULL);
    uint64_t used = rft_scripted_memory_used(s.f.scripted);
    rft_scripted_history_clear(s.f.scripted);
    assert_int_equal(rft_ceilings_host(s.p, s.f.arena, &s.ceilings, &s.f.err), 0);
    expect(&s, RFT_CEILING_H2D, speeds.h2d, "from pinned host memory");
    expect(&s, RFT_CEILING_D2H, speeds.d2h, "to pinned host memory");
    expect(&s, RFT_CEILING_H2D_D2H, speeds.both_ways, "from pinned host memory and one to it");
    assert_int_equal(rft_scripted_memory_used(s.f.scripted), used);
    const char *first = strstr(rft_scripted_history(s.f.scripted), "h2d ");
    assert_non_null(first);
    assert_null(strstr(first, "d2h 0\n"));
    void *all = NULL; /* the pinned memory was given back: all of it can be had */
    assert_int_equal(s.f.gpu->vt->host_alloc(s.f.gpu, rft_scripted_defaults().host_memory_bytes, &all, NULL), 0);
    fixture_stop(&s.f);
}

static void too_little_host_memory(void **state) {
    (void)state;
    scene s = {0};
    rft_scripted_opts opts = rft_scripted_defaults();
    opts.host_memory_bytes = 1 << 20;
    start(&s, &opts);
    uint64_t used = rft_scripted_memory_used(s.f.scripted);
    assert_int_equal(rft_ceilings_host(s.p, s.f.arena, &s.ceilings, &s.f.err), 0);
    expect_reason(&s, RFT_CEILING_H2D, "out of host memory");
    expect_reason(&s, RFT_CEILING_D2H, "out of host memory");
    expect_reason(&s, RFT_CEILING_H2D_D2H, "out of host memory");
    assert_int_equal(rft_scripted_memory_used(s.f.scripted), used);
    fixture_stop(&s.f);
}

static void too_little_device_memory(void **state) {
    (void)state;
    scene s = {0};
    start(&s, NULL);
    uint64_t free_bytes = 0;
    rft_device_ptr most = 0;
    assert_int_equal(s.f.gpu->vt->memory_free(s.f.gpu, &free_bytes, NULL), 0);
    assert_int_equal(s.f.gpu->vt->alloc(s.f.gpu, free_bytes - (2 << 20), &most, NULL), 0);
    assert_int_equal(rft_ceilings_host(s.p, s.f.arena, &s.ceilings, &s.f.err), 0);
    expect_reason(&s, RFT_CEILING_H2D, "too little device memory");
    fixture_stop(&s.f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hopper_by_wgmma),
        cmocka_unit_test(ampere_by_mma_sync),
        cmocka_unit_test(blackwell_at_least),
        cmocka_unit_test(older_devices_say_why),
        cmocka_unit_test(the_best_shape_counts),
        cmocka_unit_test(one_type_that_fails_costs_only_itself),
        cmocka_unit_test(a_lost_device_is_told),
        cmocka_unit_test(the_higher_of_both_counts),
        cmocka_unit_test(without_the_library_our_own_count),
        cmocka_unit_test(host_copies),
        cmocka_unit_test(too_little_host_memory),
        cmocka_unit_test(too_little_device_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
