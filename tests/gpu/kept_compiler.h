/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kept_compiler.h - NVRTC for the GPU tests that use the library itself: behind the cache that $RFT_CACHE names, as
 * run-tests has it, so that children and later rounds need not compile the same again.
 */
#ifndef RFT_TESTS_KEPT_COMPILER_H
#define RFT_TESTS_KEPT_COMPILER_H

#include "gpu/compiler.h"

#include <stdlib.h>

static inline int kept_compiler_new(rft_compiler **out, rft_err *err) {
    const char *folder = getenv("RFT_CACHE");
    int rc = rft_nvrtc_new(out, NULL, err);
    if (rc == 0 && folder && *folder == '/') { /* "off" is none */
        rft_compile_cache_opts opts = {.folder = folder};
        *out = rft_compile_cache_new(*out, &opts);
    }
    return rc;
}

#endif
