/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz/commands/samples.h"

#include "base/fs.h"
#include "base/hash.h"
#include "base/str.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 12, RECORDING_MAX_BYTES = 1200000 };

static void add(samples *to, family of, const char *name, const char *data, size_t size) {
    RFT_GROW(to->items[of], to->capacity[of], to->count[of] + 1);
    to->items[of][to->count[of]++] =
        (sample){rft_arena_strdup(to->arena, name), rft_arena_memdup(to->arena, data, size), size};
}

/* Every file in SOURCE/FOLDER that ends so. */
static int add_files(samples *to, family of, const char *source, const char *below, const char *suffix) {
    char *folder = rft_fs_join(source, below);
    char **names = NULL;
    size_t count = 0;
    rft_err err = RFT_ERR_INIT;
    int rc = rft_fs_list(&names, &count, folder, suffix, &err);
    for (size_t i = 0; rc == RFT_OK && i < count; i++) {
        char *path = rft_fs_join(folder, names[i]), *stem = rft_fs_stem(names[i]), *data = NULL;
        size_t size = 0;
        rc = rft_fs_is_folder(path) ? RFT_OK : rft_fs_read(&data, &size, path, 0, &err);
        if (data) {
            add(to, of, stem, data, size);
        }
        free(data);
        free(stem);
        free(path);
    }
    rft_fs_list_free(names, count);
    free(folder);
    if (rc != RFT_OK) {
        fprintf(stderr, "%s\n", err.message);
    }
    return rc;
}

/* The place of an id among those that are kept, from 1; 0: gone. */
static json_int_t new_id(const bool *kept, size_t count, json_int_t id) {
    json_int_t place = 0;
    for (size_t i = 0; i < count && (json_int_t)i < id; i++) {
        place += kept[i];
    }
    return id >= 1 && (size_t)id <= count && kept[id - 1] ? place : 0;
}

/* Points that can go on in a run have ids without gaps. */
static void renumber(json_t *list, const bool *kept, size_t count) {
    for (size_t i = 0; i < json_array_size(list); i++) {
        json_t *id = json_array_get(list, i);
        json_integer_set(id, new_id(kept, count, json_integer_value(id)));
    }
}

static void keep_rows(json_t *list, const bool *kept, size_t count) {
    for (size_t i = count; i-- > 0;) {
        if (!kept[i]) {
            json_array_remove(list, i);
        }
    }
}

/* Counters, loads and readings of points that are gone. */
static void keep_named(json_t *list, const bool *kept, size_t count) {
    for (size_t i = json_array_size(list); i-- > 0;) {
        json_t *point = json_object_get(json_array_get(list, i), "point");
        const json_int_t id = new_id(kept, count, json_integer_value(point));
        if (json_is_integer(point) && id == 0) {
            json_array_remove(list, i);
        } else {
            json_integer_set(point, id);
        }
    }
}

/* Points are numbered from 1 in the order of the lists in the recordings of the tree. */
void samples_cut(json_t *recording, size_t points) {
    json_t *own = json_object_get(recording, "rooftune"), *columns = json_object_get(own, "points");
    size_t count = json_array_size(json_object_get(recording, "results"));
    bool *kept = rft_calloc(count + 1, sizeof *kept);
    const json_t *aliases = json_object_get(columns, "alias_of");
    for (size_t i = 0; i < points && count; i++) {
        size_t at = i * count / points;
        json_int_t alias = json_integer_value(json_array_get(aliases, at));
        kept[at] = true;
        if (alias >= 1 && (size_t)alias <= count) {
            kept[alias - 1] = true;
        }
    }
    const char *key = NULL;
    json_t *column = NULL;
    json_object_foreach(columns, key, column) {
        if (json_array_size(column) == count) {
            keep_rows(column, kept, count);
        }
    }
    keep_rows(json_object_get(recording, "results"), kept, count);
    keep_named(json_object_get(own, "counters"), kept, count);
    keep_named(json_object_get(own, "loads"), kept, count);
    keep_named(json_object_get(own, "references"), kept, count);
    renumber(json_object_get(columns, "id"), kept, count);
    renumber(json_object_get(columns, "alias_of"), kept, count);
    json_object_set_new(columns, "count",
                        json_integer((json_int_t)json_array_size(json_object_get(recording, "results"))));
    free(kept);
}

