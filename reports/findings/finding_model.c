/* SPDX-License-Identifier: Apache-2.0 */
/* finding_model.c - work under the datasheets of several devices, and a run under their ceilings (docs/calculators.md).
 * Both are for a terminal and for programs. */
#include "base/str.h"
#include "reports/figures.h"
#include "reports/findings/findings.h"

#include <math.h>

#define NAMES_MOST (RFT_RESOURCE_UNKNOWN + RFT_PIPE_COUNT)

/* ---- what has no rate ---- */

/* "l2", "tensor_bf16". The masks are of 1u << rft_resource and 1u << rft_pipe. */
static size_t names_of_masks(unsigned resources, unsigned pipes, const char *names[NAMES_MOST]) {
    size_t count = 0;
    for (int i = 0; i < RFT_RESOURCE_UNKNOWN; i++) {
        if ((resources >> i & 1) && i != RFT_RESOURCE_PIPE) {
            names[count++] = rft_resource_name((rft_resource)i, RFT_PIPE_COUNT);
        }
    }
    for (int i = 0; i < RFT_PIPE_COUNT; i++) {
        if (pipes >> i & 1) {
            names[count++] = rft_pipe_name((rft_pipe)i);
        }
    }
    return count;
}

static rft_datum masks_cell(unsigned resources, unsigned pipes, rft_arena *arena) {
    const char *names[NAMES_MOST];
    size_t count = names_of_masks(resources, pipes, names);
    return rft_datum_finding(rft_finding_texts(names, count, arena));
}

/* "l2, fp16"; "" for none. */
static const char *masks_words(unsigned resources, unsigned pipes, rft_arena *arena) {
    const char *names[NAMES_MOST], *words = "";
    size_t count = names_of_masks(resources, pipes, names);
    for (size_t i = 0; i < count; i++) {
        words = rft_arena_printf(arena, "%s%s%s", words, i ? ", " : "", names[i]);
    }
    return words;
}

/* ---- work under datasheets ---- */

static const char *modelled_name(const rft_modelled_device *device) {
    return device->facts.name ? device->facts.name : device->asked;
}

/* Ridges and intensities are no larger than thousands: without prefixes. */
static const char *per_byte(double value, rft_arena *arena) {
    return isnan(value) ? "n/a" : rft_arena_printf(arena, value >= 100 ? "%.0f op/B" : "%.3g op/B", value);
}

static const char *bound_word(const rft_sheet_roof *roof) {
    return roof->side == RFT_SIDE_UNKNOWN         ? NULL
           : roof->bound == RFT_CEILING_DRAM_READ ? "dram"
                                                  : rft_ceiling_name(roof->bound);
}

static bool changes_side(const rft_model_answer *answer, const rft_modelled_work *work) {
    bool seen[3] = {false};
    for (size_t d = 0; d < answer->device_count; d++) {
        seen[work->roofs[d].side] = true;
    }
    return seen[RFT_SIDE_MEMORY] && seen[RFT_SIDE_COMPUTE];
}

static void add_work_words(rft_finding *f, const rft_model_answer *answer, const rft_modelled_work *work) {
    static const rft_trait fields[] = {{.title = "", .where = RFT_IN_TEXT},
                                       {.title = "", .where = RFT_IN_TEXT, .wraps = true}};
    const double rates[] = {rft_work_bytes(&work->work), work->work.bytes_read, work->work.bytes_written};
    const char *amounts[3], *pipes = "";
    rft_cell_table *table = rft_finding_table(f, NULL, fields, 2);
    for (int i = 0; i < 3; i++) {
        amounts[i] = rft_figure_si(f->arena, rates[i], "B");
    }
    for (int i = 0; i < RFT_PIPE_COUNT; i++) {
        if (work->work.pipe_ops[i] > 0) {
            pipes = rft_arena_printf(f->arena, "%s%s%s on %s", pipes, *pipes ? ", " : "",
                                     rft_figure_si(f->arena, work->work.pipe_ops[i], "op"), rft_pipe_name((rft_pipe)i));
        }
    }
    double all = rft_work_intensity(&work->work);
    const char *intensity = per_byte(all, f->arena);
    rft_pipe pipe = rft_work_main_pipe(&work->work);
    if (pipe < RFT_PIPE_COUNT && answer->device_count > 0 && work->roofs[0].intensity < 0.995 * all) {
        intensity = rft_arena_printf(f->arena, "%s; %s on %s alone", intensity,
                                     per_byte(work->roofs[0].intensity, f->arena), rft_pipe_name(pipe));
    }
    const char *const words[][2] = {
        {"work", *pipes ? pipes : "no arithmetic"},
        {"bytes", rft_arena_printf(f->arena, "%s: %s read, %s written", amounts[0], amounts[1], amounts[2])},
        {"intensity", intensity}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        rft_cell_row *row = rft_cell_table_row(table);
        row->cells[0] = rft_datum_text(words[i][0]);
        row->cells[1] = rft_datum_text(words[i][1]);
    }
}

