/* SPDX-License-Identifier: Apache-2.0 */
#include "run/tally.h"

#include <math.h>

static int64_t now_ns(const rft_tally *tally) {
    const rft_clock *clock = tally->opts->clock;
    return clock->monotonic_ns(clock->self);
}

void rft_tally_begin(rft_tally *tally, const rft_exec_opts *opts) {
    const rft_run_info *info = &opts->run->info;
    *tally = (rft_tally){.opts = opts};
    tally->last_ns = now_ns(tally);
    tally->compile_before_s = opts->pool ? rft_compile_pool_seconds(opts->pool) : 0;
    tally->earlier_elapsed_s = info->elapsed_s;
    tally->earlier_busy_s = info->busy_s;
    tally->earlier_compile_s = info->compile_s;
}

double rft_tally_elapsed_s(rft_tally *tally) {
    int64_t ns = now_ns(tally);
    if (ns > tally->last_ns) {
        tally->elapsed_ns += ns - tally->last_ns;
    }
    tally->last_ns = ns;
    return (double)tally->elapsed_ns * 1e-9;
}

double rft_tally_busy_s(const rft_tally *tally) {
    return tally->opts->replay ? (double)NAN : tally->busy_s + tally->opts->run->ceilings.busy_s;
}

void rft_tally_round(rft_tally *tally, const rft_measurement *round) {
    tally->busy_s += isfinite(round->busy_s) ? round->busy_s : 0;
}

void rft_tally_sum(rft_tally *tally) {
    const rft_compile_pool *pool = tally->opts->pool;
    rft_run_info *info = &tally->opts->run->info;
    info->elapsed_s = tally->earlier_elapsed_s + rft_tally_elapsed_s(tally);
    info->busy_s = tally->earlier_busy_s + rft_tally_busy_s(tally);
    info->compile_s = tally->earlier_compile_s;
    info->compile_s += pool ? rft_compile_pool_seconds(pool) - tally->compile_before_s : 0;
}

int64_t rft_tally_finished_unix_ns(rft_tally *tally) {
    const rft_clock *clock = tally->opts->clock;
    int64_t started_ns = tally->opts->run->info.started_unix_ns;
    int64_t ns = clock->unix_ns(clock->self);
    if (ns < started_ns) {
        ns = started_ns + (int64_t)(rft_tally_elapsed_s(tally) * 1e9);
    }
    return ns > 0 ? ns : 1; /* 0 would say that it has not finished */
}
