/* SPDX-License-Identifier: Apache-2.0 */
/* NVRTC itself: architectures, names, statistics, failures, and that a cubin does not depend on where it was made. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/str.h"
#include "compile/scratch_folder.h"
#include "gpu/compiler.h"

#include <stdio.h>
#include <unistd.h>

typedef struct fixture {
    scratch s;
    rft_compiler *compiler;
    rft_arena *arena;
} fixture;

static const char saxpy[] = "template <int V> __global__ void saxpy(float *y, const float *x, float a, long long n) {\n"
                            "  __shared__ float s[128];\n"
                            "  s[threadIdx.x % 128] = x[threadIdx.x];\n"
                            "  __syncthreads();\n"
                            "  long long i = (blockIdx.x * (long long)blockDim.x + threadIdx.x) * V;\n"
                            "  for (int v = 0; v < V; v++) if (i + v < n) y[i + v] = a * x[i + v] + s[(i + 7) % 128];\n"
                            "}\n"
                            "extern \"C\" __global__ void plain(int *x) { x[threadIdx.x] = SCALE; }\n";

static rft_compile_request request_for(const char *arch, const char *text) {
    return (rft_compile_request){.source_name = "k.cu", .source_text = text, .arch = arch};
}

static rft_compile_result compile(fixture *f, const rft_compile_request *request) {
    rft_compile_result result;
    rft_err err = RFT_ERR_INIT;
    int rc = f->compiler->compile(f->compiler, request, f->arena, &result, &err);
    if (rc != 0) {
        fail_msg("%s", err.message);
    }
    return result;
}

static rft_compile_result compile_one(fixture *f, const char *arch, const char *text, const char *name) {
    rft_compile_request request = request_for(arch, text);
    request.names = &name;
    request.name_count = 1;
    return compile(f, &request);
}

static void every_architecture_compiles(void **state) {
    fixture *f = *state;
    static const char *const archs[] = {"sm_80", "sm_90a", "sm_100a", "sm_120a"};
    static const char *const names[] = {"saxpy<4>", "plain", "saxpy<1 + 1>"};
    static const char *const options[] = {"-DSCALE=3"};
    for (size_t i = 0; i < sizeof archs / sizeof *archs; i++) {
        rft_compile_request request = request_for(archs[i], saxpy);
        request.names = names;
        request.name_count = 3;
        request.options = options;
        request.option_count = 1;
        rft_compile_result result = compile(f, &request);
        assert_true(result.ok);
        assert_string_equal(result.log, "");
        assert_false(result.is_ptx);
        assert_false(result.from_cache);
        assert_true(result.seconds > 0 && result.seconds < 100);
        assert_memory_equal(result.cubin, "\177ELF", 4);
        assert_int_equal(strlen(result.cubin_hash), 64);
        assert_int_equal(result.entry_count, 3);
        assert_string_equal(result.entries[0].name, "saxpy<4>");
        assert_string_equal(result.entries[0].symbol, "_Z5saxpyILi4EEvPfPKffx");
        assert_string_equal(result.entries[1].symbol, "plain");
        assert_string_equal(result.entries[2].symbol, "_Z5saxpyILi2EEvPfPKffx");
        assert_in_range(result.entries[0].registers, 8, 64);
        assert_int_equal(result.entries[0].shared_bytes, 512);
        assert_int_equal(result.entries[0].barriers, 1);
        assert_int_equal(result.entries[0].spill_store_bytes, 0);
        assert_int_equal(result.entries[0].spill_load_bytes, 0);
        assert_int_equal(result.entries[0].stack_bytes, 0);
        assert_in_range(result.entries[1].registers, 1, 16);
        assert_int_equal(result.entries[1].shared_bytes, 0);
        assert_true(f->compiler->knows_arch(f->compiler, archs[i]));
    }
}

/* Whatever is changed in a cubin, reading its parameters stays within it. */
static void sizes_of_parameters_are_told(void **state) {
    fixture *f = *state;
    static const char *const archs[] = {"sm_80", "sm_90a", "sm_100a", "sm_120a"};
    static const uint32_t wanted[] = {8, 1, 12, 4};
    for (size_t i = 0; i < sizeof archs / sizeof *archs; i++) {
        uint32_t sizes[4];
        rft_compile_result result =
            compile_one(f, archs[i],
                        "struct s { int v[3]; };\n"
                        "extern \"C\" __global__ void k(int *x, char c, s t, float r) { x[0] = c + t.v[2] + r; }\n",
                        "k");
        assert_true(result.ok);
        assert_int_equal(rft_cubin_params(result.cubin, result.cubin_bytes, "k", sizes, 4), 4);
        assert_memory_equal(sizes, wanted, sizeof wanted);
        assert_int_equal(rft_cubin_params(result.cubin, result.cubin_bytes, "k", sizes, 3), 0);
        assert_int_equal(rft_cubin_params(result.cubin, result.cubin_bytes, "other", sizes, 4), 0);
        assert_int_equal(rft_cubin_params(".version 9.0", 12, "k", sizes, 4), 0);
        unsigned char *copy = rft_arena_memdup(f->arena, result.cubin, result.cubin_bytes);
        for (size_t b = 0; b < result.cubin_bytes; b++) {
            copy[b] ^= 0xFF;
            assert_in_range(rft_cubin_params(copy, result.cubin_bytes, "k", sizes, 4), 0, 4);
            copy[b] ^= 0xFF;
            assert_in_range(rft_cubin_params(copy, b, "k", sizes, 4), 0, 4);
        }
    }
}

