/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/report_csv.h"

#include "base/fs.h"
#include "cli/best_text.h"
#include "cli/show_data.h"

#include <stdlib.h>

static int best_csv(rft_str *out, const rft_run *run, rft_err *err) {
    int rc = rft_best_text(out, &run, 1, "csv", err);
    return rc == RFT_E_NOT_FOUND ? RFT_OK : rc; /* no problem has one */
}

static int points_csv(rft_str *out, const rft_run *run, rft_err *err) {
    (void)err;
    rft_show_csv(out, run);
    return RFT_OK;
}

static int counters_csv(rft_str *out, const rft_run *run, rft_err *err) {
    (void)err;
    rft_show_counters_csv(out, run);
    return RFT_OK;
}

static const struct {
    const char *name;
    int (*write)(rft_str *out, const rft_run *run, rft_err *err);
} files[RFT_REPORT_CSV_FILES] = {{"points.csv", points_csv}, {"best.csv", best_csv}, {"counters.csv", counters_csv}};

void rft_report_csv_outputs(rft_output out[RFT_REPORT_CSV_FILES], const char *folder, rft_arena *arena) {
    for (size_t i = 0; i < RFT_REPORT_CSV_FILES; i++) {
        char *path = rft_fs_join(folder, files[i].name);
        out[i] = (rft_output){"--csv-dir", rft_arena_strdup(arena, path), RFT_OUTPUT_FILE};
        free(path);
    }
}

int rft_report_csv_write(const rft_run *run, const rft_output to[RFT_REPORT_CSV_FILES], rft_err *err) {
    int rc = RFT_OK;
    for (size_t i = 0; i < RFT_REPORT_CSV_FILES && rc == RFT_OK; i++) {
        rft_str text = RFT_STR_INIT;
        rc = files[i].write(&text, run, err);
        rc = rc ? rc : rft_fs_write_atomic(to[i].path, rft_str_get(&text), text.length, err);
        rft_str_clear(&text);
    }
    return rc;
}
