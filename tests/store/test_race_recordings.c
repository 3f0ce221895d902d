/* SPDX-License-Identifier: Apache-2.0 */
/* How often the race (model/stats/race.h) drops the best of a variant by fewer than five samples, on what the committed
 * recordings saw: the samples of the best and of those nearest to it are drawn again, in stretches as they followed
 * each other. The best comes last, when its rivals are as fast as they get, and what its verified run would have said
 * is taken to agree; of what takes long that is another launch like a sample, and is drawn before it. What that run
 * says alone is drawn from the recorded runs over medians of all of them. Prints the figures that docs/statistics.md
 * quotes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/fs.h"
#include "base/hash.h"
#include "bench/again_rate.h"
#include "model/roofline/held_clock.h"
#include "store/store.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DRAWN = 10, RIVALS_MOST = 8, EARLY = 3, TRIALS_OF_ONE = 200, TRIALS_LEAST = 30000 };
#define DROPPED_AT_MOST 1e-4 /* of all bests */
#define SEED 25

typedef struct tally {
    size_t recordings, bests, trials, quiet, steady, runs, by_run, by_one, by_three, by_six, by_five;
    size_t samples, firsts, high_firsts, high_samples; /* 1.2 times above the median of their point */
} tally;

static bool is_sampled(const rft_point *point) {
    return point->alias_of == 0 && point->outcome == RFT_OUTCOME_OK && point->rounds[0].n >= RFT_RACE_MIN_SAMPLES;
}

static double median_of(const rft_point *point) {
    return point->rounds[0].stats.median;
}

typedef struct drawn {
    double seconds[DRAWN], clocks_mhz[DRAWN];
} drawn;

static drawn draw(const rft_point *point, uint64_t *seed) {
    const rft_measurement *m = &point->rounds[0];
    size_t from = (size_t)(rft_random_unit(seed) * (double)m->n);
    drawn out;
    for (size_t i = 0; i < DRAWN; i++) {
        out.seconds[i] = m->samples_s[(from + i) % m->n];
        out.clocks_mhz[i] = m->clocks_mhz ? m->clocks_mhz[(from + i) % m->n] : (double)NAN;
    }
    return out;
}

typedef struct rivals {
    const rft_point *kin[RIVALS_MOST], *others[RIVALS_MOST];
    size_t kin_count, other_count;
} rivals;

static void insert(const rft_point *list[RIVALS_MOST], size_t *count, const rft_point *point) {
    size_t at = *count < RIVALS_MOST ? (*count)++ : RIVALS_MOST;
    for (; at > 0 && median_of(point) < median_of(list[at - 1]); at--) {
        if (at < RIVALS_MOST) {
            list[at] = list[at - 1];
        }
    }
    if (at < RIVALS_MOST) {
        list[at] = point;
    }
}

typedef struct fastest {
    double median_s, clock_mhz; /* 0, NaN: none */
} fastest;

static fastest fastest_drawn(const rft_point *const list[], size_t count, rft_race_noise *noise, uint64_t *seed) {
    fastest least = {0.0, NAN};
    for (size_t i = 0; i < count; i++) {
        drawn one = draw(list[i], seed);
        rft_race_noise_add(noise, one.seconds, DRAWN);
        rft_race_noise_add_run(noise, list[i]->rounds[0].first_run_s, median_of(list[i]));
        double median_s = rft_stats_of(one.seconds, DRAWN).median;
        if (least.median_s == 0.0 || median_s < least.median_s) {
            least = (fastest){median_s, rft_stats_of(one.clocks_mhz, DRAWN).median};
        }
    }
    return least;
}

/* What a verified run takes, as one of these took it beyond its median, or by what factor; 0: they were not recorded.
 */
static double drawn_run_s(const rft_point *best, const rivals *r, uint64_t *seed) {
    size_t at = (size_t)(rft_random_unit(seed) * (double)(1 + r->kin_count + r->other_count));
    const rft_point *point = at == 0 ? best : at <= r->kin_count ? r->kin[at - 1] : r->others[at - 1 - r->kin_count];
    double run_s = point->rounds[0].first_run_s, times = median_of(best) / median_of(point);
    double longer_s = median_of(best) + run_s - median_of(point); /* the host's share is no factor */
    return !isfinite(run_s) ? 0.0 : median_of(best) < RFT_RACE_LONG_S ? longer_s : fmax(longer_s, run_s * times);
}

/* First runs of what a single sample told. */
static void add_runs_of_losers(const rivals *r, rft_race_noise *noise, uint64_t *seed) {
    for (size_t i = 0; i < r->kin_count; i++) {
        const drawn one = draw(r->kin[i], seed);
        rft_race_noise_add_run(noise, r->kin[i]->rounds[0].first_run_s, one.seconds[0]);
    }
}

