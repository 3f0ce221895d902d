/* SPDX-License-Identifier: Apache-2.0 */
/* run_family.h - sweeps that belong together: those whose kernels one source file has, and those of a script whose
 * kernels come from several. */
#ifndef RFT_MODEL_RUN_FAMILY_H
#define RFT_MODEL_RUN_FAMILY_H

#include "model/run/run.h"

/* What sweeps of one family share: "stream" of kernels/stream.cu, which all kernels come from that are no library's;
 * "attention" of sweeps/attention.lua, whose rungs are of several files, some of them borrowed from other families;
 * else the sweep's own name. */
const char *rft_sweep_family(const rft_sweep *sweep, rft_arena *arena);

/* What a reader knows a family of `count` sweeps by, 1 or more: a sweep's own name; the script's where they are all
 * that it has ("stream" of sweeps/stream.lua); else "matmul_bf16, matmul_fp16" or "matmul_bf16 and 2 others". A source
 * file's name is nothing the report says elsewhere. */
const char *rft_run_family_name(const rft_run *run, const size_t *sweeps, size_t count, rft_arena *arena);

#endif
