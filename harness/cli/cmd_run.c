/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"
#include "base/fs.h"
#include "base/units.h"
#include "cli/cli.h"
#include "cli/compose.h"
#include "cli/run_end.h"
#include "cli/run_file.h"
#include "cli/screen.h"
#include "search/strategy.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct run_options {
    const char *device, *output, *report, *budget, *strategy, *seed;
    bool fresh, dry_run, no_report;
    rft_words files, script_args;
    double budget_s;
    uint64_t budget_points, seed_value;
} run_options;

/* Set by Ctrl-C. The second one ends the process at once; workers die with it. */
static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal_number) {
    (void)signal_number;
    if (interrupted) {
        _exit(130);
    }
    interrupted = 1;
}

static bool stop(void *payload) {
    (void)payload;
    return interrupted != 0;
}

static void progress(void *payload, const rft_progress *p) {
    rft_screen_progress(payload, p);
}

/* A report that cannot be written is better known before the run than after. */
static int check_report_place(const run_options *o, rft_err *err) {
    if (!o->report || o->no_report) {
        return RFT_OK;
    }
    char *folder = rft_fs_folder(o->report);
    bool there = !rft_fs_is_folder(o->report) && (access(o->report, W_OK) == 0 || access(folder, W_OK) == 0);
    free(folder);
    if (there) {
        return RFT_OK;
    }
    rft_err_set(err, RFT_E_IO, "the report cannot be written to %s", o->report);
    return rft_err_remedy(err, "--report takes a file in a folder that exists and that you may write to");
}

/* "500" are configurations, "10m" is time. */
static int parse_budget(run_options *o, rft_err *err) {
    int64_t number = 0;
    if (rft_text_to_int64(o->budget, &number) && number > 0) {
        o->budget_points = (uint64_t)number;
        return RFT_OK;
    }
    int rc = rft_units_parse_seconds(&o->budget_s, o->budget, err);
    if (rc == RFT_OK && !(o->budget_s > 0)) {
        rc = rft_err_set(err, RFT_E_USAGE, "%s leaves nothing to do", o->budget);
        rft_err_remedy(err, "a budget is a time (10m) or a number of configurations (500)");
    }
    if (rc != RFT_OK) {
        rft_err_context(err, "--budget");
    }
    return rc;
}

static int check_strategy(const char *name, rft_err *err) {
    const char *names[16];
    size_t count = 0;
    for (const rft_strategy_entry *entry = rft_strategy_list(); entry->name && count < 16; entry++) {
        if (strcmp(entry->name, name) == 0) {
            return RFT_OK;
        }
        names[count++] = entry->name;
    }
    const char *near = rft_text_nearest(name, names, count);
    rft_err_set(err, RFT_E_USAGE, "no search strategy \"%s\"%s%s%s", name, near ? ", did you mean \"" : "",
                near ? near : "", near ? "\"?" : "");
    rft_err_remedy(err, "`rooftune run --help` names them");
    return RFT_E_USAGE;
}

static int parse(rft_cli *cli, run_options *o, int argc, char **argv, rft_arena *arena, bool *helped, rft_err *err) {
    const rft_opt opts[] = {
        {"device", 'd', "N|replay:FILE", "device number, or a recording that answers for one (default 0)", NULL,
         &o->device, NULL},
        {"output", 'o', "RUN.db", "the run file (default SWEEP-GPU-DATE.db)", NULL, &o->output, NULL},
        {"report", 0, "OUT.pdf", "the report (default: beside the run file)", NULL, &o->report, NULL},
        {"no-report", 0, NULL, "measure only", &o->no_report, NULL, NULL},
        {"budget", 0, "10m|500", "stop after a time or a number of configurations", NULL, &o->budget, NULL},
        {"strategy", 0, "NAME", "auto, exhaustive, random (default: as the sweep says)", NULL, &o->strategy, NULL},
        {"seed", 0, "N", "order of trying (default: as the sweep says, else 1)", NULL, &o->seed, NULL},
        {"fresh", 0, NULL, "start anew where a run file exists", &o->fresh, NULL, NULL},
        {"dry-run", 0, NULL, "print the plan and stop", &o->dry_run, NULL, NULL},
    };
    int rc = rft_opt_parse(cli, opts, sizeof opts / sizeof opts[0], argc, argv, arena, &o->files, &o->script_args,
                           helped, err);
    int64_t number = 0;
    if (rc != RFT_OK || *helped) {
        return rc;
    }
    if (o->files.count == 0) {
        rft_err_set(err, RFT_E_USAGE, "no sweep given");
        return rft_err_remedy(err, "name a script: rooftune run sweeps/quick.lua");
    }
    if (o->budget && (rc = parse_budget(o, err)) != RFT_OK) {
        return rc;
    }
    if (o->strategy && (rc = check_strategy(o->strategy, err)) != RFT_OK) {
        return rc;
    }
    if (o->seed && (!rft_text_to_int64(o->seed, &number) || number < 0)) {
        return rft_err_set(err, RFT_E_USAGE, "--seed takes a whole number, not \"%s\"", o->seed);
    }
    o->seed_value = o->seed ? (uint64_t)number : 0;
    return check_report_place(o, err);
}

