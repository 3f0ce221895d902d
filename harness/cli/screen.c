/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/screen.h"

#include "base/units.h"
#include "cli/compose.h"
#include "cli/show_layout.h"
#include "cli/show_text.h"
#include "model/bound.h"

#include <math.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* For the first guess only, the time left corrects itself: what quick kernels took on an H200 and to compile. */
#define CEILINGS_S 4.0
#define MEASURE_S 0.03
#define COMPILE_S 0.2

#define LINE_EVERY_S 5.0
#define REWRITE_EVERY_S 0.05
#define GUESS_AFTER_S 1.0 /* the first points say little about the rest */

static void format_about(char *out, size_t size, double seconds) {
    if (seconds < 1) {
        rft_text_format(out, size, "a second");
    } else if (seconds < 59.5) {
        rft_units_format_seconds(out, size, seconds, 2);
    } else {
        rft_text_format(out, size, "%.0f min", ceil(seconds / 60));
    }
}

/* Most problems share their cubins: those of the problem with the most configurations stand for all. */
static uint64_t count_compiles(const rft_plan *plan) {
    uint64_t count = 0;
    for (size_t s = 0; s < plan->sweep_count; s++) {
        for (size_t v = 0; v < plan->sweeps[s]->variant_count; v++) {
            uint64_t most = 0;
            for (size_t p = 0; p < plan->sweeps[s]->problem_count; p++) {
                const rft_space *space = rft_plan_space(plan, s, v, p);
                uint64_t here = space ? rft_space_count(space) : 0;
                most = here > most ? here : most;
            }
            count += most;
        }
    }
    return count;
}

static double guess_s(const rft_plan *plan, const rft_target *target, double budget_s, uint64_t budget_points) {
    uint64_t points = plan->valid;
    if (budget_points && budget_points * plan->sweep_count < points) {
        points = budget_points * plan->sweep_count;
    }
    double compiles = fmin((double)count_compiles(plan), (double)(points + plan->odd));
    double compile_s = target->pool ? compiles * COMPILE_S / (double)rft_compose_compile_workers() : 0;
    double measure_s = target->recording ? 0 : CEILINGS_S + (double)(points + plan->odd) * MEASURE_S;
    double seconds = fmax(compile_s, measure_s);
    return budget_s > 0 ? fmin(seconds, budget_s) : seconds;
}

void rft_screen_begin(rft_screen *screen, const rft_plan *plan, const rft_target *target, double budget_s,
                      uint64_t budget_points) {
    FILE *talk = screen->cli->talk;
    char valid[32];
    char all[32];
    char time[32];
    rft_units_format_count(valid, sizeof valid, plan->valid);
    rft_units_format_count(all, sizeof all, plan->cartesian);
    format_about(time, sizeof time, guess_s(plan, target, budget_s, budget_points));
    fprintf(talk, "%s of %s valid, about %s, Ctrl-C is safe, counters off (none in this version: declare `traffic`)\n",
            valid, all, time);
    screen->next_line_s = screen->cli->talk_is_terminal ? 0 : LINE_EVERY_S;
    if (!target->recording) {
        return;
    }
    rft_arena *arena = rft_arena_new();
    const char *version = rft_env_value(&target->env, "replay.nvrtc.version");
    fprintf(talk, "%s: the times are the recording's%s%s\n", rft_show_replay_notice(screen->run, arena),
            target->pool ? ", every configuration is compiled here" : ", nothing is compiled here",
            target->pool && version ? rft_arena_printf(arena, " (NVRTC %s)", version) : "");
    rft_arena_free(arena);
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
        rft_str_addf(line, "%s: %llu of %llu", sweep->name, (unsigned long long)p->done,
                     (unsigned long long)p->planned);
        if (p->failed) {
            rft_str_addf(line, ", %llu not measured", (unsigned long long)p->failed);
        }
        if (p->elapsed_s >= GUESS_AFTER_S) {
            rft_units_format_seconds(eta, sizeof eta, left, 2);
            rft_str_addf(line, ", %s left", eta);
        }
    }
    if (p->best) {
        add_best(line, screen->run, p->best);
    }
}

/* Columns of the terminal that talk goes to; a longer line could not be rewritten. */
static size_t terminal_columns(const rft_cli *cli) {
    struct winsize size;
    bool known = ioctl(fileno(cli->talk), TIOCGWINSZ, &size) == 0 && size.ws_col >= 20;
    return known ? size.ws_col : 80;
}

/* Cuts to `columns`, never inside a character. */
static void cut(rft_str *line, size_t columns) {
    size_t length = line->length;
    while (length > 0 && rft_layout_columns(rft_str_get(line)) > columns) {
        length--;
        while (length > 0 && ((unsigned char)line->data[length] & 0xc0) == 0x80) {
            length--;
        }
        rft_str_truncate(line, length);
    }
}

void rft_screen_progress(rft_screen *screen, const rft_progress *progress) {
    rft_cli *cli = screen->cli;
    rft_str line = RFT_STR_INIT;
    if (progress->elapsed_s < screen->next_line_s) {
        return;
    }
    compose(&line, screen, progress);
    if (cli->talk_is_terminal) {
        cut(&line, terminal_columns(cli) - 1);
        int columns = (int)rft_layout_columns(rft_str_get(&line));
        int rest = cli->progress_columns > columns ? cli->progress_columns - columns : 0;
        fprintf(cli->talk, "\r%s%*s", rft_str_get(&line), rest, "");
        cli->progress_columns = columns;
        screen->next_line_s = progress->elapsed_s + REWRITE_EVERY_S;
        fflush(cli->talk);
    } else {
        screen->next_line_s = progress->elapsed_s + LINE_EVERY_S;
        fprintf(cli->talk, "%s\n", rft_str_get(&line));
    }
    rft_str_clear(&line);
}

void rft_screen_end(rft_screen *screen) {
    rft_cli_wipe_progress(screen->cli);
}
