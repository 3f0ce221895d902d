/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/compile/cubin_hash.h"
#include "gpu/compile/cubin_elf.h"
#include "gpu/compiler.h"

#include "base/str.h"

#include <string.h>

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

/* Bytes of a section's name that are no kernel's: ".text." of ".text._Z5saxpyILi4EEvPKfPffx". */
static size_t kind_bytes(const char *name) {
    static const char *const prefixes[] = {".text.",      ".rela.text.", ".rel.text.",  ".nv.info.",
                                           ".nv.shared.", ".nv.local.",  ".nv.capmerc", ".nv.merc"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        if (rft_text_starts(name, prefixes[i])) {
            return strlen(prefixes[i]);
        }
    }
    const char *bank = rft_text_starts(name, ".nv.constant") ? strchr(name + 1, '.') : NULL;
    const char *kernel = bank ? strchr(bank + 1, '.') : NULL;
    return kernel ? (size_t)(kernel - name) : strlen(name);
}

static void hash_sections(const rft_cubin_elf *elf, bool with_names, char out[RFT_HASH_HEX_SIZE]) {
    rft_sha256 hash;
    rft_sha256_init(&hash);
    for (size_t i = 0; i < elf->header.e_shnum; i++) {
        Elf64_Shdr section;
        rft_cubin_section(elf, i, &section);
        const char *name = rft_cubin_section_name(elf, &section);
        if (is_left_out(name) || (!with_names && section.sh_type == SHT_SYMTAB)) {
            continue;
        }
        uint64_t facts[3] = {section.sh_type, section.sh_flags, section.sh_size};
        if (with_names) {
            rft_sha256_add_text(&hash, name);
        } else {
            rft_sha256_add(&hash, name, kind_bytes(name));
        }
        rft_sha256_add(&hash, facts, sizeof facts);
        if (section.sh_type != SHT_NOBITS) {
            rft_sha256_add(&hash, elf->data + section.sh_offset, section.sh_size);
        }
    }
    rft_sha256_hex(&hash, out);
}

void rft_cubin_hash(const void *cubin, size_t bytes, char out[RFT_HASH_HEX_SIZE]) {
    rft_cubin_elf elf;
    if (!rft_cubin_elf_open(&elf, cubin, bytes)) {
        rft_hash_hex(cubin, bytes, out);
        return;
    }
    hash_sections(&elf, true, out);
}

bool rft_cubin_code_hash(const void *cubin, size_t bytes, char out[65]) {
    rft_cubin_elf elf;
    if (!rft_cubin_elf_open(&elf, cubin, bytes)) {
        return false;
    }
    hash_sections(&elf, false, out);
    return true;
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
    rft_cubin_elf elf;
    size_t n = 0;
    if (rft_cubin_elf_open(&elf, cubin, bytes)) {
        for (size_t i = 0; i < elf.header.e_shnum && n == 0; i++) {
            Elf64_Shdr section;
            rft_cubin_section(&elf, i, &section);
            if (strcmp(rft_cubin_section_name(&elf, &section), ".note.nv.tkinfo") == 0) {
                n = copy_release((const char *)elf.data + section.sh_offset, section.sh_size, out, size);
            }
        }
    }
    out[n] = '\0';
}
