/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/run_ceilings.h"

#include "cli/compose.h"

/* Stored, and found again when a run continues. */
#define NOT_YET "not measured yet: the run was stopped before"

int rft_run_ceilings_postpone(const rft_run_ceilings *c, rft_err *err) {
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        c->run->ceilings.items[id].reason = NOT_YET;
    }
    return rft_compose_annotate(c->cli, c->run->arena, &c->run->ceilings, &c->run->gpu, err);
}

bool rft_run_ceilings_due(const rft_run *run) {
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        if (!run->ceilings.items[id].measured && rft_text_equal(run->ceilings.items[id].reason, NOT_YET)) {
            return true;
        }
    }
    return false;
}

int rft_run_ceilings_measure(const rft_run_ceilings *c, rft_err *err) {
    rft_run *run = c->run;
    rft_log_info(&c->cli->log, "measuring the ceilings of %s", run->gpu.name);
    int rc = c->probe->ceilings(c->probe, NULL, run->arena, &run->ceilings, err);
    if (rc == RFT_OK) {
        rc = rft_compose_annotate(c->cli, run->arena, &run->ceilings, &run->gpu, err);
    }
    return rc == RFT_OK ? rft_store_put_ceilings(c->store, &run->ceilings, err) : rc;
}

int rft_run_ceilings_replay(const rft_run_ceilings *c, rft_err *err) {
    return c->probe->ceilings(c->probe, NULL, c->run->arena, &c->run->ceilings, err);
}
