/* SPDX-License-Identifier: Apache-2.0 */
/* Runs as they are added to a fleet (fleet.h): which are of it, and each one's figures. */
#include "base/hash.h"
#include "base/str.h"
#include "model/compare/fleet_parts.h"

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

static bool holds_sweep(const rft_fleet *fleet, const char *name) {
    for (size_t i = 0; i < fleet->state->sweep_count; i++) {
        if (strcmp(fleet->state->sweeps[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static void take_first(rft_fleet *fleet, const rft_run *run) {
    fleet_state *s = fleet->state;
    fleet->device = kept_text(fleet, run->gpu.name);
    s->sweeps = rft_arena_calloc(fleet->arena, run->sweep_count + 1, sizeof *s->sweeps);
    for (size_t i = 0; i < run->sweep_count; i++) {
        s->sweeps[s->sweep_count++] = rft_arena_strdup(fleet->arena, run->sweeps[i].sweep.name);
    }
}

/* NULL: it is one of them. */
static const char *stranger(const rft_fleet *fleet, const rft_run *run) {
    const fleet_state *s = fleet->state;
    bool shares = run->sweep_count == 0;
    if (!rft_text_equal(fleet->device, run->gpu.name && *run->gpu.name ? run->gpu.name : NULL)) {
        return "it is of another model of card than the first";
    }
    for (size_t i = 0; i < run->sweep_count; i++) {
        shares = shares || holds_sweep(fleet, run->sweeps[i].sweep.name);
    }
    if (!shares) {
        return "it shares no sweep with the first";
    }
    for (size_t i = 0; i < fleet->run_count; i++) {
        if (rft_text_equal(s->runs[i].id, run->info.id)) {
            return "it is a run that was named before";
        }
    }
    return NULL;
}

void rft_fleet_add(rft_fleet *fleet, const rft_run *run, const char *path) {
    fleet_state *s = fleet->state;
    const char *why = NULL;
    size_t most = RFT_CEILING_COUNT;
    if (fleet->run_count == 0 && s->sweep_count == 0) {
        take_first(fleet, run);
    }
    if ((why = stranger(fleet, run)) != NULL) {
        rft_fleet_leave_out(fleet, path, why);
        return;
    }
    for (size_t i = 0; i < run->sweep_count; i++) {
        most += run->sweeps[i].sweep.problem_count;
    }
    const int64_t at_ns = run->info.replay_of ? run->info.replay_started_unix_ns : run->info.started_unix_ns;
    const char *uuid = run->gpu.uuid && *run->gpu.uuid ? run->gpu.uuid : path;
    fleet_run added = {.id = kept_text(fleet, run->info.id),
                       .uuid = kept_text(fleet, uuid),
                       .serial = kept_text(fleet, rft_env_value(&run->env, "nvml.serial")),
                       .host = kept_text(fleet, rft_env_value(&run->env, "host.id")),
                       .pci = kept_text(fleet, run->gpu.pci_id),
                       .day = at_ns / NS_A_DAY,
                       .at_ns = at_ns,
                       .host_at = SIZE_MAX,
                       .values = rft_arena_calloc(fleet->arena, most, sizeof *added.values)};
    rft_arena *scratch = rft_arena_new();
    take_ceilings(fleet, &added, run);
    add_problems(fleet, &added, run, scratch);
    rft_arena_free(scratch);
    if (fleet->run_count == 0 || at_ns < fleet->first_unix_ns) {
        fleet->first_unix_ns = at_ns;
    }
    if (fleet->run_count == 0 || at_ns >= fleet->last_unix_ns) {
        fleet->last_unix_ns = at_ns;
        fleet->tool =
            rft_arena_printf(fleet->arena, "rooftune %s (%s)", run->info.tool_version, run->info.tool_revision);
    }
    RFT_GROW(s->runs, s->run_capacity, fleet->run_count + 1);
    s->runs[fleet->run_count++] = added;
}
