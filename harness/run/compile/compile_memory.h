/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compile_memory.h - a compiler that eats memory must take neither the machine nor the coordinator down. Private to
 * run.
 *
 * Two lines of defence: a limit of its own for the process that compiles (RLIMIT_DATA: all private memory that can be
 * written; NVRTC 13.0 takes 10 MiB for an empty kernel, 30 MiB for heavy unrolling), at which allocating fails and the
 * compiler reports or aborts; and, where the machine runs out before that, a mark that makes the system end this
 * process first.
 */
#ifndef RFT_RUN_COMPILE_MEMORY_H
#define RFT_RUN_COMPILE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#define RFT_COMPILE_MEMORY_MIN ((uint64_t)2 << 30)
#define RFT_COMPILE_MEMORY_MAX ((uint64_t)16 << 30)

/* What one compile may take, in bytes, when `workers` compile at once: the memory of the machine, or of the control
 * group around it, divided among them; within the two limits above. */
uint64_t rft_compile_memory_bytes(size_t workers);

/* The same for one that compiles alone, because it ran out of that: most of the memory there is, and never less. */
uint64_t rft_compile_memory_alone_bytes(void);

/* For the calling process from now on: at most `bytes` more than it has (0: no limit), and first to go when the system
 * runs out. As far as the system lets it. */
void rft_compile_memory_limit(uint64_t bytes);
/* So much more than that limit says. Reads no file. */
void rft_compile_memory_raise(uint64_t more_bytes);

#endif
