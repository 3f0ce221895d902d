/* SPDX-License-Identifier: Apache-2.0 */
/* Launches of several: the work and traffic that each declares for itself. */
#include "script_case.h"

#include <math.h>
#include <stdio.h>

static const char *text_of(const char *first, const char *second) {
    static char text[3000];
    snprintf(text, sizeof(text),
             "return sweep {\n"
             "  kernel = kernel {\n"
             "    source = 'saxpy.cu', entry = { 'one', 'two' }, problem = { 'n' },\n"
             "    buffers = function(p) return { x = input(f32, p.n), y = output(f32, p.n), t = temp(f32, p.n) } end,\n"
             "    launch = function(p, c, gpu, b) return {\n"
             "      memset(b.t, 0),\n"
             "      { args = { b.x, b.t }, grid = 1, block = 64 %s },\n"
             "      { entry = 'two', args = { b.t, b.y }, grid = 1, block = 64 %s },\n"
             "    } end,\n"
             "    work = function(p) return { fp32 = 3 * p.n, sfu = p.n, read = 4 * p.n, write = 4 * p.n } end,\n"
             "    check = { reference = 'saxpy.cu:saxpy_reference' },\n"
             "  },\n"
             "  over = { n = values(1000) },\n"
             "}\n",
             first, second);
    return text;
}

#define FIRST ", work = { fp32 = 3 * p.n, read = 4 * p.n, write = 4 * p.n }"
#define SECOND ", work = { sfu = p.n, read = 4 * p.n, write = 4 * p.n }"

static const rft_launch *spell(script_case *test, const char *text) {
    const rft_sweep *sweep = case_load(test, text);
    if (case_point(test, sweep->problems[sweep->problem_count - 1].values, NULL) != 0) {
        fail_msg("%s: %s", test->err.place, test->err.message);
    }
    assert_int_equal(test->spec.launch_count, 3);
    return test->spec.launches;
}

static void test_each_has_its_own(void **state) {
    script_case *test = *state;
    const rft_launch *launches = spell(test, text_of(FIRST, SECOND ", traffic = { dram = 0, l2 = 8 * p.n }"));
    assert_true(launches[1].has_work && launches[1].work.pipe_ops[RFT_PIPE_FP32] == 3000);
    assert_true(launches[1].work.bytes_read == 4000 && launches[1].work.bytes_written == 4000);
    assert_false(launches[1].traffic.present);
    assert_true(launches[2].has_work && launches[2].work.pipe_ops[RFT_PIPE_SFU] == 1000);
    assert_true(launches[2].traffic.present && launches[2].traffic.evidence == RFT_EVIDENCE_MODELLED);
    assert_true(launches[2].traffic.level_bytes[RFT_LEVEL_DRAM] == 0);
    assert_true(launches[2].traffic.level_bytes[RFT_LEVEL_L2] == 8000);
    assert_false(test->spec.traffic.present); /* the point's is another matter */
    assert_true(test->spec.work.bytes_read == 4000);
}

/* One that declares nothing leaves the sum open. */
static void test_not_every_launch_needs_to(void **state) {
    script_case *test = *state;
    const rft_launch *launches = spell(test, text_of("", ", work = { sfu = 1 }"));
    assert_false(launches[0].has_work); /* the memset: known without */
    assert_false(launches[1].has_work);
    assert_true(launches[2].has_work);
    assert_true(isnan(launches[1].traffic.level_bytes[RFT_LEVEL_DRAM]));
}

static void test_refused(void **state) {
    static const struct {
        const char *first, *second, *message, *remedy;
    } cases[] = {
        {", work = { fp31 = 1 }", "", "launch[2].work.fp31: unknown key, did you mean \"fp32\"?", NULL},
        {", work = { bytes = 1 }", "", "launch[2].work.bytes: stands in the kernel's work only", "read and write"},
        {"", ", work = { items = { 'token', 1 } }", "launch[3].work.items: stands in the kernel's work only", NULL},
        {", work = { read = -1 }", "", "launch[2].work.read", NULL},
        {", work = 7", "", "launch[2].work: expected a table", NULL},
        {", traffic = { l3 = 1 }", "", "launch[2].traffic.l3: unknown key", NULL},
        {", traffic = { dram = 1, dram_read = 1 }", "", "launch[2].traffic: dram is the total", NULL},
        {", work = { fp32 = 2 * p.n, read = 4 * p.n, write = 4 * p.n }", SECOND,
         "launch: the launches' work is 3.000 kop together, the kernel's 4.000 kop", "intermediate results"},
        {", work = { fp32 = 3 * p.n, read = 2 * p.n }", ", work = { sfu = p.n, write = 4 * p.n }",
         "launch: the launches' work is 6.000 kB together, the kernel's 8.000 kB", NULL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        case_refuse(*state, text_of(cases[i].first, cases[i].second), RFT_E_SCRIPT, "case.lua:", cases[i].message,
                    cases[i].remedy);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_each_has_its_own, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_not_every_launch_needs_to, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_refused, case_setup, case_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
