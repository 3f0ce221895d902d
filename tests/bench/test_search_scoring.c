/* SPDX-License-Identifier: Apache-2.0 */
/* The scoring of searches against what can be calculated, and the reading of recordings. */
#include "base/arena.h"
#include "base/fs.h"
#include "base/hash.h"
#include "bench/search_replay.h"
#include "bench/search_scoring.h"
#include "bench/search_wall.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COUNT = 400 };

/* COUNT configurations of one parameter; times 1, 2, ... shuffled by a multiplication; every `failing`th has none. */
static search_recording *made(unsigned failing) {
    static uint16_t rows[COUNT];
    static double seconds[COUNT];
    static const uint32_t values[1] = {COUNT};
    for (unsigned i = 0; i < COUNT; i++) {
        rows[i] = (uint16_t)i;
        seconds[i] = failing && i % failing == 0 ? (double)NAN : 1 + (double)(i * 147 % COUNT) / COUNT;
    }
    return search_recording_of(&(list_view_spec){COUNT, 1, rows, values, NULL}, seconds);
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sum over k of the k-th best times the chance that it is the best of m: C(n - k, m - 1) / C(n, m). */
static double expected_best(const double *sorted, unsigned n, unsigned m) {
    double sum = 0, chance = (double)m / n; /* of the best, k = 1 */
    for (unsigned k = 1; k + m <= n + 1; k++) {
        sum += sorted[k - 1] * chance;
        chance *= n - k > 0 ? (double)(n - k - m + 1) / (double)(n - k) : 0;
    }
    return sum;
}

static void the_zero_is_the_expected_best_of_so_many_draws(void **state) {
    (void)state;
    search_recording *recording = made(0);
    search_base base;
    double sorted[COUNT];
    memcpy(sorted, recording->seconds, sizeof sorted);
    qsort(sorted, COUNT, sizeof *sorted, ascending);
    search_base_make(&base, recording, 0, 7);
    assert_true(base.evaluations > 2 && base.evaluations < COUNT / 2);
    assert_float_equal(base.budget_s, (double)base.evaluations, 1e-9);
    for (unsigned i = 0; i < SEARCH_TIMES; i++) {
        unsigned draws = (unsigned)floor((double)base.evaluations * (i + 1) / SEARCH_TIMES + 1e-9);
        if (draws == 0) {
            assert_true(isnan(base.best_s[i]));
        } else {
            double expected = expected_best(sorted, COUNT, draws) - sorted[0];
            assert_float_equal((base.best_s[i] - sorted[0]) / expected, 1, 0.12); /* 4 sigma of 1,000 */
        }
    }
    search_recording_free(recording);
}

static search_score score_of(const search_recording *recording, const char *strategy, uint64_t repeats) {
    search_base base;
    search_score score = {0};
    search_base_make(&base, recording, 0, 7);
    for (uint64_t run = 0; run < repeats; run++) {
        search_replay replay = {recording, strategy, run, 1, 0, false, false, base.budget_s};
        search_replayed found;
        assert_int_equal(search_replay_run(&replay, &found, NULL), RFT_OK);
        search_score_add(&score, recording, &base, found.order, found.end_s, found.count);
        search_replayed_free(&found);
    }
    search_score_mean(&score);
    return score;
}

static void random_search_scores_nothing(void **state) {
    (void)state;
    for (unsigned failing = 0; failing < 10; failing += 3) { /* failures cost, and are worth nothing */
        search_recording *recording = made(failing);
        search_score random = score_of(recording, "random", 4000), again = score_of(recording, "random", 4000);
        print_message("random search scores %.3f\n", random.score);
        assert_float_equal(random.score, 0, 0.05); /* a run scatters by about 1 */
        assert_true(random.score == again.score);
        assert_true(random.exact_share > 0 && random.exact_share < 0.6);
        assert_true(random.optimum_share > 0.8 && random.optimum_share < 1);
        search_recording_free(recording);
    }
}

static void the_best_and_the_worst_runs(void **state) {
    (void)state;
    search_recording *recording = made(5);
    search_base base;
    uint64_t best = 0, failed[2] = {0, 5};
    double one_s[COUNT];
    search_base_make(&base, recording, 0, 7);
    for (uint64_t i = 0; i < COUNT; i++) {
        best = recording->seconds[i] == recording->best_s ? i : best;
        one_s[i] = (double)(i + 1);
    }
    search_score at_once = {0}, nothing = {0}, late = {0};
    search_score_add(&at_once, recording, &base, &best, one_s, 1);
    search_score_mean(&at_once);
    size_t times = 0; /* at which there is a base to compare with */
    for (size_t i = 0; i < SEARCH_TIMES; i++) {
        times += !isnan(base.best_s[i]) && (double)(i + 1) * base.budget_s / SEARCH_TIMES >= 1;
    }
    assert_float_equal(at_once.score, (double)times / SEARCH_TIMES, 1e-9);
    assert_true(at_once.exact_share == 1 && at_once.optimum_share == 1);
    search_score_add(&nothing, recording, &base, failed, one_s, 2);
    search_score_mean(&nothing);
    assert_true(nothing.score == 0 && nothing.optimum_share == 0 && nothing.exact_share == 0);
    uint64_t order[COUNT];
    for (uint64_t i = 0; i < COUNT; i++) {
        order[i] = (i + best + 1) % COUNT; /* the optimum comes when the budget is long over */
    }
    search_score_add(&late, recording, &base, order, one_s, COUNT);
    search_score_mean(&late);
    assert_true(late.exact_share == 0 && late.evaluations == (uint64_t)base.budget_s);
    search_recording_free(recording);
}

/* ---- wall time ---- */

/* Each costs 0.75 s of a worker and 0.25 s of the device. */
static void workers_compile_beside_the_device(void **state) {
    (void)state;
    search_recording *recording = made(0);
    uint64_t batch[7] = {0, 1, 2, 3, 4, 5, 6};
    double end_s[7];
    for (size_t workers = 1; workers < 4; workers++) {
        search_wall wall;
        search_wall_begin(&wall, recording, workers);
        search_wall_batch(&wall, batch, 7, end_s);
        assert_float_equal(end_s[0], 1.0, 1e-9);
        const double by_compilers = 0.75 * ceil(7.0 / (double)workers) + 0.25; /* three keep the device busy */
        assert_float_equal(end_s[6], workers < 3 ? by_compilers : 0.75 + 7 * 0.25, 1e-9);
    }
    search_recording_free(recording);
}

/* Forks of a strategy leave its course alone: the same configurations, no later, and some of them sooner. */
static void guesses_keep_the_course(void **state) {
    (void)state;
    search_recording *recording = made(7);
    const char *const strategies[] = {"memetic", "genetic_algorithm", "greedy_ils", "simulated_annealing",
                                      "pso",     "diff_evo"};
    for (size_t i = 0; i < sizeof strategies / sizeof strategies[0]; i++) {
        search_replayed found[2];
        for (int guesses = 0; guesses < 2; guesses++) {
            search_replay replay = {recording, strategies[i], 3, 2, 14, true, guesses, 20};
            assert_int_equal(search_replay_run(&replay, &found[guesses], NULL), RFT_OK);
        }
        print_message("%s: %zu of %zu guesses right\n", strategies[i], found[1].guessed_right, found[1].guessed);
        assert_true(found[1].count >= found[0].count && found[1].guessed_right <= found[1].guessed);
        assert_true(found[0].guessed == 0 && found[1].guessed > 0);
        assert_memory_equal(found[0].order, found[1].order, found[0].count * sizeof *found[0].order);
        assert_true(found[1].end_s[found[0].count - 1] < found[0].end_s[found[0].count - 1]);
        search_replayed_free(&found[0]);
        search_replayed_free(&found[1]);
    }
    search_recording_free(recording);
}

/* One in eight compiles sixteen times as long: where the order asked for holds, all others wait for it. */
static void a_search_waits_for_no_slow_compile(void **state) {
    (void)state;
    search_recording *recording = made(7);
    search_replayed found[2], again;
    for (uint64_t i = 0; i < recording->count; i += 8) {
        recording->cost_s[i] += 15 * recording->compile_s[i];
        recording->compile_s[i] *= 16;
    }
    for (int in_order = 0; in_order < 2; in_order++) {
        search_replay replay = {recording, "memetic", 3, 16, 14, in_order, true, 60};
        assert_int_equal(search_replay_run(&replay, &found[in_order], NULL), RFT_OK);
    }
    assert_true(found[0].count > found[1].count + found[1].count / 4);
    search_replay replay = {recording, "memetic", 3, 16, 14, false, true, 60};
    assert_int_equal(search_replay_run(&replay, &again, NULL), RFT_OK);
    assert_int_equal(again.count, found[0].count);
    assert_memory_equal(again.order, found[0].order, again.count * sizeof *again.order);
    search_replayed_free(&found[0]);
    search_replayed_free(&found[1]);
    search_replayed_free(&again);
    search_recording_free(recording);
}

/* ---- recordings ---- */

static char *write_file(const char *text) {
    char *path = rft_strdup("/tmp/search_recording_XXXXXX");
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), (ssize_t)strlen(text));
    close(file);
    return path;
}

