/* SPDX-License-Identifier: Apache-2.0 */
#include "model/card/gpu_info.h"

#include "base/str.h"

#include <string.h>

#define KIB 1024
#define MIB (1024LL * KIB)
#define GIB (1024 * MIB)

/* What differs between architectures, and a device of each. Shared memory, threads and blocks per SM: CUDA C++
 * Programming Guide, "Technical Specifications per Compute Capability"; the rest: the device's datasheet. Clock 0: the
 * datasheet does not say. */
typedef struct arch_row {
    const char *arch, *plain; /* with and without "a" */
    const char *device;
    int cc_major, cc_minor;
    int sms, max_threads_per_sm, max_blocks_per_sm;
    int shared_per_block_kib, shared_per_sm_kib;
    int l2_mib, memory_gib;
    int sm_clock_mhz, memory_clock_mhz, memory_bus_bits;
} arch_row;

static const arch_row arch_rows[] = {
    {"sm_75", "sm_75", "Tesla T4", 7, 5, 40, 1024, 16, 64, 64, 4, 16, 1590, 5001, 256},
    {"sm_80", "sm_80", "NVIDIA A100-SXM4-80GB", 8, 0, 108, 2048, 32, 163, 164, 40, 80, 1410, 1593, 5120},
    {"sm_86", "sm_86", "NVIDIA A10", 8, 6, 72, 1536, 16, 99, 100, 6, 24, 1695, 6251, 384},
    {"sm_87", "sm_87", "Jetson AGX Orin", 8, 7, 16, 1536, 16, 163, 164, 4, 64, 1300, 3200, 256},
    {"sm_89", "sm_89", "NVIDIA L40S", 8, 9, 142, 1536, 24, 99, 100, 96, 48, 2520, 9001, 384},
    {"sm_90a", "sm_90", "NVIDIA H100 80GB HBM3", 9, 0, 132, 2048, 32, 227, 228, 50, 80, 1980, 2619, 5120},
    {"sm_100a", "sm_100", "NVIDIA B200", 10, 0, 148, 2048, 32, 227, 228, 126, 180, 1965, 3996, 7680},
    {"sm_103a", "sm_103", "NVIDIA B300", 10, 3, 148, 2048, 32, 227, 228, 126, 270, 0, 0, 0},
    {"sm_110a", "sm_110", "Jetson AGX Thor", 11, 0, 20, 1536, 24, 227, 228, 32, 128, 1575, 0, 256},
    {"sm_120a", "sm_120", "NVIDIA GeForce RTX 5090", 12, 0, 170, 1536, 24, 99, 100, 96, 32, 2407, 14001, 512},
    {"sm_121a", "sm_121", "NVIDIA GB10", 12, 1, 48, 1536, 24, 99, 100, 24, 128, 0, 0, 256},
};
#define ARCH_COUNT (sizeof arch_rows / sizeof *arch_rows)

static void fill_from_row(rft_gpu_info *out, const arch_row *row) {
    *out = (rft_gpu_info){
        .name = row->device,
        .uuid = "",
        .pci_id = "",
        .cc_major = row->cc_major,
        .cc_minor = row->cc_minor,
        .sms = row->sms,
        .warp_size = 32,
        .max_threads_per_block = 1024,
        .max_threads_per_sm = row->max_threads_per_sm,
        .max_blocks_per_sm = row->max_blocks_per_sm,
        .registers_per_block = 65536,
        .registers_per_sm = 65536,
        .shared_per_block = (int64_t)row->shared_per_block_kib * KIB,
        .shared_per_block_static = 48 * KIB,
        .shared_per_sm = (int64_t)row->shared_per_sm_kib * KIB,
        .l2_bytes = row->l2_mib * MIB,
        /* The guide says three quarters at most; half is safe for a device that is not there to be asked. */
        .persisting_l2_max_bytes = row->cc_major >= 8 ? row->l2_mib * MIB / 2 : 0,
        .memory_bytes = row->memory_gib * GIB,
        .memory_free_bytes = row->memory_gib * GIB,
        .max_grid = {2147483647, 65535, 65535},
        .max_block = {1024, 1024, 64},
        .max_cluster = row->cc_major >= 9 ? 8 : 0,
        .cooperative = true,
        .sm_clock_khz = row->sm_clock_mhz * 1000,
        .memory_clock_khz = row->memory_clock_mhz * 1000,
        .memory_bus_bits = row->memory_bus_bits,
        .representative = true,
    };
}

