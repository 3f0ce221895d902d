/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/page/font_family.h"

#ifdef RFT_FONTS
/* rft_embed() */
extern const unsigned char rft_embedded_LiberationSans_Regular_ttf[], rft_embedded_LiberationSans_Bold_ttf[],
    rft_embedded_LiberationMono_Regular_ttf[];
extern const size_t rft_embedded_LiberationSans_Regular_ttf_size, rft_embedded_LiberationSans_Bold_ttf_size,
    rft_embedded_LiberationMono_Regular_ttf_size;

static const rft_font_family liberation = {
    .name = RFT_FONTS,
    .files = {{rft_embedded_LiberationSans_Regular_ttf, &rft_embedded_LiberationSans_Regular_ttf_size},
              {rft_embedded_LiberationSans_Bold_ttf, &rft_embedded_LiberationSans_Bold_ttf_size},
              {rft_embedded_LiberationMono_Regular_ttf, &rft_embedded_LiberationMono_Regular_ttf_size}}};
#endif

const rft_font_family *rft_font_family_built_in(void) {
#ifdef RFT_FONTS
    return &liberation;
#else
    return NULL;
#endif
}
