/* SPDX-License-Identifier: Apache-2.0 */
/* Watts, joules and times under load: at rest, of one point, of a sweep, of a run in sentences (docs/power.md). */
#include "model/roofline/placement.h"
#include "reports/findings/findings.h"
#include "reports/findings/point_state.h"
#include "reports/findings/words.h"

#include "base/str.h"

#include <math.h>

#define ROWS_MOST 4      /* on a page without --full */
#define SENTENCES_MOST 2 /* sweeps that are told of in sentences */
#define SWEEPS_MOST 8    /* on the card's page */
#define CHART_HEIGHT 150.0

static const char *or_no_reason(const char *reason) {
    return reason ? reason : "no reason was recorded";
}

static bool has(const rft_point *point, rft_load_kind kind) {
    return !point->alias_of && point->loads[kind] && rft_point_measurement(point);
}

static void add_load(rft_finding *f, const rft_load *load) {
    rft_finding *throttled = rft_finding_new(f->arena);
    for (int i = 0; i < RFT_THROTTLE_COUNT; i++) {
        rft_finding_set(throttled, rft_throttle_name((rft_throttle_cause)i), rft_datum_number(load->throttled_frac[i]));
    }
    rft_finding_set(f, "power_w", rft_datum_number(load->power_w));
    rft_finding_set(f, "watts", rft_datum_number(load->power_w)); /* the name until 0.1.0 */
    rft_finding_set(f, "uncertainty_frac", rft_datum_number(load->uncertainty_frac));
    rft_finding_set(f, "source", rft_datum_text(load->source));
    rft_finding_set(f, "reason", rft_datum_text(load->reason ? load->reason : load->energy_reason));
    rft_finding_set(f, "window_s", rft_datum_number(load->window_s));
    rft_finding_set(f, "clock_mhz", rft_datum_number(load->clock_mhz));
    rft_finding_set(f, "temperature_start_c", rft_datum_number(load->temperature_start_c));
    rft_finding_set(f, "temperature_end_c", rft_datum_number(load->temperature_end_c));
    rft_finding_add(f, "throttled_frac", throttled);
}

/* ---- at rest ---- */

/* NULL: not read. */
static const char *idle_text(const rft_load *idle, rft_arena *arena) {
    if (!idle) {
        return "The device's power at rest was not read.";
    }
    if (rft_load_is_left_out(idle)) {
        return rft_arena_printf(arena, "Power was %s.", idle->energy_reason ? idle->energy_reason : "not measured");
    }
    if (!idle->source) {
        return rft_arena_printf(arena, "Power is not known: %s.", or_no_reason(idle->energy_reason));
    }
    return rft_arena_printf(arena, "At rest, just after work and with its context open, the device drew %s W%s%s.",
                            rft_figure_plain(arena, idle->power_w, 3),
                            isnan(idle->uncertainty_frac) ? "" : " \xc2\xb1 ",
                            isnan(idle->uncertainty_frac) ? "" : rft_figure_percent(arena, idle->uncertainty_frac));
}

rft_finding *rft_finding_idle(const rft_run *run, rft_arena *arena) {
    if (!run->idle) {
        return NULL;
    }
    rft_finding *f = rft_finding_new(arena);
    add_load(f, run->idle);
    rft_finding_body(f, RFT_IN_TEXT, "%s", idle_text(run->idle, arena));
    return f;
}

/* ---- energy ---- */

enum {
    ENERGY_PROBLEM,
    ENERGY_CONFIG,
    ENERGY_WATTS,
    ENERGY_HALF,
    ENERGY_JOULES,
    ENERGY_PER_WATT,
    ENERGY_BURST,
    ENERGY_RATE,
    ENERGY_TIME,
    ENERGY_CLOCK,
    ENERGY_FIELDS
};

