/* SPDX-License-Identifier: Apache-2.0 */
#include "model/compare/speed.h"

#include "base/hash.h"
#include "base/str.h"
#include "model/compare/compare.h"

#include <math.h>
#include <string.h>

static const rft_compare_ratio no_ratio = {NAN, NAN, NAN, false, 0.0};

/* ---- references ---- */

static void add_reference_run(rft_speed_reference *list, size_t *count, size_t first, const rft_run *run, size_t most,
                              rft_arena *arena) {
    const char *device = run->gpu.name && *run->gpu.name ? run->gpu.name : "a device that is not recorded";
    size_t at = first;
    while (at < *count && strcmp(list[at].device, device) != 0) {
        at++;
    }
    if (at == *count) {
        list[(*count)++] =
            (rft_speed_reference){.device = device, .runs = rft_arena_calloc(arena, most + 1, sizeof(const rft_run *))};
    }
    list[at].runs[list[at].count++] = run;
}

size_t rft_speed_references_of(const rft_run *run, const rft_run *const *runs, size_t count, size_t shipped,
                               rft_arena *arena, rft_speed_reference **out) {
    rft_speed_reference *list = rft_arena_calloc(arena, count + 1, sizeof *list);
    size_t found = 0, named = count - (shipped < count ? shipped : count);
    for (int own = 0; own < 2; own++) {
        for (size_t i = 0; i < named; i++) {
            if (rft_text_equal(runs[i]->gpu.name, run->gpu.name) == (own == 1)) {
                add_reference_run(list, &found, 0, runs[i], count, arena);
            }
        }
        size_t first = found;
        for (size_t i = named; i < count && own == 0; i++) {
            add_reference_run(list, &found, first, runs[i], count, arena);
            list[found - 1].shipped = true;
        }
    }
    *out = list;
    return found;
}

/* ---- one item beside the reference's runs ---- */

/* Sums over the runs of the reference that have the item. */
typedef struct gathered {
    double log_sum, down_sq, up_sq; /* of ln(ratio), and of its distances to the interval's ends, squared */
    double common;
    size_t runs;
    bool no_interval;
} gathered;

/* One sweep of what is asked. */
typedef struct matched {
    bool found;      /* a run of the reference has it, comparable */
    const char *why; /* it does not; the reason of the last that has a sweep of the name */
} matched;

typedef struct gathering {
    const rft_speed_asked *asked;
    rft_speed *speed;
    gathered *items;
    matched *sweeps;      /* of the run */
    bool own_card;        /* the reference has runs of this very card */
    const rft_run **used; /* the reference's runs that have something to be held beside */
    size_t used_count;
    rft_arena *arena;
} gathering;

static void gather_ratio(gathered *to, const rft_compare_ratio *ratio) {
    double down = log(ratio->ratio / ratio->low), up = log(ratio->high / ratio->ratio);
    to->log_sum += log(ratio->ratio);
    to->runs++;
    to->common = fmax(to->common, ratio->common);
    to->no_interval = to->no_interval || !ratio->interval || !isfinite(down) || !isfinite(up);
    if (!to->no_interval) {
        to->down_sq += down * down;
        to->up_sq += up * up;
    }
}

/* The runs of a reference share this card's own error: their mean is no surer than one of them. */
static rft_compare_ratio ratio_of(const gathered *from) {
    if (from->runs == 0) {
        return no_ratio;
    }
    double n = (double)from->runs, ratio = exp(from->log_sum / n);
    rft_compare_ratio out = {ratio, NAN, NAN, !from->no_interval, from->common};
    if (out.interval) {
        out.low = ratio * exp(-sqrt(from->down_sq / n));
        out.high = ratio * exp(sqrt(from->up_sq / n));
    }
    return out;
}

static bool is_asked(const rft_speed_asked *asked, const rft_compare_figure *own) {
    bool found = false;
    for (size_t i = 0; i < asked->item_count && !found; i++) {
        found = asked->items[i].sweep == own->sweep && asked->items[i].problem == own->problem;
    }
    return found;
}

