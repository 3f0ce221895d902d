/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/protocol.h"

#include <math.h>

int rft_busy_begin(rft_protocol *p, rft_span_id id, rft_err *err) {
    return p->gpu->vt->event_record(p->gpu, p->spans[id].start, err);
}

int rft_busy_end(rft_protocol *p, rft_span_id id, rft_err *err) {
    int rc = p->gpu->vt->event_record(p->gpu, p->spans[id].stop, err);
    p->spans[id].used = rc == RFT_OK;
    return rc;
}

int rft_busy_span(rft_protocol *p, rft_span_id id, double *out, rft_err *err) {
    *out = 0.0;
    return p->spans[id].used ? p->gpu->vt->event_elapsed(p->gpu, p->spans[id].start, p->spans[id].stop, out, err)
                             : RFT_OK;
}

double rft_busy_take(rft_protocol *p) {
    double busy_s = p->busy_s;
    bool known = !p->gpu->vt->sticky(p->gpu);
    p->busy_s = 0.0;
    for (int id = 0; id < RFT_SPAN_COUNT; id++) {
        double span_s = 0.0;
        known = known && rft_busy_span(p, (rft_span_id)id, &span_s, NULL) == RFT_OK;
        busy_s += span_s;
        p->spans[id].used = false;
    }
    return known ? busy_s : (double)NAN;
}
