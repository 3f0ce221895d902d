/* SPDX-License-Identifier: Apache-2.0 */
/* The counting round: who is counted, what refusals and accidents cost, and that nothing of it is lost or done twice.
 */
#include "run/scene.h"

#include "base/fs.h"
#include "model/roofline/counted.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SPEEDS = 14, LARGEST_N = 1 << 20 };

static char said[4096]; /* of the session, to the user */

static void listen_to(void *self, rft_log_level level, const char *text) {
    (void)self;
    if (level != RFT_LOG_DEBUG) {
        rft_text_format(said + strlen(said), sizeof said - strlen(said), "%s\n", text);
    }
}

static const rft_log listener = {.line = listen_to};

/* Time passes when a point is measured, and when one is counted. */
typedef struct work_clock {
    rft_clock clock;
    const scene *s;
    int64_t measure_ns, count_ns;
} work_clock;

static int64_t worked_ns(void *self) {
    const work_clock *c = self;
    return 1000000000 + c->s->measured * c->measure_ns + c->s->counted * c->count_ns;
}

static void no_sleep(void *self, int64_t duration_ns) {
    (void)self, (void)duration_ns;
}

static work_clock the_clock;

static void use_clock(scene *s, double measure_s, double count_s) {
    the_clock = (work_clock){.clock = {worked_ns, worked_ns, no_sleep, &the_clock},
                             .s = s,
                             .measure_ns = (int64_t)(measure_s * 1e9),
                             .count_ns = (int64_t)(count_s * 1e9)};
    s->clock = &the_clock.clock;
}

/* The default configuration is the 13th of 14; three problems, which take equally long: then the first is the
 * largest. */
static void open_scene(scene *s) {
    scripted_sweep_opts opts = {.sizes = {LARGEST_N, 64, 128}};
    for (int i = 0; i < SPEEDS; i++) {
        opts.speeds[i] = 20 * (i == 0 ? SPEEDS - 1 : i < SPEEDS - 1 ? i : SPEEDS);
    }
    scene_open(s, 2);
    scene_sweep(s, &opts);
    s->opts.counters = (rft_counted_wish){.chosen = true};
    s->opts.log = &listener;
    said[0] = '\0';
    use_clock(s, 1, 0.001);
}

static const rft_point *at(const rft_run *run, size_t problem, int speed) {
    const rft_point *point = scene_point(run, problem, "ok", 20 * speed);
    assert_non_null(point);
    return point;
}

static void expect_large(const rft_point *point) {
    const double declared = 4.0 * LARGEST_N;
    assert_non_null(point->counters);
    assert_int_equal(point->counters->passes, 14);
    assert_true(point->counters->values[RFT_COUNTER_DRAM_READ] == 1.25 * declared);
    assert_true(point->counters->values[RFT_COUNTER_TENSOR_BUSY] == 0.0);
    assert_string_equal(point->counters->reasons[RFT_COUNTER_XU], "no number"); /* of the large set, no value */
    assert_true(point->work.bytes_read == declared);                            /* never replaced */
}

static void the_chosen_are_counted(void **state) {
    (void)state;
    scene s;
    open_scene(&s);
    const rft_run *run = scene_run(&s, "a.db");
    assert_int_equal(s.counted, 2 + RFT_COUNTED_BEST + 2);
    for (size_t p = 1; p < 3; p++) {
        for (int speed = 1; speed <= SPEEDS; speed++) {
            const rft_counters *counters = at(run, p, speed)->counters;
            assert_true((counters != NULL) == (speed == 1)); /* the best alone */
        }
        const rft_counters *best = at(run, p, 1)->counters;
        assert_int_equal(best->passes, 3);
        assert_true(best->values[RFT_COUNTER_DRAM_READ] == 4.0 * (double)(32 << p));
        assert_string_equal(best->reasons[RFT_COUNTER_L2_HIT], "no number");
        assert_string_equal(best->reasons[RFT_COUNTER_TENSOR_BUSY], RFT_COUNTER_NOT_ASKED);
    }
    for (int speed = 1; speed <= SPEEDS; speed++) {
        bool chosen = speed <= RFT_COUNTED_BEST || speed >= SPEEDS - 1; /* the default is the last but one */
        if (chosen) {
            expect_large(at(run, 0, speed));
        } else {
            assert_null(at(run, 0, speed)->counters);
        }
    }
    rft_arena *arena = rft_arena_new();
    rft_disagreement apart[RFT_DISAGREEMENTS_MAX];
    assert_int_equal(rft_counted_disagreements(run, at(run, 0, 1), arena, apart), 1);
    assert_string_equal(apart[0].text, "dram reads: counted 5.243 MB, declared 4.194 MB (25.0 % more)");
    assert_int_equal(rft_counted_disagreements(run, at(run, 1, 1), arena, apart), 0);
    rft_arena_free(arena);
    assert_string_equal(said, "");
    scene_close(&s);
}

