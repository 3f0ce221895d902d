/* SPDX-License-Identifier: Apache-2.0 */
/* compare_roofline.c - the ceilings and the bests of several runs over each other, one chart a pipe; of many runs
 * beside each other. Each run has its tone, mark and dashes; lines of the first are solid. */
#include "base/str.h"
#include "model/roofline/placement.h"
#include "reports/compare_pages.h"

#include <math.h>

#define HEIGHT 285.0   /* two on a page */
#define BESTS_LEAST 2  /* on a chart: one alone is held beside nothing */
#define NAMED_MOST 3   /* workloads that changed side, by name */
#define OVERLAY_MOST 3 /* more runs have a chart each, over the same axes */
#define HEIGHT_SMALL 132.0
#define COLUMNS_SMALL 3

typedef struct overlay {
    rft_compare_pages *p;
    rft_pipe pipe;
    rft_ceiling_id pipe_id;
    bool has_pipe_id;
    size_t sides;
    double x_low, x_high, y_low, y_high;
    rft_figure_scale scale;
    bool small; /* one run; its ceilings are told by the axis, those of the first lie behind them in grey */
    rft_chart *chart;
} overlay;

static bool on_pipe(const overlay *o, const rft_compare_figure *f) {
    return f->best && rft_work_main_pipe(&f->best->work) == o->pipe && rft_work_intensity(&f->best->work) > 0;
}

static void widen(double value, double *low, double *high) {
    if (isfinite(value) && value > 0) {
        *low = isnan(*low) || value < *low ? value : *low;
        *high = isnan(*high) || value > *high ? value : *high;
    }
}

static double flop_of(const overlay *o, size_t side) {
    return o->has_pipe_id ? rft_ceilings_rate(&o->p->compare->sides[side].run->ceilings, o->pipe_id) : (double)NAN;
}

/* The memory ceiling that the first best of the side is judged by. */
static double dram_of(const overlay *o, size_t side) {
    const rft_compare *c = o->p->compare;
    const rft_ceilings *ceilings = &c->sides[side].run->ceilings;
    for (size_t w = 0; w < c->workload_count; w++) {
        const rft_compare_figure *f = &c->workloads[w].figures[side];
        if (on_pipe(o, f)) {
            return rft_ceilings_rate(ceilings, rft_bound_dram_ceiling(ceilings, rft_work_read_frac(&f->best->work)));
        }
    }
    return NAN;
}

static rft_placement place_of(const overlay *o, size_t side, const rft_compare_figure *f) {
    return rft_placement_of(o->p->compare->sides[side].run, f->best);
}

/* How many bests of a run are on the chart. */
static size_t bests_of(const overlay *o, size_t side) {
    size_t count = 0;
    for (size_t w = 0; w < o->p->compare->workload_count; w++) {
        count += on_pipe(o, &o->p->compare->workloads[w].figures[side]);
    }
    return count;
}

/* Runs that are not on the chart, having no best there. */
static void tell_missing(const overlay *o) {
    rft_str text = RFT_STR_INIT;
    for (size_t side = 0; side < o->sides; side++) {
        if (bests_of(o, side) == 0) {
            rft_str_addf(&text, "%s%c", text.length ? ", " : "", o->p->compare->sides[side].letter);
        }
    }
    if (text.length) {
        rft_doc_textf(o->p->doc, RFT_TEXT_NOTE, "Not drawn, having no best here: %s.", rft_str_get(&text));
    }
    rft_str_clear(&text);
}

static bool find_ranges(overlay *o) {
    const rft_compare *c = o->p->compare;
    o->x_low = o->x_high = o->y_low = o->y_high = NAN;
    for (size_t side = 0; side < o->sides; side++) {
        for (size_t w = 0; w < c->workload_count; w++) {
            if (on_pipe(o, &c->workloads[w].figures[side])) {
                rft_placement place = place_of(o, side, &c->workloads[w].figures[side]);
                widen(place.intensity, &o->x_low, &o->x_high);
                widen(place.rate_ops_s, &o->y_low, &o->y_high);
            }
        }
    }
    if (isnan(o->x_low) || isnan(o->y_low)) {
        return false;
    }
    for (size_t side = 0; side < o->sides; side++) {
        double flop = flop_of(o, side), ridge = flop / dram_of(o, side);
        widen(ridge / 8, &o->x_low, &o->x_high);
        widen(ridge * 4, &o->x_low, &o->x_high);
        widen(flop, &o->y_low, &o->y_high);
        widen(flop / 30, &o->y_low, &o->y_high);
    }
    o->x_low /= 3, o->x_high *= 3;
    o->y_low /= 2, o->y_high *= 2.4;
    return true;
}

