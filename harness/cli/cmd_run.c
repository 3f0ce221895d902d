/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"
#include "base/fs.h"
#include "base/units.h"
#include "cli/asked.h"
#include "cli/cli.h"
#include "cli/compose.h"
#include "cli/events.h"
#include "cli/interrupt.h"
#include "cli/outputs.h"
#include "cli/run_ceilings.h"
#include "cli/run_devices.h"
#include "cli/run_end.h"
#include "cli/run_file.h"
#include "cli/run_mix.h"
#include "cli/run_options.h"
#include "cli/run_sanitize.h"
#include "cli/run_sbatch.h"
#include "cli/run_split.h"
#include "cli/screen.h"
#include "cli/sweep_source.h"
#include "run/refine_round.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* The scripts (or recordings) of one call and all their sweeps. */
typedef struct loaded {
    rft_sweep_source *sources;
    size_t source_count;
    const rft_sweep **sweeps;
    const char **paths; /* the file of each */
    size_t sweep_count;
} loaded;

static void unload(loaded *l) {
    for (size_t i = 0; i < l->source_count; i++) {
        rft_sweep_source_close(&l->sources[i]);
    }
    free(l->sources);
    free(l->sweeps);
    free(l->paths);
}

/* Kernels need the facts of a device. */
static int cannot_answer(const rft_target *target, rft_err *err) {
    rft_err_set(err, RFT_E_RECORDING,
                "%s has its device's name and no other fact of it: it cannot replay a sweep with a kernel",
                target->recording_path);
    return rft_err_remedy(err, "search it with a sweep without a kernel, or directly: `rooftune run %.200s -d replay:`",
                          target->recording_path);
}

/* Does the script fail only because the recording knows nothing of its device? With another's facts it has a kernel. */
static bool lacks_device(rft_cli *cli, const char *path, const rft_run_options *o, const rft_target *target) {
    rft_gpu_info gpu = {0};
    rft_script *script = NULL;
    rft_err ignored = RFT_ERR_INIT;
    bool lacks = target->recording && !*target->gpu.arch && rft_gpu_info_for_arch(&gpu, "sm_90a", &ignored) == RFT_OK &&
                 rft_compose_script(cli, &script, path, &gpu, &o->script_args, &ignored) == RFT_OK &&
                 !rft_script_sweep(script, 0)->bare_space;
    rft_script_free(script);
    return lacks;
}

static int load_scripts(rft_cli *cli, loaded *l, const rft_run_options *o, const rft_target *target, rft_err *err) {
    size_t capacity = 0, path_capacity = 0;
    l->sources = rft_calloc(o->files.count + 1, sizeof *l->sources);
    for (size_t f = 0; f < o->files.count; f++) {
        rft_sweep_source *source = &l->sources[l->source_count++];
        int rc = rft_sweep_source_open(source, cli, o->files.items[f], &target->gpu, &o->script_args, err);
        if (rc != RFT_OK) {
            return lacks_device(cli, o->files.items[f], o, target) ? cannot_answer(target, err) : rc;
        }
        for (size_t i = 0; i < rft_sweep_source_count(source); i++) {
            const rft_sweep *sweep = rft_sweep_source_sweep(source, i);
            if (sweep->bare_space && !target->recording) {
                rft_err_set(err, RFT_E_SCRIPT, "sweep %s has no kernel: there is nothing to run", sweep->name);
                return rft_err_remedy(err, "a bare space can be counted with `rooftune check`, or searched in a "
                                           "recording: -d replay:FILE");
            }
            if (!sweep->bare_space && target->recording && !*target->gpu.arch) {
                return cannot_answer(target, err);
            }
            RFT_GROW(l->sweeps, capacity, l->sweep_count + 1);
            RFT_GROW(l->paths, path_capacity, l->sweep_count + 1);
            l->paths[l->sweep_count] = o->files.items[f];
            l->sweeps[l->sweep_count++] = sweep;
        }
    }
    if (!l->sweeps) {
        return rft_err_set(err, RFT_E_SCRIPT, "no script returns a sweep");
    }
    return RFT_OK;
}

