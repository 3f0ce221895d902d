/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/compare_mix_text.h"

#include "base/units.h"
#include "cli/mix_text.h"
#include "cli/show_data.h"
#include "reports/print/layout.h"

#include <math.h>
#include <string.h>

#define TIME_WIDTH 10
#define RATE_WIDTH 12
#define COST_WIDTH 14

/* The figure alone, "n/a" where it is missing. */
static const char *number(const rft_mix_figure *of, rft_arena *arena) {
    return rft_mix_number_text(of->value, arena);
}

static void add_side(rft_str *out, const rft_compare_mixes *mixes, const rft_compare_mix *mix, size_t side,
                     rft_arena *arena) {
    const rft_compare_mix_side *of = &mix->sides[side];
    char time[48] = "n/a";
    if (isfinite(of->total->time_s.value)) {
        rft_units_format_seconds(time, sizeof time, of->total->time_s.value, 3);
    }
    rft_str_addf(out, "  %c", mixes->compare->sides[side].letter);
    rft_layout_right(out, time, TIME_WIDTH);
    rft_layout_right(out, number(&of->total->units_s, arena), RATE_WIDTH);
    rft_layout_right(out, number(&of->total->units_j, arena), RATE_WIDTH);
    if (mix->priced) { /* all of it where that is known, else the device's part */
        bool whole = !of->total->cost.missing;
        const char *cost = number(whole ? &of->total->cost : &of->total->card_cost, arena);
        rft_layout_right(out, rft_arena_printf(arena, "%s%s", cost, whole || *cost == 'n' ? "" : "*"), COST_WIDTH);
    }
    if (of->verdict != RFT_COMPARE_NONE) {
        const char *ratio = rft_compare_ratio_text(&of->ratio, arena);
        rft_str_addf(out, "  %.*s %s", (int)strcspn(ratio, " "), ratio, rft_compare_verdict_name(of->verdict));
    } else if (side == 0) {
        rft_str_add(out, "  first");
    }
    rft_str_add_char(out, '\n');
}

static void add_mix(rft_str *out, const rft_compare_mixes *mixes, size_t item, rft_arena *arena) {
    const rft_compare_mix *mix = &mixes->items[item];
    const char **notes = NULL;
    const char *unit = rft_mix_units_text(mix->mix, arena);
    bool starred = false;
    rft_layout_wrapped(out, 0, 2, rft_arena_printf(arena, "mix: %s", mix->mix->name));
    rft_str_add(out, "   ");
    rft_layout_right(out, "a pass", TIME_WIDTH);
    rft_layout_right(out, rft_arena_printf(arena, "%s/s", unit), RATE_WIDTH);
    rft_layout_right(out, rft_arena_printf(arena, "%s/J", unit), RATE_WIDTH);
    if (mix->priced) {
        rft_layout_right(out, rft_arena_printf(arena, "%s per 10^6", mixes->book->currency), COST_WIDTH);
    }
    rft_str_add(out, "  speed against A\n");
    for (size_t side = 0; side < mixes->compare->side_count; side++) {
        const rft_mix_total *total = mix->sides[side].total;
        add_side(out, mixes, mix, side, arena);
        starred = starred || (total->cost.missing && !total->card_cost.missing);
    }
    if (starred) {
        rft_layout_wrapped(out, 2, 2, "* of the device alone: what its energy costs is not known");
    }
    size_t count = rft_compare_mix_notes(mixes, item, arena, &notes);
    for (size_t i = 0; i < count; i++) {
        rft_layout_wrapped(out, 2, 2, notes[i]);
    }
    rft_layout_wrapped(out, 2, 2, mix->sides[0].total->notes[0]);
}

void rft_compare_mixes_text(rft_str *out, const rft_compare_mixes *mixes) {
    if (!mixes) {
        return;
    }
    rft_arena *arena = rft_arena_new();
    for (size_t i = 0; i < mixes->count; i++) {
        rft_str_add_char(out, '\n');
        add_mix(out, mixes, i, arena);
    }
    for (size_t i = 0; i < mixes->book->remark_count; i++) {
        rft_str_add(out, i ? "" : "\nremarks\n");
        rft_layout_wrapped(out, 2, 2, mixes->book->remarks[i]);
    }
    rft_arena_free(arena);
}

void rft_compare_mixes_json(json_t *root, const rft_compare_mixes *mixes) {
    if (!mixes) {
        return;
    }
    rft_arena *arena = rft_arena_new();
    json_t *list = json_array(), *remarks = json_array();
    for (size_t i = 0; i < mixes->count; i++) {
        json_t *object = json_object(), *sides = json_array();
        for (size_t side = 0; side < mixes->compare->side_count; side++) {
            const rft_compare_mix_side *of = &mixes->items[i].sides[side];
            const char letter[2] = {mixes->compare->sides[side].letter, '\0'};
            json_t *one = rft_mix_json_of(of->total, arena);
            json_object_set_new(one, "letter", json_string(letter));
            json_object_set_new(one, "ratio", rft_json_real_new(of->ratio.ratio));
            json_object_set_new(one, "ratio_low", rft_json_real_new(of->ratio.low));
            json_object_set_new(one, "ratio_high", rft_json_real_new(of->ratio.high));
            json_object_set_new(one, "verdict",
                                of->verdict == RFT_COMPARE_NONE ? json_null()
                                                                : json_string(rft_compare_verdict_name(of->verdict)));
            json_object_set_new(one, "reason", rft_show_text_json(of->reason));
            json_object_set_new(one, "units_s_per_price", rft_json_real_new(of->per_price));
            json_array_append_new(sides, one);
        }
        json_object_set_new(object, "name", rft_show_text_json(mixes->items[i].mix->name));
        json_object_set_new(object, "sides", sides);
        json_array_append_new(list, object);
    }
    for (size_t i = 0; i < mixes->book->remark_count; i++) {
        json_array_append_new(remarks, rft_show_text_json(mixes->book->remarks[i]));
    }
    json_object_set_new(root, "mixes", list);
    json_object_set_new(root, "remarks", remarks);
    rft_arena_free(arena);
}
