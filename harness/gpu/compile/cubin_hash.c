/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/compile/cubin_hash.h"

#include "base/str.h"

#include <elf.h>
#include <stdbool.h>
#include <string.h>

typedef struct elf_view {
    const unsigned char *data;
    size_t bytes;
    Elf64_Ehdr header;
    uint64_t names_offset, names_bytes; /* of .shstrtab */
} elf_view;

/* Section headers are copied out: nothing promises that they lie aligned. */
static bool section_at(const elf_view *elf, size_t i, Elf64_Shdr *out) {
    uint64_t offset = elf->header.e_shoff + (uint64_t)i * sizeof *out;
    if (offset > elf->bytes || elf->bytes - offset < sizeof *out) {
        return false;
    }
    memcpy(out, elf->data + offset, sizeof *out);
    return out->sh_type == SHT_NOBITS || (out->sh_offset <= elf->bytes && out->sh_size <= elf->bytes - out->sh_offset);
}

static bool elf_open(elf_view *elf, const void *data, size_t bytes) {
    *elf = (elf_view){.data = data, .bytes = bytes};
    if (bytes < sizeof elf->header || memcmp(data, ELFMAG, SELFMAG) != 0) {
        return false;
    }
    memcpy(&elf->header, data, sizeof elf->header);
    Elf64_Shdr names;
    if (elf->header.e_ident[EI_CLASS] != ELFCLASS64 || elf->header.e_shentsize != sizeof names ||
        elf->header.e_shoff > bytes || !section_at(elf, elf->header.e_shstrndx, &names) ||
        names.sh_type != SHT_STRTAB) {
        return false;
    }
    elf->names_offset = names.sh_offset;
    elf->names_bytes = names.sh_size;
    for (size_t i = 0; i < elf->header.e_shnum; i++) {
        Elf64_Shdr section;
        if (!section_at(elf, i, &section) || section.sh_name >= elf->names_bytes) {
            return false;
        }
    }
    return elf->names_bytes > 0 && elf->data[elf->names_offset + elf->names_bytes - 1] == '\0';
}

static const char *section_name(const elf_view *elf, const Elf64_Shdr *section) {
    return (const char *)elf->data + elf->names_offset + section->sh_name;
}

static bool is_left_out(const char *name) {
    static const char *const prefixes[] = {".debug_",        ".nv_debug_",      ".rel.debug_", ".rela.debug_",
                                           ".rel.nv_debug_", ".rela.nv_debug_", ".shstrtab",   ".strtab"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        if (rft_text_starts(name, prefixes[i])) {
            return true;
        }
    }
    return strcmp(name, ".note.nv.tkinfo") == 0;
}

void rft_cubin_hash(const void *cubin, size_t bytes, char out[RFT_HASH_HEX_SIZE]) {
    elf_view elf;
    if (!elf_open(&elf, cubin, bytes)) {
        rft_hash_hex(cubin, bytes, out);
        return;
    }
    rft_sha256 hash;
    rft_sha256_init(&hash);
    for (size_t i = 0; i < elf.header.e_shnum; i++) {
        Elf64_Shdr section;
        section_at(&elf, i, &section);
        const char *name = section_name(&elf, &section);
        if (is_left_out(name)) {
            continue;
        }
        uint64_t facts[3] = {section.sh_type, section.sh_flags, section.sh_size};
        rft_sha256_add_text(&hash, name);
        rft_sha256_add(&hash, facts, sizeof facts);
        if (section.sh_type != SHT_NOBITS) {
            rft_sha256_add(&hash, elf.data + section.sh_offset, section.sh_size);
        }
    }
    rft_sha256_hex(&hash, out);
}

/* The note's text reads "Cuda compilation tools, release 13.0, V13.0.88". */
static size_t copy_release(const char *text, size_t bytes, char *out, size_t size) {
    static const char mark[] = ", V";
    for (size_t i = 0; i + sizeof mark - 1 < bytes; i++) {
        if (memcmp(text + i, mark, sizeof mark - 1) == 0) {
            const char *start = text + i + sizeof mark - 1;
            size_t room = bytes - i - (sizeof mark - 1), n = 0;
            while (n < room && n + 1 < size && strchr("0123456789.", start[n]) && start[n]) {
                out[n] = start[n];
                n++;
            }
            return n;
        }
    }
    return 0;
}

void rft_cubin_toolchain(const void *cubin, size_t bytes, char *out, size_t size) {
    elf_view elf;
    size_t n = 0;
    if (elf_open(&elf, cubin, bytes)) {
        for (size_t i = 0; i < elf.header.e_shnum && n == 0; i++) {
            Elf64_Shdr section;
            section_at(&elf, i, &section);
            if (strcmp(section_name(&elf, &section), ".note.nv.tkinfo") == 0) {
                n = copy_release((const char *)elf.data + section.sh_offset, section.sh_size, out, size);
            }
        }
    }
    out[n] = '\0';
}
