/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/screen.h"

#include "base/plain.h"
#include "base/units.h"
#include "cli/compose.h"
#include "cli/interrupt.h"
#include "model/roofline/bound.h"
#include "model/roofline/reach.h"
#include "reports/findings/words.h"
#include "reports/print/layout.h"
#include "run/plan/budget_share.h"
#include "run/refine_round.h"

#include <math.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* For the first guess only, the time left corrects itself: about what 13 sweeps took on an H200 with 16 cores. */
#define CEILINGS_S 0.5
#define MEASURE_S 0.02
#define COMPILE_S 0.4
#define FINAL_S 0.2 /* a variant's best on a problem, in all processes of the final round */
#define COUNT_S 0.4 /* a point's counters */

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

/* The final round takes each variant's best on each problem; counted are the problems' bests and a ladder's rungs. */
static double guess_behind_s(const rft_plan *plan, bool counts) {
    double seconds = 0;
    for (size_t s = 0; s < plan->sweep_count; s++) {
        const rft_sweep *sweep = plan->sweeps[s];
        size_t bests = 0;
        for (size_t i = 0; i < sweep->variant_count * sweep->problem_count; i++) {
            const rft_space *space = rft_plan_space(plan, s, i % sweep->variant_count, i / sweep->variant_count);
            bests += space && rft_space_count(space) > 0;
        }
        size_t rungs = sweep->problem_count + sweep->variant_count;
        seconds += (double)bests * FINAL_S + (counts ? (double)(bests < rungs ? bests : rungs) * COUNT_S : 0);
    }
    return seconds;
}

static double guess_s(const rft_plan *plan, const rft_target *target, bool counts) {
    uint64_t points = 0;
    double budget_s = 0;
    for (size_t s = 0; s < plan->sweep_count; s++) {
        uint64_t odd = 0;
        points += rft_budget_share_planned(plan, s, &odd);
        points += odd;
        budget_s += rft_budget_share_of_sweep(plan->sweeps[s]).seconds;
    }
    double compiles = fmin((double)count_compiles(plan), (double)points);
    double compile_s = target->pool ? compiles * COMPILE_S / (double)rft_compose_compile_workers() : 0;
    double measure_s = target->recording ? 0 : CEILINGS_S + (double)points * MEASURE_S;
    return fmin(fmax(compile_s, measure_s), budget_s) + (target->recording ? 0 : guess_behind_s(plan, counts));
}

void rft_screen_begin(rft_screen *screen, const rft_plan *plan, const rft_target *target) {
    FILE *talk = screen->cli->talk;
    char valid[32];
    char all[32];
    char time[32];
    rft_units_format_count(valid, sizeof valid, plan->valid);
    rft_units_format_count(all, sizeof all, plan->cartesian);
    format_about(time, sizeof time, guess_s(plan, target, screen->counters != NULL));
    rft_arena *outlook = rft_arena_new();
    const char *more = rft_refine_outlook(plan, outlook);
    fprintf(talk, "%s of %s valid, about %s, Ctrl-C is safe, counters %s%s%s\n", valid, all, time,
            !screen->counters   ? "off (--counters none)"
            : target->recording ? "as recorded"
                                : screen->counters,
            more ? ", " : "", more ? more : "");
    rft_arena_free(outlook);
    screen->next_line_s = screen->cli->talk_is_terminal ? 0 : LINE_EVERY_S;
    if (!target->recording) {
        return;
    }
    rft_arena *arena = rft_arena_new();
    const char *version = rft_env_value(&target->env, "replay.nvrtc.version");
    fprintf(talk, "%s: the times are the recording's%s%s\n", rft_words_replay(screen->run, arena),
            target->pool ? ", every configuration is compiled here" : ", nothing is compiled here",
            target->pool && version ? rft_arena_printf(arena, " (NVRTC %s)", version) : "");
    rft_arena_free(arena);
}

/* ---- progress ---- */

/* What is left out of the first line, one after the other, until it fits. */
enum { ALL, NO_RATE, SHORT_FAILURES, NO_BUSY, NO_ETA, LEVELS };

