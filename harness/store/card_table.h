/* SPDX-License-Identifier: Apache-2.0 */
/*
 * card_table.h - what many cards read, in a file that is read at once: {"device", "uuid", "runs", "idle_w",
 * "sm_clock_mhz", "ceilings": {"dram_read": ...}} a card, medians of its runs in base units, in a list.
 * sweeps/recorded/cards.json has those of all recordings, which recorded_figures_test holds it to.
 */
#ifndef RFT_STORE_CARD_TABLE_H
#define RFT_STORE_CARD_TABLE_H

#include "model/run/run.h"

/* A run a card, with name, UUID, ceilings, clock and power at rest alone; no launch floor, which is the host's. Each,
 * and the list, is owned. RFT_E_RECORDING: no such table. */
int rft_card_table_load(rft_run ***out, size_t *count, const char *path, rft_err *err);
void rft_card_table_free(rft_run **cards, size_t count);

#endif
