/* SPDX-License-Identifier: Apache-2.0 */
/*
 * datasheet.h - what the datasheet promises and what the hardware allows, beside the measured ceilings.
 *
 * Datasheet values come from kernels/lib/devices.lua (read by the script room, handed over as JSON). Limits are
 * computed here from the device's own clocks and widths: efficiency is never judged by them, only what cannot be true
 * is.
 */
#ifndef RFT_MODEL_DATASHEET_H
#define RFT_MODEL_DATASHEET_H

#include "model/run/run.h"

/*
 * Sets `datasheet` and `datasheet_basis` of the ceilings from `json`: an array of objects with
 *   match   text; the entry stands for devices whose name contains it as whole words ("L4" is not in "NVIDIA L40S")
 *   name, source, basis   text; basis says at which clock the figures hold
 *   short   text, of the part that is meant where a name stands for several ("a100"; model/roofline/datasheet_device.h)
 *   dram    B/s, for all four mixes; and any ceiling by its name (ceiling.h), per second. Dense figures.
 *   sms, bus_bits   of this part; a device that has others is not it
 *   memory, pcie   text; memory_bytes, memory_gbps (of one pin), mhz, tensor_mhz, tdp_w, nvlink (B/s, both directions)
 *   cc      compute capability times 10, for tests of the table
 *
 * Of the entries that match, the one with the longest `match` counts; it may give no figure at all (a cut-down part
 * whose name contains that of another). A device whose driver tells memory more than 10 % off `dram` is another part.
 * Of several entries with one `match` that whose `dram` is nearest counts; where the driver tells nothing, none does.
 * An entry without the word Laptop is not for a device with it. No match, a slice of a device (MIG) or a virtual GPU
 * ("A10-24Q"): nothing is set, 0.
 *
 * Texts are copied into `arena`. Errors: RFT_E_SCRIPT when the table is not of this form; place names the entry.
 */
int rft_datasheet_apply(rft_ceilings *ceilings, const rft_gpu_info *gpu, const char *json, rft_arena *arena,
                        rft_err *err);

/* What else the datasheet says. NULL, NaN = it does not. */
typedef struct rft_datasheet_facts {
    const char *name, *source;
    const char *memory; /* "HBM3e" */
    const char *reason; /* why there are no facts at all; NULL */
    bool is_part;       /* no facts, and no entry would help: a slice (MIG) or a virtual GPU */
    double dram;        /* B/s */
} rft_datasheet_facts;

/* The facts of the entry that rft_datasheet_apply() takes, with its errors. Texts live in `arena`. */
int rft_datasheet_facts_of(rft_datasheet_facts *out, const rft_gpu_info *gpu, const char *json, rft_arena *arena,
                           rft_err *err);

/*
 * Sets `limit` and `limit_basis` ("3201 MHz x 2 x 6144 bit", "132 SMs x 128 lanes x 2 x 1980 MHz") where the width is
 * known for the architecture; leaves the others as they are. Widths: CUDA C++ Programming Guide, throughput of native
 * arithmetic instructions; NVIDIA's architecture whitepapers for tensor cores.
 * Also withdraws (measured = false, with the reason) a rate more than 3 % above its own limit: it cannot be true.
 */
void rft_limits_apply(rft_ceilings *ceilings, const rft_gpu_info *gpu, rft_arena *arena);

#endif
