/* SPDX-License-Identifier: Apache-2.0 */
/* What a session says on the way and sums up, when the ceilings are measured, the limits of the command line, the race.
 */
#include "run/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const scripted_sweep_opts mixed = {.fates = {"ok", "odd_wrong", "compile_refused", "too_large"},
                                          .speeds = {10, 20, 30},
                                          .cosmetics = 2,
                                          .sizes = {1000, 2000},
                                          .odd = 1001};
enum { MIXED_POINTS = 72 };

/* ---- progress ---- */

typedef struct listener {
    uint64_t stored, known; /* reports of the first round */
    uint64_t finals;
    double busy_s;
    bool odd; /* something did not add up */
} listener;

static void listen(void *payload, const rft_exec_progress *now) {
    listener *l = payload;
    uint64_t outcomes = 0, measured = 0;
    for (int i = 0; i < RFT_OUTCOME_COUNT; i++) {
        outcomes += now->outcomes[i];
        measured += rft_outcome_is_measured((rft_outcome)i) ? now->outcomes[i] : 0;
    }
    l->finals += now->final_round ? 1 : 0;
    l->stored += now->stored && !now->final_round ? 1 : 0;
    l->known += now->stored || now->final_round ? 0 : 1;
    l->odd = l->odd || outcomes != now->done || measured + now->failed != now->done || now->taken != l->stored ||
             l->stored + l->known != now->done || !now->last || now->elapsed_s <= 0 || now->busy_s < l->busy_s ||
             now->measured + now->aliases < measured;
    l->busy_s = now->busy_s;
}

static double busy_of_points(const rft_run *run) {
    double sum_s = 0;
    for (size_t i = 0; i < run->point_count; i++) {
        for (int round = 0; round < RFT_ROUNDS && !run->points[i].alias_of; round++) {
            double busy_s = run->points[i].rounds[round].busy_s;
            sum_s += isfinite(busy_s) ? busy_s : 0;
        }
    }
    return sum_s;
}

static void progress_adds_up_over_sessions(void **state) {
    (void)state;
    scene s;
    scene_open(&s, 2);
    scene_sweep(&s, &mixed);
    listener first = {0}, second = {0};
    s.progress_hook = listen;
    s.hook_payload = &first;
    s.stop_after = 30;
    const rft_run *part = scene_run(&s, "a.db");
    const uint64_t had = part->point_count;
    assert_in_range(had, 30, 31); /* one is told while the next is measured */
    assert_false(first.odd);
    assert_int_equal(first.stored, had);
    assert_int_equal(first.known, 0);
    double first_s = s.last.elapsed_s;
    assert_true(part->info.elapsed_s >= first_s);
    assert_true(fabs(part->info.busy_s - first.busy_s) < 1e-9);
    s.hook_payload = &second;
    s.stop_after = 0;
    const rft_run *run = scene_run(&s, "a.db");
    assert_false(second.odd);
    assert_int_equal(run->point_count, MIXED_POINTS);
    assert_int_equal(second.known, had);
    assert_int_equal(second.stored, MIXED_POINTS - had);
    assert_true(second.finals > 0);
    assert_int_equal(s.last.outcomes[RFT_OUTCOME_COMPILE_FAILED], 3 * 2 * 3);
    assert_int_equal(s.last.outcomes[RFT_OUTCOME_WRONG_RESULT], 3 * 2 * 3);
    /* The sums of both sessions are in the file, and are those of its points. */
    assert_true(run->info.elapsed_s >= first_s + s.last.elapsed_s);
    assert_true(run->info.busy_s > 0 && fabs(run->info.busy_s - first.busy_s - second.busy_s) < 1e-9);
    assert_true(fabs(run->info.busy_s - busy_of_points(run)) < 1e-9);
    assert_true(run->info.compile_s >= part->info.compile_s && part->info.compile_s > 0);
    scene_close(&s);
}

static void a_replay_is_busy_with_nothing(void **state) {
    (void)state;
    scene s;
    scene_open(&s, 2);
    scene_sweep(&s, &mixed);
    scene_run(&s, "recorded.db");
    scene_replay(&s, "recorded.db");
    const rft_run *run = scene_run(&s, "replay.db");
    assert_true(isnan(s.last.busy_s) && isnan(run->info.busy_s));
    assert_true(run->info.elapsed_s > 0 && run->info.compile_s >= 0);
    scene_close(&s);
}

