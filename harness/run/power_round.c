/* SPDX-License-Identifier: Apache-2.0 */
#include "run/power_round.h"

#include "run/split.h"

#include "base/units.h"
#include "model/roofline/bound.h"
#include "model/roofline/placement.h"

#include <math.h>
#include <string.h>

#define CEILING_SOAK_MOST_S 10.0

typedef struct power_target {
    int64_t id;
    rft_load_kind kind;
} power_target;

typedef struct targets {
    power_target *items; /* in the arena */
    size_t count, capacity;
    rft_arena *arena;
} targets;

/* ---- which points ---- */

static void add_target(targets *list, const rft_point *point, rft_load_kind kind) {
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i].id == point->id && list->items[i].kind == kind) {
            return;
        }
    }
    if (list->count == list->capacity) { /* a few; the old array dies with the arena */
        power_target *larger = rft_arena_calloc(list->arena, 2 * list->capacity + 16, sizeof *larger);
        if (list->count) {
            memcpy(larger, list->items, list->count * sizeof *larger);
        }
        list->items = larger;
        list->capacity = 2 * list->capacity + 16;
    }
    list->items[list->count++] = (power_target){point->id, kind};
}

static void add_finalists(targets *list, const rft_run *run, size_t sweep, size_t problem) {
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_point *point = &run->points[i];
        if (point->sweep == sweep && point->problem == problem && rft_run_is_candidate(run, point) &&
            point->rounds[RFT_ROUNDS - 1].n > 0) {
            add_target(list, point, RFT_LOAD_ENERGY);
        }
    }
}

/* What can still be the best in energy: every point, until a measured one tells more (cannot_win). Fastest first, since
 * they are the likeliest. */
static void add_contenders(targets *list, const rft_run *run, size_t sweep, size_t problem) {
    const rft_point **ranked = NULL;
    size_t count = rft_run_ranked(run, sweep, SIZE_MAX, problem, list->arena, &ranked);
    for (size_t i = 0; i < count; i++) {
        add_target(list, ranked[i], RFT_LOAD_ENERGY);
    }
}

static bool by_energy(const rft_run *run, size_t sweep) {
    return run->sweeps[sweep].sweep.search.objective != RFT_OBJECTIVE_TIME;
}

static void add_energy(targets *list, const rft_run *run, size_t sweep, rft_power_choice choice) {
    const rft_sweep *data = &run->sweeps[sweep].sweep;
    size_t largest = rft_run_largest(run, sweep);
    for (size_t p = 0; p < data->problem_count && largest != SIZE_MAX; p++) {
        const rft_point *best = rft_run_best(run, sweep, SIZE_MAX, p);
        if (best && by_energy(run, sweep)) {
            add_contenders(list, run, sweep, p);
            continue;
        }
        if (!best || choice == RFT_POWER_NONE || (choice <= RFT_POWER_LARGEST && p != largest)) {
            continue;
        }
        add_target(list, best, RFT_LOAD_ENERGY);
        for (size_t v = 0; v < data->variant_count && choice >= RFT_POWER_BEST; v++) {
            const rft_point *of_variant = rft_run_best(run, sweep, v, p);
            if (of_variant) {
                add_target(list, of_variant, RFT_LOAD_ENERGY);
            }
        }
        if (choice == RFT_POWER_ALL) {
            add_finalists(list, run, sweep, p);
        }
    }
}

static void add_soaks(targets *list, const rft_run *run, size_t sweep, bool every_problem) {
    size_t largest = rft_run_largest(run, sweep);
    for (size_t p = 0; p < run->sweeps[sweep].sweep.problem_count; p++) {
        const rft_point *best = p == largest || every_problem ? rft_run_best(run, sweep, SIZE_MAX, p) : NULL;
        if (best) {
            add_target(list, best, RFT_LOAD_SOAK);
        }
    }
}

/* Windows of a second first, then the soaks, which heat the card. A replay looks for whatever may have been recorded.
 */
static targets choose_targets(const rft_exec_state *e, rft_arena *arena) {
    const rft_exec_opts *opts = e->opts;
    targets list = {.arena = arena};
    for (size_t s = 0; s < opts->run->sweep_count; s++) {
        add_energy(&list, opts->run, s, opts->replay ? RFT_POWER_ALL : opts->power);
    }
    for (size_t s = 0; s < opts->run->sweep_count && (opts->replay || opts->soak_s > 0); s++) {
        add_soaks(&list, opts->run, s, opts->replay);
    }
    return list;
}