static void spills_and_stack_are_counted(void **state) {
    fixture *f = *state;
    static const char text[] =
        "__global__ void __launch_bounds__(1024) big(float *x, int n) {\n"
        "  float a[300];\n"
        "  for (int i = 0; i < 300; i++) a[i] = x[i * n];\n"
        "  for (int j = 0; j < n; j++) for (int i = 0; i < 300; i++) a[i] = a[i] * a[(i + 7) % 300] + x[j];\n"
        "  for (int i = 0; i < 300; i++) x[i] = a[i];\n"
        "}\n";
    rft_compile_result result = compile_one(f, "sm_90", text, "big");
    assert_true(result.ok);
    assert_int_equal(result.entries[0].registers, 64);
    assert_true(result.entries[0].spill_store_bytes > 100);
    assert_true(result.entries[0].spill_load_bytes > 100);
    assert_true(result.entries[0].stack_bytes >= 1200);
}

/* What the log of a failed compile begins with; -DVEC=4 is given where the entry does not name it. */
static const char *log_of(fixture *f, const char *text, const char *entry, const char *option) {
    rft_compile_request request = request_for("sm_80", text);
    request.names = &entry;
    request.name_count = 1;
    request.options = &option;
    request.option_count = option ? 1 : 0;
    rft_compile_result result = compile(f, &request);
    assert_false(result.ok);
    return result.log;
}

