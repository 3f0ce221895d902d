/* SPDX-License-Identifier: Apache-2.0 */
#include "run/exec_state.h"

void rft_exec_begin(rft_exec_state *e, const rft_exec_opts *opts) {
    *e = (rft_exec_state){.opts = opts, .ceilings_due = opts->ceilings != NULL};
    rft_recorder_open(&e->recorder, opts);
}

void rft_exec_end(rft_exec_state *e) {
    rft_recorder_close(&e->recorder);
}

void rft_exec_ask_stop(const rft_exec_state *e, bool *stopped) {
    *stopped = e->opts->stop && e->opts->stop(e->opts->payload);
}

static void report(rft_exec_state *e) {
    e->progress.elapsed_s = rft_tally_elapsed_s(&e->recorder.tally);
    e->progress.busy_s = rft_tally_busy_s(&e->recorder.tally);
    if (e->opts->progress) {
        e->opts->progress(e->opts->payload, &e->progress);
    }
}

void rft_exec_note(rft_exec_state *e, const rft_point *point, const rft_point *best) {
    rft_exec_progress *progress = &e->progress;
    bool measured = rft_outcome_is_measured(point->outcome);
    progress->stored = !rft_recorder_is_earlier(&e->recorder, point->id);
    progress->done++;
    progress->taken += progress->stored ? 1 : 0;
    progress->outcomes[point->outcome]++;
    progress->aliases += point->alias_of ? 1 : 0;
    progress->measured += measured && !point->alias_of ? 1 : 0;
    progress->failed += measured ? 0 : 1;
    progress->last = point;
    progress->best = best;
    report(e);
}

void rft_exec_note_final(rft_exec_state *e, const rft_point *point, rft_outcome before, bool stored) {
    rft_exec_progress *progress = &e->progress;
    const rft_run *run = e->opts->run;
    if (point->outcome != before) { /* it was measured, and failed the second time */
        progress->measured--;
        for (size_t i = 0; i < run->point_count; i++) {
            if (run->points[i].id == point->id || run->points[i].alias_of == point->id) {
                progress->outcomes[before]--;
                progress->outcomes[point->outcome]++;
                progress->failed++;
            }
        }
    }
    progress->stored = stored;
    progress->last = point;
    progress->best = rft_run_best(run, point->sweep, SIZE_MAX, point->problem);
    report(e);
}

void rft_exec_note_doing(rft_exec_state *e, const char *doing, const rft_point *point) {
    e->progress.doing = doing;
    e->progress.stored = false;
    e->progress.last = point;
    report(e);
    e->progress.doing = NULL;
}

void rft_exec_note_counted(rft_exec_state *e, const char *doing, const rft_point *point) {
    e->progress.counts = point;
    rft_exec_note_doing(e, doing, point);
    e->progress.counts = NULL;
}

int rft_exec_ceilings(rft_exec_state *e, rft_err *err) {
    if (!e->ceilings_due) {
        return RFT_OK;
    }
    e->ceilings_due = false;
    rft_prefetch_await(&e->recorder.prefetch, RFT_PREFETCH_CEILINGS);
    return e->opts->ceilings(e->opts->payload, err);
}
