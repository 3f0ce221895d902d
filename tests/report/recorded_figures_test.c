/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is said of every measured point of every recording: no share of a roof above 100 % by more than its uncertainty
 * without a cause, what is left never less than nothing nor against a floor that is not there, and no reason of a
 * ladder's step that is no matter of time. And the table of their cards (sweeps/recorded/cards.json) is what they read.
 * 77 when there is no recording.
 */
#include "base/fs.h"
#include "base/str.h"
#include "model/roofline/card_peers.h"
#include "model/roofline/counted.h"
#include "model/roofline/over_roof.h"
#include "model/roofline/reach.h"
#include "model/transition/transition.h"
#include "report/recordings.h"
#include "reports/findings/findings.h"
#include "reports/findings/ladder_change.h"
#include "reports/findings/profile_charts.h"
#include "store/card_table.h"
#include "store/store.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* From first principles: the best case of the time's and the ceiling's interval. */
static bool is_above_for_certain(const rft_run *run, const rft_point *point, const rft_placement *place) {
    rft_ceiling_id id = rft_placement_ceiling(run, point, place);
    const rft_stats *time = &rft_point_measurement(point)->stats;
    if (id == RFT_CEILING_COUNT || !time->interval_is_95) {
        return place->efficiency_frac > 1.03;
    }
    const rft_stats *rate = &run->ceilings.items[id].stats;
    return place->roof_s * rate->median / rate->high > time->high;
}

/* Likewise of the bound that is told; two of a hundred where there is no interval. */
static bool is_bound_above(const rft_run *run, const rft_point *point, const rft_bound *bound, double part) {
    const rft_stats *time = &rft_point_measurement(point)->stats;
    double least = time->interval_is_95 ? time->median / time->high : 1 / 1.02, ceiling = 1 / 1.02;
    for (size_t i = 0; i < bound->share_count; i++) {
        const rft_share *share = &bound->shares[i];
        if (share->resource == rft_bound_limit(bound) && share->pipe == bound->pipe &&
            share->ceiling < RFT_CEILING_COUNT && run->ceilings.items[share->ceiling].stats.interval_is_95) {
            const rft_stats *rate = &run->ceilings.items[share->ceiling].stats;
            ceiling = rate->median / rate->high;
        }
    }
    return part * bound->frac * least * ceiling > 1;
}

static void check_point(const rft_run *run, const rft_point *point, rft_arena *arena, size_t *above) {
    rft_placement place = rft_placement_of(run, point);
    rft_bound bound = rft_bound_whole_of(run, point);
    rft_over_roof over = rft_over_roof_of(run, point, arena);
    rft_reach reach = rft_reach_of(run, point);
    if (over.cause == RFT_OVER_UNKNOWN || (over.cause == RFT_OVER_NOT && (is_above_for_certain(run, point, &place) ||
                                                                          is_bound_above(run, point, &bound, 1)))) {
        fail_msg("point %lld is at %.1f %% of its roof without a cause: %s", (long long)point->id,
                 100 * place.efficiency_frac, rft_bound_text(&bound, arena));
    }
    /* a formula that the time refutes is not told as what holds the point back */
    assert_false(bound.firmness != RFT_FIRM_NONE && bound.evidence == RFT_EVIDENCE_MODELLED &&
                 is_bound_above(run, point, &bound, 1 / 1.02));
    if (over.cause == RFT_OVER_WRITES) {
        assert_true(reach.unwritten.bytes > 0 && reach.unwritten.bytes <= point->work.bytes_written);
        assert_non_null(strstr(over.text, "B of its writes"));
    }
    *above += over.cause != RFT_OVER_NOT;
    assert_true(isnan(reach.left_factor) || reach.left_factor >= 1);
    assert_false(reach.back_to_back && !(reach.frac < place.efficiency_frac));
    const rft_measurement *m = rft_point_measurement(point);
    if (bound.resource == RFT_RESOURCE_LAUNCH && m->batch <= 1 && !reach.at_most) {
        double floor_s = rft_measurement_near_floor_s(m, &run->ceilings);
        assert_true(isnan(reach.left_factor) || reach.left_factor <= fmax(m->stats.median / floor_s, 1));
    }
}

