/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/peer_flush.h"

#include "base/arena.h"
#include "base/fs.h"
#include "gpu/compiler.h"
#include "measure/device_kernels.h"

#include <string.h>

static const rft_kernel_group *flush_group(void) {
    for (size_t i = 0; i < RFT_BUILTIN_GROUPS; i++) {
        for (size_t k = 0; k < rft_builtin_groups[i].name_count; k++) {
            if (strcmp(rft_builtin_groups[i].names[k], "rft_flush_write_kernel") == 0) {
                return &rft_builtin_groups[i];
            }
        }
    }
    return NULL;
}

static int compile(rft_compiler *compiler, const char *path, const char *arch, rft_err *err) {
    rft_arena *arena = rft_arena_new();
    rft_compile_request request = rft_kernels_request(flush_group(), arch, arena);
    rft_compile_result result = {0};
    int rc = compiler->compile(compiler, &request, arena, &result, err);
    if (rc == RFT_OK && !result.ok) {
        rc = rft_err_set(err, RFT_E_COMPILER, "the flush does not compile for %s:\n%s", arch, result.log);
    }
    if (rc == RFT_OK) {
        rc = rft_fs_write_atomic(path, result.cubin, result.cubin_bytes, err);
    }
    rft_arena_free(arena);
    return rc;
}

int peer_flush_write(const char *path, const char *arch, rft_err *err) {
    rft_compiler *compiler = NULL;
    int rc = rft_nvrtc_new(&compiler, NULL, err);
    if (rc == RFT_OK) {
        rc = compile(compiler, path, arch, err);
        compiler->free(compiler);
    }
    if (rc != RFT_OK) {
        rft_err_context(err, "making the peers' flush");
    }
    return rc;
}
