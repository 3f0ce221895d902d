/* SPDX-License-Identifier: Apache-2.0 */
/* Section ".nv.info.KERNEL" is a list of records: format, attribute, then a value of 16 bits or its length. */
#include "gpu/compile/cubin_elf.h"
#include "gpu/compiler.h"

#include "base/str.h"

#include <string.h>

#define PREFIX ".nv.info."
#define FORMAT_SIZED 0x04
#define ATTRIBUTE_PARAM 0x17 /* EIATTR_KPARAM_INFO: index, ordinal and offset of 16 bits each, then flags */
#define PARAM_BYTES 12
#define SIZE_SHIFT 18 /* of the flags; below it are the alignment and the constant bank */

static uint32_t read_u16(const unsigned char *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8;
}

/* False: not what it should be. */
static bool read_param(const unsigned char *record, uint32_t *sizes, size_t capacity, size_t *count) {
    uint32_t ordinal = read_u16(record + 4);
    uint32_t size = (read_u16(record + 8) | read_u16(record + 10) << 16) >> SIZE_SHIFT;
    if (ordinal >= capacity || size == 0 || sizes[ordinal] != 0) {
        return false;
    }
    sizes[ordinal] = size;
    *count += 1;
    return true;
}

static size_t read_info(const unsigned char *at, size_t bytes, uint32_t *sizes, size_t capacity) {
    size_t count = 0;
    while (bytes >= 4) {
        bool sized = at[0] == FORMAT_SIZED;
        size_t length = 4 + (sized ? read_u16(at + 2) : 0);
        if (length > bytes) {
            return 0;
        }
        if (sized && at[1] == ATTRIBUTE_PARAM &&
            (length != 4 + PARAM_BYTES || !read_param(at + 4, sizes, capacity, &count))) {
            return 0;
        }
        at += length;
        bytes -= length;
    }
    for (size_t i = 0; i < count; i++) {
        if (sizes[i] == 0) {
            return 0; /* one is missing among them */
        }
    }
    return count;
}

size_t rft_cubin_params(const void *cubin, size_t bytes, const char *symbol, uint32_t *sizes, size_t capacity) {
    rft_cubin_elf elf;
    memset(sizes, 0, capacity * sizeof *sizes);
    if (!rft_cubin_elf_open(&elf, cubin, bytes)) {
        return 0;
    }
    for (size_t i = 0; i < elf.header.e_shnum; i++) {
        Elf64_Shdr section;
        rft_cubin_section(&elf, i, &section);
        const char *name = rft_cubin_section_name(&elf, &section);
        if (section.sh_type != SHT_NOBITS && rft_text_starts(name, PREFIX) &&
            strcmp(name + sizeof PREFIX - 1, symbol) == 0) {
            return read_info(elf.data + section.sh_offset, section.sh_size, sizes, capacity);
        }
    }
    return 0;
}
