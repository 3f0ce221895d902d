/* SPDX-License-Identifier: Apache-2.0 */
/* without_cupti.h - for tests of what CUPTI's host library says, which need no GPU. */
#ifndef RFT_TEST_WITHOUT_CUPTI_H
#define RFT_TEST_WITHOUT_CUPTI_H

#include "gpu/counting.h"

#include <stdio.h>

/* The exit status of a test program where the library cannot be opened: 77, skipped, with the words and a remedy; 1
 * when there is no remedy, for whoever is not served is told what to do. 0: it is there. */
static inline int without_cupti(void) {
    rft_arena *arena = rft_arena_new();
    rft_counter_plan plan;
    rft_counter_set set = rft_counter_set_none();
    rft_err err = RFT_ERR_INIT;
    int rc = rft_cupti_plan_chip(&plan, "GH100", &set, NULL, arena, &err);
    rft_arena_free(arena);
    if (rc == RFT_E_NOT_FOUND) {
        printf("skipped: %s\n", err.message);
        return err.remedy[0] ? 77 : 1;
    }
    return 0;
}

#endif
