/* SPDX-License-Identifier: Apache-2.0 */
/* The break-even price: by hand; both costs are equal at every value that is told; who wins; what is not told. */
#include "model_fixture.h"

#include "model/compare/break_even.h"
#include "model/compare/compare_mix.h"

#include <stdio.h>

/* Two operations of 100 us and 1 ms x scale. */
static rft_run *side(const char *device, double scale, double joules) {
    rft_run *run = fixture_run();
    run->gpu.name = run->gpu.uuid = run->info.id = device;
    run->gpu.memory_bytes = 80000000000;
    run->info.started_unix_ns = 1;
    run->info.finished_unix_ns = 2;
    run->sweeps[0].sweep.search.strategy = "exhaustive";
    run->sweeps[0].sweep.script_hash = "one";
    fixture_axis(run, "n", true, true);
    fixture_problem(run, (const int64_t[]){1});
    fixture_problem(run, (const int64_t[]){2});
    fixture_point(run, 0, NULL, 100e-6 * scale);
    fixture_point(run, 1, NULL, 1e-3 * scale);
    rft_load *idle = rft_arena_calloc(run->arena, 1, sizeof *idle);
    *idle = rft_load_none(RFT_LOAD_IDLE, NULL);
    idle->source = "power sensor";
    idle->power_w = 80.0 * scale;
    run->idle = idle;
    for (size_t i = 0; i < run->point_count && joules > 0.0; i++) {
        rft_load *load = rft_arena_calloc(run->arena, 1, sizeof *load);
        *load = rft_load_none(RFT_LOAD_ENERGY, NULL);
        load->source = "energy counter";
        load->joules_per_run = joules * (i ? 10.0 : 1.0);
        load->uncertainty_frac = 0.03;
        run->points[i].loads[RFT_LOAD_ENERGY] = load;
    }
    return run;
}

#define ITEMS(a, b)                                                                                                    \
    "{\"name\":\"m\",\"items\":[{\"operation\":\"synthetic\",\"problem\":{\"n\":1},\"count\":" a "},"                  \
    "{\"operation\":\"synthetic\",\"problem\":{\"n\":2},\"count\":" b "}]"
#define PRICES(years, kwh, u, pue, host, watts, a, b)                                                                  \
    ",\"prices\":{\"currency\":\"EUR\",\"date\":\"2026\"," years "\"kwh\":" kwh ",\"utilisation\":" u ",\"pue\":" pue  \
    ",\"host\":{\"price\":" host ",\"watts\":" watts "},\"devices\":{\"A\":" a b "}}}"

typedef struct pair {
    rft_run *runs[2];
    rft_arena *arena;
    rft_compare_mixes *mixes;
    const rft_break_even *even;
} pair;

static pair compared(rft_run *a, rft_run *b, const char *json) {
    pair p = {.runs = {a, b}, .arena = rft_arena_new()};
    rft_err err = RFT_ERR_INIT;
    rft_compare *compare = NULL;
    rft_mix_book *book = rft_mix_book_new(p.arena);
    const rft_compare_input inputs[2] = {{.run = a, .path = "a.db"}, {.run = b, .path = "b.db"}};
    if (rft_mix_book_add(book, json, "m.lua", p.arena, &err) != 0 ||
        rft_compare_runs(&compare, inputs, 2, p.arena, &err) != 0 ||
        rft_compare_mixes_of(&p.mixes, compare, book, p.arena, &err) != 0) {
        fail_msg("%s", err.message);
    }
    p.even = &p.mixes->items[0].sides[1].even;
    return p;
}

static void end(pair *p) {
    rft_run_free(p->runs[0]);
    rft_run_free(p->runs[1]);
    rft_arena_free(p->arena);
}

/* Without energy: (32,000 + 4,000) / 1.25 - 4,000 = 24,800, whatever the years. */
static void prices_alone(void **state) {
    (void)state;
    const char *years[] = {ITEMS("1", "1") PRICES("", "0.3", "1", "1", "4000", "1", "32000", ",\"B\":20000"),
                           ITEMS("1", "1")
                               PRICES("\"years\":7,", "0.3", "1", "1", "4000", "1", "32000", ",\"B\":20000")};
    for (size_t i = 0; i < 2; i++) {
        pair p = compared(side("A", 1.0, 0.0), side("B", 1.25, 0.0), years[i]);
        assert_null(p.even->missing);
        assert_non_null(strstr(p.even->no_energy, "energy was not measured"));
        assert_true(near(p.even->price, 24800, 1e-9));
        assert_true(p.even->low < 24800 && p.even->high > 24800 && p.even->low > 22000 && p.even->high < 28000);
        assert_int_equal(p.even->decision, RFT_BREAK_EVEN_WINS);
        for (size_t f = 0; f < p.even->flip_count; f++) { /* what has no part in it is not told of */
            assert_null(strstr(p.even->flips[f].what, "energy"));
            assert_string_not_equal(p.even->flips[f].what, "years of use");
        }
        end(&p);
    }
}

