/* SPDX-License-Identifier: Apache-2.0 */
/* The buyer's first two pages: speed against a reference card, whether the card is normal, what limits it, what to ask.
 */
#include "model/compare/speed.h"
#include "model/roofline/card_peers.h"
#include "report/trace_pages.h"
#include "reports/findings/buyer.h"
#include "reports/print/print.h"
#include "support/sample.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { COPY, GEMV, MATMUL };
#define FASTER 10

typedef struct pair {
    rft_arena *arena;
    rft_run *own, *reference;
} pair;

/* Two cards that measured the same; families of their own. */
static pair two_cards(void) {
    static const char *const sources[] = {"kernels/copy.cu", "kernels/gemv.cu", "kernels/matmul.cu"};
    pair p = {rft_arena_new(), sample_full(), sample_full()};
    rft_run *const runs[] = {p.own, p.reference};
    for (size_t r = 0; r < 2; r++) {
        for (size_t s = 0; s < 3; s++) {
            rft_sweep *sweep = &runs[r]->sweeps[s].sweep;
            for (size_t v = 0; v < sweep->variant_count; v++) {
                sweep->variants[v].source = sources[s];
            }
        }
    }
    p.own->info.id = "000000000001";
    p.own->gpu.uuid = "GPU-own";
    p.own->gpu.name = "NVIDIA B200";
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        p.own->ceilings.items[id].limit *= FASTER; /* it may be as fast as the tests make it */
    }
    return p;
}

static void drop(pair *p) {
    rft_run_free(p->own);
    rft_run_free(p->reference);
    rft_arena_free(p->arena);
}

/* All that the sweep measured took `factor` times as long. */
static void slow_down(rft_run *run, size_t sweep, double factor) {
    for (size_t i = 0; i < run->point_count; i++) {
        for (int round = 0; run->points[i].sweep == sweep && round < RFT_ROUNDS; round++) {
            rft_measurement *m = &run->points[i].rounds[round];
            for (size_t k = 0; k < m->n && m->samples_s; k++) {
                m->samples_s[k] *= factor;
            }
            double *const all[] = {&m->stats.min, &m->stats.q1,   &m->stats.median, &m->stats.q3,
                                   &m->stats.max, &m->stats.mean, &m->stats.low,    &m->stats.high};
            for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
                *all[k] *= factor;
            }
        }
    }
}

static rft_speed speed_of(const pair *p) {
    rft_speed_reference *references = NULL;
    const rft_run *runs[] = {p->reference};
    assert_int_equal(rft_speed_references_of(p->own, runs, 1, 1, p->arena, &references), 1);
    assert_true(references[0].shipped);
    return rft_speed_of(rft_speed_asked_of(p->own, NULL, p->arena), &references[0], p->arena);
}

/* Runs of other sweeps stand behind nothing. */
static void only_what_is_used_stands_behind_it(void **state) {
    (void)state;
    pair p = two_cards();
    rft_run *idle = sample_empty();
    idle->info.id = "00000000000f";
    idle->gpu.uuid = "GPU-idle";
    const rft_run *runs[] = {idle, p.reference};
    rft_speed_reference *references = NULL;
    assert_int_equal(rft_speed_references_of(p.own, runs, 2, 2, p.arena, &references), 1);
    rft_speed speed = rft_speed_of(rft_speed_asked_of(p.own, NULL, p.arena), &references[0], p.arena);
    assert_true(speed.sample.runs == 1 && speed.sample.cards == 1);
    rft_run_free(idle);
    drop(&p);
}

static void expect_speed(const pair *p, double wanted) {
    rft_speed speed = speed_of(p);
    if (speed.missing || fabs(speed.ratio.ratio / wanted - 1) > 1e-9) {
        fail_msg("speed %g, not %g: %s", speed.ratio.ratio, wanted, speed.missing ? speed.missing : "");
    }
    assert_true(speed.ratio.low <= wanted && speed.ratio.high >= wanted);
}

/* One family four times as fast, two as fast as the reference: the third root of 4. Problems of a family share its
 * weight, however many there are. */
static void families_weigh_the_same(void **state) {
    (void)state;
    pair p = two_cards();
    slow_down(p.own, GEMV, 0.25);
    expect_speed(&p, cbrt(4));
    slow_down(p.own, COPY, 4);
    expect_speed(&p, 1);
    drop(&p);
}

