/* SPDX-License-Identifier: Apache-2.0 */
#include "store/store.h"

#include "base/fs.h"
#include "base/str.h"

#include <stdio.h>

static int load_store(rft_run **out, const char *path, rft_err *err) {
    rft_store *store = NULL;
    int code = rft_store_open(&store, path, RFT_STORE_READ, err);
    if (!code) {
        code = rft_store_read(store, out, err);
    }
    rft_store_close(store);
    return code;
}

/* A run file begins with "SQLite format 3". */
static bool begins_with_brace(const char *path) {
    FILE *file = fopen(path, "rb");
    int first = file ? getc(file) : EOF;
    while (first == ' ' || first == '\n' || first == '\r' || first == '\t') {
        first = getc(file);
    }
    if (file) {
        fclose(file);
    }
    return first == '{';
}

int rft_store_load(rft_run **out, const char *path, rft_err *err) {
    *out = NULL;
    bool recording = rft_text_ends(path, ".json.gz") || rft_text_ends(path, ".json") || rft_fs_is_gzip(path) ||
                     begins_with_brace(path);
    return recording ? rft_recording_read(out, path, err) : load_store(out, path, err);
}
