/* SPDX-License-Identifier: Apache-2.0 */
#include "model/stats/repeat.h"

#include "base/arena.h"

#include <math.h>
#include <stdlib.h>

#define TAIL 0.05
#define NORMAL_975 1.959963984540054
#define HALF_PI 1.5707963267948966
/* Var(median - mean) / Var(mean) of many normal values: Var(median) is pi / 2 of Var(mean), and the mean, which is
 * efficient, does not vary with the difference. */
#define MEDIAN_APART (HALF_PI - 1.0)

/* ---- Student's t ---- */

/* By Newton's steps on erfc. */
double rft_normal_quantile(double tail) {
    double z = 1.0, before = 0.0;
    for (int i = 0; i < 40 && fabs(z - before) > 1e-14 * z; i++) {
        double slope = -sqrt(2.0 / acos(-1.0)) * exp(-z * z / 2.0);
        before = z;
        z = fmax(z - (erfc(z / sqrt(2.0)) - tail) / slope, z / 2.0);
    }
    return z;
}

double rft_student_t(double tail, double n) {
    if (n == 1.0) {
        return 1.0 / tan(tail * HALF_PI);
    }
    if (n == 2.0) {
        return sqrt(2.0 / (tail * (2.0 - tail)) - 2.0);
    }
    double a = 1.0 / (n - 0.5), b = 48.0 / (a * a), c = ((20700.0 * a / b - 98.0) * a - 16.0) * a + 96.36;
    double d = ((94.5 / (b + c) - 3.0) / b + 1.0) * sqrt(a * HALF_PI) * n, y = pow(d * tail, 2.0 / n);
    if (y > 0.05 + a) {
        double x = -rft_normal_quantile(tail);
        y = x * x;
        c += n < 5.0 ? 0.3 * (n - 4.5) * (x + 0.6) : 0.0;
        c += (((0.05 * d * x - 5.0) * x - 7.0) * x - 2.0) * x + b;
        y = (((((0.4 * y + 6.3) * y + 36.0) * y + 94.5) / c - y - 3.0) / b + 1.0) * x;
        y = expm1(a * y * y);
    } else {
        y = ((1.0 / (((n + 6.0) / (n * y) - 0.089 * d - 0.822) * (n + 2.0) * 3.0) + 0.5 / (n + 4.0)) * y - 1.0) *
                (n + 1.0) / (n + 2.0) +
            1.0 / y;
    }
    return sqrt(n * y);
}

/* ---- the variance between processes ---- */

/* First and second derivative of lgamma (Abramowitz & Stegun 6.3.18, 6.4.12, after steps of recurrence). */
static double digamma(double x) {
    double sum = 0.0;
    for (; x < 8.0; x += 1.0) {
        sum -= 1.0 / x;
    }
    double r = 1.0 / (x * x);
    return sum + log(x) - 0.5 / x - r * (1.0 / 12.0 - r * (1.0 / 120.0 - r / 252.0));
}

static double trigamma(double x) {
    double sum = 0.0;
    for (; x < 8.0; x += 1.0) {
        sum += 1.0 / (x * x);
    }
    double r = 1.0 / (x * x);
    return sum + 1.0 / x + r / 2.0 + r / x * (1.0 / 6.0 - r * (1.0 / 30.0 - r / 42.0));
}

/* x with trigamma(x) = y: it falls from infinity to 0. */
static double inverse_trigamma(double y) {
    double low = 1e-3, high = 1e6;
    for (int i = 0; i < 100; i++) {
        double middle = sqrt(low * high);
        *(trigamma(middle) > y ? &low : &high) = middle;
    }
    return sqrt(low * high);
}

typedef struct spread {
    double figure;   /* mean of the logarithms */
    double variance; /* between medians of processes, of logarithms, with what the timer hides */
    double freedom;  /* 0: one process */
    double x;        /* log of time */
} spread;

static double squared(double x) {
    return x * x;
}

