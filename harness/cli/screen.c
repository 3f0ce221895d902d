/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/screen.h"

#include "base/units.h"
#include "model/bound.h"

#include <math.h>

/* Seconds a point takes on a GPU, for the first guess only: verified, warmed up and sampled; the ETA corrects itself.
 */
#define POINT_GUESS_S 0.15
#define POINT_REPLAY_S 0.05
#define LINE_EVERY_S 5.0

void rft_screen_begin(rft_screen *screen, const rft_plan *plan, bool replay) {
    char valid[32];
    char all[32];
    char time[32];
    double guess = (double)(plan->valid + plan->odd) * (replay ? POINT_REPLAY_S : POINT_GUESS_S);
    rft_units_format_count(valid, sizeof valid, plan->valid);
    rft_units_format_count(all, sizeof all, plan->cartesian);
    rft_units_format_seconds(time, sizeof time, guess, 2);
    fprintf(screen->cli->talk, "%s of %s valid, about %s, Ctrl-C is safe, counters off (not in this version)\n", valid,
            all, time);
}

static void add_best(rft_str *line, const rft_run *run, const rft_point *best) {
    char text[48];
    rft_placement placement = rft_placement_of(run, best);
    rft_arena *arena = rft_arena_new();
    rft_units_format_seconds(text, sizeof text, rft_point_median_s(best), 3);
    rft_str_addf(line, "  best %s", text);
    if (isfinite(placement.efficiency_frac)) {
        rft_str_add(line, " (");
        rft_str_add_fixed(line, placement.efficiency_frac * 100, 0);
        rft_str_add(line, " % of the roof)");
    }
    rft_str_addf(line, " %s", rft_run_problem_text(run, best->sweep, best->problem, true, arena));
    rft_arena_free(arena);
}

static void compose(rft_str *line, const rft_screen *screen, const rft_progress *p) {
    char eta[32];
    double left = p->done ? p->elapsed_s / (double)p->done * (double)(p->planned - p->done) : NAN;
    const rft_sweep *sweep = &screen->run->sweeps[p->last->sweep].sweep;
    if (p->final_round) {
        rft_str_addf(line, "%s: final round", sweep->name);
    } else {
        rft_units_format_seconds(eta, sizeof eta, left, 2);
        rft_str_addf(line, "%s: %llu of %llu", sweep->name, (unsigned long long)p->done,
                     (unsigned long long)p->planned);
        if (p->failed) {
            rft_str_addf(line, ", %llu failed", (unsigned long long)p->failed);
        }
        rft_str_addf(line, ", %s left", eta);
    }
    if (p->best) {
        add_best(line, screen->run, p->best);
    }
}

void rft_screen_progress(rft_screen *screen, const rft_progress *progress) {
    rft_str line = RFT_STR_INIT;
    if (!screen->cli->talk_is_terminal && progress->elapsed_s < screen->next_line_s) {
        return;
    }
    compose(&line, screen, progress);
    if (screen->cli->talk_is_terminal) {
        if (line.length > 110) {
            rft_str_truncate(&line, 110);
        }
        fprintf(screen->cli->talk, "\r%-*s", screen->width, rft_str_get(&line));
        screen->width = (int)line.length;
        fflush(screen->cli->talk);
    } else {
        screen->next_line_s = progress->elapsed_s + LINE_EVERY_S;
        fprintf(screen->cli->talk, "%s\n", rft_str_get(&line));
    }
    rft_str_clear(&line);
}

void rft_screen_end(rft_screen *screen) {
    if (screen->cli->talk_is_terminal && screen->width) {
        fprintf(screen->cli->talk, "\r%-*s\r", screen->width, "");
        fflush(screen->cli->talk);
    }
}
