/* SPDX-License-Identifier: Apache-2.0 */
/* `rooftune check`: counts the space and compiles a sample, for any architecture, on any machine. */
#include "base/clock.h"
#include "base/units.h"
#include "cli/asked.h"
#include "cli/check_facts.h"
#include "cli/check_logs.h"
#include "cli/check_reference.h"
#include "cli/compose.h"
#include "model/card/occupancy.h"
#include "run/once.h"
#include "run/plan/plan.h"
#include "run/refine_round.h"

#include <stdlib.h>
#include <string.h>

typedef struct check_options {
    const char *arch, *json, *sample;
    rft_asked asked;
    int64_t sample_count;
    bool all, strict;
    rft_words files, script_args, allow_paths;
} check_options;

typedef struct check_state {
    rft_cli *cli;
    const check_options *o;
    const rft_gpu_info *gpu;
    rft_arena *arena;
    rft_loop *loop;
    rft_compile_pool *pool; /* NULL: no compiler */
    rft_str out;
    rft_str references_told; /* of the variant in hand: below its configurations */
    json_t *rows;
    rft_check_logs logs;
    rft_check_references references;
    rft_check_compiles compiles;
    bool options_told; /* of the variant in hand */
    uint64_t compiled, no_code, failed, spilling, skipped;
} check_state;

static int parse(rft_cli *cli, check_options *o, int argc, char **argv, rft_arena *arena, bool *helped, rft_err *err) {
    const rft_opt opts[] = {
        {"arch", 0, "sm_90a", "architecture, or a device (h200), to check for (default sm_90a)", NULL, &o->arch, NULL},
        {"sample", 0, "N", "configurations to compile a variant (default 4; 0: count only)", NULL, &o->sample, NULL},
        {"all", 0, NULL, "compile every configuration of every problem", &o->all, NULL, NULL},
        {"strict", 0, NULL, "fail where anything is skipped, or nothing can be compiled", &o->strict, NULL, NULL},
        rft_asked_opt(&o->asked, "compile-timeout", arena),
        {"json", 0, "FILE|-", "counts and compiled sample as JSON", NULL, &o->json, NULL},
        RFT_OPT_ALLOW_PATH(&o->allow_paths),
    };
    int rc = rft_opt_parse(cli, opts, sizeof opts / sizeof opts[0], argc, argv, arena, &o->files, &o->script_args,
                           helped, err);
    o->sample_count = 4;
    if (rc == RFT_OK && !*helped && o->files.count != 1) {
        rc = rft_err_set(err, RFT_E_USAGE, "check takes one sweep, %zu were given", o->files.count);
    }
    if (rc == RFT_OK && o->sample && (!rft_text_to_int64(o->sample, &o->sample_count) || o->sample_count < 0)) {
        rc = rft_err_set(err, RFT_E_USAGE, "--sample takes a whole number, not \"%s\"", o->sample);
    }
    if (rc == RFT_OK && o->sample && o->all) {
        rc = rft_err_set(err, RFT_E_USAGE, "--all leaves nothing to sample");
        rft_err_remedy(err, "give --all or --sample");
    }
    rc = rc ? rc : rft_opt_allow_paths(cli, &o->allow_paths, err);
    return rc ? rc : rft_asked_check(&o->asked, err);
}

/* Several launches have a line each. */
static void describe_code(check_state *c, const char *config, const rft_once_result *r, json_t *row) {
    json_t *launches = json_array();
    bool several = rft_check_kernel_launches(&r->spec) > 1;
    int threads = (int)(r->block[0] * r->block[1] * r->block[2]);
    int64_t shared = r->facts.shared_static_bytes + r->facts.shared_dynamic_bytes;
    int blocks = rft_occupancy_blocks(c->gpu, threads, r->facts.registers, shared);
    double occupancy = rft_occupancy_frac(c->gpu, threads, blocks);
    c->compiled++;
    c->spilling += r->facts.spill_bytes > 0 ? 1 : 0;
    rft_check_compiles_add(&c->compiles, r);
    rft_str_addf(&c->out, "    %-44s", config);
    if (several) {
        rft_str_add(&c->out, " its launches:\n");
        rft_check_tell_launches(r, c->gpu, &c->out, launches);
    } else {
        rft_str_addf(&c->out, " %3d registers, %4d B spilled, %6lld B shared, occupancy ", r->facts.registers,
                     r->facts.spill_bytes, (long long)shared);
        rft_str_add_fixed(&c->out, occupancy * 100, 0);
        rft_str_add(&c->out, " %\n");
    }
    json_object_set_new(row, "registers", json_integer(r->facts.registers));
    json_object_set_new(row, "spill_bytes", json_integer(r->facts.spill_bytes));
    json_object_set_new(row, "occupancy", json_real(occupancy));
    if (several) {
        json_object_set(row, "launches", launches);
    }
    json_decref(launches);
}

