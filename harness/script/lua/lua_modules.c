/* SPDX-License-Identifier: Apache-2.0 */
#include "script/lua/lua_modules.h"

#include "base/fs.h"
#include "base/str.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CIRCLE_SEARCHED 1000

static char *keep_heap(rft_script *script, char *heap) {
    char *kept = rft_arena_strdup(script->arena, heap);
    free(heap);
    return kept;
}

rft_script_file *rft_modules_add(rft_script *script, const char *path, const char *shown) {
    rft_script_file *file = rft_arena_alloc(script->arena, sizeof(*file));
    file->path = rft_arena_strdup(script->arena, path);
    file->real = keep_heap(script, rft_fs_absolute(path));
    const char *folder = keep_heap(script, rft_fs_folder(path));
    file->folder = strcmp(folder, ".") == 0 ? "" : folder;
    file->shown = rft_arena_strdup(script->arena, shown);
    for (size_t i = 0; i < script->file_count; i++) {
        if (strcmp(script->files[i]->shown, shown) == 0) {
            file->shown = file->real; /* two files of one name: only whole paths tell them apart */
        }
    }
    file->result_ref = LUA_NOREF;
    RFT_GROW(script->files, script->file_capacity, script->file_count + 1);
    script->files[script->file_count++] = file;
    return file;
}

int rft_modules_run(lua_State *lua, rft_script_file *file, const char *text, size_t size) {
    rft_script *script = rft_lua_script(lua);
    char hash[RFT_HASH_HEX_SIZE];
    rft_hash_hex(text, size, hash);
    rft_sha256_add_text(&script->hash, hash);
    char chunk_name[300];
    snprintf(chunk_name, sizeof(chunk_name), "@%s", file->shown);
    rft_watch_place(script->watch, file->shown);
    int base = lua_gettop(lua);
    if (size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
        text += 3;
        size -= 3;
    }
    file->text = rft_arena_strndup(script->arena, text, size); /* the file may change; messages are about this text */
    if (luaL_loadbufferx(lua, text, size, chunk_name, "t") != LUA_OK) {
        lua_error(lua);
    }
    lua_call(lua, 0, LUA_MULTRET);
    return lua_gettop(lua) - base;
}

const rft_script_file *rft_modules_caller(lua_State *lua) {
    rft_script *script = rft_lua_script(lua);
    lua_Debug record;
    for (int level = 0; lua_getstack(lua, level, &record); level++) {
        lua_getinfo(lua, "Sl", &record);
        for (size_t i = 0; record.source[0] == '@' && i < script->file_count; i++) {
            if (strcmp(record.source + 1, script->files[i]->shown) == 0) {
                return script->files[i];
            }
        }
    }
    return script->files[0];
}

const char *rft_modules_path(rft_script *script, const rft_script_file *file, const char *path) {
    if (path[0] == '/' || file->folder[0] == '\0') {
        return rft_arena_strdup(script->arena, path);
    }
    return keep_heap(script, rft_fs_join(file->folder, path));
}

void rft_modules_check_path(lua_State *lua, const rft_at *at, const char *path) {
    rft_err refused = RFT_ERR_INIT;
    int rc = rft_roots_check(&rft_lua_script(lua)->roots, path, &refused);
    if (rc != RFT_OK) {
        rft_read_fail_code(lua, at, rc, refused.remedy, "%s", refused.message);
    }
}

void rft_modules_no_file(lua_State *lua, const rft_at *at, const char *path) {
    if (rft_fs_is_barred(path)) {
        rft_read_fail_code(lua, at, RFT_E_IO,
                           "a folder on the way to it may not be entered: chmod a+x, or copy the files",
                           "cannot look at %s: Permission denied", path);
    }
    rft_read_fail_code(lua, at, RFT_E_SOURCE, "paths are relative to the file that names them", "there is no file %s",
                       path);
}

