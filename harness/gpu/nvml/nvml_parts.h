/* SPDX-License-Identifier: Apache-2.0 */
/* nvml_parts.h - types of NVML's that both of its adapters use, as nvml.h has them: it is not needed to build. */
#ifndef RFT_GPU_NVML_PARTS_H
#define RFT_GPU_NVML_PARTS_H

typedef void *nvml_device;

typedef struct nvml_process {
    unsigned pid;
    unsigned long long used_bytes; /* all ones = not known */
    unsigned gpu_instance, compute_instance;
} nvml_process;

typedef int nvml_get_unsigned(nvml_device device, unsigned *out);
typedef int nvml_get_pair(nvml_device device, unsigned *first, unsigned *second);
typedef int nvml_get_wide(nvml_device device, unsigned long long *out);

#endif