static void check_ladder(const rft_run *run, size_t sweep, rft_arena *arena) {
    const rft_point *before = NULL;
    size_t problem = rft_counted_ladder(run, sweep);
    for (size_t v = 0; problem != SIZE_MAX && v < run->sweeps[sweep].sweep.variant_count; v++) {
        const rft_point *point = rft_run_best(run, sweep, v, problem);
        const char *why = before && point ? rft_ladder_change(run, before, point, arena) : "not known";
        if (!strstr(why, "not known") && !strstr(why, "as fast") && !strstr(why, "a tie") &&
            !strstr(why, "of the difference") && !strstr(why, "where the times differ by")) {
            fail_msg("a step of %s has a reason that says nothing of the times: %s", run->sweeps[sweep].sweep.name,
                     why);
        }
        before = point ? point : before;
    }
}

/* Where the bound goes to and fro the page tells one change, and what has a place behind it. */
static void check_to_and_fro(const rft_run *run, size_t sweep, rft_arena *arena) {
    if (strcmp(run->sweeps[sweep].sweep.name, "matmul_waves") != 0) {
        return;
    }
    const rft_finding *f = rft_finding_transitions_paged(run, sweep, &(rft_transition_view){0}, arena);
    for (size_t i = 0; i < f->item_count; i++) {
        const rft_cell_table *table = f->items[i].table;
        size_t shown = 0, kept = table ? table->row_count : 0;
        for (size_t r = 0; r < kept; r++) {
            shown += rft_is_for(table->rows[r].where, RFT_ON_PAGE);
        }
        assert_true(!table || (shown <= 3 && kept > 2 * shown));
    }
}

/* A parameter has the values that were tried. */
static void check_params(const rft_run *run, size_t sweep, rft_arena *arena) {
    size_t problem = rft_run_largest(run, sweep);
    for (size_t v = 0; problem != SIZE_MAX && v < run->sweeps[sweep].sweep.variant_count; v++) {
        rft_profile *profiles = NULL;
        size_t count = rft_profiles_along_params(run, sweep, v, problem, arena, &profiles);
        for (size_t i = 0; i < count; i++) {
            rft_transition *found = NULL;
            size_t transitions = rft_transitions_of(run, &profiles[i], arena, &found);
            for (size_t k = 0; k < transitions; k++) {
                assert_int_not_equal(found[k].kind, RFT_TRANSITION_FOUND);
                assert_true(isnan(found[k].where));
            }
        }
    }
}

static double place_of(const rft_profile *profile, size_t step) {
    bool numbers = true;
    for (size_t i = 0; i < profile->step_count; i++) {
        numbers = numbers && rft_value_is_number(&profile->steps[i].value);
    }
    return numbers ? rft_value_number(&profile->steps[step].value) : (double)step;
}

/* At every value the chart is shaded by what the summary says of its best; the names are left out where there are many.
 */
static void check_bands(const rft_run *run, const rft_profile *profile, rft_arena *arena) {
    const rft_chart *chart = rft_along_chart(run, profile, &(rft_along_opts){.title = "", .height = 100}, arena);
    const rft_series *bands = &chart->series[0];
    assert_int_equal(bands->kind, RFT_SERIES_BAND);
    for (size_t i = 0; i < profile->step_count; i++) {
        const rft_bound *bound = &profile->steps[i].bound;
        double x = place_of(profile, i);
        for (size_t k = 0; k < bands->count && profile->steps[i].best; k++) {
            if (x > bands->x[k] && x < bands->x2[k] && bands->names[k] &&
                strcmp(bands->names[k], rft_resource_name(bound->resource, bound->pipe)) != 0) {
                fail_msg("%s: %s at %g, where %s holds the best back", run->sweeps[profile->sweep].sweep.name,
                         bands->names[k], x, rft_resource_name(bound->resource, bound->pipe));
            }
        }
    }
}

