/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/compile/cubin_elf.h"

#include <string.h>

/* Copied out: nothing promises that section headers lie aligned. */
bool rft_cubin_section(const rft_cubin_elf *elf, size_t i, Elf64_Shdr *out) {
    uint64_t offset = elf->header.e_shoff + (uint64_t)i * sizeof *out;
    if (offset > elf->bytes || elf->bytes - offset < sizeof *out) {
        return false;
    }
    memcpy(out, elf->data + offset, sizeof *out);
    return out->sh_type == SHT_NOBITS || (out->sh_offset <= elf->bytes && out->sh_size <= elf->bytes - out->sh_offset);
}

bool rft_cubin_elf_open(rft_cubin_elf *elf, const void *data, size_t bytes) {
    *elf = (rft_cubin_elf){.data = data, .bytes = bytes};
    if (bytes < sizeof elf->header || memcmp(data, ELFMAG, SELFMAG) != 0) {
        return false;
    }
    memcpy(&elf->header, data, sizeof elf->header);
    Elf64_Shdr names;
    if (elf->header.e_ident[EI_CLASS] != ELFCLASS64 || elf->header.e_shentsize != sizeof names ||
        elf->header.e_shoff > bytes || !rft_cubin_section(elf, elf->header.e_shstrndx, &names) ||
        names.sh_type != SHT_STRTAB) {
        return false;
    }
    elf->names_offset = names.sh_offset;
    elf->names_bytes = names.sh_size;
    for (size_t i = 0; i < elf->header.e_shnum; i++) {
        Elf64_Shdr section;
        if (!rft_cubin_section(elf, i, &section) || section.sh_name >= elf->names_bytes) {
            return false;
        }
    }
    return elf->names_bytes > 0 && elf->data[elf->names_offset + elf->names_bytes - 1] == '\0';
}

const char *rft_cubin_section_name(const rft_cubin_elf *elf, const Elf64_Shdr *section) {
    return (const char *)elf->data + elf->names_offset + section->sh_name;
}
