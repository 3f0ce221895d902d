/* SPDX-License-Identifier: Apache-2.0 */
/* check_exact.h - a tolerance below the rounding of the output's own type, for a kernel that rounds. */
#ifndef RFT_CLI_CHECK_EXACT_H
#define RFT_CLI_CHECK_EXACT_H

#include "cli/check_warnings.h"

/* `ptx`: of the point's kernels, ends in NUL. Nothing is said where all real inputs are whole numbers by their fill, or
 * where the code only moves and compares reals. */
void rft_check_exact(rft_check_warnings *warnings, const char *place, const rft_point_spec *spec, const char *ptx);

#endif
