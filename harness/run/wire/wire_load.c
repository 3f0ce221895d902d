/* SPDX-License-Identifier: Apache-2.0 */
/* Loads on the wire: what is asked for, and what was seen. */
#include "run/wire/fields.h"
#include "run/wire/wire.h"

#include <math.h>

static const rft_field load_fields[] = {
    RFT_FIELD(rft_load, kind, INT),
    RFT_FIELD(rft_load, reason, TEXT),
    RFT_FIELD(rft_load, asked_s, REAL),
    RFT_FIELD(rft_load, window_s, REAL),
    RFT_FIELD(rft_load, runs, U64),
    RFT_FIELD(rft_load, run_s, REAL),
    RFT_FIELD(rft_load, restored, BOOL),
    RFT_FIELD(rft_load, cut, BOOL),
    RFT_FIELD(rft_load, source, TEXT),
    RFT_FIELD(rft_load, energy_reason, TEXT),
    RFT_FIELD(rft_load, power_w, REAL),
    RFT_FIELD(rft_load, joules_per_run, REAL),
    RFT_FIELD(rft_load, uncertainty_frac, REAL),
    RFT_FIELD(rft_load, update_s, REAL),
    RFT_FIELD(rft_load, temperature_start_c, REAL),
    RFT_FIELD(rft_load, temperature_end_c, REAL),
    RFT_FIELD(rft_load, throttled_frac[RFT_THROTTLE_POWER_CAP], REAL),
    RFT_FIELD(rft_load, throttled_frac[RFT_THROTTLE_SYNC_BOOST], REAL),
    RFT_FIELD(rft_load, throttled_frac[RFT_THROTTLE_SW_THERMAL], REAL),
    RFT_FIELD(rft_load, throttled_frac[RFT_THROTTLE_HW_THERMAL], REAL),
    RFT_FIELD(rft_load, throttled_frac[RFT_THROTTLE_POWER_BRAKE], REAL),
    RFT_FIELD(rft_load, clock_mhz, REAL),
};

json_t *rft_wire_of_load(const rft_load *load) {
    if (!load) {
        return json_null();
    }
    json_t *object = rft_fields_encode(load, load_fields, RFT_FIELD_COUNT(load_fields));
    json_object_set_new(object, "samples", rft_fields_reals(load->samples_s, load->n));
    json_object_set_new(object, "at", rft_fields_reals(load->at_s, load->n));
    json_object_set_new(object, "clocks", rft_fields_reals(load->clocks_mhz, load->n));
    json_object_set_new(object, "counted", json_integer((json_int_t)load->stats.n));
    return object;
}

int rft_wire_to_load(const rft_load **out, const json_t *object, rft_arena *arena, rft_err *err) {
    *out = NULL;
    if (!json_is_object(object)) {
        return RFT_OK;
    }
    rft_load *load = rft_arena_alloc(arena, sizeof *load);
    size_t at_count = 0, clock_count = 0;
    int rc = rft_fields_decode(load, object, load_fields, RFT_FIELD_COUNT(load_fields), arena, err);
    rc = rc == RFT_OK ? rft_fields_to_reals(&load->samples_s, &load->n, object, "samples", arena, err) : rc;
    rc = rc == RFT_OK ? rft_fields_to_reals(&load->at_s, &at_count, object, "at", arena, err) : rc;
    rc = rc == RFT_OK ? rft_fields_to_reals(&load->clocks_mhz, &clock_count, object, "clocks", arena, err) : rc;
    if (rc != RFT_OK) {
        return rc;
    }
    int64_t counted = rft_json_int_or(object, "counted", -1);
    if (load->kind >= RFT_LOAD_KINDS || at_count != load->n || clock_count != load->n || counted < 0 ||
        (uint64_t)counted > load->n) {
        return rft_err_set(err, RFT_E_WORKER, "frame.load is not a load");
    }
    size_t first = load->n - (size_t)counted; /* the last ones are those that count */
    load->stats = rft_stats_of(load->samples_s ? load->samples_s + first : NULL, (size_t)counted);
    *out = load;
    return RFT_OK;
}

json_t *rft_wire_of_load_order(const rft_load_order *order) {
    return order->wanted
               ? json_pack("{s:i,s:o}", "kind", (int)order->kind, "seconds", rft_json_real_new(order->seconds))
               : json_null();
}

void rft_wire_to_load_order(rft_load_order *out, const json_t *object) {
    int64_t kind = rft_json_int_or(object, "kind", -1);
    *out = (rft_load_order){0};
    if (json_is_object(object) && kind >= 0 && kind < RFT_LOAD_KINDS) {
        *out = (rft_load_order){
            .wanted = true, .kind = (rft_load_kind)kind, .seconds = rft_json_real_or(object, "seconds", 0.0)};
    }
}
