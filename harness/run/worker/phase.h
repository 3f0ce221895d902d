/* SPDX-License-Identifier: Apache-2.0 */
/*
 * phase.h - how long each phase of a point may take before its worker is ended, and what is said then. Private to run.
 *
 * The worker stops what is late by its own clock, which begins at the point's first launch: a limit here must only be
 * longer than that, so that none but a launch that does not return, or a process that stands still, ever meets it.
 */
#ifndef RFT_RUN_PHASE_H
#define RFT_RUN_PHASE_H

#include "measure/probe.h"

/* What a point is at. */
typedef struct rft_phase_at {
    rft_phase phase;
    size_t buffer; /* FILL: which of spec->buffers; else 0 */
} rft_phase_at;

/* "run" <-> RFT_PHASE_RUN, "fill 3" <-> RFT_PHASE_FILL of the buffer 3: as it stands in a frame. */
const char *rft_phase_name(rft_phase_at at, char out[32]);
bool rft_phase_from_name(rft_phase_at *out, const char *name);

/* A worker has so long for a load, beside everything else; 0 where none is wanted. Seconds. */
double rft_phase_load_s(const rft_load_order *order);

/* Seconds from the phase's beginning. `grace_s`: what loading, filling, comparing and the reference may take beside
 * measure.timeout; buffers of gigabytes get more. */
double rft_phase_limit_s(rft_phase phase, const rft_probe_request *request, double grace_s);

/* What the point's reference is called; "kernel" where nothing says. */
const char *rft_phase_reference(const rft_probe_request *request);

/* Why the worker was ended; in `arena`. */
const char *rft_phase_reason(rft_phase_at at, const rft_probe_request *request, double grace_s, rft_arena *arena);

#endif