static const rft_trait energy_fields[ENERGY_FIELDS] = {
    [ENERGY_PROBLEM] = {.title = "Problem", .wraps = true},
    [ENERGY_CONFIG] = {.title = "Configuration", .wraps = true, .below = true, .under = true},
    [ENERGY_WATTS] = {.title = "Power", .unit = "W", .headed = true, .align = RFT_ALIGN_DECIMAL},
    [ENERGY_HALF] = {.title = "\xc2\xb1",
                     .where = RFT_ON_PAGE | RFT_IN_FULL,
                     .style = RFT_AS_PERCENT,
                     .text_digits = 1,
                     .align = RFT_ALIGN_DECIMAL},
    [ENERGY_JOULES] = {.title = "Energy a run", .style = RFT_AS_SI, .unit = "J", .align = RFT_ALIGN_RIGHT},
    [ENERGY_PER_WATT] = {.title = "Useful rate per watt",
                         .brief = "per watt",
                         .style = RFT_AS_SI,
                         .align = RFT_ALIGN_RIGHT},
    [ENERGY_BURST] = {.title = "Burst", .style = RFT_AS_SI, .align = RFT_ALIGN_RIGHT},
    [ENERGY_RATE] = {.title = "Back to back", .style = RFT_AS_SI, .align = RFT_ALIGN_RIGHT},
    [ENERGY_TIME] =
        {.title = "Time back to back", .where = RFT_ON_PAGE, .style = RFT_AS_SI, .unit = "s", .align = RFT_ALIGN_RIGHT},
    [ENERGY_CLOCK] = {.title = "SM clock",
                      .where = RFT_ON_PAGE,
                      .unit = "MHz",
                      .headed = true,
                      .digits = 4,
                      .align = RFT_ALIGN_RIGHT},
};

/* The work of a run over its joules, in `unit` per watt. */
static double per_watt(const rft_run *run, const rft_point *point, const char **unit) {
    rft_placement place = rft_placement_of(run, point);
    *unit = rft_rate_unit(&place);
    return rft_load_per_joule(point->loads[RFT_LOAD_ENERGY], rft_rate_of(&place) * rft_point_median_s(point));
}

static rft_datum per_watt_cell(const rft_run *run, const rft_point *point, rft_arena *arena) {
    const char *unit = NULL;
    double rate = per_watt(run, point, &unit);
    return rft_datum_rate(rate, rft_arena_printf(arena, "%s/W", unit));
}

static void add_energy_row(rft_cell_table *table, const rft_run *run, const rft_point *point) {
    const rft_load *load = point->loads[RFT_LOAD_ENERGY];
    rft_cell_row *row = rft_cell_table_row(table);
    rft_datum *cells = row->cells;
    row->strong = rft_run_best(run, point->sweep, SIZE_MAX, point->problem) == point;
    cells[ENERGY_PROBLEM] = rft_datum_text(rft_run_problem_text(run, point->sweep, point->problem, true, table->arena));
    cells[ENERGY_CONFIG] = rft_datum_text(rft_words_config(run, point, table->arena));
    if (load->restored) {
        cells[ENERGY_CONFIG].note = "The buffers that it changes were copied back before every run: the copy is in "
                                    "power, energy and time.";
    }
    if (!load->source) {
        const char *why = rft_arena_printf(table->arena, "No figure: %s.", or_no_reason(load->energy_reason));
        cells[ENERGY_WATTS] = rft_datum_noted(rft_datum_absent(), why);
        return;
    }
    cells[ENERGY_WATTS] = rft_datum_number(load->power_w);
    cells[ENERGY_HALF] = rft_datum_number(load->uncertainty_frac);
    cells[ENERGY_JOULES] = rft_datum_number(load->joules_per_run);
    cells[ENERGY_PER_WATT] = per_watt_cell(run, point, table->arena);
    rft_placement place = rft_placement_of(run, point);
    cells[ENERGY_BURST] = rft_datum_rate(rft_rate_of(&place), rft_rate_unit(&place));
    cells[ENERGY_RATE] = rft_datum_rate(rft_back_to_back_rate(run, point), rft_rate_unit(&place));
    cells[ENERGY_TIME] = rft_datum_number(load->run_s);
    cells[ENERGY_CLOCK] = rft_datum_or(rft_datum_number(load->clock_mhz), "not read");
}

