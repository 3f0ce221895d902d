/* SPDX-License-Identifier: Apache-2.0 */
/* buyer_price.c - below which price this card is the cheaper one for the mix, beside each reference that has a price.
 */
#include "model/compare/break_even.h"
#include "reports/findings/buyer.h"
#include "reports/findings/compare_findings.h"

static const char *first_flip(const rft_break_even *even, rft_arena *arena) {
    if (!even->flip_count) {
        return "";
    }
    const rft_break_even_flip *flip = &even->flips[0];
    return rft_arena_printf(arena, " First to turn that round: %s, from %s to %s.", flip->what,
                            rft_break_even_now_text(flip, arena), rft_break_even_at_text(flip, arena));
}

/* NULL: the speed is not known, or a price or a time is missing; most often the reference has no price. */
static rft_finding *against(const rft_buyer *buyer, const rft_speed *speed, rft_arena *arena) {
    const rft_mix_total *own = buyer->asked->mix;
    const rft_speed_reference *reference = speed->reference;
    rft_mix_total *other = NULL;
    if (speed->itself || speed->missing ||
        rft_mix_total_of(&other, own->mix, own->book, reference->runs, reference->count, arena, NULL) != RFT_OK) {
        return NULL;
    }
    const rft_break_even_side sides[2] = {rft_break_even_side_of(other), rft_break_even_side_of(own)};
    const rft_break_even even = rft_break_even_of(&sides[0], &sides[1], NULL, arena);
    const char *text = rft_break_even_text(&even, "This card", reference->device, own->book->currency, arena);
    if (!text) {
        return NULL;
    }
    rft_finding *f = rft_finding_new(arena);
    rft_finding_set(f, "reference", rft_datum_text(reference->device));
    rft_finding_join(f, rft_finding_break_even_data(&even, arena));
    rft_finding_body(f, RFT_TO_PEOPLE, "%s%s", text, first_flip(&even, arena));
    rft_finding_note(f, RFT_TO_PEOPLE, "Winning is a lower cost of a pass; in brackets its 95 %% interval.%s%s%s",
                     even.no_energy ? " Energy is not in it: " : "", even.no_energy ? even.no_energy : "",
                     even.no_energy ? "." : "");
    return f;
}

/* The same card may be named and come with the program: told once, of the runs that were named. */
static bool is_told(const rft_buyer *buyer, size_t at) {
    bool told = false;
    for (size_t i = 0; i < at; i++) {
        told = told || (!buyer->speeds[i].missing &&
                        rft_text_equal(buyer->speeds[i].reference->device, buyer->speeds[at].reference->device));
    }
    return told;
}

rft_finding *rft_finding_buyer_price(const rft_buyer *buyer, rft_arena *arena) {
    rft_finding *f = rft_finding_new(arena);
    rft_item *list = rft_finding_list(f, "break_even");
    for (size_t i = 0; i < buyer->speed_count && buyer->asked->mix && !buyer->asked->mix->missing_count; i++) {
        const rft_finding *one = is_told(buyer, i) ? NULL : against(buyer, &buyer->speeds[i], arena);
        if (one) {
            rft_finding_append(f, list, one);
        }
    }
    return f;
}
