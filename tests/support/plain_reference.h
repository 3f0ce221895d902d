/* SPDX-License-Identifier: Apache-2.0 */
/* plain_reference.h - a reference all by itself: one launch of the kernel `name`, borrowed. */
#ifndef TEST_PLAIN_REFERENCE_H
#define TEST_PLAIN_REFERENCE_H

#include "model/sweep/reference_spec.h"

static inline rft_point_spec *plain_reference(const rft_point_spec *spec, const char *name,
                                              const rft_reference_dims *dims, rft_arena *arena) {
    rft_point_spec *reference = rft_reference_spec_new(spec, name, arena);
    rft_launch *launch = rft_arena_calloc(arena, 1, sizeof *launch);
    *launch = (rft_launch){.kind = RFT_LAUNCH_KERNEL,
                           .entry = name,
                           .grid = {rft_reference_spec_blocks(reference, RFT_REFERENCE_BLOCK), 1, 1},
                           .block = {RFT_REFERENCE_BLOCK, 1, 1},
                           .cluster = {1, 1, 1},
                           .traffic = rft_traffic_unknown()};
    rft_reference_spec_args(reference, dims, launch, arena);
    reference->launches = launch;
    reference->launch_count = 1;
    return reference;
}

#endif
