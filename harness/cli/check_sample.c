/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/check_sample.h"

#include "cli/check_source.h"

#include "base/units.h"
#include "cli/check_baseline.h"
#include "cli/check_reach.h"
#include "cli/check_unchanged.h"
#include "run/plan/signatures.h"
#include "run/prior_rank.h"

#include <string.h>

void rft_check_state_init(rft_check_state *c, rft_arena *arena) {
    *c = (rft_check_state){.arena = arena, .rows = json_array()};
    c->warnings = (rft_check_warnings){.arena = arena, .rows = json_array()};
    c->references = (rft_check_references){.arena = arena, .rows = json_array(), .warnings = &c->warnings};
}

void rft_check_state_clear(rft_check_state *c) {
    rft_check_logs_clear(&c->logs);
    rft_check_rows_clear(&c->lost);
    rft_str_clear(&c->out);
    rft_str_clear(&c->references_told);
    rft_check_compiles_clear(&c->compiles);
    json_decref(c->rows);
    json_decref(c->references.rows);
    json_decref(c->warnings.rows);
}

/* Several launches have a line each. */
static void describe_code(rft_check_state *c, const char *config, const rft_once_result *r, json_t *row) {
    json_t *launches = json_array();
    bool several = rft_check_kernel_launches(&r->spec) > 1;
    const rft_check_code code = {.threads = (int)(r->block[0] * r->block[1] * r->block[2]),
                                 .registers = r->facts.registers,
                                 .spill_bytes = r->facts.spill_bytes,
                                 .shared_bytes = r->facts.shared_static_bytes < 0
                                                     ? -1
                                                     : r->facts.shared_static_bytes + r->facts.shared_dynamic_bytes};
    c->compiled++;
    c->spilling += r->facts.spill_bytes > 0 ? 1 : 0;
    rft_check_compiles_add(&c->compiles, r);
    rft_str_addf(&c->out, "    %-44s", config);
    if (several) {
        rft_str_add(&c->out, " its launches:\n");
        rft_check_tell_launches(r, c->gpu, &c->out, launches);
    } else {
        rft_check_tell_code(&code, c->gpu, &c->out);
    }
    rft_check_put_code(&code, c->gpu, row);
    if (rft_source_is_given(r->spec.unit.source)) {
        json_object_set_new(row, "binary",
                            json_string(rft_given_describe(r->compiled->cubin, r->compiled->cubin_bytes, c->arena)));
    }
    if (several) {
        json_object_set(row, "launches", launches);
    }
    json_decref(launches);
}

static void add_config(rft_str *text, const rft_variant *variant, const rft_value *config) {
    for (size_t i = 0; i < variant->param_count; i++) {
        rft_str_addf(text, "%s%s=", i ? " " : "", variant->params[i].name);
        rft_value_format(text, &config[i]);
    }
}

static void describe_compiled(rft_check_state *c, const rft_variant *variant, const rft_value *config,
                              const rft_once_result *r) {
    rft_str text = RFT_STR_INIT;
    add_config(&text, variant, config);
    const char *log = r->probed.log ? r->probed.log : "";
    json_t *row = json_pack("{s:s,s:s,s:s}", "variant", variant->name, "configuration", rft_str_get(&text), "outcome",
                            r->compiled && r->compiled->ok && r->probed.outcome == RFT_OUTCOME_OK
                                ? "compiled"
                                : rft_outcome_name(r->probed.outcome));
    if (r->compiled && r->compiled->ok && r->probed.outcome == RFT_OUTCOME_OK) {
        describe_code(c, rft_str_get(&text), r, row);
    } else if (rft_once_has_no_code(r)) {
        c->no_code++;
        rft_str_addf(&c->out, "    %-44s nothing to compile: the vendor's library is called\n", rft_str_get(&text));
        json_object_set_new(row, "outcome", json_string("no code"));
    } else {
        bool skipped = r->probed.outcome == RFT_OUTCOME_SKIPPED;
        c->skipped += skipped ? 1 : 0;
        c->failed += skipped ? 0 : 1;
        rft_check_rows_add(&c->lost, rft_str_get(&text), r->probed.outcome,
                           r->probed.reason ? r->probed.reason : "no reason given", c->arena);
        if (*log && !skipped) {
            rft_check_logs_add(&c->logs, log, c->arena);
            json_object_set_new(row, "log", json_string(log));
        }
        json_object_set_new(row, "reason", json_string(r->probed.reason ? r->probed.reason : ""));
    }
    json_array_append_new(c->rows, row);
    rft_str_clear(&text);
}

