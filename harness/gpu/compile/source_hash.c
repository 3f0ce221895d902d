/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/compile/include_scan.h"

#include "base/fs.h"
#include "base/hash.h"

#include <stdio.h>

static void fill(rft_source_hash *out, const char *name, const char *text, size_t bytes) {
    out->name = name;
    rft_hash_hex(text, bytes, out->hex);
}

int rft_source_hashes(rft_source_hash **out, size_t *count, const char *path, const rft_roots *roots, rft_arena *arena,
                      rft_err *err) {
    rft_compile_request request = {.source_name = rft_fs_name(path), .source_path = path, .roots = roots};
    rft_include_set set;
    int rc = rft_include_scan(&set, &request, arena, err);
    if (rc != 0) {
        return rc;
    }
    rft_source_hash *made = rft_arena_calloc(arena, set.count + 1, sizeof *made);
    fill(&made[0], rft_arena_strdup(arena, rft_fs_name(path)), set.source, set.source_bytes);
    for (size_t i = 0; i < set.count; i++) {
        fill(&made[i + 1], set.items[i].spelled, set.items[i].text, set.items[i].bytes);
    }
    *out = made;
    *count = set.count + 1;
    return 0;
}
