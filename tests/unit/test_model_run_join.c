/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of one card as one, and a sweep of it as one again: what is renumbered, summed, borrowed, and what is refused.
 */
#include "model_fixture.h"

#include "model/run/run_cards.h"
#include "model/run/run_join.h"
#include "model/run/run_take.h"

#include <stdio.h>

static rft_run *run_of(const char *id, const char *sweep, double fastest_s) {
    rft_run *run = fixture_run();
    run->info = (rft_run_info){.id = id,
                               .tool_revision = "aaaa",
                               .command = sweep,
                               .started_unix_ns = 1000,
                               .finished_unix_ns = 2000,
                               .elapsed_s = 5,
                               .busy_s = 2,
                               .compile_s = 1};
    run->gpu.uuid = "GPU-1";
    run->gpu.name = "card";
    run->sweeps[0].sweep.name = sweep;
    fixture_axis(run, "n", true, true);
    fixture_param(run, 0, "TILE", (const int64_t[]){16, 32}, 2);
    fixture_problem(run, (const int64_t[]){1024});
    fixture_point(run, 0, (const int64_t[]){16}, 2 * fastest_s);
    rft_point *fast = fixture_point(run, 0, (const int64_t[]){32}, fastest_s);
    fixture_point(run, 0, (const int64_t[]){32}, fastest_s)->alias_of = fast->id;
    rft_run_add_reference(run, &(rft_reference){0, 0, fast->id, 3, 1.5, 10, fastest_s, fastest_s, fastest_s, 1980});
    return run;
}

static void two_runs_are_one(void **state) {
    (void)state;
    rft_run *runs[2] = {run_of("a", "copy", 1e-3), run_of("b", "matmul", 2e-3)}, *one = NULL;
    rft_err err = RFT_ERR_INIT;
    runs[1]->info.started_unix_ns = 500;
    runs[1]->info.finished_unix_ns = 9000;
    runs[0]->ceilings.items[RFT_CEILING_FP32].measured = false;
    fixture_ceiling(runs[1], RFT_CEILING_FP32, 50e12);
    fixture_ceiling(runs[1], RFT_CEILING_DRAM_COPY, 1e12); /* the first run's stands */
    assert_int_equal(rft_run_join(&one, runs, 2, &err), 0);
    assert_int_equal(one->sweep_count, 2);
    assert_int_equal(one->point_count, 6);
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(one->points[i].id, i + 1);
    }
    assert_int_equal(one->points[2].alias_of, 2);
    assert_int_equal(one->points[5].alias_of, 5);
    assert_true(near(rft_point_median_s(rft_run_best(one, 0, SIZE_MAX, 0)), 1e-3, 1e-12));
    assert_true(near(rft_point_median_s(rft_run_best(one, 1, SIZE_MAX, 0)), 2e-3, 1e-12));
    assert_int_equal(one->reference_count, 2);
    assert_int_equal(one->references[1].sweep, 1);
    assert_int_equal(one->references[1].point, 5);
    assert_true(one->references[1].time_s == 6.5); /* five seconds of the first run before it */
    assert_true(one->info.started_unix_ns == 500 && one->info.finished_unix_ns == 9000);
    assert_true(one->info.elapsed_s == 10 && one->info.busy_s == 4 && one->info.compile_s == 2);
    assert_string_equal(one->info.command, "copy; matmul");
    assert_string_equal(one->info.tool_revision, "aaaa");
    assert_int_equal(strlen(one->info.id), 12);
    assert_true(rft_ceilings_rate(&one->ceilings, RFT_CEILING_FP32) == 50e12);
    assert_true(rft_ceilings_rate(&one->ceilings, RFT_CEILING_DRAM_COPY) == 4.2e12);
    rft_run_free(one);
    rft_run_free(runs[0]);
    rft_run_free(runs[1]);
}

