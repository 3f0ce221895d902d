/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/mix_text.h"

#include "base/units.h"
#include "cli/show_data.h"
#include "cli/show_parts.h"
#include "reports/print/layout.h"

#include <math.h>

#define NAME_MOST 34 /* all columns together: 80 */
#define COUNT_WIDTH 6
#define TIME_WIDTH 8
#define SHARE_WIDTH 8

typedef struct page {
    rft_str *out;
    rft_arena *arena;
    const char *plus_minus;
} page;

/* ---- figures ---- */

static void add_mix_facts(const page *p, const rft_mix_total *total) {
    rft_mix_fact facts[RFT_MIX_FACTS];
    size_t count = rft_mix_facts(total, p->plus_minus, p->arena, facts), width = 0, value = 0;
    for (size_t i = 0; i < count; i++) {
        width = rft_layout_widest(width, facts[i].label, 36);
        value = rft_layout_widest(value, facts[i].value, 24);
    }
    for (size_t i = 0; i < count; i++) {
        size_t at = 2 + width + 2 + value + 2;
        rft_str_add(p->out, "  ");
        rft_layout_left(p->out, facts[i].label, width + 2);
        rft_layout_right(p->out, facts[i].value, value);
        if (!facts[i].note || at > 60) {
            rft_str_add_char(p->out, '\n');
        }
        if (facts[i].note && at > 60) {
            rft_layout_wrapped(p->out, 4, 2, facts[i].note);
        } else if (facts[i].note) {
            rft_str note = RFT_STR_INIT; /* wrapped under itself: its first line goes on where the value ends */
            rft_layout_wrapped(&note, at, 0, facts[i].note);
            rft_str_add(p->out, rft_str_get(&note) + at - 2);
            rft_str_clear(&note);
        }
    }
}

/* ---- operations ---- */

static const char *operation_name(const page *p, const rft_mix_line *line) {
    return rft_arena_printf(p->arena, "%s%s%s", line->item->operation, *line->problem ? " " : "", line->problem);
}

static void add_operation(const page *p, const rft_mix_line *line, size_t width, bool complete) {
    char one[48], pass[48];
    const char *name = operation_name(p, line);
    rft_str_add(p->out, "  ");
    rft_layout_left(p->out, name, width);
    if (rft_layout_columns(name) > width) {
        rft_str_add_char(p->out, '\n');
        rft_layout_spaces(p->out, width + 2);
    }
    rft_layout_right(p->out, rft_mix_exact_text(line->item->count, p->arena), COUNT_WIDTH);
    if (line->missing) {
        rft_str_add(p->out, "  no time:\n");
        rft_layout_wrapped(p->out, 4, 2, line->missing);
        return;
    }
    rft_units_format_seconds(one, sizeof one, line->measurement->stats.median, 3);
    rft_units_format_seconds(pass, sizeof pass, line->time_s, 3);
    rft_layout_right(p->out, one, TIME_WIDTH);
    rft_layout_right(p->out, pass, TIME_WIDTH + 1);
    rft_layout_right(p->out, complete ? rft_arena_fixed(p->arena, line->frac * 100.0, 1, " %") : "", SHARE_WIDTH);
    rft_str_addf(p->out, "%s%s\n", line->by_vendor ? "" : " ", line->by_vendor ? "" : line->bound_name);
    if (line->by_vendor) {
        rft_layout_wrapped(p->out, 4, 2, rft_arena_printf(p->arena, "by %s", line->source));
    }
}

static void add_lines(const page *p, const rft_mix_total *total) {
    size_t width = 9;
    for (size_t i = 0; i < total->line_count; i++) {
        width = rft_layout_widest(width, operation_name(p, &total->lines[i]), NAME_MOST);
    }
    rft_str_add(p->out, "\n  ");
    rft_layout_left(p->out, "operation", width);
    rft_layout_right(p->out, "count", COUNT_WIDTH);
    rft_layout_right(p->out, "median", TIME_WIDTH);
    rft_layout_right(p->out, "per pass", TIME_WIDTH + 1);
    rft_layout_right(p->out, total->missing_count ? "" : "share", SHARE_WIDTH);
    rft_str_add(p->out, " bound\n");
    for (size_t i = 0; i < total->line_count; i++) {
        add_operation(p, &total->lines[i], width, !total->missing_count);
    }
}

