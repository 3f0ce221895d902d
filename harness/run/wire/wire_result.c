/* SPDX-License-Identifier: Apache-2.0 */
/* What comes back from the device worker: probe results, ceilings, device facts. */
#include "run/wire/wire.h"

static const rft_field own_items[] = {
    RFT_WIRE_FIELD(rft_probe_result, library, TEXT),       RFT_WIRE_FIELD(rft_probe_result, algo, TEXT),
    RFT_WIRE_FIELD(rft_probe_result, algo_count, INT),     RFT_WIRE_FIELD(rft_probe_result, repeats, INT),
    RFT_WIRE_FIELD(rft_probe_result, repeats_differ, INT),
};
static const rft_fields own_fields = RFT_WIRE_TABLE(own_items);
static const rft_field cost_items[] = {RFT_WIRE_FIELD(rft_ceilings, busy_s, REAL)};
static const rft_fields cost_fields = RFT_WIRE_TABLE(cost_items);

json_t *rft_wire_of_probe_result(const rft_probe_result *result) {
    return json_pack("{s:s,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "outcome", rft_outcome_name(result->outcome), "reason",
                     rft_json_clean_text(result->reason, 0), "log", rft_json_clean_text(result->log, 0), "facts",
                     rft_wire_of_fields(&rft_fields_facts, &result->facts), "verification",
                     rft_wire_of_fields(&rft_fields_verification, &result->verification), "load",
                     rft_wire_of_load(result->load), "measurement",
                     rft_wire_of_fields(&rft_fields_measurement, &result->measurement), "own",
                     rft_wire_of_fields(&own_fields, result));
}

int rft_wire_to_probe_result(rft_probe_result *out, const json_t *head, rft_arena *arena, rft_err *err) {
    *out = (rft_probe_result){0};
    const struct {
        const char *name;
        const rft_fields *fields;
        void *record;
    } parts[] = {{"facts", &rft_fields_facts, &out->facts},
                 {"verification", &rft_fields_verification, &out->verification},
                 {"measurement", &rft_fields_measurement, &out->measurement},
                 {"own", &own_fields, out}};
    const char *outcome = rft_json_text_or(head, "outcome", "");
    if (!rft_outcome_from_name(&out->outcome, outcome)) {
        return rft_err_set(err, RFT_E_WORKER, "frame.outcome: \"%s\" is no outcome", outcome);
    }
    out->reason = rft_arena_strdup(arena, rft_json_text_or(head, "reason", NULL));
    out->log = rft_arena_strdup(arena, rft_json_text_or(head, "log", NULL));
    int rc = rft_wire_to_load(&out->load, json_object_get(head, "load"), arena, err);
    for (size_t i = 0; i < sizeof parts / sizeof *parts && rc == RFT_OK; i++) {
        rc = rft_wire_to_fields(parts[i].fields, parts[i].record, json_object_get(head, parts[i].name), arena, err);
    }
    if (rc == RFT_OK && !rft_measurement_processes_fit(&out->measurement)) {
        rc = rft_err_set(err, RFT_E_WORKER, "frame.measurement.process_n: expected counts whose sum is the samples'");
    }
    out->measurement.stats = rft_stats_of(out->measurement.samples_s, rc == RFT_OK ? out->measurement.n : 0);
    return rc;
}

json_t *rft_wire_of_ceilings_request(const rft_ceilings_request *request) {
    return json_pack("{s:I,s:o}", "wanted", (json_int_t)request->wanted, "soak_s", rft_json_real_new(request->soak_s));
}

rft_ceilings_request rft_wire_to_ceilings_request(const json_t *head) {
    return (rft_ceilings_request){.wanted = (rft_ceiling_set)rft_json_int_or(head, "wanted", RFT_CEILINGS_ALL),
                                  .soak_s = rft_json_real_or(head, "soak_s", 0.0)};
}

json_t *rft_wire_of_ceilings(const rft_ceilings *ceilings) {
    json_t *head = rft_wire_of_fields(&cost_fields, ceilings);
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        json_t *object = rft_wire_of_fields(&rft_fields_ceiling, &ceilings->items[id]);
        rft_fields_to_json(object, &rft_fields_stats, &ceilings->items[id].stats, RFT_FORM_WIRE);
        json_object_set_new(head, rft_ceiling_name((rft_ceiling_id)id), object);
    }
    return head;
}

int rft_wire_to_ceilings(rft_ceilings *out, const json_t *head, rft_arena *arena, rft_err *err) {
    *out = (rft_ceilings){0};
    int rc = rft_wire_to_fields(&cost_fields, out, head, arena, err);
    for (int id = 0; id < RFT_CEILING_COUNT && rc == RFT_OK; id++) {
        const json_t *object = json_object_get(head, rft_ceiling_name((rft_ceiling_id)id));
        rc = rft_wire_to_fields(&rft_fields_ceiling, &out->items[id], object, arena, err);
        rc = rc == RFT_OK ? rft_wire_to_fields(&rft_fields_stats, &out->items[id].stats, object, arena, err) : rc;
    }
    return rc;
}

json_t *rft_wire_of_device(const rft_gpu_info *gpu, const rft_env *env) {
    json_t *items = json_array();
    for (size_t i = 0; i < env->count; i++) {
        const rft_env_item *item = &env->items[i];
        json_array_append_new(items, json_pack("{s:o,s:o,s:o}", "key", rft_json_clean_text(item->key, 0), "value",
                                               rft_json_clean_text(item->value, 0), "reason",
                                               rft_json_clean_text(item->reason, 0)));
    }
    return json_pack("{s:o,s:o}", "gpu", rft_wire_of_fields(&rft_fields_gpu, gpu), "env", items);
}

int rft_wire_to_device(rft_gpu_info *gpu, rft_env *env, const json_t *head, rft_arena *arena, rft_err *err) {
    int rc = rft_wire_to_fields(&rft_fields_gpu, gpu, json_object_get(head, "gpu"), arena, err);
    const json_t *items = json_object_get(head, "env");
    for (size_t i = 0; rc == RFT_OK && i < json_array_size(items); i++) {
        const json_t *item = json_array_get(items, i);
        rft_env_set(env, arena, rft_json_text_or(item, "key", "?"), rft_json_text_or(item, "value", NULL),
                    rft_json_text_or(item, "reason", NULL));
    }
    return rc;
}
