/* SPDX-License-Identifier: Apache-2.0 */
/* A cubin has its variables in its table of symbols; PTX declares them (ptx_scan.h). */
#include "gpu/compile/cubin_elf.h"
#include "gpu/compile/ptx_scan.h"

#include "base/str.h"
#include "model/sweep/mangled.h"

#include <string.h>

typedef struct variable_list {
    rft_variable *items; /* in the arena */
    size_t count, capacity;
    rft_arena *arena;
} variable_list;

static rft_variable *add_variable(variable_list *list, const char *symbol, uint64_t bytes, bool is_constant) {
    list->items = rft_arena_grown(list->arena, list->items, list->count, &list->capacity, sizeof *list->items);
    list->items[list->count++] = (rft_variable){.symbol = rft_arena_strdup(list->arena, symbol),
                                                .name = rft_mangled_variable(symbol, list->arena),
                                                .bytes = bytes,
                                                .is_constant = is_constant};
    return &list->items[list->count - 1];
}

/* ---- cubin ---- */

static bool is_zero(const rft_cubin_elf *elf, const Elf64_Shdr *section, const Elf64_Sym *symbol) {
    if (section->sh_type == SHT_NOBITS) {
        return true;
    }
    if (symbol->st_value > section->sh_size || section->sh_size - symbol->st_value < symbol->st_size) {
        return false;
    }
    const unsigned char *data = elf->data + section->sh_offset + symbol->st_value;
    return data[0] == 0 && memcmp(data, data + 1, symbol->st_size - 1) == 0;
}

static void add_symbol(variable_list *list, const rft_cubin_elf *elf, const Elf64_Sym *symbol, const char *name) {
    Elf64_Shdr section;
    if (ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT || symbol->st_size == 0 ||
        symbol->st_shndx >= elf->header.e_shnum || !rft_cubin_section(elf, symbol->st_shndx, &section)) {
        return;
    }
    const char *where = rft_cubin_section_name(elf, &section);
    bool is_constant = rft_text_starts(where, ".nv.constant");
    if (*name != '.' && *name != '$' && (is_constant || rft_text_starts(where, ".nv.global"))) {
        add_variable(list, name, symbol->st_size, is_constant)->is_zero = is_zero(elf, &section, symbol);
    }
}

static void read_symbols(variable_list *list, const rft_cubin_elf *elf, const Elf64_Shdr *table) {
    Elf64_Shdr names;
    if (table->sh_link >= elf->header.e_shnum || !rft_cubin_section(elf, table->sh_link, &names) ||
        names.sh_type != SHT_STRTAB || names.sh_size == 0 || elf->data[names.sh_offset + names.sh_size - 1] != '\0') {
        return;
    }
    for (uint64_t at = 0; table->sh_size - at >= sizeof(Elf64_Sym); at += sizeof(Elf64_Sym)) {
        Elf64_Sym symbol;
        memcpy(&symbol, elf->data + table->sh_offset + at, sizeof symbol);
        if (symbol.st_name < names.sh_size) {
            add_symbol(list, elf, &symbol, (const char *)elf->data + names.sh_offset + symbol.st_name);
        }
    }
}

static void read_cubin(variable_list *list, const rft_cubin_elf *elf) {
    for (size_t i = 0; i < elf->header.e_shnum; i++) {
        Elf64_Shdr section;
        if (rft_cubin_section(elf, i, &section) && section.sh_type == SHT_SYMTAB) {
            read_symbols(list, elf, &section);
        }
    }
}

/* ---- PTX ---- */

static void read_ptx(variable_list *list, const char *text, size_t bytes) {
    rft_ptx_text t = rft_ptx_begin(text, bytes);
    rft_ptx_variable found;
    while (rft_ptx_next_variable(&t, &found)) {
        const char *symbol = rft_arena_strndup(list->arena, found.name.text, found.name.length);
        if (*symbol != '$') {
            add_variable(list, symbol, found.bytes, found.is_constant)->is_zero = found.is_zero;
        }
    }
}

size_t rft_code_variables(const void *code, size_t bytes, rft_variable **out, rft_arena *arena) {
    variable_list list = {.arena = arena};
    rft_cubin_elf elf;
    if (rft_cubin_elf_open(&elf, code, bytes)) {
        read_cubin(&list, &elf);
    } else if (bytes < SELFMAG || memcmp(code, ELFMAG, SELFMAG) != 0) {
        read_ptx(&list, code, bytes);
    }
    *out = list.items;
    return list.count;
}
