/* SPDX-License-Identifier: Apache-2.0 */
/*
 * python.h - the small part of Python that T1 spaces are written in: lists of values and conditions over
 * parameters. It is parsed and either folded to values or written down again in Lua; nothing is ever run as Python.
 *
 * Understood: whole numbers, reals, texts, True and False, names, + - * / // % **, comparisons (chained too), and, or,
 * not, in [..], min, max, abs, int, float; for lists [..], (..), range, list, +, [x for x in list if condition]. In Lua
 * also ceil, floor, NAME[i], and min and max of a name that has a list of values.
 */
#ifndef RFT_SCRIPT_PYTHON_H
#define RFT_SCRIPT_PYTHON_H

#include "base/arena.h"
#include "base/str.h"
#include "model/sweep/value.h"

typedef enum rft_py_kind {
    RFT_PY_INT,
    RFT_PY_REAL,
    RFT_PY_TEXT,
    RFT_PY_BOOL,
    RFT_PY_NAME,
    RFT_PY_NEGATE,
    RFT_PY_NOT,
    RFT_PY_BINARY,  /* op: + - * / % as themselves, 'd' for //, 'p' for ** */
    RFT_PY_COMPARE, /* items a, b, c; ops between them: < > '=' '!' 'l' (<=) 'g' (>=) 'i' (in) 'n' (not in) */
    RFT_PY_AND,
    RFT_PY_OR,
    RFT_PY_CALL,  /* text(items...) */
    RFT_PY_INDEX, /* text[items[0]] */
    RFT_PY_LIST,
    RFT_PY_FOR /* [items[0] for text in items[1] if items[2]]; two items: without if */
} rft_py_kind;

typedef struct rft_py_node rft_py_node;
struct rft_py_node {
    rft_py_kind kind;
    char op;
    int64_t integer; /* INT, BOOL */
    double real;
    const char *text; /* TEXT, NAME, CALL, INDEX, FOR */
    rft_py_node **items;
    char *ops;
    size_t count;
    size_t at; /* where in the text it begins, from 0 */
};

/* What is wrong, and where. */
typedef struct rft_py_error {
    char message[200];
    size_t at;
} rft_py_error;

/* False with *error. Nodes live in the arena and do not point into `text`. At most 5,000 of them. */
bool rft_py_parse(rft_py_node **out, const char *text, rft_arena *arena, rft_py_error *error);

/* Folds a list to its values, at most 65,535. Names other than those of its own `for` are an error. */
bool rft_py_values(rft_value **out, size_t *count, const rft_py_node *node, rft_arena *arena, rft_py_error *error);

/* What an expression may name: a parameter, and the kind of its values. */
typedef struct rft_py_name {
    const char *name;
    rft_value_kind kind;     /* REAL stands for any number */
    const char *lua;         /* what stands for it in Lua; NULL: the name itself */
    const rft_value *values; /* all of them, for max(NAME) and min(NAME); NULL: it has no list */
    size_t value_count;
    bool is_list; /* it stands for its list: max() and min() of it have a value, a list of one its only one */
    const char *const *items; /* Lua for NAME[0], NAME[1], ...; NULL: it has none */
    size_t item_count;
} rft_py_name;

/* Appends the condition in Lua: an expression that is true or false for the same values as in Python, where 0 is false
 * and True is 1. */
bool rft_py_to_lua(rft_str *out, const rft_py_node *node, const rft_py_name *names, size_t name_count, rft_arena *arena,
                   rft_py_error *error);
/* The same for an expression that is a number. */
bool rft_py_number_to_lua(rft_str *out, const rft_py_node *node, const rft_py_name *names, size_t name_count,
                          rft_arena *arena, rft_py_error *error);

#endif
