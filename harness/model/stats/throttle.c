/* SPDX-License-Identifier: Apache-2.0 */
#include "model/stats/throttle.h"

#include "base/arena.h"
#include "base/str.h"
#include "model/stats/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SAME_CLOCK_FRAC 0.02
#define ACTIVE_FRAC 0.05
#define WHOLLY_FRAC 0.90
#define WAIT_S 0.25 /* doubled each time */
#define WAIT_THERMAL_S 1.0

static const char *const names[] = {
#define THROTTLE_NAME(name, text, words) text,
    RFT_THROTTLE_MAP(THROTTLE_NAME)
#undef THROTTLE_NAME
        "none"};
static const char *const cause_words[] = {
#define THROTTLE_WORDS(name, text, words) words,
    RFT_THROTTLE_MAP(THROTTLE_WORDS)
#undef THROTTLE_WORDS
        "cause not known"};

const char *rft_throttle_name(rft_throttle_cause cause) {
    return names[cause];
}

rft_throttle_cause rft_throttle_from_name(const char *name) {
    int cause = 0;
    while (cause < RFT_THROTTLE_COUNT && !(name && strcmp(name, names[cause]) == 0)) {
        cause++;
    }
    return (rft_throttle_cause)cause;
}

const char *rft_throttle_words(rft_throttle_cause cause) {
    return cause_words[cause];
}

void rft_throttle_share(double share[RFT_THROTTLE_COUNT], const rft_throttle_counters *before,
                        const rft_throttle_counters *after) {
    double elapsed_s = after->time_s - before->time_s;
    for (int i = 0; i < RFT_THROTTLE_COUNT; i++) {
        double active_s = after->active_s[i] - before->active_s[i];
        bool known = elapsed_s > 0.0 && active_s >= 0.0; /* false for NaN */
        share[i] = known ? fmin(active_s / elapsed_s, 1.0) : (double)NAN;
    }
}

/* Sorts the finite ones of `items` to the front; returns how many. */
static size_t sort_known(double *items, size_t n) {
    size_t known = 0;
    for (size_t i = 0; i < n; i++) {
        if (isfinite(items[i])) {
            items[known++] = items[i];
        }
    }
    rft_sort_doubles(items, known);
    return known;
}

/* ---- steady state ---- */
void rft_throttle_steady_add(rft_throttle_steady *steady, double clock_mhz) {
    if (isfinite(clock_mhz) && clock_mhz > 0.0) {
        steady->clocks_mhz[steady->added++ % RFT_THROTTLE_STEADY_SIZE] = clock_mhz;
    }
}

double rft_throttle_steady_mhz(const rft_throttle_steady *steady) {
    double clocks[RFT_THROTTLE_STEADY_SIZE];
    size_t n = steady->added < RFT_THROTTLE_STEADY_SIZE ? steady->added : RFT_THROTTLE_STEADY_SIZE;
    if (n < RFT_THROTTLE_STEADY_MIN) {
        return NAN;
    }
    memcpy(clocks, steady->clocks_mhz, n * sizeof *clocks);
    n = sort_known(clocks, n);
    return rft_median_of(clocks, n);
}

/* ---- one attempt ---- */
static rft_throttle_cause largest(const double share[RFT_THROTTLE_COUNT]) {
    rft_throttle_cause cause = RFT_THROTTLE_COUNT;
    double most = 0.0;
    for (int i = 0; i < RFT_THROTTLE_COUNT; i++) {
        if (share[i] > most) { /* false for NaN */
            most = share[i];
            cause = (rft_throttle_cause)i;
        }
    }
    return cause;
}

/* Causes that are never what a load gets by itself. */
static bool is_trouble(rft_throttle_cause cause) {
    return cause == RFT_THROTTLE_SW_THERMAL || cause == RFT_THROTTLE_HW_THERMAL || cause == RFT_THROTTLE_POWER_BRAKE;
}

static bool trouble_was_active(const double share[RFT_THROTTLE_COUNT]) {
    bool active = false;
    for (int i = 0; i < RFT_THROTTLE_COUNT; i++) {
        active = active || (is_trouble((rft_throttle_cause)i) && share[i] > ACTIVE_FRAC);
    }
    return active;
}

