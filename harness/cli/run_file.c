/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/run_file.h"

#include "base/clock.h"
#include "base/fs.h"
#include "base/hash.h"
#include "base/units.h"
#include "cli/asked.h"
#include "cli/compose.h"
#include "cli/device_facts.h"
#include "cli/host_env.h"
#include "cli/import_shards.h"
#include "cli/run_part.h"
#include "cli/run_sources.h"
#include "model/run/run_cards.h"
#include "revision.h"
#include "run/exec.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PART_LENGTH 60 /* bytes of a file's name; parts that share one are told apart by what is stored */

/* "--at n=4096 --variant tiled" -> "-n-4096-tiled": part of a file's name. */
static const char *part_slug(rft_arena *arena, const char *part) {
    rft_str text = RFT_STR_INIT;
    for (const char *c = part; c && *c && text.length < PART_LENGTH; c++) {
        bool option = rft_text_starts(c, "--at ") || rft_text_starts(c, "--set ") || rft_text_starts(c, "--variant ");
        c += option && (c == part || c[-1] == ' ') ? strcspn(c, " ") : 0;
        bool plain = isalnum((unsigned char)*c) || *c == '_';
        if (plain || (text.length == 0 || text.data[text.length - 1] != '-')) {
            rft_str_add_char(&text, plain ? *c : '-');
        }
    }
    const char *slug_text = rft_arena_strdup(arena, rft_str_get(&text));
    rft_str_clear(&text);
    return slug_text;
}

/* "NVIDIA H200" -> "h200": part of a file's name. */
static const char *slug(rft_arena *arena, const char *name) {
    if (strncmp(name, "NVIDIA ", 7) == 0) {
        name += 7;
    }
    char *text = rft_arena_strdup(arena, name);
    for (char *c = text; *c; c++) {
        *c = isalnum((unsigned char)*c) ? (char)tolower((unsigned char)*c) : '-';
    }
    return text;
}

/* "-2-of-8" */
static const char *shard_slug(rft_arena *arena, const char *shard) {
    const char *slash = shard ? strchr(shard, '/') : NULL;
    return slash ? rft_arena_printf(arena, "-%.*s-of-%s", (int)(slash - shard), shard, slash + 1) : "";
}

static const char *default_path(rft_arena *arena, const rft_run_file_opts *opts, int64_t now_ns) {
    char iso[40];
    const rft_plan *plan = opts->plan;
    char *stem = opts->stem                    ? rft_strdup(opts->stem)
                 : plan->sweeps[0]->bare_space ? rft_strdup(slug(arena, plan->sweeps[0]->name))
                                               : rft_fs_stem(plan->sweeps[0]->path);
    rft_units_format_iso(iso, sizeof iso, now_ns);
    iso[10] = '\0'; /* the day */
    const char *path =
        rft_arena_printf(arena, "%s%s%s-%s%s-%s.db", stem, part_slug(arena, opts->part), shard_slug(arena, opts->shard),
                         slug(arena, opts->target->gpu.name), opts->target->recording ? "-replay" : "", iso);
    free(stem);
    return path;
}

static const char *new_id(rft_arena *arena, const rft_clock *clock) {
    char hex[RFT_HASH_HEX_SIZE];
    rft_str text = RFT_STR_INIT;
    rft_str_addf(&text, "%lld %lld %ld", (long long)clock->unix_ns(clock->self),
                 (long long)clock->monotonic_ns(clock->self), (long)getpid());
    rft_hash_hex(text.data, text.length, hex);
    rft_str_clear(&text);
    return rft_arena_strndup(arena, hex, 12);
}

/* A recording's own parts are not those of its replay. */
static bool is_of_parts(const char *key) {
    return rft_text_equal(key, RFT_ENV_SHARD) || rft_text_equal(key, RFT_ENV_SHARDS) ||
           rft_text_equal(key, RFT_ENV_CARDS);
}

static void copy_env(rft_run *run, const rft_env *env) {
    for (size_t i = 0; i < env->count; i++) {
        if (!is_of_parts(env->items[i].key)) {
            rft_env_set(&run->env, run->arena, env->items[i].key, env->items[i].value, env->items[i].reason);
        }
    }
}

