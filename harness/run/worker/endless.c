/* SPDX-License-Identifier: Apache-2.0 */
#include "run/worker/endless.h"

#include "base/hash.h"

/* What a reference computes, or a fill, and from what. */
static void endless_key(const rft_probe_request *request, const char *code, char key[RFT_HASH_HEX_SIZE]) {
    rft_str text = RFT_STR_INIT;
    rft_str_addf(&text, "%s\n%s", request->problem_key ? request->problem_key : "", code);
    rft_hash_hex(text.data, text.length, key);
    rft_str_clear(&text);
}

void rft_endless_note(rft_key_map *endless, const rft_probe_request *request, rft_phase_at at) {
    char key[RFT_HASH_HEX_SIZE];
    const rft_point_spec *spec = request->spec;
    if (at.phase == RFT_PHASE_REFERENCE && request->reference) {
        endless_key(request, request->reference->cubin_hash, key);
        rft_key_map_put(endless, key, 1);
    } else if (at.phase == RFT_PHASE_FILL && at.buffer < spec->buffer_count && spec->buffers[at.buffer].fill.identity) {
        endless_key(request, spec->buffers[at.buffer].fill.identity, key);
        rft_key_map_put(endless, key, 1);
    }
}

static bool is_noted(const rft_key_map *endless, const rft_probe_request *request, const char *code) {
    char key[RFT_HASH_HEX_SIZE];
    endless_key(request, code, key);
    return rft_key_map_get(endless, key, 0) == 1;
}

const char *rft_endless_reason(const rft_key_map *endless, const rft_probe_request *request, rft_arena *arena) {
    const rft_point_spec *spec = request->spec;
    for (size_t i = 0; endless->used > 0 && i < spec->buffer_count; i++) {
        const rft_fill *fill = &spec->buffers[i].fill;
        if (fill->kernel && is_noted(endless, request, fill->identity)) {
            return rft_arena_printf(arena,
                                    "the fill of %s (%s) did not end for another point of this problem: it was not "
                                    "launched again",
                                    spec->buffers[i].name, fill->kernel->shown);
        }
    }
    if (endless->used > 0 && !request->verified && request->reference &&
        is_noted(endless, request, request->reference->cubin_hash)) {
        return rft_arena_printf(arena,
                                "the reference %s did not end for another point of this problem: it was not launched "
                                "again",
                                rft_phase_reference(request));
    }
    return NULL;
}
