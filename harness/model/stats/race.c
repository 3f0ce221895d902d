/* SPDX-License-Identifier: Apache-2.0 */
#include "model/stats/race.h"

#include "model/stats/stats.h"
#include "model/stats/throttle.h"

#include <math.h>

#define BIN_FRAC 0.005
/* So much of the samples lies above what is taken for the noise; that all of several do is as rare with more. */
#define NOISE_SHARE 0.01
#define NOISE_SHARE_OF_SEVERAL 0.05

void rft_race_noise_add(rft_race_noise *noise, const double *samples, size_t n) {
    if (n < RFT_RACE_MIN_SAMPLES) {
        return;
    }
    double median = rft_stats_of(samples, n).median;
    for (size_t i = 0; i < n; i++) {
        double above = fmax(samples[i] / median - 1.0, 0.0) / BIN_FRAC;
        *(above < RFT_RACE_NOISE_BINS ? &noise->counts[(size_t)above] : &noise->beyond) += 1;
    }
    noise->total += n;
}

void rft_race_noise_add_run(rft_race_noise *noise, double run_s, double median_s) {
    if (isfinite(run_s)) {
        noise->runs++;
        noise->runs_frac = fmax(noise->runs_frac, run_s / median_s - 1.0);
    }
}

static double noise_above(const rft_race_noise *noise, double share) {
    double most = share * (double)noise->total;
    size_t above = noise->beyond, bin = RFT_RACE_NOISE_BINS;
    if ((double)above >= fmax(most, 1.0)) {
        return (double)INFINITY;
    }
    while (bin > 0 && (double)(above + noise->counts[bin - 1]) < fmax(most, 1.0)) {
        above += noise->counts[--bin];
    }
    return (double)bin * BIN_FRAC;
}

double rft_race_noise_frac(const rft_race_noise *noise) {
    return noise_above(noise, NOISE_SHARE);
}

bool rft_race_is_quiet(const rft_race_noise *noise, double kin_s) {
    double most_frac = kin_s >= RFT_RACE_LONG_S ? RFT_RACE_QUIET_LONG_FRAC : RFT_RACE_QUIET_FRAC;
    return noise->total >= RFT_RACE_QUIET_SAMPLES && rft_race_noise_frac(noise) <= most_frac + 1e-9;
}

rft_race_limits rft_race_limits_of(double best_s, double kin_s, double noise_frac, bool quiet) {
    rft_race_limits limits = {0};
    double wide = 1.0 + noise_frac;
    if (!isfinite(wide) || !(best_s > 0.0)) {
        return limits;
    }
    limits.run_s = RFT_RACE_HOPELESS_FACTOR * wide * best_s + RFT_RACE_FIRST_RUN_S;
    limits.one_s = RFT_RACE_HOPELESS_FACTOR * wide * best_s;
    if (kin_s > 0.0) {
        double one_frac = quiet ? RFT_RACE_QUIET_ONE_FRAC : RFT_RACE_ONE_FRAC;
        double three_frac = quiet ? RFT_RACE_QUIET_THREE_FRAC : RFT_RACE_THREE_FRAC;
        limits.one_s = fmin(limits.one_s, (1.0 + one_frac) * wide * kin_s);
        limits.three_s = (1.0 + three_frac) * wide * kin_s;
    }
    if (quiet) {
        limits.six_s = (1.0 + RFT_RACE_QUIET_SIX_FRAC) * wide * kin_s;
    }
    if (quiet && kin_s >= RFT_RACE_LONG_S) {
        limits.alone_s = (1.0 + RFT_RACE_QUIET_ALONE_FRAC) * wide * kin_s;
    }
    return limits;
}

rft_race_limits rft_race_limits_seen(const rft_race_noise *noise, double best_s, double kin_s, double kin_mhz,
                                     double highest_mhz) {
    bool quiet = rft_race_is_quiet(noise, kin_s);
    double noise_frac = rft_race_noise_frac(noise), wide = 1.0 + noise_frac;
    rft_race_limits limits = rft_race_limits_of(best_s, kin_s, noise_frac, quiet);
    if (!quiet || !(best_s > 0.0) || kin_s < RFT_RACE_LONG_S || !(kin_mhz > 0.0)) {
        return limits;
    }
    limits.clock_mhz = kin_mhz;
    limits.least = RFT_RACE_LEAST;
    limits.one_s = fmin(limits.one_s, (1.0 + RFT_RACE_STEADY_ONE_FRAC) * wide * kin_s);
    double several = 1.0 + noise_above(noise, NOISE_SHARE_OF_SEVERAL);
    limits.three_s = (1.0 + RFT_RACE_STEADY_THREE_FRAC) * several * kin_s;
    limits.six_s = (1.0 + RFT_RACE_STEADY_SIX_FRAC) * several * kin_s;
    if (kin_mhz < (1.0 - RFT_THROTTLE_BELOW_FRAC) * highest_mhz) { /* false for NaN */
        limits.alone_s = 0.0;
    } else if (noise->runs >= RFT_RACE_STEADY_RUNS && noise->runs_frac <= RFT_RACE_STEADY_RUNS_FRAC) {
        limits.alone_s = (1.0 + RFT_RACE_STEADY_ALONE_FRAC) * (1.0 + fmax(noise->runs_frac, noise_frac)) * kin_s;
    }
    return limits;
}

double rft_race_judged(const rft_race_limits *limits, double seconds, double clock_mhz) {
    if (!(limits->clock_mhz > 0.0)) {
        return seconds;
    }
    return isfinite(clock_mhz) ? seconds * fmin(1.0, clock_mhz / limits->clock_mhz) : 0.0;
}

bool rft_race_run_tells(double limit_s, double run_s, double host_s, size_t launches) {
    return limit_s > 0.0 && run_s - fmax(host_s, RFT_RACE_GAP_S * (double)launches) > limit_s;
}

bool rft_race_all_above(const double *samples, size_t n, double limit_s) {
    bool above = limit_s > 0.0 && n > 0;
    for (size_t i = 0; above && i < n; i++) {
        above = samples[i] > limit_s;
    }
    return above;
}