static void add_work_data(rft_finding *f, const rft_model_answer *answer, const rft_modelled_work *work) {
    rft_finding *facts = rft_finding_new(f->arena), *pipes = rft_finding_new(f->arena);
    double value;
    for (size_t i = 0; i < work->workload->count; i++) {
        const char *text = work->workload->values[i];
        rft_finding_set(facts, work->workload->keys[i],
                        rft_text_to_double(text, &value) ? rft_datum_number(value) : rft_datum_text(text));
    }
    for (int i = 0; i < RFT_PIPE_COUNT; i++) {
        if (work->work.pipe_ops[i] > 0) {
            rft_finding_set(pipes, rft_pipe_name((rft_pipe)i), rft_datum_number(work->work.pipe_ops[i]));
        }
    }
    rft_finding_set(f, "model", rft_datum_text(work->workload->model));
    rft_finding_add(f, "facts", facts);
    rft_finding_add(f, "operations", pipes);
    rft_finding_set(f, "bytes_read", rft_datum_number(work->work.bytes_read));
    rft_finding_set(f, "bytes_written", rft_datum_number(work->work.bytes_written));
    rft_finding_set(f, "intensity", rft_datum_number(rft_work_intensity(&work->work)));
    rft_finding_set(f, "intensity_main_pipe",
                    rft_datum_number(answer->device_count ? work->roofs[0].intensity : (double)NAN));
    rft_finding_set(f, "changes_side", rft_datum_flag(changes_side(answer, work)));
}

/* Returns the pipes that some device has no rate for. */
static unsigned add_roofs(rft_finding *f, const rft_model_answer *answer, const rft_modelled_work *work) {
    enum { DEVICE, RIDGE, BOUND, SIDE, CEILING, FLOOR, SPEEDUP, MISSING, TURN, FIELDS };
    const rft_trait fields[FIELDS] = {
        [DEVICE] = {.key = "device", .title = "device", .wraps = true},
        [RIDGE] = {.key = "ridge", .title = "ridge", .align = RFT_ALIGN_RIGHT},
        [BOUND] = {.key = "bound", .title = "bound", .align = RFT_ALIGN_RIGHT},
        [SIDE] = {.key = "side"},
        [CEILING] =
            {.key = "ceiling", .title = "ceiling", .unit = "op/s", .style = RFT_AS_SI, .align = RFT_ALIGN_RIGHT},
        [FLOOR] =
            {.key = "time_floor_s", .title = "time floor", .unit = "s", .style = RFT_AS_SI, .align = RFT_ALIGN_RIGHT},
        [SPEEDUP] = {.key = "speedup"},
        [MISSING] = {.key = "missing"},
        [TURN] = {.key = work->turns ? "turn" : NULL,
                  .title = work->turns ? rft_arena_printf(f->arena, "turns at %s", answer->axis) : NULL,
                  .align = RFT_ALIGN_RIGHT}};
    rft_cell_table *table = rft_finding_table(f, "devices", fields, FIELDS);
    unsigned missing = 0;
    for (size_t d = 0; d < answer->device_count; d++) {
        const rft_sheet_roof *roof = &work->roofs[d];
        double turn = work->turns ? work->turns[d] : (double)NAN;
        rft_datum *cells = rft_cell_table_row(table)->cells;
        cells[DEVICE] = rft_datum_said(rft_datum_text(answer->devices[d].asked), modelled_name(&answer->devices[d]));
        cells[RIDGE] = rft_datum_said(rft_datum_number(roof->ridge), per_byte(roof->ridge, f->arena));
        cells[BOUND] = rft_datum_said(rft_datum_text(bound_word(roof)), bound_word(roof) ? NULL : "unknown");
        cells[SIDE] = rft_datum_text(rft_side_name(roof->side));
        cells[CEILING] = rft_datum_number(roof->ceiling);
        cells[FLOOR] = rft_datum_number(roof->time_floor_s);
        cells[SPEEDUP] = rft_datum_number(rft_sheet_speedup(&work->roofs[0], roof));
        cells[MISSING] = masks_cell(0, roof->missing, f->arena);
        cells[TURN] = rft_datum_said(rft_datum_number(turn), !isnan(turn) ? rft_arena_printf(f->arena, "%.4g", turn)
                                                             : isnan(roof->ridge) ? NULL
                                                                                  : "nowhere");
        missing |= roof->missing;
    }
    return missing;
}

