/* SPDX-License-Identifier: Apache-2.0 */
/* ceiling.c - names of the ceilings (run.h). */
#include "base/str.h"
#include "model/run.h"

#include <math.h>

typedef struct ceiling_row {
    const char *name, *label, *unit;
} ceiling_row;

static const ceiling_row rows[RFT_CEILING_COUNT] = {
#define CEILING_ROW(name, text, label, unit) {text, label, unit},
    RFT_CEILING_MAP(CEILING_ROW)
#undef CEILING_ROW
};

const char *rft_ceiling_name(rft_ceiling_id id) {
    return id < RFT_CEILING_COUNT ? rows[id].name : "none";
}

const char *rft_ceiling_label(rft_ceiling_id id) {
    return id < RFT_CEILING_COUNT ? rows[id].label : "none";
}

const char *rft_ceiling_unit(rft_ceiling_id id) {
    return id < RFT_CEILING_COUNT ? rows[id].unit : "";
}

bool rft_ceiling_from_name(rft_ceiling_id *out, const char *name) {
    for (int i = 0; i < RFT_CEILING_COUNT; i++) {
        if (rft_text_equal(rows[i].name, name)) {
            *out = (rft_ceiling_id)i;
            return true;
        }
    }
    return false;
}

double rft_ceilings_rate(const rft_ceilings *ceilings, rft_ceiling_id id) {
    bool measured = id < RFT_CEILING_COUNT && ceilings->items[id].measured;
    return measured ? ceilings->items[id].stats.median : NAN;
}
