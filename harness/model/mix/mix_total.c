/* SPDX-License-Identifier: Apache-2.0 */
#include "model/mix/mix_total.h"

#include "base/units.h"
#include "model/mix/mix_parts.h"
#include "model/run/run_foreign.h"
#include "model/stats/error_sum.h"
#include "model/stats/repeat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- sums ---- */

/* One term: count x a value with its own interval, of which half a width of `common` is shared by all. Terms of the
 * same `source` have the same error. */
typedef struct term {
    const void *source;
    double count, value, low, high;
    bool interval;
    double common;
} term;

static bool seen_before(const term *terms, size_t at) {
    for (size_t i = 0; i < at; i++) {
        if (terms[i].source == terms[at].source) {
            return true;
        }
    }
    return false;
}

static rft_mix_figure sum_of(const term *terms, size_t count) {
    rft_mix_figure sum = {0};
    rft_error_sum below = {0}, above = {0};
    bool interval = true;
    for (size_t i = 0; i < count; i++) {
        sum.value += terms[i].count * terms[i].value;
        interval = interval && terms[i].interval;
        if (seen_before(terms, i)) {
            continue;
        }
        double together = 0.0;
        for (size_t k = i; k < count; k++) {
            together += terms[k].source == terms[i].source ? terms[k].count : 0.0;
        }
        double down = terms[i].value - terms[i].low, up = terms[i].high - terms[i].value;
        rft_error_sum_add(&below, together * down, together * fmin(down, terms[i].common));
        rft_error_sum_add(&above, together * up, together * fmin(up, terms[i].common));
    }
    sum.low = interval ? sum.value - rft_error_sum_half(&below) : (double)NAN;
    sum.high = interval ? sum.value + rft_error_sum_half(&above) : (double)NAN;
    return sum;
}

static rft_mix_figure no_figure(const char *missing) {
    return (rft_mix_figure){NAN, NAN, NAN, missing, missing};
}

static rft_mix_figure scaled(const rft_mix_figure *of, double factor) {
    return of->missing
               ? no_figure(of->missing)
               : (rft_mix_figure){of->value * factor, of->low * factor, of->high * factor, NULL, of->no_interval};
}

/* factor / x: what was low is high. */
static rft_mix_figure inverse(const rft_mix_figure *of, double factor) {
    return of->missing
               ? no_figure(of->missing)
               : (rft_mix_figure){factor / of->value, factor / of->high, factor / of->low, NULL, of->no_interval};
}

/* ---- time and energy ---- */

static const char *line_name(const rft_mix_line *line, rft_arena *arena) {
    return rft_arena_printf(arena, "%s%s%s", line->item->operation, *line->problem ? " " : "", line->problem);
}

static void add_times(rft_mix_total *total, rft_arena *arena) {
    term *terms = rft_arena_calloc(arena, total->line_count, sizeof *terms);
    const char *without = NULL;
    for (size_t i = 0; i < total->line_count; i++) {
        const rft_mix_line *line = &total->lines[i];
        const rft_stats *stats = &line->measurement->stats;
        double common = line->measurement->process_count > 1 ? RFT_REPEAT_FLOOR_FRAC * stats->median : 0.0;
        terms[i] = (term){line->measurement, line->item->count,     stats->median, stats->low,
                          stats->high,       stats->interval_is_95, common};
        if (!stats->interval_is_95 && !without) {
            without = rft_arena_printf(arena, "%s has no 95 %% interval of its median: too few samples",
                                       line_name(line, arena));
        }
    }
    total->time_s = sum_of(terms, total->line_count);
    total->time_s.no_interval = without;
    total->units_s = inverse(&total->time_s, total->mix->per);
}

/* Joules of the line; its reason where they are not known. */
static const rft_load *energy_of(rft_mix_line *line) {
    const rft_load *load = line->point ? line->point->loads[RFT_LOAD_ENERGY] : NULL;
    if (line->by_vendor) {
        line->no_joules = "the library's energy was not measured";
    } else if (!load) {
        line->no_joules = "its energy was not measured (run --energy best measures that of every problem's best)";
    } else if (load->reason || !load->source || !isfinite(load->joules_per_run)) {
        const char *reason = load->reason ? load->reason : load->energy_reason;
        line->no_joules = reason ? reason : "its energy is not known; no reason was recorded";
    } else {
        line->joules = line->item->count * load->joules_per_run;
        return load;
    }
    return NULL;
}

