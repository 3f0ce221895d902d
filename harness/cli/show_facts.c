/* SPDX-License-Identifier: Apache-2.0 */
/* show_facts.c - what the text, JSON and CSV forms of a run have in common (show_text.h). */
#include "base/hash.h"
#include "base/units.h"
#include "cli/show_text.h"
#include "model/roofline/placement.h"
#include "model/run/run_drift.h"
#include "model/transition/refine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double rft_show_rate(const rft_placement *placement, const rft_work *work, const char **unit) {
    rft_pipe pipe = rft_work_main_pipe(work);
    bool operations = pipe < RFT_PIPE_COUNT && (placement->roof == RFT_RESOURCE_PIPE || !(rft_work_bytes(work) > 0.0));
    if (operations) {
        rft_ceiling_id id;
        *unit = rft_ceiling_from_name(&id, rft_pipe_name(pipe)) ? rft_ceiling_unit(id) : "op/s";
        return placement->rate_ops_s;
    }
    *unit = "B/s";
    return rft_work_bytes(work) > 0.0 ? placement->rate_bytes_s : NAN;
}

/* The same configuration of a variant with the same cubin: one compile, for several problems. */
static int compare_units(const void *a, const void *b) {
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

uint64_t rft_show_compiled(const rft_run *run) {
    uint64_t *units = rft_calloc(run->point_count + 1, sizeof *units);
    size_t count = 0, distinct = 0;
    rft_arena *arena = rft_arena_new();
    for (size_t i = 0; i < run->point_count && !run->info.replay_of; i++) {
        const rft_point *point = &run->points[i];
        if (point->facts.cubin_hash && !point->facts.from_cache && point->facts.compile_s > 0.0) {
            const char *config = rft_run_config_text(run, point, false, arena);
            const char *unit =
                rft_arena_printf(arena, "%zu %zu %s %s", point->sweep, point->variant, point->facts.cubin_hash, config);
            units[count++] = rft_hash_fnv1a(unit, strlen(unit));
            rft_arena_reset(arena);
        }
    }
    if (count > 1) {
        qsort(units, count, sizeof *units, compare_units);
    }
    for (size_t i = 0; i < count; i++) {
        distinct += i == 0 || units[i] != units[i - 1];
    }
    rft_arena_free(arena);
    free(units);
    return run->info.replay_of ? run->info.recompiled : distinct;
}

void rft_show_per_second(char *out, size_t size, double rate) {
    if (rate < 999.5) {
        rft_text_format(out, size, "%.3g", rate);
    } else {
        rft_units_format_count(out, size, (uint64_t)rate);
    }
}

const char *rft_show_cost(const rft_run *run, rft_arena *arena) {
    const rft_run_info *info = &run->info;
    rft_str text = RFT_STR_INIT;
    char buffer[48];
    if (!(info->elapsed_s > 0.0) || run->point_count == 0) {
        return NULL;
    }
    rft_str_addf(&text, "%s point%s in ", rft_units_format_count(buffer, sizeof buffer, run->point_count),
                 run->point_count == 1 ? "" : "s");
    rft_str_add(&text, rft_units_format_seconds(buffer, sizeof buffer, info->elapsed_s, 3));
    rft_show_per_second(buffer, sizeof buffer, (double)run->point_count / info->elapsed_s);
    rft_str_addf(&text, " (%s/s)", buffer);
    if (isfinite(info->busy_s)) {
        rft_str_add(&text, ", GPU busy ");
        rft_str_add_fixed(&text, 100.0 * info->busy_s / info->elapsed_s, 0);
        rft_str_add(&text, " %");
    }
    uint64_t compiled = rft_show_compiled(run);
    if (compiled == 0 && !info->replay_of && isfinite(info->compile_s)) {
        rft_str_add(&text, ", nothing compiled anew");
    } else if (compiled > 0 && isfinite(info->compile_s)) {
        rft_str_addf(&text, ", compiled %s in ", rft_units_format_count(buffer, sizeof buffer, compiled));
        rft_str_add_fixed(&text, info->compile_s, info->compile_s < 9.95 ? 1 : 0);
        rft_str_add(&text, " core-s");
    }
    const char *kept = rft_arena_strdup(arena, rft_str_get(&text));
    rft_str_clear(&text);
    return kept;
}

const char *rft_show_replay_notice(const rft_run *run, rft_arena *arena) {
    if (run->info.replay_of == NULL) {
        return NULL;
    }
    char date[40];
    rft_units_format_iso(date, sizeof date, run->info.replay_started_unix_ns);
    date[10] = '\0'; /* the day is enough */
    return rft_arena_printf(arena, "replayed recording, %s, %s", run->gpu.name, date);
}
