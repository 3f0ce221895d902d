/* SPDX-License-Identifier: Apache-2.0 */
/* The work of another tuner's file, by time and recorded rate: which names are rates, when it is known, and that
 * compare judges nothing else. All numbers are invented. */
#include "store/store_test.h"

#include "base/str.h"
#include "model/compare/compare.h"
#include "store/recording.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static rft_run *parsed(const char *text) {
    rft_run *run = NULL;
    rft_err err = RFT_ERR_INIT;
    if (rft_recording_parse(&run, text, strlen(text), "made.json", &err) != 0) {
        fail_msg("%s: %s", text, err.message);
    }
    return run;
}

/* A cache of `count` configurations. A third of the runs of each are least, middle and most; `rate` is behind them. */
typedef struct times {
    double least, middle, most; /* ms */
} times;

typedef struct cache {
    const char *device;
    size_t count;
    double scale; /* of the times */
    const char *(*rate)(size_t index, const times *t);
    double (*time)(const times *t); /* that is told of the samples; NULL: their mean */
} cache;

static double mean_of(const times *t) {
    return (t->least + t->middle + t->most) / 3.0;
}

static rft_run *made(const cache *of) {
    rft_str text = RFT_STR_INIT;
    rft_str_addf(&text, "{\"device_name\":\"%s\",\"kernel_name\":\"k\",\"tune_params_keys\":[\"x\"],\"cache\":{",
                 of->device);
    for (size_t i = 0; i < of->count; i++) {
        double middle = of->scale * (1.0 + 0.1 * (double)i);
        const times t = {middle * 0.99, middle, middle * (1.04 + 0.03 * (double)i)};
        const double runs[] = {t.least, t.middle, t.most};
        rft_str_addf(&text, "%s\"%zu\":{\"x\":%zu,\"time\":%.12g,\"times\":[", i ? "," : "", i, i,
                     of->time ? of->time(&t) : mean_of(&t));
        for (size_t k = 0; k < 12; k++) {
            rft_str_addf(&text, "%s%.12g", k ? "," : "", runs[k % 3]);
        }
        rft_str_addf(&text, "]%s}", of->rate(i, &t));
    }
    rft_str_add(&text, "}}");
    rft_run *run = parsed(rft_str_get(&text));
    rft_str_clear(&text);
    return run;
}

static const char *rate_text(const char *name, double rate) {
    static char text[80];
    snprintf(text, sizeof text, ",\"%s\":%.17g", name, rate);
    return text;
}

/* 11 MFLOP by the mean, the median or the least of the runs. */
static const char *by_mean(size_t index, const times *t) {
    (void)index;
    return rate_text("GFLOP/s", 11.0 / mean_of(t));
}
static const char *by_median(size_t index, const times *t) {
    (void)index;
    return rate_text("TFLOPS", 0.011 / t->middle);
}
static const char *by_least(size_t index, const times *t) {
    (void)index;
    return rate_text("MFLOPs/s", 11e3 / t->least);
}
static const char *in_bytes(size_t index, const times *t) {
    (void)index;
    return rate_text("GB/s", 11.0 / mean_of(t));
}
static const char *rounded(size_t index, const times *t) {
    (void)index;
    static char text[80];
    snprintf(text, sizeof text, ",\"GFLOP/s\":%.3g", 11.0 / mean_of(t));
    return text;
}
static const char *twice_by_mean(size_t index, const times *t) {
    (void)index;
    return rate_text("GFLOP/s", 22.0 / mean_of(t));
}
static const char *hardly_more(size_t index, const times *t) {
    (void)index;
    return rate_text("GFLOP/s", 11.0 * 1.007 / mean_of(t)); /* as with a border of 15 around 4,096 */
}
static const char *without_one(size_t index, const times *t) {
    return index == 1 ? "" : by_mean(index, t);
}
static const char *of_several_works(size_t index, const times *t) {
    return rate_text("GFLOP/s", (index == 2 ? 12.0 : 11.0) / mean_of(t));
}
static const char *none(size_t index, const times *t) {
    (void)index;
    (void)t;
    return "";
}

