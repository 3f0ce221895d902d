/* SPDX-License-Identifier: Apache-2.0 */
/* The public recordings of the autotuning community, where they are (RFT_SPACES, else ../shared/spaces beside the
 * source tree): counts and times as published beside them. Without them the test is skipped. */
#include "store/store_test.h"

#include "base/fs.h"
#include "model/run/run_foreign.h"
#include "store/store.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char *folder(void) {
    const char *given = getenv("RFT_SPACES");
    return given ? given : RFT_SOURCE_DIR "/../shared/spaces";
}

static const struct {
    const char *file;
    size_t points, valid;
    double median_over_best; /* of the table of difficulty; the tuners' own times are means */
    double flop;             /* of one run, by time and recorded rate; 0: no rate is recorded */
} shared[] = {
    {"convolution_A100.t4.json.gz", 4362, 4201, 3.31, 0},
    {"convolution_A4000.t4.json.gz", 4362, 4201, 3.24, 0},
    {"convolution_MI250X.t4.json.gz", 4362, 4362, 30.1, 0},
    {"dedispersion_A100.t4.json.gz", 11130, 11130, 1.06, 0},
    {"dedispersion_A4000.t4.json.gz", 11130, 11130, 1.13, 0},
    {"dedispersion_MI250X.t4.json.gz", 11130, 11130, 2.38, 0},
    {"gemm_3090.kt.json.gz", 17956, 17956, 2.58, 137472507904.0},
};

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void as_published(void **state) {
    (void)state;
    for (size_t f = 0; f < sizeof shared / sizeof shared[0]; f++) {
        char path[500];
        rft_run *run = NULL;
        rft_err err = RFT_ERR_INIT;
        snprintf(path, sizeof path, "%s/%s", folder(), shared[f].file);
        if (rft_store_load(&run, path, &err) != RFT_OK) {
            fail_msg("%s: %s", path, err.message);
        }
        rft_arena *arena = rft_arena_new();
        const rft_point **ranked = NULL;
        size_t count = rft_run_ranked(run, 0, SIZE_MAX, 0, arena, &ranked);
        assert_int_equal(run->point_count, shared[f].points);
        assert_int_equal(count, shared[f].valid);
        assert_int_equal(ranked[0]->rounds[0].n, 32);
        rft_foreign_work work = rft_foreign_work_of(run, 0, 0, arena);
        assert_true(shared[f].flop > 0.0 ? fabs(work.flop.amount / shared[f].flop - 1.0) < 1e-6
                                         : rft_foreign_work_missing(&work) != NULL);
        double *means_s = rft_arena_calloc(arena, count, sizeof *means_s);
        for (size_t i = 0; i < count; i++) {
            means_s[i] = ranked[i]->rounds[0].stats.mean;
        }
        qsort(means_s, count, sizeof *means_s, compare);
        double ratio = means_s[count / 2] / means_s[0];
        if (!(fabs(ratio / shared[f].median_over_best - 1) < 0.005)) {
            fail_msg("%s: half are %.3f times slower than the best, not %.3f", shared[f].file, ratio,
                     shared[f].median_over_best);
        }
        rft_arena_free(arena);
        rft_run_free(run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_published)};
    char path[500];
    snprintf(path, sizeof path, "%s/%s", folder(), shared[0].file);
    if (!rft_fs_exists(path)) {
        printf("skipped: no recordings in %s (RFT_SPACES)\n", folder());
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