/* Of each variant once: what it declares, and arguments that its kernels do not take. */
static void look_for_warnings(rft_check_state *c, const rft_once_result *r) {
    bool ok = r->compiled && r->compiled->ok && r->probed.outcome == RFT_OUTCOME_OK;
    bool spelled = r->probed.outcome != RFT_OUTCOME_SCRIPT_FAILED;
    if (!c->amounts_told && spelled && r->spec.buffer_count > 0) {
        rft_check_amounts(&c->warnings, c->place, &r->spec);
        rft_check_tolerance(&c->warnings, c->place, &r->spec);
        if (r->spec.unit.name_count > 0) {
            rft_check_source(&c->warnings, c->place, &r->spec, NULL);
        }
        c->amounts_told = true;
    }
    const rft_variable *unfilled =
        ok && !c->unfilled_told ? rft_signatures_unfilled(&r->spec, r->compiled, c->arena) : NULL;
    if (unfilled) {
        rft_check_unfilled(&c->warnings, c->place, r->spec.unit.source, unfilled);
        c->unfilled_told = true;
    }
    if (ok && r->compiled->log) {
        rft_check_redefined(&c->warnings, c->place, &r->spec.unit, r->compiled->log);
    }
    const char *unsized = ok ? rft_signatures_unsized(&r->spec, r->compiled) : NULL;
    if (unsized) {
        rft_check_unsized(&c->warnings, c->place, unsized);
    }
    const rft_buffer *unwritten = ok ? rft_signatures_unwritten(&r->spec, r->compiled) : NULL;
    if (unwritten) {
        rft_check_unwritten(&c->warnings, c->place, unwritten);
    }
    const char *other_type =
        ok && !c->other_type_told ? rft_signatures_other_type(&r->spec, r->compiled, c->arena) : NULL;
    rft_check_other_type(&c->warnings, c->place, other_type);
    c->other_type_told = c->other_type_told || other_type != NULL;
    const char *unread = ok && !c->unread_told ? rft_signatures_unread(&r->spec, r->compiled, c->arena) : NULL;
    if (unread) {
        rft_check_warn(&c->warnings, c->place, "take it out of `args`, or give the kernel the parameter", "%s", unread);
        c->unread_told = true;
    }
}

static int compile_one(rft_check_state *c, const rft_once_request *request, rft_err *err) {
    rft_once_result result;
    double timeout_s = request->sweep->measure.compile_timeout_s;
    int rc = rft_once(request, c->arena, &result, err);
    if (rc == RFT_OK) {
        look_for_warnings(c, &result);
        if (!c->options_told && result.spec.unit.source && rft_source_is_given(result.spec.unit.source)) {
            rft_check_tell_given(&result, c->arena, &c->out);
            rft_check_tell_structs(&result.spec, &c->out);
            c->options_told = true;
        }
        if (!c->options_told && result.spec.unit.name_count > 0) {
            rft_check_tell_options(&result.spec.unit, &c->out);
            rft_check_tell_structs(&result.spec, &c->out);
            c->options_told = true;
        }
        describe_compiled(c, &request->sweep->variants[request->variant], request->config, &result);
        rc = rft_check_reference(&c->references, &result.spec, timeout_s, &c->references_told, err);
    }
    return rc;
}

static rft_once_request request_of(const rft_check_state *c, const rft_sweep *sweep, size_t v, size_t p,
                                   const rft_value *config) {
    return (rft_once_request){.sweep = sweep,
                              .variant = v,
                              .problem = sweep->problems[p].values,
                              .config = config,
                              .gpu = c->gpu,
                              .pool = c->pool};
}

#define AHEAD 256 /* configurations that wait for the compilers at once */