static void times_that_no_hardware_reaches_have_no_speed(void **state) {
    (void)state;
    pair p = two_cards();
    slow_down(p.own, GEMV, 0.25);
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        p.own->ceilings.items[id].limit /= FASTER;
    }
    rft_speed speed = speed_of(&p);
    assert_true(speed.part_count == 2 && fabs(speed.ratio.ratio - 1) < 1e-9);
    assert_non_null(strstr(speed.refused[GEMV], "B is faster than the hardware can be"));
    drop(&p);
}

/* As the rest of the report names its sweeps, never as a kernel's file is called. */
static void families_have_a_name_of_the_report(void **state) {
    (void)state;
    pair p = two_cards();
    rft_speed_asked *asked = rft_speed_asked_of(p.own, NULL, p.arena);
    for (size_t s = 0; s < 3; s++) {
        assert_string_equal(asked->parts[s].name, p.own->sweeps[s].sweep.name);
        p.own->sweeps[s].sweep.path = "sweeps/blocks.lua";
        for (size_t v = 0; v < p.own->sweeps[s].sweep.variant_count; v++) {
            p.own->sweeps[s].sweep.variants[v].source = "kernels/block_ring.cu";
        }
    }
    asked = rft_speed_asked_of(p.own, NULL, p.arena);
    assert_true(asked->part_count == 1);
    assert_string_equal(asked->parts[0].name, "blocks");
    rft_sweep *borrows = &p.own->sweeps[1].sweep; /* its first rung; it is of a script of its own */
    rft_variant own_rung = borrows->variants[1];
    borrows->variants[1].source = "kernels/gemv.cu";
    borrows->path = "sweeps/gemv.lua";
    asked = rft_speed_asked_of(p.own, NULL, p.arena);
    assert_true(asked->part_count == 2);
    assert_string_equal(asked->parts[1].name, borrows->name);
    assert_true(fabs(asked->parts[1].weight - 0.5) < 1e-9);
    borrows->variants[1] = own_rung;
    p.own->sweeps[1].sweep.path = "sweeps/gemv.lua"; /* one of two scripts */
    asked = rft_speed_asked_of(p.own, NULL, p.arena);
    assert_string_equal(asked->parts[0].name,
                        rft_arena_printf(p.arena, "%s and 2 others", p.own->sweeps[0].sweep.name));
    p.own->sweeps[1].sweep.path = "sweeps/blocks.lua";
    for (size_t v = 0; v < p.own->sweeps[2].sweep.variant_count; v++) { /* the script has more */
        p.own->sweeps[2].sweep.variants[v].source = "kernels/other.cu";
    }
    asked = rft_speed_asked_of(p.own, NULL, p.arena);
    assert_string_equal(asked->parts[0].name,
                        rft_arena_printf(p.arena, "%s, %s", p.own->sweeps[0].sweep.name, p.own->sweeps[1].sweep.name));
    assert_string_equal(asked->parts[1].name, p.own->sweeps[2].sweep.name);
    drop(&p);
}

/* One item's share, with the time's interval and the ceiling's: 1 % and 0.5 % on both sides. */
static void the_share_of_the_limit_has_its_interval(void **state) {
    (void)state;
    pair p = two_cards();
    rft_speed_asked *asked = rft_speed_asked_of(p.own, NULL, p.arena);
    rft_speed_item *item = &asked->items[0];
    const rft_placement place = rft_placement_of(p.own, item->best);
    rft_stats *rate = &p.own->ceilings.items[rft_placement_ceiling(p.own, item->best, &place)].stats;
    rft_measurement *m = (rft_measurement *)rft_point_measurement(item->best);
    m->repeat = rft_repeat_none();
    m->stats.low = m->stats.median / 1.01;
    m->stats.high = m->stats.median * 1.01;
    rate->low = rate->median / 1.005;
    rate->high = rate->median * 1.005;
    m->stats.interval_is_95 = rate->interval_is_95 = true;
    asked->item_count = 1;
    rft_speed_share share = rft_speed_share_of(asked, SIZE_MAX);
    double half = hypot(log(1.01), log(1.005));
    assert_true(fabs(share.frac / item->reach.frac - 1) < 1e-9);
    assert_true(fabs(log(share.high / share.frac) - half) < 1e-4 && fabs(log(share.frac / share.low) - half) < 1e-4);
    rate->interval_is_95 = false;
    share = rft_speed_share_of(asked, item->part);
    assert_true(isfinite(share.frac) && isnan(share.low) && isnan(share.high));
    assert_true(isnan(rft_speed_share_of(asked, item->part + 1).frac));
    drop(&p);
}

