/* SPDX-License-Identifier: Apache-2.0 */
/* card_state.h - what is read of a card again behind a soak, beside what it was when the run began. */
#ifndef RFT_MODEL_CARD_STATE_H
#define RFT_MODEL_CARD_STATE_H

#include "model/run/run.h"

#define RFT_STATE_AFTER "after." /* before the environment's key: "after.nvml.ecc_uncorrected" */

typedef struct rft_state_key {
    const char *key, *what; /* "nvml.rows_remapped", "remapped rows" */
    bool changes;           /* with load in any case: temperature, clock */
} rft_state_key;

/* Ended by a NULL key. */
extern const rft_state_key rft_state_keys[];

/* Of a key: what is known of it behind the load; NULL: it was not read, or is not known. */
const char *rft_state_after(const rft_run *run, const char *key);

#endif
