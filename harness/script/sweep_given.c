/* SPDX-License-Identifier: Apache-2.0 */
/* sweep_given.c - a kernel{} whose source is a cubin or PTX: what it cannot have, and its bytes in the script's hash.
 */
#include "base/fs.h"
#include "script/sweep_parts.h"

#include <stdlib.h>

static void refuse_key(lua_State *lua, int table, const rft_at *root, const char *key, const char *remedy) {
    rft_at at = {root, key, 0};
    if (rft_read_field(lua, table, key)) {
        rft_read_fail(lua, &at, remedy, "the source is compiled already: nothing can be changed in it");
    }
    lua_pop(lua, 1);
}

void rft_given_hash(lua_State *lua, const rft_at *at, const char *path) {
    char *code = NULL, hex[RFT_HASH_HEX_SIZE];
    size_t bytes = 0;
    rft_err failed = RFT_ERR_INIT;
    if (rft_fs_read(&code, &bytes, path, RFT_GIVEN_BYTES_MAX, &failed) != RFT_OK) {
        rft_read_fail_code(lua, at, failed.code, failed.remedy[0] ? failed.remedy : NULL, "%s", failed.message);
    }
    rft_hash_hex(code, bytes, hex);
    free(code);
    rft_sha256_add_text(&rft_lua_script(lua)->hash, hex);
}

void rft_given_kernel_read(lua_State *lua, int table, const rft_kernel_facts *kernel) {
    rft_at root = {NULL, "kernel", 0}, source = {&root, "source", 0};
    refuse_key(lua, table, &root, "params",
               "leave it out, and write the numbers into launch; several builds of a kernel are several variants");
    refuse_key(lua, table, &root, "options", "leave it out: options were given when it was built");
    rft_given_hash(lua, &source, kernel->source);
}
