/* SPDX-License-Identifier: Apache-2.0 */
/* Hardware counters on a real device, held against kernels whose bytes, operations and conflicts are known; that timing
 * is what it was after counting; what a session costs. A fault happens in a copy of this program (`--fault`). Skipped
 * where there is no device, and where the device gives no counters (with the reason). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "gpu/compiler.h"
#include "gpu/counting.h"
#include "gpu/gpu_device.h"
#include "gpu/gpu_tests.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern const unsigned char rft_embedded_gpu_counters_cu[];

static const char *const names[] = {"copy",         "triad",        "multiply_add", "multiply_add_double",
                                    "shared_loads", "one_of_eight", "read_through", "stray"};
enum { NAMES = 8, MIB = 1 << 20 };

typedef struct fixture {
    gpu_device on;
    rft_compile_result code;
    rft_module *module;
    rft_counting *counting;
    rft_device_ptr flush; /* 2 x L2 to write, then 2 x L2 to read */
    uint64_t flush_bytes; /* of one of the two */
} fixture;

static int open_device(fixture *f, rft_err *err) {
    int rc = gpu_device_open(&f->on, err);
    if (rc == 0) {
        rc = gpu_device_compile(&f->on, "gpu_counters.cu", rft_embedded_gpu_counters_cu, names, NAMES, &f->code, err);
    }
    if (rc == 0) {
        rc = f->on.gpu->vt->module_load(f->on.gpu, f->code.cubin, f->code.cubin_bytes, &f->module, err);
    }
    f->flush_bytes = (uint64_t)f->on.info.l2_bytes * 2 / 16 * 16;
    return rc != 0 ? rc : f->on.gpu->vt->alloc(f->on.gpu, 2 * f->flush_bytes, &f->flush, err);
}

static rft_device_ptr new_memory(fixture *f, uint64_t bytes) {
    rft_device_ptr memory = 0;
    OK(f->on.gpu->vt->alloc(f->on.gpu, bytes, &memory, &failure));
    OK(f->on.gpu->vt->set(f->on.gpu, memory, 0, bytes, &failure));
    return memory;
}

static int launch_err(fixture *f, const char *name, unsigned grid, unsigned block, void **values, rft_err *err) {
    rft_function *function = NULL;
    for (size_t i = 0; i < f->code.entry_count && !function; i++) {
        if (strcmp(f->code.entries[i].name, name) == 0) {
            int rc = f->on.gpu->vt->function(f->on.gpu, f->module, f->code.entries[i].symbol, &function, err);
            if (rc != 0) {
                return rc;
            }
        }
    }
    rft_gpu_launch launch = {
        .function = function, .grid = {grid, 1, 1}, .block = {block, 1, 1}, .cluster = {1, 1, 1}, .values = values};
    return f->on.gpu->vt->launch(f->on.gpu, &launch, err);
}

/* A kernel with its arguments, launched again and again. */
typedef struct work_item {
    const char *name;
    unsigned grid, block;
    void *values[5];
} work_item;

static void run(fixture *f, work_item *item) {
    OK(launch_err(f, item->name, item->grid, item->block, item->values, &failure));
}

/* Nothing of the next kernel's in the L2, and nothing dirty. */
static void make_cold(fixture *f) {
    rft_device_ptr read = f->flush + f->flush_bytes;
    long long n = (long long)(f->flush_bytes / 16);
    work_item reader = {"read_through", (unsigned)f->on.info.sms * 4, 512, {&read, &n, &f->flush}};
    OK(f->on.gpu->vt->set(f->on.gpu, f->flush, 0, f->flush_bytes, &failure));
    run(f, &reader);
    OK(f->on.gpu->vt->sync(f->on.gpu, &failure));
}