/* The ends of the interval of one time alone are where the price is with that time. */
static void the_interval_follows_the_times(void **state) {
    (void)state;
    pair p = compared(side("A", 1.0, 0.0), side("B", 1.25, 0.0),
                      ITEMS("1", "1") PRICES("", "0.3", "1", "1", "4000", "1", "32000", ""));
    const rft_compare_mix_side *sides = p.mixes->items[0].sides;
    rft_stats a = rft_stats_of(NULL, 0), b = a;
    a.median = a.low = a.high = sides[0].total->time_s.value;
    b.median = sides[1].total->time_s.value;
    b.low = b.median * 0.95;
    b.high = b.median * 1.10;
    a.interval_is_95 = b.interval_is_95 = true;
    rft_break_even even = rft_break_even_of(&(rft_break_even_side){sides[0].total, a},
                                            &(rft_break_even_side){sides[1].total, b}, NULL, p.arena);
    assert_true(near(even.high, 36000 / (1.25 * 0.95) - 4000, 1e-9));
    assert_true(near(even.low, 36000 / (1.25 * 1.10) - 4000, 1e-9));
    assert_int_equal(even.decision, RFT_BREAK_EVEN_NONE); /* B has no price */
    assert_true(isnan(even.given_price));
    b.interval_is_95 = false;
    even = rft_break_even_of(&(rft_break_even_side){sides[0].total, a}, &(rft_break_even_side){sides[1].total, b}, NULL,
                             p.arena);
    assert_true(isnan(even.low) && isnan(even.high) && even.no_interval && near(even.price, 24800, 1e-9));
    end(&p);
}

static double apart(const rft_break_even_flip *flip, const char *json) {
    pair p = compared(side("A", 1.0, 0.03), side("B", 1.25, 0.06), json);
    const rft_compare_mix_side *sides = p.mixes->items[0].sides;
    double a = sides[0].total->cost.value, b = sides[1].total->cost.value;
    assert_false(isnan(a) || isnan(b));
    assert_true(flip->low < flip->at && flip->at < flip->high);
    end(&p);
    return fabs(a / b - 1.0);
}

#define BASE PRICES("\"years\":4,", "0.3", "0.6", "1.3", "4000", "200", "32000", ",\"B\":23000")

/* Every value that is told, put into the mix: both cost the same. */
static void equal_where_it_says(void **state) {
    (void)state;
    char json[700];
    pair p = compared(side("A", 1.0, 0.03), side("B", 1.25, 0.06), ITEMS("40", "10") BASE);
    assert_null(p.even->missing);
    assert_null(p.even->no_energy);
    const rft_break_even_flip price = {.at = p.even->price, .low = p.even->low, .high = p.even->high};
    snprintf(
        json, sizeof json, "%s%.17g}}}",
        ITEMS("40", "10") ",\"prices\":{\"currency\":\"EUR\",\"date\":\"2026\",\"years\":4,\"kwh\":0.3,\"utilisation\":"
                          "0.6,\"pue\":1.3,\"host\":{\"price\":4000,\"watts\":200},\"devices\":{\"A\":32000,\"B\":",
        p.even->price);
    assert_true(apart(&price, json) < 1e-9);
    size_t told = 0;
    for (size_t i = 0; i < p.even->flip_count; i++) {
        const rft_break_even_flip *f = &p.even->flips[i];
        double v = f->at;
        bool u = strcmp(f->what, "utilisation") == 0, kwh = strcmp(f->what, "price of energy") == 0,
             pue = strcmp(f->what, "PUE") == 0, host = strcmp(f->what, "host's price") == 0,
             watts = strcmp(f->what, "host's power") == 0, years = strcmp(f->what, "years of use") == 0,
             a = strcmp(f->what, "price of the other card") == 0, one = strcmp(f->what, "count of synthetic n=1") == 0,
             two = strcmp(f->what, "count of synthetic n=2") == 0;
        assert_int_equal(u + kwh + pue + host + watts + years + a + one + two, 1);
        snprintf(
            json, sizeof json,
            "{\"name\":\"m\",\"items\":[{\"operation\":\"synthetic\",\"problem\":{\"n\":1},\"count\":%.17g},"
            "{\"operation\":\"synthetic\",\"problem\":{\"n\":2},\"count\":%.17g}],\"prices\":{\"currency\":\"EUR\","
            "\"date\":\"2026\",\"years\":%.17g,\"kwh\":%.17g,\"utilisation\":%.17g,\"pue\":%.17g,\"host\":{\"price\":"
            "%.17g,\"watts\":%.17g},\"devices\":{\"A\":%.17g,\"B\":23000}}}",
            one ? v : 40, two ? v : 10, years ? v : 4, kwh ? v : 0.3, u ? v : 0.6, pue ? v : 1.3, host ? v : 4000,
            watts ? v : 200, a ? v : 32000);
        if (apart(f, json) > 1e-9) {
            fail_msg("%s: %.17g does not make both cost the same", f->what, v);
        }
        told++;
        double before = i ? fabs(log(f[-1].at / f[-1].now)) : 0.0;
        assert_true(before <= fabs(log(f->at / f->now)) + 1e-12); /* the smallest change first */
    }
    assert_true(told >= 3);
    end(&p);
}

