/* SPDX-License-Identifier: Apache-2.0 */
/* cubin_elf.h - the sections of a cubin, which is a 64-bit ELF file. No offset is trusted. Private to compile. */
#ifndef RFT_GPU_CUBIN_ELF_H
#define RFT_GPU_CUBIN_ELF_H

#include "gpu/compile/arch_name.h"

#include <elf.h>
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
/* The section `prefix``symbol`, as ".nv.info." of a kernel. */
bool rft_cubin_find_section(const rft_cubin_elf *elf, const char *prefix, const char *symbol, Elf64_Shdr *out);

/* What it was made for; number 0: it does not say. */
rft_arch rft_cubin_arch(const rft_cubin_elf *elf);

/* The kernels of a cubin, by its symbol table. {.elf} to begin with. */
typedef struct rft_cubin_kernels {
    const rft_cubin_elf *elf;
    Elf64_Shdr symbols, names;
    size_t next;      /* symbol */
    uint32_t index;   /* of the one found, as sections name it */
    const char *name; /* of the one found; in the cubin */
} rft_cubin_kernels;
bool rft_cubin_next_kernel(rft_cubin_kernels *kernels);

/* The records of a ".nv.info" section, which say what its code is and needs. {at, left} to begin with. */
typedef struct rft_cubin_records {
    const unsigned char *at;
    size_t left;
    bool broken; /* what is left is no record */
    unsigned attribute;
    const unsigned char *value; /* of the one found */
    size_t bytes;
} rft_cubin_records;
bool rft_cubin_next_record(rft_cubin_records *records);
uint32_t rft_cubin_u16(const unsigned char *at);
uint32_t rft_cubin_u32(const unsigned char *at);

#endif
