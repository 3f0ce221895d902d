/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check_source.h - launches against the kernels as their source writes them, for what compiled code does not tell: the
 * types of an extern "C" kernel, the fields of a struct, dynamic shared memory, textures. The source is scanned, not
 * compiled, so all of it are warnings; what the scan does not know for sure is not judged.
 */
#ifndef RFT_CLI_CHECK_SOURCE_H
#define RFT_CLI_CHECK_SOURCE_H

#include "cli/check_warnings.h"
#include "model/sweep/spec.h"

/* Warns of the launches of a point or of a reference; its source is a .cu file that compiles, or the compiler says why
 * not. `types_remedy`: of a reference, what to do about arguments of other types; NULL: this is no reference. */
void rft_check_source(rft_check_warnings *warnings, const char *place, const rft_point_spec *spec,
                      const char *types_remedy);
/* The same of the kernel that fills a buffer. */
void rft_check_fill_source(rft_check_warnings *warnings, const rft_point_spec *spec, size_t buffer);

/* The element type ("f32") of a __constant__ variable as the source declares it, and its bytes in *each; NULL: the file
 * itself does not say. */
const char *rft_check_variable_type(rft_check_warnings *warnings, const char *source, const char *name,
                                    unsigned long long *each);

#endif
