/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/figures.h"
#include "reports/findings/findings.h"

#include "base/str.h"
#include "model/stats/interval_text.h"

#include <math.h>
#include <string.h>

enum {
    LABEL,
    MEDIAN,
    BRIEFLY, /* without its interval, in three digits */
    INTERVAL,
    UNIT,
    AT_LEAST,
    LOW,
    HIGH,
    SAMPLES,
    CLOCK,
    KERNEL,
    SUSTAINED,
    SUSTAINED_CLOCK,
    PER_CYCLE,
    SUSTAINED_PER_CYCLE,
    SUSTAINED_POWER,
    SHEET,
    SHEET_BASIS,
    HARDWARE_LIMIT,
    LIMIT, /* by the name it had until 0.1.0 */
    LIMIT_BASIS,
    MEASURED_AT,
    REASON,
    OF_SHEET,
    OF_LIMIT,
    UNDER_LOAD, /* on a page, only where something was soaked */
    HOT_CLOCK,
    HOT_POWER,
    SAGS, /* the same on a terminal, of those that differ */
    FIELDS
};

static const rft_trait fields[FIELDS] = {
    [LABEL] = {.title = "Ceiling", .wraps = true},
    [MEDIAN] = {.key = "median",
                .title = "Burst",
                .where = RFT_ON_PAGE | RFT_IN_FULL | RFT_IN_DATA,
                .style = RFT_AS_SI,
                .align = RFT_ALIGN_DECIMAL},
    [BRIEFLY] = {.title = "Burst", .where = RFT_IN_BRIEF, .style = RFT_AS_SI, .align = RFT_ALIGN_DECIMAL},
    [INTERVAL] = {.title = "95 %", .where = RFT_ON_PAGE | RFT_IN_FULL, .align = RFT_ALIGN_RIGHT, .wraps = true},
    [UNIT] = {.key = "unit"},
    [AT_LEAST] = {.key = "at_least"},
    [LOW] = {.key = "low"},
    [HIGH] = {.key = "high"},
    [SAMPLES] = {.key = "samples"},
    [CLOCK] =
        {.key = "clock_mhz", .title = "SM clock", .unit = "MHz", .headed = true, .digits = 4, .align = RFT_ALIGN_RIGHT},
    [KERNEL] = {.key = "kernel"},
    [SUSTAINED] = {.key = "sustained"},
    [SUSTAINED_CLOCK] = {.key = "sustained_clock_mhz"},
    [PER_CYCLE] = {.key = "per_cycle"},
    [SUSTAINED_PER_CYCLE] = {.key = "sustained_per_cycle"},
    [SUSTAINED_POWER] = {.key = "sustained_power_w"},
    [SHEET] = {.key = "datasheet",
               .title = "Datasheet",
               .where = RFT_ON_PAGE | RFT_IN_DATA,
               .style = RFT_AS_SI,
               .align = RFT_ALIGN_DECIMAL},
    [SHEET_BASIS] = {.key = "datasheet_basis"},
    [HARDWARE_LIMIT] = {.key = "hardware_limit"},
    [LIMIT] = {.key = "limit"},
    [LIMIT_BASIS] = {.key = "limit_basis"},
    [MEASURED_AT] = {.key = "measured_unix_ns"},
    [REASON] = {.key = "reason"},
    [OF_SHEET] = {.title = "of sheet", .brief = "of datasheet", .style = RFT_AS_PERCENT, .align = RFT_ALIGN_DECIMAL},
    [OF_LIMIT] = {.title = "of limit", .where = RFT_ON_PAGE, .style = RFT_AS_PERCENT, .align = RFT_ALIGN_DECIMAL},
    [UNDER_LOAD] = {.title = "Sustained", .where = RFT_ON_PAGE, .style = RFT_AS_SI, .align = RFT_ALIGN_DECIMAL},
    [HOT_CLOCK] = {.title = "Clock then",
                   .where = RFT_ON_PAGE,
                   .unit = "MHz",
                   .headed = true,
                   .digits = 4,
                   .align = RFT_ALIGN_RIGHT},
    [HOT_POWER] = {.title = "Power", .where = RFT_ON_PAGE, .unit = "W", .headed = true, .align = RFT_ALIGN_RIGHT},
    [SAGS] = {.title = "Sustained", .where = RFT_IN_TEXT, .below = true},
};

