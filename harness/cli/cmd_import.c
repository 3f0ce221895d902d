/* SPDX-License-Identifier: Apache-2.0 */
#include "base/fs.h"
#include "cli/cli.h"
#include "cli/import_shards.h"
#include "cli/interrupt.h"
#include "cli/point_choice.h"
#include "cli/run_file.h"
#include "run/plan/shard.h"
#include "store/store.h"

#include <stdlib.h>
#include <string.h>

#define BASELINES_MAX_BYTES ((size_t)16 << 20)

/* Of all shards perhaps the only one that is there. */
static int import_run_file(rft_cli *cli, const rft_words *files, const char *output, rft_err *err) {
    rft_run *run = NULL;
    int rc = rft_store_load(&run, files->items[0], err);
    const bool is_shard = rc == RFT_OK && rft_env_value(&run->env, RFT_ENV_SHARD);
    rft_run_free(run);
    if (rc != RFT_OK || is_shard) {
        return rc ? rc : rft_import_shards(cli, files, &(rft_import_opts){0}, output, err);
    }
    rft_err_set(err, RFT_E_USAGE, "%s is a run file already: there is nothing to import", files->items[0]);
    return rft_err_remedy(err, "of a run in parts name all of them: rooftune import SHARD.db SHARD.db -o RUN.db");
}

static int import_run(rft_cli *cli, const char *path, const char *output, rft_err *err) {
    rft_run *run = NULL;
    int rc = rft_recording_read(&run, path, err);
    rft_interrupt_defer(); /* from here on the file is finished first */
    rc = rc ? rc : rft_import_write(run, output, err);
    if (rc == RFT_OK) {
        rft_log_info(&cli->log, "%zu points of %s written to %s", run->point_count, run->gpu.name, output);
    }
    rft_run_free(run);
    return rc;
}

/* ---- baselines ---- */

static int take_file(rft_cli *cli, rft_run *run, const char *path, rft_err *err) {
    char *text = NULL;
    size_t size = 0;
    rft_import_counts counts = {0};
    int rc = rft_fs_read(&text, &size, path, BASELINES_MAX_BYTES, err);
    rc = rc ? rc : rft_baselines_import(run, text, size, path, &counts, err);
    free(text);
    if (rc == RFT_OK) {
        rft_log_info(&cli->log, "%zu baseline%s of %s taken, as another protocol's", counts.taken,
                     counts.taken == 1 ? "" : "s", path);
    }
    if (rc == RFT_OK && counts.elsewhere > 0) {
        rft_log_warn(&cli->log, "%zu baseline%s of %s left out: the run has no such problem", counts.elsewhere,
                     counts.elsewhere == 1 ? "" : "s", path);
    }
    return rc;
}

/* All files or none. */
static int import_baselines(rft_cli *cli, const rft_words *files, const char *path, rft_err *err) {
    rft_run *run = NULL;
    rft_store *store = NULL;
    rft_interrupt_defer();
    int rc = rft_store_open(&store, path, RFT_STORE_WRITE, err);
    rc = rc ? rc : rft_store_read(store, &run, err);
    for (size_t i = 0; i < files->count && rc == RFT_OK; i++) {
        rc = take_file(cli, run, files->items[i], err);
    }
    rc = rc ? rc : rft_store_put_baselines(store, run->baselines, run->baseline_count, &run->info, err);
    rc = rc ? rc : rft_store_complete(store, err);
    rft_store_close(store);
    rft_run_free(run);
    return rc;
}

/* ---- counters ---- */

#define NCU_MAX_BYTES ((size_t)64 << 20)

typedef struct counters_wish {
    const char *file, *point, *sweep, *variant;
    rft_words at, set;
} counters_wish;

static int find_sweep(size_t *out, const rft_run *run, const char *name, rft_arena *arena, rft_err *err) {
    const char **names = rft_arena_calloc(arena, run->sweep_count + 1, sizeof *names);
    for (*out = 0; *out < run->sweep_count; ++*out) {
        names[*out] = run->sweeps[*out].sweep.name;
        if (!name || strcmp(names[*out], name) == 0) {
            return RFT_OK;
        }
    }
    return rft_choice_unknown("sweep", name ? name : "", names, run->sweep_count, arena, err);
}

/* By --point, or by the words that `point` takes. */
static int find_point(int64_t *out, const rft_run *run, const counters_wish *wish, rft_arena *arena, rft_err *err) {
    rft_point_choice choice;
    size_t sweep = 0;
    if (wish->point) {
        return rft_text_to_int64(wish->point, out)
                   ? RFT_OK
                   : rft_err_set(err, RFT_E_USAGE, "--point takes the id of a point, not \"%s\"", wish->point);
    }
    int rc = find_sweep(&sweep, run, wish->sweep, arena, err);
    rc = rc ? rc
            : rft_point_choose(&choice, &run->sweeps[sweep].sweep, wish->variant, &wish->at, &wish->set, arena, err);
    const rft_point *found = rc == RFT_OK ? rft_point_choice_find(&choice, run, sweep) : NULL;
    if (rc == RFT_OK && !found) {
        rft_err_set(err, RFT_E_NOT_FOUND, "the run has no point %s",
                    rft_point_choice_text(&choice, &run->sweeps[sweep].sweep, arena));
        return rft_err_remedy(err, "`rooftune show --csv -` lists every point; name one by --at, --variant and --set");
    }
    *out = found ? found->id : 0;
    return rc;
}

