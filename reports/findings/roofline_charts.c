/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/findings/roofline_charts.h"

#include "model/roofline/placement.h"
#include "reports/findings/findings.h"
#include "reports/findings/words.h"

#include <math.h>
#include <string.h>

#define SWEEPS_TOLD 6     /* of more the name alone fits beside the marks; the summary has the numbers */
#define HIDDEN_FACTOR 1.2 /* two lines so near would lie on each other: one is told by its number */
#define OWN_ROOF_FRAC 0.01

/* ---- ceilings ---- */

typedef enum roof_look { LOOK_ROOF, LOOK_LEVEL, LOOK_DATASHEET } roof_look;

/* A ceiling as a line through both points, the rates in units of the chart. */
static void draw_ceiling(rft_roof *r, const char *label, roof_look look, const double x[2], const double y[2]) {
    rft_series *series = rft_chart_series(r->all->arena, r->chart, RFT_SERIES_LINE, 2);
    series->label = label;
    series->dashed = look == LOOK_DATASHEET;
    series->bold = look == LOOK_ROOF && !r->small;
    series->tone = look == LOOK_DATASHEET ? RFT_TONE_GREY : RFT_TONE_INK;
    for (int i = 0; i < 2; i++) {
        series->x[i] = x[i];
        series->y[i] = y[i] / r->scale.factor;
    }
}

/* So near that one line would lie on the other. */
static bool coincide(double a, double b) {
    return a < b * HIDDEN_FACTOR && b < a * HIDDEN_FACTOR;
}

/* "memory, measured 4.61 TB/s", with the datasheet's number where its line would lie on this one. */
const char *rft_roof_line_name(const rft_roof *r, const char *name, double rate, double sheet, const char *unit) {
    rft_arena *arena = r->all->arena;
    const char *told = rft_figure_si(arena, rate, unit);
    bool near = sheet > 0 && coincide(rate, sheet);
    return near ? rft_arena_printf(arena, "%s, measured %s (datasheet %s)", name, told,
                                   rft_figure_si(arena, sheet, unit))
                : rft_arena_printf(arena, "%s, measured %s", name, told);
}

/* Whether the datasheet's value has a line of its own. */
static bool has_sheet_line(const rft_roof *r, double rate, double sheet) {
    return !r->small && sheet > 0 && !(rate > 0 && coincide(rate, sheet));
}

static void add_slope(rft_roof *r, const char *label, double bytes_s, roof_look look) {
    if (!(bytes_s > 0)) {
        return;
    }
    /* Up to the pipe's own roof; without one, across the chart. */
    double roof_rate = look == LOOK_DATASHEET && r->of.flop_sheet > 0 ? r->of.flop_sheet : r->of.flop;
    double end = roof_rate > 0 ? fmin(roof_rate / bytes_s, r->of.x_high) : r->of.x_high;
    const double x[2] = {r->of.x_low, end}, y[2] = {r->of.x_low * bytes_s, end * bytes_s};
    draw_ceiling(r, label, look, x, y);
}

static void add_flat(rft_roof *r, const char *label, double rate, double start, roof_look look) {
    if (!(rate > 0)) {
        return;
    }
    const double x[2] = {fmax(isnan(start) ? r->of.x_low : start, r->of.x_low), r->of.x_high}, y[2] = {rate, rate};
    draw_ceiling(r, label, look, x, y);
}

/* "memory", or which of them: "memory, read" of "device memory, read". */
static const char *memory_name(const rft_roof *r, rft_ceiling_id id) {
    const char *comma = strchr(rft_ceiling_label(id), ',');
    return r->memory_count < 2 || !comma ? "memory" : rft_arena_printf(r->all->arena, "memory%s", comma);
}

bool rft_roof_has(const rft_roof *r, const rft_point *best) {
    for (size_t i = 0; i < r->sweep_count; i++) {
        if (r->sweeps[i] == best->sweep) {
            return rft_roofline_chart_has(best, r->of.pipe) && rft_work_intensity(&best->work) > 0;
        }
    }
    return false;
}

