/* SPDX-License-Identifier: Apache-2.0 */
#include "model/sweep/settings.h"

#include "base/str.h"
#include "base/units.h"
#include "model/sweep/budget.h"
#include "model/sweep/sweep.h"

#include <string.h>

const char *const rft_cache_mode_names[RFT_CACHE_COUNT + 1] = {"cold", "hot", "rotating"};
const char *const rft_timing_mode_names[RFT_TIMING_COUNT + 1] = {"events", "graph"};
const char *const rft_objective_names[RFT_OBJECTIVE_COUNT + 1] = {"time", "energy", "edp"};

#define MEASURE_ROW(key, kind, member, choices, option, argument, help)                                                \
    {"measure", key, RFT_SETTING_##kind, offsetof(rft_sweep, member), choices, option, 0, argument, help},
#define SEARCH_ROW(key, kind, member, choices, option, argument, help)                                                 \
    {"search", key, RFT_SETTING_##kind, offsetof(rft_sweep, member), choices, option, 0, argument, help},
const rft_setting rft_sweep_settings[RFT_SWEEP_SETTINGS] = {RFT_MEASURE_SETTINGS(MEASURE_ROW)
                                                                RFT_SEARCH_SETTINGS(SEARCH_ROW)};

const char *rft_cache_mode_name(rft_cache_mode mode) {
    return rft_cache_mode_names[mode];
}

const char *rft_protocol_words(rft_cache_mode cache, rft_timing_mode mode) {
    static const char *const words[RFT_TIMING_COUNT][RFT_CACHE_COUNT] = {
        {"cold cache", "hot cache", "rotating cache"},
        {"cold cache, CUDA graph", "hot cache, CUDA graph", "rotating cache, CUDA graph"}};
    return words[mode][cache];
}

const char *rft_protocol_name(rft_cache_mode cache, rft_timing_mode mode) {
    static const char *const graphs[RFT_CACHE_COUNT] = {"cold, graph", "hot, graph", "rotating, graph"};
    return mode == RFT_TIMING_GRAPH ? graphs[cache] : rft_cache_mode_name(cache);
}

const char *rft_objective_name(rft_objective objective) {
    return objective < RFT_OBJECTIVE_COUNT ? rft_objective_names[objective] : "time";
}

const char *rft_objective_text(rft_objective objective) {
    return objective == RFT_OBJECTIVE_ENERGY ? "the best is the one that takes the fewest joules a run"
           : objective == RFT_OBJECTIVE_EDP  ? "the best is the one with the least joules x seconds a run"
                                             : NULL;
}

static int read_seconds(double *out, const char *text, rft_err *err) {
    int rc = rft_units_parse_seconds(out, text, err);
    if (rc == RFT_OK && !(*out > 0)) {
        rft_err_set(err, RFT_E_USAGE, "%s leaves no time at all", text);
        rc = rft_err_remedy(err, "a limit is a time above 0: 500ms, 2s, 1m");
    }
    return rc;
}

static int read_share(double *out, const char *text, rft_err *err) {
    char number[32];
    size_t length = strlen(text);
    bool percent = rft_text_ends(text, "%");
    rft_text_format(number, sizeof number, "%.*s", (int)(length - percent), text);
    if (rft_text_to_double(number, out)) {
        *out = percent ? *out / 100 : *out;
        if (*out > 0 && *out <= 1) {
            return RFT_OK;
        }
    }
    rft_err_set(err, RFT_E_USAGE, "expected a share above 0 and at most 1, got \"%.40s\"", text);
    return rft_err_remedy(err, "write 0.95, or 95%%");
}

static int read_whole(int64_t *out, int64_t least, int64_t most, const char *text, rft_err *err) {
    if (rft_text_to_int64(text, out) && *out >= least && *out <= most) {
        return RFT_OK;
    }
    rft_err_set(err, RFT_E_USAGE, "expected a whole number from %lld on, got \"%.40s\"", (long long)least, text);
    return most == INT64_MAX ? err->code : rft_err_remedy(err, "at most %lld", (long long)most);
}

static int read_choice(int *out, const char *const *names, const char *text, rft_err *err) {
    rft_str list = RFT_STR_INIT;
    for (int i = 0; names[i]; i++) {
        if (strcmp(names[i], text) == 0) {
            rft_str_clear(&list);
            *out = i;
            return RFT_OK;
        }
        rft_str_addf(&list, "%s\"%s\"", i == 0 ? "" : names[i + 1] ? ", " : " or ", names[i]);
    }
    rft_err_set(err, RFT_E_USAGE, "expected %s, got \"%.40s\"", rft_str_get(&list), text);
    rft_str_clear(&list);
    return err->code;
}

static int read_budget(rft_search_opts *out, const char *text, rft_err *err) {
    rft_budget budget = {0};
    int rc = rft_budget_parse(&budget, text, err);
    if (rc == RFT_OK) {
        out->budget_points = budget.points ? budget.points : out->budget_points;
        out->budget_s = budget.seconds > 0 ? budget.seconds : out->budget_s;
        out->budget_gpu_s = budget.gpu_s > 0 ? budget.gpu_s : out->budget_gpu_s;
    }
    return rc;
}

int rft_setting_read(const rft_setting *setting, void *record, const char *text, rft_err *err) {
    void *field = (char *)record + setting->offset;
    int64_t whole = 0;
    int rc = RFT_OK;
    switch (setting->kind) {
    case RFT_SETTING_TEXT:
        *(const char **)field = text;
        break;
    case RFT_SETTING_FLAG:
        *(bool *)field = true;
        break;
    case RFT_SETTING_SECONDS:
        return read_seconds(field, text, err);
    case RFT_SETTING_SHARE:
        return read_share(field, text, err);
    case RFT_SETTING_WHOLE:
        rc = read_whole(&whole, 1, RFT_SETTING_WHOLE_MOST, text, err);
        *(int *)field = rc == RFT_OK ? (int)whole : *(int *)field;
        break;
    case RFT_SETTING_AUTO:
        rc = strcmp(text, "auto") == 0 ? RFT_OK : read_whole(&whole, 1, RFT_SETTING_AUTO_MOST, text, err);
        *(int *)field = rc == RFT_OK ? (int)whole : *(int *)field;
        return rc == RFT_OK ? rc : rft_err_remedy(err, "auto, or a number from 1 to %d", RFT_SETTING_AUTO_MOST);
    case RFT_SETTING_SEED:
        rc = read_whole(&whole, 0, INT64_MAX, text, err);
        *(uint64_t *)field = rc == RFT_OK ? (uint64_t)whole : *(uint64_t *)field;
        break;
    case RFT_SETTING_CHOICE:
        return read_choice(field, setting->choices, text, err);
    case RFT_SETTING_BUDGET:
        return read_budget(field, text, err);
    }
    return rc;
}
