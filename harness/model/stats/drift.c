/* SPDX-License-Identifier: Apache-2.0 */
#include "model/stats/drift.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/str.h"
#include "base/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SCATTER_TOLD_FRAC 0.0001 /* less is told as less */
#define PERMUTATIONS 999
#define PERMUTATIONS_OF_SAMPLES 199
#define PAIRED_MOST 512  /* readings whose pairs are all looked at */
#define SAMPLES_MOST 512 /* of more samples, medians of neighbours are looked at: what drifts is slower than they */
#define SEED 20u
#define STEP_SIDE 2    /* readings on each side of a step */
#define NORMAL_95 1.96 /* half width of a 95 % interval in standard errors */
#define MAD_TO_SIGMA 1.4826
#define OUTLIER 2.0 /* standard deviations */
/* What each shape's statistic rarely exceeds by chance: it makes the three comparable, so that none is drowned by the
 * many splits at which a step is looked for. Any values leave the test valid; they only share out its power. */
#define TREND_SCALE 2.2
#define STEP_SCALE 2.7
#define WANDER_SCALE 2.4

typedef enum shape { SHAPE_TREND, SHAPE_STEP, SHAPE_WANDER } shape;

typedef struct finding {
    double statistic;
    shape shape;
    size_t split; /* of the most telling step: readings before it */
} finding;

typedef struct drift_series {
    size_t n;
    double *time_s, *value, *half_width, *scratch;
    bool has_times;
} drift_series;

static const char *const kind_names[] = {"unknown", "none", "trend", "step", "wander"};

const char *rft_drift_kind_name(rft_drift_kind kind) {
    return kind_names[kind];
}

bool rft_drift_found(const rft_drift *drift) {
    return drift->kind == RFT_DRIFT_TREND || drift->kind == RFT_DRIFT_STEP || drift->kind == RFT_DRIFT_WANDER;
}

static double median_of_copy(drift_series *s, const double *items, size_t n) {
    memcpy(s->scratch, items, n * sizeof *items);
    return rft_median_of(s->scratch, n);
}

/* ---- the test ---- */
static finding look(const double *scores, size_t n, double squares) {
    double count = (double)n, variance = squares / (count - 1.0), trend = 0.0, before = 0.0, neighbours = 0.0;
    double step = 0.0;
    finding out = {.split = n / 2};
    for (size_t i = 0; i < n; i++) {
        trend += ((double)i - (count - 1.0) / 2.0) * scores[i];
        neighbours += i > 0 ? scores[i - 1] * scores[i] : 0.0;
        if (i >= STEP_SIDE && i + STEP_SIDE <= n) {
            double here = fabs(before) / sqrt((double)i * (count - (double)i) / count * variance);
            if (here > step) {
                step = here;
                out.split = i;
            }
        }
        before += scores[i];
    }
    trend = fabs(trend) / sqrt(count * (count * count - 1.0) / 12.0 * variance) / TREND_SCALE;
    double wander = (neighbours / squares + 1.0 / count) * sqrt(count) / WANDER_SCALE;
    step /= STEP_SCALE;
    out.shape = wander > trend && wander > step ? SHAPE_WANDER : step > trend ? SHAPE_STEP : SHAPE_TREND;
    out.statistic = fmax(wander, fmax(step, trend));
    return out;
}

/* The share of orders of the same readings that look at least as drifting. Ends early once the answer is "no"
 * (Besag & Clifford 1991: the share so far is then a valid p). */
static double permutation_p(double *scores, size_t n, double squares, double observed, int most) {
    const int enough = (int)(RFT_DRIFT_LEVEL * (most + 1)) + 1;
    uint64_t seed = SEED;
    int as_large = 0;
    for (int done = 1; done <= most; done++) {
        for (size_t i = n - 1; i > 0; i--) {
            size_t k = (size_t)rft_random_below(&seed, i + 1);
            double swap = scores[i];
            scores[i] = scores[k];
            scores[k] = swap;
        }
        as_large += look(scores, n, squares).statistic >= observed * (1.0 - 1e-9);
        if (as_large >= enough) {
            return (double)as_large / done;
        }
    }
    return (as_large + 1.0) / (most + 1.0);
}

/* ---- how much ---- */
/* Theil and Sen: the median of the slopes through all pairs; of many readings, through those that lie half the series
 * apart (Theil 1950, the incomplete method). Change of value per unit of time. */