static void failures_are_told_in_the_sweeps_words(void **state) {
    fixture *f = *state;
    static const char two[] = "// __global__ void commented(int *x);\n"
                              "template <int VEC,\n          int FOLD = 1>\n"
                              "__global__ __launch_bounds__(256) void saxpy(float *y) { y[VEC] = FOLD; }\n"
                              "extern \"C\" __global__ void plain(int *x) { x[0] = sizeof \"{;\"; }\n";
    static const struct {
        const char *text, *entry, *option, *said;
    } cases[] = {
        {two, "sapxy<4>", NULL, "rooftune: k.cu has no kernel sapxy; did you mean saxpy?\n"},
        {two, "commented", NULL, "rooftune: k.cu has no kernel commented; its kernels: saxpy, plain\n"},
        {"int x;", "saxpy", NULL, "rooftune: k.cu has no kernel saxpy; its kernels: none\n"},
        {two, "saxpy<Vec>", "-DVEC=4", "rooftune: Vec in entry \"saxpy<Vec>\" is no parameter; did you mean VEC?\n"},
        {two, "saxpy<4, 1, 2>", NULL,
         "rooftune: entry \"saxpy<4, 1, 2>\" does not fit saxpy, which is \"template <int VEC, int FOLD = 1>\"\n"},
        {two, "saxpy", "-DVEC=4",
         "rooftune: entry \"saxpy\" does not fit saxpy, which is \"template <int VEC, int FOLD = 1>\". k.cu(2): VEC is "
         "a macro here (-DVEC=4), since entry does not name it"},
        {two, "plain<4>", NULL, "rooftune: plain is no template: entry = \"plain\"\n"},
        {"namespace deep { __global__ void k() {} }", "k", NULL,
         "rooftune: k is a kernel of k.cu, but not under that name"},
        {"template <int VEC>\n__device__ int other() { return VEC; }\n__global__ void k() {}", "k", "-DVEC=4",
         "rooftune: k.cu(1): VEC is a macro here (-DVEC=4), since entry does not name it"},
        {"\t__global__ void k(int *x,\tint VEC) { x[0] = VEC; }", "k", "-DVEC=4",
         "rooftune: k.cu(1): VEC is a macro here"},
        {"__global__ void k(int *x) { x[0] = BLOCK; }", "k", "-DVEC=4",
         "rooftune: k.cu(1): BLOCK is not defined here; macros here: VEC."},
        {"__global__ void k(int *x) { x[0] = VECT; }", "k", "-DVEC=4",
         "rooftune: k.cu(1): VECT is not defined here; did you mean VEC?"},
        {"__global__ void k(float *x) { x[0] = FLT_MAX; }", "k", "-DVEC=4",
         "rooftune: k.cu(1): FLT_MAX is of a C header"},
        {"__global__ void k(int *x) { x[0] = y; }", "k", "-DVEC=4", "k.cu(1): error: identifier \"y\" is undefined\n"},
        {"__global__ void k(int *x) { x[0] = VEC x[1]; }", "k", "-DVEC=4", "k.cu(1): error: expected a \";\"\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *log = log_of(f, cases[i].text, cases[i].entry, cases[i].option);
        if (!rft_text_starts(log, cases[i].said)) {
            fail_msg("%s: expected %s, found %s", cases[i].entry, cases[i].said, log);
        }
    }
}

/* NVRTC 13.0 leaves it out where it tells statistics. */
static void what_ptxas_refuses_is_told(void **state) {
    fixture *f = *state;
    static const char text[] = "__global__ void k(float *x) {\n  __shared__ float s[20000];\n  s[threadIdx.x] = x[1];\n"
                               "  __syncthreads();\n  x[threadIdx.x] = s[threadIdx.x ^ 1];\n}\n";
    const char *log = log_of(f, text, "k", NULL);
    assert_non_null(strstr(log, "uses too much shared data (0x13880 bytes, 0xc000 max)"));
    assert_non_null(strstr(log, "\nrooftune: arrays of fixed size have 48 KiB"));
    assert_null(strstr(log, "Compiling entry function"));
}

static void toolkit_headers_are_found(void **state) {
    fixture *f = *state;
    static const char text[] =
        "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n#include <cuda_fp8.h>\n#include <mma.h>\n"
        "#include <cooperative_groups.h>\n"
        "__global__ void h(__half2 *x) { x[threadIdx.x] = __hmul2(x[threadIdx.x], x[0]); "
        "cooperative_groups::this_thread_block().sync(); }\n";
    rft_compile_result result = compile_one(f, "sm_90a", text, "h");
    if (!result.ok && strstr(result.log, "cuda_fp16.h")) {
        skip(); /* NVRTC without a toolkit's headers */
    }
    assert_string_equal(result.log, "");
    assert_true(result.ok);
}

static void a_source_that_does_not_compile_is_data(void **state) {
    fixture *f = *state;
    rft_compile_result result = compile_one(f, "sm_80", "__global__ void k(int *x) {\n  x[0] = nosuch;\n}\n", "k");
    assert_false(result.ok);
    assert_null(result.cubin);
    assert_non_null(strstr(result.log, "k.cu(2): error: identifier \"nosuch\" is undefined"));
    assert_null(strstr(result.log, "<source>"));
    assert_null(strstr(result.log, "#line"));

    result = compile_one(f, "sm_80", "#include \"missing.h\"\n__global__ void k() {}\n", "k");
    assert_false(result.ok);
    assert_non_null(strstr(result.log, "missing.h"));
    assert_non_null(strstr(result.log, "beside the source"));

    assert_non_null(strstr(log_of(f, "__global__ void k() {}\n", "k", "-Ofc=nosuch"), "nosuch"));
}

/* The last line of defence, whoever asked: nothing that is not allowed gets as far as NVRTC. */
static void an_option_that_is_not_allowed_is_refused(void **state) {
    fixture *f = *state;
    static const char *const options[] = {"--create-pch=/nowhere/written"};
    rft_compile_request request = request_for("sm_80", "__global__ void k() {}\n");
    rft_compile_result result;
    rft_err err = RFT_ERR_INIT;
    request.options = options;
    request.option_count = 1;
    assert_int_equal(f->compiler->compile(f->compiler, &request, f->arena, &result, &err), RFT_E_SCRIPT);
    assert_non_null(strstr(err.message, "--create-pch"));
}

static void a_name_that_is_no_kernel_is_data(void **state) {
    fixture *f = *state;
    rft_compile_result result = compile_one(f, "sm_80", "template <int A> __global__ void k() {}\n", "other<3>");
    assert_false(result.ok);
    assert_non_null(strstr(result.log, "other"));
}

static void instructions_of_another_architecture_are_data(void **state) {
    fixture *f = *state;
    static const char text[] = "__global__ void w() { asm volatile(\"wgmma.fence.sync.aligned;\"); }\n";
    rft_compile_request request = request_for("sm_90", text);
    rft_compile_result result = compile(f, &request);
    assert_false(result.ok);
    assert_non_null(strstr(result.log, "wgmma.fence"));
    request.arch = "sm_90a";
    result = compile(f, &request);
    assert_true(result.ok);
}

static void architectures_are_known_or_not(void **state) {
    fixture *f = *state;
    assert_true(f->compiler->knows_arch(f->compiler, "sm_86"));
    assert_false(f->compiler->knows_arch(f->compiler, "sm_86a"));
    assert_false(f->compiler->knows_arch(f->compiler, "sm_999"));
    assert_false(f->compiler->knows_arch(f->compiler, "sm_30"));
    assert_false(f->compiler->knows_arch(f->compiler, "gfx90a"));
    assert_false(f->compiler->knows_arch(f->compiler, NULL));
    assert_true(rft_text_starts(f->compiler->version(f->compiler), "1"));
}

static void a_newer_device_gets_ptx(void **state) {
    fixture *f = *state;
    rft_compile_result result = compile_one(f, "sm_990a", "__global__ void k(int *x) { x[0] = __CUDA_ARCH__; }\n", "k");
    assert_true(result.ok);
    assert_true(result.is_ptx);
    assert_non_null(strstr(result.cubin, ".visible .entry _Z1kPi"));
    assert_string_equal(result.entries[0].symbol, "_Z1kPi");
    assert_int_equal(result.entries[0].registers, -1);

    rft_err err = RFT_ERR_INIT;
    rft_compile_request request = request_for("sm_30", "__global__ void k() {}\n");
    assert_int_equal(f->compiler->compile(f->compiler, &request, f->arena, &result, &err), RFT_E_COMPILER);
    assert_non_null(strstr(err.message, "sm_30"));
    assert_true(err.remedy[0] != '\0');
}

static const char with_header[] =
    "#include \"deep/value.cuh\"\n"
    "static __device__ int counter;\n"
    "namespace { __constant__ float table[4] = {1, 2, 3, 4}; }\n"
    "__device__ __noinline__ float pick(float x, int i) { return x * table[i & 3]; }\n"
    "__global__ void k(float *x, int n) { check(n); x[threadIdx.x] = pick(VALUE, n); atomicAdd(&counter, 1); }\n";
static const char header[] = "#pragma once\n#include \"inner.cuh\"\n"
                             "__device__ inline void check(int n) { assert(n > 3); }\n";

static rft_compile_result compile_in(fixture *f, const char *folder, const char *option) {
    static const char *const names[] = {"k"};
    char name[128];
    snprintf(name, sizeof name, "%s/k.cu", folder);
    char *path = scratch_write(&f->s, name, with_header);
    snprintf(name, sizeof name, "%s/deep/value.cuh", folder);
    free(scratch_write(&f->s, name, header));
    snprintf(name, sizeof name, "%s/deep/inner.cuh", folder);
    free(scratch_write(&f->s, name, "#define VALUE 3.0f\n"));
    rft_compile_request request = {.source_name = "k.cu",
                                   .source_path = path,
                                   .names = names,
                                   .name_count = 1,
                                   .options = &option,
                                   .option_count = option ? 1 : 0,
                                   .arch = "sm_90a"};
    rft_compile_result result = compile(f, &request);
    free(path);
    assert_string_equal(result.log, "");
    assert_true(result.ok);
    return result;
}

static void a_cubin_does_not_depend_on_folders(void **state) {
    fixture *f = *state;
    rft_compile_result a = compile_in(f, "one", NULL);
    char here[4096];
    assert_non_null(getcwd(here, sizeof here));
    /* Another working folder, in which a header of the same name must not be taken for the source's. */
    free(scratch_write(&f->s, "deep/value.cuh", "#error wrong header\n"));
    free(scratch_write(&f->s, "deep/inner.cuh", "#error wrong header\n"));
    assert_int_equal(chdir(f->s.folder), 0);
    rft_compile_result b = compile_in(f, "another/and/deeper", NULL);
    assert_int_equal(chdir(here), 0);
    assert_int_equal(a.cubin_bytes, b.cubin_bytes);
    assert_memory_equal(a.cubin, b.cubin, a.cubin_bytes);
    assert_string_equal(a.cubin_hash, b.cubin_hash);
}

static void debug_lines_do_not_enter_the_hash(void **state) {
    fixture *f = *state;
    rft_compile_result a = compile_in(f, "one", "-lineinfo");
    char here[4096];
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(f->s.folder), 0);
    rft_compile_result b = compile_in(f, "two", "-lineinfo");
    assert_int_equal(chdir(here), 0);
    assert_string_equal(a.cubin_hash, b.cubin_hash);
}

