/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/show_ridges.h"

#include "cli/show_layout.h"
#include "model/roofline/ridge.h"

#include <math.h>

#define CELL 32
#define PIPE_WIDTH 13

/* Three digits: ridges lie between 0.1 and some thousands. */
static void add_cell(rft_str *out, double ridge, size_t width) {
    char text[CELL] = "n/a";
    if (!isnan(ridge)) {
        rft_text_format(text, sizeof text, ridge >= 100 ? "%.0f" : "%.3g", ridge);
    }
    rft_layout_right(out, text, width);
}

static const size_t widths[RFT_RIDGE_LEVEL_COUNT] = {6, 6, 6, 7, 7, 7, 8};

static void add_headings(rft_str *out) {
    static const char *const above[] = {"dram", "dram", "dram", "dram", "", "", ""};
    static const char *const below[] = {"read", "2:1", "1:1", "write", "L2", "L1", "shared"};
    for (int line = 0; line < 2; line++) {
        rft_layout_left(out, line ? "ridge, op/B" : "", PIPE_WIDTH);
        for (int level = 0; level < RFT_RIDGE_LEVEL_COUNT; level++) {
            rft_layout_right(out, line ? below[level] : above[level], widths[level]);
        }
        rft_str_add(out, line ? " | datasheet    limit\n" : " |      dram     dram\n");
    }
}

void rft_show_ridges(rft_str *out, const rft_run *run) {
    bool any = false;
    for (int pipe = 0; pipe < RFT_PIPE_COUNT; pipe++) {
        rft_ridge ridge = rft_ridge_of(&run->ceilings, (rft_pipe)pipe);
        if (!rft_ridge_is_known(&ridge)) {
            continue;
        }
        if (!any) {
            rft_str_add_char(out, '\n');
            add_headings(out);
            any = true;
        }
        rft_layout_left(out, rft_pipe_name((rft_pipe)pipe), PIPE_WIDTH);
        for (int level = 0; level < RFT_RIDGE_LEVEL_COUNT; level++) {
            add_cell(out, ridge.measured[level], widths[level]);
        }
        rft_str_add(out, " |");
        add_cell(out, ridge.datasheet, 10);
        add_cell(out, ridge.limit, 9);
        rft_str_add_char(out, '\n');
    }
    if (any) {
        rft_layout_wrapped(out, 0, 0,
                           "Work of fewer operations per byte of that level is held back by the level, of more by the "
                           "pipe. Left of the bar by measured ceilings.");
    }
}

json_t *rft_show_ridges_json(const rft_run *run) {
    json_t *object = json_object();
    for (int pipe = 0; pipe < RFT_PIPE_COUNT; pipe++) {
        rft_ridge ridge = rft_ridge_of(&run->ceilings, (rft_pipe)pipe);
        if (!rft_ridge_is_known(&ridge)) {
            continue;
        }
        json_t *item = json_object();
        for (int level = 0; level < RFT_RIDGE_LEVEL_COUNT; level++) {
            json_object_set_new(item, rft_ceiling_name(rft_ridge_level(level)),
                                rft_json_real_new(ridge.measured[level]));
        }
        json_object_set_new(item, "datasheet", rft_json_real_new(ridge.datasheet));
        json_object_set_new(item, "limit", rft_json_real_new(ridge.limit));
        json_object_set_new(object, rft_pipe_name((rft_pipe)pipe), item);
    }
    return object;
}
