/* SPDX-License-Identifier: Apache-2.0 */
/* Ceilings of the matrix units and of host copies on a real device. `gpu_tensor --shapes` prints what each kernel of
 * each type reaches, in bursts and under seconds of load, and judges nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/units.h"
#include "gpu/gpu_tests.h"
#include "gpu/kept_compiler.h"
#include "measure/ceiling/ceiling_bench.h"
#include "measure/ceiling/ceiling_memory.h"
#include "measure/ceiling/ceiling_tensor.h"
#include "measure/protocol.h"
#include "measure/sampling.h"
#include "model/roofline/datasheet.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define TENSOR_FIRST RFT_CEILING_TENSOR_FP64
#define TENSOR_LAST RFT_CEILING_TENSOR_INT8
#define LAUNCH_S 0.01
#define HEAT_LAUNCHES 200 /* two seconds: power and clock have settled */
#define TIMED_LAUNCHES 100

typedef struct fixture {
    rft_arena *arena;
    rft_gpu *gpu;
    rft_gpu_info info;
    rft_compiler *compiler;
    rft_probe *probe;
    rft_protocol *p;
    rft_ceilings ceilings;
    rft_err err;
} fixture;

static fixture the;

static int open_all(fixture *f) {
    f->arena = rft_arena_new();
    int rc = rft_cuda_open(&f->gpu, 0, &f->err);
    if (rc == 0) {
        rc = f->gpu->vt->info(f->gpu, &f->info, &f->err);
    }
    if (rc == 0) {
        rc = kept_compiler_new(&f->compiler, &f->err);
    }
    if (rc == 0) {
        rc = rft_protocol_new(&f->probe, f->gpu, f->compiler, rft_clock_system(), NULL, &f->err);
    }
    if (rc == 0) {
        f->p = (rft_protocol *)f->probe;
        f->p->sampling.blocking = true;
        rc = rft_kernels_prepare(f->p, &f->err);
    }
    if (rc == 0) {
        rc = rft_timing_take_flush(f->p, &f->err); /* what waking runs on */
    }
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        f->ceilings.items[id] = (rft_ceiling){
            .reason = "not measured", .stats = rft_stats_of(NULL, 0), .clock_mhz = NAN, .datasheet = NAN, .limit = NAN};
    }
    return rc;
}

static void print_ceiling(const fixture *f, rft_ceiling_id id) {
    const rft_ceiling *c = &f->ceilings.items[id];
    char rate[48];
    if (!c->measured) {
        printf("%-12s %s\n", rft_ceiling_name(id), c->reason);
        return;
    }
    rft_units_format_si(rate, sizeof rate, c->stats.median, 4, rft_ceiling_unit(id));
    printf("%-12s %s%-14s %5.1f %% of limit, %5.1f %% at its clock, iqr %.2f %%, %.0f MHz: %s\n", rft_ceiling_name(id),
           c->at_least ? "at least " : "", rate, c->stats.median / c->limit * 100.0,
           c->stats.median / c->limit * (f->info.sm_clock_khz * 1e-3 / c->clock_mhz) * 100.0, c->stats.iqr_frac * 100.0,
           c->clock_mhz, c->kernel);
}

/* ---- seconds of load ---- */

typedef struct load {
    rft_module *module;
    rft_function *function;
    rft_grid_1d grid;
    double ops_per_step;
    uint32_t steps, never;
} load;

static int queue_launches(fixture *f, load *l, int count) {
    void *values[] = {&l->steps, &l->never, &f->p->builtins.partials};
    int rc = 0;
    for (int i = 0; rc == 0 && i < count; i++) {
        rc = rft_kernel_launch(f->p, l->function, l->grid, values, &f->err);
    }
    return rc;
}