static void changed_code_changes_the_hash(void **state) {
    fixture *f = *state;
    static const char *const names[] = {"plain"};
    const char *options[] = {"-DSCALE=3"};
    rft_compile_request request = request_for("sm_80", saxpy);
    request.names = names;
    request.name_count = 1;
    request.options = options;
    request.option_count = 1;
    rft_compile_result a = compile(f, &request);
    options[0] = "-DSCALE=4";
    rft_compile_result b = compile(f, &request);
    options[0] = "-DSCALE=(1 + 2)";
    rft_compile_result c = compile(f, &request);
    assert_string_not_equal(a.cubin_hash, b.cubin_hash);
    assert_string_equal(a.cubin_hash, c.cubin_hash);
}

/* The kernels of the GPU tests are written where no GPU is. */
static void the_gpu_tests_kernels_compile(void **state) {
    fixture *f = *state;
    static const char *const names[] = {"saxpy<4>", "reverse", "meet", "post", "fault_address", "load_tile"};
    static const char *const archs[] = {"sm_80", "sm_90a", "sm_100a", "sm_120a"};
    for (size_t i = 0; i < sizeof archs / sizeof *archs; i++) {
        rft_compile_request request = {.source_name = "gpu_driver.cu",
                                       .source_path = RFT_SOURCE_DIR "/tests/gpu/gpu_driver.cu",
                                       .names = names,
                                       .name_count = i == 0 ? 5 : 6,
                                       .arch = archs[i]};
        rft_compile_result result = compile(f, &request);
        assert_string_equal(result.log, "");
        assert_true(result.ok);
    }
}

