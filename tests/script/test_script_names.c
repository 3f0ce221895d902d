/* SPDX-License-Identifier: Apache-2.0 */
/* The editor file and the language reference against the program: every name and key it accepts, and nothing else. */
#include "script_case.h"

#include "base/fs.h"
#include "script/lua/lua_keys.h"
#include "script/script.h"

#include <lauxlib.h>
#include <lua.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EDITOR_FILE RFT_SOURCE_DIR "/sweeps/types/rooftune.lua"
#define DOCS RFT_SOURCE_DIR "/docs/"
#define REFERENCE DOCS "sweeps.md"

typedef struct names {
    const char *items[512];
    size_t count;
} names;

/* Lua's own, which editors know anyway; docs/sweeps.md lists them. */
static const char *const lua_names[] = {"assert",  "error",  "ipairs",   "pairs",    "pcall",
                                        "print",   "select", "tonumber", "tostring", "type",
                                        "require", "string", "table",    "math",     "utf8"};

static bool has(const names *list, const char *word, size_t length) {
    for (size_t i = 0; i < list->count; i++) {
        if (strlen(list->items[i]) == length && strncmp(list->items[i], word, length) == 0) {
            return true;
        }
    }
    return false;
}

static void add(script_case *test, names *list, const char *word, size_t length) {
    assert_true(list->count < 512);
    list->items[list->count++] = rft_arena_strndup(test->arena, word, length);
}

static bool is_word(char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static size_t word_length(const char *text) {
    size_t length = 0;
    while (is_word(text[length])) {
        length++;
    }
    return length;
}

static const char *line_after(const char *line, const char *prefix) {
    return strncmp(line, prefix, strlen(prefix)) == 0 ? line + strlen(prefix) : NULL;
}

/* Collects the fields of one class (methods of the table declared below it included), or with `class_name` NULL the
 * globals that are defined. */
static void read_editor_file(script_case *test, const char *text, const char *class_name, names *out) {
    bool inside = false;
    char method[80] = "";
    if (class_name) { /* "rooftune.handle" declares its methods as handle:NAME */
        snprintf(method, sizeof(method), "function %s:", strchr(class_name, '.') + 1);
    }
    for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
        const char *rest = line_after(line, "---@class ");
        if (rest) {
            size_t length = strcspn(rest, " :\n");
            inside = class_name && strlen(class_name) == length && strncmp(rest, class_name, length) == 0;
        }
        rest = line_after(line, "---@field ");
        if (inside && rest && is_word(rest[0])) {
            add(test, out, rest, word_length(rest));
        }
        if (class_name) {
            rest = line_after(line, method);
            if (rest) {
                add(test, out, rest, word_length(rest));
            }
            continue;
        }
        rest = line_after(line, "function ");
        rest = rest ? rest : line;
        size_t length = word_length(rest);
        bool defines = rest != line ? rest[length] == '(' : strncmp(rest + length, " = ", 3) == 0;
        if (length > 0 && defines && line_after(line, "local ") == NULL && !has(out, rest, length)) {
            add(test, out, rest, length);
        }
    }
}

static void assert_same(const names *accepted, const names *written, const char *what) {
    for (size_t i = 0; i < accepted->count; i++) {
        if (!has(written, accepted->items[i], strlen(accepted->items[i]))) {
            fail_msg("%s: the program accepts \"%s\", the editor file does not have it", what, accepted->items[i]);
        }
    }
    for (size_t i = 0; i < written->count; i++) {
        if (!has(accepted, written->items[i], strlen(written->items[i]))) {
            fail_msg("%s: the editor file has \"%s\", the program does not accept it", what, written->items[i]);
        }
    }
}

static char *read_text(const char *path) {
    char *text = NULL;
    size_t size;
    rft_err err = RFT_ERR_INIT;
    if (rft_fs_read(&text, &size, path, 0, &err) != 0) {
        fail_msg("%s", err.message);
    }
    return text;
}

static void test_keys(void **state) {
    script_case *test = *state;
    char *text = read_text(EDITOR_FILE);
    for (int table = 0; table < RFT_KEYS_COUNT; table++) {
        const rft_key_set *set = rft_keys((rft_key_table)table);
        names *accepted = rft_arena_alloc(test->arena, sizeof(*accepted));
        names *written = rft_arena_alloc(test->arena, sizeof(*written));
        assert_true(set->count > 0);
        for (size_t i = 0; i < set->count; i++) {
            accepted->items[accepted->count++] = set->names[i];
        }
        read_editor_file(test, text, set->name, written);
        assert_same(accepted, written, set->name);
    }
    free(text);
}

