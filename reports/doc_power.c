/* SPDX-License-Identifier: Apache-2.0 */
/* Watts and joules, and burst beside sustained: the sweep's sections, and the summary's sentences. */
#include "reports/doc_build.h"

#include "base/str.h"
#include "model/roofline/placement.h"

#include <math.h>

#define CHART_HEIGHT 150.0

/* ---- energy ---- */

enum {
    ENERGY_PROBLEM,
    ENERGY_CONFIG,
    ENERGY_WATTS,
    ENERGY_HALF,
    ENERGY_JOULES,
    ENERGY_PER_WATT,
    ENERGY_TIME,
    ENERGY_CLOCK,
    ENERGY_COLUMNS
};

static const rft_column energy_columns[ENERGY_COLUMNS] = {
    [ENERGY_PROBLEM] = {.title = "Problem", .wraps = true},
    [ENERGY_CONFIG] = {.title = "Configuration", .wraps = true},
    [ENERGY_WATTS] = {.title = "Power", .unit = "W", .align = RFT_ALIGN_DECIMAL},
    [ENERGY_HALF] = {.title = "\xc2\xb1", .unit = "%", .align = RFT_ALIGN_DECIMAL},
    [ENERGY_JOULES] = {.title = "Energy a run", .align = RFT_ALIGN_RIGHT},
    [ENERGY_PER_WATT] = {.title = "Useful rate per watt", .align = RFT_ALIGN_RIGHT},
    [ENERGY_TIME] = {.title = "Time back to back", .align = RFT_ALIGN_RIGHT},
    [ENERGY_CLOCK] = {.title = "SM clock", .unit = "MHz", .align = RFT_ALIGN_RIGHT},
};

static bool has(const rft_point *point, rft_load_kind kind) {
    return !point->alias_of && point->loads[kind] && rft_point_measurement(point);
}

/* "8.3 GFLOP/s/W": work of a run over its joules. */
static const char *per_watt_text(const rft_build *b, const rft_point *point) {
    rft_placement place = rft_placement_of(b->run, point);
    double work = rft_rate_of(&place) * rft_point_median_s(point);
    const char *unit = rft_arena_printf(b->arena, "%s/W", rft_rate_unit(&place));
    return rft_figure_si(b->arena, rft_load_per_joule(point->loads[RFT_LOAD_ENERGY], work), unit);
}

static void add_energy(rft_build *b, rft_table *table, const rft_point *point) {
    const rft_load *load = point->loads[RFT_LOAD_ENERGY];
    rft_row *row = rft_doc_row(b->doc, table);
    const char *config = rft_words_config(b->run, point, b->arena);
    row->strong = rft_run_best(b->run, point->sweep, SIZE_MAX, point->problem) == point;
    row->cells[ENERGY_PROBLEM] = rft_run_problem_text(b->run, point->sweep, point->problem, true, b->arena);
    row->cells[ENERGY_CONFIG] =
        load->restored ? rft_arena_printf(b->arena, "%s%s", config,
                                          rft_doc_note(b->doc, table,
                                                       "The buffers that it changes were copied back before every run: "
                                                       "the copy is in power, energy and time."))
                       : config;
    if (!load->source) {
        const char *why = load->energy_reason ? load->energy_reason : "no reason was recorded";
        row->cells[ENERGY_WATTS] = rft_arena_printf(
            b->arena, "n/a%s", rft_doc_note(b->doc, table, rft_arena_printf(b->arena, "No figure: %s.", why)));
        return;
    }
    row->cells[ENERGY_WATTS] = rft_figure_plain(b->arena, load->power_w, 3);
    row->cells[ENERGY_HALF] = rft_figure_percent_bare(b->arena, load->uncertainty_frac);
    row->cells[ENERGY_JOULES] = rft_figure_si(b->arena, load->joules_per_run, "J");
    row->cells[ENERGY_PER_WATT] = per_watt_text(b, point);
    row->cells[ENERGY_TIME] = rft_figure_si(b->arena, load->run_s, "s");
    row->cells[ENERGY_CLOCK] = isnan(load->clock_mhz) ? "not read" : rft_figure_plain(b->arena, load->clock_mhz, 4);
}

/* Power was not measured in one of several runs at least, for the time it takes. */
static bool is_left_out(const rft_build *b) {
    return b->run->idle && rft_load_is_left_out(b->run->idle);
}

static const char *idle_text(const rft_build *b) {
    const rft_load *idle = b->run->idle;
    if (!idle) {
        return "The device's power at rest was not read.";
    }
    if (is_left_out(b)) {
        return rft_arena_printf(b->arena, "Power was %s.", idle->energy_reason ? idle->energy_reason : "not measured");
    }
    if (!idle->source) {
        return rft_arena_printf(b->arena, "Power is not known: %s.",
                                idle->energy_reason ? idle->energy_reason : "no reason was recorded");
    }
    return rft_arena_printf(b->arena, "At rest, just after work and with its context open, the device drew %s W.",
                            rft_figure_plain(b->arena, idle->power_w, 3));
}

