/* SPDX-License-Identifier: Apache-2.0 */
/* device_list.h - what "-d 0,1", "-d all" and "-d replay:A,replay:B" name, and what each of them is. */
#ifndef RFT_CLI_DEVICE_LIST_H
#define RFT_CLI_DEVICE_LIST_H

#include "cli/cli.h"

typedef struct rft_listed_device {
    const char *device; /* "1" or "replay:FILE", as a run of its own takes it */
    const char *label;  /* "device 1", "recording 2": before what it says */
    const char *uuid;   /* names its run file */
    const char *name;   /* "NVIDIA H200" */
} rft_listed_device;

/* Array in `arena`. No context is made on any GPU. RFT_E_USAGE: two of them are the same GPU, or no device is named;
 * RFT_E_DEVICE: no driver, no such number; RFT_E_RECORDING. */
int rft_device_list(rft_listed_device **out, size_t *count, const char *text, rft_arena *arena, rft_err *err);

#endif