rft_finding *rft_finding_energy(const rft_run *run, const rft_point *point, rft_arena *arena) {
    const rft_load *load = point->loads[RFT_LOAD_ENERGY];
    if (!load || !rft_point_measurement(point)) {
        return NULL;
    }
    rft_finding *f = rft_finding_new(arena);
    const char *unit = NULL;
    double rate = per_watt(run, point, &unit), idle_w = run->idle ? run->idle->power_w : (double)NAN;
    add_load(f, load);
    rft_finding_set(f, "joules_per_run", rft_datum_number(load->joules_per_run));
    rft_finding_set(f, "joules_above_idle", rft_datum_number(load->joules_per_run * (1.0 - idle_w / load->power_w)));
    rft_finding_set(f, "per_watt", rft_datum_number(rate));
    rft_finding_set(f, "per_watt_of", rft_datum_text(isfinite(rate) ? unit : NULL));
    rft_finding_set(f, "run_s", rft_datum_number(load->run_s));
    rft_finding_set(f, "runs", rft_datum_count((int64_t)load->runs));
    rft_finding_set(f, "restored", rft_datum_flag(load->restored));
    rft_finding_set(f, "inouts_copied_back", rft_datum_flag(load->restored)); /* the name until 0.1.0 */
    rft_cell_table *table = rft_finding_table(f, NULL, energy_fields, ENERGY_FIELDS);
    table->fields[ENERGY_PROBLEM].title = NULL;
    add_energy_row(table, run, point);
    return f;
}

/* ---- burst and sustained ---- */

enum {
    SOAK_PROBLEM,
    SOAK_CONFIG,
    SOAK_BURST,
    SOAK_BURST_FRAC,
    SOAK_TIME,
    SOAK_FRAC,
    SOAK_CHANGE,
    SOAK_CLOCK,
    SOAK_WATTS,
    SOAK_CAUSE,
    SOAK_FIELDS
};

static const rft_trait soak_fields[SOAK_FIELDS] = {
    [SOAK_PROBLEM] = {.title = "Problem", .wraps = true},
    [SOAK_CONFIG] = {.title = "Configuration", .where = RFT_IN_TEXT, .below = true},
    [SOAK_BURST] = {.title = "Burst", .style = RFT_AS_SI, .unit = "s", .align = RFT_ALIGN_RIGHT},
    [SOAK_BURST_FRAC] = {.title = "of burst ceiling",
                         .brief = "of its roof",
                         .style = RFT_AS_PERCENT,
                         .align = RFT_ALIGN_DECIMAL},
    [SOAK_TIME] = {.title = "Sustained", .style = RFT_AS_SI, .unit = "s", .align = RFT_ALIGN_RIGHT},
    [SOAK_FRAC] = {.title = "of sustained ceiling",
                   .brief = "of its roof under load",
                   .style = RFT_AS_PERCENT,
                   .align = RFT_ALIGN_DECIMAL},
    [SOAK_CHANGE] = {.title = "longer by", .style = RFT_AS_PERCENT, .align = RFT_ALIGN_DECIMAL},
    [SOAK_CLOCK] = {.title = "SM clock", .unit = "MHz", .headed = true, .digits = 4, .align = RFT_ALIGN_RIGHT},
    [SOAK_WATTS] = {.title = "Power", .unit = "W", .headed = true, .align = RFT_ALIGN_DECIMAL},
    [SOAK_CAUSE] = {.title = "Clock held down by", .wraps = true, .below = true},
};

