/* SPDX-License-Identifier: Apache-2.0 */
#include "model/compare/break_even.h"

#include "base/str.h"
#include "model/run/run_drift.h"

#include <math.h>
#include <stdlib.h>

enum { FIRST, OTHER, SIDES };

/* What both sides cost by. */
typedef struct duel {
    rft_mix_terms terms[SIDES];
    double time_s[SIDES], joules[SIDES]; /* of a pass, on all its cards; joules 0 where energy is not counted */
} duel;

/* ---- what can be another ---- */

typedef enum assumption {
    OTHER_PRICE,
    FIRST_PRICE,
    UTILISATION,
    KWH,
    PUE,
    HOST_PRICE,
    HOST_WATTS,
    YEARS,
    COUNT_OF_LINE,
    ASSUMPTIONS
} assumption;

/* Which values of it are looked at; times what it is now where `times` is set. */
static const struct {
    const char *name;
    double least, most;
    bool times, inverse; /* inverse: costs are linear in 1 / x */
} ranges[ASSUMPTIONS] = {
    [OTHER_PRICE] = {"price", -INFINITY, INFINITY, false, false},
    [FIRST_PRICE] = {"price of the other card", 0.1, 10.0, true, false},
    [UTILISATION] = {"utilisation", 0.01, 1.0, false, true},
    [KWH] = {"price of energy", 0.1, 10.0, true, false},
    [PUE] = {"PUE", 1.0, 3.0, false, false},
    [HOST_PRICE] = {"host's price", 0.0, INFINITY, false, false}, /* most: see most_of() */
    [HOST_WATTS] = {"host's power", 0.0, 5000.0, false, false},
    [YEARS] = {"years of use", 0.5, 20.0, false, true},
    [COUNT_OF_LINE] = {NULL, 0.0, 10.0, true, false},
};

typedef struct question {
    assumption what;
    const rft_mix_line *lines[SIDES]; /* of COUNT_OF_LINE */
} question;

static double now_of(const duel *d, const question *q) {
    const rft_mix_terms *t = &d->terms[FIRST];
    switch (q->what) {
    case OTHER_PRICE:
        return d->terms[OTHER].price;
    case FIRST_PRICE:
        return t->price;
    case UTILISATION:
        return t->utilisation;
    case KWH:
        return t->kwh;
    case PUE:
        return t->pue;
    case HOST_PRICE:
        return t->host_price;
    case HOST_WATTS:
        return t->host_watts;
    case YEARS:
        return t->years;
    default:
        return q->lines[FIRST]->item->count;
    }
}

static void set_count(duel *d, const question *q, double count) {
    for (int s = 0; s < SIDES; s++) {
        const rft_mix_line *line = q->lines[s];
        double more = count / line->item->count - 1.0;
        d->time_s[s] += more * line->time_s;
        d->joules[s] += d->terms[s].kwh > 0.0 ? more * line->joules * d->terms[s].cards : 0.0;
    }
}

static duel with(const duel *d, const question *q, double value) {
    duel out = *d;
    if (q->what == COUNT_OF_LINE) {
        set_count(&out, q, value);
        return out;
    }
    for (int s = 0; s < SIDES; s++) {
        rft_mix_terms *t = &out.terms[s];
        *(q->what == OTHER_PRICE || q->what == FIRST_PRICE ? &t->price
          : q->what == UTILISATION                         ? &t->utilisation
          : q->what == KWH                                 ? &t->kwh
          : q->what == PUE                                 ? &t->pue
          : q->what == HOST_PRICE                          ? &t->host_price
          : q->what == HOST_WATTS                          ? &t->host_watts
                                                           : &t->years) = value;
    }
    if (q->what == OTHER_PRICE || q->what == FIRST_PRICE) { /* the one side's alone */
        int kept = q->what == OTHER_PRICE ? FIRST : OTHER;
        out.terms[kept].price = d->terms[kept].price;
    }
    return out;
}

