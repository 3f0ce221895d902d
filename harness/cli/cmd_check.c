/* SPDX-License-Identifier: Apache-2.0 */
/* `rooftune check`: counts the space and compiles a sample, for any architecture, on any machine. */
#include "base/clock.h"
#include "base/units.h"
#include "cli/asked.h"
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
    json_t *rows;
    uint64_t compiled, failed, spilling, skipped;
} check_state;

static int parse(rft_cli *cli, check_options *o, int argc, char **argv, rft_arena *arena, bool *helped, rft_err *err) {
    const rft_opt opts[] = {
        {"arch", 0, "sm_90a", "architecture to check for (default sm_90a)", NULL, &o->arch, NULL},
        {"sample", 0, "N", "configurations to compile a variant (default 4; 0: count only)", NULL, &o->sample, NULL},
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
    rc = rc ? rc : rft_opt_allow_paths(cli, &o->allow_paths, err);
    return rc ? rc : rft_asked_check(&o->asked, err);
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
                            r->compiled && r->compiled->ok ? "compiled" : rft_outcome_name(r->probed.outcome));
    if (r->compiled && r->compiled->ok) {
        int threads = (int)(r->block[0] * r->block[1] * r->block[2]);
        int64_t shared = r->facts.shared_static_bytes + r->facts.shared_dynamic_bytes;
        int blocks = rft_occupancy_blocks(c->gpu, threads, r->facts.registers, shared);
        double occupancy = rft_occupancy_frac(c->gpu, threads, blocks);
        c->compiled++;
        c->spilling += r->facts.spill_bytes > 0 ? 1 : 0;
        rft_str_addf(&c->out, "    %-44s %3d registers, %4d B spilled, %6lld B shared, occupancy ", rft_str_get(&text),
                     r->facts.registers, r->facts.spill_bytes, (long long)shared);
        rft_str_add_fixed(&c->out, occupancy * 100, 0);
        rft_str_add(&c->out, " %\n");
        json_object_set_new(row, "registers", json_integer(r->facts.registers));
        json_object_set_new(row, "spill_bytes", json_integer(r->facts.spill_bytes));
        json_object_set_new(row, "occupancy", json_real(occupancy));
    } else if (rft_once_has_no_code(r)) {
        rft_str_addf(&c->out, "    %-44s nothing to compile: the vendor's library is called\n", rft_str_get(&text));
        json_object_set_new(row, "outcome", json_string("no code"));
    } else {
        bool skipped = r->probed.outcome == RFT_OUTCOME_SKIPPED;
        c->skipped += skipped ? 1 : 0;
        c->failed += skipped ? 0 : 1;
        rft_str_addf(&c->out, "    %-44s %s: %s\n", rft_str_get(&text), rft_outcome_name(r->probed.outcome),
                     r->probed.reason ? r->probed.reason : "no reason given");
        if (*log && !skipped) {
            rft_str_addf(&c->out, "%s\n", log);
            json_object_set_new(row, "log", json_string(log));
        }
        json_object_set_new(row, "reason", json_string(r->probed.reason ? r->probed.reason : ""));
    }
    json_array_append_new(c->rows, row);
    rft_str_clear(&text);
}

static int compile_sample(check_state *c, const rft_plan *plan, size_t s, size_t v, size_t p, rft_err *err) {
    const rft_sweep *sweep = plan->sweeps[s];
    const rft_variant *variant = &sweep->variants[v];
    const rft_space *space = rft_plan_space(plan, s, v, p);
    uint64_t count = rft_space_count(space);
    uint64_t sample = (uint64_t)c->o->sample_count < count ? (uint64_t)c->o->sample_count : count;
    rft_value *config = rft_arena_calloc(c->arena, variant->param_count + 1, sizeof *config);
    for (uint64_t i = 0; i < sample; i++) {
        rft_once_result result;
        rft_space_get(space, sample > 1 ? i * (count - 1) / (sample - 1) : 0, config);
        rft_once_request request = {.sweep = sweep,
                                    .variant = v,
                                    .problem = sweep->problems[p].values,
                                    .config = config,
                                    .gpu = c->gpu,
                                    .pool = c->pool};
        int rc = rft_once(&request, c->arena, &result, err);
        if (rc != RFT_OK) {
            return rc;
        }
        describe_compiled(c, variant, config, &result);
    }
    return RFT_OK;
}

/* The last problem is the largest in the usual order: what fits there fits everywhere. */
static size_t last_timed(const rft_sweep *sweep) {
    size_t p = sweep->problem_count - 1;
    while (p > 0 && sweep->problems[p].odd) {
        p--;
    }
    return p;
}

static void add_problem(rft_str *out, const rft_sweep *sweep, size_t p) {
    for (size_t a = 0; a < sweep->axis_count; a++) {
        rft_str_addf(out, "%s%s=", a ? " " : "", sweep->axes[a].name);
        rft_value_format(out, &sweep->problems[p].values[a]);
    }
}

static int check_sweep(check_state *c, const rft_plan *plan, size_t s, rft_err *err) {
    const rft_sweep *sweep = plan->sweeps[s];
    char valid[32];
    char all[32];
    int rc = RFT_OK;
    rft_str_addf(&c->out, "%s\n", sweep->name);
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
        bool compiles = c->pool && !sweep->bare_space && c->o->sample_count > 0;
        size_t p = last_timed(sweep);
        if (compiles) {
            rft_str_add(&c->out, "; compiled for ");
            add_problem(&c->out, sweep, p);
        }
        rft_str_add(&c->out, "\n");
        rc = compiles ? compile_sample(c, plan, s, v, p, err) : RFT_OK;
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
    fprintf(c->cli->out, "%s", rft_str_get(&c->out));
    fprintf(c->cli->out, "%s%s", more ? more : "", more ? "\n" : "");
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
    if (rc == RFT_OK && rft_compile_pool_compiler(c->pool, c->gpu->arch, &facts, &missing) != RFT_OK) {
        rft_compile_pool_free(c->pool);
        c->pool = NULL;
        rft_log_warn(&c->cli->log, "counted only, nothing compiled: %s\n  remedy: %s", missing.message, missing.remedy);
    } else if (rc == RFT_OK) {
        rft_compose_look_at_cache(c->cli);
    }
    return rc;
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
    if (rc == RFT_OK && c->failed > 0 && c->compiled == 0) {
        rft_err_set(err, RFT_E_SOURCE, "no configuration of the sample compiles for %s", c->gpu->arch);
        rc = rft_err_remedy(err, c->o->json ? "`log` in the JSON says why" : "the log above says why");
    }
    rft_plan_free(plan);
    return rc;
}

int rft_cmd_check(rft_cli *cli, int argc, char **argv, rft_err *err) {
    rft_arena *arena = rft_arena_new();
    check_options o = {0};
    check_state c = {.cli = cli, .o = &o, .arena = arena, .rows = json_array()};
    rft_gpu_info gpu = {0};
    rft_script *script = NULL;
    bool helped = false;
    int rc = parse(cli, &o, argc, argv, arena, &helped, err);
    if (rc == RFT_OK && !helped) {
        rc = rft_gpu_info_for_arch(&gpu, o.arch ? o.arch : "sm_90a", err);
        c.gpu = &gpu;
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
    rft_str_clear(&c.out);
    json_decref(c.rows);
    rft_arena_free(arena);
    return rc;
}