static int add_recording(samples *to, const char *path, const char *name) {
    json_t *tree = NULL;
    char *text = NULL;
    size_t size = 0;
    rft_err err = RFT_ERR_INIT;
    int rc = rft_fs_read_gzip(&text, &size, path, 0, &err);
    rc = rc == RFT_OK && size <= RECORDING_MAX_BYTES ? rft_json_parse(&tree, text, size, path, &err) : rc;
    free(text);
    if (tree) {
        samples_cut(tree, POINTS);
        text = rft_json_dump(tree, &size);
        add(to, FAMILY_RECORDING, name, text, size);
        free(text);
        json_decref(tree);
    }
    if (rc != RFT_OK) {
        fprintf(stderr, "%s\n", err.message);
    }
    return rc;
}

static int add_recordings(samples *to, const char *source) {
    char *folder = rft_fs_join(source, "sweeps/recorded/nvidia-h200");
    char **names = NULL;
    size_t count = 0;
    int rc = rft_fs_list(&names, &count, folder, ".json.gz", NULL);
    for (size_t i = 0; rc == RFT_OK && i < count; i++) {
        char *path = rft_fs_join(folder, names[i]);
        names[i][strlen(names[i]) - strlen(".json.gz")] = '\0';
        rc = add_recording(to, path, names[i]);
        free(path);
    }
    rft_fs_list_free(names, count);
    free(folder);
    malloc_trim(0); /* a child's peak begins with what this process has */
    return rc;
}

/* A run file of each recording, made by the program. */
static int add_run_files(samples *to, const workplace *place) {
    const char *const words[] = {"import", "made.json", "-o", "made.db", NULL};
    char *in = rft_fs_join(place->folder, "made.json"), *made = rft_fs_join(place->folder, "made.db");
    int rc = 0;
    for (size_t i = 0; !rc && i < to->count[FAMILY_RECORDING]; i++) {
        const sample *recording = &to->items[FAMILY_RECORDING][i];
        execution done;
        char *data = NULL;
        size_t size = 0;
        rc = rft_fs_put(in, recording->data, recording->size, true, NULL);
        execute(&done, place, words, 60);
        rc = rc || done.status != 0 || rft_fs_read(&data, &size, made, 0, NULL) != RFT_OK;
        if (rc) {
            fprintf(stderr, "%s could not be imported: status %d\n%s", recording->name, done.status,
                    rft_str_get(&done.err));
        } else {
            add(to, FAMILY_RUN_FILE, recording->name, data, size);
        }
        free(data);
        execution_clear(&done);
        rft_fs_remove(made, NULL);
    }
    rft_fs_remove(in, NULL);
    free(in);
    free(made);
    return rc;
}

int samples_load(samples *out, const char *source, const workplace *place, rft_arena *arena) {
    static const struct {
        family of;
        const char *folder, *suffix;
    } kept[] = {
        {FAMILY_SWEEP, "sweeps", ".lua"},
        {FAMILY_SWEEP, "tests/fuzz/corpus/script", NULL},
        {FAMILY_MIX, "docs/examples", "ode.lua"},
        {FAMILY_MIX, "docs/examples", "fill.lua"},
        {FAMILY_SPACE, "tests/store/exchange", ".t1.json"},
        {FAMILY_SPACE, "tests/fuzz/corpus/t1", NULL},
        {FAMILY_FOREIGN, "tests/store/exchange", ".t4.json"},
        {FAMILY_FOREIGN, "tests/store/exchange", ".kt.json"},
        {FAMILY_FOREIGN, "tests/store", ".ktt.json"},
        {FAMILY_FOREIGN, "tests/fuzz/corpus/recording", NULL},
        {FAMILY_BASELINES, "tests/fuzz/corpus/baselines", NULL},
        {FAMILY_COUNTERS, "tests/fuzz/corpus/ncu", NULL},
    };
    *out = (samples){.arena = arena};
    int rc = add_recordings(out, source);
    for (size_t i = 0; rc == RFT_OK && i < sizeof kept / sizeof *kept; i++) {
        rc = add_files(out, kept[i].of, source, kept[i].folder, kept[i].suffix);
    }
    return rc == RFT_OK ? add_run_files(out, place) : -1;
}

const sample *samples_pick(const samples *from, family of, uint64_t *random) {
    return &from->items[of][rft_random_below(random, from->count[of])];
}

const sample *samples_named(const samples *from, family of, const char *name) {
    for (size_t i = 0; i < from->count[of]; i++) {
        if (strcmp(from->items[of][i].name, name) == 0) {
            return &from->items[of][i];
        }
    }
    return from->items[of];
}
