/* SPDX-License-Identifier: Apache-2.0 */
/* script_t1_arguments.c - the Arguments of a KernelSpecification. */
#include "script/script_t1_parts.h"

#include <math.h>
#include <string.h>

/* "float4", "int32", numpy's "float32" and C's "int"; NULL: none of rooftune's. */
static const char *read_type(const char *text, int *lanes) {
    static const char *const names[][2] = {{"bool", "u8"},          {"int8", "i8"},
                                           {"uint8", "u8"},         {"int16", "i16"},
                                           {"uint16", "u16"},       {"int32", "i32"},
                                           {"uint32", "u32"},       {"int64", "i64"},
                                           {"uint64", "u64"},       {"int", "i32"},
                                           {"uint", "u32"},         {"half", "f16"},
                                           {"float16", "f16"},      {"float32", "f32"},
                                           {"float64", "f64"},      {"float", "f32"},
                                           {"double", "f64"},       {"char", "i8"},
                                           {"short", "i16"},        {"long", "i64"},
                                           {"uchar", "u8"},         {"ushort", "u16"},
                                           {"ulong", "u64"},        {"size_t", "u64"},
                                           {"unsigned char", "u8"}, {"unsigned short", "u16"},
                                           {"unsigned int", "u32"}, {"unsigned long", "u64"},
                                           {"long long", "i64"},    {"unsigned long long", "u64"}};
    static const int widths[] = {2, 3, 4, 8, 16};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t length = strlen(names[i][0]);
        *lanes = 1;
        if (strcmp(text, names[i][0]) == 0) {
            return names[i][1];
        }
        for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
            char wide[32];
            rft_text_format(wide, sizeof wide, "%.*s%d", (int)length, names[i][0], widths[w]);
            bool vector = names[i][1][0] == 'f' && !strpbrk(names[i][0], "0123456789");
            if (vector && strcmp(text, wide) == 0) {
                *lanes = widths[w];
                return names[i][1];
            }
        }
    }
    return NULL;
}

/* Shortest text that is a number in Lua. */
static const char *number_text(rft_t1_reader *t, double number) {
    rft_str out = RFT_STR_INIT;
    rft_value value = rft_value_real(number);
    rft_t1_add_value(&out, &value);
    const char *text = rft_arena_strdup(t->arena, rft_str_get(&out));
    rft_str_clear(&out);
    return text;
}

static int read_fill(rft_t1_kernel_reader *k, rft_t1_argument *a, const json_t *item, size_t index) {
    rft_t1_reader *t = k->t;
    const char *kind = rft_json_text_or(item, "FillType", "");
    const json_t *value = json_object_get(item, "FillValue"), *low = json_object_get(item, "FillLow");
    const char *other = rft_json_text_or(item, "FillUnlike", NULL); /* of tune_kernel() */
    a->unlike = other ? rft_arena_strdup(t->arena, other) : NULL;
    bool number = json_is_number(value) && isfinite(json_number_value(value));
    double high = number ? json_number_value(value) : 0;
    bool fits = number && fabs(high) < 9e15 && (!json_is_number(low) || fabs(json_number_value(low)) < 9e15);
    if (strcmp(kind, "Constant") == 0 && fits) {
        const char *text = number_text(t, high);
        a->fill = rft_arena_printf(t->arena, "uniform(%s, %s)", text, text);
    } else if (strcmp(kind, "Random") == 0 && fits && json_is_number(low)) { /* both ends, of tune_kernel() */
        a->fill =
            rft_arena_printf(t->arena, "uniform(%s, %s)", number_text(t, json_number_value(low)), number_text(t, high));
    } else if (strcmp(kind, "Random") == 0) {
        a->fill = fits && high != 0
                      ? rft_arena_printf(t->arena, high > 0 ? "uniform(0, %s)" : "uniform(%s, 0)", number_text(t, high))
                      : NULL;
    } else if (*kind && strcmp(kind, "Constant") != 0) {
        static const char *const known[] = {"Generator", "Script", "BinaryRaw", "BinaryHDF"};
        bool good = false;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
            good = good || strcmp(known[i], kind) == 0;
        }
        if (!good) {
            return rft_t1_fail(t, "Constant, Random, Generator, Script, BinaryRaw or BinaryHDF",
                               "Arguments[%zu].FillType", index);
        }
        a->unlike = rft_arena_printf(t->arena, "%s %.120s", kind, rft_json_text_or(item, "DataSource", ""));
    }
    return RFT_OK;
}

static int read_access(rft_t1_reader *t, rft_t1_argument *a, const json_t *item, size_t index) {
    const char *access = rft_json_text_or(item, "AccessType", "");
    bool known = strcmp(access, "ReadOnly") == 0 || strcmp(access, "WriteOnly") == 0 ||
                 strcmp(access, "ReadWrite") == 0 || !*access;
    a->read = strcmp(access, "WriteOnly") != 0;
    a->written = strcmp(access, "ReadOnly") != 0;
    a->access_said = *access != '\0';
    return known ? RFT_OK : rft_t1_fail(t, "ReadOnly, WriteOnly or ReadWrite", "Arguments[%zu].AccessType", index);
}

