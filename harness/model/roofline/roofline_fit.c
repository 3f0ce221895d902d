/* SPDX-License-Identifier: Apache-2.0 */
/* roofline_fit.c - overhead, two ceilings and a knee from measured times (roofline_fit.h; docs/roofline.md). */
#include "model/roofline/roofline_fit.h"

#include "model/roofline/roofline_models.h"
#include "model/stats/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REPLICATES 200
#define TAIL 0.025
#define POINTS_MIN 3
/* Models this near the best (BIC) explain the times about as well. */
#define NEAR_BEST 6.0
/* Times explained by the resource with the smaller share of its ceiling: not where it is below this part of the other.
 */
#define SMALLER_SHARE 0.5

const char *rft_fit_state_name(rft_fit_state state) {
    static const char *const names[] = {"unknown", "known", "at least", "at most"};
    return names[state];
}

const char *rft_fit_param_name(rft_fit_name name) {
    static const char *const names[] = {"overhead", "bandwidth", "peak", "sharpness"};
    return names[name];
}

typedef struct fitting {
    rft_fit_data data;
    rft_model_fit models[RFT_ROOFLINE_MODELS];
    const rft_model_fit *best;
    const rft_fit_options *options;
    rft_arena *arena;
} fitting;

static bool usable(const rft_fit_point *point) {
    return point->time_s > 0.0 && isfinite(point->time_s) && point->bytes >= 0.0 && isfinite(point->bytes) &&
           point->ops >= 0.0 && isfinite(point->ops) && point->bytes + point->ops > 0.0;
}

static void take_points(fitting *f, const rft_fit_point *points, size_t count, size_t *index) {
    rft_fit_data *d = &f->data;
    d->log_bytes = rft_arena_calloc(f->arena, count + 1, sizeof *d->log_bytes);
    d->log_ops = rft_arena_calloc(f->arena, count + 1, sizeof *d->log_ops);
    d->log_time = rft_arena_calloc(f->arena, count + 1, sizeof *d->log_time);
    d->scale = rft_arena_calloc(f->arena, count + 1, sizeof *d->scale);
    double noise = 0.0;
    for (size_t i = 0; i < count; i++) {
        if (usable(&points[i])) {
            index[d->count] = i;
            d->log_bytes[d->count] = log(points[i].bytes);
            d->log_ops[d->count] = log(points[i].ops);
            d->log_time[d->count++] = log(points[i].time_s);
            noise += points[i].noise_frac > 0.0 ? points[i].noise_frac * points[i].noise_frac : 0.0;
        }
    }
    d->noise = d->count > 0 ? sqrt(noise / (double)d->count) : 0.0;
}

/* Two models that differ only in which ceiling they have: the one that would use far less of its ceiling is out. */
static void drop_by_ceilings(fitting *f) {
    double bytes_s = f->options->ceiling_bytes_s, ops_s = f->options->ceiling_ops_s;
    if (!(bytes_s > 0.0) || !(ops_s > 0.0)) {
        return;
    }
    for (size_t a = 0; a < RFT_ROOFLINE_MODELS; a++) {
        for (size_t b = 0; b < RFT_ROOFLINE_MODELS; b++) {
            rft_model_fit *memory = &f->models[a], *compute = &f->models[b];
            if (!isfinite(memory->score) || !isfinite(compute->score) || memory->has[RFT_FIT_PEAK] ||
                compute->has[RFT_FIT_BANDWIDTH] || !memory->has[RFT_FIT_BANDWIDTH] || !compute->has[RFT_FIT_PEAK] ||
                memory->has[RFT_FIT_OVERHEAD] != compute->has[RFT_FIT_OVERHEAD]) {
                continue;
            }
            double m = exp(memory->params[RFT_FIT_BANDWIDTH]) / bytes_s;
            double c = exp(compute->params[RFT_FIT_PEAK]) / ops_s;
            if (c < SMALLER_SHARE * m) {
                compute->score = HUGE_VAL;
            } else if (m < SMALLER_SHARE * c) {
                memory->score = HUGE_VAL;
            }
        }
    }
}

