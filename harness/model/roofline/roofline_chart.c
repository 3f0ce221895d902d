/* SPDX-License-Identifier: Apache-2.0 */
#include "model/roofline/roofline_chart.h"

#include "model/roofline/placement.h"

#include <math.h>

bool rft_roofline_chart_has(const rft_point *point, rft_pipe pipe) {
    return rft_work_main_pipe(&point->work) == pipe;
}

const char *rft_roofline_chart_unit(const rft_roofline_chart *chart) {
    return chart->pipe_id < RFT_CEILING_COUNT ? rft_ceiling_unit(chart->pipe_id) : "op/s";
}

static bool has_points(const rft_run *run, rft_pipe pipe) {
    size_t i = 0;
    while (i < run->point_count &&
           !(rft_roofline_chart_has(&run->points[i], pipe) && rft_run_is_candidate(run, &run->points[i]))) {
        i++;
    }
    return i < run->point_count;
}

static rft_ceiling_id usual_dram(const rft_run *run, rft_pipe pipe) {
    size_t uses[RFT_CEILING_COUNT] = {0};
    rft_ceiling_id most = RFT_CEILING_DRAM_COPY;
    for (size_t s = 0; s < run->sweep_count; s++) {
        const rft_sweep *sweep = &run->sweeps[s].sweep;
        for (size_t p = 0; p < sweep->problem_count; p++) {
            const rft_point *best = sweep->problems[p].odd ? NULL : rft_run_best(run, s, SIZE_MAX, p);
            if (best && rft_roofline_chart_has(best, pipe) && rft_work_bytes(&best->work) > 0) {
                rft_ceiling_id id = rft_bound_dram_ceiling(&run->ceilings, rft_work_read_frac(&best->work));
                if ((int)id >= 0 && id < RFT_CEILING_COUNT) {
                    uses[id]++;
                    most = uses[id] > uses[most] ? id : most;
                }
            }
        }
    }
    return most;
}

static void widen_range(double value, double *low, double *high) {
    if (isfinite(value) && value > 0) {
        *low = isnan(*low) || value < *low ? value : *low;
        *high = isnan(*high) || value > *high ? value : *high;
    }
}

static bool find_ranges(const rft_run *run, rft_roofline_chart *c) {
    c->x_low = c->x_high = c->y_low = c->y_high = NAN;
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_point *point = &run->points[i];
        if (rft_roofline_chart_has(point, c->pipe) && rft_run_is_candidate(run, point)) {
            rft_placement place = rft_placement_of(run, point);
            c->point_count++;
            if (place.intensity > 0) {
                widen_range(place.intensity, &c->x_low, &c->x_high);
                widen_range(place.rate_ops_s, &c->y_low, &c->y_high);
            }
        }
    }
    if (isnan(c->x_low) || isnan(c->y_low)) {
        return false;
    }
    /* Both branches of the roof are seen, wherever the points lie. */
    double ridge = c->flop / c->dram;
    widen_range(ridge / 20, &c->x_low, &c->x_high);
    widen_range(ridge * 4, &c->x_low, &c->x_high);
    widen_range(c->flop / 30, &c->y_low, &c->y_high);
    widen_range(c->flop, &c->y_low, &c->y_high);
    widen_range(c->flop_sheet, &c->y_low, &c->y_high);
    c->x_low /= 3;
    c->x_high *= 3;
    c->y_low /= 2;
    c->y_high *= 3.2;
    return true;
}

bool rft_roofline_chart_of(const rft_run *run, rft_pipe pipe, rft_roofline_chart *out) {
    const rft_ceilings *ceilings = &run->ceilings;
    rft_ceiling_id id = RFT_CEILING_COUNT;
    bool known = rft_ceiling_from_name(&id, rft_pipe_name(pipe));
    *out = (rft_roofline_chart){.pipe = pipe, .pipe_id = known ? id : RFT_CEILING_COUNT};
    if (!has_points(run, pipe)) { /* of most pipes there are none, and the best of every problem takes its time */
        return false;
    }
    out->flop = rft_ceilings_rate(ceilings, out->pipe_id);
    out->flop_sheet = known ? ceilings->items[id].datasheet : NAN;
    out->dram_id = usual_dram(run, pipe);
    out->dram = rft_ceilings_rate(ceilings, out->dram_id);
    out->dram_sheet = ceilings->items[out->dram_id].datasheet;
    out->l2 = rft_ceilings_rate(ceilings, RFT_CEILING_L2_READ);
    return find_ranges(run, out);
}
