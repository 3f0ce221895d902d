/* SPDX-License-Identifier: Apache-2.0 */
/* A mix: sums worked out by hand, how intervals add, what is missing and why. */
#include "model_fixture.h"

#include "model/mix/mix_total.h"
#include "model/run/baseline.h"
#include "model/stats/error_sum.h"
#include "model/sweep/names.h"

#include <stdio.h>

/* One operation of 10 us on n = 1024, one of 40 us on n = 4096, and the odd problem. */
static rft_run *two_problems(void) {
    rft_run *run = fixture_run();
    run->gpu.name = "NVIDIA H200";
    run->gpu.uuid = "GPU-1";
    run->info.id = "0123456789ab";
    fixture_axis(run, "n", true, true);
    fixture_axis(run, "k", false, false);
    fixture_problem(run, (const int64_t[]){1024, 8});
    fixture_problem(run, (const int64_t[]){4096, 8});
    fixture_problem(run, (const int64_t[]){1027, 8});
    run->sweeps[0].sweep.problems[2].odd = true;
    run->sweeps[0].sweep.variants[0].kernel = "plain_kernel";
    fixture_point(run, 0, NULL, 10e-6);
    fixture_point(run, 0, NULL, 12e-6);
    fixture_point(run, 1, NULL, 40e-6);
    fixture_point(run, 2, NULL, 1e-6);
    return run;
}

static void give_joules(rft_run *run, size_t point, double joules, double uncertainty_frac) {
    rft_load *load = rft_arena_calloc(run->arena, 1, sizeof *load);
    *load = rft_load_none(RFT_LOAD_ENERGY, NULL);
    load->source = "energy counter";
    load->joules_per_run = joules;
    load->uncertainty_frac = uncertainty_frac;
    run->points[point].loads[RFT_LOAD_ENERGY] = load;
}

#define ITEM(name, axis, value, count)                                                                                 \
    "{\"operation\":\"" name "\",\"problem\":{\"" axis "\":" value "},\"count\":" count "}"
#define MIX(items, more) "{\"name\":\"decode\",\"unit\":\"token\",\"per\":32,\"items\":[" items "]" more "}"
#define PRICES                                                                                                         \
    ",\"prices\":{\"currency\":\"EUR\",\"date\":\"2026-11\",\"years\":4,\"kwh\":0.3,"                                  \
    "\"devices\":{\"NVIDIA H200\":35064,\"GPU-2\":1}}"

static const rft_mix_total *total_of(rft_run *run, const char *json) {
    rft_err err = RFT_ERR_INIT;
    rft_mix_book *book = rft_mix_book_new(run->arena);
    rft_mix_total *total = NULL;
    if (rft_mix_book_add(book, json, "x.lua", run->arena, &err) != RFT_OK) {
        fail_msg("%s: %s", err.place, err.message);
    }
    assert_int_equal(book->mix_count, 1);
    assert_int_equal(rft_mix_total_of(&total, &book->mixes[0], book, (const rft_run *[]){run}, 1, run->arena, &err), 0);
    return total;
}

static void has_text(const char *text, const char *part) {
    if (!text || !strstr(text, part)) {
        fail_msg("\"%s\" lacks \"%s\"", text ? text : "NULL", part);
    }
}

/* 160 x 10 us + 2 x 40 us = 1.68 ms for 32 tokens; 160 x 2 mJ + 2 x 30 mJ = 0.38 J. */
static double alike(double a, double b) {
    return sqrt(a * a + b * b + 2 * RFT_ERROR_CORRELATION * a * b);
}

