/* SPDX-License-Identifier: Apache-2.0 */
/* What `run --mix` asks of a device: the energy of every problem's best and of the idle card, so that a pass has a
 * cost; and what of it a package brings to another machine. */
#include "run/scene.h"

#include "base/hash.h"
#include "model/mix/mix_total.h"
#include "store/store.h"

#include <math.h>
#include <stdlib.h>

#define FAST_S 0.02
#define WATTS 400.0
#define MIX                                                                                                            \
    "[{\"name\":\"m\",\"items\":[{\"operation\":\"scripted\",\"problem\":{\"n\":1000},\"count\":3},"                   \
    "{\"operation\":\"scripted\",\"problem\":{\"n\":2000},\"count\":1}],\"prices\":{\"currency\":\"EUR\","             \
    "\"date\":\"2026\",\"years\":4,\"kwh\":0.36,\"utilisation\":0.5,\"pue\":1.5,\"devices\":{\"%s\":35064}}}]"

static rft_mix_total *total_of(const rft_run *run, const char *mixes, rft_arena *arena) {
    rft_err err = RFT_ERR_INIT;
    rft_mix_total *total = NULL;
    rft_mix_book *book = rft_mix_book_new(arena);
    if (rft_mix_book_add(book, mixes, "m", arena, &err) != RFT_OK ||
        rft_mix_total_of(&total, &book->mixes[0], book, &run, 1, arena, &err) != RFT_OK) {
        fail_msg("%s", err.message);
    }
    return total;
}

static bool about(double got, double want, double frac) {
    return fabs(got / want - 1.0) <= frac;
}

/* Four launches of 20 ms at 400 W; then the card waits as long, at 400 W too. 35,064 EUR over four years at half of the
 * time are 2 EUR an hour. */
static void a_mix_has_its_energy_and_cost(void **state) {
    (void)state;
    scene s;
    scripted_sweep_opts opts = {.speeds = {20000, 30000}, .sizes = {1000, 2000}};
    setenv("SCRIPTED_WATTS", "400", 1);
    scene_open(&s, 1);
    scene_sweep(&s, &opts)->measure.point_timeout_s = 30;
    s.opts.power = RFT_POWER_BEST;
    rft_run *run = scene_run(&s, "run.db");
    const char *mixes = rft_arena_printf(s.arena, MIX, run->gpu.name);
    const rft_mix_total *t = total_of(run, mixes, s.arena);
    assert_int_equal(t->missing_count, 0);
    assert_null(t->joules.missing);
    assert_true(about(t->time_s.value, 4 * FAST_S, 1e-6));
    assert_true(about(t->joules.value, 4 * FAST_S * WATTS, 0.1));
    assert_true(about(t->card_cost.value, 1e6 * 4 * FAST_S * 2 / 3600, 1e-6));
    assert_true(about(t->energy_cost.value, 1e6 * 2 * 4 * FAST_S * WATTS * 1.5 * 0.36 / 3.6e6, 0.1));
    /* The same is in the package. */
    char digest[RFT_HASH_HEX_SIZE];
    rft_err err = RFT_ERR_INIT;
    rft_run *sent = NULL;
    const char *path = scene_path(&s, "bid.tar.gz");
    assert_int_equal(rft_package_write(&(rft_package_parts){run, mixes, "# Page\n"}, path, digest, &err), RFT_OK);
    if (rft_store_load(&sent, path, &err) != RFT_OK) {
        fail_msg("%s", err.message);
    }
    assert_string_equal(sent->package->digest, digest);
    const rft_mix_total *received = total_of(sent, sent->package->mixes, s.arena);
    assert_true(about(received->time_s.value, t->time_s.value, 1e-8));
    assert_true(about(received->joules.value, t->joules.value, 1e-8));
    assert_true(about(received->cost.value, t->cost.value, 1e-8));
    assert_true(about(received->cost.high, t->cost.high, 1e-8));
    rft_run_free(sent);
    scene_close(&s);
    unsetenv("SCRIPTED_WATTS");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mix_has_its_energy_and_cost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
