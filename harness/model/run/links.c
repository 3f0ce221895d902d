/* SPDX-License-Identifier: Apache-2.0 */
#include "model/run/links.h"

static void put_rate(rft_ceilings *out, rft_ceiling_id id, const rft_stats *stats, const char *text,
                     int64_t at_unix_ns) {
    rft_ceiling *ceiling = &out->items[id];
    *ceiling = rft_ceiling_none(NULL);
    ceiling->measured = true;
    ceiling->stats = *stats;
    ceiling->kernel = text;
    ceiling->measured_unix_ns = at_unix_ns;
}

static const rft_link *slowest(const rft_links *links, size_t card, bool both) {
    const rft_link *found = NULL;
    for (size_t i = 0; i < links->count; i++) {
        const rft_link *link = &links->items[i];
        double rate = both ? link->both_ways.median : link->one_way.median;
        if (link->from == card && (!found || rate < (both ? found->both_ways : found->one_way).median)) {
            found = link;
        }
    }
    return found;
}

static const char *text_of(const rft_links *links, const rft_link *link, rft_arena *arena) {
    return rft_arena_printf(arena, "device %d to %d%s, the slowest of %zu pairs", links->ordinals[link->from],
                            links->ordinals[link->to], link->direct ? "" : ", through the host", links->card_count - 1);
}

void rft_links_put(const rft_links *links, size_t card, int64_t at_unix_ns, rft_arena *arena, rft_ceilings *out) {
    const rft_link *one = slowest(links, card, false), *both = slowest(links, card, true);
    const char *beside = rft_arena_printf(arena, "copies of %zu cards at once, this card's", links->card_count);
    put_rate(out, RFT_CEILING_H2D_ALL, &links->h2d[card], beside, at_unix_ns);
    put_rate(out, RFT_CEILING_D2H_ALL, &links->d2h[card], beside, at_unix_ns);
    put_rate(out, RFT_CEILING_P2P, &one->one_way, text_of(links, one, arena), at_unix_ns);
    put_rate(out, RFT_CEILING_P2P_BOTH, &both->both_ways,
             rft_arena_printf(arena, "%s, the bytes of both ways", text_of(links, both, arena)), at_unix_ns);
}
