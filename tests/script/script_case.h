/* SPDX-License-Identifier: Apache-2.0 */
/*
 * script_case.h - loads scripts given as text, as if they were files in docs/examples (so that saxpy.cu is there), for
 * a representative H100, with limits small enough for tests.
 */
#ifndef RFT_TESTS_SCRIPT_CASE_H
#define RFT_TESTS_SCRIPT_CASE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants these four first */
#include <cmocka.h>

#include "base/str.h"
#include "script/script.h"

#define CASE_FOLDER RFT_SOURCE_DIR "/docs/examples/"

typedef struct script_case {
    rft_gpu_info gpu;
    rft_log log;
    rft_str said; /* everything logged, a line each */
    rft_script_opts opts;
    rft_err err;
    rft_script *script; /* of the last load; NULL when it failed */
    rft_arena *arena;   /* for point specs; emptied by the next point */
    rft_point_spec spec;
} script_case;

int case_setup(void **state);
int case_teardown(void **state);

/* Loads text as CASE_FOLDER "case.lua"; the error code. */
int case_try(script_case *test, const char *text);
/* Must succeed. Returns the first sweep. */
const rft_sweep *case_load(script_case *test, const char *text);
/* Must fail with the code; place, message and remedy must contain the texts (NULL = any). */
void case_refuse(script_case *test, const char *text, int code, const char *place, const char *message,
                 const char *remedy);
/* A sweep around saxpy's kernel: `kernel` is added to kernel{}, `sweep` to sweep{}. Lua text in static storage. */
const char *case_saxpy(const char *kernel, const char *sweep);
/* Spells out variant 0's point with these values (problem[0] = n; config in parameter order). */
int case_point(script_case *test, const rft_value *problem, const rft_value *config);

#define assert_contains(text, part) case_contains(text, part, __FILE__, __LINE__)
void case_contains(const char *text, const char *part, const char *file, int line);

#endif
