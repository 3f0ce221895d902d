/* SPDX-License-Identifier: Apache-2.0 */
/* device_bundle.h - what a stranger sends of a card that is not here (docs/hardware.md). */
#ifndef RFT_CLI_DEVICE_BUNDLE_H
#define RFT_CLI_DEVICE_BUNDLE_H

#include "model/card/gpu_info.h"
#include "model/run/run.h"

/* Adds the driver's facts of a device and the ceilings that are kept of it. `env`: NVML's facts. */
void rft_device_bundle_add(rft_str *out, const rft_gpu_info *gpu, const rft_env *env, rft_arena *arena);

/* Takes out what tells people and machines: UUID and PCI id of the devices, the host's name, the user's, the home
 * folder. */
void rft_device_bundle_clean(rft_str *text, const rft_gpu_info *gpus, size_t count, rft_arena *arena);

#endif
