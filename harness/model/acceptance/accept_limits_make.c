/* SPDX-License-Identifier: Apache-2.0 */
/* accept_limits_make.c - limits from what cards have read (accept_limits.h). */
#include "model/acceptance/accept_limits.h"
#include "model/acceptance/accept_reading.h"

#include "model/run/run_foreign.h"
#include "model/stats/tolerance.h"

#include <math.h>
#include <string.h>

/* The runs of each card of the model, the card's own first. */
typedef struct card_runs {
    const rft_run **runs;
    size_t count;
} card_runs;

typedef struct limits_maker {
    rft_limits *limits;
    card_runs *cards;
    size_t card_count;
    size_t own; /* of the first card's runs: what they have is asked for, others of it only tell how it reads */
    rft_accept_reading **readings; /* one list a card */
    rft_arena *arena;
} limits_maker;

static void add_run(limits_maker *m, const rft_run *run, size_t most) {
    size_t at = 0;
    while (at < m->card_count && !rft_text_equal(m->cards[at].runs[0]->gpu.uuid, run->gpu.uuid)) {
        at++;
    }
    card_runs *card = &m->cards[at];
    if (at == m->card_count) {
        card->runs = rft_arena_calloc(m->arena, most, sizeof *card->runs);
        m->card_count++;
    }
    for (size_t i = 0; i < card->count; i++) {
        if (card->runs[i]->info.id && rft_text_equal(card->runs[i]->info.id, run->info.id)) {
            return; /* once */
        }
    }
    card->runs[card->count++] = run;
}

static int gather_cards(limits_maker *m, const rft_run *const *runs, size_t count, size_t own, rft_err *err) {
    const char *reason = NULL;
    for (size_t i = 0; i < count; i++) {
        if (rft_accept_refuses(runs[i], m->limits->device, &reason, m->arena) == RFT_ACCEPT_MET) {
            add_run(m, runs[i], count);
            m->own = i < own ? m->cards[0].count : m->own;
        } else if (i < own) {
            rft_err_set(err, RFT_E_NOT_FOUND, "no limits can be made from run %s: %s", runs[i]->info.id, reason);
            return rft_err_remedy(err, "name runs that rooftune measured on whole cards that it knows by their UUID");
        } else {
            m->limits->left_out++;
        }
    }
    m->limits->cards = m->card_count;
    return RFT_OK;
}

/* ---- which figures ---- */

static rft_limit *next_limit(limits_maker *m) {
    rft_limit *limit = &m->limits->items[m->limits->count++];
    *limit = (rft_limit){.value = NAN, .spread = NAN, .reading = NAN, .datasheet = NAN};
    return limit;
}

/* A launch takes what host and driver take: that is no matter of the card. */
static void add_ceilings(limits_maker *m) {
    const card_runs *own = &m->cards[0];
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        const rft_ceiling *best = NULL;
        for (size_t r = 0; r < m->own; r++) {
            const rft_ceiling *one = &own->runs[r]->ceilings.items[id];
            bool good = id != RFT_CEILING_LAUNCH && one->measured && !one->at_least && one->stats.median > 0.0;
            best = good && (!best || one->sustained.n > best->sustained.n) ? one : best;
        }
        if (best) {
            rft_limit *limit = next_limit(m);
            limit->is_ceiling = true;
            limit->ceiling = (rft_ceiling_id)id;
            limit->sustained = best->sustained.n > 0;
            limit->datasheet = best->datasheet;
        }
    }
}

/* The limit that stands for the same sweep, or for another of its script and sources: they tell much the same of a
 * card, and each further limit widens the guard bands of all. NULL: none. */
static rft_limit *kindred(const limits_maker *m, const char *operation, const char *source) {
    for (size_t i = 0; i < m->limits->count; i++) {
        rft_limit *limit = &m->limits->items[i];
        if (!limit->is_ceiling && (rft_text_equal(limit->problem.operation, operation) ||
                                   (source && rft_text_equal(limit->source, source)))) {
            return limit;
        }
    }
    return NULL;
}

