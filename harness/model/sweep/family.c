/* SPDX-License-Identifier: Apache-2.0 */
#include "model/sweep/family.h"

#include <string.h>

const char *rft_sweep_family(const rft_sweep *sweep, rft_arena *arena) {
    for (size_t v = 0; v < sweep->variant_count; v++) {
        const char *source = sweep->variants[v].source;
        if (source && *source && !rft_variant_is_library(&sweep->variants[v])) {
            const char *slash = strrchr(source, '/'), *name = slash ? slash + 1 : source, *dot = strrchr(name, '.');
            return dot && dot > name ? rft_arena_strndup(arena, name, (size_t)(dot - name)) : name;
        }
    }
    return sweep->name;
}
