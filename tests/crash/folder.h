/* SPDX-License-Identifier: Apache-2.0 */
/* folder.h - small folders of small files: copied, listed, removed. Whoever cannot ends the test. */
#ifndef RFT_TESTS_CRASH_FOLDER_H
#define RFT_TESTS_CRASH_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

void crash_folder_remove(const char *path);
void crash_folder_copy(const char *from, const char *to); /* `to` is made anew; dates are kept */
char *crash_folder_list(const char *path);                /* its files, sorted, one a line: heap memory */
char *crash_read_file(const char *path, size_t *size);    /* NULL when it is not there: heap memory */
bool crash_same_file(const char *a, const char *b);       /* both there and equal, or neither */
char *crash_text(const char *format, ...) __attribute__((format(printf, 1, 2))); /* heap memory */

#endif
