/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/compile/ptxas_log.h"

#include "base/str.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* `word` within the line (which is not NUL-terminated there), NULL when absent. */
static const char *in_line(const char *line, size_t length, const char *word) {
    size_t n = strlen(word);
    for (size_t i = 0; i + n <= length; i++) {
        if (memcmp(line + i, word, n) == 0) {
            return line + i;
        }
    }
    return NULL;
}

/* The whole number that stands right before `word`: "0 bytes spill stores"; -1 when the line has none. */
static long number_before(const char *line, size_t length, const char *word) {
    const char *end = in_line(line, length, word);
    if (!end) {
        return -1;
    }
    const char *p = end;
    while (p > line && p[-1] >= '0' && p[-1] <= '9') {
        p--;
    }
    return p == end ? -1 : strtol(p, NULL, 10);
}

/* The number after "used ": newer releases write "used 1 barriers", a bare line has no barrier part at all. */
static int barriers_of(const char *line, size_t length) {
    long n = number_before(line, length, " barriers");
    return n < 0 ? 0 : (int)n;
}

static rft_compiled_entry *entry_named(rft_compiled_entry *entries, size_t count, const char *symbol, size_t length) {
    for (size_t i = 0; i < count; i++) {
        if (entries[i].symbol && strlen(entries[i].symbol) == length &&
            memcmp(entries[i].symbol, symbol, length) == 0) {
            return &entries[i];
        }
    }
    return NULL;
}

static int sum_known(int a, long b) {
    return b < 0 ? a : (a < 0 ? 0 : a) + (int)b;
}

/* A frame line: the first after "Compiling entry function" is the kernel's own, later ones its callees'. */
static void read_frame(rft_compiled_entry *entry, const char *line, size_t length) {
    long stack = number_before(line, length, " bytes stack frame");
    if (entry->stack_bytes < 0) {
        entry->stack_bytes = (int)stack;
    }
    entry->spill_store_bytes = sum_known(entry->spill_store_bytes, number_before(line, length, " bytes spill stores"));
    entry->spill_load_bytes = sum_known(entry->spill_load_bytes, number_before(line, length, " bytes spill loads"));
}

static void read_usage(rft_compiled_entry *entry, const char *line, size_t length) {
    entry->registers = (int)number_before(line, length, " registers");
    entry->barriers = barriers_of(line, length);
    long shared = number_before(line, length, " bytes smem");
    entry->shared_bytes = shared < 0 ? 0 : shared;
    long stack = number_before(line, length, " bytes cumulative stack size");
    if (stack > entry->stack_bytes) {
        entry->stack_bytes = (int)stack;
    }
}

/* Two name expressions may mean one kernel ("k<4>", "k<2 + 2>"). */
static void copy_to_synonyms(rft_compiled_entry *entries, size_t count) {
    for (size_t i = 1; i < count; i++) {
        const char *symbol = entries[i].symbol;
        rft_compiled_entry *first = symbol ? entry_named(entries, count, symbol, strlen(symbol)) : NULL;
        if (first && first != &entries[i]) {
            const char *name = entries[i].name;
            entries[i] = *first;
            entries[i].name = name;
        }
    }
}

void rft_ptxas_read(const char *log, rft_compiled_entry *entries, size_t count) {
    static const char entry_word[] = "Compiling entry function '";
    rft_compiled_entry *current = NULL;
    while (log && *log) {
        size_t length = strcspn(log, "\n");
        const char *name = in_line(log, length, entry_word);
        if (name) {
            name += sizeof entry_word - 1;
            current = entry_named(entries, count, name, strcspn(name, "'\n"));
        } else if (current && in_line(log, length, " bytes stack frame")) {
            read_frame(current, log, length);
        } else if (current && in_line(log, length, ": Used ")) {
            read_usage(current, log, length);
        }
        log += length + (log[length] == '\n');
    }
    copy_to_synonyms(entries, count);
}

void rft_ptxas_read_shared(const char *log, rft_compiled_entry *entries, size_t count) {
    long largest = -1;
    while (log && *log) {
        size_t length = strcspn(log, "\n");
        long shared = number_before(log, length, " bytes smem");
        largest = shared > largest ? shared : largest;
        log += length + (log[length] == '\n');
    }
    for (size_t i = 0; i < count; i++) {
        entries[i].shared_bytes = largest;
    }
}

static bool is_statistic(const char *line, size_t length) {
    static const char *const marks[] = {
        " bytes gmem",    "Compiling entry function '", "Function properties for ", " bytes stack frame", ": Used ",
        "Compile time = "};
    if (length < 5 || (memcmp(line, "ptxas", 5) != 0 && memcmp(line, "    ", 4) != 0)) {
        return false;
    }
    if (in_line(line, length, ": (C7519)")) { /* it wrote the fence in front of a wgmma itself: nothing is lost */
        return true;
    }
    if (in_line(line, length, ": (C")) {
        return false;
    }
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        if (in_line(line, length, marks[i])) {
            return true;
        }
    }
    return false;
}

const char *rft_ptxas_strip(const char *log, rft_arena *arena) {
    rft_str kept = RFT_STR_INIT;
    while (log && *log) {
        size_t length = strcspn(log, "\n");
        if (!is_statistic(log, length)) {
            rft_str_add_n(&kept, log, length);
            rft_str_add_char(&kept, '\n');
        }
        log += length + (log[length] == '\n');
    }
    while (kept.length > 0 && strchr(" \t\r\n", kept.data[kept.length - 1])) {
        rft_str_truncate(&kept, kept.length - 1);
    }
    const char *out = rft_arena_strdup(arena, rft_str_get(&kept));
    rft_str_clear(&kept);
    return out;
}