static rft_series *add_ceiling(overlay *o, const char *label, rft_tone tone, const double x[2], const double y[2]) {
    rft_series *series = rft_chart_series(o->p->doc->arena, o->chart, RFT_SERIES_LINE, 2);
    series->label = label;
    series->tone = tone;
    for (int i = 0; i < 2; i++) {
        series->x[i] = x[i];
        series->y[i] = y[i] / o->scale.factor;
    }
    return series;
}

/* Both branches of a run's roof; `named`: with their labels. */
static void draw_roof(overlay *o, size_t side, rft_tone tone, bool named, bool dashed) {
    rft_arena *arena = o->p->arena;
    char letter = o->p->compare->sides[side].letter;
    double flop = flop_of(o, side), dram = dram_of(o, side);
    const char *unit = o->has_pipe_id ? rft_ceiling_unit(o->pipe_id) : "op/s";
    if (flop > 0) {
        double start = dram > 0 ? fmax(flop / dram, o->x_low) : o->x_low;
        const double x[2] = {start, o->x_high}, y[2] = {flop, flop};
        const char *name =
            rft_arena_printf(arena, "%c: %s %s", letter, rft_pipe_label(o->pipe), rft_figure_si(arena, flop, unit));
        add_ceiling(o, named ? name : NULL, tone, x, y)->dashed = dashed;
    }
    if (dram > 0) {
        double end = flop > 0 ? fmin(flop / dram, o->x_high) : o->x_high;
        const double x[2] = {o->x_low, end}, y[2] = {o->x_low * dram, end * dram};
        const char *name = rft_arena_printf(arena, "%c: memory %s", letter, rft_figure_si(arena, dram, "B/s"));
        add_ceiling(o, named ? name : NULL, tone, x, y)->dashed = dashed;
    }
}

static void add_ceilings(overlay *o, size_t side) {
    draw_roof(o, side, rft_tone_of(side), true, false);
}

static void add_small_ceilings(overlay *o, size_t side) {
    if (side > 0) {
        draw_roof(o, 0, RFT_TONE_GREY, false, true);
    }
    draw_roof(o, side, RFT_TONE_INK, false, false);
}

static size_t add_bests(overlay *o, size_t side, size_t *named) {
    const rft_compare *c = o->p->compare;
    size_t count = 0;
    rft_series *series = rft_chart_series(o->p->doc->arena, o->chart, RFT_SERIES_DOTS, c->workload_count);
    series->tone = rft_tone_of(side);
    series->bold = side == 0 && !o->small;
    for (size_t w = 0; w < c->workload_count; w++) {
        const rft_compare_figure *f = &c->workloads[w].figures[side];
        if (!on_pipe(o, f)) {
            continue;
        }
        rft_placement place = place_of(o, side, f);
        series->x[w] = place.intensity;
        series->y[w] = place.rate_ops_s / o->scale.factor;
        count++;
        if (!o->small && c->workloads[w].changed_side && *named < NAMED_MOST * o->sides) {
            (*named)++;
            series->names[w] = rft_arena_printf(o->p->arena, "%zu%c %s", w + 1, c->sides[side].letter,
                                                rft_resource_name(f->bound.resource, f->bound.pipe));
        }
    }
    return count;
}

static rft_chart *new_chart(overlay *o, const char *title, double height) {
    rft_arena *arena = o->p->arena;
    o->chart = rft_chart_new(o->p->doc->arena, title, height);
    o->chart->x = (rft_chart_axis){
        .title = "intensity of the work (operations per byte)", .log = true, .low = o->x_low, .high = o->x_high};
    o->chart->y =
        (rft_chart_axis){.title = rft_arena_printf(arena, o->small ? "%s" : "useful rate (%s)", o->scale.unit),
                         .log = true,
                         .low = o->y_low / o->scale.factor,
                         .high = o->y_high / o->scale.factor};
    return o->chart;
}