static rft_run *begin(rft_cli *cli, const rft_run_file_opts *opts) {
    const rft_clock *clock = rft_clock_system();
    const rft_target *target = opts->target;
    rft_run *run = rft_run_new();
    rft_run_info *info = &run->info;
    info->id = new_id(run->arena, clock);
    info->tool_version = RFT_VERSION;
    info->tool_revision = RFT_REVISION;
    info->command = rft_arena_strdup(run->arena, cli->command_line);
    info->started_unix_ns = clock->unix_ns(clock->self);
    info->seed = opts->plan->sweeps[0]->search.seed;
    run->gpu = rft_gpu_info_copy(run->arena, &target->gpu);
    copy_env(run, &target->env);
    if (target->recording) {
        rft_env host = {0};
        info->replay_of = rft_arena_strdup(run->arena, target->recording->info.id);
        info->replay_path = rft_arena_strdup(run->arena, target->recording_path);
        rft_env_set(&run->env, run->arena, "replay.recording_sha256", target->recording_hash,
                    target->recording_hash ? NULL : "the file could not be read again");
        info->replay_started_unix_ns = target->recording->info.started_unix_ns;
        rft_host_env(&host, run->arena);
        for (size_t i = 0; i < host.count; i++) {
            rft_env_set(&run->env, run->arena, rft_arena_printf(run->arena, "replay.%s", host.items[i].key),
                        host.items[i].value, host.items[i].reason);
        }
        if (target->no_compiler) {
            rft_env_set(&run->env, run->arena, "replay.nvrtc.version", NULL, target->no_compiler);
        }
    } else {
        rft_host_env(&run->env, run->arena);
        const char *memory = rft_device_memory_type(cli, &run->gpu, run->arena);
        rft_env_set(&run->env, run->arena, "gpu.memory_type",
                    memory ? rft_arena_printf(run->arena, "%s, by the datasheet", memory) : NULL,
                    memory ? NULL : "the driver does not say, and no datasheet of the device is known");
    }
    rft_env_set(&run->env, run->arena, "run.lookahead", rft_arena_printf(run->arena, "%d", RFT_LOOKAHEAD), NULL);
    if (opts->part || rft_env_get(&run->env, "run.part")) { /* a recording's own is not this run's */
        rft_env_set(&run->env, run->arena, "run.part", opts->part, opts->part ? NULL : "all of the sweep was replayed");
    }
    if (opts->shard) {
        rft_env_set(&run->env, run->arena, RFT_ENV_SHARD, opts->shard, NULL);
    }
    rft_plan_describe(opts->plan, run);
    rft_run_sources_describe(run, opts->plan, &target->roots, target->recording != NULL);
    for (size_t s = 0; s < run->sweep_count; s++) {
        rft_measure_opts *measure = &run->sweeps[s].sweep.measure;
        if (run->sweeps[s].sweep.bare_space && target->recording && target->recording->sweep_count > 0) {
            measure->cache = target->recording->sweeps[0].sweep.measure.cache; /* a space says nothing of it */
            measure->mode = target->recording->sweeps[0].sweep.measure.mode;
        }
    }
    return run;
}

static int another(rft_err *err, const char *path, const char *what) {
    rft_err_set(err, RFT_E_STORE, "%s", what);
    rft_err_place(err, "%s", path);
    return rft_err_remedy(err, "name another file with -o, or start anew with --fresh");
}

/* The same card; of shards that were put together, one of the same model. */
static bool may_go_on(const rft_run *run, const rft_gpu_info *gpu) {
    return rft_text_equal(run->gpu.uuid, gpu->uuid) ||
           (rft_is_of_shards(run) && rft_text_equal(run->gpu.name, gpu->name) &&
            rft_text_equal(run->gpu.arch, gpu->arch) && run->gpu.sms == gpu->sms);
}

static int same_shard(const char *shard, const rft_run_file_opts *opts, const char *path, rft_err *err) {
    if (rft_text_equal(shard ? shard : "", opts->shard ? opts->shard : "") || (shard && opts->any_shard)) {
        return RFT_OK;
    }
    rft_err_set(err, RFT_E_STORE, shard ? "the file holds shard %s of a run" : "the file holds a whole run%s",
                shard ? shard : "");
    rft_err_place(err, "%s", path);
    return rft_err_remedy(err, "%s%s, name another file with -o, or start anew with --fresh",
                          shard ? "continue with --shard " : "leave out --shard", shard ? shard : "");
}

