/* SPDX-License-Identifier: Apache-2.0 */
/* edit_sqlite.h - edits of a run file: bytes of its pages, or what any SQLite client can do to it. */
#ifndef RFT_TESTS_FUZZ_EDIT_SQLITE_H
#define RFT_TESTS_FUZZ_EDIT_SQLITE_H

#include <stddef.h>
#include <stdint.h>

/* Values out of range, NULL, of other types, in the wrong rows; rows more or fewer; other tables, views and triggers;
 * other versions and journal modes. What SQLite refuses to do is left out. */
void edit_sqlite_rows(const char *path, uint64_t *random);

/* Header fields, bytes of the pages' heads and cells, cut off or longer. Returns the new size; data[size..] has room
 * for as much again. */
size_t edit_sqlite_pages(char *data, size_t size, uint64_t *random);

#endif
