/* SPDX-License-Identifier: Apache-2.0 */
/* compare_across.c - what is seen only over all runs: which configurations carry over, how runs of one model vary, and
 * what all verdicts lack (compare.h). */
#include "model/compare/compare_parts.h"

#include "base/fs.h"
#include "model/run/run_drift.h"
#include "model/run/run_foreign.h"
#include "model/run/run_repeat.h"

#include <math.h>
#include <string.h>

/* ---- carrying over ---- */

static size_t param_at(const rft_variant *variant, const char *name) {
    size_t at = 0;
    while (at < variant->param_count && strcmp(variant->params[at].name, name) != 0) {
        at++;
    }
    return at;
}

static bool same_config(const rft_variant *a, const rft_value *config, const rft_variant *b, const rft_value *other) {
    bool same = a->param_count == b->param_count;
    for (size_t i = 0; same && i < a->param_count; i++) {
        size_t at = param_at(b, a->params[i].name);
        same = at < b->param_count && rft_value_equal(&config[i], &other[at]);
    }
    return same;
}

static const rft_point *same_on(const rft_run *to, const rft_compare_figure *there, const rft_run *from,
                                const rft_point *best) {
    const rft_sweep *sweep = &to->sweeps[there->sweep].sweep, *origin = &from->sweeps[best->sweep].sweep;
    const rft_variant *variant = &origin->variants[best->variant];
    bool only = origin->variant_count == 1 && sweep->variant_count == 1;
    for (size_t i = 0; i < to->point_count; i++) {
        const rft_point *point = &to->points[i];
        const rft_variant *other = &sweep->variants[point->sweep == there->sweep ? point->variant : 0];
        if (point->sweep == there->sweep && point->problem == there->problem &&
            (only || strcmp(variant->name, other->name) == 0) &&
            same_config(variant, best->config, other, point->config)) {
            return point;
        }
    }
    return NULL;
}

static rft_compare_carry carry_of(const rft_compare *compare, size_t workload, size_t from, size_t to,
                                  rft_arena *arena) {
    rft_compare_carry out = {.workload = workload, .from = from, .to = to, .kept = {NAN, NAN, NAN, false, 0.0}};
    const rft_compare_figure *x = &compare->workloads[workload].figures[from];
    const rft_compare_figure *y = &compare->workloads[workload].figures[to];
    const rft_run *run = compare->sides[to].run;
    out.there = same_on(run, y, compare->sides[from].run, x->best);
    if (!out.there) {
        out.reason = "not among the configurations tried there";
    } else if (!rft_point_measurement(out.there)) {
        out.reason = rft_arena_printf(arena, "%s%s%s", rft_outcome_name(out.there->outcome),
                                      out.there->reason ? ": " : "", out.there->reason ? out.there->reason : "");
    } else {
        out.kept = rft_compare_times(y, y->best, y, out.there);
        out.tie = out.there == y->best || out.there->alias_of == y->best->id ||
                  rft_run_tie(y->best, out.there, rft_run_widen_frac(run, y->sweep, y->problem));
    }
    return out;
}

void rft_compare_add_carries(rft_compare *compare, rft_arena *arena) {
    size_t most = compare->workload_count * compare->side_count * (compare->side_count - 1);
    compare->carries = rft_arena_calloc(arena, most + 1, sizeof *compare->carries);
    for (size_t w = 0; w < compare->workload_count; w++) {
        const rft_compare_figure *figures = compare->workloads[w].figures;
        for (size_t from = 0; from < compare->side_count; from++) {
            for (size_t to = 0; to < compare->side_count; to++) {
                if (from != to && figures[from].best && figures[to].best) {
                    compare->carries[compare->carry_count++] = carry_of(compare, w, from, to, arena);
                }
            }
        }
    }
}

/* ---- variation ---- */

typedef struct card_median {
    size_t card, runs;
    double least, most, medians[RFT_COMPARE_MOST];
} card_median;

static size_t cards_of(const rft_compare *compare, const rft_compare_workload *workload, size_t model,
                       card_median *cards) {
    size_t count = 0;
    for (size_t side = 0; side < compare->side_count; side++) {
        const rft_compare_figure *f = &workload->figures[side];
        if (compare->sides[side].model != model || !f->best || !compare->sides[side].card_known) {
            continue;
        }
        size_t at = 0;
        while (at < count && cards[at].card != compare->sides[side].card) {
            at++;
        }
        if (at == count) {
            cards[count++] = (card_median){.card = compare->sides[side].card, .least = INFINITY};
        }
        double time_s = rft_compare_template_s(f);
        cards[at].least = fmin(cards[at].least, time_s);
        cards[at].most = fmax(cards[at].most, time_s);
        cards[at].medians[cards[at].runs++] = time_s;
    }
    return count;
}

