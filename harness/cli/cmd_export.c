/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"
#include "model/run/run_foreign.h"
#include "model/run/run_take.h"
#include "store/store.h"

#include <string.h>

typedef struct export_options {
    const char *format, *output;
    rft_words sweeps;              /* none: all */
    const char *variant, *problem; /* which space; NULL: any */
} export_options;

/* ---- one space of the run ---- */

static bool is_asked_sweep(const rft_words *asked, const char *name) {
    bool found = asked->count == 0;
    for (size_t i = 0; i < asked->count; i++) {
        found = found || strcmp(asked->items[i], name) == 0;
    }
    return found;
}

static bool is_asked(const char *asked, const char *name) {
    return !asked || strcmp(asked, name) == 0;
}

/* Appends what names a space on the command line. */
static void add_space(rft_str *out, const rft_run *run, const rft_exchange_pick *pick, rft_arena *arena) {
    const rft_sweep *sweep = &run->sweeps[pick->sweep].sweep;
    rft_str_addf(out, "\n  --sweep \"%s\" --variant \"%s\"", sweep->name, sweep->variants[pick->variant].name);
    if (sweep->axis_count > 0) {
        rft_str_addf(out, " --problem \"%s\"", rft_run_problem_text(run, pick->sweep, pick->problem, true, arena));
    }
}

/* The one space that is meant; an error lists all that could be. */
static int pick_space(const rft_run *run, const export_options *o, rft_arena *arena, rft_exchange_pick *out,
                      rft_err *err) {
    size_t found = 0;
    rft_str list = RFT_STR_INIT, all = RFT_STR_INIT;
    for (size_t s = 0; s < run->sweep_count; s++) {
        const rft_sweep *sweep = &run->sweeps[s].sweep;
        for (size_t i = 0; i < sweep->variant_count * sweep->problem_count; i++) {
            rft_exchange_pick pick = {s, i / sweep->problem_count, i % sweep->problem_count};
            if (sweep->problems[pick.problem].odd) {
                continue;
            }
            add_space(&all, run, &pick, arena);
            if (is_asked_sweep(&o->sweeps, sweep->name) && is_asked(o->variant, sweep->variants[pick.variant].name) &&
                (!o->problem || is_asked(o->problem, rft_run_problem_text(run, s, pick.problem, true, arena)) ||
                 is_asked(o->problem, rft_run_problem_text(run, s, pick.problem, false, arena)))) {
                *out = pick;
                found++;
                add_space(&list, run, &pick, arena);
            }
        }
    }
    int rc = RFT_OK;
    if (found != 1) {
        rft_err_set(err, RFT_E_USAGE, "--format %s takes one space, %s:%.1500s", o->format,
                    found ? "and the run has several" : "and the run has no such; it has",
                    rft_str_get(found ? &list : &all));
        rc = rft_err_remedy(err, "name one with --sweep, --variant and --problem");
    }
    rft_str_clear(&list);
    rft_str_clear(&all);
    return rc;
}

static int write_space(rft_cli *cli, const rft_run *run, const export_options *o, rft_err *err) {
    rft_arena *arena = rft_arena_new();
    rft_exchange_pick pick = {0};
    size_t count = 0;
    rft_exchange_kind kind = strcmp(o->format, "kt") == 0 ? RFT_EXCHANGE_KT : RFT_EXCHANGE_T4;
    int rc = pick_space(run, o, arena, &pick, err);
    rc = rc ? rc : rft_exchange_write(run, &pick, kind, o->output, &count, err);
    if (rc == RFT_OK) {
        rft_log_info(&cli->log, "%zu points of %s written to %s", count, run->gpu.name, o->output);
    }
    rft_arena_free(arena);
    return rc;
}

/* ---- a recording ---- */

