/* SPDX-License-Identifier: Apache-2.0 */
/* script_t1_tuner.c - a call of Kernel Tuner's tune_kernel() as T1 says it. docs/exchange.md has the lines that print
 * one; arrays are { dtype, shape, low, high }, numbers those with an empty shape. */
#include "script/script_t1_parts.h"

#include <stdlib.h>
#include <string.h>

/* A copy in which numpy's numbers, printed as arrays without a shape, are plain ones; so in a list. */
static json_t *plain_copy(const json_t *given) {
    const json_t *shape = json_object_get(given, "shape");
    json_t *low = json_object_get(given, "low");
    if (json_is_array(given)) {
        json_t *list = json_array();
        for (size_t i = 0; i < json_array_size(given); i++) {
            json_array_append_new(list, plain_copy(json_array_get(given, i)));
        }
        return list;
    }
    return json_is_array(shape) && json_array_size(shape) == 0 && json_is_number(low) ? json_copy(low)
                                                                                      : json_deep_copy(given);
}

static void set_copy(json_t *to, const char *name, const json_t *from, const char *key) {
    json_t *given = json_object_get(from, key);
    if (given && !json_is_null(given)) {
        json_object_set_new(to, name, plain_copy(given));
    }
}

/* Kernel Tuner takes a text or a number for a list of one; an empty list of divisors is none, not the block's size. */
static void set_divisor(json_t *to, const char *name, const json_t *from, const char *key) {
    json_t *given = json_object_get(from, key);
    if (json_is_array(given) && json_array_size(given) == 0) {
        json_object_set_new(to, name, json_integer(1));
    } else {
        set_copy(to, name, from, key);
    }
}

static const char *type_of_values(const json_t *list) {
    bool real = false, text = false, truth = json_array_size(list) > 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        real = real || json_is_real(item);
        text = text || json_is_string(item);
        truth = truth && json_is_boolean(item);
    }
    return truth ? "bool" : text ? "string" : real ? "float" : "int";
}

static json_t *convert_space(const json_t *root) {
    json_t *space = json_object(), *params = json_array(), *conditions = json_array();
    const char *name;
    json_t *values, *restrictions = json_object_get(root, "restrictions");
    json_object_foreach(json_object_get(root, "tune_params"), name, values) {
        json_t *one = json_object(), *plain = plain_copy(values);
        json_object_set_new(one, "Name", json_string(name));
        json_object_set_new(one, "Type", json_string(type_of_values(plain)));
        json_object_set_new(one, "Values", plain);
        json_array_append_new(params, one);
    }
    size_t count = json_is_string(restrictions) ? 1 : json_array_size(restrictions);
    for (size_t i = 0; i < count; i++) {
        json_t *one = json_object();
        json_object_set(one, "Expression",
                        json_is_string(restrictions) ? restrictions : json_array_get(restrictions, i));
        json_array_append_new(conditions, one);
    }
    json_object_set_new(space, "TuningParameters", params);
    json_object_set_new(space, "Conditions", conditions);
    return space;
}

/* What repr() says of an object: "<function f at 0x7f>", "<bound method ...>", "functools.partial(...)". */
static bool is_object(const char *text) {
    return rft_text_starts(text, "<function") || rft_text_starts(text, "functools.partial(") ||
           (text[0] == '<' && rft_text_ends(text, ">"));
}