static rft_compare_variation variation_of(const rft_compare *compare, size_t workload, size_t model) {
    rft_compare_variation out = {.model = model, .workload = workload, .run_to_run_frac = NAN, .card_frac = NAN};
    card_median cards[RFT_COMPARE_MOST];
    const rft_compare_workload *of = &compare->workloads[workload];
    double least = INFINITY, most = 0.0;
    out.cards = cards_of(compare, of, model, cards);
    for (size_t c = 0; c < out.cards; c++) {
        double middle = rft_stats_of(cards[c].medians, cards[c].runs).median;
        out.runs += cards[c].runs;
        least = fmin(least, middle);
        most = fmax(most, middle);
        if (cards[c].runs > 1) {
            out.run_to_run_frac = fmax(out.run_to_run_frac, cards[c].most / cards[c].least - 1.0);
        }
    }
    for (size_t side = 0; side < compare->side_count; side++) {
        if (compare->sides[side].model == model && of->figures[side].present && compare->sides[side].card_known) {
            out.half_width_frac = fmax(out.half_width_frac, rft_stats_half_width_frac(&of->figures[side].stats));
        }
    }
    out.card_frac = out.cards > 1 ? most / least - 1.0 : (double)NAN;
    return out;
}

void rft_compare_add_variations(rft_compare *compare, rft_arena *arena) {
    compare->variations =
        rft_arena_calloc(arena, compare->workload_count * compare->side_count + 1, sizeof *compare->variations);
    for (size_t model = 0; model < compare->side_count; model++) {
        for (size_t w = 0; w < compare->workload_count; w++) {
            rft_compare_variation of = variation_of(compare, w, model);
            if (of.runs > 1) {
                compare->variations[compare->variation_count++] = of;
            }
        }
    }
}

/* ---- caveats ---- */

/* A sentence, and which sides it is about: what holds for several sides is said once. */
typedef struct caveat {
    const char *text;
    bool of[RFT_COMPARE_MOST];
} caveat;

#define CAVEATS_MOST (12 * RFT_COMPARE_MOST)

typedef struct caveats {
    caveat items[CAVEATS_MOST];
    size_t count;
} caveats;

static void add_caveat(caveats *to, size_t side, const char *text) {
    size_t at = 0;
    while (at < to->count && strcmp(to->items[at].text, text) != 0) {
        at++;
    }
    if (at == to->count) {
        to->items[to->count++] = (caveat){.text = text};
    }
    to->items[at].of[side] = true;
}

static bool any_energy(const rft_compare *compare, size_t side) {
    for (size_t w = 0; w < compare->workload_count; w++) {
        if (isfinite(compare->workloads[w].figures[side].per_joule)) {
            return true;
        }
    }
    return false;
}

/* Of a run all were taken in several processes, or one shows that it was made before, or without. */
static bool in_one_process(const rft_compare *compare, size_t side) {
    bool one = false;
    for (size_t w = 0; w < compare->workload_count; w++) {
        const rft_compare_figure *f = &compare->workloads[w].figures[side];
        one = one || (f->present && !rft_repeat_is_known(&f->repeat));
    }
    return one;
}

static void add_drift(caveats *to, const rft_run *run, size_t side, rft_arena *arena) {
    rft_drift drift = rft_run_drift(run);
    if (rft_drift_found(&drift)) {
        add_caveat(to, side, rft_arena_printf(arena, "%s.", rft_run_drift_sentence(run, arena)));
    } else if (drift.kind == RFT_DRIFT_UNKNOWN) {
        add_caveat(
            to, side,
            "too few readings of a reference to say whether the device drifted: intervals are not widened for it.");
    }
}

static bool hashes_differ(const char *a, const char *b) {
    return a && b && *a && *b && strcmp(a, b) != 0;
}

/* Scripts or sources of a sweep of one name, as far as both runs tell them. */
static bool texts_differ(const rft_run *a, size_t sweep_a, const rft_run *b, size_t sweep_b, rft_arena *arena) {
    const rft_sweep *x = &a->sweeps[sweep_a].sweep, *y = &b->sweeps[sweep_b].sweep;
    bool differ = hashes_differ(x->script_hash, y->script_hash);
    for (size_t v = 0; v < x->variant_count && !differ; v++) {
        const char *source = x->variants[v].source ? x->variants[v].source : "";
        const char *key = rft_arena_printf(arena, "source.%s", rft_fs_name(source));
        differ = hashes_differ(rft_env_value(&a->env, key), rft_env_value(&b->env, key));
    }
    return differ;
}

/* Whoever sends a run has the script that it was made by: equal names and equal declared work are no equal kernels. */
static void add_other_texts(caveats *to, const rft_compare *compare, size_t at, rft_arena *arena) {
    const rft_run *first = compare->sides[0].run, *run = compare->sides[at].run;
    const char *example = NULL;
    size_t count = 0;
    for (size_t w = 0; at > 0 && w < compare->workload_count; w = rft_compare_next_sweep(compare, w)) {
        const rft_compare_figure *a = &compare->workloads[w].figures[0], *b = &compare->workloads[w].figures[at];
        if (a->sweep != SIZE_MAX && b->sweep != SIZE_MAX && texts_differ(first, a->sweep, run, b->sweep, arena)) {
            example = example ? example : compare->workloads[w].sweep_name;
            count++;
        }
    }
    if (count > 0) {
        add_caveat(to, at,
                   rft_arena_printf(arena,
                                    "%s%s by another script or other sources than A's: that the work is the "
                                    "same is what they declare.",
                                    example,
                                    count > 1 ? rft_arena_printf(arena, " and %zu more are", count - 1) : " is"));
    }
}