static bool is_done(const rft_run *run, const power_target *wanted) {
    return run->points[wanted->id - 1].loads[wanted->kind] != NULL;
}

static bool is_due(const rft_run *run, const targets *list) {
    bool due = false;
    for (size_t i = 0; i < list->count; i++) {
        due = due || !is_done(run, &list->items[i]);
    }
    return due;
}

/* ---- is it worth its time? ---- */

/* At least: a slow sensor takes longer, and every point is verified first. */
static double estimate_s(const targets *list) {
    double idle_s = RFT_LOAD_REST_S + RFT_POWER_WINDOW_S;
    return idle_s + (double)list->count * (RFT_LOAD_LEAD_S + RFT_POWER_WINDOW_S);
}

static bool any_by_energy(const rft_run *run) {
    bool any = false;
    for (size_t s = 0; s < run->sweep_count; s++) {
        any = any || by_energy(run, s);
    }
    return any;
}

/* Decided once: what an earlier session left out or began with stays so. */
static bool may_leave_out(const rft_exec_state *e) {
    const rft_exec_opts *opts = e->opts;
    bool begun = opts->run->idle && !rft_load_is_left_out(opts->run->idle);
    return opts->power == RFT_POWER_AUTO && !any_by_energy(opts->run) && !opts->replay && !(opts->soak_s > 0) && !begun;
}

/* Sets *left_out where the round takes too long beside the run; stored and said the first time. */
static int weigh(rft_exec_state *e, const targets *list, bool *left_out, rft_err *err) {
    rft_run *run = e->opts->run;
    rft_tally *tally = &e->recorder.tally;
    char cost[32], spent[32];
    *left_out = may_leave_out(e) && run->idle;
    if (*left_out || !may_leave_out(e)) {
        return RFT_OK;
    }
    rft_tally_sum(tally);
    double so_far_s = isnan(run->info.elapsed_s) ? rft_tally_elapsed_s(tally) : run->info.elapsed_s;
    *left_out = estimate_s(list) > RFT_POWER_AUTO_FRAC * so_far_s;
    if (!*left_out) {
        return RFT_OK;
    }
    rft_units_format_seconds(cost, sizeof cost, estimate_s(list), 2);
    rft_units_format_seconds(spent, sizeof spent, so_far_s, 2);
    const char *reason =
        rft_arena_printf(run->arena, "not measured: %s beside a run of %s; --energy largest measures it", cost, spent);
    rft_load none = rft_load_left_out(reason);
    run->idle = rft_arena_memdup(run->arena, &none, sizeof none);
    rft_log_info(e->opts->log, "power %s", reason);
    return rft_store_put_idle(e->opts->store, run->idle, err);
}

/* ---- taking them ---- */

static rft_load *keep_load(rft_arena *arena, const rft_load *from) {
    rft_load *load = rft_arena_memdup(arena, from, sizeof *from);
    load->reason = rft_arena_strdup(arena, from->reason);
    load->source = rft_arena_strdup(arena, from->source);
    load->energy_reason = rft_arena_strdup(arena, from->energy_reason);
    load->samples_s = rft_arena_memdup(arena, from->samples_s, from->n * sizeof *from->samples_s);
    load->at_s = rft_arena_memdup(arena, from->at_s, from->n * sizeof *from->at_s);
    load->clocks_mhz = rft_arena_memdup(arena, from->clocks_mhz, from->n * sizeof *from->clocks_mhz);
    return load;
}

static rft_load_order order_of(const rft_exec_state *e, rft_load_kind kind) {
    return (rft_load_order){.wanted = true,
                            .kind = kind,
                            .seconds = kind == RFT_LOAD_SOAK ? e->opts->soak_s : RFT_POWER_WINDOW_S,
                            .stop = e->opts->replay ? NULL : e->opts->stop,
                            .payload = e->opts->payload};
}