static rft_counters count(fixture *f, work_item *item, const rft_counter_set *set) {
    rft_counting *c = f->counting;
    rft_counters out;
    int passes = 0;
    OK(c->vt->begin(c, set, &passes, &failure));
    bool again = passes > 0;
    int done = 0;
    for (; again; done++) {
        make_cold(f);
        OK(c->vt->start(c, &failure));
        run(f, item);
        OK(c->vt->stop(c, &again, &failure));
    }
    OK(c->vt->end(c, &out, f->on.arena, &failure));
    assert_int_equal(done, passes);
    rft_counters raw = out;
    size_t withdrawn = rft_counters_check(&out, &f->on.info, f->on.arena);
    for (int i = 0; withdrawn > 0 && i < RFT_COUNTER_COUNT; i++) {
        if (isnan(out.values[i]) && !isnan(raw.values[i])) {
            print_error("%s: %s: %s\n", item->name, rft_counter_name((rft_counter)i), out.reasons[i]);
            withdrawn -= i == RFT_COUNTER_SM_CLOCK ? 1 : 0; /* cycles over a time that another unit took: may be off */
        }
    }
    if (withdrawn > 0) {
        fail_msg("%s: counts that cannot be", item->name);
    }
    return out;
}

static void show(const char *kernel, const rft_counters *c) {
    printf("    %s, %d passes:\n", kernel, c->passes);
    for (int i = 0; i < RFT_COUNTER_COUNT; i++) {
        if (!isnan(c->values[i])) {
            printf("      %-24s %.10g %s\n", rft_counter_name((rft_counter)i), c->values[i],
                   rft_counter_unit((rft_counter)i));
        } else if (strcmp(c->reasons[i], "not asked for") != 0) {
            printf("      %-24s not known: %s\n", rft_counter_name((rft_counter)i), c->reasons[i]);
        }
    }
    for (size_t i = 0; i < c->raw_count; i++) {
        printf("      %-48s %.10g%s%s\n", c->raw[i].name, c->raw[i].value, c->raw[i].reason ? " " : "",
               c->raw[i].reason ? c->raw[i].reason : "");
    }
}

static void is_near(const char *kernel, const rft_counters *c, rft_counter counter, double want, double within) {
    double got = c->values[counter];
    if (!(fabs(got - want) <= within * want)) {
        fail_msg("%s: %s is %.10g, want %.10g within %g %%", kernel, rft_counter_name(counter), got, want,
                 within * 100);
    }
}

static void is_exact(const char *kernel, const rft_counters *c, rft_counter counter, double want) {
    if (c->values[counter] != want) {
        fail_msg("%s: %s is %.17g, want %.17g", kernel, rft_counter_name(counter), c->values[counter], want);
    }
}

/* ---- known counts ---- */
static void a_copy_moves_its_bytes(void **state) {
    fixture *f = *state;
    const double bytes = 256.0 * MIB;
    long long n = 256 * MIB / 16;
    rft_device_ptr x = new_memory(f, (uint64_t)bytes), y = new_memory(f, (uint64_t)bytes);
    work_item item = {"copy", (unsigned)(n / 256), 256, {&y, &x, &n}};
    rft_counter_set set;
    OK(rft_counter_set_parse(&set,
                             "default,lts__t_sectors_op_read.sum,lts__t_sectors_op_write.sum,"
                             "lts__t_sectors_srcunit_ltcfabric.sum,lts__lts2xbar_cycles_active.sum",
                             f->on.arena, &failure));
    rft_counters c = count(f, &item, &set);
    show("copy of 256 MiB", &c);
    is_near("copy", &c, RFT_COUNTER_DRAM_READ, bytes, 0.02);
    /* What was written last is still in the L2. */
    assert_true(c.values[RFT_COUNTER_DRAM_WRITE] <= 1.02 * bytes);
    assert_true(c.values[RFT_COUNTER_DRAM_WRITE] >= bytes - (double)f->on.info.l2_bytes);
    is_near("copy", &c, RFT_COUNTER_L2_READ, bytes / 32, 0.02);
    is_near("copy", &c, RFT_COUNTER_L2_WRITE, bytes / 32, 0.02);
    /* Both count one wavefront for each warp that uses none, as seen on an H200 (docs/counters.md). */
    const double warps = (double)n / 32;
    is_near("copy", &c, RFT_COUNTER_L1_LOAD, bytes + 128 * warps, 0.02);
    is_near("copy", &c, RFT_COUNTER_LOAD_BYTES_PER_SECTOR, 32, 0.001);
    is_near("copy", &c, RFT_COUNTER_STORE_BYTES_PER_SECTOR, 32, 0.001);
    is_exact("copy", &c, RFT_COUNTER_FFMA, 0);
    is_exact("copy", &c, RFT_COUNTER_SHARED_WAVEFRONTS, warps);

    rft_work work = {.bytes_read = bytes, .bytes_written = bytes};
    rft_disagreement apart[RFT_DISAGREEMENTS_MAX];
    size_t found = rft_counters_compare(&c, &work, f->on.info.l2_bytes, true, f->on.arena, apart);
    if (found > 0) {
        fail_msg("an honest copy disagrees: %s", apart[0].text);
    }
    work.bytes_read /= 2;
    assert_int_equal(rft_counters_compare(&c, &work, f->on.info.l2_bytes, true, f->on.arena, apart), 1);
    f->on.gpu->vt->free(f->on.gpu, x);
    f->on.gpu->vt->free(f->on.gpu, y);
}