static spread spread_of(const rft_repeat_item *item) {
    spread out = {.figure = NAN, .variance = NAN};
    double sum = 0.0, squares = 0.0, n = (double)item->count;
    for (size_t i = 0; i < item->count; i++) {
        sum += log(item->medians[i]);
    }
    if (item->count == 0) {
        return out;
    }
    out.figure = out.x = sum / n;
    for (size_t i = 0; i < item->count; i++) {
        squares += squared(log(item->medians[i]) - out.figure);
    }
    out.freedom = n - 1.0;
    if (item->count > 1) {
        /* a median that is rounded to steps is off by a step's uniform error (Sheppard) */
        out.variance = squares / out.freedom + squared(item->step) / 12.0 / exp(2.0 * out.figure);
        out.variance = fmax(out.variance, squared(RFT_REPEAT_LEAST_FRAC / NORMAL_975));
    }
    return out;
}

/* The line through log(variance) of the problems of a run, and how far they scatter about it. */
typedef struct pool {
    double x, level, slope; /* mean of log(variance) at time x, and what a unit of x adds */
    double least_x, most_x; /* the line holds between them */
    double freedom;         /* that a variance from the line is worth; 0: too few problems, there is no line */
    double all;             /* degrees of freedom of all problems together */
} pool;

#define LINE_PROBLEMS 5     /* fewer are no neighbours by time: each kernel stands for itself */
#define LINE_REACH log(2.0) /* times that lie closer make a level, no slope */
/* So many problems' worth of belief that variances scatter about the line by a standard deviation of 1 in their
 * logarithm: a few look alike by luck. */
#define BELIEF_PROBLEMS 2.0
#define BELIEF_SCATTER 1.0
/* With fewer degrees of freedom of its own (under five processes) a kernel of two modes shows but one too often (all
 * four medians in one: 12 %, two: half of the times): then its variance is not taken for less than the line's. */
#define OWN_FREEDOM 4.0
/* Correlation of medians of kernels of one problem, which share buffers: 0.3 on H200s (other problems: 0.0 to 0.1). n
 * of them tell of the variance what n / (1 + (n - 1) ALIKE^2) would. */
#define ALIKE 0.5

/* What so many degrees of freedom add to the mean of log(variance): it is negative. */
static double log_bias(double freedom) {
    return digamma(freedom / 2.0) - log(freedom / 2.0);
}

static double unbiased(const spread *s) {
    return log(s->variance) - log_bias(s->freedom);
}

static double along(const pool *p, double x) {
    return p->slope * (fmin(fmax(x, p->least_x), p->most_x) - p->x);
}

/* Least squares, weighted by what chance scatters each by. `spreads`: all have degrees of freedom. */
static void fit_line(pool *p, const spread *spreads, size_t count) {
    double weights = 0.0, xs = 0.0, ys = 0.0, xx = 0.0, xy = 0.0;
    p->least_x = INFINITY;
    p->most_x = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        double w = 1.0 / trigamma(spreads[i].freedom / 2.0), x = spreads[i].x, y = unbiased(&spreads[i]);
        weights += w;
        xs += w * x;
        ys += w * y;
        xx += w * x * x;
        xy += w * x * y;
        p->least_x = fmin(p->least_x, x);
        p->most_x = fmax(p->most_x, x);
    }
    p->x = xs / weights;
    p->level = ys / weights;
    if (p->most_x - p->least_x > LINE_REACH) {
        p->slope = (xy - xs * ys / weights) / (xx - xs * xs / weights);
    }
}

/* Degrees of freedom of the line: trigamma of their half is what true variances scatter about it by. */
static double freedom_of_line(const pool *p, const spread *spreads, size_t count) {
    double squares = 0.0, by_chance = 0.0, weights = 0.0, left = (double)count - (p->slope != 0.0 ? 2.0 : 1.0);
    for (size_t i = 0; i < count; i++) {
        double chance = trigamma(spreads[i].freedom / 2.0);
        squares += squared(unbiased(&spreads[i]) - p->level - along(p, spreads[i].x)) / chance;
        by_chance += 1.0;
        weights += 1.0 / chance;
    }
    double seen = (squares * (double)count / left - by_chance) / weights;
    double scatter = (seen * left + BELIEF_SCATTER * BELIEF_PROBLEMS) / (left + BELIEF_PROBLEMS);
    return scatter > 0.0 ? fmin(2.0 * inverse_trigamma(scatter), p->all) : p->all;
}

