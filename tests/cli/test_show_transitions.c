/* SPDX-License-Identifier: Apache-2.0 */
/* Transitions and fits as a user sees them: the text of `show`, and its JSON. */
#include "unit/model_fixture.h"

#include "base/json.h"
#include "reports/findings/findings.h"
#include "reports/print/print.h"

/* A layer of N = K = 8192 over M: 90 % of the memory ceiling, then 80 % of the pipe's. */
static rft_run *layer(int64_t most_m, int64_t times) {
    rft_run *run = fixture_run();
    const double nk = 8192.0;
    run->ceilings.items[RFT_CEILING_DRAM_COPY].measured = false;
    fixture_axis(run, "m", true, true);
    for (int64_t m = 16; m <= most_m; m *= times) {
        rft_work work = {.bytes_read = 2.0 * (nk * nk + (double)m * nk), .bytes_written = 2.0 * (double)m * nk};
        work.pipe_ops[RFT_PIPE_TENSOR_BF16] = 2.0 * (double)m * nk * nk;
        double memory_s = rft_work_bytes(&work) / (0.9 * 4.4e12), pipe_s = rft_work_ops(&work) / (0.8 * 700e12);
        rft_point *point =
            fixture_point(run, fixture_problem(run, &m), NULL, pow(pow(memory_s, 5) + pow(pipe_s, 5), 0.2));
        point->work = work;
    }
    return run;
}

static void has(const char *text, const char *part) {
    if (!strstr(text, part)) {
        fail_msg("not there: %s\n%s", part, text);
    }
}

/* The text with the line breaks of its layout taken out. */
static const char *shown(rft_run *run, const rft_finding *found) {
    rft_str text = RFT_STR_INIT;
    rft_print_text(&text, found, &(rft_print_opts){.full = true, .indent = 4});
    char *joined = rft_arena_calloc(run->arena, text.length + 1, 1);
    size_t length = 0;
    for (const char *at = rft_str_get(&text); *at; at++) {
        bool space = *at == ' ' || *at == '\n';
        if (!space || (length > 0 && joined[length - 1] != ' ')) {
            joined[length++] = space ? ' ' : *at;
        }
    }
    rft_str_clear(&text);
    return joined;
}

static void a_transition_has_place_interval_and_ridge(void **state) {
    (void)state;
    rft_run *run = layer(4096, 2);
    const char *text = shown(run, rft_finding_transitions(run, 0, run->arena));
    has(text, "transitions along m: found, dram to BF16 tensor at 14"); /* 141.4 x 8192 / (8192 - 282.8) = 146 */
    has(text, ", 95 % 14");
    has(text, ", slope 0.00 to 1.00 of time per byte over intensity, ridge formula 16");
    has(text, ", declared");
    json_t *list = rft_print_json(rft_finding_transitions(run, 0, run->arena)), *item = json_array_get(list, 0);
    assert_int_equal(json_array_size(list), 1);
    assert_string_equal(json_string_value(json_object_get(item, "kind")), "found");
    assert_string_equal(json_string_value(json_object_get(item, "from")), "dram");
    assert_string_equal(json_string_value(json_object_get(item, "to")), "BF16 tensor");
    assert_string_equal(json_string_value(json_object_get(item, "by")), "times");
    double where = json_number_value(json_object_get(item, "where"));
    double low = json_number_value(json_object_get(item, "low")),
           high = json_number_value(json_object_get(item, "high"));
    assert_true(near(where, 146.5, 0.02) && low < 146.5 && 146.5 < high && high < 1.1 * low);
    assert_true(near(json_number_value(json_object_get(item, "ridge")), 165.5, 0.02));
    assert_true(near(json_number_value(json_object_get(item, "slope_after")), 1.0, 0.02));
    assert_true(json_is_null(json_object_get(item, "why")) && json_is_null(json_object_get(item, "waves")));
    json_decref(list);
    rft_run_free(run);
}

