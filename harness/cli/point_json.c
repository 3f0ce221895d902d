/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/point_json.h"

#include "base/json.h"
#include "reports/findings/findings.h"
#include "reports/print/print.h"
#include "store/value_json.h"

#include <math.h>
#include <stdlib.h>

static void set_samples(json_t *root, const rft_measurement *m) {
    json_t *samples = json_array();
    for (size_t i = 0; m && i < m->n; i++) {
        json_array_append_new(samples, rft_json_real_new(m->samples_s[i]));
    }
    json_object_set_new(root, "samples_s", samples);
    json_object_set_new(root, "median_s", rft_json_real_new(m ? m->stats.median : (double)NAN));
    json_object_set_new(root, "low_s", rft_json_real_new(m ? m->stats.low : (double)NAN));
    json_object_set_new(root, "high_s", rft_json_real_new(m ? m->stats.high : (double)NAN));
    json_object_set_new(root, "interval_is_95", m ? json_boolean(m->stats.interval_is_95) : json_null());
    json_object_set_new(root, "stop", m ? json_string(rft_stop_reason_name(m->stop)) : json_null());
}

static json_t *json_of_verified(const rft_verification *v) {
    json_t *verified = json_object();
    json_object_set_new(verified, "worst_frac", rft_json_real_new(v->worst_frac));
    json_object_set_new(verified, "rms_frac", rft_json_real_new(v->rms_frac));
    json_object_set_new(verified, "elements", json_integer((json_int_t)v->total_count));
    return verified;
}

int rft_point_write_json(rft_cli *cli, const char *path, const rft_point_told *told, rft_err *err) {
    const rft_sweep *sweep = told->sweep;
    const rft_variant *variant = &sweep->variants[told->choice->variant];
    const rft_once_result *r = told->result;
    bool measured = rft_outcome_is_measured(r->probed.outcome);
    const rft_measurement *m = measured ? &r->probed.measurement : NULL;
    json_t *root = json_object(), *problem = json_object();
    for (size_t i = 0; i < sweep->axis_count; i++) {
        json_object_set_new(problem, sweep->axes[i].name, rft_json_of_value(&told->choice->problem[i]));
    }
    json_object_set_new(root, "sweep", rft_json_clean_text(sweep->name, 0));
    json_object_set_new(root, "variant", rft_json_clean_text(variant->name, 0));
    json_object_set_new(root, "problem", problem);
    json_object_set_new(root, "config", rft_json_of_config(variant, told->choice->config));
    json_object_set_new(root, "outcome", json_string(rft_outcome_name(r->probed.outcome)));
    json_object_set_new(root, "reason", rft_json_clean_text(r->probed.reason, 0));
    set_samples(root, m);
    rft_arena *arena = rft_arena_new();
    json_object_update_new(root, rft_print_json(rft_finding_timing(m, arena)));
    rft_arena_free(arena);
    json_object_set_new(root, "useful_bytes",
                        rft_json_real_new(measured ? rft_work_bytes(&r->spec.work) : (double)NAN));
    json_object_set_new(root, "useful_ops", rft_json_real_new(measured ? rft_work_ops(&r->spec.work) : (double)NAN));
    bool verified = measured && r->probed.verification.done;
    json_object_set_new(root, "verified", verified ? json_of_verified(&r->probed.verification) : json_null());
    json_object_set_new(root, "repeats",
                        measured && r->probed.repeats > 0
                            ? json_pack("{s:i,s:i}", "launches", r->probed.repeats, "differ", r->probed.repeats_differ)
                            : json_null());
    rft_str text = RFT_STR_INIT;
    char *dumped = rft_json_dump(root, NULL);
    rft_str_addf(&text, "%s\n", dumped);
    int rc = rft_cli_write(cli, path, rft_str_get(&text), text.length, err);
    rft_str_clear(&text);
    free(dumped);
    json_decref(root);
    return rc;
}
