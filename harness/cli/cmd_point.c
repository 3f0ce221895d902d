/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"
#include "base/units.h"
#include "cli/asked.h"
#include "cli/compose.h"
#include "cli/ncu_command.h"
#include "cli/outputs.h"
#include "cli/point_choice.h"
#include "cli/point_json.h"
#include "cli/sweep_source.h"
#include "cli/target.h"
#include "model/card/occupancy.h"
#include "reports/findings/findings.h"
#include "reports/findings/words.h"
#include "reports/print/print.h"
#include "run/once.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct point_options {
    const char *device, *sweep, *variant, *emit, *output, *arch, *counters, *json, *repeats_text;
    int repeats;
    bool in_process, bare, wait, ncu;
    rft_asked asked;
    rft_counter_set counter_set;
    rft_words at, set, files, script_args, allow_paths;
} point_options;

/* Each is another way to run the point than to time it. */
static int check_repeats(point_options *o, rft_err *err) {
    static const rft_setting repeats = {.kind = RFT_SETTING_WHOLE, .offset = offsetof(point_options, repeats)};
    const char *const others[] = {o->bare ? "--bare" : NULL, o->ncu ? "--ncu" : NULL, o->emit ? "--emit" : NULL,
                                  o->counters ? "--counters" : NULL};
    if (!o->repeats_text) {
        return RFT_OK;
    }
    if (rft_setting_read(&repeats, o, o->repeats_text, err) != RFT_OK) {
        return rft_err_context(err, "--repeats");
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (others[i]) {
            return rft_err_set(err, RFT_E_USAGE, "--repeats and %s cannot be given together", others[i]);
        }
    }
    if (o->device && rft_text_starts(o->device, "replay:")) {
        rft_err_set(err, RFT_E_USAGE, "--repeats launches the point, and a recording launches nothing");
        return rft_err_remedy(err, "name a device: -d 0");
    }
    return RFT_OK;
}

static int parse(rft_cli *cli, point_options *o, int argc, char **argv, rft_arena *arena, bool *helped, rft_err *err) {
    const rft_opt opts[] = {
        {"at", 0, "AXIS=VALUE", "the problem (repeat for each axis; default: the sweep's first)", NULL, NULL, &o->at},
        {"set", 0, "PARAM=VALUE", "the configuration (repeat; default: the kernel's defaults)", NULL, NULL, &o->set},
        {"variant", 0, "NAME", "which variant (default: the first)", NULL, &o->variant, NULL},
        {"sweep", 0, "NAME", "which sweep of a file with several (default: the first)", NULL, &o->sweep, NULL},
        {"device", 'd', "N|replay:FILE", "device number, or a recording (default 0)", NULL, &o->device, NULL},
        {"in-process", 0, NULL, "run in this process, for ncu and debuggers", &o->in_process, NULL, NULL},
        {"bare", 0, NULL, "one untimed run in this process, buffers unpadded: for a sanitizer", &o->bare, NULL, NULL},
        {"repeats", 0, "N", "in place of timing, launch it N times and compare every result", NULL, &o->repeats_text,
         NULL},
        rft_asked_opt(&o->asked, "timeout", arena),
        rft_asked_opt(&o->asked, "compile-timeout", arena),
        {"counters", 0, "SET", "hardware counters: none, default, all, or NAME,... (default none)", NULL, &o->counters,
         NULL},
        {"ncu", 0, NULL, "write the command line that counts this point with Nsight Compute", &o->ncu, NULL, NULL},
        {"wait", 0, NULL, "where another rooftune uses the device, wait until it is free", &o->wait, NULL, NULL},
        {"json", 0, "FILE|-", "every sample, as JSON; - is stdout, in place of the text", NULL, &o->json, NULL},
        {"emit", 0, "ptx|cubin|log", "write what the compiler made instead of running", NULL, &o->emit, NULL},
        {"arch", 0, "sm_90a", "with --emit or --ncu: architecture, or a device, to compile for", NULL, &o->arch, NULL},
        {"output", 'o', "FILE", "with --emit: where to (default: stdout; a cubin needs a file)", NULL, &o->output,
         NULL},
        RFT_OPT_ALLOW_PATH(&o->allow_paths),
    };
    int rc = rft_opt_parse(cli, opts, sizeof opts / sizeof opts[0], argc, argv, arena, &o->files, &o->script_args,
                           helped, err);
    if (rc == RFT_OK && !*helped && o->files.count != 1) {
        rc = rft_err_set(err, RFT_E_USAGE, "point takes one sweep, %zu were given", o->files.count);
    }
    if (rc == RFT_OK && o->emit && strcmp(o->emit, "ptx") != 0 && strcmp(o->emit, "cubin") != 0 &&
        strcmp(o->emit, "log") != 0) {
        rc = rft_err_set(err, RFT_E_USAGE, "--emit takes ptx, cubin or log, not \"%s\"", o->emit);
    }
    if (rc == RFT_OK && o->emit && strcmp(o->emit, "cubin") == 0 && (!o->output || rft_output_is_stdout(o->output))) {
        rft_err_set(err, RFT_E_USAGE, "--emit cubin writes no text, which is all that stdout takes");
        rc = rft_err_remedy(err, "name a file: -o FILE.cubin");
    }
    if (rc == RFT_OK && o->emit && o->ncu) {
        rc = rft_err_set(err, RFT_E_USAGE, "--emit and --ncu cannot be given together");
    }
    rc = rc ? rc : check_repeats(o, err);
    rc = rc ? rc : rft_opt_allow_paths(cli, &o->allow_paths, err);
    rc = rc ? rc : rft_asked_check(&o->asked, err);
    return rc || !o->counters ? rc : rft_counter_set_parse(&o->counter_set, o->counters, arena, err);
}

