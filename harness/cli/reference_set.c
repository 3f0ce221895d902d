/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/reference_set.h"

#include "base/fs.h"
#include "base/str.h"
#include "cli/shipped.h"
#include "model/run/run_foreign.h"
#include "store/card_table.h"
#include "store/store.h"

#include <stdlib.h>
#include <string.h>

#define SHIPPED_CARD "sweeps/recorded/nvidia-h200"
#define SHIPPED_CARDS "sweeps/recorded/cards.json"

static int add_file(rft_reference_set *set, const char *path, rft_err *err) {
    RFT_GROW(set->runs, set->capacity, set->count + 1);
    int rc = rft_store_load(&set->runs[set->count], path, err);
    set->count += rc == RFT_OK;
    return rc;
}

int rft_reference_set_add(rft_reference_set *set, const char *path, rft_err *err) {
    static const char *const suffixes[] = {".db", ".json.gz", ".json"};
    if (!rft_fs_is_folder(path)) {
        return add_file(set, path, err);
    }
    size_t before = set->count;
    int rc = RFT_OK;
    for (size_t s = 0; s < sizeof suffixes / sizeof *suffixes && rc == RFT_OK; s++) {
        char **names = NULL;
        size_t count = 0;
        rc = rft_fs_list(&names, &count, path, suffixes[s], err);
        for (size_t i = 0; i < count && rc == RFT_OK; i++) {
            char *joined = rft_fs_join(path, names[i]);
            rc = add_file(set, joined, err);
            free(joined);
        }
        rft_fs_list_free(names, count);
    }
    if (rc == RFT_OK && set->count == before) {
        rft_err_set(err, RFT_E_USAGE, "--reference %s: the folder holds no run file and no recording", path);
        rc = rft_err_remedy(err, "name files ending in .db, .json.gz or .json, or a folder that has some");
    }
    return rc;
}

/* "gemv" of "/home/me/sweeps/gemv.lua". Of what else may stand in a run file as a path, nothing that leads elsewhere.
 */
static const char *script_stem(const char *path, rft_arena *arena) {
    const char *name = path ? rft_fs_name(path) : "";
    size_t length = strlen(name);
    return length > 4 && rft_text_ends(name, ".lua") ? rft_arena_strndup(arena, name, length - 4) : NULL;
}

static bool is_new_stem(const rft_run *run, size_t sweep, const char *stem, rft_arena *arena) {
    bool first = true;
    for (size_t s = 0; s < sweep && first; s++) {
        first = !rft_text_equal(script_stem(run->sweeps[s].sweep.path, arena), stem);
    }
    return first;
}

/* "attention.json.gz", and the same script's runs with arguments: "attention-64.json.gz". */
static size_t add_of_script(rft_reference_set *set, const char *folder, const char *stem) {
    char **names = NULL;
    size_t count = 0, added = 0, length = strlen(stem);
    if (rft_fs_list(&names, &count, folder, ".json.gz", NULL) != RFT_OK) {
        return 0;
    }
    for (size_t i = 0; i < count; i++) {
        if (strncmp(names[i], stem, length) == 0 && (names[i][length] == '.' || names[i][length] == '-')) {
            char *path = rft_fs_join(folder, names[i]);
            added += add_file(set, path, NULL) == RFT_OK;
            free(path);
        }
    }
    rft_fs_list_free(names, count);
    return added;
}

void rft_reference_set_add_shipped(rft_reference_set *set, const rft_run *run, const char *program) {
    rft_arena *arena = rft_arena_new();
    const char **folders = NULL;
    size_t count = rft_run_foreign(run) ? 0 : rft_shipped_folders(program, arena, &folders);
    for (size_t s = 0; s < run->sweep_count && count > 0; s++) {
        const char *stem = script_stem(run->sweeps[s].sweep.path, arena);
        bool taken = !stem || !is_new_stem(run, s, stem, arena);
        for (size_t i = 0; i < count && !taken; i++) {
            size_t added = add_of_script(set, rft_arena_printf(arena, "%s/" SHIPPED_CARD, folders[i]), stem);
            taken = added > 0;
            set->shipped += added;
        }
    }
    for (size_t i = 0; i < count && set->card_count == 0; i++) {
        rft_card_table_load(&set->cards, &set->card_count, rft_arena_printf(arena, "%s/" SHIPPED_CARDS, folders[i]),
                            NULL);
    }
    rft_arena_free(arena);
}

void rft_reference_set_free(rft_reference_set *set) {
    for (size_t i = 0; i < set->count; i++) {
        rft_run_free(set->runs[i]);
    }
    free(set->runs);
    rft_card_table_free(set->cards, set->card_count);
    *set = (rft_reference_set){0};
}