static rft_datum cause_cell(const rft_load *soak, rft_arena *arena) {
    rft_throttle_cause cause = rft_load_cause(soak);
    if (cause == RFT_THROTTLE_COUNT) {
        rft_datum none = rft_datum_text(isnan(soak->throttled_frac[0]) ? "not read" : "nothing");
        none.brief = "";
        return none;
    }
    const char *words = rft_arena_printf(arena, "%s, %s of the time", rft_throttle_words(cause),
                                         rft_figure_percent(arena, soak->throttled_frac[cause]));
    rft_datum held = rft_datum_text(words);
    held.brief = rft_arena_printf(arena, "clock held down by %s", words);
    return held;
}

static void add_soak_row(rft_cell_table *table, const rft_run *run, const rft_point *point) {
    const rft_load *soak = point->loads[RFT_LOAD_SOAK];
    rft_datum *cells = rft_cell_table_row(table)->cells;
    cells[SOAK_PROBLEM] = rft_datum_text(rft_run_problem_text(run, point->sweep, point->problem, true, table->arena));
    cells[SOAK_CONFIG] = rft_datum_text(rft_words_config(run, point, table->arena));
    cells[SOAK_BURST] = rft_datum_number(rft_point_median_s(point));
    cells[SOAK_BURST_FRAC] = rft_datum_noted(rft_datum_number(rft_placement_of(run, point).efficiency_frac),
                                             rft_words_share_note(run, point, table->arena));
    if (soak->reason) {
        cells[SOAK_TIME] =
            rft_datum_noted(rft_datum_absent(), rft_arena_printf(table->arena, "No figure: %s.", soak->reason));
        return;
    }
    cells[SOAK_TIME] = rft_datum_number(soak->stats.median);
    cells[SOAK_FRAC] = rft_datum_number(rft_placement_sustained(run, point).efficiency_frac);
    if (cells[SOAK_FRAC].kind == RFT_DATUM_ABSENT) {
        cells[SOAK_FRAC].note = "The rate of its ceiling under load is not known.";
    } else {
        rft_reach reach = rft_reach_of(run, point); /* behind a flushed cache, as the burst */
        cells[SOAK_FRAC].note =
            reach.at_most || reach.back_to_back ? rft_unwritten_text(&reach.unwritten, table->arena) : NULL;
    }
    cells[SOAK_CHANGE] = rft_datum_number(soak->stats.median / rft_point_median_s(point) - 1.0);
    if (!rft_point_sags(point)) {
        cells[SOAK_CHANGE].words = "under 3";
        cells[SOAK_CHANGE].brief = "under 3 %";
    }
    cells[SOAK_CLOCK] = rft_datum_or(rft_datum_number(soak->clock_mhz), "not read");
    cells[SOAK_WATTS] = rft_datum_number(soak->power_w);
    cells[SOAK_CAUSE] = cause_cell(soak, table->arena);
}

rft_finding *rft_finding_sustained(const rft_run *run, const rft_point *point, rft_arena *arena) {
    const rft_load *soak = point->loads[RFT_LOAD_SOAK];
    if (!soak || !rft_point_measurement(point)) {
        return NULL;
    }
    rft_finding *f = rft_finding_new(arena);
    add_load(f, soak);
    rft_finding_set(f, "soak_s", rft_datum_number(soak->asked_s));
    rft_finding_set(f, "median_s", rft_datum_number(rft_point_sustained_s(point)));
    rft_finding_set(f, "low_s", rft_datum_number(soak->stats.low));
    rft_finding_set(f, "high_s", rft_datum_number(soak->stats.high));
    rft_finding_set(f, "samples", rft_datum_count((int64_t)soak->stats.n));
    rft_finding_set(f, "efficiency_frac", rft_datum_number(rft_placement_sustained(run, point).efficiency_frac));
    rft_finding_set(f, "clock_frac", rft_datum_number(rft_placement_sustained(run, point).clock_frac));
    rft_finding_set(f, "differs_from_burst", rft_datum_flag(rft_point_sags(point)));
    rft_cell_table *table = rft_finding_table(f, NULL, soak_fields, SOAK_FIELDS);
    table->fields[SOAK_PROBLEM].title = NULL;
    add_soak_row(table, run, point);
    return f;
}

