/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/again_report.h"

#include "bench/again_pairs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define QUIET_FRAC 0.004 /* between processes, AGAIN_QUANTILE standard deviations */
#define SLOW_S 200e-6    /* chosen by time, not by what it scatters: that would choose luck */
#define GOAL_FALSE 0.01
#define GOAL_FALSE_AT_MOST 0.02
#define GOAL_SAME 0.90
#define GOAL_COVERED_LEAST 0.93
#define GOAL_COVERED_MOST 0.97
#define GOAL_REPRODUCED 0.80

/* ---- sums ---- */

typedef enum loudness { ANY, QUIET, LOUD } loudness;

typedef struct sums {
    size_t kernels;
    again_tally kinds[AGAIN_KINDS];
    double *false_shares[AGAIN_KINDS]; /* one a kernel that was judged */
    size_t false_counts[AGAIN_KINDS];
    again_tally all[AGAIN_KINDS]; /* coverage, of all kernels of the final rounds */
    again_levels *levels;         /* of these; the first `slow` are of the slow ones */
    size_t level_count, slow;
} sums;

static size_t judged(const again_tally *t) {
    size_t n = 0;
    for (int v = RFT_COMPARE_NONE + 1; v < RFT_COMPARE_VERDICTS; v++) {
        n += t->verdicts[v];
    }
    return n;
}

static again_rate rate_of(const again_tally *t, rft_compare_verdict verdict) {
    return (again_rate){t->verdicts[verdict], judged(t)};
}

static again_rate false_of(const again_tally *t) {
    return (again_rate){t->verdicts[RFT_COMPARE_FASTER] + t->verdicts[RFT_COMPARE_SLOWER], judged(t)};
}

static void add_tally(again_tally *to, const again_tally *of) {
    for (int v = 0; v < RFT_COMPARE_VERDICTS; v++) {
        to->verdicts[v] += of->verdicts[v];
    }
    to->counted += of->counted;
    to->at_margin += of->at_margin;
    to->untold += of->untold;
    to->other += of->other;
    to->repeat.k += of->repeat.k;
    to->repeat.n += of->repeat.n;
    to->confidence.k += of->confidence.k;
    to->confidence.n += of->confidence.n;
    to->alone.k += of->alone.k;
    to->alone.n += of->alone.n;
}

static bool is_loudness(const again_kernel *kernel, loudness which) {
    bool quiet = again_deviation_frac(kernel->levels.scatter) <= QUIET_FRAC;
    return which == ANY || (kernel->levels.runs > 1 && quiet == (which == QUIET));
}

static bool is_of(const again_kernel *kernel, const char *sweep) {
    return !sweep || strcmp(sweep, kernel->sweep_name) == 0;
}

/* One cluster: the problem on its card. */
static void add_levels(sums *to, const again_kernel *kernel, size_t group) {
    again_levels levels = kernel->levels;
    levels.cluster = (group << 40) | (kernel->sweep << 20) | kernel->problem;
    size_t at = to->level_count++;
    if (kernel->pooled_s >= SLOW_S) {
        to->levels[at] = to->levels[to->slow];
        at = to->slow++;
    }
    to->levels[at] = levels;
}

static void sum_up_all(sums *to, const again_set *set, const char *sweep, rft_arena *arena) {
    size_t most = 0;
    for (size_t g = 0; g < set->group_count; g++) {
        most += set->groups[g].all_count;
    }
    to->levels = rft_arena_calloc(arena, most + 1, sizeof *to->levels);
    for (size_t g = 0; g < set->group_count; g++) {
        for (size_t k = 0; k < set->groups[g].all_count; k++) {
            const again_kernel *kernel = &set->groups[g].kernels[k];
            if (is_of(kernel, sweep)) {
                add_levels(to, kernel, g);
                for (int kind = 0; kind < AGAIN_KINDS; kind++) {
                    add_tally(&to->all[kind], &kernel->tallies[kind]);
                }
            }
        }
    }
}

