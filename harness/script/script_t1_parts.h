/* SPDX-License-Identifier: Apache-2.0 */
/* script_t1_parts.h - what script_t1.c and script_t1_*.c share. */
#ifndef RFT_SCRIPT_T1_PARTS_H
#define RFT_SCRIPT_T1_PARTS_H

#include "base/json.h"
#include "script/python/python.h"
#include "script/script_t1.h"

#define RFT_T1_PARAMETERS_MAX 256
#define RFT_T1_CONDITIONS_MAX 1000

typedef struct rft_t1_reader {
    const char *what;
    const char *section; /* of the file: "ConfigurationSpace" */
    rft_arena *arena;
    rft_py_name names[RFT_T1_PARAMETERS_MAX + 1]; /* with their values; one is left for ProblemSize */
    size_t name_count;
    const char **conditions; /* Lua */
    size_t condition_count;
    rft_err *err;
} rft_t1_reader;

/* "SECTION.PATH: expected ...". */
int rft_t1_fail(rft_t1_reader *t, const char *expected, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Something that is understood and cannot be had: "SECTION.PATH: MESSAGE". */
int rft_t1_refuse(rft_t1_reader *t, const char *message, const char *remedy, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Python that is not understood: where, and what may stand there. */
int rft_t1_refuse_python(rft_t1_reader *t, const rft_py_error *error, const char *text, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Names and conditions of "ConfigurationSpace". */
int rft_t1_read_space(rft_t1_reader *t, const json_t *root);
/* The sweep of these alone. */
void rft_t1_write_space(rft_str *out, const rft_t1_reader *t);
/* Without the brackets that say nothing: a pair around all of it, and one of two around the same. */
const char *rft_t1_tidy(const char *lua, rft_arena *arena);
void rft_t1_add_value(rft_str *out, const rft_value *value);

typedef struct rft_t1_kernel_reader {
    rft_t1_reader *t;
    const json_t *spec;
    rft_t1_kernel *out;
    rft_py_name params[RFT_T1_PARAMETERS_MAX + 1]; /* as c.NAME, and ProblemSize */
    rft_py_name lists[RFT_T1_PARAMETERS_MAX + 1];  /* as Python has them in sizes: lists, and ProblemSize */
    rft_py_name largest[RFT_T1_PARAMETERS_MAX];    /* as ProblemSize has them in sizes: the largest value */
    size_t param_count;
} rft_t1_kernel_reader;

/* A number or Python over the names; NULL with an error. `sized`: parameters are lists of values. */
const char *rft_t1_expression(rft_t1_kernel_reader *k, const json_t *given, bool sized, const char *path);
const char *rft_t1_at(const rft_t1_reader *t, const char *key, const char *part); /* "key.part" */
int rft_t1_read_arguments(rft_t1_kernel_reader *k);

/* The arguments of tune_kernel() as a T1 object; *out NULL: `root` is none. */
int rft_t1_from_tuner(json_t **out, rft_t1_reader *t, const json_t *root);

#endif