static void print_plan(rft_cli *cli, const rft_plan *plan, const rft_gpu_info *gpu) {
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
    rft_arena *arena = rft_arena_new();
    const char *more = rft_refine_outlook(plan, arena);
    fprintf(cli->out, "%s%s of %s combinations are valid on %s%s%s; nothing was measured or written (--dry-run)\n",
            plan->estimated ? "about " : "", text, all, gpu->name, more ? ", " : "", more ? more : "");
    rft_arena_free(arena);
}

/* One session of a run: what the callbacks of rft_exec() need. */
typedef struct session {
    rft_cli *cli;
    const rft_run_options *o;
    rft_target *target;
    rft_plan *plan;
    rft_run_file file;
    rft_screen screen;
    rft_events *events;       /* NULL: none */
    const char *report_path;  /* where the report goes */
    const char *report;       /* written; NULL */
    const char *const *paths; /* of the sweeps' files */
    rft_board *board;         /* of --split; NULL */
    rft_board *meeting;       /* of --together; NULL */
    const char *sanitizer;    /* NULL: not asked for, or not installed */
    rft_mix_book *book;       /* of --mix; NULL */
} session;

static bool stop(void *payload) {
    (void)payload;
    return rft_interrupt_count() > 0;
}

static void progress(void *payload, const rft_exec_progress *p) {
    session *s = payload;
    rft_screen_progress(&s->screen, p);
    rft_events_put_progress(s->events, s->file.run, p);
}

static rft_run_ceilings ceilings_of(const session *s) {
    return (rft_run_ceilings){.cli = s->cli,
                              .probe = s->target->probe,
                              .run = s->file.run,
                              .store = s->file.store,
                              .plan = s->plan,
                              .again = s->o->ceilings == RFT_CEILINGS_AGAIN};
}

/* A user who has asked for the end is not kept waiting: the session that goes on measures them. */
static int measure_ceilings(void *payload, rft_err *err) {
    session *s = payload;
    rft_run_ceilings ceilings = ceilings_of(s);
    if (rft_interrupt_count() > 0) {
        return RFT_OK;
    }
    int rc = rft_run_ceilings_measure(&ceilings, err);
    if (rc == RFT_OK) {
        rft_events_put_ceilings(s->events, s->file.run);
    }
    return rc;
}

static void baseline(void *payload, const rft_baseline *stored) {
    session *s = payload;
    rft_events_put_baseline(s->events, s->file.run, stored);
}

/* What is known before the first point goes into the file. */
static int describe_run(session *s, rft_err *err) {
    rft_run_ceilings ceilings = ceilings_of(s);
    if (s->file.continued) {
        return RFT_OK;
    }
    int rc = s->target->recording ? rft_run_ceilings_replay(&ceilings, err) : rft_run_ceilings_postpone(&ceilings, err);
    return rc == RFT_OK ? rft_run_file_describe(&s->file, err) : rc;
}

static int execute(session *s, rft_err *err) {
    const rft_run_options *o = s->o;
    bool stopped = false;
    const rft_ceiling_set due = s->target->recording ? 0 : rft_run_ceilings_due(s->file.run);
    rft_exec_opts opts = o->exec;
    opts.plan = s->plan;
    opts.run = s->file.run;
    opts.store = s->file.store;
    opts.probe = s->target->probe;
    opts.pool = s->target->pool;
    opts.board = s->board;
    opts.together = s->meeting;
    opts.replay = s->target->recording != NULL;
    opts.clock = rft_clock_system();
    opts.log = &s->cli->log;
    opts.stop = stop;
    opts.progress = progress;
    opts.baseline = baseline;
    opts.ceilings = due ? measure_ceilings : NULL;
    opts.ceilings_wanted = due;
    opts.payload = s;
    int rc = rft_exec(&opts, &stopped, err);
    rft_screen_end(&s->screen);
    if (rc == RFT_OK && !stopped && o->exec.soak_s > 0 && !s->target->recording) {
        rc = rft_run_end_state(&s->file, s->target->probe, err);
    }
    if (rc == RFT_OK && stopped) {
        size_t points = s->file.run->point_count;
        rc = rft_err_set(err, RFT_E_INTERRUPTED, "stopped; %zu point%s stored in %s", points,
                         points == 1 ? " is" : "s are", s->file.path);
    }
    return rc;
}

