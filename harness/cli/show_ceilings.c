/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/show_ceilings.h"

#include "base/units.h"
#include "cli/show_data.h"
#include "reports/print/layout.h"

#include <math.h>

static const char *rate_text(rft_arena *arena, double rate, rft_ceiling_id id, int digits) {
    char text[48] = "n/a";
    if (isfinite(rate) && id == RFT_CEILING_LAUNCH) {
        rft_units_format_seconds(text, sizeof text, rate, 3);
    } else if (isfinite(rate)) {
        rft_units_format_si(text, sizeof text, rate, digits, rft_ceiling_unit(id));
    }
    return rft_arena_strdup(arena, text);
}

/* "sustained 712 TFLOP/s at 1545 MHz"; NULL where it was not measured. */
static const char *sustained_text(const rft_ceiling *ceiling, rft_ceiling_id id, rft_arena *arena) {
    if (ceiling->sustained.n == 0) {
        return NULL;
    }
    const char *rate = rate_text(arena, ceiling->sustained.median, id, 3);
    return isfinite(ceiling->sustained_clock_mhz)
               ? rft_arena_printf(arena, "sustained %s at %s", rate,
                                  rft_arena_fixed(arena, ceiling->sustained_clock_mhz, 0, " MHz"))
               : rft_arena_printf(arena, "sustained %s", rate);
}

/* ---- show ---- */

static void add_line(rft_str *out, const rft_ceiling *ceiling, rft_ceiling_id id, rft_arena *arena) {
    double frac = ceiling->stats.median / ceiling->datasheet;
    rft_str_add(out, "  ");
    rft_layout_left(out, rft_ceiling_label(id), ceiling->at_least ? 23 : 33);
    rft_layout_right(
        out,
        rft_arena_printf(arena, "%s%s", rft_ceiling_prefix(ceiling), rate_text(arena, ceiling->stats.median, id, 3)),
        ceiling->at_least ? 24 : 14);
    if (isfinite(ceiling->datasheet) && id != RFT_CEILING_LAUNCH && !ceiling->at_least) {
        rft_str_addf(out, "   %s of datasheet", rft_arena_fixed(arena, frac * 100.0, frac < 0.1 ? 1 : 0, " %"));
    }
    if (isfinite(ceiling->clock_mhz)) {
        rft_str_addf(out, "   %s", rft_arena_fixed(arena, ceiling->clock_mhz, 0, " MHz"));
    }
    rft_str_add_char(out, '\n');
    if (rft_ceiling_sags(ceiling)) {
        rft_layout_spaces(out, 6);
        rft_str_addf(out, "%s\n", sustained_text(ceiling, id, arena));
    }
}

/* Those without a rate, by reason; what the datasheet says of them stands beside. */
static void add_missing(rft_str *out, const rft_run *run, rft_arena *arena) {
    const rft_ceiling *items = run->ceilings.items;
    bool told[RFT_CEILING_COUNT] = {false};
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        if (items[id].measured || told[id]) {
            continue;
        }
        rft_str line = RFT_STR_INIT;
        for (int other = id; other < RFT_CEILING_COUNT; other++) {
            if (!items[other].measured && rft_text_equal(items[id].reason, items[other].reason)) {
                told[other] = true;
                rft_str_addf(&line, "%s%s", line.length ? ", " : "none: ", rft_ceiling_name((rft_ceiling_id)other));
                if (isfinite(items[other].datasheet)) {
                    rft_str_addf(&line, " [datasheet %s]",
                                 rate_text(arena, items[other].datasheet, (rft_ceiling_id)other, 3));
                }
            }
        }
        rft_str_addf(&line, " (%s)", items[id].reason ? items[id].reason : "not measured");
        rft_layout_wrapped(out, 2, 6, rft_str_get(&line));
        rft_str_clear(&line);
    }
}

void rft_show_ceilings(rft_str *out, const rft_run *run, rft_arena *arena) {
    const char *age = rft_run_ceilings_age_text(run, arena);
    rft_str_addf(out, "\nMeasured ceilings%s%s%s\n", age ? ", kept from " : "", age ? age : "",
                 age ? " before this run" : "");
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        if (run->ceilings.items[id].measured) {
            add_line(out, &run->ceilings.items[id], (rft_ceiling_id)id, arena);
        }
    }
    add_missing(out, run, arena);
}

/* ---- the table ---- */