static rft_finding *modelled_work(const rft_model_answer *answer, const rft_modelled_work *work, rft_arena *arena) {
    rft_finding *f = rft_finding_new(arena);
    rft_finding_heading(f, RFT_IN_TEXT, 2, "%s", work->label);
    add_work_words(f, answer, work);
    add_work_data(f, answer, work);
    unsigned missing = add_roofs(f, answer, work);
    if (missing) {
        rft_finding_body(f, RFT_IN_TEXT, "floors leave out %s where a datasheet gives no rate for it",
                         masks_words(0, missing, arena));
    }
    return f;
}

/* The side on each device; behind the first also the speed-up over it that the model allows. */
static void add_changes(rft_finding *f, const rft_model_answer *answer) {
    const size_t count = answer->device_count;
    rft_trait *fields = rft_arena_calloc(f->arena, count + 2, sizeof *fields);
    size_t changed = 0;
    fields[0] = (rft_trait){.title = "workload", .where = RFT_IN_TEXT, .wraps = true};
    fields[count + 1] = (rft_trait){.title = "", .where = RFT_IN_TEXT};
    for (size_t d = 0; d < count; d++) {
        fields[d + 1] = (rft_trait){
            .title = modelled_name(&answer->devices[d]), .where = RFT_IN_TEXT, .align = RFT_ALIGN_RIGHT, .wraps = true};
    }
    rft_finding_heading(f, RFT_IN_TEXT, 2, "What changes side (x: against the first device, by the floors)");
    rft_cell_table *table = rft_finding_table(f, NULL, fields, count + 2);
    for (size_t w = 0; w < answer->work_count; w++) {
        const rft_modelled_work *work = &answer->works[w];
        bool changes = changes_side(answer, work);
        rft_datum *cells = rft_cell_table_row(table)->cells;
        cells[0] = rft_datum_text(work->label);
        for (size_t d = 0; d < count; d++) {
            double speedup = d ? rft_sheet_speedup(&work->roofs[0], &work->roofs[d]) : (double)NAN;
            const char *factor = isnan(speedup) ? "" : rft_arena_printf(f->arena, " %.2fx", speedup);
            cells[d + 1] =
                rft_datum_text(rft_arena_printf(f->arena, "%s%s", rft_side_name(work->roofs[d].side), factor));
        }
        cells[count + 1] = rft_datum_text(changes ? "changes" : NULL);
        changed += changes;
    }
    rft_finding_body(f, RFT_IN_TEXT, "%zu of %zu change%s side", changed, answer->work_count, changed == 1 ? "s" : "");
}

rft_finding *rft_finding_model(const rft_model_answer *answer, rft_arena *arena) {
    static const rft_trait fields[] = {{.key = "asked"}, {.key = "name"}, {.key = "source"}, {.key = "dram"}};
    rft_finding *f = rft_finding_new(arena);
    rft_finding_set(f, "axis", rft_datum_text(answer->axis));
    rft_cell_table *devices = rft_finding_table(f, "devices", fields, 4);
    for (size_t d = 0; d < answer->device_count; d++) {
        rft_datum *cells = rft_cell_table_row(devices)->cells;
        cells[0] = rft_datum_text(answer->devices[d].asked);
        cells[1] = rft_datum_text(answer->devices[d].facts.name);
        cells[2] = rft_datum_text(answer->devices[d].facts.source);
        cells[3] = rft_datum_number(answer->devices[d].facts.dram);
    }
    rft_item *works = rft_finding_list(f, "workloads");
    for (size_t w = 0; w < answer->work_count; w++) {
        rft_finding_append(f, works, modelled_work(answer, &answer->works[w], arena));
    }
    if (answer->device_count > 1) {
        add_changes(f, answer);
    }
    rft_finding_heading(f, RFT_IN_TEXT, 2,
                        "A model: compulsory bytes and operations over the datasheets' rates, nothing measured.");
    return f;
}