/* Where more work takes less time, beyond both intervals, no change of bound has a place. */
static void check_axes(const rft_run *run, size_t sweep, rft_arena *arena) {
    rft_profile *profiles = NULL;
    size_t count = rft_profiles_along_axes(run, sweep, SIZE_MAX, arena, &profiles);
    for (size_t i = 0; i < count; i++) {
        rft_transition *found = NULL;
        size_t transitions = rft_transitions_of(run, &profiles[i], arena, &found);
        check_bands(run, &profiles[i], arena);
        for (size_t k = 0; k < transitions; k++) {
            if (found[k].kind != RFT_TRANSITION_FOUND || found[k].by_clock) {
                continue;
            }
            for (size_t s = found[k].from; s < found[k].to; s++) {
                const rft_point *a = profiles[i].steps[s].best, *b = profiles[i].steps[s + 1].best;
                bool grows = a && b && rft_work_bytes(&b->work) >= rft_work_bytes(&a->work);
                if (grows && rft_point_measurement(b)->stats.high < rft_point_measurement(a)->stats.low) {
                    fail_msg("%s: a place at %g, though the times fall there while the work grows",
                             run->sweeps[sweep].sweep.name, found[k].where);
                }
            }
        }
    }
}

/* ---- the table of cards ---- */

#define CARDS_MOST 64
#define RUNS_MOST 256

typedef struct recorded_card {
    const char *device, *uuid;
    double values[RFT_PEERS_COUNT][RUNS_MOST];
    size_t known[RFT_PEERS_COUNT], runs;
} recorded_card;

static recorded_card cards[CARDS_MOST];
static size_t card_count;
static rft_arena *names;

static void keep_card(const rft_run *run) {
    size_t at = 0;
    while (at < card_count && strcmp(cards[at].uuid, run->gpu.uuid) != 0) {
        at++;
    }
    assert_true(at < CARDS_MOST && cards[at].runs < RUNS_MOST);
    recorded_card *card = &cards[at];
    if (at == card_count) {
        card->device = rft_arena_strdup(names, run->gpu.name);
        card->uuid = rft_arena_strdup(names, run->gpu.uuid);
        card_count++;
    }
    card->runs++;
    for (size_t what = 0; what < RFT_PEERS_COUNT; what++) {
        double value = what == RFT_CEILING_LAUNCH ? NAN : rft_peers_value(run, what); /* the host's */
        if (isfinite(value)) {
            card->values[what][card->known[what]++] = value;
        }
    }
}

/* Six digits: what is below is no matter of cards. */
static bool add_median(rft_str *text, const char *key, const recorded_card *card, size_t what, bool first) {
    size_t n = card->known[what];
    if (n > 0) {
        rft_str_addf(text, "%s\"%s\": %.6g", first ? "" : ", ", key, rft_stats_of(card->values[what], n).median);
    }
    return n > 0;
}

static void add_card(rft_str *text, const recorded_card *card) {
    rft_str_addf(text, "%s{\"device\": \"%s\", \"uuid\": \"%s\", \"runs\": %zu", text->length ? ",\n " : "[",
                 card->device, card->uuid, card->runs);
    add_median(text, "idle_w", card, RFT_PEERS_IDLE_W, false);
    add_median(text, "sm_clock_mhz", card, RFT_PEERS_CLOCK_MHZ, false);
    rft_str_add(text, ", \"ceilings\": {");
    bool first = true;
    for (size_t id = 0; id < RFT_CEILING_COUNT; id++) {
        first = !add_median(text, rft_ceiling_name((rft_ceiling_id)id), card, id, first) && first;
    }
    rft_str_add(text, "}}");
}