static void describe_compiled(check_state *c, const rft_variant *variant, const rft_value *config,
                              const rft_once_result *r) {
    rft_str text = RFT_STR_INIT;
    for (size_t i = 0; i < variant->param_count; i++) {
        rft_str_addf(&text, "%s%s=", i ? " " : "", variant->params[i].name);
        rft_value_format(&text, &config[i]);
    }
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
        rft_str_addf(&c->out, "    %-44s %s: %s\n", rft_str_get(&text), rft_outcome_name(r->probed.outcome),
                     r->probed.reason ? r->probed.reason : "no reason given");
        if (*log && !skipped) {
            rft_check_logs_add(&c->logs, log, c->arena);
            json_object_set_new(row, "log", json_string(log));
        }
        json_object_set_new(row, "reason", json_string(r->probed.reason ? r->probed.reason : ""));
    }
    json_array_append_new(c->rows, row);
    rft_str_clear(&text);
}

static int compile_one(check_state *c, const rft_once_request *request, rft_err *err) {
    rft_once_result result;
    double timeout_s = request->sweep->measure.compile_timeout_s;
    int rc = rft_once(request, c->arena, &result, err);
    if (rc == RFT_OK) {
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

#define AHEAD 256 /* configurations that wait for the compilers at once */

static int compile_sample(check_state *c, const rft_plan *plan, size_t s, size_t v, size_t p, rft_err *err) {
    const rft_sweep *sweep = plan->sweeps[s];
    const rft_variant *variant = &sweep->variants[v];
    const rft_space *space = rft_plan_space(plan, s, v, p);
    uint64_t count = rft_space_count(space);
    uint64_t sample = !c->o->all && (uint64_t)c->o->sample_count < count ? (uint64_t)c->o->sample_count : count;
    rft_value *config = rft_arena_calloc(c->arena, variant->param_count + 1, sizeof *config);
    uint64_t by_default = rft_check_default(space, config);
    rft_once_request request = {.sweep = sweep,
                                .variant = v,
                                .problem = sweep->problems[p].values,
                                .config = config,
                                .gpu = c->gpu,
                                .pool = c->pool};
    int rc = RFT_OK;
    if (c->o->all && !rft_space_exact(space)) {
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
static const size_t *find_problem(check_state *c, const rft_plan *plan, size_t s, size_t v, bool last) {
    const rft_sweep *sweep = plan->sweeps[s];
    for (size_t i = 0; i < sweep->problem_count; i++) {
        size_t p = last ? sweep->problem_count - 1 - i : i;
        if (!sweep->problems[p].odd && rft_space_count(rft_plan_space(plan, s, v, p)) > 0) {
            return rft_arena_memdup(c->arena, &p, sizeof p);
        }
    }
    return NULL;
}

static int compile_problem(check_state *c, const rft_plan *plan, size_t s, size_t v, size_t p, rft_err *err) {
    rft_str_add(&c->out, "    compiled for ");
    add_problem(&c->out, plan->sweeps[s], p);
    rft_str_add(&c->out, plan->sweeps[s]->problems[p].odd ? " (the odd problem):\n" : ":\n");
    return compile_sample(c, plan, s, v, p, err);
}

static uint64_t looked_at(const check_state *c) {
    return c->compiled + c->no_code + c->failed;
}

/* The last problem is the largest in the usual order: what fits there fits everywhere. Where all of the sample is
 * skipped there, the first one tells whether anything can run. */
static int compile_variant(check_state *c, const rft_plan *plan, size_t s, size_t v, rft_err *err) {
    const size_t *last = find_problem(c, plan, s, v, true);
    const size_t *first = find_problem(c, plan, s, v, false);
    uint64_t before = looked_at(c);
    int rc = RFT_OK;
    c->options_told = false;
    for (size_t p = 0; c->o->all && p < plan->sweeps[s]->problem_count && rc == RFT_OK; p++) {
        rc = compile_problem(c, plan, s, v, p, err);
    }
    if (!c->o->all && last) {
        rc = compile_problem(c, plan, s, v, *last, err);
    }
    if (rc == RFT_OK && !c->o->all && last && *first != *last && looked_at(c) == before) {
        rc = compile_problem(c, plan, s, v, *first, err);
    }
    rft_str_add(&c->out, rft_str_get(&c->references_told));
    rft_str_clear(&c->references_told);
    return rc;
}

static int check_sweep(check_state *c, const rft_plan *plan, size_t s, rft_err *err) {
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
        rft_str_add(&c->out, "\n");
        rc = c->pool && !sweep->bare_space && c->o->sample_count > 0 ? compile_variant(c, plan, s, v, err) : RFT_OK;
    }
    return rc;
}

static uint64_t refine_points(const rft_plan *plan) {
    uint64_t points = 0;
    for (size_t s = 0; s < plan->sweep_count; s++) {
        points += rft_refine_most_points(plan, s);
    }
    return points;
}

/* A count may exceed what a JSON integer holds here. */
static json_t *json_count(uint64_t count) {
    return count <= INT64_MAX ? json_integer((json_int_t)count) : json_real((double)count);
}

static int write_results(check_state *c, const rft_plan *plan, double seconds, rft_err *err) {
    if (c->o->json) {
        json_t *head = json_pack("{s:o,s:o,s:b,s:f,s:s,s:O}", "configurations", json_count(plan->cartesian), "valid",
                                 json_count(plan->valid), "exact", !plan->estimated, "enumerate_seconds", seconds,
                                 "arch", c->gpu->arch, "compiled", c->rows);
        json_object_set(head, "references", c->references.rows);
        json_object_set_new(head, "distinct_compiles", json_integer((json_int_t)c->compiles.distinct));
        json_object_set_new(head, "refine_points", json_integer((json_int_t)refine_points(plan)));
        size_t length = 0;
        char *text = rft_json_dump(head, &length);
        int rc = rft_cli_write(c->cli, c->o->json, text, length, err);
        free(text);
        json_decref(head);
        return rc;
    }
    char time[32];
    rft_units_format_seconds(time, sizeof time, seconds, 2);
    const char *more = rft_refine_outlook(plan, c->arena);
    rft_check_logs_format(&c->out, &c->logs);
    fprintf(c->cli->out, "%s", rft_str_get(&c->out));
    fprintf(c->cli->out, "%s%s", more ? more : "", more ? "\n" : "");
    rft_str compile_time = RFT_STR_INIT;
    rft_check_tell_compiles(&c->compiles, rft_compose_compile_workers(), &compile_time);
    fprintf(c->cli->out, "%s", rft_str_get(&compile_time));
    rft_str_clear(&compile_time);
    fprintf(c->cli->out, "for %s as %s; enumerated in %s; compiled %llu, failed %llu, spilling %llu, skipped %llu\n",
            c->gpu->arch, c->gpu->name, time, (unsigned long long)c->compiled, (unsigned long long)c->failed,
            (unsigned long long)c->spilling, (unsigned long long)c->skipped);
    return RFT_OK;
}

static int open_pool(check_state *c, rft_err *err) {
    rft_compiler_facts facts;
    rft_err missing = RFT_ERR_INIT;
    if (c->o->sample_count == 0) {
        return RFT_OK;
    }
    int rc = rft_loop_new(&c->loop, err);
    rft_compile_pool_opts opts = {.loop = c->loop,
                                  .program = c->cli->program,
                                  .workers = rft_compose_compile_workers(),
                                  .roots = rft_compose_roots(c->cli, &c->o->files, c->arena),
                                  .log = &c->cli->log};
    rc = rc == RFT_OK ? rft_compile_pool_new(&c->pool, &opts, err) : rc;
    if (rc == RFT_OK && c->o->strict) {
        rc = rft_compile_pool_compiler(c->pool, c->gpu->arch, &facts, err);
    } else if (rc == RFT_OK && rft_compile_pool_compiler(c->pool, c->gpu->arch, &facts, &missing) != RFT_OK) {
        rft_compile_pool_free(c->pool);
        c->pool = NULL;
        rft_log_warn(&c->cli->log, "counted only, nothing compiled: %s\n  remedy: %s", missing.message, missing.remedy);
    }
    if (rc == RFT_OK && c->pool) {
        rft_compose_look_at_cache(c->cli);
        c->references.pool = c->pool;
    }
    return rc;
}

/* The status is a gate: what would fail in the run fails here. */
static int judge(const check_state *c, rft_err *err) {
    const char *log = c->o->json ? "`log` in the JSON says why" : "the log above says why";
    unsigned long long failed = c->failed;
    unsigned long long skipped = c->skipped;
    if (c->references.failed > 0) {
        rft_err_set(err, RFT_E_SOURCE, "the reference %s %s for %s", c->references.first_failed,
                    c->references.first_why, c->gpu->arch);
        return rft_err_remedy(err,
                              "correct it, or name another in `check`; it is compiled without the parameters' "
                              "macros; %s",
                              log);
    }
    if (failed > 0 && c->compiled == 0) {
        rft_err_set(err, RFT_E_SOURCE, "no configuration of the sample compiles and can be launched for %s",
                    c->gpu->arch);
        return rft_err_remedy(err, "%s", log);
    }
    if (failed > 0) {
        rft_err_set(err, RFT_E_SOURCE, "%llu of %llu configurations fail for %s", failed,
                    (unsigned long long)(c->compiled + c->no_code) + failed, c->gpu->arch);
        return rft_err_remedy(err, "%s; `where` leaves out what is not to be tried", log);
    }
    if (skipped > 0 && c->compiled + c->no_code == 0) {
        rft_err_set(err, RFT_E_NOTHING, "nothing of the sample can run on %s: all %llu configurations are skipped",
                    c->gpu->name, skipped);
        return rft_err_remedy(err, "each line above says what exceeds the device; --sample N looks at more");
    }
    if (skipped > 0 && c->o->strict) {
        rft_err_set(err, RFT_E_NOTHING, "%llu of %llu configurations cannot run on %s", skipped,
                    (unsigned long long)(c->compiled + c->no_code) + skipped, c->gpu->name);
        return rft_err_remedy(err, "leave them out by `where`, or go without --strict");
    }
    return RFT_OK;
}

static int check_script(check_state *c, const rft_script *script, rft_err *err) {
    const rft_clock *clock = rft_clock_system();
    size_t count = rft_script_sweep_count(script);
    const rft_sweep **sweeps = rft_arena_calloc(c->arena, count + 1, sizeof *sweeps);
    rft_plan *plan = NULL;
    for (size_t i = 0; i < count; i++) {
        sweeps[i] = rft_asked_sweep(&c->o->asked, rft_script_sweep(script, i), count, c->arena);
    }
    int64_t started = clock->monotonic_ns(clock->self);
    int rc = rft_plan_new(&plan, sweeps, count, &c->cli->log, err);
    double seconds = (double)(clock->monotonic_ns(clock->self) - started) * 1e-9;
    if (rc == RFT_OK) {
        rc = open_pool(c, err);
    }
    for (size_t s = 0; s < count && rc == RFT_OK; s++) {
        rc = check_sweep(c, plan, s, err);
    }
    if (rc == RFT_OK) {
        rc = write_results(c, plan, seconds, err);
    }
    rc = rc == RFT_OK ? judge(c, err) : rc;
    rft_plan_free(plan);
    return rc;
}

int rft_cmd_check(rft_cli *cli, int argc, char **argv, rft_err *err) {
    rft_arena *arena = rft_arena_new();
    check_options o = {0};
    check_state c = {.cli = cli, .o = &o, .arena = arena, .rows = json_array()};
    c.references = (rft_check_references){.arena = arena, .rows = json_array()};
    rft_gpu_info gpu = {0};
    rft_script *script = NULL;
    bool helped = false;
    int rc = parse(cli, &o, argc, argv, arena, &helped, err);
    if (rc == RFT_OK && !helped) {
        rc = rft_compose_arch(cli, &gpu, o.arch ? o.arch : "sm_90a", err);
        c.gpu = &gpu;
        c.references.arch = gpu.arch;
    }
    if (rc == RFT_OK && !helped) {
        rc = rft_compose_script(cli, &script, o.files.items[0], &gpu, &o.script_args, err);
    }
    if (rc == RFT_OK && !helped) {
        rc = check_script(&c, script, err);
    }
    rft_compile_pool_free(c.pool);
    rft_loop_free(c.loop);
    rft_script_free(script);
    rft_check_logs_clear(&c.logs);
    rft_str_clear(&c.out);
    rft_str_clear(&c.references_told);
    rft_check_compiles_clear(&c.compiles);
    json_decref(c.rows);
    json_decref(c.references.rows);
    rft_arena_free(arena);
    return rc;
}
