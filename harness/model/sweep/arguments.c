/* SPDX-License-Identifier: Apache-2.0 */
#include "model/sweep/arguments.h"

#include "base/str.h"

#include <string.h>

#define POINTER_BYTES 8
#define TENSOR_MAP_BYTES 128

/* An argument, of a launch or of the reference. */
typedef struct given {
    rft_arg_kind kind;
    rft_type type;      /* of the scalar, of the buffer's elements */
    const char *buffer; /* its name; NULL: a scalar or a struct */
    uint64_t bytes;     /* STRUCT */
    const char *layout; /* STRUCT */
    bool is_scratch, is_converted, is_cast;
    unsigned char value[8]; /* SCALAR: little endian, the rest 0 */
} given;

typedef struct arguments {
    given items[RFT_PARAMS_MAX * 2];
    size_t count;
    bool of_reference;
} arguments;

typedef enum fit { FIT_EXACT, FIT_ANY, FIT_WRONG } fit;

static bool is_whole(rft_type type) {
    return rft_type_significand_bits(type) == 0;
}

static bool is_signed(rft_type type) {
    return type == RFT_TYPE_I8 || type == RFT_TYPE_I16 || type == RFT_TYPE_I32 || type == RFT_TYPE_I64;
}

static size_t given_bytes(const given *g) {
    return g->kind == RFT_ARG_BUFFER       ? POINTER_BYTES
           : g->kind == RFT_ARG_TENSOR_MAP ? TENSOR_MAP_BYTES
           : g->kind == RFT_ARG_STRUCT     ? g->bytes
                                           : rft_type_bytes(g->type);
}

/* Sign-extended where the type has one. */
static int64_t whole_of(const given *g, size_t bytes) {
    uint64_t bits = 0;
    for (size_t i = 0; i < bytes; i++) {
        bits |= (uint64_t)g->value[i] << (8 * i);
    }
    bool negative = is_signed(g->type) && bytes > 0 && bytes < 8 && (bits >> (8 * bytes - 1)) & 1;
    return (int64_t)(negative ? bits | (UINT64_MAX << (8 * bytes)) : bits);
}

/* The kernel reads its own width of what lies there: of a wider whole number the lower part. */
static bool arrives_whole(const given *g, size_t taken_bytes) {
    int64_t value = whole_of(g, rft_type_bytes(g->type));
    return taken_bytes >= 8 || whole_of(g, taken_bytes) == value || value >> (8 * taken_bytes) == 0;
}

static bool is_zero(const given *g) {
    return whole_of(g, rft_type_bytes(g->type)) == 0;
}

static fit fit_number(const given *g, rft_type taken) {
    size_t has = rft_type_bytes(g->type), wants = rft_type_bytes(taken);
    if (has < wants) {
        return FIT_WRONG;
    }
    if (has == wants && (g->type == taken || (is_whole(g->type) && is_whole(taken)))) {
        return FIT_EXACT;
    }
    if (is_whole(g->type) && is_whole(taken)) {
        return arrives_whole(g, wants) ? FIT_ANY : FIT_WRONG;
    }
    bool raw = has == wants && is_whole(g->type) && !is_signed(g->type); /* the bits of a real, as a u16 or u32 */
    return raw || is_zero(g) ? FIT_ANY : FIT_WRONG;
}

static fit fit_pointer(const given *g, const rft_mangled_param *param) {
    bool known = param->has_type;
    if (known && (g->type == param->type || (is_whole(g->type) && is_whole(param->type) &&
                                             rft_type_bytes(g->type) == rft_type_bytes(param->type)))) {
        return FIT_EXACT;
    }
    /* Whole numbers are carriers of anything, signed ones of more than a byte less so. */
    bool carrier = is_whole(g->type) && (!is_signed(g->type) || g->type == RFT_TYPE_I8);
    return !known || g->is_scratch || is_whole(param->type) || carrier ? FIT_ANY : FIT_WRONG;
}

