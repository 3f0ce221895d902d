/* SPDX-License-Identifier: Apache-2.0 */
/* arch_name.h - architectures by their names, and what runs on what. Private to compile. */
#ifndef RFT_GPU_ARCH_NAME_H
#define RFT_GPU_ARCH_NAME_H

#include <stdbool.h>

typedef struct rft_arch {
    int number;  /* 90; 0: not known */
    char suffix; /* 'a': this architecture alone; 'f': its family; '\0' */
} rft_arch;

/* "sm_90a"; number 0 when it is not one. */
rft_arch rft_arch_of(const char *name);
/* Machine code runs where major is equal and minor not less; that of an 'a' on its own architecture alone. */
bool rft_arch_runs_cubin(rft_arch made_for, rft_arch device);
/* PTX can be compiled for its .target and what is newer; that of an 'a' or 'f' as machine code is. */
bool rft_arch_takes_ptx(rft_arch target, rft_arch device);

#endif