/* sweep NULL: all. */
static sums sum_up(const again_set *set, const char *sweep, loudness which, rft_arena *arena) {
    sums out = {0};
    size_t most = 0;
    for (size_t g = 0; g < set->group_count; g++) {
        most += set->groups[g].kernel_count;
    }
    for (int kind = 0; kind < AGAIN_KINDS; kind++) {
        out.false_shares[kind] = rft_arena_calloc(arena, most + 1, sizeof(double));
    }
    for (size_t g = 0; g < set->group_count; g++) {
        for (size_t k = 0; k < set->groups[g].kernel_count; k++) {
            const again_kernel *kernel = &set->groups[g].kernels[k];
            if (!is_of(kernel, sweep) || !is_loudness(kernel, which)) {
                continue;
            }
            out.kernels++;
            for (int kind = 0; kind < AGAIN_KINDS; kind++) {
                again_rate wrong = false_of(&kernel->tallies[kind]);
                add_tally(&out.kinds[kind], &kernel->tallies[kind]);
                if (wrong.n > 0) {
                    out.false_shares[kind][out.false_counts[kind]++] = again_share(&wrong);
                }
            }
        }
    }
    return out;
}

/* ---- a line a kernel ---- */

static double percent(double frac) {
    return frac * 100.0;
}

/* Half widths over the figure, the middle one of the runs. */
static double middle_width(const again_kernel *kernel, size_t runs, bool repeat) {
    double *widths = rft_calloc(runs + 1, sizeof *widths);
    size_t n = 0;
    for (size_t r = 0; r < runs; r++) {
        const rft_repeat *of = &kernel->readings[r].repeat;
        double width = repeat ? of->repeat_high - of->repeat_low : of->high - of->low;
        if (isfinite(width)) {
            widths[n++] = width / 2.0 / of->figure;
        }
    }
    double middle = rft_median_of(widths, n);
    free(widths);
    return middle;
}

static void print_percent(double frac) {
    char text[16] = "-";
    if (isfinite(frac)) {
        snprintf(text, sizeof text, "%.2f", percent(frac));
    }
    printf(" %8s", text);
}

static double mean_processes(const again_kernel *kernel, size_t runs) {
    size_t processes = 0, with = 0;
    for (size_t r = 0; r < runs; r++) {
        processes += kernel->readings[r].process_count;
        with += kernel->readings[r].medians_s != NULL;
    }
    return with ? (double)processes / (double)with : 0.0;
}

static void print_kernel(const again_kernel *kernel, size_t runs) {
    const again_levels *l = &kernel->levels;
    char name[96];
    snprintf(name, sizeof name, "%s %s", kernel->sweep_name, kernel->name);
    printf("  %-36s %5.1f", name, mean_processes(kernel, runs));
    print_percent(again_deviation_frac(l->scatter));
    print_percent(again_deviation_frac(l->run_means));
    print_percent(again_deviation_frac(l->between_runs));
    print_percent(middle_width(kernel, runs, false));
    print_percent(middle_width(kernel, runs, true));
    for (int kind = AGAIN_DISJOINT; kind <= AGAIN_ALL; kind++) {
        const again_tally *t = &kernel->tallies[kind];
        printf("   %3zu %3zu %3zu", t->verdicts[RFT_COMPARE_SAME], t->verdicts[RFT_COMPARE_AMBIGUOUS], false_of(t).k);
    }
    const again_tally *t = &kernel->tallies[AGAIN_DISJOINT];
    printf("   %2zu/%-2zu %2zu/%zu\n", t->repeat.k, t->repeat.n, t->confidence.k, t->confidence.n);
}

