/* SPDX-License-Identifier: Apache-2.0 */
#include "store/exchange/ncu_around.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#define KERNEL "Kernel Name"
/* A report is printed again without the GPU. */
#define AS_CSV "ncu --import REPORT.ncu-rep --csv --page raw --print-units base >FILE.csv"

static const char *line_end(const char *at, const char *end) {
    const char *found = memchr(at, '\n', (size_t)(end - at));
    return found ? found : end;
}

static bool has_text(const char *at, const char *end, const char *word) {
    size_t length = strlen(word);
    for (; (size_t)(end - at) >= length; at++) {
        if (memcmp(at, word, length) == 0) {
            return true;
        }
    }
    return false;
}

static bool begins(const char *at, const char *end, const char *word) {
    return (size_t)(end - at) >= strlen(word) && memcmp(at, word, strlen(word)) == 0;
}

/* "Version 2025.3.0.0 (build 36273991)", as `ncu --version` says. */
static const char *version_in(const char *at, const char *end, rft_arena *arena) {
    static const char word[] = "Version ";
    size_t length = 0;
    if (!begins(at, end, word)) {
        return NULL;
    }
    at += strlen(word);
    while (at + length < end && length < 32 && (isdigit((unsigned char)at[length]) || at[length] == '.')) {
        length++;
    }
    return length > 0 && isdigit((unsigned char)*at) ? rft_arena_strndup(arena, at, length) : NULL;
}

static void say_instead(rft_ncu_around *found, const char *text, const char *end) {
    static const struct {
        const char *first, *anywhere, *instead, *remedy;
    } files[] = {
        {"NVR", NULL, "it is a report of Nsight Compute, no CSV", AS_CSV},
        {"\xFF\xFE", NULL, "its text is UTF-16", "iconv -f UTF-16 -t UTF-8 FILE.csv >OTHER.csv"},
        {"\xFE\xFF", NULL, "its text is UTF-16", "iconv -f UTF-16 -t UTF-8 FILE.csv >OTHER.csv"},
        {NULL, "\"Invocations\"", "it is Nsight Compute's summary over launches",
         "print each launch: leave out --print-summary"},
        {NULL, "Metric Name ", "Nsight Compute printed it for people, not as CSV", AS_CSV ", or ncu --csv"},
        {"", NULL, "there is no table of Nsight Compute in it: no line begins with \"ID\" and names \"" KERNEL "\"",
         RFT_NCU_COMMAND},
    };
    for (size_t i = 0; !found->instead; i++) {
        bool is_first = !files[i].first || ((size_t)(end - text) >= strlen(files[i].first) &&
                                            memcmp(text, files[i].first, strlen(files[i].first)) == 0);
        if (is_first && (!files[i].anywhere || has_text(text, end, files[i].anywhere))) {
            found->instead = files[i].instead;
            found->remedy = files[i].remedy;
        }
    }
}

rft_ncu_around rft_ncu_look_around(const char *text, size_t size, rft_arena *arena) {
    rft_ncu_around found = {.line = 1};
    const char *end = text + size, *at = text + (begins(text, end, "\xEF\xBB\xBF") ? 3 : 0);
    bool is_ncu = false;
    for (; at < end; found.line++) {
        const char *stop = line_end(at, end);
        is_ncu = is_ncu || has_text(at, stop, "Nsight Compute");
        found.version = is_ncu && !found.version ? version_in(at, stop, arena) : found.version;
        if (!found.error && begins(at, stop, "==ERROR== ")) {
            found.error = rft_arena_strndup(arena, at + 10, (size_t)(stop - at) - 10);
        }
        if ((begins(at, stop, "\"ID\",") || begins(at, stop, "ID,")) && has_text(at, stop, KERNEL)) {
            found.table = at;
            return found;
        }
        at = stop < end ? stop + 1 : end;
    }
    say_instead(&found, text, end);
    return found;
}
