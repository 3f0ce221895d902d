/* SPDX-License-Identifier: Apache-2.0 */
/* compare_trust.c - what the verdicts rest on, the rule, and each run in full. */
#include "reports/compare_pages.h"

#include "base/str.h"
#include "model/run/run_drift.h"
#include "model/run/run_repeat.h"

#include <math.h>
#include <string.h>

static const char *or_unknown(const char *text) {
    return text && *text ? text : "not known";
}

/* The folder is of this machine and this day. */
static const char *file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Sweeps of one script have one hash. */
static void add_scripts(rft_compare_pages *p, rft_table *table, const rft_run *run) {
    for (size_t s = 0; s < run->sweep_count;) {
        const char *hash = run->sweeps[s].sweep.script_hash;
        rft_str names = RFT_STR_INIT;
        size_t end = s;
        for (; end < run->sweep_count && rft_text_equal(run->sweeps[end].sweep.script_hash, hash); end++) {
            rft_str_addf(&names, "%s%s", end > s ? ", " : "", run->sweeps[end].sweep.name);
        }
        rft_doc_pair(p->doc, table, s ? "" : "Scripts",
                     rft_arena_printf(p->arena, "%s: %s", rft_str_get(&names), or_unknown(hash)));
        rft_str_clear(&names);
        s = end;
    }
}

static void add_run(rft_compare_pages *p, size_t at) {
    static const rft_column columns[] = {{.title = ""}, {.title = "", .wraps = true}};
    const rft_compare_side *side = &p->compare->sides[at];
    const rft_run *run = side->run;
    const rft_run_info *info = &run->info;
    const double step_s = rft_run_timer_step_s(run);
    rft_doc_heading(p->doc, 2, rft_compare_side_name(p->compare, at, p->arena), NULL);
    rft_table *table = rft_doc_table(p->doc, columns, 2);
    table->plain = true;
    rft_doc_pair(p->doc, table, "Run", or_unknown(info->id));
    rft_doc_pair(p->doc, table, "File", file_name(side->path));
    rft_doc_pair(p->doc, table, "Measured",
                 rft_figure_time(p->arena, info->replay_of ? info->replay_started_unix_ns : info->started_unix_ns));
    if (info->replay_of) {
        rft_doc_pair(p->doc, table, "Replay of", info->replay_of);
    }
    rft_doc_pair(p->doc, table, "Card", or_unknown(run->gpu.uuid));
    rft_doc_pair(p->doc, table, "PCI id", or_unknown(run->gpu.pci_id));
    rft_doc_pair(p->doc, table, "Driver", or_unknown(rft_env_value(&run->env, "driver.version")));
    rft_doc_pair(p->doc, table, "NVRTC", or_unknown(rft_env_value(&run->env, "nvrtc.version")));
    const char *foreign = rft_run_foreign(run);
    rft_doc_pair(p->doc, table, "Tool",
                 foreign ? rft_arena_printf(p->arena, "another program's (%s)", foreign)
                         : rft_arena_printf(p->arena, "rooftune %s, revision %s", or_unknown(info->tool_version),
                                            or_unknown(info->tool_revision)));
    rft_doc_pair(p->doc, table, "Timer's step",
                 step_s > 0.0 ? rft_figure_si(p->arena, step_s, "s") : "not seen in the samples");
    const char *drift = rft_run_drift_sentence(run, p->arena);
    rft_doc_pair(p->doc, table, "Drift", drift ? drift : "not known: no reference was read");
    rft_doc_pair(p->doc, table, "Command", or_unknown(info->command));
    add_scripts(p, table, run);
    rft_doc_fold(p->doc, table);
}

void rft_compare_page_trust(rft_compare_pages *p) {
    const rft_compare *c = p->compare;
    rft_doc_heading(p->doc, 1, "What the verdicts rest on", "trust");
    rft_print_page(p->doc, rft_finding_caveats(c, p->arena));
    rft_doc_heading(p->doc, 2, "The rule", NULL);
    rft_doc_text(
        p->doc, RFT_TEXT_BODY,
        "A device's figure is the better of its tuned template and the vendor's library measured in the same run. "
        "The interval of the speed follows from the 95 % intervals of both medians (recovered variances on "
        "logarithms, Zou and Donner 2008). Intervals of several processes know what another run reads; those of one "
        "are wider by the drift of its run, by what dependent samples hide, and by half a step of the timer. FASTER "
        "and SLOWER: the interval at 99 %, 1.4 times as wide, lies wholly more than 0.5 % from 1. SAME: the interval "
        "lies wholly within 1 % of 1. "
        "AMBIGUOUS: all else, and where there is no 95 % interval, where the workloads are not the same, where the "
        "search effort "
        "differs and the gap does not exceed both roof distances, and where runs of one model differ by as much.");
    rft_str command = RFT_STR_INIT;
    rft_str_add(&command, "rooftune compare");
    for (size_t side = 0; side < c->side_count; side++) {
        rft_str_addf(&command, " %s", file_name(c->sides[side].path));
    }
    rft_doc_text(p->doc, RFT_TEXT_BODY, "The same document, byte for byte, from the runs' files:");
    rft_doc_textf(p->doc, RFT_TEXT_MONO, "%s -o COMPARISON.pdf", rft_str_get(&command));
    rft_str_clear(&command);
    for (size_t side = 0; side < c->side_count; side++) {
        add_run(p, side);
    }
}
