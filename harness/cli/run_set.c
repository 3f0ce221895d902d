/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/run_set.h"

#include "model/run/run_join.h"
#include "store/store.h"

#include <stdlib.h>
#include <sys/stat.h>

int rft_run_set_check_names(const rft_words *paths, rft_err *err) {
    int rc = RFT_OK;
    struct stat *files = rft_calloc(paths->count + 1, sizeof *files);
    for (size_t i = 0; i < paths->count && rc == RFT_OK; i++) {
        bool there = stat(paths->items[i], &files[i]) == 0; /* what is not is told when it is read */
        for (size_t k = 0; k < i && there && rc == RFT_OK; k++) {
            if (files[k].st_ino == files[i].st_ino && files[k].st_dev == files[i].st_dev) {
                rft_err_set(err, RFT_E_USAGE, "%s and %s are the same file", paths->items[k], paths->items[i]);
                rc = rft_err_remedy(err, "name each run once");
            }
        }
    }
    free(files);
    return rc;
}

int rft_run_set_load(rft_run_set *out, const rft_words *paths, const char *command, rft_err *err) {
    *out = (rft_run_set){0};
    if (paths->count == 0) {
        rft_err_set(err, RFT_E_USAGE, "%s takes a run file or recording, none was given", command);
        return rft_err_remedy(err, "rooftune %s RUN.db (or a recording, FILE.json.gz)", command);
    }
    int rc = rft_run_set_check_names(paths, err);
    out->runs = rft_calloc(paths->count, sizeof *out->runs);
    for (size_t i = 0; i < paths->count && rc == RFT_OK; i++) {
        rc = rft_store_load(&out->runs[i], paths->items[i], err);
        out->count += rc == RFT_OK;
    }
    return rc == RFT_OK ? rft_run_join(&out->one, out->runs, out->count, err) : rc;
}

void rft_run_set_free(rft_run_set *set) {
    rft_run_free(set->one);
    for (size_t i = 0; i < set->count; i++) {
        rft_run_free(set->runs[i]);
    }
    free(set->runs);
    *set = (rft_run_set){0};
}