static int time_launches(fixture *f, load *l, int count, double *rate) {
    rft_shot *shot = &f->p->sampling.shots[0];
    const rft_gpu_vt *vt = f->gpu->vt;
    double seconds = 0.0;
    int rc = vt->event_record(f->gpu, shot->start, &f->err);
    if (rc == 0) {
        rc = queue_launches(f, l, count);
    }
    if (rc == 0) {
        rc = vt->event_record(f->gpu, shot->stop, &f->err);
    }
    if (rc == 0) {
        rc = vt->event_elapsed(f->gpu, shot->start, shot->stop, &seconds, &f->err);
    }
    *rate = l->ops_per_step * l->steps * count / seconds;
    return rc;
}

/* The rate of one kernel after seconds of itself. */
static int sustained(fixture *f, const rft_tensor_group *group, size_t which, double *rate) {
    const rft_tensor_kernel *kernel = &group->kernels[which];
    rft_kernel_group code = {"gpu_tensor.cu", group->texts, 2, &kernel->entry, 1, 0};
    load l = {.never = 0x7FEDCBA9u, .steps = 1000};
    unsigned blocks = 0;
    int rc = rft_kernels_load(f->p, &code, &l.module, &l.function, &f->err);
    if (rc == 0) {
        rc = rft_bench_resident(f->p, l.function, kernel->threads, &blocks, &f->err);
    }
    l.grid = (rft_grid_1d){blocks, kernel->threads};
    l.ops_per_step = blocks * kernel->ops_per_step;
    for (int i = 0; rc == 0 && i < 2; i++) { /* the first loads the code */
        rc = time_launches(f, &l, 1, rate);
    }
    if (rc == 0) {
        l.steps = (uint32_t)fmax(1.0, *rate * LAUNCH_S / l.ops_per_step);
        rc = time_launches(f, &l, HEAT_LAUNCHES, rate);
    }
    if (rc == 0) {
        rc = time_launches(f, &l, TIMED_LAUNCHES, rate);
    }
    if (l.module && !f->gpu->vt->sticky(f->gpu)) {
        f->gpu->vt->module_free(f->gpu, l.module);
    }
    return rc;
}

static int print_shapes(fixture *f) {
    for (int id = TENSOR_FIRST; id <= TENSOR_LAST; id++) {
        rft_tensor_group group;
        rft_tensor_group_of(&group, (rft_ceiling_id)id, &f->info, f->arena);
        for (size_t k = 0; k < group.count; k++) {
            rft_tensor_group one = group;
            rft_ceiling burst = {.stats = rft_stats_of(NULL, 0)};
            double load_rate = NAN;
            one.kernels[0] = group.kernels[k];
            one.count = 1;
            int rc = rft_tensor_group_measure(f->p, f->arena, &one, &burst, &f->err);
            if (rc == 0) {
                rc = sustained(f, &group, k, &load_rate);
            }
            if (rc != 0) {
                return rc;
            }
            printf("%-12s burst %7.1f T/s at %4.0f MHz, under load %7.1f T/s: %s\n",
                   rft_ceiling_name((rft_ceiling_id)id), burst.stats.median * 1e-12, burst.clock_mhz, load_rate * 1e-12,
                   burst.kernel);
        }
    }
    return 0;
}

/* ---- tests ---- */

/* The SXM parts, whose power allows what issue and datasheet say. */
static bool is_big_hopper(const fixture *f) {
    return strcmp(f->info.name, "NVIDIA H200") == 0 || strcmp(f->info.name, "NVIDIA H100 80GB HBM3") == 0;
}

static double rate_of(const fixture *f, rft_ceiling_id id) {
    const rft_ceiling *c = &f->ceilings.items[id];
    return c->measured ? c->stats.median : (double)NAN;
}