static void add_failures(rft_str *line, const rft_exec_progress *p, int level) {
    uint64_t failed = 0;
    for (int outcome = 0; outcome < RFT_OUTCOME_COUNT; outcome++) {
        if (rft_outcome_is_measured((rft_outcome)outcome) || p->outcomes[outcome] == 0) {
            continue;
        }
        failed += p->outcomes[outcome];
        if (level < SHORT_FAILURES) {
            rft_str_addf(line, ", %llu %s", (unsigned long long)p->outcomes[outcome],
                         rft_outcome_name((rft_outcome)outcome));
        }
    }
    if (failed && level >= SHORT_FAILURES) {
        rft_str_addf(line, ", %llu not measured", (unsigned long long)failed);
    }
}

static void add_rates(rft_str *line, const rft_exec_progress *p, int level) {
    char text[32];
    double rate = (double)p->taken / p->elapsed_s;
    if (level < NO_RATE && p->taken > 0) {
        rft_words_per_second(text, sizeof text, rate);
        rft_str_addf(line, ", %s/s", text);
    }
    if (level < NO_ETA && p->taken > 0 && !p->final_round) {
        rft_units_format_seconds(text, sizeof text, (double)(p->planned - p->done) / rate, 2);
        rft_str_addf(line, ", %s left", text);
    }
    if (level < NO_BUSY && isfinite(p->busy_s)) {
        rft_str_add(line, ", GPU busy ");
        rft_str_add_fixed(line, 100 * p->busy_s / p->elapsed_s, 0);
        rft_str_add(line, " %");
    }
}

/* "gemv: 312 of 553, +12 refined, 3 compile_failed, 1 timed_out, 17.7/s, 14 s left, GPU busy 88 %". */
static void compose_counts(rft_str *line, const rft_screen *screen, const rft_exec_progress *p, int level) {
    const rft_sweep *sweep = &screen->run->sweeps[p->last->sweep].sweep;
    rft_str_truncate(line, 0);
    if (p->doing) {
        rft_str_addf(line, "%s: %s", sweep->name, p->doing);
    } else if (p->final_round) {
        rft_str_addf(line, "%s: final round", sweep->name);
    } else {
        rft_str_addf(line, "%s: %llu of %llu", sweep->name, (unsigned long long)p->done,
                     (unsigned long long)p->planned);
        if (p->refined) {
            rft_str_addf(line, ", +%llu refined", (unsigned long long)p->refined);
        }
    }
    add_failures(line, p, level);
    if (p->elapsed_s >= GUESS_AFTER_S) {
        add_rates(line, p, level);
    }
}

/* "best 45.1 us, 92 % of the roof, dram, n=4096: TILE=64"; nothing while nothing was measured. */
static void add_best_so_far(rft_str *line, const rft_run *run, const rft_point *best) {
    char text[48];
    rft_arena *arena = rft_arena_new();
    rft_reach reach = rft_reach_of(run, best);
    rft_bound bound = rft_bound_of(run, best);
    const char *config = rft_run_config_text(run, best, true, arena);
    rft_units_format_seconds(text, sizeof text, rft_point_median_s(best), 3);
    rft_str_addf(line, "best %s", text);
    if (isfinite(reach.frac)) {
        rft_str_add(line, reach.at_most ? ", at most " : ", ");
        rft_str_add_fixed(line, reach.frac * 100, reach.frac < 0.0995 ? 1 : 0);
        rft_str_add(line, " % of the roof");
    }
    if (bound.resource != RFT_RESOURCE_UNKNOWN) {
        rft_str_addf(line, ", %s", rft_resource_name(bound.resource, bound.pipe));
    }
    const char *problem = rft_run_problem_text(run, best->sweep, best->problem, true, arena);
    rft_str_addf(line, ", %s%s%s", problem, *problem && *config ? ": " : "", config);
    rft_arena_free(arena);
}

/* Columns of the terminal that talk goes to; a longer line could not be rewritten. */
static size_t terminal_columns(const rft_cli *cli) {
    struct winsize size;
    bool known = ioctl(fileno(cli->screen), TIOCGWINSZ, &size) == 0 && size.ws_col >= 20;
    return known ? size.ws_col : 80;
}