/* What a run of two sweeps says of one is what a run of that one would. */
static void a_sweep_is_taken(void **state) {
    (void)state;
    rft_run *runs[2] = {run_of("a", "copy", 1e-3), run_of("b", "matmul", 2e-3)}, *one = NULL, *part = NULL;
    rft_err err = RFT_ERR_INIT;
    runs[1]->points[0].facts.compile_s = 3;
    runs[1]->points[1].facts.compile_s = 4;
    runs[1]->points[1].facts.from_cache = true;
    runs[1]->points[0].rounds[0].busy_s = 0.5;
    assert_int_equal(rft_run_join(&one, runs, 2, &err), 0);
    const rft_run_card cards[] = {{.uuid = "GPU-2", .first = 1, .last = 4}, {.uuid = "GPU-1", .first = 5, .last = 6}};
    rft_run_put_cards(one, cards, 2);
    assert_int_equal(rft_run_take(&part, one, (const char *[]){"matmul"}, 1, &err), 0);
    assert_int_equal(part->sweep_count, 1);
    assert_string_equal(part->sweeps[0].sweep.name, "matmul");
    assert_int_equal(part->point_count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(part->points[i].id, i + 1);
        assert_int_equal(part->points[i].sweep, 0);
    }
    assert_int_equal(part->points[2].alias_of, 2);
    assert_true(near(rft_point_median_s(rft_run_best(part, 0, SIZE_MAX, 0)), 2e-3, 1e-12));
    assert_int_equal(part->reference_count, 1);
    assert_true(part->references[0].sweep == 0 && part->references[0].point == 2 &&
                part->references[0].after_point == 3);
    assert_true(isnan(part->info.elapsed_s) && part->info.compile_s == 3 && part->info.busy_s == 0.5);
    assert_int_equal(strlen(part->info.id), 12);
    assert_string_not_equal(part->info.id, one->info.id);
    assert_int_equal(part->card_count, 2);
    assert_true(part->cards[0].first == 1 && part->cards[0].last == 1);
    assert_true(part->cards[1].first == 2 && part->cards[1].last == 3);
    assert_int_equal(one->cards[1].first, 5); /* the run itself stays as it was */
    rft_run_free(part);
    assert_int_equal(rft_run_take(&part, one, (const char *[]){"copy", "scan"}, 2, &err), RFT_E_USAGE);
    assert_non_null(strstr(err.message, "no sweep \"scan\""));
    assert_string_equal(err.remedy, "it has: copy, matmul");
    rft_run_free(one);
    rft_run_free(runs[0]);
    rft_run_free(runs[1]);
}

/* Every file that any of them was made of; of other facts it is told that they differ. */
static void hashes_are_those_of_all(void **state) {
    (void)state;
    static const char *const facts[][3] = {
        /* key, of each run */
        {"source.gemv.cu", "11", "11"}, {"header.shared.cuh", "22", "23"},    {"driver.version", "580", "580"},
        {"nvml.power_w", "150", "140"}, {"nvml.power_limit_w", "700", "600"}, {"source.matmul.cu", NULL, "33"},
        {"host.numa", NULL, "1"}};
    rft_run *runs[3] = {run_of("a", "copy", 1e-3), run_of("b", "matmul", 2e-3), run_of("c", "scan", 2e-3)}, *one = NULL;
    rft_err err = RFT_ERR_INIT;
    for (size_t r = 0; r < 3; r++) {
        for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
            const char *value = facts[i][r ? 2 : 1];
            if (value) {
                rft_env_set(&runs[r]->env, runs[r]->arena, facts[i][0], value, NULL);
            }
        }
        runs[r]->info.tool_revision = r ? "bbbb" : "aaaa";
    }
    assert_int_equal(rft_run_join(&one, runs, 3, &err), 0);
    char text[300] = "";
    for (size_t i = 0; i < one->env.count; i++) {
        const rft_env_item *item = &one->env.items[i];
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s=%s;", item->key, item->value);
    }
    assert_string_equal(text, "source.gemv.cu=11;header.shared.cuh=22;driver.version=580;nvml.power_w=150;"
                              "nvml.power_limit_w=700;header.shared.cuh=23;source.matmul.cu=33;host.numa=1;"
                              "joined.differing=nvml.power_w, nvml.power_limit_w;");
    assert_string_equal(one->info.tool_revision, "aaaa, bbbb");
    assert_int_equal(runs[0]->env.count, 5); /* borrowed */
    rft_run_free(one);
    for (size_t r = 0; r < 3; r++) {
        rft_run_free(runs[r]);
    }
}

static void one_run_stays_itself(void **state) {
    (void)state;
    rft_run *run = run_of("a", "copy", 1e-3), *one = NULL;
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(rft_run_join(&one, &run, 1, &err), 0);
    assert_string_equal(one->info.id, "a");
    assert_string_equal(one->info.command, "copy");
    assert_int_equal(one->point_count, 3);
    rft_run_free(one);
    rft_run_free(run);
}

static void what_is_not_one_is_refused(void **state) {
    (void)state;
    rft_run *runs[2] = {run_of("a", "copy", 1e-3), run_of("b", "copy", 2e-3)}, *one = NULL;
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(rft_run_join(&one, runs, 2, &err), RFT_E_USAGE);
    assert_non_null(strstr(err.message, "both hold the sweep copy"));
    assert_non_null(strstr(err.remedy, "compare"));
    runs[1]->sweeps[0].sweep.name = "matmul";
    runs[1]->gpu.uuid = "GPU-2";
    assert_int_equal(rft_run_join(&one, runs, 2, &err), RFT_E_USAGE);
    assert_non_null(strstr(err.message, "run b is of another card"));
    runs[1]->gpu.uuid = "GPU-1";
    runs[1]->info.replay_of = "c";
    assert_int_equal(rft_run_join(&one, runs, 2, &err), RFT_E_USAGE);
    assert_non_null(strstr(err.message, "replay"));
    assert_null(one);
    rft_run_free(runs[0]);
    rft_run_free(runs[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_runs_are_one),           cmocka_unit_test(a_sweep_is_taken),
        cmocka_unit_test(hashes_are_those_of_all),    cmocka_unit_test(one_run_stays_itself),
        cmocka_unit_test(what_is_not_one_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
