/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/check_logs.h"

#include "base/hash.h"
#include "model/sweep/outcome.h"

#include <stdlib.h>
#include <string.h>

void rft_check_logs_clear(rft_check_logs *logs) {
    free(logs->items);
    *logs = (rft_check_logs){0};
}

/* Of all lines but those of a caret, which moves as numbers grow. */
static uint64_t kind_of(const char *log) {
    rft_str key = RFT_STR_INIT;
    while (*log) {
        if (log[strspn(log, " \t")] != '^') {
            rft_outcome_reason_kind(&key, log);
            rft_str_add_char(&key, '\n');
        }
        log += strcspn(log, "\n");
        log += *log == '\n';
    }
    uint64_t kind = rft_hash_fnv1a(rft_str_get(&key), key.length);
    rft_str_clear(&key);
    return kind;
}

void rft_check_logs_add(rft_check_logs *logs, const char *log, rft_arena *arena) {
    uint64_t kind = kind_of(log);
    size_t i = 0;
    while (i < logs->count && logs->items[i].kind != kind) {
        i++;
    }
    if (i == logs->count) {
        RFT_GROW(logs->items, logs->capacity, logs->count + 1);
        logs->items[logs->count++] = (rft_check_log){.text = rft_arena_strdup(arena, log), .kind = kind};
    }
    logs->items[i].count++;
}

void rft_check_logs_format(rft_str *out, const rft_check_logs *logs) {
    for (size_t i = 0; i < logs->count; i++) {
        size_t count = logs->items[i].count;
        rft_str_addf(out, "the compiler, of %zu configuration%s:\n%s\n", count, count == 1 ? "" : "s",
                     logs->items[i].text);
    }
}