static int compile_sample(rft_check_state *c, const rft_plan *plan, size_t s, size_t v, size_t p, rft_err *err) {
    const rft_sweep *sweep = plan->sweeps[s];
    const rft_variant *variant = &sweep->variants[v];
    const rft_space *space = rft_plan_space(plan, s, v, p);
    uint64_t count = rft_space_count(space);
    uint64_t sample = !c->all && c->sample < count ? c->sample : count;
    rft_value *config = rft_arena_calloc(c->arena, variant->param_count + 1, sizeof *config);
    uint64_t by_default = rft_check_default(space, config);
    rft_once_request request = request_of(c, sweep, v, p, config);
    int rc = RFT_OK;
    if (c->all && !rft_space_exact(space)) {
        rft_err_set(err, RFT_E_LIMIT, "variant %s: --all needs an exact count, and this space is estimated",
                    variant->name);
        return rft_err_remedy(err, "compile a sample: --sample N");
    }
    for (uint64_t i = 0; i < sample && rc == RFT_OK; i++) {
        for (uint64_t j = i; i % AHEAD == 0 && j < sample && j < i + AHEAD && rc == RFT_OK; j++) {
            uint64_t index = rft_check_sample_index(space, by_default, j, sample);
            if (index != UINT64_MAX) {
                rft_space_get(space, index, config);
                rc = rft_once_queue(&request, err);
            }
        }
        uint64_t index = rft_check_sample_index(space, by_default, i, sample);
        if (index != UINT64_MAX && rc == RFT_OK) {
            rft_space_get(space, index, config);
            rc = compile_one(c, &request, err);
        }
    }
    return rc;
}

static void add_problem(rft_str *out, const rft_sweep *sweep, size_t p) {
    for (size_t a = 0; a < sweep->axis_count; a++) {
        rft_str_addf(out, "%s%s=", a ? " " : "", sweep->axes[a].name);
        rft_value_format(out, &sweep->problems[p].values[a]);
    }
}

/* The timed problem, from the last one back, or from the first one on, on which the variant has a configuration. */
static const size_t *find_problem(rft_check_state *c, const rft_plan *plan, size_t s, size_t v, bool last) {
    const rft_sweep *sweep = plan->sweeps[s];
    for (size_t i = 0; i < sweep->problem_count; i++) {
        size_t p = last ? sweep->problem_count - 1 - i : i;
        if (!sweep->problems[p].odd && rft_space_count(rft_plan_space(plan, s, v, p)) > 0) {
            return rft_arena_memdup(c->arena, &p, sizeof p);
        }
    }
    return NULL;
}

static uint64_t looked_at(const rft_check_state *c) {
    return c->compiled + c->no_code + c->failed;
}

/* A problem on which the sample leaves nothing is measured on no configuration of it, which is seldom meant. */
static void note_lost(rft_check_state *c, const rft_sweep *sweep, size_t p) {
    rft_str name = RFT_STR_INIT;
    if (c->lost_problems++ == 0) {
        add_problem(&name, sweep, p);
        c->lost_problem = rft_arena_printf(c->arena, "%s: %s", rft_str_get(&name), c->lost.items[0].reason);
        rft_str_clear(&name);
    }
}

static void warn_of_lost(rft_check_state *c) {
    size_t more = c->lost_problems - 1;
    const char *others =
        more ? rft_arena_printf(c->arena, ", and for %zu problem%s more", more, more == 1 ? "" : "s") : "";
    rft_check_warn(&c->warnings, c->place, "leave the problem out, or give the parameters values that fit it",
                   "nothing of the sample can run for %s%s", c->lost_problem, others);
}

static int compile_problem(rft_check_state *c, const rft_plan *plan, size_t s, size_t v, size_t p, rft_err *err) {
    uint64_t before = looked_at(c);
    rft_str_add(&c->out, plan->sweeps[s]->axis_count ? "    compiled for " : "    compiled");
    add_problem(&c->out, plan->sweeps[s], p);
    rft_str_add(&c->out, plan->sweeps[s]->problems[p].odd ? " (the odd problem):\n" : ":\n");
    int rc = compile_sample(c, plan, s, v, p, err);
    if (rc == RFT_OK && looked_at(c) == before && c->lost.count > 0 && !plan->sweeps[s]->problems[p].odd) {
        note_lost(c, plan->sweeps[s], p);
    }
    rft_check_rows_tell(&c->lost, &c->out);
    return rc;
}

/* Of what compiles. */
static int look_for_unchanged(rft_check_state *c, const rft_plan *plan, size_t s, size_t v, rft_err *err) {
    const rft_check_unchanged look = {
        .plan = plan, .sweep = s, .variant = v, .gpu = c->gpu, .pool = c->pool, .warnings = &c->warnings};
    return rft_check_unchanged_params(&look, err);
}

/* Its remedy, which a row has no room for. */
static void tell_odd(rft_check_state *c, const rft_err *failed) {
    const char *own = *failed->remedy ? rft_arena_printf(c->arena, "%s; or ", failed->remedy) : "";
    rft_check_warn(&c->warnings, *failed->place ? rft_arena_strdup(c->arena, failed->place) : c->place,
                   rft_arena_printf(c->arena, "%sgive `check` sizes that the script takes: odd = { ... }", own),
                   "the odd problem, by which results are verified, fails: %.*s", (int)strcspn(failed->message, "\n"),
                   failed->message);
}