static void diagnostic_sweeps_do_not_count(void **state) {
    (void)state;
    pair p = two_cards();
    slow_down(p.own, MATMUL, 100);
    p.own->sweeps[MATMUL].sweep.diagnostic = 1;
    expect_speed(&p, 1);
    p.own->sweeps[COPY].sweep.diagnostic = -1; /* stored before there was the mark */
    rft_speed_asked *asked = rft_speed_asked_of(p.own, NULL, p.arena);
    assert_int_equal(asked->diagnostic_count, 1);
    assert_string_equal(asked->diagnostic[0], "matmul_fp32");
    assert_int_equal(asked->unmarked, 1);
    for (size_t s = 0; s < 3; s++) {
        p.own->sweeps[s].sweep.diagnostic = 1;
    }
    asked = rft_speed_asked_of(p.own, NULL, p.arena);
    assert_true(asked->all_diagnostic && asked->part_count == 3 && asked->diagnostic_count == 0);
    drop(&p);
}

static void expect_refused(const pair *p, size_t part, const char *why) {
    rft_speed speed = speed_of(p);
    if (!speed.refused[part] || !strstr(speed.refused[part], why)) {
        fail_msg("refused since \"%s\", not \"%s\"", speed.refused[part] ? speed.refused[part] : "it is not", why);
    }
    assert_true(isnan(speed.parts[part].ratio) && speed.weights[part] == 0);
    assert_int_equal(speed.part_count, 2);
    assert_true(fabs(speed.weights[(part + 1) % 3] - 0.5) < 1e-12); /* the others share its weight */
}

static void what_is_not_the_same_is_refused(void **state) {
    (void)state;
    pair p = two_cards();
    uint32_t whole = speed_of(&p).set;
    assert_int_equal(speed_of(&p).set, whole);
    p.reference->sweeps[GEMV].sweep.problems[1].refined = 1; /* as if the grid had not had it */
    expect_refused(&p, GEMV, "other problems: ");
    assert_true(speed_of(&p).set != whole);
    p.reference->sweeps[GEMV].sweep.problems[1].refined = 0;
    for (size_t i = 0; i < p.own->point_count; i++) {
        p.own->points[i].work.bytes_read *= p.own->points[i].sweep == COPY ? 2 : 1;
    }
    expect_refused(&p, COPY, "the declared work differs");
    drop(&p);
    p = two_cards();
    for (size_t i = 0; i < p.own->point_count; i++) {
        for (int round = 0; round < RFT_ROUNDS && p.own->points[i].sweep == COPY; round++) {
            p.own->points[i].rounds[round].cache = RFT_CACHE_HOT;
        }
    }
    expect_refused(&p, COPY, "another cache mode: cold on A, hot on B (A: the reference, B: this card)");
    p.reference->sweeps[COPY].sweep.name = "other";
    p.reference->sweeps[COPY].sweep.variants[0].kernel = "other";
    expect_refused(&p, COPY, "the reference has none of its problems");
    drop(&p);
    p = two_cards();
    sample_fail(sample_best(p.own, COPY), RFT_OUTCOME_WRONG_RESULT, "made up");
    for (size_t i = 0; i < p.own->point_count; i++) {
        if (p.own->points[i].sweep == COPY) {
            sample_fail(&p.own->points[i], RFT_OUTCOME_WRONG_RESULT, "made up");
        }
    }
    expect_refused(&p, COPY, "was not measured on this card");
    drop(&p);
}

static void the_reference_itself_has_no_figure(void **state) {
    (void)state;
    pair p = two_cards();
    p.own->info.id = p.reference->info.id;
    rft_speed speed = speed_of(&p);
    assert_true(speed.itself && isnan(speed.ratio.ratio));
    p.own->info.id = "000000000009"; /* a replay, or a joined report */
    p.own->gpu.uuid = p.reference->gpu.uuid;
    assert_true(speed_of(&p).itself);
    for (size_t i = 0; i < p.own->point_count; i++) { /* what neither has does not matter */
        if (p.own->points[i].sweep == COPY) {
            sample_fail(&p.own->points[i], RFT_OUTCOME_WRONG_RESULT, "made up");
        }
    }
    assert_true(speed_of(&p).itself);
    p.own->gpu.uuid = "GPU-other";
    assert_false(speed_of(&p).itself);
    drop(&p);
}

