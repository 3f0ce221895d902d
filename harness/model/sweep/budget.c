/* SPDX-License-Identifier: Apache-2.0 */
#include "model/sweep/budget.h"

#include "base/str.h"
#include "base/units.h"

#include <stdbool.h>
#include <string.h>

#define PART_SIZE 64
#define GPU_PREFIX "gpu:"

static int refuse_budget(rft_err *err, const char *part, const char *why) {
    rft_err_set(err, RFT_E_USAGE, "\"%s\" %s", part, why);
    return rft_err_remedy(err, "a budget is a number of configurations (500), a time (10m), GPU time (gpu:30s), or "
                               "several of them with commas between");
}

static int parse_time(double *out, const char *part, const char *text, rft_err *err) {
    if (*out > 0) {
        return refuse_budget(err, part, "is given twice");
    }
    rft_err why = RFT_ERR_INIT;
    if (rft_units_parse_seconds(out, text, &why) != RFT_OK) {
        return refuse_budget(err, part, "is no budget");
    }
    return *out > 0 ? RFT_OK : refuse_budget(err, part, "leaves nothing to do");
}

static int parse_part(rft_budget *out, const char *part, rft_err *err) {
    int64_t number = 0;
    if (!*part) {
        return refuse_budget(err, part, "is no budget");
    }
    if (rft_text_to_int64(part, &number)) {
        if (number <= 0) {
            return refuse_budget(err, part, "leaves nothing to do");
        }
        if (out->points) {
            return refuse_budget(err, part, "is given twice");
        }
        out->points = (uint64_t)number;
        return RFT_OK;
    }
    if (rft_text_starts(part, GPU_PREFIX)) {
        return parse_time(&out->gpu_s, part, part + strlen(GPU_PREFIX), err);
    }
    return parse_time(&out->seconds, part, part, err);
}

int rft_budget_parse(rft_budget *out, const char *text, rft_err *err) {
    *out = (rft_budget){0};
    for (const char *at = text;; at++) {
        char part[PART_SIZE];
        size_t length = strcspn(at, ",");
        rft_text_format(part, sizeof part, "%.*s", (int)(length < PART_SIZE ? length : PART_SIZE - 1), at);
        int rc = parse_part(out, part, err);
        at += length;
        if (rc != RFT_OK || !*at) {
            return rc;
        }
    }
}