static void who_wins(void **state) {
    (void)state;
    static const struct {
        const char *price;
        rft_break_even_decision decision;
    } cases[] = {{",\"B\":20000", RFT_BREAK_EVEN_WINS},
                 {",\"B\":30000", RFT_BREAK_EVEN_LOSES},
                 {",\"B\":24810", RFT_BREAK_EVEN_OPEN},
                 {"", RFT_BREAK_EVEN_NONE}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char json[700];
        snprintf(json, sizeof json,
                 ITEMS("1", "1") ",\"prices\":{\"currency\":\"EUR\",\"date\":\"2026\",\"host\":{\"price\":4000},"
                                 "\"devices\":{\"A\":32000%s}}}",
                 cases[i].price);
        pair p = compared(side("A", 1.0, 0.0), side("B", 1.25, 0.0), json);
        assert_int_equal(p.even->decision, cases[i].decision);
        assert_true((p.even->flip_count > 0) ==
                    (cases[i].decision == RFT_BREAK_EVEN_WINS || cases[i].decision == RFT_BREAK_EVEN_LOSES));
        assert_non_null(p.mixes->items[0].sides[0].even.missing);
        end(&p);
    }
}

/* Its energy alone costs more than all of A; a mix that does not fit; the first without a price; a doubt. */
static void what_is_not_told(void **state) {
    (void)state;
    pair p = compared(side("A", 1.0, 0.03), side("B", 1.25, 60.0), ITEMS("40", "10") BASE);
    assert_true(p.even->price < 0.0 && p.even->high < 0.0);
    assert_int_equal(p.even->decision, RFT_BREAK_EVEN_LOSES);
    end(&p);
    p = compared(side("A", 1.0, 0.03), side("B", 1.25, 0.06),
                 ITEMS("40", "10") ",\"memory\":{\"weights\":100e9},\"prices\":{\"currency\":\"EUR\",\"date\":\"2026\","
                                   "\"devices\":{\"A\":1}}}");
    assert_string_equal(p.even->missing, "on A the workload does not fit on 1 card, 2 would hold it");
    end(&p);
    p = compared(side("A", 1.0, 0.03), side("B", 1.25, 0.06),
                 ITEMS("40", "10") ",\"prices\":{\"currency\":\"EUR\",\"date\":\"2026\",\"devices\":{\"B\":1}}}");
    assert_string_equal(p.even->missing, "no price of the first card is given");
    end(&p);
    rft_run *b = side("B", 1.25, 0.06);
    b->sweeps[0].unexplored = "budget of 1";
    b->info.finished_unix_ns = 0;
    p = compared(side("A", 1.0, 0.03), b, ITEMS("40", "10") BASE);
    assert_int_equal(p.even->decision, RFT_BREAK_EVEN_NONE);
    assert_non_null(p.even->doubt);
    assert_true(isfinite(p.even->price) && p.even->flip_count == 0);
    end(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prices_alone),        cmocka_unit_test(the_interval_follows_the_times),
        cmocka_unit_test(equal_where_it_says), cmocka_unit_test(who_wins),
        cmocka_unit_test(what_is_not_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