/* Does the stored run ask the same questions of the same device? */
static int same_questions(const rft_run *run, const rft_run_file_opts *opts, const char *path, rft_err *err) {
    const rft_plan *plan = opts->plan;
    bool same = run->sweep_count == plan->sweep_count;
    for (size_t s = 0; same && s < plan->sweep_count; s++) {
        same = rft_text_equal(run->sweeps[s].sweep.script_hash, plan->sweeps[s]->script_hash) &&
               rft_text_equal(run->sweeps[s].sweep.name, plan->sweeps[s]->name);
    }
    const char *changed = rft_run_sources_changed(run, plan, run->arena);
    if (changed) {
        return another(err, path, rft_arena_printf(run->arena, "%s is another than when this run began", changed));
    }
    if (!same) {
        return another(
            err, path,
            "the file holds a run of another sweep, or of an older text of this one or of a file that it reads");
    }
    if (!may_go_on(run, &opts->target->gpu)) {
        return another(err, path, "the file holds a run on another device");
    }
    if (same_shard(rft_env_value(&run->env, RFT_ENV_SHARD), opts, path, err) != RFT_OK) {
        return RFT_E_STORE;
    }
    if ((run->info.replay_of != NULL) != (opts->target->recording != NULL)) {
        return another(err, path, "the file mixes a measured and a replayed run");
    }
    for (size_t s = 0; same && s < plan->sweep_count; s++) {
        same = rft_run_part_same(&run->sweeps[s].sweep, plan->sweeps[s]);
    }
    if (!same) {
        rft_err_set(err, RFT_E_STORE, "the file holds another part of the sweep: other problems, variants or values");
        rft_err_place(err, "%s", path);
        return rft_err_remedy(err, "continue with its --at, --variant and --set, name another file with -o, or start "
                                   "anew with --fresh");
    }
    return RFT_OK;
}

/* The same, and what it may be asked anew is put into it. */
static int same_run(rft_run *run, const rft_run_file_opts *opts, const char *path, rft_err *err) {
    const rft_plan *plan = opts->plan;
    int rc = same_questions(run, opts, path, err);
    for (size_t s = 0; s < plan->sweep_count && rc == RFT_OK; s++) {
        rc = rft_asked_continue(&run->sweeps[s].sweep, plan->sweeps[s], err);
    }
    if (rc != RFT_OK) {
        rft_err_place(err, "%s", path);
    }
    return rc;
}

static bool is_empty_file(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 0;
}

int rft_run_file_check_ids(const rft_run *run, const char *path, rft_err *err) {
    for (size_t i = 0; i < run->point_count; i++) {
        if (run->points[i].id != (int64_t)i + 1) {
            rft_err_set(err, RFT_E_STORE, "point %lld stands where point %zu should: points were taken out of the file",
                        (long long)run->points[i].id, i + 1);
            rft_err_place(err, "%s", path);
            return rft_err_remedy(err,
                                  "it can be shown; to measure, start anew with --fresh, or name another file with -o");
        }
    }
    return RFT_OK;
}

/* A run that is there and finished needs no writer. RFT_E_NOT_FOUND: there is none, or nothing in it. */
static int look(rft_run_file *out, const rft_run_file_opts *opts, rft_err *err) {
    if (!rft_fs_exists(out->path) || is_empty_file(out->path)) {
        return RFT_E_NOT_FOUND;
    }
    int rc = rft_store_load(&out->run, out->path, err);
    rc = rc == RFT_OK ? same_run(out->run, opts, out->path, err) : rc;
    out->finished = rc == RFT_OK && out->run->info.finished_unix_ns;
    if (!out->finished) {
        rft_run_free(out->run); /* the holder of the lock knows what is in the file */
        out->run = NULL;
    }
    return rc;
}

