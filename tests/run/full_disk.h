/* SPDX-License-Identifier: Apache-2.0 */
/*
 * full_disk.h - a disk that is full from the n-th write on, for whoever writes through SQLite in this process: a layer
 * over SQLite's own files, in front of everything that is opened while it is installed.
 */
#ifndef RFT_TEST_FULL_DISK_H
#define RFT_TEST_FULL_DISK_H

#include <stdbool.h>

void full_disk_install(void);
void full_disk_remove(void);

/* Writes and flushes from the `first`-th on fail (0: none), all of them or, with `once`, that one alone. Counts from
 * here. */
void full_disk_fail(unsigned first, bool once);
unsigned full_disk_writes(void); /* writes and flushes since full_disk_fail() */

#endif