/* ---- ceilings ---- */

static struct {
    unsigned calls, reports; /* how often, and how much had been said by then */
    size_t stored;           /* points in the file then */
    int result;
    double take_s;
} asked;

static int measure_ceilings(void *payload, rft_err *err) {
    scene *s = payload;
    rft_run *so_far = NULL;
    asked.calls++;
    asked.reports = s->reports;
    assert_int_equal(rft_store_load(&so_far, scene_path(s, "a.db"), err), RFT_OK);
    asked.stored = so_far->point_count;
    rft_run_free(so_far);
    s->opts.run->ceilings.busy_s = 2.5;
    scene_sleep_s(asked.take_s);
    return asked.result ? rft_err_set(err, asked.result, "no ceiling") : RFT_OK;
}

static void the_ceilings_come_after_the_first_point(void **state) {
    (void)state;
    scene s;
    scene_open(&s, 2);
    scripted_sweep_opts opts = {.speeds = {10, 20, 30, 40}, .sizes = {1000, 2000}};
    scene_sweep(&s, &opts);
    s.opts.ceilings = measure_ceilings;
    asked.calls = 0;
    asked.result = RFT_OK;
    asked.take_s = 2;
    s.sweeps[0]->search.budget_s = 3; /* for two problems: the ceilings are not on the account of the first */
    const rft_run *run = scene_run(&s, "a.db");
    assert_int_equal(asked.calls, 1);
    assert_int_equal(asked.reports, 1);
    assert_int_equal(asked.stored, 1);
    assert_int_equal(run->point_count, 8);
    assert_true(s.last.busy_s > 2.5 && s.last.busy_s < 3 && fabs(run->info.busy_s - s.last.busy_s) < 1e-9);
    scene_close(&s);
}

static void a_stop_at_the_first_point_leaves_the_ceilings_for_later(void **state) {
    (void)state;
    scene s;
    scene_open(&s, 2);
    scripted_sweep_opts opts = {.speeds = {10, 20}};
    scene_sweep(&s, &opts);
    s.opts.ceilings = measure_ceilings;
    asked.calls = 0;
    asked.result = RFT_OK;
    asked.take_s = 0;
    s.stop_after = 1;
    scene_run(&s, "a.db");
    assert_int_equal(asked.calls, 0);
    s.stop_after = 0;
    assert_int_equal(scene_run(&s, "a.db")->point_count, 2);
    assert_int_equal(asked.calls, 1);
    /* They fail: the run ends with their error, and goes on another time. */
    asked.result = RFT_E_DEVICE;
    assert_int_equal(remove(scene_path(&s, "a.db")), 0);
    assert_int_equal(scene_session(&s, "a.db", 1), RFT_E_DEVICE);
    assert_string_equal(s.err.message, "no ceiling");
    assert_int_equal(scene_load(&s, "a.db")->point_count, 1);
    asked.result = RFT_OK;
    assert_int_equal(scene_run(&s, "a.db")->point_count, 2);
    scene_close(&s);
}

/* ---- limits and the race ---- */

static void the_sweep_sets_the_limits(void **state) {
    (void)state;
    scene s;
    scene_open(&s, 2);
    scripted_sweep_opts opts = {.fates = {"hangs", "compile_endless"}};
    rft_sweep *sweep = scene_sweep(&s, &opts);
    sweep->measure.point_timeout_s = 0.3;
    sweep->measure.compile_timeout_s = 0.2;
    const rft_run *run = scene_run(&s, "a.db");
    scene_expect(run, scene_point(run, 0, "hangs", 10), RFT_OUTCOME_TIMED_OUT, "no end after 0.3 s: the kernel was");
    scene_expect(run, scene_point(run, 0, "compile_endless", 10), RFT_OUTCOME_TIMED_OUT, "no end after 0.2 s");
    scene_close(&s);
}

enum { RACE_POINTS = 20 };
typedef struct race {
    scene *scene;
    double best_s[2]; /* per problem, of the first round */
    double rivals_s[RACE_POINTS];
    unsigned asked, told;
    bool wrong;
    unsigned raced, alone;
} race;

