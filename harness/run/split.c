/* SPDX-License-Identifier: Apache-2.0 */
#include "run/split.h"

#include "run/plan/job.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LOOK_NS 5000000 /* between two looks at the board */

/* One variant on one problem. */
typedef struct split_part {
    uint64_t offset; /* of its first slot */
    uint64_t count;
    size_t common, common_at; /* how many of its first ones all cards measure, and the first's place among those */
    uint64_t number;
} split_part;

struct rft_split {
    const rft_exec_opts *opts;
    const rft_recorder *recorder;
    rft_arena *arena;
    split_part **parts;      /* [sweep][variant * problem_count + problem] */
    rft_race_noise **noises; /* [sweep][problem] */
};

static const split_part *part_of(const rft_split *split, rft_job_place at) {
    return &split->parts[at.sweep][at.variant * split->opts->plan->sweeps[at.sweep]->problem_count + at.problem];
}

/* Spread over the sweep's parts. */
static void choose_common(split_part *parts, size_t count, uint64_t total, size_t *common) {
    uint64_t wanted = total / 20 < RFT_SPLIT_COMMON_LEAST  ? RFT_SPLIT_COMMON_LEAST
                      : total / 20 > RFT_SPLIT_COMMON_MOST ? RFT_SPLIT_COMMON_MOST
                                                           : total / 20;
    wanted = wanted < total / 4 ? wanted : total / 4;
    uint64_t before = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t from = before * wanted / (total ? total : 1);
        before += parts[i].count;
        parts[i].common = (size_t)(before * wanted / (total ? total : 1) - from);
        parts[i].common_at = *common;
        *common += parts[i].common;
    }
}

static int lay_out(rft_split *split, rft_err *err) {
    const rft_plan *plan = split->opts->plan;
    uint64_t slots = 0, numbered = 0;
    size_t common = 0;
    split->parts = rft_arena_calloc(split->arena, plan->sweep_count, sizeof(split_part *));
    split->noises = rft_arena_calloc(split->arena, plan->sweep_count, sizeof(rft_race_noise *));
    for (size_t s = 0; s < plan->sweep_count; s++) {
        const rft_sweep *sweep = plan->sweeps[s];
        const size_t count = sweep->variant_count * sweep->problem_count;
        const uint64_t first = slots;
        split->parts[s] = rft_arena_calloc(split->arena, count + 1, sizeof(split_part));
        split->noises[s] = rft_arena_calloc(split->arena, sweep->problem_count, sizeof(rft_race_noise));
        for (size_t i = 0; i < count; i++) {
            const rft_space *space = rft_plan_space(plan, s, i / sweep->problem_count, i % sweep->problem_count);
            const bool timed = space && !sweep->problems[i % sweep->problem_count].odd;
            if (timed && !rft_space_exact(space)) {
                rft_err_set(err, RFT_E_SPACE, "sweep %s: %s has too many configurations to be divided", sweep->name,
                            sweep->variants[i / sweep->problem_count].name);
                return rft_err_remedy(err, "name a part (--at, --set), or search it without --split");
            }
            const uint64_t size = timed ? rft_space_count(space) : 0;
            split->parts[s][i] = (split_part){.offset = slots, .count = size, .number = numbered++};
            slots += split->parts[s][i].count;
        }
        choose_common(split->parts[s], count, slots - first, &common);
    }
    return rft_board_size(split->opts->board, slots, numbered, err);
}

int rft_split_new(rft_split **out, const rft_exec_opts *opts, const rft_recorder *recorder, rft_err *err) {
    rft_arena *arena = rft_arena_new();
    rft_split *split = *out = rft_arena_alloc(arena, sizeof *split);
    *split = (rft_split){.opts = opts, .recorder = recorder, .arena = arena};
    return lay_out(split, err);
}

void rft_split_free(rft_split *split) {
    if (split) {
        rft_arena_free(split->arena);
    }
}

static bool is_default(const rft_split *split, rft_job_place at, uint64_t index, rft_value *config) {
    const rft_space *space = rft_plan_space(split->opts->plan, at.sweep, at.variant, at.problem);
    const rft_variant *variant = &split->opts->plan->sweeps[at.sweep]->variants[at.variant];
    bool is = true;
    rft_space_get(space, index, config);
    for (size_t i = 0; i < variant->param_count; i++) {
        is = is && rft_value_equal(&config[i], &variant->params[i].default_value);
    }
    return is;
}