static void references_are_named_ones_first(void **state) {
    (void)state;
    pair p = two_cards();
    rft_run *fellow = sample_empty(), *third = sample_empty();
    fellow->gpu.name = "NVIDIA B200";
    third->gpu.name = "NVIDIA A100";
    const rft_run *runs[] = {fellow, third, p.reference, p.reference};
    rft_speed_reference *list = NULL;
    assert_int_equal(rft_speed_references_of(p.own, runs, 4, 2, p.arena, &list), 3);
    assert_string_equal(list[0].device, "NVIDIA A100");
    assert_true(!list[0].shipped && list[1].shipped && list[1].count == 2);
    assert_string_equal(list[2].device, "NVIDIA B200"); /* a fellow tells of normality first */
    rft_run_free(fellow);
    rft_run_free(third);
    drop(&p);
}

static rft_run_sample sample_with(rft_run *const *runs, size_t count, rft_arena *arena) {
    return rft_run_sample_of((const rft_run *const *)runs, count, arena);
}

static void cards_hosts_and_days_are_counted(void **state) {
    (void)state;
    pair p = two_cards();
    rft_run *const runs[] = {p.own, p.reference, p.reference};
    rft_env_set(&p.own->env, p.own->arena, "host.id", "0123456789ab", NULL);
    rft_run_sample sample = sample_with(runs, 3, p.arena);
    assert_true(sample.runs == 2 && sample.cards == 2 && sample.hosts == 1 && sample.hosts_unknown == 1);
    assert_string_equal(rft_run_sample_text(&sample, p.arena),
                        "2 cards, one host and one run without its name, one day, 2 runs");
    p.own->info.started_unix_ns += INT64_C(86400000000000);
    assert_int_equal(sample_with(runs, 3, p.arena).days, 2);
    p.own->gpu.uuid = "";
    sample = sample_with(runs, 1, p.arena);
    assert_string_equal(rft_run_sample_text(&sample, p.arena), "card not recorded, one host, one day, one run");
    drop(&p);
}

/* ---- a mix ---- */

/* Two launches of the copy's first problem and one of the GEMV's. */
static rft_mix_total *mix_of(const pair *p, const char *gemv) {
    rft_mix_total *total = NULL;
    rft_err err = RFT_ERR_INIT;
    rft_mix_book *book = rft_mix_book_new(p->arena);
    const rft_run *runs[] = {p->own};
    const rft_run *own = p->own;
    const char *json = rft_arena_printf(
        p->arena,
        "{\"name\":\"decode\",\"unit\":\"token\",\"items\":[{\"operation\":\"copy_scale\",\"count\":2,\"problem\":{"
        "\"n\":%lld}},"
        "{\"operation\":\"%s\",\"count\":1,\"problem\":{\"n\":%lld}}]}",
        (long long)own->sweeps[COPY].sweep.problems[sample_timed(own, COPY, 0)].values[0].as.integer, gemv,
        (long long)own->sweeps[GEMV].sweep.problems[sample_timed(own, GEMV, 0)].values[0].as.integer);
    if (rft_mix_book_add(book, json, "decode.lua", p->arena, &err) != RFT_OK ||
        rft_mix_total_of(&total, &book->mixes[0], book, runs, 1, p->arena, &err) != RFT_OK) {
        fail_msg("%s", err.message);
    }
    return total;
}

static double median_of(const rft_run *run, size_t sweep) {
    return rft_point_median_s(sample_best_on((rft_run *)run, sweep, sample_timed(run, sweep, 0)));
}

