/* SPDX-License-Identifier: Apache-2.0 */
/*
 * font_family.h - the family that pages are set in. Its files are part of the program, so that a run gives one PDF
 * everywhere: Liberation 2.1.5 of Debian 12 (fonts-liberation2, SIL Open Font License 1.1), held to their SHA-256 when
 * the program is built (cmake/RftFonts.cmake).
 */
#ifndef RFT_REPORTS_FONT_FAMILY_H
#define RFT_REPORTS_FONT_FAMILY_H

#include "reports/page/font.h"

typedef struct rft_font_file {
    const unsigned char *bytes; /* of a TrueType file */
    const size_t *size;         /* in bytes */
} rft_font_file;

typedef struct rft_font_family {
    const char *name; /* with its release */
    rft_font_file files[RFT_FONT_COUNT];
} rft_font_family;

/* Static storage. NULL: the files were not there when the program was built. Pages then name Helvetica and Courier,
 * which a reader takes from where it runs. */
const rft_font_family *rft_font_family_built_in(void);

#endif