/* ---- where both cost the same ---- */

static double cost_of(const duel *d, int side) {
    rft_mix_rates rates = rft_mix_rates_of(&d->terms[side]);
    return (rates.device_s + rates.power_s) * d->time_s[side] + rates.joule * d->joules[side];
}

/* Above 0: the other costs less. */
static double gap_at(const duel *d, const question *q, double value) {
    duel at = with(d, q, value);
    return cost_of(&at, FIRST) - cost_of(&at, OTHER);
}

/* Not finite: no value does it. */
static double solve(const duel *d, const question *q) {
    bool inverse = ranges[q->what].inverse;
    double now = now_of(d, q), x0 = inverse ? 1.0 / now : now, x1 = x0 > 0.0 ? 2.0 * x0 : x0 + 1.0;
    double gap0 = gap_at(d, q, now), gap1 = gap_at(d, q, inverse ? 1.0 / x1 : x1);
    double x = x0 - gap0 * (x1 - x0) / (gap1 - gap0);
    return !inverse ? x : x > 0.0 ? 1.0 / x : (double)INFINITY;
}

typedef struct ends {
    double low, high;
} ends;

/* `from` with one figure at an end of its interval after the other. */
static ends interval_of(const duel *from, const question *q, const rft_mix_figure figures[2 * SIDES], double value) {
    double below = 0.0, above = 0.0;
    for (int i = 0; i < 2 * SIDES; i++) {
        const double at[2] = {figures[i].low, figures[i].high};
        double least = value, most = value;
        for (int end = 0; end < 2; end++) {
            duel moved = *from;
            double *figure = i < SIDES ? &moved.time_s[i] : &moved.joules[i - SIDES];
            *figure = at[end];
            double shifted = solve(&moved, q);
            if (!isfinite(shifted)) {
                return (ends){NAN, NAN};
            }
            least = fmin(least, shifted);
            most = fmax(most, shifted);
        }
        below += (value - least) * (value - least);
        above += (most - value) * (most - value);
    }
    return (ends){value - sqrt(below), value + sqrt(above)};
}

/* ---- what would flip it ---- */

static double most_of(const duel *d, assumption what) {
    return what == HOST_PRICE ? fmax(d->terms[FIRST].price, d->terms[OTHER].price) : ranges[what].most;
}

static bool is_in_range(const duel *d, const question *q, double value) {
    double scale = ranges[q->what].times ? now_of(d, q) : 1.0;
    return isfinite(value) && value >= ranges[q->what].least * scale && value <= most_of(d, q->what) * scale;
}

static bool is_given(const rft_mix_book *book, assumption what) {
    switch (what) {
    case UTILISATION:
        return !isnan(book->utilisation);
    case PUE:
        return !isnan(book->pue);
    case HOST_PRICE:
        return !isnan(book->host_price);
    case HOST_WATTS:
        return !isnan(book->host_watts);
    default:
        return true;
    }
}

static const char *unit_of(const rft_mix_book *book, assumption what, rft_arena *arena) {
    switch (what) {
    case FIRST_PRICE:
    case HOST_PRICE:
        return book->currency;
    case KWH:
        return rft_arena_printf(arena, "%s a kWh", book->currency);
    case UTILISATION:
        return "%";
    case HOST_WATTS:
        return "W";
    default:
        return NULL;
    }
}

static const char *name_of(const question *q, rft_arena *arena) {
    const rft_mix_line *line = q->lines[FIRST];
    return q->what == COUNT_OF_LINE ? rft_arena_printf(arena, "count of %s%s%s", line->item->operation,
                                                       *line->problem ? " " : "", line->problem)
                                    : ranges[q->what].name;
}

static double change_of(const rft_break_even_flip *flip) {
    return flip->now > 0.0 && flip->at > 0.0 ? fabs(log(flip->at / flip->now)) : (double)INFINITY;
}

