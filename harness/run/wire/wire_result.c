/* SPDX-License-Identifier: Apache-2.0 */
/* What comes back from the device worker: probe results, ceilings, device facts. */
#include "run/wire/fields.h"
#include "run/wire/wire.h"

#include <math.h>
#include <stdio.h>

static const rft_field vendor_result_fields[] = {
    RFT_FIELD(rft_probe_result, library, TEXT),
    RFT_FIELD(rft_probe_result, algo, TEXT),
    RFT_FIELD(rft_probe_result, algo_count, INT),
};
static const rft_field facts_fields[] = {
    RFT_FIELD(rft_facts, registers, INT),
    RFT_FIELD(rft_facts, spill_bytes, INT),
    RFT_FIELD(rft_facts, stack_bytes, INT),
    RFT_FIELD(rft_facts, shared_static_bytes, I64),
    RFT_FIELD(rft_facts, shared_dynamic_bytes, I64),
    RFT_FIELD(rft_facts, blocks_per_sm, INT),
    RFT_FIELD(rft_facts, occupancy_frac, REAL),
    RFT_FIELD(rft_facts, waves, REAL),
    RFT_FIELD(rft_facts, cubin_hash, TEXT),
    RFT_FIELD(rft_facts, compile_s, REAL),
    RFT_FIELD(rft_facts, from_cache, BOOL),
};
static const rft_field verification_fields[] = {
    RFT_FIELD(rft_verification, done, BOOL),       RFT_FIELD(rft_verification, tol, REAL),
    RFT_FIELD(rft_verification, worst_frac, REAL), RFT_FIELD(rft_verification, worst_abs_error, REAL),
    RFT_FIELD(rft_verification, got, REAL),        RFT_FIELD(rft_verification, want, REAL),
    RFT_FIELD(rft_verification, buffer, TEXT),     RFT_FIELD(rft_verification, index, U64),
    RFT_FIELD(rft_verification, wrong_count, U64), RFT_FIELD(rft_verification, total_count, U64),
};
static const rft_field measurement_fields[] = {
    RFT_FIELD(rft_measurement, stop, INT),           RFT_FIELD(rft_measurement, cache, INT),
    RFT_FIELD(rft_measurement, clock_mhz, REAL),     RFT_FIELD(rft_measurement, wall_s, REAL),
    RFT_FIELD(rft_measurement, verify_s, REAL),      RFT_FIELD(rft_measurement, busy_s, REAL),
    RFT_FIELD(rft_measurement, batch, INT),          RFT_FIELD(rft_measurement, floor_s, REAL),
    RFT_FIELD(rft_measurement, attempts, INT),       RFT_FIELD(rft_measurement, affected_frac, REAL),
    RFT_FIELD(rft_measurement, steady_mhz, REAL),    RFT_FIELD(rft_measurement, throttle_cause, TEXT),
    RFT_FIELD(rft_measurement, throttle_note, TEXT), RFT_FIELD(rft_measurement, turns, INT),
};
static const rft_field stats_fields[] = {
    RFT_FIELD(rft_stats, n, U64),         RFT_FIELD(rft_stats, min, REAL),
    RFT_FIELD(rft_stats, q1, REAL),       RFT_FIELD(rft_stats, median, REAL),
    RFT_FIELD(rft_stats, q3, REAL),       RFT_FIELD(rft_stats, max, REAL),
    RFT_FIELD(rft_stats, mean, REAL),     RFT_FIELD(rft_stats, low, REAL),
    RFT_FIELD(rft_stats, high, REAL),     RFT_FIELD(rft_stats, interval_is_95, BOOL),
    RFT_FIELD(rft_stats, iqr_frac, REAL),
};
static const rft_field ceiling_fields[] = {
    RFT_FIELD(rft_ceiling, measured, BOOL),        RFT_FIELD(rft_ceiling, reason, TEXT),
    RFT_FIELD(rft_ceiling, kernel, TEXT),          RFT_FIELD(rft_ceiling, clock_mhz, REAL),
    RFT_FIELD(rft_ceiling, datasheet, REAL),       RFT_FIELD(rft_ceiling, datasheet_basis, TEXT),
    RFT_FIELD(rft_ceiling, limit, REAL),           RFT_FIELD(rft_ceiling, limit_basis, TEXT),
    RFT_FIELD(rft_ceiling, at_least, BOOL),        RFT_FIELD(rft_ceiling, sustained_clock_mhz, REAL),
    RFT_FIELD(rft_ceiling, measured_unix_ns, I64),
};
static const rft_field ceilings_fields[] = {RFT_FIELD(rft_ceilings, busy_s, REAL)};
static const rft_field gpu_fields[] = {
    RFT_FIELD(rft_gpu_info, name, TEXT),
    RFT_FIELD(rft_gpu_info, arch, TEXT),
    RFT_FIELD(rft_gpu_info, uuid, TEXT),
    RFT_FIELD(rft_gpu_info, pci_id, TEXT),
    RFT_FIELD(rft_gpu_info, cc_major, INT),
    RFT_FIELD(rft_gpu_info, cc_minor, INT),
    RFT_FIELD(rft_gpu_info, sms, INT),
    RFT_FIELD(rft_gpu_info, warp_size, INT),
    RFT_FIELD(rft_gpu_info, max_threads_per_block, INT),
    RFT_FIELD(rft_gpu_info, max_threads_per_sm, INT),
    RFT_FIELD(rft_gpu_info, max_blocks_per_sm, INT),
    RFT_FIELD(rft_gpu_info, registers_per_block, INT),
    RFT_FIELD(rft_gpu_info, registers_per_sm, INT),
    RFT_FIELD(rft_gpu_info, shared_per_block, I64),
    RFT_FIELD(rft_gpu_info, shared_per_block_static, I64),
    RFT_FIELD(rft_gpu_info, shared_per_sm, I64),
    RFT_FIELD(rft_gpu_info, l2_bytes, I64),
    RFT_FIELD(rft_gpu_info, persisting_l2_max_bytes, I64),
    RFT_FIELD(rft_gpu_info, memory_bytes, I64),
    RFT_FIELD(rft_gpu_info, memory_free_bytes, I64),
    RFT_FIELD(rft_gpu_info, max_grid, I64X3),
    RFT_FIELD(rft_gpu_info, max_block, INTX3),
    RFT_FIELD(rft_gpu_info, max_cluster, INT),
    RFT_FIELD(rft_gpu_info, cooperative, BOOL),
    RFT_FIELD(rft_gpu_info, sm_clock_khz, INT),
    RFT_FIELD(rft_gpu_info, memory_clock_khz, INT),
    RFT_FIELD(rft_gpu_info, memory_bus_bits, INT),
    RFT_FIELD(rft_gpu_info, driver_version, INT),
    RFT_FIELD(rft_gpu_info, representative, BOOL),
};

