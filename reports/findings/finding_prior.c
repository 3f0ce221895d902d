/* SPDX-License-Identifier: Apache-2.0 */
/* How right a sweep's prior was: the order that it gave beside the measured one, and what its first choice costs. */
#include "reports/findings/findings.h"
#include "reports/findings/words.h"

#include "model/run/run_prior.h"

#include <math.h>

#define MUCH_FRAC 0.2 /* that a first choice loses: told beside what chance would */

typedef struct telling {
    const rft_run *run;
    size_t sweep;
    const rft_sweep *data;
    rft_arena *arena;
    const rft_prior_fit *fits;
    size_t count;
} telling;

static const char *problem_of(const telling *t, const rft_prior_fit *fit) {
    return rft_run_problem_text(t->run, t->sweep, fit->problem, true, t->arena);
}

/* With as many digits as tell it from 0, which it is on one side of. */
static const char *end_text(double end, double (*outward)(double), rft_arena *arena) {
    int decimals = 2;
    while (decimals < 6 && end != 0 && outward(end * pow(10, decimals)) == 0) {
        decimals++;
    }
    return rft_arena_fixed(arena, outward(end * pow(10, decimals)) / pow(10, decimals), decimals, "");
}

/* "0.18 [0.15, 0.21]", rounded outward; why there is none. */
static const char *correlation_words(const rft_prior_fit *fit, rft_arena *arena) {
    const rft_rank_correlation *of = &fit->of;
    if (fit->count < RFT_RANK_LEAST) {
        return rft_arena_printf(arena, "n/a (%zu configurations are too few)", fit->count);
    }
    if (isnan(of->rho)) {
        return "n/a (the prior says the same of all)";
    }
    return rft_arena_printf(arena, "%s [%s, %s]", rft_arena_fixed(arena, of->rho, 2, ""),
                            end_text(of->low, floor, arena), end_text(of->high, ceil, arena));
}

/* "6.2 % [6.0, 6.5]": what the time is longer by. */
static const char *loss_words(const rft_prior_fit *fit, rft_arena *arena) {
    if (fit->first == fit->best) {
        return "nothing";
    }
    if (isnan(fit->loss_low_frac)) {
        return rft_arena_printf(arena, "%.1f %% (no interval)", 100 * fit->loss_frac);
    }
    return rft_arena_printf(arena, "%.1f %% [%.1f, %.1f]", 100 * fit->loss_frac, floor(1000 * fit->loss_low_frac) / 10,
                            ceil(1000 * fit->loss_high_frac) / 10);
}

/* ---- every part ---- */

static void add_table(rft_finding *f, const telling *t) {
    static const rft_trait columns[] = {
        {.key = "variant", .title = "Prior of", .wraps = true},
        {.key = "problem", .title = "Problem"},
        {.key = "configurations", .title = "Tried", .align = RFT_ALIGN_RIGHT},
        {.key = "spilling", .title = "Spill", .align = RFT_ALIGN_RIGHT},
        {.key = "rank_correlation", .title = "Rank correlation"},
        {.key = "rank_correlation_low"},
        {.key = "rank_correlation_high"},
        {.key = "first_loss_frac", .title = "First loses"},
        {.key = "first_loss_low_frac"},
        {.key = "first_loss_high_frac"},
        {.key = "first_equal"},
        {.key = "first_point"},
        {.key = "best_point"},
        {.key = "first", .title = "First choice", .wraps = true, .below = true, .under = true},
    };
    rft_cell_table *table = rft_finding_table(f, "", columns, sizeof columns / sizeof *columns);
    table->where = RFT_IN_DATA | RFT_IN_FULL | RFT_ON_FULL_PAGE;
    for (size_t i = 0; i < t->count; i++) {
        const rft_prior_fit *fit = &t->fits[i];
        rft_datum *cells = rft_cell_table_row(table)->cells;
        *cells++ = rft_datum_text(t->data->variants[fit->variant].name);
        *cells++ =
            rft_datum_said(rft_datum_finding(rft_finding_problem(t->data, fit->problem, t->arena)), problem_of(t, fit));
        *cells++ = rft_datum_count((int64_t)fit->count);
        *cells++ = rft_datum_count((int64_t)fit->spilling);
        *cells++ = isnan(fit->of.rho) ? rft_datum_absent()
                                      : rft_datum_said(rft_datum_number(fit->of.rho), correlation_words(fit, t->arena));
        *cells++ = rft_datum_number(fit->of.low);
        *cells++ = rft_datum_number(fit->of.high);
        *cells++ = rft_datum_said(rft_datum_number(fit->loss_frac), loss_words(fit, t->arena));
        *cells++ = rft_datum_number(fit->loss_low_frac);
        *cells++ = rft_datum_number(fit->loss_high_frac);
        *cells++ = rft_datum_count((int64_t)fit->equal);
        *cells++ = rft_datum_count(fit->first->id);
        *cells++ = rft_datum_count(fit->best->id);
        *cells = rft_datum_text(rft_run_config_text(t->run, fit->first, true, t->arena));
    }
}

/* ---- a sentence for each variant ---- */

/* What the interval says; "" where the prior helps. */
static const char *verdict(const rft_prior_fit *fit) {
    return isnan(fit->of.rho) || fit->of.low > 0 ? ""
           : fit->of.high < 0                    ? ", the wrong way round"
                                                 : ", which chance gives as well";
}