static void sums_by_hand(void **state) {
    (void)state;
    rft_run *run = two_problems();
    give_joules(run, 0, 2e-3, 0.01);
    give_joules(run, 2, 30e-3, 0.10);
    const rft_mix_total *t =
        total_of(run, MIX(ITEM("synthetic", "n", "1024", "160") "," ITEM("plain_kernel", "n", "4096", "2"), PRICES));
    assert_int_equal(t->missing_count, 0);
    assert_true(near(t->time_s.value, 1.68e-3, 1e-9));
    assert_true(near(t->units_s.value, 32 / 1.68e-3, 1e-9));
    assert_true(near(t->joules.value, 0.38, 1e-9));
    assert_true(near(t->units_j.value, 32 / 0.38, 1e-9));
    /* 35,064 EUR over 4 years of 8,766 h are 1 EUR an hour: 1e6 tokens take 31,250 passes of 1.68 ms. */
    assert_true(near(t->card_cost.value, 31250 * 1.68e-3 / 3600, 1e-9));
    assert_true(near(t->energy_cost.value, 31250 * 0.38 / 3.6e6 * 0.3, 1e-9));
    assert_true(near(t->cost.value, t->card_cost.value + t->energy_cost.value, 1e-12));
    assert_true(near(t->lines[0].time_s, 1.6e-3, 1e-9) && near(t->lines[0].frac, 1.6 / 1.68, 1e-9));
    assert_string_equal(t->lines[1].problem, "n=4096 k=8");
    assert_string_equal(t->lines[0].source, "template");
    /* Intervals: errors of two operations agree by RFT_ERROR_CORRELATION; below and above apart. */
    const rft_stats *a = &t->lines[0].measurement->stats, *b = &t->lines[1].measurement->stats;
    assert_true(
        near(t->time_s.value - t->time_s.low, alike(160 * (a->median - a->low), 2 * (b->median - b->low)), 1e-9));
    assert_true(
        near(t->time_s.high - t->time_s.value, alike(160 * (a->high - a->median), 2 * (b->high - b->median)), 1e-9));
    assert_true(near(t->units_s.low, 32 / t->time_s.high, 1e-12));
    assert_true(near(t->joules.high - t->joules.value, alike(0.32 * 0.01, 0.06 * 0.10), 1e-9));
    rft_run_free(run);
}

/* The same measurement twice has the same error twice: half widths add, not their squares. */
static void one_measurement_twice(void **state) {
    (void)state;
    rft_run *run = two_problems();
    const rft_mix_total *once = total_of(run, MIX(ITEM("synthetic", "n", "1024", "7"), ""));
    const rft_mix_total *twice =
        total_of(run, MIX(ITEM("synthetic", "n", "1024", "3") "," ITEM("plain_kernel", "n", "1024", "4"), ""));
    assert_true(near(twice->time_s.value, once->time_s.value, 1e-12));
    assert_true(near(twice->time_s.low, once->time_s.low, 1e-12));
    assert_true(near(twice->time_s.high, once->time_s.high, 1e-12));
    assert_true(once->time_s.low < once->time_s.value);
    assert_int_equal(twice->operation_count, 2);
    rft_run_free(run);
}