/* Times add up, and neither sets of problems nor marks matter to what a mix names. */
static void a_mix_is_the_ratio_of_whole_passes(void **state) {
    (void)state;
    pair p = two_cards();
    const rft_run *runs[] = {p.reference};
    rft_speed_reference *references = NULL;
    double copy = median_of(p.own, COPY), gemv = median_of(p.own, GEMV);
    slow_down(p.own, GEMV, 2);
    p.own->sweeps[GEMV].sweep.diagnostic = 1;
    p.reference->sweeps[GEMV].sweep.problem_count--;
    (void)rft_speed_references_of(p.own, runs, 1, 1, p.arena, &references);
    const rft_speed_asked *asked = rft_speed_asked_of(p.own, mix_of(&p, "gemv_fp16"), p.arena);
    rft_speed speed = rft_speed_of(asked, &references[0], p.arena);
    double wanted = (2 * copy + gemv) / (2 * copy + 2 * gemv);
    if (speed.missing || fabs(speed.ratio.ratio / wanted - 1) > 1e-9) {
        fail_msg("speed %g, not %g: %s", speed.ratio.ratio, wanted, speed.missing ? speed.missing : "");
    }
    p.reference->sweeps[COPY].sweep.measure.cache = RFT_CACHE_HOT; /* one operation that cannot be held beside it: */
    for (size_t i = 0; i < p.reference->point_count; i++) {
        p.reference->points[i].rounds[0].cache = p.reference->points[i].rounds[1].cache = RFT_CACHE_HOT;
    }
    speed = rft_speed_of(asked, &references[0], p.arena);
    assert_true(isnan(speed.ratio.ratio) && strstr(speed.missing, "another cache mode"));
    drop(&p);
}

static void an_incomplete_mix_leaves_the_sweeps(void **state) {
    (void)state;
    pair p = two_cards();
    rft_mix_total *mixes[] = {mix_of(&p, "none")};
    rft_report_opts opts = {.part = 1, .mixes = mixes, .mix_count = 1, .book = mixes[0]->book};
    trace_pages pages = trace_of(p.own, &opts);
    assert_true(trace_page_says(&pages, 1, "The mix has operations without a time, which its chapter names"));
    assert_true(trace_page_says(&pages, 1, "matmul n=") || trace_page_says(&pages, 1, "matmul_fp32 n="));
    trace_clear(&pages);
    mixes[0] = mix_of(&p, "gemv_fp16");
    pages = trace_of(p.own, &opts);
    trace_assert_sound(&pages);
    assert_true(trace_page_says(&pages, 1, "tokens a second. How fast it is beside a reference card cannot be told."));
    assert_false(trace_page_says(&pages, 1, "matmul_fp32 n="));
    trace_clear(&pages);
    drop(&p);
}

/* ---- pages ---- */

static trace_pages pages_beside(const pair *p) {
    const rft_run *references[] = {p->reference};
    rft_report_opts opts = {.part = 1, .references = references, .reference_count = 1, .shipped_count = 1};
    trace_pages pages = trace_of(p->own, &opts);
    trace_assert_sound(&pages);
    return pages;
}

static void on_page(const trace_pages *pages, int page, const char *text) {
    if (!trace_page_says(pages, page, text)) {
        fail_msg("page %d does not say \"%s\"", page, text);
    }
}

/* Of more than the first page has room for. */
static void what_differs_most_is_on_the_first_page(void **state) {
    (void)state;
    pair p = two_cards();
    rft_run *const runs[] = {p.own, p.reference};
    for (size_t r = 0; r < 2; r++) {
        for (int i = 0; i < 30; i++) {
            size_t s = sample_add_single(runs[r]);
            rft_sweep *sweep = &runs[r]->sweeps[s].sweep;
            sweep->name = rft_arena_printf(runs[r]->arena, "family_number_%d", i);
            sweep->variants[0].source = rft_arena_printf(runs[r]->arena, "kernels/family_number_%d.cu", i);
        }
    }
    slow_down(p.own, MATMUL + 30, 0.5);
    trace_pages pages = pages_beside(&p);
    on_page(&pages, 1, "family_number_29 2.0");
    on_page(&pages, 1, "Those that differ most from the reference; the summary has all 33.");
    trace_clear(&pages);
    drop(&p);
}

static void the_first_page_answers(void **state) {
    (void)state;
    pair p = two_cards();
    slow_down(p.own, GEMV, 0.25);
    p.own->sweeps[MATMUL].sweep.diagnostic = 1;
    trace_pages pages = pages_beside(&p);
    on_page(&pages, 1, "2.000 times as fast as the reference card, NVIDIA H200, over");
    on_page(&pages, 1, "of 2 families of kernels (95 % interval ");
    on_page(&pages, 1, "2.00\xc3\x97 the speed of the reference card, NVIDIA H200");
    on_page(&pages, 1, "comes with the program: one card");
    on_page(&pages, 1, "Left out, since they explain the card and are no workload: matmul_fp32.");
    assert_false(trace_page_says(&pages, 1, "is not recorded of"));
    assert_false(trace_page_says(&pages, 1, "a fallback"));
    trace_clear(&pages);
    p.own->gpu.cc_major = 10;
    p.own->points[0].work.pipe_ops[RFT_PIPE_TENSOR_BF16] = 1;
    pages = pages_beside(&p);
    on_page(&pages, 1, "On this card's matrix units the kernels here are a fallback");
    trace_clear(&pages);
    p.reference->sweeps[GEMV].sweep.problems[1].refined = 1;
    pages = pages_beside(&p);
    on_page(&pages, 1, "over 3 problems of 1 of 2 families of kernels");
    on_page(&pages, 1, "Not counted: other problems: ");
    on_page(&pages, 1, "gemv_fp16 0.0 n/a (b)"); /* the weight of what is refused is the others' */
    on_page(&pages, 1, rft_arena_printf(p.arena, "%s 100.0 1.00", p.own->sweeps[COPY].sweep.name));
    trace_clear(&pages);
    drop(&p);
}