static void add_energies(rft_build *b, size_t s) {
    rft_table *table = NULL;
    for (size_t i = 0; i < b->run->point_count; i++) {
        const rft_point *point = &b->run->points[i];
        if (point->sweep != s || !has(point, RFT_LOAD_ENERGY)) {
            continue;
        }
        if (!table) {
            rft_doc_heading(b->doc, 2, "Power and energy", NULL);
            rft_doc_textf(b->doc, RFT_TEXT_NOTE,
                          "Launches followed each other without a pause and without emptying the cache, for as long as "
                          "the device's own sensor takes. Its figures are informative: only a meter at the wall "
                          "measures a machine. \xc2\xb1 is what the sensor's slowness leaves open, not its "
                          "calibration. %s",
                          is_left_out(b) ? "The device's power at rest was not read." : idle_text(b));
            table = rft_doc_table(b->doc, energy_columns, ENERGY_COLUMNS);
        }
        add_energy(b, table, point);
    }
}

/* ---- burst and sustained ---- */

enum {
    SOAK_PROBLEM,
    SOAK_BURST,
    SOAK_BURST_FRAC,
    SOAK_TIME,
    SOAK_FRAC,
    SOAK_CHANGE,
    SOAK_CLOCK,
    SOAK_WATTS,
    SOAK_CAUSE,
    SOAK_COLUMNS
};

static const rft_column soak_columns[SOAK_COLUMNS] = {
    [SOAK_PROBLEM] = {.title = "Problem", .wraps = true},
    [SOAK_BURST] = {.title = "Burst", .align = RFT_ALIGN_RIGHT},
    [SOAK_BURST_FRAC] = {.title = "of burst ceiling", .unit = "%", .align = RFT_ALIGN_DECIMAL},
    [SOAK_TIME] = {.title = "Sustained", .align = RFT_ALIGN_RIGHT},
    [SOAK_FRAC] = {.title = "of sustained ceiling", .unit = "%", .align = RFT_ALIGN_DECIMAL},
    [SOAK_CHANGE] = {.title = "longer by", .unit = "%", .align = RFT_ALIGN_DECIMAL},
    [SOAK_CLOCK] = {.title = "SM clock", .unit = "MHz", .align = RFT_ALIGN_RIGHT},
    [SOAK_WATTS] = {.title = "Power", .unit = "W", .align = RFT_ALIGN_DECIMAL},
    [SOAK_CAUSE] = {.title = "Clock held down by", .wraps = true},
};

static const char *cause_text(const rft_build *b, const rft_load *soak) {
    rft_throttle_cause cause = rft_load_cause(soak);
    if (cause == RFT_THROTTLE_COUNT) {
        return isnan(soak->throttled_frac[0]) ? "not read" : "nothing";
    }
    return rft_arena_printf(b->arena, "%s, %s of the time", rft_throttle_words(cause),
                            rft_figure_percent(b->arena, soak->throttled_frac[cause]));
}

static void add_soak(rft_build *b, rft_table *table, const rft_point *point) {
    const rft_load *soak = point->loads[RFT_LOAD_SOAK];
    rft_row *row = rft_doc_row(b->doc, table);
    row->cells[SOAK_PROBLEM] = rft_run_problem_text(b->run, point->sweep, point->problem, true, b->arena);
    row->cells[SOAK_BURST] = rft_figure_si(b->arena, rft_point_median_s(point), "s");
    row->cells[SOAK_BURST_FRAC] = rft_figure_percent_bare(b->arena, rft_placement_of(b->run, point).efficiency_frac);
    if (soak->reason) {
        row->cells[SOAK_TIME] = rft_arena_printf(
            b->arena, "n/a%s", rft_doc_note(b->doc, table, rft_arena_printf(b->arena, "No figure: %s.", soak->reason)));
        return;
    }
    double frac = rft_placement_sustained(b->run, point).efficiency_frac;
    row->cells[SOAK_TIME] = rft_figure_si(b->arena, soak->stats.median, "s");
    row->cells[SOAK_FRAC] =
        isnan(frac) ? rft_arena_printf(b->arena, "n/a%s",
                                       rft_doc_note(b->doc, table, "The rate of its ceiling under load is not known."))
                    : rft_figure_percent_bare(b->arena, frac);
    row->cells[SOAK_CHANGE] =
        rft_point_sags(point) ? rft_figure_percent_bare(b->arena, soak->stats.median / rft_point_median_s(point) - 1.0)
                              : "under 3";
    row->cells[SOAK_CLOCK] = isnan(soak->clock_mhz) ? "not read" : rft_figure_plain(b->arena, soak->clock_mhz, 4);
    row->cells[SOAK_WATTS] = rft_figure_plain(b->arena, soak->power_w, 3);
    row->cells[SOAK_CAUSE] = cause_text(b, soak);
}

