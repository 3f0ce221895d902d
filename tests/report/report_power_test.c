/* SPDX-License-Identifier: Apache-2.0 */
/* Watts, joules and sustained times on paper; what the sensor does not say. */
#include "report/trace_pages.h"
#include "support/sample.h"

#include "model/roofline/bound.h"
#include "model/roofline/placement.h"
#include "reports/doc.h"
#include "reports/findings/findings.h"
#include "reports/findings/words.h"
#include "reports/print/print.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_watts_and_two_times(void **state) {
    (void)state;
    rft_run *run = sample_full();
    sample_add_idle(run, 118);
    for (size_t s = 0; s < run->sweep_count; s++) {
        sample_add_energy(run, s, 500 + 50 * (double)s);
        sample_add_soak(run, s, s == 2 ? 1.15 : 1.0);
    }
    rft_point *copy = sample_best(run, 0); /* its ceiling under load is known, those of the others are not */
    rft_placement place = rft_placement_of(run, copy);
    rft_ceiling *ceiling = &run->ceilings.items[rft_placement_ceiling(run, copy, &place)];
    ceiling->sustained = ceiling->stats;
    rft_load *restored = (rft_load *)(uintptr_t)sample_best(run, 1)->loads[RFT_LOAD_ENERGY];
    restored->restored = true;
    trace_pages pages = trace_of(run, NULL);
    trace_assert_sound(&pages);
    /* Of each sweep, and where both are explained, on a page of their own or not. */
    assert_in_range(trace_pages_saying(&pages, "Power and energy"), 3, 4);
    assert_in_range(trace_pages_saying(&pages, "Burst and sustained"), 3, 4);
    assert_true(trace_says(
        &pages, "At rest, just after work and with its context open, the device drew 118 W \xc2\xb1 1.6 %."));
    assert_true(trace_says(&pages, "Problem Power W \xc2\xb1 % Energy a run")); /* of three sweeps a table */
    assert_true(trace_says(&pages, "B/s/W"));
    assert_true(trace_says(&pages, "FLOP/s/W"));
    assert_true(trace_says(&pages, "copied back before every run"));
    assert_true(trace_says(&pages, "Under 60 s of load"));
    assert_true(trace_says(&pages, "keeps its time."));
    assert_true(trace_says(&pages, "longer than in bursts."));
    assert_true(trace_says(&pages, "power limit, 80.0 % of the time"));
    assert_true(trace_says(&pages, "The rate of its ceiling under load is not known."));
    trace_clear(&pages);
    pages = trace_of(run, &(rft_report_opts){.full = true});
    assert_true(trace_says(&pages, "seconds under load"));
    trace_clear(&pages);
    rft_run_free(run);
}

/* With figures of every best, the page has those of the best that it is about, and says of what they are. */
static void test_the_page_has_the_power_of_its_best(void **state) {
    (void)state;
    rft_run *run = sample_full();
    const size_t largest = rft_run_largest(run, 0);
    for (size_t p = 0; p < run->sweeps[0].sweep.problem_count; p++) {
        const rft_point *best = rft_run_best(run, 0, SIZE_MAX, p);
        if (best) {
            const rft_load load = *sample_add_energy(run, 0, p == largest ? 613 : 207);
            *sample_add_load(run, sample_best_on(run, 0, p), RFT_LOAD_ENERGY) = load;
        }
    }
    sample_add_energy(run, 0, 613);
    const char *begin = rft_arena_printf(run->arena, "Power and energy, %s (%s): Power 613 W",
                                         rft_run_problem_text(run, 0, largest, true, run->arena),
                                         rft_words_config(run, sample_best(run, 0), run->arena));
    rft_doc *doc = rft_arena_calloc(run->arena, 1, sizeof *doc);
    doc->arena = run->arena;
    rft_print_page_briefly(doc, rft_finding_loads(run, 0, run->arena));
    assert_int_equal(strncmp(doc->blocks[0].text, begin, strlen(begin)), 0);
    rft_run_free(run);
}

static void test_no_sensor_has_its_reason(void **state) {
    (void)state;
    rft_run *run = sample_full();
    sample_add_load(run, NULL, RFT_LOAD_IDLE)->energy_reason = "NVML is not there";
    trace_pages pages = trace_of(run, NULL);
    trace_assert_sound(&pages);
    assert_true(trace_says(&pages, "Power is not known: NVML is not there."));
    assert_false(trace_says(&pages, "Power and energy"));
    trace_clear(&pages);
    const rft_load left_out =
        rft_load_left_out("not measured: 5.0 s beside a run of 4.3 s; --energy largest measures it");
    *sample_add_load(run, NULL, RFT_LOAD_IDLE) = left_out;
    pages = trace_of(run, NULL);
    trace_assert_sound(&pages);
    assert_true(
        trace_says(&pages, "Power was not measured: 5.0 s beside a run of 4.3 s; --energy largest measures it."));
    trace_clear(&pages);
    sample_add_load(run, sample_best(run, 1), RFT_LOAD_ENERGY)->energy_reason = "the energy counter did not move";
    pages = trace_of(run, NULL);
    assert_true(trace_says(&pages, "No figure: the energy counter did not move."));
    trace_clear(&pages);
    rft_run_free(run);
}

static void test_not_asked_for(void **state) {
    (void)state;
    rft_run *run = sample_full();
    trace_pages pages = trace_of(run, NULL);
    assert_false(trace_says(&pages, "Power and energy"));
    assert_false(trace_says(&pages, "Burst and sustained"));
    assert_false(trace_says(&pages, "At rest"));
    trace_clear(&pages);
    rft_run_free(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_watts_and_two_times),
        cmocka_unit_test(test_the_page_has_the_power_of_its_best),
        cmocka_unit_test(test_no_sensor_has_its_reason),
        cmocka_unit_test(test_not_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