/* All of a part: the defaults, then the order of their hashes, the same on every card. Defaults are contenders anyway,
 * and a good time early lets the race work from the start. */
static size_t list_part(const rft_split *split, rft_job_place at, rft_arena *arena, uint64_t **out) {
    const rft_plan *plan = split->opts->plan;
    const rft_sweep *sweep = plan->sweeps[at.sweep];
    const size_t count = rft_shard_list((rft_shard){1, 1}, sweep, at.variant, sweep->problems[at.problem].values,
                                        rft_plan_space(plan, at.sweep, at.variant, at.problem), arena, out);
    uint64_t *order = *out;
    rft_value *config = rft_arena_calloc(arena, sweep->variants[at.variant].param_count + 1, sizeof *config);
    for (size_t i = 0; i < count; i++) {
        if (is_default(split, at, order[i], config)) {
            const uint64_t index = order[i];
            memmove(order + 1, order, i * sizeof *order);
            order[0] = index;
            break;
        }
    }
    return count;
}

/* ---- what a card takes ---- */

typedef struct proposal {
    uint64_t index;
    size_t position;
} proposal;

typedef struct claims {
    rft_strategy base;
    rft_board *board;
    const split_part *part;
    rft_arena *arena;
    uint64_t *order; /* indices, by position */
    size_t count;
    bool *own;        /* by position: known, or common */
    size_t own_next;  /* position */
    size_t free_next; /* no position before it is free */
    proposal *open;   /* proposed, neither told nor lost; heap */
    size_t open_count, open_capacity;
} claims;

static size_t propose(claims *self, size_t position, uint64_t *out) {
    RFT_GROW(self->open, self->open_capacity, self->open_count + 1);
    self->open[self->open_count++] = (proposal){self->order[position], position};
    *out = self->order[position];
    return 1;
}

static size_t claims_ask(rft_strategy *base, uint64_t *out, size_t most) {
    claims *self = (claims *)base;
    for (; most > 0 && self->own_next < self->count; self->own_next++) {
        if (self->own[self->own_next]) {
            return propose(self, self->own_next++, out);
        }
    }
    for (; most > 0 && self->free_next < self->count; self->free_next++) {
        const size_t at = self->free_next;
        if (!self->own[at] && rft_board_ask(self->board, self->part->offset + at, false)) {
            self->free_next++;
            return propose(self, at, out);
        }
    }
    /* The last in line of another card; one at a time, and only with nothing else to do. */
    for (size_t at = self->count; most > 0 && self->open_count == 0 && at-- > 0;) {
        if (!self->own[at] && rft_board_ask(self->board, self->part->offset + at, true)) {
            return propose(self, at, out);
        }
    }
    return 0;
}

static proposal *find_open(claims *self, uint64_t index) {
    for (size_t i = 0; i < self->open_count; i++) {
        if (self->open[i].index == index) {
            return &self->open[i];
        }
    }
    return NULL;
}

static void close_proposal(claims *self, proposal *p) {
    *p = self->open[--self->open_count];
}

bool rft_split_take(rft_strategy *strategy, uint64_t index) {
    claims *self = (claims *)strategy;
    proposal *p = find_open(self, index);
    if (!p || self->own[p->position] || rft_board_take(self->board, self->part->offset + p->position)) {
        return true;
    }
    close_proposal(self, p);
    return false;
}

static void claims_tell(rft_strategy *base, const rft_tell *told) {
    claims *self = (claims *)base;
    proposal *p = find_open(self, told->index);
    if (!p) {
        return;
    }
    if (p->position < self->part->common) {
        rft_board_put_common(self->board, self->part->common_at + p->position, told->seconds);
    } else {
        rft_board_done(self->board, self->part->offset + p->position, told->seconds);
    }
    close_proposal(self, p);
}

static void claims_free(rft_strategy *base) {
    claims *self = (claims *)base;
    free(self->open);
    rft_arena_free(self->arena);
}

