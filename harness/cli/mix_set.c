/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/mix_set.h"
#include "cli/mix_package.h"
#include "cli/script_stuck.h"

#include "base/json.h"
#include "script/script.h"

#include <stdlib.h>
#include <string.h>

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

int rft_mix_files_json(char **out, const rft_words *files, rft_err *err) {
    json_t *list = json_array();
    int rc = RFT_OK;
    for (size_t i = 0; i < files->count && rc == RFT_OK; i++) {
        char *text = NULL;
        json_t *read = NULL;
        rc = rft_script_read_table(&text, files->items[i], rft_script_usual_opts(), err);
        rc = rc ? rc : rft_json_parse(&read, text, strlen(text), files->items[i], err);
        if (rc == RFT_OK && json_is_array(read)) {
            json_array_extend(list, read);
        } else if (rc == RFT_OK) {
            json_array_append(list, read);
        }
        json_decref(read);
        free(text);
    }
    if (rc == RFT_OK && json_array_size(list) > RFT_MIX_FILE_MOST) {
        rc = rft_err_set(err, RFT_E_LIMIT, "--mix: %zu mixes, a package holds at most %d", json_array_size(list),
                         RFT_MIX_FILE_MOST);
    }
    *out = rc == RFT_OK ? rft_json_dump(list, NULL) : NULL;
    json_decref(list);
    return rc;
}

int rft_mix_set_of(rft_mix_set *out, rft_mix_book *book, const rft_run *run, rft_arena *arena, rft_err *err) {
    int rc = RFT_OK;
    *out = (rft_mix_set){.book = book};
    out->totals = rft_arena_calloc(arena, book->mix_count + 1, sizeof *out->totals);
    for (size_t i = 0; i < book->mix_count && rc == RFT_OK; i++) {
        rc = rft_mix_total_of(&out->totals[i], &book->mixes[i], book, &run, 1, arena, err);
        out->total_count += rc == RFT_OK;
    }
    return rc;
}

int rft_mix_set_load(rft_mix_set *out, const rft_words *files, const rft_run *run, rft_arena *arena, rft_err *err) {
    rft_mix_book *book = NULL;
    *out = (rft_mix_set){0};
    int rc =
        files->count ? rft_mix_files_read(&book, files, arena, err) : rft_mix_packages_read(&book, &run, 1, arena, err);
    return rc == RFT_OK && book ? rft_mix_set_of(out, book, run, arena, err) : rc;
}
