/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"
#include "cli/mix_set.h"
#include "reports/report.h"
#include "store/store.h"

#include <string.h>

int rft_cmd_report(rft_cli *cli, int argc, char **argv, rft_err *err) {
    const char *output = NULL;
    const char *part = NULL;
    bool full = false;
    bool helped = false;
    rft_words rest = {0}, mix_files = {0};
    rft_mix_set mixes = {0};
    const rft_opt opts[] = {
        {"output", 'o', "OUT.pdf", "where to write (default: the run's name with .pdf)", NULL, &output, NULL},
        {"part", 0, "1|2", "only the buyer's pages (1) or the engineer's (2)", NULL, &part, NULL},
        {"full", 0, NULL, "with the table of all points", &full, NULL, NULL},
        {"mix", 0, "FILE", RFT_MIX_HELP, NULL, NULL, &mix_files},
    };
    rft_arena *arena = rft_arena_new();
    rft_run *run = NULL;
    int rc = rft_opt_parse(cli, opts, sizeof opts / sizeof opts[0], argc, argv, arena, &rest, NULL, &helped, err);
    if (rc != RFT_OK || helped) {
        goto done;
    }
    rc = rft_mix_set_check_words(&mix_files, &rest, "report", err);
    if (rc != RFT_OK) {
        goto done;
    }
    rft_report_opts report = RFT_REPORT_OPTS_INIT;
    report.full = full;
    report.part = !part ? 0 : strcmp(part, "1") == 0 ? 1 : strcmp(part, "2") == 0 ? 2 : -1;
    if (report.part < 0) {
        rc = rft_err_set(err, RFT_E_USAGE, "--part takes 1 or 2, not \"%s\"", part);
        goto done;
    }
    if (!output) {
        const char *name = rest.items[0];
        const char *suffixes[] = {".db", ".json.gz", ".json"};
        size_t length = strlen(name);
        for (size_t i = 0; i < 3; i++) {
            if (rft_text_ends(name, suffixes[i])) {
                length = strlen(name) - strlen(suffixes[i]);
                break;
            }
        }
        output = rft_arena_printf(arena, "%.*s.pdf", (int)length, name);
    }
    rc = rft_store_load(&run, rest.items[0], err);
    rc = rc ? rc : rft_mix_set_load(&mixes, &mix_files, run, &rest, arena, err);
    if (rc == RFT_OK) {
        report.book = mixes.book;
        report.mixes = mixes.totals;
        report.mix_count = mixes.total_count;
        rc = rft_report_write_pdf(run, &report, output, err);
    }
    if (rc == RFT_OK) {
        fprintf(cli->out, "report  %s\n", output);
    }
done:
    rft_mix_set_free(&mixes);
    rft_run_free(run);
    rft_arena_free(arena);
    return rc;
}