static const rft_model_fit *choose_model(fitting *f) {
    const rft_model_fit *best = NULL;
    drop_by_ceilings(f);
    for (size_t i = 0; i < RFT_ROOFLINE_MODELS; i++) {
        if (isfinite(f->models[i].score) && (best == NULL || f->models[i].score < best->score)) {
            best = &f->models[i];
        }
    }
    return best;
}

/* Parametric bootstrap (Efron and Tibshirani 1993, chapter 6): new times from the model, fitted again. The scatter is
 * known from few points only, so each replicate draws it anew: without that, intervals of few points are too narrow. */
static void bootstrap(const fitting *f, double low[RFT_FIT_PARAM_COUNT], double high[RFT_FIT_PARAM_COUNT]) {
    const rft_fit_data *d = &f->data;
    size_t n = f->options->replicates > 0 ? f->options->replicates : REPLICATES;
    size_t freedom = d->count - f->best->free_count;
    double *drawn = rft_arena_calloc(f->arena, n * RFT_FIT_PARAM_COUNT, sizeof *drawn);
    rft_fit_data again = *d;
    again.log_time = rft_arena_calloc(f->arena, d->count, sizeof *again.log_time);
    uint64_t seed = f->options->seed;
    for (size_t r = 0; r < n; r++) {
        double chi = 0.0;
        for (size_t i = 0; i < freedom; i++) {
            double z = rft_normal(&seed);
            chi += z * z;
        }
        double scatter = f->best->scatter * sqrt((double)freedom / fmax(chi, 1e-3));
        for (size_t i = 0; i < d->count; i++) {
            again.log_time[i] = rft_roofline_model_log_time(d, i, f->best) + scatter * rft_normal(&seed);
        }
        rft_model_fit fit = *f->best;
        rft_roofline_model_refit(&again, &fit);
        for (size_t a = 0; a < RFT_FIT_PARAM_COUNT; a++) {
            drawn[a * n + r] = fit.params[a];
        }
    }
    for (size_t a = 0; a < RFT_FIT_PARAM_COUNT; a++) {
        rft_sort_doubles(&drawn[a * n], n);
        low[a] = rft_quantile(&drawn[a * n], n, TAIL);
        high[a] = rft_quantile(&drawn[a * n], n, 1.0 - TAIL);
    }
}

/* How many points a ceiling rules: more than half of its time is this resource's. For the knee: where both count. */
static size_t ruled_points(const fitting *f, rft_fit_name name) {
    size_t ruled = 0;
    for (size_t i = 0; i < f->data.count; i++) {
        double slopes[RFT_FIT_PARAM_COUNT];
        rft_roofline_model_slopes(&f->data, i, f->best, slopes);
        double share = fabs(slopes[name]);
        ruled += name == RFT_FIT_OVERHEAD ? share > 0.1 : name == RFT_FIT_SHARPNESS || share > 0.5;
    }
    return ruled;
}

/* The widest claim that needs no model: a rate that a point reached, the shortest time. */
static rft_fit_param bound_only(const fitting *f, rft_fit_name name, const char *why) {
    rft_fit_param out = {.state = RFT_FIT_UNKNOWN, .value = NAN, .low = NAN, .high = NAN, .why = why};
    double least = HUGE_VAL;
    for (size_t i = 0; i < f->data.count; i++) {
        double amount = name == RFT_FIT_BANDWIDTH ? f->data.log_bytes[i]
                        : name == RFT_FIT_PEAK    ? f->data.log_ops[i]
                                                  : 0.0;
        least = fmin(least, f->data.log_time[i] - amount);
    }
    if (name == RFT_FIT_SHARPNESS || !isfinite(least)) {
        return out;
    }
    if (name == RFT_FIT_OVERHEAD) {
        out.state = RFT_FIT_AT_MOST;
        out.high = exp(least);
    } else {
        out.state = RFT_FIT_AT_LEAST;
        out.low = exp(-least);
    }
    return out;
}