static int find_sweep(const rft_sweep **out, const rft_script *script, const char *name, rft_err *err) {
    for (size_t i = 0; i < rft_script_sweep_count(script); i++) {
        const rft_sweep *sweep = rft_script_sweep(script, i);
        if (!name || strcmp(sweep->name, name) == 0) {
            *out = sweep;
            return sweep->bare_space ? rft_err_set(err, RFT_E_SCRIPT, "sweep %s has no kernel", sweep->name) : RFT_OK;
        }
    }
    return rft_err_set(err, RFT_E_USAGE, "no sweep \"%s\" in this file", name);
}

static const char *line(rft_str *out, const char *name, double value, int decimals, const char *unit) {
    rft_str_addf(out, "%-14s ", name);
    rft_str_add_fixed(out, value, decimals);
    rft_str_addf(out, " %s\n", unit);
    return rft_str_get(out);
}

static void print_facts(rft_str *out, const rft_once_result *r) {
    rft_str_addf(out, "registers      %d, spills %d B, shared %lld B static + %lld B dynamic\n", r->facts.registers,
                 r->facts.spill_bytes, (long long)r->facts.shared_static_bytes,
                 (long long)r->facts.shared_dynamic_bytes);
    rft_str_addf(out, "launch         grid %lld x %lld x %lld, block %lld x %lld x %lld\n", (long long)r->grid[0],
                 (long long)r->grid[1], (long long)r->grid[2], (long long)r->block[0], (long long)r->block[1],
                 (long long)r->block[2]);
}

static void print_verified(rft_str *out, const rft_verification *v) {
    rft_str_add(out, "verified       worst error is ");
    rft_str_add_fixed(out, v->worst_frac, 3);
    rft_str_add(out, " of the tolerance");
    if (isfinite(v->rms_frac)) {
        rft_str_add(out, ", the root mean square ");
        rft_str_add_fixed(out, v->rms_frac, 3);
    }
    rft_str_addf(out, ", %llu elements\n", (unsigned long long)v->total_count);
}

static void print_repeats(rft_str *out, const rft_probe_result *probed) {
    rft_str_addf(out, "repeats        %d launches, ", probed->repeats);
    if (probed->repeats_differ > 0) {
        rft_str_addf(out, "all within the tolerance; %d with other bits than the first\n", probed->repeats_differ);
    } else {
        rft_str_add(out, "all with the same bits\n");
    }
}

