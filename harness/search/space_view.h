/* SPDX-License-Identifier: Apache-2.0 */
/*
 * space_view.h - what a strategy sees of a space: configurations by index and as positions, one per parameter, of their
 * values. Nothing here is proportional to the number of configurations.
 *
 * Positions count a parameter's values in ascending order where all are numbers (so that near positions are near
 * values, however the script lists them), else in the listed order.
 */
#ifndef RFT_SEARCH_SPACE_VIEW_H
#define RFT_SEARCH_SPACE_VIEW_H

#include "model/sweep/space.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct rft_space_view rft_space_view;
struct rft_space_view {
    uint64_t count; /* configurations. Exact: indices are 0 .. count - 1; else an estimate, and they are any numbers */
    bool exact;
    size_t param_count;
    const uint32_t *value_counts; /* per parameter; at least 1 each */
    const double *const *values;  /* values[p][position]; NULL for a parameter that is not of numbers */
    void (*positions)(const rft_space_view *view, uint64_t index, uint16_t *out);
    uint64_t (*find)(const rft_space_view *view, const uint16_t *positions); /* UINT64_MAX: not valid */
    /* Uniform. UINT64_MAX: none was met (never where the view is exact and count >= 1). */
    uint64_t (*sample)(const rft_space_view *view, uint64_t random64);
    void (*free)(rft_space_view *view);
};

/* Borrows `space`, which must outlive it. Owned: view->free(view). */
rft_space_view *rft_view_of_space(const rft_space *space);

#endif