static int compare_flips(const void *left, const void *right) {
    double a = change_of(left), b = change_of(right);
    return a < b ? -1 : a > b ? 1 : 0;
}

/* False: within its range no value of it does. */
static bool ask(rft_break_even *out, const duel *d, const question *q, const rft_mix_figure figures[2 * SIDES],
                const rft_mix_book *book, rft_arena *arena) {
    double at = solve(d, q);
    if (!is_in_range(d, q, at)) {
        return false;
    }
    ends around = interval_of(d, q, figures, at);
    out->flips[out->flip_count++] = (rft_break_even_flip){.what = name_of(q, arena),
                                                          .unit = unit_of(book, q->what, arena),
                                                          .given = is_given(book, q->what),
                                                          .now = now_of(d, q),
                                                          .at = at,
                                                          .low = around.low,
                                                          .high = around.high};
    return true;
}

/* Has it a part in the decision? Of prices alone years and utilisation have none, and no watt. */
static bool matters(const duel *d, const rft_break_even *out, assumption what) {
    bool idle_known = isfinite(d->terms[FIRST].idle_watts) && isfinite(d->terms[OTHER].idle_watts);
    return out->no_energy ? what == FIRST_PRICE || what == HOST_PRICE : what != UTILISATION || idle_known;
}

static void add_flips(rft_break_even *out, const duel *d, const rft_break_even_side *first,
                      const rft_break_even_side *other, const rft_mix_figure figures[2 * SIDES], rft_arena *arena) {
    const rft_mix_book *book = first->total->book;
    size_t lines = first->total->line_count, counts = 0;
    rft_str steady = RFT_STR_INIT;
    out->flips = rft_arena_calloc(arena, ASSUMPTIONS + lines, sizeof *out->flips);
    for (assumption what = FIRST_PRICE; what < COUNT_OF_LINE; what++) {
        const question q = {.what = what};
        if (matters(d, out, what) && !ask(out, d, &q, figures, book, arena)) {
            rft_str_addf(&steady, "%s%s", steady.length ? ", " : "", name_of(&q, arena));
        }
    }
    for (size_t i = 0; i < lines && lines > 1; i++) {
        const question q = {COUNT_OF_LINE, {&first->total->lines[i], &other->total->lines[i]}};
        counts += ask(out, d, &q, figures, book, arena);
    }
    if (lines > 1 && counts < lines) {
        rft_str_addf(&steady, "%s%s", steady.length ? ", " : "",
                     counts ? "other counts" : "the count of any operation");
    }
    qsort(out->flips, out->flip_count, sizeof *out->flips, compare_flips);
    out->steady = steady.length ? rft_arena_strdup(arena, rft_str_get(&steady)) : NULL;
    rft_str_clear(&steady);
}

/* ---- the price ---- */

const char *rft_break_even_decision_name(rft_break_even_decision decision) {
    static const char *const names[] = {"none", "wins", "loses", "open"};
    return names[decision];
}

static const char *why_no_price(const rft_mix_total *first, const rft_mix_total *other, bool energy, rft_arena *arena) {
    const rft_mix_total *both[SIDES] = {first, other};
    for (int s = 0; s < SIDES; s++) {
        if (both[s]->missing_count) {
            return both[s]->time_s.missing;
        }
        if (!both[s]->room.missing && !both[s]->room.fits) {
            return rft_arena_printf(arena, "on %s the workload %s",
                                    both[s]->gpu->name ? both[s]->gpu->name : "an unknown device",
                                    rft_mix_room_text(&both[s]->room, both[s]->mix, arena));
        }
    }
    return !first->price                         ? "no price of the first card is given"
           : energy && isnan(first->book->years) ? "over how many years prices are spread is not given (years)"
                                                 : NULL;
}

