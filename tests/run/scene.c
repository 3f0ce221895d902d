/* SPDX-License-Identifier: Apache-2.0 */
#include "run/scene.h"

#include "base/fs.h"
#include "measure/replay.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- a probe that counts ---- */

typedef struct counting_probe {
    rft_probe probe;
    rft_probe *inner;
    scene *scene;
} counting_probe;

/* "1000 ok 10 0": problem and configuration. */
static void add_place(rft_str *line, const rft_probe_request *request) {
    for (size_t i = 0; i < request->sweep->axis_count; i++) {
        rft_value_format(line, &request->problem->values[i]);
    }
    size_t params = request->config ? request->sweep->variants[request->variant].param_count : 0; /* 0: a baseline */
    for (size_t i = 0; i < params; i++) {
        rft_str_add_char(line, ' ');
        rft_value_format(line, &request->config[i]);
    }
}

/* Who is measured, as a line. It outlives a coordinator that is killed. */
static void log_measure(const char *path, const rft_probe_request *request) {
    rft_str line = RFT_STR_INIT;
    rft_str_addf(&line, "%s %zu round %d: ", request->sweep->name, request->variant, request->round);
    add_place(&line, request);
    rft_str_add_char(&line, '\n');
    scene_append(path, rft_str_get(&line));
    rft_str_clear(&line);
}

static bool is_doomed(const char *doomed, int turn, const rft_probe_request *request) {
    rft_str place = RFT_STR_INIT;
    add_place(&place, request);
    bool fits =
        request->round > 0 && (turn == 0 || request->turn == turn) && rft_text_equal(rft_str_get(&place), doomed);
    rft_str_clear(&place);
    return fits;
}

static int count_measure(rft_probe *self, const rft_probe_request *request, rft_arena *arena, rft_probe_result *out,
                         rft_err *err) {
    counting_probe *counting = (counting_probe *)self;
    counting->scene->measured++;
    counting->scene->loaded += request->load.wanted;
    counting->scene->rival_s = request->rival_s;
    if (counting->scene->measure_log) {
        log_measure(counting->scene->measure_log, request);
    }
    if (counting->scene->doomed && is_doomed(counting->scene->doomed, counting->scene->doomed_turn, request)) {
        *out = (rft_probe_result){.outcome = RFT_OUTCOME_CRASHED, .reason = "doomed", .facts = rft_facts_unknown()};
        return RFT_OK;
    }
    int rc = counting->inner->measure(counting->inner, request, arena, out, err);
    if (counting->scene->measured_hook) {
        counting->scene->measured_hook(counting->scene->hook_payload, request, out);
    }
    return rc;
}

static int pass_ceilings(rft_probe *self, const rft_ceilings_request *request, rft_arena *arena, rft_ceilings *out,
                         rft_err *err) {
    rft_probe *inner = ((counting_probe *)self)->inner;
    return inner->ceilings(inner, request, arena, out, err);
}

static size_t pass_baselines(rft_probe *self, const rft_sweep *sweep, const rft_problem *problem, rft_arena *arena,
                             const rft_baseline ***out) {
    rft_probe *inner = ((counting_probe *)self)->inner;
    return inner->baselines ? inner->baselines(inner, sweep, problem, arena, out) : 0;
}

static int pass_idle(rft_probe *self, const rft_load_order *order, rft_arena *arena, rft_load *out, rft_err *err) {
    counting_probe *counting = (counting_probe *)self;
    counting->scene->idled++;
    return counting->inner->idle(counting->inner, order, arena, out, err);
}

static int pass_device(rft_probe *self, rft_arena *arena, rft_gpu_info *gpu, rft_env *env, rft_err *err) {
    rft_probe *inner = ((counting_probe *)self)->inner;
    return inner->device(inner, arena, gpu, env, err);
}

static void pass_expect(rft_probe *self, const rft_probe_request *request) {
    rft_probe *inner = ((counting_probe *)self)->inner;
    if (inner->expect) {
        inner->expect(inner, request);
    }
}

