/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Started as `PROGRAM worker compile|device N`, like rooftune itself, with the scripted compiler and the scripted GPU
 * behind the seams. What goes wrong is asked for by the option -DFATE=..., which tests/run/scripted_sweep.c passes on.
 *
 * Environment: SCRIPTED_NO_DRIVER=FILE: there is no driver once FILE exists. SCRIPTED_EXIT=N: it ends at once with
 * status N. SCRIPTED_LOG=FILE: each compile appends its options as a line. SCRIPTED_DIE_AT=N: the device worker is
 * killed at the N-th step through the device's table. SCRIPTED_NO_VENDOR=1: there is no vendor library.
 * SCRIPTED_WATTS=N: there is a meter, the device draws so much; without it there is none. SCRIPTED_ANSWER: see
 * answer_filter.h. SCRIPTED_REFERENCE_S=N: the reference takes so many seconds of real time. SCRIPTED_COUNTERS=refused:
 * there is a profiler that may not be used; none: there is none. SCRIPTED_MEMORY_MIB=N: of the device.
 */
#include "run/answer_filter.h"
#include "run/worker/worker.h"

#include "base/fs.h"
#include "base/hash.h"
#include "base/str.h"
#include "run/compile/compile_worker.h"
#include "support/scripted_compiler.h"
#include "support/scripted_counting.h"
#include "support/scripted_gpu.h"
#include "support/scripted_meter.h"
#include "support/scripted_vendor.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { IN_FD = 3, OUT_FD = 4 };
enum { MEMORY_MIB = 16 }; /* the ceilings of each process fill half of it */

static void sleep_for_ever(void) {
    for (;;) {
        pause();
    }
}

/* ---- the compiler ---- */

typedef struct fateful_compiler {
    rft_compiler compiler;
    rft_compiler *inner;
} fateful_compiler;

static bool has_option(const rft_compile_request *request, const char *option) {
    for (size_t i = 0; i < request->option_count; i++) {
        if (strcmp(request->options[i], option) == 0) {
            return true;
        }
    }
    return false;
}

static void log_request(const rft_compile_request *request) {
    const char *path = getenv("SCRIPTED_LOG");
    int fd = path ? open(path, O_WRONLY | O_CREAT | O_APPEND, 0666) : -1;
    if (fd < 0) {
        return;
    }
    rft_str line = RFT_STR_INIT;
    rft_str_add(&line, request->source_name);
    for (size_t i = 0; i < request->option_count; i++) {
        rft_str_addf(&line, " %s", request->options[i]);
    }
    rft_str_add_char(&line, '\n');
    if (write(fd, line.data, line.length) < 0) {
        abort();
    }
    close(fd);
    rft_str_clear(&line);
}