static int measure_plan(session *s, rft_err *err) {
    const rft_run_options *o = s->o;
    s->screen = (rft_screen){.cli = s->cli, .run = s->file.run};
    if (!rft_counted_wish_is_none(&o->exec.counters)) {
        s->screen.counters = o->counters ? o->counters : "default";
    }
    rft_screen_begin(&s->screen, s->plan, s->target);
    if (s->file.continued) {
        fprintf(s->cli->talk, "continuing %s: %zu points are stored\n", s->file.path, s->file.run->point_count);
    }
    int rc = describe_run(s, err);
    if (rc != RFT_OK) {
        return rc;
    }
    if (rft_run_ceilings_due(s->file.run) == 0) {
        rft_events_put_ceilings(s->events, s->file.run);
    }
    return execute(s, err);
}

/* The run file is open: everything that can go wrong with it comes before the first signal is only asked about. */
static int run_session(session *s, rft_err *err) {
    rft_events_begin begin = {s->file.path, s->file.run, s->file.continued, s->file.finished};
    rft_run_end_opts end = {
        .report = s->report_path, .no_report = s->o->no_report, .book = s->book, .written = &s->report};
    int rc = RFT_OK;
    rft_events_put_begin(s->events, &begin);
    if (s->file.finished) {
        fprintf(s->cli->talk, "%s holds this run, finished; --fresh measures again\n", s->file.path);
    } else {
        rc = measure_plan(s, err);
    }
    if (rc == RFT_E_INTERRUPTED) {
        rft_run_end_stopped(s->cli, &s->file);
    }
    rft_target_dismiss(s->target);
    const rft_run_sanitize sanitize = {s->cli, s->o, s->sanitizer, s->paths, &s->file};
    const bool sanitizes = s->o->sanitize != RFT_SANITIZE_NONE;
    if (rc == RFT_OK && sanitizes) {
        rft_target_leave(s->target);
        rc = rft_run_sanitize_all(&sanitize, err);
    }
    rc = rc == RFT_OK ? rft_run_end(s->cli, &s->file, &end, err) : rc;
    rc = rc == RFT_OK ? rft_run_file_complete(&s->file, err) : rc;
    rc = rc == RFT_OK && sanitizes ? rft_run_sanitize_verdict(&sanitize, err) : rc;
    return rc == RFT_OK && s->o->package ? rft_run_mix_package(s->cli, s->file.path, &s->o->mixes, s->o->package, err)
                                         : rc;
}

static void end_session(session *s, int rc, rft_arena *arena, rft_err *err) {
    bool goes_on = rc != RFT_OK && !s->board && s->file.run && s->file.described && !s->file.run->info.finished_unix_ns;
    const char *line = goes_on ? rft_run_options_continue(s->cli, s->o, s->file.path, arena) : NULL;
    if (rc == RFT_E_INTERRUPTED && goes_on) {
        rft_run_options_tell_continue(s->cli, line, err);
    }
    rft_events_end end = {
        .code = rc, .err = err, .run = s->file.run, .path = s->file.path, .report = s->report, .continue_line = line};
    rft_events_put_end(s->events, &end);
}

/* Does every word in a sweep's place name a recording? Then no kernel's source is at hand. */
static bool all_recorded(const rft_run_options *o) {
    bool all = true;
    for (size_t i = 0; i < o->files.count; i++) {
        all = all && rft_sweep_source_is_recording(o->files.items[i]);
    }
    return all;
}

