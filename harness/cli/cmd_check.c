/* SPDX-License-Identifier: Apache-2.0 */
/* `rooftune check`: counts the space and compiles a sample, for any architecture, on any machine. */
#include "base/clock.h"
#include "base/units.h"
#include "cli/asked.h"
#include "cli/check_sample.h"
#include "cli/check_time.h"
#include "cli/compose.h"
#include "run/refine_round.h"

#include <math.h>
#include <stdlib.h>

typedef struct check_options {
    const char *arch, *json, *sample;
    rft_asked asked;
    int64_t sample_count;
    bool all, strict;
    rft_words files, script_args, allow_paths;
} check_options;

typedef struct check_run {
    rft_cli *cli;
    const check_options *o;
    rft_loop *loop;
    double gpu_s; /* that a run takes at least; NaN */
    rft_check_state state;
} check_run;

static int parse(rft_cli *cli, check_options *o, int argc, char **argv, rft_arena *arena, bool *helped, rft_err *err) {
    const rft_opt opts[] = {
        {"arch", 0, "sm_90a", "architecture, or a device (h200), to check for (default sm_90a)", NULL, &o->arch, NULL},
        {"sample", 0, "N", "configurations to compile a variant (default 4; 0: count only)", NULL, &o->sample, NULL},
        {"all", 0, NULL, "compile every configuration of every problem", &o->all, NULL, NULL},
        {"strict", 0, NULL, "fail where anything is skipped or warned of, or nothing compiled", &o->strict, NULL, NULL},
        rft_asked_opt(&o->asked, "compile-timeout", arena),
        {"json", 0, "FILE|-", "counts and compiled sample as JSON", NULL, &o->json, NULL},
        RFT_OPT_ALLOW_PATH(&o->allow_paths),
    };
    int rc = rft_opt_parse(cli, opts, sizeof opts / sizeof opts[0], argc, argv, arena, &o->files, &o->script_args,
                           helped, err);
    o->sample_count = 4;
    if (rc == RFT_OK && !*helped && o->files.count != 1) {
        rft_err_set(err, RFT_E_USAGE, "check takes one sweep, %zu were given", o->files.count);
        rc = rft_err_remedy(err, "rooftune check SWEEP.lua");
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

static int write_results(check_run *c, const rft_plan *plan, double seconds, rft_err *err) {
    if (c->o->json) {
        json_t *head = json_pack("{s:o,s:o,s:b,s:f,s:s,s:O}", "configurations", json_count(plan->cartesian), "valid",
                                 json_count(plan->valid), "exact", !plan->estimated, "enumerate_seconds", seconds,
                                 "arch", c->state.gpu->arch, "compiled", c->state.rows);
        json_object_set(head, "references", c->state.references.rows);
        json_object_set_new(head, "distinct_compiles", json_integer((json_int_t)c->state.compiles.distinct));
        json_object_set_new(head, "refine_points", json_integer((json_int_t)refine_points(plan)));
        json_object_set_new(head, "gpu_seconds_least", rft_json_real_new(c->gpu_s));
        json_object_set(head, "warnings", c->state.warnings.rows);
        size_t length = 0;
        char *text = rft_json_dump(head, &length);
        int rc = rft_cli_write(c->cli, c->o->json, text, length, err);
        free(text);
        json_decref(head);
        return rc;
    }
    char time[32];
    rft_units_format_seconds(time, sizeof time, seconds, 2);
    const char *more = rft_refine_outlook(plan, c->state.arena);
    rft_check_logs_format(&c->state.out, &c->state.logs);
    fprintf(c->cli->out, "%s", rft_str_get(&c->state.out));
    fprintf(c->cli->out, "%s%s", more ? more : "", more ? "\n" : "");
    rft_str compile_time = RFT_STR_INIT;
    rft_check_tell_compiles(&c->state.compiles, rft_compose_compile_workers(), &compile_time);
    fprintf(c->cli->out, "%s", rft_str_get(&compile_time));
    rft_str_clear(&compile_time);
    if (!isnan(c->gpu_s)) {
        char least[32];
        rft_units_format_seconds(least, sizeof least, c->gpu_s, 2);
        fprintf(c->cli->out, "GPU time: at least %s by the datasheet's rates\n", least);
    }
    const bool stands_for = c->state.gpu->representative;
    fprintf(c->cli->out, "for %s%s %s; enumerated in %s; compiled %llu, failed %llu, spilling %llu, skipped %llu\n",
            c->state.gpu->arch, stands_for ? " cards, with the facts of" : " as", c->state.gpu->name, time,
            (unsigned long long)c->state.compiled, (unsigned long long)c->state.failed,
            (unsigned long long)c->state.spilling, (unsigned long long)c->state.skipped);
    return RFT_OK;
}

static int open_pool(check_run *c, rft_err *err) {
    rft_compiler_facts facts = {.knows_arch = true};
    rft_err missing = RFT_ERR_INIT;
    if (c->o->sample_count == 0) {
        return RFT_OK;
    }
    int rc = rft_loop_new(&c->loop, err);
    rft_compile_pool_opts opts = {.loop = c->loop,
                                  .program = c->cli->program,
                                  .workers = rft_compose_compile_workers(),
                                  .roots = rft_compose_roots(c->cli, &c->o->files, c->state.arena),
                                  .log = &c->cli->log};
    rc = rc == RFT_OK ? rft_compile_pool_new(&c->state.pool, &opts, err) : rc;
    if (rc == RFT_OK && c->o->strict) {
        rc = rft_compile_pool_compiler(c->state.pool, c->state.gpu->arch, &facts, err);
    } else if (rc == RFT_OK &&
               rft_compile_pool_compiler(c->state.pool, c->state.gpu->arch, &facts, &missing) != RFT_OK) {
        rft_compile_pool_free(c->state.pool);
        c->state.pool = NULL;
        rft_log_warn(&c->cli->log, "counted only, nothing compiled: %s\n  remedy: %s", missing.message, missing.remedy);
    }
    if (rc == RFT_OK && c->state.pool && !facts.knows_arch) {
        rft_log_warn(&c->cli->log,
                     "NVRTC %s does not know %s: a driver would finish every kernel, so registers are not "
                     "known here. Install a newer NVRTC.",
                     facts.version, c->state.gpu->arch);
    }
    if (rc == RFT_OK && c->state.pool) {
        rft_compose_look_at_cache(c->cli);
        c->state.references.pool = c->state.pool;
    }
    return rc;
}

/* The status is a gate: what would fail in the run fails here. */
static int judge(const check_run *c, rft_err *err) {
    const char *log = c->o->json ? "`log` in the JSON says why" : "the log above says why";
    unsigned long long failed = c->state.failed;
    unsigned long long skipped = c->state.skipped;
    if (c->state.references.failed > 0) {
        const rft_check_references *of = &c->state.references;
        rft_err_set(err, RFT_E_SOURCE, "the %s %s for %s", of->first_failed, of->first_why, c->state.gpu->arch);
        return rft_err_remedy(err, "%s; %s", of->first_remedy, log);
    }
    if (failed > 0 && c->state.compiled == 0) {
        rft_err_set(err, RFT_E_SOURCE, "no configuration of the sample compiles and can be launched for %s",
                    c->state.gpu->arch);
        return rft_err_remedy(err, "%s", log);
    }
    if (failed > 0) {
        rft_err_set(err, RFT_E_SOURCE, "%llu of %llu configurations fail for %s", failed,
                    (unsigned long long)(c->state.compiled + c->state.no_code) + failed, c->state.gpu->arch);
        return rft_err_remedy(err, "%s; `where` leaves out what is not to be tried", log);
    }
    if (skipped > 0 && c->state.compiled + c->state.no_code == 0) {
        rft_err_set(err, RFT_E_NOTHING, "nothing of the sample can run on %s: all %llu configurations are skipped",
                    c->state.gpu->name, skipped);
        return rft_err_remedy(err, "each line above says what exceeds the device; --sample N looks at more");
    }
    size_t warnings = rft_check_warning_count(&c->state.warnings);
    if (warnings > 0 && c->o->strict && skipped == 0) {
        rft_err_set(err, RFT_E_NOTHING, "%zu warning%s, which --strict takes as failures", warnings,
                    warnings == 1 ? "" : "s");
        return rft_err_remedy(err, "each says what helps; or go without --strict");
    }
    if (skipped > 0 && c->o->strict) {
        rft_err_set(err, RFT_E_NOTHING, "%llu of %llu configurations cannot run on %s", skipped,
                    (unsigned long long)(c->state.compiled + c->state.no_code) + skipped, c->state.gpu->name);
        return rft_err_remedy(err, "leave them out by `where`, or go without --strict");
    }
    return RFT_OK;
}

static int check_script(check_run *c, const rft_script *script, rft_err *err) {
    const rft_clock *clock = rft_clock_system();
    size_t count = rft_script_sweep_count(script);
    const rft_sweep **sweeps = rft_arena_calloc(c->state.arena, count + 1, sizeof *sweeps);
    rft_plan *plan = NULL;
    for (size_t i = 0; i < count; i++) {
        sweeps[i] = rft_asked_sweep(&c->o->asked, rft_script_sweep(script, i), count, c->state.arena);
    }
    int64_t started = clock->monotonic_ns(clock->self);
    int rc = rft_plan_new(&plan, sweeps, count, &c->cli->log, err);
    double seconds = (double)(clock->monotonic_ns(clock->self) - started) * 1e-9;
    if (rc == RFT_OK) {
        rc = open_pool(c, err);
    }
    for (size_t s = 0; s < count && rc == RFT_OK; s++) {
        rc = rft_check_sweep(&c->state, plan, s, err);
    }
    if (rc == RFT_OK) {
        rc = rft_check_gpu_seconds(c->cli, plan, c->state.gpu, &c->gpu_s, err);
    }
    if (rc == RFT_OK) {
        rc = write_results(c, plan, seconds, err);
        rft_check_warnings_tell(&c->state.warnings, &c->cli->log);
    }
    rc = rc == RFT_OK ? judge(c, err) : rc;
    rft_plan_free(plan);
    return rc;
}

int rft_cmd_check(rft_cli *cli, int argc, char **argv, rft_err *err) {
    rft_arena *arena = rft_arena_new();
    check_options o = {0};
    check_run c = {.cli = cli, .o = &o};
    rft_gpu_info gpu = {0};
    rft_script *script = NULL;
    bool helped = false;
    rft_check_state_init(&c.state, arena);
    int rc = parse(cli, &o, argc, argv, arena, &helped, err);
    c.state.sample = (uint64_t)o.sample_count;
    c.state.all = o.all;
    if (rc == RFT_OK && !helped) {
        rc = rft_compose_arch(cli, &gpu, o.arch ? o.arch : "sm_90a", err);
        c.state.gpu = &gpu;
        c.state.references.arch = gpu.arch;
    }
    if (rc == RFT_OK && !helped) {
        rc = rft_compose_script(cli, &script, o.files.items[0], &gpu, &o.script_args, err);
    }
    if (rc == RFT_OK && !helped) {
        rc = check_script(&c, script, err);
    }
    rft_compile_pool_free(c.state.pool);
    rft_loop_free(c.loop);
    rft_script_free(script);
    rft_check_state_clear(&c.state);
    rft_arena_free(arena);
    return rc;
}