static size_t grid_problems(const rft_sweep *sweep) {
    size_t count = 0;
    for (size_t p = 0; p < sweep->problem_count; p++) {
        count += !sweep->problems[p].odd && sweep->problems[p].refined == 0;
    }
    return count;
}

/* Why this problem cannot be held beside the reference's; NULL: it can. */
static const char *apart(const rft_compare_workload *of, rft_arena *arena) {
    const rft_compare_figure *reference = &of->figures[0], *own = &of->figures[1];
    if (!own->present || !reference->present) {
        return rft_arena_printf(arena, "%s was not measured on %s: %s", of->name,
                                own->present ? "the reference" : "this card",
                                own->present ? reference->missing : own->missing);
    }
    if (isnan(own->ratio.ratio) || own->doubt == RFT_DOUBT_WORKLOAD) {
        return own->reason ? rft_arena_printf(arena, "%s: %s (A: the reference, B: this card)", of->name, own->reason)
                           : rft_arena_printf(arena, "%s: its work is not the same", of->name);
    }
    return NULL;
}

/* Workloads first to end are those of one sweep on both sides. */
static const char *sets_differ(const gathering *g, const rft_compare *compare, size_t first, size_t end) {
    const rft_compare_figure *figures = compare->workloads[first].figures;
    const rft_sweep *theirs = &compare->sides[0].run->sweeps[figures[0].sweep].sweep;
    const rft_sweep *own = &g->asked->run->sweeps[figures[1].sweep].sweep;
    size_t there = grid_problems(theirs), here = grid_problems(own), both = 0;
    for (size_t w = first; w < end; w++) {
        const rft_compare_figure *of = compare->workloads[w].figures;
        both += of[0].problem != SIZE_MAX && of[1].problem != SIZE_MAX && own->problems[of[1].problem].refined == 0 &&
                theirs->problems[of[0].problem].refined == 0;
    }
    return both == here && both == there ? NULL
                                         : rft_arena_printf(g->arena,
                                                            "other problems: %zu here, %zu on the reference, %zu the "
                                                            "same",
                                                            here, there, both);
}

static const char *first_apart(const gathering *g, const rft_compare *compare, size_t first, size_t end) {
    for (size_t w = first; w < end; w++) {
        const rft_compare_workload *of = &compare->workloads[w];
        const char *why = is_asked(g->asked, &of->figures[1]) ? apart(of, g->arena) : NULL;
        if (why) {
            return why;
        }
    }
    return NULL;
}

/* A mix may name a problem more than once. */
static void take_workload(gathering *g, const rft_compare_workload *of) {
    const rft_compare_figure *own = &of->figures[1];
    bool asked = false;
    for (size_t i = 0; i < g->asked->item_count && own->problem != SIZE_MAX; i++) {
        if (g->asked->items[i].sweep == own->sweep && g->asked->items[i].problem == own->problem) {
            gather_ratio(&g->items[i], &own->ratio);
            asked = true;
        }
    }
    if (!asked) {
        return;
    }
    g->speed->unequal += own->doubt == RFT_DOUBT_EFFORT;
    if (own->no_native && !g->speed->no_native) {
        g->speed->no_native = rft_arena_printf(g->arena, "%s: %s", of->sweep_name, own->no_native);
    }
    g->speed->by_library = g->speed->by_library || (own->no_native && own->by_vendor);
}

/* A mix asks for single problems of a sweep: there the sets of problems need not be the same. True: taken. */
static bool take_sweep(gathering *g, const rft_compare *compare, size_t first, size_t end) {
    const rft_compare_figure *figures = compare->workloads[first].figures;
    if (figures[0].sweep == SIZE_MAX || figures[1].sweep == SIZE_MAX ||
        !rft_text_equal(compare->sides[0].run->sweeps[figures[0].sweep].sweep.name,
                        g->asked->run->sweeps[figures[1].sweep].sweep.name)) {
        return false;
    }
    matched *sweep = &g->sweeps[figures[1].sweep];
    const char *why = g->asked->mix ? NULL : sets_differ(g, compare, first, end);
    why = why ? why : first_apart(g, compare, first, end);
    if (why) {
        sweep->why = why;
        return false;
    }
    sweep->found = true;
    for (size_t w = first; w < end; w++) {
        take_workload(g, &compare->workloads[w]);
    }
    return true;
}

