/* SPDX-License-Identifier: Apache-2.0 */
/* The rooflines that the bests along each axis follow: curves for the charts, and a table beside the ceilings. */
#include "reports/doc_fit.h"

#include <math.h>

/* Fewer values give no fit worth a row. */
#define POINTS_MIN 4
/* A curve over intensities that are all but one is a vertical line. */
#define CURVE_RANGE 1.5
#define CURVE_PARTS 8 /* between two points */

enum { COLUMN_LINE, COLUMN_MEMORY, COLUMN_PEAK, COLUMN_OVERHEAD, COLUMN_KNEE, COLUMN_SCATTER, COLUMN_COUNT };

static const rft_column columns[COLUMN_COUNT] = {
    [COLUMN_LINE] = {.title = "Along", .wraps = true},
    [COLUMN_MEMORY] = {.title = "Bandwidth, of the ceiling", .wraps = true},
    [COLUMN_PEAK] = {.title = "Peak, of the ceiling", .wraps = true},
    [COLUMN_OVERHEAD] = {.title = "Overhead", .wraps = true},
    [COLUMN_KNEE] = {.title = "Sharpness", .wraps = true},
    [COLUMN_SCATTER] = {.title = "Scatter", .unit = "%", .align = RFT_ALIGN_RIGHT},
};

size_t rft_build_fits(rft_build *b, rft_fitted **out, size_t *left_out) {
    rft_fitted *fits = rft_arena_calloc(b->arena, RFT_FITS_MAX, sizeof *fits);
    size_t count = 0;
    *left_out = 0;
    for (size_t s = 0; s < b->run->sweep_count; s++) {
        rft_profile *profiles = NULL;
        size_t lines = rft_profiles_along_axes(b->run, s, SIZE_MAX, b->arena, &profiles);
        for (size_t i = 0; i < lines; i++) {
            size_t measured = 0;
            for (size_t k = 0; k < profiles[i].step_count; k++) {
                measured += profiles[i].steps[k].best != NULL;
            }
            if (measured < POINTS_MIN) {
                continue;
            }
            if (count == RFT_FITS_MAX) {
                (*left_out)++;
                continue;
            }
            fits[count].profile = &profiles[i];
            fits[count++].fit = rft_profile_fit_of(b->run, &profiles[i], b->arena);
        }
    }
    *out = fits;
    return count;
}

bool rft_build_has_curve(const rft_fitted *of) {
    double least = INFINITY, most = 0.0;
    for (size_t i = 0; i < of->fit.count; i++) {
        double intensity = of->fit.points[i].ops / of->fit.points[i].bytes;
        least = fmin(least, intensity);
        most = fmax(most, intensity);
    }
    return of->fit.fit.why == NULL && least > 0.0 && isfinite(most) && most >= CURVE_RANGE * least;
}

rft_series *rft_build_fit_curve(rft_build *b, rft_chart *chart, const rft_fitted *of, double factor) {
    const rft_profile_fit *fit = &of->fit;
    rft_series *series = rft_chart_series(b->arena, chart, RFT_SERIES_LINE, (fit->count - 1) * CURVE_PARTS + 1);
    for (size_t i = 0; i < series->count; i++) {
        size_t left = i / CURVE_PARTS, right = left + (left + 1 < fit->count);
        double part = (double)(i % CURVE_PARTS) / CURVE_PARTS;
        double bytes = pow(fit->points[left].bytes, 1.0 - part) * pow(fit->points[right].bytes, part);
        double ops = pow(fit->points[left].ops, 1.0 - part) * pow(fit->points[right].ops, part);
        series->x[i] = ops / bytes;
        series->y[i] = ops / rft_roofline_fit_time_s(&fit->fit, bytes, ops) / factor;
    }
    return series;
}

static const char *figure(const rft_build *b, const rft_profile_fit *fit, rft_fit_name name, double value) {
    switch (name) {
    case RFT_FIT_OVERHEAD:
        return rft_figure_si(b->arena, value, "s");
    case RFT_FIT_BANDWIDTH:
        return rft_figure_si(b->arena, value, "B/s");
    case RFT_FIT_PEAK:
        return rft_figure_si(b->arena, value, fit->peak < RFT_CEILING_COUNT ? rft_ceiling_unit(fit->peak) : "op/s");
    case RFT_FIT_SHARPNESS:
    case RFT_FIT_PARAM_COUNT:
        break;
    }
    return rft_figure_plain(b->arena, value, 2);
}

