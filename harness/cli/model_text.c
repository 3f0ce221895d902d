/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/model_text.h"

#include "base/units.h"
#include "cli/show_data.h"
#include "reports/print/layout.h"

#include <math.h>
#include <string.h>

#define DEVICE_WIDTH_MAX 34
#define CELL 64

static const char *device_name(const rft_modelled_device *device) {
    return device->facts.name ? device->facts.name : device->asked;
}

static size_t widest_device(const rft_model_answer *answer) {
    size_t width = 6;
    for (size_t d = 0; d < answer->device_count; d++) {
        size_t own = rft_layout_columns(device_name(&answer->devices[d]));
        width = own > width && own <= DEVICE_WIDTH_MAX ? own : width;
    }
    return width;
}

/* "153 op/B", "n/a". */
static const char *number_with_unit(char *out, double value, const char *unit) {
    if (isnan(value)) {
        return "n/a";
    }
    rft_units_format_si(out, CELL, value, 3, unit);
    return out;
}

/* Ridges and intensities are no larger than thousands: without prefixes. */
static const char *per_byte(char *out, double value) {
    if (isnan(value)) {
        return "n/a";
    }
    rft_text_format(out, CELL, value >= 100 ? "%.0f op/B" : "%.3g op/B", value);
    return out;
}

static const char *pipes_of(const rft_work *work, rft_arena *arena) {
    rft_str text = RFT_STR_INIT;
    char amount[CELL];
    for (int pipe = 0; pipe < RFT_PIPE_COUNT; pipe++) {
        if (work->pipe_ops[pipe] > 0) {
            rft_str_addf(&text, "%s%s on %s", text.length ? ", " : "",
                         number_with_unit(amount, work->pipe_ops[pipe], "op"), rft_pipe_name((rft_pipe)pipe));
        }
    }
    const char *kept = rft_arena_strdup(arena, text.length ? rft_str_get(&text) : "no arithmetic");
    rft_str_clear(&text);
    return kept;
}

/* What the floors leave out, since a datasheet gives no rate for it; NULL. */
static const char *left_out(const rft_model_answer *answer, const rft_modelled_work *work, rft_arena *arena) {
    rft_str text = RFT_STR_INIT;
    for (size_t d = 0; d < answer->device_count; d++) {
        for (int pipe = 0; pipe < RFT_PIPE_COUNT; pipe++) {
            bool before = false;
            for (size_t e = 0; e < d; e++) {
                before = before || (work->roofs[e].missing >> pipe & 1);
            }
            if ((work->roofs[d].missing >> pipe & 1) && !before) {
                rft_str_addf(&text, "%s%s", text.length ? ", " : "", rft_pipe_name((rft_pipe)pipe));
            }
        }
    }
    const char *kept = text.length ? rft_arena_strdup(arena, rft_str_get(&text)) : NULL;
    rft_str_clear(&text);
    return kept;
}

static const char *bound_word(const rft_sheet_roof *roof) {
    if (roof->side == RFT_SIDE_UNKNOWN) {
        return "unknown";
    }
    return roof->bound == RFT_CEILING_DRAM_READ ? "dram" : rft_ceiling_name(roof->bound);
}

static void add_cells(rft_str *out, const char *const *cells, size_t first_width) {
    static const size_t widths[] = {10, 14, 14, 12, 12};
    rft_layout_spaces(out, 2);
    rft_layout_left(out, cells[0], first_width);
    for (size_t i = 0; i < sizeof widths / sizeof *widths && cells[i + 1]; i++) {
        rft_layout_right(out, cells[i + 1], widths[i]);
    }
    rft_str_add(out, "\n");
}