/* A figure over a third of what is asked is no headline; it stands with what it is of. */
static void a_minority_is_no_headline(void **state) {
    (void)state;
    pair p = two_cards();
    slow_down(p.own, COPY, 0.25);
    p.reference->sweeps[GEMV].sweep.problems[1].refined = 1;
    rft_speed speed = speed_of(&p);
    assert_true(rft_speed_stands(&speed) && fabs(speed.covered - 2.0 / 3) < 1e-9);
    p.reference->sweeps[MATMUL].sweep.problems[1].refined = 1;
    speed = speed_of(&p);
    assert_true(fabs(speed.ratio.ratio / 4 - 1) < 1e-9 && !rft_speed_stands(&speed));
    trace_pages pages = pages_beside(&p);
    on_page(&pages, 1, "only 1 of 3 families of kernels can be held: too few for one figure.");
    on_page(&pages, 1, "Of 1 of 3 families of kernels, which says nothing of the others.");
    assert_false(trace_page_says(&pages, 1, "the speed of the reference card"));
    trace_clear(&pages);
    drop(&p);
}

/* What wins on the reference cannot run here: that comes before all figures. */
static void a_missing_native_path_comes_first(void **state) {
    (void)state;
    pair p = two_cards();
    const rft_point *best = rft_run_best(p.reference, GEMV, SIZE_MAX, sample_timed(p.reference, GEMV, 0));
    for (size_t i = 0; i < p.own->point_count; i++) {
        if (p.own->points[i].sweep == GEMV && p.own->points[i].variant == best->variant) {
            sample_fail(&p.own->points[i], RFT_OUTCOME_SKIPPED, "needs sm_100a");
        }
    }
    trace_pages pages = pages_beside(&p);
    on_page(&pages, 1, "Not everything runs natively on this card. gemv_fp16: no native path for");
    on_page(&pages, 1, "needs sm_100a");
    const char *first = strstr(pages.joined, "Not everything runs"), *table = strstr(pages.joined, "Weight");
    assert_true(first && table && first < table);
    trace_clear(&pages);
    drop(&p);
}

static void the_second_page_says_what_is_wrong_and_what_limits(void **state) {
    (void)state;
    pair p = two_cards();
    rft_arena *arena = p.own->arena;
    rft_env_set(&p.own->env, arena, "nvml.ecc_uncorrected", "3", NULL);
    rft_env_set(&p.own->env, arena, "nvml.rows_remapped", "2", NULL);
    rft_env_set(&p.own->env, arena, "nvml.row_remapping", "pending", NULL);
    rft_env_set(&p.own->env, arena, "nvml.pcie_generation", "5 of 5", NULL);
    rft_env_set(&p.own->env, arena, "nvml.pcie_width", "x8 of x16", NULL);
    rft_env_set(&p.own->env, arena, "nvml.nvlinks", "18 of 18", NULL);
    rft_env_set(&p.own->env, arena, "nvml.power_limit_enforced_w", "700", NULL);
    sample_add_energy(p.own, MATMUL, 690);
    trace_pages pages = pages_beside(&p);
    on_page(&pages, 2, "Not known: no reference. No run of another NVIDIA B200 was given (--reference).");
    on_page(&pages, 2, "uncorrected errors 3; rows replaced 2, replacement pending");
    on_page(&pages, 2, "memory has failed: have the card exchanged");
    on_page(&pages, 2, "PCIe (to host) generation 5 of 5, x8 of x16");
    on_page(&pages, 2, "lanes or links are missing");
    on_page(&pages, 2, "Memory holds back ");
    on_page(&pages, 2, "690 W (limit 700 W)");
    on_page(&pages, 2, "5. all cards alike");
    trace_clear(&pages);
    /* A clock that is held down under load is a fault where the load is slower for it. */
    for (int slower = 0; slower < 2; slower++) {
        for (size_t i = 0; i < p.own->point_count; i++) {
            rft_load *load = (rft_load *)p.own->points[i].loads[RFT_LOAD_ENERGY];
            if (load) {
                load->throttled_frac[0] = 0.5;
                load->run_s = rft_point_median_s(&p.own->points[i]) * (slower ? 1.1 : 0.9);
            }
        }
        pages = pages_beside(&p);
        on_page(&pages, 2, slower ? "long loads are slower: ask" : "no long load measured here was slower");
        trace_clear(&pages);
    }
    drop(&p);
}