/* Spells out what would act on the terminal, and cuts to `columns`, never inside a character. */
static void cut(rft_str *line, size_t columns) {
    rft_str plain = RFT_STR_INIT;
    rft_plain_add(&plain, rft_str_get(line), line->length);
    rft_str_clear(line);
    *line = plain;
    size_t length = line->length < 8 * columns ? line->length : 8 * columns; /* no column takes more bytes */
    while (length < line->length && length > 0 && ((unsigned char)line->data[length] & 0xc0) == 0x80) {
        length--;
    }
    rft_str_truncate(line, length);
    while (length > 0 && rft_layout_columns(rft_str_get(line)) > columns) {
        length--;
        while (length > 0 && ((unsigned char)line->data[length] & 0xc0) == 0x80) {
            length--;
        }
        rft_str_truncate(line, length);
    }
}

/* A signal has put a line below the progress, which so has scrolled up. */
static void forget_interrupted(rft_screen *screen) {
    if (screen->interrupts != rft_interrupt_count()) {
        screen->interrupts = rft_interrupt_count();
        screen->cli->progress_lines = screen->cli->progress_columns = 0;
    }
}

/* Two lines where the cursor can go up again, else one. */
static void draw_screen(rft_screen *screen, const rft_exec_progress *progress) {
    rft_cli *cli = screen->cli;
    rft_str counts = RFT_STR_INIT;
    rft_str best = RFT_STR_INIT;
    size_t columns = terminal_columns(cli) - 1;
    int level = ALL;
    do {
        compose_counts(&counts, screen, progress, level++);
    } while (level < LEVELS && rft_layout_columns(rft_str_get(&counts)) > columns);
    cut(&counts, columns);
    if (progress->best) {
        rft_str_add(&best, "  ");
        add_best_so_far(&best, screen->run, progress->best);
        cut(&best, columns);
    }
    forget_interrupted(screen);
    if (cli->talk_moves) {
        fprintf(cli->screen, "%s\r%s\033[K\n%s\033[K", cli->progress_lines == 2 ? "\033[A" : "", rft_str_get(&counts),
                rft_str_get(&best));
        cli->progress_lines = 2;
    } else {
        int width = (int)rft_layout_columns(rft_str_get(&counts));
        int rest = cli->progress_columns > width ? cli->progress_columns - width : 0;
        fprintf(cli->screen, "\r%s%*s", rft_str_get(&counts), rest, "");
        cli->progress_lines = 1;
        cli->progress_columns = width;
    }
    fflush(cli->screen);
    rft_str_clear(&counts);
    rft_str_clear(&best);
}

static void print_pending(rft_screen *screen) {
    if (screen->pending.length) {
        fprintf(screen->cli->talk, "%s\n", rft_str_get(&screen->pending));
        rft_str_truncate(&screen->pending, 0);
    }
}

/* What a part behind the points does is told at once when that part begins, and then as all else. */
static bool begins_part(rft_screen *screen, const rft_exec_progress *progress) {
    char part[sizeof screen->part] = "";
    if (!progress->doing) {
        return false;
    }
    rft_text_format(part, sizeof part, "%.*s", (int)strcspn(progress->doing, " ,"), progress->doing);
    bool begins = strcmp(part, screen->part) != 0;
    memcpy(screen->part, part, sizeof part);
    return begins;
}

void rft_screen_progress(rft_screen *screen, const rft_exec_progress *progress) {
    if (progress->counts) {
        return; /* that it is being counted was said */
    }
    bool begins = begins_part(screen, progress);
    bool due =
        begins || (progress->doing && screen->cli->talk_is_terminal) || progress->elapsed_s >= screen->next_line_s;
    if (begins && !screen->cli->talk_is_terminal) {
        print_pending(screen);
    }
    if (!screen->cli->talk_is_terminal) { /* the last one is printed at the end, whenever that is */
        compose_counts(&screen->pending, screen, progress, ALL);
        if (progress->best) {
            rft_str_add(&screen->pending, ", ");
            add_best_so_far(&screen->pending, screen->run, progress->best);
        }
        if (due) {
            screen->next_line_s = progress->elapsed_s + LINE_EVERY_S;
            print_pending(screen);
        }
    } else if (due) {
        screen->next_line_s = progress->elapsed_s + REWRITE_EVERY_S;
        draw_screen(screen, progress);
    }
}

void rft_screen_end(rft_screen *screen) {
    forget_interrupted(screen);
    rft_cli_wipe_progress(screen->cli);
    print_pending(screen);
    rft_str_clear(&screen->pending);
}