json_t *rft_wire_of_probe_result(const rft_probe_result *result) {
    const rft_measurement *m = &result->measurement;
    json_t *measurement = rft_fields_encode(m, measurement_fields, RFT_FIELD_COUNT(measurement_fields));
    json_object_set_new(measurement, "samples", rft_fields_reals(m->samples_s, m->n));
    if (m->clocks_mhz) {
        json_object_set_new(measurement, "clocks", rft_fields_reals(m->clocks_mhz, m->n));
    }
    json_object_set_new(measurement, "steps", rft_fields_reals(m->step_s, m->step_count));
    return json_pack(
        "{s:s,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "outcome", rft_outcome_name(result->outcome), "reason",
        rft_fields_text(result->reason), "log", rft_fields_text(result->log), "facts",
        rft_fields_encode(&result->facts, facts_fields, RFT_FIELD_COUNT(facts_fields)), "verification",
        rft_fields_encode(&result->verification, verification_fields, RFT_FIELD_COUNT(verification_fields)), "load",
        rft_wire_of_load(result->load), "measurement", measurement, "vendor",
        rft_fields_encode(result, vendor_result_fields, RFT_FIELD_COUNT(vendor_result_fields)));
}

static int measurement_to(rft_measurement *out, const json_t *object, rft_arena *arena, rft_err *err) {
    int rc = rft_fields_decode(out, object, measurement_fields, RFT_FIELD_COUNT(measurement_fields), arena, err);
    if (rc == RFT_OK) {
        rc = rft_fields_to_reals(&out->samples_s, &out->n, object, "samples", arena, err);
    }
    size_t clock_count = 0;
    if (rc == RFT_OK && json_object_get(object, "clocks")) {
        rc = rft_fields_to_reals(&out->clocks_mhz, &clock_count, object, "clocks", arena, err);
        if (rc == RFT_OK && clock_count != out->n) {
            rc = rft_err_set(err, RFT_E_WORKER, "frame.clocks: expected one for each of %zu samples", out->n);
        }
    }
    if (rc == RFT_OK) {
        rc = rft_fields_to_reals(&out->step_s, &out->step_count, object, "steps", arena, err);
    }
    out->stats = rft_stats_of(out->samples_s, rc == RFT_OK ? out->n : 0);
    return rc;
}

