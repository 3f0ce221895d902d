/* SPDX-License-Identifier: Apache-2.0 */
#include "model/compare/fleet.h"

#include "base/str.h"
#include "model/compare/fleet_parts.h"
#include "model/stats/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MEDIAN_SD 1.2 /* of a median of a few normal values times sqrt(n): hosts differ by no less */

rft_fleet *rft_fleet_new(void) {
    rft_arena *arena = rft_arena_new();
    rft_fleet *fleet = rft_arena_calloc(arena, 1, sizeof *fleet);
    fleet->arena = arena;
    fleet->state = rft_arena_calloc(arena, 1, sizeof *fleet->state);
    return fleet;
}

void rft_fleet_free(rft_fleet *fleet) {
    if (fleet) {
        free(fleet->state->runs);
        free(fleet->state->slots);
        free(fleet->figures);
        free(fleet->left);
        rft_arena_free(fleet->arena);
    }
}

void rft_fleet_leave_out(rft_fleet *fleet, const char *path, const char *why) {
    RFT_GROW(fleet->left, fleet->left_capacity, fleet->left_count + 1);
    fleet->left[fleet->left_count++] =
        (rft_fleet_left){rft_arena_strdup(fleet->arena, path), rft_arena_strdup(fleet->arena, why)};
}

/* ---- cards and hosts ---- */

static int compare_run_places(const void *a, const void *b) {
    const fleet_run *x = a, *y = b;
    const int by_card = strcmp(x->uuid, y->uuid);
    return by_card ? by_card : (x->at_ns > y->at_ns) - (x->at_ns < y->at_ns);
}

static void list_cards(rft_fleet *fleet) {
    fleet_state *s = fleet->state;
    fleet->cards = rft_arena_calloc(fleet->arena, fleet->run_count + 1, sizeof *fleet->cards);
    if (fleet->run_count > 1) {
        qsort(s->runs, fleet->run_count, sizeof *s->runs, compare_run_places);
    }
    for (size_t i = 0; i < fleet->run_count; i++) {
        fleet_run *run = &s->runs[i];
        if (i == 0 || strcmp(run->uuid, s->runs[i - 1].uuid) != 0) {
            fleet->cards[fleet->card_count++] = (rft_fleet_unit){.name = run->uuid, .p = NAN};
        }
        rft_fleet_unit *card = &fleet->cards[fleet->card_count - 1];
        run->card = fleet->card_count - 1;
        card->runs++;
        card->serial = run->serial ? run->serial : card->serial;
        card->host = run->host ? run->host : card->host; /* the last one's stands */
        card->pci = run->pci ? run->pci : card->pci;
    }
}

static int compare_texts(const void *a, const void *b) {
    const char *x = *(const char *const *)a, *y = *(const char *const *)b;
    return x && y ? strcmp(x, y) : (x != NULL) - (y != NULL);
}

static int compare_unit_names(const void *a, const void *b) {
    return strcmp(((const rft_fleet_unit *)a)->name, ((const rft_fleet_unit *)b)->name);
}

static size_t find_host(const rft_fleet *fleet, const char *name) {
    const rft_fleet_unit key = {.name = name};
    const rft_fleet_unit *found = name && fleet->host_count ? bsearch(&key, fleet->hosts, fleet->host_count,
                                                                      sizeof *fleet->hosts, compare_unit_names)
                                                            : NULL;
    return found ? (size_t)(found - fleet->hosts) : SIZE_MAX;
}

static void list_hosts(rft_fleet *fleet) {
    const char **names = rft_arena_calloc(fleet->arena, fleet->run_count + 1, sizeof *names);
    size_t count = 0;
    for (size_t i = 0; i < fleet->run_count; i++) {
        if (fleet->state->runs[i].host) {
            names[count++] = fleet->state->runs[i].host;
        }
    }
    if (count) {
        qsort(names, count, sizeof *names, compare_texts);
    }
    fleet->hosts = rft_arena_calloc(fleet->arena, count + 1, sizeof *fleet->hosts);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || strcmp(names[i], names[i - 1]) != 0) {
            fleet->hosts[fleet->host_count++] = (rft_fleet_unit){.name = names[i], .p = NAN};
        }
    }
    for (size_t i = 0; i < fleet->run_count; i++) {
        fleet_run *run = &fleet->state->runs[i];
        run->host_at = find_host(fleet, run->host);
        if (run->host_at != SIZE_MAX) {
            fleet->hosts[run->host_at].runs++;
        }
    }
    for (size_t c = 0; c < fleet->card_count; c++) {
        const size_t at = find_host(fleet, fleet->cards[c].host);
        if (at != SIZE_MAX) {
            fleet->hosts[at].cards++;
        }
    }
}

