/* SPDX-License-Identifier: Apache-2.0 */
#include "model/sweep.h"

#include "base/str.h"

static const char *const mode_names[RFT_CACHE_COUNT] = {"cold", "hot", "rotating"};

const char *rft_cache_mode_name(rft_cache_mode mode) {
    return mode_names[mode];
}

bool rft_cache_mode_from_name(rft_cache_mode *out, const char *name) {
    for (int i = 0; i < RFT_CACHE_COUNT; i++) {
        if (rft_text_equal(mode_names[i], name)) {
            *out = (rft_cache_mode)i;
            return true;
        }
    }
    return false;
}
