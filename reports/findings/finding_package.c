/* SPDX-License-Identifier: Apache-2.0 */
/* finding_package.c - what came in a package, and what no run shows (docs/mix.md#packages). */
#include "base/str.h"
#include "base/units.h"
#include "model/run/run_foreign.h"
#include "reports/figures.h"
#include "reports/findings/findings.h"
#include "reports/findings/words.h"

#include <math.h>
#include <string.h>

/* ---- what was not checked ---- */

typedef struct unchecked {
    rft_cell_table *table;
    rft_arena *arena;
    const rft_run *run;
} unchecked;

static void add_row(unchecked *u, const char *what, const char *known) {
    rft_datum *cells = rft_cell_table_row(u->table)->cells;
    cells[0] = rft_datum_text(what);
    cells[1] = rft_datum_text(known);
}

static void add_maker(unchecked *u) {
    const rft_run *run = u->run;
    const char *uuid = run->gpu.uuid && *run->gpu.uuid ? run->gpu.uuid : NULL;
    add_row(u, "who made it, on what",
            "Checksums find damage, not forgery: whoever changes a figure can make them anew. Compare the digest by "
            "another way, and measure delivered cards with the same mix.");
    if (run->info.replay_of) {
        add_row(u, "that it was measured", "It was not: a recording answered in place of the device.");
    }
    if (rft_run_foreign(run)) {
        add_row(u, "that results are right", "Another program measured them; nothing was verified.");
    }
    add_row(u, "other cards",
            rft_arena_printf(u->arena, "One card was measured%s%s. Cards of one model differ.", uuid ? ": " : "",
                             uuid ? uuid : ""));
}

static void add_days(unchecked *u) {
    char elapsed[40];
    const rft_run_info *info = &u->run->info;
    int64_t began = info->replay_of ? info->replay_started_unix_ns : info->started_unix_ns;
    bool timed = isfinite(info->elapsed_s) && !info->replay_of;
    rft_units_format_seconds(elapsed, sizeof elapsed, info->elapsed_s, 2);
    add_row(u, "other days",
            rft_arena_printf(u->arena, "One run on %s%s%s.", rft_figure_date(u->arena, began),
                             timed ? ", which took " : "", timed ? elapsed : ""));
}

static void add_load(unchecked *u) {
    double longest = 0.0;
    for (size_t i = 0; i < u->run->point_count; i++) {
        const rft_load *soak = u->run->points[i].loads[RFT_LOAD_SOAK];
        longest = soak && !soak->reason ? fmax(longest, soak->asked_s) : longest;
    }
    add_row(u, "load that lasts",
            longest > 0.0
                ? rft_arena_printf(u->arena,
                                   "The best of each sweep's largest problem was kept under load for %g s; all "
                                   "other times are those of bursts.",
                                   longest)
                : "Times are those of bursts: nothing was kept under load (run --soak).");
}

static void add_mix(unchecked *u, const rft_mix_total *total) {
    const char *name = total->mix->name;
    for (size_t i = 0; i < total->line_count; i++) {
        const rft_mix_line *line = &total->lines[i];
        if (line->missing) {
            add_row(u, rft_arena_printf(u->arena, "%s %s", line->item->operation, line->problem), line->missing);
        }
    }
    if (total->missing_count == 0 && total->joules.missing) {
        add_row(u, rft_arena_printf(u->arena, "energy of %s", name), total->joules.missing);
    }
    if (!isnan(total->room.need_bytes)) {
        add_row(u, rft_arena_printf(u->arena, "memory of %s", name),
                "Worked out from what the mix says it keeps; nothing of that size was allocated.");
    }
    if (total->mix->cards > 1.0) {
        add_row(u, rft_arena_printf(u->arena, "%.0f cards together", total->mix->cards),
                "One was measured, and no link between them.");
    }
}

static void add_results(unchecked *u) {
    size_t measured = 0, verified = 0, examined = 0;
    for (size_t i = 0; i < u->run->point_count; i++) {
        const rft_point *point = &u->run->points[i];
        bool counts = rft_outcome_is_measured(point->outcome) && !point->alias_of;
        measured += counts;
        verified += counts && point->verification.done;
        examined += point->verification.sanitizer != NULL;
    }
    if (verified < measured) {
        add_row(u, "results",
                rft_arena_printf(u->arena, "%zu of %zu timed configurations were held against a reference.", verified,
                                 measured));
    }
    if (examined == 0) {
        add_row(u, "accesses outside of buffers", "compute-sanitizer was not run (run --sanitize best).");
    }
    if (!u->run->ceilings.items[RFT_CEILING_DRAM_READ].measured) {
        add_row(u, "what the card can do", "Its ceilings were not measured.");
    }
}

rft_finding *rft_finding_unchecked(const rft_run *run, rft_mix_total *const *mixes, size_t count, rft_arena *arena) {
    static const rft_trait fields[] = {
        {.key = "what", .title = "What", .brief = "what", .wraps = true},
        {.key = "known", .title = "What is known of it", .brief = "what is known of it", .wraps = true}};
    rft_finding *f = rft_finding_new(arena);
    unchecked u = {rft_finding_table(f, "", fields, 2), arena, run};
    add_maker(&u);
    add_days(&u);
    add_load(&u);
    for (size_t i = 0; i < count; i++) {
        add_mix(&u, mixes[i]);
    }
    add_results(&u);
    add_row(&u, "the whole application",
            "Only kernels were timed: no gaps between launches, no communication, no host.");
    add_row(&u, "the sources",
            "The run has hashes of them, not the files: hold them against the files that were meant.");
    return f;
}

/* ---- the package ---- */

rft_finding *rft_finding_package(const rft_run *run, rft_mix_total *const *mixes, size_t count, rft_arena *arena) {
    if (!run->package) {
        return NULL;
    }
    rft_finding *f = rft_finding_new(arena);
    rft_finding_chapter(f, 1, "What was not checked", "package");
    rft_finding_heading(f, RFT_IN_TEXT, 2, "What was not checked");
    rft_finding_set(f, "digest", rft_datum_text(run->package->digest));
    rft_finding_body(f, RFT_TO_PEOPLE,
                     "The run came in a package, whose files are what their checksums say. Its digest is %s; the "
                     "sender's program printed it, too.",
                     run->package->digest);
    rft_finding *list = rft_finding_unchecked(run, mixes, count, arena);
    list->items[0].key = "unchecked";
    rft_finding_join(f, list);
    return f;
}
