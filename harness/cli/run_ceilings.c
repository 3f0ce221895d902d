/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/run_ceilings.h"

#include "cli/compose.h"
#include "model/roofline/amount.h"
#include "run/kept_ceilings.h"

/* Stored, and found again when a run continues. */
#define NOT_YET "not measured yet: the run was stopped before"
#define PROBLEMS_ASKED 8 /* of a variant: which pipes a kernel uses seldom depends on the problem */

/* Cheap, and what bounds and reports are made of. */
static const rft_ceiling_id basic[] = {RFT_CEILING_DRAM_READ,   RFT_CEILING_DRAM_WRITE, RFT_CEILING_DRAM_COPY,
                                       RFT_CEILING_DRAM_2TO1,   RFT_CEILING_L2_READ,    RFT_CEILING_L1_READ,
                                       RFT_CEILING_SHARED_READ, RFT_CEILING_FP64,       RFT_CEILING_FP32,
                                       RFT_CEILING_FP16,        RFT_CEILING_SFU,        RFT_CEILING_LAUNCH};

static rft_ceiling_set used_by(const rft_point_spec *spec) {
    rft_ceiling_set used = 0;
    for (int pipe = 0; pipe < RFT_PIPE_COUNT; pipe++) {
        rft_ceiling_id id = rft_amount_pipe_ceiling((rft_pipe)pipe);
        bool moves = spec->traffic.present && spec->traffic.pipe_ops[pipe] > 0.0;
        if (id != RFT_CEILING_COUNT && (spec->work.pipe_ops[pipe] > 0.0 || moves)) {
            used |= RFT_CEILING_BIT(id);
        }
    }
    return used;
}

/* The first configuration of a problem; one whose script fails is told when it is its turn. */
static rft_ceiling_set used_on(const rft_sweep *sweep, size_t variant, size_t problem, const rft_space *space) {
    rft_arena *arena = rft_arena_new();
    rft_point_spec spec = {0};
    rft_err ignored = RFT_ERR_INIT;
    rft_ceiling_set used = 0;
    if (space && rft_space_count(space) > 0 && sweep->vt) {
        rft_value *config = rft_arena_calloc(arena, sweep->variants[variant].param_count + 1, sizeof *config);
        rft_space_get(space, 0, config);
        if (sweep->vt->point(sweep->self, variant, sweep->problems[problem].values, config, arena, &spec, &ignored) ==
            RFT_OK) {
            used = used_by(&spec);
        }
    }
    rft_arena_free(arena);
    return used;
}

rft_ceiling_set rft_run_ceilings_wanted(const rft_plan *plan) {
    rft_ceiling_set wanted = 0;
    for (size_t i = 0; i < sizeof basic / sizeof *basic; i++) {
        wanted |= RFT_CEILING_BIT(basic[i]);
    }
    for (size_t s = 0; plan && s < plan->sweep_count; s++) {
        const rft_sweep *sweep = plan->sweeps[s];
        for (size_t v = 0; v < sweep->variant_count; v++) {
            for (size_t p = 0; p < sweep->problem_count && p < PROBLEMS_ASKED; p++) {
                wanted |= used_on(sweep, v, p, rft_plan_space(plan, s, v, p));
            }
        }
    }
    return plan ? wanted : RFT_CEILINGS_ALL;
}

static rft_kept_ceilings_opts place_of(rft_arena *arena, const rft_gpu_info *gpu, const rft_env *env) {
    return (rft_kept_ceilings_opts){
        .folder = rft_compose_cache_folder(arena), .gpu = gpu, .env = env, .clock = rft_clock_system()};
}

void rft_ceilings_keep(rft_cli *cli, const rft_gpu_info *gpu, const rft_env *env, const rft_ceilings *ceilings) {
    rft_arena *arena = rft_arena_new();
    const rft_kept_ceilings_opts place = place_of(arena, gpu, env);
    rft_err err = RFT_ERR_INIT;
    if (rft_kept_ceilings_write(&place, ceilings, &err) != RFT_OK) {
        rft_log_debug(&cli->log, "the ceilings are not kept for the next run: %s", err.message);
    }
    rft_arena_free(arena);
}

static void tell_kept(const rft_run_ceilings *c, rft_ceiling_set due) {
    const rft_run *run = c->run;
    const rft_clock *clock = rft_clock_system();
    const char *age = rft_ceilings_age_text(&run->ceilings, clock->unix_ns(clock->self), run->arena);
    if (age) {
        rft_log_info(&c->cli->log, "%sceilings measured %s ago on this card are taken; --ceilings again measures anew",
                     due ? "some " : "", age);
    }
}

int rft_run_ceilings_postpone(const rft_run_ceilings *c, rft_err *err) {
    rft_run *run = c->run;
    const rft_ceiling_set wanted = rft_run_ceilings_wanted(c->plan);
    const rft_kept_ceilings_opts place = place_of(run->arena, &run->gpu, &run->env);
    rft_kept_ceilings kept = {0};
    if (!c->again) {
        rft_kept_ceilings_read(&kept, &place, run->arena);
    }
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        bool there = (kept.there & RFT_CEILING_BIT(id)) != 0;
        run->ceilings.items[id] =
            there
                ? kept.ceilings.items[id]
                : rft_ceiling_none(wanted & RFT_CEILING_BIT(id) ? NOT_YET : rft_ceiling_not_asked((rft_ceiling_id)id));
    }
    tell_kept(c, rft_run_ceilings_due(run));
    return rft_compose_annotate(c->cli, run->arena, &run->ceilings, &run->gpu, err);
}

rft_ceiling_set rft_run_ceilings_due(const rft_run *run) {
    rft_ceiling_set due = 0;
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        const rft_ceiling *ceiling = &run->ceilings.items[id];
        due |= !ceiling->measured && rft_text_equal(ceiling->reason, NOT_YET) ? RFT_CEILING_BIT(id) : 0;
    }
    return due;
}

int rft_run_ceilings_measure(const rft_run_ceilings *c, rft_err *err) {
    rft_run *run = c->run;
    const rft_ceilings_request request = {.wanted = rft_run_ceilings_due(run)};
    rft_ceilings measured;
    rft_log_info(&c->cli->log, "measuring the ceilings of %s", run->gpu.name);
    int rc = c->probe->ceilings(c->probe, &request, run->arena, &measured, err);
    if (rc != RFT_OK) {
        return rc;
    }
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        if (request.wanted & RFT_CEILING_BIT(id)) {
            run->ceilings.items[id] = measured.items[id];
        }
    }
    run->ceilings.busy_s = measured.busy_s;
    rc = rft_compose_annotate(c->cli, run->arena, &run->ceilings, &run->gpu, err);
    if (rc == RFT_OK) {
        rft_ceilings_keep(c->cli, &run->gpu, &run->env, &run->ceilings);
        rc = rft_store_put_ceilings(c->store, &run->ceilings, err);
    }
    return rc;
}

int rft_run_ceilings_replay(const rft_run_ceilings *c, rft_err *err) {
    return c->probe->ceilings(c->probe, NULL, c->run->arena, &c->run->ceilings, err);
}