/* Which memory ceilings the bests of this chart are judged by, and whether the L2's is one. */
static bool find_memory(rft_roof *r) {
    bool used[RFT_CEILING_COUNT] = {false}, l2 = false;
    const rft_roofs *all = r->all;
    for (size_t i = 0; i < all->best_count; i++) {
        if (rft_roof_has(r, all->bests[i])) {
            rft_ceiling_id id = rft_bound_dram_ceiling(&all->run->ceilings, rft_work_read_frac(&all->bests[i]->work));
            const rft_placement place = rft_placement_of(all->run, all->bests[i]);
            l2 = l2 || place.roof == RFT_RESOURCE_L2;
            if ((int)id >= 0 && id < RFT_CEILING_COUNT && rft_ceilings_rate(&all->run->ceilings, id) > 0) {
                used[id] = true;
            }
        }
    }
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        if (used[id]) {
            r->memory[r->memory_count++] = (rft_ceiling_id)id;
        }
    }
    return l2;
}

static double memory_rate(const rft_roof *r, size_t i) {
    return rft_ceilings_rate(&r->all->run->ceilings, r->memory[i]);
}

/* "4.28 to 4.61" of the memory ceilings, in units of `scale`; NULL where their lines do not lie on each other. */
static const char *joint_rates(const rft_roof *r, rft_figure_scale *scale) {
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < r->memory_count; i++) {
        least = fmin(least, memory_rate(r, i));
        most = fmax(most, memory_rate(r, i));
    }
    *scale = rft_figure_scale_of(r->all->arena, &most, 1, "B/s");
    return r->memory_count < 2 || !coincide(least, most)
               ? NULL
               : rft_arena_printf(r->all->arena, "%s to %s", rft_figure_plain(r->all->arena, least / scale->factor, 3),
                                  rft_figure_plain(r->all->arena, most / scale->factor, 3));
}

/* One name for all of them: "memory, measured 4.28 to 4.61 TB/s"; NULL. */
static const char *joint_name(const rft_roof *r) {
    rft_arena *arena = r->all->arena;
    rft_figure_scale scale;
    const char *rates = joint_rates(r, &scale);
    if (!rates) {
        return NULL;
    }
    double sheet = r->all->run->ceilings.items[r->memory[0]].datasheet;
    bool near = sheet > 0 && coincide(memory_rate(r, 0), sheet);
    return rft_arena_printf(arena, "memory, measured %s %s%s", rates, scale.unit,
                            near ? rft_arena_printf(arena, " (datasheet %s)", rft_figure_si(arena, sheet, "B/s")) : "");
}

/* The slopes of a small chart: "FLOP/byte; memory 4.28, L2 9.61 TB/s". */
static const char *slopes_title(const rft_roof *r, bool l2, const char *work) {
    rft_arena *arena = r->all->arena;
    rft_figure_scale scale;
    const char *rates = joint_rates(r, &scale), *text = rft_arena_printf(arena, "%s/byte", work);
    for (size_t i = 0; i < r->memory_count && (!rates || i == 0); i++) {
        text = rft_arena_printf(arena, "%s%s%s", text, i == 0 ? "; memory " : ", ",
                                rates ? rates : rft_figure_plain(arena, memory_rate(r, i) / scale.factor, 3));
    }
    if (l2 && r->memory_count && r->of.l2 > 0) {
        text = rft_arena_printf(arena, "%s, L2 %s", text, rft_figure_plain(arena, r->of.l2 / scale.factor, 3));
    }
    return r->memory_count ? rft_arena_printf(arena, "%s %s", text, scale.unit) : text;
}

static void add_memory(rft_roof *r, bool l2) {
    rft_arena *arena = r->all->arena;
    const rft_ceilings *ceilings = &r->all->run->ceilings;
    bool sheet_drawn = false;
    const char *joint = joint_name(r);
    for (size_t i = 0; i < r->memory_count; i++) {
        double rate = memory_rate(r, i), sheet = ceilings->items[r->memory[i]].datasheet;
        if (!sheet_drawn && has_sheet_line(r, rate, sheet)) {
            sheet_drawn = true;
            r->dashed++;
            add_slope(r, rft_arena_printf(arena, "memory, datasheet %s", rft_figure_si(arena, sheet, "B/s")), sheet,
                      LOOK_DATASHEET);
        }
        const char *own = rft_roof_line_name(r, memory_name(r, r->memory[i]), rate, sheet, "B/s");
        add_slope(r, r->small ? NULL : !joint ? own : i == 0 ? joint : NULL, rate, LOOK_ROOF);
    }
    if (l2 || !r->small) {
        add_slope(r, r->small ? NULL : rft_roof_line_name(r, "L2", r->of.l2, NAN, "B/s"), r->of.l2, LOOK_LEVEL);
    }
}

