/* SPDX-License-Identifier: Apache-2.0 */
/* reference_log.h - why a reference does not compile, in the words of the sweep. */
#ifndef RFT_RUN_REFERENCE_LOG_H
#define RFT_RUN_REFERENCE_LOG_H

#include "model/sweep/spec.h"

/* The compiler's log, headed by the cause and its remedy where it is that the point's parameters are no macros there,
 * that a compiled dimension is one, or that another is none. In `arena`, or `log` itself. */
const char *rft_reference_log(const rft_point_spec *spec, const rft_point_spec *reference, const char *log,
                              rft_arena *arena);

#endif