/* All runs on one chart. */
static size_t add_together(overlay *o) {
    size_t bests = 0, named = 0;
    rft_chart *chart = new_chart(o, "", HEIGHT);
    for (size_t side = 0; side < o->sides; side++) {
        if (bests_of(o, side) > 0) {
            add_ceilings(o, side);
        }
    }
    for (size_t side = 0; side < o->sides; side++) {
        bests += add_bests(o, side, &named);
    }
    chart->caption = rft_arena_printf(
        o->p->arena,
        "Measured ceilings (A solid, the others with dashes of their own) and the best configuration of every "
        "workload%s.",
        named ? "; where a workload is held back by another resource, its number in the table, the run and the bound"
              : "");
    rft_doc_charts(o->p->doc, &chart, 1);
    return bests;
}

/* "op/byte; memory 4.28 TB/s, FP32 65.6 TFLOP/s" */
static const char *small_title(const overlay *o, size_t side) {
    rft_arena *arena = o->p->arena;
    double dram = dram_of(o, side), flop = flop_of(o, side);
    const char *memory = dram > 0 ? rft_arena_printf(arena, "; %s", rft_figure_si(arena, dram, "B/s")) : "";
    const char *unit = o->has_pipe_id ? rft_ceiling_unit(o->pipe_id) : "op/s";
    return rft_arena_printf(arena, "op/byte%s%s", memory,
                            flop > 0 ? rft_arena_printf(arena, ", %s", rft_figure_si(arena, flop, unit)) : "");
}

/* A chart for each run, the first one's ceilings behind the others'. */
static size_t add_beside(overlay *o) {
    rft_chart *charts[RFT_COMPARE_MOST + COLUMNS_SMALL];
    size_t bests = 0, named = 0, count = 0;
    for (size_t side = 0; side < o->sides; side++) {
        if (bests_of(o, side) > 0) {
            charts[count] = new_chart(o, rft_compare_side_name(o->p->compare, side, o->p->arena), HEIGHT_SMALL);
            charts[count++]->x.title = small_title(o, side);
            add_small_ceilings(o, side);
            bests += add_bests(o, side, &named);
        }
    }
    rft_finding *f = rft_finding_new(o->p->doc->arena);
    rft_finding_chart_rows(f, charts, count, COLUMNS_SMALL);
    rft_finding_note(f, RFT_ON_PAGE,
                     "A chart for each run, all over the same axes: its measured ceilings, told below it, and the best "
                     "configuration of every workload. Grey and dashed: the ceilings of A.");
    rft_print_page(o->p->doc, f);
    return bests;
}

static bool add_overlay(rft_compare_pages *p, rft_pipe pipe) {
    overlay o = {.p = p, .pipe = pipe, .sides = p->compare->side_count, .small = p->compare->side_count > OVERLAY_MOST};
    o.has_pipe_id = rft_ceiling_from_name(&o.pipe_id, rft_pipe_name(pipe));
    size_t all = 0;
    for (size_t side = 0; side < o.sides; side++) {
        all += bests_of(&o, side);
    }
    if (all < BESTS_LEAST || !find_ranges(&o)) {
        return false;
    }
    double reference = o.y_high;
    o.scale = rft_figure_scale_of(p->arena, &reference, 1, o.has_pipe_id ? rft_ceiling_unit(o.pipe_id) : "op/s");
    rft_doc_heading(p->doc, 2, rft_pipe_label(pipe), NULL);
    size_t bests = o.small ? add_beside(&o) : add_together(&o);
    tell_missing(&o);
    return bests > 0;
}

void rft_compare_page_rooflines(rft_compare_pages *p) {
    size_t drawn = 0, changed = 0;
    rft_doc_heading(p->doc, 1,
                    p->compare->side_count > OVERLAY_MOST ? "Rooflines beside each other" : "Rooflines over each other",
                    "rooflines");
    for (int pipe = 0; pipe < RFT_PIPE_COUNT; pipe++) {
        drawn += add_overlay(p, (rft_pipe)pipe);
    }
    for (size_t w = 0; w < p->compare->workload_count; w++) {
        changed += p->compare->workloads[w].changed_side;
    }
    if (drawn == 0) {
        rft_doc_text(
            p->doc, RFT_TEXT_BODY,
            "None is drawn: it takes two bests on one kind of unit with operations and bytes in their declared work.");
    } else if (changed == 0) {
        rft_doc_text(p->doc, RFT_TEXT_NOTE,
                     "No workload changed side: each is held back by the same resource on all runs, as far as the "
                     "evidence is of one kind.");
    }
}
