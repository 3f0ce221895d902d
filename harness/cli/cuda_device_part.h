/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_device_part.h - a source that nvcc compiles, without what NVRTC cannot have: host functions, host headers. */
#ifndef RFT_CLI_CUDA_DEVICE_PART_H
#define RFT_CLI_CUDA_DEVICE_PART_H

#include "base/arena.h"

#include <stdbool.h>

/* Is <NAME> a header for the device, which NVRTC finds with CUDA's? */
bool rft_cuda_is_device_header(const char *name);

/* Is std::NAME a type of the host's headers that the device's code may use ("uint32_t")? */
bool rft_cuda_is_host_type(const char *name);

/* What becomes of an #include in a file of `folder`: NULL, and its line goes; `name` itself, and it stays; another name
 * takes its place, in quotes. */
typedef const char *(*rft_cuda_header_rule)(void *self, const char *name, bool quoted, const char *folder);

/* The text with host functions and types that only they use blanked, so that every line keeps its number, and with
 * headers as the rule says; `text` itself where nothing had to go. Of a header only types with the host's words go,
 * since others may use the rest. In the arena. */
const char *rft_cuda_device_part(const char *text, const char *source, const char *folder, rft_cuda_header_rule rule,
                                 void *self, rft_arena *arena);

/* -D options for the limits that the host's headers would have defined (FLT_MAX, INT_MAX, M_PI) and the text uses;
 * their number. */
size_t rft_cuda_host_macros(const char **out, size_t most, const char *text, rft_arena *arena);

#endif
