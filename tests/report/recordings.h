/* SPDX-License-Identifier: Apache-2.0 */
/* recordings.h - every recording of the tree, or the run files that a test's arguments name. */
#ifndef RFT_TESTS_RECORDINGS_H
#define RFT_TESTS_RECORDINGS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct recordings {
    char **files;
    size_t count;
    bool named; /* by arguments: not all of the tree */
} recordings;

recordings recordings_of(int argc, char **argv);
void recordings_clear(recordings *all);

#endif