static void add_joules(rft_mix_total *total, rft_arena *arena) {
    term *terms = rft_arena_calloc(arena, total->line_count, sizeof *terms);
    const rft_mix_line *lacking = NULL;
    size_t lacking_count = 0;
    bool interval = true;
    for (size_t i = 0; i < total->line_count; i++) {
        const rft_load *load = energy_of(&total->lines[i]);
        if (load) {
            double half = load->joules_per_run * load->uncertainty_frac;
            terms[i] = (term){load,
                              total->lines[i].item->count,
                              load->joules_per_run,
                              load->joules_per_run - half,
                              load->joules_per_run + half,
                              isfinite(half),
                              0.0};
            interval = interval && isfinite(half);
        } else {
            lacking = lacking ? lacking : &total->lines[i];
            lacking_count++;
        }
    }
    if (lacking) {
        const char *more =
            lacking_count > 1 ? rft_arena_printf(arena, "; energy is missing of %zu operations", lacking_count) : "";
        total->joules =
            no_figure(rft_arena_printf(arena, "%s: %s%s", line_name(lacking, arena), lacking->no_joules, more));
    } else {
        rft_mix_figure one = sum_of(terms, total->line_count);
        total->joules = scaled(&one, total->mix->cards);
        total->joules.no_interval = interval ? NULL : "the sensor's uncertainty is not known";
    }
    total->units_j = inverse(&total->joules, total->mix->per);
}

/* ---- cost ---- */

static const char *no_price_text(const rft_mix_total *total, rft_arena *arena) {
    const rft_mix_book *book = total->book;
    const char *device = total->gpu->name ? total->gpu->name : "this device";
    if (book->price_count == 0) {
        return "no price of the device is given";
    }
    const char **names = rft_arena_calloc(arena, book->price_count, sizeof *names);
    for (size_t i = 0; i < book->price_count; i++) {
        names[i] = book->prices[i].device;
    }
    const char *near = rft_text_nearest(device, names, book->price_count);
    return near ? rft_arena_printf(arena, "no price of \"%s\" is given, but of \"%s\"", device, near)
                : rft_arena_printf(arena, "no price of \"%s\" is given", device);
}

/* a x + b y of two instruments, the clock and the sensor: independent. */
static rft_mix_figure both(const rft_mix_figure *x, double a, const rft_mix_figure *y, double b) {
    if (x->missing || y->missing) {
        return no_figure(x->missing ? x->missing : y->missing);
    }
    rft_mix_figure sum = {.value = a * x->value + b * y->value,
                          .no_interval = x->no_interval ? x->no_interval : y->no_interval};
    double down = hypot(a * (x->value - x->low), b * (y->value - y->low));
    double up = hypot(a * (x->high - x->value), b * (y->high - y->value));
    sum.low = sum.no_interval ? (double)NAN : sum.value - down;
    sum.high = sum.no_interval ? (double)NAN : sum.value + up;
    return sum;
}

/* What the card draws while it waits, by the first run that knows. */
static double idle_watts(const rft_run *const *runs, size_t run_count) {
    for (size_t r = 0; r < run_count; r++) {
        const rft_load *idle = runs[r]->idle;
        if (idle && !idle->reason && idle->source) {
            return idle->power_w;
        }
    }
    return NAN;
}

static void add_costs(rft_mix_total *total, rft_arena *arena) {
    const rft_mix_book *book = total->book;
    const rft_mix_terms *terms = &total->terms;
    double passes = RFT_MIX_UNITS / total->mix->per;
    rft_mix_rates rates = rft_mix_rates_of(terms);
    const char *no_card = !total->price         ? no_price_text(total, arena)
                          : isnan(terms->years) ? "over how many years the price is spread is not given (years)"
                                                : NULL;
    const char *no_energy = isnan(book->kwh) ? "no price of a kilowatt-hour is given (kwh)"
                            : terms->utilisation < 1.0 && isnan(terms->idle_watts)
                                ? "what the card draws while it waits was not measured (utilisation is below 1)"
                                : total->joules.missing;
    const char *missing = no_card ? no_card : no_energy;
    total->card_cost = no_card ? no_figure(no_card) : scaled(&total->time_s, rates.device_s * passes);
    total->energy_cost = no_energy ? no_figure(no_energy)
                                   : both(&total->time_s, rates.power_s * passes, &total->joules, rates.joule * passes);
    total->cost =
        missing ? no_figure(missing)
                : both(&total->time_s, (rates.device_s + rates.power_s) * passes, &total->joules, rates.joule * passes);
}

/* ---- shares ---- */

static int compare_shares(const void *a, const void *b) {
    const rft_mix_share *x = a, *y = b;
    return x->time_s != y->time_s ? (x->time_s < y->time_s ? 1 : -1) : strcmp(x->name, y->name);
}