static double median_slope(const drift_series *s) {
    const size_t half = (s->n + 1) / 2;
    const bool all = s->n <= PAIRED_MOST;
    double *slopes = rft_calloc(all ? s->n * (s->n - 1) / 2 + 1 : half, sizeof *slopes);
    size_t count = 0;
    for (size_t i = 0; i < (all ? s->n : s->n - half); i++) {
        const size_t first = all ? i + 1 : i + half, last = all ? s->n : first + 1;
        for (size_t k = first; k < last; k++) {
            if (s->time_s[k] > s->time_s[i]) {
                slopes[count++] = (s->value[k] - s->value[i]) / (s->time_s[k] - s->time_s[i]);
            }
        }
    }
    double slope = count > 0 ? rft_median_of(slopes, count) : 0.0;
    free(slopes);
    return slope;
}

/* What is left of the values after a line of this slope; returns the mean of the absolute values. */
static double line_left(drift_series *s, double slope, double *left) {
    double sum = 0.0;
    for (size_t i = 0; i < s->n; i++) {
        left[i] = s->value[i] - slope * (s->time_s[i] - s->time_s[0]);
    }
    double middle = median_of_copy(s, left, s->n);
    for (size_t i = 0; i < s->n; i++) {
        left[i] -= middle;
        sum += fabs(left[i]);
    }
    return sum / (double)s->n;
}

static double step_left(drift_series *s, size_t split, double *left, double *before, double *after) {
    double sum = 0.0;
    *before = median_of_copy(s, s->value, split);
    *after = median_of_copy(s, s->value + split, s->n - split);
    for (size_t i = 0; i < s->n; i++) {
        left[i] = s->value[i] - (i < split ? *before : *after);
        sum += fabs(left[i]);
    }
    return sum / (double)s->n;
}

/* Highest against lowest of the medians of three neighbours; what is left after them goes to `left`. */
static double wander_range(const drift_series *s, double *left) {
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < s->n; i++) {
        size_t first = i == 0 ? 0 : i + 1 == s->n ? s->n - 3 : i - 1;
        double three[3] = {s->value[first], s->value[first + 1], s->value[first + 2]};
        double smooth = rft_median_of(three, 3);
        left[i] = s->value[i] - smooth;
        low = fmin(low, smooth);
        high = fmax(high, smooth);
    }
    return high - low;
}

static double scatter(drift_series *s, double *left) {
    double middle = median_of_copy(s, left, s->n);
    for (size_t i = 0; i < s->n; i++) {
        left[i] = fabs(left[i] - middle);
    }
    return MAD_TO_SIGMA * rft_median_of(left, s->n);
}

/* The values about their median, outliers brought in: one slow reading must not decide, and nearly the power of the
 * plain values is left. Any scores would make a valid test. Their mean is 0; all are 0 when all values are equal. */
static void score(double *out, drift_series *s, double centre) {
    double sum = 0.0, mean_deviation = 0.0;
    for (size_t i = 0; i < s->n; i++) {
        out[i] = s->value[i] - centre;
        mean_deviation += fabs(out[i]) / (double)s->n;
    }
    double noise = scatter(s, out);
    noise = noise > 0.0 ? noise : mean_deviation; /* 0: over half of them are equal */
    for (size_t i = 0; i < s->n; i++) {
        double value = noise > 0.0 ? (s->value[i] - centre) / noise : 0.0;
        out[i] = fmax(-OUTLIER, fmin(OUTLIER, value));
        sum += out[i];
    }
    for (size_t i = 0; i < s->n && noise > 0.0; i++) {
        out[i] -= sum / (double)s->n;
    }
}

/* Kind, amount and what is left, for readings that the test calls drifting. */
static void size_up(rft_drift *drift, drift_series *s, const finding *found, double centre, double *left) {
    double before = 0.0, after = 0.0, slope = median_slope(s);
    if (found->shape == SHAPE_WANDER) {
        drift->kind = RFT_DRIFT_WANDER;
        drift->amount_frac = wander_range(s, left) / centre;
        return;
    }
    double line = line_left(s, slope, left);
    double step = step_left(s, found->split, left, &before, &after);
    if (step < line) {
        drift->kind = RFT_DRIFT_STEP;
        drift->amount_frac = (after - before) / before;
        drift->step_s = s->has_times ? (s->time_s[found->split - 1] + s->time_s[found->split]) / 2.0 : (double)NAN;
        return;
    }
    line_left(s, slope, left);
    drift->kind = RFT_DRIFT_TREND;
    drift->amount_frac = slope * (s->time_s[s->n - 1] - s->time_s[0]) / centre;
}

/* The standard error that the intervals of single readings speak of, over the median; 0 where none is known: then all
 * scatter counts as scatter between readings. */
static double own_noise_frac(drift_series *s, double centre) {
    size_t count = 0;
    double *known = rft_calloc(s->n, sizeof *known);
    for (size_t i = 0; i < s->n; i++) {
        if (isfinite(s->half_width[i])) {
            known[count++] = s->half_width[i];
        }
    }
    double noise = count > 0 ? rft_median_of(known, count) / NORMAL_95 / centre : 0.0;
    free(known);
    return noise;
}

