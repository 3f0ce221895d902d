/* SPDX-License-Identifier: Apache-2.0 */
#include "run/scene_probe.h"

#include "base/fs.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

long scene_device_worker(scene *s) {
    rft_arena *arena = rft_arena_new();
    rft_gpu_info gpu;
    rft_env env = {0};
    if (s->probe->device(s->probe, arena, &gpu, &env, &s->err) != RFT_OK) {
        fail_msg("%s (%s)", s->err.message, s->err.remedy);
    }
    long id = atol(rft_env_value(&env, "scripted.pid"));
    rft_arena_free(arena);
    return id;
}

/* Found without asking it anything; 0: there is none. */
static long find_device_worker(const scene *s) {
    long ids[16];
    size_t count = scene_processes(s, ids, 16);
    for (size_t i = 0; i < count && i < 16; i++) {
        char path[64];
        char words[256] = "";
        snprintf(path, sizeof path, "/proc/%ld/cmdline", ids[i]);
        FILE *file = fopen(path, "r");
        size_t length = file ? fread(words, 1, sizeof words - 1, file) : 0;
        if (file) {
            fclose(file);
        }
        siginfo_t end;
        bool is_ours = waitid(P_PID, (id_t)ids[i], &end, WEXITED | WNOHANG | WNOWAIT) == 0; /* not an answer filter */
        if (is_ours && memmem(words, length, "\0device", 8)) {
            return ids[i];
        }
    }
    return 0;
}

/* A dying process has lost its command line before it can be waited for: only then is its end known to the loop. */
void scene_lose_device_worker(scene *s) {
    long id = find_device_worker(s);
    siginfo_t end;
    if (id > 0) {
        kill((pid_t)id, SIGKILL);
        assert_int_equal(waitid(P_PID, (id_t)id, &end, WEXITED | WNOWAIT), 0);
    }
}

static const rft_compile_result *compiled(scene *s, const rft_unit_spec *unit) {
    bool late = false;
    rft_compile_request request = {.source_name = "victim.cu",
                                   .source_text = "",
                                   .names = unit->names,
                                   .name_count = unit->name_count,
                                   .options = (const char *const *)unit->options,
                                   .option_count = unit->option_count,
                                   .arch = "sm_90a"};
    const rft_compile_result *result = scene_result(s, rft_compile_pool_submit(s->pool, &request, 10), &late);
    assert_true(result->ok);
    return result;
}

static const rft_compile_result **compiled_fills(scene *s, const rft_point_spec *spec) {
    const rft_compile_result **fills = rft_arena_calloc(s->arena, spec->buffer_count, sizeof *fills);
    for (size_t i = 0; i < spec->buffer_count; i++) {
        const rft_filler *filler = spec->buffers[i].fill.kernel;
        fills[i] = filler ? compiled(s, &filler->unit) : NULL;
    }
    return fills;
}

/* The same code with zeros behind it. */
static const rft_compile_result *longer(scene *s, const rft_compile_result *unit, size_t more_bytes) {
    rft_compile_result *copy = rft_arena_memdup(s->arena, unit, sizeof *unit);
    char *cubin = rft_arena_alloc(s->arena, unit->cubin_bytes + more_bytes);
    memcpy(cubin, unit->cubin, unit->cubin_bytes);
    copy->cubin = cubin;
    copy->cubin_bytes += more_bytes;
    return copy;
}

/* Named by its fate. */
static rft_probe_request request_of(scene *s, const char *fate) {
    s->sweep_count = 0;
    scripted_sweep_opts opts = {.fates = {fate}};
    rft_sweep *sweep = scene_sweep(s, &opts);
    rft_value config[PARAM_COUNT];
    for (size_t i = 0; i < PARAM_COUNT; i++) {
        config[i] = sweep->variants[0].params[i].default_value;
    }
    rft_point_spec *spec = rft_arena_alloc(s->arena, sizeof *spec);
    assert_int_equal(sweep->vt->point(sweep->self, 0, sweep->problems[0].values, config, s->arena, spec, &s->err), 0);
    rft_probe_request request = {.key = fate,
                                 .sweep = sweep,
                                 .problem = &sweep->problems[0],
                                 .config = config,
                                 .spec = spec,
                                 .unit = compiled(s, &spec->unit),
                                 .reference = compiled(s, &spec->check.reference->unit),
                                 .fills = compiled_fills(s, spec),
                                 .problem_key = "n=1000",
                                 .measure = sweep->measure};
    request.measure.point_timeout_s = SCENE_POINT_S;
    request.measure.min_samples = 3;
    request.measure.max_samples = 4;
    return request;
}

