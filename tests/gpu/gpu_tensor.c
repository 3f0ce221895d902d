/* SPDX-License-Identifier: Apache-2.0 */
/* The matrix units of a real device in a burst and after a second of load; gpu_ceilings has their bands.
 * `gpu_tensor --shapes` prints what each kernel of each type reaches both ways, and judges nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gpu/gpu_device.h"
#include "gpu/gpu_tests.h"
#include "measure/ceiling/ceiling_bench.h"
#include "measure/ceiling/ceiling_tensor.h"
#include "measure/protocol.h"
#include "measure/sampling.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define TENSOR_FIRST RFT_CEILING_TENSOR_FP64
#define TENSOR_LAST RFT_CEILING_TENSOR_INT8
#define LAUNCH_S 0.01
#define HEAT_LAUNCHES 100 /* a second: power and clock have settled */
#define TIMED_LAUNCHES 50

typedef struct fixture {
    gpu_device on;
    rft_probe *probe;
    rft_protocol *p;
    rft_err err;
} fixture;

static fixture the;

static int open_all(fixture *f) {
    int rc = gpu_device_open(&f->on, &f->err);
    if (rc == 0) {
        rc = rft_protocol_new(&f->probe, f->on.gpu, f->on.compiler, rft_clock_system(), NULL, &f->err);
    }
    if (rc == 0) {
        f->p = (rft_protocol *)f->probe;
        f->p->sampling.blocking = true;
        rc = rft_kernels_prepare(f->p, &f->err);
    }
    if (rc == 0) {
        rc = rft_timing_take_flush(f->p, &f->err); /* what waking runs on */
    }
    return rc;
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
    const rft_gpu_vt *vt = f->on.gpu->vt;
    double seconds = 0.0;
    int rc = vt->event_record(f->on.gpu, shot->start, &f->err);
    if (rc == 0) {
        rc = queue_launches(f, l, count);
    }
    if (rc == 0) {
        rc = vt->event_record(f->on.gpu, shot->stop, &f->err);
    }
    if (rc == 0) {
        rc = vt->event_elapsed(f->on.gpu, shot->start, shot->stop, &seconds, &f->err);
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
    if (l.module && !f->on.gpu->vt->sticky(f->on.gpu)) {
        f->on.gpu->vt->module_free(f->on.gpu, l.module);
    }
    return rc;
}

static int print_shapes(fixture *f) {
    for (int id = TENSOR_FIRST; id <= TENSOR_LAST; id++) {
        rft_tensor_group group;
        rft_tensor_group_of(&group, (rft_ceiling_id)id, &f->on.info, f->on.arena);
        for (size_t k = 0; k < group.count; k++) {
            rft_tensor_group one = group;
            rft_ceiling burst = {.stats = rft_stats_of(NULL, 0)};
            double load_rate = NAN;
            one.kernels[0] = group.kernels[k];
            one.count = 1;
            int rc = rft_tensor_group_measure(f->p, f->on.arena, &one, &burst, &f->err);
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
    return strcmp(f->on.info.name, "NVIDIA H200") == 0 || strcmp(f->on.info.name, "NVIDIA H100 80GB HBM3") == 0;
}

static void burst_is_above_load(void **state) {
    fixture *f = *state;
    rft_tensor_group group;
    rft_ceiling burst = {.stats = rft_stats_of(NULL, 0)};
    double rate = NAN;
    rft_tensor_group_of(&group, RFT_CEILING_TENSOR_BF16, &f->on.info, f->on.arena);
    if (group.count == 0) {
        printf("no BF16: %s\n", group.reason);
        return;
    }
    if (rft_tensor_group_measure(f->p, f->on.arena, &group, &burst, &f->err) != 0 ||
        sustained(f, &group, 0, &rate) != 0) {
        fail_msg("%s", f->err.message);
    }
    printf("BF16: burst %.0f T/s, after a second of load %.0f T/s\n", burst.stats.median * 1e-12, rate * 1e-12);
    assert_true(rate > 0.5 * burst.stats.median && rate < 1.03 * burst.stats.median);
    if (is_big_hopper(f)) {
        assert_true(rate > 700e12 && rate < burst.stats.median);
    }
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

int gpu_tensor(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(burst_is_above_load),
    };
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (open_all(&the) != 0) {
        return gpu_device_skipped(&the.on, &the.err);
    }
    int rc = rft_timing_wake(the.p, &the.err);
    if (rc == 0 && argc == 2 && strcmp(argv[1], "--shapes") == 0) {
        rc = print_shapes(&the);
        printf("%s", rc != 0 ? the.err.message : "");
        return rc != 0;
    }
    return rc != 0 ? 1 : cmocka_run_group_tests(tests, set_up, tear_down);
}
