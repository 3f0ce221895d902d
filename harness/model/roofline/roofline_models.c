/* SPDX-License-Identifier: Apache-2.0 */
/* roofline_models.c - time = overhead + ((bytes/B)^p + (ops/P)^p)^(1/p) and what is left of it without some of its
 * parts. */
#include "model/roofline/roofline_models.h"

#include <math.h>
#include <string.h>

/* The mean of the squared Huber residual of normal noise at RFT_HUBER, so that scatter is a standard deviation. */
#define HUBER_CONSISTENCY 0.7102
#define SCATTER_ROUNDS 4
#define SCATTER_FIRST 0.05
#define SCATTER_LEAST 1e-5
/* How far from where the points put it a rate is looked for, and how small an overhead (logarithms). */
#define RATE_REACH 7.0
#define OVERHEAD_REACH 9.0

static const struct {
    bool has[RFT_FIT_PARAM_COUNT];
    const char *text;
} models[RFT_ROOFLINE_MODELS] = {
    {{true, false, false, false}, "a fixed overhead alone"},
    {{false, true, false, false}, "a memory ceiling alone"},
    {{false, false, true, false}, "a compute ceiling alone"},
    {{true, true, false, false}, "overhead and a memory ceiling"},
    {{true, false, true, false}, "overhead and a compute ceiling"},
    {{false, true, true, false}, "both ceilings with a sharp knee"},
    {{false, true, true, true}, "both ceilings without overhead"},
    {{true, true, true, false}, "overhead and both ceilings with a sharp knee"},
    {{true, true, true, true}, "overhead and both ceilings"},
};

typedef struct model_context {
    const rft_fit_data *data;
    const bool *has;
} model_context;

static double model_value(const void *context, size_t point, const double *params, double *slopes) {
    const model_context *c = context;
    memset(slopes, 0, RFT_FIT_PARAM_COUNT * sizeof *slopes);
    bool memory = c->has[RFT_FIT_BANDWIDTH], compute = c->has[RFT_FIT_PEAK];
    if (!memory && !compute) {
        slopes[RFT_FIT_OVERHEAD] = 1.0;
        return params[RFT_FIT_OVERHEAD];
    }
    double m = memory ? c->data->log_bytes[point] - params[RFT_FIT_BANDWIDTH] : 0.0;
    double o = compute ? c->data->log_ops[point] - params[RFT_FIT_PEAK] : 0.0;
    double p = exp(params[RFT_FIT_SHARPNESS]), work = memory ? m : o, memory_share = memory ? 1.0 : 0.0;
    if (memory && compute) {
        double less = exp(-p * fabs(m - o));
        work = fmax(m, o) + log1p(less) / p;
        memory_share = m >= o ? 1.0 / (1.0 + less) : less / (1.0 + less);
        slopes[RFT_FIT_SHARPNESS] = memory_share * m + (1.0 - memory_share) * o - work;
    }
    double log_time = work;
    if (c->has[RFT_FIT_OVERHEAD]) {
        double fixed = params[RFT_FIT_OVERHEAD], less = exp(-fabs(fixed - work));
        log_time = fmax(fixed, work) + log1p(less);
        slopes[RFT_FIT_OVERHEAD] = exp(fixed - log_time);
    }
    double work_share = exp(work - log_time);
    slopes[RFT_FIT_BANDWIDTH] = -work_share * memory_share;
    slopes[RFT_FIT_PEAK] = memory || compute ? -work_share * (1.0 - memory_share) : 0.0;
    slopes[RFT_FIT_SHARPNESS] *= c->has[RFT_FIT_SHARPNESS] ? work_share : 0.0;
    return log_time;
}

/* What bounds and starts are made of. */
typedef struct reach {
    double low[RFT_FIT_PARAM_COUNT], high[RFT_FIT_PARAM_COUNT];
    double shortest, bandwidth, peak; /* logarithms: of the shortest time, of the highest rates */
} reach;

static reach reach_of(const rft_fit_data *d) {
    reach r = {.shortest = HUGE_VAL, .bandwidth = -HUGE_VAL, .peak = -HUGE_VAL};
    double longest = -HUGE_VAL;
    for (size_t i = 0; i < d->count; i++) {
        r.shortest = fmin(r.shortest, d->log_time[i]);
        longest = fmax(longest, d->log_time[i]);
        r.bandwidth = fmax(r.bandwidth, d->log_bytes[i] - d->log_time[i]);
        r.peak = fmax(r.peak, d->log_ops[i] - d->log_time[i]);
    }
    r.low[RFT_FIT_OVERHEAD] = r.shortest - OVERHEAD_REACH;
    r.high[RFT_FIT_OVERHEAD] = longest;
    r.low[RFT_FIT_BANDWIDTH] = r.bandwidth - RATE_REACH;
    r.high[RFT_FIT_BANDWIDTH] = r.bandwidth + RATE_REACH;
    r.low[RFT_FIT_PEAK] = r.peak - RATE_REACH;
    r.high[RFT_FIT_PEAK] = r.peak + RATE_REACH;
    r.low[RFT_FIT_SHARPNESS] = 0.0;
    r.high[RFT_FIT_SHARPNESS] = log(RFT_FIT_SHARPEST);
    return r;
}