static void add_sustained(rft_datum *cells, const rft_ceiling *c, const char *unit, rft_arena *arena) {
    cells[UNDER_LOAD] = rft_datum_absent();
    if (c->sustained.n > 0) {
        cells[SUSTAINED] = cells[UNDER_LOAD] = rft_datum_rate(c->sustained.median, unit);
        cells[SUSTAINED_CLOCK] = cells[HOT_CLOCK] = rft_datum_or(rft_datum_number(c->sustained_clock_mhz), "not read");
        cells[SUSTAINED_POWER] = cells[HOT_POWER] = rft_datum_number(c->sustained_power_w);
        cells[UNDER_LOAD].words = rft_ceiling_sags(c) ? NULL : "same";
    }
    if (rft_ceiling_sags(c)) {
        const char *rate = rft_datum_words(&cells[SUSTAINED], &fields[UNDER_LOAD], true, arena);
        cells[SAGS] = rft_datum_text(rft_arena_printf(
            arena, "sustained %s, SM clock %s%s", rate,
            rft_datum_words(&cells[HOT_CLOCK], &fields[HOT_CLOCK], true, arena),
            isnan(c->sustained_power_w)
                ? ""
                : rft_arena_printf(arena, ", %s W", rft_figure_plain(arena, c->sustained_power_w, 3))));
    }
}

static void add_measured(rft_datum *cells, const rft_ceiling *c, const char *unit, rft_arena *arena) {
    cells[MEDIAN] = cells[BRIEFLY] = rft_datum_rate(c->stats.median, unit);
    cells[LOW] = rft_datum_number(c->stats.low);
    cells[HIGH] = rft_datum_number(c->stats.high);
    cells[KERNEL] = rft_datum_text(c->kernel);
    rft_interval_text burst = rft_stats_text(&c->stats, 0.0, unit, arena);
    cells[MEDIAN].words = burst.value;
    cells[INTERVAL] = burst.interval ? rft_datum_text(burst.interval) : rft_datum_absent();
    if (c->at_least) { /* is no share of anything */
        cells[MEDIAN].words = rft_arena_printf(arena, "%s%s", rft_ceiling_prefix(c), burst.value);
        cells[BRIEFLY].words =
            rft_arena_printf(arena, "%s%s", rft_ceiling_prefix(c), rft_figure_si(arena, c->stats.median, unit));
    } else {
        cells[OF_SHEET] = rft_datum_number(c->stats.median / c->datasheet);
        cells[OF_LIMIT] = rft_datum_number(c->stats.median / c->limit);
    }
}

static void add_ceiling(rft_cell_table *table, const rft_ceiling *c, rft_ceiling_id id) {
    rft_cell_row *row = rft_cell_table_row(table);
    rft_datum *cells = row->cells;
    row->key = rft_ceiling_name(id);
    row->where = c->measured ? 0 : RFT_IN_DATA;
    cells[LABEL] = rft_datum_text(rft_ceiling_label(id));
    cells[UNIT] = rft_datum_text(rft_ceiling_unit(id));
    cells[AT_LEAST] = rft_datum_flag(c->measured && c->at_least);
    cells[SAMPLES] = rft_datum_count(c->measured ? (int64_t)c->stats.n : 0);
    cells[CLOCK] = rft_datum_or(rft_datum_number(c->clock_mhz), "not read");
    if (c->measured) {
        add_measured(cells, c, rft_ceiling_unit(id), table->arena);
    } else {
        cells[REASON] = rft_datum_text(c->reason);
    }
    add_sustained(cells, c, rft_ceiling_unit(id), table->arena);
    cells[SHEET] = rft_datum_rate(c->datasheet, rft_ceiling_unit(id));
    if (!isnan(c->datasheet) && c->datasheet_basis && *c->datasheet_basis) {
        cells[SHEET].note = rft_arena_printf(table->arena, "Basis: %s.", c->datasheet_basis);
    }
    cells[SHEET_BASIS] = rft_datum_text(c->datasheet_basis);
    cells[LIMIT] = cells[HARDWARE_LIMIT] = rft_datum_number(c->limit);
    cells[LIMIT_BASIS] = rft_datum_text(c->limit_basis);
    cells[MEASURED_AT] = c->measured_unix_ns ? rft_datum_count(c->measured_unix_ns) : rft_datum_absent();
}

static bool any_measured(const rft_run *run) {
    bool any = false;
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        any = any || run->ceilings.items[id].measured;
    }
    return any;
}

