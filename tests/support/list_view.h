/* SPDX-License-Identifier: Apache-2.0 */
/* list_view.h - what a strategy sees (search/space_view.h) of an explicit list of configurations. */
#ifndef TEST_LIST_VIEW_H
#define TEST_LIST_VIEW_H

#include "search/space_view.h"

/* `rows` holds `count` configurations of `param_count` positions each; values[p] may be NULL (and `values` itself).
 * Everything is copied. A row that is there twice is found by its first index. */
typedef struct list_view_spec {
    uint64_t count;
    size_t param_count;
    const uint16_t *rows;
    const uint32_t *value_counts;
    const double *const *values;
} list_view_spec;
rft_space_view *list_view_new(const list_view_spec *spec);

#endif