static void print_group(const again_group *group) {
    printf("%s, %zu runs\n", group->card, group->count);
    printf("  %-36s %5s %8s %8s %8s %8s %8s   %-11s   %-11s   %s\n", "", "proc-", "between", "between", "beyond",
           "confid.", "repeat", "disjoint:", "all pairs:", "covered:");
    printf("  %-36s %5s %8s %8s %8s %8s %8s   %3s %3s %3s   %3s %3s %3s   %s\n", "", "esses", "proc. %", "runs %",
           "proc. %", "+- %", "+- %", "S", "A", "!", "S", "A", "!", "repeat conf.");
    for (size_t k = 0; k < group->kernel_count; k++) {
        print_kernel(&group->kernels[k], group->count);
    }
}

/* ---- shares, and goals ---- */

typedef struct judge {
    size_t missed, unsure;
} judge;

static void print_goal(judge *j, const char *goal, bool met, bool open) {
    printf("%s: %s\n", goal, met ? "met" : open ? "unsure" : "NOT MET");
    j->unsure += !met && open;
    j->missed += !met && !open;
}

static void print_name(const char *name) {
    printf("  %-42s ", name);
}

/* "3 of 96, 3.1 % [0.9, 7.9]" */
static void print_rate(const again_rate *rate) {
    if (rate->n == 0) {
        printf("nothing to judge");
        return;
    }
    printf("%zu of %zu, %.1f %% [%.1f, %.1f]", rate->k, rate->n, percent(again_share(rate)),
           percent(again_at_least(rate)), percent(again_at_most(rate)));
}

static void print_resampled(const again_rate *rate) {
    if (rate->n > 0) {
        printf("; by resampling %.1f %%", percent(again_share(rate)));
    }
}

static void print_false(const sums *s, judge *j) {
    again_rate disjoint = false_of(&s->kinds[AGAIN_DISJOINT]);
    print_name("false verdicts");
    print_rate(&disjoint);
    if (j && disjoint.n > 0) {
        print_goal(j, "; goal: none", disjoint.k == 0, false);
    } else {
        printf("\n");
    }
    for (int kind = AGAIN_ALL; kind < AGAIN_KINDS; kind++) {
        again_rate rate = false_of(&s->kinds[kind]);
        double most = again_bootstrap_at_most(s->false_shares[kind], s->false_counts[kind], disjoint.n);
        if (rate.n == 0) {
            continue;
        }
        print_name(kind == AGAIN_ALL ? "  all pairs (not independent)" : "  by resampling (not independent)");
        printf("%zu of %zu, %.2f %% (at most %.2f)", rate.k, rate.n, percent(again_share(&rate)), percent(most));
        if (j && kind == AGAIN_DEALT) {
            print_goal(j, "; goal: 1 % (at most 2)", again_share(&rate) <= GOAL_FALSE && most <= GOAL_FALSE_AT_MOST,
                       again_share(&rate) <= GOAL_FALSE);
        } else {
            printf("\n");
        }
    }
}

enum { GOAL_OF_SAME = 1, GOAL_TOLD = 2 };

static void print_verdicts(const char *name, const sums *s, judge *j, int goals) {
    const again_tally *t = &s->kinds[AGAIN_DISJOINT], *dealt = &s->kinds[AGAIN_DEALT];
    again_rate same = rate_of(t, RFT_COMPARE_SAME), again = rate_of(dealt, RFT_COMPARE_SAME);
    again_rate ambiguous = rate_of(t, RFT_COMPARE_AMBIGUOUS);
    char line[64];
    snprintf(line, sizeof line, "SAME, %s", name);
    print_name(line);
    print_rate(&same);
    print_resampled(&again);
    if ((goals & GOAL_OF_SAME) && same.n > 0) {
        print_goal(j, "; goal: 90 %", again_share(&same) >= GOAL_SAME, again_at_most(&same) >= GOAL_SAME);
    } else {
        printf("\n");
    }
    if (same.n == 0) {
        return;
    }
    snprintf(line, sizeof line, "AMBIGUOUS, %s", name);
    print_name(line);
    print_rate(&ambiguous);
    printf("; %zu with the processes that it takes, %zu at the margin, %zu for other reasons, %zu untold", t->counted,
           t->at_margin, t->other, t->untold);
    if (goals & GOAL_TOLD) {
        print_goal(j, "; goal: all told", t->untold == 0, false);
    } else {
        printf("\n");
    }
}

