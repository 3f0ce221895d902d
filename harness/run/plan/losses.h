/* SPDX-License-Identifier: Apache-2.0 */
/*
 * losses.h - which configurations have cost device workers, over all problems and sessions: one that cost two is not
 * tried again. Counted over the stored points alone (rft_point.workers_lost), so a continued run knows. Private to run.
 */
#ifndef RFT_RUN_LOSSES_H
#define RFT_RUN_LOSSES_H

#include "run/plan/job.h"
#include "run/plan/key_map.h"

#define RFT_LOSSES_ALLOWED 2 /* workers that a configuration of a variant may cost before it is not tried any more */

/* All zero is empty. */
typedef struct rft_losses {
    rft_key_map counts; /* by configuration of a variant, whatever the problem */
} rft_losses;

void rft_losses_clear(rft_losses *losses);
/* What the point cost; an alias counts what the point it stands for did: it would have cost the same. */
int rft_losses_of(const rft_run *run, const rft_point *point);
/* Counts `lost` workers for the configuration of the point. */
void rft_losses_add(rft_losses *losses, const rft_run *run, const rft_point *point, int lost);
/* Why a configuration is not tried any more ("not tried: this configuration ended the device worker twice, on n=64
 * (timed_out) and n=128 (crashed)"), in `arena`; NULL when it is. */
#define RFT_LOSSES_VERDICT "not tried: " /* begins every such reason, also in a recording */
const char *rft_losses_verdict(const rft_losses *losses, const rft_run *run, const rft_job *job, rft_arena *arena);

#endif