static int open_text(search_recording **out, const char *text, rft_err *err) {
    char *path = write_file(text);
    size_t parts = 0;
    int rc = search_recording_open(out, path, 0, &parts, err);
    assert_true(rc != RFT_OK || parts == 1);
    unlink(path);
    free(path);
    return rc;
}

#define T4                                                                                                             \
    "{\"results\":[{\"configuration\":{\"B\":64,\"kind\":\"x\"},\"times\":{\"compilation\":100,\"validation\":20,"     \
    "\"runtimes\":[1,2]},\"invalidity\":\"correct\",\"measurements\":[{\"name\":\"time\",\"value\":1.5}]},"            \
    "{\"configuration\":{\"B\":8,\"kind\":\"a\"},\"times\":{\"compilation_time\":70},\"invalidity\":\"compile\","      \
    "\"measurements\":[]}]}"
#define CACHE_OPEN                                                                                                     \
    "{\"tune_params_keys\":[\"B\",\"C\"],\"cache\":{\"8,1\":{\"B\":8,\"C\":1,\"time\":2,\"compile_time\":500,"         \
    "\"verification_time\":1,\"benchmark_time\":9},\"16,1\":{\"B\":16,\"C\":1,\"time\":\"InvalidConfig\","             \
    "\"compile_time\":400}"