static void a_large_copy_writes_its_bytes(void **state) {
    fixture *f = *state;
    uint64_t bytes = (uint64_t)8192 * MIB;
    if ((uint64_t)f->on.info.memory_free_bytes < 3 * bytes) {
        printf("    too little memory for two buffers of 8 GiB\n");
        skip();
    }
    long long n = (long long)(bytes / 16);
    rft_device_ptr x = new_memory(f, bytes), y = new_memory(f, bytes);
    work_item item = {"copy", (unsigned)(n / 1024), 1024, {&y, &x, &n}};
    rft_counter_set set = rft_counter_set_none();
    set.wanted[RFT_COUNTER_DRAM_READ] = set.wanted[RFT_COUNTER_DRAM_WRITE] = set.wanted[RFT_COUNTER_TIME] = true;
    rft_counters c = count(f, &item, &set);
    show("copy of 8 GiB", &c);
    assert_int_equal(c.passes, 1);
    is_near("copy", &c, RFT_COUNTER_DRAM_READ, (double)bytes, 0.02);
    is_near("copy", &c, RFT_COUNTER_DRAM_WRITE, (double)bytes, 0.02);
    f->on.gpu->vt->free(f->on.gpu, x);
    f->on.gpu->vt->free(f->on.gpu, y);
}

static void a_triad_reads_two_for_one(void **state) {
    fixture *f = *state;
    const double bytes = 256.0 * MIB;
    long long n = 256 * MIB / 16;
    float s = 3;
    rft_device_ptr a = new_memory(f, (uint64_t)bytes), b = new_memory(f, (uint64_t)bytes),
                   c_ = new_memory(f, (uint64_t)bytes);
    work_item item = {"triad", (unsigned)(n / 256), 256, {&a, &b, &c_, &s, &n}};
    rft_counter_set set = rft_counter_set_default();
    rft_counters c = count(f, &item, &set);
    show("triad of 256 MiB", &c);
    is_near("triad", &c, RFT_COUNTER_DRAM_READ, 2 * bytes, 0.02);
    is_near("triad", &c, RFT_COUNTER_L2_READ, 2 * bytes / 32, 0.02);
    is_near("triad", &c, RFT_COUNTER_L2_WRITE, bytes / 32, 0.02);
    is_exact("triad", &c, RFT_COUNTER_FFMA, 4.0 * (double)n);
    is_exact("triad", &c, RFT_COUNTER_FADD, 0);
    rft_traffic traffic = rft_counters_traffic(&c);
    assert_true(traffic.pipe_ops[RFT_PIPE_FP32] == 8.0 * (double)n);
    f->on.gpu->vt->free(f->on.gpu, a);
    f->on.gpu->vt->free(f->on.gpu, b);
    f->on.gpu->vt->free(f->on.gpu, c_);
}