/* A column that says nothing of any ceiling is none; what is missing is said once below. */
static void drop_unknown(rft_finding *f, rft_cell_table *table, const rft_run *run) {
    bool sheet = false, limit = false, clock = false;
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        const rft_ceiling *c = &run->ceilings.items[id];
        sheet = sheet || (c->measured && !isnan(c->datasheet));
        limit = limit || (c->measured && !isnan(c->limit));
        clock = clock || (c->measured && !isnan(c->clock_mhz));
    }
    if (!sheet) {
        table->fields[SHEET].title = table->fields[OF_SHEET].title = NULL;
    }
    table->fields[OF_LIMIT].title = limit ? table->fields[OF_LIMIT].title : NULL;
    table->fields[CLOCK].title = clock ? table->fields[CLOCK].title : NULL;
    if (!sheet || !clock) {
        rft_finding_note(f, RFT_TO_PEOPLE, "%s%s%s.", sheet ? "" : "Of this card no datasheet is known",
                         sheet || clock ? "" : ", and ",
                         clock   ? ""
                         : sheet ? "Clocks were not read"
                                 : "clocks were not read");
    }
}

static void add_table(rft_finding *f, const rft_run *run) {
    rft_cell_table *table = rft_finding_table(f, "", fields, FIELDS);
    table->keyed = true;
    bool powered = false;
    for (int i = 0; i < RFT_CEILING_COUNT; i++) {
        rft_ceiling_id id = (rft_ceiling_id)i;
        add_ceiling(table, &run->ceilings.items[id], id);
        rft_datum *cells = table->rows[table->row_count - 1].cells;
        cells[PER_CYCLE] = rft_datum_number(rft_ceilings_per_cycle(&run->ceilings, id));
        cells[SUSTAINED_PER_CYCLE] = rft_datum_number(rft_ceilings_sustained_per_cycle(&run->ceilings, id));
        powered = powered || isfinite(run->ceilings.items[id].sustained_power_w);
    }
    if (!rft_ceilings_are_soaked(&run->ceilings)) {
        table->fields[UNDER_LOAD].title = table->fields[HOT_CLOCK].title = NULL;
    }
    table->fields[HOT_POWER].title = powered ? table->fields[HOT_POWER].title : NULL;
    if (any_measured(run)) {
        drop_unknown(f, table, run);
    }
}

static bool is_atomic(rft_ceiling_id id) {
    return id >= RFT_CEILING_ATOMICS_FIRST && id < RFT_CEILING_ATOMICS_END;
}

static bool missing_like(const rft_ceiling *items, int id, rft_ceiling_id like) {
    return !items[like].measured && rft_text_equal(items[like].reason, items[id].reason);
}

/* "atomics" for all of them where none was measured, for the same reason; NULL for those that it covers. */
static const char *missing_label(const rft_ceiling *items, rft_ceiling_id id) {
    bool none = is_atomic(id);
    for (int i = RFT_CEILING_ATOMICS_FIRST; i < RFT_CEILING_ATOMICS_END; i++) {
        none = none && missing_like(items, id, (rft_ceiling_id)i);
    }
    return !none ? rft_ceiling_label(id) : id == RFT_CEILING_ATOMICS_FIRST ? "atomics" : NULL;
}

/* "copy from host (pinned)" among others, of "copy from host, pinned". */
static const char *label_in_list(const char *label, rft_arena *arena) {
    const char *comma = strchr(label, ',');
    return comma ? rft_arena_printf(arena, "%.*s (%s)", (int)(comma - label), label, comma + 2) : label;
}

/* "(not asked for): FP64 tensor, TF32 tensor; not measured (no memory): copy from host": by reason, each told once. Of
 * one card alone nothing is missing that takes several. */
static void add_missing(rft_finding *f, const rft_run *run, bool with_datasheet, unsigned where) {
    const rft_ceiling *items = run->ceilings.items;
    bool told[RFT_CEILING_COUNT] = {false};
    rft_str text = RFT_STR_INIT;
    for (int id = 0; id < RFT_CEILING_SEVERAL_FIRST; id++) {
        if (items[id].measured || told[id]) {
            continue;
        }
        rft_str_addf(&text, "%s (%s): ", text.length ? "; not measured" : "Not measured",
                     items[id].reason ? items[id].reason : "no reason was recorded");
        for (int other = id; other < RFT_CEILING_SEVERAL_FIRST; other++) {
            rft_ceiling_id like = (rft_ceiling_id)other;
            if (missing_like(items, id, like)) {
                const char *label = missing_label(items, like);
                told[like] = true;
                rft_str_addf(&text, "%s%s", other > id && label ? ", " : "",
                             label ? label_in_list(label, f->arena) : "");
                if (with_datasheet && isfinite(items[like].datasheet)) {
                    rft_str_addf(&text, " [datasheet %s]",
                                 rft_figure_si(f->arena, items[like].datasheet, rft_ceiling_unit(like)));
                }
            }
        }
    }
    if (text.length) {
        rft_finding_note(f, where, "%s.", rft_str_get(&text));
    }
    rft_str_clear(&text);
}