/* An array or number of numpy's; NULL: the value is neither. */
static json_t *convert_array(const json_t *given) {
    json_t *one = json_object();
    const json_t *shape = json_object_get(given, "shape"), *low = json_object_get(given, "low");
    json_t *high = json_object_get(given, "high");
    bool scalar = json_is_real(given) || (json_is_array(shape) && json_array_size(shape) == 0);
    double count = 1;
    for (size_t i = 0; i < json_array_size(shape); i++) {
        count *= json_number_value(json_array_get(shape, i));
    }
    if (json_is_real(given)) { /* numpy.float64 prints as a number */
        json_object_set_new(one, "Type", json_string("double"));
        json_object_set_new(one, "FillValue", json_real(json_real_value(given)));
    } else if (json_string_value(json_object_get(given, "dtype")) && json_is_array(shape) && count < 1e15) {
        bool same = json_is_number(low) && json_is_number(high) && json_number_value(low) == json_number_value(high);
        bool whole = json_is_integer(high) && !same && !scalar;
        json_object_set(one, "Type", json_object_get(given, "dtype"));
        json_object_set_new(one, "Size", json_integer((json_int_t)count));
        if (json_is_number(low) && json_is_number(high)) {
            json_object_set_new(one, "FillType", json_string(same ? "Constant" : "Random"));
            json_object_set_new(one, "FillValue", whole ? json_integer(json_integer_value(high) + 1) : json_copy(high));
            if (!same) {
                json_object_set_new(one, "FillLow", json_real(json_number_value(low)));
            }
            if (whole) { /* an index, offsets: no random numbers are that */
                json_object_set_new(one, "FillUnlike", json_string("the script's whole numbers"));
            }
        }
    } else {
        json_decref(one);
        return NULL;
    }
    json_object_set_new(one, "MemoryType", json_string(scalar ? "Scalar" : "Vector"));
    return one;
}

static int convert_arguments(json_t *list, rft_t1_reader *t, const json_t *root) {
    const json_t *given = json_object_get(root, "arguments");
    json_t *constants = json_object_get(root, "cmem_args"), *item;
    const char *name;
    for (size_t i = 0; i < json_array_size(given); i++) {
        json_t *one = convert_array(json_array_get(given, i));
        if (!one) {
            return rft_t1_fail(t, "{ dtype, shape, low, high }, or a real number for a numpy.float64", "arguments[%zu]",
                               i);
        }
        const json_t *size = json_object_get(one, "Size");
        json_array_append_new(list, one);
        if (size && json_integer_value(size) == 0) {
            return rft_t1_refuse(t, "an array without elements, which no buffer is",
                                 "make it as large as the kernel reads", "arguments[%zu]", i);
        }
    }
    json_object_foreach(constants, name, item) {
        json_t *one = convert_array(item);
        if (!one) {
            return rft_t1_fail(t, "{ dtype, shape, low, high }", "cmem_args.%.60s", name);
        }
        json_object_set_new(one, "Name", json_string(name));
        json_object_set_new(one, "MemoryType", json_string("Symbol"));
        if (!json_object_get(one, "Size")) {
            json_object_set_new(one, "Size", json_integer(1));
        }
        json_array_append_new(list, one);
    }
    return RFT_OK;
}

/* compiler_options, and `defines` as -D. */
static int convert_options(json_t *spec, rft_t1_reader *t, const json_t *root) {
    json_t *options = json_array(), *given = json_object_get(root, "compiler_options"), *value;
    const char *name;
    json_object_set_new(spec, "CompilerOptions", options);
    if (json_is_array(given)) {
        json_array_extend(options, given);
    }
    json_object_foreach(json_object_get(root, "defines"), name, value) {
        char *text = json_is_string(value) ? NULL : json_dumps(value, JSON_ENCODE_ANY);
        const char *word = text ? text : json_string_value(value);
        bool function = is_object(word ? word : "");
        if (word && !function) {
            json_array_append_new(options, json_string(rft_arena_printf(t->arena, "-D%s=%s", name, word)));
        }
        free(text);
        if (function) {
            return rft_t1_refuse(t, "a Python function, which is not run", "print the value that it has",
                                 "defines.%.60s", name);
        }
    }
    return RFT_OK;
}

static int convert_source(json_t *spec, rft_t1_reader *t, const json_t *root) {
    json_t *source = json_object_get(root, "kernel_source");
    const char *language = json_string_value(json_object_get(root, "lang"));
    static const char *const cuda[] = {"cuda", "CUDA", "cupy", "CuPy", "cupy_", "CUPY", "nvcuda", "NVCUDA"};
    source = json_is_array(source) ? json_array_get(source, 0) : source; /* the others are what it includes */
    const char *text = json_string_value(source);
    bool known = !language;
    for (size_t i = 0; i < sizeof cuda / sizeof *cuda && !known; i++) {
        known = strcmp(language, cuda[i]) == 0;
    }
    json_object_set_new(spec, "Language", json_string(known ? "CUDA" : language));
    if (!text) {
        return rft_t1_fail(t, "the file's name, or the CUDA text", "kernel_source");
    }
    if (is_object(text)) {
        return rft_t1_refuse(t, "a Python function, which is not run", "print the text that it makes, or a file's name",
                             "kernel_source");
    }
    json_object_set(spec, strchr(text, '\n') ? "KernelSource" : "KernelFile", source);
    return RFT_OK;
}