/* How the samples went, second by second; none where there is nothing to see. */
static rft_chart *samples_chart(const rft_load *soak, bool clocks, rft_arena *arena) {
    size_t known = 0;
    const double *values = clocks ? soak->clocks_mhz : soak->samples_s;
    for (size_t i = 0; i < soak->n; i++) {
        known += isfinite(values[i]);
    }
    if (known < 2) {
        return NULL;
    }
    rft_figure_scale scale =
        clocks ? (rft_figure_scale){1.0, "MHz"} : rft_figure_scale_of(arena, soak->samples_s, soak->n, "s");
    rft_chart *chart = rft_chart_new(arena, clocks ? "SM clock" : "Time of a sample", CHART_HEIGHT);
    chart->x.title = "seconds under load";
    chart->y.title = rft_arena_printf(arena, clocks ? "clock (%s)" : "time (%s)", scale.unit);
    rft_series *cloud = rft_chart_series(arena, chart, RFT_SERIES_CLOUD, soak->n);
    for (size_t i = 0; i < soak->n; i++) {
        cloud->x[i] = soak->at_s[i];
        cloud->y[i] = values[i] / scale.factor;
    }
    return chart;
}

static void add_course(rft_finding *f, const rft_run *run, const rft_point *point) {
    const rft_load *soak = point->loads[RFT_LOAD_SOAK];
    rft_chart *charts[2] = {samples_chart(soak, false, f->arena), samples_chart(soak, true, f->arena)};
    if (charts[0]) {
        charts[0]->caption = rft_arena_printf(f->arena, "%s, %s; the last third counts.",
                                              rft_words_problem(run, point->sweep, point->problem, f->arena),
                                              rft_words_config(run, point, f->arena));
        rft_finding_charts(f, charts, charts[1] ? 2 : 1, NULL);
    }
}

/* ---- a sweep ---- */

static rft_cell_table *energy_table(rft_finding *f, const rft_run *run) {
    const rft_load *idle = rft_load_is_left_out(run->idle) ? NULL : run->idle;
    rft_finding_heading(f, RFT_ON_PAGE, 2, "Power and energy");
    rft_finding_heading(f, RFT_IN_TEXT, 2, "Power and energy, launches back to back (by the device's own sensor)");
    const char *text = rft_arena_printf(
        f->arena,
        "Launches followed each other without a pause and without emptying the cache, for as long as the device's own "
        "sensor takes. Its figures are informative: only a meter at the wall measures a machine. \xc2\xb1 is what the "
        "sensor's slowness leaves open, not its calibration. %s",
        idle_text(idle, f->arena));
    rft_finding_note(f, RFT_IN_FULL, "%s", text);
    rft_finding_legend(f, rft_arena_printf(f->arena, "Power and energy: %s", text));
    return rft_finding_table(f, NULL, energy_fields, ENERGY_FIELDS);
}

static rft_cell_table *soak_table(rft_finding *f, const rft_load *soak) {
    rft_finding_heading(f, RFT_ON_PAGE, 2, "Burst and sustained");
    rft_finding_heading(f, RFT_IN_TEXT, 2, "Burst and sustained, under load for %g s", soak->asked_s);
    const char *text = rft_arena_printf(
        f->arena,
        "Burst and sustained: a burst is what the rest of this report tells, some milliseconds at a time; sustained is "
        "the median of the same kind of sample in the last third of %g s of launches back to back, when heat and power "
        "limit have done what they do; power and clock are of that third.",
        soak->asked_s);
    rft_finding_note(f, RFT_IN_FULL, "%s", text);
    rft_finding_legend(f, text);
    return rft_finding_table(f, NULL, soak_fields, SOAK_FIELDS);
}

/* Of the problems' bests that have it the one that takes longest: that of the sweep's page, where it has it. */
static const rft_point *leading_of(const rft_run *run, size_t sweep, rft_load_kind kind) {
    const rft_point *found = NULL;
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_point *point = &run->points[i];
        if (point->sweep == sweep && has(point, kind) && rft_run_best(run, sweep, SIZE_MAX, point->problem) == point &&
            (!found || rft_point_median_s(point) > rft_point_median_s(found))) {
            found = point;
        }
    }
    return found;
}

