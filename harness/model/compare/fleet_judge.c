/* SPDX-License-Identifier: Apache-2.0 */
/* The tests of cards and hosts, and the shares of the variance (fleet.h). */
#include "base/str.h"
#include "model/compare/fleet_parts.h"
#include "model/stats/stats.h"
#include "model/stats/tolerance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CUT 2.5
#define CUT_CORRECTION 0.9545 /* standard deviation of a normal cut at +-2.5 */
#define MAD_TO_SD 1.4826
#define STEP_ROUNDS 3
#define THREE 3
#define FEW 100
#define FEW_FREEDOM 0.4     /* of the median absolute deviation */
#define STEPS 400           /* of the integral over the fourth least p */
#define SAME_VARIANCE 1e-12 /* of logarithms: below it is rounding */

/* ---- robust location and scale ---- */

/* The step of the timer, where values of several units are the same; 0: they are not. `sorted`. */
static double step_of(const double *sorted, size_t n) {
    size_t distinct = n > 0;
    double least = INFINITY;
    for (size_t i = 1; i < n; i++) {
        const double gap = sorted[i] - sorted[i - 1];
        if (gap > 0) {
            distinct++;
            least = gap < least ? gap : least;
        }
    }
    return distinct <= n / 2 && isfinite(least) ? least : 0;
}

/* Standard deviation of the values within `cut` of the location. */
static double cut_scale(const double *values, size_t n, double location, double cut) {
    double sum = 0, squares = 0;
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (fabs(values[i] - location) <= cut) {
            kept++;
            sum += values[i];
        }
    }
    for (size_t i = 0; i < n; i++) {
        if (fabs(values[i] - location) <= cut) {
            squares += (values[i] - sum / (double)kept) * (values[i] - sum / (double)kept);
        }
    }
    return kept > 1 ? sqrt(squares / (double)(kept - 1)) / CUT_CORRECTION : cut / CUT;
}

double rft_fleet_scale(double *values, size_t n, double *location) {
    *location = n ? rft_median_of(values, n) : (double)NAN; /* sorts */
    if (n < RFT_FLEET_LEAST) {
        return NAN;
    }
    const double half_step = step_of(values, n) / 2;
    double *off = rft_calloc(n, sizeof *off);
    for (size_t i = 0; i < n; i++) {
        off[i] = fabs(values[i] - *location);
    }
    double scale = MAD_TO_SD * rft_median_of(off, n);
    free(off);
    scale = cut_scale(values, n, *location, CUT * scale + half_step);
    /* In steps the median distance is a few of them, or none: what it cuts off tells more. */
    for (int i = 0; i < STEP_ROUNDS && half_step > 0; i++) {
        scale = cut_scale(values, n, *location, CUT * fmax(scale, half_step) + half_step);
    }
    return fmax(scale, half_step);
}

double rft_fleet_believed(double scale) {
    return scale < RFT_FLEET_STEP ? RFT_FLEET_STEP : scale;
}

/* ---- three least ---- */

/* P(product of three uniform numbers below t is at most w). */
static double product_below(double log_w, double log_t) {
    const double gap = THREE * log_t - log_w; /* > 0: not all products are */
    if (gap <= 0) {
        return exp(THREE * log_t);
    }
    return exp(log_w) * (1 + gap + gap * gap / 2);
}

double rft_fleet_three_least(double log_w, size_t count) {
    const double n = (double)count;
    const double log_ways = lgamma(n + 1) - lgamma(THREE + 1) - lgamma(n - THREE);
    double sum = 0;
    /* The density of the fourth least is n! / (3! (n-4)!) t^3 (1-t)^(n-4); the three below it are uniform in [0, t].
     * In steps of log t, since what matters lies over decades. */
    const double low = log_w / THREE - 12, high = 0, step = (high - low) / STEPS;
    for (int i = 0; i < STEPS; i++) {
        const double log_t = low + (i + 0.5) * step, t = exp(log_t);
        const double weight = log_ways + (n - THREE - 1) * log1p(-t) + log_t;
        sum += exp(weight) * product_below(log_w, log_t) * step;
    }
    return fmin(sum, 1.0);
}

/* ---- one unit ---- */

typedef struct unit_tests {
    double one, three, all; /* p-values; 1 where there is no such test */
} unit_tests;

