/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/run_sources.h"

#include "base/fs.h"
#include "gpu/compiler.h"

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

void rft_run_sources_describe(rft_run *run, const rft_plan *plan, const rft_roots *roots, bool replayed) {
    for (size_t s = 0; s < plan->sweep_count; s++) {
        const rft_sweep *sweep = plan->sweeps[s];
        for (size_t v = 0; v < sweep->variant_count; v++) {
            const char *source = sweep->variants[v].source;
            if (source && rft_text_ends(source, ".cu")) { /* the vendor's library has none */
                describe_source(run, source, roots, replayed);
            }
        }
    }
}