/* An odd problem that the script cannot spell out is verified nowhere: told as any configuration that fails. */
static int look_at_odd(rft_check_state *c, const rft_plan *plan, size_t s, size_t v, rft_err *err) {
    const rft_sweep *sweep = plan->sweeps[s];
    rft_value *config = rft_arena_calloc(c->arena, sweep->variants[v].param_count + 1, sizeof *config);
    int rc = RFT_OK;
    for (size_t p = 0; p < sweep->problem_count && rc == RFT_OK; p++) {
        const rft_space *space = rft_plan_space(plan, s, v, p);
        rft_point_spec spec;
        rft_err failed = RFT_ERR_INIT;
        if (!sweep->problems[p].odd || rft_space_count(space) == 0) {
            continue;
        }
        uint64_t index = rft_check_sample_index(space, rft_check_default(space, config), 0, 1);
        if (index != UINT64_MAX) {
            rft_space_get(space, index, config);
            if (sweep->vt->point(sweep->self, v, sweep->problems[p].values, config, c->arena, &spec, &failed) !=
                RFT_OK) {
                tell_odd(c, &failed);
                rc = compile_problem(c, plan, s, v, p, err);
            }
        }
    }
    return rc;
}

static int look_for_reach(rft_check_state *c, const rft_plan *plan, size_t s, size_t v, size_t p, rft_err *err) {
    const rft_check_reach look = {plan, s, v, p, c->place, c->gpu, c->pool, &c->warnings};
    return rft_check_reaches(&look, err);
}

/* A prior has to answer for every configuration, and the same each time. */
static void warn_of_prior(rft_check_state *c, const rft_prior_rank *rank, const rft_prior_rank *again) {
    bool differs = rank->count != again->count;
    for (size_t i = 0; i < rank->count && !differs; i++) {
        differs = rank->index[i] != again->index[i] || rank->prior[i] != again->prior[i];
    }
    if (rank->failed > 0) {
        rft_check_warn(&c->warnings, *rank->first.place ? rft_arena_strdup(c->arena, rank->first.place) : c->place,
                       *rank->first.remedy ? rft_arena_strdup(c->arena, rank->first.remedy)
                                           : "make it answer for every valid configuration",
                       "%llu of %llu configurations have no prior: %s", (unsigned long long)rank->failed,
                       (unsigned long long)rank->asked, rank->first.message);
    }
    if (differs) {
        rft_check_warn(&c->warnings, c->place, "use p, c, gpu and t alone",
                       "the prior gives other numbers when it is asked again: a continued run would go another way");
    }
}

#define PRIOR_SHOWN 3 /* first choices */

static bool is_compiling(const rft_check_state *c) {
    return c->pool && c->sample > 0;
}

/* Compiled where there is a compiler: what spills is no first choice in the end. */
static int tell_prior(rft_check_state *c, const rft_plan *plan, size_t s, size_t v, rft_err *err) {
    const size_t *last = find_problem(c, plan, s, v, true);
    size_t p = last ? *last : 0;
    const rft_sweep *sweep = plan->sweeps[s];
    const rft_space *space = rft_plan_space(plan, s, v, p);
    rft_prior_rank *rank = rft_arena_calloc(c->arena, 2, sizeof *rank);
    rft_value *config = rft_arena_calloc(c->arena, sweep->variants[v].param_count + 1, sizeof *config);
    rft_once_request request = request_of(c, sweep, v, p, config);
    int rc = RFT_OK;
    for (size_t i = 0; i < 2 && rc == RFT_OK && last; i++) {
        rc = rft_prior_rank_of(sweep, v, sweep->problems[p].values, space, sweep->search.seed, &rank[i], err);
    }
    if (rc != RFT_OK || rank->asked == 0) {
        return rc;
    }
    warn_of_prior(c, &rank[0], &rank[1]);
    if (rank->count > 0) {
        rft_str_add(&c->out, "    first by the prior for ");
        add_problem(&c->out, sweep, p);
        rft_str_addf(&c->out, " (%.3g, the %s %.3g; what spills goes last):\n", rank->prior[0],
                     rank->count == RFT_PRIOR_KEPT ? "64th" : "last", rank->prior[rank->count - 1]);
    }
    for (size_t i = 0; i < PRIOR_SHOWN && i < rank->count && rc == RFT_OK; i++) {
        rft_space_get(space, rank->index[i], config);
        if (is_compiling(c)) {
            rc = compile_one(c, &request, err);
        } else {
            rft_str_add(&c->out, "    ");
            add_config(&c->out, &sweep->variants[v], config);
            rft_str_add(&c->out, "\n");
        }
    }
    rft_check_rows_tell(&c->lost, &c->out);
    return rc;
}