/* False: a recording failed before the last, and the table would be of the cards up to it. */
static bool all_cards_are_kept;

/* Behind all recordings. What differs is written, to be looked at and copied. */
static void table_of_cards_is_theirs(void **state) {
    const recordings *all = *state;
    rft_str text = RFT_STR_INIT;
    char *kept = NULL;
    size_t size = 0;
    rft_err err = RFT_ERR_INIT;
    if (all->named || !all_cards_are_kept) {
        skip();
    }
    for (size_t i = 0; i < card_count; i++) {
        add_card(&text, &cards[i]);
    }
    rft_str_add(&text, "]\n");
    rft_fs_read(&kept, &size, RFT_SOURCE_DIR "/sweeps/recorded/cards.json", 1 << 20, &err);
    if (!kept || strcmp(kept, rft_str_get(&text)) != 0) {
        rft_fs_write_atomic("cards.json", rft_str_get(&text), text.length, &err);
        fail_msg("sweeps/recorded/cards.json is not of these recordings: what is stands in cards.json here, copy it");
    }
    free(kept);
    rft_str_clear(&text);
}

/* None of these cards was found at fault: what "normal" allows must hold them all. */
static void check_normal(const rft_run *run, rft_run *const *table, size_t count, rft_arena *arena) {
    rft_peers peers = rft_peers_of(run, (const rft_run *const *)table, count, arena);
    for (size_t what = 0; what < RFT_PEERS_COUNT; what++) {
        const rft_peers_row *row = &peers.rows[what];
        if (row->verdict == RFT_PEERS_LOW || row->verdict == RFT_PEERS_HIGH) {
            fail_msg("%s of this card, %g, is called %s: the others read %g to %g",
                     what < RFT_CEILING_COUNT ? rft_ceiling_name((rft_ceiling_id)what) : "power at rest, or clock",
                     row->own, rft_peers_verdict_name(row->verdict), row->low, row->high);
        }
    }
}

static void every_recorded_figure_is_told_as_it_is(void **state) {
    const recordings *all = *state;
    size_t above = 0, points = 0, table_count = 0;
    rft_run **table = NULL;
    assert_int_equal(rft_card_table_load(&table, &table_count, RFT_SOURCE_DIR "/sweeps/recorded/cards.json", NULL), 0);
    for (size_t i = 0; i < all->count; i++) {
        rft_err err = RFT_ERR_INIT;
        rft_run *run = NULL;
        if (rft_store_load(&run, all->files[i], &err) != 0) {
            fail_msg("%s: %s", all->files[i], err.message);
        }
        print_message("%s\n", all->files[i]);
        keep_card(run);
        rft_arena *arena = rft_arena_new();
        check_normal(run, table, table_count, arena);
        for (size_t k = 0; k < run->point_count; k++) {
            if (rft_point_measurement(&run->points[k])) {
                check_point(run, &run->points[k], arena, &above);
                points++;
            }
        }
        for (size_t s = 0; s < run->sweep_count; s++) {
            check_ladder(run, s, arena);
            check_to_and_fro(run, s, arena);
            check_params(run, s, arena);
            check_axes(run, s, arena);
        }
        rft_arena_free(arena);
        rft_run_free(run);
    }
    all_cards_are_kept = true;
    rft_card_table_free(table, table_count);
    print_message("%zu of %zu points are above their roof, each with a cause\n", above, points);
}

int main(int argc, char **argv) {
    recordings all = recordings_of(argc, argv);
    if (all.count == 0) {
        return 77;
    }
    names = rft_arena_new();
    const struct CMUnitTest tests[] = {cmocka_unit_test_prestate(every_recorded_figure_is_told_as_it_is, &all),
                                       cmocka_unit_test_prestate(table_of_cards_is_theirs, &all)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rft_arena_free(names);
    recordings_clear(&all);
    return failed;
}