static const char *absent_text(rft_fit_name name) {
    switch (name) {
    case RFT_FIT_OVERHEAD:
        return "the times are explained without a fixed overhead: no point is small enough to show one";
    case RFT_FIT_BANDWIDTH:
        return "the times are explained without a memory ceiling: no point is on the memory side of the knee";
    case RFT_FIT_PEAK:
        return "the times are explained without a compute ceiling: no point is on the compute side of the knee";
    default:
        break;
    }
    return "no knee with points about it was seen";
}

/* A model about as good as the best that has `name`, or does without it; NULL when there is none. */
static const rft_model_fit *rival(const fitting *f, rft_fit_name name, bool has) {
    for (size_t i = 0; i < RFT_ROOFLINE_MODELS; i++) {
        if (f->models[i].score <= f->best->score + NEAR_BEST && f->models[i].has[name] == has) {
            return &f->models[i];
        }
    }
    return NULL;
}

static const char *explains_as_well(const fitting *f, const rft_model_fit *model) {
    bool several = model->has[RFT_FIT_OVERHEAD] + model->has[RFT_FIT_BANDWIDTH] + model->has[RFT_FIT_PEAK] > 1;
    return rft_arena_printf(f->arena, "%s %s the times about as well", model->text, several ? "explain" : "explains");
}

/* Amounts that are one and the same at all points, nearly: their time looks like a fixed overhead. */
static bool stands_still(const fitting *f, const double *log_amounts) {
    double least = HUGE_VAL, most = -HUGE_VAL;
    for (size_t i = 0; i < f->data.count; i++) {
        least = fmin(least, log_amounts[i]);
        most = fmax(most, log_amounts[i]);
    }
    return most - least < log(RFT_FIT_SPREAD_LEAST);
}

/* Beside an overhead only the other ceiling's points would tell a share that never changes from it: too much to ask of
 * the model's form. */
static const char *confusion(const fitting *f, rft_fit_name name) {
    bool overhead = name == RFT_FIT_OVERHEAD;
    if (!f->best->has[RFT_FIT_OVERHEAD]) {
        return NULL;
    }
    if ((overhead || name == RFT_FIT_BANDWIDTH) && f->best->has[RFT_FIT_BANDWIDTH] &&
        stands_still(f, f->data.log_bytes)) {
        return "all points move the same bytes: their time cannot be told from a fixed overhead";
    }
    if ((overhead || name == RFT_FIT_PEAK) && f->best->has[RFT_FIT_PEAK] && stands_still(f, f->data.log_ops)) {
        return "all points have the same operations: their time cannot be told from a fixed overhead";
    }
    return NULL;
}

static const char *objection(const fitting *f, rft_fit_name name, double width) {
    if (!f->best->has[name]) {
        const rft_model_fit *with = rival(f, name, true);
        bool swap = with != NULL && with->free_count <= f->best->free_count; /* not merely a part more */
        bool knee = name == RFT_FIT_SHARPNESS && f->best->has[RFT_FIT_BANDWIDTH] && f->best->has[RFT_FIT_PEAK];
        if (knee) {
            return "too few points near the knee: a sharp one explains the times as well";
        }
        return swap ? explains_as_well(f, with) : absent_text(name);
    }
    const char *confused = confusion(f, name);
    if (confused) {
        return confused;
    }
    const rft_model_fit *without = rival(f, name, false);
    if (without != NULL) {
        return explains_as_well(f, without);
    }
    if (ruled_points(f, name) < 2) {
        return "fewer than two points lie where it rules";
    }
    bool rate = name == RFT_FIT_BANDWIDTH || name == RFT_FIT_PEAK;
    if (!(width <= log(rate ? RFT_FIT_RATE_WIDTH : RFT_FIT_OTHER_WIDTH))) {
        const char *factor = rft_arena_fixed(f->arena, exp(width), 1, "");
        return rft_arena_printf(f->arena, "the points leave it within a factor of %s only", factor);
    }
    return NULL;
}

