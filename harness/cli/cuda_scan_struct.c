/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_scan_struct.c - the fields of a struct that a kernel takes by value. Unions, bit fields, bases and virtual
 * functions are not understood, and then nothing of the struct is. */
#include "base/str.h"
#include "cli/cuda_scan_parts.h"

#include <stdlib.h>
#include <string.h>

#define NESTED_MAX 4
#define FIELDS_MAX 512 /* of a parameter, those of nested structs with them */

typedef struct field_list {
    const rft_cuda_words *words, *all; /* where the struct stands; where its names are looked for */
    rft_cuda_param items[RFT_CUDA_PARAMS_MAX];
    size_t count, nested;
    size_t *left; /* of FIELDS_MAX */
    rft_arena *arena;
} field_list;

static bool find_fields(rft_cuda_param *param, const rft_cuda_words *all, size_t nested, size_t *left,
                        rft_arena *arena);

static bool is_one_of(const rft_cuda_word *word, const char *const *names) {
    while (*names && !rft_cuda_is(word, *names)) {
        names++;
    }
    return *names != NULL;
}

/* Behind the function whose parameters begin at `at`: with its body, or the ; of a declaration. */
static size_t behind_function(const rft_cuda_words *words, size_t at, size_t end) {
    while (at < end && !rft_cuda_is(&words->items[at], ";") && !rft_cuda_is(&words->items[at], "{")) {
        at = rft_cuda_is(&words->items[at], "(") ? rft_cuda_skip(words, at) : at + 1;
    }
    return at < end && rft_cuda_is(&words->items[at], "{") ? rft_cuda_skip(words, at) : at + 1;
}

/* [4][N + 1] at `at`: *at is behind it. */
static bool read_elements(const field_list *list, rft_cuda_param *field, size_t *at, size_t end) {
    while (*at < end && rft_cuda_is(&list->words->items[*at], "[") && field->elements <= 4096) {
        size_t behind = rft_cuda_skip(list->words, *at);
        field->elements *= rft_cuda_number(list->words, *at + 1, behind - 1);
        *at = behind;
    }
    return field->elements > 0 && field->elements <= 4096;
}

/* `, b` and `, *__restrict__ c` of `float *a, b, *__restrict__ c` at words [begin, at): false: something else. */
static bool read_further(rft_cuda_param *field, const rft_cuda_word *items, size_t begin, size_t at) {
    bool pointer = rft_cuda_is(&items[begin], "*");
    begin += pointer;
    while (pointer && (rft_cuda_is(&items[begin], "__restrict__") || rft_cuda_is(&items[begin], "__restrict") ||
                       rft_cuda_is(&items[begin], "const"))) {
        begin++;
    }
    bool alike = pointer == field->pointer || (field->type && !field->guessed);
    field->pointer = pointer;
    field->elements = 1;
    return at == begin + 1 && items[begin].kind == RFT_CUDA_NAME && alike;
}

/* `float a, b[4] = {}, *c;` at [from, end), the ; at `end`. */
static bool read_declaration(field_list *list, size_t from, size_t end) {
    static const rft_cuda_entry none = {0};
    const rft_cuda_word *items = list->words->items;
    rft_cuda_param first = {0};
    for (size_t at = from, begin = from; at < end; begin = ++at) {
        while (at < end && !strchr(",=[{", items[at].text[0])) {
            at = rft_cuda_is(&items[at], "<") ? rft_cuda_skip(list->words, at) : at + 1;
        }
        rft_cuda_param field = first;
        if (begin == from) {
            rft_cuda_read_param(&first, &none, list->all, begin, at, list->arena);
            field = first;
        } else if (!read_further(&field, items, begin, at)) {
            return false;
        }
        field.name = at > begin ? items[at - 1].text : "";
        bool known = field.type || find_fields(&field, list->all, list->nested + 1, list->left, list->arena);
        if (!known || *list->left == 0 || !*field.name || list->count == RFT_CUDA_PARAMS_MAX ||
            !read_elements(list, &field, &at, end)) {
            return false;
        }
        while (at < end && !rft_cuda_is(&items[at], ",")) { /* its value at the beginning */
            at = strchr("({", items[at].text[0]) ? rft_cuda_skip(list->words, at) : at + 1;
        }
        list->items[list->count++] = field;
        *list->left -= 1;
    }
    return true;
}

static bool read_body(field_list *list, size_t from, size_t end) {
    static const char *const unknown[] = {"virtual", "union", "struct", "class", "enum", NULL};
    static const char *const no_field[] = {"static", "using", "typedef", "friend", "template", "static_assert", NULL};
    const rft_cuda_word *items = list->words->items;
    for (size_t i = from; i < end;) {
        size_t stop = i;
        if (rft_cuda_is(&items[i], ";")) {
            i++;
            continue;
        }
        if (rft_cuda_is(&items[i + 1], ":")) { /* public: */
            i += 2;
            continue;
        }
        while (stop < end && !strchr(";({", items[stop].text[0]) && !rft_cuda_is(&items[stop], ":")) {
            if (is_one_of(&items[stop], unknown)) {
                return false;
            }
            stop = rft_cuda_is(&items[stop], "[") ? rft_cuda_skip(list->words, stop) : stop + 1;
        }
        bool value = stop > i && rft_cuda_is(&items[stop], "{"); /* int n{0}; */
        for (size_t k = i; k < stop; k++) {
            value = value || rft_cuda_is(&items[k], "=");
        }
        bool function = !value && stop < end && rft_cuda_is(&items[stop], "(");
        if (function || is_one_of(&items[i], no_field)) {
            i = behind_function(list->words, stop, end);
            continue;
        }
        while (stop < end && !rft_cuda_is(&items[stop], ";")) {
            if (rft_cuda_is(&items[stop], ":")) {
                return false; /* a bit field */
            }
            stop = strchr("({", items[stop].text[0]) ? rft_cuda_skip(list->words, stop) : stop + 1;
        }
        if (!read_declaration(list, i, stop)) {
            return false;
        }
        i = stop + 1;
    }
    return list->count > 0;
}

