/* SPDX-License-Identifier: Apache-2.0 */
/* model_text.h - workloads under the datasheets of several devices, as text and as JSON. Pure. */
#ifndef RFT_CLI_MODEL_TEXT_H
#define RFT_CLI_MODEL_TEXT_H

#include "cli/model_words.h"
#include "model/roofline/datasheet.h"
#include "model/roofline/sheet_roof.h"

typedef struct rft_modelled_device {
    const char *asked; /* as typed: "h100" */
    rft_datasheet_facts facts;
    rft_ceilings ceilings; /* datasheet values only */
} rft_modelled_device;

typedef struct rft_modelled_work {
    const rft_workload *workload;
    const char *label;
    rft_work work;
    rft_sheet_roof *roofs; /* one a device */
    double *turns;         /* one a device: where the side changes along the axis; NaN = nowhere. NULL: not asked, or
                            * the model has no such dimension */
} rft_modelled_work;

typedef struct rft_model_answer {
    rft_modelled_device *devices;
    size_t device_count;
    rft_modelled_work *works;
    size_t work_count;
    const char *axis; /* of the turns; NULL */
} rft_model_answer;

/* A table for each workload, a line a device; with several devices then what changes side. */
void rft_model_text(rft_str *out, const rft_model_answer *answer, rft_arena *arena);
/* The same facts: { devices, workloads }; docs/calculators.md lists the keys. Owned by the caller. */
json_t *rft_model_json(const rft_model_answer *answer);

#endif