static void judge_drift(rft_drift *drift, drift_series *s, int permutations) {
    size_t n = s->n;
    double *scores = rft_calloc(n, sizeof *scores), *left = rft_calloc(n, sizeof *left);
    double centre = median_of_copy(s, s->value, n), squares = 0.0;
    drift->kind = RFT_DRIFT_NONE;
    drift->p = 1.0;
    drift->amount_frac = 0.0;
    score(scores, s, centre);
    for (size_t i = 0; i < n; i++) {
        squares += scores[i] * scores[i];
        left[i] = s->value[i] - centre;
    }
    if (squares > 0.0) { /* 0: all readings are equal */
        finding found = look(scores, n, squares);
        drift->p = permutation_p(scores, n, squares, found.statistic, permutations);
        if (drift->p <= RFT_DRIFT_LEVEL) {
            size_up(drift, s, &found, centre, left);
        }
    }
    if (fabs(drift->amount_frac) < RFT_DRIFT_MIN_FRAC) {
        drift->kind = RFT_DRIFT_NONE;
        drift->amount_frac = 0.0;
        drift->step_s = NAN;
        for (size_t i = 0; i < n; i++) {
            left[i] = s->value[i] - centre;
        }
    }
    drift->noise_frac = scatter(s, left) / centre;
    double own = own_noise_frac(s, centre), excess = drift->noise_frac * drift->noise_frac - own * own;
    drift->widen_frac = fabs(drift->amount_frac) / 2.0 + NORMAL_95 * sqrt(fmax(excess, 0.0));
    free(left);
    free(scores);
}

/* Copies the readings that count. */
static drift_series take_readings(const rft_drift_reading *readings, size_t count) {
    drift_series s = {.has_times = true};
    double *block = rft_calloc(4 * count + 1, sizeof *block);
    s.time_s = block;
    s.value = block + count;
    s.half_width = block + 2 * count;
    s.scratch = block + 3 * count;
    for (size_t i = 0; i < count; i++) {
        if (isfinite(readings[i].median) && readings[i].median > 0.0) {
            s.time_s[s.n] = readings[i].time_s;
            s.value[s.n] = readings[i].median;
            s.half_width[s.n] = readings[i].half_width;
            s.has_times = s.has_times && isfinite(readings[i].time_s);
            s.n++;
        }
    }
    for (size_t i = 0; i < s.n && !s.has_times; i++) {
        s.time_s[i] = (double)i;
    }
    return s;
}

static rft_drift drift_of(const rft_drift_reading *readings, size_t count, int permutations) {
    rft_drift drift = {.kind = RFT_DRIFT_UNKNOWN,
                       .p = NAN,
                       .amount_frac = NAN,
                       .step_s = NAN,
                       .span_s = NAN,
                       .noise_frac = NAN,
                       .widen_frac = NAN};
    drift_series s = take_readings(readings, count);
    drift.n = s.n;
    if (s.n > 0 && s.has_times) {
        drift.span_s = s.time_s[s.n - 1] - s.time_s[0];
    }
    if (s.n >= RFT_DRIFT_MIN_READINGS) {
        judge_drift(&drift, &s, permutations);
    }
    free(s.time_s);
    return drift;
}

rft_drift rft_drift_of(const rft_drift_reading *readings, size_t count) {
    return drift_of(readings, count, PERMUTATIONS);
}

rft_drift rft_drift_of_samples(const double *samples, size_t n) {
    const size_t count = n > SAMPLES_MOST ? SAMPLES_MOST : n;
    rft_drift_reading *readings = rft_calloc(count + 1, sizeof *readings);
    double *neighbours = rft_calloc(n / (count + !count) + 2, sizeof *neighbours);
    for (size_t i = 0; i < count; i++) {
        const size_t begin = i * n / count, taken = (i + 1) * n / count - begin;
        memcpy(neighbours, samples + begin, taken * sizeof *neighbours);
        readings[i] = (rft_drift_reading){.time_s = NAN, .median = rft_median_of(neighbours, taken), .half_width = NAN};
    }
    rft_drift drift = drift_of(readings, count, PERMUTATIONS_OF_SAMPLES);
    drift.n = drift.n == count ? n : drift.n;
    free(neighbours);
    free(readings);
    return drift;
}

rft_stats rft_drift_widened(const rft_stats *stats, double widen_frac) {
    rft_stats wide = *stats;
    if (isfinite(widen_frac)) {
        wide.low -= widen_frac * fabs(stats->median);
        wide.high += widen_frac * fabs(stats->median);
    }
    return wide;
}

/* ---- in words ---- */

static void add_percent(rft_str *text, double frac) {
    rft_str_add_fixed(text, fabs(frac) * 100.0, fabs(frac) < 0.001 ? 2 : 1);
    rft_str_add(text, " %");
}