static void percentiles_need_eight_cards(void **state) {
    (void)state;
    pair p = two_cards();
    rft_run *others[9];
    char uuids[9][16];
    for (int i = 0; i < 9; i++) {
        snprintf(uuids[i], sizeof uuids[i], "GPU-%d", i);
        others[i] = sample_empty();
        others[i]->gpu.name = "NVIDIA B200";
        others[i]->gpu.uuid = uuids[i];
        others[i]->info.id = uuids[i];
        others[i]->ceilings.items[RFT_CEILING_DRAM_READ].stats.median *= i < 6 ? 0.99 : 1.01;
    }
    rft_peers peers = rft_peers_of(p.own, (const rft_run *const *)others, 7, p.arena);
    assert_true(isnan(peers.rows[RFT_CEILING_DRAM_READ].below_frac));
    assert_int_equal(peers.rows[RFT_CEILING_DRAM_READ].verdict, RFT_PEERS_NORMAL);
    peers = rft_peers_of(p.own, (const rft_run *const *)others, 8, p.arena);
    assert_true(peers.rows[RFT_CEILING_DRAM_READ].below_frac == 6.0 / 8);
    assert_true(peers.rows[RFT_CEILING_DRAM_WRITE].below_frac == 0.5); /* all equal */
    /* Those that come with the program are cards like the named; this very one among them is left out without a word.
     */
    others[8]->gpu.uuid = "GPU-own";
    others[7]->ceilings.items[RFT_CEILING_FP32].stats.median *= 1.1;
    const rft_buyer_given given = {
        .run = p.own, .cards = (const rft_run *const *)others, .card_count = 9, .linked = true};
    const rft_buyer *buyer = rft_buyer_of(&given, p.arena);
    assert_int_equal(buyer->peers.cards, 8);
    assert_int_equal(buyer->peers.own_runs, 0);
    assert_true(buyer->peers.rows[RFT_CEILING_DRAM_READ].below_frac == 6.0 / 8);
    for (int i = 0; i < 9; i++) {
        rft_run_free(others[i]);
    }
    drop(&p);
}

/* A cache that holds back is no memory that a buyer could have faster. */
static void caches_are_no_memory(void **state) {
    (void)state;
    pair p = two_cards();
    rft_buyer buyer = {.given = {.run = p.own}, .asked = rft_speed_asked_of(p.own, NULL, p.arena)};
    rft_speed_asked *asked = (rft_speed_asked *)buyer.asked;
    for (size_t i = 0; i < asked->item_count; i++) {
        asked->items[i].weight = 1.0 / (double)asked->item_count;
        asked->items[i].bound.resource = i == 0 ? RFT_RESOURCE_DRAM : RFT_RESOURCE_L2;
    }
    for (int memory = 1; memory >= 0; memory--) {
        rft_str text = RFT_STR_INIT;
        asked->items[0].bound.resource = memory ? RFT_RESOURCE_DRAM : RFT_RESOURCE_L2;
        rft_print_text(&text, rft_finding_limiting(&buyer, p.arena), &(rft_print_opts){.label = ""});
        bool held = strstr(rft_str_get(&text), "Memory holds back nothing here") == NULL;
        assert_true(held == memory);
        assert_non_null(strstr(rft_str_get(&text), "caches"));
        rft_str_clear(&text);
    }
    drop(&p);
}