static void tell_unlike(gathering *g, const rft_run *reference) {
    const char *own = rft_compare_measured_how(g->asked->run, g->arena);
    const char *theirs = rft_compare_measured_how(reference, g->arena);
    if (own && theirs && strcmp(own, theirs) != 0) {
        g->speed->unlike = rft_arena_printf(
            g->arena, "Not measured alike: this card %s, the reference %s. " RFT_COMPARE_UNLIKE, own, theirs);
    }
}

static void gather_run(gathering *g, const rft_run *reference) {
    const rft_compare_input inputs[] = {{.run = reference, .path = "the reference"},
                                        {.run = g->asked->run, .path = "it"}};
    rft_compare *compare = NULL;
    if (rft_text_equal(reference->info.id, g->asked->run->info.id)) {
        g->speed->itself = true;
        return;
    }
    bool named = reference->gpu.uuid && *reference->gpu.uuid;
    g->own_card = g->own_card || (named && rft_text_equal(reference->gpu.uuid, g->asked->run->gpu.uuid));
    if (rft_compare_runs(&compare, inputs, 2, g->arena, NULL) != RFT_OK) {
        return; /* no problem is in both */
    }
    bool used = false;
    for (size_t w = 0; w < compare->workload_count; w = rft_compare_next_sweep(compare, w)) {
        used = take_sweep(g, compare, w, rft_compare_next_sweep(compare, w)) || used;
    }
    if (used) {
        g->used[g->used_count++] = reference;
        tell_unlike(g, reference);
    }
}

/* ---- all of them ---- */

/* Of the items of a part, or with SIZE_MAX of all that count. A mean of the parts' means would take what their problems
 * share as if it were no longer there. */
static rft_compare_ratio mean_of(const gathering *g, const rft_compare_ratio *ratios, size_t part) {
    const rft_speed_asked *asked = g->asked;
    rft_compare_mean mean = {.additive = asked->mix != NULL};
    for (size_t i = 0; i < asked->item_count; i++) {
        const rft_speed_item *item = &asked->items[i];
        if (part == SIZE_MAX ? !g->speed->refused[item->part] : item->part == part) {
            rft_compare_mean_add(&mean, &ratios[i], item->weight);
        }
    }
    return rft_compare_mean_of(&mean);
}

/* NULL: all items of the part have a ratio. */
static const char *refusal_of(const gathering *g, const rft_compare_ratio *ratios, size_t part) {
    for (size_t i = 0; i < g->asked->item_count; i++) {
        const rft_speed_item *item = &g->asked->items[i];
        if (item->part == part && isnan(ratios[i].ratio)) {
            const matched *sweep = &g->sweeps[item->sweep];
            return sweep->why     ? sweep->why
                   : sweep->found ? "the reference has not all of its problems"
                                  : "the reference has none of its problems";
        }
    }
    return NULL;
}

static uint32_t set_of(const rft_speed_asked *asked, const rft_speed *speed, rft_arena *arena) {
    uint64_t sum = 0; /* in whatever order */
    for (size_t i = 0; i < asked->item_count; i++) {
        const rft_speed_item *item = &asked->items[i];
        if (!speed->refused[item->part]) {
            const char *text = rft_arena_printf(
                arena, "%s\n%s\n%.4g", asked->run->sweeps[item->sweep].sweep.name,
                rft_run_problem_text(asked->run, item->sweep, item->problem, false, arena),
                asked->mix ? asked->mix->lines[i].item->count
                           : item->weight * speed->weights[item->part] / asked->parts[item->part].weight);
            sum += rft_hash_fnv1a(text, strlen(text));
        }
    }
    return (uint32_t)(sum ^ sum >> 32);
}