static void add_shares(const page *p, const char *head, const rft_mix_share *shares, size_t count) {
    rft_str text = RFT_STR_INIT;
    rft_str_addf(&text, "time by %s: ", head);
    for (size_t i = 0; i < count; i++) {
        rft_str_addf(&text, "%s%s %s", i ? ", " : "", shares[i].name,
                     rft_arena_fixed(p->arena, shares[i].frac * 100.0, 1, " %"));
    }
    rft_layout_wrapped(p->out, 2, 2, rft_str_get(&text));
    rft_str_clear(&text);
}

static void add_mix(const page *p, const rft_mix_total *total) {
    rft_layout_wrapped(
        p->out, 0, 2,
        rft_arena_printf(p->arena, "Mix: %s, on %s", total->mix->name, rft_mix_device_text(total, p->arena)));
    add_mix_facts(p, total);
    add_lines(p, total);
    rft_str_add_char(p->out, '\n');
    if (!total->missing_count) {
        add_shares(p, "operation", total->by_operation, total->operation_count);
        add_shares(p, "bound", total->by_bound, total->bound_count);
    }
    for (size_t i = 0; i < total->note_count; i++) {
        rft_layout_wrapped(p->out, 2, 2, total->notes[i]);
    }
}

void rft_mix_text(rft_str *out, const rft_mix_set *set, bool ascii) {
    if (!set->book) {
        return;
    }
    rft_arena *arena = rft_arena_new();
    const page p = {out, arena, ascii ? "+-" : "\xc2\xb1"};
    for (size_t i = 0; i < set->total_count; i++) {
        rft_str_add(out, "\n");
        add_mix(&p, set->totals[i]);
    }
    if (set->book->remark_count) {
        rft_str_add(out, "\nRemarks\n");
    }
    for (size_t i = 0; i < set->book->remark_count; i++) {
        rft_layout_wrapped(out, 2, 2, set->book->remarks[i]);
    }
    rft_arena_free(arena);
}

/* ---- JSON ---- */

static json_t *of_figure(const rft_mix_figure *of) {
    json_t *object = json_object();
    json_object_set_new(object, "value", rft_json_real_new(of->value));
    json_object_set_new(object, "low", rft_json_real_new(of->low));
    json_object_set_new(object, "high", rft_json_real_new(of->high));
    json_object_set_new(object, "reason", rft_show_text_json(of->missing ? of->missing : of->no_interval));
    return object;
}

static json_t *of_line(const rft_mix_line *line, rft_arena *arena) {
    json_t *object = json_object(), *problem = json_object();
    bool found = line->missing == NULL;
    for (size_t i = 0; i < line->item->axis_count; i++) {
        json_object_set_new(problem, line->item->axes[i], rft_show_value_json(&line->item->values[i]));
    }
    const rft_stats *stats = found ? &line->measurement->stats : NULL;
    json_object_set_new(object, "operation", rft_show_text_json(line->item->operation));
    json_object_set_new(object, "problem", problem);
    json_object_set_new(object, "count", rft_json_real_new(line->item->count));
    json_object_set_new(object, "reason", rft_show_text_json(line->missing));
    json_object_set_new(object, "run", rft_show_text_json(found ? line->run->info.id : NULL));
    json_object_set_new(object, "sweep", rft_show_text_json(found ? line->run->sweeps[line->sweep].sweep.name : NULL));
    json_object_set_new(object, "point",
                        found && line->point && !line->by_vendor ? json_integer(line->point->id) : json_null());
    json_object_set_new(object, "source", rft_show_text_json(line->source));
    json_object_set_new(object, "median_s", rft_json_real_new(found ? stats->median : (double)NAN));
    json_object_set_new(object, "low_s", rft_json_real_new(found ? stats->low : (double)NAN));
    json_object_set_new(object, "high_s", rft_json_real_new(found ? stats->high : (double)NAN));
    json_object_set_new(object, "time_s", rft_json_real_new(line->time_s));
    json_object_set_new(object, "frac", rft_json_real_new(line->frac));
    json_object_set_new(object, "bound", rft_show_text_json(found && !line->by_vendor ? line->bound_name : NULL));
    json_object_set_new(object, "bound_text", rft_show_text_json(found ? rft_mix_bound_text(line, arena) : NULL));
    json_object_set_new(object, "joules", rft_json_real_new(line->joules));
    json_object_set_new(object, "no_joules", rft_show_text_json(line->no_joules));
    return object;
}