static void print_measured(rft_str *out, const rft_once_result *r, rft_arena *arena) {
    const rft_measurement *m = &r->probed.measurement;
    char rate[48];
    rft_str_addf(out, "time           %s\n", rft_words_time(m, arena));
    const char *note = rft_measurement_note(m, NULL, arena);
    if (note) {
        rft_str_addf(out, "               %s\n", note);
    }
    rft_units_format_si(rate, sizeof rate, rft_work_bytes(&r->spec.work) / m->stats.median, 4, "B/s");
    rft_str_addf(out, "useful rate    %s", rate);
    if (rft_work_ops(&r->spec.work) > 0) {
        rft_units_format_si(rate, sizeof rate, rft_work_ops(&r->spec.work) / m->stats.median, 4, "op/s");
        rft_str_addf(out, ", %s", rate);
    }
    rft_str_add(out, "\n");
    if (isfinite(m->clock_mhz)) {
        line(out, "SM clock", m->clock_mhz, 0, "MHz");
    }
    if (isfinite(rft_measurement_cycles(m))) {
        line(out, "cycles", rft_measurement_cycles(m), 0, "at the clock of each sample");
    }
    print_verified(out, &r->probed.verification);
}

static void print_counters(rft_str *out, const rft_once_result *r, int64_t l2_bytes, rft_arena *arena) {
    bool cold = r->probed.measurement.cache != RFT_CACHE_HOT;
    const rft_counted_of counted = {r->counters, &r->spec.work, l2_bytes, cold};
    if (r->counters) {
        rft_print_text(out, rft_finding_counters_of(&counted, arena), &(rft_print_opts){.indent = 2});
    } else if (r->refusal.code != RFT_OK) {
        rft_str_addf(out, "counters       none: %s\n", r->refusal.message);
        rft_str_addf(out, "%s%s%s", *r->refusal.remedy ? "  remedy: " : "", r->refusal.remedy,
                     *r->refusal.remedy ? "\n" : "");
    }
}

static void print_result(rft_cli *cli, const char *name, const rft_once_result *r, int64_t l2_bytes) {
    rft_str out = RFT_STR_INIT;
    rft_arena *arena = rft_arena_new();
    rft_str_addf(&out, "%s", name);
    rft_str_addf(&out, "\noutcome        %s%s%s\n", rft_outcome_name(r->probed.outcome), r->probed.reason ? ": " : "",
                 r->probed.reason ? r->probed.reason : "");
    if (r->compiled && r->compiled->ok) {
        print_facts(&out, r);
    } else if (r->probed.library) {
        rft_str_addf(&out, "library        %s: %s, of %d\n", r->probed.library, r->probed.algo, r->probed.algo_count);
    }
    if (rft_outcome_is_measured(r->probed.outcome) && r->probed.measurement.n > 0) {
        print_measured(&out, r, arena);
        print_counters(&out, r, l2_bytes, arena);
    } else if (rft_outcome_is_measured(r->probed.outcome) && r->probed.repeats > 0) {
        print_verified(&out, &r->probed.verification);
        print_repeats(&out, &r->probed);
    } else if (r->probed.log) {
        rft_str_addf(&out, "%s\n", r->probed.log);
    }
    fputs(rft_str_get(&out), cli->out);
    rft_str_clear(&out);
    rft_arena_free(arena);
}

static int tell(rft_cli *cli, const char *json, const rft_point_told *told, int64_t l2_bytes, rft_err *err) {
    const rft_once_result *r = told->result;
    rft_arena *arena = rft_arena_new();
    int rc = json ? rft_point_write_json(cli, json, told, err) : RFT_OK;
    if (!json || strcmp(json, "-") != 0) {
        print_result(cli, rft_point_choice_text(told->choice, told->sweep, arena), r, l2_bytes);
    }
    rft_arena_free(arena);
    if (rc == RFT_OK && !rft_outcome_is_measured(r->probed.outcome)) {
        rft_err_set(err, RFT_E_NOTHING, "the point was not measured: %s", rft_outcome_name(r->probed.outcome));
        rc = rft_err_remedy(err, "--emit log shows what the compiler said; --in-process runs under a debugger");
    }
    return rc;
}

