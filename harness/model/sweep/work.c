/* SPDX-License-Identifier: Apache-2.0 */
#include "model/sweep/work.h"

#include <math.h>
#include <string.h>

typedef struct name_row {
    const char *name, *label, *unit;
} name_row;

static const name_row pipes[RFT_PIPE_COUNT] = {
#define PIPE_ROW(name, text, label, unit) {text, label, unit},
    RFT_PIPE_MAP(PIPE_ROW)};

static const name_row levels[RFT_LEVEL_COUNT] = {
#define LEVEL_ROW(name, text, label) {text, label, NULL},
    RFT_LEVEL_MAP(LEVEL_ROW)};

const char *rft_pipe_name(rft_pipe pipe) {
    return pipes[pipe].name;
}

const char *rft_pipe_label(rft_pipe pipe) {
    return pipes[pipe].label;
}

bool rft_pipe_is_tensor(rft_pipe pipe) {
    return pipe >= RFT_PIPE_TENSOR_FP64 && pipe <= RFT_PIPE_TENSOR_INT8;
}

bool rft_pipe_is_atomic(rft_pipe pipe) {
    return pipe >= RFT_PIPE_ATOMICS_SHARED && pipe <= RFT_PIPE_ATOMICS_L2_F32_ONE;
}

const char *rft_pipe_unit(rft_pipe pipe) {
    return pipes[pipe].unit;
}

const char *rft_pipe_atomic_key(rft_pipe pipe) {
    const size_t length = sizeof RFT_ATOMICS_PREFIX - 1;
    return strncmp(pipes[pipe].name, RFT_ATOMICS_PREFIX, length) == 0 ? pipes[pipe].name + length : NULL;
}

const char *rft_level_name(rft_level level) {
    return levels[level].name;
}

const char *rft_level_label(rft_level level) {
    return levels[level].label;
}

const char *rft_evidence_name(rft_evidence evidence) {
    switch (evidence) {
    case RFT_EVIDENCE_COUNTED:
        return "counted";
    case RFT_EVIDENCE_MODELLED:
        return "modelled";
    case RFT_EVIDENCE_DECLARED:
        break;
    }
    return "declared";
}

rft_traffic rft_traffic_unknown(void) {
    rft_traffic traffic = {
        .present = false, .evidence = RFT_EVIDENCE_MODELLED, .dram_read_frac = NAN, .warp_instructions = NAN};
    for (int i = 0; i < RFT_LEVEL_COUNT; i++) {
        traffic.level_bytes[i] = NAN;
    }
    for (int i = 0; i < RFT_PIPE_COUNT; i++) {
        traffic.pipe_ops[i] = NAN;
    }
    return traffic;
}

double rft_work_bytes(const rft_work *work) {
    return work->bytes_read + work->bytes_written;
}

double rft_work_ops(const rft_work *work) {
    double sum = 0.0;
    for (int i = 0; i < RFT_PIPE_COUNT; i++) {
        sum += work->pipe_ops[i];
    }
    return sum;
}

rft_pipe rft_work_main_pipe(const rft_work *work) {
    rft_pipe main_pipe = RFT_PIPE_COUNT;
    double most = 0.0;
    for (int i = 0; i < RFT_PIPE_COUNT; i++) {
        if (work->pipe_ops[i] > most) {
            most = work->pipe_ops[i];
            main_pipe = (rft_pipe)i;
        }
    }
    return main_pipe;
}

double rft_work_intensity(const rft_work *work) {
    double bytes = rft_work_bytes(work);
    return bytes > 0.0 ? rft_work_ops(work) / bytes : NAN;
}

double rft_work_read_frac(const rft_work *work) {
    double bytes = rft_work_bytes(work);
    return bytes > 0.0 ? work->bytes_read / bytes : 0.5;
}
