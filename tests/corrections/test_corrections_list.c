/* SPDX-License-Identifier: Apache-2.0 */
/* docs/corrections.md is whole: every entry is there once, and the tests it names are in the files it names. */
#include "corrections/machines.h"

#include "base/fs.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DOC RFT_SOURCE_DIR "/docs/corrections.md"

static char *text_of(const char *path) {
    char *text = NULL;
    size_t size = 0;
    rft_err err = RFT_ERR_INIT;
    if (rft_fs_read(&text, &size, path, 1 << 20, &err) != 0) {
        fail_msg("%s: %s", path, err.message);
    }
    return text;
}

/* The row "| E7 | ...": its text to the line's end; NULL. */
static char *row_of(const char *doc, const char *entry) {
    char begin[16];
    snprintf(begin, sizeof begin, "\n| %s |", entry);
    const char *row = strstr(doc, begin);
    if (row == NULL || strstr(row + 1, begin)) {
        return NULL;
    }
    return strndup(row + 1, strcspn(row + 1, "\n"));
}

/* Is `test` a test of part, and run? Twice: its definition and its place in main(). */
static bool has_test(const char *part, const char *test) {
    char path[512], defined[128], listed[128];
    snprintf(path, sizeof path, RFT_SOURCE_DIR "/tests/corrections/test_corrections_%s.c", part);
    snprintf(defined, sizeof defined, "static void %s(void **state)", test);
    snprintf(listed, sizeof listed, "(%s", test);
    char *source = text_of(path);
    const char *at_main = strstr(source, "int main(void)");
    bool found = at_main && strstr(source, defined) && strstr(at_main, listed);
    free(source);
    return found;
}

/* Every `part: e07_name` of the row; returns how many. Their names begin with the entry's. */
static int check_tests(const char *row, char letter, int number) {
    int found = 0;
    for (const char *at = strchr(row, '`'); at; at = strchr(at + 1, '`')) {
        char part[32], test[96], begin[8];
        if (sscanf(at, "`%31[a-z]: %95[a-z0-9_]`", part, test) != 2) {
            continue;
        }
        snprintf(begin, sizeof begin, "%c%02d_", tolower(letter), number);
        if (strncmp(test, begin, 4) != 0 || !has_test(part, test)) {
            fail_msg("%c%d: no test %s in %s", letter, number, test, part);
        }
        found++;
    }
    return found;
}

static void check_entries(char letter, int last) {
    char *doc = text_of(DOC);
    for (int number = 1; number <= last; number++) {
        char entry[16];
        snprintf(entry, sizeof entry, "%c%d", letter, number);
        char *row = row_of(doc, entry);
        if (row == NULL) {
            fail_msg("%s is not there, or twice", entry);
        }
        if (check_tests(row, letter, number) == 0) {
            fail_msg("%s names no test", entry);
        }
        free(row);
    }
    free(doc);
}

static void every_error_is_listed(void **state) {
    (void)state;
    check_entries('E', 33);
}

static void every_table_is_reproduced(void **state) {
    (void)state;
    check_entries('A', 21);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_error_is_listed),
        cmocka_unit_test(every_table_is_reproduced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
