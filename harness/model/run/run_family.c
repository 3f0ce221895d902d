/* SPDX-License-Identifier: Apache-2.0 */
#include "model/run/run_family.h"

#include "base/fs.h"

#include <string.h>

/* "stream" of sweeps/stream.lua */
static const char *stem_of(const char *path, rft_arena *arena) {
    const char *name = rft_fs_name(path), *dot = strrchr(name, '.');
    return dot && dot > name ? rft_arena_strndup(arena, name, (size_t)(dot - name)) : name;
}

const char *rft_sweep_family(const rft_sweep *sweep, rft_arena *arena) {
    const char *only = NULL;
    bool several = false;
    for (size_t v = 0; v < sweep->variant_count; v++) {
        const char *source = sweep->variants[v].source;
        if (source && *source && !rft_variant_is_library(&sweep->variants[v])) {
            several = several || (only && strcmp(only, source) != 0);
            only = source;
        }
    }
    const char *of = several ? sweep->path : only;
    return of && *of ? stem_of(of, arena) : sweep->name;
}

/* The script that has these sweeps and no other; NULL. */
static const char *script_of(const rft_run *run, const size_t *sweeps, size_t count) {
    const char *path = run->sweeps[sweeps[0]].sweep.path;
    size_t of_script = 0, together = 0;
    for (size_t s = 0; path && *path && s < run->sweep_count; s++) {
        of_script += run->sweeps[s].sweep.path && strcmp(path, run->sweeps[s].sweep.path) == 0;
    }
    for (size_t i = 0; of_script == count && i < count; i++) {
        const char *own = run->sweeps[sweeps[i]].sweep.path;
        together += own && strcmp(path, own) == 0;
    }
    return together == count ? path : NULL;
}

const char *rft_run_family_name(const rft_run *run, const size_t *sweeps, size_t count, rft_arena *arena) {
    const char *first = run->sweeps[sweeps[0]].sweep.name, *script = script_of(run, sweeps, count);
    if (count == 1) {
        return first;
    }
    if (script) {
        return stem_of(script, arena);
    }
    return count == 2 ? rft_arena_printf(arena, "%s, %s", first, run->sweeps[sweeps[1]].sweep.name)
                      : rft_arena_printf(arena, "%s and %zu others", first, count - 1);
}