/* `struct alignas(16) NAME {` or `typedef struct { ... } NAME;`: the place of the brace, and what it is aligned to; 0:
 * neither is at `at`. */
static size_t brace_of(const rft_cuda_words *words, size_t at, const char *name, size_t *align) {
    const rft_cuda_word *items = words->items;
    size_t i = at + 1;
    bool named = false;
    *align = 0;
    if (!rft_cuda_is(&items[at], "struct") && !rft_cuda_is(&items[at], "class")) {
        return 0;
    }
    for (; items[i].kind != RFT_CUDA_END && !strchr("{;:", items[i].text[0]); i++) {
        named = named || rft_cuda_is(&items[i], name);
        if (rft_cuda_is(&items[i + 1], "(")) { /* alignas(16), __align__(16) */
            *align = (size_t)strtoul(items[i + 2].text, NULL, 0);
            i = rft_cuda_skip(words, i + 1) - 1;
        } else if (strchr("*&,)=<>", items[i].text[0])) {
            return 0;
        }
    }
    if (!rft_cuda_is(&items[i], "{")) {
        return 0;
    }
    size_t behind = rft_cuda_skip(words, i);
    bool typed = at > 0 && rft_cuda_is(&items[at - 1], "typedef") && rft_cuda_is(&items[behind], name);
    return named || typed ? i : 0;
}

static bool find_fields(rft_cuda_param *param, const rft_cuda_words *all, size_t nested, size_t *left,
                        rft_arena *arena) {
    const rft_cuda_words *places[] = {all, all->headers};
    bool found = false;
    for (size_t p = 0; p < 2 && nested < NESTED_MAX && *param->base; p++) {
        for (size_t i = 0; places[p] && i + 1 < places[p]->count && !found; i++) {
            size_t align = 0, brace = brace_of(places[p], i, param->base, &align);
            if (brace == 0) {
                continue;
            }
            field_list *list = rft_calloc(1, sizeof *list);
            *list = (field_list){.words = places[p], .all = places[p], .nested = nested, .left = left, .arena = arena};
            found = true;       /* no other of the name is looked at */
            *left -= *left > 0; /* it counts, too */
            if (read_body(list, brace + 1, rft_cuda_skip(places[p], brace) - 1)) {
                param->fields = rft_arena_memdup(arena, list->items, list->count * sizeof *list->items);
                param->field_count = list->count;
                param->align = align;
            }
            free(list);
        }
    }
    return param->field_count > 0;
}

void rft_cuda_find_fields(rft_cuda_param *param, const rft_cuda_words *words, rft_arena *arena) {
    size_t left = FIELDS_MAX;
    find_fields(param, words, 0, &left, arena);
}

/* ---- where the fields lie ---- */

static size_t up(size_t bytes, size_t align) {
    return (bytes + align - 1) / align * align;
}

static size_t scalar_bytes(const char *type) {
    size_t bits = (size_t)strtoul(type + strcspn(type, "0123456789"), NULL, 10);
    return rft_text_starts(type, "e") ? 1 : bits / 8; /* e4m3, e5m2 */
}

/* float2 and float4 are aligned as a whole, to 16 bytes at most; float3 is not. */
static size_t own_align(const rft_cuda_param *field) {
    size_t bytes = field->pointer ? 8 : scalar_bytes(field->type);
    size_t whole = bytes * (size_t)field->lanes;
    return field->pointer || field->lanes == 3 ? bytes : whole < 16 ? whole : 16;
}

typedef struct placing {
    rft_cuda_place *places;
    size_t count, capacity;
} placing;

/* Bytes of the struct at `offset`; *align is its alignment. Arrays are walked as far as there is room. */
static size_t lay_out(placing *to, const rft_cuda_param *param, size_t offset, size_t *align) {
    size_t at = 0;
    *align = param->align > 0 && param->align <= 128 ? param->align : 1;
    for (size_t i = 0; i < param->field_count; i++) {
        const rft_cuda_param *field = &param->fields[i];
        bool nested = field->fields && !field->pointer;
        placing none = {0};
        size_t own = nested ? 1 : own_align(field), lanes = field->pointer || nested ? 1 : (size_t)field->lanes;
        size_t each = nested ? lay_out(&none, field, 0, &own) : field->pointer ? 8 : scalar_bytes(field->type);
        at = up(at, own);
        for (size_t e = 0; e < field->elements * lanes && to->count < to->capacity; e++) {
            size_t ignored = 1;
            if (nested) {
                lay_out(to, field, offset + at + e * each, &ignored);
            } else {
                to->places[to->count++] = (rft_cuda_place){field, offset + at + e * each};
            }
        }
        at += each * lanes * field->elements;
        *align = own > *align ? own : *align;
    }
    return up(at, *align);
}

size_t rft_cuda_layout(const rft_cuda_param *param, rft_cuda_place *places, size_t capacity, size_t *count) {
    placing to = {places, 0, capacity};
    size_t align = 1, bytes = lay_out(&to, param, 0, &align);
    *count = to.count;
    return bytes;
}