/* Are the digits the same: "90", "compute_90" and "9.0" are sm_90a's? */
static bool same_digits(const char *text, const char *arch) {
    static const char digits[] = "0123456789";
    for (;;) {
        text += strcspn(text, digits);
        arch += strcspn(arch, digits);
        if (*text != *arch || *text == '\0') {
            return *text == *arch;
        }
        text++;
        arch++;
    }
}

static const char *meant_arch(const char *text) {
    for (size_t i = 0; text && strpbrk(text, "0123456789") && i < ARCH_COUNT; i++) {
        if (same_digits(text, arch_rows[i].arch)) {
            return arch_rows[i].arch;
        }
    }
    return NULL;
}

int rft_gpu_info_for_arch(rft_gpu_info *out, const char *arch, rft_err *err) {
    for (size_t i = 0; i < ARCH_COUNT; i++) {
        const arch_row *row = &arch_rows[i];
        bool exact = rft_text_equal(arch, row->arch);
        if (exact || rft_text_equal(arch, row->plain)) {
            fill_from_row(out, row);
            out->arch = exact ? row->arch : row->plain;
            return 0;
        }
    }
    rft_str known = RFT_STR_INIT;
    for (size_t i = 0; i < ARCH_COUNT; i++) {
        rft_str_addf(&known, "%s%s", i > 0 ? " " : "", arch_rows[i].arch);
    }
    const char *meant = meant_arch(arch);
    rft_err_set(err, RFT_E_USAGE, "unknown architecture \"%s\"%s%s%s", arch ? arch : "",
                meant ? ", did you mean \"" : "", meant ? meant : "", meant ? "\"?" : "");
    rft_err_remedy(err, "known architectures: %s", rft_str_get(&known));
    rft_str_clear(&known);
    return RFT_E_USAGE;
}

/* Names for every compute capability that may come, so that they are static text: "a" from 9.0 on (10, 11, 12 ...). */
#define SM_NAMES(major, suffix)                                                                                        \
    {                                                                                                                  \
        "sm_" #major "0" suffix, "sm_" #major "1" suffix, "sm_" #major "2" suffix, "sm_" #major "3" suffix,            \
            "sm_" #major "4" suffix, "sm_" #major "5" suffix, "sm_" #major "6" suffix, "sm_" #major "7" suffix,        \
            "sm_" #major "8" suffix, "sm_" #major "9" suffix                                                           \
    }
static const char *const native_names[][10] = {
    SM_NAMES(5, ""),   SM_NAMES(6, ""),   SM_NAMES(7, ""),   SM_NAMES(8, ""),   SM_NAMES(9, "a"),  SM_NAMES(10, "a"),
    SM_NAMES(11, "a"), SM_NAMES(12, "a"), SM_NAMES(13, "a"), SM_NAMES(14, "a"), SM_NAMES(15, "a"),
};
#define NATIVE_FIRST 5
#define NATIVE_COUNT (int)(sizeof native_names / sizeof *native_names)

const char *rft_gpu_info_native_arch(int cc_major, int cc_minor) {
    int row = cc_major - NATIVE_FIRST;
    if (row < 0 || row >= NATIVE_COUNT || cc_minor < 0 || cc_minor > 9) {
        return "sm_unknown";
    }
    return native_names[row][cc_minor];
}

int rft_gpu_info_fp32_lanes(const rft_gpu_info *gpu) {
    switch (gpu->cc_major * 10 + gpu->cc_minor) {
    case 70:
    case 75:
    case 80:
        return 64;
    case 86:
    case 87:
    case 89:
    case 90:
    case 100:
    case 103:
    case 110:
    case 120:
    case 121:
        return 128;
    default:
        return 0;
    }
}

int rft_gpu_info_fp64_lanes(const rft_gpu_info *gpu) {
    switch (gpu->cc_major * 10 + gpu->cc_minor) {
    case 70:
    case 80:
        return 32;
    case 90:
    case 100:
        return 64;
    case 75:
    case 86:
    case 87:
    case 89:
    case 120:
    case 121:
        return 2;
    default:
        return 0;
    }
}

rft_gpu_info rft_gpu_info_copy(rft_arena *arena, const rft_gpu_info *gpu) {
    rft_gpu_info copy = *gpu;
    copy.name = rft_arena_strdup(arena, gpu->name);
    copy.arch = rft_arena_strdup(arena, gpu->arch);
    copy.uuid = rft_arena_strdup(arena, gpu->uuid);
    copy.pci_id = rft_arena_strdup(arena, gpu->pci_id);
    return copy;
}