static void add_longest(limits_maker *m, const rft_run *run, size_t s) {
    const rft_sweep *sweep = &run->sweeps[s].sweep;
    size_t problem = rft_run_largest(run, s);
    const rft_point *best = problem == SIZE_MAX ? NULL : rft_run_best(run, s, SIZE_MAX, problem);
    if (!best || !sweep->name || sweep->diagnostic == 1 || m->limits->count == RFT_LIMITS_MOST) {
        return;
    }
    const char *source = rft_accept_source(run, s, m->arena);
    rft_limit *limit = kindred(m, sweep->name, source);
    if (limit && !(rft_point_median_s(best) > limit->reading)) {
        return;
    }
    limit = limit ? limit : next_limit(m);
    limit->problem = (rft_mix_item){.operation = sweep->name, .axis_count = sweep->axis_count, .count = 1.0};
    limit->problem.axes = rft_arena_calloc(m->arena, sweep->axis_count + 1, sizeof *limit->problem.axes);
    limit->problem.values = sweep->problems[problem].values;
    for (size_t a = 0; a < sweep->axis_count; a++) {
        limit->problem.axes[a] = sweep->axes[a].name;
    }
    limit->source = source;
    limit->at_most = true;
    limit->reading = rft_point_median_s(best);
    limit->cache = rft_protocol_name(rft_point_measurement(best)->cache, rft_point_measurement(best)->mode);
}

/* ---- how much ---- */

/* Four digits, away from the readings: what is met stays met. */
static double rounded(double value, bool up) {
    double unit = pow(10.0, floor(log10(value)) - 3.0);
    return (up ? ceil(value / unit) : floor(value / unit)) * unit;
}

/* Logarithms of what the cards read, so that a larger one is better. */
static size_t good_logs(const limits_maker *m, size_t at, double *out) {
    size_t n = 0;
    for (size_t c = 0; c < m->card_count; c++) {
        double value = m->readings[c][at].value;
        if (isfinite(value)) {
            out[n++] = m->limits->items[at].at_most ? -log(value) : log(value);
        }
    }
    return n;
}

/* Of sorted logarithms. Sets their standard deviation, which is never taken for less than what runs differ by. */
static double tolerance_log(const double *logs, size_t n, size_t rank, double factor, double *spread) {
    double sum = 0.0, squares = 0.0;
    for (size_t i = 0; i < n; i++) {
        sum += logs[i];
    }
    for (size_t i = 0; i < n; i++) {
        squares += (logs[i] - sum / (double)n) * (logs[i] - sum / (double)n);
    }
    *spread = fmax(sqrt(squares / (double)(n - 1)), RFT_REPEAT_FLOOR_FRAC / rft_normal_quantile(0.05));
    return rank > 0 ? logs[rank - 1] /* no distribution is taken for given */
                    : sum / (double)n - factor * *spread;
}

/* A time as far off as another run of this very card may read it, where that is more: it is to keep its own limit. */
static void propose(rft_limit *limit, const rft_accept_reading *own) {
    bool known = own->processes > 0 && own->deviation > 0.0 && own->freedom >= 1.0;
    double repeats = known ? exp(-rft_student_t(0.05, own->freedom) * hypot(own->deviation, own->deviation)) : 1.0;
    double kept = fmin(1.0 - RFT_LIMITS_PROPOSED_FRAC, repeats);
    limit->value = limit->at_most ? limit->reading / kept : limit->reading * kept;
    limit->from = RFT_LIMIT_FROM_CONTRACT;
    bool promised = isfinite(limit->datasheet) && limit->datasheet > 0.0 && !limit->at_most;
    if (promised && limit->datasheet < limit->value) {
        limit->value = limit->datasheet;
        limit->from = RFT_LIMIT_FROM_DATASHEET;
    }
}

/* Into `lowest`, of those that enough cards read: better logarithms are larger. The share that all limits together
 * leave is divided among them (Bonferroni). */
