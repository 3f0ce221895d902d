/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/run_sources.h"

#include "base/fs.h"
#include "base/hash.h"
#include "gpu/compiler.h"

#include <stdlib.h>

static void describe_source(rft_run *run, const char *source, const rft_roots *roots, bool replayed) {
    const char *before = replayed ? "replay." : "";
    rft_err err = RFT_ERR_INIT;
    rft_source_hash *hashes = NULL;
    size_t count = 0;
    if (rft_source_hashes(&hashes, &count, source, roots, run->arena, &err) != RFT_OK) {
        rft_env_set(&run->env, run->arena, rft_arena_printf(run->arena, "%ssource.%s", before, rft_fs_name(source)),
                    NULL, err.message);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const char *kind = i == 0 ? "source" : "header";
        rft_env_set(&run->env, run->arena, rft_arena_printf(run->arena, "%s%s.%s", before, kind, hashes[i].name),
                    hashes[i].hex, NULL);
    }
}

/* "source.saxpy.cubin" -> its bytes' hash. */
static void describe_given(rft_env *env, rft_arena *arena, const char *source, const char *before) {
    char *code = NULL, hex[RFT_HASH_HEX_SIZE];
    size_t bytes = 0;
    rft_err err = RFT_ERR_INIT;
    int rc = rft_fs_read(&code, &bytes, source, RFT_GIVEN_BYTES_MAX, &err);
    if (rc == RFT_OK) {
        rft_hash_hex(code, bytes, hex);
    }
    rft_env_set(env, arena, rft_arena_printf(arena, "%ssource.%s", before, rft_fs_name(source)),
                rc == RFT_OK ? rft_arena_strdup(arena, hex) : NULL, rc == RFT_OK ? NULL : err.message);
    free(code);
}

const char *rft_run_sources_changed(const rft_run *run, const rft_sweep *sweep, rft_arena *arena) {
    for (size_t v = 0; v < sweep->variant_count; v++) {
        rft_env now = {0};
        if (!rft_variant_is_given(&sweep->variants[v])) {
            continue;
        }
        describe_given(&now, arena, sweep->variants[v].source, run->info.replay_of ? "replay." : "");
        const char *before = rft_env_value(&run->env, now.items[0].key);
        if (before && !rft_text_equal(before, now.items[0].value)) {
            return sweep->variants[v].source;
        }
    }
    return NULL;
}

void rft_run_sources_describe(rft_run *run, const rft_plan *plan, const rft_roots *roots, bool replayed) {
    for (size_t s = 0; s < plan->sweep_count; s++) {
        const rft_sweep *sweep = plan->sweeps[s];
        for (size_t v = 0; v < sweep->variant_count; v++) {
            const char *source = sweep->variants[v].source;
            if (source && rft_text_ends(source, ".cu")) { /* the vendor's library has none */
                describe_source(run, source, roots, replayed);
            } else if (source && rft_source_is_given(source)) {
                describe_given(&run->env, run->arena, source, replayed ? "replay." : "");
            }
        }
    }
}