int rft_wire_to_probe_result(rft_probe_result *out, const json_t *head, rft_arena *arena, rft_err *err) {
    *out = (rft_probe_result){0};
    const char *outcome = rft_json_text_or(head, "outcome", "");
    if (!rft_outcome_from_name(&out->outcome, outcome)) {
        return rft_err_set(err, RFT_E_WORKER, "frame.outcome: \"%s\" is no outcome", outcome);
    }
    out->reason = rft_arena_strdup(arena, rft_json_text_or(head, "reason", NULL));
    out->log = rft_arena_strdup(arena, rft_json_text_or(head, "log", NULL));
    int rc = rft_fields_decode(&out->facts, json_object_get(head, "facts"), facts_fields, RFT_FIELD_COUNT(facts_fields),
                               arena, err);
    if (rc == RFT_OK) {
        rc = rft_fields_decode(&out->verification, json_object_get(head, "verification"), verification_fields,
                               RFT_FIELD_COUNT(verification_fields), arena, err);
    }
    if (rc == RFT_OK) {
        rc = rft_fields_decode(out, json_object_get(head, "vendor"), vendor_result_fields,
                               RFT_FIELD_COUNT(vendor_result_fields), arena, err);
    }
    if (rc == RFT_OK) {
        rc = rft_wire_to_load(&out->load, json_object_get(head, "load"), arena, err);
    }
    return rc == RFT_OK ? measurement_to(&out->measurement, json_object_get(head, "measurement"), arena, err) : rc;
}

json_t *rft_wire_of_ceilings_request(const rft_ceilings_request *request) {
    return json_pack("{s:I,s:o}", "wanted", (json_int_t)request->wanted, "soak_s", rft_json_real_new(request->soak_s));
}

rft_ceilings_request rft_wire_to_ceilings_request(const json_t *head) {
    return (rft_ceilings_request){.wanted = (uint32_t)rft_json_int_or(head, "wanted", RFT_CEILINGS_ALL),
                                  .soak_s = rft_json_real_or(head, "soak_s", 0.0)};
}

json_t *rft_wire_of_ceilings(const rft_ceilings *ceilings) {
    json_t *head = rft_fields_encode(ceilings, ceilings_fields, RFT_FIELD_COUNT(ceilings_fields));
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        const rft_ceiling *ceiling = &ceilings->items[id];
        json_t *object = rft_fields_encode(ceiling, ceiling_fields, RFT_FIELD_COUNT(ceiling_fields));
        json_object_set_new(object, "stats",
                            rft_fields_encode(&ceiling->stats, stats_fields, RFT_FIELD_COUNT(stats_fields)));
        json_object_set_new(object, "sustained",
                            rft_fields_encode(&ceiling->sustained, stats_fields, RFT_FIELD_COUNT(stats_fields)));
        json_object_set_new(head, rft_ceiling_name((rft_ceiling_id)id), object);
    }
    return head;
}

int rft_wire_to_ceilings(rft_ceilings *out, const json_t *head, rft_arena *arena, rft_err *err) {
    *out = (rft_ceilings){0};
    int rc = rft_fields_decode(out, head, ceilings_fields, RFT_FIELD_COUNT(ceilings_fields), arena, err);
    for (int id = 0; id < RFT_CEILING_COUNT && rc == RFT_OK; id++) {
        const json_t *object = json_object_get(head, rft_ceiling_name((rft_ceiling_id)id));
        rft_ceiling *ceiling = &out->items[id];
        rc = rft_fields_decode(ceiling, object, ceiling_fields, RFT_FIELD_COUNT(ceiling_fields), arena, err);
        if (rc == RFT_OK) {
            rc = rft_fields_decode(&ceiling->stats, json_object_get(object, "stats"), stats_fields,
                                   RFT_FIELD_COUNT(stats_fields), arena, err);
        }
        if (rc == RFT_OK) {
            rc = rft_fields_decode(&ceiling->sustained, json_object_get(object, "sustained"), stats_fields,
                                   RFT_FIELD_COUNT(stats_fields), arena, err);
        }
    }
    return rc;
}

json_t *rft_wire_of_device(const rft_gpu_info *gpu, const rft_env *env) {
    json_t *items = json_array();
    for (size_t i = 0; i < env->count; i++) {
        const rft_env_item *item = &env->items[i];
        json_array_append_new(items, json_pack("{s:o,s:o,s:o}", "key", rft_fields_text(item->key), "value",
                                               rft_fields_text(item->value), "reason", rft_fields_text(item->reason)));
    }
    return json_pack("{s:o,s:o}", "gpu", rft_fields_encode(gpu, gpu_fields, RFT_FIELD_COUNT(gpu_fields)), "env", items);
}

int rft_wire_to_device(rft_gpu_info *gpu, rft_env *env, const json_t *head, rft_arena *arena, rft_err *err) {
    int rc = rft_fields_decode(gpu, json_object_get(head, "gpu"), gpu_fields, RFT_FIELD_COUNT(gpu_fields), arena, err);
    const json_t *items = json_object_get(head, "env");
    for (size_t i = 0; rc == RFT_OK && i < json_array_size(items); i++) {
        const json_t *item = json_array_get(items, i);
        rft_env_set(env, arena, rft_json_text_or(item, "key", "?"), rft_json_text_or(item, "value", NULL),
                    rft_json_text_or(item, "reason", NULL));
    }
    return rc;
}