static int compare_descending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* The scale of a few units is known worse than their number says. */
static double tail(double z, size_t units) {
    const double n = (double)units;
    return rft_student_tail(z, fmax(1, units < FEW ? FEW_FREEDOM * (n - 1) : n - 1));
}

/* `share`: of what all its figures have in common, as far as the mean tells; `rest`: the scale of what is left. */
static unit_tests test_unit(const double *sorted, size_t n, size_t units, double mean_z, double share, double rest) {
    unit_tests t = {1, 1, 1};
    double log_product = 0;
    if (n == 0) {
        return t;
    }
    t.one = fmin(1.0, (double)n * tail(sorted[0], units));
    t.all = n > 1 ? tail(mean_z, units) : 1;
    for (size_t i = 0; i < THREE && n > THREE; i++) {
        log_product += log(fmax(tail((sorted[i] - share) / rest, units), 1e-300));
    }
    t.three = n > THREE ? rft_fleet_three_least(log_product, n) : 1;
    return t;
}

static void weigh(rft_fleet_unit *unit, const unit_tests *t) {
    const double one = t->one / (unit->figures > THREE ? 0.5 : unit->figures > 1 ? 0.6 : 1);
    const double three = unit->figures > THREE ? t->three / 0.3 : INFINITY;
    const double all = unit->figures > 1 ? t->all / (unit->figures > THREE ? 0.2 : 0.4) : INFINITY;
    unit->p = fmin(1.0, fmin(one, fmin(three, all)));
    unit->test = one <= three && one <= all ? "one figure" : three <= all ? "several figures" : "all figures";
}

static void note_worst(rft_fleet_unit *unit, const fleet_table *table, size_t at) {
    const double *z = table->z + at * table->figure_count, *slow = table->slow + at * table->figure_count;
    unit->worst_count = 0;
    for (size_t f = 0; f < table->figure_count; f++) {
        size_t place = unit->worst_count;
        if (!isfinite(z[f])) {
            continue;
        }
        while (place > 0 && unit->worst[place - 1].z < z[f]) {
            place--;
        }
        if (place >= RFT_FLEET_WORST) {
            continue;
        }
        unit->worst_count += unit->worst_count < RFT_FLEET_WORST;
        memmove(&unit->worst[place + 1], &unit->worst[place], (unit->worst_count - 1 - place) * sizeof *unit->worst);
        unit->worst[place] = (rft_fleet_deviation){f, slow[f], z[f]};
    }
}

/* ---- all of them ---- */

static double mean_of(const double *z, size_t count, size_t *known) {
    double sum = 0;
    *known = 0;
    for (size_t f = 0; f < count; f++) {
        if (isfinite(z[f])) {
            sum += z[f];
            (*known)++;
        }
    }
    return *known ? sum / (double)*known : (double)NAN;
}

/* What all units are judged by. */
typedef struct unit_scales {
    double *means;          /* of each unit's z over figures; NaN: it has none; heap */
    size_t known;           /* of these */
    double location, scale; /* of the means; scale NaN: too few */
    double share;           /* of a mean's distance, common to the unit's figures */
    double rest;            /* scale of z without that share */
} unit_scales;

/* What a unit's figures have in common, by the variance of their mean: their correlation, 0 where they are independent,
 * and of the mean the share that is no chance. */
static double fill_share_of_mean(unit_scales *s, double figures) {
    const double rho = figures > 1 ? fmax(0, (s->scale * s->scale * figures - 1) / (figures - 1)) : 0;
    s->share = figures * rho / (1 + (figures - 1) * rho);
    return rho;
}

/* As measured, and no less than what correlated figures leave: many that do not vary would leave next to nothing. */
static void fill_rest(unit_scales *s, const fleet_table *table, double rho) {
    const size_t figures = table->figure_count;
    double *values = rft_calloc(table->unit_count * figures + 1, sizeof *values), middle = 0;
    size_t known = 0;
    for (size_t u = 0; u < table->unit_count; u++) {
        for (size_t f = 0; f < figures; f++) {
            const double rest = table->z[u * figures + f] - s->share * (s->means[u] - s->location);
            if (isfinite(rest)) {
                values[known++] = rest;
            }
        }
    }
    s->rest = rft_fleet_believed(fmax(rft_fleet_scale(values, known, &middle), sqrt(fmax(0, 1 - rho * s->share))));
    free(values);
}