static int import_counters(rft_cli *cli, const counters_wish *wish, const char *path, rft_arena *arena, rft_err *err) {
    rft_run *run = NULL;
    rft_store *store = NULL;
    rft_ncu_taken taken = {0};
    char *text = NULL;
    size_t size = 0;
    int64_t id = 0;
    rft_interrupt_defer();
    int rc = rft_store_open(&store, path, RFT_STORE_WRITE, err);
    rc = rc ? rc : rft_store_read(store, &run, err);
    rc = rc ? rc : rft_run_file_check_ids(run, path, err);
    rc = rc ? rc : find_point(&id, run, wish, arena, err);
    rc = rc ? rc : rft_fs_read(&text, &size, wish->file, NCU_MAX_BYTES, err);
    rc = rc ? rc : rft_ncu_import(run, id, text, size, wish->file, &taken, err);
    rc = rc ? rc : rft_store_put_point(store, &run->points[taken.point - 1], err);
    rc = rc ? rc : rft_store_complete(store, err);
    if (rc == RFT_OK) {
        const rft_point *point = &run->points[taken.point - 1];
        const rft_point_choice choice = {
            point->variant, run->sweeps[point->sweep].sweep.problems[point->problem].values, point->config};
        rft_log_info(&cli->log, "counters of point %lld (%s) imported from %s%s", (long long)taken.point,
                     rft_point_choice_text(&choice, &run->sweeps[point->sweep].sweep, arena), taken.source,
                     taken.runs > 1 ? rft_arena_printf(arena, ": the last of its %zu runs there", taken.runs) : "");
    }
    free(text);
    rft_store_close(store);
    rft_run_free(run);
    return rc;
}

int rft_cmd_import(rft_cli *cli, int argc, char **argv, rft_err *err) {
    const char *output = NULL;
    bool helped = false;
    rft_import_opts shards = {0};
    rft_words rest = {0};
    rft_words baselines = {0};
    counters_wish wish = {0};
    const rft_opt opts[] = {
        {"output", 'o', "RUN.db", "the run file to create", NULL, &output, NULL},
        {"skip-damaged", 0, NULL, "of shards: leave out those that cannot be read, and say so", &shards.skip_damaged,
         NULL, NULL},
        {"baseline", 0, "FILE", "baselines that others measured (JSON, CSV) into the run file (repeat)", NULL, NULL,
         &baselines},
        {"counters", 0, "FILE.csv", "Nsight Compute's counters of one point into the run file", NULL, &wish.file, NULL},
        {"at", 0, "AXIS=VALUE", "that point's problem (repeat; default: the sweep's first)", NULL, NULL, &wish.at},
        {"set", 0, "PARAM=VALUE", "its configuration (repeat; default: the kernel's defaults)", NULL, NULL, &wish.set},
        {"variant", 0, "NAME", "its variant (default: the first)", NULL, &wish.variant, NULL},
        {"sweep", 0, "NAME", "its sweep (default: the first)", NULL, &wish.sweep, NULL},
        {"point", 0, "ID", "the point's id, in place of these four", NULL, &wish.point, NULL},
    };
    rft_arena *arena = rft_arena_new();
    int rc = rft_opt_parse(cli, opts, sizeof opts / sizeof opts[0], argc, argv, arena, &rest, NULL, &helped, err);
    if (rc != RFT_OK || helped) {
        goto done;
    }
    bool selected = wish.point || wish.sweep || wish.variant || wish.at.count || wish.set.count;
    if (wish.file && (rest.count != 1 || output || baselines.count > 0)) {
        rft_err_set(err, RFT_E_USAGE, "counters are added to one run file that is there");
        rc = rft_err_remedy(err, "rooftune import --counters FILE.csv RUN.db --at n=4096 --set VEC=4");
    } else if (!wish.file && selected) {
        rft_err_set(err, RFT_E_USAGE, "a point is named for --counters alone");
        rc = rft_err_remedy(err, "rooftune import --counters FILE.csv RUN.db --at n=4096 --set VEC=4");
    } else if (wish.file) {
        rc = import_counters(cli, &wish, rest.items[0], arena, err);
    } else if (baselines.count > 0 && (rest.count != 1 || output)) {
        rft_err_set(err, RFT_E_USAGE, "baselines are added to one run file that is there");
        rc = rft_err_remedy(err, "rooftune import --baseline FILE.json RUN.db");
    } else if (baselines.count > 0) {
        rc = import_baselines(cli, &baselines, rest.items[0], err);
    } else if (rest.count < 1 || !output) {
        rft_err_set(err, RFT_E_USAGE, "import takes a recording, or the shards of a run, and -o");
        rc = rft_err_remedy(err, "rooftune import FILE.json.gz -o RUN.db, import SHARD.db SHARD.db -o RUN.db, or "
                                 "--baseline FILE.json RUN.db");
    } else if (rest.count > 1) {
        rc = rft_import_shards(cli, &rest, &shards, output, err);
    } else if (rft_store_is_database(rest.items[0])) {
        rc = import_run_file(cli, &rest, output, err);
    } else {
        rc = import_run(cli, rest.items[0], output, err);
    }
done:
    rft_arena_free(arena);
    return rc;
}
