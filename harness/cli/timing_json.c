/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/timing_json.h"

#include "model/run/field.h"

rft_measurement rft_timing_told(const rft_measurement *m) {
    rft_measurement told = *m;
    told.batch = told.batch > 1 ? told.batch : 1;
    return told;
}

void rft_timing_set_json(json_t *object, const rft_measurement *m) {
    rft_measurement told = m ? rft_timing_told(m) : rft_measurement_none();
    for (size_t i = 0; i < rft_fields_measurement.count; i++) {
        const rft_field *field = &rft_fields_measurement.items[i];
        if (field->flags & RFT_FIELD_SHOWN) {
            json_object_set_new(object, field->name, m ? rft_field_shown_json(field, &told) : json_null());
        }
    }
}