static void add_caveats_of(caveats *to, const rft_compare *compare, size_t at, rft_arena *arena) {
    const rft_compare_side *side = &compare->sides[at];
    const rft_run *run = side->run;
    const char *foreign = rft_run_foreign_notice(run, arena);
    if (foreign) {
        add_caveat(
            to, at,
            rft_arena_printf(arena,
                             "%s. Ceilings, bounds, energy and drift are not there, so there is no roof and no roof "
                             "distance; the best few were not measured again, so the best of many noisy times reads a "
                             "little low.",
                             foreign));
    }
    const char *work = rft_run_foreign_work_notice(run, arena);
    if (work) {
        add_caveat(to, at, rft_arena_printf(arena, "%s.", work));
    }
    if (!side->model_known) {
        add_caveat(to, at, "the device is not recorded; it is called after its file.");
    }
    if (run->gpu.representative) {
        add_caveat(to, at, "stands for its architecture, no real device was asked.");
    }
    if (run->info.replay_of) {
        add_caveat(
            to, at,
            rft_arena_printf(arena, "a replayed recording: its times are those of run %s.", run->info.replay_of));
    }
    if (run->info.finished_unix_ns == 0 && !foreign) {
        add_caveat(to, at, "the run is not finished.");
    }
    if (run->package) {
        add_caveat(to, at,
                   rft_arena_printf(arena,
                                    "came in a package (digest %.12s); its checksums show damage, not who made it.",
                                    run->package->digest));
    }
    add_other_texts(to, compare, at, arena);
    if (!foreign) {
        add_drift(to, run, at, arena);
        if (in_one_process(compare, at)) {
            add_caveat(to, at,
                       "measured in one process: what another run of this card would read is not known, and kernels "
                       "of some microseconds differ by up to 5 % between processes (run --processes).");
        }
        if (!any_energy(compare, at)) {
            add_caveat(to, at, "no energy was measured of these workloads (run --energy): no rate per watt.");
        }
    }
}

static const char *with_letters(const rft_compare *compare, const caveat *of, const char *between, rft_arena *arena) {
    rft_str text = RFT_STR_INIT;
    for (size_t side = 0; side < compare->side_count; side++) {
        if (of->of[side]) {
            rft_str_addf(&text, "%s%c", text.length ? ", " : "", compare->sides[side].letter);
        }
    }
    const char *kept = rft_arena_printf(arena, "%s%s%s", rft_str_get(&text), between, of->text);
    rft_str_clear(&text);
    return kept;
}

const char *rft_compare_measured_how(const rft_run *run, rft_arena *arena) {
    return rft_run_foreign(run) || run->info.replay_of
               ? NULL
               : rft_arena_printf(arena, "%s by rooftune %s",
                                  rft_run_has_processes(run) ? "in several processes" : "in one process",
                                  run->info.tool_version ? run->info.tool_version : "of an unknown version");
}

static const char *unlike_text(const rft_compare *compare, rft_arena *arena) {
    caveats ways = {.count = 0};
    rft_str text = RFT_STR_INIT;
    for (size_t at = 0; at < compare->side_count; at++) {
        const char *how = rft_compare_measured_how(compare->sides[at].run, arena);
        if (how) {
            add_caveat(&ways, at, how);
        }
    }
    for (size_t i = 0; i < ways.count; i++) {
        rft_str_addf(&text, "%s%s", i ? "; " : "", with_letters(compare, &ways.items[i], " ", arena));
    }
    const char *kept = ways.count > 1
                           ? rft_arena_printf(arena, "Not measured alike: %s. " RFT_COMPARE_UNLIKE, rft_str_get(&text))
                           : NULL;
    rft_str_clear(&text);
    return kept;
}

void rft_compare_add_caveats(rft_compare *compare, rft_arena *arena) {
    caveats found = {.count = 0};
    bool several = false;
    for (size_t a = 0; a < compare->side_count; a++) {
        for (size_t b = a + 1; b < compare->side_count; b++) {
            several = several || (compare->sides[a].model == compare->sides[b].model && compare->sides[a].card_known &&
                                  compare->sides[b].card_known);
        }
        add_caveats_of(&found, compare, a, arena);
    }
    compare->caveats = rft_arena_calloc(arena, found.count + 2, sizeof *compare->caveats);
    compare->unlike = unlike_text(compare, arena);
    compare->caveats[compare->caveat_count++] =
        several ? "Intervals tell what one run knows of one card on one day; how much cards and days differ is under "
                  "variation."
                : "One run on one card a side: intervals tell what that run knows of that card on that day, not how "
                  "much cards of a model differ.";
    if (compare->unlike) {
        compare->caveats[compare->caveat_count++] = compare->unlike;
    }
    for (size_t i = 0; i < found.count; i++) {
        compare->caveats[compare->caveat_count++] = with_letters(compare, &found.items[i], ": ", arena);
    }
}