static void pass_follow(rft_probe *self, size_t processes) {
    counting_probe *counting = (counting_probe *)self;
    counting->scene->followed = processes;
    if (counting->inner->follow) {
        counting->inner->follow(counting->inner, processes);
    }
}

static int pass_count(rft_probe *self, const rft_probe_request *request, const rft_counter_set *set, rft_arena *arena,
                      rft_count_result *out, rft_err *err) {
    counting_probe *counting = (counting_probe *)self;
    counting->scene->counted++;
    return counting->inner->count(counting->inner, request, set, arena, out, err);
}

static void free_counting(rft_probe *self) {
    rft_probe *inner = ((counting_probe *)self)->inner;
    inner->free(inner);
    free(self);
}

static rft_probe *counting(scene *s, rft_probe *inner) {
    counting_probe *made = rft_alloc(sizeof *made);
    made->probe = (rft_probe){.measure = count_measure,
                              .ceilings = pass_ceilings,
                              .idle = pass_idle,
                              .device = pass_device,
                              .count = pass_count,
                              .free = free_counting,
                              .expect = pass_expect,
                              .follow = pass_follow};
    made->probe.baselines = pass_baselines;
    made->inner = inner;
    made->scene = s;
    return &made->probe;
}

/* ---- the scene ---- */

void scene_workers(scene *s, size_t compile_workers) {
    rft_err err = RFT_ERR_INIT;
    rft_probe *remote = NULL;
    assert_int_equal(rft_loop_new(&s->loop, &err), RFT_OK);
    rft_compile_pool_opts pool = {.loop = s->loop, .program = s->program, .workers = compile_workers};
    assert_int_equal(rft_compile_pool_new(&s->pool, &pool, &err), RFT_OK);
    rft_remote_probe_opts opts = {.loop = s->loop, .program = s->program, .grace_s = 0.5};
    assert_int_equal(rft_remote_probe_new(&remote, &opts, &err), RFT_OK);
    s->probe = counting(s, remote);
    s->remote = remote;
    s->opts.pool = s->pool;
}

void scene_open(scene *s, size_t compile_workers) {
    *s = (scene){.arena = rft_arena_new()};
    s->opts.in_order = true; /* so that runs can be compared point by point; test_exec_order has the other way */
    snprintf(s->folder, sizeof s->folder, "/tmp/rooftune-run-XXXXXX");
    assert_non_null(mkdtemp(s->folder));
    s->program = scene_path(s, "worker");
    assert_int_equal(symlink(SCRIPTED_WORKER, s->program), 0);
    scene_file(s, "victim.cu", "");
    scene_file(s, "reference.cu", "");
    scene_file(s, "broken.cu", "");
    scene_workers(s, compile_workers);
}

static void remove_folder(const char *folder) {
    char **names = NULL;
    size_t count = 0;
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(rft_fs_list(&names, &count, folder, NULL, &err), RFT_OK);
    for (size_t i = 0; i < count; i++) {
        char *path = rft_fs_join(folder, names[i]);
        unlink(path);
        free(path);
    }
    rft_fs_list_free(names, count);
    assert_int_equal(rmdir(folder), 0);
}

void scene_close(scene *s) {
    if (s->probe) {
        s->probe->free(s->probe);
    }
    rft_compile_pool_free(s->pool);
    rft_loop_free(s->loop);
    bool ended = scene_wait_end(s, 2); /* what a worker that was ended had started ends a moment later */
    remove_folder(s->folder);
    rft_arena_free(s->arena);
    assert_true(ended);
}

rft_sweep *scene_sweep(scene *s, const scripted_sweep_opts *given) {
    scripted_sweep_opts opts = *given;
    opts.folder = s->folder;
    rft_sweep *sweep = scripted_sweep_new(s->arena, &opts);
    assert_true(s->sweep_count < SCENE_SWEEPS);
    s->sweeps[s->sweep_count++] = sweep;
    return sweep;
}

const char *scene_worker_program(void) {
    return SCRIPTED_WORKER;
}