static fit fit_of(const given *g, const rft_mangled_param *param, uint32_t bytes) {
    if (g->kind == RFT_ARG_STRUCT) {
        return param->kind == RFT_PARAM_UNKNOWN && (bytes == 0 || bytes == g->bytes) ? FIT_ANY : FIT_WRONG;
    }
    if (bytes > given_bytes(g)) {
        return FIT_WRONG;
    }
    if (param->kind == RFT_PARAM_UNKNOWN) {
        bool cut = bytes > 0 && g->kind == RFT_ARG_SCALAR && is_whole(g->type) && !arrives_whole(g, bytes);
        return cut || (bytes > 0 && bytes < POINTER_BYTES && g->kind == RFT_ARG_BUFFER) ? FIT_WRONG : FIT_ANY;
    }
    if (g->kind == RFT_ARG_TENSOR_MAP || param->kind == RFT_PARAM_TENSOR_MAP) {
        return g->kind == RFT_ARG_TENSOR_MAP && param->kind == RFT_PARAM_TENSOR_MAP ? FIT_EXACT : FIT_WRONG;
    }
    if (g->kind == RFT_ARG_BUFFER && param->kind == RFT_PARAM_VALUE) {
        return param->has_type && param->type == RFT_TYPE_U64 ? FIT_ANY : FIT_WRONG; /* an address */
    }
    if (g->kind == RFT_ARG_BUFFER) {
        return fit_pointer(g, param);
    }
    if (param->kind == RFT_PARAM_POINTER) {
        return rft_type_bytes(g->type) == POINTER_BYTES && is_zero(g) ? FIT_ANY : FIT_WRONG; /* a null pointer */
    }
    return fit_number(g, param->type);
}

/* ---- what is said ---- */

static void add_given(rft_str *text, const given *g) {
    if (g->kind == RFT_ARG_SCALAR && is_whole(g->type)) {
        rft_str_addf(text, "%s(%lld), %zu bytes", rft_type_name(g->type),
                     (long long)whole_of(g, rft_type_bytes(g->type)), rft_type_bytes(g->type));
    } else if (g->kind == RFT_ARG_SCALAR) {
        rft_str_addf(text, "%s(...), %zu bytes", rft_type_name(g->type), rft_type_bytes(g->type));
    } else if (g->kind == RFT_ARG_TENSOR_MAP) {
        rft_str_addf(text, "a tensor map of %s", g->buffer);
    } else if (g->kind == RFT_ARG_STRUCT) {
        rft_str_addf(text, "a struct of %llu byte%s (%s)", (unsigned long long)g->bytes, g->bytes == 1 ? "" : "s",
                     g->layout && *g->layout ? g->layout : "empty");
    } else {
        rft_str_addf(text, "the buffer %s %s %s%s", g->buffer, g->is_cast ? "as" : "of", rft_type_name(g->type),
                     g->is_converted ? ", as outputs go to the reference" : "");
    }
}

static void add_taken(rft_str *text, const rft_mangled_param *param, uint32_t bytes) {
    if (param->kind == RFT_PARAM_UNKNOWN) {
        rft_str_addf(text, "%u bytes", bytes);
    } else if (param->kind == RFT_PARAM_TENSOR_MAP) {
        rft_str_add(text, "a CUtensorMap");
    } else if (param->kind == RFT_PARAM_POINTER) {
        rft_str_addf(text, "%s *", param->name ? param->name : "a pointer");
    } else {
        rft_str_addf(text, "%s, %zu bytes", param->name, rft_type_bytes(param->type));
    }
}

/* The C++ type of an element, as a kernel's author writes it. */
static const char *written_type(rft_type type) {
    static const char *const names[RFT_TYPE_COUNT] = {[RFT_TYPE_F64] = "double",
                                                      [RFT_TYPE_F32] = "float",
                                                      [RFT_TYPE_F16] = "__half",
                                                      [RFT_TYPE_BF16] = "__nv_bfloat16",
                                                      [RFT_TYPE_E4M3] = "__nv_fp8_e4m3",
                                                      [RFT_TYPE_E5M2] = "__nv_fp8_e5m2",
                                                      [RFT_TYPE_I8] = "signed char",
                                                      [RFT_TYPE_U8] = "unsigned char",
                                                      [RFT_TYPE_I16] = "short",
                                                      [RFT_TYPE_U16] = "unsigned short",
                                                      [RFT_TYPE_I32] = "int",
                                                      [RFT_TYPE_U32] = "unsigned int",
                                                      [RFT_TYPE_I64] = "long long",
                                                      [RFT_TYPE_U64] = "unsigned long long"};
    return names[type];
}

/* The only argument that has this one's place, and whose place this one has. SIZE_MAX: none, or several. */
static size_t swapped_with(const arguments *a, const rft_signature *takes, size_t i) {
    size_t found = SIZE_MAX;
    for (size_t j = 0; j < a->count && j < (size_t)takes->count; j++) {
        const rft_mangled_param *at_i = &takes->params[i], *at_j = &takes->params[j];
        if (j != i && fit_of(&a->items[j], at_j, takes->bytes[j]) != FIT_EXACT &&
            fit_of(&a->items[i], at_j, takes->bytes[j]) == FIT_EXACT &&
            fit_of(&a->items[j], at_i, takes->bytes[i]) == FIT_EXACT) {
            if (found != SIZE_MAX) {
                return SIZE_MAX;
            }
            found = j;
        }
    }
    return found;
}