static duel duel_of(const rft_break_even_side *first, const rft_break_even_side *other, bool energy) {
    const rft_break_even_side *sides[SIDES] = {first, other};
    duel d;
    for (int s = 0; s < SIDES; s++) {
        d.terms[s] = sides[s]->total->terms;
        d.time_s[s] = sides[s]->time_s.median;
        d.joules[s] = energy ? sides[s]->total->joules.value : 0.0;
        d.terms[s].kwh = energy ? d.terms[s].kwh : 0.0;
        d.terms[s].years = isnan(d.terms[s].years) ? 1.0 : d.terms[s].years; /* of prices alone: of no consequence */
        d.terms[s].idle_watts = !energy ? 0.0 : d.terms[s].idle_watts;
    }
    d.terms[OTHER].price = isnan(d.terms[OTHER].price) ? d.terms[FIRST].price : d.terms[OTHER].price;
    return d;
}

rft_break_even_side rft_break_even_side_of(const rft_mix_total *total) {
    rft_break_even_side side = {total, rft_stats_of(NULL, 0)};
    double wider_s = 0.0;
    for (size_t i = 0; i < total->line_count; i++) {
        const rft_mix_line *line = &total->lines[i];
        bool one_process = line->measurement && line->measurement->process_count <= 1;
        wider_s += one_process ? line->time_s * rft_run_widen_frac(line->run, line->sweep, line->problem_index) : 0.0;
    }
    side.time_s.median = total->time_s.value;
    side.time_s.low = total->time_s.low - wider_s;
    side.time_s.high = total->time_s.high + wider_s;
    side.time_s.interval_is_95 = isfinite(side.time_s.low);
    return side;
}

static rft_mix_figure exact(double value) {
    return (rft_mix_figure){.value = value, .low = value, .high = value};
}

static void decide(rft_break_even *out) {
    if (out->doubt || isnan(out->given_price) || out->no_interval) {
        return;
    }
    out->decision = out->given_price < out->low    ? RFT_BREAK_EVEN_WINS
                    : out->given_price > out->high ? RFT_BREAK_EVEN_LOSES
                                                   : RFT_BREAK_EVEN_OPEN;
}

rft_break_even rft_break_even_of(const rft_break_even_side *first, const rft_break_even_side *other, const char *doubt,
                                 rft_arena *arena) {
    const rft_mix_total *a = first->total, *b = other->total;
    rft_break_even out = {.price = NAN, .low = NAN, .high = NAN, .given_price = NAN, .first_price = NAN};
    out.no_energy = a->energy_cost.missing ? a->energy_cost.missing : b->energy_cost.missing;
    bool energy = !out.no_energy;
    out.missing = why_no_price(a, b, energy, arena);
    if (out.missing) {
        return out;
    }
    const rft_stats *times[SIDES] = {&first->time_s, &other->time_s};
    const rft_mix_figure figures[2 * SIDES] = {{.low = times[FIRST]->low, .high = times[FIRST]->high},
                                               {.low = times[OTHER]->low, .high = times[OTHER]->high},
                                               energy ? a->joules : exact(0.0),
                                               energy ? b->joules : exact(0.0)};
    duel d = duel_of(first, other, energy);
    out.first_price = a->price->amount;
    out.given_price = b->price ? b->price->amount : (double)NAN;
    out.doubt = doubt;
    out.price = solve(&d, &(question){.what = OTHER_PRICE});
    ends around = interval_of(&d, &(question){.what = OTHER_PRICE}, figures, out.price);
    bool known = isfinite(around.low) && first->time_s.interval_is_95 && other->time_s.interval_is_95;
    out.low = known ? around.low : (double)NAN;
    out.high = known ? around.high : (double)NAN;
    out.no_interval = known ? NULL : "a time or an energy has no 95 % interval";
    decide(&out);
    if (out.decision == RFT_BREAK_EVEN_WINS || out.decision == RFT_BREAK_EVEN_LOSES) {
        add_flips(&out, &d, first, other, figures, arena);
    }
    return out;
}
