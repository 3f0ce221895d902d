/* SPDX-License-Identifier: Apache-2.0 */
#include "model/roofline/card_peers.h"

#include "base/str.h"
#include "model/stats/repeat.h"

#include <math.h>
#include <string.h>

const char *rft_peers_verdict_name(rft_peers_verdict verdict) {
    static const char *const names[] = {"n/a", "no reference", "low", "normal", "high"};
    return names[verdict];
}

double rft_peers_value(const rft_run *run, size_t what) {
    if (what < RFT_CEILING_COUNT) {
        return rft_ceilings_rate(&run->ceilings, (rft_ceiling_id)what);
    }
    if (what == RFT_PEERS_IDLE_W) {
        return run->idle && run->idle->source ? run->idle->power_w : NAN;
    }
    const rft_ceiling *fp32 = &run->ceilings.items[RFT_CEILING_FP32];
    return fp32->measured ? fp32->clock_mhz : NAN;
}

/* The runs of other cards of the model; those of one card share its number. */
typedef struct cards {
    const rft_run **runs;
    size_t *card;
    size_t run_count, count;
} cards;

static bool is_named(const char *uuid) {
    return uuid && *uuid;
}

static cards gather(const rft_run *run, const rft_run *const *runs, size_t count, rft_arena *arena, rft_peers *out) {
    cards found = {rft_arena_calloc(arena, count + 1, sizeof *found.runs),
                   rft_arena_calloc(arena, count + 1, sizeof *found.card), 0, 0};
    for (size_t i = 0; i < count; i++) {
        const rft_run *other = runs[i];
        if (other == run || (run->info.id && rft_text_equal(other->info.id, run->info.id))) {
            continue;
        }
        if (!rft_text_equal(other->gpu.name, run->gpu.name)) {
            out->others++;
        } else if (!is_named(other->gpu.uuid)) {
            out->nameless++;
        } else if (rft_text_equal(other->gpu.uuid, run->gpu.uuid)) {
            out->own_runs++;
        } else {
            size_t card = found.count;
            for (size_t k = 0; k < found.run_count; k++) {
                card = rft_text_equal(found.runs[k]->gpu.uuid, other->gpu.uuid) ? found.card[k] : card;
            }
            found.count += card == found.count;
            found.card[found.run_count] = card;
            found.runs[found.run_count++] = other;
        }
    }
    return found;
}

static bool differs_more(size_t what) {
    return what == RFT_PEERS_IDLE_W || what == RFT_CEILING_L2_READ ||
           (what >= RFT_CEILING_TENSOR_FIRST && what < RFT_CEILING_TENSOR_END);
}

double rft_peers_margin_frac(size_t what) {
    return differs_more(what) ? RFT_PEERS_WIDE_MARGIN_FRAC : RFT_PEERS_MARGIN_FRAC;
}

/* How far from the others' mean one more card may lie by Student's t: they may not show their model's range. */
static double reach_of(const double *others, size_t count, double mean) {
    double squares = 0;
    for (size_t i = 0; i < count; i++) {
        squares += (others[i] - mean) * (others[i] - mean);
    }
    double n = (double)count;
    return rft_student_t(RFT_PEERS_TAIL, n - 1) * sqrt(squares / (n - 1) * (1 + 1 / n));
}

static rft_peers_verdict judge_row(const rft_peers_row *row, size_t what, const double *others) {
    double margin = rft_peers_margin_frac(what);
    if (isnan(row->own)) {
        return RFT_PEERS_UNKNOWN;
    }
    if (row->cards < RFT_PEERS_LEAST) {
        return RFT_PEERS_NONE;
    }
    double mean = rft_stats_of(others, row->cards).mean;
    double reach = reach_of(others, row->cards, mean);
    return row->own < fmin(row->low * (1 - margin), mean - reach)    ? RFT_PEERS_LOW
           : row->own > fmax(row->high * (1 + margin), mean + reach) ? RFT_PEERS_HIGH
                                                                     : RFT_PEERS_NORMAL;
}

static double share_below(const double *values, size_t count, double own) {
    double below = 0;
    for (size_t i = 0; i < count; i++) {
        below += values[i] < own ? 1.0 : values[i] == own ? 0.5 : 0.0;
    }
    return count < RFT_PEERS_RANKED || isnan(own) ? (double)NAN : below / (double)count;
}

static rft_peers_row row_of(const rft_run *run, const cards *others, size_t what, rft_arena *arena) {
    rft_peers_row row = {.own = rft_peers_value(run, what), .median = NAN, .low = NAN, .high = NAN, .below_frac = NAN};
    double *of_cards = rft_arena_calloc(arena, others->count + 1, sizeof *of_cards);
    double *of_runs = rft_arena_calloc(arena, others->run_count + 1, sizeof *of_runs);
    for (size_t card = 0; card < others->count; card++) {
        size_t n = 0;
        for (size_t i = 0; i < others->run_count; i++) {
            double value = others->card[i] == card ? rft_peers_value(others->runs[i], what) : NAN;
            if (isfinite(value)) {
                of_runs[n++] = value;
            }
        }
        if (n > 0) {
            of_cards[row.cards++] = rft_stats_of(of_runs, n).median;
        }
    }
    if (row.cards > 0) {
        rft_stats stats = rft_stats_of(of_cards, row.cards);
        row.median = stats.median;
        row.low = stats.min;
        row.high = stats.max;
    }
    row.below_frac = share_below(of_cards, row.cards, row.own);
    row.verdict = judge_row(&row, what, of_cards);
    return row;
}

rft_peers rft_peers_of(const rft_run *run, const rft_run *const *runs, size_t count, rft_arena *arena) {
    rft_peers peers = {0};
    cards others = gather(run, runs, count, arena, &peers);
    peers.cards = others.count;
    for (size_t what = 0; what < RFT_PEERS_COUNT; what++) {
        peers.rows[what] = row_of(run, &others, what, arena);
    }
    return peers;
}
