/* SPDX-License-Identifier: Apache-2.0 */
/* What is compiled first is measured first, where results change nothing: the same points, none twice, in one session
 * or several; and as proposed where they do and no strategy chooses, or where that is asked for. */
#include "run/scene.h"

#include "base/fs.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SPEEDS = 6 };

static const scripted_sweep_opts mixed = {.fates = {"ok", "compile_slow"}, .speeds = {400, 410, 420, 430, 440, 450}};

/* Compiling takes 0.2 s where the fate is slow (SCRIPTED_BUSY is where such a worker shows itself). */
static void open_mixed(scene *s, const scripted_sweep_opts *opts) {
    static char busy[128];
    scene_open(s, 2 * SPEEDS + 1); /* no request waits for a worker */
    snprintf(busy, sizeof busy, "%s-busy", s->folder);
    assert_int_equal(setenv("SCRIPTED_BUSY", busy, 1), 0);
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(rft_fs_make_folders(busy, &err), RFT_OK);
    scene_sweep(s, opts);
    s->opts.in_order = false;
}

static void close_mixed(scene *s) {
    scene_close(s);
    rmdir(getenv("SCRIPTED_BUSY"));
}

static bool is_slow(const rft_point *point) {
    return strcmp(point->config[PARAM_FATE].as.text, "compile_slow") == 0;
}

/* Sum of the ids of what compiles slowly: the larger, the later it was taken. */
static int64_t slow_ids(const rft_run *run) {
    int64_t sum = 0;
    for (size_t i = 0; i < run->point_count; i++) {
        sum += is_slow(&run->points[i]) ? run->points[i].id : 0;
    }
    return sum;
}

static void expect_all_measured(const rft_run *run, size_t count) {
    scene_expect_once(run);
    assert_int_equal(run->point_count, count);
    for (size_t i = 0; i < run->point_count; i++) {
        assert_int_equal(run->points[i].outcome, RFT_OUTCOME_OK);
    }
}

/* What happens by the clock happens at one of three goes on a machine that has other work: in each, what is slow takes
 * four times as long as before. */
static bool once_in_three(bool (*happens)(void)) {
    static const char *const slow_ms[] = {"200", "800", "3200"};
    bool happened = false;
    for (size_t i = 0; i < 3 && !happened; i++) {
        setenv("SCRIPTED_SLOW_MS", slow_ms[i], 1);
        happened = happens();
    }
    unsetenv("SCRIPTED_SLOW_MS");
    return happened;
}

#define ALL_LAST (SPEEDS * SPEEDS + SPEEDS * (SPEEDS + 1) / 2) /* 7 + 8 + ... + 12: behind all others */

static bool slow_ones_come_last_in(const char *strategy) {
    scene s;
    open_mixed(&s, &mixed);
    s.sweeps[0]->search.strategy = strategy;
    const rft_run *run = scene_run(&s, "a.db");
    expect_all_measured(run, 2 * SPEEDS);
    bool last = slow_ids(run) > ALL_LAST - 4;
    close_mixed(&s);
    return last;
}

static bool slow_ones_come_last(void) {
    return slow_ones_come_last_in("exhaustive");
}

static bool slow_ones_come_last_to_a_search(void) {
    return slow_ones_come_last_in("memetic");
}

static void a_slow_compile_holds_nothing_back(void **state) {
    (void)state;
    assert_true(once_in_three(slow_ones_come_last));
    assert_true(once_in_three(slow_ones_come_last_to_a_search));
    scene s;
    open_mixed(&s, &mixed);
    s.opts.in_order = true;
    const rft_run *other = scene_run(&s, "b.db");
    expect_all_measured(other, 2 * SPEEDS);
    assert_true(slow_ids(other) < ALL_LAST - 4); /* the shuffle's */
    close_mixed(&s);
}

/* A part that ends leaves nobody idle: what the parts behind it need is compiled meanwhile. */
static bool parts_compile_ahead(void) {
    double took_s[2];
    for (int in_order = 0; in_order < 2; in_order++) {
        scene s;
        open_mixed(&s, &(scripted_sweep_opts){.fates = {"compile_slow"}, .speeds = {400, 410, 420}, .variants = 4});
        s.opts.in_order = in_order;
        const double begun_s = scene_now_s();
        expect_all_measured(scene_run(&s, "a.db"), 12);
        took_s[in_order] = scene_now_s() - begun_s;
        close_mixed(&s);
    }
    return took_s[0] < 0.75 * took_s[1];
}

static void parts_compile_ahead_of_each_other(void **state) {
    (void)state;
    assert_true(once_in_three(parts_compile_ahead));
}

/* What was asked for ahead is taken over by its part, or known already, and verified on the odd problem once. */
static void parts_ahead_are_taken_once(void **state) {
    (void)state;
    scene s;
    open_mixed(&s, &(scripted_sweep_opts){
                       .fates = {"ok"}, .speeds = {400, 410, 420}, .variants = 2, .sizes = {1000, 2000}, .odd = 999});
    s.stop_after = 5;
    assert_in_range(scene_run(&s, "a.db")->point_count, 5, 6); /* one is told while the next is measured */
    s.stop_after = 0;
    expect_all_measured(scene_run(&s, "a.db"), 18);
    expect_all_measured(scene_run(&s, "b.db"), 18);
    close_mixed(&s);
}

