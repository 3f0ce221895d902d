/* SPDX-License-Identifier: Apache-2.0 */
/* JSON and gzip, as they come out of a file from elsewhere: errors, never a crash; what is dumped reads back equal. */
#include "base/fs.h"
#include "base/json.h"
#include "fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void getters(const json_t *value) {
    const char *text = NULL;
    json_t *inner = NULL;
    rft_err err = RFT_ERR_INIT;
    (void)rft_json_text(&text, value, "a", "fuzz", &err);
    (void)rft_json_array(&inner, value, "a", "fuzz", &err);
    (void)rft_json_object(&inner, value, "a", "fuzz", &err);
}

static void parse(const char *text, size_t size) {
    json_t *value = NULL, *again = NULL;
    rft_err err = RFT_ERR_INIT;
    if (rft_json_parse(&value, text, size, "fuzz", &err)) {
        require(err.code == RFT_E_RECORDING && err.message[0] && !value);
        return;
    }
    getters(value);
    size_t dumped_size = 0;
    char *dumped = rft_json_dump(value, &dumped_size);
    require(rft_json_parse(&again, dumped, dumped_size, "again", &err) == 0);
    require(json_equal(value, again));
    free(dumped);
    json_decref(value);
    json_decref(again);
}

/* The first byte chooses: gzip through a file of this process, or plain text. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2 || data[0] != 0x1f) {
        parse((const char *)data, size);
        return 0;
    }
    char path[64];
    snprintf(path, sizeof path, "/tmp/rooftune-fuzz-%ld.gz", (long)getpid());
    FILE *file = fopen(path, "wb");
    require(file != NULL && fwrite(data, 1, size, file) == size);
    fclose(file);
    char *inflated = NULL;
    size_t inflated_size = 0;
    rft_err err = RFT_ERR_INIT;
    int code = rft_fs_read_gzip(&inflated, &inflated_size, path, 1 << 20, &err);
    require(code == 0 || ((code == RFT_E_RECORDING || code == RFT_E_LIMIT) && err.message[0] && !inflated));
    if (!code) {
        parse(inflated, inflated_size);
    }
    free(inflated);
    unlink(path);
    return 0;
}