/* ---- values ---- */

static void fill_runs(rft_fleet *fleet) {
    fleet_state *s = fleet->state;
    const size_t all = fleet->run_count * fleet->figure_count;
    s->logs = rft_arena_calloc(fleet->arena, all + 1, sizeof *s->logs);
    for (size_t i = 0; i < all; i++) {
        s->logs[i] = NAN;
    }
    for (size_t i = 0; i < fleet->run_count; i++) {
        for (size_t v = 0; v < s->runs[i].count; v++) {
            s->logs[i * fleet->figure_count + s->runs[i].values[v].figure] = s->runs[i].values[v].log;
        }
    }
}

/* Medians over each card's runs, which stand beside each other. */
static void fill_cards(rft_fleet *fleet) {
    fleet_state *s = fleet->state;
    const size_t figures = fleet->figure_count;
    double *of_runs = rft_calloc(fleet->run_count + 1, sizeof *of_runs);
    s->cards = rft_arena_calloc(fleet->arena, fleet->card_count * figures + 1, sizeof *s->cards);
    for (size_t i = 0, end; i < fleet->run_count; i = end) {
        for (end = i; end < fleet->run_count && s->runs[end].card == s->runs[i].card;) {
            end++;
        }
        for (size_t f = 0; f < figures; f++) {
            size_t n = 0;
            for (size_t r = i; r < end; r++) {
                if (isfinite(s->logs[r * figures + f])) {
                    of_runs[n++] = s->logs[r * figures + f];
                }
            }
            s->cards[s->runs[i].card * figures + f] = n ? rft_median_of(of_runs, n) : (double)NAN;
        }
    }
    free(of_runs);
}

static size_t known_values(const rft_fleet *fleet, size_t figure, double *out) {
    size_t n = 0;
    for (size_t c = 0; c < fleet->card_count; c++) {
        const double value = fleet->state->cards[c * fleet->figure_count + figure];
        if (isfinite(value)) {
            out[n++] = value;
        }
    }
    return n;
}

static void fill_figure(rft_fleet *fleet, size_t at, double *values) {
    fleet_state *s = fleet->state;
    rft_fleet_figure *f = &fleet->figures[at];
    double location = NAN, worst = -INFINITY;
    f->cards = known_values(fleet, at, values);
    f->spread_frac = rft_fleet_scale(values, f->cards, &location);
    f->median = exp(location);
    f->min = f->cards ? exp(values[0]) : (double)NAN;
    f->max = f->cards ? exp(values[f->cards - 1]) : (double)NAN;
    f->p5 = f->cards ? exp(rft_quantile(values, f->cards, 0.05)) : (double)NAN;
    f->p95 = f->cards ? exp(rft_quantile(values, f->cards, 0.95)) : (double)NAN;
    for (size_t c = 0; c < fleet->card_count; c++) {
        const double value = s->cards[c * fleet->figure_count + at];
        const double slow = f->slower_up ? value - location : location - value;
        s->z[c * fleet->figure_count + at] = slow / rft_fleet_believed(f->spread_frac);
        if (slow > worst) {
            worst = slow;
            f->slowest = c;
        }
    }
}

/* Slower by this share: in time where it is one, in rate where it is one. */
static double slow_frac(const rft_fleet *fleet, size_t card, size_t figure) {
    const rft_fleet_figure *f = &fleet->figures[figure];
    const double over = exp(fleet->state->cards[card * fleet->figure_count + figure]) / f->median;
    return f->slower_up ? over - 1 : 1 - over;
}

typedef struct worst_first {
    double p, z;
    size_t at;
} worst_first;

static int compare_worst(const void *a, const void *b) {
    const worst_first *x = a, *y = b;
    if (isnan(x->p) != isnan(y->p)) {
        return isnan(x->p) ? 1 : -1;
    }
    if (x->p != y->p && !isnan(x->p)) {
        return x->p < y->p ? -1 : 1;
    }
    return x->z != y->z ? (x->z > y->z ? -1 : 1) : (x->at > y->at) - (x->at < y->at);
}