static void tensor_ceilings_are_plausible(void **state) {
    fixture *f = *state;
    if (rft_ceilings_tensor(f->p, f->arena, &f->ceilings, &f->err) != 0) {
        fail_msg("%s", f->err.message);
    }
    rft_ceilings limits = f->ceilings; /* rft_limits_apply() withdraws what cannot be */
    rft_limits_apply(&limits, &f->info, f->arena);
    for (int id = TENSOR_FIRST; id <= TENSOR_LAST; id++) {
        rft_ceiling *c = &f->ceilings.items[id];
        c->limit = limits.items[id].limit;
        print_ceiling(f, (rft_ceiling_id)id);
        assert_true(c->measured == limits.items[id].measured);
        if (c->measured && !c->at_least && c->limit > 0.0) {
            assert_true(c->stats.median > 0.3 * c->limit); /* GeForce: half of the width with FP32 accumulation */
        }
    }
    if (is_big_hopper(f)) {
        assert_true(rate_of(f, RFT_CEILING_TENSOR_FP64) > 50e12);
        assert_true(rate_of(f, RFT_CEILING_TENSOR_TF32) > 350e12);
        assert_true(rate_of(f, RFT_CEILING_TENSOR_BF16) > 700e12);
        assert_true(rate_of(f, RFT_CEILING_TENSOR_FP16) > 700e12);
        assert_true(rate_of(f, RFT_CEILING_TENSOR_FP8) > 1300e12);
        assert_true(rate_of(f, RFT_CEILING_TENSOR_INT8) > 1300e12);
    }
}

static void burst_is_above_load(void **state) {
    fixture *f = *state;
    rft_tensor_group group;
    double rate = NAN, burst = rate_of(f, RFT_CEILING_TENSOR_BF16);
    rft_tensor_group_of(&group, RFT_CEILING_TENSOR_BF16, &f->info, f->arena);
    if (group.count == 0) {
        printf("no BF16: %s\n", group.reason);
        return;
    }
    if (sustained(f, &group, 0, &rate) != 0) {
        fail_msg("%s", f->err.message);
    }
    printf("BF16: burst %.0f T/s, after seconds of load %.0f T/s\n", burst * 1e-12, rate * 1e-12);
    assert_true(rate > 0.5 * burst && rate < 1.03 * burst);
    if (is_big_hopper(f)) {
        assert_true(rate > 700e12);
    }
}

static void host_copies_are_plausible(void **state) {
    fixture *f = *state;
    if (rft_ceilings_host(f->p, f->arena, &f->ceilings, &f->err) != 0) {
        fail_msg("%s", f->err.message);
    }
    const rft_ceiling_id ids[] = {RFT_CEILING_H2D, RFT_CEILING_D2H};
    for (size_t i = 0; i < 2; i++) {
        const rft_ceiling *c = &f->ceilings.items[ids[i]];
        if (!c->measured) {
            fail_msg("%s: %s", rft_ceiling_name(ids[i]), c->reason);
        }
        printf("%-12s %.2f GB/s, iqr %.2f %%: %s\n", rft_ceiling_name(ids[i]), c->stats.median * 1e-9,
               c->stats.iqr_frac * 100.0, c->kernel);
        assert_true(c->stats.median > 1e9 && c->stats.median < 1e12); /* PCIe 3.0 x4 to NVLink-C2C */
    }
    if (is_big_hopper(f)) {
        assert_true(rate_of(f, RFT_CEILING_H2D) > 20e9 && rate_of(f, RFT_CEILING_H2D) < 64e9); /* PCIe 5.0 x16 */
    }
}

static int set_up(void **state) {
    *state = &the;
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    the.probe->free(the.probe);
    the.gpu->vt->close(the.gpu);
    the.compiler->free(the.compiler);
    rft_arena_free(the.arena);
    return 0;
}

int gpu_tensor(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tensor_ceilings_are_plausible),
        cmocka_unit_test(burst_is_above_load),
        cmocka_unit_test(host_copies_are_plausible),
    };
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (open_all(&the) != 0) {
        printf("skipped: %s\n", the.err.message);
        /* A device that is there but does not work is a failure, not a reason to skip. */
        return the.gpu && the.err.code != RFT_E_COMPILER ? 1 : 77;
    }
    int rc = rft_timing_wake(the.p, &the.err);
    if (rc == 0 && argc == 2 && strcmp(argv[1], "--shapes") == 0) {
        rc = print_shapes(&the);
        printf("%s", rc != 0 ? the.err.message : "");
        return rc != 0;
    }
    return rc != 0 ? 1 : cmocka_run_group_tests(tests, set_up, tear_down);
}