/* As a compiler whose allocation fails. */
static void eat_memory(int mib) {
    enum { MEAL_BYTES = 4 << 20 };
    for (int i = 0; i < mib / 4; i++) {
        void *meal = mmap(NULL, MEAL_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (meal == MAP_FAILED) {
            abort();
        }
        memset(meal, 1, MEAL_BYTES);
    }
}

/* SCRIPTED_BUSY=FOLDER: a worker shows itself there while it compiles, for SCRIPTED_SLOW_MS (200 without it). */
static void be_seen(void) {
    char path[256];
    const char *slow_ms = getenv("SCRIPTED_SLOW_MS");
    const rft_clock *clock = rft_clock_system();
    snprintf(path, sizeof path, "%s/%ld", getenv("SCRIPTED_BUSY"), (long)getpid());
    close(open(path, O_WRONLY | O_CREAT, 0666));
    clock->sleep_ns(clock->self, (slow_ms ? atoi(slow_ms) : 200) * INT64_C(1000000));
    unlink(path);
}

/* Killed the first time; the second time it takes care not to be seen. */
static void die_or_be_alone(void) {
    const rft_clock *clock = rft_clock_system();
    if (answer_filter_strikes()) {
        raise(SIGKILL);
    }
    for (int look = 0; look < 40; look++) {
        char **names = NULL;
        size_t count = 0;
        if (rft_fs_list(&names, &count, getenv("SCRIPTED_BUSY"), NULL, NULL) != RFT_OK || count > 0) {
            exit(1);
        }
        rft_fs_list_free(names, count);
        clock->sleep_ns(clock->self, 10000000);
    }
}

/* SCRIPTED_COMPILE_MS: as long as that at most, by chance: another at every compile, worker and run. */
static void dawdle(void) {
    const char *most_ms = getenv("SCRIPTED_COMPILE_MS");
    const rft_clock *clock = rft_clock_system();
    if (most_ms) {
        uint64_t seed = (uint64_t)clock->monotonic_ns(clock->self) ^ ((uint64_t)getpid() << 40);
        clock->sleep_ns(clock->self, (int64_t)(rft_random_unit(&seed) * 1e6 * atoi(most_ms)));
    }
}

static int compile(rft_compiler *self, const rft_compile_request *request, rft_arena *arena, rft_compile_result *out,
                   rft_err *err) {
    log_request(request);
    dawdle();
    if (has_option(request, "-DFATE=compile_crash")) {
        abort();
    }
    if (has_option(request, "-DFATE=compile_fault")) {
        signal(SIGSEGV, SIG_DFL); /* not a sanitizer's */
        raise(SIGSEGV);
    }
    if (has_option(request, "-DFATE=compile_exit")) {
        exit(1); /* as a library that gives up */
    }
    if (has_option(request, "-DFATE=compile_memory")) {
        eat_memory(1024); /* where there is clearly nothing that stops it */
    }
    if (has_option(request, "-DFATE=compile_hungry")) {
        eat_memory(192);
    }
    if (has_option(request, "-DFATE=compile_slow")) {
        be_seen();
    }
    if (has_option(request, "-DFATE=compile_killed_once")) {
        die_or_be_alone();
    }
    if (has_option(request, "-DFATE=compile_killed")) {
        raise(SIGKILL); /* as by the system, when memory is short */
    }
    if (has_option(request, "-DFATE=compile_endless_once") && answer_filter_strikes()) {
        sleep_for_ever();
    }
    if (has_option(request, "-DFATE=compile_endless")) {
        sleep_for_ever();
    }
    if (has_option(request, "-DFATE=compile_refused") || strcmp(request->source_name, "broken.cu") == 0) {
        *out = (rft_compile_result){.log = "a note\nvictim.cu(3): error: no such \x93type\x94\nand more"};
        return RFT_OK;
    }
    rft_compiler *inner = ((fateful_compiler *)self)->inner;
    int rc = inner->compile(inner, request, arena, out, err);
    if (rc == RFT_OK && out->ok && has_option(request, "-DFATE=much_shared")) {
        out->entries[0].shared_bytes = 1 << 20;
    }
    if (rc == RFT_OK && out->ok && has_option(request, "-DFATE=serialized")) {
        out->log =
            "ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized due to "
            "non wgmma instructions defining accumulator registers in the function 'victim'";
    }
    if (rc == RFT_OK && out->ok && has_option(request, "-DFATE=spills")) {
        out->entries[0].spill_store_bytes = out->entries[0].spill_load_bytes = 48;
    }
    return rc;
}

static const char *version(rft_compiler *self) {
    (void)self;
    return "scripted";
}

static bool knows_arch(rft_compiler *self, const char *arch) {
    (void)self, (void)arch;
    return true;
}

static void free_compiler(rft_compiler *self) {
    rft_compiler *inner = ((fateful_compiler *)self)->inner;
    inner->free(inner);
    free(self);
}

static int compiler_new(void *self, rft_compiler **out, rft_err *err) {
    (void)self, (void)err;
    fateful_compiler *made = rft_alloc(sizeof *made);
    made->compiler =
        (rft_compiler){.compile = compile, .version = version, .knows_arch = knows_arch, .free = free_compiler};
    made->inner = rft_scripted_compiler_new();
    *out = &made->compiler;
    return RFT_OK;
}

/* ---- the device ---- */

static int option_number(const char *cubin, const char *option, int fallback) {
    const char *at = strstr(cubin, option);
    return at ? atoi(at + strlen(option)) : fallback;
}

static bool has_fate(const char *cubin, const char *fate) {
    const char *at = strstr(cubin, "-DFATE=");
    size_t length = strlen(fate);
    return at && strncmp(at + 7, fate, length) == 0 && at[7 + length] == '\n';
}

static rft_scripted_counting *profiler; /* NULL: not opened */
static int64_t last_n;                  /* of the victim */

/* What ends or blocks the process in the middle of counting. */
static void suffer_counting(rft_scripted_gpu *gpu, const char *cubin) {
    if (!profiler || !rft_scripted_counting_is_open(profiler)) {
        return;
    }
    if (has_fate(cubin, "count_killed")) {
        raise(SIGKILL);
    } else if (has_fate(cubin, "count_hangs")) {
        sleep_for_ever();
    } else if (has_fate(cubin, "count_sticky")) {
        rft_scripted_gpu_fault(gpu, "victim", RFT_SCRIPTED_ILLEGAL, 0);
    }
}

/* What happens to a kernel that has run often, as it does under load. */
static double tire(const char *cubin, double seconds) {
    enum { OFTEN = 150 };
    static unsigned runs; /* of one configuration: tests give no other this fate */
    bool often =
        (has_fate(cubin, "tires") || has_fate(cubin, "dawdles") || has_fate(cubin, "exhausts")) && ++runs > OFTEN;
    if (often && has_fate(cubin, "dawdles")) {
        usleep(20000); /* of real time */
    } else if (often && has_fate(cubin, "exhausts")) {
        raise(SIGKILL);
    }
    return often ? 1.25 * seconds : seconds;
}

/* What ends or blocks the process in the middle of a measure. */
static void suffer(rft_scripted_gpu *gpu, const char *cubin) {
    static unsigned runs; /* of the one configuration with the fate "hangs_later" */
    bool changes = has_fate(cubin, "killed_then_exits");
    if (has_fate(cubin, "killed") || (changes && answer_filter_strikes())) {
        raise(SIGKILL);
    } else if (has_fate(cubin, "exits") || changes) {
        _exit(3);
    } else if (has_fate(cubin, "hangs")) {
        sleep_for_ever();
    } else if (has_fate(cubin, "hangs_later") && ++runs > 1) {
        sleep_for_ever();
    } else if (has_fate(cubin, "garbage")) {
        if (write(OUT_FD, "a library printed this where frames belong", 42) != 42) {
            abort();
        }
        sleep_for_ever();
    } else if (has_fate(cubin, "sticky")) {
        rft_scripted_gpu_fault(gpu, "victim", RFT_SCRIPTED_ILLEGAL, 0); /* from the next launch on */
    }
}

/* SCRIPTED_DRIFT_PPM: every launch takes that much longer than the one before, in millionths. SCRIPTED_DRIFT_FROM=FILE:
 * once FILE exists, also in processes that were begun before. */
static double drifted(void) {
    static unsigned launches;
    const char *ppm = getenv("SCRIPTED_DRIFT_PPM"), *from = getenv("SCRIPTED_DRIFT_FROM");
    return 1.0 + (ppm && (!from || rft_fs_exists(from)) ? atof(ppm) * 1e-6 * launches++ : 0.0);
}

/* A latency, then 8 bytes an element at 1 GB/s: SPEED 10 has the least latency, 20 the best rate. In whole
 * microseconds, so that the clock read meanwhile is the same to the last bit whatever was measured before. */
static double knee_s(int64_t n, int speed) {
    int64_t latency_us = 90 + speed, memory_us = n * (200 + abs(speed - 20)) / 25000;
    return (double)(latency_us > memory_us ? latency_us : memory_us) * 1e-6;
}

/* y = 2 x. Every element looked at by a sanitizer was half of what the tests of runs take there: the ends are. */
__attribute__((no_sanitize("address"), no_sanitize("undefined"))) static void double_between(float *y, const float *x,
                                                                                             int64_t n) {
    for (int64_t i = 1; i < n - 1; i++) {
        y[i] = 2.0f * x[i];
    }
}

static void double_all(float *y, const float *x, int64_t n) {
    if (n > 0) {
        y[0] = 2.0f * x[0];
        y[n - 1] = 2.0f * x[n - 1];
    }
    double_between(y, x, n);
}

/* x, y, n: y = 2 x, in SPEED microseconds. */
static void run_victim(rft_scripted_gpu *gpu, const rft_gpu_launch *launch, void *self) {
    (void)self;
    const char *cubin = rft_scripted_cubin(launch);
    const float *x = RFT_SCRIPTED_POINTER(launch, 0, const float);
    float *y = RFT_SCRIPTED_POINTER(launch, 1, float);
    int64_t n = RFT_SCRIPTED_ARG(launch, 2, int64_t);
    suffer(gpu, cubin);
    suffer_counting(gpu, cubin);
    last_n = n;
    double_all(y, x, n);
    if (has_fate(cubin, "wrong") || (has_fate(cubin, "odd_wrong") && n % 2 == 1)) {
        y[n - 1] += 1.0f;
    }
    int speed = option_number(cubin, "-DSPEED=", 10);
    double seconds = has_fate(cubin, "knee") ? knee_s(n, speed) : speed * (has_fate(cubin, "slow") ? 1e-4 : 1e-6);
    rft_scripted_spend(gpu, tire(cubin, seconds * drifted()));
}

static void run_reference(rft_scripted_gpu *gpu, const rft_gpu_launch *launch, void *self) {
    (void)gpu, (void)self;
    const char *seconds = getenv("SCRIPTED_REFERENCE_S");
    if (seconds) {
        rft_clock_system()->sleep_ns(rft_clock_system()->self, (int64_t)(atof(seconds) * 1e9));
    }
    const float *x = RFT_SCRIPTED_POINTER(launch, 0, const float);
    double *y = RFT_SCRIPTED_POINTER(launch, 1, double);
    int64_t n = RFT_SCRIPTED_ARG(launch, 2, int64_t);
    for (int64_t i = 0; i < n; i++) {
        y[i] = 2.0 * x[i];
    }
}

static void run_filler(rft_scripted_gpu *gpu, const rft_gpu_launch *launch, void *self) {
    (void)gpu, (void)self;
    float *x = RFT_SCRIPTED_POINTER(launch, 0, float);
    if (has_fate(rft_scripted_cubin(launch), "fill_hangs")) {
        sleep_for_ever();
    }
    for (uint64_t i = 0; i < RFT_SCRIPTED_ARG(launch, 1, uint64_t); i++) {
        x[i] = (float)((RFT_SCRIPTED_ARG(launch, 2, uint64_t) + i) % 16);
    }
}

/* y = 2 x, as the reference has it. */
static void double_it(const rft_vendor_matmul *matmul, const float *a, const float *b, float *d) {
    (void)b;
    for (int64_t i = 0; i < matmul->m; i++) {
        d[i] = 2.0f * a[i];
    }
}

/* The third of its list is the fastest, the second is wrong, and there are more than are tried. */
static int vendor_open(void *self, rft_gpu *gpu, rft_vendor **out, rft_err *err) {
    static const rft_scripted_vendor_opts opts = {
        .algo_count = 10,
        .seconds = {15e-6, 5e-6, 12e-6, 13e-6, 20e-6, 20e-6, 20e-6, 20e-6, 4e-6, 4e-6},
        .wrong = 2,
        .workspace_bytes = 1024,
        .compute = double_it};
    (void)gpu;
    if (getenv("SCRIPTED_NO_VENDOR")) {
        rft_err_set(err, RFT_E_NOT_FOUND, "the scripted library was not found");
        return rft_err_remedy(err, "unset SCRIPTED_NO_VENDOR");
    }
    *out = rft_scripted_vendor_new(self, &opts);
    return RFT_OK;
}

static int gpu_identify(void *self, rft_arena *arena, rft_gpu_info *out, rft_err *err) {
    const char *without = getenv("SCRIPTED_NO_DRIVER");
    (void)arena;
    if (without && rft_fs_exists(without)) {
        rft_err_set(err, RFT_E_DEVICE, "there is no driver any more");
        return rft_err_remedy(err, "install one");
    }
    *out = rft_scripted_options(self)->info;
    return RFT_OK;
}

/* SCRIPTED_DIES_OPENED=1: the coordinator stands still from here until this process has answered and is dead. */
static void die_behind_the_answer(void) {
    if (getenv("SCRIPTED_DIES_OPENED") && answer_filter_strikes()) {
        kill(getppid(), SIGSTOP);
        ualarm(200000, 0);
    }
}

static int gpu_open(void *self, rft_gpu **out, rft_err *err) {
    rft_scripted_gpu *gpu = self;
    const char *without = getenv("SCRIPTED_NO_DRIVER");
    if (without && rft_fs_exists(without)) {
        rft_err_set(err, RFT_E_DEVICE, "there is no driver any more");
        return rft_err_remedy(err, "install one");
    }
    rft_scripted_gpu_kernel(gpu, "victim", run_victim, NULL);
    rft_scripted_gpu_kernel(gpu, "reference", run_reference, NULL);
    rft_scripted_gpu_kernel(gpu, "filler", run_filler, NULL);
    *out = rft_scripted_gpu_device(gpu);
    die_behind_the_answer();
    return RFT_OK;
}

/* As declared, but that a quarter more is read of vectors of more than 2 MiB. */
static void count_victim(void *self, rft_counters *out) {
    (void)self;
    double bytes = 4.0 * (double)last_n;
    out->values[RFT_COUNTER_TIME] = 1.0;
    out->values[RFT_COUNTER_DRAM_READ] = last_n > (1 << 19) ? 1.25 * bytes : bytes;
    out->values[RFT_COUNTER_DRAM_WRITE] = bytes;
    out->values[RFT_COUNTER_FADD] = 0;
    out->values[RFT_COUNTER_FMUL] = (double)last_n;
    out->values[RFT_COUNTER_FFMA] = 0;
    out->values[RFT_COUNTER_WARPS_ACTIVE] = 0.5;
    out->values[RFT_COUNTER_TENSOR_BUSY] = 0;
}

static int counting_open(void *self, rft_gpu *gpu, rft_counting **out, rft_err *err) {
    const char *how = getenv("SCRIPTED_COUNTERS");
    (void)gpu;
    if (how && strcmp(how, "none") == 0) {
        rft_err_set(err, RFT_E_NOT_FOUND, "there is no CUPTI");
        return rft_err_remedy(err, "install one");
    }
    profiler = rft_scripted_counting_new(self, count_victim, NULL);
    if (how) {
        rft_scripted_counting_fail(profiler, RFT_SCRIPTED_BEGIN, RFT_E_LIMIT, 0);
    }
    *out = rft_scripted_counting_device(profiler);
    return RFT_OK;
}

static int meter_open(void *self, const rft_gpu_info *gpu, rft_meter **out, rft_err *err) {
    const char *watts = getenv("SCRIPTED_WATTS");
    (void)gpu;
    if (!watts) {
        return rft_err_set(err, RFT_E_NOT_FOUND, "there is no meter here");
    }
    rft_scripted_meter *meter = rft_scripted_meter_new(rft_scripted_gpu_clock(self));
    rft_scripted_meter_power(meter, atof(watts));
    *out = rft_scripted_meter_device(meter);
    return RFT_OK;
}

static void die_at(void *self, unsigned call) {
    if (call == *(const unsigned *)self && answer_filter_strikes()) {
        raise(SIGKILL);
    }
}

static void describe(void *self, const rft_gpu_info *gpu, rft_env *env, rft_arena *arena) {
    uint64_t free_bytes = 0;
    rft_gpu *device = rft_scripted_gpu_device(self);
    if (device->vt->memory_free(device, &free_bytes, NULL) == RFT_OK) {
        rft_env_set(env, arena, "scripted.free", rft_arena_printf(arena, "%llu", (unsigned long long)free_bytes), NULL);
    }
    rft_env_set(env, arena, "nvml.power_limit_w", NULL, gpu->name);
    rft_env_set(env, arena, "scripted.pid", rft_arena_printf(arena, "%ld", (long)getpid()), NULL);
}

int main(int argc, char **argv) {
    const char *status = getenv("SCRIPTED_EXIT");
    const char *last_call = getenv("SCRIPTED_DIE_AT");
    unsigned call = last_call ? (unsigned)atoi(last_call) : 0;
    const char *memory_mib = getenv("SCRIPTED_MEMORY_MIB");
    rft_scripted_opts opts = rft_scripted_defaults();
    opts.info.memory_bytes = (int64_t)(memory_mib ? atoi(memory_mib) : MEMORY_MIB) << 20;
    rft_scripted_gpu *gpu = rft_scripted_gpu_new(&opts);
    rft_worker_host host = {.compiler_new = compiler_new,
                            .gpu_identify = gpu_identify,
                            .gpu_open = gpu_open,
                            .describe = describe,
                            .meter_open = meter_open,
                            .counting_open = counting_open,
                            .vendor_open = vendor_open,
                            .clock = rft_scripted_gpu_clock(gpu),
                            .self = gpu};
    rft_err err = RFT_ERR_INIT;
    if (status) {
        _exit(atoi(status));
    }
    int out_fd = answer_filter_start(OUT_FD);
    if (call) {
        rft_scripted_gpu_on_call(gpu, die_at, &call);
    }
    if (argc == 4 && strcmp(argv[1], "worker") == 0 && strcmp(argv[2], "compile") == 0) {
        host.compile_memory_bytes = strtoull(argv[3], NULL, 10);
        return rft_worker_compile(&host, IN_FD, out_fd, &err) == RFT_OK ? 0 : 1;
    }
    if (argc == 4 && strcmp(argv[1], "worker") == 0 && strcmp(argv[2], "device") == 0) {
        return rft_worker_device(&host, IN_FD, out_fd, &err) == RFT_OK ? 0 : 1;
    }
    fprintf(stderr, "scripted_worker is started by tests\n");
    return 2;
}