static size_t *order_of(rft_fleet *fleet, const rft_fleet_unit *units, size_t count) {
    worst_first *sorted = rft_calloc(count + 1, sizeof *sorted);
    size_t *order = rft_arena_calloc(fleet->arena, count + 1, sizeof *order);
    for (size_t i = 0; i < count; i++) {
        sorted[i] = (worst_first){units[i].p, units[i].worst_count ? units[i].worst[0].z : 0, i};
    }
    qsort(sorted, count, sizeof *sorted, compare_worst);
    for (size_t i = 0; i < count; i++) {
        order[i] = sorted[i].at;
    }
    free(sorted);
    return order;
}

static void judge_cards(rft_fleet *fleet) {
    const size_t figures = fleet->figure_count;
    double *slow = rft_calloc(fleet->card_count * figures + 1, sizeof *slow);
    for (size_t c = 0; c < fleet->card_count; c++) {
        for (size_t f = 0; f < figures; f++) {
            slow[c * figures + f] = slow_frac(fleet, c, f);
        }
    }
    const fleet_table table = {fleet->cards, fleet->card_count, figures, fleet->state->z, slow};
    fleet->cards_out = rft_fleet_judge_units(&table, &fleet->card_level);
    fleet->card_order = order_of(fleet, fleet->cards, fleet->card_count);
    for (size_t c = 0; c < fleet->card_count; c++) {
        fleet->judged += isfinite(fleet->cards[c].p);
    }
    free(slow);
}

typedef struct host_card {
    size_t host, card;
} host_card;

static int compare_hosts(const void *a, const void *b) {
    const host_card *x = a, *y = b;
    return (x->host > y->host) - (x->host < y->host);
}

/* A host's value is the median of its cards': one bad card makes no bad host. */
static void fill_host(const rft_fleet *fleet, const host_card *cards, size_t count, double *z, double *slow) {
    const size_t figures = fleet->figure_count;
    double *values = rft_calloc(count + 1, sizeof *values);
    for (size_t f = 0; f < figures; f++) {
        size_t n = 0;
        for (size_t i = 0; i < count; i++) {
            const double one = fleet->state->z[cards[i].card * figures + f];
            if (isfinite(one)) {
                values[n++] = one;
            }
        }
        const double middle = n > 1 ? rft_median_of(values, n) : (double)NAN;
        z[f] = middle * sqrt((double)n);
        slow[f] = middle * rft_fleet_believed(fleet->figures[f].spread_frac);
    }
    free(values);
}

static void standardise(double *z, size_t units, size_t figures) {
    double *values = rft_calloc(units + 1, sizeof *values);
    for (size_t f = 0; f < figures; f++) {
        double location = NAN;
        size_t known = 0;
        for (size_t u = 0; u < units; u++) {
            if (isfinite(z[u * figures + f])) {
                values[known++] = z[u * figures + f];
            }
        }
        double scale = rft_fleet_scale(values, known, &location);
        scale = scale < MEDIAN_SD ? MEDIAN_SD : scale;
        for (size_t u = 0; u < units; u++) {
            z[u * figures + f] = (z[u * figures + f] - location) / scale;
        }
    }
    free(values);
}

static void judge_hosts(rft_fleet *fleet) {
    const size_t figures = fleet->figure_count, hosts = fleet->host_count;
    double *z = rft_calloc(hosts * figures + 1, sizeof *z), *slow = rft_calloc(hosts * figures + 1, sizeof *slow);
    host_card *cards = rft_calloc(fleet->card_count + 1, sizeof *cards);
    for (size_t c = 0; c < fleet->card_count; c++) {
        cards[c] = (host_card){find_host(fleet, fleet->cards[c].host), c};
    }
    qsort(cards, fleet->card_count, sizeof *cards, compare_hosts);
    for (size_t i = 0, end; i < fleet->card_count && cards[i].host != SIZE_MAX; i = end) {
        for (end = i; end < fleet->card_count && cards[end].host == cards[i].host;) {
            end++;
        }
        fill_host(fleet, &cards[i], end - i, z + cards[i].host * figures, slow + cards[i].host * figures);
    }
    standardise(z, hosts, figures);
    const fleet_table table = {fleet->hosts, hosts, figures, z, slow};
    fleet->hosts_out = rft_fleet_judge_units(&table, &fleet->host_level);
    fleet->host_order = order_of(fleet, fleet->hosts, hosts);
    free(cards);
    free(slow);
    free(z);
}

