/* SPDX-License-Identifier: Apache-2.0 */
/* protocol.h - the probe that measures on a device. */
#ifndef RFT_MEASURE_PROTOCOL_H
#define RFT_MEASURE_PROTOCOL_H

#include "measure/probe.h"

/* Measures on `gpu`. Compiles its own small kernels (fill, poison, flush, compare, stamps, ceilings) with `compiler`.
 * Borrows all three. */
int rft_protocol_new(rft_probe **out, rft_gpu *gpu, rft_compiler *compiler, const rft_clock *clock, const rft_log *log,
                     rft_err *err);

/* Gives the protocol (made by rft_protocol_new()) what watches its device. Borrowed; NULL: there is none, and
 * `why_none` (copied) says why. Before its first request. */
void rft_protocol_meter(rft_probe *probe, rft_meter *meter, const char *why_none);

/* Opens the vendor's library when the first point calls it; until then, and without this, such points are skipped with
 * the reason. The source is borrowed, the library is the probe's own. */
void rft_protocol_use_vendor(rft_probe *probe, const rft_vendor_source *source);

/* Opens the profiler at the first request to count; without this nothing is counted. The source is borrowed, the
 * profiler is the probe's own. From then on the probe refuses to time anything (RFT_E_INTERNAL). */
void rft_protocol_use_counting(rft_probe *probe, const rft_counting_source *source);

/* Buffers without padding from now on, before its first request: compute-sanitizer tells of accesses outside of an
 * allocation, and would take the padding for a part of it. What is written outside is not looked for then. */
void rft_protocol_bare(rft_probe *probe);

/* What the protocol compiles for itself on this device (its architecture and compute capability), so that compile
 * workers can have it in the cubin cache before the device worker asks: the kernels every point needs first, then those
 * of the `wanted` ceilings. Returns the number of requests; they live in `arena`. */
size_t rft_protocol_units(const rft_gpu_info *gpu, rft_ceiling_set wanted, rft_arena *arena, rft_compile_request **out,
                          size_t *first_of_ceilings);
/* SHA-256 of the code and the method behind the ceilings on this device: rates measured under another are not the same
 * ceilings. */
void rft_protocol_ceilings_hash(const rft_gpu_info *gpu, char out[RFT_HASH_HEX_SIZE]);

#endif
