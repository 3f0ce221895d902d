/* SPDX-License-Identifier: Apache-2.0 */
/* A card beside others of its model. */
#include "unit/model_fixture.h"

#include "model/roofline/card_peers.h"

#define OTHERS 13 /* all that make() makes */
#define FEW 6

static void name_card(rft_run *run, const char *id, const char *uuid, double fp32) {
    run->info.id = id;
    run->gpu.name = "NVIDIA H200";
    run->gpu.uuid = uuid;
    fixture_ceiling(run, RFT_CEILING_FP32, fp32);
    fixture_ceiling(run, RFT_CEILING_TENSOR_FP16, fp32);
}

/* Cards a, b and c, b measured twice; then this very card again, a card of another model, and seven more like b. */
static void make(rft_run *runs[OTHERS], rft_run **own, double fp32) {
    static const char *const ids[OTHERS] = {"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13"};
    static const char *const uuids[OTHERS] = {"GPU-a", "GPU-b", "GPU-b", "GPU-c", "GPU-own", "GPU-x", "GPU-d",
                                              "GPU-e", "GPU-f", "GPU-g", "GPU-h", "GPU-i",   "GPU-j"};
    static const double rates[OTHERS] = {60e12, 61e12, 63e12, 64e12, 10e12, 1e12, 62e12,
                                         62e12, 62e12, 62e12, 62e12, 62e12, 62e12};
    for (size_t i = 0; i < OTHERS; i++) {
        runs[i] = fixture_run();
        name_card(runs[i], ids[i], uuids[i], rates[i]);
    }
    runs[5]->gpu.name = "NVIDIA H100";
    *own = fixture_run();
    name_card(*own, "0", "GPU-own", fp32);
}

static rft_peers compare(double fp32, size_t count) {
    rft_run *runs[OTHERS], *own;
    make(runs, &own, fp32);
    rft_arena *arena = rft_arena_new();
    const rft_run *given[OTHERS + 1] = {own};
    for (size_t i = 0; i < OTHERS; i++) {
        given[i + 1] = runs[i];
    }
    rft_peers peers = rft_peers_of(own, given, count, arena);
    for (size_t i = 0; i < OTHERS; i++) {
        rft_run_free(runs[i]);
    }
    rft_run_free(own);
    rft_arena_free(arena);
    return peers;
}

static void a_card_counts_once(void **state) {
    (void)state;
    rft_peers peers = compare(62e12, FEW + 1);
    const rft_peers_row *fp32 = &peers.rows[RFT_CEILING_FP32];
    assert_int_equal(peers.cards, 3);
    assert_int_equal(peers.own_runs, 1);
    assert_int_equal(peers.others, 1);
    assert_int_equal(fp32->cards, 3);
    assert_true(near(fp32->low, 60e12, 1e-12) && near(fp32->high, 64e12, 1e-12));
    assert_true(near(fp32->median, 62e12, 1e-12)); /* of 60, (61 + 63) / 2, 64 */
    assert_int_equal(fp32->verdict, RFT_PEERS_NORMAL);
}

static void outside_the_range_is_told(void **state) {
    (void)state;
    assert_int_equal(compare(58e12, OTHERS + 1).rows[RFT_CEILING_FP32].verdict, RFT_PEERS_LOW);
    assert_int_equal(compare(59.5e12, OTHERS + 1).rows[RFT_CEILING_FP32].verdict, RFT_PEERS_NORMAL);
    assert_int_equal(compare(66e12, OTHERS + 1).rows[RFT_CEILING_FP32].verdict, RFT_PEERS_HIGH);
    /* 1.6 % above the highest, but no further than ten cards that scatter by 1.5 % leave open (62 +- 3.65). */
    assert_int_equal(compare(65e12, OTHERS + 1).rows[RFT_CEILING_FP32].verdict, RFT_PEERS_NORMAL);
    /* Heat moves what the power limit holds. */
    assert_int_equal(compare(58e12, OTHERS + 1).rows[RFT_CEILING_TENSOR_FP16].verdict, RFT_PEERS_NORMAL);
    assert_int_equal(compare(56e12, OTHERS + 1).rows[RFT_CEILING_TENSOR_FP16].verdict, RFT_PEERS_LOW);
}

/* Three cards from 60 to 64 leave much to a fourth (Student, 99.5 %: 62 +- 33); one that is far from them is still
 * told.
 */
static void few_cards_show_no_range(void **state) {
    (void)state;
    assert_int_equal(compare(58e12, FEW + 1).rows[RFT_CEILING_FP32].verdict, RFT_PEERS_NORMAL);
    assert_int_equal(compare(65e12, FEW + 1).rows[RFT_CEILING_FP32].verdict, RFT_PEERS_NORMAL);
    assert_int_equal(compare(28e12, FEW + 1).rows[RFT_CEILING_FP32].verdict, RFT_PEERS_LOW);
    assert_int_equal(compare(96e12, FEW + 1).rows[RFT_CEILING_FP32].verdict, RFT_PEERS_HIGH);
}

static void two_cards_are_no_reference(void **state) {
    (void)state;
    rft_peers peers = compare(58e12, 4); /* itself, a, b, b again */
    assert_int_equal(peers.cards, 2);
    assert_int_equal(peers.rows[RFT_CEILING_FP32].verdict, RFT_PEERS_NONE);
    assert_true(near(peers.rows[RFT_CEILING_FP32].median, 61e12, 1e-12));
}

static void what_was_not_measured_is_not_judged(void **state) {
    (void)state;
    rft_peers peers = compare(62e12, FEW + 1);
    assert_true(isnan(peers.rows[RFT_PEERS_IDLE_W].own));
    assert_int_equal(peers.rows[RFT_PEERS_IDLE_W].verdict, RFT_PEERS_UNKNOWN);
    assert_true(isnan(peers.rows[RFT_PEERS_IDLE_W].median));
}

static void a_run_without_a_uuid_tells_no_card(void **state) {
    (void)state;
    rft_run *own = fixture_run(), *other = fixture_run();
    rft_arena *arena = rft_arena_new();
    name_card(own, "0", "GPU-own", 60e12);
    name_card(other, "1", "", 60e12);
    const rft_run *given[] = {other};
    rft_peers peers = rft_peers_of(own, given, 1, arena);
    assert_int_equal(peers.cards, 0);
    assert_int_equal(peers.nameless, 1);
    rft_run_free(own);
    rft_run_free(other);
    rft_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_card_counts_once),
        cmocka_unit_test(outside_the_range_is_told),
        cmocka_unit_test(few_cards_show_no_range),
        cmocka_unit_test(two_cards_are_no_reference),
        cmocka_unit_test(what_was_not_measured_is_not_judged),
        cmocka_unit_test(a_run_without_a_uuid_tells_no_card),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