/* Runs of a card that falls out in which its worst figure does so alone, too. */
static void count_again(rft_fleet *fleet) {
    for (size_t i = 0; i < fleet->run_count; i++) {
        const fleet_run *run = &fleet->state->runs[i];
        rft_fleet_unit *card = &fleet->cards[run->card];
        for (size_t v = 0; v < run->count && card->falls_out && card->worst_count; v++) {
            const rft_fleet_figure *f = &fleet->figures[run->values[v].figure];
            const double off = (run->values[v].log - log(f->median)) * (f->slower_up ? 1 : -1);
            card->again += run->values[v].figure == card->worst[0].figure && off > card->worst[0].slow_frac / 2;
        }
    }
}

int rft_fleet_judge(rft_fleet *fleet, rft_err *err) {
    rft_fleet_keep_most(fleet);
    if (fleet->run_count == 0 || fleet->figure_count == 0) {
        rft_err_set(err, RFT_E_NOT_FOUND, "none of the files has a run with a figure to compare%s%s",
                    fleet->left_count ? ": the first was left out: " : "", fleet->left_count ? fleet->left[0].why : "");
        return rft_err_remedy(err, "name runs of one sweep on cards of one model");
    }
    list_cards(fleet);
    list_hosts(fleet);
    fill_runs(fleet);
    fill_cards(fleet);
    double *values = rft_calloc(fleet->card_count + 1, sizeof *values);
    fleet->state->z =
        rft_arena_calloc(fleet->arena, fleet->card_count * fleet->figure_count + 1, sizeof *fleet->state->z);
    for (size_t f = 0; f < fleet->figure_count; f++) {
        fill_figure(fleet, f, values);
    }
    free(values);
    judge_cards(fleet);
    count_again(fleet);
    judge_hosts(fleet);
    rft_fleet_fill_shares(fleet);
    return RFT_OK;
}

double rft_fleet_value(const rft_fleet *fleet, size_t card, size_t figure) {
    return exp(fleet->state->cards[card * fleet->figure_count + figure]);
}

double rft_fleet_z(const rft_fleet *fleet, size_t card, size_t figure) {
    return fleet->state->z[card * fleet->figure_count + figure];
}

/* ---- the list of what was bought ---- */

/* Inventories write UUIDs in capitals, too. */
static int compare_cards(const void *a, const void *b) {
    const char *x = *(const char *const *)a, *y = *(const char *const *)b;
    return x && y ? strcasecmp(x, y) : (x != NULL) - (y != NULL);
}

static const char **sorted_names(rft_fleet *fleet, size_t *count) {
    const char **names = rft_arena_calloc(fleet->arena, 2 * fleet->card_count + 1, sizeof *names);
    *count = 0;
    for (size_t c = 0; c < fleet->card_count; c++) {
        names[(*count)++] = fleet->cards[c].name;
        if (fleet->cards[c].serial) {
            names[(*count)++] = fleet->cards[c].serial;
        }
    }
    if (*count > 1) {
        qsort(names, *count, sizeof *names, compare_cards);
    }
    return names;
}

static bool holds_text(const char *const *sorted, size_t count, const char *text) {
    return text && count && bsearch(&text, sorted, count, sizeof *sorted, compare_cards);
}

void rft_fleet_expect(rft_fleet *fleet, const char *const *names, size_t count) {
    size_t there = 0;
    const char **known = sorted_names(fleet, &there);
    const char **list = rft_arena_calloc(fleet->arena, count + 1, sizeof *list);
    fleet->missing = rft_arena_calloc(fleet->arena, count + 1, sizeof *fleet->missing);
    fleet->strangers = rft_arena_calloc(fleet->arena, fleet->card_count + 1, sizeof *fleet->strangers);
    for (size_t i = 0; i < count; i++) {
        list[i] = rft_arena_strdup(fleet->arena, names[i]);
    }
    if (count > 1) {
        qsort(list, count, sizeof *list, compare_cards);
    }
    for (size_t i = 0; i < count; i++) {
        const bool again = i > 0 && strcasecmp(list[i], list[i - 1]) == 0;
        fleet->expected_count += !again;
        if (!again && !holds_text(known, there, list[i])) {
            fleet->missing[fleet->missing_count++] = list[i];
        }
    }
    for (size_t c = 0; c < fleet->card_count; c++) {
        const rft_fleet_unit *card = &fleet->cards[c];
        if (!holds_text(list, count, card->name) && !holds_text(list, count, card->serial)) {
            fleet->strangers[fleet->stranger_count++] = card->name;
        }
    }
}