static void add_duration(rft_str *text, const char *before, double seconds) {
    char duration[48];
    if (isfinite(seconds)) {
        rft_str_addf(text, "%s%s", before, rft_units_format_seconds(duration, sizeof duration, seconds, 2));
    }
}

static void add_finding(rft_str *text, const rft_drift *drift) {
    const char *direction = drift->amount_frac > 0 ? " slower" : " faster";
    if (drift->kind == RFT_DRIFT_WANDER) {
        rft_str_add(text, "the reference wandered over ");
        add_percent(text, drift->amount_frac);
        add_duration(text, " within ", drift->span_s);
    } else {
        rft_str_add(text, "the reference became ");
        add_percent(text, drift->amount_frac);
        rft_str_add(text, direction);
        if (drift->kind == RFT_DRIFT_STEP) {
            rft_str_add(text, " at once");
            add_duration(text, ", ", drift->step_s);
            rft_str_add(text, isfinite(drift->step_s) ? " into the run" : "");
        } else {
            add_duration(text, " over ", drift->span_s);
        }
    }
}

char *rft_drift_words(const rft_drift *drift, char *out, size_t size) {
    rft_str text = RFT_STR_INIT;
    if (drift->kind == RFT_DRIFT_UNKNOWN) {
        rft_str_addf(&text, "whether the device drifted is not known: %zu reading%s of the reference, %d are needed",
                     drift->n, drift->n == 1 ? "" : "s", RFT_DRIFT_MIN_READINGS);
    } else if (drift->kind == RFT_DRIFT_NONE) {
        rft_str_addf(&text, "no drift: %zu readings of the reference", drift->n);
        add_duration(&text, " over ", drift->span_s);
        rft_str_add(&text, " scatter by ");
        bool none = drift->noise_frac < SCATTER_TOLD_FRAC; /* most readings are the same step of the timer */
        rft_str_add(&text, none ? "less than " : "");
        add_percent(&text, none ? SCATTER_TOLD_FRAC : drift->noise_frac);
    } else {
        add_finding(&text, drift);
        rft_str_addf(&text, " (%zu readings)", drift->n);
    }
    if (isfinite(drift->widen_frac) && drift->widen_frac >= RFT_DRIFT_MIN_FRAC) {
        rft_str_add(&text, ", so intervals are ");
        add_percent(&text, drift->widen_frac);
        rft_str_add(&text, " wider on each side when runs are compared");
    }
    rft_text_format(out, size, "%s", rft_str_get(&text));
    rft_str_clear(&text);
    return out;
}

/* ---- one measurement ---- */

#define BATCHES_LEAST 3
#define BATCHES_MOST 10
#define BATCH_SAMPLES 8 /* wanted in each of many batches */
#define SAMPLES_LEAST 8

static double half_width_by(const double *samples, size_t n, size_t count) {
    /* Student's t, 97.5 %, for 2 to 9 degrees of freedom */
    static const double t[] = {4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262};
    double medians[BATCHES_MOST], mean = 0.0, squares = 0.0;
    for (size_t i = 0; i < count; i++) {
        size_t begin = i * n / count, end = (i + 1) * n / count;
        medians[i] = rft_stats_of(samples + begin, end - begin).median;
        mean += medians[i] / (double)count;
    }
    for (size_t i = 0; i < count; i++) {
        squares += (medians[i] - mean) * (medians[i] - mean);
    }
    return t[count - BATCHES_LEAST] * sqrt(squares / (double)(count - 1) / (double)count);
}

double rft_drift_batch_half_width(const double *samples, size_t n) {
    size_t most = n / BATCH_SAMPLES;
    most = most <= BATCHES_LEAST ? BATCHES_LEAST + 1 : most > BATCHES_MOST ? BATCHES_MOST : most;
    double widest = n < SAMPLES_LEAST ? (double)NAN : 0.0;
    for (size_t count = BATCHES_LEAST; count <= most && n >= SAMPLES_LEAST; count++) {
        widest = fmax(widest, half_width_by(samples, n, count));
    }
    return widest;
}

rft_stats rft_drift_stats_of(const double *samples, size_t n) {
    rft_stats stats = rft_stats_of(samples, n);
    double batches = rft_drift_batch_half_width(samples, n), half = (stats.high - stats.low) / 2.0;
    if (!stats.interval_is_95 || batches <= half) {
        return stats; /* nothing to widen: whether they are independent need not be known */
    }
    rft_drift drift = rft_drift_of_samples(samples, n);
    if (!rft_drift_found(&drift)) {
        return stats;
    }
    stats.interval_is_95 = isfinite(batches);
    return rft_drift_widened(&stats, (batches - half) / stats.median);
}
