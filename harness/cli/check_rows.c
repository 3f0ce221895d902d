/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/check_rows.h"

#include "base/hash.h"

#include <stdlib.h>

void rft_check_rows_clear(rft_check_rows *rows) {
    free(rows->items);
    *rows = (rft_check_rows){0};
}

static uint64_t kind_of(rft_outcome outcome, const char *reason) {
    rft_str key = RFT_STR_INIT;
    rft_str_addf(&key, "%s: ", rft_outcome_name(outcome));
    rft_outcome_reason_kind(&key, reason);
    uint64_t kind = rft_hash_fnv1a(rft_str_get(&key), key.length);
    rft_str_clear(&key);
    return kind;
}

void rft_check_rows_add(rft_check_rows *rows, const char *config, rft_outcome outcome, const char *reason,
                        rft_arena *arena) {
    uint64_t kind = kind_of(outcome, reason);
    size_t i = 0;
    while (i < rows->count && rows->items[i].kind != kind) {
        i++;
    }
    if (i == rows->count) {
        RFT_GROW(rows->items, rows->capacity, rows->count + 1);
        rows->items[rows->count++] = (rft_check_row){.config = rft_arena_strdup(arena, config),
                                                     .reason = rft_arena_strdup(arena, reason),
                                                     .outcome = outcome,
                                                     .kind = kind};
    }
    rows->items[i].count++;
}

void rft_check_rows_tell(rft_check_rows *rows, rft_str *out) {
    for (size_t i = 0; i < rows->count; i++) {
        const rft_check_row *row = &rows->items[i];
        rft_str name = RFT_STR_INIT;
        rft_str_add(&name, row->config);
        if (row->count > 1) {
            rft_str_addf(&name, "%sand %zu more", name.length ? " " : "one ", row->count - 1);
        }
        rft_str_addf(out, "    %-44s %s: %s\n", rft_str_get(&name), rft_outcome_name(row->outcome), row->reason);
        rft_str_clear(&name);
    }
    rows->count = 0;
}
