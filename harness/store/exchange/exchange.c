/* SPDX-License-Identifier: Apache-2.0 */
#include "store/exchange/exchange.h"

#include "model/run/run_foreign.h"
#include "store/exchange/ktt_read.h"
#include "store/recording.h"

#include <stdlib.h>
#include <string.h>

static bool is_t4(const json_t *root) {
    return json_is_array(json_object_get(root, "results"));
}

static bool is_kt(const json_t *root) {
    return json_object_get(root, "tune_params_keys") != NULL || json_is_object(json_object_get(root, "cache"));
}

/* The mark of its run, as every other format's. */
static int read_ktt(rft_run **out, const rft_exchange_file *file, rft_err *err) {
    int code = rft_ktt_read(out, file->root, file->what, err);
    if (!code) {
        rft_env_set(&(*out)->env, (*out)->arena, RFT_ENV_FOREIGN, "KTT", NULL);
        for (size_t s = 0; s < (*out)->sweep_count; s++) {
            (*out)->sweeps[s].sweep.bare_space = true;
        }
    }
    return code;
}

static bool is_t1(const json_t *root) {
    return json_object_get(root, "ConfigurationSpace") != NULL;
}

static const rft_exchange_format formats[] = {
    {"T4", is_t4, rft_exchange_read_t4, NULL},
    {"a Kernel Tuner cache", is_kt, rft_exchange_read_kt, NULL},
    {"KTT", rft_ktt_is, read_ktt, NULL},
    {"T1", is_t1, NULL, "T1 describes a space, not a run: `rooftune check FILE.json` counts it"},
};

const rft_exchange_format *rft_exchange_format_of(const json_t *root) {
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (formats[i].detect(root)) {
            return &formats[i];
        }
    }
    return NULL;
}

int rft_exchange_read(rft_run **out, const rft_exchange_file *file, rft_err *err) {
    const rft_exchange_format *format = rft_exchange_format_of(file->root);
    *out = NULL;
    if (format && format->read) {
        return format->read(out, file, err);
    }
    if (format) {
        rft_err_set(err, RFT_E_RECORDING, "%s is %s, which holds no run to read", file->what, format->name);
        return rft_err_remedy(err, "%s", format->remedy);
    }
    rft_err_set(err, RFT_E_RECORDING, "%s has no rooftune section, and no other format that is read here fits",
                file->what);
    return rft_err_remedy(err,
                          "name a file that `rooftune export` wrote, T4 JSON, results of KTT, or a Kernel Tuner cache");
}

int rft_exchange_fail(const rft_exchange_file *file, rft_err *err, const char *expected, const char *format, ...) {
    char path[200];
    va_list args;
    va_start(args, format);
    rft_text_vformat(path, sizeof path, format, args);
    va_end(args);
    rft_err_set(err, RFT_E_RECORDING, "%s: %s: expected %s", file->what, path, expected);
    rft_err_remedy(err, "the file is damaged or was edited: copy or download it again");
    return RFT_E_RECORDING;
}

/* ---- files of a Kernel Tuner that was stopped ---- */

#define HEAD_BYTES 65536 /* the head of a cache, before its entries */

static bool looks_like_kt(const char *text, size_t size) {
    static const char key[] = "\"tune_params_keys\"";
    size_t most = size < HEAD_BYTES ? size : HEAD_BYTES;
    for (size_t i = 0; i + sizeof key - 1 <= most; i++) {
        if (text[i] == '"' && memcmp(text + i, key, sizeof key - 1) == 0) {
            return true;
        }
    }
    return false;
}

static size_t trimmed(const char *text, size_t size) {
    while (size > 0 && strchr(" \t\r\n,", text[size - 1])) {
        size--;
    }
    return size;
}

/* Entries are written one a line, each with a comma behind it. */
static size_t last_whole_entry(const char *text, size_t size) {
    while (size > 1 && !(text[size - 1] == '\n' && text[size - 2] == ',')) {
        size--;
    }
    return size > 1 ? size : 0;
}

static json_t *mend(const char *text, size_t size) {
    json_t *root = NULL;
    for (int attempt = 0; attempt < 2 && !root; attempt++) {
        size_t kept = trimmed(text, attempt == 0 ? size : last_whole_entry(text, size));
        rft_str ended = RFT_STR_INIT;
        rft_str_add_n(&ended, text, kept);
        rft_str_add(&ended, "}}");
        (void)rft_json_parse(&root, ended.data, ended.length, "", NULL);
        rft_str_clear(&ended);
    }
    return root;
}

int rft_exchange_parse(json_t **root, bool *mended, const char *text, size_t size, const char *what, rft_err *err) {
    int code = rft_json_parse(root, text, size, what, err);
    *mended = false;
    if (code && looks_like_kt(text, size)) {
        *root = mend(text, size);
        *mended = *root != NULL;
        if (*mended) {
            rft_err_clear(err);
            return 0;
        }
    }
    return code;
}
