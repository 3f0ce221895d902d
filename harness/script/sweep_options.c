/* SPDX-License-Identifier: Apache-2.0 */
/* sweep_options.c - measure, search and baseline of a sweep. */
#include "script/sweep_parts.h"

#include "base/fs.h"
#include "base/str.h"
#include "model/sweep/compile_option.h"
#include "model/sweep/settings.h"
#include "script/lua/lua_modules.h"

#include <string.h>

/* What the setting takes: a text of its own, or a number where that says the same. */
static const char *text_of(lua_State *lua, const rft_at *at, const rft_setting *setting, char number[32]) {
    bool may_be_number = setting->kind == RFT_SETTING_BUDGET || setting->kind == RFT_SETTING_AUTO;
    if (may_be_number && lua_type(lua, -1) == LUA_TNUMBER) {
        int64_t most = setting->kind == RFT_SETTING_AUTO ? RFT_SETTING_AUTO_MOST : INT64_MAX;
        rft_text_format(number, 32, "%lld", (long long)rft_read_int(lua, -1, at, 1, most));
        return number;
    }
    return rft_read_text(lua, -1, at);
}

static void read_setting(lua_State *lua, const rft_at *at, const rft_setting *setting, rft_sweep_state *state) {
    void *field = (char *)&state->sweep + setting->offset;
    char number[32];
    rft_err err = RFT_ERR_INIT;
    switch (setting->kind) {
    case RFT_SETTING_SECONDS:
        *(double *)field = rft_read_seconds(lua, -1, at);
        if (!(*(double *)field > 0)) {
            rft_read_fail(lua, at, NULL, "must be longer than 0 s");
        }
        return;
    case RFT_SETTING_SHARE:
        *(double *)field = rft_read_real(lua, -1, at, 1e-6, 1);
        return;
    case RFT_SETTING_WHOLE:
        *(int *)field = (int)rft_read_int(lua, -1, at, 1, RFT_SETTING_WHOLE_MOST);
        return;
    case RFT_SETTING_SEED:
        *(uint64_t *)field = (uint64_t)rft_read_int(lua, -1, at, 0, INT64_MAX);
        return;
    case RFT_SETTING_FLAG:
        *(bool *)field = !rft_read_bool(lua, -1, at);
        return;
    case RFT_SETTING_AUTO:
    case RFT_SETTING_TEXT:
    case RFT_SETTING_CHOICE:
    case RFT_SETTING_BUDGET:
        break;
    }
    const char *text = rft_arena_strdup(state->script->arena, text_of(lua, at, setting, number));
    if (rft_setting_read(setting, &state->sweep, text, &err) != RFT_OK) {
        rft_read_fail(lua, at, *err.remedy ? err.remedy : NULL, "%s", err.message);
    }
}

/* The table on top is `measure` or `search`. */
static void read_group(lua_State *lua, const rft_at *root, rft_key_table keys, rft_sweep_state *state) {
    rft_read_keys(lua, -1, root, keys, 0);
    for (size_t i = 0; i < RFT_SWEEP_SETTINGS; i++) {
        const rft_setting *setting = &rft_sweep_settings[i];
        if (strcmp(setting->group, root->key) != 0) {
            continue;
        }
        if (rft_read_field(lua, -1, setting->key)) {
            read_setting(lua, &(rft_at){root, setting->key, 0}, setting, state);
        }
        lua_pop(lua, 1);
    }
}

static void read_measure(lua_State *lua, const rft_at *root, rft_sweep_state *state) {
    const rft_measure_opts *measure = &state->sweep.measure;
    const rft_at samples = {root, "max_samples", 0};
    read_group(lua, root, RFT_KEYS_MEASURE, state);
    if (measure->max_samples < measure->min_samples) {
        rft_read_fail(lua, &samples, NULL, "%d is less than min_samples = %d", measure->max_samples,
                      measure->min_samples);
    }
}

static void read_search(lua_State *lua, const rft_at *root, rft_sweep_state *state) {
    read_group(lua, root, RFT_KEYS_SEARCH, state);
    state->sweep.search.seed_given = rft_read_field(lua, -1, "seed");
}

void rft_options_read(lua_State *lua, int table, rft_sweep_state *state) {
    rft_at root = {NULL, "sweep", 0};
    rft_at measure = {&root, "measure", 0}, search = {&root, "search", 0}, baseline = {&root, "baseline", 0};
    rft_sweep *sweep = &state->sweep;
    sweep->measure = (rft_measure_opts)RFT_MEASURE_OPTS_INIT;
    sweep->search = (rft_search_opts)RFT_SEARCH_OPTS_INIT;
    if (rft_read_field(lua, table, "measure")) {
        read_measure(lua, &measure, state);
    }
    if (rft_read_field(lua, table, "search")) {
        read_search(lua, &search, state);
    }
    if (rft_read_field(lua, table, "baseline")) {
        rft_baselines_read(lua, &baseline, state);
    }
    lua_settop(lua, table);
}

/* ---- the options of a kernel and of its reference ---- */

/* The path in an option, relative to the file that names it like all paths. A header named by -include may also lie in
 * a folder of -I, which is checked itself: only what is there at that place is judged. */
static const char *place_path(lua_State *lua, const rft_at *at, const rft_script_file *file,
                              const rft_compile_option *option, rft_arena *arena) {
    bool whole = option->value[0] == '/' || file->folder[0] == '\0';
    const char *path = whole ? option->value : rft_arena_printf(arena, "%s/%s", file->folder, option->value);
    bool is_file = option->names == RFT_OPTION_NAMES_FILE;
    if (!is_file || option->value[0] == '/' || rft_fs_exists(path)) {
        rft_modules_check_path(lua, at, path);
    }
    return is_file ? option->value : path;
}

const char **rft_compile_options_read(lua_State *lua, const rft_at *at, const rft_script_file *file, rft_arena *arena,
                                      size_t *count) {
    const char **words = rft_read_texts(lua, -1, at, arena, count);
    rft_compile_option option = {0};
    for (size_t i = 0; i < *count; i += option.words) {
        rft_at here = {at, NULL, (lua_Integer)i + 1};
        rft_err refused = RFT_ERR_INIT;
        int rc = rft_compile_option_read(&option, words, *count, i, &refused);
        if (rc != RFT_OK) {
            rft_read_fail_code(lua, &here, rc, refused.remedy, "%s", refused.message);
        }
        if (option.names != RFT_OPTION_NAMES_NOTHING) {
            const char *word = words[i];
            const char *path = place_path(lua, &here, file, &option, arena);
            words[i + option.words - 1] =
                option.words == 2 ? path : rft_arena_printf(arena, "%.*s%s", (int)(option.value - word), word, path);
        }
    }
    return words;
}