static void add_work(rft_str *out, const rft_model_answer *answer, const rft_modelled_work *work, rft_arena *arena) {
    size_t width = widest_device(answer);
    char bytes[CELL], read[CELL], written[CELL], cells[4][CELL];
    double all = rft_work_intensity(&work->work);
    rft_str_addf(out, "%s\n  work       %s\n", work->label, pipes_of(&work->work, arena));
    rft_str_addf(
        out, "  bytes      %s: %s read, %s written\n", number_with_unit(bytes, rft_work_bytes(&work->work), "B"),
        number_with_unit(read, work->work.bytes_read, "B"), number_with_unit(written, work->work.bytes_written, "B"));
    rft_str_addf(out, "  intensity  %s", per_byte(cells[0], all));
    rft_pipe pipe = rft_work_main_pipe(&work->work);
    if (pipe < RFT_PIPE_COUNT && answer->device_count > 0 && work->roofs[0].intensity < 0.995 * all) {
        rft_str_addf(out, "; %s on %s alone", per_byte(cells[0], work->roofs[0].intensity), rft_pipe_name(pipe));
    }
    rft_str_add(out, "\n");
    const char *turn = work->turns ? rft_arena_printf(arena, "turns at %s", answer->axis) : NULL;
    add_cells(out, (const char *const[]){"device", "ridge", "bound", "ceiling", "time floor", turn}, width);
    for (size_t d = 0; d < answer->device_count; d++) {
        const rft_sheet_roof *roof = &work->roofs[d];
        const char *floor =
            isnan(roof->time_floor_s) ? "n/a" : rft_units_format_seconds(cells[2], CELL, roof->time_floor_s, 3);
        if (work->turns && !isnan(work->turns[d])) {
            rft_text_format(cells[3], CELL, "%.4g", work->turns[d]);
        } else {
            rft_text_format(cells[3], CELL, "%s", isnan(roof->ridge) ? "n/a" : "nowhere");
        }
        add_cells(out,
                  (const char *const[]){device_name(&answer->devices[d]), per_byte(cells[0], roof->ridge),
                                        bound_word(roof), number_with_unit(cells[1], roof->ceiling, "op/s"), floor,
                                        turn ? cells[3] : NULL},
                  width);
    }
    const char *out_of_it = left_out(answer, work, arena);
    if (out_of_it) {
        rft_str_addf(out, "  floors leave out %s where a datasheet gives no rate for it\n", out_of_it);
    }
    rft_str_add(out, "\n");
}

static bool changes_side(const rft_model_answer *answer, const rft_modelled_work *work) {
    bool seen[3] = {false};
    for (size_t d = 0; d < answer->device_count; d++) {
        seen[work->roofs[d].side] = true;
    }
    return seen[RFT_SIDE_MEMORY] && seen[RFT_SIDE_COMPUTE];
}

/* The side on each device; behind the first also the speed-up over it that the model allows. */
static void add_sides(rft_str *out, const rft_model_answer *answer) {
    size_t width = 8, column = widest_device(answer) + 2, changed = 0;
    column = column < 16 ? 16 : column;
    for (size_t w = 0; w < answer->work_count; w++) {
        size_t own = rft_layout_columns(answer->works[w].label);
        width = own > width ? own : width;
    }
    rft_str_add(out, "What changes side (x: against the first device, by the floors)\n  ");
    rft_layout_left(out, "workload", width);
    for (size_t d = 0; d < answer->device_count; d++) {
        rft_layout_right(out, device_name(&answer->devices[d]), column);
    }
    rft_str_add(out, "\n");
    for (size_t w = 0; w < answer->work_count; w++) {
        const rft_modelled_work *work = &answer->works[w];
        rft_layout_spaces(out, 2);
        rft_layout_left(out, work->label, width);
        for (size_t d = 0; d < answer->device_count; d++) {
            char cell[CELL], factor[CELL] = "";
            double speedup = d ? rft_sheet_speedup(&work->roofs[0], &work->roofs[d]) : (double)NAN;
            if (!isnan(speedup)) {
                rft_text_format(factor, sizeof factor, " %.2fx", speedup);
            }
            rft_text_format(cell, sizeof cell, "%s%s", rft_side_name(work->roofs[d].side), factor);
            rft_layout_right(out, cell, column);
        }
        bool changes = changes_side(answer, work);
        changed += changes;
        rft_str_add(out, changes ? "  changes\n" : "\n");
    }
    rft_str_addf(out, "  %zu of %zu change%s side\n\n", changed, answer->work_count, changed == 1 ? "s" : "");
}