static void test_globals(void **state) {
    script_case *test = *state;
    const char **all;
    size_t count;
    names *accepted = rft_arena_alloc(test->arena, sizeof(*accepted));
    names *written = rft_arena_alloc(test->arena, sizeof(*written));
    assert_int_equal(rft_script_global_names(test->arena, &all, &count, &test->err), 0);
    size_t of_lua = 0;
    for (size_t i = 0; i < count; i++) {
        bool known = false;
        for (size_t k = 0; k < sizeof(lua_names) / sizeof(lua_names[0]); k++) {
            known = known || strcmp(all[i], lua_names[k]) == 0;
        }
        of_lua += known;
        if (!known) {
            accepted->items[accepted->count++] = all[i];
        }
    }
    assert_int_equal(of_lua, sizeof(lua_names) / sizeof(lua_names[0]));
    char *text = read_text(EDITOR_FILE);
    read_editor_file(test, text, NULL, written);
    assert_same(accepted, written, "globals");
    assert_true(accepted->count > 40);
    free(text);
}

static bool mentions(const char *text, const char *word) {
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word)) {
        if (!is_word(at[strlen(word)]) && (at == text || !is_word(at[-1]))) {
            return true;
        }
    }
    return false;
}

static bool is_of_mix(const char *set) {
    static const char *const parts[] = {"mix", "operation", "prices", "host", "memory"};
    bool found = false;
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        found = found || strstr(set, parts[i]);
    }
    return found;
}

/* Keys are said once: where what they are for is explained. */
static const char *page_of(const rft_key_set *set) {
    return strstr(set->name, "vendor") ? DOCS "baselines.md" : is_of_mix(set->name) ? DOCS "mix.md" : REFERENCE;
}

/* The reference mentions every key and every global as code. */
static void test_reference(void **state) {
    script_case *test = *state;
    for (int table = 0; table < RFT_KEYS_COUNT; table++) {
        const rft_key_set *set = rft_keys((rft_key_table)table);
        char *page = read_text(page_of(set));
        for (size_t i = 0; i < set->count; i++) {
            if (!mentions(page, set->names[i])) {
                fail_msg("%s does not mention %s of %s", page_of(set), set->names[i], set->name);
            }
        }
        free(page);
    }
    char *text = read_text(REFERENCE);
    const char **all;
    size_t count;
    assert_int_equal(rft_script_global_names(test->arena, &all, &count, &test->err), 0);
    for (size_t i = 0; i < count; i++) {
        if (!mentions(text, all[i])) {
            fail_msg("docs/sweeps.md does not mention %s", all[i]);
        }
    }
    free(text);
}

/* The `gpu` that scripts see has exactly the documented names. */
static void test_gpu_fields(void **state) {
    script_case *test = *state;
    const rft_key_set *set = rft_keys(RFT_KEYS_GPU);
    const rft_sweep *sweep = case_load(test, "return sweep { tune = { AA = values(1, 2) }, where = { function(gpu)\n"
                                             "  local n = 0\n"
                                             "  for name in pairs(gpu) do n = n + 1 print(name) end\n"
                                             "  return n > 0 end } }");
    bool holds = false;
    rft_value config[] = {rft_value_int(1)};
    assert_int_equal(sweep->vt->constraint(sweep->self, 0, 0, NULL, config, &holds, &test->err), 0);
    assert_true(holds);
    size_t lines = 0;
    for (const char *c = rft_str_get(&test->said); *c; c++) {
        lines += *c == '\n';
    }
    assert_int_equal(lines % set->count, 0); /* once or more often, always all of them */
    for (size_t i = 0; i < set->count; i++) {
        assert_contains(rft_str_get(&test->said), set->names[i]);
    }
}

/* An editor reads it as Lua, and every type that an annotation names is declared there. */
static void test_editor_file_is_whole(void **state) {
    script_case *test = *state;
    char *text = read_text(EDITOR_FILE);
    lua_State *lua = luaL_newstate();
    if (luaL_loadbufferx(lua, text, strlen(text), "@rooftune.lua", "t") != LUA_OK) {
        fail_msg("%s", lua_tostring(lua, -1));
    }
    lua_close(lua);
    size_t named = 0;
    for (const char *at = strstr(text, "rooftune."); at; at = strstr(at + 1, "rooftune.")) {
        size_t length = strlen("rooftune.") + word_length(at + strlen("rooftune."));
        const char *class = rft_arena_printf(test->arena, "---@class %.*s", (int)length, at);
        const char *alias = rft_arena_printf(test->arena, "---@alias %.*s", (int)length, at);
        named++;
        if (!mentions(text, class) && !mentions(text, alias)) {
            fail_msg("the editor file names %.*s, which it does not declare", (int)length, at);
        }
    }
    assert_true(named > 100);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_keys, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_globals, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_reference, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_editor_file_is_whole, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_gpu_fields, case_setup, case_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
