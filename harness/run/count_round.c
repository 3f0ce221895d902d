/* SPDX-License-Identifier: Apache-2.0 */
#include "run/count_round.h"

#include "model/roofline/counted.h"

#include <math.h>
#include <stdlib.h>

#define AHEAD 8        /* configurations compiled while one is counted; most come from the cache */
#define WORKERS_LOST 2 /* one after the other: then counting is given up */
/* What the default selection may take: of what the run took until now, and at least so long after what is counted in
 * any case. */
#define MOST_FRAC 0.25
#define LEAST_S 1.0

typedef struct count_round {
    rft_exec_state *e;
    rft_counted_choice *choices; /* of all sweeps; heap */
    size_t count, capacity;
    const char *refusal; /* in run->arena: why nothing is counted any more; NULL */
    int lost;            /* workers, since the last point that was counted */
    bool limited;        /* in time: the default selection, counted now */
    double begun_s;      /* the session's time at the beginning */
    double until_s;      /* and that at which no more is counted; NaN: the first turn is not over yet */
    size_t left_out;     /* points of which something was not counted for that */
} count_round;

static const rft_exec_opts *opts_of(const count_round *r) {
    return r->e->opts;
}

static bool wants_all(const count_round *r) {
    const rft_counted_wish *wish = &opts_of(r)->counters;
    bool all = !wish->chosen && !opts_of(r)->replay;
    for (int i = 0; all && i < RFT_COUNTER_COUNT; i++) {
        all = wish->set.wanted[i];
    }
    return all;
}

/* What an earlier session had no time for is counted when everything is asked for now. */
static void add_choice(count_round *r, const rft_counted_choice *choice) {
    const rft_counters *known = choice->point->counters;
    if (!known || (wants_all(r) && rft_counted_left_out(known))) {
        RFT_GROW(r->choices, r->capacity, r->count + 1);
        r->choices[r->count++] = *choice;
    }
}

/* A replay asks for every point that was timed: a point chosen in the recording may not be chosen now. */
static void choose_counted(count_round *r) {
    const rft_run *run = opts_of(r)->run;
    rft_arena *arena = rft_arena_new();
    for (size_t i = 0; opts_of(r)->replay && i < run->point_count; i++) {
        const rft_counted_choice choice = {.point = &run->points[i], .large = true, .role = RFT_COUNTED_OTHER};
        if (rft_run_is_candidate(run, choice.point)) {
            add_choice(r, &choice);
        }
    }
    for (size_t s = 0; !opts_of(r)->replay && s < run->sweep_count; s++) {
        rft_counted_choice *choices = NULL;
        size_t count = rft_counted_choose(run, s, arena, &choices);
        for (size_t i = 0; i < count; i++) {
            add_choice(r, &choices[i]);
        }
        rft_arena_reset(arena);
    }
    if (r->limited) {
        rft_counted_by_turn(r->choices, r->count);
    }
    rft_arena_free(arena);
}

static rft_counter_set set_of(const count_round *r, const rft_counted_choice *choice) {
    const rft_counted_wish *wish = &opts_of(r)->counters;
    return !wish->chosen ? wish->set : choice->large ? rft_counter_set_all() : rft_counter_set_default();
}

/* ---- time ---- */

static void set_limit(count_round *r) {
    const rft_tally *tally = &r->e->recorder.tally;
    double before_s = r->begun_s + (isfinite(tally->earlier_elapsed_s) ? tally->earlier_elapsed_s : 0);
    double now_s = rft_tally_elapsed_s(&r->e->recorder.tally);
    r->until_s = fmax(r->begun_s + MOST_FRAC * before_s, now_s + LEAST_S);
}

static bool is_late(count_round *r, const rft_counted_choice *choice) {
    if (!r->limited || choice->turn == RFT_COUNTED_TURN_BEST) {
        return false;
    }
    return !isnan(r->until_s) && rft_tally_elapsed_s(&r->e->recorder.tally) >= r->until_s;
}

static void give_up(count_round *r, const char *reason, const char *remedy) {
    r->refusal = rft_arena_strdup(opts_of(r)->run->arena, reason);
    rft_log_warn(opts_of(r)->log,
                 "no hardware counters: %s. The times stand; what each point moved and executed stays %s%s%s", reason,
                 "as declared or modelled", *remedy ? "\n  remedy: " : "", remedy);
}

/* In a worker, or from the recording. *found false: the recording has none of this point. */
static int ask_counts(count_round *r, rft_job *job, const rft_counter_set *set, rft_counters *out, bool *found,
                      rft_err *err) {
    const rft_exec_opts *opts = opts_of(r);
    const char *log = NULL;
    rft_count_result result = {.worker_lost = false};
    rft_err refused = RFT_ERR_INIT;
    int rc = rft_job_await(opts, job, &log, err);
    *found = true;
    if (rc != RFT_OK || job->failed) {
        *out = rft_counters_refused(set, job->failed ? job->reason : "", job->arena);
        return rc;
    }
    int counted = rft_job_count(opts, job, set, &result, &refused);
    *out = result.counters;
    if (counted != RFT_OK && opts->replay) {
        *found = false;
    } else if (counted != RFT_OK) {
        give_up(r, refused.message, refused.remedy);
        *out = rft_counters_refused(set, r->refusal, job->arena);
    } else if (!result.worker_lost) {
        r->lost = 0;
    } else if (++r->lost == WORKERS_LOST) {
        give_up(r, "counting has cost two device workers, one after the other",
                "another profiler may be attached; --counters none goes without");
    }
    return RFT_OK;
}

