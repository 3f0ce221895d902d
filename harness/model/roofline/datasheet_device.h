/* SPDX-License-Identifier: Apache-2.0 */
/* datasheet_device.h - a device by the name that a person types, out of the table of datasheets. */
#ifndef RFT_MODEL_DATASHEET_DEVICE_H
#define RFT_MODEL_DATASHEET_DEVICE_H

#include "base/arena.h"
#include "base/err.h"
#include "model/card/gpu_info.h"

/*
 * The device that `word` means: "h200", "rtx 4090", "A100 PCIe 40 GB". Letters' case, spaces, '-' and '_' do not count.
 * In this order: an entry's `short`, its whole name (with or without GeForce), its whole `match`, then the only entry
 * whose name or match contains every word of it. The result has what rft_datasheet_apply() needs to find that entry
 * again: name, sms, memory's clock and width, compute capability; everything else is 0. Texts live in `arena`.
 * Errors: RFT_E_SCRIPT when the table is not of the form of datasheet.h; RFT_E_USAGE when nothing, or more than one
 * part, is meant: the message names what is near, or which.
 */
int rft_datasheet_device(rft_gpu_info *out, const char *word, const char *json, rft_arena *arena, rft_err *err);

#endif