/* Names that were not given, too, before anything is made. */
static int name_outputs(session *s, rft_run_file_opts *file, rft_arena *arena, rft_err *err) {
    const rft_run_options *o = s->o;
    file->output = rft_run_file_path(s->cli, file, arena);
    s->report_path = rft_run_end_report_path(o->report, file->output, arena);
    const rft_output outputs[] = {{"-o", file->output, RFT_OUTPUT_RUN},
                                  {"--report", o->no_report ? NULL : s->report_path, RFT_OUTPUT_FILE},
                                  {"--package", o->package, RFT_OUTPUT_FILE},
                                  {"--events", o->events, RFT_OUTPUT_STREAM}};
    return rft_outputs_check(outputs, sizeof outputs / sizeof *outputs, &o->files, err);
}

static int look_for_sanitizer(session *s, rft_arena *arena, rft_err *err) {
    if (s->target->recording) {
        rft_err_set(err, RFT_E_USAGE, "--sanitize runs kernels on a device, and a replay runs none");
        return rft_err_remedy(err, "leave out --sanitize, or name a device: -d 0");
    }
    s->sanitizer = rft_compose_sanitizer(arena);
    rft_run_sanitize_look(s->cli, s->sanitizer);
    return RFT_OK;
}

#define PLANNED_FOR "sm_90a" /* where there is neither a device nor --arch, as in `rooftune check` */

/* A plan needs the facts of a device, not the device, which another run may have: where there is none, an
 * architecture's do. */
static int open_target(session *s, rft_target_opts *opts, rft_err *err) {
    int rc = rft_target_open(&s->target, s->cli, opts, err);
    bool lacks = rc == RFT_E_DEVICE || rc == RFT_E_COMPILER;
    if (!lacks || !s->o->dry_run || s->o->device) {
        return rc;
    }
    fprintf(s->cli->talk, "no device here: planned for " PLANNED_FOR "; --arch names another\n");
    opts->arch = PLANNED_FOR;
    return rft_target_open(&s->target, s->cli, opts, err);
}

/* `found`: whether the sweeps are there; that they are not is told as any other end. */
static int run_target(session *s, int found, rft_arena *arena, rft_err *err) {
    loaded l = {0};
    const rft_run_options *o = s->o;
    rft_target_opts target_opts = {.sweeps = &o->files,
                                   .nothing_to_compile = all_recorded(o),
                                   .device = o->device,
                                   .arch = o->arch,
                                   .wait = o->wait,
                                   .cards = s->board ? rft_board_cards(s->board) : 1,
                                   .facts_only = o->dry_run,
                                   .compile_workers = o->dry_run ? 0 : rft_compose_compile_workers()};
    int rc = found ? found : open_target(s, &target_opts, err);
    if (rc == RFT_OK) {
        rc = load_scripts(s->cli, &l, o, s->target, err);
    }
    if (rc == RFT_OK && o->sanitize != RFT_SANITIZE_NONE) {
        rc = look_for_sanitizer(s, arena, err);
    }
    rc = rc || !o->part.book ? rc : rft_run_mix_check(o->part.book, l.sweeps, l.sweep_count, err);
    rc = rc ? rc : rft_run_part_take(&o->part, l.sweeps, l.paths, &l.sweep_count, arena, &s->cli->log, err);
    rc = rc ? rc : rft_run_part_leave_out_empty(&o->part, l.sweeps, l.paths, &l.sweep_count, arena, &s->cli->log, err);
    s->paths = l.paths;
    for (size_t i = 0; i < l.sweep_count && rc == RFT_OK; i++) {
        l.sweeps[i] = rft_asked_sweep(&o->asked, l.sweeps[i], l.sweep_count, arena);
    }
    for (size_t i = 0; i < l.sweep_count && rc == RFT_OK && o->shard; i++) {
        rc = rft_shard_check(l.sweeps[i], err);
    }
    if (rc == RFT_OK) {
        rc = rft_plan_new(&s->plan, l.sweeps, l.sweep_count, &s->cli->log, err);
    }
    if (rc == RFT_OK && o->dry_run) {
        print_plan(s->cli, s->plan, &s->target->gpu);
    } else if (rc == RFT_OK) {
        const char *mix = o->mixes.count ? rft_fs_name(o->mixes.items[0]) : NULL;
        rft_run_file_opts file_opts = {.output = o->output,
                                       .stem = mix ? rft_arena_strndup(arena, mix, strcspn(mix, ".")) : NULL,
                                       .part = rft_run_part_text(&o->part, arena),
                                       .shard = o->shard,
                                       .any_shard = o->board != NULL,
                                       .fresh = o->fresh,
                                       .target = s->target,
                                       .plan = s->plan};
        rft_interrupt_defer();
        rc = name_outputs(s, &file_opts, arena, err);
        rc = rc == RFT_OK ? rft_run_file_open(&s->file, s->cli, &file_opts, err) : rc;
        rc = rc == RFT_OK ? run_session(s, err) : rc;
    }
    end_session(s, rc, arena, err);
    rft_run_file_close(&s->file);
    rft_plan_free(s->plan);
    unload(&l);
    rft_target_close(s->target);
    return rc;
}