/* ---- a run under other ceilings ---- */

/* What has to be explained below the tables. */
typedef struct projected_notes {
    bool same_time, unknown, evidences[3];
    unsigned left_out, left_out_pipes;
} projected_notes;

/* "0.62x to 0.91x", "1.2x", "at most 0.4x". */
static const char *factor_words(const rft_projected *p, rft_arena *arena) {
    if (isnan(p->low) || isnan(p->high)) {
        return isnan(p->low) ? "n/a" : rft_arena_printf(arena, "from %.2fx", p->low);
    }
    return p->high < 1.005 * p->low
               ? rft_arena_printf(arena, "%s%.2fx", p->same_time ? "at most " : "", p->high)
               : rft_arena_printf(arena, "%.2fx%s to %.2fx", p->low, p->same_time ? "*" : "", p->high);
}

static const char *here_words(const rft_projected *p, rft_arena *arena) {
    const char *side = rft_projected_side_name(p->here);
    return isnan(p->share_frac) || p->here == RFT_PROJECTED_UNKNOWN
               ? side
               : rft_arena_printf(arena, "%s %.0f %%", side, 100.0 * p->share_frac);
}

static void note_projected(projected_notes *notes, const rft_projected *p) {
    notes->same_time = notes->same_time || p->same_time;
    notes->unknown = notes->unknown || p->there == RFT_PROJECTED_UNKNOWN;
    notes->evidences[p->evidence] = true;
    notes->left_out |= p->left_out;
    notes->left_out_pipes |= p->left_out_pipes;
}

/* The best over all variants; NULL for what was not measured and for odd sizes. */
static const rft_point *projected_point(const rft_run *run, size_t sweep, size_t problem) {
    return run->sweeps[sweep].sweep.problems[problem].odd ? NULL : rft_run_best(run, sweep, SIZE_MAX, problem);
}

static void add_projected(rft_finding *f, const rft_run *run, size_t s, const rft_projection_device *device,
                          projected_notes *notes) {
    enum { PROBLEM, TIME, HERE, THERE, FACTORS, BY, FIELDS };
    static const rft_trait fields[FIELDS] = {
        [PROBLEM] = {.title = "problem", .where = RFT_IN_TEXT, .wraps = true},
        [TIME] =
            {.title = "time here", .where = RFT_IN_TEXT, .unit = "s", .style = RFT_AS_SI, .align = RFT_ALIGN_RIGHT},
        [HERE] = {.title = "here", .where = RFT_IN_TEXT, .align = RFT_ALIGN_RIGHT},
        [THERE] = {.title = "there", .where = RFT_IN_TEXT, .align = RFT_ALIGN_RIGHT},
        [FACTORS] = {.title = "speed-up", .where = RFT_IN_TEXT, .align = RFT_ALIGN_RIGHT},
        [BY] = {.title = "by", .where = RFT_IN_TEXT}};
    const rft_sweep *sweep = &run->sweeps[s].sweep;
    size_t changed = 0;
    rft_finding_heading(f, RFT_IN_TEXT, 2, "%s (%s): %s -> %s", sweep->name,
                        rft_protocol_words(sweep->measure.cache, sweep->measure.mode), run->gpu.name, device->name);
    rft_cell_table *table = rft_finding_table(f, NULL, fields, FIELDS);
    for (size_t i = 0; i < sweep->problem_count; i++) {
        const rft_point *best = projected_point(run, s, i);
        if (best) {
            const rft_projected p = rft_projection_of(run, &device->there, best);
            rft_datum *cells = rft_cell_table_row(table)->cells;
            cells[PROBLEM] = rft_datum_text(rft_run_problem_text(run, s, i, true, f->arena));
            cells[TIME] = rft_datum_number(p.median_s);
            cells[HERE] = rft_datum_text(here_words(&p, f->arena));
            cells[THERE] = rft_datum_text(rft_projected_side_name(p.there));
            cells[FACTORS] = rft_datum_text(factor_words(&p, f->arena));
            cells[BY] = rft_datum_text(
                rft_arena_printf(f->arena, "%.1s%s", rft_evidence_name(p.evidence), p.changes ? " changes" : ""));
            note_projected(notes, &p);
            changed += p.changes;
        }
    }
    rft_finding_body(f, RFT_IN_TEXT, "%zu of %zu change%s side", changed, table->row_count, changed == 1 ? "s" : "");
}