static int measure(scene *s, const rft_probe_request *request, rft_probe_result *out) {
    rft_err_clear(&s->err);
    return s->probe->measure(s->probe, request, s->arena, out, &s->err);
}

int scene_measure(scene *s, const char *fate, rft_probe_result *out) {
    rft_probe_request request = request_of(s, fate);
    return measure(s, &request, out);
}

int scene_measure_draw(scene *s, uint64_t draw, rft_probe_result *out) {
    rft_probe_request request = request_of(s, "ok");
    request.draw = draw;
    return measure(s, &request, out);
}

int scene_count(scene *s, const char *fate, const rft_counter_set *set, rft_count_result *out) {
    rft_probe_request request = request_of(s, fate);
    rft_err_clear(&s->err);
    return s->probe->count(s->probe, &request, set, s->arena, out, &s->err);
}

int scene_measure_within(scene *s, const char *fate, double timeout_s, double grace_s, rft_probe_result *out) {
    rft_probe_request request = request_of(s, fate);
    rft_remote_probe_opts opts = {.loop = s->loop, .program = s->program, .grace_s = grace_s};
    rft_probe *probe = NULL;
    request.measure.point_timeout_s = timeout_s;
    rft_err_clear(&s->err);
    assert_int_equal(rft_remote_probe_new(&probe, &opts, &s->err), RFT_OK);
    int rc = probe->measure(probe, &request, s->arena, out, &s->err);
    probe->free(probe);
    return rc;
}

int scene_measure_large(scene *s, size_t more_bytes, rft_probe_result *out) {
    rft_probe_request request = request_of(s, "ok");
    request.unit = longer(s, request.unit, more_bytes);
    return measure(s, &request, out);
}

void scene_expect_next(scene *s, const char *fate) {
    rft_probe_request request = request_of(s, fate);
    request.surely = true;
    s->probe->expect(s->probe, &request);
}

typedef struct scene_next {
    scene *s;
    const char *fate;
} scene_next;

static void expect_next(void *payload) {
    const scene_next *next = payload;
    scene_expect_next(next->s, next->fate);
}

int scene_measure_and_expect(scene *s, const char *fate, const char *next, rft_probe_result *out) {
    scene_next then = {s, next};
    rft_probe_request request = request_of(s, fate);
    request.meanwhile = expect_next;
    request.payload = &then;
    return measure(s, &request, out);
}

rft_ticket scene_submit(scene *s, const char *fate, int number, double timeout_s) {
    static const char *const name = "victim";
    const char *options[] = {rft_arena_printf(s->arena, "-DFATE=%s", fate),
                             rft_arena_printf(s->arena, "-DNUMBER=%d", number)};
    rft_compile_request request = {.source_name = "victim.cu",
                                   .source_text = "",
                                   .names = &name,
                                   .name_count = 1,
                                   .options = options,
                                   .option_count = 2,
                                   .arch = "sm_90a"};
    return rft_compile_pool_submit(s->pool, &request, timeout_s);
}

const rft_compile_result *scene_result(scene *s, rft_ticket ticket, bool *timed_out) {
    const rft_compile_result *result = NULL;
    rft_err err = RFT_ERR_INIT;
    int rc = rft_compile_pool_wait(s->pool, ticket, &result, timed_out, &err);
    if (rc != RFT_OK) {
        fail_msg("%d %s (%s)", rc, err.message, err.remedy);
    }
    return result;
}

size_t scene_lines(scene *s, const char *name) {
    char *text = NULL;
    size_t size = 0, lines = 0;
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(rft_fs_read(&text, &size, scene_path(s, name), 0, &err), RFT_OK);
    for (size_t i = 0; i < size; i++) {
        lines += text[i] == '\n';
    }
    free(text);
    return lines;
}
