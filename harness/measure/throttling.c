/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Throttling (docs/measuring.md): a point whose samples ran below the run's clock is measured again, and what held the
 * clock down is read from the meter's cumulative counters.
 *
 * Reading them takes half a millisecond, so they are read when something is to be learnt from them: before the first
 * point, behind one whose clock looks low, and else once a second, while the coordinator thinks.
 */
#include "measure/throttling.h"
#include "measure/sampling.h"
#include "measure/timing.h"

#include "base/str.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define READ_EVERY_S 1.0
#define COUNTER_STEP_S 0.1 /* the driver's counters move that rarely */
/* What measuring again may take of the time since the first point. Loads that draw the power limit's clock, or fall to
 * it while they are measured, would otherwise be waited for at every other point. */
#define SHARE_OF_TIME 0.05
#define FREE_S 2.0
#define SHARE_IN_TROUBLE 0.50 /* where it is the heat or the power brake: those pass */
#define FREE_IN_TROUBLE_S 30.0

typedef struct throttle_trial {
    rft_point_job *job;
    rft_clock_watch *watch;
    rft_probe_result before; /* what was known before the first attempt */
    rft_throttle_case point;
    rft_throttle_decision decision;
    rft_probe_result best; /* of the attempt to keep */
    bool best_failed;      /* it is noisy */
    int64_t begun_ns;      /* the attempt in hand */
    const char *spared;    /* why it is not measured again though it should be; NULL */
} throttle_trial;

static double now_s(const rft_protocol *p) {
    return (double)p->clock->monotonic_ns(p->clock->self) * 1e-9;
}

static void read_counters(rft_protocol *p) {
    if (p->meter) {
        rft_meter_snapshot snapshot;
        p->meter->vt->read(p->meter, RFT_METER_THROTTLE, &snapshot);
        p->watch.counters = rft_meter_counters(&snapshot);
        p->watch.has_read = true;
    }
}

static bool is_older(const rft_protocol *p, double seconds) {
    return p->watch.has_read && now_s(p) - p->watch.counters.time_s > seconds;
}

void rft_throttling_rest(rft_protocol *p) {
    if (is_older(p, READ_EVERY_S)) {
        read_counters(p);
    }
}

void rft_throttling_describe(rft_protocol *p, rft_env *env, rft_arena *arena) {
    rft_str counted = RFT_STR_INIT;
    rft_meter_snapshot snapshot = {.time_ns = 0};
    const char *reason = p->no_meter;
    if (p->meter) {
        p->meter->vt->read(p->meter, RFT_METER_THROTTLE, &snapshot);
        reason = snapshot.reasons[RFT_METER_POWER_CAP_S];
    }
    for (int i = 0; p->meter && i < RFT_THROTTLE_COUNT; i++) {
        if (isfinite(snapshot.values[RFT_METER_POWER_CAP_S + i])) {
            rft_str_addf(&counted, "%s%s", counted.length ? ", " : "", rft_throttle_name((rft_throttle_cause)i));
        }
    }
    rft_env_set(env, arena, "nvml.throttle_counters", counted.length ? rft_str_get(&counted) : NULL, reason);
    rft_str_clear(&counted);
}

/* Below the highest clock of the device: a run whose every point draws the power limit has a low steady clock, and a
 * process of its own has none. What holds it down is worth knowing all the same. */
static bool is_low(const rft_protocol *p, double clock_mhz) {
    return clock_mhz < (1.0 - RFT_THROTTLE_BELOW_FRAC) * (double)p->info.sm_clock_khz * 1e-3; /* false for NaN */
}

/* The counters move too rarely for a burst; what acts at its end is told at once. */
static rft_throttle_cause cause_at_once(rft_protocol *p) {
    rft_meter_snapshot snapshot;
    if (!p->meter) {
        return RFT_THROTTLE_COUNT;
    }
    p->meter->vt->read(p->meter, RFT_METER_EVENTS, &snapshot);
    return rft_meter_cause(&snapshot);
}

/* Judges the attempt in hand. Its cause is asked for only where there is something to be explained. */
static rft_throttle_attempt judge_attempt(const throttle_trial *t) {
    rft_protocol *p = t->job->p;
    const rft_measurement *m = &t->job->out->measurement;
    double run_mhz = t->job->request->steady_mhz;
    double steady_mhz = run_mhz > 0.0 ? run_mhz : rft_throttle_steady_mhz(&p->watch.steady);
    double *unknown = m->clocks_mhz ? NULL : rft_calloc(m->n + 1, sizeof *unknown);
    for (size_t i = 0; unknown && i < m->n; i++) {
        unknown[i] = NAN;
    }
    const double *clocks = unknown ? unknown : m->clocks_mhz;
    rft_throttle_attempt attempt = rft_throttle_judge(NULL, clocks, m->n, steady_mhz, NULL);
    bool silent = isnan(attempt.clock_mhz) && is_older(p, COUNTER_STEP_S);
    if (p->meter && p->watch.has_read && (attempt.affected > 0 || silent)) {
        double share[RFT_THROTTLE_COUNT];
        rft_throttle_counters begin = p->watch.counters;
        read_counters(p);
        rft_throttle_share(share, &begin, &p->watch.counters);
        attempt = rft_throttle_judge(NULL, clocks, m->n, steady_mhz, share);
    }
    free(unknown);
    if (attempt.cause == RFT_THROTTLE_COUNT && (attempt.affected > 0 || is_low(p, attempt.clock_mhz))) {
        attempt.cause = cause_at_once(p);
    }
    return attempt;
}

static void consider(throttle_trial *t) {
    rft_throttle_attempt attempt = judge_attempt(t);
    t->decision = rft_throttle_next(&t->point, &attempt);
    if (t->decision.best == t->point.count - 1) {
        t->best = *t->job->out;
        t->best_failed = t->job->failed;
    }
}

