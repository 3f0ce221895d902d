/* SPDX-License-Identifier: Apache-2.0 */
/* projection_text.h - a run under the ceilings of other devices, as text and as JSON. Pure. */
#ifndef RFT_CLI_PROJECTION_TEXT_H
#define RFT_CLI_PROJECTION_TEXT_H

#include "base/json.h"
#include "base/str.h"
#include "model/roofline/projection.h"

typedef struct rft_projection_device {
    const char *asked;  /* as typed */
    const char *name;   /* "B200 (HGX)", "NVIDIA H200" */
    const char *source; /* the datasheet's, or the recording's run */
    bool measured;      /* its ceilings were measured: from a run; else converted from its datasheet */
    rft_run there;      /* rft_projection_run() */
} rft_projection_device;

typedef struct rft_projection_answer {
    const rft_run *run;
    rft_projection_device *devices;
    size_t device_count;
} rft_projection_answer;

/* A table for each sweep and device: every problem's best point. At most 80 columns unless a name is longer. */
void rft_projection_text(rft_str *out, const rft_projection_answer *answer, rft_arena *arena);
/* The same facts; docs/calculators.md lists the keys. Owned by the caller. */
json_t *rft_projection_json(const rft_projection_answer *answer, rft_arena *arena);

#endif
