/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/constant_data.h"
#include "measure/buffers.h"

static bool has_constants(const rft_point_spec *spec) {
    for (size_t i = 0; i < spec->buffer_count; i++) {
        if (spec->buffers[i].role == RFT_BUFFER_CONSTANT) {
            return true;
        }
    }
    return false;
}

static int write_one(rft_point_job *job, rft_module *module, size_t i, const rft_variable *variable,
                     rft_constants_of whose, rft_err *err) {
    rft_gpu *gpu = job->p->gpu;
    const rft_kept *kept = job->kept[i];
    uint64_t want_bytes = rft_kept_data_bytes(kept), bytes = 0;
    rft_device_ptr address = 0;
    int rc = gpu->vt->variable(gpu, module, variable->symbol, &address, &bytes, err);
    if (rc == RFT_OK && bytes != want_bytes) {
        return rft_point_job_fail(job, RFT_OUTCOME_LAUNCH_FAILED, "constant %s has %llu bytes, %llu are given",
                                  kept->name, (unsigned long long)bytes, (unsigned long long)want_bytes);
    }
    if (rc == RFT_OK && whose == RFT_CONSTANTS_OF_KERNEL && !variable->is_constant) {
        job->data[i] = address;
    }
    return rc == RFT_OK ? gpu->vt->copy(gpu, address, kept->data, bytes, err) : rc;
}

int rft_constants_write(rft_point_job *job, rft_module *module, const rft_compile_result *code, rft_constants_of whose,
                        rft_err *err) {
    const rft_point_spec *spec = job->request->spec;
    rft_variable *variables = NULL;
    int rc = RFT_OK;
    if (!has_constants(spec)) {
        return RFT_OK;
    }
    size_t count = rft_code_variables(code->cubin, code->cubin_bytes, &variables, job->arena);
    for (size_t i = 0; i < spec->buffer_count && rc == RFT_OK && !job->failed; i++) {
        const rft_buffer *buffer = &spec->buffers[i];
        const rft_variable *variable =
            buffer->role == RFT_BUFFER_CONSTANT ? rft_variable_find(variables, count, buffer->name) : NULL;
        if (variable) {
            rc = write_one(job, module, i, variable, whose, err);
        } else if (buffer->role == RFT_BUFFER_CONSTANT && whose == RFT_CONSTANTS_OF_KERNEL) {
            rft_point_job_fail(job, RFT_OUTCOME_LAUNCH_FAILED, "the code has no variable %s", buffer->name);
        }
    }
    return rc;
}