rft_throttle_attempt rft_throttle_judge(bool *tags, const double *clocks_mhz, size_t n, double steady_mhz,
                                        const double *share) {
    rft_throttle_attempt out = {.n = n, .clock_mhz = NAN, .reference_mhz = NAN, .cause = RFT_THROTTLE_COUNT};
    for (int i = 0; i < RFT_THROTTLE_COUNT; i++) {
        out.share[i] = share ? share[i] : (double)NAN;
    }
    double *sorted = rft_calloc(n + 1, sizeof *sorted);
    if (n > 0) {
        memcpy(sorted, clocks_mhz, n * sizeof *sorted);
    }
    size_t known = sort_known(sorted, n);
    if (known > 0) {
        out.clock_mhz = rft_median_of(sorted, known);
        out.reference_mhz = isfinite(steady_mhz) ? steady_mhz : sorted[(known - 1) * 3 / 4];
    }
    bool all = known == 0 && trouble_was_active(out.share);
    double limit_mhz = (1.0 - RFT_THROTTLE_BELOW_FRAC) * out.reference_mhz;
    for (size_t i = 0; i < n; i++) {
        bool affected = all || clocks_mhz[i] < limit_mhz; /* false for NaN */
        out.affected += affected;
        if (tags) {
            tags[i] = affected;
        }
    }
    out.affected_frac = n > 0 ? (double)out.affected / (double)n : 0.0;
    out.cause = largest(out.share);
    free(sorted);
    return out;
}

/* ---- again? ---- */
static size_t least_affected(const rft_throttle_case *point) {
    size_t best = 0;
    for (size_t i = 1; i < point->count; i++) {
        if (point->attempts[i].affected_frac < point->attempts[best].affected_frac) {
            best = i;
        }
    }
    return best;
}

/* A heavy load draws the power limit's clock each time it runs: measuring it again brings nothing else. */
static bool is_its_own_clock(const rft_throttle_case *point) {
    if (point->count < 2) {
        return false;
    }
    const rft_throttle_attempt *a = &point->attempts[point->count - 2], *b = a + 1;
    return a->affected_frac >= WHOLLY_FRAC && b->affected_frac >= WHOLLY_FRAC && !trouble_was_active(a->share) &&
           !trouble_was_active(b->share) && fabs(a->clock_mhz - b->clock_mhz) <= SAME_CLOCK_FRAC * a->clock_mhz;
}

rft_throttle_decision rft_throttle_next(rft_throttle_case *point, const rft_throttle_attempt *attempt) {
    if (point->count < 1 + RFT_THROTTLE_RETRIES) {
        point->attempts[point->count++] = *attempt;
    }
    rft_throttle_decision decision = {.verdict = RFT_THROTTLE_AGAIN, .best = least_affected(point)};
    if (attempt->affected_frac <= RFT_THROTTLE_TOLERATED_FRAC) {
        decision.verdict = RFT_THROTTLE_CLEAN;
    } else if (is_its_own_clock(point)) {
        decision.verdict = RFT_THROTTLE_ITS_OWN;
    } else if (point->count == 1 + RFT_THROTTLE_RETRIES) {
        decision.verdict = RFT_THROTTLE_GAVE_UP;
    } else {
        double first_s = is_trouble(attempt->cause) ? WAIT_THERMAL_S : WAIT_S;
        decision.wait_s = first_s * (double)(1u << (point->count - 1));
    }
    return decision;
}

char *rft_throttle_sentence(const rft_throttle_case *point, const rft_throttle_decision *decision, char *out,
                            size_t size) {
    const rft_throttle_attempt *kept = &point->attempts[decision->best];
    rft_str text = RFT_STR_INIT;
    if (kept->affected > 0 && isfinite(kept->reference_mhz)) {
        bool some = kept->affected_frac >= 0.01; /* never "0 %" */
        rft_str_addf(&text, "%s%.0f %% of the samples ran more than %.0f %% below the run's %.0f MHz",
                     some ? "" : "less than ", some ? kept->affected_frac * 100.0 : 1.0,
                     RFT_THROTTLE_BELOW_FRAC * 100.0, kept->reference_mhz);
    } else if (kept->affected > 0) {
        rft_str_add(&text, "the clock was held down and is not known for single samples");
    }
    if (kept->affected > 0) {
        rft_str_addf(&text, " (%s)", rft_throttle_words(kept->cause));
        if (decision->verdict == RFT_THROTTLE_ITS_OWN) {
            rft_str_addf(&text, "; %.0f MHz again when measured again: the clock this load gets", kept->clock_mhz);
        } else if (point->count > 1) {
            rft_str_addf(&text, "; measured %zu times, the least affected is kept", point->count);
        }
    }
    rft_text_format(out, size, "%s", rft_str_get(&text));
    rft_str_clear(&text);
    return out;
}
