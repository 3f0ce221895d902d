/* SPDX-License-Identifier: Apache-2.0 */
/* log_words.h - what a failed compile's log means for the sweep, whose entry, parameters and macros the compiler cannot
 * know. */
#ifndef RFT_GPU_LOG_WORDS_H
#define RFT_GPU_LOG_WORDS_H

#include "gpu/compile/include_scan.h"

/* Place, cause and remedy of the first error, on one line and in `arena`: an entry that is no kernel (the nearest of
 * the sources), a name in it that is no parameter, template arguments that do not fit, a macro where the source means a
 * name of its own, a macro that is not there. NULL: the log says enough. */
const char *rft_log_words(const rft_compile_request *request, const rft_include_set *sources, const char *log,
                          rft_arena *arena);

/* Does the log tell of an error? ptxas -v may have swallowed it. */
bool rft_log_has_error(const char *log);

/* A log that is printed and stored, in `arena`: of one that is longer than 64 KiB its first 48 and its last 16, where
 * the first error and what ptxas says are; a source can make it as long as memory is. */
const char *rft_log_cut(const char *log, rft_arena *arena);

#endif
