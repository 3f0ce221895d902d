/* SPDX-License-Identifier: Apache-2.0 */
#include "run/worker/phase.h"

#include "base/str.h"
#include "model/sweep/reference_spec.h"

#include <string.h>

/* From the end of a launch in the last moment until the coordinator has read of it. */
#define MARGIN_S 0.5
/* Filling, reading and comparing them: a card that is slow, or memory that the system pages. */
#define BYTES_PER_S ((double)(1ull << 30))

static const char *const names[RFT_PHASE_COUNT] = {
    [RFT_PHASE_PREPARE] = "prepare", [RFT_PHASE_FILL] = "fill",       [RFT_PHASE_REFERENCE] = "reference",
    [RFT_PHASE_RUN] = "run",         [RFT_PHASE_COMPARE] = "compare", [RFT_PHASE_TIME] = "time",
    [RFT_PHASE_LOAD] = "load",
};

const char *rft_phase_name(rft_phase_at at, char out[32]) {
    if (at.phase == RFT_PHASE_FILL) {
        rft_text_format(out, 32, "%s %zu", names[at.phase], at.buffer);
        return out;
    }
    return names[at.phase];
}

bool rft_phase_from_name(rft_phase_at *out, const char *name) {
    int64_t buffer = 0;
    for (int i = 0; i < RFT_PHASE_COUNT; i++) {
        size_t length = strlen(names[i]);
        bool fills = i == RFT_PHASE_FILL && rft_text_starts(name, names[i]) && name[length] == ' ';
        if (strcmp(names[i], name) == 0 || (fills && rft_text_to_int64(name + length + 1, &buffer) && buffer >= 0)) {
            *out = (rft_phase_at){(rft_phase)i, (size_t)buffer};
            return true;
        }
    }
    return false;
}

double rft_phase_load_s(const rft_load_order *order) {
    double times = order->kind == RFT_LOAD_SOAK ? 1.0 : RFT_LOAD_PATIENCE;
    return order->wanted ? times * order->seconds : 0.0;
}

/* The first run ends within the timeout, or is late. What follows is begun within it and ends within another: a sample
 * is only begun where one as long as the first run would end in time, and two are on their way at most. */
double rft_phase_limit_s(rft_phase phase, const rft_probe_request *request, double grace_s) {
    double timeout_s = request->measure.point_timeout_s;
    switch (phase) {
    case RFT_PHASE_RUN:
        return timeout_s + MARGIN_S;
    case RFT_PHASE_TIME:
        return 2.0 * timeout_s + MARGIN_S;
    case RFT_PHASE_LOAD:
        return timeout_s + grace_s + rft_phase_load_s(&request->load);
    default:
        return timeout_s + grace_s + (double)rft_spec_memory_bytes(request->spec) / BYTES_PER_S;
    }
}

/* "the fill of rows (fill.cu:rows)" */
static const char *name_of_fill(const rft_point_spec *spec, size_t buffer, rft_arena *arena) {
    const rft_filler *kernel = buffer < spec->buffer_count ? spec->buffers[buffer].fill.kernel : NULL;
    return kernel ? rft_arena_printf(arena, "the fill of %s (%s)", spec->buffers[buffer].name, kernel->shown)
                  : "the fill of a buffer";
}

const char *rft_phase_reference(const rft_probe_request *request) {
    const rft_point_spec *reference = request->spec->check.reference;
    return reference && reference->told ? reference->told : "kernel";
}

/* What takes too long is most often a kernel that a few threads carry out. */
static const char *reference_reason(const rft_probe_request *request, double limit_s, rft_arena *arena) {
    const rft_point_spec *reference = request->spec->check.reference;
    bool is_kernel = reference && !reference->is_variant;
    return rft_arena_printf(arena,
                            "the reference %s did not end in %.3g s; the worker was ended: %sraise measure.timeout",
                            reference ? rft_reference_spec_size(reference, arena) : "kernel", limit_s,
                            is_kernel ? "give it more threads by grid and block of check.reference, split it into "
                                        "several launches, or "
                                      : "");
}

const char *rft_phase_reason(rft_phase_at at, const rft_probe_request *request, double grace_s, rft_arena *arena) {
    double timeout_s = request->measure.point_timeout_s;
    double limit_s = rft_phase_limit_s(at.phase, request, grace_s);
    switch (at.phase) {
    case RFT_PHASE_FILL:
        return rft_arena_printf(
            arena, "%s did not end in %.3g s; the worker was ended: raise measure.timeout, or give it more threads",
            name_of_fill(request->spec, at.buffer, arena), limit_s);
    case RFT_PHASE_RUN:
        return rft_arena_printf(arena,
                                "no end after %g s: the kernel was launched and did not return; the worker was ended "
                                "(measure.timeout)",
                                timeout_s);
    case RFT_PHASE_TIME:
        return rft_arena_printf(arena,
                                "no end after %g s of timing: the first run had ended, a later one did not; "
                                "the worker was ended (measure.timeout)",
                                2.0 * timeout_s);
    case RFT_PHASE_REFERENCE:
        return reference_reason(request, limit_s, arena);
    case RFT_PHASE_LOAD:
        return rft_arena_printf(arena, "no end after %.3g s under load; the worker was ended", limit_s);
    case RFT_PHASE_COMPARE:
        return rft_arena_printf(arena, "comparing the results did not end in %.3g s; the worker was ended", limit_s);
    default:
        return rft_arena_printf(arena,
                                "loading the code and filling the buffers did not end in %.3g s; the worker was "
                                "ended: raise measure.timeout if they need longer",
                                limit_s);
    }
}
