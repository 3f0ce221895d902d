/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json.h - jansson with errors that say where.
 *
 * Getters take the object and a key and report "recording.points[12].samples: expected an array". A key that is
 * absent or null yields the fallback of the *_or form; the plain form makes it an error.
 */
#ifndef RFT_BASE_JSON_H
#define RFT_BASE_JSON_H

#include "base/arena.h"
#include "base/err.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the tree of a text may take before it is built: 61 kB of gzip can hold 20 million objects, which are 4.7 GB.
 * Files of measurements take 5 to 10 times their size. */
#define RFT_JSON_TREE_BASE ((size_t)32 << 20)
#define RFT_JSON_TREE_FACTOR 16

/* Parses text (nesting limit: jansson's 2048; an object that has a key twice is refused). `what` names it in messages.
 * RFT_E_RECORDING. *out is owned: json_decref(). */
int rft_json_parse(json_t **out, const char *text, size_t size, const char *what, rft_err *err);
/* Reads a file, gzip or plain, of at most max_bytes inflated bytes. */
int rft_json_read_file(json_t **out, const char *path, size_t max_bytes, rft_err *err);
/* Compact, keys in insertion order, numbers in the C locale. Heap string, owned. */
char *rft_json_dump(const json_t *value, size_t *size);

int rft_json_text(const char **out, const json_t *object, const char *key, const char *path, rft_err *err);
int rft_json_array(json_t **out, const json_t *object, const char *key, const char *path, rft_err *err);
int rft_json_object(json_t **out, const json_t *object, const char *key, const char *path, rft_err *err);

const char *rft_json_text_or(const json_t *object, const char *key, const char *fallback);
int64_t rft_json_int_or(const json_t *object, const char *key, int64_t fallback);
double rft_json_real_or(const json_t *object, const char *key, double fallback);
bool rft_json_bool_or(const json_t *object, const char *key, bool fallback);

/* A string, with every byte that is not UTF-8 replaced by U+FFFD (compiler logs may hold anything); NULL is null.
 * At most max_bytes (0 = all) of the text are kept, cut between characters. */
json_t *rft_json_clean_text(const char *text, size_t max_bytes);

/* NaN and infinities become null: absent is not zero. */
json_t *rft_json_real_new(double value);

#endif