static void set_tolerances(limits_maker *m, double *lowest) {
    rft_limits *limits = m->limits;
    double *logs = rft_arena_calloc(m->arena, m->card_count + 1, sizeof *logs);
    size_t tolerances = 0, factored = 0;
    double factor = NAN; /* of so many cards: most limits rest on as many */
    for (size_t i = 0; i < limits->count; i++) {
        size_t cards = good_logs(m, i, logs);
        limits->items[i].cards = cards >= RFT_LIMITS_CARDS_LEAST ? cards : 0;
        tolerances += limits->items[i].cards > 0;
    }
    for (size_t i = 0; i < limits->count; i++) {
        rft_limit *limit = &limits->items[i];
        if (limit->cards) {
            size_t n = good_logs(m, i, logs);
            double content = 1.0 - (1.0 - limits->share) / (double)tolerances;
            rft_sort_doubles(logs, n);
            factor = n == factored ? factor : rft_tolerance_factor(n, content, limits->confidence);
            factored = n;
            size_t rank = rft_tolerance_rank(n, content, limits->confidence);
            lowest[i] = tolerance_log(logs, n, rank, factor, &limit->spread);
            limit->from = RFT_LIMIT_FROM_TOLERANCE;
        }
    }
}

/* The guard band that such a reading has in a delivery; 0 where it is not known. */
static double guard_of(const rft_accept_reading *reading, const rft_limits *limits) {
    double each = limits->risk / ((double)limits->count * RFT_LIMITS_DELIVERY);
    bool known = reading->deviation > 0.0 && reading->freedom >= 1.0;
    return known ? rft_student_t(2.0 * each, reading->freedom) * reading->deviation : 0.0;
}

static void set_values(limits_maker *m) {
    rft_limits *limits = m->limits;
    double *lowest = rft_arena_calloc(m->arena, limits->count + 1, sizeof *lowest);
    size_t kept = 0;
    set_tolerances(m, lowest);
    /* Once more: how well it is known may follow from how much the cards differ. */
    const rft_accept_reading *own = rft_accept_read(limits, m->cards[0].runs, m->cards[0].count, m->arena);
    for (size_t i = 0; i < limits->count; i++) {
        rft_limit *limit = &limits->items[i];
        limit->reading = own[i].value;
        if (limit->cards) {
            double at = lowest[i] - guard_of(&own[i], limits);
            limit->value = exp(limit->at_most ? -at : at);
        } else {
            propose(limit, &own[i]);
        }
        limit->value = limit->from == RFT_LIMIT_FROM_DATASHEET ? limit->value : rounded(limit->value, limit->at_most);
        if (isfinite(limit->reading) && limit->value >= RFT_LIMIT_LEAST &&
            limit->value <= RFT_LIMIT_HIGHEST) { /* else this card does not read it itself */
            limits->items[kept++] = *limit;
        }
    }
    limits->count = kept;
}

int rft_limits_make(rft_limits **out, const rft_run *const *runs, size_t count, size_t own, rft_arena *arena,
                    rft_err *err) {
    limits_maker m = {.arena = arena};
    size_t sweeps = 0;
    m.limits = rft_arena_calloc(arena, 1, sizeof *m.limits);
    m.cards = rft_arena_calloc(arena, count + 1, sizeof *m.cards);
    m.limits->device = count ? runs[0]->gpu.name : NULL;
    m.limits->risk = RFT_LIMITS_RISK;
    m.limits->share = RFT_LIMITS_SHARE;
    m.limits->confidence = RFT_LIMITS_CONFIDENCE;
    int rc = gather_cards(&m, runs, count, own, err);
    if (rc != RFT_OK) {
        return rc;
    }
    for (size_t r = 0; r < m.own; r++) {
        sweeps += m.cards[0].runs[r]->sweep_count;
    }
    m.limits->items = rft_arena_calloc(arena, RFT_CEILING_COUNT + sweeps + 1, sizeof *m.limits->items);
    add_ceilings(&m);
    for (size_t r = 0; r < m.own; r++) {
        for (size_t s = 0; s < m.cards[0].runs[r]->sweep_count; s++) {
            add_longest(&m, m.cards[0].runs[r], s);
        }
    }
    m.readings = rft_arena_calloc(arena, m.card_count + 1, sizeof *m.readings);
    for (size_t c = 0; c < m.card_count; c++) {
        m.readings[c] = rft_accept_read(m.limits, m.cards[c].runs, m.cards[c].count, arena);
    }
    set_values(&m);
    if (m.limits->count == 0) {
        rft_err_set(err, RFT_E_NOT_FOUND, "no limits can be made: the run has neither a ceiling nor a best time");
        return rft_err_remedy(err, "`rooftune show` says what became of its points");
    }
    *out = m.limits;
    return RFT_OK;
}