/* Those of the sweep, of one kind, the leading one first. Returns how many. */
static size_t loaded_points(const rft_run *run, size_t sweep, rft_load_kind kind, rft_arena *arena,
                            const rft_point ***out) {
    const rft_point **points = *out = rft_arena_calloc(arena, run->point_count + 1, sizeof *points);
    const rft_point *leading = leading_of(run, sweep, kind);
    size_t count = 0;
    if (leading) {
        points[count++] = leading;
    }
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_point *point = &run->points[i];
        if (point->sweep == sweep && point != leading && has(point, kind)) {
            points[count++] = point;
        }
    }
    return count;
}

/* Returns the first. */
static const rft_point *add_points(rft_finding *f, const rft_run *run, size_t sweep, rft_load_kind kind) {
    const rft_point **points = NULL;
    const size_t count = loaded_points(run, sweep, kind, f->arena, &points);
    const bool energy = kind == RFT_LOAD_ENERGY;
    rft_cell_table *table = count == 0 ? NULL : energy ? energy_table(f, run) : soak_table(f, points[0]->loads[kind]);
    for (size_t i = 0; i < count; i++) {
        (energy ? add_energy_row : add_soak_row)(table, run, points[i]);
        if (table->row_count > ROWS_MOST) {
            table->rows[table->row_count - 1].where = RFT_ON_FULL_PAGE | RFT_IN_TEXT;
        }
    }
    return points[0];
}

rft_finding *rft_finding_loads(const rft_run *run, size_t sweep, rft_arena *arena) {
    static const rft_trait data[] = {{.key = "point"}, {.key = "energy"}, {.key = "sustained"}};
    rft_finding *f = rft_finding_new(arena);
    rft_cell_table *table = rft_finding_table(f, "", data, 3);
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_point *point = &run->points[i];
        if (point->sweep == sweep && (has(point, RFT_LOAD_ENERGY) || has(point, RFT_LOAD_SOAK))) {
            rft_datum *cells = rft_cell_table_row(table)->cells;
            cells[0] = rft_datum_count(point->id);
            cells[1] = rft_datum_finding(rft_finding_energy(run, point, arena));
            cells[2] = rft_datum_finding(rft_finding_sustained(run, point, arena));
        }
    }
    add_points(f, run, sweep, RFT_LOAD_ENERGY);
    const rft_point *soaked = add_points(f, run, sweep, RFT_LOAD_SOAK);
    if (soaked) {
        add_course(f, run, soaked);
    }
    return f;
}

/* ---- a run: in sentences, of several sweeps in a table ---- */

static bool has_energy(const rft_point *point) {
    return point && has(point, RFT_LOAD_ENERGY) && point->loads[RFT_LOAD_ENERGY]->source;
}

/* " gemv n=16384 draws 694 W and takes 94.5 mJ a run: 5.80 GB/s/W." */
static void add_energy_sentence(rft_str *text, const rft_run *run, const rft_point *point, rft_arena *arena) {
    const rft_load *energy = point->loads[RFT_LOAD_ENERGY];
    rft_datum rate = per_watt_cell(run, point, arena);
    rft_str_addf(text, " %s draws %s W and takes %s a run: %s.",
                 rft_words_problem(run, point->sweep, point->problem, arena),
                 rft_figure_plain(arena, energy->power_w, 3), rft_figure_si(arena, energy->joules_per_run, "J"),
                 rft_datum_words(&rate, &energy_fields[ENERGY_PER_WATT], false, arena));
}

