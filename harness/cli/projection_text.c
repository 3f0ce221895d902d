/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/projection_text.h"

#include "base/units.h"
#include "cli/show_data.h"
#include "reports/print/layout.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define CELL 64
#define PROBLEM_WIDTH_MAX 18

typedef struct writer {
    rft_str *out;
    const rft_projection_answer *answer;
    rft_arena *arena;
    size_t sweep;
    /* What has to be explained below the tables. */
    bool same_time, unknown, evidences[3];
    unsigned left_out, left_out_pipes;
    size_t rows, changed;
} writer;

/* The best over all variants; NULL for what was not measured and for odd sizes. */
static const rft_point *best_of(const rft_run *run, size_t sweep, size_t problem) {
    return run->sweeps[sweep].sweep.problems[problem].odd ? NULL : rft_run_best(run, sweep, SIZE_MAX, problem);
}

/* "0.62x to 0.91x", "1.2x", "at most 0.4x". */
static void add_factors(char out[CELL], const rft_projected *p) {
    if (isnan(p->low) || isnan(p->high)) {
        rft_text_format(out, CELL, isnan(p->low) ? "n/a" : "from %.2fx", p->low);
    } else if (p->high < 1.005 * p->low) {
        rft_text_format(out, CELL, "%s%.2fx", p->same_time ? "at most " : "", p->high);
    } else {
        rft_text_format(out, CELL, "%.2fx%s to %.2fx", p->low, p->same_time ? "*" : "", p->high);
    }
}

static void add_cells(rft_str *out, const char *const cells[7], size_t width) {
    static const size_t widths[] = {10, 15, 10, 19};
    rft_layout_spaces(out, 2);
    rft_layout_left(out, cells[0], width);
    for (size_t i = 0; i < 4; i++) {
        rft_layout_right(out, cells[i + 1], widths[i]);
    }
    rft_str_addf(out, "  %s%s\n", cells[5], cells[6]);
}

static void add_point(writer *w, const rft_projection_device *device, const rft_point *point, size_t width) {
    rft_projected p = rft_projection_of(w->answer->run, &device->there, point);
    char time[CELL], here[CELL], factors[CELL];
    const char *problem = rft_run_problem_text(w->answer->run, point->sweep, point->problem, true, w->arena);
    rft_units_format_seconds(time, sizeof time, p.median_s, 3);
    if (isnan(p.share_frac) || p.here == RFT_PROJECTED_UNKNOWN) {
        rft_text_format(here, sizeof here, "%s", rft_projected_side_name(p.here));
    } else {
        rft_text_format(here, sizeof here, "%s %.0f %%", rft_projected_side_name(p.here), 100.0 * p.share_frac);
    }
    add_factors(factors, &p);
    w->same_time = w->same_time || p.same_time;
    w->unknown = w->unknown || p.there == RFT_PROJECTED_UNKNOWN;
    w->evidences[p.evidence] = true;
    w->left_out |= p.left_out;
    w->left_out_pipes |= p.left_out_pipes;
    w->rows++;
    w->changed += p.changes;
    if (rft_layout_columns(problem) > width) {
        rft_str_addf(w->out, "  %s\n", problem);
        problem = "";
    }
    const char letter[2] = {rft_evidence_name(p.evidence)[0], '\0'};
    add_cells(w->out,
              (const char *const[]){problem, time, here, rft_projected_side_name(p.there), factors, letter,
                                    p.changes ? " changes" : ""},
              width);
}

static size_t problem_width(const writer *w) {
    const rft_run *run = w->answer->run;
    size_t width = 7;
    for (size_t p = 0; p < run->sweeps[w->sweep].sweep.problem_count; p++) {
        size_t own = rft_layout_columns(rft_run_problem_text(run, w->sweep, p, true, w->arena));
        width = own > width && own <= PROBLEM_WIDTH_MAX ? own : width;
    }
    return width;
}