char *rft_modules_data(lua_State *lua, const char *function, const char **shown) {
    rft_script *script = rft_lua_script(lua);
    rft_at here = {NULL, function, 0};
    char *text = NULL, hex[RFT_HASH_HEX_SIZE];
    size_t size = 0;
    rft_err failed = RFT_ERR_INIT;
    if (script->data_only || !script->files[0]->loading) {
        char remedy[80];
        snprintf(remedy, sizeof(remedy), "read it above `return sweep`: local x = %s \"FILE\"", function);
        rft_lua_fault(lua, RFT_E_SCRIPT, remedy, "%s: files are read while a sweep's script is loaded", function);
    }
    *shown = rft_read_text(lua, 1, &here);
    const char *path = rft_modules_path(script, rft_modules_caller(lua), *shown);
    rft_modules_check_path(lua, &here, path);
    if (rft_fs_read(&text, &size, path, RFT_LUA_SOURCE_MAX, &failed) != RFT_OK) {
        if (!rft_fs_exists(path) && !rft_fs_is_barred(path)) {
            rft_lua_fault(lua, failed.code, "paths are relative to the file that names them", "%s: there is no file %s",
                          function, *shown);
        }
        rft_lua_fault(lua, failed.code == RFT_E_LIMIT ? RFT_E_SCRIPT : failed.code,
                      failed.remedy[0] ? failed.remedy : NULL, "%s: %s", function, failed.message);
    }
    rft_hash_hex(text, size, hex);
    char *kept = rft_arena_memdup(script->arena, text, size + 1); /* raising skips a free() */
    free(text);
    rft_lua_check_kept(lua);
    if (strlen(kept) != size) {
        rft_lua_fault(lua, RFT_E_SCRIPT, "save it as UTF-8 text", "%s: %s holds a zero byte: it is no text", function,
                      *shown);
    }
    rft_sha256_add_text(&script->hash, hex);
    return kept;
}

/* "kernels.gemm" -> "kernels/gemm.lua"; raises for anything that could leave the folders searched. */
static const char *module_file(lua_State *lua, const char *name, char *out, size_t size) {
    bool good = name[0] != '\0' && name[0] != '.';
    for (const char *c = name; *c; c++) {
        good = good && (isalnum((unsigned char)*c) || *c == '_' || *c == '-' || (*c == '.' && c[1] != '.' && c[1]));
    }
    if (!good || strlen(name) + 5 > size) {
        rft_lua_fault(lua, RFT_E_SCRIPT, "a module's name is like \"kernels.gemm\"", "require: \"%.80s\" is not a name",
                      name);
    }
    size_t length = strlen(name);
    for (size_t i = 0; i < length; i++) {
        out[i] = name[i];
        if (name[i] == '.') {
            out[i] = '/';
        }
    }
    memcpy(out + length, ".lua", 5);
    return out;
}

/* A module's file, and how messages name it: "kernels/lib/rows.lua". */
typedef struct module_place {
    const char *path, *shown;
    const char *barred; /* where it may be: a folder that may not be entered; NULL: nowhere */
} module_place;

static bool is_at(rft_script *script, const char *folder, const char *shown, module_place *out) {
    const char *path = keep_heap(script, rft_fs_join(folder, shown));
    bool there = rft_fs_exists(path) && !rft_fs_is_folder(path);
    if (there) {
        *out = (module_place){path, shown, NULL};
    } else if (!out->barred && rft_fs_is_barred(path)) {
        out->barred = path;
    }
    return there;
}

/* "kernels/gemm.lua" as "kernels/FAMILY/gemm.lua". Raises when two families have it. */
static bool is_in_family(lua_State *lua, const char *folder, const char *file, module_place *out) {
    rft_script *script = rft_lua_script(lua);
    const char *slash = strchr(file, '/');
    if (!rft_text_starts(file, "kernels/") || strchr(slash + 1, '/')) {
        return false;
    }
    char **names = NULL;
    size_t count = 0;
    char *kernels = rft_fs_join(folder, "kernels");
    rft_fs_list(&names, &count, kernels, NULL, NULL);
    module_place found[2] = {{.barred = out->barred}, {0}};
    size_t found_count = 0;
    for (size_t i = 0; i < count && found_count < 2; i++) {
        const char *shown = rft_arena_printf(script->arena, "kernels/%s%s", names[i], slash);
        found_count += is_at(script, folder, shown, &found[found_count]);
    }
    rft_fs_list_free(names, count);
    free(kernels);
    if (found_count == 2) {
        rft_lua_fault(lua, RFT_E_SCRIPT, "name the folder too, as in require \"kernels.FOLDER.NAME\"",
                      "require: there are %s and %s", found[0].shown, found[1].shown);
    }
    *out = found[0];
    return found_count == 1;
}