static int keep_counters(count_round *r, int64_t id, const rft_counters *counters, rft_err *err) {
    rft_run *run = opts_of(r)->run;
    rft_point *point = &run->points[id - 1];
    point->counters = rft_counters_copy(counters, run->arena);
    for (size_t i = 0; i < run->point_count; i++) {
        if (run->points[i].alias_of == id) {
            run->points[i].counters = point->counters;
        }
    }
    rft_tally_sum(&r->e->recorder.tally);
    return rft_store_put_step(opts_of(r)->store, point, &run->info, err);
}

static bool is_new_problem(const count_round *r, const rft_counted_choice *choice) {
    for (const rft_counted_choice *before = r->choices; before < choice; before++) {
        if (before->point->sweep == choice->point->sweep && before->point->problem == choice->point->problem) {
            return false;
        }
    }
    return true;
}

/* Which points, and where counting is. */
static const char *doing_of(const count_round *r, const rft_counted_choice *choice, rft_arena *arena) {
    const rft_point *point = choice->point;
    return rft_arena_printf(arena, "counters of %s (%zu of %zu)",
                            rft_run_problem_text(opts_of(r)->run, point->sweep, point->problem, true, arena),
                            (size_t)(choice - r->choices) + 1, r->count);
}

/* Asks, or says why not. The best of the largest problem is asked at least for the default set. */
static int ask_in_time(count_round *r, const rft_counted_choice *choice, rft_job *job, rft_counters *out, bool *found,
                       rft_err *err) {
    bool late = !r->refusal && is_late(r, choice);
    rft_counter_set set =
        late && choice->turn == RFT_COUNTED_TURN_LARGEST ? rft_counter_set_default() : set_of(r, choice);
    int rc = RFT_OK;
    if (r->refusal) {
        *out = rft_counters_refused(&set, r->refusal, job->arena);
    } else if (late && choice->turn != RFT_COUNTED_TURN_LARGEST) {
        *out = rft_counters_refused(&set, RFT_COUNTED_LEFT_OUT, job->arena);
    } else {
        rc = ask_counts(r, job, &set, out, found, err);
    }
    if (late && rc == RFT_OK) {
        rft_counted_leave_out(out);
        r->left_out++;
    }
    return rc;
}

static int count_point(count_round *r, const rft_counted_choice *choice, rft_job *job, rft_err *err) {
    int64_t id = choice->point->id;
    rft_counters counters;
    bool found = true;
    const char *doing = doing_of(r, choice, job->arena);
    if (isnan(r->until_s) && choice->turn != RFT_COUNTED_TURN_BEST) {
        set_limit(r);
    }
    if (!opts_of(r)->replay && !r->refusal && is_new_problem(r, choice)) {
        rft_exec_note_doing(r->e, doing, choice->point);
    }
    int rc = ask_in_time(r, choice, job, &counters, &found, err);
    if (rc == RFT_OK && found) {
        rc = keep_counters(r, id, &counters, err);
    }
    if (rc == RFT_OK && found) {
        rft_exec_note_counted(r->e, doing, choice->point);
    }
    return rc;
}

static rft_job *new_counting_job(count_round *r, const rft_counted_choice *choice) {
    const rft_point *point = choice->point;
    rft_job *job =
        rft_job_new(opts_of(r), (rft_job_place){point->sweep, point->variant, point->problem}, point->config);
    if (!r->refusal && !opts_of(r)->replay && (choice->turn == RFT_COUNTED_TURN_LARGEST || !is_late(r, choice))) {
        rft_job_compile(opts_of(r), job);
    }
    return job;
}

int rft_exec_count(rft_exec_state *e, bool *stopped, rft_err *err) {
    count_round r = {.e = e,
                     .limited = e->opts->counters.chosen && !e->opts->replay,
                     .begun_s = rft_tally_elapsed_s(&e->recorder.tally),
                     .until_s = NAN};
    int rc = RFT_OK;
    if (rft_counted_wish_is_none(&e->opts->counters)) {
        return RFT_OK;
    }
    choose_counted(&r);
    rft_job **jobs = rft_calloc(r.count + 1, sizeof(rft_job *));
    size_t made = 0;
    for (size_t i = 0; i < r.count && rc == RFT_OK && !*stopped; i++) {
        for (; made < r.count && made <= i + AHEAD; made++) {
            jobs[made] = new_counting_job(&r, &r.choices[made]);
        }
        rft_exec_ask_stop(e, stopped);
        rc = *stopped ? RFT_OK : count_point(&r, &r.choices[i], jobs[i], err);
        rft_job_free(jobs[i]);
        jobs[i] = NULL;
    }
    for (size_t i = 0; i < made; i++) {
        rft_job_free(jobs[i]);
    }
    if (r.left_out > 0) {
        rft_log_info(e->opts->log, "hardware counters of %zu points " RFT_COUNTED_LEFT_OUT, r.left_out);
    }
    free(jobs);
    free(r.choices);
    return rc;
}
