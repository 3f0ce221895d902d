/* SPDX-License-Identifier: Apache-2.0 */
/* What a kernel takes and what it asks of its launches: by ".nv.info.KERNEL" of a cubin, by the .entry of PTX. */
#include "gpu/compile/cubin_elf.h"
#include "gpu/compile/cubin_hash.h"
#include "gpu/compile/ptx_scan.h"

#include <string.h>

#define ATTRIBUTE_MAX_THREADS 0x05 /* three sizes of 32 bits, as the next one */
#define ATTRIBUTE_BLOCK 0x10
#define ATTRIBUTE_PARAM 0x17 /* EIATTR_KPARAM_INFO: index, ordinal and offset of 16 bits each, then flags */
#define ATTRIBUTE_CLUSTER 0x3d
#define PARAM_BYTES 12
#define SIZE_SHIFT 18 /* of the flags; below it are the alignment and the constant bank */

static bool open_records(rft_cubin_records *records, const rft_cubin_elf *elf, const char *symbol) {
    Elf64_Shdr section;
    if (!rft_cubin_find_section(elf, ".nv.info.", symbol, &section) || section.sh_type == SHT_NOBITS) {
        return false;
    }
    *records = (rft_cubin_records){.at = elf->data + section.sh_offset, .left = section.sh_size};
    return true;
}

/* False: not what it should be. */
static bool read_param(const rft_cubin_records *record, uint32_t *sizes, size_t capacity, size_t *count) {
    if (record->bytes != PARAM_BYTES) {
        return false;
    }
    uint32_t ordinal = rft_cubin_u16(record->value + 4);
    uint32_t size = rft_cubin_u32(record->value + 8) >> SIZE_SHIFT;
    if (ordinal >= capacity || size == 0 || sizes[ordinal] != 0) {
        return false;
    }
    sizes[ordinal] = size;
    *count += 1;
    return true;
}

static size_t read_info(rft_cubin_records *records, uint32_t *sizes, size_t capacity) {
    size_t count = 0;
    while (rft_cubin_next_record(records)) {
        if (records->attribute == ATTRIBUTE_PARAM && !read_param(records, sizes, capacity, &count)) {
            return 0;
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (sizes[i] == 0) {
            return 0; /* one is missing among them */
        }
    }
    return records->broken ? 0 : count;
}

static size_t ptx_params(const void *ptx, size_t bytes, const char *symbol, uint32_t *sizes, size_t capacity) {
    rft_ptx_entry entry;
    if (!rft_ptx_find(ptx, bytes, symbol, &entry) || entry.param_count > capacity) {
        return 0;
    }
    memcpy(sizes, entry.param_bytes, entry.param_count * sizeof *sizes);
    return entry.param_count;
}

size_t rft_cubin_params(const void *cubin, size_t bytes, const char *symbol, uint32_t *sizes, size_t capacity) {
    rft_cubin_elf elf;
    rft_cubin_records records;
    memset(sizes, 0, capacity * sizeof *sizes);
    if (!rft_cubin_elf_open(&elf, cubin, bytes)) {
        return ptx_params(cubin, bytes, symbol, sizes, capacity);
    }
    return open_records(&records, &elf, symbol) ? read_info(&records, sizes, capacity) : 0;
}

static void read_sizes(const rft_cubin_records *record, uint32_t out[3]) {
    for (size_t i = 0; i < 3 && record->bytes == 12; i++) {
        out[i] = rft_cubin_u32(record->value + 4 * i);
    }
}

static bool is_alone(const rft_cubin_elf *elf) {
    rft_cubin_kernels kernels = {.elf = elf};
    return rft_cubin_next_kernel(&kernels) && !rft_cubin_next_kernel(&kernels);
}

rft_kernel_needs rft_cubin_needs(const void *cubin, size_t bytes, const char *symbol) {
    rft_cubin_elf elf;
    rft_cubin_records records;
    rft_ptx_entry entry;
    rft_kernel_needs needs = {0};
    Elf64_Shdr section;
    if (!rft_cubin_elf_open(&elf, cubin, bytes)) {
        return rft_ptx_find(cubin, bytes, symbol, &entry) ? entry.needs : needs;
    }
    needs.shared = is_alone(&elf) && rft_cubin_find_section(&elf, ".nv.shared.", symbol, &section);
    for (bool more = open_records(&records, &elf, symbol) && rft_cubin_next_record(&records); more;
         more = rft_cubin_next_record(&records)) {
        uint32_t most[3] = {0};
        switch (records.attribute) {
        case ATTRIBUTE_BLOCK:
            read_sizes(&records, needs.block);
            break;
        case ATTRIBUTE_CLUSTER:
            read_sizes(&records, needs.cluster);
            break;
        case ATTRIBUTE_MAX_THREADS:
            read_sizes(&records, most);
            needs.threads_max =
                most[0] < 4096 && most[1] < 4096 && most[2] < 4096 ? (uint64_t)most[0] * most[1] * most[2] : 0;
            break;
        default:
            break;
        }
    }
    return needs;
}

const char *rft_given_describe(const void *code, size_t bytes, rft_arena *arena) {
    rft_cubin_elf elf;
    char release[32], version[16], target[16];
    if (!rft_cubin_elf_open(&elf, code, bytes)) {
        return rft_ptx_head(code, bytes, version, target) ? rft_arena_printf(arena, "PTX %s for %s", version, target)
                                                          : "PTX";
    }
    rft_arch arch = rft_cubin_arch(&elf);
    rft_cubin_toolchain(code, bytes, release, sizeof release);
    const char *text = rft_arena_printf(arena, "machine code for sm_%d", arch.number);
    text = arch.suffix ? rft_arena_printf(arena, "%s%c", text, arch.suffix) : text;
    return *release ? rft_arena_printf(arena, "%s, by ptxas %s", text, release) : text;
}