static unit_scales scales_of(const fleet_table *table) {
    const size_t n = table->unit_count, figures = table->figure_count;
    unit_scales s = {.means = rft_calloc(n + 1, sizeof *s.means)};
    double *values = rft_calloc(n + 1, sizeof *values);
    size_t most = 0;
    for (size_t u = 0; u < n; u++) {
        s.means[u] = mean_of(table->z + u * figures, figures, &table->units[u].figures);
        most = table->units[u].figures > most ? table->units[u].figures : most;
        if (isfinite(s.means[u])) {
            values[s.known++] = s.means[u];
        }
    }
    s.scale = rft_fleet_scale(values, s.known, &s.location);
    const double least = 1 / sqrt((double)(most ? most : 1)); /* of a mean of independent ones */
    s.scale = s.scale < least ? least : s.scale;
    free(values);
    fill_rest(&s, table, fill_share_of_mean(&s, (double)most));
    return s;
}

/* `sorted`: room for all figures. */
static void judge_unit(const fleet_table *table, const unit_scales *s, size_t at, double *sorted) {
    const double *z = table->z + at * table->figure_count;
    const double off = s->means[at] - s->location;
    size_t count = 0;
    for (size_t f = 0; f < table->figure_count; f++) {
        if (isfinite(z[f])) {
            sorted[count++] = z[f];
        }
    }
    if (count > 0) {
        qsort(sorted, count, sizeof *sorted, compare_descending);
        const unit_tests tests = test_unit(sorted, count, s->known, off / s->scale, s->share * off, s->rest);
        weigh(&table->units[at], &tests);
        note_worst(&table->units[at], table, at);
    }
}

size_t rft_fleet_judge_units(const fleet_table *table, double *level) {
    const unit_scales s = scales_of(table);
    double *sorted = rft_calloc(table->figure_count + 1, sizeof *sorted);
    size_t out = 0;
    *level = fmin(RFT_FLEET_FALSE / (double)(s.known ? s.known : 1), RFT_FLEET_FALSE_MOST);
    for (size_t u = 0; u < table->unit_count && isfinite(s.scale); u++) {
        judge_unit(table, &s, u, sorted);
        table->units[u].falls_out = table->units[u].p <= *level;
        out += table->units[u].falls_out;
    }
    free(sorted);
    free(s.means);
    return out;
}

/* ---- shares of the variance ---- */

typedef struct observed {
    size_t group;
    double value;
} observed;

static int compare_groups(const void *a, const void *b) {
    const observed *x = a, *y = b;
    return (x->group > y->group) - (x->group < y->group);
}

/* One-way analysis of variance, random effects (Searle, Casella, McCulloch, Variance Components, 3.6); NaN: there are
 * no two groups, or no group with two. */
static double share_of(observed *all, size_t n) {
    double total = 0, squares = 0, between = 0, within = 0;
    size_t groups = 0;
    qsort(all, n, sizeof *all, compare_groups);
    for (size_t i = 0; i < n; i++) {
        total += all[i].value;
    }
    for (size_t i = 0, end; i < n; i = end) {
        double sum = 0;
        for (end = i; end < n && all[end].group == all[i].group; end++) {
            sum += all[end].value;
        }
        const double size = (double)(end - i), mean = sum / size, off = mean - total / (double)n;
        groups++;
        squares += size * size;
        between += size * off * off;
        for (size_t k = i; k < end; k++) {
            within += (all[k].value - mean) * (all[k].value - mean);
        }
    }
    if (groups < 2 || groups == n) {
        return NAN;
    }
    const double ms_between = between / (double)(groups - 1), ms_within = within / (double)(n - groups);
    const double size = ((double)n - squares / (double)n) / (double)(groups - 1);
    const double variance = fmax(0, (ms_between - ms_within) / size);
    return variance + ms_within > SAME_VARIANCE ? variance / (variance + ms_within) : (double)NAN;
}

typedef size_t list_values(const rft_fleet *fleet, size_t figure, observed *out);

