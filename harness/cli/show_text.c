/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/show_text.h"

#include "base/units.h"
#include "cli/show_baselines.h"
#include "cli/show_counters.h"
#include "cli/show_parts.h"
#include "reports/print/layout.h"

#include "model/roofline/over_roof.h"
#include "model/run/run_foreign.h"
#include "model/transition/refine.h"
#include "reports/findings/findings.h"
#include "reports/print/print.h"

#include <math.h>
#include <string.h>

const char *rft_show_number(const rft_show_page *t, double value, int decimals, const char *after) {
    return isfinite(value) ? rft_arena_fixed(t->arena, value, decimals, after) : "n/a";
}

const char *rft_show_count(const rft_show_page *t, uint64_t count) {
    char buffer[32];
    return rft_arena_strdup(t->arena, rft_units_format_count(buffer, sizeof buffer, count));
}

const char *rft_show_config_name(const rft_show_page *t, const rft_point *point) {
    const rft_sweep *sweep = &t->run->sweeps[point->sweep].sweep;
    const char *config = rft_run_config_text(t->run, point, true, t->arena);
    if (sweep->variant_count < 2) {
        return *config ? config : "(nothing to tune)";
    }
    const char *name = sweep->variants[point->variant].name;
    return *config ? rft_arena_printf(t->arena, "%s: %s", name, config) : name;
}

static rft_show_page begin(rft_str *out, const rft_run *run, const rft_show_opts *opts) {
    return (rft_show_page){.out = out,
                           .run = run,
                           .arena = rft_arena_new(),
                           .plus_minus = opts->ascii ? "+-" : "\xc2\xb1",
                           .ascii = opts->ascii,
                           .full = opts->full};
}

/* With the kernel's name where neither the sweep nor a ladder says it. */
static void add_title(rft_show_page *t, size_t s) {
    const rft_sweep *sweep = &t->run->sweeps[s].sweep;
    const char *kernel = sweep->variant_count == 1 ? sweep->variants[0].kernel : NULL;
    bool told = !kernel || !*kernel || strstr(kernel, sweep->name) != NULL;
    rft_str_add_char(t->out, '\n');
    rft_layout_wrapped(t->out, 0, 2,
                       rft_arena_printf(t->arena, "%s (%s%s%s cache)", sweep->name, told ? "" : kernel,
                                        told ? "" : ", ", rft_cache_mode_name(sweep->measure.cache)));
}

/* The point that a sweep's advice is for; NULL when nothing was measured. */
static const rft_point *largest_best(const rft_run *run, size_t sweep) {
    size_t problem = rft_run_largest(run, sweep);
    return problem == SIZE_MAX ? NULL : rft_run_best(run, sweep, SIZE_MAX, problem);
}

void rft_show_run(rft_str *out, const rft_run *run, const rft_show_opts *opts) {
    rft_show_page t = begin(out, run, opts);
    const rft_print_opts indented = {.ascii = opts->ascii, .full = opts->full, .indent = 4};
    const rft_print_opts head = {.ascii = opts->ascii, .label = ""};
    const rft_print_opts outer = {.ascii = opts->ascii, .full = opts->full, .indent = 2};
    size_t start = out->length;
    rft_print_text(out, rft_finding_head(run, t.arena), &head);
    rft_print_text(out, rft_finding_steadiness(run, true, t.arena), &head);
    rft_print_text(out, rft_finding_idle(run, t.arena), &head);
    rft_print_text(out, rft_finding_ceilings(run, t.arena), &outer);
    rft_print_text(out, rft_finding_rooflines(run, t.arena), &outer);
    for (size_t s = 0; s < run->sweep_count; s++) {
        add_title(&t, s);
        rft_print_text(out, rft_finding_counts(run, s, t.arena), &(rft_print_opts){.indent = 2, .label = ""});
        rft_print_text(out, rft_finding_problems(run, s, t.arena),
                       &(rft_print_opts){.ascii = t.ascii, .full = t.full, .indent = 2});
        rft_print_text(out, rft_finding_ladder(run, s, false, t.arena), &indented);
        rft_show_baselines(&t, s);
        rft_print_text(out, rft_finding_params(run, s, rft_run_largest(run, s), t.arena), &indented);
        rft_print_text(out, rft_finding_progress(run, s, rft_run_largest(run, s), t.arena), &indented);
        rft_print_text(out, rft_finding_axes(run, s, t.full, t.arena), &indented);
        rft_print_text(out, rft_finding_loads(run, s, t.arena), &indented);
        (t.full ? rft_show_counted_sweep : rft_show_counted_apart)(out, run, s, t.arena);
        rft_print_text(out, rft_finding_transitions(run, s, t.arena), &indented);
        if (t.full) {
            rft_print_text(out, rft_finding_fits(run, s, t.arena), &indented);
        }
        rft_print_text(out, rft_finding_advice(run, largest_best(run, s), t.full, t.arena), &indented);
        rft_print_text(out, rft_finding_failures(run, s, t.arena), &indented);
    }
    if (!t.full) {
        rft_str_add_char(out, '\n');
        rft_layout_wrapped(
            out, 0, 0,
            "With --full: every problem, baseline and note in words, hardware counters, fits, parameters "
            "of all variants.");
    }
    if (t.ascii) {
        rft_layout_to_ascii(out, start);
    }
    rft_arena_free(t.arena);
}

void rft_show_summary(rft_str *out, const rft_run *run) {
    rft_show_page t = begin(out, run, &(rft_show_opts){0});
    const rft_print_opts indented = {.indent = 4}, head = {.label = ""};
    rft_print_text(out, rft_finding_head(run, t.arena), &head);
    rft_print_text(out, rft_finding_steadiness(run, false, t.arena), &head);
    for (size_t s = 0; s < run->sweep_count; s++) {
        add_title(&t, s);
        rft_print_text(out, rft_finding_counts(run, s, t.arena), &(rft_print_opts){.indent = 2, .label = ""});
        rft_print_text(out, rft_finding_problems(run, s, t.arena),
                       &(rft_print_opts){.ascii = t.ascii, .full = t.full, .indent = 2});
        rft_print_text(out, rft_finding_ladder(run, s, false, t.arena), &indented);
        rft_print_text(out, rft_finding_loads(run, s, t.arena), &indented);
        rft_print_text(out, rft_finding_failures(run, s, t.arena), &indented);
    }
    rft_arena_free(t.arena);
}