rft_finding *rft_finding_ceilings(const rft_run *run, rft_arena *arena) {
    rft_finding *f = rft_finding_new(arena);
    const char *age = rft_run_ceilings_age_text(run, arena);
    bool any = any_measured(run), lower = false;
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        lower = lower || *rft_ceiling_prefix(&run->ceilings.items[id]);
    }
    if (any) {
        rft_finding_heading(f, RFT_IN_TEXT, 2, "Measured ceilings%s%s%s", age ? ", kept from " : "", age ? age : "",
                            age ? " before this run" : "");
    } else {
        rft_finding_strong(f, RFT_TO_PEOPLE,
                           "No ceiling was measured in this run: nothing here is given as a share of one.");
    }
    add_table(f, run);
    if (lower) {
        rft_finding_note(f, 0,
                         "\"At least\": measured on a path slower than this architecture's own, which this version "
                         "does not drive. Nothing is judged by it.");
    }
    add_missing(f, run, false, RFT_ON_PAGE);
    add_missing(f, run, true, RFT_IN_TEXT);
    return f;
}

bool rft_ceilings_are_soaked(const rft_ceilings *ceilings) {
    bool soaked = false;
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        soaked = soaked || ceilings->items[id].sustained.n > 0;
    }
    return soaked;
}

/* ---- operations and limits ---- */

/* "fma.rn.f32, 16 chains a thread; 254 FLOP/SM/cycle". */
static const char *detail_of(const rft_run *run, rft_ceiling_id id, rft_arena *arena) {
    const rft_ceiling *c = &run->ceilings.items[id];
    const char *kernel = c->kernel ? c->kernel : "not recorded", *unit = rft_ceiling_unit(id);
    double each = rft_ceilings_per_cycle(&run->ceilings, id) / (double)run->gpu.sms;
    return !c->measured      ? NULL
           : !isfinite(each) ? kernel
                             : rft_arena_printf(arena, "%s; %s %.*s/SM/cycle", kernel, rft_figure_plain(arena, each, 4),
                                                (int)strcspn(unit, "/"), unit);
}

rft_finding *rft_finding_operations(const rft_run *run, rft_arena *arena) {
    static const rft_trait columns[] = {
        {.title = "Ceiling", .wraps = true},
        {.title = "Datasheet", .style = RFT_AS_SI, .align = RFT_ALIGN_DECIMAL},
        {.title = "Hardware limit", .style = RFT_AS_SI, .align = RFT_ALIGN_DECIMAL},
        {.title = "Basis of the limit", .wraps = true},
    };
    rft_finding *f = rft_finding_new(arena);
    rft_finding_note(f, RFT_ON_PAGE,
                     "In grey, what measured each ceiling: kernels of rooftune's own or, where it is named, the "
                     "vendor's library.");
    rft_cell_table *table = rft_finding_table(f, NULL, columns, sizeof columns / sizeof *columns);
    bool sheet = false, limit = false;
    for (int i = 0; i < RFT_CEILING_COUNT; i++) {
        rft_ceiling_id id = (rft_ceiling_id)i;
        const rft_ceiling *c = &run->ceilings.items[id];
        sheet = sheet || !isnan(c->datasheet);
        limit = limit || !isnan(c->limit);
        if (!c->measured && isnan(c->datasheet) && isnan(c->limit)) {
            continue; /* its reason is enough */
        }
        rft_cell_row *row = rft_cell_table_row(table);
        row->detail = detail_of(run, id, arena);
        row->where = c->measured ? 0 : ~(unsigned)RFT_ON_PAGE; /* of limits alone: with --full */
        row->cells[0] = rft_datum_text(rft_ceiling_label(id));
        row->cells[1] = rft_datum_rate(c->datasheet, rft_ceiling_unit(id));
        row->cells[2] = rft_datum_rate(c->limit, rft_ceiling_unit(id));
        row->cells[3] = c->limit_basis && !isnan(c->limit) ? rft_datum_text(c->limit_basis) : rft_datum_absent();
    }
    table->fields[1].title = sheet ? table->fields[1].title : NULL;
    if (!limit) {
        table->fields[2].title = table->fields[3].title = NULL;
    }
    return table->row_count ? f : NULL;
}