static size_t occurrences(const char *text, const char *part) {
    size_t found = 0;
    for (const char *p = strstr(text, part); p; p = strstr(p + 1, part)) {
        found++;
    }
    return found;
}

static void expect_left_out(const rft_point *point) {
    assert_non_null(point->counters);
    assert_int_equal(point->counters->passes, 0);
    assert_true(rft_counted_left_out(point->counters));
    assert_string_equal(rft_counted_missing(point), RFT_COUNTED_LEFT_OUT);
}

/* The bests of the two others take 0.6 s, and a second is allowed after them: four are counted in it. */
static void time_goes_to_the_best_worst_and_default_first(void **state) {
    (void)state;
    scene s;
    open_scene(&s);
    use_clock(&s, 0, 0.3);
    const rft_run *run = scene_run(&s, "a.db");
    assert_int_equal(s.counted, 2 + 4);
    expect_large(at(run, 0, 1));
    expect_large(at(run, 0, SPEEDS));
    expect_large(at(run, 0, SPEEDS - 1)); /* the default */
    expect_large(at(run, 0, 2));
    for (int speed = 3; speed <= RFT_COUNTED_BEST; speed++) {
        expect_left_out(at(run, 0, speed));
    }
    assert_int_equal(at(run, 1, 1)->counters->passes, 3);
    assert_string_equal(said, "hardware counters of 8 points left out: counting may take a quarter of the run's time; "
                              "--counters all counts it\n");

    /* Nor are they counted when the run goes on, unless all is asked for. */
    said[0] = '\0';
    scene_run(&s, "a.db");
    assert_int_equal(rft_counted_wish_parse(&s.opts.counters, "dram_read_bytes", s.arena, &s.err), RFT_OK);
    scene_run(&s, "a.db");
    assert_int_equal(s.counted, 2 + 4);
    assert_int_equal(rft_counted_wish_parse(&s.opts.counters, "all", s.arena, &s.err), RFT_OK);
    run = scene_run(&s, "a.db");
    assert_int_equal(s.counted, 2 + 4 + 8);
    for (int speed = 1; speed <= RFT_COUNTED_BEST; speed++) {
        expect_large(at(run, 0, speed));
    }
    assert_string_equal(said, "");
    scene_close(&s);
}

/* Half a second a point: a quarter of that is more than the second. */
static void a_quarter_of_the_runs_time_is_allowed(void **state) {
    (void)state;
    scene s;
    open_scene(&s);
    use_clock(&s, 0.5, 0.6);
    const rft_run *run = scene_run(&s, "a.db");
    double before_s = 0.5 * s.measured;
    unsigned allowed = (unsigned)ceil(0.25 * before_s / 0.6); /* who begins in time is counted to the end */
    assert_true(allowed > 2 + 2 && allowed < 2 + 12);
    assert_int_equal(s.counted, allowed);
    expect_large(at(run, 0, 1));
    expect_large(at(run, 0, SPEEDS));
    expect_left_out(at(run, 0, RFT_COUNTED_BEST));
    scene_close(&s);
}

