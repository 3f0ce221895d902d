/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exchange.h - inside of the store room: the formats that are read, and how one is told from another. By content, never
 * by name: a file's members say what it is. docs/exchange.md has the formats, with their sources.
 *
 * A new format is a file exchange_NAME.c with a reader, and a line of the table in exchange.c.
 */
#ifndef RFT_STORE_EXCHANGE_H
#define RFT_STORE_EXCHANGE_H

#include "base/json.h"
#include "model/run/run.h"

/* A file that was read and parsed. All is borrowed. */
typedef struct rft_exchange_file {
    const json_t *root;
    const char *text; /* what was parsed: names the run by its hash */
    size_t size;
    const char *what; /* the file, for messages */
    bool mended;      /* the file of a tuner that was stopped: its end was put there by rft_exchange_parse() */
} rft_exchange_file;

typedef struct rft_exchange_format {
    const char *name; /* "a Kernel Tuner cache": what env and messages call it */
    bool (*detect)(const json_t *root);
    /* RFT_E_RECORDING with the JSON path. NULL: of this format there are no runs to read; `remedy` says what to do. */
    int (*read)(rft_run **out, const rft_exchange_file *file, rft_err *err);
    const char *remedy;
} rft_exchange_format;

/* The first format that fits; NULL: none. rooftune's own recording is not in the table. */
const rft_exchange_format *rft_exchange_format_of(const json_t *root);
/* Reads a file that is no recording of rooftune's own. RFT_E_RECORDING, also where no format fits. */
int rft_exchange_read(rft_run **out, const rft_exchange_file *file, rft_err *err);

/* Parses, and ends a Kernel Tuner cache whose run was stopped (it lacks the last two braces, or half an entry). The
 * result's root is owned: json_decref(). RFT_E_RECORDING. */
int rft_exchange_parse(json_t **root, bool *mended, const char *text, size_t size, const char *what, rft_err *err);

/* "FILE: PATH: expected EXPECTED", RFT_E_RECORDING. */
int rft_exchange_fail(const rft_exchange_file *file, rft_err *err, const char *expected, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The readers. */
int rft_exchange_read_t4(rft_run **out, const rft_exchange_file *file, rft_err *err);
int rft_exchange_read_kt(rft_run **out, const rft_exchange_file *file, rft_err *err);

#endif