/* `where`: "", or at which of several problems that is; `briefly`: without its configuration. */
static const char *first_words(const telling *t, const rft_prior_fit *fit, const char *where, bool briefly) {
    const char *config =
        briefly ? "" : rft_arena_printf(t->arena, ": %s", rft_run_config_text(t->run, fit->first, true, t->arena));
    const char *equals =
        fit->equal > 1 ? rft_arena_printf(t->arena, " (the middle one of %zu that it takes for equal)", fit->equal)
                       : "";
    const char *unclear = fit->loss_low_frac <= 0 ? ", which may be nothing" : "";
    if (fit->first == fit->best) {
        return *where ? "Its first choice is the best on each."
                      : rft_arena_printf(t->arena, "Its first choice is the best%s%s.", config, equals);
    }
    const char *middle = fit->loss_frac > MUCH_FRAC
                             ? rft_arena_printf(t->arena, "%s where the middle one of all loses %.1f %%",
                                                *where ? "," : "", 100 * fit->middle_frac)
                             : "";
    return rft_arena_printf(t->arena, "Its first choice loses %s%s%s%s%s%s.", loss_words(fit, t->arena), unclear, where,
                            middle, config, equals);
}

/* "5,208 configurations"; what a search chose is no fair sample of the space. */
static const char *over_words(const telling *t, const rft_prior_fit *fit) {
    const char *count = rft_figure_count(t->arena, fit->count);
    const char *spilling =
        fit->spilling ? rft_arena_printf(t->arena, ", of which %zu spill and go last", fit->spilling) : "";
    if (!t->run->sweeps[t->sweep].unexplored) {
        return rft_arena_printf(t->arena, "%s configurations%s", count, spilling);
    }
    return rft_arena_printf(t->arena, "the %s configurations that the search chose%s", count, spilling);
}

/* Large on a terminal, with the first choice's configuration; small on a page. */
static void say(rft_finding *f, const telling *t, const rft_prior_fit *fit, const char *what, const char *where) {
    rft_finding_body(f, RFT_IN_TEXT, "%s. %s", what, first_words(t, fit, where, false));
    rft_finding_note(f, RFT_ON_PAGE, "%s. %s", what, first_words(t, fit, where, true));
}

static void tell_one(rft_finding *f, const telling *t, const rft_prior_fit *fit, const char *name) {
    const char *problem = problem_of(t, fit);
    const char *what = rft_arena_printf(t->arena, "Prior%s%s%s: rank correlation with the measured times %s%s, over %s",
                                        name, *problem ? " at " : "", problem, correlation_words(fit, t->arena),
                                        verdict(fit), over_words(t, fit));
    say(f, t, fit, what, "");
}

/* Whether `a` takes the place of `b`: what has no rank takes nobody's. */
static bool takes_over(double a, double b, bool upwards) {
    return !isnan(a) && (isnan(b) || (upwards ? a > b : a < b));
}

/* Where the order was worst and best, and where the first choice lost the most. */
static void tell_several(rft_finding *f, const telling *t, const rft_prior_fit *fits, size_t count, const char *name) {
    const rft_prior_fit *low = &fits[0], *high = &fits[0], *dearest = &fits[0];
    for (size_t i = 1; i < count; i++) {
        low = takes_over(fits[i].of.rho, low->of.rho, false) ? &fits[i] : low;
        high = takes_over(fits[i].of.rho, high->of.rho, true) ? &fits[i] : high;
        dearest = fits[i].loss_frac > dearest->loss_frac ? &fits[i] : dearest;
    }
    const char *range =
        rft_arena_printf(t->arena, "%s at %s%s, and %s at %s%s,", correlation_words(low, t->arena), problem_of(t, low),
                         verdict(low), correlation_words(high, t->arena), problem_of(t, high), verdict(high));
    const char *only = rft_arena_printf(t->arena, "%s at %s%s, alone with enough configurations to rank,",
                                        correlation_words(low, t->arena), problem_of(t, low), verdict(low));
    const char *words = isnan(low->of.rho) ? correlation_words(low, t->arena) : low == high ? only : range;
    const char *where = rft_arena_printf(t->arena, " at %s, the most", problem_of(t, dearest));
    if (isnan(low->of.rho) && low->count < RFT_RANK_LEAST) { /* nor at any other */
        say(f, t, dearest,
            rft_arena_printf(t->arena, "Prior%s: %zu problems, each of too few configurations to rank", name, count),
            where);
        return;
    }
    say(f, t, dearest,
        rft_arena_printf(t->arena, "Prior%s: rank correlation with the measured times %s over %zu problems", name,
                         words, count),
        where);
}

rft_finding *rft_finding_priors(const rft_run *run, size_t sweep, rft_arena *arena) {
    rft_prior_fit *fits = NULL;
    telling t = {.run = run, .sweep = sweep, .data = &run->sweeps[sweep].sweep, .arena = arena};
    t.count = rft_prior_fits(run, sweep, arena, &fits);
    t.fits = fits;
    if (t.count == 0) {
        return NULL;
    }
    rft_finding *f = rft_finding_new(arena);
    for (size_t i = 0, end; i < t.count; i = end) {
        for (end = i + 1; end < t.count && fits[end].variant == fits[i].variant;) {
            end++;
        }
        bool several = t.data->variant_count > 1;
        const char *variant = t.data->variants[fits[i].variant].name;
        const char *name = several ? rft_arena_printf(arena, " of %s", variant) : "";
        if (end - i == 1) {
            tell_one(f, &t, &fits[i], name);
        } else {
            tell_several(f, &t, &fits[i], end - i, name);
        }
    }
    size_t together = rft_prior_fits_together(run, sweep, arena, &fits);
    if (together > 1) {
        tell_several(f, &t, fits, together, " of the variants of too few, together");
    } else if (together == 1) {
        tell_one(f, &t, fits, " of the variants of too few, together");
    }
    add_table(f, &t);
    return f;
}