static void add_ceilings(rft_roof *r) {
    rft_arena *arena = r->all->arena;
    const char *label = rft_pipe_label(r->of.pipe), *unit = rft_roofline_chart_unit(&r->of);
    bool l2 = find_memory(r);
    if (r->small) {
        r->chart->x.title = slopes_title(r, l2, unit[0] == 'F' ? "FLOP" : "op");
    }
    /* The measured roof begins where the fastest memory level meets it. */
    double fastest = (l2 || !r->small) && r->of.l2 > 0 ? r->of.l2 : 0;
    for (size_t i = 0; i < r->memory_count; i++) {
        fastest = fmax(fastest, memory_rate(r, i));
    }
    if (has_sheet_line(r, r->of.flop, r->of.flop_sheet)) {
        r->dashed++;
        add_flat(r, rft_arena_printf(arena, "%s, datasheet %s", label, rft_figure_si(arena, r->of.flop_sheet, unit)),
                 r->of.flop_sheet, r->of.dram_sheet > 0 ? r->of.flop_sheet / r->of.dram_sheet : NAN, LOOK_DATASHEET);
    }
    if (r->of.flop > 0) {
        add_flat(r, r->small ? NULL : rft_roof_line_name(r, label, r->of.flop, r->of.flop_sheet, unit), r->of.flop,
                 fastest > 0 ? r->of.flop / fastest : NAN, LOOK_ROOF);
    }
    add_memory(r, l2);
}

/* Of the memory ceilings that are drawn, and of the L2; of lines that lie on each other that of the usual one. */
static void add_ridges(rft_roof *r) {
    rft_arena *arena = r->all->arena;
    if (!(r->of.flop > 0) || r->small) {
        return;
    }
    rft_series *series = rft_chart_series(arena, r->chart, RFT_SERIES_DOTS, r->memory_count + 1);
    series->tone = RFT_TONE_GREY;
    for (size_t i = 0; i <= r->memory_count; i++) {
        double rate = i < r->memory_count ? memory_rate(r, i) : r->of.l2;
        bool again = i < r->memory_count && r->memory[i] != r->of.dram_id && coincide(rate, r->of.dram);
        if (rate > 0 && !again && r->of.flop / rate > r->of.x_low) {
            series->x[i] = r->of.flop / rate;
            series->y[i] = r->of.flop / r->scale.factor;
            series->names[i] = rft_arena_printf(arena, "ridge %s", rft_figure_plain(arena, series->x[i], 3));
            series->told[i] = i < r->memory_count ? " at device memory" : " at the L2";
        }
    }
}

/* ---- points ---- */

static bool is_in_cloud(const rft_roof *r, const rft_point *point) {
    return rft_roof_has(r, point) && rft_run_is_candidate(r->all->run, point);
}

static void add_cloud(rft_roof *r) {
    const rft_run *run = r->all->run;
    size_t count = 0, used = 0;
    for (size_t i = 0; i < run->point_count; i++) {
        count += is_in_cloud(r, &run->points[i]);
    }
    rft_series *series = rft_chart_series(r->all->arena, r->chart, RFT_SERIES_CLOUD, count);
    for (size_t i = 0; i < run->point_count; i++) {
        if (is_in_cloud(r, &run->points[i])) {
            rft_placement place = rft_placement_of(run, &run->points[i]);
            series->x[used] = place.intensity;
            series->y[used++] = place.rate_ops_s / r->scale.factor;
        }
    }
}

/* What the drawn lines allow at an intensity, op/s. */
static double drawn_roof(const rft_roof *r, const rft_placement *place) {
    double rate = r->of.flop > 0 ? r->of.flop : INFINITY, memory = 0;
    for (size_t i = 0; i < r->memory_count; i++) {
        memory = fmax(memory, memory_rate(r, i));
    }
    return memory > 0 ? fmin(rate, place->intensity * memory) : rate;
}

/* Of a sweep; SIZE_MAX: of all. There may be thousands of sweeps, and of each a series. */
static size_t count_bests(const rft_roof *r, size_t sweep) {
    size_t count = 0;
    for (size_t i = 0; i < r->all->best_count; i++) {
        const rft_point *best = r->all->bests[i];
        count += (sweep == SIZE_MAX || best->sweep == sweep) && rft_roof_has(r, best);
    }
    return count;
}

