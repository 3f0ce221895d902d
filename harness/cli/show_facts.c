/* SPDX-License-Identifier: Apache-2.0 */
/* show_facts.c - what the text, JSON and CSV forms of a run have in common (show_text.h). */
#include "base/hash.h"
#include "base/units.h"
#include "cli/show_text.h"
#include "model/roofline/placement.h"
#include "model/run/run_drift.h"
#include "model/transition/refine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double rft_show_rate(const rft_placement *placement, const rft_work *work, const char **unit) {
    rft_pipe pipe = rft_work_main_pipe(work);
    bool operations = pipe < RFT_PIPE_COUNT && (placement->roof == RFT_RESOURCE_PIPE || !(rft_work_bytes(work) > 0.0));
    if (operations) {
        rft_ceiling_id id;
        *unit = rft_ceiling_from_name(&id, rft_pipe_name(pipe)) ? rft_ceiling_unit(id) : "op/s";
        return placement->rate_ops_s;
    }
    *unit = "B/s";
    return rft_work_bytes(work) > 0.0 ? placement->rate_bytes_s : NAN;
}