/* What counts shares the weight of what does not. */
static double share_weights(const rft_speed_asked *asked, rft_speed *speed) {
    double counted = 0;
    for (size_t p = 0; p < asked->part_count; p++) {
        counted += speed->refused[p] ? 0 : asked->parts[p].weight;
        speed->part_count += !speed->refused[p];
        speed->item_count += speed->refused[p] ? 0 : asked->parts[p].items;
    }
    for (size_t p = 0; p < asked->part_count && counted > 0; p++) {
        speed->weights[p] = speed->refused[p] ? 0 : asked->parts[p].weight / counted;
    }
    return counted;
}

static void add_up(gathering *g) {
    const rft_speed_asked *asked = g->asked;
    rft_speed *speed = g->speed;
    size_t told = 0, ones = 0;
    rft_compare_ratio *ratios = rft_arena_calloc(g->arena, asked->item_count + 1, sizeof *ratios);
    for (size_t i = 0; i < asked->item_count; i++) {
        ratios[i] = ratio_of(&g->items[i]);
        told += isfinite(ratios[i].ratio);
        ones += ratios[i].ratio == 1.0;
    }
    bool all_one = g->own_card && told > 0 && ones == told;
    speed->itself = speed->itself || all_one; /* the same samples, as in a replay or a joined report */
    if (speed->itself) {
        speed->missing = "these are the reference's own runs";
        return;
    }
    const char *first = NULL;
    for (size_t p = 0; p < asked->part_count; p++) {
        speed->refused[p] = refusal_of(g, ratios, p);
        speed->parts[p] = speed->refused[p] ? no_ratio : mean_of(g, ratios, p);
        first = first               ? first
                : speed->refused[p] ? rft_arena_printf(g->arena, "%s: %s", asked->parts[p].name, speed->refused[p])
                                    : NULL;
    }
    speed->covered = share_weights(asked, speed);
    if (speed->covered <= 0 || (asked->mix && first)) {
        speed->missing = first;
        return;
    }
    speed->ratio = mean_of(g, ratios, SIZE_MAX);
    speed->set = set_of(asked, speed, g->arena);
}

rft_speed rft_speed_of(const rft_speed_asked *asked, const rft_speed_reference *reference, rft_arena *arena) {
    rft_speed speed = {.reference = reference, .ratio = no_ratio, .missing = asked->missing};
    speed.parts = rft_arena_calloc(arena, asked->part_count + 1, sizeof *speed.parts);
    speed.refused = rft_arena_calloc(arena, asked->part_count + 1, sizeof *speed.refused);
    speed.weights = rft_arena_calloc(arena, asked->part_count + 1, sizeof *speed.weights);
    for (size_t p = 0; p < asked->part_count; p++) {
        speed.parts[p] = no_ratio;
    }
    if (asked->missing) {
        speed.sample = rft_run_sample_of(reference->runs, reference->count, arena);
        return speed;
    }
    gathering g = {.asked = asked, .speed = &speed, .arena = arena};
    g.items = rft_arena_calloc(arena, asked->item_count + 1, sizeof *g.items);
    g.sweeps = rft_arena_calloc(arena, asked->run->sweep_count + 1, sizeof *g.sweeps);
    g.used = rft_arena_calloc(arena, reference->count + 1, sizeof *g.used);
    for (size_t i = 0; i < reference->count; i++) {
        gather_run(&g, reference->runs[i]);
    }
    speed.sample = g.used_count ? rft_run_sample_of(g.used, g.used_count, arena)
                                : rft_run_sample_of(reference->runs, reference->count, arena);
    add_up(&g);
    return speed;
}

bool rft_speed_stands(const rft_speed *speed) {
    return isfinite(speed->ratio.ratio) && speed->covered > 0.5 - 1e-9;
}