/* Without a limit everything of a list is counted, whatever it takes. */
static void a_list_has_no_limit(void **state) {
    (void)state;
    scene s;
    open_scene(&s);
    use_clock(&s, 0, 100);
    assert_int_equal(rft_counted_wish_parse(&s.opts.counters, "dram_read_bytes", s.arena, &s.err), RFT_OK);
    scene_run(&s, "a.db");
    assert_int_equal(s.counted, 2 + RFT_COUNTED_BEST + 2);
    assert_string_equal(said, "");
    scene_close(&s);
}

static const rft_point *best_of_sweep(const rft_run *run, size_t sweep) {
    const rft_point *best = rft_run_best(run, sweep, SIZE_MAX, 0);
    assert_non_null(best);
    return best;
}

/* One problem each: the first best has the large set, and then there is time for the default set of the other alone. */
static void every_best_has_the_default_set(void **state) {
    (void)state;
    scene s;
    const scripted_sweep_opts opts = {.speeds = {20, 40, 60}};
    scene_open(&s, 2);
    scene_sweep(&s, &opts);
    scene_sweep(&s, &opts);
    s.opts.counters = (rft_counted_wish){.chosen = true};
    s.opts.log = &listener;
    said[0] = '\0';
    use_clock(&s, 0, 2);
    const rft_run *run = scene_run(&s, "a.db");
    assert_int_equal(s.counted, 2);
    const rft_counters *first = best_of_sweep(run, 0)->counters, *second = best_of_sweep(run, 1)->counters;
    assert_int_equal(first->passes, 14);
    assert_false(rft_counted_left_out(first));
    assert_int_equal(second->passes, 3);
    assert_false(isnan(second->values[RFT_COUNTER_DRAM_READ]));
    assert_string_equal(second->reasons[RFT_COUNTER_TENSOR_BUSY], RFT_COUNTED_LEFT_OUT);
    assert_null(rft_counted_missing(best_of_sweep(run, 1)));
    assert_int_equal(occurrences(said, "hardware counters of 5 points left out"), 1);
    scene_close(&s);
}

static void nothing_is_counted_unasked(void **state) {
    (void)state;
    scene s;
    open_scene(&s);
    s.opts.counters = (rft_counted_wish){.chosen = false};
    const rft_run *run = scene_run(&s, "a.db");
    assert_int_equal(s.counted, 0);
    for (size_t i = 0; i < run->point_count; i++) {
        assert_null(run->points[i].counters);
    }
    scene_close(&s);
}

static void a_list_is_counted_of_all_chosen(void **state) {
    (void)state;
    scene s;
    rft_err err = RFT_ERR_INIT;
    open_scene(&s);
    assert_int_equal(rft_counted_wish_parse(&s.opts.counters, "dram_read_bytes,lts__t_sectors.sum", s.arena, &err),
                     RFT_OK);
    const rft_run *run = scene_run(&s, "a.db");
    const rft_counters *counters = at(run, 0, SPEEDS)->counters;
    assert_int_equal(s.counted, 2 + RFT_COUNTED_BEST + 2);
    assert_true(counters->values[RFT_COUNTER_DRAM_READ] == 5.0 * LARGEST_N);
    assert_string_equal(counters->reasons[RFT_COUNTER_DRAM_WRITE], RFT_COUNTER_NOT_ASKED);
    assert_int_equal(counters->raw_count, 1);
    assert_string_equal(counters->raw[0].name, "lts__t_sectors.sum");
    assert_true(counters->raw[0].value == 0.5);
    scene_close(&s);
}

static void expect_refused(const char *how, const char *reason, const char *remedy) {
    scene s;
    open_scene(&s);
    setenv("SCRIPTED_COUNTERS", how, 1);
    const rft_run *run = scene_run(&s, "a.db");
    unsetenv("SCRIPTED_COUNTERS");
    assert_true(run->info.finished_unix_ns != 0); /* the run goes on to its end */
    assert_int_equal(s.counted, 1);               /* and asks once */
    for (int speed = 1; speed <= RFT_COUNTED_BEST; speed++) {
        const rft_point *point = at(run, 0, speed);
        assert_int_equal(point->outcome, RFT_OUTCOME_OK);
        assert_true(isnan(point->counters->values[RFT_COUNTER_DRAM_READ]));
        assert_string_equal(point->counters->reasons[RFT_COUNTER_DRAM_READ], reason);
        assert_string_equal(rft_counted_missing(point), reason);
        assert_int_equal(point->counters->passes, 0);
    }
    assert_int_equal(occurrences(said, reason), 1);
    assert_int_equal(occurrences(said, remedy), 1);
    scene_close(&s);
}

