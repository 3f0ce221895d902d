/* SPDX-License-Identifier: Apache-2.0 */
/* noise.h - synthetic timings with a known true median, for tests of statistics. Seeded: the same everywhere. */
#ifndef RFT_TESTS_NOISE_H
#define RFT_TESTS_NOISE_H

#include "base/hash.h"

#include <math.h>
#include <stddef.h>

/* Of `all` draws a statistical test makes an eighth, all of them with the option RFT_ALL_DRAWS of CMake. */
#ifdef RFT_ALL_DRAWS
#define DRAWS(all) (all)
#else
#define DRAWS(all) ((all) / 8)
#endif
/* The same where fewer say nothing. */
#define DRAWS_LEAST(all, least) (DRAWS(all) < (least) ? (least) : DRAWS(all))

/* What a share of fewer draws may be off by chance: two standard errors, in per cent; 0 when all are made. */
static inline double noise_slack(double percent, int draws, int all) {
    return draws < all ? 2.0 * sqrt(percent * (100.0 - percent) / draws) : 0.0;
}

typedef enum noise_shape {
    NOISE_NORMAL,
    NOISE_LOG_NORMAL, /* the long tail of timings: one sample in some is much slower */
    NOISE_HEAVY,      /* Student's t with 2 degrees of freedom: no variance */
    NOISE_CLOCKS,     /* two clocks 4 % apart, each half of the time, the true median between them */
    NOISE_SPIKES,     /* normal, and one sample in 20 is up to twice as slow */
    NOISE_COUNT
} noise_shape;

static inline const char *noise_name(noise_shape shape) {
    static const char *const names[] = {"normal", "log-normal", "heavy tails", "two clocks", "spikes"};
    return names[shape];
}

static inline double noise_uniform(uint64_t *seed, double low, double high) {
    return low + (high - low) * rft_random_unit(seed);
}

static inline double noise_normal(uint64_t *seed) {
    return sqrt(-2.0 * log(1.0 - rft_random_unit(seed))) * cos(6.283185307179586 * rft_random_unit(seed));
}

/* `count` of them, two of each draw (Box & Muller); quicker. */
static inline void noise_normals(double *out, size_t count, uint64_t *seed) {
    for (size_t i = 0; i < count; i += 2) {
        double far = sqrt(-2.0 * log(1.0 - rft_random_unit(seed))), turn = 6.283185307179586 * rft_random_unit(seed);
        out[i] = far * cos(turn);
        if (i + 1 < count) {
            out[i + 1] = far * sin(turn);
        }
    }
}

/* A factor about 1; `spread_frac` is the standard deviation, or what stands for it where there is none. The true median
 * is 1 for every shape but NOISE_SPIKES: noise_median(). */
static inline double noise_factor(noise_shape shape, double spread_frac, uint64_t *seed) {
    switch (shape) {
    case NOISE_LOG_NORMAL:
        return exp(spread_frac * noise_normal(seed));
    case NOISE_HEAVY: {
        double z = noise_normal(seed), chi = -2.0 * log(1.0 - rft_random_unit(seed));
        return fmax(0.5, 1.0 + 0.5 * spread_frac * z / sqrt(chi / 2.0));
    }
    case NOISE_CLOCKS:
        return 1.0 + (rft_random_unit(seed) < 0.5 ? -0.02 : 0.02) + spread_frac * noise_normal(seed);
    case NOISE_SPIKES: {
        double factor = 1.0 + spread_frac * noise_normal(seed), unit = rft_random_unit(seed);
        return rft_random_unit(seed) < 0.05 ? factor + unit : factor;
    }
    default:
        return 1.0 + spread_frac * noise_normal(seed);
    }
}

/* Found once by a large sample where it has no formula. */
static inline double noise_median(noise_shape shape, double spread_frac) {
    /* 5 % of the samples lie above: the median is the 0.5 / 0.95 quantile of the rest, z = 0.0660 */
    return shape == NOISE_SPIKES ? 1.0 + 0.0660 * spread_frac : 1.0;
}

/* What a measurement with this relative noise tells of a fit's four parameters, by its derivative to each. */
static inline void noise_add_told(double told[4][4], const double by_parameter[4], double noise_frac) {
    for (int a = 0; a < 4; a++) {
        for (int b = 0; b < 4; b++) {
            told[a][b] += by_parameter[a] * by_parameter[b] / (noise_frac * noise_frac);
        }
    }
}

/* The least width that the 95 % interval of the last parameter can have (Cramer-Rao). `told` is spoilt. */
static inline double noise_least_width(double told[4][4]) {
    for (int a = 0; a < 3; a++) {
        for (int r = a + 1; r < 4; r++) {
            double factor = told[r][a] / told[a][a];
            for (int b = a; b < 4; b++) {
                told[r][b] -= factor * told[a][b];
            }
        }
    }
    return told[3][3] > 0.0 ? 2.0 * 1.96 / sqrt(told[3][3]) : HUGE_VAL;
}

#endif