/* What a compile worker makes of it; borrowed from the pool. */
static int compile_alone(rft_cli *cli, rft_compile_pool *pool, const rft_compile_request *request, double timeout_s,
                         const rft_compile_result **out, rft_err *err) {
    bool timed_out = false; /* the log says so */
    rft_compose_look_at_cache(cli);
    return rft_compile_pool_wait(pool, rft_compile_pool_submit(pool, request, timeout_s), out, &timed_out, err);
}

static int emit(rft_cli *cli, const point_options *o, const rft_sweep *sweep, const rft_point_choice *choice,
                const char *arch, rft_arena *arena, rft_err *err) {
    rft_loop *loop = NULL;
    rft_compile_pool *pool = NULL;
    const rft_compile_result *result = NULL;
    rft_point_spec spec = {0};
    int rc = sweep->vt->point(sweep->self, choice->variant, choice->problem, choice->config, arena, &spec, err);
    if (rc == RFT_OK && spec.unit.name_count == 0) {
        rft_err_set(err, RFT_E_NOTHING, "nothing to emit: the vendor's library is called, which brings its own code");
        rc = rft_err_remedy(err, "cuobjdump --dump-sass shows what is in the library's file");
    }
    if (rc == RFT_OK) {
        bool ptx = strcmp(o->emit, "ptx") == 0;
        rft_compile_request request = rft_compile_request_of(
            &spec.unit, ptx ? rft_arena_printf(arena, "compute_%s", arch + strlen("sm_")) : arch);
        rc = rft_loop_new(&loop, err);
        rft_compile_pool_opts opts = {.loop = loop,
                                      .program = cli->program,
                                      .workers = 1,
                                      .roots = rft_compose_roots(cli, &o->files, arena),
                                      .log = &cli->log};
        rc = rc == RFT_OK ? rft_compile_pool_new(&pool, &opts, err) : rc;
        rc = rc == RFT_OK ? compile_alone(cli, pool, &request, sweep->measure.compile_timeout_s, &result, err) : rc;
    }
    const char *path = o->output ? o->output : "-";
    if (rc == RFT_OK && strcmp(o->emit, "log") == 0) {
        rft_str text = RFT_STR_INIT;
        rft_str_addf(&text, "%s%s", result->log, *result->log ? "\n" : "");
        for (size_t i = 0; result->ok && i < result->entry_count; i++) {
            const rft_compiled_entry *e = &result->entries[i];
            rft_str_addf(&text, "%s: %d registers, %d B spill stores, %d B spill loads, %ld B shared, %d barriers\n",
                         e->name, e->registers, e->spill_store_bytes, e->spill_load_bytes, e->shared_bytes,
                         e->barriers);
        }
        rc = rft_cli_write(cli, path, rft_str_get(&text), text.length, err);
        rft_str_clear(&text);
    }
    if (rc == RFT_OK && !result->ok) {
        bool told = strcmp(o->emit, "log") == 0;
        rft_err_set(err, RFT_E_SOURCE, "it does not compile%s%s", told ? ", the log says why" : ":\n",
                    told ? "" : result->log);
        rft_err_place(err, "%s", rft_point_choice_text(choice, sweep, arena));
        rc = rft_err_remedy(err, "correct the template, or choose another configuration with --set");
    } else if (rc == RFT_OK && strcmp(o->emit, "log") != 0) {
        rc = rft_cli_write(cli, path, result->cubin, result->cubin_bytes - (result->is_ptx ? 1 : 0), err);
    }
    rft_compile_pool_free(pool);
    rft_loop_free(loop);
    return rc;
}

