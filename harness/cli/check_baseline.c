/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/check_baseline.h"

#include "run/plan/limits.h"
#include "run/plan/signatures.h"

static const rft_problem *last_timed(const rft_sweep *sweep) {
    size_t p = sweep->problem_count;
    while (p > 0 && sweep->problems[p - 1].odd) {
        p--;
    }
    return p ? &sweep->problems[p - 1] : NULL;
}

/* NULL: it can be launched. */
static const char *what_fails(rft_check_state *c, const rft_point_spec *spec, const rft_compile_result *compiled) {
    if (!compiled->ok) {
        rft_check_logs_add(&c->logs, compiled->log, c->arena);
        return "it cannot be loaded, the log below says why";
    }
    const char *wrong = rft_signatures_wrong(spec, compiled, c->arena);
    return wrong ? wrong : rft_limits_exceeded(spec, c->gpu, c->arena);
}

static int check_one(rft_check_state *c, const rft_sweep *sweep, size_t index, rft_err *err) {
    rft_once_result looked = {0};
    bool timed_out = false; /* the log says so */
    const rft_problem *problem = last_timed(sweep);
    int rc = problem ? sweep->vt->baseline(sweep->self, index, problem->values, c->arena, &looked.spec, err) : RFT_OK;
    if (rc != RFT_OK || looked.spec.unit.name_count == 0) {
        return rc;
    }
    double timeout_s = sweep->measure.compile_timeout_s;
    rft_compile_request request = rft_compile_request_of(&looked.spec.unit, c->gpu->arch);
    rft_ticket ticket = rft_compile_pool_submit(c->pool, &request, timeout_s);
    rc = rft_compile_pool_wait(c->pool, ticket, &looked.compiled, &timed_out, err);
    if (rc != RFT_OK) {
        return rc;
    }
    rft_str_addf(&c->out, "  baseline %s\n", sweep->baselines[index]);
    rft_check_tell_given(&looked, c->arena, &c->out);
    const char *wrong = what_fails(c, &looked.spec, looked.compiled);
    c->failed += wrong ? 1 : 0;
    c->compiled += wrong ? 0 : 1;
    if (wrong) {
        rft_str_addf(&c->out, "    %s\n", wrong);
    }
    rc = rft_check_reference(&c->references, &looked.spec, timeout_s, &c->references_told, err);
    rft_str_add(&c->out, rft_str_get(&c->references_told));
    rft_str_clear(&c->references_told);
    return rc;
}

int rft_check_baselines(rft_check_state *c, const rft_plan *plan, size_t s, rft_err *err) {
    const rft_sweep *sweep = plan->sweeps[s];
    int rc = RFT_OK;
    for (size_t i = 0; c->pool && c->sample > 0 && i < sweep->baseline_count && rc == RFT_OK; i++) {
        rc = check_one(c, sweep, i, err);
    }
    return rc;
}
