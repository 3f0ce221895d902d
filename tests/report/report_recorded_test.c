/* SPDX-License-Identifier: Apache-2.0 */
/* Every recording of the tree (or the run files named as arguments) gives a sound report. 77 when there is none. */
#include "base/arena.h"
#include "model/run/run_join.h"
#include "report/recordings.h"
#include "report/trace_pages.h"
#include "store/store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Read once for all tests. */
typedef struct recorded {
    recordings found;
    rft_run **runs;
} recorded;

static rft_run *loaded(const char *file) {
    rft_err err = RFT_ERR_INIT;
    rft_run *run = NULL;
    if (rft_store_load(&run, file, &err) != 0) {
        fail_msg("%s: %s", file, err.message);
    }
    return run;
}

/* "In general 12 and two a sweep, or half a one, 60 at most" (docs/report.md); 5: two for a buyer, summary, card. */
static size_t pages_most(const rft_run *run, const rft_report_opts *opts) {
    size_t most = 12 + (opts->summary ? (run->sweep_count + 1) / 2 : 2 * run->sweep_count);
    return opts->part == 1 ? 5 : most < 60 ? most : 60;
}

/* Of one sweep the summary's legend stands on its page, the contents before it or not. */
static void assert_summary(const trace_pages *pages) {
    for (int page = 1; page <= (int)pages->pages; page++) {
        if (trace_page_says(pages, page, "the one named was fastest")) {
            assert_true(trace_page_says(pages, page, "Summary"));
        }
    }
}

static void assert_report(const rft_run *run, const rft_report_opts *opts) {
    trace_pages pages = trace_of(run, opts);
    trace_assert_sound(&pages);
    trace_assert_whole(&pages);
    trace_assert_filled(&pages);
    assert_true(trace_says(&pages, run->gpu.name));
    if (!opts->full) {
        assert_in_range(pages.pages, 1, pages_most(run, opts));
        assert_true(trace_page_says(&pages, 2, "The card, and what to ask")); /* the answer is one page */
        if (opts->part == 0 && run->sweep_count == 1) {
            assert_summary(&pages);
        }
    }
    trace_clear(&pages);
}

enum { FORMS = 4 };

/* The usual report is made of every recording; of the others one in turn. All with RFT_ALL_DRAWS. */
static bool takes_form(size_t recording, size_t form) {
#ifdef RFT_ALL_DRAWS
    (void)recording;
    return form < FORMS;
#else
    return form == 0 || recording % (FORMS - 1) == form - 1;
#endif
}

static void test_recordings_give_sound_reports(void **state) {
    const recorded *all = *state;
    const rft_report_opts forms[FORMS] = {{.part = 0}, {.part = 1}, {.summary = true}, {.full = true}};
    for (size_t i = 0; i < all->found.count; i++) {
        for (size_t k = 0; k < FORMS; k++) {
            if (takes_form(i, k)) {
                print_message("%s, variant %zu of the report\n", all->found.files[i], k);
                assert_report(all->runs[i], &forms[k]);
            }
        }
    }
}

/* As many of one card as hold no sweep twice. */
static rft_run *join_from(rft_run *const *runs, size_t count, size_t first) {
    rft_run **of_one = rft_alloc(count * sizeof(rft_run *)), *joined = NULL;
    size_t taken = 0;
    for (size_t i = first; i < count; i++) {
        rft_err err = RFT_ERR_INIT;
        rft_run *more = NULL;
        of_one[taken] = runs[i];
        if (rft_run_join(&more, of_one, taken + 1, &err) == 0) {
            rft_run_free(joined);
            joined = more;
            taken++;
        }
    }
    free(of_one);
    return joined;
}

static void test_recordings_of_one_card_give_one_short_report(void **state) {
    const recorded *all = *state;
    const rft_report_opts forms[] = {{.part = 0}, {.summary = true}};
    rft_run *largest = NULL;
    for (size_t i = 0; i < all->found.count; i++) {
        rft_run *joined = join_from(all->runs, all->found.count, i);
        bool larger = !largest || joined->sweep_count > largest->sweep_count;
        rft_run_free(larger ? largest : joined);
        largest = larger ? joined : largest;
    }
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
        print_message("%zu sweeps together, variant %zu of the report\n", largest->sweep_count, k);
        assert_report(largest, &forms[k]);
    }
    rft_run_free(largest);
}

static recorded the_recorded;

static int load_all(void **state) {
    (void)state;
    the_recorded.runs = rft_alloc(the_recorded.found.count * sizeof(rft_run *));
    for (size_t i = 0; i < the_recorded.found.count; i++) {
        the_recorded.runs[i] = loaded(the_recorded.found.files[i]);
    }
    return 0;
}

static int free_all(void **state) {
    (void)state;
    for (size_t i = 0; i < the_recorded.found.count; i++) {
        rft_run_free(the_recorded.runs[i]);
    }
    free(the_recorded.runs);
    recordings_clear(&the_recorded.found);
    return 0;
}

int main(int argc, char **argv) {
    the_recorded.found = recordings_of(argc, argv);
    if (the_recorded.found.count == 0) {
        printf("no recording under sweeps/recorded\n");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_recordings_give_sound_reports, &the_recorded),
        cmocka_unit_test_prestate(test_recordings_of_one_card_give_one_short_report, &the_recorded)};
    return cmocka_run_group_tests(tests, load_all, free_all);
}
