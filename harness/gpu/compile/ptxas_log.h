/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ptxas_log.h - what `--ptxas-options=-v` says of each kernel, taken out of the compiler's log.
 *
 * Advice and warnings of ptxas (numbered lines such as "(C7510) ...", performance losses) stay in the log, but for
 * C7519: a fence that it adds by itself.
 */
#ifndef RFT_GPU_PTXAS_LOG_H
#define RFT_GPU_PTXAS_LOG_H

#include "base/arena.h"
#include "gpu/compiler.h"

/* Fills registers, spills, stack, shared memory and barriers of the entries whose `symbol` the log names; the others
 * keep -1. stack_bytes is that of the call tree (the larger of the frame and the cumulative size); spills include
 * those of functions compiled with the kernel. */
void rft_ptxas_read(const char *log, rft_compiled_entry *entries, size_t count);

/* For a compile that failed, when no symbol is known: the largest static shared memory the log speaks of goes into
 * every entry. ptxas gives up over it without always naming it as the cause. */
void rft_ptxas_read_shared(const char *log, rft_compiled_entry *entries, size_t count);

/* The log without the statistics, in `arena`; "" when nothing else is in it. */
const char *rft_ptxas_strip(const char *log, rft_arena *arena);

#endif