/* The scripts of one call and all their sweeps. */
typedef struct loaded {
    rft_script **scripts;
    size_t script_count;
    const rft_sweep **sweeps;
    size_t sweep_count;
} loaded;

static void unload(loaded *l) {
    for (size_t i = 0; i < l->script_count; i++) {
        rft_script_free(l->scripts[i]);
    }
    free(l->scripts);
    free(l->sweeps);
}

static void warn_refine(rft_cli *cli, const rft_sweep *sweep) {
    for (size_t i = 0; i < sweep->axis_count; i++) {
        if (sweep->axes[i].refine_depth > 0) {
            rft_log_warn(&cli->log,
                         "sweep %s: refine() on axis %s takes its values as they are: flips are not bisected in this "
                         "version. Add values near the flip by hand.",
                         sweep->name, sweep->axes[i].name);
        }
    }
}

static int load(rft_cli *cli, loaded *l, const run_options *o, const rft_gpu_info *gpu, rft_err *err) {
    size_t capacity = 0;
    l->scripts = rft_calloc(o->files.count + 1, sizeof *l->scripts);
    for (size_t f = 0; f < o->files.count; f++) {
        int rc = rft_compose_script(cli, &l->scripts[f], o->files.items[f], gpu, &o->script_args, err);
        if (rc != RFT_OK) {
            return rc;
        }
        l->script_count++;
        for (size_t i = 0; i < rft_script_sweep_count(l->scripts[f]); i++) {
            const rft_sweep *sweep = rft_script_sweep(l->scripts[f], i);
            if (sweep->bare_space) {
                rft_err_set(err, RFT_E_SCRIPT, "sweep %s has no kernel: there is nothing to run", sweep->name);
                return rft_err_remedy(err, "a bare space can be counted with `rooftune check`");
            }
            warn_refine(cli, sweep);
            RFT_GROW(l->sweeps, capacity, l->sweep_count + 1);
            l->sweeps[l->sweep_count++] = sweep;
        }
    }
    if (!l->sweeps) {
        return rft_err_set(err, RFT_E_SCRIPT, "no script gives a sweep");
    }
    return RFT_OK;
}

static void print_plan(rft_cli *cli, const rft_plan *plan) {
    char text[32];
    char all[32];
    for (size_t s = 0; s < plan->sweep_count; s++) {
        const rft_sweep *sweep = plan->sweeps[s];
        for (size_t v = 0; v < sweep->variant_count; v++) {
            for (size_t p = 0; p < sweep->problem_count; p++) {
                const rft_space *space = rft_plan_space(plan, s, v, p);
                rft_str where = RFT_STR_INIT;
                for (size_t a = 0; a < sweep->axis_count; a++) {
                    rft_str_addf(&where, "%s%s=", a ? " " : "", sweep->axes[a].name);
                    rft_value_format(&where, &sweep->problems[p].values[a]);
                }
                rft_units_format_count(text, sizeof text, rft_space_count(space));
                fprintf(cli->out, "%s  %s  %s: %s configuration%s%s\n", sweep->name, sweep->variants[v].name,
                        rft_str_get(&where), text, rft_space_count(space) == 1 ? "" : "s",
                        sweep->problems[p].odd ? " (verified only)" : "");
                rft_str_clear(&where);
            }
        }
    }
    rft_units_format_count(text, sizeof text, plan->valid);
    rft_units_format_count(all, sizeof all, plan->cartesian);
    fprintf(cli->out, "%s of %s combinations are valid; nothing was measured or written (--dry-run)\n", text, all);
}

static int interrupted_before_points(const rft_run_file *file, rft_err *err) {
    rft_err_set(err, RFT_E_INTERRUPTED, "stopped before the first point");
    return rft_err_remedy(
        err, file->described ? "the same command with -o %s continues" : "the same command begins again", file->path);
}