static void operations_are_counted_exactly(void **state) {
    fixture *f = *state;
    rft_device_ptr out = new_memory(f, 64);
    float a = 0.999f, b = 0.001f;
    double a2 = 0.999, b2 = 0.001;
    int rounds = 1000;
    unsigned grid = (unsigned)f->on.info.sms * 8;
    const double threads = grid * 256.0;
    rft_counter_set set = rft_counter_set_default(), alone = rft_counter_set_none();
    work_item fp32 = {"multiply_add", grid, 256, {&out, &a, &b, &rounds}};
    rft_counters c = count(f, &fp32, &set);
    show("multiply_add", &c);
    is_exact("multiply_add", &c, RFT_COUNTER_FFMA, threads * 8 * rounds);
    is_exact("multiply_add", &c, RFT_COUNTER_FADD, threads * 7);
    is_exact("multiply_add", &c, RFT_COUNTER_FMUL, 0);
    is_exact("multiply_add", &c, RFT_COUNTER_DFMA, 0);
    assert_true(c.values[RFT_COUNTER_ISSUE] > 0.5 && c.values[RFT_COUNTER_WARPS_ACTIVE] > 0.3);
    double warp_instructions = c.values[RFT_COUNTER_WARP_INSTRUCTIONS];
    assert_true(warp_instructions > threads / 32 * 8 * rounds && warp_instructions < threads / 32 * 11 * rounds);

    /* Operations are counted in code that CUPTI changed; instructions must not be counted in the same. */
    alone.wanted[RFT_COUNTER_WARP_INSTRUCTIONS] = true;
    c = count(f, &fp32, &alone);
    is_near("multiply_add", &c, RFT_COUNTER_WARP_INSTRUCTIONS, warp_instructions, 0.001);

    work_item fp64 = {"multiply_add_double", grid, 256, {&out, &a2, &b2, &rounds}};
    c = count(f, &fp64, &set);
    is_exact("multiply_add_double", &c, RFT_COUNTER_DFMA, threads * 8 * rounds);
    is_exact("multiply_add_double", &c, RFT_COUNTER_DADD, threads * 7);
    is_exact("multiply_add_double", &c, RFT_COUNTER_FFMA, 0);
    f->on.gpu->vt->free(f->on.gpu, out);
}

static void conflicts_are_counted(void **state) {
    fixture *f = *state;
    rft_device_ptr out = new_memory(f, 64);
    int rounds = 4096;
    const int strides[] = {1, 2, 32};
    unsigned grid = (unsigned)f->on.info.sms * 8;
    rft_counter_set set = rft_counter_set_all();
    for (int i = 0; i < 3; i++) {
        int stride = strides[i];
        work_item item = {"shared_loads", grid, 32, {&out, &stride, &rounds}};
        rft_counters c = count(f, &item, &set);
        const double loads = (double)grid * rounds;
        printf("    stride %d: %.4f wavefronts a load, %.0f conflicts of %.0f wavefronts\n", stride,
               c.values[RFT_COUNTER_SHARED_LOAD_WAVEFRONTS] / c.values[RFT_COUNTER_SHARED_LOADS],
               c.values[RFT_COUNTER_SHARED_CONFLICTS], c.values[RFT_COUNTER_SHARED_WAVEFRONTS]);
        if (stride == 32) {
            show("shared_loads", &c);
        }
        is_near("shared_loads", &c, RFT_COUNTER_SHARED_LOADS, loads, 0.001);
        is_near("shared_loads", &c, RFT_COUNTER_SHARED_LOAD_WAVEFRONTS, loads * stride, 0.01);
        is_near("shared_loads", &c, RFT_COUNTER_SHARED_WAVEFRONTS, loads * stride + 32.0 * grid, 0.02);
        is_near("shared_loads", &c, RFT_COUNTER_SHARED_BYTES, 128.0 * (loads + 32.0 * grid), 0.001);
        if (stride > 1) {
            is_near("shared_loads", &c, RFT_COUNTER_SHARED_CONFLICTS, loads * (stride - 1), 0.02);
        } else {
            assert_true(c.values[RFT_COUNTER_SHARED_CONFLICTS] <= 0.01 * loads);
        }
    }
    f->on.gpu->vt->free(f->on.gpu, out);
}

static void four_useful_bytes_a_sector(void **state) {
    fixture *f = *state;
    const double bytes = 256.0 * MIB;
    long long n = 256 * MIB / 32;
    rft_device_ptr x = new_memory(f, (uint64_t)bytes), y = new_memory(f, (uint64_t)n * 4);
    work_item item = {"one_of_eight", (unsigned)(n / 256), 256, {&y, &x, &n}};
    rft_counter_set set = rft_counter_set_all();
    rft_counters c = count(f, &item, &set);
    show("one_of_eight", &c);
    is_near("one_of_eight", &c, RFT_COUNTER_LOAD_BYTES_PER_SECTOR, 4, 0.001);
    is_near("one_of_eight", &c, RFT_COUNTER_STORE_BYTES_PER_SECTOR, 32, 0.001);
    is_near("one_of_eight", &c, RFT_COUNTER_SECTORS_PER_LOAD, 32, 0.01);
    is_near("one_of_eight", &c, RFT_COUNTER_SECTORS_PER_STORE, 4, 0.01);
    is_near("one_of_eight", &c, RFT_COUNTER_DRAM_READ, bytes, 0.02);
    is_near("one_of_eight", &c, RFT_COUNTER_L2_READ, bytes / 32, 0.02);
    assert_true(c.values[RFT_COUNTER_L1_HIT] < 0.05);
    assert_true(c.values[RFT_COUNTER_TENSOR_BUSY] < 0.01);
    f->on.gpu->vt->free(f->on.gpu, x);
    f->on.gpu->vt->free(f->on.gpu, y);
}

