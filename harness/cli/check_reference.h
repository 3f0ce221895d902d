/* SPDX-License-Identifier: Apache-2.0 */
/* check_reference.h - the references and the fills of the points that `rooftune check` looks at, each compiled once. */
#ifndef RFT_CLI_CHECK_REFERENCE_H
#define RFT_CLI_CHECK_REFERENCE_H

#include "base/json.h"
#include "base/str.h"
#include "cli/check_warnings.h"
#include "run/compile/compile_pool.h"

/* Counts begin at 0; the tickets live as long as the pool. */
typedef struct rft_check_references {
    rft_compile_pool *pool; /* borrowed */
    const char *arch;       /* "sm_90a" */
    rft_arena *arena;       /* of what follows */
    rft_ticket *tickets;    /* of those seen */
    size_t count, capacity;
    uint64_t failed;
    const char *first_failed; /* "reference saxpy.cu:saxpy_reference", "fill of rows fill.cu:rows"; NULL: none */
    const char *first_why;    /* "does not compile" */
    const char *first_remedy;
    json_t *rows; /* one each: reference or fill (with its buffer), source, outcome, log or reason where it failed.
                     Borrowed */
    const char *last_wrong;       /* what was wrong with a reference's launch; NULL */
    rft_check_warnings *warnings; /* borrowed */
} rft_check_references;

/* Compiles the reference of a point, that one's own, and the fills, each within `timeout_s`, and tells of them in `out`
 * where they were not seen before. One that does not compile, or takes other arguments than it is given, is counted, no
 * error; a reference that leaves out dimensions of the problem is warned of. A spec without one is nothing to do.
 * RFT_E_SOURCE: its file cannot be read; RFT_E_COMPILER, RFT_E_WORKER as of rft_compile_pool_wait(). */
int rft_check_reference(rft_check_references *references, const rft_point_spec *spec, double timeout_s, rft_str *out,
                        rft_err *err);

#endif