/* Where another ceiling than a drawn line makes a best's roof, a short line says where that is. */
static void add_own_roofs(rft_roof *r) {
    const rft_roofs *all = r->all;
    rft_series *caps = rft_chart_series(all->arena, r->chart, RFT_SERIES_WHISKERS, count_bests(r, SIZE_MAX));
    for (size_t i = 0; i < all->best_count; i++) {
        const rft_placement place = rft_placement_of(all->run, all->bests[i]);
        double own = place.rate_ops_s * rft_point_median_s(all->bests[i]) / place.roof_s;
        bool memory = place.roof == RFT_RESOURCE_DRAM || place.roof == RFT_RESOURCE_L2;
        if (rft_roof_has(r, all->bests[i]) && isfinite(own) && !memory && own < r->of.y_high && own > r->of.y_low &&
            fabs(own - drawn_roof(r, &place)) > OWN_ROOF_FRAC * own) {
            caps->x[r->own_roofs] = place.intensity;
            caps->y[r->own_roofs] = caps->y2[r->own_roofs] = own / r->scale.factor;
            r->own_roofs++;
        }
    }
    caps->count = r->own_roofs;
}

/* Of a sweep the one that takes longest is named. */
static void add_bests(rft_roof *r, size_t sweep, rft_tone tone) {
    const rft_roofs *all = r->all;
    const rft_point *named = NULL;
    size_t used = 0, named_at = 0;
    rft_series *series = rft_chart_series(all->arena, r->chart, RFT_SERIES_DOTS, count_bests(r, sweep));
    series->tone = tone;
    series->bold = true;
    for (size_t i = 0; i < all->best_count; i++) {
        const rft_point *best = all->bests[i];
        if (best->sweep != sweep || !rft_roof_has(r, best)) {
            continue;
        }
        const rft_placement place = rft_placement_of(all->run, best);
        series->x[used] = place.intensity;
        series->y[used++] = place.rate_ops_s / r->scale.factor;
        if (!named || rft_point_median_s(best) > rft_point_median_s(named)) {
            named = best;
            named_at = used - 1;
        }
    }
    series->count = used;
    if (named) {
        const rft_placement place = rft_placement_of(all->run, named);
        series->names[named_at] =
            r->small && r->sweep_count == 1 ? NULL
            : r->small || all->run->sweep_count > SWEEPS_TOLD
                ? all->run->sweeps[sweep].sweep.name
                : rft_arena_printf(all->arena, "%s: %s", rft_words_problem(all->run, sweep, named->problem, all->arena),
                                   rft_words_rate(&place, all->arena));
        const rft_reach reach = rft_reach_of(all->run, named);
        const char *rate = rft_figure_si(all->arena, place.rate_ops_s, rft_roofline_chart_unit(&r->of));
        series->told[named_at] =
            rft_arena_printf(all->arena, "%s%s, %s of the roof", rft_rate_in_ops(&place) ? "" : ", ",
                             rft_rate_in_ops(&place) ? "" : rate, rft_words_reach(&reach, all->arena));
    }
}

/* One fitted curve a sweep, that of the line with most points. */
static void add_curve(rft_roof *r, size_t sweep, rft_tone tone) {
    const rft_roofs *all = r->all;
    const rft_fitted *chosen = NULL;
    for (size_t i = 0; i < all->fit_count; i++) {
        const rft_fitted *of = &all->fits[i];
        if (of->profile->sweep == sweep && of->fit.pipe == r->of.pipe && rft_fitted_has_curve(of) &&
            (!chosen || of->fit.count > chosen->fit.count)) {
            chosen = of;
        }
    }
    if (!chosen) {
        return;
    }
    rft_series *series = rft_fitted_curve(r->chart, chosen, r->scale.factor, all->arena);
    series->tone = tone;
    series->label = r->small ? NULL : rft_arena_printf(all->arena, "fit: %s", all->run->sweeps[sweep].sweep.name);
    r->curves++;
    const rft_fit_param *memory = &chosen->fit.fit.params[RFT_FIT_BANDWIDTH];
    const rft_fit_param *peak = &chosen->fit.fit.params[RFT_FIT_PEAK];
    if (!r->small && memory->state == RFT_FIT_KNOWN && peak->state == RFT_FIT_KNOWN) {
        rft_series *knee = rft_chart_series(all->arena, r->chart, RFT_SERIES_DOTS, 1);
        knee->tone = tone;
        knee->x[0] = peak->value / memory->value;
        knee->y[0] = peak->value / r->scale.factor;
        knee->names[0] = rft_arena_printf(all->arena, "knee %s", rft_figure_plain(all->arena, knee->x[0], 3));
    }
}

