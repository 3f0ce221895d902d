/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/compile/cubin_elf.h"

#include "base/str.h"

#include <string.h>

#define OSABI_SINCE_13 0x41 /* CUDA 12 writes it for sm_100 and newer, 13 for all */
#define FLAG_A_BEFORE 0x800u
#define FLAG_A_SINCE 0x8u
#define FORMAT_SIZED 0x04
#define COMPAT_CLASS 0x09 /* in ".nv.compat": 1 is an 'a' */
#define STO_ENTRY 0x10    /* of a symbol: a kernel, not a function that it calls */

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

bool rft_cubin_find_section(const rft_cubin_elf *elf, const char *prefix, const char *symbol, Elf64_Shdr *out) {
    for (size_t i = 0; i < elf->header.e_shnum; i++) {
        if (!rft_cubin_section(elf, i, out)) {
            return false;
        }
        const char *name = rft_cubin_section_name(elf, out);
        if (rft_text_starts(name, prefix) && strcmp(name + strlen(prefix), symbol) == 0) {
            return true;
        }
    }
    return false;
}

/* ---- records ---- */

uint32_t rft_cubin_u16(const unsigned char *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8;
}

uint32_t rft_cubin_u32(const unsigned char *at) {
    return rft_cubin_u16(at) | rft_cubin_u16(at + 2) << 16;
}

/* Format, attribute, then a value of 16 bits, or its length and the value. */
bool rft_cubin_next_record(rft_cubin_records *r) {
    if (r->left < 4) {
        return false;
    }
    bool sized = r->at[0] == FORMAT_SIZED;
    size_t bytes = sized ? rft_cubin_u16(r->at + 2) : 2, length = sized ? 4 + bytes : 4;
    if (length > r->left) {
        r->broken = true;
        return false;
    }
    r->attribute = r->at[1];
    r->value = r->at + (sized ? 4 : 2);
    r->bytes = bytes;
    r->at += length;
    r->left -= length;
    return true;
}

/* ---- architecture ---- */

static bool is_of_one_arch(const rft_cubin_elf *elf) {
    Elf64_Shdr section;
    if (!rft_cubin_find_section(elf, ".nv.compat", "", &section) || section.sh_type == SHT_NOBITS) {
        return false;
    }
    rft_cubin_records records = {.at = elf->data + section.sh_offset, .left = section.sh_size};
    while (rft_cubin_next_record(&records)) {
        if (records.attribute == COMPAT_CLASS) {
            return records.bytes > 0 && *records.value == 1;
        }
    }
    return false;
}

rft_arch rft_cubin_arch(const rft_cubin_elf *elf) {
    uint32_t flags = elf->header.e_flags;
    bool newer = elf->header.e_ident[EI_OSABI] == OSABI_SINCE_13;
    bool a = newer ? (flags & FLAG_A_SINCE) != 0 || is_of_one_arch(elf) : (flags & FLAG_A_BEFORE) != 0;
    return (rft_arch){.number = (int)(newer ? flags >> 8 & 0xff : flags & 0xff), .suffix = a ? 'a' : '\0'};
}

/* ---- kernels ---- */

/* The table of symbols and that of their names, which ends in a NUL. */
static bool find_symbols(const rft_cubin_elf *elf, Elf64_Shdr *symbols, Elf64_Shdr *names) {
    return rft_cubin_find_section(elf, ".symtab", "", symbols) && symbols->sh_type == SHT_SYMTAB &&
           symbols->sh_link < elf->header.e_shnum && rft_cubin_section(elf, symbols->sh_link, names) &&
           names->sh_type == SHT_STRTAB && names->sh_size > 0 &&
           elf->data[names->sh_offset + names->sh_size - 1] == '\0';
}

bool rft_cubin_next_kernel(rft_cubin_kernels *k) {
    Elf64_Sym symbol;
    if (k->next == 0 && !find_symbols(k->elf, &k->symbols, &k->names)) {
        return false;
    }
    while (k->next < k->symbols.sh_size / sizeof symbol) {
        memcpy(&symbol, k->elf->data + k->symbols.sh_offset + k->next * sizeof symbol, sizeof symbol);
        k->index = (uint32_t)k->next++;
        if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && (symbol.st_other & STO_ENTRY) != 0 &&
            symbol.st_name < k->names.sh_size) {
            k->name = (const char *)k->elf->data + k->names.sh_offset + symbol.st_name;
            return true;
        }
    }
    return false;
}
