/* SPDX-License-Identifier: Apache-2.0 */
/*
 * card_links.h - what cards of one machine do at once: copies from and to the host of all of them, and copies from
 * card to card, one way and both. All are opened in one process; a card's own clock times what it sends.
 */
#ifndef RFT_MEASURE_CARD_LINKS_H
#define RFT_MEASURE_CARD_LINKS_H

#include "gpu/gpu.h"
#include "model/run/links.h"

typedef struct rft_links_opts {
    uint64_t bytes; /* of a copy; 0: 256 MiB */
    size_t copies;  /* one behind the other, in a sample; 0: 16 */
} rft_links_opts;

/* The gpus of one implementation, at least two; out->ordinals count from 0. opts NULL: the defaults. RFT_E_LIMIT:
 * memory is short; RFT_E_DEVICE. */
int rft_links_measure(rft_gpu *const *gpus, size_t count, const rft_links_opts *opts, rft_arena *arena, rft_links *out,
                      rft_err *err);

#endif
