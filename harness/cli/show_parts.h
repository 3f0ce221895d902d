/* SPDX-License-Identifier: Apache-2.0 */
/* show_parts.h - the pieces that show_text.c builds a run's text of. Private to show_*.c. */
#ifndef RFT_CLI_SHOW_PARTS_H
#define RFT_CLI_SHOW_PARTS_H

#include "cli/show_text.h"

typedef struct rft_show_page {
    rft_str *out;
    const rft_run *run;
    rft_arena *arena; /* of the texts below */
    const char *plus_minus;
    bool ascii; /* bars and charts of plain characters */
    bool full;  /* all problems, profiles and tables, and every note in words */
} rft_show_page;

/* "12.3 %" for (12.3, 1, " %"), "n/a" when not finite; "1,536". */
const char *rft_show_number(const rft_show_page *t, double value, int decimals, const char *after);
const char *rft_show_count(const rft_show_page *t, uint64_t count);
/* "vectorised: VEC=8": the variant where there are several, and what is tuned. */
const char *rft_show_config_name(const rft_show_page *t, const rft_point *point);

#endif
