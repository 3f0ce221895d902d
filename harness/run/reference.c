/* SPDX-License-Identifier: Apache-2.0 */
#include "run/reference.h"

#include "model/stats/drift.h"

#include <math.h>
#include <string.h>

/* How many a reading takes: of what takes long six, the fewest that an interval can be made of; of what takes so long
 * that this was an eighth of a run, three. Their range is narrower than an interval would be: that widens others. */
#define SAMPLES 10
#define SAMPLES_LONG 6
#define SAMPLES_VERY_LONG 3
#define LONG_S 1e-3
#define VERY_LONG_S 10e-3

void rft_reference_begin(rft_reference_keeper *k, rft_exec_state *state, size_t sweep, size_t problem) {
    *k = (rft_reference_keeper){.state = state, .sweep = sweep, .problem = problem};
}

void rft_reference_end(rft_reference_keeper *k) {
    rft_job_free(k->job);
    k->job = NULL;
}

/* By the first round alone: the final one comes later, and a continued run may have been there already. */
static void choose_reference(rft_reference_keeper *k, const rft_point *point) {
    const rft_run *run = k->state->opts->run;
    double median_s = point->rounds[0].stats.median;
    bool is_faster = k->id == 0 || median_s < run->points[k->id - 1].rounds[0].stats.median;
    if (point->outcome == RFT_OUTCOME_OK && point->rounds[0].n > 0 && is_faster) {
        k->id = point->id;
    }
}

static bool counts(const rft_reference_keeper *k, const rft_point *point) {
    return point->sweep == k->sweep && point->problem == k->problem && point->alias_of == 0 && point->rounds[0].n > 0;
}

static const rft_reference *find_reading(const rft_run *run, const rft_reference_keeper *k, int64_t after_point) {
    for (size_t i = 0; i < run->reference_count; i++) {
        const rft_reference *reading = &run->references[i];
        if (reading->sweep == k->sweep && reading->problem == k->problem && reading->after_point == after_point) {
            return reading;
        }
    }
    return NULL;
}

/* What an earlier session went by without a reading cannot be made up for: the moment has passed. */
static bool has_passed(const rft_run *run, const rft_reference_keeper *k, int64_t after_point) {
    for (size_t i = (size_t)after_point; i < run->point_count; i++) {
        if (counts(k, &run->points[i])) {
            return true;
        }
    }
    return false;
}

static size_t samples_of(double median_s) {
    return median_s < LONG_S ? SAMPLES : median_s < VERY_LONG_S ? SAMPLES_LONG : SAMPLES_VERY_LONG;
}

static rft_job *new_reference_job(const rft_reference_keeper *k) {
    const rft_exec_opts *opts = k->state->opts;
    const rft_point *point = &opts->run->points[k->id - 1];
    rft_job *job = rft_job_new(opts, (rft_job_place){point->sweep, point->variant, point->problem}, point->config);
    job->verified = true;
    job->samples = samples_of(point->rounds[0].stats.median);
    if (!opts->replay) {
        rft_job_compile(opts, job);
    }
    return job;
}

static rft_reference reading_of(const rft_reference_keeper *k, int64_t after_point, const rft_probe_result *result) {
    const rft_measurement *m = &result->measurement;
    bool good = rft_outcome_is_measured(result->outcome);
    return (rft_reference){.sweep = k->sweep,
                           .problem = k->problem,
                           .point = k->id,
                           .after_point = after_point,
                           .n = good ? m->stats.n : 0,
                           .median = good ? m->stats.median : (double)NAN,
                           .low = good ? m->stats.low : (double)NAN,
                           .high = good ? m->stats.high : (double)NAN,
                           .clock_mhz = good ? m->clock_mhz : (double)NAN};
}

static int read(rft_reference_keeper *k, int64_t after_point, rft_err *err) {
    const rft_exec_opts *opts = k->state->opts;
    rft_tally *tally = &k->state->recorder.tally;
    rft_run *run = opts->run;
    rft_probe_result result = {0};
    const char *log = NULL;
    k->job = k->job ? k->job : new_reference_job(k);
    int rc = k->job->compiled || opts->replay ? RFT_OK : rft_job_await(opts, k->job, &log, err);
    if (rc != RFT_OK || k->job->failed) { /* it compiled before: nothing that a run should end for */
        k->given_up = rc == RFT_OK;
        return rc;
    }
    k->job->reading = k->measured / RFT_DRIFT_EVERY;
    k->job->meanwhile = k->meanwhile;
    k->job->payload = k->payload;
    rc = rft_job_probe(opts, k->job, false, &result, err);
    if (rc != RFT_OK || result.outcome == RFT_OUTCOME_NOT_RECORDED) {
        return rc;
    }
    rc = rft_recorder_store(&k->state->recorder, err); /* the point before it, unless that was done meanwhile */
    if (rc != RFT_OK) {
        return rc;
    }
    rft_tally_round(tally, &result.measurement);
    rft_tally_sum(tally);
    rft_reference reading = reading_of(k, after_point, &result);
    reading.time_s = opts->replay ? result.reading_s : run->info.elapsed_s;
    k->given_up = isnan(reading.median);
    rc = rft_store_put_reference(opts->store, run->reference_count, &reading, &run->info, err);
    if (rc == RFT_OK) {
        rft_run_add_reference(run, &reading);
    }
    return rc;
}

static bool is_due(size_t measured) {
    return measured % RFT_DRIFT_EVERY == 0;
}

bool rft_reference_may_read(const rft_reference_keeper *k) {
    return is_due(k->measured + 1);
}

int rft_reference_after(rft_reference_keeper *k, const rft_point *point, rft_err *err) {
    const rft_run *run = k->state->opts->run;
    if (!counts(k, point)) {
        return RFT_OK;
    }
    if (k->measured < RFT_DRIFT_EVERY) {
        choose_reference(k, point);
    }
    k->measured++;
    if (!is_due(k->measured) || k->id == 0) {
        return RFT_OK;
    }
    const rft_reference *known = find_reading(run, k, point->id);
    if (known) {
        k->given_up = k->given_up || isnan(known->median);
        return RFT_OK;
    }
    return k->given_up || has_passed(run, k, point->id) ? RFT_OK : read(k, point->id, err);
}
