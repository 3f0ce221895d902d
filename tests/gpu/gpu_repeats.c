/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every kernel that waits for copies or products of others, launched 1,000 times on a small odd problem and on a small
 * even one: each result is compared with the reference, and its bits with the first launch's. A race that shows once
 * in a thousand launches is found here; compute-sanitizer's racecheck sees no TMA, and the emulator no card.
 */
#include "gpu/gpu_device.h"
#include "gpu/gpu_tests.h"
#include "gpu/real_program.h"
#include "gpu/repeat_cases.h"

#include "base/clock.h"
#include "measure/protocol.h"
#include "run/once.h"
#include "run/worker/remote_probe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REPEATS 1000

typedef struct session {
    rft_arena *arena;
    rft_loop *loop;
    rft_compile_pool *pool;
    rft_probe *probe;
    rft_gpu_info gpu;
    rft_env env;
    repeat_cases cases;
    bool bare;
} session;

static void check(int rc, const rft_err *err) {
    if (rc != RFT_OK) {
        fail_msg("%s: %s", err->place, err->message);
    }
}

/* Without a device everything is compiled for sm_90a and nothing is launched. `here`: the device is this process's. */
static void open_session(session *s, bool has_device, const gpu_device *here) {
    const long cores = here ? 1 : sysconf(_SC_NPROCESSORS_ONLN);
    rft_err err = RFT_ERR_INIT;
    *s = (session){.arena = rft_arena_new(), .bare = here != NULL};
    check(rft_loop_new(&s->loop, &err), &err);
    rft_compile_pool_opts pool = {
        .loop = s->loop, .program = real_program_path(), .workers = cores > 1 ? (size_t)cores : 1};
    rft_roots_add_tree(&pool.roots, real_program_file("sweeps/stream.lua"), s->arena);
    check(rft_compile_pool_new(&s->pool, &pool, &err), &err);
    if (here) {
        check(rft_protocol_new(&s->probe, here->gpu, here->compiler, rft_clock_system(), NULL, &err), &err);
        rft_protocol_bare(s->probe);
        s->gpu = here->info;
    } else if (has_device) {
        const rft_remote_probe_opts probe = {.loop = s->loop, .program = real_program_path()};
        check(rft_remote_probe_new(&s->probe, &probe, &err), &err);
        check(s->probe->device(s->probe, s->arena, &s->gpu, &s->env, &err), &err);
    } else {
        check(rft_gpu_info_for_arch(&s->gpu, "sm_90a", &err), &err);
    }
    repeat_cases_make(&s->cases, &s->gpu, real_program_file, s->bare);
}

static void close_session(session *s) {
    if (s->probe) {
        s->probe->free(s->probe);
    }
    rft_compile_pool_free(s->pool);
    repeat_cases_free(&s->cases);
    rft_loop_free(s->loop);
    rft_arena_free(s->arena);
}

static rft_once_request request_of(const session *s, const repeat_case *c) {
    return (rft_once_request){.sweep = c->sweep,
                              .variant = c->variant,
                              .problem = c->problem,
                              .config = c->config,
                              .gpu = &s->gpu,
                              .pool = s->pool,
                              .probe = s->probe,
                              .bare = s->bare,
                              .repeats = s->probe && !s->bare ? REPEATS : 0};
}

static double now_s(void) {
    const rft_clock *clock = rft_clock_system();
    return (double)clock->monotonic_ns(clock->self) * 1e-9;
}

/* Says what is wrong; true: nothing. */
static bool repeat(session *s, const repeat_case *c) {
    rft_arena *arena = rft_arena_new();
    rft_once_result result;
    rft_err err = RFT_ERR_INIT;
    const rft_once_request request = request_of(s, c);
    double begun_s = now_s();
    check(rft_once(&request, arena, &result, &err), &err);
    const rft_probe_result *probed = &result.probed;
    bool same = probed->repeats_differ == 0 || c->any_order;
    bool good = probed->outcome == RFT_OUTCOME_OK && probed->repeats == request.repeats && same;
    printf("%s %.2f s  %s: %s%s%s", good ? "   " : "BAD", now_s() - begun_s, c->text, rft_outcome_name(probed->outcome),
           probed->reason ? ": " : "", probed->reason ? probed->reason : "");
    printf(probed->repeats_differ ? ", %d of %d have other bits\n" : "\n", probed->repeats_differ, probed->repeats);
    rft_arena_free(arena);
    return good;
}