/* What one of the two intervals covered, by pairs of runs (repeat) or by runs: kernels of these are not independent. */
static again_clustered covered(const again_set *set, const char *sweep, bool bests, bool repeat, rft_arena *arena) {
    size_t most = 0, count = 0;
    for (size_t g = 0; g < set->group_count; g++) {
        most += set->groups[g].count;
    }
    again_rate *clusters = rft_arena_calloc(arena, most + 1, sizeof *clusters);
    for (size_t g = 0; g < set->group_count; count += set->groups[g++].count) {
        const again_group *group = &set->groups[g];
        for (size_t k = 0; k < (bests ? group->kernel_count : group->all_count); k++) {
            const again_rate *own = repeat ? group->kernels[k].pairs : group->kernels[k].runs;
            for (size_t r = 0; r < group->count && is_of(&group->kernels[k], sweep); r++) {
                clusters[count + r].k += own[r].k;
                clusters[count + r].n += own[r].n;
            }
        }
    }
    return again_clustered_of(clusters, count);
}

static void print_coverage(const char *name, const again_clustered *of, const again_rate *dealt, judge *j) {
    print_name(name);
    if (of->rate.n == 0) {
        printf("nothing to judge\n");
        return;
    }
    printf("%zu of %zu, %.1f %% [%.1f, %.1f], as %zu independent", of->rate.k, of->rate.n,
           percent(again_share(&of->rate)), percent(of->at_least), percent(of->at_most), of->independent);
    print_resampled(dealt);
    if (!j) {
        printf("\n");
        return;
    }
    double share = again_share(&of->rate);
    bool met = share >= GOAL_COVERED_LEAST && share <= GOAL_COVERED_MOST;
    print_goal(j, "; goal: 93 to 97 %", met, of->at_most >= GOAL_COVERED_LEAST && of->at_least <= GOAL_COVERED_MOST);
}

static void print_intervals(const again_set *set, const char *sweep, const sums *s, judge *j, rft_arena *arena) {
    static const char *const names[] = {"confidence interval holds pooled median", "repeat interval holds another run"};
    for (int repeat = 1; repeat >= 0; repeat--) {
        const again_tally *all = &s->all[AGAIN_DEALT], *bests = &s->kinds[AGAIN_DEALT];
        again_clustered of = covered(set, sweep, false, repeat, arena);
        print_coverage(names[repeat], &of, repeat ? &all->repeat : &all->confidence, j);
        of = covered(set, sweep, true, repeat, arena);
        print_coverage("  of the best of each problem", &of, repeat ? &bests->repeat : &bests->confidence, NULL);
    }
    print_name("confidence interval of one process");
    print_rate(&s->all[AGAIN_DISJOINT].alone);
    print_resampled(&s->all[AGAIN_DEALT].alone);
    printf("\n");
}

static double mean_level(const sums *s, size_t offset) {
    double sum = 0.0;
    size_t n = 0;
    for (size_t i = 0; i < s->level_count; i++) {
        if (s->levels[i].runs > 1) {
            sum += *(const double *)((const char *)&s->levels[i] + offset);
            n++;
        }
    }
    return n ? percent(again_deviation_frac(sum / (double)n)) : (double)NAN;
}

static void print_floor(const char *name, const again_reproduced *r) {
    if (r->kernels > 0) {
        print_name(name);
        printf("%.2f %%", percent(r->floor_frac));
        if (isfinite(r->floor_low)) {
            printf(" [%.2f, %.2f]", percent(r->floor_low), percent(r->floor_high));
        }
        printf(", %zu kernels; repeat.h states %.2f %%\n", r->kernels, percent(RFT_REPEAT_FLOOR_FRAC));
    }
}

