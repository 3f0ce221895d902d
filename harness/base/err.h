/* SPDX-License-Identifier: Apache-2.0 */
/*
 * err.h - the one error object.
 *
 * Every function that can fail returns 0 or a negative rft_code and takes an `rft_err *err` last (may be NULL).
 * The level that detects a failure writes message and remedy once; levels above may prefix context with
 * rft_err_context(), none rewrites it. Errors travel by value: no thread-local state, no allocation.
 *
 * A failing *point* (a configuration that does not compile, faults, computes wrong results) is data, not an
 * error: see model/sweep/outcome.h.
 */
#ifndef RFT_BASE_ERR_H
#define RFT_BASE_ERR_H

#include <stdarg.h>
#include <stddef.h>

/* code, exit status of the program, text. Exit statuses are documented in docs/exit-codes.md. */
#define RFT_CODE_MAP(X)                                                                                                \
    X(FAIL, 1, "a card misses a limit")                                                                                \
    X(USAGE, 2, "wrong command line")                                                                                  \
    X(SCRIPT, 3, "error in a sweep script")                                                                            \
    X(SPACE, 4, "no configuration is valid")                                                                           \
    X(SOURCE, 5, "kernel source missing or none of it compiles")                                                       \
    X(DEVICE, 6, "no such device, or no working driver")                                                               \
    X(COMPILER, 7, "NVRTC not available")                                                                              \
    X(RECORDING, 8, "recording cannot be read")                                                                        \
    X(STORE, 9, "run file cannot be read or written")                                                                  \
    X(SCHEMA, 10, "run file or recording of another schema version")                                                   \
    X(IO, 11, "file or folder cannot be read or written")                                                              \
    X(NOTHING, 12, "the run ended without one valid measurement")                                                      \
    X(WORKER, 13, "a worker process was lost and could not be replaced")                                               \
    X(NOT_FOUND, 14, "nothing matches what was asked for")                                                             \
    X(LIMIT, 15, "a limit was reached")                                                                                \
    X(REPORT, 16, "the report could not be drawn")                                                                     \
    X(BUSY, 17, "the GPU is in use by another rooftune")                                                               \
    X(UNDECIDED, 20, "a limit is neither shown to be met nor to be missed")                                            \
    X(INTERNAL, 70, "internal error, please report it")                                                                \
    X(INTERRUPTED, 130, "interrupted")

typedef enum rft_code {
    RFT_OK = 0,
#define RFT_CODE_ENUM(name, exit_status, text) RFT_E_##name = -(exit_status),
    RFT_CODE_MAP(RFT_CODE_ENUM)
#undef RFT_CODE_ENUM
    /* Of the same exit status as SCRIPT. Unlike that it is never the fault of one configuration: the command ends. */
    RFT_E_SCRIPT_STOPPED = -1003,
} rft_code;

typedef struct rft_err {
    int code;           /* 0 or a negative rft_code */
    char place[256];    /* where: "saxpy.lua:12", "sweep saxpy, n=1024 BLOCK=256"; may be empty */
    char message[2048]; /* what happened, one or more lines, no trailing newline */
    char remedy[512];   /* what the user can do about it; may be empty */
} rft_err;

#define RFT_ERR_INIT                                                                                                   \
    { 0 }

/* Sets code and message (printf format), clears place and remedy. Returns `code`, so that
 * `return rft_err_set(err, RFT_E_IO, ...)` reads well. `err` may be NULL. */
int rft_err_set(rft_err *err, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
int rft_err_setv(rft_err *err, int code, const char *format, va_list args) __attribute__((format(printf, 3, 0)));

/* Sets the place / the remedy of an error already set. Each returns err->code, and RFT_E_INTERNAL when err is NULL, so
 * that `return rft_err_remedy(err, ...)` never turns an error into success. */
int rft_err_place(rft_err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));
int rft_err_remedy(rft_err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prefixes "context: " to the message. Returns like rft_err_remedy(). */
int rft_err_context(rft_err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

#ifdef __clang_analyzer__ /* what an analyser cannot see across files: an error is never 0 */
#define rft_err_set(err, code, ...) ((void)rft_err_set((err), (code), __VA_ARGS__), (code))
#define rft_err_place(err, ...) ((void)rft_err_place((err), __VA_ARGS__), RFT_E_INTERNAL)
#define rft_err_remedy(err, ...) ((void)rft_err_remedy((err), __VA_ARGS__), RFT_E_INTERNAL)
#define rft_err_context(err, ...) ((void)rft_err_context((err), __VA_ARGS__), RFT_E_INTERNAL)
#endif

void rft_err_clear(rft_err *err);

/* The generic text of a code ("wrong command line"); "ok" for 0. Static storage. */
const char *rft_code_text(int code);

/* The exit status that stands for a code; 0 for RFT_OK, 70 for an unknown one. */
int rft_code_exit_status(int code);

#endif