static void add_projected_devices(rft_finding *f, const rft_projection_answer *answer) {
    enum { SAID, ASKED, NAME, SOURCE, CEILINGS, RATES, FIELDS };
    static const rft_trait fields[FIELDS] = {[SAID] = {.title = "", .where = RFT_IN_TEXT},
                                             [ASKED] = {.key = "asked"},
                                             [NAME] = {.key = "name"},
                                             [SOURCE] = {.key = "source"},
                                             [CEILINGS] = {.key = "ceilings"},
                                             [RATES] = {.key = "rates"}};
    rft_cell_table *table = rft_finding_table(f, "devices", fields, FIELDS);
    bool by_datasheet = false;
    table->lines = true;
    for (size_t d = 0; d < answer->device_count; d++) {
        const rft_projection_device *device = &answer->devices[d];
        rft_finding *rates = rft_finding_new(f->arena);
        for (int i = 0; i < RFT_CEILING_COUNT; i++) {
            rft_ceiling_id id = (rft_ceiling_id)i;
            rft_finding_set(rates, rft_ceiling_name(id),
                            rft_datum_number(rft_ceilings_rate(&device->there.ceilings, id)));
        }
        rft_datum *cells = rft_cell_table_row(table)->cells;
        cells[SAID] = rft_datum_text(rft_arena_printf(f->arena, "%s: %s, %s", device->name,
                                                      device->measured ? "ceilings measured on it" : "by datasheet",
                                                      device->source));
        cells[ASKED] = rft_datum_text(device->asked);
        cells[NAME] = rft_datum_text(device->name);
        cells[SOURCE] = rft_datum_text(device->source);
        cells[CEILINGS] = rft_datum_text(device->measured ? "measured" : "datasheet x this card's share of its own");
        cells[RATES] = rft_datum_finding(rates);
        by_datasheet = by_datasheet || !device->measured;
    }
    if (by_datasheet) {
        rft_finding_body(f, RFT_IN_TEXT,
                         "by datasheet: each rate times the share of its own datasheet that this card's ceiling of "
                         "that kind reaches; a launch is taken to cost what it costs here");
    }
}

static void add_projection_notes(rft_finding *f, const projected_notes *notes) {
    static const char *const evidences[] = {"c: by hardware counters", "m: by the kernel's model of its traffic",
                                            "d: by declared work alone, which tells dram and pipes but no other level"};
    const char *left_out = masks_words(notes->left_out, notes->left_out_pipes, f->arena);
    rft_finding_body(f, RFT_IN_TEXT, "%s", "");
    rft_finding_body(f, RFT_IN_TEXT,
                     "speed-up: from the same share of the nearest ceiling there as here, to the roof of the work "
                     "there, which nothing can beat");
    if (notes->same_time) {
        rft_finding_body(f, RFT_IN_TEXT,
                         "*: no ceiling is near here; what it waits for is assumed to last as long there");
    }
    if (notes->unknown) {
        rft_finding_body(f, RFT_IN_TEXT,
                         "unknown: no bound is known here, or what holds it back here has no ceiling there");
    }
    for (int i = 0; i < 3; i++) {
        if (notes->evidences[i]) {
            rft_finding_body(f, RFT_IN_TEXT, "%s", evidences[i]);
        }
    }
    if (*left_out) {
        rft_finding_body(f, RFT_IN_TEXT, "left out where no rate of it is known there: %s", left_out);
    }
}

/* ---- the same for programs ---- */

static rft_datum resource_cell(rft_resource resource, rft_pipe pipe) {
    return rft_datum_text(resource == RFT_RESOURCE_UNKNOWN ? NULL
                          : resource == RFT_RESOURCE_PIPE  ? rft_pipe_name(pipe)
                                                           : rft_resource_name(resource, pipe));
}

