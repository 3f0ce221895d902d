/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mix_room.h - whether what a mix keeps in device memory fits on its cards. Pure.
 *
 * Weights and cache are the user's word, and taken as cut evenly; the card's memory is what its driver reports. What
 * the driver, libraries and buffers between operations take is not known and not in it.
 */
#ifndef RFT_MODEL_MIX_ROOM_H
#define RFT_MODEL_MIX_ROOM_H

#include "model/mix/mix.h"

typedef struct rft_mix_room {
    const char *missing; /* why nothing can be told; NULL */
    double need_bytes;   /* on each card; NaN: neither weights nor cache are given */
    double card_bytes;   /* device memory; NaN: not recorded */
    bool fits;           /* where nothing is missing */
    double least_cards;  /* that hold it */
} rft_mix_room;

rft_mix_room rft_mix_room_of(const rft_mix *mix, const rft_gpu_info *gpu);

/* "fits on 2 cards" / "does not fit on 1 card, 2 would hold it"; "n/a". In `arena`, as the note. */
const char *rft_mix_room_text(const rft_mix_room *room, const rft_mix *mix, rft_arena *arena);
/* "90.5 GB of 150 GB on each of 2 cards (weights 141 GB, cache 40 GB in all)", or why it is not known. */
const char *rft_mix_room_note(const rft_mix_room *room, const rft_mix *mix, rft_arena *arena);

#endif
