/* SPDX-License-Identifier: Apache-2.0 */
/* rooftune's own kernels are compiled before anything of the sweep, when the session measures. */
#include "run/scene.h"

#include "base/fs.h"
#include "measure/protocol.h"

#include <stdlib.h>
#include <string.h>

/* The lines of SCRIPTED_LOG begin with the name of the source. The device worker's are among them, later. */
static size_t lines_before_the_sweep(const char *text) {
    size_t lines = 0;
    while (*text && strncmp(text, "victim.cu ", 10) != 0 && strncmp(text, "reference.cu", 12) != 0) {
        lines++;
        text += strcspn(text, "\n");
        text += *text ? 1 : 0;
    }
    return lines;
}

static char *log_of_session(scene *s, const char *name) {
    char *text = NULL;
    size_t size = 0;
    rft_err err = RFT_ERR_INIT;
    setenv("SCRIPTED_LOG", scene_path(s, name), 1);
    scene_workers(s, 1); /* one compiler: it serves in order */
    scene_run(s, rft_arena_printf(s->arena, "%s.db", name));
    unsetenv("SCRIPTED_LOG");
    assert_int_equal(rft_fs_read(&text, &size, scene_path(s, name), 0, &err), RFT_OK);
    return text;
}

static void end_workers(scene *s) {
    s->probe->free(s->probe);
    rft_compile_pool_free(s->pool);
    rft_loop_free(s->loop);
}

static int no_ceilings(void *payload, rft_err *err) {
    (void)payload, (void)err;
    return RFT_OK;
}

/* The device is asked for its name before the session begins, and opens it later: what it compiles comes after. */
static void own_kernels_come_first(void **state) {
    (void)state;
    scene s;
    size_t ceilings = 0;
    rft_compile_request *requests = NULL;
    scene_open(&s, 1);
    scripted_sweep_opts opts = {.speeds = {10, 20, 30}};
    scene_sweep(&s, &opts);
    rft_gpu_info gpu;
    assert_int_equal(rft_gpu_info_for_arch(&gpu, "sm_90a", NULL), 0);
    size_t units = rft_protocol_units(&gpu, RFT_CEILINGS_ALL, s.arena, &requests, &ceilings);
    assert_true(ceilings > 0 && ceilings < units);
    end_workers(&s);
    char *points = log_of_session(&s, "points");
    assert_int_equal(lines_before_the_sweep(points), ceilings);
    free(points);
    end_workers(&s);
    s.opts.ceilings = no_ceilings;
    char *both = log_of_session(&s, "both");
    assert_int_equal(lines_before_the_sweep(both), units);
    for (size_t i = 0; i < units; i++) {
        assert_non_null(strstr(both, requests[i].source_name));
    }
    free(both);
    scene_close(&s);
}

static void a_replay_needs_none(void **state) {
    (void)state;
    scene s;
    scene_open(&s, 1);
    scripted_sweep_opts opts = {.speeds = {10, 20, 30}};
    scene_sweep(&s, &opts);
    scene_run(&s, "recorded.db");
    end_workers(&s);
    setenv("SCRIPTED_LOG", scene_path(&s, "log"), 1);
    scene_workers(&s, 1);
    scene_replay(&s, "recorded.db");
    scene_run(&s, "replay.db");
    unsetenv("SCRIPTED_LOG");
    char *text = NULL;
    size_t size = 0;
    assert_int_equal(rft_fs_read(&text, &size, scene_path(&s, "log"), 0, &s.err), RFT_OK);
    assert_int_equal(lines_before_the_sweep(text), 0);
    free(text);
    scene_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(own_kernels_come_first), cmocka_unit_test(a_replay_needs_none)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