/* Bytes of dynamic shared memory that an argument of MemoryType Local stands for: CUDA passes none. */
static int add_local(rft_t1_kernel_reader *k, const rft_t1_argument *a) {
    static const int bits[][2] = {{'8', 1}, {'6', 2}, {'2', 4}, {'4', 8}};
    int bytes = 1;
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
        bytes = a->type[strlen(a->type) - 1] == bits[i][0] ? bits[i][1] : bytes;
    }
    k->out->shared = k->out->shared
                         ? rft_arena_printf(k->t->arena, "%s + %d * (%s)", k->out->shared, bytes * a->lanes, a->size)
                         : rft_arena_printf(k->t->arena, "%d * (%s)", bytes * a->lanes, a->size);
    return RFT_OK;
}

static int read_memory(rft_t1_kernel_reader *k, rft_t1_argument *a, const json_t *item, size_t index, bool *local) {
    rft_t1_reader *t = k->t;
    const char *memory = rft_json_text_or(item, "MemoryType", ""), *kind = rft_json_text_or(item, "MemType", "");
    bool symbol = strcmp(memory, "Symbol") == 0 || strcmp(memory, "Constant") == 0;
    *local = strcmp(memory, "Local") == 0;
    if (strcmp(kind, "Texture") == 0 || strcmp(memory, "Texture") == 0) {
        return rft_t1_refuse(t, "a texture, which a sweep cannot bind", "read through a pointer (__ldg) in the kernel",
                             "Arguments[%zu]", index);
    }
    if (!symbol && !*local && strcmp(memory, "Vector") != 0 && strcmp(memory, "Scalar") != 0) {
        return rft_t1_fail(t, "Vector, Scalar, Symbol or Local", "Arguments[%zu].MemoryType", index);
    }
    a->memory = symbol || strcmp(kind, "Constant") == 0 ? RFT_T1_CONSTANT
                : strcmp(memory, "Scalar") == 0         ? RFT_T1_SCALAR
                                                        : RFT_T1_VECTOR;
    a->is_argument_surely = a->memory != RFT_T1_CONSTANT;
    if (symbol && !*a->name) {
        return rft_t1_fail(t, "the variable's name", "Arguments[%zu].Name", index);
    }
    return RFT_OK;
}

static int read_argument(rft_t1_kernel_reader *k, size_t index, const json_t *item) {
    rft_t1_reader *t = k->t;
    rft_t1_argument a = {0};
    bool local = false;
    const char *type = rft_json_text_or(item, "Type", "");
    const char *path = rft_arena_printf(t->arena, "Arguments[%zu]", index);
    a.name = rft_arena_strdup(t->arena, rft_json_text_or(item, "Name", ""));
    int rc = read_memory(k, &a, item, index, &local);
    a.type = read_type(type, &a.lanes);
    if (rc == RFT_OK && !a.type) {
        bool custom = strcmp(type, "custom") == 0;
        rc = custom ? rft_t1_refuse(t, "a type of its own (custom), whose members the file does not say",
                                    "write the sweep by hand (docs/sweeps.md), or give the number type of its members",
                                    "%s.Type", path)
                    : rft_t1_fail(t, "a number type: float, double, half, int32, uint8, float4, ...", "%s.Type", path);
    }
    rc = rc ? rc : read_access(t, &a, item, index);
    rc = rc ? rc : read_fill(k, &a, item, index);
    if (rc != RFT_OK) {
        return rc;
    }
    if (a.memory == RFT_T1_SCALAR) {
        a.value = rft_t1_expression(k, json_object_get(item, "FillValue"), true, rft_t1_at(t, path, "FillValue"));
        rc = a.value ? RFT_OK : RFT_E_SCRIPT;
    } else {
        const char *size = rft_t1_expression(k, json_object_get(item, "Size"), true, rft_t1_at(t, path, "Size"));
        a.size = size && a.lanes > 1 ? rft_arena_printf(t->arena, "%d * (%s)", a.lanes, size) : size;
        rc = size ? RFT_OK : RFT_E_SCRIPT;
        if (size && strcmp(size, "0") == 0) {
            rc = rft_t1_refuse(t, "an array without elements, which no buffer is", "give it its elements there",
                               "%s.Size", path);
        }
    }
    if (rc == RFT_OK && local) {
        return add_local(k, &a);
    }
    ((rft_t1_argument *)k->out->arguments)[k->out->argument_count] = a;
    k->out->argument_count += rc == RFT_OK;
    return rc;
}

int rft_t1_read_arguments(rft_t1_kernel_reader *k) {
    const json_t *list = json_object_get(k->spec, "Arguments");
    size_t count = json_array_size(list);
    int rc = RFT_OK;
    if (!json_is_array(list) || count > RFT_T1_ARGUMENTS_MAX) {
        return rft_t1_fail(k->t, "a list of at most 64 arguments", "Arguments");
    }
    k->out->arguments = rft_arena_calloc(k->t->arena, count + 1, sizeof *k->out->arguments);
    for (size_t i = 0; i < count && rc == RFT_OK; i++) {
        rc = read_argument(k, i, json_array_get(list, i));
    }
    return rc;
}