/* What this card measured in an earlier session is its own, unless another was sooner. */
static void take_known(const rft_split *split, claims *self, rft_job_place at) {
    const rft_space *space = rft_plan_space(split->opts->plan, at.sweep, at.variant, at.problem);
    const size_t params = rft_space_variant(space)->param_count;
    rft_value *config = rft_arena_calloc(self->arena, params + 1, sizeof *config);
    for (size_t i = 0; i < self->count; i++) {
        char key[RFT_HASH_HEX_SIZE];
        rft_space_get(space, self->order[i], config);
        rft_job_key(at, config, params, key);
        if (i >= self->part->common && rft_recorder_find(split->recorder, key) > 0) {
            self->own[i] = true;
            rft_board_take(self->board, self->part->offset + i);
        }
    }
}

rft_strategy *rft_split_strategy(rft_split *split, rft_job_place at) {
    rft_arena *arena = rft_arena_new();
    claims *self = rft_arena_alloc(arena, sizeof *self);
    *self = (claims){
        .base = {.name = "split", .ask = claims_ask, .tell = claims_tell, .free = claims_free, .any_order = true},
        .board = split->opts->board,
        .part = part_of(split, at),
        .arena = arena};
    self->count = list_part(split, at, arena, &self->order);
    self->own = rft_arena_calloc(arena, self->count + 1, sizeof *self->own);
    for (size_t i = 0; i < self->part->common && i < self->count; i++) {
        self->own[i] = true;
    }
    if (split->opts->run->point_count > 0) {
        take_known(split, self, at);
    }
    return &self->base;
}

/* ---- how cards compare ---- */

/* Its times over the first card's that has any, by what both measured; 1 where nothing tells. */
static double scale_of(const rft_board *board, unsigned card) {
    double ratios[RFT_BOARD_COMMONS];
    for (unsigned base = 0; base < card; base++) {
        size_t n = 0;
        for (size_t i = 0; i < RFT_BOARD_COMMONS; i++) {
            const double ratio = rft_board_common(board, card, i) / rft_board_common(board, base, i);
            if (isfinite(ratio)) {
                ratios[n++] = ratio;
            }
        }
        if (n > 0) {
            return rft_median_of(ratios, n);
        }
    }
    return 1.0;
}

/* ---- the race against the other cards ---- */

void rft_split_put_time(rft_split *split, rft_job_place at, double seconds, double clock_mhz) {
    rft_board *board = split->opts->board;
    const uint64_t part = part_of(split, at)->number;
    double best_s = 0, best_mhz = 0;
    if (!rft_board_best(board, rft_board_card(board), part, &best_s, &best_mhz) || seconds < best_s) {
        rft_board_put_best(board, part, seconds, clock_mhz);
    }
}

rft_race_noise *rft_split_noise(rft_split *split, size_t sweep, size_t problem) {
    return &split->noises[sweep][problem];
}

/* Do enough common configurations tell how this card compares with that one? */
static bool is_compared(const rft_board *board, unsigned card) {
    size_t n = 0;
    for (size_t i = 0; i < RFT_BOARD_COMMONS; i++) {
        n += isfinite(rft_board_common(board, card, i) / rft_board_common(board, rft_board_card(board), i)) ? 1 : 0;
    }
    return n >= RFT_SPLIT_COMMON_LEAST;
}

rft_split_rival rft_split_part_rival(const rft_split *split, rft_job_place at) {
    const rft_board *board = split->opts->board;
    const unsigned me = rft_board_card(board);
    rft_split_rival rival = RFT_SPLIT_NO_RIVAL;
    for (unsigned c = 0; c < rft_board_cards(board) && c < RFT_BOARD_CARDS; c++) {
        double seconds = 0, clock_mhz = 0;
        if (!rft_board_best(board, c, part_of(split, at)->number, &seconds, &clock_mhz) ||
            (c != me && !is_compared(board, c))) {
            continue;
        }
        seconds *= c == me ? 1 : (1 + RFT_SPLIT_RIVAL_FRAC) * scale_of(board, me) / scale_of(board, c);
        rival = seconds < rival.seconds ? (rft_split_rival){seconds, clock_mhz} : rival;
    }
    return rival;
}