void rft_model_text(rft_str *out, const rft_model_answer *answer, rft_arena *arena) {
    for (size_t w = 0; w < answer->work_count; w++) {
        add_work(out, answer, &answer->works[w], arena);
    }
    if (answer->device_count > 1) {
        add_sides(out, answer);
    }
    rft_layout_wrapped(out, 0, 0,
                       "A model: compulsory bytes and operations over the datasheets' rates, nothing "
                       "measured.");
}

/* ---- JSON ---- */

static json_t *device_json(const rft_modelled_device *device) {
    return json_pack("{s:o,s:o,s:o,s:o}", "asked", rft_show_text_json(device->asked), "name",
                     rft_show_text_json(device->facts.name), "source", rft_show_text_json(device->facts.source), "dram",
                     rft_json_real_new(device->facts.dram));
}

static json_t *roof_json(const rft_model_answer *answer, const rft_modelled_work *work, size_t d) {
    const rft_sheet_roof *roof = &work->roofs[d];
    json_t *missing = json_array();
    for (int pipe = 0; pipe < RFT_PIPE_COUNT; pipe++) {
        if (roof->missing >> pipe & 1) {
            json_array_append_new(missing, json_string(rft_pipe_name((rft_pipe)pipe)));
        }
    }
    json_t *object = json_pack("{s:o,s:o,s:o,s:s,s:o,s:o,s:o,s:o}", "device",
                               rft_show_text_json(answer->devices[d].asked), "ridge", rft_json_real_new(roof->ridge),
                               "bound", roof->side == RFT_SIDE_UNKNOWN ? json_null() : json_string(bound_word(roof)),
                               "side", rft_side_name(roof->side), "ceiling", rft_json_real_new(roof->ceiling),
                               "time_floor_s", rft_json_real_new(roof->time_floor_s), "speedup",
                               rft_json_real_new(rft_sheet_speedup(&work->roofs[0], roof)), "missing", missing);
    if (work->turns) {
        json_object_set_new(object, "turn", rft_json_real_new(work->turns[d]));
    }
    return object;
}

static json_t *work_json(const rft_model_answer *answer, const rft_modelled_work *work) {
    json_t *facts = json_object(), *pipes = json_object(), *roofs = json_array();
    for (size_t i = 0; i < work->workload->count; i++) {
        double value;
        const char *text = work->workload->values[i];
        json_object_set_new(facts, work->workload->keys[i],
                            rft_text_to_double(text, &value) ? rft_json_real_new(value) : rft_show_text_json(text));
    }
    for (int pipe = 0; pipe < RFT_PIPE_COUNT; pipe++) {
        if (work->work.pipe_ops[pipe] > 0) {
            json_object_set_new(pipes, rft_pipe_name((rft_pipe)pipe), rft_json_real_new(work->work.pipe_ops[pipe]));
        }
    }
    for (size_t d = 0; d < answer->device_count; d++) {
        json_array_append_new(roofs, roof_json(answer, work, d));
    }
    return json_pack("{s:s,s:o,s:o,s:o,s:o,s:o,s:o,s:b,s:o}", "model", work->workload->model, "facts", facts,
                     "operations", pipes, "bytes_read", rft_json_real_new(work->work.bytes_read), "bytes_written",
                     rft_json_real_new(work->work.bytes_written), "intensity",
                     rft_json_real_new(rft_work_intensity(&work->work)), "intensity_main_pipe",
                     rft_json_real_new(answer->device_count ? work->roofs[0].intensity : (double)NAN), "changes_side",
                     changes_side(answer, work), "devices", roofs);
}

json_t *rft_model_json(const rft_model_answer *answer) {
    json_t *devices = json_array(), *works = json_array();
    for (size_t d = 0; d < answer->device_count; d++) {
        json_array_append_new(devices, device_json(&answer->devices[d]));
    }
    for (size_t w = 0; w < answer->work_count; w++) {
        json_array_append_new(works, work_json(answer, &answer->works[w]));
    }
    json_t *axis = answer->axis ? rft_show_text_json(answer->axis) : json_null();
    return json_pack("{s:o,s:o,s:o}", "axis", axis, "devices", devices, "workloads", works);
}
