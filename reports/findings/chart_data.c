/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/findings/chart_data.h"

#include <math.h>
#include <string.h>

rft_tone rft_tone_of(size_t n) {
    return (rft_tone)(RFT_TONE_A + (int)(n % RFT_TONES));
}

rft_chart *rft_chart_new(rft_arena *arena, const char *title, double height) {
    rft_chart *chart = rft_arena_calloc(arena, 1, sizeof *chart);
    chart->title = rft_arena_strdup(arena, title);
    chart->height = height;
    chart->x.low = chart->x.high = chart->y.low = chart->y.high = NAN;
    return chart;
}

static double *no_numbers(rft_arena *arena, size_t count) {
    double *numbers = rft_arena_calloc(arena, count ? count : 1, sizeof *numbers);
    for (size_t i = 0; i < count; i++) {
        numbers[i] = NAN;
    }
    return numbers;
}

rft_series *rft_chart_series(rft_arena *arena, rft_chart *chart, rft_series_kind kind, size_t count) {
    chart->series =
        rft_arena_grown(arena, chart->series, chart->series_count, &chart->series_capacity, sizeof *chart->series);
    rft_series *series = &chart->series[chart->series_count++];
    memset(series, 0, sizeof *series);
    series->kind = kind;
    series->count = count;
    series->x = no_numbers(arena, count);
    series->y = no_numbers(arena, count);
    series->x2 = no_numbers(arena, count);
    series->y2 = no_numbers(arena, count);
    series->names = rft_arena_calloc(arena, count ? count : 1, sizeof *series->names);
    series->told = rft_arena_calloc(arena, count ? count : 1, sizeof *series->told);
    return series;
}
