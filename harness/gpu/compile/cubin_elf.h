/* SPDX-License-Identifier: Apache-2.0 */
/* cubin_elf.h - the sections of a cubin, which is a 64-bit ELF file. No offset is trusted. Private to compile. */
#ifndef RFT_GPU_CUBIN_ELF_H
#define RFT_GPU_CUBIN_ELF_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct rft_cubin_elf {
    const unsigned char *data; /* borrowed */
    size_t bytes;
    Elf64_Ehdr header;
    uint64_t names_offset, names_bytes; /* of .shstrtab */
} rft_cubin_elf;

/* False: it is none (PTX), or a section lies outside of it. */
bool rft_cubin_elf_open(rft_cubin_elf *elf, const void *data, size_t bytes);
/* The i-th of header.e_shnum, whose contents, if it has any in the file, lie within it; false: they do not. */
bool rft_cubin_section(const rft_cubin_elf *elf, size_t i, Elf64_Shdr *out);
const char *rft_cubin_section_name(const rft_cubin_elf *elf, const Elf64_Shdr *section);

#endif