/* "4.55 TB/s (4.31 TB/s-4.86 TB/s), 99 %"; "at least 4.46 TFLOP/s, 7 % (a)"; "unknown (b)": notes say why. */
static const char *param_text(rft_build *b, rft_table *table, const rft_profile_fit *fit, rft_fit_name name) {
    const rft_fit_param *param = &fit->fit.params[name];
    double ceiling = rft_profile_fit_ceiling(fit, name), value = NAN;
    const char *text = "unknown";
    switch (param->state) {
    case RFT_FIT_KNOWN:
        value = param->value;
        text = rft_arena_printf(b->arena, "%s (%s\xe2\x80\x93%s)", figure(b, fit, name, value),
                                figure(b, fit, name, param->low), figure(b, fit, name, param->high));
        break;
    case RFT_FIT_AT_LEAST:
        value = param->low;
        text = rft_arena_printf(b->arena, "at least %s", figure(b, fit, name, value));
        break;
    case RFT_FIT_AT_MOST:
        text = rft_arena_printf(b->arena, "at most %s", figure(b, fit, name, param->high));
        break;
    case RFT_FIT_UNKNOWN:
        break;
    }
    const char *share =
        isfinite(value / ceiling)
            ? rft_arena_printf(b->arena, ", %s", rft_arena_fixed(b->arena, 100 * value / ceiling, 0, " %"))
            : "";
    return rft_arena_printf(b->arena, "%s%s%s", text, share, param->why ? rft_doc_note(b->doc, table, param->why) : "");
}

static void add_row(rft_build *b, rft_table *table, const rft_fitted *of) {
    const rft_profile_fit *fit = &of->fit;
    const char *name = rft_arena_printf(b->arena, "%s: %s, %zu values", b->run->sweeps[of->profile->sweep].sweep.name,
                                        rft_build_line(b, of->profile), fit->count);
    const char *cells[COLUMN_COUNT] = {[COLUMN_LINE] = name};
    static const rft_fit_name params[COLUMN_COUNT] = {[COLUMN_MEMORY] = RFT_FIT_BANDWIDTH,
                                                      [COLUMN_PEAK] = RFT_FIT_PEAK,
                                                      [COLUMN_OVERHEAD] = RFT_FIT_OVERHEAD,
                                                      [COLUMN_KNEE] = RFT_FIT_SHARPNESS};
    if (fit->fit.why) {
        cells[COLUMN_MEMORY] = rft_arena_printf(b->arena, "no fit%s", rft_doc_note(b->doc, table, fit->fit.why));
    } else {
        for (size_t i = COLUMN_MEMORY; i <= COLUMN_KNEE; i++) {
            cells[i] = params[i] == RFT_FIT_PEAK && fit->pipe == RFT_PIPE_COUNT ? "no operations"
                                                                                : param_text(b, table, fit, params[i]);
        }
    }
    cells[COLUMN_SCATTER] =
        isfinite(fit->fit.scatter_frac) ? rft_figure_plain(b->arena, 100 * fit->fit.scatter_frac, 2) : "n/a";
    rft_row *row = rft_doc_row(b->doc, table);
    for (size_t i = 0; i < COLUMN_COUNT; i++) {
        row->cells[i] = cells[i];
    }
}

void rft_build_fit_table(rft_build *b, const rft_fitted *fits, size_t count, size_t left_out) {
    if (count == 0) {
        return;
    }
    rft_doc_heading(b->doc, 2, "What these kernels reach", "fits");
    rft_doc_text(b->doc, RFT_TEXT_NOTE,
                 "A roofline fitted to the best configurations along each axis: time = overhead + ((bytes / "
                 "bandwidth)^p + (operations / peak)^p)^(1/p), with the work's own bytes and operations; p is the "
                 "sharpness of the knee (1: memory and arithmetic take turns). Intervals: 95 %. What the points do not "
                 "carry is bounded or unknown, with the reason. Scatter: of the times about the fit.");
    rft_table *table = rft_doc_table(b->doc, columns, COLUMN_COUNT);
    for (size_t i = 0; i < count; i++) {
        add_row(b, table, &fits[i]);
    }
    if (left_out > 0) {
        rft_doc_textf(b->doc, RFT_TEXT_NOTE, "%s: rooftune show --json has the fits of all.",
                      rft_words_plural(left_out, "line more", "lines more", b->arena));
    }
}