/* Reads --mix, and finds the sweeps where none are named. */
static int take_mixes(session *s, rft_run_options *o, rft_arena *arena, rft_err *err) {
    if (o->package && rft_run_devices_several(o->device) && !o->split) {
        rft_err_set(err, RFT_E_USAGE, "--package is of one run, and several devices make one each");
        return rft_err_remedy(err, "run once for each device, each with its own --package: -d 0, then -d 1");
    }
    if (o->mixes.count == 0) {
        return RFT_OK;
    }
    int rc = rft_mix_files_read(&s->book, &o->mixes, arena, err);
    if (rc == RFT_OK && o->files.count == 0) {
        rc = rft_run_mix_files(&o->files, s->book, s->cli->program, arena, err);
    }
    o->part.book = rc == RFT_OK && s->book->mix_count ? s->book : NULL;
    return rc;
}

int rft_cmd_run(rft_cli *cli, int argc, char **argv, rft_err *err) {
    rft_arena *arena = rft_arena_new();
    rft_run_options o = {0};
    session s = {.cli = cli, .o = &o};
    bool helped = false;
    int rc = rft_run_options_parse(cli, &o, argc, argv, arena, &helped, err);
    rc = rc || helped ? rc : take_mixes(&s, &o, arena, err);
    if (rc != RFT_OK || helped) {
        goto done;
    }
    /* A recording in the sweep's place: what it holds is searched, and it answers itself. */
    if (o.device && strcmp(o.device, "replay:") == 0 && o.files.count == 1 &&
        rft_sweep_source_is_recording(o.files.items[0])) {
        o.device = rft_arena_printf(arena, "replay:%s", o.files.items[0]);
    }
    const int found = rft_sweep_source_check(&o.files, err);
    if (found != RFT_OK && (o.sbatch || rft_run_devices_several(o.device))) {
        rc = found;
        goto done;
    }
    if (o.sbatch) {
        rc = rft_run_sbatch(cli, &o, err);
        goto done;
    }
    signal(SIGPIPE, SIG_IGN); /* a reader that leaves does not end a run */
    if (o.split && !o.dry_run) {
        rc = rft_run_split(cli, &o, err);
        goto done;
    }
    rc = o.board ? rft_board_open(&s.board, o.board, o.exec.shard.number - 1, err) : RFT_OK;
    rc = rc || !o.meeting ? rc : rft_board_open(&s.meeting, o.meeting, o.meeting_card, err);
    if (rc == RFT_OK && rft_run_devices_several(o.device)) {
        rc = rft_run_devices(cli, &o, err);
        goto done;
    }
    if (rc == RFT_OK && o.events && !o.dry_run) {
        rc = rft_events_open(&s.events, cli, o.events, err);
    }
    rc = rc == RFT_OK ? run_target(&s, found, arena, err) : rc;
    rft_events_close(s.events);
    rft_board_close(s.board);
    rft_board_close(s.meeting);
done:
    rft_arena_free(arena);
    return rc;
}
