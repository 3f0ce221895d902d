/* SPDX-License-Identifier: Apache-2.0 */
/* Every recording of the tree (or the run files named as arguments) gives a sound report. 77 when there is none. */
#include "report/recordings.h"
#include "report/trace_pages.h"
#include "store/store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void test_recordings_give_sound_reports(void **state) {
    const recordings *found = *state;
    const rft_report_opts all[] = {{.part = 0}, {.part = 1}, {.full = true}};
    for (size_t i = 0; i < found->count; i++) {
        rft_err err = RFT_ERR_INIT;
        rft_run *run = NULL;
        if (rft_store_load(&run, found->files[i], &err) != 0) {
            fail_msg("%s: %s", found->files[i], err.message);
        }
        for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
            print_message("%s, variant %zu of the report\n", found->files[i], k);
            trace_pages pages = trace_of(run, &all[k]);
            trace_assert_sound(&pages);
            assert_true(trace_says(&pages, run->gpu.name));
            assert_true(all[k].part != 1 || pages.pages <= 5); /* two for a buyer, summary, card */
            trace_clear(&pages);
        }
        rft_run_free(run);
    }
}

int main(int argc, char **argv) {
    recordings all = recordings_of(argc, argv);
    if (all.count == 0) {
        printf("no recording under sweeps/recorded\n");
        return 77;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test_prestate(test_recordings_give_sound_reports, &all)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    recordings_clear(&all);
    return failed;
}