static void add_remedy(rft_str *text, const arguments *a, const rft_signature *takes, size_t i) {
    const given *g = &a->items[i];
    const rft_mangled_param *param = &takes->params[i];
    size_t other = swapped_with(a, takes, i);
    if (other != SIZE_MAX && !a->of_reference) {
        rft_str_addf(text, "; arguments %zu and %zu are swapped?", i + 1, other + 1);
    } else if (g->kind == RFT_ARG_STRUCT && param->kind == RFT_PARAM_UNKNOWN) {
        rft_str_add(text, "; give it the kernel's fields, in their order");
    } else if (param->kind == RFT_PARAM_UNKNOWN && takes->bytes[i] > POINTER_BYTES && !a->of_reference) {
        rft_str_add(text, "; a struct is written struct { i32(...), b.x }");
    } else if (param->kind == RFT_PARAM_UNKNOWN && g->kind == RFT_ARG_SCALAR && !a->of_reference) {
        rft_str_addf(text, "; give it a type of %u bytes, or struct { ... }", takes->bytes[i]);
    } else if (a->of_reference && g->buffer) {
        rft_str_addf(text, "; write %s * there", written_type(g->type));
    } else if (a->of_reference) {
        rft_str_addf(text, "; write %s there", written_type(g->type));
    } else if (g->kind != RFT_ARG_BUFFER && g->kind != RFT_ARG_TENSOR_MAP && param->kind == RFT_PARAM_VALUE) {
        rft_str_addf(text, "; write %s(...)", rft_type_name(param->type));
    } else if (g->kind != RFT_ARG_BUFFER && g->kind != RFT_ARG_TENSOR_MAP && param->kind == RFT_PARAM_POINTER) {
        rft_str_add(text, "; give a buffer, like b.x");
    } else if (g->kind == RFT_ARG_BUFFER && param->kind == RFT_PARAM_POINTER) {
        rft_str_addf(text, "; declare the buffer as %s, or write %s * in the kernel", rft_type_name(param->type),
                     written_type(g->type));
    }
}

static void describe_wrong(rft_str *text, const arguments *a, const rft_signature *takes, size_t i) {
    rft_str_addf(text, "argument %zu of %s is ", i + 1, takes->name);
    add_given(text, &a->items[i]);
    rft_str_add(text, ": it takes ");
    add_taken(text, &takes->params[i], takes->bytes[i]);
    add_remedy(text, a, takes, i);
}

static void describe_too_few(rft_str *text, const arguments *a, const rft_signature *takes) {
    rft_str_addf(text, "%s takes %d parameter%s, %zu %s given", takes->name, takes->count, takes->count == 1 ? "" : "s",
                 a->count, a->count == 1 ? "is" : "are");
    for (size_t i = 0; i < a->count; i++) {
        rft_str_add(text, i ? ", " : ": ");
        if (a->items[i].kind == RFT_ARG_STRUCT) {
            rft_str_add(text, "a struct");
        } else if (a->items[i].buffer) {
            rft_str_add(text, a->items[i].buffer);
        } else {
            rft_str_addf(text, "one %s", rft_type_name(a->items[i].type));
        }
    }
}

/* What is given beyond the last parameter is never read. */
static const char *compare(const arguments *a, const rft_signature *takes, rft_arena *arena) {
    rft_str text = RFT_STR_INIT;
    size_t taken = takes->count > 0 ? (size_t)takes->count : 0;
    if (taken > a->count) {
        describe_too_few(&text, a, takes);
    }
    for (size_t i = 0; i < taken && i < a->count && !text.length; i++) {
        if (fit_of(&a->items[i], &takes->params[i], takes->bytes[i]) == FIT_WRONG) {
            describe_wrong(&text, a, takes, i);
        }
    }
    const char *message = text.length ? rft_arena_strdup(arena, rft_str_get(&text)) : NULL;
    rft_str_clear(&text);
    return message;
}

/* ---- what is given ---- */

static given *add_argument(arguments *a, rft_arg_kind kind, rft_type type) {
    given *g = &a->items[a->count++];
    *g = (given){.kind = kind, .type = type};
    return g;
}

