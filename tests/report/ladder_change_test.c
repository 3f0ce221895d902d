/* SPDX-License-Identifier: Apache-2.0 */
/* Why a rung of the ladder is faster: only what accounts for the times is named. */
#include "reports/findings/ladder_change.h"
#include "unit/model_fixture.h"

#include <stdio.h>

typedef struct rungs {
    rft_run *run;
    rft_point *points[2];
    rft_counters counters[2];
} rungs;

static rungs rungs_of(double before_s, double after_s) {
    rungs r = {.run = fixture_run()};
    fixture_ceiling(r.run, RFT_CEILING_L1_READ, 33e12);
    fixture_ceiling(r.run, RFT_CEILING_L2_READ, 9e12);
    fixture_ceiling(r.run, RFT_CEILING_SHARED_READ, 33e12);
    fixture_axis(r.run, "n", true, true);
    fixture_problem(r.run, (const int64_t[]){1});
    for (size_t i = 0; i < 2; i++) {
        r.points[i] = fixture_point(r.run, 0, NULL, i ? after_s : before_s);
        r.points[i]->work.bytes_read = 4.4e8; /* 100 us */
        r.points[i]->facts.registers = i ? 32 : 25;
        r.counters[i] = rft_counters_unknown(RFT_COUNTER_NOT_ASKED);
        r.counters[i].values[RFT_COUNTER_DRAM_READ] = 4.4e8;
        r.counters[i].values[RFT_COUNTER_DRAM_WRITE] = i ? 1e4 : 1e6; /* a large factor of what takes no time */
    }
    return r;
}

static void count(rungs *r, rft_counter id, double before, double after) {
    r->counters[0].values[id] = before;
    r->counters[1].values[id] = after;
}

/* Frees the run. */
static void expect(rungs *r, bool counted, const char *text) {
    for (size_t i = 0; i < 2; i++) {
        r->points[i]->counters = counted ? &r->counters[i] : NULL;
    }
    const char *said = rft_ladder_change(r->run, r->points[0], r->points[1], r->run->arena);
    if (strcmp(said, text) != 0) {
        fail_msg("\"%s\", not \"%s\"", said, text);
    }
    rft_run_free(r->run);
}

/* Rows of fp16 by one thread each, then by vectors: 12 times the speed. */
static rungs gemv(void) {
    rungs r = rungs_of(1467e-6, 120.4e-6);
    count(&r, RFT_COUNTER_LOAD_BYTES_PER_SECTOR, 2, 32);
    count(&r, RFT_COUNTER_SECTORS_PER_LOAD, 16.5, 16);
    count(&r, RFT_COUNTER_L1_LOAD, 4.0e9, 1.1e9);
    count(&r, RFT_COUNTER_WARPS_ACTIVE, 0.06, 0.20);
    return r;
}

static void sectors_of_loads_explain_gemv(void **state) {
    (void)state;
    rungs r = gemv();
    expect(
        &r, true,
        "sectors per load request: 16.5 for 33.0 B used to 16.0 for 512 B used (counted), 16.0\xc3\x97 where the times "
        "differ by 12.2\xc3\x97");
    r = gemv();
    count(&r, RFT_COUNTER_SECTORS_PER_LOAD, NAN, NAN); /* an older recording */
    expect(&r, true,
           "useful bytes per sector loaded: 2.000 B to 32.00 B (counted), 16.0\xc3\x97 where the times differ by "
           "12.2\xc3\x97");
    /* a small problem fills a corner of the card: nothing takes any time at its ceiling, and few warps are there */
    r = rungs_of(375e-6, 11.9e-6);
    for (size_t i = 0; i < 2; i++) {
        r.points[i]->work.bytes_read = 33.5e6;
    }
    count(&r, RFT_COUNTER_DRAM_READ, 33.5e6, 33.5e6);
    count(&r, RFT_COUNTER_DRAM_WRITE, 2e5, 1e4);
    count(&r, RFT_COUNTER_L1_LOAD, 2.5e8, 7.1e7);
    count(&r, RFT_COUNTER_LOAD_BYTES_PER_SECTOR, 2, 32);
    count(&r, RFT_COUNTER_SECTORS_PER_LOAD, 16.5, 16);
    count(&r, RFT_COUNTER_WARPS_ACTIVE, 0.016, 0.81);
    expect(
        &r, true,
        "sectors per load request: 16.5 for 33.0 B used to 16.0 for 512 B used (counted), 16.0\xc3\x97 where the times "
        "differ by 31.5\xc3\x97");
    r = gemv(); /* nothing was counted: registers explain no time */
    expect(&r, false, "not known");
}

static void a_ceiling_explains_its_own_time(void **state) {
    (void)state;
    rungs r = rungs_of(210e-6, 110e-6);
    count(&r, RFT_COUNTER_DRAM_READ, 8.4e8, 4.2e8);
    count(&r, RFT_COUNTER_WARP_INSTRUCTIONS, 1e6, 1e3);
    expect(&r, true, "device memory, read: 840.0 MB to 420.0 MB (counted), at its ceiling 96 % of the difference");
    r = rungs_of(1160e-6, 576e-6); /* a padded tile */
    count(&r, RFT_COUNTER_SHARED_WAVEFRONTS, 278e6, 17.6e6);
    count(&r, RFT_COUNTER_SHARED_CONFLICTS, 261e6, 0);
    expect(&r, true,
           "bank conflicts: 261.0 M wavefronts to 0 wavefronts (counted), at its ceiling all of the difference");
    r = rungs_of(110e-6, 110.5e-6);
    expect(&r, true, "nothing, it is as fast");
}

/* What changed much and takes no part in the time, or changed by more than the time did. */
static void what_does_not_explain_the_time_is_not_named(void **state) {
    (void)state;
    rungs r = rungs_of(110e-6, 118e-6); /* at device memory's ceiling all the same */
    count(&r, RFT_COUNTER_WARPS_ACTIVE, 0.77, 0.49);
    count(&r, RFT_COUNTER_L2_READ, 5e6, 15e6);
    expect(&r, true, "not known");
    r = rungs_of(500e-6, 450e-6); /* far from every ceiling, and eight times fewer sectors */
    count(&r, RFT_COUNTER_LOAD_BYTES_PER_SECTOR, 4, 32);
    expect(&r, true, "not known");
}

static void launches_count_with_the_floor(void **state) {
    (void)state;
    for (int fits = 0; fits < 2; fits++) {
        rungs r = rungs_of(fits ? 306e-6 : 400e-6, 300e-6);
        r.points[0]->step_count = 3; /* two more, 2.7 us each */
        expect(&r, false,
               fits ? "launches a run: 3 to 1 (recorded), at an empty kernel's time 90 % of the difference"
                    : "not known");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sectors_of_loads_explain_gemv),
        cmocka_unit_test(a_ceiling_explains_its_own_time),
        cmocka_unit_test(what_does_not_explain_the_time_is_not_named),
        cmocka_unit_test(launches_count_with_the_floor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