/* As in a file whose times were not averaged as its samples say. */
static double of_some_of_them(const times *t) {
    return (t->least + 3.0 * t->most) / 4.0;
}
static const char *by_its_own_time(size_t index, const times *t) {
    (void)index;
    return rate_text("GFLOP/s", 11.0 / of_some_of_them(t));
}

static void which_time_a_rate_is_of_is_found(void **state) {
    (void)state;
    static const struct {
        cache of;
        double flop, bytes, apart;
        const char *missing;
    } cases[] = {
        {{"D", 5, 1.0, by_mean, NULL}, 11e6, NAN, 1e-6, NULL},
        {{"D", 5, 1.0, by_median, NULL}, 11e6, NAN, 1e-6, NULL},
        {{"D", 5, 1.0, by_least, NULL}, 11e6, NAN, 1e-6, NULL},
        {{"D", 5, 1.0, by_its_own_time, of_some_of_them}, 11e6, NAN, 1e-6, NULL},
        {{"D", 5, 1.0, by_its_own_time, NULL},
         NAN,
         NAN,
         NAN,
         "time and recorded rate tell of works that differ by 2 %"},
        {{"D", 5, 1.0, in_bytes, NULL}, NAN, 11e6, 1e-6, NULL},
        {{"D", 5, 1.0, rounded, NULL}, 11e6, NAN, 0.005, NULL},
        {{"D", 5, 1.0, without_one, NULL}, NAN, NAN, NAN, "1 of 5 configurations have no rate"},
        {{"D", 5, 1.0, of_several_works, NULL},
         NAN,
         NAN,
         NAN,
         "time and recorded rate tell of works that differ by 8 %"},
        {{"D", 5, 1.0, none, NULL}, NAN, NAN, NAN, "no rate is recorded"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rft_arena *arena = rft_arena_new();
        rft_run *run = made(&cases[i].of);
        rft_foreign_work work = rft_foreign_work_of(run, 0, 0, arena);
        const rft_foreign_amount *known = isnan(cases[i].flop) ? &work.bytes : &work.flop;
        double expected = isnan(cases[i].flop) ? cases[i].bytes : cases[i].flop;
        assert_true(isnan(work.flop.amount) == isnan(cases[i].flop));
        assert_true(isnan(work.bytes.amount) == isnan(cases[i].bytes));
        if (cases[i].missing) {
            assert_string_equal(rft_foreign_work_missing(&work), cases[i].missing);
        } else {
            assert_null(rft_foreign_work_missing(&work));
            assert_true(known->apart_frac <= cases[i].apart);
            assert_true(fabs(known->amount / expected - 1.0) <= cases[i].apart + 1e-9);
        }
        rft_run_free(run);
        rft_arena_free(arena);
    }
}

/* Of whatever stands there only positive numbers under the name of a rate are taken; nothing else refuses the file. */
static void names_and_values_of_rates(void **state) {
    (void)state;
    static const struct {
        const char *member;
        double flop_s, bytes_s; /* 0: none */
    } cases[] = {
        {"\"GFLOP/s\":2", 2e9, 0},
        {"\"GFLOPS\":2", 2e9, 0},
        {"\"Tflops\":2", 2e12, 0},
        {"\"FLOP/s\":2", 2, 0},
        {"\"kB/s\":2", 0, 2e3},
        {"\"GiB/s\":1", 0, 1073741824.0},
        {"\"Mbytes/s\":2", 0, 2e6},
        {"\"GB/s\":2,\"GFLOP/s\":3", 3e9, 2e9},
        {"\"GFLOP/s\":2,\"TFLOP/s\":7", 2e9, 0}, /* the first */
        {"\"Gb/s\":2", 0, 0},                    /* bits */
        {"\"GFLOPS/W\":2", 0, 0},
        {"\"GFLOP\":2", 0, 0},
        {"\"xGB/s\":2", 0, 0},
        {"\"\":2", 0, 0},
        {"\"G\":2", 0, 0},
        {"\"GFLOP/s\":-2", 0, 0},
        {"\"GFLOP/s\":0", 0, 0},
        {"\"GFLOP/s\":1e300", 0, 0},
        {"\"EFLOP/s\":1e308", 0, 0}, /* infinite in FLOP/s */
        {"\"GFLOP/s\":1e-300", 1e-291, 0},
        {"\"GFLOP/s\":null", 0, 0},
        {"\"GFLOP/s\":true", 0, 0},
        {"\"GFLOP/s\":\"12\"", 0, 0},
        {"\"GFLOP/s\":[1]", 0, 0},
        {"\"GFLOP/s\":{}", 0, 0},
        {"\"GFLOP/s\":-1,\"TFLOP/s\":1", 1e12, 0}, /* the first that is one */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[300];
        snprintf(
            text, sizeof text,
            "{\"tune_params_keys\":[\"x\"],\"cache\":{\"1\":{\"x\":1,\"time\":1.0,%s},\"2\":{\"x\":2,\"time\":2}}}",
            cases[i].member);
        rft_run *run = parsed(text);
        const rft_measurement *m = &run->points[0].rounds[0];
        if (fabs((isnan(m->recorded_flop_s) ? 0 : m->recorded_flop_s) - cases[i].flop_s) > 1e-9 * cases[i].flop_s ||
            fabs((isnan(m->recorded_bytes_s) ? 0 : m->recorded_bytes_s) - cases[i].bytes_s) > 1e-9 * cases[i].bytes_s) {
            fail_msg("%s: %g FLOP/s, %g B/s", cases[i].member, m->recorded_flop_s, m->recorded_bytes_s);
        }
        rft_run_free(run);
    }
}

static const char *named(const char *member) {
    static char text[300];
    snprintf(text, sizeof text, "{%s\"tune_params_keys\":[\"x\"],\"cache\":{\"1\":{\"x\":1,\"time\":1.0}}}", member);
    return text;
}

static void a_device_without_a_name_is_not_known(void **state) {
    (void)state;
    static const char *const unnamed[] = {"", "\"device_name\":\"\",", "\"device_name\":7,", "\"device_name\":null,"};
    for (size_t i = 0; i < sizeof unnamed / sizeof *unnamed; i++) {
        rft_run *run = parsed(named(unnamed[i]));
        assert_null(rft_run_device(run));
        assert_string_equal(run->gpu.name, "device not recorded");
        rft_run_free(run);
    }
    rft_run *run = parsed(named("\"device_name\":\"Invented\","));
    assert_string_equal(rft_run_device(run), "Invented");
    rft_run_free(run);
}

/* ---- what compare makes of it ---- */

typedef struct pair {
    cache a, b;
    rft_compare_verdict verdict;
    const char *reason;
    const char *sentence;
} pair;

static void only_equal_work_is_judged(void **state) {
    (void)state;
#define AGAINST "B (Two) against A (One): "
#define NO_SETS                                                                                                        \
    "search effort is not known (strategy and budget are not recorded on either side, and not the same "               \
    "configurations were tried: 5 on A, 4 on B), and the gap does not exceed both roof distances (not known)"
    static const pair pairs[] = {
        {{"One", 5, 1.0, by_mean, NULL},
         {"Two", 5, 3.0, by_mean, NULL},
         RFT_COMPARE_SLOWER,
         NULL,
         AGAINST "slower in the one workload; 0.333\xc3\x97 (0.318 to 0.350) the speed"},
        {{"One", 5, 1.0, by_mean, NULL},
         {"Two", 5, 3.0, rounded, NULL},
         RFT_COMPARE_SLOWER,
         NULL,
         NULL}, /* within its digits */
        {{"One", 5, 1.0, by_mean, NULL},
         {"Two", 5, 3.0, twice_by_mean, NULL},
         RFT_COMPARE_AMBIGUOUS,
         "work differs, by time and recorded rate: 11.0 MFLOP on A, 22.0 MFLOP on B",
         AGAINST
         "ambiguous in the one workload: work differs, by time and recorded rate: 11.0 MFLOP on A, 22.0 MFLOP on "
         "B"},
        {{"One", 5, 1.0, by_mean, NULL},
         {"Two", 5, 3.0, hardly_more, NULL},
         RFT_COMPARE_AMBIGUOUS,
         "work differs, by time and recorded rate: 11.0 MFLOP on A, 11.1 MFLOP on B",
         NULL},
        {{"One", 5, 1.0, by_mean, NULL},
         {"Two", 5, 3.0, none, NULL},
         RFT_COMPARE_AMBIGUOUS,
         "the work is not known: no rate is recorded, on B",
         NULL},
        {{"One", 5, 1.0, none, NULL},
         {"Two", 5, 3.0, none, NULL},
         RFT_COMPARE_AMBIGUOUS,
         "the work is not known: no rate is recorded, on A and on B",
         NULL},
        {{"One", 5, 1.0, none, NULL},
         {"Two", 5, 3.0, without_one, NULL},
         RFT_COMPARE_AMBIGUOUS,
         "the work is not known: no rate is recorded, on A; 1 of 5 configurations have no rate, on B",
         NULL},
        {{"One", 5, 1.0, by_mean, NULL},
         {"Two", 5, 3.0, in_bytes, NULL},
         RFT_COMPARE_AMBIGUOUS,
         "the work is not known in one unit: operations on A, bytes on B",
         NULL},
        {{"One", 5, 1.0, by_mean, NULL}, {"Two", 4, 3.0, by_mean, NULL}, RFT_COMPARE_AMBIGUOUS, NO_SETS, NULL},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        rft_arena *arena = rft_arena_new();
        rft_err err = RFT_ERR_INIT;
        rft_compare *compare = NULL;
        rft_run *a = made(&pairs[i].a), *b = made(&pairs[i].b);
        const rft_compare_input inputs[] = {{a, "a.json", {.amount = NAN}}, {b, "b.json", {.amount = NAN}}};
        assert_int_equal(rft_compare_runs(&compare, inputs, 2, arena, &err), 0);
        const rft_compare_figure *f = &compare->workloads[0].figures[1];
        assert_string_equal(rft_compare_verdict_name(f->verdict), rft_compare_verdict_name(pairs[i].verdict));
        assert_true(compare->sides[1].model_known);
        bool unequal = f->doubt == RFT_DOUBT_WORKLOAD;
        assert_true(isnan(f->ratio.ratio) == unequal);
        assert_true(isnan(compare->scores[1].mean.ratio) == unequal);
        if (pairs[i].reason) {
            assert_string_equal(f->reason, pairs[i].reason);
        } else {
            assert_null(f->reason);
        }
        if (pairs[i].sentence) {
            assert_string_equal(rft_compare_sentence(compare, 1, arena), pairs[i].sentence);
        }
        rft_run_free(a);
        rft_run_free(b);
        rft_arena_free(arena);
    }
}

/* Which card a run was of is not recorded: two runs of a model tell nothing from card to card. */
static void fellows_of_unknown_cards_vary_by_nothing_known(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    rft_err err = RFT_ERR_INIT;
    rft_compare *compare = NULL;
    rft_run *a = made(&(cache){"One", 5, 1.0, by_mean, NULL}), *b = made(&(cache){"One", 5, 3.0, by_mean, NULL});
    const rft_compare_input inputs[] = {{a, "a.json", {.amount = NAN}}, {b, "b.json", {.amount = NAN}}};
    assert_int_equal(rft_compare_runs(&compare, inputs, 2, arena, &err), 0);
    assert_int_equal(compare->sides[1].model, 0);
    assert_int_equal(compare->variation_count, 0);
    rft_run_free(a);
    rft_run_free(b);
    rft_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(which_time_a_rate_is_of_is_found), cmocka_unit_test(names_and_values_of_rates),
        cmocka_unit_test(a_device_without_a_name_is_not_known), cmocka_unit_test(only_equal_work_is_judged),
        cmocka_unit_test(fellows_of_unknown_cards_vary_by_nothing_known)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