static rft_finding *projected_data(const rft_projection_answer *answer, const rft_point *point, rft_arena *arena) {
    const rft_run *run = answer->run;
    const rft_projected here = rft_projection_of(run, run, point);
    rft_finding *f = rft_finding_new(arena);
    rft_finding_add(f, "problem", rft_finding_problem(&run->sweeps[point->sweep].sweep, point->problem, arena));
    rft_finding_set(f, "configuration", rft_datum_text(rft_run_config_text(run, point, false, arena)));
    rft_finding_set(f, "median_s", rft_datum_number(here.median_s));
    rft_finding_set(f, "side", rft_datum_text(rft_projected_side_name(here.here)));
    rft_finding_set(f, "nearest", resource_cell(here.nearest_here, here.pipe_here));
    rft_finding_set(f, "share", rft_datum_number(here.share_frac));
    rft_finding_set(f, "roof_s", rft_datum_number(here.roof_here_s));
    rft_finding_set(f, "evidence", rft_datum_text(rft_evidence_name(here.evidence)));
    rft_item *list = rft_finding_list(f, "projected");
    for (size_t d = 0; d < answer->device_count; d++) {
        const rft_projected p = rft_projection_of(run, &answer->devices[d].there, point);
        rft_finding *there = rft_finding_new(arena);
        rft_finding_set(there, "device", rft_datum_text(answer->devices[d].asked));
        rft_finding_set(there, "side", rft_datum_text(rft_projected_side_name(p.there)));
        rft_finding_set(there, "nearest", resource_cell(p.nearest_there, p.pipe_there));
        rft_finding_set(there, "changes_side", rft_datum_flag(p.changes));
        rft_finding_set(there, "roof_s", rft_datum_number(p.roof_there_s));
        rft_finding_set(there, "estimate_s", rft_datum_number(p.estimate_s));
        rft_finding_set(there, "speedup_low", rft_datum_number(p.low));
        rft_finding_set(there, "speedup_high", rft_datum_number(p.high));
        rft_finding_set(there, "low_is_same_time", rft_datum_flag(p.same_time));
        rft_finding_set(there, "left_out", masks_cell(p.left_out, p.left_out_pipes, arena));
        rft_finding_set(there, "reason", rft_datum_text(p.reason));
        rft_finding_append(f, list, there);
    }
    return f;
}

static rft_finding *projected_sweep(const rft_projection_answer *answer, size_t s, projected_notes *notes,
                                    rft_arena *arena) {
    const rft_sweep *sweep = &answer->run->sweeps[s].sweep;
    rft_finding *f = rft_finding_new(arena);
    rft_finding_set(f, "name", rft_datum_text(sweep->name));
    rft_item *points = rft_finding_list(f, "points");
    for (size_t i = 0; i < sweep->problem_count; i++) {
        const rft_point *best = projected_point(answer->run, s, i);
        if (best) {
            rft_finding_append(f, points, projected_data(answer, best, arena));
        }
    }
    for (size_t d = 0; d < answer->device_count; d++) {
        add_projected(f, answer->run, s, &answer->devices[d], notes);
    }
    return f;
}

rft_finding *rft_finding_projection(const rft_projection_answer *answer, rft_arena *arena) {
    rft_finding *f = rft_finding_new(arena);
    projected_notes notes = {0};
    rft_finding_heading(f, RFT_IN_TEXT, 2,
                        "PROJECTION, not measured: the best points of run %s on %s, under the ceilings of other "
                        "devices",
                        answer->run->info.id, answer->run->gpu.name);
    rft_finding_set(f, "projection", rft_datum_flag(true));
    rft_finding_set(f, "run", rft_datum_text(answer->run->info.id));
    rft_finding_set(f, "device", rft_datum_text(answer->run->gpu.name));
    add_projected_devices(f, answer);
    rft_item *sweeps = rft_finding_list(f, "sweeps");
    for (size_t s = 0; s < answer->run->sweep_count; s++) {
        rft_finding_append(f, sweeps, projected_sweep(answer, s, &notes, arena));
    }
    add_projection_notes(f, &notes);
    return f;
}
