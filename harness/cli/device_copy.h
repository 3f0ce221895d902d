/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device_copy.h - a source that nvcc compiles, and the headers of its own, as NVRTC can have them: copies of their
 * device code, where host code stands in them.
 */
#ifndef RFT_CLI_DEVICE_COPY_H
#define RFT_CLI_DEVICE_COPY_H

#include "base/arena.h"
#include "cli/opt.h"

#include <stdbool.h>
#include <stddef.h>

#define RFT_COPY_HEADERS_MAX 32
#define RFT_COPY_FOLDERS_MAX 16

typedef struct rft_copied_header {
    const char *name; /* beside the sweep: "common_device.h" */
    const char *path, *text;
    bool whole; /* it stays where it lies: nothing had to go */
} rft_copied_header;

typedef struct rft_device_copy {
    const char *text; /* of the source; the very text that was given where nothing had to go */
    rft_copied_header headers[RFT_COPY_HEADERS_MAX]; /* those that were looked at */
    size_t header_count;
    const char *places[RFT_COPY_FOLDERS_MAX]; /* absolute: folders from which headers that stay are named */
    size_t place_count;
    const char *reads[RFT_COPY_FOLDERS_MAX]; /* absolute: folders in which they lie */
    size_t read_count;
    bool drops_headers;                     /* or copies one */
    const char *lost[RFT_COPY_HEADERS_MAX]; /* #includes by "NAME" that are nowhere, and went */
    size_t lost_count;
} rft_device_copy;

/* `text` is that of the file `path`; `includes` are folders that headers are looked for in. All in the arena. */
void rft_device_copy_make(rft_device_copy *out, const char *path, const char *text, const rft_words *includes,
                          rft_arena *arena);

/* The text of all its headers; NULL: none was read. */
const char *rft_device_copy_headers(const rft_device_copy *copy, rft_arena *arena);

/* -D options for the limits that the host's headers would have defined and the copies use; their number. */
size_t rft_device_copy_macros(const rft_device_copy *copy, const char **out, size_t most, rft_arena *arena);

#endif
