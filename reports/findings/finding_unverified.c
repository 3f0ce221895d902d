/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/findings/findings.h"
#include "reports/findings/words.h"

#include "base/str.h"

#define NAMES_MOST 6

static bool is_told_first(const rft_sweep *sweep, size_t v) {
    for (size_t i = 0; i < v; i++) {
        if (rft_text_equal(sweep->variants[i].unverified_reference, sweep->variants[v].unverified_reference)) {
            return false;
        }
    }
    return true;
}

/* " of tiled, vectorised and 3 more"; "": of all variants. */
static const char *compared(const rft_sweep *sweep, const char *reference, rft_arena *arena) {
    rft_str text = RFT_STR_INIT;
    size_t count = 0;
    for (size_t i = 0; i < sweep->variant_count; i++) {
        if (rft_text_equal(sweep->variants[i].unverified_reference, reference) && count++ < NAMES_MOST) {
            rft_str_addf(&text, "%s%s", text.length ? ", " : " of ", sweep->variants[i].name);
        }
    }
    if (count > NAMES_MOST) {
        rft_str_addf(&text, " and %zu more", count - NAMES_MOST);
    }
    const char *kept = rft_arena_strdup(arena, count < sweep->variant_count ? rft_str_get(&text) : "");
    rft_str_clear(&text);
    return kept;
}

rft_finding *rft_finding_unverified(const rft_run *run, size_t sweep, rft_arena *arena) {
    static const rft_trait columns[] = {{.key = "variant"}, {.key = "reference"}};
    const rft_sweep *of = &run->sweeps[sweep].sweep;
    rft_finding *f = rft_finding_new(arena);
    rft_cell_table *table = rft_finding_table(f, "unverified_references", columns, 2);
    for (size_t v = 0; v < of->variant_count; v++) {
        const char *reference = of->variants[v].unverified_reference;
        if (!reference) {
            continue;
        }
        rft_datum *cells = rft_cell_table_row(table)->cells;
        cells[0] = rft_datum_text(of->variants[v].name);
        cells[1] = rft_datum_text(reference);
        if (is_told_first(of, v)) {
            rft_finding_body(f, RFT_TO_PEOPLE, "Results%s are %s: a wrong result of its own passes as right.",
                             compared(of, reference, arena), rft_words_unverified(&of->variants[v], arena));
        }
    }
    return table->row_count > 0 ? f : NULL;
}