/* A value a card: the runs of one are no two of a host's. */
static size_t list_by_host(const rft_fleet *fleet, size_t figure, observed *out) {
    size_t n = 0;
    for (size_t i = 0; i < fleet->run_count; i++) {
        const fleet_run *run = &fleet->state->runs[i];
        const bool last = i + 1 == fleet->run_count || run[1].card != run->card;
        const double value = fleet->state->cards[run->card * fleet->figure_count + figure];
        if (last && run->host_at != SIZE_MAX && isfinite(value)) {
            out[n++] = (observed){run->host_at, value};
        }
    }
    return n;
}

static size_t list_by_card(const rft_fleet *fleet, size_t figure, observed *out) {
    size_t n = 0;
    for (size_t i = 0; i < fleet->run_count; i++) {
        const double value = fleet->state->logs[i * fleet->figure_count + figure];
        if (isfinite(value)) {
            out[n++] = (observed){fleet->state->runs[i].card, value};
        }
    }
    return n;
}

/* What is left of a run without its card, where cards have several. */
static size_t list_by_day(const rft_fleet *fleet, size_t figure, observed *out) {
    const bool several = fleet->run_count > fleet->card_count;
    size_t n = 0;
    for (size_t i = 0; i < fleet->run_count; i++) {
        const fleet_run *run = &fleet->state->runs[i];
        const double value = fleet->state->logs[i * fleet->figure_count + figure];
        const double of_card = several ? fleet->state->cards[run->card * fleet->figure_count + figure] : 0;
        if (isfinite(value) && (!several || fleet->cards[run->card].runs > 1)) {
            out[n++] = (observed){(size_t)run->day, value - of_card};
        }
    }
    return n;
}

static void fill_share(const rft_fleet *fleet, list_values *list, double whole, rft_fleet_share *out) {
    observed *all = rft_calloc(fleet->run_count + 1, sizeof *all);
    double *shares = rft_calloc(fleet->figure_count + 1, sizeof *shares);
    for (size_t f = 0; f < fleet->figure_count; f++) {
        const size_t n = list(fleet, f, all);
        const double share = n > 2 ? share_of(all, n) : (double)NAN;
        if (isfinite(share)) {
            shares[out->figures++] = share * whole;
        }
    }
    if (out->figures > 0) {
        rft_sort_doubles(shares, out->figures);
        out->median = rft_quantile(shares, out->figures, 0.5);
        out->q1 = rft_quantile(shares, out->figures, 0.25);
        out->q3 = rft_quantile(shares, out->figures, 0.75);
    }
    free(shares);
    free(all);
}

static size_t count_days(const rft_fleet *fleet) {
    observed *days = rft_calloc(fleet->run_count + 1, sizeof *days);
    size_t count = 0;
    for (size_t i = 0; i < fleet->run_count; i++) {
        days[i] = (observed){(size_t)fleet->state->runs[i].day, 0};
    }
    qsort(days, fleet->run_count, sizeof *days, compare_groups);
    for (size_t i = 0; i < fleet->run_count; i++) {
        count += i == 0 || days[i].group != days[i - 1].group;
    }
    free(days);
    return count;
}

void rft_fleet_fill_shares(rft_fleet *fleet) {
    static const char *const names[] = {"hosts", "cards", "days"};
    static const char *const whys[] = {"no two hosts with two cards are known",
                                       "no card was measured twice: what is the card's and what the run's is not told",
                                       "all was measured on one day, or each run on its own"};
    list_values *const lists[] = {list_by_host, list_by_card, list_by_day};
    const size_t counts[] = {fleet->host_count, fleet->card_count, count_days(fleet)};
    for (size_t i = 0; i < RFT_FLEET_SHARES; i++) {
        rft_fleet_share *share = &fleet->shares[i];
        *share = (rft_fleet_share){.name = names[i], .groups = counts[i], .median = NAN, .q1 = NAN, .q3 = NAN};
        const double of_cards = fleet->shares[RFT_FLEET_CARDS].median;
        fill_share(fleet, lists[i], i == RFT_FLEET_DAYS && isfinite(of_cards) ? 1 - of_cards : 1, share);
        share->why = share->figures                                   ? NULL
                     : i == RFT_FLEET_CARDS && fleet->card_count == 1 ? "all runs are of one card"
                                                                      : whys[i];
    }
}