static void replace(char *text, size_t size, const char *from, const char *to) {
    rft_str out = RFT_STR_INIT;
    const char *at = text;
    for (const char *found = strstr(at, from); found; found = strstr(at, from)) {
        rft_str_add_n(&out, at, (size_t)(found - at));
        rft_str_add(&out, to);
        at = found + strlen(from);
    }
    rft_str_add(&out, at);
    rft_text_format(text, size, "%s", rft_str_get(&out));
    rft_str_clear(&out);
}

void rft_script_tuner_words(rft_err *err) {
    static const char *const words[][2] = {
        {"ConfigurationSpace.Conditions", "restrictions"},
        {"].Expression", "]"},
        {"ConfigurationSpace.TuningParameters", "tune_params"},
        {"].Values", "]"},
        {"KernelSpecification.ProblemSize", "problem_size"},
        {"KernelSpecification.GlobalSize", "problem_size"},
        {"KernelSpecification.GridDivX", "grid_div_x"},
        {"KernelSpecification.GridDivY", "grid_div_y"},
        {"KernelSpecification.GridDivZ", "grid_div_z"},
        {"KernelSpecification.SharedMemory", "smem_args.size"},
        {"KernelSpecification.Language", "lang"},
        {"KernelSpecification.KernelName", "kernel_name"},
        {"KernelSpecification.KernelFile", "kernel_source"},
        {"KernelSpecification.Arguments", "arguments"},
        {"\"Language\": \"CUDA\"", "\"lang\": \"CUDA\""},
        {"MemoryType Symbol for __constant__ variables", "__constant__ variables are cmem_args"}};
    for (size_t i = 0; err && i < sizeof words / sizeof *words; i++) {
        replace(err->message, sizeof err->message, words[i][0], words[i][1]);
        replace(err->remedy, sizeof err->remedy, words[i][0], words[i][1]);
    }
}

int rft_t1_from_tuner(json_t **out, rft_t1_reader *t, const json_t *root) {
    static const char *const copied[][2] = {
        {"KernelName", "kernel_name"}, {"ProblemSize", "problem_size"}, {"BlockSizeNames", "block_size_names"}};
    static const char *const divisors[][2] = {
        {"GridDivX", "grid_div_x"}, {"GridDivY", "grid_div_y"}, {"GridDivZ", "grid_div_z"}};
    *out = NULL;
    if (!json_object_get(root, "tune_params") || !json_object_get(root, "kernel_name")) {
        return RFT_OK;
    }
    json_t *spec = json_object(), *arguments = json_array();
    *out = json_object();
    json_object_set_new(*out, "ConfigurationSpace", convert_space(root));
    json_object_set_new(*out, "KernelSpecification", spec);
    json_object_set_new(spec, "Arguments", arguments);
    for (size_t i = 0; i < sizeof copied / sizeof *copied; i++) {
        set_copy(spec, copied[i][0], root, copied[i][1]);
    }
    for (size_t i = 0; i < 3; i++) {
        set_divisor(spec, divisors[i][0], root, divisors[i][1]);
    }
    set_copy(spec, "SharedMemory", json_object_get(root, "smem_args"), "size");
    t->section = "tune_kernel";
    if (json_object_size(json_object_get(root, "texmem_args")) > 0) {
        return rft_t1_refuse(t, "a texture, which a sweep cannot bind", "read through a pointer (__ldg) in the kernel",
                             "texmem_args");
    }
    int rc = convert_source(spec, t, root);
    rc = rc ? rc : convert_arguments(arguments, t, root);
    return rc ? rc : convert_options(spec, t, root);
}
