/* SPDX-License-Identifier: Apache-2.0 */
/* device_facts.h - what `rooftune devices` says of a device beside what driver and NVML say. Nothing is opened on it.
 */
#ifndef RFT_CLI_DEVICE_FACTS_H
#define RFT_CLI_DEVICE_FACTS_H

#include "cli/cli.h"
#include "model/card/gpu_info.h"
#include "model/run/run.h"

/* A fact with its value, or why there is none and what to do. */
typedef struct rft_device_fact {
    const char *value; /* NULL: none */
    const char *reason, *remedy;
} rft_device_fact;

/* "NVIDIA H200 SXM: 4.8 TB/s, BF16 989 TFLOP/s ...; at 1830 MHz". Texts in `arena`, as of all. */
rft_device_fact rft_device_datasheet(rft_cli *cli, const rft_gpu_info *gpu, rft_arena *arena);
/* "HBM3e": what its datasheet says; NULL where there is none. In `arena`. */
const char *rft_device_memory_type(rft_cli *cli, const rft_gpu_info *gpu, rft_arena *arena);
/* "18 of 20, measured 3 h ago; FILE". `env`: NVML's facts of the device. */
rft_device_fact rft_device_kept_ceilings(const rft_gpu_info *gpu, const rft_env *env, rft_arena *arena);
/* Whether the driver lets this user count: by its parameters and this process' rights. What CUPTI says in the end,
 * another profiler or a virtual GPU, only counting tells. */
rft_device_fact rft_device_counters(rft_arena *arena);
/* The folder of the cache and whether it can be written. */
rft_device_fact rft_device_cache(rft_arena *arena);

/* Names that people type, of all datasheets: "h200", "rtx-4090". Array and texts in `arena`; returns how many. */
size_t rft_device_names(rft_cli *cli, const char ***out, rft_arena *arena);

#endif
