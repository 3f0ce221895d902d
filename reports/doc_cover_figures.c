/* SPDX-License-Identifier: Apache-2.0 */
/* The cover's numbers: speed beside the reference, share of the card's own limits, what its memory and its busiest
 * units do. */
#include "reports/doc_build.h"

#include "model/compare/compare.h"
#include "model/stats/interval_text.h"

#include <math.h>

static void add_ceiling(const rft_build *b, rft_figure_box *box, rft_ceiling_id id) {
    const rft_ceiling *ceiling = &b->run->ceilings.items[id];
    double share = ceiling->stats.median / ceiling->datasheet;
    box->value = rft_figure_si(b->arena, ceiling->stats.median, rft_ceiling_unit(id));
    box->label = rft_arena_printf(
        b->arena, "measured: %s%s", rft_words_plain_ceiling(id, b->arena),
        isnan(share) ? "" : rft_arena_printf(b->arena, ", %s of datasheet", rft_figure_percent(b->arena, share)));
}

static bool add_speed(const rft_build *b, rft_figure_box *box) {
    const rft_speed *speed = b->buyer->chief;
    if (!speed || !(rft_speed_stands(speed) || speed->itself)) {
        return false;
    }
    box->value = speed->itself ? "1\xc3\x97" : rft_figure_ratio(b->arena, speed->ratio.ratio);
    box->label = speed->itself
                     ? "speed: this is the reference card itself"
                     : rft_arena_printf(b->arena, "the speed of the reference card, %s", speed->reference->device);
    return true;
}

static bool add_share(const rft_build *b, rft_figure_box *box) {
    const rft_speed_share share = rft_speed_share_of(b->buyer->asked, SIZE_MAX);
    const char *ends = rft_interval_ends_text(100 * share.low, 100 * share.high, "", b->arena);
    box->value = rft_figure_percent(b->arena, share.frac);
    const char *mean = share.count > 1 ? rft_arena_printf(b->arena, "; mean of %zu problems", share.count) : "";
    box->label = rft_arena_printf(b->arena, "of its own limits%s%s%s%s; does not rank cards",
                                  share.at_most ? ", at most" : "", ends ? ", " : "", ends ? ends : "", mean);
    return isfinite(share.frac);
}

void rft_build_key_figures(rft_build *b) {
    rft_figure_box boxes[4];
    size_t count = 0;
    rft_ceiling_id pipe = rft_buyer_chief_pipe(b->buyer);
    count += add_speed(b, &boxes[count]);
    count += add_share(b, &boxes[count]);
    if (!isnan(rft_ceilings_rate(&b->run->ceilings, RFT_CEILING_DRAM_READ))) {
        add_ceiling(b, &boxes[count++], RFT_CEILING_DRAM_READ);
    }
    if (pipe != RFT_CEILING_COUNT) {
        add_ceiling(b, &boxes[count++], pipe);
    }
    if (count > 0) {
        rft_doc_figures(b->doc, boxes, count);
    }
}
