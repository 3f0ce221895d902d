/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/mix_set.h"
#include "cli/script_stuck.h"

#include "script/script.h"

#include <stdlib.h>

int rft_mix_files_read(rft_mix_book **out, const rft_words *files, rft_arena *arena, rft_err *err) {
    int rc = RFT_OK;
    *out = rft_mix_book_new(arena);
    for (size_t i = 0; i < files->count && rc == RFT_OK; i++) {
        char *json = NULL;
        rc = rft_script_read_table(&json, files->items[i], rft_script_usual_opts(), err);
        rc = rc ? rc : rft_mix_book_add(*out, json, files->items[i], arena, err);
        free(json);
    }
    return rc;
}

int rft_mix_set_load(rft_mix_set *out, const rft_words *files, const rft_run *run, rft_arena *arena, rft_err *err) {
    *out = (rft_mix_set){0};
    if (files->count == 0) {
        return RFT_OK;
    }
    int rc = rft_mix_files_read(&out->book, files, arena, err);
    out->totals = rft_arena_calloc(arena, out->book->mix_count + 1, sizeof *out->totals);
    for (size_t i = 0; i < out->book->mix_count && rc == RFT_OK; i++) {
        rc = rft_mix_total_of(&out->totals[i], &out->book->mixes[i], out->book, &run, 1, arena, err);
        out->total_count += rc == RFT_OK;
    }
    return rc;
}