static void repeat_all(bool has_device) {
    session s;
    size_t bad = 0;
    rft_err err = RFT_ERR_INIT;
    open_session(&s, has_device, NULL);
    for (size_t i = 0; i < s.cases.count; i++) {
        const rft_once_request request = request_of(&s, &s.cases.items[i]);
        check(rft_once_queue(&request, &err), &err);
    }
    for (size_t i = 0; i < s.cases.count; i++) {
        bad += repeat(&s, &s.cases.items[i]) ? 0 : 1;
    }
    printf("%zu points launched %d times, %zu bad\n", s.cases.count, has_device ? REPEATS : 0, bad);
    close_session(&s);
    assert_int_equal(bad, 0);
}

static void all_compile(void **state) {
    (void)state;
    repeat_all(false);
}

static void a_thousand_launches_are_right_and_alike(void **state) {
    (void)state;
    repeat_all(true);
}

/* ---- for a sanitizer ---- */

/* Each point is named before it is launched: what the tool says stands behind its name. */
static bool launch_once(const session *s, const repeat_case *c) {
    rft_arena *arena = rft_arena_new();
    rft_once_result result;
    rft_err err = RFT_ERR_INIT;
    const rft_once_request request = request_of(s, c);
    printf("point %s\n", c->text);
    fflush(stdout);
    int rc = rft_once(&request, arena, &result, &err);
    bool good = rc == RFT_OK && result.probed.outcome == RFT_OUTCOME_OK;
    if (!good) {
        const char *why = rc == RFT_OK ? result.probed.reason : err.message;
        printf("BAD %s: %s\n", c->text, why ? why : "");
    }
    rft_arena_free(arena);
    return good;
}

/* Leaves those points whose text has the word. */
static void keep_word(repeat_cases *cases, const char *word) {
    size_t kept = 0;
    for (size_t i = 0; i < cases->count; i++) {
        if (strstr(cases->items[i].text, word)) {
            cases->items[kept++] = cases->items[i];
        }
    }
    cases->count = kept;
}

/* Part `part` of `parts` of all points that have the word, but for the first `from`, once each: up to the first that
 * fails, behind which the device is of no use to this process. */
static int launch_part(size_t part, size_t parts, size_t from, const char *word) {
    gpu_device device = {0};
    rft_err err = RFT_ERR_INIT;
    session s;
    bool good = true;
    if (gpu_device_open(&device, &err) != RFT_OK) {
        return gpu_device_skipped(&device, &err);
    }
    open_session(&s, true, &device);
    keep_word(&s.cases, word);
    const size_t first = part + from * parts, count = s.cases.count;
    printf("points %zu\n", count > part ? (count - part + parts - 1) / parts : 0);
    for (size_t i = first; i < count; i += parts) {
        const rft_once_request request = request_of(&s, &s.cases.items[i]);
        check(rft_once_queue(&request, &err), &err);
    }
    for (size_t i = first; i < count && good; i += parts) {
        good = launch_once(&s, &s.cases.items[i]);
    }
    close_session(&s);
    gpu_device_close(&device);
    return good ? 0 : 1;
}

/* `gpu_repeats --compile` needs no GPU; `--bare 3 16 0 [WORD]` is sanitize.sh's. */
int gpu_repeats(int argc, char **argv) {
    if (argc > 4 && strcmp(argv[1], "--bare") == 0) {
        return launch_part((size_t)atoi(argv[2]), (size_t)atoi(argv[3]), (size_t)atoi(argv[4]),
                           argc > 5 ? argv[5] : "");
    }
    if (argc > 1 && strcmp(argv[1], "--compile") == 0) {
        const struct CMUnitTest compiles[] = {cmocka_unit_test(all_compile)};
        return cmocka_run_group_tests(compiles, NULL, NULL);
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_thousand_launches_are_right_and_alike)};
    return real_program_tests(tests, sizeof tests / sizeof *tests, 90, "wgmma");
}