/* The kernels of one problem as one: the mean of the logarithms, as the line has it. */
static spread problem_of(const rft_repeat_item *items, const spread *spreads, size_t count, size_t first) {
    spread out = {.figure = NAN};
    double kernels = 0.0, log_variance = 0.0;
    for (size_t i = first; i < count; i++) {
        if (items[i].problem == items[first].problem && spreads[i].freedom > 0.0) {
            kernels++;
            out.freedom += spreads[i].freedom;
            log_variance += spreads[i].freedom * unbiased(&spreads[i]);
            out.x += spreads[i].freedom * spreads[i].x;
        }
    }
    log_variance /= out.freedom;
    out.x /= out.freedom;
    out.freedom /= 1.0 + (kernels - 1.0) * squared(ALIKE);
    out.variance = exp(log_variance + log_bias(out.freedom));
    return out;
}

/* Is this the first kernel of its problem that is known? */
static bool is_first(const rft_repeat_item *items, const spread *spreads, size_t at) {
    bool first = spreads[at].freedom > 0.0;
    for (size_t i = 0; i < at && first; i++) {
        first = !(spreads[i].freedom > 0.0 && items[i].problem == items[at].problem);
    }
    return first;
}

static pool pool_of(const rft_repeat_item *items, const spread *spreads, size_t count) {
    pool p = {0};
    spread *known = rft_calloc(count + 1, sizeof *known);
    size_t problems = 0;
    for (size_t i = 0; i < count; i++) {
        if (is_first(items, spreads, i)) {
            known[problems] = problem_of(items, spreads, count, i);
            p.all += known[problems++].freedom;
        }
    }
    if (problems >= LINE_PROBLEMS) {
        fit_line(&p, known, problems);
        p.freedom = freedom_of_line(&p, known, problems);
    }
    free(known);
    return p;
}

/* The kernel's own variance, drawn towards the line. */
static void join_pool(const pool *p, const spread *own, rft_repeat *out) {
    double others = fmin(p->freedom, p->all - own->freedom);
    out->freedom = own->freedom + others;
    out->other_freedom = others;
    out->pooled = others > 0.0;
    if (!(out->freedom > 0.0)) {
        return;
    }
    double variance = own->freedom > 0.0 ? own->freedom * own->variance : 0.0;
    if (others > 0.0) {
        variance += others * exp(p->level + log_bias(p->freedom) + along(p, own->x));
    }
    variance /= out->freedom;
    if (others > 0.0 && own->freedom < OWN_FREEDOM) {
        variance = fmax(variance, exp(p->level + along(p, own->x)));
    }
    out->deviation_frac = NORMAL_975 * sqrt(variance);
}

/* ---- the intervals ---- */

rft_repeat rft_repeat_none(void) {
    return (rft_repeat){
        .figure = NAN, .low = NAN, .high = NAN, .repeat_low = NAN, .repeat_high = NAN, .deviation_frac = NAN};
}

/* 1.96 standard deviations of the figure within one run: by its processes, and by the samples of a single one. */
static double figure_deviation(const rft_repeat *r) {
    return r->deviation_frac / sqrt((double)r->processes);
}

/* Half the interval of a figure that is read `times` over (1: the figure itself, 2: against another run's). */
static double half_width(const rft_repeat *r, double times) {
    double t = rft_student_t(TAIL, fmax(r->freedom, 1.0)) / NORMAL_975;
    return sqrt(times) * hypot(t * figure_deviation(r), RFT_REPEAT_FLOOR_FRAC);
}

/* Logarithm of the pooled median over the figure, without what chance puts between a median and a mean where there is
 * one mode (James & Stein, Proc. 4th Berkeley Symp. 1 (1961) 361, positive part). */
