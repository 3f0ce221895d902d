/* SPDX-License-Identifier: Apache-2.0 */
/* check_warnings.h - what `rooftune check` finds that fails nothing and is seldom meant: `--strict` takes it as a
 * failure. */
#ifndef RFT_CLI_CHECK_WARNINGS_H
#define RFT_CLI_CHECK_WARNINGS_H

#include "base/json.h"
#include "base/log.h"
#include "model/sweep/constants.h"
#include "model/sweep/sweep.h"

typedef struct rft_check_warnings {
    rft_arena *arena;
    json_t *rows;       /* objects with place, text and remedy. Borrowed */
    size_t said_before; /* work that is nothing: told where the script is loaded */
} rft_check_warnings;

/* "saxpy.lua:4: variant saxpy" for a message; in `arena`. */
const char *rft_check_place(const rft_sweep *sweep, const rft_variant *variant, rft_arena *arena);

/* A warning more, unless it is there in the same words. */
void rft_check_warn(rft_check_warnings *warnings, const char *place, const char *remedy, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
size_t rft_check_warning_count(const rft_check_warnings *warnings);
void rft_check_warnings_tell(const rft_check_warnings *warnings, const rft_log *log);

#define RFT_INPUT_REMEDY "declare it as an output, or as an inout if it is read first"
/* An array of dynamic shared memory that gets no bytes. Template arguments in the kernel's name are left out. */
void rft_check_unsized(rft_check_warnings *w, const char *place, const char *kernel);
/* What rft_arguments_other_type() says, "CAUSE; REMEDY"; NULL says nothing. */
void rft_check_other_type(rft_check_warnings *warnings, const char *place, const char *message);
/* An output or scratch that every launch gets by a pointer to const. */
void rft_check_unwritten(rft_check_warnings *warnings, const char *place, const rft_buffer *buffer);
/* A __constant__ variable that nothing fills, of the code that `source` became. */
void rft_check_unfilled(rft_check_warnings *warnings, const char *place, const char *source,
                        const rft_variable *variable);

/* A macro of the sweep's that the source defines anew, by what the compiler says of it: every value is one code. */
void rft_check_redefined(rft_check_warnings *warnings, const char *place, const rft_unit_spec *unit, const char *log);

/* A tolerance that zeros pass. */
void rft_check_tolerance(rft_check_warnings *warnings, const char *place, const rft_point_spec *spec);

/* Bytes declared as work against what the buffers of a point hold: more than reading and writing each once, fewer than
 * its outputs are, or a number of elements, in all or of `read` or `write`; outputs, and nothing written; an output
 * that no launch gets. */
void rft_check_amounts(rft_check_warnings *warnings, const char *place, const rft_point_spec *spec);

#endif