rft_split_rival rft_split_problem_rival(const rft_split *split, rft_job_place at) {
    rft_split_rival rival = RFT_SPLIT_NO_RIVAL;
    for (at.variant = 0; at.variant < split->opts->plan->sweeps[at.sweep]->variant_count; at.variant++) {
        const rft_split_rival part = rft_split_part_rival(split, at);
        rival = part.seconds < rival.seconds ? part : rival;
    }
    return rival;
}

/* ---- behind the first round ---- */

bool rft_split_meet(const rft_exec_opts *opts, rft_board *board, double patience_s, bool *stopped) {
    const struct timespec nap = {.tv_nsec = LOOK_NS};
    uint64_t pulse = rft_board_pulse(board);
    int64_t since_ns = opts->clock->monotonic_ns(opts->clock->self);
    const unsigned times = rft_board_arrive(board);
    while (!*stopped && !rft_board_all_there(board, times)) {
        nanosleep(&nap, NULL);
        *stopped = opts->stop && opts->stop(opts->payload);
        const int64_t now_ns = opts->clock->monotonic_ns(opts->clock->self);
        if (rft_board_pulse(board) != pulse) {
            pulse = rft_board_pulse(board);
            since_ns = now_ns;
        } else if ((double)(now_ns - since_ns) * 1e-9 > patience_s) {
            return false;
        }
    }
    return true;
}

typedef struct split_contender {
    double seconds; /* scaled */
    size_t variant, position;
    unsigned card;
} split_contender;

static int compare_contenders(const void *a, const void *b) {
    const split_contender *x = a, *y = b;
    return x->seconds != y->seconds ? (x->seconds < y->seconds ? -1 : 1) : (int)x->card - (int)y->card;
}

/* Everything timed of a problem, the fastest first. */
static size_t rank_problem(const rft_split *split, rft_job_place at, rft_arena *arena, split_contender **out) {
    const rft_board *board = split->opts->board;
    const size_t variants = split->opts->plan->sweeps[at.sweep]->variant_count;
    double scales[RFT_BOARD_CARDS];
    size_t most = 0, n = 0;
    for (unsigned c = 0; c < rft_board_cards(board) && c < RFT_BOARD_CARDS; c++) {
        scales[c] = scale_of(board, c);
    }
    for (size_t v = 0; v < variants; v++) {
        most += (size_t)part_of(split, (rft_job_place){at.sweep, v, at.problem})->count;
    }
    split_contender *all = rft_arena_calloc(arena, most + 1, sizeof *all);
    for (size_t v = 0; v < variants; v++) {
        const split_part *p = part_of(split, (rft_job_place){at.sweep, v, at.problem});
        for (size_t i = p->common; i < p->count; i++) {
            split_contender c = {.variant = v, .position = i};
            if (rft_board_look(board, p->offset + i, &c.card, &c.seconds) && c.seconds > 0) {
                c.seconds /= scales[c.card];
                all[n++] = c;
            }
        }
    }
    if (n > 1) {
        qsort(all, n, sizeof *all, compare_contenders);
    }
    *out = all;
    return n;
}

size_t rft_split_contenders(const rft_split *split, rft_job_place at, rft_arena *arena, uint64_t **out) {
    const unsigned me = rft_board_card(split->opts->board);
    const rft_variant *variant = &split->opts->plan->sweeps[at.sweep]->variants[at.variant];
    split_contender *ranked = NULL;
    uint64_t *order = NULL;
    const size_t n = rank_problem(split, at, arena, &ranked);
    list_part(split, at, arena, &order);
    rft_value *config = rft_arena_calloc(arena, variant->param_count + 1, sizeof *config);
    uint64_t *chosen = rft_arena_calloc(arena, n + 1, sizeof *chosen);
    bool first = true;
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        const split_contender *c = &ranked[i];
        if (c->variant != at.variant) {
            continue;
        }
        const bool near = i < RFT_SPLIT_CONTENDERS && c->seconds <= (1 + RFT_SPLIT_WITHIN_FRAC) * ranked[0].seconds;
        const bool belongs = near || first || is_default(split, at, order[c->position], config);
        first = false;
        if (belongs && c->card != me) {
            chosen[count++] = order[c->position];
        }
    }
    *out = chosen;
    return count;
}
