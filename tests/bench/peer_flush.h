/* SPDX-License-Identifier: Apache-2.0 */
/* peer_flush.h - rooftune's own flush of the L2 for the peers: a sample of theirs begins where one of ours does. */
#ifndef RFT_TESTS_BENCH_PEER_FLUSH_H
#define RFT_TESTS_BENCH_PEER_FLUSH_H

#include "base/err.h"

/* Writes the kernels of harness/measure/device/flush.cu as a cubin for `arch` ("sm_90a") to `path`, by the names
 * rft_flush_write_kernel and rft_flush_read_kernel. RFT_E_COMPILER: there is no NVRTC; errors of rft_fs_write_atomic().
 */
int peer_flush_write(const char *path, const char *arch, rft_err *err);

#endif
