/* SPDX-License-Identifier: Apache-2.0 */
/* show_roofline_json.c - what the rooflines are drawn from (show_roofline.h). */
#include "cli/show_data.h"
#include "cli/show_roofline.h"
#include "model/roofline/placement.h"
#include "model/roofline/roofline_chart.h"

static void set_real(json_t *object, const char *name, double value) {
    json_object_set_new(object, name, rft_json_real_new(value));
}

static json_t *of_ceiling(rft_ceiling_id id, double rate, double sheet) {
    return json_pack("{s:s,s:s,s:o,s:o}", "name", rft_ceiling_name(id), "unit", rft_ceiling_unit(id), "rate",
                     rft_json_real_new(rate), "datasheet", rft_json_real_new(sheet));
}

static json_t *of_point(const rft_run *run, const rft_point *point) {
    const rft_placement place = rft_placement_of(run, point);
    json_t *object = json_object();
    json_object_set_new(object, "point", json_integer(point->id));
    set_real(object, "intensity_ops_byte", place.intensity);
    set_real(object, "rate_ops_s", place.rate_ops_s);
    return object;
}

static bool is_on(const rft_run *run, const rft_point *point, rft_pipe pipe) {
    return rft_roofline_chart_has(point, pipe) && rft_run_is_candidate(run, point) &&
           rft_placement_of(run, point).intensity > 0;
}

static json_t *of_bests(const rft_run *run, rft_pipe pipe) {
    json_t *list = json_array();
    for (size_t s = 0; s < run->sweep_count; s++) {
        const rft_sweep *sweep = &run->sweeps[s].sweep;
        for (size_t p = 0; p < sweep->problem_count; p++) {
            const rft_point *best = sweep->problems[p].odd ? NULL : rft_run_best(run, s, SIZE_MAX, p);
            if (best && is_on(run, best, pipe)) {
                json_t *item = of_point(run, best);
                json_object_set_new(item, "sweep", rft_show_text_json(sweep->name));
                json_object_set_new(item, "problem", rft_show_problem_json(sweep, p));
                set_real(item, "median_s", rft_point_median_s(best));
                set_real(item, "efficiency_frac", rft_placement_of(run, best).efficiency_frac);
                json_array_append_new(list, item);
            }
        }
    }
    return list;
}

static json_t *of_chart(const rft_run *run, const rft_roofline_chart *chart) {
    json_t *object = json_object(), *ceilings = json_object(), *ridges = json_object(), *points = json_array();
    json_object_set_new(object, "pipe", json_string(rft_pipe_name(chart->pipe)));
    json_object_set_new(object, "unit", json_string(rft_roofline_chart_unit(chart)));
    set_real(object, "x_low", chart->x_low);
    set_real(object, "x_high", chart->x_high);
    set_real(object, "y_low", chart->y_low);
    set_real(object, "y_high", chart->y_high);
    json_object_set_new(ceilings, "pipe",
                        chart->pipe_id < RFT_CEILING_COUNT ? of_ceiling(chart->pipe_id, chart->flop, chart->flop_sheet)
                                                           : json_null());
    json_object_set_new(ceilings, "dram", of_ceiling(chart->dram_id, chart->dram, chart->dram_sheet));
    json_object_set_new(ceilings, "l2",
                        of_ceiling(RFT_CEILING_L2_READ, chart->l2, run->ceilings.items[RFT_CEILING_L2_READ].datasheet));
    set_real(ridges, "dram", chart->flop / chart->dram);
    set_real(ridges, "l2", chart->flop / chart->l2);
    for (size_t i = 0; i < run->point_count; i++) {
        if (is_on(run, &run->points[i], chart->pipe)) {
            json_array_append_new(points, of_point(run, &run->points[i]));
        }
    }
    json_object_set_new(object, "ceilings", ceilings);
    json_object_set_new(object, "ridges", ridges);
    json_object_set_new(object, "best", of_bests(run, chart->pipe));
    json_object_set_new(object, "points", points);
    return object;
}

json_t *rft_show_rooflines_json(const rft_run *run) {
    json_t *list = json_array();
    for (int pipe = 0; pipe < RFT_PIPE_COUNT; pipe++) {
        rft_roofline_chart chart;
        if (rft_roofline_chart_of(run, (rft_pipe)pipe, &chart)) {
            json_array_append_new(list, of_chart(run, &chart));
        }
    }
    return list;
}
