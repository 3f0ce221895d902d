/* SPDX-License-Identifier: Apache-2.0 */
#include "run/final_round.h"

#include "model/run/run_cards.h"
#include "model/run/run_drift.h"
#include "model/run/run_repeat.h"

#include "run/baseline_round.h"
#include "run/process_round.h"

#include <stdlib.h>
#include <string.h>

#define FINALISTS_LEAST 3
#define WITHIN_FRAC 0.05 /* of the best of the first round; no other is measured again */
#define CARDS_FRAC 0.1   /* cards of one model differ by less */
#define NEAR_FRAC 0.02   /* four times what the first round knows medians to */

typedef struct first_rank {
    const rft_point *point;
    double first_s; /* rft_run_first_s() */
    double scale;   /* from the card's own time to that */
} first_rank;

static int faster_in_sweep(const void *a, const void *b) {
    const first_rank *x = a, *y = b;
    return x->first_s != y->first_s ? (x->first_s < y->first_s ? -1 : 1) : (x->point->id < y->point->id ? -1 : 1);
}

/* What another card measured is a finalist, too: here it is measured on this one. */
static bool may_be_final(const rft_run *run, const rft_point *point) {
    return rft_run_is_candidate(run, point) || rft_recorder_failed_final(point) ||
           (rft_run_other_card(run, point) && rft_outcome_is_measured(point->outcome) && point->rounds[0].n > 0);
}

/* By the first round alone, so that a run that was stopped in its final round goes on with the same finalists: one that
 * has failed there since is among them. Fastest first. */
static size_t rank(const rft_run *run, size_t sweep, size_t problem, rft_arena *arena, first_rank **out) {
    first_rank *all = rft_arena_calloc(arena, run->point_count + 1, sizeof *all);
    size_t count = 0;
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_point *point = &run->points[i];
        if (point->sweep == sweep && point->problem == problem && !point->alias_of && may_be_final(run, point)) {
            const double first_s = rft_run_first_s(run, point);
            all[count++] = (first_rank){point, first_s, first_s / point->rounds[0].stats.median};
        }
    }
    if (count > 1) {
        qsort(all, count, sizeof *all, faster_in_sweep);
    }
    *out = all;
    return count;
}

static void add_once(int64_t ids[], size_t *count, int64_t id) {
    for (size_t i = 0; i < *count; i++) {
        if (ids[i] == id) {
            return;
        }
    }
    ids[(*count)++] = id;
}

/* Of its samples alone: what the final round tells of the sweep's processes must not make another a finalist. */
static rft_stats first_stats(const rft_point *point, double widen_frac) {
    const rft_measurement *first = &point->rounds[0];
    rft_stats stats = rft_stats_of(first->samples_s, first->n);
    return rft_drift_widened(&stats, widen_frac);
}

/* Near enough to be the best after all: noise decides between a few, and they are known to be within it. */
static bool is_near(const first_rank *one, const first_rank *best, double widen_frac) {
    rft_stats stats = first_stats(one->point, widen_frac);
    rft_stats fastest = first_stats(best->point, widen_frac);
    return stats.median * one->scale <= (1 + NEAR_FRAC) * fastest.median * best->scale ||
           stats.low * one->scale <= fastest.high * best->scale;
}

/* Cards whose times cannot be compared yet: each one's fastest may be the best of all. */
static void add_of_cards(const rft_run *run, const first_rank *all, size_t found, int64_t ids[], size_t *count) {
    const char *seen[RFT_FINAL_CARDS];
    size_t cards = 0;
    for (size_t i = 0; i < found && cards < RFT_FINAL_CARDS; i++) {
        const rft_run_card *card = rft_run_first_card(run, all[i].point->id);
        const char *uuid = card ? card->uuid : run->gpu.uuid; /* which goes on, and may have had no shard */
        bool is_new = all[i].first_s <= (1 + CARDS_FRAC) * all[0].first_s;
        for (size_t k = 0; k < cards && is_new; k++) {
            is_new = !rft_text_equal(seen[k], uuid);
        }
        if (is_new) {
            seen[cards++] = uuid;
            add_once(ids, count, all[i].point->id);
        }
    }
}

size_t rft_finalists_most(const rft_sweep *sweep) {
    return RFT_FINALISTS + sweep->variant_count + RFT_FINAL_CARDS;
}

size_t rft_finalists(const rft_run *run, size_t sweep, size_t problem, rft_arena *arena, int64_t **out) {
    int64_t *ids = rft_arena_calloc(arena, rft_finalists_most(&run->sweeps[sweep].sweep), sizeof *ids);
    first_rank *all = NULL;
    size_t found = rank(run, sweep, problem, arena, &all);
    double widen_frac = rft_run_widen_frac(run, sweep, problem);
    size_t count = 0;
    for (size_t i = 0; i < found && count < RFT_FINALISTS; i++) {
        bool within = all[i].first_s <= (1 + WITHIN_FRAC) * all[0].first_s;
        if (within && (count < FINALISTS_LEAST || is_near(&all[i], &all[0], widen_frac))) {
            ids[count++] = all[i].point->id;
        }
    }
    for (size_t v = 0; v < run->sweeps[sweep].sweep.variant_count; v++) {
        size_t first = 0;
        while (first < found && all[first].point->variant != v) {
            first++;
        }
        if (first < found) {
            add_once(ids, &count, all[first].point->id);
        }
    }
    if (!rft_run_cards_compare(run)) {
        add_of_cards(run, all, found, ids, &count);
    }
    *out = ids;
    return count;
}

