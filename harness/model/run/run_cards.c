/* SPDX-License-Identifier: Apache-2.0 */
#include "model/run/run_cards.h"

#include "base/json.h"
#include "base/str.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CARDS_MOST 20000

static double above_zero(const json_t *item, const char *key) {
    const double value = rft_json_real_or(item, key, (double)NAN);
    return value > 0 ? value : (double)NAN;
}

static size_t count_or_none(const json_t *item, const char *key) {
    const int64_t value = rft_json_int_or(item, key, 0);
    return value > 0 ? (size_t)value : 0;
}

static const char *text_of(const json_t *item, const char *key, rft_arena *arena) {
    const char *text = rft_json_text_or(item, key, NULL);
    return text ? rft_arena_strdup(arena, text) : NULL;
}

void rft_run_fill_cards(rft_run *run) {
    const char *text = rft_env_value(&run->env, RFT_ENV_CARDS);
    rft_err ignored = RFT_ERR_INIT;
    json_t *list = NULL;
    run->cards = NULL;
    run->card_count = 0;
    if (!text || rft_json_parse(&list, text, strlen(text), RFT_ENV_CARDS, &ignored) != RFT_OK) {
        return;
    }
    const size_t count = json_array_size(list) < CARDS_MOST ? json_array_size(list) : CARDS_MOST;
    rft_run_card *cards = rft_arena_calloc(run->arena, count + 1, sizeof *cards);
    for (size_t i = 0; i < count; i++) {
        const json_t *item = json_array_get(list, i);
        rft_run_card card = {.uuid = text_of(item, "uuid", run->arena), .shard = text_of(item, "shard", run->arena)};
        card.first = rft_json_int_or(item, "first", 1);
        card.last = rft_json_int_or(item, "last", 0);
        card.timed = count_or_none(item, "timed");
        card.common = count_or_none(item, "common");
        card.ratio = above_zero(item, "ratio");
        card.low = above_zero(item, "low");
        card.high = above_zero(item, "high");
        card.end = text_of(item, "end", run->arena);
        if (card.uuid) {
            cards[run->card_count++] = card;
        }
    }
    run->cards = cards;
    json_decref(list);
}

static json_t *text_or_null(const char *text) {
    return text ? rft_json_clean_text(text, 0) : json_null();
}

void rft_run_put_cards(rft_run *run, const rft_run_card *cards, size_t count) {
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        const rft_run_card *card = &cards[i];
        json_t *item = json_object();
        json_object_set_new(item, "uuid", text_or_null(card->uuid));
        json_object_set_new(item, "shard", text_or_null(card->shard));
        json_object_set_new(item, "first", json_integer(card->first));
        json_object_set_new(item, "last", json_integer(card->last));
        json_object_set_new(item, "timed", json_integer((json_int_t)card->timed));
        json_object_set_new(item, "common", json_integer((json_int_t)card->common));
        json_object_set_new(item, "ratio", rft_json_real_new(card->ratio));
        json_object_set_new(item, "low", rft_json_real_new(card->low));
        json_object_set_new(item, "high", rft_json_real_new(card->high));
        json_object_set_new(item, "end", text_or_null(card->end));
        json_array_append_new(list, item);
    }
    size_t size = 0;
    char *text = rft_json_dump(list, &size);
    rft_env_set(&run->env, run->arena, RFT_ENV_CARDS, rft_arena_strndup(run->arena, text, size), NULL);
    free(text);
    json_decref(list);
    rft_run_fill_cards(run);
}

void rft_run_leave_card(rft_run *run) {
    const size_t count = run->card_count;
    rft_run_card *cards = rft_arena_calloc(run->arena, count + 1, sizeof *cards);
    rft_run_card own = {.uuid = run->gpu.uuid, .first = 1, .last = (int64_t)run->point_count};
    own.ratio = own.low = own.high = NAN;
    for (size_t i = 0; i < count; i++) {
        cards[i] = run->cards[i];
        own.first = cards[i].last >= own.first ? cards[i].last + 1 : own.first;
    }
    for (int64_t i = own.first; i <= own.last; i++) {
        own.timed += rft_outcome_is_measured(run->points[i - 1].outcome);
    }
    if (own.last >= own.first) {
        cards[count] = own;
        rft_run_put_cards(run, cards, count + 1);
    }
}

/* They follow one another: the last that begins at or before it. */
const rft_run_card *rft_run_first_card(const rft_run *run, int64_t id) {
    for (size_t i = 0; i < run->card_count; i++) {
        if (id >= run->cards[i].first && id <= run->cards[i].last) {
            return &run->cards[i];
        }
    }
    return NULL;
}

bool rft_run_cards_compare(const rft_run *run) {
    bool compare = run->card_count == 0 || rft_text_equal(run->cards[0].uuid, run->gpu.uuid); /* by the first */
    for (size_t i = 1; i < run->card_count; i++) {
        const rft_run_card *card = &run->cards[i];
        const bool other = card->last >= card->first && !rft_text_equal(card->uuid, run->cards[0].uuid);
        compare = compare && (!other || card->ratio > 0);
    }
    return compare;
}

const rft_run_card *rft_run_other_card(const rft_run *run, const rft_point *point) {
    const rft_run_card *card = run->card_count && point->rounds[1].n == 0 ? rft_run_first_card(run, point->id) : NULL;
    return card && !rft_text_equal(card->uuid, run->gpu.uuid) ? card : NULL;
}

double rft_run_first_s(const rft_run *run, const rft_point *point) {
    const rft_run_card *card = rft_run_first_card(run, point->id);
    const bool scales = card && !rft_text_equal(card->uuid, run->gpu.uuid) && card->ratio > 0;
    return point->rounds[0].stats.median / (scales ? card->ratio : 1.0);
}
