/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Part of gpu_language. Given binaries on a real device: a cubin, PTX, and PTX whose kernel calls a function stand
 * beside the template that they were made from, are verified and measured as it is, and are told as what they are; a
 * wrong one is found out; one that has changed is told when the run is continued. The cubin is nvcc's where that is
 * installed, else NVRTC's.
 */
#include "gpu/gpu_given.h"
#include "gpu/real_program.h"

#include "base/fs.h"
#include "model/run/baseline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NVCC "/usr/local/cuda/bin/nvcc"

static const char source[] =
    "__device__ FUNCTION float scaled(float a, float x) { return a * x; }\n"
    "extern \"C\" __global__ void __launch_bounds__(256) saxpy(float a, const float *x, float *y, int n) {\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n) y[i] = y[i] + SIGN scaled(a, x[i]);\n"
    "}\n"
    "extern \"C\" __global__ void saxpy_reference(const float *x, double *y, long long n) {\n"
    "    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;\n"
    "    if (i < n) y[i] = y[i] + 2.0 * x[i];\n"
    "}\n";

static const char sweep[] =
    "local function of(file, name, options)\n"
    "  local block = options and 128 or 256\n"
    "  return kernel {\n"
    "    source = file, name = name, entry = 'saxpy', problem = { 'n' }, options = options,\n"
    "    buffers = function(p) return { x = input(f32, p.n), y = inout(f32, p.n) } end,\n"
    "    launch = function(p, c, gpu, b)\n"
    "      return { grid = ceil_div(p.n, block), block = block, args = { f32(2), b.x, b.y, i32(p.n) } }\n"
    "    end,\n"
    "    work = function(p) return { fp32 = 2 * p.n, read = 8 * p.n, write = 4 * p.n } end,\n"
    "    check = { reference = 'saxpy.cu:saxpy_reference', options = { '-DFUNCTION=', '-DSIGN=' } },\n"
    "  }\n"
    "end\n"
    "return sweep {\n"
    "  variants = {\n"
    "    { 'template', kernel = of('saxpy.cu', 'saxpy', { '-DFUNCTION=', '-DSIGN=' }) },\n"
    "    { 'cubin', kernel = of('given.cubin', 'cubin') },\n"
    "    { 'ptx', kernel = of('given.ptx', 'ptx') },\n"
    "    { 'function', kernel = of('calls.ptx', 'function') },\n"
    "    { 'wrong', kernel = of('wrong.cubin', 'wrong') },\n"
    "  },\n"
    "  over = { n = values(65536, 4194304) }, baseline = of('given.cubin', 'theirs'),\n"
    "}\n";

static void write_text(const char *name, const char *text) {
    char *path = rft_fs_join(real_program_scratch(), name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0 && fclose(file) == 0);
    free(path);
}

/* By `rooftune point --emit`, from a script of one kernel. */
static void build(const char *kind, const char *function, const char *sign, const char *out) {
    char text[1200], arch[16];
    snprintf(
        text, sizeof text,
        "return sweep { over = { n = values(1024) }, kernel = kernel {\n"
        "  source = 'saxpy.cu', entry = 'saxpy', problem = { 'n' }, options = { '-DFUNCTION=%s', '-DSIGN=%s' },\n"
        "  buffers = function(p) return { y = output(f32, p.n) } end, work = function(p) return { fp32 = 1 } end,\n"
        "  launch = function(p, c, gpu, b) return { grid = 1, block = 256 } end,\n"
        "  check = { reference = 'saxpy.cu:saxpy_reference' } } }\n",
        function, sign);
    write_text("build.lua", text);
    snprintf(arch, sizeof arch, "sm_%d", real_program_cc()); /* so that no device is opened */
    real_program_expect(0, WORDS("point", "build.lua", "--arch", arch, "--emit", kind, "-o", out));
}

static bool build_by_nvcc(void) {
    char arch[40];
    snprintf(arch, sizeof arch, "-arch=sm_%d", real_program_cc());
    pid_t child = access(NVCC, X_OK) == 0 ? fork() : -1;
    if (child == 0 && chdir(real_program_scratch()) == 0) {
        execl(NVCC, NVCC, "-cubin", arch, "-DFUNCTION=", "-DSIGN=", "saxpy.cu", "-o", "given.cubin", (char *)NULL);
    }
    if (child == 0) {
        _exit(1);
    }
    int status = 1;
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static const rft_point *best_of(const rft_run *run, size_t variant, size_t problem) {
    const rft_point *best = rft_run_best(run, 0, variant, problem);
    if (!best) {
        fail_msg("nothing measured of %s", run->sweeps[0].sweep.variants[variant].name);
    }
    return best;
}

void given_binaries_are_measured_as_templates_are(void **state) {
    (void)state;
    write_text("saxpy.cu", source);
    write_text("given.lua", sweep);
    bool by_nvcc = build_by_nvcc();
    if (!by_nvcc) {
        build("cubin", "", "", "given.cubin");
    }
    build("ptx", "", "", "given.ptx");
    build("ptx", "__noinline__", "", "calls.ptx");
    build("cubin", "", "-", "wrong.cubin");
    real_program_expect(0, WORDS("run", "given.lua", "-o", "given.db", "--no-report", TIMES_ONLY));
    rft_run *run = real_program_load("given.db");
    const rft_sweep *ran = &run->sweeps[0].sweep;
    size_t last = ran->problem_count - 1;
    const rft_point *first = best_of(run, 0, last), *cubin = best_of(run, 1, last);
    for (size_t v = 0; v < 4; v++) {
        const rft_point *point = best_of(run, v, last);
        printf("    %s%s: %.2f us, %d registers, worst error %.3f\n", ran->variants[v].name,
               v == 1 && by_nvcc ? " (nvcc)" : "", rft_point_median_s(point) * 1e6, point->facts.registers,
               point->verification.worst_frac);
        assert_true(point->verification.done && point->verification.worst_frac <= 1);
        double ratio = rft_point_median_s(point) / rft_point_median_s(v == 0 ? first : cubin);
        assert_true(ratio > 0.7 && ratio < 1.4); /* the template's blocks are half as large: it is 1.5 times slower */
    }
    assert_null(rft_run_best(run, 0, 4, last));
    size_t wrong = 0;
    for (size_t i = 0; i < run->point_count; i++) {
        wrong += run->points[i].variant == 4 && run->points[i].outcome == RFT_OUTCOME_WRONG_RESULT;
    }
    assert_true(wrong > 0);
    rft_baseline like = {.problem = last, .name = "theirs", .which = RFT_BASELINE_BINARY, .same_protocol = true};
    const rft_baseline *theirs = rft_run_find_baseline(run, &like);
    assert_non_null(theirs);
    printf("    as a baseline: %s; %s\n", rft_baseline_label(theirs, run->arena),
           rft_versus_text(run, first, theirs, run->arena));
    assert_true(rft_baseline_is_measured(theirs) && theirs->verification.done && theirs->measurement.n >= 5);
    rft_run_free(run);
    real_program_expect(0, WORDS("show", "given.db"));
    real_program_said(real_program_out(), "given binary");
}

void a_changed_binary_is_told(void **state) {
    (void)state;
    build("cubin", "__noinline__", "", "given.cubin");
    real_program_expect(9, WORDS("run", "given.lua", "-o", "given.db", "--no-report", TIMES_ONLY));
    real_program_said(real_program_err(), "given.cubin is another than when this run began");
}
