/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/findings/buyer.h"

#include "base/str.h"
#include "model/roofline/amount.h"
#include "model/roofline/placement.h"

#include <math.h>

const char *rft_words_plain_ceiling(rft_ceiling_id id, rft_arena *arena) {
    const char *label = rft_ceiling_label(id);
    if (id < RFT_CEILING_FP64 || id >= RFT_CEILING_TENSOR_END) {
        return label;
    }
    size_t length = 0; /* the type of number: the label's first word */
    while (label[length] && label[length] != ' ') {
        length++;
    }
    return id == RFT_CEILING_SFU             ? "arithmetic units, exponentials"
           : id >= RFT_CEILING_TENSOR_FIRST  ? rft_arena_printf(arena, "matrix units, %.*s", (int)length, label)
           : id >= RFT_CEILING_ATOMICS_FIRST ? label
                                             : rft_arena_printf(arena, "arithmetic units, %.*s", (int)length, label);
}

/* By ceiling: how much of the workload it makes the roof of, and how much has operations on its pipe. */
typedef struct pipe_weights {
    double roof[RFT_CEILING_COUNT + 1], used[RFT_CEILING_COUNT + 1];
} pipe_weights;

static pipe_weights weigh_pipes(const rft_buyer *buyer) {
    pipe_weights weights = {.roof = {0}};
    for (size_t i = 0; i < buyer->asked->item_count; i++) {
        const rft_speed_item *item = &buyer->asked->items[i];
        if (!item->best) {
            continue;
        }
        rft_placement place = rft_placement_of(buyer->given.run, item->best);
        weights.roof[rft_placement_ceiling(buyer->given.run, item->best, &place)] += item->weight;
        for (int pipe = 0; pipe < RFT_PIPE_COUNT; pipe++) {
            weights.used[rft_amount_pipe_ceiling((rft_pipe)pipe)] +=
                item->best->work.pipe_ops[pipe] > 0 ? item->weight : 0;
        }
    }
    return weights;
}

static bool asks_more(const pipe_weights *weights, rft_ceiling_id one, rft_ceiling_id other) {
    if (weights->roof[one] != weights->roof[other]) {
        return weights->roof[one] > weights->roof[other];
    }
    return weights->used[one] != weights->used[other] ? weights->used[one] > weights->used[other]
                                                      : one == RFT_CEILING_FP32;
}

rft_ceiling_id rft_buyer_chief_pipe(const rft_buyer *buyer) {
    const pipe_weights weights = weigh_pipes(buyer);
    rft_ceiling_id chief = RFT_CEILING_COUNT;
    for (int i = RFT_CEILING_FP64; i < RFT_CEILING_TENSOR_END; i++) {
        bool known = isfinite(rft_ceilings_rate(&buyer->given.run->ceilings, (rft_ceiling_id)i)) &&
                     (i < RFT_CEILING_ATOMICS_FIRST || i >= RFT_CEILING_ATOMICS_END);
        if (known && (chief == RFT_CEILING_COUNT || asks_more(&weights, (rft_ceiling_id)i, chief))) {
            chief = (rft_ceiling_id)i;
        }
    }
    return chief;
}

bool rft_buyer_has_no_meter(const rft_run *run) {
    const rft_env_item *item = rft_env_get(&run->env, "nvml.power_w");
    return item && !item->value;
}

double rft_buyer_power_w(const rft_run *run, const rft_load **load) {
    double most = NAN;
    *load = NULL;
    for (size_t i = 0; i < run->point_count; i++) {
        for (int kind = 0; kind < RFT_LOAD_POINT_KINDS; kind++) {
            const rft_load *one = run->points[i].loads[kind];
            if (one && one->source && isfinite(one->power_w) && !(one->power_w <= most)) {
                most = one->power_w;
                *load = one;
            }
        }
    }
    return most;
}

/* The first whose figure stands, else the first that has one, else the first. */
static const rft_speed *better_of(const rft_speed *before, const rft_speed *one) {
    bool told = before && isfinite(one->ratio.ratio) && isnan(before->ratio.ratio);
    return !before || told || (rft_speed_stands(one) && !rft_speed_stands(before)) ? one : before;
}

/* Of the references, and of the cards that come with the program but this one: that is no run to tell of. */
static rft_peers peers_of(const rft_buyer_given *given, rft_arena *arena) {
    const rft_run **all = rft_arena_calloc(arena, given->reference_count + given->card_count + 1, sizeof *all);
    size_t count = 0;
    for (size_t i = 0; i < given->reference_count; i++) {
        all[count++] = given->references[i];
    }
    for (size_t i = 0; i < given->card_count; i++) {
        const rft_gpu_info *card = &given->cards[i]->gpu;
        if (rft_text_equal(card->name, given->run->gpu.name) && !rft_text_equal(card->uuid, given->run->gpu.uuid)) {
            all[count++] = given->cards[i];
        }
    }
    return rft_peers_of(given->run, all, count, arena);
}

rft_buyer *rft_buyer_of(const rft_buyer_given *given, rft_arena *arena) {
    rft_buyer *buyer = rft_arena_calloc(arena, 1, sizeof *buyer);
    rft_speed_reference *references = NULL;
    buyer->given = *given;
    const rft_mix_total *mix = NULL;
    for (size_t i = 0; i < given->mix_count && !mix; i++) {
        mix = given->mixes[i]->missing_count == 0 ? given->mixes[i] : NULL;
    }
    buyer->asked = rft_speed_asked_of(given->run, mix, arena);
    buyer->speed_count = rft_speed_references_of(given->run, given->references, given->reference_count,
                                                 given->shipped_count, arena, &references);
    buyer->speeds = rft_arena_calloc(arena, buyer->speed_count + 1, sizeof *buyer->speeds);
    for (size_t i = 0; i < buyer->speed_count; i++) {
        buyer->speeds[i] = rft_speed_of(buyer->asked, &references[i], arena);
        buyer->chief = better_of(buyer->chief, &buyer->speeds[i]);
    }
    buyer->peers = peers_of(given, arena);
    buyer->sample = given->parts ? rft_run_sample_of(given->parts, given->part_count, arena)
                                 : rft_run_sample_of(&given->run, 1, arena);
    return buyer;
}

bool rft_buyer_has_chart(const rft_buyer *buyer) {
    return buyer->given.run->sweep_count <= RFT_BUYER_CHARTED && !buyer->asked->mix;
}

rft_finding *rft_finding_buyer(const rft_buyer *buyer, rft_arena *arena) {
    rft_finding *f = rft_finding_new(arena);
    rft_finding_add(f, "answer", rft_finding_answer(buyer, arena));
    rft_finding_add(f, "normal", rft_finding_normal(buyer, arena));
    rft_finding_add(f, "limited_by", rft_finding_limiting(buyer, arena));
    rft_finding_add(f, "questions", rft_finding_questions(buyer, arena));
    return f;
}