static void print_levels(const sums *s, judge *j) {
    again_reproduced r = again_reproduced_of(s->levels, s->level_count);
    if (r.kernels == 0) {
        print_name("levels");
        printf("not known: under two runs of two processes or more\n");
        return;
    }
    print_name("1.96 sd: within, between processes, runs");
    printf("%.2f, %.2f, %.2f %%, root mean square of %zu kernels\n",
           mean_level(s, offsetof(again_levels, within_process)),
           mean_level(s, offsetof(again_levels, between_processes)), percent(r.floor_frac), r.kernels);
    print_name("variance between runs that processes give");
    printf("%.0f %%", percent(r.share));
    if (isfinite(r.low)) {
        printf(" [%.0f, %.0f]", percent(r.low), percent(r.high));
    }
    if (j) {
        print_goal(j, "; goal: 80 %", r.share >= GOAL_REPRODUCED, !(r.high < GOAL_REPRODUCED));
        again_reproduced slow = again_reproduced_of(s->levels, s->slow);
        print_floor("beyond processes (1.96 sd)", &r);
        print_floor("  of 0.2 ms and more", &slow);
    } else {
        printf("\n");
    }
}

/* `j` NULL: no goals. */
static void print_sums(const again_set *set, const char *sweep, judge *j) {
    rft_arena *arena = rft_arena_new();
    sums all = sum_up(set, sweep, ANY, arena);
    sums quiet = sum_up(set, sweep, QUIET, arena), loud = sum_up(set, sweep, LOUD, arena);
    char name[48];
    printf("\n%s: %zu kernels, %zu of them within %.1f %% between processes\n", sweep ? sweep : "over all", all.kernels,
           quiet.kernels, percent(QUIET_FRAC));
    print_false(&all, j);
    print_verdicts("all kernels", &all, j, 0);
    snprintf(name, sizeof name, "%zu quiet kernels", quiet.kernels);
    print_verdicts(name, &quiet, j, j ? GOAL_OF_SAME | GOAL_TOLD : 0);
    snprintf(name, sizeof name, "%zu other kernels", loud.kernels);
    print_verdicts(name, &loud, j, j ? GOAL_TOLD : 0);
    sum_up_all(&all, set, sweep, arena);
    print_intervals(set, sweep, &all, j, arena);
    print_levels(&all, j);
    rft_arena_free(arena);
}

static bool is_first_of(const again_set *set, size_t group, size_t kernel) {
    const char *name = set->groups[group].kernels[kernel].sweep_name;
    for (size_t g = 0; g <= group; g++) {
        for (size_t k = 0; k < (g < group ? set->groups[g].kernel_count : kernel); k++) {
            if (strcmp(set->groups[g].kernels[k].sweep_name, name) == 0) {
                return false;
            }
        }
    }
    return true;
}

int again_report(again_set *set, size_t draws) {
    judge j = {0, 0};
    again_set_sort(set);
    for (size_t g = 0; g < set->group_count; g++) {
        again_judge_group(&set->groups[g], draws);
        print_group(&set->groups[g]);
    }
    printf("\nS: SAME, A: AMBIGUOUS, !: FASTER or SLOWER. +-: half widths, the middle one of the runs.\n");
    printf(
        "Rates: [ ] and \"at most\" are one-sided 95 %% bounds. Disjoint pairs are independent; intervals are of all\n"
        "kernels of the final rounds, and those of one pair of runs are a cluster.\n");
    for (size_t g = 0; g < set->group_count; g++) {
        for (size_t k = 0; k < set->groups[g].kernel_count; k++) {
            if (is_first_of(set, g, k)) {
                print_sums(set, set->groups[g].kernels[k].sweep_name, NULL);
            }
        }
    }
    print_sums(set, NULL, &j);
    printf("\n%zu goals missed, %zu unsure\n", j.missed, j.unsure);
    if (set->group_count == 0) {
        fprintf(stderr, "same_again: no two runs of the same sweeps on one card\n");
    }
    return j.missed > 0 || set->group_count == 0;
}
