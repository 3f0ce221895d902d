/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_device_part.h - a source that nvcc compiles, without what NVRTC cannot have: host functions, host headers. */
#ifndef RFT_CLI_CUDA_DEVICE_PART_H
#define RFT_CLI_CUDA_DEVICE_PART_H

#include "base/arena.h"

/* The text with these blanked, so that every line keeps its number; `text` itself where there is nothing of the kind.
 * A header by "NAME" stays where it lies in `folder`. In the arena. */
const char *rft_cuda_device_part(const char *text, const char *folder, rft_arena *arena);

/* -D options for the limits that the host's headers would have defined (FLT_MAX, INT_MAX, M_PI) and the text uses;
 * their number. */
size_t rft_cuda_host_macros(const char **out, size_t most, const char *text, rft_arena *arena);

#endif
