/* SPDX-License-Identifier: Apache-2.0 */
/* Runs as they are added to a fleet (fleet.h): which are of it, and each one's figures. */
#include "base/hash.h"
#include "base/str.h"
#include "model/compare/fleet_parts.h"
#include "model/run/run_foreign.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NS_A_DAY ((int64_t)86400 * 1000000000)

/* ---- figures ---- */

static size_t find_slot(const rft_fleet *fleet, const char *name) {
    const fleet_state *s = fleet->state;
    size_t at = (size_t)rft_hash_fnv1a(name, strlen(name)) & (s->slot_count - 1);
    while (s->slots[at] && strcmp(fleet->figures[s->slots[at] - 1].name, name) != 0) {
        at = (at + 1) & (s->slot_count - 1);
    }
    return at;
}

static void grow_slots(rft_fleet *fleet) {
    fleet_state *s = fleet->state;
    if (2 * (fleet->figure_count + 1) > s->slot_count) {
        free(s->slots);
        s->slot_count = s->slot_count ? 2 * s->slot_count : 256;
        s->slots = rft_calloc(s->slot_count, sizeof *s->slots);
        for (size_t i = 0; i < fleet->figure_count; i++) {
            s->slots[find_slot(fleet, fleet->figures[i].name)] = i + 1;
        }
    }
}

static size_t figure_named(rft_fleet *fleet, const char *name, const char *unit) {
    fleet_state *s = fleet->state;
    grow_slots(fleet);
    const size_t at = find_slot(fleet, name);
    if (!s->slots[at]) {
        RFT_GROW(fleet->figures, s->figure_capacity, fleet->figure_count + 1);
        fleet->figures[fleet->figure_count++] = (rft_fleet_figure){.name = rft_arena_strdup(fleet->arena, name),
                                                                   .unit = rft_arena_strdup(fleet->arena, unit),
                                                                   .slower_up = strcmp(unit, "s") == 0};
        s->slots[at] = fleet->figure_count;
    }
    return s->slots[at] - 1;
}

static void put_value(rft_fleet *fleet, fleet_run *into, const char *name, const char *unit, double value) {
    if (value > 0 && isfinite(value)) {
        into->values[into->count++] = (fleet_value){figure_named(fleet, name, unit), log(value)};
    }
}

static void take_ceilings(rft_fleet *fleet, fleet_run *into, const rft_run *run) {
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        const rft_ceiling *ceiling = &run->ceilings.items[id];
        if (ceiling->measured && !ceiling->at_least) {
            put_value(fleet, into, rft_ceiling_label((rft_ceiling_id)id), rft_ceiling_unit((rft_ceiling_id)id),
                      ceiling->stats.median);
        }
    }
}

/* Tuned kernels alone: the library is the same on all. One pass, since there may be as many problems as points. */
static void add_problems(rft_fleet *fleet, fleet_run *into, const rft_run *run, rft_arena *scratch) {
    for (size_t s = 0; s < run->sweep_count; s++) {
        const rft_sweep *sweep = &run->sweeps[s].sweep;
        for (size_t p = 0; p < sweep->problem_count; p++) {
            const rft_point *best = sweep->problems[p].odd ? NULL : rft_run_best(run, s, SIZE_MAX, p);
            if (best && !sweep->problems[p].refined) {
                const rft_measurement *m = rft_point_measurement(best);
                const char *cache = m->cache == RFT_CACHE_COLD ? "" : rft_cache_mode_name(m->cache);
                const char *name = /* times of two modes are two figures */
                    rft_arena_printf(scratch, "%s %s%s%s%s", sweep->name,
                                     rft_run_problem_text(run, s, p, true, scratch), *cache ? ", cache " : "", cache,
                                     m->mode == RFT_TIMING_GRAPH ? ", CUDA graph" : "");
                put_value(fleet, into, name, "s", rft_point_median_s(best));
            }
        }
    }
}

/* ---- runs ---- */

static const char *kept_text(rft_fleet *fleet, const char *text) {
    return text && *text ? rft_arena_strdup(fleet->arena, text) : NULL;
}

static bool named_before(const rft_fleet *fleet, const rft_run *run) {
    for (size_t i = 0; i < fleet->run_count; i++) {
        if (rft_text_equal(fleet->state->runs[i].id, run->info.id)) {
            return true;
        }
    }
    return false;
}