/* The last problem is the largest in the usual order: what fits there fits everywhere. Where all of the sample is
 * skipped there, the first one tells whether anything can run. */
static int compile_variant(rft_check_state *c, const rft_plan *plan, size_t s, size_t v, rft_err *err) {
    const size_t *last = find_problem(c, plan, s, v, true);
    const size_t *first = find_problem(c, plan, s, v, false);
    uint64_t before = looked_at(c), failed = c->failed;
    int rc = RFT_OK;
    c->options_told = c->amounts_told = c->unread_told = c->unfilled_told = c->other_type_told = false;
    c->lost_problems = 0;
    for (size_t p = 0; c->all && p < plan->sweeps[s]->problem_count && rc == RFT_OK; p++) {
        rc = compile_problem(c, plan, s, v, p, err);
    }
    if (!c->all && last) {
        rc = compile_problem(c, plan, s, v, *last, err);
    }
    if (rc == RFT_OK && !c->all && last && *first != *last && looked_at(c) == before) {
        rc = compile_problem(c, plan, s, v, *first, err);
    }
    if (rc == RFT_OK && !c->all) {
        rc = look_at_odd(c, plan, s, v, err);
    }
    if (rc == RFT_OK && c->lost_problems > 0 && looked_at(c) > before) {
        warn_of_lost(c);
    }
    if (rc == RFT_OK && last && looked_at(c) > before && c->failed == failed && (c->all || c->sample > 1)) {
        rc = look_for_reach(c, plan, s, v, *last, err);
        rc = rc == RFT_OK ? look_for_unchanged(c, plan, s, v, err) : rc;
    }
    return rc;
}

static void tell_references(rft_check_state *c) {
    rft_str_add(&c->out, rft_str_get(&c->references_told));
    rft_str_clear(&c->references_told);
}

/* Has a parameter more than one value? Without parameters there is nothing to tune. */
static bool is_tuned(const rft_variant *variant) {
    bool tuned = variant->param_count == 0;
    for (size_t i = 0; i < variant->param_count; i++) {
        tuned = tuned || variant->params[i].value_count > 1;
    }
    return tuned;
}

int rft_check_sweep(rft_check_state *c, const rft_plan *plan, size_t s, rft_err *err) {
    const rft_sweep *sweep = plan->sweeps[s];
    char valid[32];
    char all[32];
    int rc = RFT_OK;
    rft_str_addf(&c->out, "%s\n", sweep->name);
    if (!sweep->bare_space) {
        rft_check_tell_odd(plan, s, &c->out);
        rft_check_compiles_expect(&c->compiles, plan, s);
    }
    for (size_t v = 0; v < sweep->variant_count && rc == RFT_OK; v++) {
        uint64_t count = 0;
        uint64_t cartesian = 0;
        const char *basis = NULL; /* of an estimate */
        for (size_t p = 0; p < sweep->problem_count; p++) {
            const rft_space *space = rft_plan_space(plan, s, v, p);
            count += sweep->problems[p].odd ? 0 : rft_space_count(space);
            cartesian += sweep->problems[p].odd ? 0 : rft_space_cartesian(space);
            basis = rft_space_exact(space) ? basis : rft_space_count_basis(space);
        }
        rft_units_format_count(valid, sizeof valid, count);
        rft_units_format_count(all, sizeof all, cartesian);
        rft_str_addf(&c->out, "  %s: %s%s of %s valid over all problems", sweep->variants[v].name,
                     basis ? "about " : "", valid, all);
        if (basis) {
            rft_str_addf(&c->out, " (%s)", basis);
        }
        rft_str_addf(&c->out, "%s\n", is_tuned(&sweep->variants[v]) ? "" : "; nothing is tuned");
        c->place = rft_check_place(sweep, &sweep->variants[v], c->arena);
        rc = is_compiling(c) && !sweep->bare_space ? compile_variant(c, plan, s, v, err) : RFT_OK;
        rc = rc == RFT_OK && !sweep->bare_space ? tell_prior(c, plan, s, v, err) : rc;
        tell_references(c);
    }
    return rc == RFT_OK ? rft_check_baselines(c, plan, s, err) : rc;
}