static int measure_ceilings(rft_cli *cli, const rft_target *target, rft_run_file *file, rft_err *err) {
    rft_run *run = file->run;
    if (file->continued) {
        return RFT_OK;
    }
    if (!target->recording) {
        fprintf(cli->talk, "measuring the ceilings of %s\n", run->gpu.name);
    }
    int rc = target->probe->ceilings(target->probe, run->arena, &run->ceilings, err);
    if (rc == RFT_OK && !target->recording) {
        rc = rft_compose_annotate(cli, run->arena, &run->ceilings, &run->gpu, err);
    }
    rc = rc == RFT_OK ? rft_run_file_describe(file, err) : rc;
    return rc == RFT_OK && interrupted ? interrupted_before_points(file, err) : rc;
}

static int execute(rft_cli *cli, const run_options *o, const rft_target *target, const rft_plan *plan,
                   rft_run_file *file, rft_screen *screen, rft_err *err) {
    bool stopped = false;
    rft_exec_opts opts = {
        .plan = plan,
        .run = file->run,
        .store = file->store,
        .probe = target->probe,
        .pool = target->pool,
        .replay = target->recording != NULL,
        .strategy = o->strategy,
        .budget_s = o->budget_s,
        .budget_points = o->budget_points,
        .clock = rft_clock_system(),
        .log = &cli->log,
        .stop = stop,
        .progress = progress,
        .payload = screen,
    };
    int rc = rft_exec(&opts, &stopped, err);
    rft_screen_end(screen);
    if (rc == RFT_OK && stopped) {
        rft_err_set(err, RFT_E_INTERRUPTED, "stopped; %zu points are stored in %s", file->run->point_count, file->path);
        return rft_err_remedy(err, "the same command with -o %s continues", file->path);
    }
    return rc;
}

static int measure(rft_cli *cli, const run_options *o, const rft_target *target, const rft_plan *plan,
                   rft_run_file *file, rft_err *err) {
    rft_screen screen = {.cli = cli, .run = file->run};
    rft_screen_begin(&screen, plan, target, o->budget_s, o->budget_points);
    if (file->continued) {
        fprintf(cli->talk, "continuing %s: %zu points are stored\n", file->path, file->run->point_count);
    }
    signal(SIGINT, on_interrupt);
    signal(SIGTERM, on_interrupt);
    signal(SIGPIPE, SIG_IGN);
    int rc = measure_ceilings(cli, target, file, err);
    return rc == RFT_OK ? execute(cli, o, target, plan, file, &screen, err) : rc;
}

static int run_target(rft_cli *cli, run_options *o, rft_target *target, rft_arena *arena, rft_err *err) {
    loaded l = {0};
    rft_plan *plan = NULL;
    rft_run_file file = {0};
    int rc = load(cli, &l, o, &target->gpu, err);
    if (rc == RFT_OK) {
        rc = rft_plan_new(&plan, l.sweeps, l.sweep_count, &cli->log, err);
    }
    if (rc != RFT_OK || o->dry_run) {
        if (rc == RFT_OK) {
            print_plan(cli, plan);
        }
        goto done;
    }
    uint64_t seed = o->seed ? o->seed_value : l.sweeps[0]->search.seed;
    rft_run_file_opts file_opts = {o->output, o->fresh, target, plan, seed};
    rc = rft_run_file_open(&file, cli, arena, &file_opts, err);
    if (rc == RFT_OK && file.finished) {
        fprintf(cli->talk, "%s holds this run, finished; --fresh measures again\n", file.path);
    } else if (rc == RFT_OK) {
        rc = measure(cli, o, target, plan, &file, err);
    }
    if (rc == RFT_OK) {
        rft_run_end_opts end = {o->no_report ? NULL : o->report, o->no_report};
        rc = rft_run_end(cli, &file, &end, err);
    }
done:
    rft_run_file_close(&file);
    rft_plan_free(plan);
    unload(&l);
    return rc;
}

int rft_cmd_run(rft_cli *cli, int argc, char **argv, rft_err *err) {
    rft_arena *arena = rft_arena_new();
    run_options o = {0};
    rft_target *target = NULL;
    bool helped = false;
    int rc = parse(cli, &o, argc, argv, arena, &helped, err);
    if (rc == RFT_OK && !helped) {
        rc = rft_target_open(&target, cli, o.device, false, err);
    }
    if (rc == RFT_OK && !helped) {
        rc = run_target(cli, &o, target, arena, err);
    }
    rft_target_close(target);
    rft_arena_free(arena);
    return rc;
}
