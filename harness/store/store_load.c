/* SPDX-License-Identifier: Apache-2.0 */
#include "store/store_parts.h"

#include "base/fs.h"
#include "base/str.h"

#include <string.h>

void rft_store_keep_no_accounts(void) {
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

static int load_store(rft_run **out, const char *path, rft_store_need need, rft_err *err) {
    rft_store *store = NULL;
    int code = rft_store_open(&store, path, RFT_STORE_READ, err);
    if (!code) {
        store->need = need;
        code = rft_store_read(store, out, err);
    }
    rft_store_close(store);
    return code;
}

/* The first bytes of a file, past white space; false where there are none. */
static bool begins_with(const char *path, const char *text) {
    char head[64] = "";
    size_t size = rft_fs_head(path, head, sizeof head - 1), at = 0;
    while (at < size && strchr(" \n\r\t", head[at])) {
        at++;
    }
    return size - at >= strlen(text) && memcmp(head + at, text, strlen(text)) == 0;
}

static bool is_recording(const char *path) {
    return rft_text_ends(path, ".json.gz") || rft_text_ends(path, ".json") || rft_fs_is_gzip(path) ||
           begins_with(path, "{");
}

bool rft_store_is_database(const char *path) {
    return begins_with(path, RFT_STORE_MAGIC);
}

bool rft_store_looks_like_run(const char *path) {
    return is_recording(path) || rft_store_is_database(path);
}

int rft_store_load_for(rft_run **out, const char *path, rft_store_need need, rft_err *err) {
    *out = NULL;
    int rc = is_recording(path) ? rft_recording_read(out, path, err) : load_store(out, path, need, err);
    if (rc == RFT_OK) {
        rft_run_mark_spans(*out);
    }
    return rc;
}

int rft_store_load(rft_run **out, const char *path, rft_err *err) {
    return rft_store_load_for(out, path, RFT_NEED_ALL, err);
}