static void a_refusal_is_said_once_and_kept(void **state) {
    (void)state;
    expect_refused("refused", "a scripted profiler refuses: ERR_NVGPUCTRPERM", "remedy: allow it, or --counters none");
    expect_refused("none", "there is no CUPTI", "remedy: install one");
}

/* Its best is the one with the fate: on every problem it is counted first. */
static const rft_run *run_with(scene *s, const char *fate, const int64_t *sizes, size_t size_count) {
    scripted_sweep_opts opts = {.fates = {"ok", fate}, .speeds = {400}};
    memcpy(opts.sizes, sizes, size_count * sizeof *sizes);
    scene_open(s, 2);
    rft_sweep *sweep = scene_sweep(s, &opts);
    sweep->measure.point_timeout_s = 0.3;
    s->opts.counters = (rft_counted_wish){.chosen = true};
    s->opts.log = &listener;
    said[0] = '\0';
    use_clock(s, 1, 0.001);
    return scene_run(s, "a.db");
}

static void expect_missing(const rft_run *run, size_t problem, const char *fate, const char *part) {
    const rft_point *point = scene_point(run, problem, fate, 400);
    assert_int_equal(point->outcome, RFT_OUTCOME_OK);
    assert_true(point->rounds[0].n > 0);
    assert_int_equal(point->workers_lost, 0); /* that is of measuring */
    const char *why = rft_counted_missing(point);
    if (!why || !strstr(why, part)) {
        fail_msg("%s: %s, not %s", fate, why ? why : "counted", part);
    }
}

/* One problem: the fate's point is lost, the other is counted by the next worker. */
static void expect_accident(const char *fate, const char *part) {
    scene s;
    const int64_t size = 1000;
    const rft_run *run = run_with(&s, fate, &size, 1);
    expect_missing(run, 0, fate, part);
    assert_true(scene_point(run, 0, "ok", 400)->counters->values[RFT_COUNTER_DRAM_READ] == 4000.0);
    assert_true(run->info.finished_unix_ns != 0);
    assert_string_equal(said, "");
    scene_close(&s);
}

static void an_accident_costs_the_counts_alone(void **state) {
    (void)state;
    expect_accident("count_killed", "was ended by signal 9");
    expect_accident("count_hangs", "no counts after");
    expect_accident("count_sticky", "the counted launch failed: ");
}

static void two_accidents_end_the_counting(void **state) {
    (void)state;
    scene s;
    const scripted_sweep_opts opts = {.fates = {"count_killed"}, .speeds = {100, 200, 300}, .sizes = {64, 128}};
    scene_open(&s, 2);
    scene_sweep(&s, &opts);
    s.opts.counters = (rft_counted_wish){.chosen = true};
    s.opts.log = &listener;
    said[0] = '\0';
    const rft_run *run = scene_run(&s, "a.db");
    assert_int_equal(s.counted, 2);
    size_t given_up = 0;
    for (size_t i = 0; i < run->point_count; i++) {
        const char *why = run->points[i].counters ? rft_counted_missing(&run->points[i]) : "";
        given_up += strstr(why, "counting has cost two device workers") != NULL;
    }
    assert_true(given_up >= 2);
    assert_int_equal(occurrences(said, "counting has cost two device workers"), 1);
    scene_close(&s);
}

/* Stops as soon as something was counted. */
static void stop_at_counts(void *payload, const rft_exec_progress *now) {
    scene *s = payload;
    s->stop_after = now->counts && s->counted >= 5 ? 1 : s->stop_after;
}