/* What the device draws when it does nothing: the first of all, because it tells whether there is a sensor. */
static int take_idle(rft_exec_state *e, bool *stopped, rft_err *err) {
    const rft_exec_opts *opts = e->opts;
    rft_run *run = opts->run;
    rft_arena *arena = rft_arena_new();
    rft_load_order order = order_of(e, RFT_LOAD_IDLE);
    rft_load idle = rft_load_none(RFT_LOAD_IDLE, NULL);
    int rc = opts->probe->idle(opts->probe, &order, arena, &idle, err);
    *stopped = *stopped || (rc == RFT_OK && idle.cut);
    run->idle = NULL; /* or an earlier session's word that it was left out */
    if (rc == RFT_OK && !idle.cut && !idle.reason) {
        run->idle = keep_load(run->arena, &idle);
        rc = rft_store_put_idle(opts->store, run->idle, err);
    }
    rft_arena_free(arena);
    return rc;
}

static int store_load(rft_exec_state *e, rft_point *point, const rft_load *load, rft_err *err) {
    rft_run *run = e->opts->run;
    point->loads[load->kind] = keep_load(run->arena, load);
    rft_tally_sum(&e->recorder.tally);
    return rft_store_put_step(e->opts->store, point, &run->info, err);
}

static int probe(rft_exec_state *e, rft_job *job, rft_point *point, bool *stopped, rft_err *err) {
    rft_probe_result result = {0};
    const char *log = NULL;
    rft_load none = rft_load_none(job->load.kind, NULL);
    int rc = rft_job_await(e->opts, job, &log, err);
    if (rc == RFT_OK && !job->failed) {
        rc = rft_job_probe(e->opts, job, false, &result, err);
    }
    if (rc != RFT_OK) {
        return rc;
    }
    none.reason = none.energy_reason = job->failed ? job->reason : result.reason ? result.reason : "no reason given";
    if (!job->failed) {
        rft_tally_round(&e->recorder.tally, &result.measurement);
        point->workers_lost += result.workers_lost;
        if (result.outcome == RFT_OUTCOME_NOT_RECORDED) {
            return RFT_OK;
        }
    }
    if (result.load && result.load->cut) {
        *stopped = true;
        return RFT_OK;
    }
    return store_load(e, point, result.load ? result.load : &none, err);
}

static const char *doing_text(const rft_exec_state *e, const targets *list, size_t at, rft_arena *arena) {
    const rft_run *run = e->opts->run;
    const rft_point *point = &run->points[list->items[at].id - 1];
    const char *problem = rft_run_problem_text(run, point->sweep, point->problem, true, arena);
    bool soak = list->items[at].kind == RFT_LOAD_SOAK;
    const char *what = soak ? rft_arena_printf(arena, "soak of %g s", e->opts->soak_s) : "energy";
    return rft_arena_printf(arena, "%s%s%s (%zu of %zu)", what, *problem ? ", " : "", problem, at + 1, list->count);
}

/* No kernel draws less than the idle device, so that its time alone can rule it out: why, in the run's arena; NULL. */
static const char *cannot_win(const rft_run *run, const rft_point *point) {
    const rft_point *best = rft_run_best(run, point->sweep, SIZE_MAX, point->problem);
    double idle_w = run->idle ? run->idle->power_w : (double)NAN, median_s = rft_point_median_s(point);
    bool edp = run->sweeps[point->sweep].sweep.search.objective == RFT_OBJECTIVE_EDP;
    double least = idle_w * median_s * (edp ? median_s : 1.0), so_far = best ? rft_point_objective(run, best) : NAN;
    if (!by_energy(run, point->sweep) || !(least > so_far)) {
        return NULL;
    }
    return rft_arena_printf(run->arena, "cannot win: at idle power alone it takes %.3g J%s, the best so far %.3g",
                            least, edp ? " s" : "", so_far);
}

static int take_load(rft_exec_state *e, const targets *list, size_t at, bool *stopped, rft_err *err) {
    rft_run *run = e->opts->run;
    const power_target *wanted = &list->items[at];
    rft_point *point = &run->points[wanted->id - 1];
    const char *ruled_out = wanted->kind == RFT_LOAD_ENERGY && !e->opts->replay ? cannot_win(run, point) : NULL;
    if (ruled_out) {
        rft_load none = rft_load_none(RFT_LOAD_ENERGY, ruled_out);
        none.energy_reason = ruled_out;
        return store_load(e, point, &none, err);
    }
    rft_job *job = rft_job_new(e->opts, (rft_job_place){point->sweep, point->variant, point->problem}, point->config);
    job->round = RFT_ROUNDS - 1;
    job->load = order_of(e, wanted->kind);
    if (!e->opts->replay) {
        rft_job_compile(e->opts, job);
        rft_exec_note_doing(e, doing_text(e, list, at, list->arena), point);
    }
    if (wanted->kind == RFT_LOAD_SOAK && e->opts->together) { /* its code is there, and those of the others */
        rft_exec_note_doing(e, "waiting for the soaks of the other cards", point);
        rft_split_meet(e->opts, e->opts->together, (double)INFINITY, stopped);
    }
    int rc = *stopped ? RFT_OK : probe(e, job, point, stopped, err);
    rft_job_free(job);
    return rc;
}