static int write_ncu(rft_cli *cli, const point_options *o, const rft_sweep *sweep, const rft_point_choice *choice,
                     const rft_gpu_info *gpu, rft_arena *arena, rft_err *err) {
    rft_str text = RFT_STR_INIT;
    const rft_ncu_order order = {.sweep = sweep,
                                 .choice = choice,
                                 .gpu = gpu,
                                 .set = o->counters ? o->counter_set : rft_counter_set_default(),
                                 .file = o->files.items[0],
                                 .script_args = &o->script_args,
                                 .allow_paths = &o->allow_paths};
    int rc = rft_ncu_command(cli, &order, &text, arena, err);
    rc = rc ? rc : rft_cli_write(cli, o->output ? o->output : "-", rft_str_get(&text), text.length, err);
    rft_str_clear(&text);
    return rc;
}

static int run_point(rft_cli *cli, const point_options *o, rft_arena *arena, rft_err *err) {
    rft_target *target = NULL;
    rft_script *script = NULL;
    const rft_sweep *sweep = NULL;
    rft_gpu_info gpu = {0};
    rft_point_choice choice;
    rft_once_result result;
    rft_target_opts target_opts = {.sweeps = &o->files,
                                   .device = o->device,
                                   .in_process = o->in_process,
                                   .bare = o->bare,
                                   .wait = o->wait,
                                   .compile_workers = o->emit || o->ncu ? 0 : 2};
    int rc = o->arch ? rft_compose_arch(cli, &gpu, o->arch, err) : rft_target_open(&target, cli, &target_opts, err);
    if (rc == RFT_E_DEVICE && (o->emit || o->ncu)) {
        rft_err_remedy(err, "this needs no GPU: name an architecture, --arch sm_90a");
    }
    if (rc == RFT_OK && target) {
        gpu = target->gpu;
    }
    if (rc == RFT_OK) {
        rc = rft_compose_script(cli, &script, o->files.items[0], &gpu, &o->script_args, err);
    }
    if (rc == RFT_OK) {
        rc = find_sweep(&sweep, script, o->sweep, err);
    }
    if (rc == RFT_OK) {
        sweep = rft_asked_sweep(&o->asked, sweep, 1, arena);
        rc = rft_point_choose(&choice, sweep, o->variant, &o->at, &o->set, arena, err);
        rc = rc ? rc : rft_point_check_where(&choice, sweep, arena, err);
    }
    if (rc == RFT_OK && o->emit) {
        rc = emit(cli, o, sweep, &choice, gpu.arch, arena, err);
    } else if (rc == RFT_OK && o->ncu) {
        rc = write_ncu(cli, o, sweep, &choice, &gpu, arena, err);
    } else if (rc == RFT_OK && !target) {
        rc = rft_err_set(err, RFT_E_USAGE, "--arch goes with --emit or --ncu: a point runs on a device");
    } else if (rc == RFT_OK) {
        rft_once_request request = {.sweep = sweep,
                                    .variant = choice.variant,
                                    .problem = choice.problem,
                                    .config = choice.config,
                                    .gpu = &gpu,
                                    .pool = target->pool,
                                    .probe = target->probe,
                                    .bare = o->bare,
                                    .repeats = o->repeats,
                                    .counters = o->counter_set};
        rc = rft_once(&request, arena, &result, err);
        rft_point_told told = {sweep, &choice, &result};
        rc = rc == RFT_OK ? tell(cli, o->json, &told, gpu.l2_bytes, err) : rc;
    }
    rft_script_free(script);
    rft_target_close(target);
    return rc;
}

int rft_cmd_point(rft_cli *cli, int argc, char **argv, rft_err *err) {
    rft_arena *arena = rft_arena_new();
    point_options o = {0};
    bool helped = false;
    int rc = parse(cli, &o, argc, argv, arena, &helped, err);
    rc = rc || helped ? rc : rft_sweep_source_check(&o.files, err);
    if (rc == RFT_OK && !helped) {
        rc = run_point(cli, &o, arena, err);
    }
    rft_arena_free(arena);
    return rc;
}