static void add_buffer(arguments *a, const rft_arg *arg, const rft_buffer *buffer) {
    given *g = add_argument(a, arg->kind, arg->is_cast ? arg->type : buffer->type);
    g->buffer = buffer->name;
    g->is_cast = arg->is_cast;
    g->is_scratch = buffer->role == RFT_BUFFER_TEMP;
    g->is_converted = a->of_reference && !arg->is_cast && buffer->type == RFT_TYPE_F64 &&
                      (buffer->role == RFT_BUFFER_OUTPUT || buffer->role == RFT_BUFFER_INOUT);
}

static arguments arguments_of(const rft_point_spec *spec, const rft_launch *launch) {
    arguments a = {.of_reference = spec->told && !spec->is_variant};
    for (size_t i = 0; i < launch->arg_count && a.count < sizeof a.items / sizeof *a.items; i++) {
        const rft_arg *arg = &launch->args[i];
        if (arg->kind == RFT_ARG_SCALAR) {
            memcpy(add_argument(&a, arg->kind, arg->type)->value, arg->scalar, rft_type_bytes(arg->type));
        } else if (arg->kind == RFT_ARG_STRUCT) {
            given *g = add_argument(&a, arg->kind, RFT_TYPE_U8);
            g->bytes = arg->bytes;
            g->layout = arg->layout;
        } else {
            add_buffer(&a, arg, &spec->buffers[arg->buffer]);
        }
    }
    return a;
}

const char *rft_arguments_wrong(const rft_point_spec *spec, const rft_launch *launch, const rft_signature *takes,
                                rft_arena *arena) {
    const arguments a = arguments_of(spec, launch);
    return compare(&a, takes, arena);
}

/* ---- what passes and is seldom meant ---- */

static bool is_other_type(const given *g, const rft_mangled_param *param) {
    if (g->kind != RFT_ARG_BUFFER || param->kind != RFT_PARAM_POINTER || !param->has_type || g->is_scratch) {
        return false;
    }
    size_t has = rft_type_bytes(g->type), wants = rft_type_bytes(param->type);
    bool whole = is_whole(g->type), other_kind = whole != is_whole(param->type);
    if (strcmp(param->name, "bool") == 0) {
        return has > 1 || !whole;
    }
    return wants > 1 && (has > wants || (has == wants && other_kind));
}

const char *rft_arguments_other_type(const rft_point_spec *spec, const rft_launch *launch, const rft_signature *takes,
                                     rft_arena *arena) {
    const arguments a = arguments_of(spec, launch);
    rft_str text = RFT_STR_INIT;
    for (size_t i = 0; i < a.count && (int)i < takes->count && !text.length; i++) {
        if (is_other_type(&a.items[i], &takes->params[i])) {
            describe_wrong(&text, &a, takes, i);
            rft_str_addf(&text, "; where the bits are meant, give b.%s:as(%s)", a.items[i].buffer,
                         rft_type_name(takes->params[i].type));
        }
    }
    const char *message = text.length ? rft_arena_strdup(arena, rft_str_get(&text)) : NULL;
    rft_str_clear(&text);
    return message;
}

/* ---- what is given and never read ---- */

const char *rft_arguments_unread(const rft_point_spec *spec, const rft_launch *launch, const rft_signature *takes,
                                 rft_arena *arena) {
    if (takes->count < 0 || (size_t)takes->count >= launch->arg_count || launch->arg_count > RFT_PARAMS_MAX) {
        return NULL;
    }
    const rft_arg *first = &launch->args[takes->count];
    const char *what = first->kind == RFT_ARG_SCALAR   ? rft_arena_printf(arena, "one %s", rft_type_name(first->type))
                       : first->kind == RFT_ARG_STRUCT ? "a struct"
                                                       : spec->buffers[first->buffer].name;
    return rft_arena_printf(arena, "%s takes %d parameter%s, %zu are given: argument %d, %s, is never read",
                            takes->name, takes->count, takes->count == 1 ? "" : "s", launch->arg_count,
                            takes->count + 1, what);
}

void rft_signature_read(rft_signature *out, const char *name, const char *symbol, const uint32_t *bytes, size_t count) {
    *out = (rft_signature){.name = name};
    out->count = rft_mangled_params(symbol, out->params);
    if (count > 0 && count <= RFT_PARAMS_MAX && (out->count < 0 || (size_t)out->count == count)) {
        if (out->count < 0) {
            memset(out->params, 0, sizeof out->params);
            out->count = (int)count;
        }
        memcpy(out->bytes, bytes, count * sizeof *bytes);
    }
}