static void expect_limits(const rft_buyer *buyer, const char *says, const char *never) {
    rft_str text = RFT_STR_INIT;
    rft_print_text(&text, rft_finding_limiting(buyer, buyer->given.run->arena), &(rft_print_opts){.label = ""});
    char *end = text.data; /* lines joined: words are a blank apart */
    for (const char *c = text.data; *c; c++) {
        char next = *c == '\n' ? ' ' : *c;
        if (next != ' ' || (end > text.data && end[-1] != ' ')) {
            *end++ = next;
        }
    }
    *end = '\0';
    if (!strstr(rft_str_get(&text), says) || strstr(rft_str_get(&text), never)) {
        fail_msg("not \"%s\", or \"%s\": %s", says, never, rft_str_get(&text));
    }
    rft_str_clear(&text);
}

/* A hot card is not told to ask for more watts, nor of power where nobody said why the clock is low. */
static void what_limits_names_its_own_remedy(void **state) {
    (void)state;
    static const struct {
        rft_resource resource;
        rft_throttle_cause cause;
        rft_pipe pipe;
        const char *says, *never;
    } cases[] = {
        {RFT_RESOURCE_POWER, RFT_THROTTLE_POWER_CAP, RFT_PIPE_COUNT,
         "Power holds back 100 %: the clock falls to 1311 MHz of 1980; a higher power limit, or less energy",
         "cooling"},
        {RFT_RESOURCE_THERMAL, RFT_THROTTLE_SW_THERMAL, RFT_PIPE_COUNT,
         "Heat holds back 100 %: the clock falls to 1311 MHz of 1980; better cooling, or less energy", "power limit"},
        {RFT_RESOURCE_CLOCK, RFT_THROTTLE_COUNT, RFT_PIPE_COUNT,
         "The clock holds back 100 %: it falls to 1311 MHz of 1980, and why is not known", "power limit"},
        {RFT_RESOURCE_CLOCK, RFT_THROTTLE_SYNC_BOOST, RFT_PIPE_COUNT, "of 1980, held back for another card;",
         "not known"},
        {RFT_RESOURCE_ISSUE, RFT_THROTTLE_COUNT, RFT_PIPE_COUNT,
         "Arithmetic holds back 100 % (instructions): fewer or wider instructions make that faster", "number type"},
        {RFT_RESOURCE_PIPE, RFT_THROTTLE_COUNT, RFT_PIPE_ATOMICS_L2_ONE,
         "(L2 atomics on one address): fewer of them, or spread", "number type"},
        {RFT_RESOURCE_PIPE, RFT_THROTTLE_COUNT, RFT_PIPE_FP32, "(arithmetic units, FP32): more or faster units",
         "only"},
    };
    pair p = two_cards();
    rft_buyer buyer = {.given = {.run = p.own}, .asked = rft_speed_asked_of(p.own, NULL, p.arena)};
    rft_speed_asked *asked = (rft_speed_asked *)buyer.asked;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (size_t k = 0; k < asked->item_count; k++) {
            rft_bound *bound = &asked->items[k].bound;
            bound->resource = cases[i].resource;
            bound->pipe = cases[i].pipe;
            bound->clock = (rft_held_clock){1311, 1980, true, cases[i].cause};
        }
        expect_limits(&buyer, cases[i].says, cases[i].never);
    }
    drop(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(families_weigh_the_same),
        cmocka_unit_test(times_that_no_hardware_reaches_have_no_speed),
        cmocka_unit_test(what_limits_names_its_own_remedy),
        cmocka_unit_test(caches_are_no_memory),
        cmocka_unit_test(families_have_a_name_of_the_report),
        cmocka_unit_test(the_share_of_the_limit_has_its_interval),
        cmocka_unit_test(diagnostic_sweeps_do_not_count),
        cmocka_unit_test(what_is_not_the_same_is_refused),
        cmocka_unit_test(the_reference_itself_has_no_figure),
        cmocka_unit_test(references_are_named_ones_first),
        cmocka_unit_test(only_what_is_used_stands_behind_it),
        cmocka_unit_test(cards_hosts_and_days_are_counted),
        cmocka_unit_test(a_mix_is_the_ratio_of_whole_passes),
        cmocka_unit_test(an_incomplete_mix_leaves_the_sweeps),
        cmocka_unit_test(the_first_page_answers),
        cmocka_unit_test(what_differs_most_is_on_the_first_page),
        cmocka_unit_test(a_minority_is_no_headline),
        cmocka_unit_test(a_missing_native_path_comes_first),
        cmocka_unit_test(the_second_page_says_what_is_wrong_and_what_limits),
        cmocka_unit_test(percentiles_need_eight_cards),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
