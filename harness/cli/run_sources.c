/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/run_sources.h"

#include "base/fs.h"
#include "base/hash.h"
#include "base/npy.h"
#include "cli/interrupt.h"
#include "gpu/compiler.h"

#include <stdlib.h>
#include <string.h>

static void describe_source(rft_env *env, rft_arena *arena, const char *source, const rft_roots *roots, bool replayed) {
    const char *before = replayed ? "replay." : "";
    rft_err err = RFT_ERR_INIT;
    rft_source_hash *hashes = NULL;
    size_t count = 0;
    if (rft_source_hashes(&hashes, &count, source, roots, arena, &err) != RFT_OK) {
        rft_env_set(env, arena, rft_arena_printf(arena, "%ssource.%s", before, rft_fs_name(source)), NULL, err.message);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const char *kind = i == 0 ? "source" : "header";
        rft_env_set(env, arena, rft_arena_printf(arena, "%s%s.%s", before, kind, hashes[i].name), hashes[i].hex, NULL);
    }
}

/* "source.saxpy.cubin" -> its bytes' hash. */
static void describe_given(rft_env *env, rft_arena *arena, const char *source, const char *before) {
    char *code = NULL, hex[RFT_HASH_HEX_SIZE];
    size_t bytes = 0;
    rft_err err = RFT_ERR_INIT;
    int rc = rft_fs_read(&code, &bytes, source, RFT_GIVEN_BYTES_MAX, &err);
    if (rc == RFT_OK) {
        rft_hash_hex(code, bytes, hex);
    }
    rft_env_set(env, arena, rft_arena_printf(arena, "%ssource.%s", before, rft_fs_name(source)),
                rc == RFT_OK ? rft_arena_strdup(arena, hex) : NULL, rc == RFT_OK ? NULL : err.message);
    free(code);
}

/* ---- what inputs are made of ---- */

/* Distinct paths. */
typedef struct path_list {
    const char **items;
    size_t count, capacity;
    rft_arena *arena;
} path_list;

static void add_path(path_list *list, const char *path) {
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->items[i], path) == 0) {
            return;
        }
    }
    list->items = rft_arena_grown(list->arena, list->items, list->count, &list->capacity, sizeof *list->items);
    list->items[list->count++] = rft_arena_strdup(list->arena, path);
}

/* Of every problem, since a path may depend on it. A script that fails here is told of by its points. */
static void list_inputs(const rft_plan *plan, path_list *sources, path_list *files) {
    for (size_t s = 0; s < plan->sweep_count; s++) {
        const rft_sweep *sweep = plan->sweeps[s];
        for (size_t i = 0; i < sweep->variant_count * sweep->problem_count && sweep->vt && sweep->vt->buffers; i++) {
            rft_arena *arena = rft_arena_new();
            rft_point_spec spec = {0};
            const rft_value *problem = sweep->problems[i % sweep->problem_count].values;
            int rc = sweep->vt->buffers(sweep->self, i / sweep->problem_count, problem, arena, &spec, NULL);
            for (size_t b = 0; rc == RFT_OK && b < spec.buffer_count; b++) {
                const rft_fill *fill = &spec.buffers[b].fill;
                if (fill->kernel) {
                    add_path(sources, fill->kernel->unit.source);
                }
                if (fill->file) {
                    add_path(files, fill->file->path);
                }
            }
            rft_arena_free(arena);
        }
    }
}

/* Two files of one name are told apart by how many there were before. */
static const char *key_of(const path_list *files, size_t i, bool replayed) {
    const char *name = rft_fs_name(files->items[i]), *start = replayed ? "replay." : "";
    size_t before = 0;
    for (size_t k = 0; k < i; k++) {
        before += strcmp(rft_fs_name(files->items[k]), name) == 0;
    }
    return before ? rft_arena_printf(files->arena, "%sdata.%s#%zu", start, name, before + 1)
                  : rft_arena_printf(files->arena, "%sdata.%s", start, name);
}

static bool is_interrupted(void) {
    return rft_interrupt_count() > 0;
}

static void describe_files(rft_env *out, const path_list *files, bool replayed) {
    for (size_t i = 0; i < files->count; i++) {
        char hex[RFT_HASH_HEX_SIZE];
        rft_err err = RFT_ERR_INIT;
        bool read = rft_npy_hash(hex, files->items[i], is_interrupted, &err) == RFT_OK;
        rft_env_set(out, files->arena, key_of(files, i, replayed), read ? hex : NULL, read ? NULL : err.message);
    }
}

/* Of replay.data.x.npy it is x.npy. */
static const char *file_of(const char *key) {
    key += rft_text_starts(key, "replay.") ? strlen("replay.") : 0;
    const char *dot = strchr(key, '.');
    return dot ? dot + 1 : key;
}

/* The file of the first hash that is another now. */
static const char *changed_of(const rft_run *run, const rft_env *now) {
    for (size_t i = 0; i < now->count; i++) {
        const char *before = rft_env_value(&run->env, now->items[i].key);
        if (before && !rft_text_equal(before, now->items[i].value)) {
            return file_of(now->items[i].key);
        }
    }
    return NULL;
}

static void list_given(const rft_plan *plan, path_list *out) {
    for (size_t s = 0; s < plan->sweep_count; s++) {
        for (size_t v = 0; v < plan->sweeps[s]->variant_count; v++) {
            const rft_variant *variant = &plan->sweeps[s]->variants[v];
            if (rft_variant_is_given(variant)) {
                add_path(out, variant->source);
            }
        }
    }
}

const char *rft_run_sources_changed(const rft_run *run, const rft_plan *plan, rft_arena *arena) {
    path_list given = {.arena = arena}, sources = {.arena = arena}, files = {.arena = arena};
    rft_env now = {0};
    bool replayed = run->info.replay_of != NULL;
    list_given(plan, &given);
    list_inputs(plan, &sources, &files);
    for (size_t i = 0; i < given.count; i++) {
        describe_given(&now, arena, given.items[i], replayed ? "replay." : "");
    }
    for (size_t i = 0; i < sources.count; i++) {
        describe_source(&now, arena, sources.items[i], NULL, replayed);
    }
    describe_files(&now, &files, replayed);
    return is_interrupted() ? NULL : changed_of(run, &now);
}

void rft_run_sources_describe(rft_run *run, const rft_plan *plan, const rft_roots *roots, bool replayed) {
    for (size_t s = 0; s < plan->sweep_count; s++) {
        const rft_sweep *sweep = plan->sweeps[s];
        for (size_t v = 0; v < sweep->variant_count; v++) {
            const char *source = sweep->variants[v].source;
            if (source && rft_text_ends(source, ".cu")) { /* the vendor's library has none */
                describe_source(&run->env, run->arena, source, roots, replayed);
            } else if (source && rft_source_is_given(source)) {
                describe_given(&run->env, run->arena, source, replayed ? "replay." : "");
            }
        }
    }
    path_list sources = {.arena = run->arena}, files = {.arena = run->arena};
    list_inputs(plan, &sources, &files);
    for (size_t i = 0; i < sources.count; i++) {
        describe_source(&run->env, run->arena, sources.items[i], roots, replayed);
    }
    describe_files(&run->env, &files, replayed);
}