/* How the samples went, second by second; none where there is nothing to see. */
static rft_chart *samples_chart(rft_build *b, const rft_load *soak, bool clocks) {
    size_t known = 0;
    const double *values = clocks ? soak->clocks_mhz : soak->samples_s;
    for (size_t i = 0; i < soak->n; i++) {
        known += isfinite(values[i]);
    }
    if (known < 2) {
        return NULL;
    }
    rft_figure_scale scale =
        clocks ? (rft_figure_scale){1.0, "MHz"} : rft_figure_scale_of(b->arena, soak->samples_s, soak->n, "s");
    rft_chart *chart = rft_chart_new(b->arena, clocks ? "SM clock" : "Time of a sample", CHART_HEIGHT);
    chart->x.title = "seconds under load";
    chart->y.title = rft_arena_printf(b->arena, clocks ? "clock (%s)" : "time (%s)", scale.unit);
    rft_series *cloud = rft_chart_series(b->arena, chart, RFT_SERIES_CLOUD, soak->n);
    for (size_t i = 0; i < soak->n; i++) {
        cloud->x[i] = soak->at_s[i];
        cloud->y[i] = values[i] / scale.factor;
    }
    return chart;
}

static void add_course(rft_build *b, const rft_point *point) {
    const rft_load *soak = point->loads[RFT_LOAD_SOAK];
    rft_chart *charts[2] = {samples_chart(b, soak, false), samples_chart(b, soak, true)};
    if (charts[0]) {
        charts[0]->caption = rft_arena_printf(b->arena, "%s, %s; the last third counts.",
                                              rft_words_problem(b->run, point->sweep, point->problem, b->arena),
                                              rft_words_config(b->run, point, b->arena));
        rft_doc_charts(b->doc, charts, charts[1] ? 2 : 1);
    }
}

static void add_soaks(rft_build *b, size_t s) {
    rft_table *table = NULL;
    const rft_point *shown = NULL;
    for (size_t i = 0; i < b->run->point_count; i++) {
        const rft_point *point = &b->run->points[i];
        if (point->sweep != s || !has(point, RFT_LOAD_SOAK)) {
            continue;
        }
        if (!table) {
            rft_doc_heading(b->doc, 2, "Burst and sustained", NULL);
            rft_doc_textf(b->doc, RFT_TEXT_NOTE,
                          "Burst is what the rest of this report tells: some milliseconds at a time. Sustained is the "
                          "median of the same kind of sample in the last third of %g s of launches back to back, when "
                          "heat and power limit have done what they do; power and clock are of that third.",
                          point->loads[RFT_LOAD_SOAK]->asked_s);
            table = rft_doc_table(b->doc, soak_columns, SOAK_COLUMNS);
        }
        add_soak(b, table, point);
        shown = shown ? shown : point;
    }
    if (shown) {
        add_course(b, shown);
    }
}

void rft_build_power(rft_build *b, size_t s) {
    add_energies(b, s);
    add_soaks(b, s);
}

/* ---- the summary ---- */

static void add_sentence(const rft_build *b, rft_str *text, const rft_point *point) {
    const rft_load *energy = has(point, RFT_LOAD_ENERGY) ? point->loads[RFT_LOAD_ENERGY] : NULL;
    const char *name = rft_words_problem(b->run, point->sweep, point->problem, b->arena);
    double sustained_s = rft_point_sustained_s(point);
    if (energy && energy->source) {
        rft_str_addf(text, " %s draws %s W and takes %s a run: %s.", name,
                     rft_figure_plain(b->arena, energy->power_w, 3),
                     rft_figure_si(b->arena, energy->joules_per_run, "J"), per_watt_text(b, point));
    }
    if (!isnan(sustained_s) && rft_point_sags(point)) {
        double change = sustained_s / rft_point_median_s(point) - 1.0;
        rft_str_addf(text, " Under %g s of load %s takes %s, %s %s than in bursts.",
                     point->loads[RFT_LOAD_SOAK]->asked_s, name, rft_figure_si(b->arena, sustained_s, "s"),
                     rft_figure_percent(b->arena, fabs(change)), change > 0 ? "longer" : "shorter");
    } else if (!isnan(sustained_s)) {
        rft_str_addf(text, " Under %g s of load %s keeps its time.", point->loads[RFT_LOAD_SOAK]->asked_s, name);
    }
}

void rft_build_power_summary(rft_build *b) {
    rft_str text = RFT_STR_INIT;
    for (size_t s = 0; s < b->run->sweep_count; s++) {
        const rft_entry *showcase = rft_build_showcase(b, s);
        if (showcase && showcase->best) {
            add_sentence(b, &text, showcase->best);
        }
    }
    if (b->run->idle || text.length) {
        rft_doc_heading(b->doc, 2, "Power", NULL);
        const char *told = rft_str_get(&text);
        if (text.length && is_left_out(b)) {
            rft_doc_textf(b->doc, RFT_TEXT_BODY, "%s Elsewhere power was not measured; --energy largest measures it.",
                          told + 1);
        } else {
            rft_doc_textf(b->doc, RFT_TEXT_BODY, "%s%s", idle_text(b), told);
        }
    }
    rft_str_clear(&text);
}