static void add_table(writer *w, const rft_projection_device *device) {
    const rft_run *run = w->answer->run;
    const rft_sweep *sweep = &run->sweeps[w->sweep].sweep;
    size_t width = problem_width(w), rows = w->rows, changed = w->changed;
    rft_str_addf(w->out, "\n%s (%s cache): %s -> %s\n", sweep->name, rft_cache_mode_name(sweep->measure.cache),
                 run->gpu.name, device->name);
    add_cells(w->out, (const char *const[]){"problem", "time here", "here", "there", "speed-up", "by", ""}, width);
    for (size_t p = 0; p < sweep->problem_count; p++) {
        const rft_point *best = best_of(run, w->sweep, p);
        if (best) {
            add_point(w, device, best, width);
        }
    }
    changed = w->changed - changed;
    rft_str_addf(w->out, "  %zu of %zu change%s side\n", changed, w->rows - rows, changed == 1 ? "s" : "");
}

static void add_devices(writer *w) {
    bool by_datasheet = false;
    for (size_t d = 0; d < w->answer->device_count; d++) {
        const rft_projection_device *device = &w->answer->devices[d];
        const char *what = device->measured ? "ceilings measured on it" : "by datasheet";
        by_datasheet = by_datasheet || !device->measured;
        rft_layout_wrapped(w->out, 2, 2, rft_arena_printf(w->arena, "%s: %s, %s", device->name, what, device->source));
    }
    if (by_datasheet) {
        rft_layout_wrapped(w->out, 2, 2,
                           "by datasheet: each rate times the share of its own datasheet that this card's ceiling of "
                           "that kind reaches; a launch is taken to cost what it costs here");
    }
}

/* "l2", "tensor_bf16": what has a ceiling here and none there. */
static json_t *left_out_json(unsigned resources, unsigned pipes) {
    json_t *names = json_array();
    for (int i = 0; i < RFT_RESOURCE_UNKNOWN; i++) {
        if ((resources >> i & 1) && i != RFT_RESOURCE_PIPE) {
            json_array_append_new(names, json_string(rft_resource_name((rft_resource)i, RFT_PIPE_COUNT)));
        }
    }
    for (int i = 0; i < RFT_PIPE_COUNT; i++) {
        if (pipes >> i & 1) {
            json_array_append_new(names, json_string(rft_pipe_name((rft_pipe)i)));
        }
    }
    return names;
}

static void add_left_out(const writer *w) {
    json_t *names = left_out_json(w->left_out, w->left_out_pipes);
    rft_str text = RFT_STR_INIT;
    for (size_t i = 0; i < json_array_size(names); i++) {
        rft_str_addf(&text, "%s%s", i ? ", " : "", json_string_value(json_array_get(names, i)));
    }
    if (text.length) {
        rft_layout_wrapped(
            w->out, 2, 2,
            rft_arena_printf(w->arena, "left out where no rate of it is known there: %s", rft_str_get(&text)));
    }
    rft_str_clear(&text);
    json_decref(names);
}

static void add_projection_notes(const writer *w) {
    static const char *const evidences[] = {"c: by hardware counters", "m: by the kernel's model of its traffic",
                                            "d: by declared work alone, which tells dram and pipes but no other level"};
    rft_str_add(w->out, "\n");
    rft_layout_wrapped(w->out, 2, 2,
                       "speed-up: from the same share of the nearest ceiling there as here, to the roof of the work "
                       "there, which nothing can beat");
    if (w->same_time) {
        rft_layout_wrapped(w->out, 2, 2,
                           "*: no ceiling is near here; what it waits for is assumed to last as long there");
    }
    if (w->unknown) {
        rft_layout_wrapped(w->out, 2, 2,
                           "unknown: no bound is known here, or what holds it back here has no ceiling there");
    }
    for (int i = 0; i < 3; i++) {
        if (w->evidences[i]) {
            rft_layout_wrapped(w->out, 2, 2, evidences[i]);
        }
    }
    add_left_out(w);
}

void rft_projection_text(rft_str *out, const rft_projection_answer *answer, rft_arena *arena) {
    writer w = {.out = out, .answer = answer, .arena = arena};
    const rft_run *run = answer->run;
    rft_layout_wrapped(out, 0, 2,
                       rft_arena_printf(arena,
                                        "PROJECTION, not measured: the best points of run %s on %s, under the "
                                        "ceilings of other devices",
                                        run->info.id, run->gpu.name));
    add_devices(&w);
    for (w.sweep = 0; w.sweep < run->sweep_count; w.sweep++) {
        for (size_t d = 0; d < answer->device_count; d++) {
            add_table(&w, &answer->devices[d]);
        }
    }
    add_projection_notes(&w);
}

