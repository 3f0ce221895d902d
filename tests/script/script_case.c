/* SPDX-License-Identifier: Apache-2.0 */
#include "script_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void keep_line(void *self, rft_log_level level, const char *text) {
    script_case *test = self;
    rft_str_addf(&test->said, "%s%s\n", level == RFT_LOG_WARN ? "warning: " : "", text);
}

int case_setup(void **state) {
    script_case *test = rft_alloc(sizeof(*test));
    rft_gpu_info_for_arch(&test->gpu, "sm_90a", &test->err);
    test->log = (rft_log){keep_line, test};
    test->opts = (rft_script_opts){.gpu = &test->gpu, .log = &test->log, .call_limit_s = 5};
    test->arena = rft_arena_new();
    *state = test;
    return 0;
}

int case_teardown(void **state) {
    script_case *test = *state;
    rft_script_free(test->script);
    rft_arena_free(test->arena);
    rft_str_clear(&test->said);
    free(test);
    return 0;
}

int case_try(script_case *test, const char *text) {
    rft_script_free(test->script);
    test->script = NULL;
    rft_err_clear(&test->err);
    return rft_script_load_text(&test->script, CASE_FOLDER "case.lua", text, strlen(text), &test->opts, &test->err);
}

const rft_sweep *case_load(script_case *test, const char *text) {
    int code = case_try(test, text);
    if (code != 0) {
        fail_msg("%s: %s (%s)\nscript:\n%s", test->err.place, test->err.message, test->err.remedy, text);
    }
    return rft_script_sweep(test->script, 0);
}

void case_contains(const char *text, const char *part, const char *file, int line) {
    if (!strstr(text, part)) {
        fail_msg("%s:%d: no \"%s\" in:\n%s", file, line, part, text);
    }
}

void case_refuse(script_case *test, const char *text, int code, const char *place, const char *message,
                 const char *remedy) {
    int got = case_try(test, text);
    if (got != code) {
        fail_msg("expected code %d, got %d: %s: %s\nscript:\n%s", code, got, test->err.place, test->err.message, text);
    }
    assert_null(test->script);
    const char *parts[] = {place, message, remedy};
    const char *texts[] = {test->err.place, test->err.message, test->err.remedy};
    for (int i = 0; i < 3; i++) {
        if (parts[i] && !strstr(texts[i], parts[i])) {
            fail_msg("no \"%s\" in \"%s\"\nscript:\n%s", parts[i], texts[i], text);
        }
    }
}

const char *case_saxpy(const char *kernel, const char *sweep) {
    static char text[8000];
    snprintf(text, sizeof(text),
             "local facts = {\n"
             "  source = 'saxpy.cu', entry = 'saxpy<VEC>', problem = { 'n' },\n"
             "  params = { { 'VEC', 1, 'floats per load' }, { 'BLOCK', 256 } },\n"
             "  buffers = function(p) return { x = input(f32, p.n), y = inout(f32, p.n) } end,\n"
             "  launch = function(p, c, gpu, b)\n"
             "    return { args = { b.x, b.y, f32(2.0), i64(p.n) }, grid = ceil_div(p.n, c.BLOCK * c.VEC),\n"
             "             block = c.BLOCK }\n"
             "  end,\n"
             "  work = function(p) return { fp32 = 2 * p.n, bytes = 12 * p.n } end,\n"
             "  check = { reference = 'saxpy.cu:saxpy_reference' },\n"
             "}\n"
             "local asked = { over = { n = values(2^20, 2^24) },\n"
             "  tune = { VEC = values(1, 2, 4), BLOCK = values(128, 256) } }\n"
             "for key, value in pairs { %s } do facts[key] = value end\n"
             "for key, value in pairs { %s } do asked[key] = value end\n"
             "asked.kernel = kernel(facts)\n"
             "return sweep(asked)\n",
             kernel, sweep);
    return text;
}

int case_point(script_case *test, const rft_value *problem, const rft_value *config) {
    const rft_sweep *sweep = rft_script_sweep(test->script, 0);
    rft_arena_reset(test->arena);
    rft_err_clear(&test->err);
    return sweep->vt->point(sweep->self, 0, problem, config, test->arena, &test->spec, &test->err);
}