const char *scene_path(scene *s, const char *name) {
    return rft_arena_printf(s->arena, "%s/%s", s->folder, name);
}

void scene_file(scene *s, const char *name, const char *text) {
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(rft_fs_write_atomic(scene_path(s, name), text, strlen(text), &err), RFT_OK);
}

void scene_append(const char *path, const char *line) {
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0666);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, line, strlen(line)), strlen(line));
    close(fd);
}

/* ---- sessions ---- */

static bool stop(void *payload) {
    scene *s = payload;
    return (s->stop_after && s->reports >= s->stop_after) || (s->stop_measured && s->measured >= s->stop_measured);
}

static void progress(void *payload, const rft_exec_progress *now) {
    scene *s = payload;
    s->went_back = s->went_back || now->done < s->last.done || now->done > now->planned ||
                   now->elapsed_s < s->last.elapsed_s || now->taken < s->last.taken || now->taken > now->done;
    s->reports++;
    s->last = *now;
    if (now->doing) {
        snprintf(s->last_doing, sizeof s->last_doing, "%s", now->doing);
    }
    if (s->progress_hook) {
        s->progress_hook(s->hook_payload, now);
    }
}

static int begin(scene *s, rft_run *run, const rft_plan *plan, uint64_t seed) {
    int rc = s->probe->device(s->probe, run->arena, &run->gpu, &run->env, &s->err);
    if (rc == RFT_OK) {
        run->info.id = run->info.tool_version = run->info.tool_revision = run->info.command = "scripted";
        run->info.seed = seed;
        run->info.started_unix_ns = s->clock ? s->clock->unix_ns(s->clock->self) : 1;
        run->info.replay_of = s->opts.replay ? "scripted" : NULL;
        rft_plan_describe(plan, run);
        if (s->prepare) {
            s->prepare(run);
        }
    }
    return rc;
}

static void free_run(void *run) {
    rft_run_free(run);
}

static void remove_files(const char *path) {
    const char *suffixes[] = {"", "-wal", "-shm", "-journal", "-lock"};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        char name[256];
        snprintf(name, sizeof name, "%s%s", path, suffixes[i]);
        unlink(name);
    }
}

static bool is_empty(const char *path) {
    struct stat status;
    bool empty = stat(path, &status) == 0 && status.st_size == 0;
    if (empty) {
        remove_files(path);
    }
    return empty;
}

/* As `rooftune run` does. */
static int open_run(scene *s, const char *path, const rft_plan *plan, uint64_t seed, rft_store **store) {
    bool there = rft_fs_exists(path) && !is_empty(path);
    int rc = rft_store_open(store, path, there ? RFT_STORE_WRITE : RFT_STORE_CREATE, &s->err);
    rc = rc == RFT_OK && there ? rft_store_read(*store, &s->opts.run, &s->err) : rc;
    if (rc == RFT_E_NOT_FOUND) { /* it ended before it began */
        rft_store_close(*store);
        remove_files(path);
        there = false;
        rc = rft_store_open(store, path, RFT_STORE_CREATE, &s->err);
    }
    if (rc == RFT_OK && !there) {
        s->opts.run = rft_run_new();
        rc = begin(s, s->opts.run, plan, seed);
        rc = rc == RFT_OK ? rft_store_put_run(*store, s->opts.run, &s->err) : rc;
    }
    return rc;
}

int scene_session(scene *s, const char *name, uint64_t seed) {
    rft_plan *plan = NULL;
    rft_store *store = NULL;
    const char *path = scene_path(s, name);
    rft_err_clear(&s->err);
    s->reports = 0;
    s->last = (rft_exec_progress){0};
    s->opts.run = NULL;
    const rft_sweep *sweeps[SCENE_SWEEPS];
    for (size_t i = 0; i < s->sweep_count; i++) {
        s->sweeps[i]->search.seed = seed;
        sweeps[i] = s->sweeps[i];
    }
    int rc = rft_plan_new(&plan, sweeps, s->sweep_count, NULL, &s->err);
    rc = rc == RFT_OK ? open_run(s, path, plan, seed, &store) : rc;
    if (rc == RFT_OK) {
        s->opts.plan = plan;
        s->opts.store = store;
        s->opts.probe = s->probe;
        s->opts.clock = s->clock ? s->clock : rft_clock_system();
        s->opts.stop = stop;
        s->opts.progress = progress;
        s->opts.payload = s;
        rc = rft_exec(&s->opts, &s->stopped, &s->err);
    }
    rft_store_close(store);
    rft_run_free(s->opts.run);
    s->opts.run = NULL;
    rft_plan_free(plan);
    return rc;
}