typedef struct finalist {
    int64_t id;
    rft_job *job; /* NULL: there is nothing to do any more */
} finalist;

static const rft_point *point_of(const rft_exec_state *e, const finalist *f) {
    return &e->opts->run->points[f->id - 1];
}

static bool is_done(const rft_exec_state *e, const finalist *f) {
    const rft_point *point = point_of(e, f);
    bool measured = point->rounds[1].n > 0 && (point->rounds[1].stop != RFT_STOP_NOT_YET || e->opts->replay);
    return measured || rft_recorder_failed_final(point);
}

rft_job *rft_final_job(const rft_exec_state *e, int64_t id) {
    const rft_point *point = &e->opts->run->points[id - 1];
    rft_job *job = rft_job_new(e->opts, (rft_job_place){point->sweep, point->variant, point->problem}, point->config);
    job->round = 1;
    job->verified = point->rounds[1].turns > 0;
    rft_job_compile(e->opts, job);
    return job;
}

static void leave(finalist *f) {
    rft_job_free(f->job);
    f->job = NULL;
}

static int take_turn(rft_exec_state *e, finalist *f, bool at_once, rft_err *err) {
    const rft_point *point = point_of(e, f);
    rft_outcome before = point->outcome;
    rft_turn_end end = RFT_TURN_NOTHING;
    rft_final_way way = at_once ? RFT_FINAL_AT_ONCE : RFT_FINAL_TURN;
    int rc = rft_recorder_final(&e->recorder, f->job, f->id, way, &end, err);
    if (rc == RFT_OK && end != RFT_TURN_AGAIN) {
        rft_exec_note_final(e, point, before, end == RFT_TURN_DONE);
        leave(f);
    }
    return rc;
}

/* The turn that comes next: the lowest of all, so that a run that was stopped within one ends it first. -1: all are
 * done. */
static int next_turn(const rft_exec_state *e, const finalist *all, size_t count) {
    int lowest = -1;
    for (size_t i = 0; i < count; i++) {
        int turns = point_of(e, &all[i])->rounds[1].turns;
        if (all[i].job && (lowest < 0 || turns < lowest)) {
            lowest = turns;
        }
    }
    return lowest;
}

/* A B C A B C ...: what the device does meanwhile meets all of them. A settled one drops out. */
static int take_turns(rft_exec_state *e, finalist *all, size_t count, bool *stopped, rft_err *err) {
    bool at_once = count == 1 || e->opts->replay;
    int rc = RFT_OK;
    for (int turn; rc == RFT_OK && !*stopped && (turn = next_turn(e, all, count)) >= 0;) {
        for (size_t i = 0; i < count && rc == RFT_OK && !*stopped; i++) {
            if (all[i].job && point_of(e, &all[i])->rounds[1].turns == turn) {
                rft_exec_ask_stop(e, stopped);
                rc = *stopped ? RFT_OK : take_turn(e, &all[i], at_once, err);
            }
        }
    }
    return rc;
}

static int final_of_problem(rft_exec_state *e, size_t sweep, size_t problem, bool *stopped, rft_err *err) {
    rft_arena *arena = rft_arena_new();
    int64_t *ids = NULL;
    size_t count = rft_finalists(e->opts->run, sweep, problem, arena, &ids);
    finalist *all = rft_arena_calloc(arena, count + 1, sizeof *all);
    for (size_t i = 0; i < count; i++) {
        all[i].id = ids[i];
        all[i].job = is_done(e, &all[i]) ? NULL : rft_final_job(e, ids[i]);
    }
    int rc = take_turns(e, all, count, stopped, err);
    for (size_t i = 0; i < count; i++) {
        leave(&all[i]);
    }
    rft_arena_free(arena);
    return rc;
}

/* A replay takes the processes as they were recorded, at once. */
static bool is_one_process(const rft_exec_state *e, size_t sweep) {
    return e->opts->replay || e->opts->plan->sweeps[sweep]->measure.processes == 1;
}

int rft_exec_final_round(rft_exec_state *e, bool *stopped, rft_err *err) {
    const rft_plan *plan = e->opts->plan;
    int rc = RFT_OK;
    e->progress.final_round = true;
    for (size_t s = 0; s < plan->sweep_count && rc == RFT_OK && !*stopped; s++) {
        size_t problems = is_one_process(e, s) ? plan->sweeps[s]->problem_count : 0;
        for (size_t p = 0; p < problems && rc == RFT_OK && !*stopped; p++) {
            if (!plan->sweeps[s]->problems[p].odd) {
                rc = final_of_problem(e, s, p, stopped, err);
                rc = rc == RFT_OK && !*stopped ? rft_exec_baselines(e, s, p, stopped, err) : rc;
            }
        }
    }
    rc = rc == RFT_OK && !*stopped && !e->opts->replay ? rft_exec_processes(e, stopped, err) : rc;
    rft_run_fill_repeats(e->opts->run);
    return rc;
}
