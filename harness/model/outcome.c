/* SPDX-License-Identifier: Apache-2.0 */
#include "model/outcome.h"

#include "base/str.h"

static const char *const names[RFT_OUTCOME_COUNT] = {
#define OUTCOME_NAME(name, text) text,
    RFT_OUTCOME_MAP(OUTCOME_NAME)
#undef OUTCOME_NAME
};

const char *rft_outcome_name(rft_outcome outcome) {
    return names[outcome];
}

bool rft_outcome_from_name(rft_outcome *out, const char *name) {
    for (int i = 0; i < RFT_OUTCOME_COUNT; i++) {
        if (rft_text_equal(names[i], name)) {
            *out = (rft_outcome)i;
            return true;
        }
    }
    return false;
}

bool rft_outcome_is_measured(rft_outcome outcome) {
    return outcome == RFT_OUTCOME_OK || outcome == RFT_OUTCOME_NOISY;
}