/* ---- JSON ---- */

static json_t *resource_json(rft_resource resource, rft_pipe pipe) {
    if (resource == RFT_RESOURCE_UNKNOWN) {
        return json_null();
    }
    return json_string(resource == RFT_RESOURCE_PIPE ? rft_pipe_name(pipe) : rft_resource_name(resource, pipe));
}

static json_t *projected_json(const rft_projection_device *device, const rft_projected *p) {
    return json_pack("{s:o,s:s,s:o,s:b,s:o,s:o,s:o,s:o,s:b,s:o,s:o}", "device", rft_show_text_json(device->asked),
                     "side", rft_projected_side_name(p->there), "nearest",
                     resource_json(p->nearest_there, p->pipe_there), "changes_side", p->changes, "roof_s",
                     rft_json_real_new(p->roof_there_s), "estimate_s", rft_json_real_new(p->estimate_s), "speedup_low",
                     rft_json_real_new(p->low), "speedup_high", rft_json_real_new(p->high), "low_is_same_time",
                     p->same_time, "left_out", left_out_json(p->left_out, p->left_out_pipes), "reason",
                     rft_show_text_json(p->reason));
}

static json_t *point_json(const rft_projection_answer *answer, const rft_point *point, rft_arena *arena) {
    const rft_run *run = answer->run;
    json_t *list = json_array();
    rft_projected here = rft_projection_of(run, run, point);
    for (size_t d = 0; d < answer->device_count; d++) {
        rft_projected p = rft_projection_of(run, &answer->devices[d].there, point);
        json_array_append_new(list, projected_json(&answer->devices[d], &p));
    }
    return json_pack("{s:o,s:o,s:o,s:s,s:o,s:o,s:o,s:s,s:o}", "problem",
                     rft_show_problem_json(&run->sweeps[point->sweep].sweep, point->problem), "configuration",
                     rft_show_text_json(rft_run_config_text(run, point, false, arena)), "median_s",
                     rft_json_real_new(here.median_s), "side", rft_projected_side_name(here.here), "nearest",
                     resource_json(here.nearest_here, here.pipe_here), "share", rft_json_real_new(here.share_frac),
                     "roof_s", rft_json_real_new(here.roof_here_s), "evidence", rft_evidence_name(here.evidence),
                     "projected", list);
}

static json_t *device_json(const rft_projection_device *device) {
    json_t *rates = json_object();
    for (int i = 0; i < RFT_CEILING_COUNT; i++) {
        rft_ceiling_id id = (rft_ceiling_id)i;
        json_object_set_new(rates, rft_ceiling_name(id),
                            rft_json_real_new(rft_ceilings_rate(&device->there.ceilings, id)));
    }
    return json_pack("{s:o,s:o,s:o,s:s,s:o}", "asked", rft_show_text_json(device->asked), "name",
                     rft_show_text_json(device->name), "source", rft_show_text_json(device->source), "ceilings",
                     device->measured ? "measured" : "datasheet x this card's share of its own", "rates", rates);
}

json_t *rft_projection_json(const rft_projection_answer *answer, rft_arena *arena) {
    const rft_run *run = answer->run;
    json_t *devices = json_array(), *sweeps = json_array();
    for (size_t d = 0; d < answer->device_count; d++) {
        json_array_append_new(devices, device_json(&answer->devices[d]));
    }
    for (size_t s = 0; s < run->sweep_count; s++) {
        json_t *points = json_array();
        for (size_t p = 0; p < run->sweeps[s].sweep.problem_count; p++) {
            const rft_point *best = best_of(run, s, p);
            if (best) {
                json_array_append_new(points, point_json(answer, best, arena));
            }
        }
        json_array_append_new(
            sweeps, json_pack("{s:o,s:o}", "name", rft_show_text_json(run->sweeps[s].sweep.name), "points", points));
    }
    return json_pack("{s:b,s:o,s:o,s:o,s:o}", "projection", true, "run", rft_show_text_json(run->info.id), "device",
                     rft_show_text_json(run->gpu.name), "devices", devices, "sweeps", sweeps);
}
