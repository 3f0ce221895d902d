/* SPDX-License-Identifier: Apache-2.0 */
/* compile_options_read.c - the options of a kernel and of its reference. */
#include "base/fs.h"
#include "model/sweep/compile_option.h"
#include "script/lua/lua_modules.h"
#include "script/sweep_parts.h"

#include <string.h>

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
