/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/run_ahead.h"

#include "base/fs.h"
#include "cli/sweep_source.h"
#include "run/plan/shard.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct ahead {
    rft_cli quiet; /* what scripts print, those who run them print */
    const rft_run_options *o;
    rft_arena *arena;
    rft_sweep_source *sources;
    const rft_sweep **sweeps;
    const char **paths;
    size_t count; /* of sweeps */
} ahead;

static int take_file(ahead *a, size_t at, const rft_gpu_info *gpu, rft_err *err) {
    rft_sweep_source *source = &a->sources[at];
    int rc = rft_sweep_source_open(source, &a->quiet, a->o->files.items[at], gpu, &a->o->script_args, err);
    const size_t more = rc == RFT_OK ? rft_sweep_source_count(source) : 0;
    const rft_sweep **sweeps = rft_arena_calloc(a->arena, a->count + more + 1, sizeof *sweeps);
    const char **paths = rft_arena_calloc(a->arena, a->count + more + 1, sizeof *paths);
    for (size_t i = 0; i < a->count + more; i++) {
        sweeps[i] = i < a->count ? a->sweeps[i] : rft_sweep_source_sweep(source, i - a->count);
        paths[i] = i < a->count ? a->paths[i] : a->o->files.items[at];
    }
    a->sweeps = sweeps;
    a->paths = paths;
    a->count += more;
    return rc;
}

static int check_for(ahead *a, const rft_gpu_info *gpu, rft_err *err) {
    const rft_run_options *o = a->o;
    int rc = RFT_OK;
    a->count = 0;
    a->sources = rft_arena_calloc(a->arena, o->files.count, sizeof *a->sources);
    for (size_t i = 0; i < o->files.count && rc == RFT_OK; i++) {
        rc = take_file(a, i, gpu, err);
    }
    rc = rc ? rc : rft_run_part_take(&o->part, a->sweeps, a->paths, &a->count, a->arena, &a->quiet.log, err);
    for (size_t i = 0; i < a->count && rc == RFT_OK; i++) {
        rc = rft_shard_check(rft_asked_sweep(&o->asked, a->sweeps[i], a->count, a->arena), err);
    }
    for (size_t i = 0; i < o->files.count; i++) {
        rft_sweep_source_close(&a->sources[i]);
    }
    return rc;
}

int rft_run_ahead_check(const rft_cli *cli, const rft_run_options *o, rft_arena *arena, rft_err *err) {
    static const char *const archs[] = {"sm_90a", "sm_100a", "sm_120a", "sm_89", "sm_80"};
    ahead a = {.quiet = *cli, .o = o, .arena = arena};
    int first = RFT_OK;
    a.quiet.log = (rft_log){0};
    for (size_t i = 0; i < sizeof archs / sizeof *archs; i++) {
        rft_gpu_info gpu = {0};
        rft_err why = RFT_ERR_INIT;
        int rc = rft_gpu_info_for_arch(&gpu, archs[i], &why);
        rc = rc ? rc : check_for(&a, &gpu, &why);
        if (rc == RFT_OK) {
            return RFT_OK;
        }
        if (first == RFT_OK && err) {
            *err = why;
        }
        first = first ? first : rc;
        if (rc == RFT_E_USAGE || rc == RFT_E_SCRIPT_STOPPED) { /* whatever the architecture */
            break;
        }
    }
    return first;
}

int rft_run_ahead_folder(const char *output, rft_err *err) {
    char *folder = output ? rft_fs_folder(output) : NULL;
    const bool there = !folder || rft_fs_is_folder(folder);
    free(folder);
    if (there) {
        return RFT_OK;
    }
    rft_err_set(err, RFT_E_IO, "cannot create %s: %s", output, strerror(ENOENT));
    return rft_err_remedy(err, "a run is written in a folder that exists and that you may write to: name another one "
                               "with -o");
}