static void t4_files_and_caches_are_read(void **state) {
    (void)state;
    search_recording *t4 = NULL;
    assert_int_equal(open_text(&t4, T4, NULL), RFT_OK);
    uint16_t at[2];
    assert_int_equal(t4->count, 2);
    assert_int_equal(t4->valid, 1);
    assert_float_equal(t4->seconds[0], 1.5e-3, 1e-12);
    assert_float_equal(t4->cost_s[0], 0.123, 1e-12);
    assert_float_equal(t4->compile_s[0], 0.1, 1e-12);
    assert_true(isnan(t4->seconds[1]));
    assert_float_equal(t4->cost_s[1], 0.070, 1e-12);
    t4->view->positions(t4->view, 0, at);
    assert_int_equal(at[0], 1); /* 64 after 8 */
    assert_true(t4->view->values[0][1] == 64 && t4->view->values[1] == NULL);
    search_recording_free(t4);
    static const char *const endings[] = {"}}", "", ",\n"}; /* whole, and of runs that did not finish */
    for (size_t i = 0; i < 3; i++) {
        char text[1024];
        search_recording *cache = NULL;
        snprintf(text, sizeof text, "%s%s", CACHE_OPEN, endings[i]);
        assert_int_equal(open_text(&cache, text, NULL), RFT_OK);
        assert_int_equal(cache->count, 2);
        assert_int_equal(cache->valid, 1);
        assert_float_equal(cache->best_s, 2e-3, 1e-12);
        assert_float_equal(cache->cost_s[0], 0.510, 1e-12);
        assert_float_equal(cache->compile_s[0], 0.5, 1e-12);
        assert_float_equal(cache->cost_s[1], 0.400, 1e-12);
        search_recording_free(cache);
    }
}

#define POINT(configuration, ms)                                                                                       \
    "{\"configuration\":{" configuration "},\"times\":{},\"measurements\":[{\"name\":\"time\",\"value\":" ms "}]}"

/* Two problems and two variants, one of them measured on the first problem alone; the odd size was only verified. */
static void a_run_of_our_own_has_a_space_for_each_part(void **state) {
    (void)state;
    static const char text[] = "{\"rooftune\":{\"sweeps\":[{\"axes\":[{\"name\":\"n\"}]}]},\"results\":[" POINT(
        "\"n\":17,\"B\":8", "null") "," POINT("\"n\":64,\"B\":8",
                                              "1") "," POINT("\"n\":64,\"B\":16",
                                                             "2") "," POINT("\"n\":64,\"T\":4",
                                                                            "3") "," POINT("\"B\":16,\"n\":128",
                                                                                           "4") "]}";
    static const double best_ms[] = {1, 3, 4};
    static const uint64_t counts[] = {2, 1, 1};
    char *path = write_file(text);
    for (size_t part = 0; part < 3; part++) {
        search_recording *recording = NULL;
        size_t parts = 0;
        assert_int_equal(search_recording_open(&recording, path, part, &parts, NULL), RFT_OK);
        assert_int_equal(parts, 3);
        assert_int_equal(recording->count, counts[part]);
        assert_int_equal(recording->view->param_count, 1); /* n is no parameter */
        assert_float_equal(recording->best_s, best_ms[part] * 1e-3, 1e-12);
        assert_true(recording->name[strlen(recording->name) - 1] == (char)('1' + part));
        search_recording_free(recording);
    }
    unlink(path);
    free(path);
}

static void what_is_no_recording_says_why(void **state) {
    (void)state;
    static const char *const texts[] = {"",
                                        "[1, 2",
                                        "{}",
                                        "{\"results\":[]}",
                                        "{\"results\":[1]}",
                                        "{\"results\":[{\"configuration\":{\"B\":[1]},\"measurements\":[]}]}",
                                        "{\"cache\":{\"1\":{\"B\":1,\"time\":1}},\"tune_params_keys\":[7]}",
                                        "{\"cache\":{\"1\":{\"B\":1}},\"tune_params_keys\":[\"B\"]}"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        search_recording *recording = NULL;
        rft_err err = RFT_ERR_INIT;
        assert_int_not_equal(open_text(&recording, texts[i], &err), RFT_OK);
        assert_null(recording);
        assert_true(strlen(err.message) > 10);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_zero_is_the_expected_best_of_so_many_draws),
        cmocka_unit_test(random_search_scores_nothing),
        cmocka_unit_test(the_best_and_the_worst_runs),
        cmocka_unit_test(workers_compile_beside_the_device),
        cmocka_unit_test(guesses_keep_the_course),
        cmocka_unit_test(a_search_waits_for_no_slow_compile),
        cmocka_unit_test(t4_files_and_caches_are_read),
        cmocka_unit_test(a_run_of_our_own_has_a_space_for_each_part),
        cmocka_unit_test(what_is_no_recording_says_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
