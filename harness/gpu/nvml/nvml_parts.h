/* SPDX-License-Identifier: Apache-2.0 */
/* nvml_parts.h - what both adapters of NVML share: opening it, and types as nvml.h has them, which building does not
 * need. */
#ifndef RFT_GPU_NVML_PARTS_H
#define RFT_GPU_NVML_PARTS_H

#include "gpu/dynlib.h"

typedef void *nvml_device;

typedef struct nvml_process {
    unsigned pid;
    unsigned long long used_bytes; /* all ones = not known */
    unsigned gpu_instance, compute_instance;
} nvml_process;

typedef int nvml_get_unsigned(nvml_device device, unsigned *out);
typedef int nvml_get_pair(nvml_device device, unsigned *first, unsigned *second);
typedef int nvml_get_wide(nvml_device device, unsigned long long *out);

/* Fills `table` as rft_dynlib_open() does, by these symbols. Errors: RFT_E_NOT_FOUND. */
int rft_nvml_library_open(void **handle, void *table, const rft_dynlib_symbol *wanted, size_t count, rft_err *err);

#endif
