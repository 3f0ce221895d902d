/* SPDX-License-Identifier: Apache-2.0 */
/* package_page.c - README.md of a package: for whoever opens it without rooftune. */
#include "base/str.h"
#include "reports/doc_build.h"

#include <string.h>

static void add_run(rft_doc *doc, const rft_run *run) {
    static const rft_column columns[2] = {{.title = ""}, {.title = "", .wraps = true}};
    const rft_run_info *info = &run->info;
    rft_table *table = rft_doc_table(doc, columns, 2);
    table->plain = true;
    rft_doc_pair(doc, table, "device", run->gpu.name ? run->gpu.name : "unknown");
    rft_doc_pair(doc, table, "UUID", run->gpu.uuid && *run->gpu.uuid ? run->gpu.uuid : "not recorded");
    rft_doc_pair(doc, table, "run", info->id ? info->id : "unknown");
    rft_doc_pair(doc, table, "begun", rft_figure_time(doc->arena, info->started_unix_ns));
    rft_doc_pair(doc, table, "rooftune",
                 rft_arena_printf(doc->arena, "%s (%s)", info->tool_version ? info->tool_version : "unknown",
                                  info->tool_revision ? info->tool_revision : "unknown"));
    rft_doc_pair(doc, table, "command", info->command ? info->command : "unknown");
}

/* Scripts with what they require, kernels, headers, data. */
static void add_hashes(rft_doc *doc, const rft_run *run) {
    static const rft_column columns[2] = {{.title = "Of"}, {.title = "SHA-256", .wraps = true}};
    static const char *const starts[] = {"source.", "header.", "data."};
    rft_table *table = rft_doc_table(doc, columns, 2);
    for (size_t s = 0; s < run->sweep_count; s++) {
        const rft_sweep *sweep = &run->sweeps[s].sweep;
        rft_doc_pair(doc, table, rft_arena_printf(doc->arena, "sweep %s", sweep->name),
                     sweep->script_hash ? sweep->script_hash : "not recorded");
    }
    for (size_t i = 0; i < run->env.count; i++) {
        const rft_env_item *item = &run->env.items[i];
        for (size_t k = 0; k < sizeof starts / sizeof *starts; k++) {
            if (rft_text_starts(item->key, starts[k])) {
                rft_doc_pair(doc, table, item->key + strlen(starts[k]),
                             item->value    ? item->value
                             : item->reason ? item->reason
                                            : "not recorded");
            }
        }
    }
}

void rft_report_package_page(const rft_run *run, const rft_mix_book *book, rft_mix_total *const *mixes,
                             size_t mix_count, rft_str *out) {
    rft_arena *arena = rft_arena_new();
    rft_doc *doc = rft_arena_calloc(arena, 1, sizeof *doc);
    doc->arena = arena;
    rft_doc_heading(doc, 1, "A package of measurements", NULL);
    rft_doc_text(doc, RFT_TEXT_BODY,
                 "rooftune's report, show and compare open it as it is. Without rooftune: run.json is the run with its "
                 "environment, mix.json the workload it was measured for, and \"sha256sum -c SHA256SUMS\" says whether "
                 "they are as they were packed.");
    add_run(doc, run);
    rft_doc_heading(doc, 1, "What was not checked", NULL);
    rft_print_page(doc, rft_finding_unchecked(run, mixes, mix_count, arena));
    rft_print_page(doc, rft_finding_mixes(book, mixes, mix_count, false, arena));
    rft_doc_heading(doc, 1, "What was run", NULL);
    add_hashes(doc, run);
    rft_doc_spell_units(doc);
    rft_print_markdown(out, doc);
    rft_arena_free(arena);
}
