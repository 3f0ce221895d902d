/* SPDX-License-Identifier: Apache-2.0 */
/* NVRTC under the memory limit of compile workers, in the program's own workers: what fits compiles, what does not is
 * one configuration's failure. Skipped where there is no NVRTC. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "run/compile/compile_pool.h"
#include "support/sanitized.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char sound[] = "template <int N> __global__ void k(float *p) {\n"
                            "    float sum = 0;\n"
                            "#pragma unroll\n"
                            "    for (int i = 0; i < N; i++) sum += sinf(p[i * 7]) * p[i];\n"
                            "    p[threadIdx.x] = sum;\n"
                            "}\n";

/* Two million numbers, which take 1 GiB of the compiler. */
static const char hungry[] = "#define N0 1.5f,\n"
                             "#define N1 N0 N0 N0 N0 N0 N0 N0 N0\n"
                             "#define N2 N1 N1 N1 N1 N1 N1 N1 N1\n"
                             "#define N3 N2 N2 N2 N2 N2 N2 N2 N2\n"
                             "#define N4 N3 N3 N3 N3 N3 N3 N3 N3\n"
                             "#define N5 N4 N4 N4 N4 N4 N4 N4 N4\n"
                             "#define N6 N5 N5 N5 N5 N5 N5 N5 N5\n"
                             "#define N7 N6 N6 N6 N6 N6 N6 N6 N6\n"
                             "__device__ const float table[] = {N7};\n"
                             "template <int N> __global__ void k(float *p) { p[0] = table[threadIdx.x + N]; }\n";

typedef struct limited {
    rft_loop *loop;
    rft_compile_pool *pool;
} limited;

static limited open_with(uint64_t memory_bytes, uint64_t alone_bytes) {
    limited l = {0};
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(rft_loop_new(&l.loop, &err), RFT_OK);
    rft_compile_pool_opts opts = {.loop = l.loop,
                                  .program = RFT_ROOFTUNE,
                                  .workers = 1,
                                  .memory_bytes = memory_bytes,
                                  .alone_bytes = alone_bytes};
    assert_int_equal(rft_compile_pool_new(&l.pool, &opts, &err), RFT_OK);
    return l;
}

static void close_it(limited *l) {
    rft_compile_pool_free(l->pool);
    rft_loop_free(l->loop);
}

/* Skips the test where there is no compiler. */
static const rft_compile_result *compile(limited *l, const char *source) {
    static const char *const name = "k<64>";
    const rft_compile_result *result = NULL;
    bool late = false;
    rft_err err = RFT_ERR_INIT;
    rft_compile_request request = {
        .source_name = "k.cu", .source_text = source, .names = &name, .name_count = 1, .arch = "sm_90a"};
    rft_ticket ticket = rft_compile_pool_submit(l->pool, &request, 60);
    int rc = rft_compile_pool_wait(l->pool, ticket, &result, &late, &err);
    if (rc == RFT_E_COMPILER) {
        close_it(l);
        skip();
    }
    if (rc != RFT_OK) {
        fail_msg("%s (%s)", err.message, err.remedy);
    }
    assert_false(late);
    return result;
}

static void a_kernel_compiles_within_the_least_there_is(void **state) {
    (void)state;
    limited l = open_with(64 << 20, 64 << 20); /* the default is 2 GiB or more */
    const rft_compile_result *result = compile(&l, sound);
    assert_string_equal(result->log, "");
    assert_true(result->ok && result->cubin_bytes > 0);
    assert_true(rft_compile_pool_seconds(l.pool) > 0.001);
    close_it(&l);
}

static void a_source_that_takes_more_does_not_compile(void **state) {
    (void)state;
    limited l = open_with(64 << 20, 80 << 20);
    const rft_compile_result *result = compile(&l, hungry);
    assert_false(result->ok);
    const char *told_twice = "twice, the second time alone; it may use at most 80 MiB";
    bool told = strstr(result->log, told_twice) &&
                (strstr(result->log, "out of memory, ") || strstr(result->log, "was ended by signal 6 (Aborted), "));
    if (!told) {
        fail_msg("the log does not say why: %.500s", result->log);
    }
    assert_true(compile(&l, sound)->ok);
    close_it(&l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_compiles_within_the_least_there_is),
        cmocka_unit_test(a_source_that_takes_more_does_not_compile),
    };
    if (SANITIZED) {
        printf("skipped: the sanitizer's allocator has reserved all it will ever use, no limit applies to it\n");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
