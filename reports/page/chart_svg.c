/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/page/chart_svg.h"

#include "reports/page/canvas.h"
#include "reports/page/chart.h"
#include "reports/page/page.h"

#define MARGIN 8.0

void rft_chart_svg(rft_str *out, const rft_chart *chart, size_t beside) {
    const rft_truetypes fonts = {.items = {rft_truetype_of_any()}, .count = 1};
    rft_canvas canvas = {0};
    rft_pen pen = {.canvas = &canvas, .arena = rft_arena_new(), .foreign = &fonts};
    double room = RFT_PAGE_WIDTH - 2 * RFT_PAGE_MARGIN - RFT_PAGE_GUTTER * (double)(beside - 1);
    rft_rect box = {MARGIN, MARGIN, room / (double)beside, chart->height};
    rft_canvas_svg_new(&canvas);
    rft_canvas_page(&canvas, box.width + 2 * MARGIN, box.height + 2 * MARGIN);
    rft_chart_draw(&pen, chart, &box);
    rft_canvas_finish(&canvas, out, NULL); /* never fails */
    rft_canvas_free(&canvas);
    rft_arena_free(pen.arena);
}