static int write_recording(rft_cli *cli, const rft_run *run, const export_options *o, rft_err *err) {
    rft_run *part = NULL;
    int rc = o->sweeps.count ? rft_run_take(&part, run, o->sweeps.items, o->sweeps.count, err) : RFT_OK;
    const rft_run *whole = part ? part : run;
    rc = rc ? rc : rft_recording_write(whole, o->output, err);
    if (rc == RFT_OK) {
        rft_log_info(&cli->log, "%zu points of %s written to %s", whole->point_count, run->gpu.name, o->output);
    }
    rft_run_free(part);
    return rc;
}

/* ---- the command ---- */

static int export_run(rft_cli *cli, const char *path, const export_options *o, rft_err *err) {
    rft_run *run = NULL;
    int rc = rft_store_load(&run, path, err);
    if (rc == RFT_OK && run->info.finished_unix_ns == 0 && !rft_run_foreign(run)) {
        rft_log_warn(&cli->log,
                     "%s is not finished: the recording has only what was measured so far; the same "
                     "`rooftune run` with -o %s continues it",
                     path, path);
    }
    if (rc == RFT_OK && run->info.replay_of) {
        rft_log_warn(&cli->log, "%s was replayed from a recording: export the run that was measured instead", path);
    }
    if (rc == RFT_OK) {
        bool own = strcmp(o->format, "recording") == 0;
        rc = own ? write_recording(cli, run, o, err) : write_space(cli, run, o, err);
    }
    rft_run_free(run);
    return rc;
}

static int check_options(const export_options *o, const rft_words *rest, rft_err *err) {
    if (rest->count != 1 || o->output == NULL) {
        rft_err_set(err, RFT_E_USAGE, "export takes one run and -o");
        return rft_err_remedy(err, "rooftune export RUN.db -o FILE.json.gz");
    }
    bool own = strcmp(o->format, "recording") == 0;
    if (!own && strcmp(o->format, "t4") != 0 && strcmp(o->format, "kt") != 0) {
        rft_err_set(err, RFT_E_USAGE, "unknown format \"%s\"", o->format);
        return rft_err_remedy(err, "--format takes recording, t4 or kt (a cache file of Kernel Tuner)");
    }
    if (own && (o->variant || o->problem)) {
        rft_err_set(err, RFT_E_USAGE, "a recording holds whole sweeps");
        return rft_err_remedy(err, "leave --variant and --problem out, or say --format t4 or kt");
    }
    if (!rft_text_ends(o->output, ".json.gz") && !rft_text_ends(o->output, ".json")) {
        rft_err_set(err, RFT_E_USAGE, "%s: a recording is called FILE.json.gz or FILE.json", o->output);
        return rft_err_remedy(err, "name it so, and every command recognises it");
    }
    return RFT_OK;
}

int rft_cmd_export(rft_cli *cli, int argc, char **argv, rft_err *err) {
    export_options o = {.format = "recording"};
    bool helped = false;
    rft_words rest = {0};
    const rft_opt opts[] = {
        {"output", 'o', "FILE", "the recording: FILE.json.gz (FILE.json: not compressed)", NULL, &o.output, NULL},
        {"format", 'f', "recording|t4|kt", "t4: plain T4; kt: Kernel Tuner; default recording", NULL, &o.format, NULL},
        {"sweep", 0, "NAME", "this sweep, where the run has several (repeat; t4, kt: one)", NULL, NULL, &o.sweeps},
        {"variant", 0, "NAME", "t4, kt: its variant", NULL, &o.variant, NULL},
        {"problem", 0, "TEXT", "t4, kt: its problem, as `show` writes it: \"n=4096\"", NULL, &o.problem, NULL},
    };
    rft_arena *arena = rft_arena_new();
    int rc = rft_opt_parse(cli, opts, sizeof opts / sizeof opts[0], argc, argv, arena, &rest, NULL, &helped, err);
    if (rc == RFT_OK && !helped) {
        rc = check_options(&o, &rest, err);
    }
    if (rc == RFT_OK && !helped) {
        rc = export_run(cli, rest.items[0], &o, err);
    }
    rft_arena_free(arena);
    return rc;
}
