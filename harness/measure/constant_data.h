/* SPDX-License-Identifier: Apache-2.0 */
/* constant_data.h - the point's constants into the __constant__ and __device__ variables of a module. */
#ifndef RFT_MEASURE_CONSTANT_DATA_H
#define RFT_MEASURE_CONSTANT_DATA_H

#include "measure/point_job.h"

typedef enum rft_constants_of { RFT_CONSTANTS_OF_KERNEL, RFT_CONSTANTS_OF_REFERENCE } rft_constants_of;

/* In stream order, for a module of `code` that was just loaded. Fails the job where a kernel's module has no such
 * variable, or one of another size; a reference may be without. Of a kernel's, job->data then says where those are that
 * it can write to. */
int rft_constants_write(rft_point_job *job, rft_module *module, const rft_compile_result *code, rft_constants_of whose,
                        rft_err *err);

#endif