static double shift_of(const rft_repeat *r, double pooled) {
    double shift = log(pooled / r->figure), by_chance = MEDIAN_APART * squared(figure_deviation(r) / NORMAL_975);
    return shift != 0.0 ? shift * fmax(0.0, 1.0 - by_chance / squared(shift)) : 0.0;
}

static rft_repeat repeat_of(const rft_repeat_item *item, const spread *own, const pool *p) {
    rft_repeat out = rft_repeat_none();
    if (item->count == 0) {
        return out;
    }
    out.figure = item->count == 1 ? item->medians[0] : exp(own->figure);
    out.processes = item->count;
    join_pool(p, own, &out);
    if (!(out.freedom > 0.0)) {
        out.low = item->low;
        out.high = item->high;
        return out;
    }
    if (item->count == 1 && item->high > item->low) {
        out.deviation_frac = hypot(out.deviation_frac, log(item->high / item->low) / 2.0);
    }
    double confidence = half_width(&out, 1.0), repeat = half_width(&out, 2.0), shift = shift_of(&out, item->pooled);
    out.low = out.figure * exp(fmin(shift, 0.0) - confidence);
    out.high = out.figure * exp(fmax(shift, 0.0) + confidence);
    out.repeat_low = out.figure * exp(-repeat);
    out.repeat_high = out.figure * exp(repeat);
    return out;
}

void rft_repeat_of(const rft_repeat_item *items, size_t pooled, size_t count, rft_repeat *out) {
    spread *spreads = rft_calloc(count + 1, sizeof *spreads);
    for (size_t i = 0; i < count; i++) {
        spreads[i] = spread_of(&items[i]);
    }
    pool p = pool_of(items, spreads, pooled);
    for (size_t i = 0; i < count; i++) {
        out[i] = repeat_of(&items[i], &spreads[i], &p);
    }
    free(spreads);
}

bool rft_repeat_is_known(const rft_repeat *repeat) {
    return repeat->freedom > 0.0;
}

static bool foretold(const rft_repeat *by, double widen_frac, double figure) {
    double wider = widen_frac * by->figure;
    return figure >= by->repeat_low - wider && figure <= by->repeat_high + wider;
}

bool rft_repeat_tie(const rft_repeat *a, double widen_a_frac, const rft_repeat *b, double widen_b_frac) {
    return foretold(a, widen_a_frac, b->figure) || foretold(b, widen_b_frac, a->figure) ||
           fabs(a->figure - b->figure) < RFT_STATS_TIE_FRAC * fmin(a->figure, b->figure);
}

double rft_repeat_half_width_frac(const rft_repeat *repeat) {
    return (repeat->repeat_high - repeat->repeat_low) / 2.0 / repeat->figure;
}

bool rft_repeat_within(const rft_repeat *repeat, double margin_frac) {
    return repeat->freedom >= RFT_REPEAT_LEAST_FREEDOM && rft_repeat_half_width_frac(repeat) <= margin_frac;
}

#define MOST_PROCESSES 100000

static bool would_do(rft_repeat *with, double margin_frac) {
    with->freedom = with->other_freedom + (double)with->processes - 1.0;
    return with->freedom >= RFT_REPEAT_LEAST_FREEDOM && half_width(with, 2.0) <= margin_frac;
}

size_t rft_repeat_processes_for(const rft_repeat *repeat, double margin_frac) {
    rft_repeat with = *repeat;
    double room = squared(margin_frac) - 2.0 * squared(RFT_REPEAT_FLOOR_FRAC);
    /* by the normal distribution, which never asks for more */
    double least = fmax(2.0, floor(2.0 * squared(repeat->deviation_frac) / room));
    if (!(repeat->freedom > 0.0) || !(room > 0.0) || !(least < MOST_PROCESSES)) {
        return 0;
    }
    with.processes = (size_t)least;
    while (!would_do(&with, margin_frac)) {
        with.processes++;
    }
    return with.processes;
}

double rft_repeat_figure_deviation(const rft_repeat *repeat) {
    return hypot(figure_deviation(repeat), RFT_REPEAT_FLOOR_FRAC) / NORMAL_975;
}