static void few_values_say_that_neighbours_judge(void **state) {
    (void)state;
    rft_run *run = layer(4096, 16); /* 16, 256, 4096 */
    const char *text = shown(run, rft_finding_transitions(run, 0, run->arena));
    has(text, "by its grid neighbours alone, between 16 and 256");
    json_t *list = rft_print_json(rft_finding_transitions(run, 0, run->arena)), *item = json_array_get(list, 0);
    assert_string_equal(json_string_value(json_object_get(item, "by")), "neighbours");
    assert_true(json_is_null(json_object_get(item, "slope_before")));
    json_decref(list);
    assert_string_equal(shown(run, rft_finding_fits(run, 0, run->arena)), "");
    rft_run_free(run);
}

static const char *text_of(const json_t *item, const char *key) {
    return json_string_value(json_object_get(item, key));
}

/* What stands under a row on a page; "". */
static const char *detail_of(rft_run *run) {
    const rft_finding *paged = rft_finding_transitions_paged(run, 0, &(rft_transition_view){0}, run->arena);
    for (size_t i = 0; i < paged->item_count; i++) {
        const rft_cell_table *table = paged->items[i].table;
        for (size_t r = 0; table && r < table->row_count; r++) {
            if (table->rows[r].detail) {
                return table->rows[r].detail;
            }
        }
    }
    return "";
}

/* The bests' line, and beneath that of the first variant, ten times as slow and near nothing. */
static void the_first_of_a_ladder_stands_beneath(void **state) {
    (void)state;
    rft_run *run = layer(4096, 2);
    rft_sweep *sweep = &run->sweeps[0].sweep;
    sweep->variant_count = 2;
    sweep->variants[0].name = "naive";
    sweep->variants[1].name = "tiled";
    for (size_t i = 0, count = run->point_count; i < count; i++) {
        rft_point *naive = fixture_point(run, run->points[i].problem, NULL, 10 * rft_point_median_s(&run->points[i]));
        naive->work = run->points[i].work;
        run->points[i].variant = 1;
    }
    const char *text = shown(run, rft_finding_transitions(run, 0, run->arena));
    has(text, "along m: found, dram to BF16 tensor at 14");
    has(text, "along m, naive: turn of the times, latency to latency at 14");
    json_t *list = rft_print_json(rft_finding_transitions(run, 0, run->arena));
    assert_int_equal(json_array_size(list), 2);
    assert_true(json_is_null(json_object_get(json_array_get(list, 0), "variant")));
    assert_string_equal(text_of(json_array_get(list, 1), "variant"), "naive");
    assert_string_equal(text_of(json_array_get(list, 1), "kind"), "turn of the times");
    json_decref(list);
    has(detail_of(run), "naive: latency to latency (turn of the times at 14");

    for (size_t i = 0; i < run->point_count; i++) { /* measured at one value alone it has no line */
        run->points[i].outcome = run->points[i].variant == 0 && run->points[i].problem > 0 ? RFT_OUTCOME_WRONG_RESULT
                                                                                           : run->points[i].outcome;
    }
    list = rft_print_json(rft_finding_transitions(run, 0, run->arena));
    assert_int_equal(json_array_size(list), 1);
    json_decref(list);
    rft_run_free(run);
}