static bool is_below(lua_State *lua, const char *folder, const char *file, module_place *out) {
    return is_at(rft_lua_script(lua), folder, file, out) || is_in_family(lua, folder, file, out);
}

static bool is_upwards(lua_State *lua, const rft_script_file *from, const char *file, module_place *out) {
    for (const char *folder = from->real; strcmp(folder, "/") != 0 && strcmp(folder, ".") != 0;) {
        folder = keep_heap(rft_lua_script(lua), rft_fs_folder(folder));
        if (is_below(lua, folder, file, out)) {
            return true;
        }
    }
    return false;
}

static bool find_module(lua_State *lua, const char *file, module_place *out) {
    const rft_script *script = rft_lua_script(lua);
    const rft_script_file *caller = rft_modules_caller(lua);
    bool found = is_upwards(lua, caller, file, out) ||
                 (caller != script->files[0] && is_upwards(lua, script->files[0], file, out));
    for (size_t i = 0; i < script->module_folder_count && !found; i++) {
        found = is_below(lua, script->module_folders[i], file, out);
    }
    return found;
}

static void run_module(lua_State *lua, rft_script_file *file) {
    char *text = NULL;
    size_t size = 0;
    rft_err failed = RFT_ERR_INIT;
    if (rft_fs_read(&text, &size, file->path, RFT_LUA_SOURCE_MAX, &failed) != 0) {
        rft_lua_fault(lua, failed.code, failed.remedy[0] ? failed.remedy : NULL, "%s", failed.message);
    }
    /* From here the text is on the heap while Lua runs: give it to a Lua string first. The allocation may raise, so
     * the text goes through the arena, which nothing can skip. */
    const char *kept = rft_arena_memdup(rft_lua_script(lua)->arena, text, size + 1);
    free(text);
    file->loading = true;
    int count = rft_modules_run(lua, file, kept, size);
    file->loading = false;
    if (count == 0 || lua_isnil(lua, -count)) {
        lua_pushboolean(lua, 1);
    } else {
        lua_pushvalue(lua, -count);
    }
    file->result_ref = luaL_ref(lua, LUA_REGISTRYINDEX);
}

/* Whether the file's own code is on the stack. (Its `loading` may be left over from a run that pcall() cut short.) */
static bool is_running(lua_State *lua, const rft_script_file *file) {
    lua_Debug record;
    for (int level = 0; level < CIRCLE_SEARCHED && lua_getstack(lua, level, &record); level++) {
        lua_getinfo(lua, "S", &record);
        if (strcmp(record.what, "main") == 0 && strcmp(record.source + 1, file->shown) == 0) {
            return true;
        }
    }
    return false;
}

int rft_modules_require(lua_State *lua) {
    rft_script *script = rft_lua_script(lua);
    rft_at here = {NULL, "require", 0};
    char name[160];
    module_file(lua, rft_read_text(lua, 1, &here), name, sizeof(name));
    module_place place = {0};
    if (!find_module(lua, name, &place) && place.barred) {
        rft_modules_no_file(lua, &here, place.barred);
    }
    if (!place.path) {
        rft_lua_fault(lua, RFT_E_SCRIPT,
                      rft_text_ends(name, "/lua.lua") ? "write the name without .lua: require \"kernels.gemm\""
                                                      : "it is looked for beside the script, in every folder above it, "
                                                        "and where rooftune's own kernels are installed",
                      "require: no file %s", name);
    }
    rft_modules_check_path(lua, &here, place.path);
    rft_script_file *file = NULL;
    char *real = rft_fs_absolute(place.path);
    for (size_t i = 0; i < script->file_count; i++) {
        if (strcmp(script->files[i]->real, real) == 0) {
            file = script->files[i];
        }
    }
    free(real);
    if (file && file->result_ref == LUA_NOREF) {
        rft_lua_fault(lua, RFT_E_SCRIPT, NULL,
                      is_running(lua, file) ? "require: %s requires itself in a circle" : "require: %s failed before",
                      file->shown);
    }
    if (!file) {
        file = rft_modules_add(script, place.path, place.shown);
        run_module(lua, file);
        rft_watch_place(script->watch, rft_modules_caller(lua)->shown);
    }
    lua_rawgeti(lua, LUA_REGISTRYINDEX, file->result_ref);
    return 1;
}