/* ---- what counting costs, and leaves behind ---- */
/* That no time is taken beside it is not for it to see to: tests/measure/test_counting.c,
 * tests/run/test_remote_probe.c.
 */
static void it_ends_without_a_pass_and_opens_again(void **state) {
    fixture *f = *state;
    const rft_clock *clock = rft_clock_system();
    long long n = 256 * MIB / 16;
    rft_device_ptr x = new_memory(f, 256 * MIB), y = new_memory(f, 256 * MIB);
    work_item item = {"copy", (unsigned)(n / 256), 256, {&y, &x, &n}};
    rft_counter_set set = rft_counter_set_default();
    rft_counters out;
    int passes = 0;
    for (int again = 0; again < 2; again++) {
        f->counting->vt->close(f->counting);
        f->counting = NULL;
        int64_t begun_ns = clock->monotonic_ns(clock->self);
        OK(rft_cupti_open(&f->counting, f->on.gpu, NULL, &failure));
        int64_t opened_ns = clock->monotonic_ns(clock->self);
        OK(f->counting->vt->begin(f->counting, &set, &passes, &failure));
        assert_int_not_equal(f->counting->vt->end(f->counting, &out, f->on.arena, &failure), 0); /* no pass was run */
        run(f, &item);
        rft_counters c = count(f, &item, &set);
        printf("    opening: %.1f ms, %d passes\n", (double)(opened_ns - begun_ns) * 1e-6, c.passes);
        is_near("copy", &c, RFT_COUNTER_DRAM_READ, 256.0 * MIB, 0.02);
    }
    f->on.gpu->vt->free(f->on.gpu, x);
    f->on.gpu->vt->free(f->on.gpu, y);
}

static double resident_mib(void) {
    long pages = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    int got = fscanf(file, "%ld %ld", &pages, &resident);
    (void)fclose(file);
    assert_int_equal(got, 2);
    return (double)resident * (double)sysconf(_SC_PAGESIZE) / MIB;
}

static void ten_sessions_leave_nothing(void **state) {
    fixture *f = *state;
    rft_device_ptr out = new_memory(f, 64);
    float a = 0.999f, b = 0.001f;
    int rounds = 100;
    work_item item = {"multiply_add", (unsigned)f->on.info.sms, 256, {&out, &a, &b, &rounds}};
    rft_counter_set set = rft_counter_set_default();
    for (int i = 0; i < 3; i++) {
        count(f, &item, &set);
    }
    uint64_t free_before = 0, free_after = 0;
    OK(f->on.gpu->vt->memory_free(f->on.gpu, &free_before, &failure));
    double host_before = resident_mib();
    for (int i = 0; i < 10; i++) {
        rft_counters c = count(f, &item, &set);
        is_exact("multiply_add", &c, RFT_COUNTER_FFMA, f->on.info.sms * 256.0 * 8 * rounds);
    }
    OK(f->on.gpu->vt->memory_free(f->on.gpu, &free_after, &failure));
    double host_after = resident_mib();
    printf("    10 sessions: device memory %+.1f MiB, host %+.1f MiB\n",
           ((double)free_before - (double)free_after) / MIB, host_after - host_before);
    assert_true((double)free_before - (double)free_after < 4.0 * MIB); /* it is given out by 2 MiB */
    assert_true(host_after - host_before < 10.0);
    f->on.gpu->vt->free(f->on.gpu, out);
}

