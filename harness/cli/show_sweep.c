/* SPDX-License-Identifier: Apache-2.0 */
/* show_sweep.c - ladder and failures of a sweep (show_parts.h). */
#include "cli/show_parts.h"
#include "reports/print/layout.h"

#include <math.h>
#include <string.h>

#define FAILURE_KINDS 8 /* shown of each sweep */
#define LOG_LINES 12    /* shown of a compiler's log */

void rft_show_ladder(const rft_show_page *t, size_t sweep) {
    const rft_sweep *data = &t->run->sweeps[sweep].sweep;
    size_t problem = rft_show_ladder_problem(t->run, sweep), width = 8, room = rft_show_name_room(t, sweep);
    if (data->variant_count < 2 || problem == SIZE_MAX) {
        return;
    }
    for (size_t v = 0; v < data->variant_count; v++) {
        width = rft_show_widest(width, data->variants[v].name, room);
    }
    rft_str_add_char(t->out, '\n');
    rft_layout_wrapped(
        t->out, 2, 2,
        rft_arena_printf(t->arena, "ladder at %s", rft_run_problem_text(t->run, sweep, problem, true, t->arena)));
    rft_show_table_head(t, "variant", width);
    double first_s = NAN, before_s = NAN;
    for (size_t v = 0; v < data->variant_count; v++) {
        const rft_point *best = rft_run_best(t->run, sweep, v, problem);
        rft_show_name(t, data->variants[v].name, width);
        if (best == NULL) {
            rft_str_add(t->out, "  nothing measured\n");
            continue;
        }
        rft_show_figures(t, best);
        double median_s = rft_point_median_s(best);
        const char *config = rft_run_config_text(t->run, best, true, t->arena);
        const char *gain = isnan(first_s) ? ""
                                          : rft_arena_printf(t->arena, "%s the first, %s the one before",
                                                             rft_show_number(t, first_s / median_s, 2, " x"),
                                                             rft_show_number(t, before_s / median_s, 2, " x"));
        const char *line = rft_arena_printf(t->arena, "%s%s%s", config, *config && *gain ? "; " : "", gain);
        if (*line) {
            rft_layout_wrapped(t->out, 4, 2, line);
        }
        first_s = isnan(first_s) ? median_s : first_s;
        before_s = median_s;
    }
}

/* The compiler's words as they came: carets stand under what they mean. */
static void add_log(const rft_show_page *t, const char *log) {
    for (int line = 0; *log; line++) {
        size_t length = strcspn(log, "\n");
        if (line == LOG_LINES && !t->full) {
            rft_str_add(t->out, "      ...: `rooftune point --emit log` has all of it\n");
            break;
        }
        if (6 + length > RFT_LAYOUT_WIDTH) { /* nobody's carets stand under so much */
            rft_layout_wrapped(t->out, 6, 2, rft_arena_printf(t->arena, "%.*s", (int)length, log));
        } else {
            rft_str_add(t->out, length ? "      " : "");
            rft_str_add_n(t->out, log, length);
            rft_str_add_char(t->out, '\n');
        }
        log += length + (log[length] == '\n');
    }
}

/* All of the configuration: what was not tuned may be what failed. */
static const char *example_name(const rft_show_page *t, const rft_point *example) {
    const rft_sweep *data = &t->run->sweeps[example->sweep].sweep;
    const char *problem = rft_run_problem_text(t->run, example->sweep, example->problem, true, t->arena);
    const char *config = rft_run_config_text(t->run, example, false, t->arena);
    bool several = data->variant_count > 1;
    return rft_arena_printf(t->arena, "e.g. %s%s%s%s%s%s", problem, *problem ? ", " : "",
                            several ? data->variants[example->variant].name : "", several && *config ? ": " : "",
                            config, !several && !*config ? "(no parameters)" : "");
}

void rft_show_failures(const rft_show_page *t, size_t sweep) {
    rft_show_failure *failures = NULL;
    size_t count = rft_show_failures_of(t->run, sweep, t->arena, &failures);
    rft_str_add(t->out, count ? "\n  not measured\n" : "");
    for (size_t i = 0; i < count && (i < FAILURE_KINDS || t->full); i++) {
        const rft_point *example = failures[i].example;
        const char *reason = example->reason ? example->reason : "no reason given";
        rft_layout_wrapped(t->out, 4, 2,
                           rft_arena_printf(t->arena, "%s %s: %.*s", rft_show_count(t, failures[i].count),
                                            rft_outcome_name(example->outcome), (int)strcspn(reason, "\n"), reason));
        rft_layout_wrapped(t->out, 6, 2, example_name(t, example));
        if (example->log && example->outcome == RFT_OUTCOME_COMPILE_FAILED) {
            add_log(t, example->log);
        }
    }
    if (count > FAILURE_KINDS && !t->full) {
        rft_str_addf(t->out, "    %zu more kinds: --full\n", count - FAILURE_KINDS);
    }
}