static json_t *of_shares(const rft_mix_share *shares, size_t count) {
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        json_t *one = json_object();
        json_object_set_new(one, "name", rft_show_text_json(shares[i].name));
        json_object_set_new(one, "time_s", rft_json_real_new(shares[i].time_s));
        json_object_set_new(one, "frac", rft_json_real_new(shares[i].frac));
        json_array_append_new(list, one);
    }
    return list;
}

static json_t *of_price(const rft_mix_total *total) {
    const rft_mix_book *book = total->book;
    json_t *object = json_object();
    json_object_set_new(object, "currency", rft_show_text_json(book->currency));
    json_object_set_new(object, "device", rft_json_real_new(total->price ? total->price->amount : (double)NAN));
    json_object_set_new(object, "date", rft_show_text_json(total->price ? total->price->date : NULL));
    json_object_set_new(object, "years", rft_json_real_new(book->years));
    json_object_set_new(object, "kwh", rft_json_real_new(book->kwh));
    json_object_set_new(object, "kwh_date", rft_show_text_json(book->kwh_date));
    return object;
}

static json_t *texts_of(const char *const *texts, size_t count) {
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        json_array_append_new(list, rft_show_text_json(texts[i]));
    }
    return list;
}

json_t *rft_mix_json_of(const rft_mix_total *total, rft_arena *arena) {
    json_t *object = json_object(), *lines = json_array();
    for (size_t i = 0; i < total->line_count; i++) {
        json_array_append_new(lines, of_line(&total->lines[i], arena));
    }
    json_object_set_new(object, "name", rft_show_text_json(total->mix->name));
    json_object_set_new(object, "file", rft_show_text_json(total->mix->path));
    json_object_set_new(object, "device", rft_show_text_json(total->gpu->name));
    json_object_set_new(object, "called", rft_show_text_json(total->called));
    json_object_set_new(object, "unit", rft_show_text_json(total->mix->unit));
    json_object_set_new(object, "per", rft_json_real_new(total->mix->per));
    json_object_set_new(object, "missing", json_integer((json_int_t)total->missing_count));
    json_object_set_new(object, "time_s", of_figure(&total->time_s));
    json_object_set_new(object, "units_s", of_figure(&total->units_s));
    json_object_set_new(object, "joules", of_figure(&total->joules));
    json_object_set_new(object, "units_j", of_figure(&total->units_j));
    json_object_set_new(object, "device_cost_million", of_figure(&total->card_cost));
    json_object_set_new(object, "energy_cost_million", of_figure(&total->energy_cost));
    json_object_set_new(object, "cost_million", of_figure(&total->cost));
    json_object_set_new(object, "price", of_price(total));
    json_object_set_new(object, "operations", lines);
    json_object_set_new(object, "by_operation", of_shares(total->by_operation, total->operation_count));
    json_object_set_new(object, "by_bound", of_shares(total->by_bound, total->bound_count));
    json_object_set_new(object, "notes", texts_of(total->notes, total->note_count));
    return object;
}

void rft_mix_json_set(json_t *root, const rft_mix_set *set) {
    if (!set->book) {
        return;
    }
    rft_arena *arena = rft_arena_new();
    json_t *list = json_array();
    for (size_t i = 0; i < set->total_count; i++) {
        json_array_append_new(list, rft_mix_json_of(set->totals[i], arena));
    }
    json_object_set_new(root, "mixes", list);
    json_object_set_new(root, "remarks", texts_of(set->book->remarks, set->book->remark_count));
    rft_arena_free(arena);
}