static rft_curve curve_of(const rft_fit_data *d, const model_context *context, const reach *r, double scatter) {
    rft_curve curve = {.value = model_value,
                       .context = context,
                       .param_count = RFT_FIT_PARAM_COUNT,
                       .point_count = d->count,
                       .measured = d->log_time,
                       .scale = d->scale,
                       .huber = RFT_HUBER,
                       .low = r->low,
                       .high = r->high};
    for (size_t a = 0; a < RFT_FIT_PARAM_COUNT; a++) {
        curve.fixed[a] = !context->has[a];
    }
    for (size_t i = 0; i < d->count; i++) {
        d->scale[i] = scatter;
    }
    return curve;
}

/* Huber's proposal 2: the scale at which the clipped residuals have the variance that normal noise would give them. */
static double scatter_of(const rft_curve *curve, const double *params, double scatter, size_t free_count) {
    double slopes[RFT_FIT_PARAM_COUNT], freedom = (double)(curve->point_count - free_count);
    for (int round = 0; round < 30; round++) {
        double sum = 0.0;
        for (size_t i = 0; i < curve->point_count; i++) {
            double r = (curve->measured[i] - curve->value(curve->context, i, params, slopes)) / scatter;
            r = fmin(fabs(r), RFT_HUBER);
            sum += r * r;
        }
        double next = fmax(scatter * sqrt(sum / (HUBER_CONSISTENCY * freedom)), SCATTER_LEAST);
        if (fabs(next - scatter) < 1e-3 * scatter) {
            return next;
        }
        scatter = next;
    }
    return scatter;
}

static double from_starts(const rft_curve *curve, const reach *r, const bool *has, double *params) {
    static const double knees[] = {6.0, 1.5}, overheads[] = {0.9, 0.2};
    double best = HUGE_VAL;
    for (size_t k = 0; k < (has[RFT_FIT_SHARPNESS] ? 2 : 1); k++) {
        for (size_t o = 0; o < (has[RFT_FIT_OVERHEAD] ? 2 : 1); o++) {
            for (size_t rate = 0; rate < (has[RFT_FIT_BANDWIDTH] && has[RFT_FIT_PEAK] ? 3 : 1); rate++) {
                double at[RFT_FIT_PARAM_COUNT] = {
                    r->shortest + log(overheads[o]), r->bandwidth + (rate == 1 ? 0.5 : 0.0),
                    r->peak + (rate == 2 ? 0.5 : 0.0), has[RFT_FIT_SHARPNESS] ? log(knees[k]) : log(RFT_FIT_SHARPEST)};
                double loss = rft_curve_fit(curve, at);
                if (loss < best) {
                    best = loss;
                    memcpy(params, at, sizeof at);
                }
            }
        }
    }
    return best;
}

void rft_roofline_model_fit(const rft_fit_data *d, size_t which, rft_model_fit *out) {
    *out = (rft_model_fit){.text = models[which].text, .score = HUGE_VAL, .scatter = NAN};
    memcpy(out->has, models[which].has, sizeof out->has);
    for (size_t a = 0; a < RFT_FIT_PARAM_COUNT; a++) {
        out->free_count += out->has[a];
    }
    bool amounts = true;
    for (size_t i = 0; i < d->count; i++) {
        amounts = amounts && (!out->has[RFT_FIT_BANDWIDTH] || isfinite(d->log_bytes[i])) &&
                  (!out->has[RFT_FIT_PEAK] || isfinite(d->log_ops[i]));
    }
    if (!amounts || d->count < out->free_count + 2) {
        return;
    }
    reach r = reach_of(d);
    model_context context = {d, out->has};
    rft_curve curve = curve_of(d, &context, &r, SCATTER_FIRST);
    if (!isfinite(from_starts(&curve, &r, out->has, out->params))) {
        return;
    }
    double scatter = SCATTER_FIRST;
    for (int round = 0; round < SCATTER_ROUNDS; round++) {
        scatter = scatter_of(&curve, out->params, scatter, out->free_count);
        curve = curve_of(d, &context, &r, scatter);
        rft_curve_fit(&curve, out->params);
    }
    out->scatter = fmax(scatter_of(&curve, out->params, scatter, out->free_count), d->noise);
    double n = (double)d->count, k = (double)out->free_count + 1.0; /* the scatter is a parameter too */
    double loss = (n - k + 1.0) / n;                                /* of the likelihood's own, smaller scatter */
    out->score = n * log(out->scatter * out->scatter * loss) + k * log(n) * n / (n - k + 0.5);
}

void rft_roofline_model_refit(const rft_fit_data *d, rft_model_fit *fit) {
    reach r = reach_of(d);
    model_context context = {d, fit->has};
    rft_curve curve = curve_of(d, &context, &r, fmax(fit->scatter, SCATTER_LEAST));
    rft_curve_fit(&curve, fit->params);
}

double rft_roofline_model_log_time(const rft_fit_data *d, size_t point, const rft_model_fit *fit) {
    double slopes[RFT_FIT_PARAM_COUNT];
    model_context context = {d, fit->has};
    return model_value(&context, point, fit->params, slopes);
}

void rft_roofline_model_slopes(const rft_fit_data *d, size_t point, const rft_model_fit *fit,
                               double slopes[RFT_FIT_PARAM_COUNT]) {
    model_context context = {d, fit->has};
    model_value(&context, point, fit->params, slopes);
}
