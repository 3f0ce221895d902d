/* SPDX-License-Identifier: Apache-2.0 */
/* toolkits.h - where the environment says that NVIDIA's libraries and headers are. */
#ifndef RFT_CLI_TOOLKITS_H
#define RFT_CLI_TOOLKITS_H

#include "base/arena.h"
#include "gpu/library_places.h"

/* Folders of libraries, in `arena`. Named: that of `variable` (the environment's; NULL: none), RFT_CUDA_ROOT,
 * CUDA_HOME. Then Python's packages of VIRTUAL_ENV, CONDA_PREFIX (and its own lib), HOME/.local and /usr/local. */
rft_library_places rft_toolkits_places(const char *variable, rft_arena *arena);

/* Folders that may hold CUDA's headers, in `arena`: of a carried program, RFT_CUDA_ROOT, CUDA_HOME, /usr/local/cuda. */
size_t rft_toolkits_headers(const char ***out, const char *program, rft_arena *arena);

#endif
