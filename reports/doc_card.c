/* SPDX-License-Identifier: Apache-2.0 */
/* "This card": its ceilings, its power, and what was not measured; and, for part 2, the operations and limits behind
 * the ceilings. */
#include "reports/doc_build.h"

/* ---- what was not looked at ---- */

static void add_gaps(rft_build *b) {
    const rft_ceiling *link = b->run->ceilings.items;
    bool copied = link[RFT_CEILING_H2D].measured && link[RFT_CEILING_D2H].measured;
    bool beside_others = link[RFT_CEILING_P2P].measured && link[RFT_CEILING_H2D_ALL].measured;
    rft_doc_textf(b->doc, RFT_TEXT_NOTE, "Not looked at: %s%sthe host%s.",
                  copied ? "" : "the link between host and card, ",
                  beside_others ? "" : "links between cards, several cards at once, ",
                  rft_ceilings_are_soaked(&b->run->ceilings)
                      ? ""
                      : ", sustained rates of the ceilings under heat (`rooftune ceilings --soak`)");
}

/* ---- the chapters ---- */

void rft_build_ceilings(rft_build *b) {
    const char *age = rft_run_ceilings_age_text(b->run, b->arena);
    bool measured = false;
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        measured = measured || b->run->ceilings.items[id].measured;
    }
    rft_doc_new_page(b->doc); /* a sheet of its own: it may be kept with the card */
    rft_doc_heading(b->doc, 1, "This card", "card");
    rft_build_facts(b);
    if (measured) {
        rft_doc_textf(b->doc, RFT_TEXT_NOTE,
                      "Ceilings are rates measured on this card, %s%s%s; everything in this report is judged by them. "
                      "Burst: some milliseconds at a time. The limit is what bus and pipes cannot exceed at their "
                      "highest clock.%s",
                      age ? "up to " : "in this run", age ? age : "", age ? " before this run" : "",
                      b->opts.part == 1 ? "" : " The operation behind each is told under Ceilings.");
    }
    rft_print_page(b->doc, rft_finding_ceilings(b->run, b->arena));
    add_gaps(b);
    rft_print_page(b->doc, rft_finding_split(b->run, b->arena));
    rft_print_page(b->doc, rft_finding_power(b->run, b->arena));
    rft_print_page(b->doc, rft_finding_state(b->run, b->arena));
}

void rft_build_operations(rft_build *b) {
    const rft_finding *operations = rft_finding_operations(b->run, b->arena);
    if (operations) {
        rft_doc_new_chapter(b->doc);
        rft_doc_heading(b->doc, 1, "Ceilings", "ceilings");
        rft_print_page(b->doc, operations);
        rft_print_page(b->doc, rft_finding_ridges(b->run, b->arena));
    }
}
