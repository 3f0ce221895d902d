/* SPDX-License-Identifier: Apache-2.0 */
#include "model/sweep.h"

const char *rft_cache_mode_name(rft_cache_mode mode) {
    return mode == RFT_CACHE_HOT ? "hot" : "cold";
}
