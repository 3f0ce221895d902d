/* SPDX-License-Identifier: Apache-2.0 */
/* What was run, when and by what, and what it took. */
#include "reports/findings/findings.h"
#include "reports/findings/words.h"

#include "base/hash.h"
#include "base/str.h"
#include "base/units.h"
#include "model/run/run_foreign.h"
#include "model/run/run_repeat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- cost ---- */

static int compare_units(const void *a, const void *b) {
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Configurations that were compiled and did not come from the cache, each once however many problems it was for (the
 * same configuration of a variant with the same cubin is one compile); of a replay those compiled here. */
static uint64_t compiled_units(const rft_run *run, rft_arena *arena) {
    uint64_t *units = rft_arena_calloc(arena, run->point_count + 1, sizeof *units);
    size_t count = 0, distinct = 0;
    for (size_t i = 0; i < run->point_count && !run->info.replay_of; i++) {
        const rft_point *point = &run->points[i];
        if (point->facts.cubin_hash && !point->facts.from_cache && point->facts.compile_s > 0.0) {
            const char *unit = rft_arena_printf(arena, "%zu %zu %s %s", point->sweep, point->variant,
                                                point->facts.cubin_hash, rft_run_config_text(run, point, false, arena));
            units[count++] = rft_hash_fnv1a(unit, strlen(unit));
        }
    }
    if (count > 1) {
        qsort(units, count, sizeof *units, compare_units);
    }
    for (size_t i = 0; i < count; i++) {
        distinct += i == 0 || units[i] != units[i - 1];
    }
    return run->info.replay_of ? run->info.recompiled : distinct;
}

/* "553 points in 31.2 s (17.7/s), GPU busy 88 %, compiled 551 in 96 core-s": what all sessions took, as far as it was
 * recorded. */
static void add_cost_line(rft_finding *f, const rft_run *run, uint64_t compiled) {
    const rft_run_info *info = &run->info;
    rft_arena *arena = f->arena;
    char elapsed[48], rate[32];
    if (!(info->elapsed_s > 0.0) || run->point_count == 0) {
        return;
    }
    const char *busy = isfinite(info->busy_s)
                           ? rft_arena_printf(arena, ", GPU busy %s",
                                              rft_arena_fixed(arena, 100.0 * info->busy_s / info->elapsed_s, 0, " %"))
                           : "";
    const char *made = "";
    if (compiled == 0 && !info->replay_of && isfinite(info->compile_s)) {
        made = ", nothing compiled anew";
    } else if (compiled > 0 && isfinite(info->compile_s)) {
        made = rft_arena_printf(arena, ", compiled %s in %s", rft_figure_count(arena, compiled),
                                rft_arena_fixed(arena, info->compile_s, info->compile_s < 9.95 ? 1 : 0, " core-s"));
    }
    rft_words_per_second(rate, sizeof rate, (double)run->point_count / info->elapsed_s);
    rft_finding_body(f, RFT_IN_TEXT, "%s in %s (%s/s)%s%s",
                     rft_words_plural(run->point_count, "point", "points", arena),
                     rft_units_format_seconds(elapsed, sizeof elapsed, info->elapsed_s, 3), rate, busy, made);
}

rft_finding *rft_finding_cost(const rft_run *run, rft_arena *arena) {
    const rft_run_info *info = &run->info;
    bool timed = info->elapsed_s > 0;
    uint64_t compiled = compiled_units(run, arena);
    rft_finding *f = rft_finding_new(arena);
    rft_finding_set(f, "elapsed_s", rft_datum_number(info->elapsed_s));
    rft_finding_set(f, "busy_s", rft_datum_number(info->busy_s));
    rft_finding_set(f, "busy_frac", rft_datum_number(timed ? info->busy_s / info->elapsed_s : (double)NAN));
    rft_finding_set(f, "points_per_s",
                    rft_datum_number(timed ? (double)run->point_count / info->elapsed_s : (double)NAN));
    rft_finding_set(f, "compile_core_s", rft_datum_number(info->compile_s));
    rft_finding_set(f, "compiled", rft_datum_count((int64_t)compiled));
    add_cost_line(f, run, compiled);
    return f;
}

/* ---- the run ---- */

/* What a replay compiled for real, and how that compares. NULL: nothing to say. */
static const char *recompiled_words(const rft_run *run, rft_arena *arena) {
    const char *here = rft_env_value(&run->env, "replay.nvrtc.version");
    const char *there = rft_env_value(&run->env, "nvrtc.version");
    const rft_env_item *item = rft_env_get(&run->env, "replay.nvrtc.version");
    if (run->info.recompiled == 0) {
        return item && item->reason ? rft_arena_printf(arena, "nothing was compiled here: %s", item->reason) : NULL;
    }
    bool differs = here && there && strcmp(here, there) != 0;
    return rft_arena_printf(
        arena, "%s configurations compiled here%s%s, %s with the recorded registers and spills%s",
        rft_figure_count(arena, run->info.recompiled), here ? " with NVRTC " : "", here ? here : "",
        rft_figure_count(arena, run->info.recompiled_same),
        differs ? rft_arena_printf(arena, " (recorded with NVRTC %s: releases differ in their code)", there) : "");
}

static void add_sentence(rft_finding *f, const char *text) {
    if (text) {
        rft_finding_body(f, RFT_IN_TEXT, "%s", text);
    }
}

static void add_lines(rft_finding *f, const rft_run *run, const char *replayed) {
    const rft_run_info *info = &run->info;
    char date[40];
    rft_units_format_utc(date, sizeof date, info->started_unix_ns);
    const char *foreign = rft_run_foreign_notice(run, f->arena);
    rft_finding_body(f, RFT_IN_TEXT, *run->gpu.arch ? "%s (%s%s)" : "%s%s%s", run->gpu.name, run->gpu.arch,
                     run->gpu.representative ? ", stands for the architecture" : "");
    add_sentence(f, foreign);
    add_sentence(f, rft_run_foreign_work_notice(run, f->arena));
    add_sentence(f, replayed);
    add_sentence(f, replayed ? recompiled_words(run, f->arena) : NULL);
    if (foreign && !replayed) {
        rft_finding_body(f, RFT_IN_TEXT, "run %s, %s, %s", info->id, date,
                         *info->command ? info->command : "not rooftune's");
    } else {
        rft_finding_body(f, RFT_IN_TEXT, "run %s, %s, rooftune %s (%s)", info->id, date, info->tool_version,
                         info->tool_revision);
    }
    if (!rft_run_has_processes(run)) {
        add_sentence(f, "intervals are of one process each: what another run would read is not known");
    }
}

rft_finding *rft_finding_head(const rft_run *run, rft_arena *arena) {
    const rft_run_info *info = &run->info;
    const char *replayed = rft_words_replay(run, arena);
    char started[40];
    rft_finding *f = rft_finding_new(arena);
    rft_units_format_iso(started, sizeof started, info->started_unix_ns);
    rft_finding_set(f, "run", rft_datum_text(info->id));
    rft_finding_set(f, "tool_version", rft_datum_text(info->tool_version));
    rft_finding_set(f, "started", rft_datum_text(rft_arena_strdup(arena, started)));
    rft_finding_set(f, "finished", rft_datum_flag(info->finished_unix_ns != 0));
    rft_finding_set(f, "replayed", rft_datum_text(replayed));
    rft_finding_set(f, "foreign", rft_datum_text(rft_run_foreign(run)));
    rft_finding_set(f, "device", rft_datum_text(run->gpu.name));
    rft_finding_set(f, "arch", rft_datum_text(run->gpu.arch));
    add_lines(f, run, replayed);
    rft_finding_add(f, "cost", rft_finding_cost(run, arena));
    if (info->finished_unix_ns == 0) {
        add_sentence(f, "not finished: the same command with -o and this file continues it");
    }
    return f;
}