/* ---- the ceiling of the same kind ---- */

/* A sustained time is held against a sustained rate: that of its roof, which is measured when it has not been yet. */
static int soak_roof(rft_exec_state *e, const rft_point *point, rft_arena *arena, rft_err *err) {
    const rft_exec_opts *opts = e->opts;
    rft_placement place = rft_placement_of(opts->run, point);
    rft_ceiling_id id = rft_placement_ceiling(opts->run, point, &place);
    rft_ceiling *ceiling = id < RFT_CEILING_COUNT ? &opts->run->ceilings.items[id] : NULL;
    if (!ceiling || !ceiling->measured || ceiling->sustained.n > 0) {
        return RFT_OK;
    }
    rft_ceilings_request request = {.wanted = RFT_CEILING_BIT(id), .soak_s = fmin(opts->soak_s, CEILING_SOAK_MOST_S)};
    rft_ceilings measured;
    rft_exec_note_doing(
        e, rft_arena_printf(arena, "soak of its ceiling, %s, %g s", rft_ceiling_label(id), request.soak_s), point);
    int rc = opts->probe->ceilings(opts->probe, &request, arena, &measured, err);
    if (rc == RFT_OK && measured.items[id].sustained.n > 0) {
        ceiling->sustained = measured.items[id].sustained;
        ceiling->sustained_clock_mhz = measured.items[id].sustained_clock_mhz;
        ceiling->sustained_power_w = measured.items[id].sustained_power_w;
        rc = rft_store_put_ceilings(opts->store, &opts->run->ceilings, err);
    }
    return rc;
}

static int soak_roofs(rft_exec_state *e, const targets *list, bool *stopped, rft_err *err) {
    int rc = RFT_OK;
    for (size_t i = 0; i < list->count && rc == RFT_OK && !*stopped && !e->opts->replay; i++) {
        const rft_point *point = &e->opts->run->points[list->items[i].id - 1];
        if (list->items[i].kind == RFT_LOAD_SOAK && !isnan(rft_point_sustained_s(point))) {
            rft_exec_ask_stop(e, stopped);
            rc = *stopped ? RFT_OK : soak_roof(e, point, list->arena, err);
        }
    }
    return rc;
}

static int take_all(rft_exec_state *e, const targets *list, bool *stopped, rft_err *err) {
    const rft_run *run = e->opts->run;
    bool at_rest = run->idle && !rft_load_is_left_out(run->idle);
    int rc = at_rest || !e->opts->probe->idle ? RFT_OK : take_idle(e, stopped, err);
    bool blind = run->idle && !run->idle->source; /* no sensor: told once, and no window is spent on it */
    for (size_t i = 0; i < list->count && rc == RFT_OK && !*stopped; i++) {
        if (is_done(run, &list->items[i]) || (blind && list->items[i].kind == RFT_LOAD_ENERGY)) {
            continue;
        }
        rft_exec_ask_stop(e, stopped);
        rc = *stopped ? RFT_OK : take_load(e, list, i, stopped, err);
    }
    return rc;
}

int rft_exec_power(rft_exec_state *e, bool *stopped, rft_err *err) {
    rft_arena *arena = rft_arena_new();
    targets list = choose_targets(e, arena);
    bool left_out = false;
    int rc = RFT_OK;
    if (is_due(e->opts->run, &list)) { /* else the run is finished, whatever the user wants now */
        rft_exec_ask_stop(e, stopped);
        rc = *stopped ? RFT_OK : weigh(e, &list, &left_out, err);
        rc = rc == RFT_OK && !*stopped && !left_out ? take_all(e, &list, stopped, err) : rc;
    }
    rc = rc == RFT_OK && !*stopped ? soak_roofs(e, &list, stopped, err) : rc;
    rft_arena_free(arena);
    return rc;
}