/* Would it be out of the race at the run's clock, too? By the verified run it was told at any clock. */
static bool is_beaten(const throttle_trial *t, const rft_throttle_attempt *attempt) {
    const rft_probe_request *request = t->job->request;
    const rft_measurement *m = &t->job->out->measurement;
    double fastest_s = m->stats.min * attempt->clock_mhz / attempt->reference_mhz;
    bool alone = m->n == 1 && m->stats.min == m->first_run_s;
    double limit_s = alone                         ? request->few.alone_s
                     : m->n < RFT_RACE_THREE       ? request->few.one_s
                     : m->n < RFT_RACE_MIN_SAMPLES ? request->few.three_s
                                                   : (1.0 + RFT_RACE_MARGIN_FRAC) * request->rival_s;
    bool by_run = m->n == 1 && rft_race_run_tells(request->few.run_s, m->stats.min, 0.0, request->spec->launch_count);
    return m->stop == RFT_STOP_SLOWER && (by_run || fastest_s > limit_s);
}

static bool is_trouble(rft_throttle_cause cause) {
    return cause == RFT_THROTTLE_SW_THERMAL || cause == RFT_THROTTLE_HW_THERMAL || cause == RFT_THROTTLE_POWER_BRAKE;
}

static const char *why_spared(const throttle_trial *t, double wait_s, double attempt_s) {
    const rft_throttle_attempt *attempt = &t->point.attempts[t->point.count - 1];
    const rft_clock_watch *watch = t->watch;
    bool trouble = is_trouble(attempt->cause);
    double passed_s = now_s(t->job->p) - watch->since_s;
    double allowed_s = trouble ? FREE_IN_TROUBLE_S + SHARE_IN_TROUBLE * passed_s : FREE_S + SHARE_OF_TIME * passed_s;
    if (t->job->request->draw) { /* a process lives for a second, and there are many */
        allowed_s = trouble ? FREE_S : 0.0;
    }
    if (is_beaten(t, attempt)) {
        return "not measured again: it would be out of the race at the full clock as well";
    }
    if (rft_point_job_elapsed_s(t->job) + attempt_s > t->job->request->measure.point_timeout_s) {
        return "not measured again: its time is over";
    }
    if (watch->spent_s + wait_s + attempt_s > allowed_s) {
        return t->job->request->draw ? "not measured again here: further processes measure it"
                                     : "not measured again: that has taken its share of the run's time";
    }
    return NULL;
}

/* Leaves the device alone for a while. False: the attempts so far are all there are. */
static bool pause(throttle_trial *t) {
    rft_protocol *p = t->job->p;
    double wait_s = t->decision.wait_s, attempt_s = rft_timing_since_s(p, t->begun_ns);
    t->spared = why_spared(t, wait_s, attempt_s);
    if (t->spared) {
        return false;
    }
    int64_t wait_ns = (int64_t)(wait_s * 1e9);
    rft_point_job_enter(t->job, RFT_PHASE_COMPARE); /* nothing is launched while it waits */
    p->sampling.last_active_ns = p->clock->monotonic_ns(p->clock->self);
    p->clock->sleep_ns(p->clock->self, wait_ns);
    t->job->started_ns += wait_ns; /* the point's own time does not run meanwhile */
    t->watch->spent_s += wait_s + attempt_s;
    read_counters(p);
    return true;
}

static const char *note_of(const throttle_trial *t) {
    char sentence[RFT_THROTTLE_WORDS_SIZE];
    rft_throttle_sentence(&t->point, &t->decision, sentence, sizeof sentence);
    if (!*sentence) {
        return NULL;
    }
    return rft_arena_printf(t->job->arena, "%s%s%s", sentence, t->spared ? "; " : "", t->spared ? t->spared : "");
}

/* The best attempt becomes the point's. */
static void keep_best(throttle_trial *t) {
    const rft_throttle_attempt *kept = &t->point.attempts[t->decision.best];
    rft_measurement *m = &t->job->out->measurement;
    *t->job->out = t->best;
    t->job->failed = t->best_failed;
    m->attempts = (int)t->point.count;
    m->throttled_frac = kept->affected_frac;
    m->throttled_below_mhz = kept->reference_mhz;
    bool low = kept->affected > 0 || is_low(t->job->p, kept->clock_mhz);
    if (low && kept->cause != RFT_THROTTLE_COUNT) {
        m->throttled_by = rft_throttle_name(kept->cause);
    }
    m->throttle_note = note_of(t);
    rft_throttle_steady_add(&t->watch->steady, kept->clock_mhz);
}

static bool has_samples(const rft_point_job *job) {
    return !job->failed || job->out->outcome == RFT_OUTCOME_NOISY;
}

int rft_throttling_point(rft_point_job *job, rft_err *err) {
    rft_protocol *p = job->p;
    throttle_trial t = {.job = job, .watch = &p->watch, .before = *job->out};
    if (!p->watch.has_read) {
        read_counters(p);
    }
    p->watch.since_s = p->watch.steady.added ? p->watch.since_s : now_s(p);
    do {
        *job->out = t.before;
        job->failed = false;
        t.begun_ns = p->clock->monotonic_ns(p->clock->self);
        int rc = rft_timing_point(job, err);
        if (rc != RFT_OK || (!has_samples(job) && t.point.count == 0)) {
            return rc;
        }
        if (!has_samples(job)) { /* it came to no end this time: the attempts before stand */
            t.decision.verdict = RFT_THROTTLE_GAVE_UP;
            break;
        }
        consider(&t);
    } while (t.decision.verdict == RFT_THROTTLE_AGAIN && pause(&t));
    keep_best(&t);
    return RFT_OK;
}
