/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/show_text.h"

#include "reports/findings/findings.h"
#include "reports/print/layout.h"
#include "reports/print/print.h"

#include <string.h>

/* With the kernel's name where neither the sweep nor a ladder says it. */
static void add_title(rft_str *out, const rft_sweep *sweep, rft_arena *arena) {
    const char *kernel = sweep->variant_count == 1 ? sweep->variants[0].kernel : NULL;
    bool told = !kernel || !*kernel || strstr(kernel, sweep->name) != NULL;
    rft_str_add_char(out, '\n');
    rft_layout_wrapped(out, 0, 2,
                       rft_arena_printf(arena, "%s (%s%s%s)", sweep->name, told ? "" : kernel, told ? "" : ", ",
                                        rft_protocol_words(sweep->measure.cache, sweep->measure.mode)));
    if (sweep->note) {
        rft_layout_wrapped(out, 2, 0, sweep->note);
    }
}

/* The point that a sweep's advice is for; NULL when nothing was measured. */
static const rft_point *largest_best(const rft_run *run, size_t sweep) {
    size_t problem = rft_run_largest(run, sweep);
    return problem == SIZE_MAX ? NULL : rft_run_best(run, sweep, SIZE_MAX, problem);
}

void rft_show_run(rft_str *out, const rft_run *run, const rft_show_opts *opts) {
    const rft_print_opts head = {.ascii = opts->ascii, .label = ""};
    const rft_print_opts outer = {.ascii = opts->ascii, .full = opts->full, .indent = 2};
    const rft_print_opts indented = {.ascii = opts->ascii, .full = opts->full, .indent = 4};
    size_t start = out->length;
    rft_arena *arena = rft_arena_new();
    rft_print_text(out, rft_finding_head(run, arena), &head);
    rft_print_text(out, rft_finding_steadiness(run, true, arena), &head);
    rft_print_text(out, rft_finding_idle(run, arena), &head);
    rft_print_text(out, rft_finding_split(run, arena), &outer);
    rft_print_text(out, rft_finding_state(run, arena), &head);
    rft_print_text(out, rft_finding_ceilings(run, arena), &outer);
    rft_print_text(out, rft_finding_rooflines(run, arena), &outer);
    for (size_t s = 0; s < run->sweep_count; s++) {
        add_title(out, &run->sweeps[s].sweep, arena);
        rft_print_text(out, rft_finding_counts(run, s, arena), &(rft_print_opts){.indent = 2, .label = ""});
        rft_print_text(out, rft_finding_problems(run, s, arena), &outer);
        rft_print_text(out, rft_finding_ladder(run, s, false, arena), &indented);
        rft_print_text(out, rft_finding_baselines(run, s, SIZE_MAX, arena), &indented);
        rft_print_text(out, rft_finding_params(run, s, rft_run_largest(run, s), arena), &indented);
        rft_print_text(out, rft_finding_progress(run, s, rft_run_largest(run, s), arena), &indented);
        rft_print_text(out, rft_finding_axes(run, s, true, opts->full, NULL, arena), &indented);
        rft_print_text(out, rft_finding_loads(run, s, arena), &indented);
        rft_print_text(out, rft_finding_counted(run, s, opts->full, arena), &indented);
        rft_print_text(out, rft_finding_transitions(run, s, arena), &indented);
        if (opts->full) {
            rft_print_text(out, rft_finding_fits(run, s, arena), &indented);
        }
        rft_print_text(out, rft_finding_advice(run, largest_best(run, s), arena), &indented);
        rft_print_text(out, rft_finding_closing(run, s, arena), &indented);
    }
    if (opts->full) {
        rft_print_text(out, rft_finding_conformance(run, arena), &outer);
    } else {
        rft_str_add_char(out, '\n');
        rft_layout_wrapped(
            out, 0, 0,
            "With --full: every problem, baseline and note in words, hardware counters, fits, parameters "
            "of all variants.");
    }
    if (opts->ascii) {
        rft_layout_to_ascii(out, start);
    }
    rft_arena_free(arena);
}

/* Of many sweeps, whose bests a table has, what went wrong alone. */
static void add_sweep(rft_str *out, const rft_run *run, size_t s, bool wrong_alone, rft_arena *arena) {
    const rft_print_opts outer = {.indent = 2}, indented = {.indent = 4};
    rft_str wrong = RFT_STR_INIT;
    rft_print_text(&wrong, rft_finding_sanitized(run, s, arena), &indented);
    rft_print_text(&wrong, rft_finding_failures(run, s, arena), &indented);
    if (!wrong_alone || wrong.length > 0) {
        add_title(out, &run->sweeps[s].sweep, arena);
    }
    if (!wrong_alone) {
        rft_print_text(out, rft_finding_counts(run, s, arena), &(rft_print_opts){.indent = 2, .label = ""});
        rft_print_text(out, rft_finding_problems(run, s, arena), &outer);
        rft_print_text(out, rft_finding_ladder(run, s, false, arena), &indented);
        rft_print_text(out, rft_finding_loads(run, s, arena), &indented);
    }
    rft_str_add(out, rft_str_get(&wrong));
    rft_str_clear(&wrong);
}

void rft_show_summary(rft_str *out, const rft_run *run) {
    const rft_print_opts head = {.label = ""}, outer = {.indent = 2};
    rft_arena *arena = rft_arena_new();
    rft_print_text(out, rft_finding_head(run, arena), &head);
    rft_print_text(out, rft_finding_steadiness(run, false, arena), &head);
    rft_print_text(out, rft_finding_split(run, arena), &outer);
    rft_print_text(out, rft_finding_state(run, arena), &head);
    bool many = run->sweep_count > RFT_SWEEPS_MANY;
    if (many) {
        rft_print_text(out, rft_finding_sweeps(run, arena), &outer);
    }
    for (size_t s = 0; s < run->sweep_count; s++) {
        add_sweep(out, run, s, many, arena);
    }
    if (many) {
        rft_str_add_char(out, '\n');
        rft_layout_wrapped(out, 0, 0,
                           "Of each sweep its longest problem; all of them, ladders and power: `rooftune show`.");
    }
    rft_arena_free(arena);
}
