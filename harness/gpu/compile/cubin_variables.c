/* SPDX-License-Identifier: Apache-2.0 */
/* A cubin has its variables in its table of symbols; PTX declares them, in its text's outermost scope. */
#include "gpu/compile/cubin_elf.h"
#include "gpu/compiler.h"

#include "base/str.h"
#include "model/sweep/mangled.h"

#include <stdlib.h>
#include <string.h>

typedef struct variable_list {
    rft_variable *items; /* in the arena */
    size_t count, capacity;
    rft_arena *arena;
} variable_list;

static rft_variable *add_variable(variable_list *list, const char *symbol, uint64_t bytes, bool is_constant) {
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 16;
        rft_variable *items = rft_arena_calloc(list->arena, capacity, sizeof *items);
        if (list->count) {
            memcpy(items, list->items, list->count * sizeof *items);
        }
        list->items = items;
        list->capacity = capacity;
    }
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

#define BLANKS " \t\r\n"
#define ENDS BLANKS ";=[{}()"

/* The bytes of ".f32", ".b8"; 0: no type. */
static uint64_t type_bytes(const char *word, size_t length) {
    char digits[8] = "";
    if (length < 3 || length > 4 || !strchr("busf", word[1])) {
        return 0;
    }
    memcpy(digits, word + 2, length - 2);
    return strtoull(digits, NULL, 10) / 8;
}

/* What follows .const or .global in a declaration: ".align 4 .b8 d_filter[900] = ...;". */
static void read_declaration(variable_list *list, const char *at, bool is_constant) {
    uint64_t bytes = 0, vector = 1;
    for (at += strspn(at, BLANKS); *at == '.'; at += strspn(at, BLANKS)) {
        size_t length = strcspn(at, ENDS);
        uint64_t type = type_bytes(at, length);
        bytes = type ? type : bytes;
        vector = length == 3 && at[1] == 'v' ? (uint64_t)(at[2] - '0') : vector;
        at += length;
        if (length == 6 && strncmp(at - length, ".align", length) == 0) {
            at += strspn(at, BLANKS);
            at += strcspn(at, BLANKS);
        }
    }
    const char *name = at;
    size_t length = strcspn(at, ENDS);
    bytes *= vector;
    for (at += length; *at == '['; at += strcspn(at, "]"), at += *at == ']') {
        bytes *= strtoull(at + 1, NULL, 10);
    }
    if (length > 0 && *name != '$' && bytes > 0) {
        const char *symbol = rft_arena_strndup(list->arena, name, length);
        at += strspn(at, BLANKS);
        add_variable(list, symbol, bytes, is_constant)->is_zero = *at != '=';
    }
}

/* Statements outside of braces. */
static void read_ptx(variable_list *list, const char *text) {
    static const char constant[] = ".const", global[] = ".global";
    int depth = 0;
    for (const char *at = text; *at;) {
        size_t length = strcspn(at, ENDS);
        if (length == 0) {
            depth += *at == '{' ? 1 : *at == '}' ? -1 : 0;
            at++;
            continue;
        }
        bool is_constant = length == sizeof constant - 1 && strncmp(at, constant, length) == 0;
        bool is_global = length == sizeof global - 1 && strncmp(at, global, length) == 0;
        if (depth == 0 && at[0] == '/' && at[1] == '/') {
            length = strcspn(at, "\n");
        }
        at += length;
        if (depth == 0 && (is_constant || is_global)) {
            read_declaration(list, at, is_constant);
        }
    }
}

size_t rft_code_variables(const void *code, size_t bytes, rft_variable **out, rft_arena *arena) {
    variable_list list = {.arena = arena};
    rft_cubin_elf elf;
    if (rft_cubin_elf_open(&elf, code, bytes)) {
        read_cubin(&list, &elf);
    } else if (bytes < SELFMAG || memcmp(code, ELFMAG, SELFMAG) != 0) {
        read_ptx(&list, rft_arena_strndup(arena, code, bytes));
    }
    *out = list.items;
    return list.count;
}
