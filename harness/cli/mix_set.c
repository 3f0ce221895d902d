/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/mix_set.h"

#include "script/script.h"
#include "store/store.h"

#include <stdlib.h>

int rft_mix_files_read(rft_mix_book **out, const rft_words *files, rft_arena *arena, rft_err *err) {
    int rc = RFT_OK;
    *out = rft_mix_book_new(arena);
    for (size_t i = 0; i < files->count && rc == RFT_OK; i++) {
        char *json = NULL;
        rc = rft_script_read_table(&json, files->items[i], err);
        rc = rc ? rc : rft_mix_book_add(*out, json, files->items[i], arena, err);
        free(json);
    }
    return rc;
}

int rft_mix_set_load(rft_mix_set *out, const rft_words *files, const rft_run *first, const rft_words *paths,
                     rft_arena *arena, rft_err *err) {
    *out = (rft_mix_set){0};
    if (files->count == 0) {
        return RFT_OK;
    }
    int rc = rft_mix_files_read(&out->book, files, arena, err);
    out->others = rft_arena_calloc(arena, paths->count, sizeof *out->others);
    const rft_run **runs = rft_arena_calloc(arena, paths->count, sizeof *runs);
    runs[0] = first;
    for (size_t i = 1; i < paths->count && rc == RFT_OK; i++) {
        rc = rft_store_load(&out->others[i - 1], paths->items[i], err);
        runs[i] = out->others[i - 1];
        out->other_count = i;
    }
    out->totals = rft_arena_calloc(arena, out->book->mix_count + 1, sizeof *out->totals);
    for (size_t i = 0; i < out->book->mix_count && rc == RFT_OK; i++) {
        rc = rft_mix_total_of(&out->totals[i], &out->book->mixes[i], out->book, runs, paths->count, arena, err);
        out->total_count += rc == RFT_OK;
    }
    return rc;
}

void rft_mix_set_free(rft_mix_set *set) {
    for (size_t i = 0; i < set->other_count; i++) {
        rft_run_free(set->others[i]);
    }
    *set = (rft_mix_set){0};
}

int rft_mix_set_check_words(const rft_words *files, const rft_words *paths, const char *command, rft_err *err) {
    if (paths->count == 1 || (paths->count > 1 && files->count > 0)) {
        return RFT_OK;
    }
    rft_err_set(err, RFT_E_USAGE, "%s takes one run, not %zu (several with --mix)", command, paths->count);
    return rft_err_remedy(err, "rooftune %s RUN.db (or a recording, FILE.json.gz)", command);
}