/* This card's facts in the place of the first shard's: the contenders are measured on it, and so are ceilings. */
static int take_device(rft_run_file *out, const rft_target *target, rft_err *err) {
    rft_run *run = out->run, *empty = rft_run_new();
    rft_run_leave_card(run);
    run->gpu = rft_gpu_info_copy(run->arena, &target->gpu);
    run->ceilings = empty->ceilings;
    copy_env(run, &target->env);
    rft_run_free(empty);
    return rft_store_put_device(out->store, run, err);
}

/* With the lock: what the run before left may have been finished, or replaced, since it was looked at. */
static int resume(rft_run_file *out, const rft_run_file_opts *opts, rft_err *err) {
    int rc = rft_store_read(out->store, &out->run, err);
    rc = rc == RFT_OK ? same_run(out->run, opts, out->path, err) : rc;
    rc = rc == RFT_OK ? rft_run_file_check_ids(out->run, out->path, err) : rc;
    out->continued = out->described = rc == RFT_OK;
    if (rc == RFT_OK && !rft_text_equal(out->run->gpu.uuid, opts->target->gpu.uuid)) {
        rc = take_device(out, opts->target, err);
    }
    if (rc == RFT_OK && opts->any_shard) {
        rft_env_set(&out->run->env, out->run->arena, RFT_ENV_SHARD, opts->shard, NULL);
        rc = rft_store_put_device(out->store, out->run, err);
    }
    if (rc == RFT_OK && out->run->info.finished_unix_ns) {
        rft_store_close(out->store);
        out->store = NULL;
        out->finished = true;
        return RFT_OK;
    }
    return rc == RFT_OK ? rft_store_put_asked(out->store, out->run, err) : rc;
}

/* What cannot be read is no other run: rft_run_file_open() says why. */
static bool holds_another(const char *path, const rft_run_file_opts *opts, rft_err *why) {
    rft_run *run = NULL;
    if (!rft_fs_exists(path) || is_empty_file(path) || rft_store_load(&run, path, NULL) != RFT_OK) {
        return false;
    }
    int rc = same_questions(run, opts, path, why);
    rft_run_free(run);
    return rc != RFT_OK;
}

const char *rft_run_file_path(rft_cli *cli, const rft_run_file_opts *opts, rft_arena *arena) {
    const rft_clock *clock = rft_clock_system();
    if (opts->output) {
        return opts->output;
    }
    const char *first = default_path(arena, opts, clock->unix_ns(clock->self)), *path = first;
    rft_err why = RFT_ERR_INIT;
    for (int next = 2; !opts->fresh && holds_another(path, opts, path == first ? &why : NULL); next++) {
        path = rft_arena_printf(arena, "%.*s-%d.db", (int)(strlen(first) - strlen(".db")), first, next);
    }
    if (path != first) {
        fprintf(cli->talk, "%s: %s; it stays, and this run is %s\n", why.place, why.message, path);
    }
    return path;
}

int rft_run_file_open(rft_run_file *out, rft_cli *cli, const rft_run_file_opts *opts, rft_err *err) {
    *out = (rft_run_file){.path = opts->output};
    int rc = opts->fresh ? RFT_E_NOT_FOUND : look(out, opts, err);
    if ((rc != RFT_OK && rc != RFT_E_NOT_FOUND) || out->finished) {
        return rc;
    }
    rc = rft_store_open(&out->store, out->path, opts->fresh ? RFT_STORE_FRESH : RFT_STORE_BEGIN, err);
    if (rc != RFT_OK) {
        return rc;
    }
    if (!rft_store_is_new(out->store)) {
        return resume(out, opts, err);
    }
    out->run = begin(cli, opts);
    return RFT_OK;
}

int rft_run_file_describe(rft_run_file *file, rft_err *err) {
    int rc = rft_store_put_run(file->store, file->run, err);
    file->described = rc == RFT_OK;
    return rc;
}

int rft_run_file_complete(rft_run_file *file, rft_err *err) {
    return file->store ? rft_store_complete(file->store, err) : RFT_OK;
}

void rft_run_file_close(rft_run_file *file) {
    if (file->described) {
        rft_store_close(file->store);
    } else {
        rft_store_discard(file->store);
    }
    rft_run_free(file->run);
    *file = (rft_run_file){0};
}
