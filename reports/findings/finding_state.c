/* SPDX-License-Identifier: Apache-2.0 */
/* The card's state before the run and behind its soak. */
#include "reports/findings/findings.h"

#include "base/str.h"
#include "model/run/card_state.h"

/* ", remapped rows 0 -> 2" */
static void add_change(rft_str *text, const rft_state_key *key, const char *before, const char *after) {
    rft_str_addf(text, "%s%s %s -> %s", text->length ? ", " : "", key->what, before ? before : "not known",
                 after ? after : "not known");
}

rft_finding *rft_finding_state(const rft_run *run, rft_arena *arena) {
    static const rft_trait columns[] = {{.key = "fact"}, {.key = "before"}, {.key = "after"}};
    rft_str changed = RFT_STR_INIT, under_load = RFT_STR_INIT;
    rft_finding *f = rft_finding_new(arena);
    rft_cell_table *table = rft_finding_table(f, "state", columns, 3);
    size_t known = 0;
    for (const rft_state_key *key = rft_state_keys; key->key; key++) {
        const char *before = rft_env_value(&run->env, key->key), *after = rft_state_after(run, key->key);
        rft_datum *cells = rft_cell_table_row(table)->cells;
        cells[0] = rft_datum_text(key->key);
        cells[1] = before ? rft_datum_text(before) : rft_datum_absent();
        cells[2] = after ? rft_datum_text(after) : rft_datum_absent();
        known += after != NULL;
        if (after && !rft_text_equal(before, after)) {
            add_change(key->changes ? &under_load : &changed, key, before, after);
        }
    }
    if (changed.length) {
        rft_finding_body(f, RFT_TO_PEOPLE, "Changed under load: %s.", rft_str_get(&changed));
    } else {
        rft_finding_body(f, RFT_TO_PEOPLE, "Memory errors, remapped rows and links are behind the load as before it%s.",
                         known < 3 ? ", as far as they are known" : "");
    }
    if (under_load.length) {
        rft_finding_body(f, RFT_TO_PEOPLE, "From the run's beginning to the end of the load: %s.",
                         rft_str_get(&under_load));
    }
    rft_str_clear(&changed);
    rft_str_clear(&under_load);
    return known ? f : NULL;
}