void rft_fleet_add(rft_fleet *fleet, const rft_run *run, const char *path) {
    fleet_state *s = fleet->state;
    const bool open = run->info.finished_unix_ns == 0 && !rft_run_foreign(run);
    size_t most = RFT_CEILING_COUNT;
    if (open || named_before(fleet, run)) { /* the best so far is no slow card's */
        rft_fleet_leave_out(fleet, path, open ? "it is not finished" : "it is a run that was named before");
        return;
    }
    for (size_t i = 0; i < run->sweep_count; i++) {
        most += run->sweeps[i].sweep.problem_count;
    }
    const int64_t at_ns = run->info.replay_of ? run->info.replay_started_unix_ns : run->info.started_unix_ns;
    const char *uuid = run->gpu.uuid && *run->gpu.uuid ? run->gpu.uuid : path;
    fleet_run added = {
        .path = kept_text(fleet, path),
        .tool = rft_arena_printf(fleet->arena, "rooftune %s (%s)", run->info.tool_version, run->info.tool_revision),
        .device = kept_text(fleet, run->gpu.name),
        .sweeps = rft_arena_calloc(fleet->arena, run->sweep_count + 1, sizeof *added.sweeps),
        .sweep_count = run->sweep_count,
        .id = kept_text(fleet, run->info.id),
        .uuid = kept_text(fleet, uuid),
        .serial = kept_text(fleet, rft_env_value(&run->env, "nvml.serial")),
        .host = kept_text(fleet, rft_env_value(&run->env, "host.id")),
        .pci = kept_text(fleet, run->gpu.pci_id),
        .day = at_ns / NS_A_DAY,
        .at_ns = at_ns,
        .host_at = SIZE_MAX,
        .values = rft_arena_calloc(fleet->arena, most, sizeof *added.values)};
    for (size_t i = 0; i < run->sweep_count; i++) {
        added.sweeps[i] = rft_arena_strdup(fleet->arena, run->sweeps[i].sweep.name);
    }
    rft_arena *scratch = rft_arena_new();
    take_ceilings(fleet, &added, run);
    add_problems(fleet, &added, run, scratch);
    rft_arena_free(scratch);
    RFT_GROW(s->runs, s->run_capacity, fleet->run_count + 1);
    s->runs[fleet->run_count++] = added;
}

/* ---- which are a fleet ---- */

/* What runs may share. A run with ceilings alone has no sweep, NULL. */
typedef struct fleet_kind {
    const char *device, *sweep;
    size_t runs;
} fleet_kind;

static bool holds_sweep(const fleet_run *run, const char *name) {
    for (size_t i = 0; i < run->sweep_count; i++) {
        if (strcmp(run->sweeps[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static void count_kind(fleet_kind *kinds, size_t *count, const char *device, const char *sweep) {
    for (size_t i = 0; i < *count; i++) {
        if (rft_text_equal(kinds[i].device, device) && rft_text_equal(kinds[i].sweep, sweep)) {
            kinds[i].runs++;
            return;
        }
    }
    kinds[(*count)++] = (fleet_kind){device, sweep, 1};
}

/* The first of those that as many share. */
static fleet_kind most_shared(const rft_fleet *fleet) {
    size_t most = 1, count = 0;
    for (size_t i = 0; i < fleet->run_count; i++) {
        most += fleet->state->runs[i].sweep_count + 1;
    }
    fleet_kind *kinds = rft_calloc(most, sizeof *kinds), best = {0};
    for (size_t i = 0; i < fleet->run_count; i++) {
        const fleet_run *run = &fleet->state->runs[i];
        for (size_t k = 0; k < run->sweep_count; k++) {
            count_kind(kinds, &count, run->device, run->sweeps[k]);
        }
        if (run->sweep_count == 0) {
            count_kind(kinds, &count, run->device, NULL);
        }
    }
    for (size_t k = 0; k < count; k++) {
        best = kinds[k].runs > best.runs ? kinds[k] : best;
    }
    free(kinds);
    return best;
}

/* NULL: it is one of them. */
static const char *stranger(rft_fleet *fleet, const fleet_run *run, const fleet_kind *most) {
    if (!rft_text_equal(run->device, most->device)) {
        return rft_arena_printf(fleet->arena, "it is of %s, and most are of %s",
                                run->device ? run->device : "a card without a name",
                                most->device ? most->device : "one without a name");
    }
    if (run->sweep_count == 0 || (most->sweep && holds_sweep(run, most->sweep))) {
        return NULL;
    }
    return most->sweep
               ? rft_arena_printf(fleet->arena, "it has sweep %s, and most have %s", run->sweeps[0], most->sweep)
               : rft_arena_printf(fleet->arena, "it has sweep %s, and most have none", run->sweeps[0]);
}

/* Those that a run has, in their order; the others' were told with them. */
static void keep_figures(rft_fleet *fleet) {
    size_t *place = rft_calloc(fleet->figure_count + 1, sizeof *place), kept = 0;
    for (size_t i = 0; i < fleet->run_count; i++) {
        for (size_t v = 0; v < fleet->state->runs[i].count; v++) {
            place[fleet->state->runs[i].values[v].figure] = 1;
        }
    }
    for (size_t f = 0; f < fleet->figure_count; f++) {
        if (place[f]) {
            fleet->figures[kept] = fleet->figures[f];
            place[f] = kept++;
        }
    }
    fleet->figure_count = kept;
    for (size_t i = 0; i < fleet->run_count; i++) {
        for (size_t v = 0; v < fleet->state->runs[i].count; v++) {
            fleet->state->runs[i].values[v].figure = place[fleet->state->runs[i].values[v].figure];
        }
    }
    free(place);
}

void rft_fleet_keep_most(rft_fleet *fleet) {
    const fleet_kind most = most_shared(fleet);
    fleet_run *runs = fleet->state->runs;
    size_t kept = 0;
    fleet->device = most.device;
    for (size_t i = 0; i < fleet->run_count; i++) {
        const char *why = stranger(fleet, &runs[i], &most);
        if (why) {
            rft_fleet_leave_out(fleet, runs[i].path, why);
            continue;
        }
        if (kept == 0 || runs[i].at_ns < fleet->first_unix_ns) {
            fleet->first_unix_ns = runs[i].at_ns;
        }
        if (kept == 0 || runs[i].at_ns >= fleet->last_unix_ns) {
            fleet->last_unix_ns = runs[i].at_ns;
            fleet->tool = runs[i].tool;
        }
        runs[kept++] = runs[i];
    }
    fleet->run_count = kept;
    keep_figures(fleet);
}