/* Of the rivals all are known, or, as early in a sweep, the first few, and of the others what one sample told. */
static void try_best(tally *t, const rft_point *best, const rivals *r, double highest_mhz, uint64_t *seed) {
    rft_race_noise noise = {.total = 0};
    size_t known = t->trials % 2 ? EARLY : RIVALS_MOST;
    fastest kin = fastest_drawn(r->kin, r->kin_count < known ? r->kin_count : known, &noise, seed);
    double kin_s = kin.median_s;
    double other_s = fastest_drawn(r->others, r->other_count < known ? r->other_count : known, &noise, seed).median_s;
    if (t->trials % 2) {
        add_runs_of_losers(r, &noise, seed);
    }
    rft_stop_rule rule = {.min_samples = 10, .max_samples = 100, .noise_frac = 0.005, .max_seconds = 0.25};
    rule.rival_s = other_s > 0.0 ? fmin(kin_s, other_s) : kin_s;
    rule.few = rft_race_limits_seen(&noise, rule.rival_s, kin_s, kin.clock_mhz, highest_mhz);
    drawn one = draw(best, seed);
    double samples[DRAWN];
    for (size_t i = 0; i < DRAWN; i++) {
        samples[i] = rft_race_judged(&rule.few, one.seconds[i], one.clocks_mhz[i]);
    }
    t->trials++;
    t->quiet += rft_race_is_quiet(&noise, kin_s);
    t->steady += rule.few.clock_mhz > 0.0;
    bool within = rule.rival_s * RFT_RACE_HOPELESS_FACTOR > kin_s; /* else the whole variant is hopeless, by right */
    size_t launches = kin_s >= RFT_RACE_LONG_S ? 2 : 1; /* of what takes long the verified run is a sample before it */
    t->by_one += within && rft_race_all_above(samples, launches, rule.few.one_s);
    double run_s = drawn_run_s(best, r, seed);
    t->runs += run_s > 0.0 && rule.few.alone_s > 0.0;
    t->by_run += within && (rft_race_run_tells(rule.few.run_s, run_s, 0.0, 1) ||
                            rft_race_run_tells(rule.few.alone_s, run_s, 0.0, 1));
    t->by_three += rft_race_all_above(samples, RFT_RACE_THREE, rule.few.three_s);
    t->by_six += rft_race_all_above(samples, RFT_RACE_SIX, rule.few.six_s);
    t->by_five += rft_race_all_above(samples, RFT_RACE_MIN_SAMPLES, (1.0 + RFT_RACE_MARGIN_FRAC) * kin_s);
}

static void try_variant(tally *t, const rft_run *run, const rft_point *best, uint64_t *seed) {
    rivals r = {.kin_count = 0};
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_point *point = &run->points[i];
        if (point != best && is_sampled(point) && point->sweep == best->sweep && point->problem == best->problem) {
            if (point->variant == best->variant) {
                insert(r.kin, &r.kin_count, point);
            } else {
                insert(r.others, &r.other_count, point);
            }
        }
    }
    t->bests += r.kin_count > 0;
    for (int i = 0; i < TRIALS_OF_ONE && r.kin_count > 0; i++) {
        try_best(t, best, &r, rft_ceilings_clock_mhz(&run->ceilings), seed);
    }
}

static bool is_best(const rft_run *run, const rft_point *best) {
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_point *point = &run->points[i];
        if (is_sampled(point) && point->sweep == best->sweep && point->problem == best->problem &&
            point->variant == best->variant &&
            (median_of(point) < median_of(best) || (median_of(point) == median_of(best) && point->id < best->id))) {
            return false;
        }
    }
    return true;
}

static void count_samples(tally *t, const rft_point *point) {
    double limit_s = (1.0 + RFT_RACE_THREE_FRAC) * median_of(point);
    for (size_t i = 0; i < point->rounds[0].n; i++) {
        t->high_samples += point->rounds[0].samples_s[i] > limit_s;
    }
    t->samples += point->rounds[0].n;
    t->firsts++;
    t->high_firsts += point->rounds[0].samples_s[0] > limit_s;
}

static void try_recording(tally *t, const char *path, uint64_t *seed) {
    rft_run *run = NULL;
    rft_err err = RFT_ERR_INIT;
    if (rft_recording_read(&run, path, &err) != RFT_OK) {
        fail_msg("%s", err.message);
    }
    t->recordings++;
    for (size_t i = 0; i < run->point_count; i++) {
        if (is_sampled(&run->points[i])) {
            count_samples(t, &run->points[i]);
            if (is_best(run, &run->points[i])) {
                try_variant(t, run, &run->points[i], seed);
            }
        }
    }
    rft_run_free(run);
}

static void no_best_is_dropped(void **state) {
    (void)state;
    tally t = {.trials = 0};
    char **names = NULL;
    size_t count = 0;
    assert_int_equal(rft_fs_list(&names, &count, RFT_RECORDINGS, ".json.gz", NULL), 0);
    for (size_t i = 0; i < count; i++) {
        char *path = rft_fs_join(RFT_RECORDINGS, names[i]);
        uint64_t seed = SEED ^ rft_hash_fnv1a(names[i], strlen(names[i])); /* whatever else is recorded */
        try_recording(&t, path, &seed);
        free(path);
    }
    rft_fs_list_free(names, count);
    print_message("%zu recordings: %zu of %zu samples, %zu of %zu first samples lie 20 %% above their median\n",
                  t.recordings, t.high_samples, t.samples, t.high_firsts, t.firsts);
    const again_rate few = {t.by_run + t.by_one + t.by_three + t.by_six, t.trials};
    print_message(
        "%zu bests of a variant, %zu trials (%zu quiet, %zu of them long at a known clock, %zu with a run): dropped by "
        "the "
        "run alone "
        "%zu, by one sample %zu, by three %zu, by six %zu, by five %zu; of few samples at most 1 in %.0f (95 %%, draws "
        "from these samples)\n",
        t.bests, t.trials, t.quiet, t.steady, t.runs, t.by_run, t.by_one, t.by_three, t.by_six, t.by_five,
        1.0 / again_at_most(&few));
    assert_true(t.trials >= TRIALS_LEAST && t.quiet >= TRIALS_LEAST / 3);
    assert_true(again_at_most(&few) <= DROPPED_AT_MOST);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_best_is_dropped)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
