/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/search_replay.h"

#include "base/clock.h"

#include <math.h>

int search_replay_run(const search_replay *replay, uint64_t *order, size_t *count, double *strategy_s, rft_err *err) {
    const search_recording *recording = replay->recording;
    const rft_clock *clock = rft_clock_system();
    rft_strategy *strategy = NULL;
    rft_strategy_opts opts = {.seed = replay->seed, .may_end_early = true};
    int64_t begun_ns = clock->monotonic_ns(clock->self);
    int rc = rft_strategy_new_on(&strategy, replay->strategy, recording->view, &opts, err);
    if (rc != RFT_OK) {
        return rc;
    }
    size_t ahead = strategy->ahead && strategy->ahead < replay->ahead ? strategy->ahead : replay->ahead;
    size_t asked = 0, told = 0;
    double spent_s = 0;
    while (spent_s <= replay->budget_s) {
        while (asked - told < ahead && strategy->ask(strategy, order + asked, 1)) {
            asked++;
        }
        if (told == asked) {
            break;
        }
        uint64_t index = order[told++];
        double seconds = recording->seconds[index];
        spent_s += recording->cost_s[index];
        strategy->tell(strategy, &(rft_tell){.index = index,
                                             .outcome = isnan(seconds) ? RFT_OUTCOME_LAUNCH_FAILED : RFT_OUTCOME_OK,
                                             .seconds = seconds,
                                             .hints = RFT_HINTS_INIT});
    }
    *strategy_s = (double)(clock->monotonic_ns(clock->self) - begun_ns) * 1e-9;
    *count = told;
    strategy->free(strategy);
    return RFT_OK;
}
