/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/run_mix.h"

#include "base/fs.h"
#include "cli/mix_set.h"
#include "cli/shipped.h"
#include "model/mix/mix_find.h"
#include "reports/report.h"
#include "store/store.h"

#include <stdlib.h>
#include <string.h>

/* ---- the files of its sweeps ---- */

static void add_once(rft_words *words, const char *word) {
    for (size_t i = 0; i < words->count; i++) {
        if (strcmp(words->items[i], word) == 0) {
            return;
        }
    }
    words->items[words->count++] = word;
}

/* Beside the mix, else where the program's own lie; NULL: nowhere. */
static const char *find_file(const rft_mix *mix, const char *name, const char *program, rft_arena *arena) {
    char *folder = rft_fs_folder(mix->path), *beside = rft_fs_join(folder, name);
    const char *own = rft_arena_strdup(arena, beside);
    const char *shipped = rft_shipped_find(program, rft_arena_printf(arena, "sweeps/%s", name), arena);
    free(folder);
    free(beside);
    return rft_fs_exists(own) ? own : rft_fs_exists(shipped) ? shipped : NULL;
}

static int no_file(const rft_mix *mix, const char *name, rft_err *err) {
    rft_err_set(err, RFT_E_USAGE, "no sweep %s lies beside the mix or among the program's own", name);
    rft_err_place(err, "%s", mix->path);
    return rft_err_remedy(err,
                          "sweeps = { \"FILE.lua\" } in the mix says where its operations are measured, or name "
                          "the files: rooftune run FILE.lua --mix %s",
                          mix->path);
}

int rft_run_mix_files(rft_words *out, const rft_mix_book *book, const char *program, rft_arena *arena, rft_err *err) {
    size_t most = 0;
    for (size_t i = 0; i < book->mix_count; i++) {
        most += book->mixes[i].sweep_count + book->mixes[i].item_count;
    }
    *out = (rft_words){.items = rft_arena_calloc(arena, most + 1, sizeof *out->items)};
    if (most == 0) {
        rft_err_set(err, RFT_E_USAGE, "--mix: no file has operations, only prices, names or remarks");
        return rft_err_remedy(err, "give a mix with operations, or name the sweeps");
    }
    for (size_t i = 0; i < book->mix_count; i++) {
        const rft_mix *mix = &book->mixes[i];
        size_t count = mix->sweep_count ? mix->sweep_count : mix->item_count;
        for (size_t k = 0; k < count; k++) {
            const char *name =
                mix->sweep_count ? mix->sweeps[k] : rft_arena_printf(arena, "%s.lua", mix->items[k].operation);
            const char *file = find_file(mix, name, program, arena);
            if (!file) {
                return no_file(mix, name, err);
            }
            add_once(out, file);
        }
    }
    return RFT_OK;
}

/* ---- its problems ---- */

int rft_run_mix_check(const rft_mix_book *book, const rft_sweep *const *sweeps, size_t count, rft_err *err) {
    rft_arena *arena = rft_arena_new();
    int rc = RFT_OK;
    for (size_t i = 0; i < book->mix_count; i++) {
        const rft_mix *mix = &book->mixes[i];
        for (size_t k = 0; k < mix->item_count && rc == RFT_OK; k++) {
            const char *unmet = rft_mix_unmet(&mix->items[k], sweeps, count, arena);
            if (unmet) {
                rft_err_set(err, RFT_E_USAGE, "%s", unmet);
                rft_err_place(err, "%s", mix->path);
                rc = rft_err_remedy(err, "a mix sums up problems that its sweeps have; `rooftune run SWEEP.lua "
                                         "--dry-run` lists them, `sweeps` in the mix names other files");
            }
        }
    }
    rft_arena_free(arena);
    return rc;
}

/* ---- what is sent ---- */

int rft_run_mix_package(rft_cli *cli, const char *run_path, const rft_words *files, const char *package, rft_err *err) {
    rft_arena *arena = rft_arena_new();
    rft_run *run = NULL;
    rft_mix_set mixes = {0};
    char *json = NULL, digest[RFT_HASH_HEX_SIZE];
    rft_str page = RFT_STR_INIT;
    int rc = rft_store_load(&run, run_path, err);
    rc = rc ? rc : rft_mix_set_load(&mixes, files, run, arena, err);
    rc = rc || files->count == 0 ? rc : rft_mix_files_json(&json, files, err);
    if (rc == RFT_OK) {
        rft_report_package_page(run, mixes.book, mixes.totals, mixes.total_count, &page);
        rc = rft_package_write(&(rft_package_parts){run, json, rft_str_get(&page)}, package, digest, err);
    }
    if (rc == RFT_OK) {
        fprintf(cli->out, "package %s\ndigest  %s\n", package, digest);
        fflush(cli->out);
        fprintf(cli->talk, "tell the receiver the digest by another way: checksums show damage, not forgery\n");
    }
    rft_str_clear(&page);
    free(json);
    rft_run_free(run);
    rft_arena_free(arena);
    return rc;
}