static void put_share(const rft_mix_line *line, const char *name, rft_mix_share *shares, size_t *count) {
    size_t at = 0;
    while (at < *count && strcmp(shares[at].name, name) != 0) {
        at++;
    }
    *count += at == *count;
    shares[at].name = name;
    shares[at].time_s += line->time_s;
    shares[at].frac += line->frac;
    shares[at].lines++;
}

static void add_shares(rft_mix_total *total, rft_arena *arena) {
    total->by_operation = rft_arena_calloc(arena, total->line_count, sizeof *total->by_operation);
    total->by_bound = rft_arena_calloc(arena, total->line_count, sizeof *total->by_bound);
    for (size_t i = 0; i < total->line_count; i++) {
        rft_mix_line *line = &total->lines[i];
        line->frac = line->time_s / total->time_s.value;
        put_share(line, line->item->operation, total->by_operation, &total->operation_count);
        put_share(line, line->bound_name, total->by_bound, &total->bound_count);
    }
    qsort(total->by_operation, total->operation_count, sizeof *total->by_operation, compare_shares);
    qsort(total->by_bound, total->bound_count, sizeof *total->by_bound, compare_shares);
}

/* ---- what must be said ---- */

static void note(rft_mix_total *total, const char *text) {
    total->notes[total->note_count++] = text;
}

static void note_cache(rft_mix_total *total, rft_arena *arena) {
    bool used[RFT_TIMING_COUNT][RFT_CACHE_COUNT] = {{false}};
    rft_str text = RFT_STR_INIT;
    for (size_t i = 0; i < total->line_count; i++) {
        if (total->lines[i].measurement) {
            used[total->lines[i].measurement->mode][total->lines[i].measurement->cache] = true;
        }
    }
    for (int i = 0; i < RFT_TIMING_COUNT * RFT_CACHE_COUNT; i++) {
        const rft_timing_mode mode = (rft_timing_mode)(i / RFT_CACHE_COUNT);
        const rft_cache_mode cache = (rft_cache_mode)(i % RFT_CACHE_COUNT);
        if (used[mode][cache]) {
            rft_str_addf(&text, "%s%s", text.length ? " and " : "", rft_protocol_name(cache, mode));
        }
    }
    note(total, rft_arena_printf(arena,
                                 "Each operation was measured alone, with a %s cache; in a pass the one before it may "
                                 "leave its inputs in the cache, or push them out.",
                                 rft_str_get(&text)));
    rft_str_clear(&text);
}

static void note_sustained(rft_mix_total *total, rft_arena *arena) {
    for (size_t i = 0; i < total->line_count; i++) {
        const rft_mix_line *line = &total->lines[i];
        if (line->point && !line->by_vendor && rft_point_sags(line->point)) {
            double change = rft_point_sustained_s(line->point) / rft_point_median_s(line->point) - 1.0;
            note(total, rft_arena_printf(arena, "Times are those of bursts: under load for %g s %s takes %.0f %% %s.",
                                         line->point->loads[RFT_LOAD_SOAK]->asked_s, line_name(line, arena),
                                         fabs(change) * 100.0, change > 0 ? "longer" : "less"));
            return; /* one is warning enough */
        }
    }
}

/* Which runs the points are from, and what those are besides. */
static void note_runs(rft_mix_total *total, const rft_run *const *runs, size_t run_count, rft_arena *arena) {
    rft_str text = RFT_STR_INIT;
    size_t used = 0;
    bool cards = false;
    for (size_t r = 0; r < run_count; r++) {
        bool here = false;
        for (size_t i = 0; i < total->line_count && !here; i++) {
            here = total->lines[i].run == runs[r];
        }
        if (!here) {
            continue;
        }
        char date[40];
        const rft_run_info *info = &runs[r]->info;
        rft_units_format_iso(date, sizeof date, info->replay_of ? info->replay_started_unix_ns : info->started_unix_ns);
        date[10] = '\0';
        rft_str_addf(&text, "%s%s (%s%s%s)", used++ ? ", " : "", info->id ? info->id : "without id", date,
                     info->replay_of ? ", a replayed recording" : "",
                     rft_run_foreign(runs[r]) ? ", another tuner's measurements, not verified" : "");
        const char *uuid = runs[r]->gpu.uuid, *first = total->gpu->uuid;
        cards = cards || (uuid && *uuid && first && *first && strcmp(uuid, first) != 0);
    }
    if (used) {
        note(total, rft_arena_printf(arena, "Points are from run%s %s%s.", used > 1 ? "s" : "", rft_str_get(&text),
                                     cards ? "; not all on the same card" : ""));
    }
    rft_str_clear(&text);
}

