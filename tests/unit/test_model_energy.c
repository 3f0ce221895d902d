/* SPDX-License-Identifier: Apache-2.0 */
/* Joules and watts from a simulated card whose true power is known and whose sensors are as slow as real ones. */
#include "model_fixture.h"

#include "base/hash.h"
#include "model/stats/energy.h"
#include "unit/noise.h"

enum { MOST = 4096 };

typedef struct card {
    double power_w, noise_w; /* while busy, and its scatter from update to update */
    double update_s, poll_s;
    bool counts, senses;
} card;

typedef struct polls {
    rft_energy_reading readings[MOST];
    size_t count;
} polls;

/* Polls from 0.5 s before the launches to 0.5 s after them; idle outside draws 100 W. Counter in whole millijoules. */
static void poll(polls *out, const card *c, double busy_s, uint64_t *seed) {
    double joules = 0.0, shown_j = NAN, shown_w = NAN, next_update_s = rft_random_unit(seed) * fmin(c->update_s, 0.1);
    double now_s = 0.0, next_poll_s = 0.0;
    const double step_s = 1e-3;
    out->count = 0;
    for (; now_s < busy_s + 1.0; now_s += step_s) {
        bool busy = now_s >= 0.5 && now_s < 0.5 + busy_s;
        joules += (busy ? c->power_w : 100.0) * step_s;
        if (now_s >= next_update_s) {
            next_update_s += c->update_s;
            shown_j = floor(joules * 1e3) * 1e-3 + 12345.0;
            shown_w = (busy ? c->power_w : 100.0) + c->noise_w * noise_normal(seed);
        }
        if (now_s >= next_poll_s && out->count < MOST) {
            next_poll_s += c->poll_s * (0.8 + 0.4 * rft_random_unit(seed));
            out->readings[out->count++] =
                (rft_energy_reading){now_s, c->counts ? shown_j : (double)NAN, c->senses ? shown_w : (double)NAN};
        }
    }
}

static rft_energy_window window_of(const polls *p, double busy_s, uint64_t launches) {
    return (rft_energy_window){
        .readings = p->readings, .count = p->count, .begin_s = 0.5, .end_s = 0.5 + busy_s, .launches = launches};
}

static void counter(void **state) {
    (void)state;
    uint64_t seed = 1;
    card c = {.power_w = 427.0, .update_s = 0.1, .poll_s = 0.02, .counts = true, .senses = true};
    int inside = 0;
    double worst_frac = 0.0;
    for (int e = 0; e < 200; e++) {
        polls p;
        poll(&p, &c, 3.0, &seed);
        rft_energy_window w = window_of(&p, 3.0, 4000);
        rft_energy energy = rft_energy_of(&w);
        assert_int_equal(energy.source, RFT_ENERGY_COUNTER);
        assert_string_equal(energy.reason, "");
        assert_true(near(energy.update_s, 0.1, 0.3));
        assert_true(energy.uncertainty_frac > 0.0 && energy.uncertainty_frac < 0.02);
        double error_frac = fabs(energy.power_w / 427.0 - 1.0);
        inside += error_frac <= energy.uncertainty_frac;
        worst_frac = fmax(worst_frac, error_frac);
        assert_true(near(energy.joules_per_launch, energy.power_w * 3.0 / 4000.0, 1e-12));
    }
    print_message("energy counter, 3 s: off by at most %.2f %%, within what is said in %.1f %%\n", worst_frac * 100.0,
                  inside / 2.0);
    assert_true(inside >= 190 && worst_frac < 0.02);
}

static void sensor(void **state) {
    (void)state;
    uint64_t seed = 2;
    card c = {.power_w = 600.0, .noise_w = 9.0, .update_s = 0.1, .poll_s = 0.02, .senses = true};
    int inside = 0;
    for (int e = 0; e < 200; e++) {
        polls p;
        poll(&p, &c, 4.0, &seed);
        rft_energy_window w = window_of(&p, 4.0, 100);
        w.averaging_s = 1.0;
        rft_energy energy = rft_energy_of(&w);
        assert_int_equal(energy.source, RFT_ENERGY_SENSOR);
        assert_true(energy.span_s < 3.05);
        inside += fabs(energy.power_w / 600.0 - 1.0) <= energy.uncertainty_frac;
    }
    assert_true(inside >= 190);
}

static void too_short_says_so(void **state) {
    (void)state;
    uint64_t seed = 3;
    card c = {.power_w = 400.0, .update_s = 0.1, .poll_s = 0.02, .counts = true};
    polls p;
    poll(&p, &c, 0.5, &seed);
    rft_energy_window w = window_of(&p, 0.5, 10);
    rft_energy energy = rft_energy_of(&w);
    assert_int_equal(energy.source, RFT_ENERGY_NONE);
    assert_true(isnan(energy.power_w) && isnan(energy.joules_per_launch) && isnan(energy.uncertainty_frac));
    assert_non_null(strstr(energy.reason, "window too short: the energy counter updates every"));
    assert_non_null(strstr(energy.reason, "1.2 s are needed"));
    c.counts = false; /* a card that tells nothing */
    poll(&p, &c, 3.0, &seed);
    w = window_of(&p, 3.0, 10);
    energy = rft_energy_of(&w);
    assert_string_equal(energy.reason, "the device gives neither energy nor power");
    c.counts = true;
    c.update_s = 100.0; /* a counter that stands still */
    poll(&p, &c, 3.0, &seed);
    w = window_of(&p, 3.0, 10);
    energy = rft_energy_of(&w);
    assert_string_equal(energy.reason, "the energy counter did not move in the window");
    w.count = 0;
    assert_int_equal(rft_energy_of(&w).source, RFT_ENERGY_NONE);
}

static void counter_that_went_back(void **state) {
    (void)state;
    uint64_t seed = 4;
    card c = {.power_w = 400.0, .update_s = 0.1, .poll_s = 0.02, .counts = true};
    polls p;
    poll(&p, &c, 3.0, &seed);
    for (size_t i = p.count / 2; i < p.count; i++) {
        p.readings[i].energy_j -= 12345.0;
    }
    rft_energy_window w = window_of(&p, 3.0, 10);
    rft_energy energy = rft_energy_of(&w);
    assert_int_equal(energy.source, RFT_ENERGY_NONE);
    assert_non_null(strstr(energy.reason, "went back"));
}

static void idle_and_per_watt(void **state) {
    (void)state;
    uint64_t seed = 5;
    card quiet = {.power_w = 118.0, .update_s = 0.1, .poll_s = 0.02, .counts = true}, busy = quiet;
    busy.power_w = 590.0;
    polls p;
    poll(&p, &quiet, 2.0, &seed);
    rft_energy_window w = window_of(&p, 2.0, 0);
    rft_energy idle = rft_energy_of(&w);
    assert_true(near(idle.power_w, 118.0, 0.02) && isnan(idle.joules_per_launch));
    poll(&p, &busy, 2.0, &seed);
    w = window_of(&p, 2.0, 1000);
    rft_energy energy = rft_energy_of(&w);
    assert_true(near(energy.joules_per_launch, 1.18, 0.02));
    assert_string_equal(rft_energy_source_name(RFT_ENERGY_COUNTER), "energy counter");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counter),           cmocka_unit_test(sensor),
        cmocka_unit_test(too_short_says_so), cmocka_unit_test(counter_that_went_back),
        cmocka_unit_test(idle_and_per_watt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