static void add_row(rft_str *out, const rft_ceiling *c, rft_ceiling_id id, bool soaked, rft_arena *arena) {
    const char *measured = rft_arena_printf(arena, "%s%s", c->at_least ? ">= " : "",
                                            rate_text(arena, c->measured ? c->stats.median : (double)NAN, id, 4));
    rft_layout_left(out, rft_ceiling_name(id), 12);
    rft_layout_right(out, measured, 15);
    if (soaked) {
        rft_layout_right(out, rate_text(arena, c->sustained.n ? c->sustained.median : (double)NAN, id, 4), 15);
    }
    rft_layout_right(out, rate_text(arena, c->datasheet, id, 4), 15);
    rft_layout_right(out, rate_text(arena, c->limit, id, 4), 15);
    if (c->measured) {
        rft_str_addf(out, "  %sn=%zu", rft_ceiling_prefix(c), c->stats.n);
        if (isfinite(c->clock_mhz)) {
            rft_str_addf(out, ", %s", rft_arena_fixed(arena, c->clock_mhz, 0, " MHz"));
        }
        rft_str_addf(out, "  %s", c->kernel ? c->kernel : "");
    } else {
        rft_str_addf(out, "  %s", c->reason ? c->reason : "not measured");
    }
    if (c->sustained.n && isfinite(c->sustained_clock_mhz)) {
        rft_str_addf(out, "; under load %s", rft_arena_fixed(arena, c->sustained_clock_mhz, 0, " MHz"));
    }
    if (c->limit_basis && isfinite(c->limit)) {
        rft_str_addf(out, "; limit %s", c->limit_basis);
    }
    rft_str_add_char(out, '\n');
}

void rft_show_ceilings_table(rft_str *out, const rft_run *run, rft_arena *arena) {
    bool soaked = false;
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        soaked = soaked || run->ceilings.items[id].sustained.n > 0;
    }
    rft_layout_left(out, "ceiling", 12);
    rft_layout_right(out, soaked ? "burst" : "measured", 15);
    if (soaked) {
        rft_layout_right(out, "sustained", 15);
    }
    rft_layout_right(out, "datasheet", 15);
    rft_layout_right(out, "limit", 15);
    rft_str_add_char(out, '\n');
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        add_row(out, &run->ceilings.items[id], (rft_ceiling_id)id, soaked, arena);
    }
}

/* ---- for programs ---- */

static void set_real(json_t *object, const char *name, double value) {
    json_object_set_new(object, name, rft_json_real_new(value));
}

static json_t *of_ceiling(const rft_ceiling *c, rft_ceiling_id id) {
    json_t *item = json_object();
    bool soaked = c->sustained.n > 0;
    set_real(item, "median", c->measured ? c->stats.median : (double)NAN);
    json_object_set_new(item, "unit", json_string(rft_ceiling_unit(id)));
    json_object_set_new(item, "at_least", json_boolean(c->measured && c->at_least));
    set_real(item, "low", c->measured ? c->stats.low : (double)NAN);
    set_real(item, "high", c->measured ? c->stats.high : (double)NAN);
    json_object_set_new(item, "samples", json_integer(c->measured ? (json_int_t)c->stats.n : 0));
    set_real(item, "clock_mhz", c->clock_mhz);
    json_object_set_new(item, "kernel", c->measured ? rft_show_text_json(c->kernel) : json_null());
    set_real(item, "sustained", soaked ? c->sustained.median : (double)NAN);
    set_real(item, "sustained_clock_mhz", soaked ? c->sustained_clock_mhz : (double)NAN);
    set_real(item, "datasheet", c->datasheet);
    json_object_set_new(item, "datasheet_basis", rft_show_text_json(c->datasheet_basis));
    set_real(item, "hardware_limit", c->limit);
    set_real(item, "limit", c->limit); /* hardware_limit until 0.1.0 */
    json_object_set_new(item, "limit_basis", rft_show_text_json(c->limit_basis));
    json_object_set_new(item, "measured_unix_ns",
                        c->measured_unix_ns ? json_integer((json_int_t)c->measured_unix_ns) : json_null());
    json_object_set_new(item, "reason", c->measured ? json_null() : rft_show_text_json(c->reason));
    return item;
}

json_t *rft_show_ceilings_json(const rft_run *run) {
    json_t *object = json_object();
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        json_object_set_new(object, rft_ceiling_name((rft_ceiling_id)id),
                            of_ceiling(&run->ceilings.items[id], (rft_ceiling_id)id));
    }
    return object;
}