static void fill_params(const fitting *f, rft_roofline_fit *out) {
    double low[RFT_FIT_PARAM_COUNT], high[RFT_FIT_PARAM_COUNT];
    bootstrap(f, low, high);
    for (int a = 0; a < RFT_FIT_PARAM_COUNT; a++) {
        rft_fit_name name = (rft_fit_name)a;
        out->model[a] = f->best->has[a] || a == RFT_FIT_SHARPNESS ? exp(f->best->params[a]) : NAN;
        const char *why = objection(f, name, high[a] - low[a]);
        if (why == NULL) {
            out->params[a] = (rft_fit_param){RFT_FIT_KNOWN, exp(f->best->params[a]), exp(low[a]), exp(high[a]), NULL};
            continue;
        }
        out->params[a] = bound_only(f, name, why);
        if (name == RFT_FIT_SHARPNESS && f->best->has[a] && rival(f, name, false) == NULL) {
            out->params[a].state = RFT_FIT_AT_LEAST;
            out->params[a].low = exp(low[a]);
        }
    }
}

static rft_roofline_fit refused(size_t count, const char *why) {
    rft_roofline_fit out = {
        .point_count = count, .scatter_frac = NAN, .worst_frac = NAN, .worst = SIZE_MAX, .why = why};
    for (size_t a = 0; a < RFT_FIT_PARAM_COUNT; a++) {
        out.params[a] = (rft_fit_param){RFT_FIT_UNKNOWN, NAN, NAN, NAN, why};
        out.model[a] = NAN;
    }
    return out;
}

static void fill_residuals(const fitting *f, const size_t *index, rft_roofline_fit *out) {
    out->worst_frac = -1.0;
    for (size_t i = 0; i < f->data.count; i++) {
        double off = fabs(expm1(f->data.log_time[i] - rft_roofline_model_log_time(&f->data, i, f->best)));
        if (off > out->worst_frac) {
            out->worst_frac = off;
            out->worst = index[i];
        }
    }
}

rft_roofline_fit rft_roofline_fit_of(const rft_fit_point *points, size_t count, const rft_fit_options *options,
                                     rft_arena *arena) {
    fitting f = {.options = options, .arena = arena};
    size_t *index = rft_arena_calloc(arena, count + 1, sizeof *index);
    take_points(&f, points, count, index);
    if (f.data.count < POINTS_MIN) {
        return refused(f.data.count, "fewer than three points with a time and an amount of work");
    }
    for (size_t i = 0; i < RFT_ROOFLINE_MODELS; i++) {
        rft_roofline_model_fit(&f.data, i, &f.models[i]);
    }
    f.best = choose_model(&f);
    if (f.best == NULL) {
        return refused(f.data.count, "no model of time over bytes and operations can be fitted to so few points");
    }
    rft_roofline_fit out = refused(f.data.count, NULL);
    out.scatter_frac = f.best->scatter;
    if (f.best->scatter > RFT_FIT_SCATTER_MAX) {
        const char *percent = rft_arena_fixed(arena, 100.0 * f.best->scatter, 0, " %");
        out =
            refused(f.data.count, rft_arena_printf(arena, "the times scatter by %s about the best roofline", percent));
        out.scatter_frac = f.best->scatter;
        return out;
    }
    fill_params(&f, &out);
    fill_residuals(&f, index, &out);
    return out;
}

double rft_roofline_fit_time_s(const rft_roofline_fit *fit, double bytes, double ops) {
    double p = fit->model[RFT_FIT_SHARPNESS], overhead = fit->model[RFT_FIT_OVERHEAD];
    double memory = bytes / fit->model[RFT_FIT_BANDWIDTH], compute = ops / fit->model[RFT_FIT_PEAK];
    if (isnan(p)) {
        return NAN;
    }
    double longer = fmax(memory, compute), shorter = fmin(memory, compute); /* fmax and fmin pass a NaN by */
    double both = !(longer > 0.0) ? 0.0 : longer * pow(1.0 + pow(shorter / longer, p), 1.0 / p);
    if (isnan(memory) || isnan(compute)) {
        both = isnan(longer) ? 0.0 : longer;
    }
    return (isnan(overhead) ? 0.0 : overhead) + both;
}