/* ---- a fault, in another process ---- */
static int fault_child(void) {
    fixture f = {0};
    rft_err err = RFT_ERR_INIT;
    rft_counter_set set = rft_counter_set_default();
    rft_counters out;
    rft_device_ptr nowhere = 64;
    void *values[] = {&nowhere};
    int passes = 0;
    bool again = false;
    alarm(60);
    if (open_device(&f, &err) != 0 || rft_cupti_open(&f.counting, f.on.gpu, NULL, &err) != 0 ||
        f.counting->vt->begin(f.counting, &set, &passes, &err) != 0 || f.counting->vt->start(f.counting, &err) != 0) {
        fprintf(stderr, "%s\n", err.message);
        return 2;
    }
    if (launch_err(&f, "stray", 1, 32, values, &err) != 0) {
        return 3;
    }
    if (f.counting->vt->stop(f.counting, &again, &err) != RFT_E_DEVICE || again || !f.on.gpu->vt->sticky(f.on.gpu)) {
        return 4;
    }
    fprintf(stderr, "    %s\n", err.message);
    if (f.counting->vt->end(f.counting, &out, f.on.arena, &err) != RFT_E_DEVICE) {
        return 5;
    }
    f.counting->vt->close(f.counting);
    f.on.gpu->vt->close(f.on.gpu);
    (void)fflush(NULL);
    _exit(0); /* as a worker ends: a poisoned context is not taken down */
}

static void a_fault_while_counting_is_an_error(void **state) {
    fixture *f = *state;
    int status = 0;
    f->counting->vt->detach(f->counting); /* or the child's device is busy */
    (void)fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        execl("/proc/self/exe", "gpu_counters", "--fault", (char *)NULL);
        _exit(127);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        fail_msg("the child ended with %s %d", WIFEXITED(status) ? "status" : "signal",
                 WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
    }
}

static void the_plan_says_what_is_counted(void **state) {
    fixture *f = *state;
    rft_counter_set sets[2] = {rft_counter_set_default(), rft_counter_set_all()};
    for (int s = 0; s < 2; s++) {
        rft_counter_plan plan;
        OK(f->counting->vt->plan(f->counting, &sets[s], &plan, f->on.arena, &failure));
        printf("    %s, %s: %s set is %zu metrics in %d passes\n", plan.version, plan.chip, s ? "large" : "default",
               plan.metric_count, plan.passes);
        for (int i = 0; i < RFT_COUNTER_COUNT; i++) {
            if (sets[s].wanted[i] && !plan.metrics[i]) {
                printf("      no %s: %s\n", rft_counter_name((rft_counter)i), plan.reasons[i]);
                assert_false(rft_counter_in_default((rft_counter)i));
            }
        }
        assert_true(plan.passes > 0);
    }
}

int gpu_counters(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_plan_says_what_is_counted),  cmocka_unit_test(a_copy_moves_its_bytes),
        cmocka_unit_test(a_large_copy_writes_its_bytes),  cmocka_unit_test(a_triad_reads_two_for_one),
        cmocka_unit_test(operations_are_counted_exactly), cmocka_unit_test(conflicts_are_counted),
        cmocka_unit_test(four_useful_bytes_a_sector),     cmocka_unit_test(it_ends_without_a_pass_and_opens_again),
        cmocka_unit_test(ten_sessions_leave_nothing),     cmocka_unit_test(a_fault_while_counting_is_an_error),
    };
    static fixture the;
    rft_err err = RFT_ERR_INIT;
    if (argc == 2 && strcmp(argv[1], "--fault") == 0) {
        return fault_child();
    }
    int rc = open_device(&the, &err);
    if (rc == 0) {
        rc = rft_cupti_open(&the.counting, the.on.gpu, NULL, &err);
    }
    if (rc == RFT_E_DEVICE || rc == RFT_E_COMPILER || rc == RFT_E_NOT_FOUND || rc == RFT_E_LIMIT) {
        printf("skipped: %s\n  %s\n", err.message, err.remedy);
        return 77;
    }
    if (rc != 0) {
        printf("%s\n", err.message);
        return 1;
    }
    void *shared = &the;
    struct CMUnitTest bound[sizeof tests / sizeof *tests];
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        bound[i] = tests[i];
        bound[i].initial_state = shared;
    }
    int failed = cmocka_run_group_tests(bound, NULL, NULL);
    if (the.counting) {
        the.counting->vt->close(the.counting);
    }
    gpu_device_close(&the.on);
    return failed;
}