static void a_continued_run_has_all_points_once(void **state) {
    (void)state;
    static const char *const strategies[] = {"exhaustive", "memetic"};
    for (unsigned stop = 3; stop < 2 * SPEEDS; stop += 3) {
        scene s;
        open_mixed(&s, &mixed);
        s.sweeps[0]->search.strategy = strategies[stop / 3 % 2];
        s.stop_after = stop;
        const rft_run *part = scene_run(&s, "a.db");
        const unsigned had = (unsigned)part->point_count;
        assert_in_range(had, stop, stop + 1); /* one is told while the next is measured */
        s.stop_after = 0;
        unsigned before = s.measured;
        const rft_run *run = scene_run(&s, "a.db");
        expect_all_measured(run, 2 * SPEEDS);
        assert_true(s.measured - before >= 2 * SPEEDS - had);
        assert_false(s.went_back);
        close_mixed(&s);
    }
}

/* What is known is taken in the order it was taken in: so the reference stays what it was. */
static void a_continued_run_has_the_same_reference(void **state) {
    (void)state;
    scene s;
    scripted_sweep_opts opts = {.fates = {"ok"}};
    for (int i = 0; i < 45; i++) {
        opts.speeds[i] = 300 + i;
    }
    open_mixed(&s, &opts);
    setenv("SCRIPTED_COMPILE_MS", "30", 1);
    s.stop_after = 23;
    const rft_run *part = scene_run(&s, "a.db");
    assert_int_equal(part->reference_count, 1);
    int64_t reference = part->references[0].point;
    s.stop_after = 0;
    const rft_run *run = scene_run(&s, "a.db");
    expect_all_measured(run, 45);
    assert_int_equal(run->reference_count, 2);
    assert_int_equal(run->references[0].after_point, 20);
    assert_true(run->references[0].point == reference && run->references[1].point == reference);
    assert_int_equal(run->references[1].after_point, 40);
    unsetenv("SCRIPTED_COMPILE_MS");
    close_mixed(&s);
}

static void the_odd_problem_comes_first(void **state) {
    (void)state;
    scene s;
    scripted_sweep_opts opts = mixed;
    opts.odd = 999;
    open_mixed(&s, &opts);
    const rft_run *run = scene_run(&s, "a.db");
    assert_int_equal(run->point_count, 4 * SPEEDS);
    for (size_t i = 0; i < run->point_count; i++) {
        for (size_t k = 0; k < i; k++) {
            const rft_point *a = &run->points[k], *b = &run->points[i];
            bool same = rft_value_equal(&a->config[PARAM_FATE], &b->config[PARAM_FATE]) &&
                        rft_value_equal(&a->config[PARAM_SPEED], &b->config[PARAM_SPEED]);
            assert_false(same && !run->sweeps[0].sweep.problems[a->problem].odd);
        }
    }
    close_mixed(&s);
}

/* ---- what learns ---- */

enum { COURSE = 30 };

/* Which configurations were taken, in their order. Returns how many were compiled on a guess. */
static uint64_t take_course(bool in_order, const char *strategy, int64_t speeds[COURSE], double *took_s) {
    scene s;
    scripted_sweep_opts opts = {.fates = {"compile_slow"}};
    for (int i = 0; i < 2 * COURSE; i++) {
        opts.speeds[i] = 400 + i;
    }
    open_mixed(&s, &opts);
    s.opts.in_order = in_order;
    s.sweeps[0]->search.strategy = strategy;
    s.sweeps[0]->search.budget_points = COURSE;
    const double begun_s = scene_now_s();
    const rft_run *run = scene_run(&s, "a.db");
    *took_s = scene_now_s() - begun_s;
    assert_int_equal(run->point_count, COURSE);
    for (size_t i = 0; i < COURSE; i++) {
        speeds[i] = run->points[i].config[PARAM_SPEED].as.integer;
    }
    const uint64_t guessed = s.last.guessed;
    print_message("%s: %u of %u guesses right, %.2f s\n", strategy, (unsigned)s.last.guessed_right, (unsigned)guessed,
                  *took_s);
    assert_true(s.last.guessed_right <= guessed);
    close_mixed(&s);
    return guessed;
}

/* A strategy that learns hears of its proposals in their order, though idle workers compile what it may ask for next;
 * where it looks eight ahead of a slow compiler that takes less time. */
static bool guesses_save_time(void) {
    int64_t speeds[2][COURSE];
    double took_s[2];
    const uint64_t guessed = take_course(false, "greedy_ils", speeds[0], &took_s[0]);
    assert_int_equal(take_course(true, "greedy_ils", speeds[1], &took_s[1]), 0);
    assert_memory_equal(speeds[0], speeds[1], sizeof speeds[0]);
    return guessed > 0 && took_s[0] < 0.9 * took_s[1];
}

static void what_learns_keeps_its_course(void **state) {
    (void)state;
    assert_true(once_in_three(guesses_save_time));
    int64_t speeds[2][COURSE];
    double took_s;
    for (int i = 0; i < 2; i++) { /* it would choose among what is compiled */
        assert_int_equal(take_course(true, "memetic", speeds[i], &took_s), 0);
    }
    assert_memory_equal(speeds[0], speeds[1], sizeof speeds[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slow_compile_holds_nothing_back),
        cmocka_unit_test(a_continued_run_has_all_points_once),
        cmocka_unit_test(a_continued_run_has_the_same_reference),
        cmocka_unit_test(the_odd_problem_comes_first),
        cmocka_unit_test(what_learns_keeps_its_course),
        cmocka_unit_test(parts_compile_ahead_of_each_other),
        cmocka_unit_test(parts_ahead_are_taken_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
