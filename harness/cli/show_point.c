/* SPDX-License-Identifier: Apache-2.0 */
/* show_point.c - one point of a run (show_point.h). */
#include "cli/show_point.h"

#include "base/units.h"
#include "model/roofline/bound.h"
#include "model/roofline/reach.h"
#include "model/roofline/ridge.h"
#include "model/run/run_foreign.h"
#include "model/transition/refine.h"
#include "reports/findings/findings.h"
#include "reports/findings/point_state.h"
#include "reports/findings/words.h"
#include "reports/print/layout.h"
#include "reports/print/print.h"

#include <math.h>

static void add_times(rft_str *out, const rft_run *run, const rft_point *point, rft_arena *arena) {
    const rft_measurement *m = rft_point_measurement(point);
    char roof[80] = "n/a";
    if (!m) {
        return;
    }
    rft_bound bound = rft_bound_of(run, point);
    rft_reach reach = rft_reach_of(run, point);
    const char *note = rft_words_share_note(run, point, arena);
    if (isfinite(reach.frac)) {
        rft_text_format(roof, sizeof roof, "%s of its roof, at most %.3gx left (%s)", rft_words_reach(&reach, arena),
                        reach.left_factor, rft_efficiency_band(1.0 / reach.left_factor));
    }
    rft_str_addf(out, "time         %s\n", rft_words_time(m, arena));
    rft_str_addf(out, "place        %s; %s%s%s\n", rft_words_with_state(roof, run, point, arena),
                 rft_bound_text(&bound, arena), note ? "; " : "", note ? note : "");
}

static void add_code(rft_str *out, const rft_point *point) {
    const rft_facts *facts = &point->facts;
    if (facts->registers >= 0) {
        rft_str_addf(out, "registers    %d", facts->registers);
        if (facts->spill_bytes >= 0) {
            rft_str_addf(out, ", spills %d B", facts->spill_bytes);
        }
        if (facts->shared_static_bytes >= 0) {
            rft_str_addf(out, ", shared %lld B static", (long long)facts->shared_static_bytes);
        }
        if (facts->shared_dynamic_bytes >= 0) {
            rft_str_addf(out, " + %lld B dynamic", (long long)facts->shared_dynamic_bytes);
        }
        rft_str_add_char(out, '\n');
    }
    if (point->has_launch) {
        rft_str_addf(out, "launch       grid %lld x %lld x %lld, block %lld x %lld x %lld\n", (long long)point->grid[0],
                     (long long)point->grid[1], (long long)point->grid[2], (long long)point->block[0],
                     (long long)point->block[1], (long long)point->block[2]);
    }
}

/* As another tuner recorded them; 0 and NaN: it did not. */
static void add_recorded(rft_str *out, const rft_measurement *m) {
    const double rates[] = {m ? m->recorded_flop_s : (double)NAN, m ? m->recorded_bytes_s : (double)NAN};
    char text[48];
    for (size_t i = 0; i < 2; i++) {
        if (rates[i] > 0.0) {
            rft_str_addf(out, "rate         %s (recorded by the other tuner)\n",
                         rft_units_format_si(text, sizeof text, rates[i], 4, i ? "B/s" : "FLOP/s"));
        }
    }
}

static void add_work(rft_str *out, const rft_point *point) {
    char read[48], written[48], ops[48];
    rft_units_format_si(read, sizeof read, point->work.bytes_read, 4, "B");
    rft_units_format_si(written, sizeof written, point->work.bytes_written, 4, "B");
    rft_units_format_si(ops, sizeof ops, rft_work_ops(&point->work), 4, "op");
    rft_str_addf(out, "work         reads %s, writes %s, %s (declared)\n", read, written, ops);
}

static const rft_point *find(const rft_run *run, int64_t id) {
    for (size_t i = 0; i < run->point_count; i++) {
        if (run->points[i].id == id) {
            return &run->points[i];
        }
    }
    return NULL;
}

int rft_show_point(rft_str *out, const rft_run *run, int64_t id, rft_err *err) {
    const rft_point *point = find(run, id);
    if (!point) {
        rft_err_set(err, RFT_E_NOT_FOUND, "the run has no point %lld; it has %zu", (long long)id, run->point_count);
        return rft_err_remedy(err, "show --csv - lists every point with its id");
    }
    rft_arena *arena = rft_arena_new();
    const rft_sweep *sweep = &run->sweeps[point->sweep].sweep;
    rft_str_addf(out, "point %lld: %s, %s: %s", (long long)id, sweep->name, sweep->variants[point->variant].name,
                 rft_run_problem_text(run, point->sweep, point->problem, false, arena));
    rft_str_addf(out, " %s\n", rft_run_config_text(run, point, false, arena));
    const char *refined = rft_refine_text(run, point->sweep, point->problem, arena);
    if (refined) {
        rft_str_addf(out, "problem      %s\n", refined);
    }
    rft_str_addf(out, "outcome      %s%s%s\n", rft_outcome_name(point->outcome), point->reason ? ": " : "",
                 point->reason ? point->reason : "");
    if (point->alias_of) {
        rft_str_addf(out, "alias        of point %lld: same cubin and launch, its numbers\n",
                     (long long)point->alias_of);
    }
    add_times(out, run, point, arena);
    rft_print_text(out, rft_finding_steps(run, point, arena), &(rft_print_opts){.indent = 13, .label = "launches"});
    rft_print_text(out, rft_finding_energy(run, point, arena), &(rft_print_opts){.indent = 13, .label = "energy"});
    rft_print_text(out, rft_finding_sustained(run, point, arena), &(rft_print_opts){.indent = 13, .label = "soak"});
    add_code(out, point);
    if (rft_run_foreign(run)) {
        add_recorded(out, rft_point_measurement(point));
    } else {
        add_work(out, point);
    }
    if (point->counters) {
        rft_print_text(out, rft_finding_counters(run, point, arena), &(rft_print_opts){.indent = 2});
    } else {
        rft_str_add(out, "counters     not counted, or not recorded\n");
    }
    rft_arena_free(arena);
    return RFT_OK;
}