static void note_rival(void *payload, const rft_probe_request *request, const rft_probe_result *result) {
    race *r = payload;
    (void)result;
    if (request->round == 0) {
        r->rivals_s[r->asked++ % RACE_POINTS] = request->rival_s;
    }
}

/* The report of a point comes after its request, perhaps behind the next one's: its rival was the best until then. */
static void watch_race(void *payload, const rft_exec_progress *now) {
    race *r = payload;
    const rft_point *point = now->last;
    double *best_s = &r->best_s[point->problem];
    double expected_s = now->final_round ? 0 : *best_s;
    if (now->stored) { /* others were measured by an earlier session */
        double rival_s = now->final_round ? r->scene->rival_s : r->rivals_s[r->told++ % RACE_POINTS];
        r->wrong = r->wrong || rival_s != expected_s;
        r->raced += expected_s > 0 ? 1 : 0;
        r->alone += now->final_round || expected_s > 0 ? 0 : 1;
    }
    double median_s = point->rounds[0].stats.median;
    *best_s = *best_s == 0 || median_s < *best_s ? median_s : *best_s;
}

static void everybody_races_the_best_so_far(void **state) {
    (void)state;
    scene s;
    scene_open(&s, 2);
    scripted_sweep_opts opts = {.speeds = {100, 110, 120, 130, 140}, .sizes = {1000, 2000}, .variants = 2};
    scene_sweep(&s, &opts);
    race r = {.scene = &s};
    s.progress_hook = watch_race;
    s.measured_hook = note_rival;
    s.hook_payload = &r;
    s.stop_after = 13;
    const unsigned had = (unsigned)scene_run(&s, "a.db")->point_count;
    assert_in_range(had, 13, 14);
    assert_false(r.wrong);
    assert_int_equal(r.raced, had - 2);
    assert_int_equal(r.alone, 2); /* the first of each problem; the other variant's first is not */
    r = (race){.scene = &s};
    s.stop_after = 0;
    scene_run(&s, "a.db"); /* a continued run races the same rivals */
    assert_false(r.wrong);
    assert_int_equal(r.raced, 20 - had);
    assert_int_equal(r.alone, 0);
    scene_close(&s);
}

/* What is far slower than the best of its own variant has one sample or three, and is called slower; a default and the
 * best of each variant have more. */
static void few_samples_tell_what_is_far_slower(void **state) {
    (void)state;
    scene s;
    scene_open(&s, 2);
    scripted_sweep_opts opts = {.speeds = {400, 410, 500, 620, 800, 1600, 6000}, .variants = 2};
    scene_sweep(&s, &opts);
    const rft_run *run = scene_run(&s, "a.db");
    size_t ones = 0, threes = 0;
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_point *point = &run->points[i];
        const rft_measurement *m = &point->rounds[0];
        double behind = m->stats.median / rft_point_median_s(rft_run_best(run, 0, point->variant, 0));
        ones += m->n == 1;
        threes += m->n == 3;
        assert_true(m->n >= RFT_RACE_MIN_SAMPLES || (m->stop == RFT_STOP_SLOWER && !point->is_default));
        assert_true(m->n >= RFT_RACE_MIN_SAMPLES || behind > (m->n == 1 ? 1.1 : 1.07));
        assert_true(m->first_run_s > 0.0 && !(m->n < 6 && m->stats.interval_is_95));
    }
    assert_true(ones >= 2 && ones + threes >= 4);
    assert_true(rft_run_best(run, 0, 0, 0)->rounds[1].n > 5 && rft_run_best(run, 0, 1, 0)->rounds[1].n > 5);
    scene_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(progress_adds_up_over_sessions),
        cmocka_unit_test(a_replay_is_busy_with_nothing),
        cmocka_unit_test(the_ceilings_come_after_the_first_point),
        cmocka_unit_test(a_stop_at_the_first_point_leaves_the_ceilings_for_later),
        cmocka_unit_test(the_sweep_sets_the_limits),
        cmocka_unit_test(everybody_races_the_best_so_far),
        cmocka_unit_test(few_samples_tell_what_is_far_slower),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
