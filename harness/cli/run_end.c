/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/run_end.h"

#include "base/fs.h"
#include "cli/import_shards.h"
#include "cli/reference_set.h"
#include "cli/show_text.h"
#include "model/run/card_state.h"
#include "reports/findings/findings.h"
#include "reports/print/print.h"
#include "reports/report.h"

#include <string.h>

const char *rft_run_end_report_path(const char *report, const char *run, rft_arena *arena) {
    size_t stem = strlen(run) - (rft_text_ends(run, ".db") ? 3 : 0);
    return report ? report : rft_arena_printf(arena, "%.*s.pdf", (int)stem, run);
}

static int write_report(rft_cli *cli, const rft_run_file *file, const rft_run_end_opts *end, const rft_mix_set *mixes,
                        rft_err *err) {
    rft_report_opts opts = {.book = mixes->book, .mixes = mixes->totals, .mix_count = mixes->total_count};
    const char *path = end->report;
    rft_reference_set references = {0};
    rft_reference_set_add_shipped(&references, file->run, cli->program);
    opts.references = (const rft_run *const *)references.runs;
    opts.reference_count = opts.shipped_count = references.count;
    opts.cards = (const rft_run *const *)references.cards;
    opts.card_count = references.card_count;
    int rc = rft_report_write(file->run, &opts, rft_report_form_of(path), path, err);
    rft_reference_set_free(&references);
    if (rc != RFT_OK) {
        return rft_err_remedy(err, "nothing measured is lost: `rooftune report %s -o OUT.pdf` draws it elsewhere",
                              file->path);
    }
    fprintf(cli->out, "report  %s\n", path);
    *end->written = path;
    return RFT_OK;
}

/* "n=4096, VEC=1 BLOCK=256": what a message about one point needs. */
static const char *point_name(const rft_run *run, const rft_point *point, rft_arena *arena) {
    const char *problem = rft_run_problem_text(run, point->sweep, point->problem, true, arena);
    const char *config = rft_run_config_text(run, point, false, arena);
    return rft_arena_printf(arena, "sweep %s, %s%s%s", run->sweeps[point->sweep].sweep.name, problem,
                            *problem && *config ? ", " : "", config);
}

static int nothing_compiles(const rft_run *run, const rft_point *example, rft_arena *arena, rft_err *err) {
    rft_err_set(err, RFT_E_SOURCE, "no configuration compiles:\n%s",
                example->log      ? example->log
                : example->reason ? example->reason
                                  : "the compiler gave no reason");
    rft_err_place(err, "%s", point_name(run, example, arena));
    return rft_err_remedy(err, "correct the template; `rooftune check` compiles a sample without measuring");
}

/* The point to tell of: the first, but rather one of the sweep's own problems than of an odd size. */
static const rft_point *preferred(const rft_run *run, const rft_point *kept, const rft_point *point) {
    bool kept_odd = kept && run->sweeps[kept->sweep].sweep.problems[kept->problem].odd;
    bool odd = run->sweeps[point->sweep].sweep.problems[point->problem].odd;
    return !kept || (kept_odd && !odd) ? point : kept;
}

/* With more shards than configurations some have none: no failure of a job. */
static bool is_empty_shard(const rft_run *run) {
    return run->point_count == 0 && rft_env_value(&run->env, RFT_ENV_SHARD);
}

static int verdict(const rft_run *run, rft_arena *arena, rft_err *err) {
    const rft_point *first = NULL;
    const rft_point *broken = NULL;
    const rft_point *unrecorded = NULL;
    bool only_broken = true;
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_point *point = &run->points[i];
        if (rft_outcome_is_measured(point->outcome)) {
            return RFT_OK;
        }
        bool skipped = point->outcome == RFT_OUTCOME_SKIPPED;
        if (point->outcome == RFT_OUTCOME_COMPILE_FAILED) {
            broken = preferred(run, broken, point);
        } else {
            only_broken = only_broken && skipped;
        }
        if (point->outcome == RFT_OUTCOME_NOT_RECORDED) {
            unrecorded = preferred(run, unrecorded, point);
        }
        first = preferred(run, first, point);
    }
    if (broken && only_broken) {
        return nothing_compiles(run, broken, arena, err);
    }
    first = unrecorded ? unrecorded : first;
    rft_err_set(err, RFT_E_NOTHING, "no configuration was measured: %s",
                !first          ? "no point was taken"
                : first->reason ? first->reason
                                : rft_outcome_name(first->outcome));
    if (first) {
        rft_err_place(err, "%s", point_name(run, first, arena));
    }
    return rft_err_remedy(err, unrecorded
                                   ? "replay the sweep that the recording was made of, or measure this one on a GPU"
                                   : "`rooftune show` groups the reasons; `rooftune point` runs one point alone");
}

static void print_summary(rft_cli *cli, const rft_run_file *file, const rft_finding *mixed) {
    rft_str text = RFT_STR_INIT;
    rft_show_summary(&text, file->run);
    rft_print_text(&text, mixed, &(rft_print_opts){.indent = 2});
    rft_str_addf(&text, "\nrun     %s\n", file->path);
    fputs(rft_str_get(&text), cli->out);
    fflush(cli->out); /* before what is said on the other stream */
    rft_str_clear(&text);
}

void rft_run_end_stopped(rft_cli *cli, const rft_run_file *file) {
    if (file->run->point_count > 0) {
        print_summary(cli, file, NULL);
    }
}

int rft_run_end(rft_cli *cli, const rft_run_file *file, const rft_run_end_opts *opts, rft_err *err) {
    rft_arena *arena = rft_arena_new();
    rft_mix_set mixes = {0};
    int rc = opts->book ? rft_mix_set_of(&mixes, opts->book, file->run, arena, err) : RFT_OK;
    print_summary(cli, file, rft_finding_mixes(mixes.book, mixes.totals, mixes.total_count, false, arena));
    rc = rc || opts->no_report ? rc : write_report(cli, file, opts, &mixes, err);
    if (rc == RFT_OK && is_empty_shard(file->run)) {
        rft_log_info(&cli->log, "no configuration belongs to shard %s: there is nothing to measure",
                     rft_env_value(&file->run->env, RFT_ENV_SHARD));
    } else {
        rc = rc == RFT_OK ? verdict(file->run, arena, err) : rc;
    }
    rft_arena_free(arena);
    return rc;
}

int rft_run_end_state(rft_run_file *file, rft_probe *probe, rft_err *err) {
    rft_run *run = file->run;
    rft_arena *arena = rft_arena_new();
    rft_gpu_info gpu = {0};
    rft_env env = {0};
    rft_err unread = RFT_ERR_INIT;
    if (probe->device(probe, arena, &gpu, &env, &unread) == RFT_OK) {
        for (const rft_state_key *key = rft_state_keys; key->key; key++) {
            const char *value = rft_env_value(&env, key->key);
            rft_env_set(&run->env, run->arena, rft_arena_printf(run->arena, RFT_STATE_AFTER "%s", key->key), value,
                        value ? NULL : "it could not be read behind the load");
        }
    }
    rft_arena_free(arena);
    return rft_store_put_device(file->store, run, err);
}