static void a_continued_run_counts_the_rest(void **state) {
    (void)state;
    scene s;
    open_scene(&s);
    s.progress_hook = stop_at_counts;
    s.hook_payload = &s;
    assert_int_equal(scene_session(&s, "a.db", 1), RFT_OK);
    assert_true(s.stopped);
    assert_int_equal(s.counted, 5);
    unsigned measured = s.measured;
    s.stop_after = 0;
    s.progress_hook = NULL;
    const rft_run *run = scene_run(&s, "a.db");
    assert_int_equal(s.measured, measured); /* all was timed */
    assert_int_equal(s.counted, 2 + RFT_COUNTED_BEST + 2);
    expect_large(at(run, 0, 1));
    expect_large(at(run, 0, SPEEDS));
    scene_close(&s);
}

static void same_counters(const rft_point *a, const rft_point *b) {
    assert_true((a->counters != NULL) == (b->counters != NULL));
    for (int i = 0; a->counters && i < RFT_COUNTER_COUNT; i++) {
        double x = a->counters->values[i], y = b->counters->values[i];
        assert_true((isnan(x) && isnan(y)) || x == y);
        assert_true(rft_text_equal(a->counters->reasons[i], b->counters->reasons[i]));
    }
    assert_true(!a->counters || a->counters->passes == b->counters->passes);
}

static void a_replay_gives_the_counters_back(void **state) {
    (void)state;
    scene s;
    open_scene(&s);
    const rft_run *run = scene_run(&s, "a.db");
    scene_replay(&s, "a.db");
    const rft_run *again = scene_run(&s, "b.db");
    assert_int_equal(again->point_count, run->point_count);
    for (size_t p = 0; p < 3; p++) {
        for (int speed = 1; speed <= SPEEDS; speed++) {
            same_counters(at(run, p, speed), at(again, p, speed));
        }
    }
    assert_string_equal(said, "");
    scene_close(&s);
}

static void a_replay_without_counters_has_none(void **state) {
    (void)state;
    scene s;
    open_scene(&s);
    s.opts.counters = (rft_counted_wish){.chosen = false};
    scene_run(&s, "a.db");
    scene_replay(&s, "a.db");
    s.opts.counters = (rft_counted_wish){.chosen = true};
    const rft_run *again = scene_run(&s, "b.db");
    for (size_t i = 0; i < again->point_count; i++) {
        assert_null(again->points[i].counters);
    }
    assert_string_equal(said, "");
    scene_close(&s);
}

static void aliases_have_the_counters_of_the_other(void **state) {
    (void)state;
    scene s;
    const scripted_sweep_opts opts = {.cosmetics = 2};
    scene_open(&s, 2);
    scene_sweep(&s, &opts);
    s.opts.counters = (rft_counted_wish){.chosen = true};
    const rft_run *run = scene_run(&s, "a.db");
    assert_int_equal(run->point_count, 2);
    assert_int_equal(s.counted, 1);
    assert_ptr_equal(run->points[0].counters, run->points[1].counters);
    assert_non_null(run->points[0].counters);
    scene_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_chosen_are_counted),
        cmocka_unit_test(time_goes_to_the_best_worst_and_default_first),
        cmocka_unit_test(a_quarter_of_the_runs_time_is_allowed),
        cmocka_unit_test(a_list_has_no_limit),
        cmocka_unit_test(every_best_has_the_default_set),
        cmocka_unit_test(nothing_is_counted_unasked),
        cmocka_unit_test(a_list_is_counted_of_all_chosen),
        cmocka_unit_test(a_refusal_is_said_once_and_kept),
        cmocka_unit_test(an_accident_costs_the_counts_alone),
        cmocka_unit_test(two_accidents_end_the_counting),
        cmocka_unit_test(a_continued_run_counts_the_rest),
        cmocka_unit_test(a_replay_gives_the_counters_back),
        cmocka_unit_test(a_replay_without_counters_has_none),
        cmocka_unit_test(aliases_have_the_counters_of_the_other),
    };
    setenv("SCRIPTED_MEMORY_MIB", "64", 1); /* vectors of LARGEST_N, and they are bound by device memory */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