/* ---- words ---- */

/* " FP32: no ceiling was measured, not asked for.": why there is no line; the chapter on ceilings has the operation
 * behind one. */
static const char *missing_line(const rft_roof *r, const char *name, rft_ceiling_id id) {
    const rft_ceiling *ceiling = id < RFT_CEILING_COUNT ? &r->all->run->ceilings.items[id] : NULL;
    if (ceiling && ceiling->measured) {
        return ceiling->at_least
                   ? rft_arena_printf(r->all->arena, " %s: no line, only a lower bound was measured.", name)
                   : "";
    }
    bool why = ceiling && ceiling->reason;
    return rft_arena_printf(r->all->arena, " %s: no ceiling was measured%s%s.", name, why ? ", " : "",
                            why ? ceiling->reason : "");
}

/* `of`: the lines of the pipe; `drawn`: what its charts have of what is not everywhere. */
/* Of many sweeps' charts the first says how to read them. */
static bool is_read_already(const rft_roof *of) {
    bool before = false;
    for (size_t i = 0; i < of->all->best_count; i++) {
        const rft_work *work = &of->all->bests[i]->work;
        before = before || (rft_work_main_pipe(work) < of->of.pipe && rft_work_bytes(work) > 0);
    }
    return before && of->all->run->sweep_count > RFT_SWEEPS_MANY;
}

const char *rft_roof_caption(const rft_roof *of, const rft_roof *drawn) {
    rft_arena *arena = of->all->arena;
    bool again = is_read_already(of);
    return rft_arena_printf(
        arena, "%s%s%sGrey: all %s; strong marks: the best configuration of each problem%s%s.%s%s%s",
        again           ? ""
        : drawn->dashed ? "Solid: measured here; dashed: datasheet. Every mark is judged by the ceilings of its chart"
                        : "Solid: measured here; a datasheet's value that would lie on the line is told by its number. "
                          "Every mark is judged by the ceilings of its chart",
        drawn->own_roofs ? again ? "A short line above a mark: another ceiling makes its roof"
                                 : ", by the short line above it where another makes its roof"
                         : "",
        again && !drawn->own_roofs ? "" : ". ",
        rft_words_plural(of->of.point_count, "measured point", "measured points", arena),
        again          ? ""
        : drawn->small ? "; a chart for the sweeps of one family, all over the same axes"
                       : ", of each sweep the longest-running one with its name",
        drawn->curves ? "; the curve: the roofline fitted to them, its knee where its two branches meet" : "",
        of->memory_count ? "" : missing_line(of, "Memory", of->of.dram_id), missing_line(of, "L2", RFT_CEILING_L2_READ),
        missing_line(of, rft_pipe_label(of->of.pipe), of->of.pipe_id));
}

/* ---- the chart ---- */

void rft_roof_draw(rft_roof *r, const char *title, double height) {
    const rft_roofs *all = r->all;
    const char *unit = rft_roofline_chart_unit(&r->of);
    double reference = r->of.flop > 0 ? r->of.flop : r->of.y_high;
    r->scale = rft_figure_scale_of(all->arena, &reference, 1, unit);
    r->chart = rft_chart_new(all->arena, title, height);
    r->chart->x = (rft_chart_axis){.title = rft_arena_printf(all->arena, "intensity of the work (%s per byte)",
                                                             unit[0] == 'F' ? "FLOP" : "operations"),
                                   .log = true,
                                   .low = r->of.x_low,
                                   .high = r->of.x_high};
    r->chart->y =
        (rft_chart_axis){.title = rft_arena_printf(all->arena, r->small ? "%s" : "useful rate (%s)", r->scale.unit),
                         .log = true,
                         .low = r->of.y_low / r->scale.factor,
                         .high = r->of.y_high / r->scale.factor};
    add_cloud(r);
    add_ceilings(r);
    add_ridges(r);
    add_own_roofs(r);
    for (size_t i = 0; i < r->sweep_count; i++) {
        add_curve(r, r->sweeps[i], rft_tone_of(i));
        add_bests(r, r->sweeps[i], rft_tone_of(i));
    }
}
