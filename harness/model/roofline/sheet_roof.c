/* SPDX-License-Identifier: Apache-2.0 */
#include "model/roofline/sheet_roof.h"

#include <math.h>

const char *rft_side_name(rft_side side) {
    static const char *const names[] = {"unknown", "memory", "compute"};
    return names[side];
}

/* Pipes and their ceilings share their names. */
static rft_ceiling_id ceiling_of(rft_pipe pipe) {
    rft_ceiling_id id = RFT_CEILING_COUNT;
    return rft_ceiling_from_name(&id, rft_pipe_name(pipe)) ? id : RFT_CEILING_COUNT;
}

static double rate_of(const rft_ceilings *ceilings, rft_ceiling_id id) {
    return id < RFT_CEILING_COUNT ? ceilings->items[id].datasheet : (double)NAN;
}

static void consider(rft_sheet_roof *roof, rft_ceiling_id id, double time_s) {
    if (!isnan(time_s) && !(time_s <= roof->time_floor_s)) {
        roof->time_floor_s = time_s;
        roof->bound = id;
    }
}

rft_sheet_roof rft_sheet_roof_of(const rft_work *work, const rft_ceilings *ceilings) {
    rft_sheet_roof roof = {.bound = RFT_CEILING_COUNT, .ridge = NAN, .ceiling = NAN, .time_floor_s = NAN};
    double bytes = rft_work_bytes(work), memory = rate_of(ceilings, RFT_CEILING_DRAM_READ);
    rft_pipe main_pipe = rft_work_main_pipe(work);
    roof.intensity = NAN;
    if (bytes > 0) {
        consider(&roof, RFT_CEILING_DRAM_READ, bytes / memory);
    }
    for (int pipe = 0; pipe < RFT_PIPE_COUNT; pipe++) {
        double rate = rate_of(ceilings, ceiling_of((rft_pipe)pipe));
        if (work->pipe_ops[pipe] > 0) {
            consider(&roof, ceiling_of((rft_pipe)pipe), work->pipe_ops[pipe] / rate);
            roof.missing |= isnan(rate) ? 1u << pipe : 0;
        }
    }
    bool main_known = true;
    if (main_pipe < RFT_PIPE_COUNT) {
        double rate = rate_of(ceilings, ceiling_of(main_pipe));
        main_known = !isnan(rate);
        roof.ridge = rate / memory;
        roof.intensity = bytes > 0 ? work->pipe_ops[main_pipe] / bytes : (double)NAN;
        roof.ceiling = main_known ? rft_work_ops(work) / roof.time_floor_s : (double)NAN;
    }
    if (roof.bound < RFT_CEILING_COUNT && main_known && (bytes <= 0 || !isnan(memory))) {
        roof.side = roof.bound == RFT_CEILING_DRAM_READ ? RFT_SIDE_MEMORY : RFT_SIDE_COMPUTE;
    }
    return roof;
}

double rft_sheet_speedup(const rft_sheet_roof *from, const rft_sheet_roof *to) {
    bool known = from->side != RFT_SIDE_UNKNOWN && to->side != RFT_SIDE_UNKNOWN;
    return known ? from->time_floor_s / to->time_floor_s : (double)NAN;
}