static void what_is_missing(void **state) {
    (void)state;
    static const struct {
        const char *item, *reason;
    } cases[] = {
        {ITEM("synthetik", "n", "1024", "1"), "no sweep or kernel of that name, did you mean \"synthetic\"?"},
        {ITEM("synthetic", "q", "1", "1"), "synthetic has no dimension \"q\" but n, k"},
        {ITEM("synthetic", "n", "2048", "1"), "synthetic was measured with n = 1024, 4096"},
        {ITEM("synthetic", "n", "1027", "1"), "synthetic was measured with n = 1024, 4096"}, /* the odd one is not */
        {ITEM("synthetic", "n", "\"1024\"", "1"), "n = 1024, 4096"},
        {ITEM("synthetic", "k", "8", "1"), "2 problems of synthetic match: give n too"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rft_run *run = two_problems();
        char json[600];
        snprintf(json, sizeof json, MIX("%s," ITEM("synthetic", "n", "1024", "1"), PRICES), cases[i].item);
        const rft_mix_total *t = total_of(run, json);
        assert_int_equal(t->missing_count, 1);
        has_text(t->lines[0].missing, cases[i].reason);
        assert_null(t->lines[1].missing);
        assert_true(near(t->lines[1].time_s, 10e-6, 1e-9));
        assert_true(isnan(t->time_s.value) && isnan(t->units_s.value) && isnan(t->cost.value));
        assert_true(isnan(t->card_cost.value) && isnan(t->joules.value));
        assert_string_equal(t->time_s.missing, "1 of 2 operations have no time");
        assert_int_equal(t->operation_count + t->bound_count, 0);
        rft_mix_fact facts[RFT_MIX_FACTS];
        assert_int_equal(rft_mix_facts(t, run->arena, facts), 1);
        assert_string_equal(facts[0].value, "none");
        rft_run_free(run);
    }
}

/* A bid's price does not rest on a time that no card can have: 480 MB take 100 us at least. */
static void impossible_times_are_missing(void **state) {
    (void)state;
    rft_run *run = two_problems();
    run->points[0].work.bytes_read = 480e6;
    run->ceilings.items[RFT_CEILING_DRAM_READ].limit = 4.8e12;
    const rft_mix_total *t = total_of(run, MIX(ITEM("synthetic", "n", "1024", "1"), PRICES));
    has_text(t->lines[0].missing, "faster than the hardware can be");
    assert_true(t->lines[0].impossible && isnan(t->time_s.value) && isnan(t->card_cost.value));
    run->points[0].work.bytes_read = 48e6;
    t = total_of(run, MIX(ITEM("synthetic", "n", "1024", "1"), PRICES));
    assert_true(!t->lines[0].impossible && near(t->time_s.value, 10e-6, 1e-9));
    rft_run_free(run);
}

static void nothing_verified(void **state) {
    (void)state;
    rft_run *run = two_problems();
    run->points[2].outcome = RFT_OUTCOME_WRONG_RESULT;
    run->points[2].rounds[0] = rft_measurement_none();
    const rft_mix_total *t = total_of(run, MIX(ITEM("synthetic", "n", "4096", "1"), ""));
    has_text(t->lines[0].missing, "no configuration of it gave a verified measurement");
    rft_run_free(run);
}

static void nulls_have_reasons(void **state) {
    (void)state;
    rft_run *run = two_problems();
    give_joules(run, 0, 2e-3, 0.01);
#define BOTH ITEM("synthetic", "n", "1024", "1") "," ITEM("synthetic", "n", "4096", "1")
    const rft_mix_total *t = total_of(run, MIX(BOTH, ""));
    assert_true(near(t->time_s.value, 50e-6, 1e-9) && isnan(t->joules.value) && isnan(t->units_j.value));
    has_text(t->joules.missing, "synthetic n=4096 k=8: its energy was not measured");
    has_text(t->card_cost.missing, "no price of the device");
    has_text(t->energy_cost.missing, "kwh");
    assert_true(near(t->lines[0].joules, 2e-3, 1e-9));
    t = total_of(run, MIX(BOTH, ",\"prices\":{\"currency\":\"EUR\",\"date\":\"2026\",\"devices\":{\"NVIDIA H20\":1}}"));
    has_text(t->card_cost.missing, "no price of \"NVIDIA H200\" is given, but of \"NVIDIA H20\"");
    t = total_of(run, MIX(BOTH, ",\"prices\":{\"currency\":\"EUR\",\"date\":\"2026\",\"devices\":{\"GPU-1\":1}}"));
    has_text(t->card_cost.missing, "years");
    t = total_of(run, MIX(BOTH, PRICES));
    assert_true(isfinite(t->card_cost.value) && isnan(t->energy_cost.value) && isnan(t->cost.value));
    has_text(t->cost.missing, "its energy was not measured");
    run->points[2].rounds[0].stats.interval_is_95 = false;
    t = total_of(run, MIX(BOTH, ""));
    assert_true(isfinite(t->time_s.value) && isnan(t->time_s.low) && isnan(t->units_s.high));
    has_text(t->time_s.no_interval, "too few samples");
    rft_run_free(run);
}

/* Twice as fast on 1024, slower on 4096: the library's time counts on the first alone, and its energy is not known. */
static void the_better_of_template_and_library(void **state) {
    (void)state;
    rft_run *run = two_problems();
    for (size_t problem = 0; problem < 2; problem++) {
        rft_baseline vendor = rft_baseline_none(run->arena, 0, problem, "cuBLASLt", RFT_BASELINE_BEST);
        vendor.outcome = RFT_OUTCOME_OK;
        vendor.same_protocol = true;
        vendor.tried = 8;
        vendor.measurement = fixture_measurement(run, problem ? 50e-6 : 5e-6);
        rft_run_put_baseline(run, &vendor);
    }
    rft_baseline other = rft_baseline_none(run->arena, 0, 0, "torch", RFT_BASELINE_GIVEN);
    other.outcome = RFT_OUTCOME_OK;
    other.measurement.stats.median = 1e-6; /* another protocol */
    rft_run_put_baseline(run, &other);
    give_joules(run, 0, 2e-3, 0.01);
    give_joules(run, 2, 2e-3, 0.01);
    const rft_mix_total *t = total_of(run, MIX(BOTH, ""));
    assert_true(near(t->time_s.value, 45e-6, 1e-9));
    assert_true(t->lines[0].by_vendor && !t->lines[1].by_vendor);
    has_text(t->lines[0].source, "cuBLASLt, best of 8");
    assert_string_equal(t->lines[0].bound_name, "library, not judged");
    has_text(t->joules.missing, "the library's energy was not measured");
    assert_true(near(t->lines[1].frac, 40.0 / 45.0, 1e-9));
    rft_run_free(run);
}

static void fastest_of_several_runs(void **state) {
    (void)state;
    rft_run *slow = two_problems(), *fast = two_problems(), *other = two_problems();
    rft_err err = RFT_ERR_INIT;
    rft_mix_book *book = rft_mix_book_new(slow->arena);
    rft_mix_total *t = NULL;
    fast->points[0].rounds[0] = fixture_measurement(fast, 9e-6);
    fast->gpu.uuid = "GPU-2";
    assert_int_equal(rft_mix_book_add(book, MIX(ITEM("synthetic", "n", "1024", "1"), PRICES), "x", slow->arena, &err),
                     0);
    const rft_run *runs[] = {slow, fast};
    assert_int_equal(rft_mix_total_of(&t, &book->mixes[0], book, runs, 2, slow->arena, &err), 0);
    assert_true(t->lines[0].run == fast && near(t->time_s.value, 9e-6, 1e-9));
    assert_true(t->price->amount == 35064); /* the first run's card, by its name */
    has_text(t->notes[t->note_count - 1], "not all on the same card");
    assert_int_equal(rft_mix_total_of(&t, &book->mixes[0], book, &runs[1], 1, slow->arena, &err), 0);
    assert_true(t->price->amount == 1); /* by its UUID, which goes before the name */
    other->gpu.name = "NVIDIA A100";
    runs[1] = other;
    assert_int_equal(rft_mix_total_of(&t, &book->mixes[0], book, runs, 2, slow->arena, &err), RFT_E_USAGE);
    has_text(err.message, "NVIDIA H200 and NVIDIA A100");
    rft_run_free(slow);
    rft_run_free(fast);
    rft_run_free(other);
}

static void files_together(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    rft_err err = RFT_ERR_INIT;
    rft_mix_book *book = rft_mix_book_new(arena);
    const char *prices = "{\"items\":{}" PRICES ",\"names\":{\"GPU-1\":\"rack 3\"},\"remarks\":[\"a\",\"b\"]}";
    const char *later = "[{\"items\":{},\"prices\":{\"currency\":\"EUR\",\"date\":\"2027\",\"devices\":{\"GPU-2\":9}}},"
                        "{\"items\":{},\"remarks\":[\"c\"]}]";
    assert_int_equal(rft_mix_book_add(book, prices, "a", arena, &err), 0);
    assert_int_equal(rft_mix_book_add(book, later, "b", arena, &err), 0);
    assert_int_equal(book->mix_count, 0);
    assert_int_equal(book->price_count, 2);
    assert_int_equal(book->remark_count, 3);
    assert_true(book->kwh == 0.3 && book->years == 4);
    rft_gpu_info gpu = {.name = "NVIDIA H200", .uuid = "GPU-2"};
    assert_true(rft_mix_price_of(book, &gpu)->amount == 9);
    assert_string_equal(rft_mix_price_of(book, &gpu)->date, "2027");
    assert_null(rft_mix_name_of(book, &gpu));
    gpu.uuid = "GPU-1";
    assert_string_equal(rft_mix_name_of(book, &gpu), "rack 3");
    gpu.name = gpu.uuid = "";
    assert_null(rft_mix_price_of(book, &gpu));
    const char *dollars = "{\"items\":{},\"prices\":{\"currency\":\"USD\",\"date\":\"2026\",\"kwh\":1}}";
    assert_int_equal(rft_mix_book_add(book, dollars, "c", arena, &err), RFT_E_SCRIPT);
    has_text(err.message, "USD here, in EUR");
    static const char *const none[] = {
        "{}", "[]", "[1]", "{\"items\":7}", "{\"items\":[{}],\"name\":\"x\"}", "{\"name\":\"x\"}"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        assert_int_equal(rft_mix_book_add(rft_mix_book_new(arena), none[i], "c", arena, &err), RFT_E_SCRIPT);
        has_text(err.message, "does not return a mix");
        has_text(err.remedy, "return mix");
    }
    rft_arena_free(arena);
}

static void in_words(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    assert_string_equal(rft_mix_number_text(1502.4, arena), "1,502");
    assert_string_equal(rft_mix_number_text(999.4, arena), "999");
    assert_string_equal(rft_mix_number_text(12.345, arena), "12.3");
    assert_string_equal(rft_mix_number_text(1.0, arena), "1.00");
    assert_string_equal(rft_mix_number_text(0.00123456, arena), "0.00123");
    assert_string_equal(rft_mix_number_text(NAN, arena), "n/a");
    assert_string_equal(rft_mix_exact_text(32000, arena), "32,000");
    assert_string_equal(rft_mix_exact_text(0.5, arena), "0.5");
    rft_arena_free(arena);
}

static void give_idle(rft_run *run, double watts) {
    rft_load *idle = rft_arena_calloc(run->arena, 1, sizeof *idle);
    *idle = rft_load_none(RFT_LOAD_IDLE, NULL);
    idle->source = "power sensor";
    idle->power_w = watts;
    run->idle = idle;
}

#define ASSUMED                                                                                                        \
    ",\"cards\":2,\"prices\":{\"currency\":\"EUR\",\"date\":\"2026-11\",\"years\":4,\"kwh\":0.36,\"utilisation\":0.5," \
    "\"pue\":1.5,\"host\":{\"price\":35064,\"watts\":300},\"devices\":{\"NVIDIA H200\":35064}}"

/* A pass takes 1 s, and 400 J on each of two cards. Of a card's and its host's 2 EUR an hour half is spent waiting: 8
 * EUR an hour for both cards at work. Energy: 800 J, 2 x 300 W x 2 s, 2 x 100 W x 1 s = 2,200 J at 1.5 x 0.36 / 3.6e6.
 */
static void costs_by_hand(void **state) {
    (void)state;
    rft_run *run = two_problems();
    give_joules(run, 0, 4e-3, 0.01);
    const rft_mix_total *t = total_of(run, MIX(ITEM("synthetic", "n", "1024", "100000"), ASSUMED));
    assert_non_null(strstr(t->energy_cost.missing, "while it waits was not measured"));
    assert_true(near(t->joules.value, 800.0, 1e-9));
    give_idle(run, 100.0);
    t = total_of(run, MIX(ITEM("synthetic", "n", "1024", "100000"), ASSUMED));
    double passes = 1e6 / 32;
    assert_true(near(t->card_cost.value, passes * 8.0 / 3600, 1e-9));
    assert_true(near(t->energy_cost.value, passes * 2200 * 1.5 * 0.36 / 3.6e6, 1e-9));
    assert_true(near(t->cost.value, t->card_cost.value + t->energy_cost.value, 1e-12));
    /* What follows from the time is wrong by as much on both sides of the sum. */
    double by_time = t->card_cost.value + passes * 1400 * 1.5 * 0.36 / 3.6e6, by_joules = passes * 800 * 0.54 / 3.6e6;
    double late = t->time_s.high / t->time_s.value - 1.0, hot = t->joules.high / t->joules.value - 1.0;
    assert_true(near(t->cost.high - t->cost.value, hypot(by_time * late, by_joules * hot), 1e-6));
    rft_mix_fact facts[RFT_MIX_FACTS];
    size_t count = rft_mix_facts(t, run->arena, facts);
    assert_int_equal(count, 7);
    assert_string_equal(facts[5].label, "of it device and host");
    has_text(facts[5].note, "35,064 EUR (2026-11) of its host over 4 years, 50 % of them at work");
    has_text(facts[6].note, "300 W of its host, 100 W idle, PUE 1.5");
    rft_run_free(run);
}

/* 150 GB of weights and 10 GB of cache on cards of 80 GB. */
static void room(void **state) {
    (void)state;
    static const struct {
        const char *cards;
        int64_t card_bytes;
        const char *value, *note;
    } cases[] = {
        {",\"cards\":1", 80000000000, "does not fit",
         "160 GB of 80.0 GB, 2 would hold it (weights 150 GB, cache 10.0 GB)"},
        {",\"cards\":2", 80000000000, "fits", "80.0 GB of 80.0 GB on each of 2 cards (weights"},
        {",\"cards\":2", 79999999999, "does not fit", "on each of 2 cards, 3 would hold it"},
        {"", 0, "n/a", "the memory of the device was not recorded"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rft_run *run = two_problems();
        run->gpu.memory_bytes = cases[i].card_bytes;
        char json[400];
        snprintf(json, sizeof json,
                 MIX(ITEM("synthetic", "n", "1024", "1"), ",\"memory\":{\"weights\":150e9,\"cache\":10e9}%s"),
                 cases[i].cards);
        const rft_mix_total *t = total_of(run, json);
        rft_mix_fact facts[RFT_MIX_FACTS];
        size_t count = rft_mix_facts(t, run->arena, facts);
        if (i == 3) { /* what is not known of the card is no claim */
            assert_true(t->room.missing && count == 6 && !t->room.fits);
        }
        assert_string_equal(facts[count - 1].label, "memory");
        assert_string_equal(facts[count - 1].value, cases[i].value);
        has_text(facts[count - 1].note, cases[i].note);
        rft_run_free(run);
    }
}

/* A file from elsewhere may not make lists that take for ever. */
static void long_lists(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    rft_err err = RFT_ERR_INIT;
    rft_str json = RFT_STR_INIT;
    rft_str_add(&json, "{\"items\":{},\"names\":{");
    for (int i = 0; i <= RFT_MIX_LIST_MOST; i++) {
        rft_str_addf(&json, "%s\"c%d\":\"x\"", i ? "," : "", i);
    }
    rft_str_add(&json, "}}");
    assert_int_equal(rft_mix_book_add(rft_mix_book_new(arena), rft_str_get(&json), "m.lua", arena, &err), RFT_E_SCRIPT);
    for (int most = RFT_MIX_ALL_MOST; most <= RFT_MIX_ALL_MOST + 1; most++) {
        rft_str_truncate(&json, 0);
        for (int i = 0; i < most; i++) {
            bool first = i % RFT_MIX_LIST_MOST == 0;
            rft_str_addf(&json, "%s%s{\"operation\":\"o\",\"problem\":{},\"count\":1}",
                         i == 0  ? "["
                         : first ? "]},"
                                 : ",",
                         first ? "{\"name\":\"m\",\"items\":[" : "");
        }
        rft_str_add(&json, "]}]");
        assert_int_equal(rft_mix_book_add(rft_mix_book_new(arena), rft_str_get(&json), "m.lua", arena, &err),
                         most > RFT_MIX_ALL_MOST ? RFT_E_SCRIPT : RFT_OK);
    }
    for (size_t most = RFT_AXES_MAX; most <= RFT_AXES_MAX + 1; most++) {
        rft_str_truncate(&json, 0);
        rft_str_add(&json, "{\"name\":\"m\",\"items\":[{\"operation\":\"x\",\"count\":1,\"problem\":{");
        for (size_t i = 0; i < most; i++) {
            rft_str_addf(&json, "%s\"a%zu\":1", i ? "," : "", i);
        }
        rft_str_add(&json, "}}]}");
        assert_int_equal(rft_mix_book_add(rft_mix_book_new(arena), rft_str_get(&json), "m.lua", arena, &err),
                         most > RFT_AXES_MAX ? RFT_E_SCRIPT : RFT_OK);
    }
    rft_str_clear(&json);
    rft_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_by_hand),
        cmocka_unit_test(one_measurement_twice),
        cmocka_unit_test(what_is_missing),
        cmocka_unit_test(impossible_times_are_missing),
        cmocka_unit_test(nothing_verified),
        cmocka_unit_test(nulls_have_reasons),
        cmocka_unit_test(the_better_of_template_and_library),
        cmocka_unit_test(fastest_of_several_runs),
        cmocka_unit_test(files_together),
        cmocka_unit_test(in_words),
        cmocka_unit_test(costs_by_hand),
        cmocka_unit_test(room),
        cmocka_unit_test(long_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