rft_run *scene_load(scene *s, const char *name) {
    rft_run *run = NULL;
    rft_err err = RFT_ERR_INIT;
    if (rft_store_load(&run, scene_path(s, name), &err) != RFT_OK) {
        fail_msg("%s: %s", err.place, err.message);
    }
    rft_arena_on_free(s->arena, free_run, run);
    return run;
}

rft_run *scene_run(scene *s, const char *name) {
    int rc = scene_session(s, name, 1);
    if (rc != RFT_OK) {
        fail_msg("%d %s: %s (%s)", rc, s->err.place, s->err.message, s->err.remedy);
    }
    assert_false(s->went_back);
    return scene_load(s, name);
}

void scene_replay(scene *s, const char *name) {
    rft_probe *replay = NULL;
    rft_err err = RFT_ERR_INIT;
    s->probe->free(s->probe);
    assert_int_equal(rft_replay_new(&replay, scene_load(s, name), &err), RFT_OK);
    s->probe = counting(s, replay);
    s->measured = 0;
    s->opts.replay = true;
}

int scene_give_ceilings(void *payload, rft_err *err) {
    scene *s = payload;
    const struct {
        rft_ceiling_id id;
        double rate;
    } known[] = {{RFT_CEILING_DRAM_COPY, 1.05e9}, {RFT_CEILING_FP32, 1e12}};
    rft_ceilings *ceilings = &s->opts.run->ceilings;
    for (int i = 0; i < RFT_CEILING_COUNT; i++) {
        ceilings->items[i] = rft_ceiling_none("scripted");
    }
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        ceilings->items[known[i].id].measured = true;
        ceilings->items[known[i].id].reason = NULL;
        ceilings->items[known[i].id].stats = rft_stats_of(&known[i].rate, 1);
    }
    return rft_store_put_ceilings(s->opts.store, ceilings, err);
}

/* ---- points ---- */

const rft_point *scene_point(const rft_run *run, size_t problem, const char *fate, int speed) {
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_point *point = &run->points[i];
        const rft_value *config = point->config;
        if (point->sweep == 0 && point->variant == 0 && point->problem == problem &&
            strcmp(config[PARAM_FATE].as.text, fate) == 0 && config[PARAM_SPEED].as.integer == speed &&
            config[PARAM_COSMETIC].as.integer == 0) {
            return point;
        }
    }
    return NULL;
}

void scene_expect(const rft_run *run, const rft_point *point, rft_outcome outcome, const char *reason_part) {
    assert_non_null(point);
    bool fits = reason_part ? point->reason && strstr(point->reason, reason_part) : !point->reason;
    if (point->outcome != outcome || !fits) {
        rft_arena *arena = rft_arena_new();
        print_error("%s: %s, \"%s\"; expected %s, \"%s\"\n", rft_run_config_text(run, point, true, arena),
                    rft_outcome_name(point->outcome), point->reason ? point->reason : "", rft_outcome_name(outcome),
                    reason_part ? reason_part : "");
        rft_arena_free(arena);
        fail();
    }
}

void scene_expect_once(const rft_run *run) {
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_point *a = &run->points[i];
        assert_int_equal(a->id, i + 1);
        for (size_t k = 0; k < i; k++) {
            const rft_point *b = &run->points[k];
            bool same = a->sweep == b->sweep && a->variant == b->variant && a->problem == b->problem &&
                        rft_values_equal(a->config, b->config, PARAM_COUNT);
            assert_false(same);
        }
    }
}
