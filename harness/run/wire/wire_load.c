/* SPDX-License-Identifier: Apache-2.0 */
/* Loads on the wire: what is asked for, and what was seen. */
#include "run/wire/wire.h"

json_t *rft_wire_of_load(const rft_load *load) {
    return load ? rft_wire_of_fields(&rft_fields_load, load) : json_null();
}

int rft_wire_to_load(const rft_load **out, const json_t *object, rft_arena *arena, rft_err *err) {
    *out = NULL;
    if (!json_is_object(object)) {
        return RFT_OK;
    }
    rft_load *load = rft_arena_alloc(arena, sizeof *load);
    int rc = rft_wire_to_fields(&rft_fields_load, load, object, arena, err);
    if (rc != RFT_OK) {
        return rc;
    }
    if (!rft_load_count(load, load->stats.n)) {
        return rft_err_set(err, RFT_E_WORKER, "frame.load is not a load");
    }
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