static const char *energy_note(const rft_mix_total *total, rft_arena *arena) {
    const rft_mix_book *book = total->book;
    const char *host = isnan(book->host_watts) ? NULL : "what was said of its host";
    const char *pue = isnan(book->pue) ? NULL : "the PUE";
    const char *measured = "Energy is the board's, by its own sensor, with launches back to back";
    return host || pue
               ? rft_arena_printf(arena, "%s; its cost adds %s%s%s.", measured, host ? host : "",
                                  host && pue ? " and " : "", pue ? pue : "")
               : rft_arena_printf(arena, "%s; of the rest of the machine and its cooling nothing is in it.", measured);
}

static void add_notes(rft_mix_total *total, const rft_run *const *runs, size_t run_count, rft_arena *arena) {
    total->notes = rft_arena_calloc(arena, 7, sizeof *total->notes);
    note(total, "Covers the listed kernels only: no gaps between launches, no communication, no host.");
    if (total->mix->cards > 1.0) {
        note(total,
             rft_arena_printf(arena,
                              "%.0f cards are taken to work on a pass at once, each on the listed operations, and "
                              "without a wait for each other; one was measured.",
                              total->mix->cards));
    }
    if (!total->missing_count) {
        note_cache(total, arena);
        note(total, "Intervals are 95 %; errors of two operations are taken to agree by 0.15, as the problems of a run "
                    "do at most. What all share beyond a run (the card, the day) is not in them.");
        note_sustained(total, arena);
        if (!total->joules.missing) {
            note(total, energy_note(total, arena));
        }
    }
    note_runs(total, runs, run_count, arena);
}

/* ---- together ---- */

static int check_devices(const rft_run *const *runs, size_t run_count, rft_err *err) {
    for (size_t r = 1; r < run_count; r++) {
        if (!rft_text_equal(runs[0]->gpu.name, runs[r]->gpu.name)) {
            rft_err_set(err, RFT_E_USAGE, "a mix is of one device: %s and %s were given",
                        runs[0]->gpu.name ? runs[0]->gpu.name : "an unknown one",
                        runs[r]->gpu.name ? runs[r]->gpu.name : "an unknown one");
            return rft_err_remedy(err, "one device at a time, or rooftune compare");
        }
    }
    return RFT_OK;
}

static void find_lines(rft_mix_total *total, const rft_run *const *runs, size_t run_count, rft_arena *arena) {
    total->lines = rft_arena_calloc(arena, total->line_count, sizeof *total->lines);
    for (size_t i = 0; i < total->line_count; i++) {
        rft_mix_line *line = &total->lines[i];
        rft_mix_find(line, &total->mix->items[i], runs, run_count, arena);
        total->missing_count += line->missing != NULL;
        line->bound.resource = RFT_RESOURCE_UNKNOWN;
        line->bound_name = "library, not judged";
        if (line->point && !line->by_vendor) {
            line->bound = rft_bound_of(line->run, line->point);
            line->bound_name = rft_resource_name(line->bound.resource, line->bound.pipe);
        }
    }
}

int rft_mix_total_of(rft_mix_total **out, const rft_mix *mix, const rft_mix_book *book, const rft_run *const *runs,
                     size_t run_count, rft_arena *arena, rft_err *err) {
    rft_mix_total *total = rft_arena_calloc(arena, 1, sizeof *total);
    *out = NULL;
    int rc = check_devices(runs, run_count, err);
    if (rc != RFT_OK) {
        return rc;
    }
    total->mix = mix;
    total->book = book;
    total->gpu = &runs[0]->gpu;
    total->called = rft_mix_name_of(book, total->gpu);
    total->line_count = mix->item_count;
    total->price = rft_mix_price_of(book, total->gpu);
    total->terms = rft_mix_terms_of(book, mix, total->price);
    total->terms.idle_watts = idle_watts(runs, run_count);
    total->room = rft_mix_room_of(mix, total->gpu);
    find_lines(total, runs, run_count, arena);
    if (total->missing_count) {
        rft_mix_figure none = no_figure(
            rft_arena_printf(arena, "%zu of %zu operations have no time", total->missing_count, total->line_count));
        total->time_s = total->units_s = total->joules = total->units_j = none;
        total->card_cost = total->energy_cost = total->cost = none;
    } else {
        add_times(total, arena);
        add_joules(total, arena);
        add_costs(total, arena);
        add_shares(total, arena);
    }
    add_notes(total, runs, run_count, arena);
    *out = total;
    return RFT_OK;
}