static void add_soak_sentence(rft_str *text, const rft_run *run, const rft_point *point, rft_arena *arena) {
    const char *name = rft_words_problem(run, point->sweep, point->problem, arena);
    double sustained_s = rft_point_sustained_s(point);
    if (!isnan(sustained_s) && rft_point_sags(point)) {
        double change = sustained_s / rft_point_median_s(point) - 1.0;
        rft_str_addf(text, " Under %g s of load %s takes %s, %s %s than in bursts.",
                     point->loads[RFT_LOAD_SOAK]->asked_s, name, rft_figure_si(arena, sustained_s, "s"),
                     rft_figure_percent(arena, fabs(change)), change > 0 ? "longer" : "shorter");
    } else if (!isnan(sustained_s)) {
        rft_str_addf(text, " Under %g s of load %s keeps its time.", point->loads[RFT_LOAD_SOAK]->asked_s, name);
    }
}

/* Of two sweeps' bests whether the first draws more. */
static bool draws_more(const rft_point *const *points, size_t a, size_t b) {
    double more = points[a]->loads[RFT_LOAD_ENERGY]->power_w - points[b]->loads[RFT_LOAD_ENERGY]->power_w;
    return more > 0 || (!(more < 0) && a < b);
}

/* Whether it is among those that draw most. */
static bool is_shown(const rft_point *const *points, size_t count, size_t index) {
    size_t before = 0;
    for (size_t i = 0; i < count; i++) {
        before += draws_more(points, i, index);
    }
    return before < SWEEPS_MOST;
}

/* A line a sweep, of many of those that draw most; configurations and both rates stand in the chapters. */
static void add_energies(rft_finding *f, const rft_run *run, const rft_point *const *points, size_t count) {
    rft_cell_table *table = rft_finding_table(f, NULL, energy_fields, ENERGY_FIELDS);
    table->fields[ENERGY_CONFIG].where = RFT_IN_TEXT;
    table->fields[ENERGY_BURST].where = RFT_IN_TEXT;
    for (size_t i = 0; i < count; i++) {
        if (!is_shown(points, count, i)) {
            continue;
        }
        add_energy_row(table, run, points[i]);
        rft_cell_row *row = &table->rows[table->row_count - 1];
        row->cells[ENERGY_PROBLEM] =
            rft_datum_text(rft_words_problem(run, points[i]->sweep, points[i]->problem, f->arena));
        row->strong = false;
    }
    if (count > SWEEPS_MOST) {
        rft_finding_note(f, 0, "Those that draw most; `rooftune show RUN --full` has those of %zu more.",
                         count - SWEEPS_MOST);
    }
}

rft_finding *rft_finding_power(const rft_run *run, rft_arena *arena) {
    rft_finding *f = rft_finding_new(arena);
    const rft_point **energies = rft_arena_calloc(arena, run->sweep_count + 1, sizeof *energies);
    size_t count = 0;
    rft_str text = RFT_STR_INIT, soaks = RFT_STR_INIT;
    for (size_t s = 0; s < run->sweep_count; s++) {
        size_t problem = rft_run_largest(run, s);
        const rft_point *point = problem == SIZE_MAX ? NULL : rft_run_best(run, s, SIZE_MAX, problem);
        if (has_energy(point)) {
            energies[count++] = point;
        }
        if (point) {
            add_soak_sentence(&soaks, run, point, arena);
        }
    }
    for (size_t i = 0; i < count && count <= SENTENCES_MOST; i++) {
        add_energy_sentence(&text, run, energies[i], arena);
    }
    rft_str_add(&text, rft_str_get(&soaks));
    rft_str_clear(&soaks);
    if (run->idle || text.length || count) {
        rft_finding_heading(f, 0, 2, "Power");
        if ((text.length || count) && rft_load_is_left_out(run->idle)) {
            rft_finding_body(f, 0, "%s Elsewhere power was not measured; --energy largest measures it.",
                             text.length ? rft_str_get(&text) + 1 : "");
        } else {
            rft_finding_body(f, 0, "%s%s", idle_text(run->idle, arena), rft_str_get(&text));
        }
    }
    if (count > SENTENCES_MOST) {
        add_energies(f, run, energies, count);
    }
    rft_str_clear(&text);
    return f;
}