/* Half the time at one ceiling, nearly half at the other: what latency is then stands in every form. */
static void what_is_met_in_turns_is_told(void **state) {
    (void)state;
    rft_run *run = layer(4096, 2);
    for (size_t i = 0; i < run->point_count; i++) {
        rft_point *point = &run->points[i];
        double memory_s = rft_work_bytes(&point->work) / 4.4e12, pipe_s = rft_work_ops(&point->work) / 700e12;
        double time_s = i >= 3 && i <= 4 ? memory_s + pipe_s : fmax(memory_s, pipe_s) / 0.9;
        point->rounds[0] = fixture_measurement(run, time_s);
    }
    const char *text = shown(run, rft_finding_transitions(run, 0, run->arena));
    has(text, "dram to latency, between 64 and 128, declared; at 128: latency: dram 56 % and BF16 tensor 44 %, as if "
              "in turns");
    json_t *list = rft_print_json(rft_finding_transitions(run, 0, run->arena)), *item = NULL;
    size_t index = 0, told = 0;
    json_array_foreach(list, index, item) {
        const char *turns = text_of(item, "to_turns");
        told += turns && strcmp(turns, "dram and BF16 tensor in turns") == 0;
        assert_true(!turns || strcmp(text_of(item, "to"), "latency") == 0);
    }
    assert_true(told > 0);
    json_decref(list);

    rft_sweep *sweep = &run->sweeps[0].sweep; /* without the reason the name says so itself */
    sweep->variant_count = 2;
    sweep->variants[1].name = "faster";
    for (size_t i = 0, count = run->point_count; i < count; i++) {
        rft_point *best = fixture_point(run, run->points[i].problem, NULL, 0.9 * rft_point_median_s(&run->points[i]));
        best->work = run->points[i].work;
        best->variant = 1;
    }
    has(detail_of(run), "plain: dram to latency (dram and BF16 tensor in turns) (unclear, 64\xe2\x80\x93"
                        "128)");
    rft_run_free(run);
}

static void a_fit_stands_beside_the_ceilings(void **state) {
    (void)state;
    rft_run *run = layer(4096, 2);
    const char *text = shown(run, rft_finding_fits(run, 0, run->arena));
    has(text, "fit of the bests: what these kernels reach along m: ");
    has(text, "bandwidth 3.96 TB/s (3.9");
    has(text, ", 90 % of the ceiling; peak 560 TFLOP/s (5");
    has(text, ", 80 % of the ceiling; sharpness unknown (");
    has(text, " of 9 values");
    json_t *list = rft_print_json(rft_finding_fits(run, 0, run->arena)), *item = json_array_get(list, 0);
    json_t *peak = json_object_get(item, "peak");
    assert_string_equal(json_string_value(json_object_get(item, "pipe")), "tensor_bf16");
    assert_string_equal(json_string_value(json_object_get(peak, "state")), "known");
    assert_true(near(json_number_value(json_object_get(peak, "value")), 560e12, 0.01));
    assert_true(json_number_value(json_object_get(peak, "ceiling")) == 700e12);
    assert_true(json_is_null(json_object_get(item, "why")));
    json_decref(list);
    rft_run_free(run);

    run = layer(4096, 2); /* what reaches beyond a ceiling says why; here nothing is left in the L2 */
    for (size_t i = 0; i < run->point_count; i++) {
        run->points[i].work.bytes_read += run->points[i].work.bytes_written;
        run->points[i].work.bytes_written = 0;
    }
    has(shown(run, rft_finding_fits(run, 0, run->arena)), "; sharpness");
    assert_null(strstr(shown(run, rft_finding_fits(run, 0, run->arena)), "above the ceiling"));
    fixture_ceiling(run, RFT_CEILING_TENSOR_BF16, 500e12);
    fixture_ceiling(run, RFT_CEILING_DRAM_READ, 3.6e12);
    text = shown(run, rft_finding_fits(run, 0, run->arena));
    has(text, "of the ceiling");
    has(text, "above the ceiling: the overhead is taken off");
    rft_run_free(run);

    run = layer(64, 2); /* memory alone */
    json_t *few = rft_print_json(rft_finding_fits(run, 0, run->arena));
    const char *state_name =
        json_string_value(json_object_get(json_object_get(json_array_get(few, 0), "peak"), "state"));
    assert_string_not_equal(state_name, "known");
    json_decref(few);
    rft_run_free(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_transition_has_place_interval_and_ridge),
        cmocka_unit_test(few_values_say_that_neighbours_judge),
        cmocka_unit_test(the_first_of_a_ladder_stands_beneath),
        cmocka_unit_test(what_is_met_in_turns_is_told),
        cmocka_unit_test(a_fit_stands_beside_the_ceilings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