static void header_spellings_may_clash(void **state) {
    fixture *f = *state;
    static const char *const names[] = {"k"};
    char *path = scratch_write(&f->s, "clash/k.cu",
                               "#include \"a/one.cuh\"\n#include \"b/two.cuh\"\n#include \"a/value.cuh\"\n"
                               "__global__ void k(int *x) { x[0] = A_VALUE + B_VALUE; }\n");
    free(scratch_write(&f->s, "clash/a/one.cuh", "#include \"value.cuh\"\n"));
    free(scratch_write(&f->s, "clash/b/two.cuh", "#include \"value.cuh\"\n"));
    free(scratch_write(&f->s, "clash/a/value.cuh", "#pragma once\nconstexpr int A_VALUE = 1;\n"));
    free(scratch_write(&f->s, "clash/b/value.cuh", "#pragma once\nconstexpr int B_VALUE = 2;\n"));
    rft_compile_request request = {
        .source_name = "k.cu", .source_path = path, .names = names, .name_count = 1, .arch = "sm_90"};
    rft_compile_result result = compile(f, &request);
    assert_string_equal(result.log, "");
    assert_true(result.ok);
    free(path);
}

static int tear_down(void **state) {
    fixture *f = *state;
    f->compiler->free(f->compiler);
    rft_arena_free(f->arena);
    scratch_remove(f->s.folder);
    return 0;
}

static fixture the_fixture;

static int set_up(void **state) {
    *state = &the_fixture;
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_architecture_compiles),
        cmocka_unit_test(sizes_of_parameters_are_told),
        cmocka_unit_test(spills_and_stack_are_counted),
        cmocka_unit_test(failures_are_told_in_the_sweeps_words),
        cmocka_unit_test(what_ptxas_refuses_is_told),
        cmocka_unit_test(toolkit_headers_are_found),
        cmocka_unit_test(a_source_that_does_not_compile_is_data),
        cmocka_unit_test(an_option_that_is_not_allowed_is_refused),
        cmocka_unit_test(a_name_that_is_no_kernel_is_data),
        cmocka_unit_test(instructions_of_another_architecture_are_data),
        cmocka_unit_test(architectures_are_known_or_not),
        cmocka_unit_test(a_newer_device_gets_ptx),
        cmocka_unit_test(a_cubin_does_not_depend_on_folders),
        cmocka_unit_test(debug_lines_do_not_enter_the_hash),
        cmocka_unit_test(changed_code_changes_the_hash),
        cmocka_unit_test(header_spellings_may_clash),
        cmocka_unit_test(the_gpu_tests_kernels_compile),
    };
    rft_err err = RFT_ERR_INIT;
    if (rft_nvrtc_new(&the_fixture.compiler, NULL, &err) != 0) {
        printf("skipped: %s\n", err.message);
        return 77;
    }
    the_fixture.arena = rft_arena_new();
    if (!scratch_open(&the_fixture.s)) {
        return 1;
    }
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
