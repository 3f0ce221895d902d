/* SPDX-License-Identifier: Apache-2.0 */
#include "model/mix/mix_room.h"

#include "base/units.h"

#include <math.h>

static double of_all(const rft_mix *mix) {
    double weights = isnan(mix->weights_bytes) ? 0.0 : mix->weights_bytes;
    return weights + (isnan(mix->cache_bytes) ? 0.0 : mix->cache_bytes);
}

rft_mix_room rft_mix_room_of(const rft_mix *mix, const rft_gpu_info *gpu) {
    rft_mix_room room = {.need_bytes = NAN, .card_bytes = NAN, .least_cards = NAN};
    double all = of_all(mix);
    if (!(all > 0.0)) {
        room.missing = "what the workload keeps in memory is not given (memory)";
        return room;
    }
    room.need_bytes = all / mix->cards;
    if (gpu->memory_bytes <= 0) {
        room.missing = "the memory of the device was not recorded";
        return room;
    }
    room.card_bytes = (double)gpu->memory_bytes;
    room.fits = room.need_bytes <= room.card_bytes;
    room.least_cards = ceil(all / room.card_bytes);
    return room;
}

static const char *cards_text(double cards, rft_arena *arena) {
    return rft_arena_printf(arena, "%.0f card%s", cards, cards == 1.0 ? "" : "s");
}

const char *rft_mix_room_text(const rft_mix_room *room, const rft_mix *mix, rft_arena *arena) {
    const char *cards = cards_text(mix->cards, arena);
    return room->missing ? "n/a"
           : room->fits  ? rft_arena_printf(arena, "fits on %s", cards)
                         : rft_arena_printf(arena, "does not fit on %s, %.0f would hold it", cards, room->least_cards);
}

static const char *bytes_text(double bytes, rft_arena *arena) {
    char text[40];
    return rft_arena_strdup(arena, rft_units_format_si(text, sizeof text, bytes, 3, "B"));
}

const char *rft_mix_room_note(const rft_mix_room *room, const rft_mix *mix, rft_arena *arena) {
    const char *weights =
        isnan(mix->weights_bytes) ? NULL : rft_arena_printf(arena, "weights %s", bytes_text(mix->weights_bytes, arena));
    const char *cache =
        isnan(mix->cache_bytes) ? NULL : rft_arena_printf(arena, "cache %s", bytes_text(mix->cache_bytes, arena));
    if (room->missing) {
        return room->missing;
    }
    const char *least = room->fits ? "" : rft_arena_printf(arena, ", %.0f would hold it", room->least_cards);
    const char *cards =
        mix->cards > 1.0 ? rft_arena_printf(arena, " on each of %s", cards_text(mix->cards, arena)) : "";
    return rft_arena_printf(arena, "%s of %s%s%s (%s%s%s%s); the driver's own share is not in it",
                            bytes_text(room->need_bytes, arena), bytes_text(room->card_bytes, arena), cards, least,
                            weights ? weights : "", weights && cache ? ", " : "", cache ? cache : "",
                            mix->cards > 1.0 ? " in all" : "");
}
