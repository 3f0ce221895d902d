/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/search_replay.h"

#include "base/arena.h"
#include "base/clock.h"
#include "bench/search_wall.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct replaying {
    const search_replay *replay;
    search_replayed *out;
    search_wall wall;
    rft_strategy *strategy, *fork; /* NULL: none since the last tell */
    double *compiled_s;            /* by configuration; NaN: not asked for */
    bool *guessed;
    size_t asked, told, forked; /* by the fork */
    bool chosen;                /* what is measured next, while the one before it was */
    rft_ready *ready;           /* scratch: what is compiled... */
    size_t *places;             /* ...and where it stands in the order of asking */
} replaying;

static double compile(replaying *r, uint64_t index) {
    if (isnan(r->compiled_s[index])) {
        r->compiled_s[index] = search_wall_compile(&r->wall, index);
    }
    return r->compiled_s[index];
}

static void ask(replaying *r, size_t ahead) {
    while (r->asked - r->told < ahead && r->strategy->ask(r->strategy, &r->out->order[r->asked], 1)) {
        const uint64_t index = r->out->order[r->asked++];
        r->out->guessed_right += r->guessed[index];
        compile(r, index);
    }
}

static void forget_fork(replaying *r) {
    r->forked = 0;
    if (r->fork) {
        r->fork->free(r->fork);
        r->fork = NULL;
    }
}

static bool is_short(const replaying *r) {
    for (size_t i = r->told; i < r->asked; i++) {
        if (r->compiled_s[r->out->order[i]] > r->wall.now_s) {
            return true;
        }
    }
    return false;
}

/* As harness/run/foresight.c does: where all that was asked for is compiled, the device will not wait. */
static void guess(replaying *r) {
    uint64_t index = 0;
    while (r->replay->guesses && r->strategy->fork && search_wall_idle(&r->wall) > 0 && is_short(r) &&
           r->forked < r->wall.workers) {
        r->fork = r->fork ? r->fork : r->strategy->fork(r->strategy);
        if (r->fork->ask(r->fork, &index, 1) == 0) {
            return;
        }
        r->forked++;
        if (isnan(r->compiled_s[index])) {
            r->guessed[index] = true;
            r->out->guessed++;
            compile(r, index);
        }
    }
}

static bool is_compiled(const replaying *r, uint64_t index) {
    return r->wall.workers == 0 || r->compiled_s[index] <= r->wall.now_s;
}

static bool keeps_order(const replaying *r) {
    return r->replay->in_order || !r->strategy->promise;
}

/* Puts what is measured next before the others, as harness/run/lookahead.c chooses; false: it is not compiled. */
static bool choose(replaying *r) {
    uint64_t *order = r->out->order;
    size_t count = 0;
    if (r->chosen || keeps_order(r)) {
        return r->chosen || is_compiled(r, order[r->told]);
    }
    for (size_t i = r->told; i < r->asked; i++) {
        if (is_compiled(r, order[i])) {
            r->ready[count] = (rft_ready){order[i], r->compiled_s[order[i]]};
            r->places[count++] = i;
        }
    }
    if (count == 0) {
        return false;
    }
    const size_t at = r->places[rft_strategy_next_of(r->strategy, r->ready, count, r->told)];
    const uint64_t index = order[at];
    memmove(order + r->told + 1, order + r->told, (at - r->told) * sizeof *order);
    order[r->told] = index;
    return true;
}

static void take(replaying *r) {
    const search_recording *recording = r->replay->recording;
    guess(r);
    while (!choose(r)) {
        r->wall.now_s = fmin(search_wall_next_s(&r->wall),
                             keeps_order(r) ? r->compiled_s[r->out->order[r->told]] : (double)INFINITY);
        guess(r);
    }
    const uint64_t index = r->out->order[r->told++];
    const double seconds = recording->seconds[index];
    r->chosen = false;
    r->chosen = r->replay->workers > 0 && r->told < r->asked && choose(r); /* while the device is at work */
    search_wall_measure(&r->wall, index, r->wall.now_s);
    r->out->end_s[r->told - 1] = r->wall.now_s;
    forget_fork(r);
    r->strategy->tell(r->strategy, &(rft_tell){.index = index,
                                               .outcome = isnan(seconds) ? RFT_OUTCOME_LAUNCH_FAILED : RFT_OUTCOME_OK,
                                               .seconds = seconds,
                                               .hints = RFT_HINTS_INIT});
}

static void replay_any_order(replaying *r) {
    search_replayed *out = r->out;
    r->asked = r->strategy->ask(r->strategy, out->order, (size_t)r->replay->recording->count);
    search_wall_batch(&r->wall, out->order, r->asked, out->end_s);
    while (r->told < r->asked && (r->told == 0 || out->end_s[r->told - 1] <= r->replay->budget_s)) {
        r->told++;
    }
}

static void replay_in_order(replaying *r) {
    const size_t most = r->strategy->ahead ? r->strategy->ahead : r->replay->ahead;
    ask(r, most < r->replay->ahead ? most : r->replay->ahead);
    while (r->told < r->asked && r->wall.now_s <= r->replay->budget_s) {
        take(r);
        ask(r, most < r->replay->ahead ? most : r->replay->ahead);
    }
}

int search_replay_run(const search_replay *replay, search_replayed *out, rft_err *err) {
    const search_recording *recording = replay->recording;
    const rft_clock *clock = rft_clock_system();
    rft_strategy_opts opts = {.seed = replay->seed, .may_end_early = true};
    int64_t begun_ns = clock->monotonic_ns(clock->self);
    replaying r = {.replay = replay, .out = out};
    *out = (search_replayed){.count = 0};
    int rc = rft_strategy_new_on(&r.strategy, replay->strategy, recording->view, &opts, err);
    if (rc != RFT_OK) {
        return rc;
    }
    out->order = rft_calloc(recording->count + 1, sizeof *out->order);
    out->end_s = rft_calloc(recording->count + 1, sizeof *out->end_s);
    r.compiled_s = rft_calloc(recording->count + 1, sizeof *r.compiled_s);
    r.guessed = rft_calloc(recording->count + 1, sizeof *r.guessed);
    r.ready = rft_calloc(replay->ahead + 1, sizeof *r.ready);
    r.places = rft_calloc(replay->ahead + 1, sizeof *r.places);
    for (uint64_t i = 0; i < recording->count; i++) {
        r.compiled_s[i] = (double)NAN;
    }
    search_wall_begin(&r.wall, recording, replay->workers);
    if (r.strategy->any_order) {
        replay_any_order(&r);
    } else {
        replay_in_order(&r);
    }
    out->strategy_s = (double)(clock->monotonic_ns(clock->self) - begun_ns) * 1e-9;
    out->count = r.told;
    forget_fork(&r);
    r.strategy->free(r.strategy);
    free(r.compiled_s);
    free(r.guessed);
    free(r.ready);
    free(r.places);
    return RFT_OK;
}

void search_replayed_free(search_replayed *replayed) {
    free(replayed->order);
    free(replayed->end_s);
    *replayed = (search_replayed){.count = 0};
}
