/* SPDX-License-Identifier: Apache-2.0 */
/* transition_turn.c - turns of the measured times held against the bounds along a profile (transition_parts.h;
 * docs/roofline.md has the rule in words). */
#include "model/transition/transition_parts.h"

#include "base/str.h"

#include <math.h>

/* The bound of a branch is the one that most of so many steps beside the turn have. */
#define VOTERS 3
/* A ceiling that takes this share of a step's time is near: half of what makes it firm. Between the place where the
 * times turn and the place where the bound changes its name it is as near as that. */
#define NEAR_FRAC 0.3

typedef struct turning {
    const rft_profile_line *line;
    double *axis; /* per step of the line */
    rft_line_turns found;
    rft_line_change *flips;
    size_t flip_count;
} turning;

static const rft_bound *bound_at(const rft_profile_line *line, size_t at) {
    return &rft_line_step(line, at)->bound;
}

static bool same_at(const rft_profile_line *line, size_t a, size_t b) {
    return rft_bound_same(bound_at(line, a), bound_at(line, b));
}

static bool firm_at(const rft_profile_line *line, size_t at) {
    return rft_bound_is_firm(bound_at(line, at));
}

/* ---- the changes of bound ---- */

/* Between neighbours, and between firm bounds with none between them. */
static void list_flips(turning *t) {
    const rft_profile_line *line = t->line;
    size_t last_firm = SIZE_MAX;
    for (size_t i = 0; i < line->count; i++) {
        if (i > 0 && !same_at(line, i - 1, i)) {
            t->flips[t->flip_count++] = (rft_line_change){.left = i - 1, .right = i};
        }
        if (firm_at(line, i)) {
            if (last_firm != SIZE_MAX && last_firm + 1 < i && !same_at(line, last_firm, i)) {
                t->flips[t->flip_count++] = (rft_line_change){.left = last_firm, .right = i};
            }
            last_firm = i;
        }
    }
}

static bool both_firm(const rft_profile_line *line, const rft_line_change *f) {
    return firm_at(line, f->left) && firm_at(line, f->right);
}

static bool is_near(const rft_profile_line *line, size_t at, const rft_bound *of) {
    const rft_share *share = rft_bound_is_firm(of) ? rft_line_share(line, at, of) : NULL;
    return share != NULL && share->frac >= NEAR_FRAC;
}

/* The steps among which the turn that belongs to a change may lie. */
static void reach(const rft_profile_line *line, const rft_line_change *f, size_t *first, size_t *last) {
    *first = f->left;
    *last = f->right;
    while (*first > 0 && is_near(line, *first, bound_at(line, f->right))) {
        (*first)--;
    }
    while (*last + 1 < line->count && is_near(line, *last, bound_at(line, f->left))) {
        (*last)++;
    }
    *first -= *first > 0;
    *last += *last + 1 < line->count;
}

/* ---- turns and changes together ---- */

/* The nearest step of the bound that most of VOTERS steps from `at` on have; equal votes: the nearest's. `at` and the
 * steps towards `direction`, not past the neighbouring turn. */
static size_t elected(const turning *t, size_t at, int direction, double low, double high) {
    size_t steps[VOTERS] = {at}, count = 0, best = 0, most = 0;
    for (size_t i = at; i < t->line->count && count < VOTERS; i += (size_t)direction) { /* wraps below 0 */
        if (count > 0 && (t->axis[i] < low || t->axis[i] > high)) {
            break;
        }
        steps[count++] = i;
    }
    for (size_t i = 0; i < count; i++) {
        size_t votes = 0;
        for (size_t k = 0; k < count; k++) {
            votes += same_at(t->line, steps[i], steps[k]);
        }
        if (votes > most) {
            most = votes;
            best = i;
        }
    }
    return steps[best];
}

static double distance(const turning *t, const rft_line_change *f, double where) {
    return fmax(0.0, fmax(log(t->axis[f->left] / where), log(where / t->axis[f->right])));
}

/* The change of bound that belongs to a turn; NULL. Two rates that follow each other turn the times upwards. */
static rft_line_change *flip_of(turning *t, const rft_turn *turn) {
    rft_line_change *nearest = NULL;
    for (size_t i = 0; i < t->flip_count; i++) {
        rft_line_change *f = &t->flips[i];
        bool downwards = turn->slope_after < turn->slope_before;
        if (f->used || (both_firm(t->line, f) && downwards)) {
            continue;
        }
        size_t first, last;
        reach(t->line, f, &first, &last);
        if (turn->high < t->axis[first] || turn->low > t->axis[last]) {
            continue;
        }
        double nearer = nearest != NULL ? distance(t, nearest, turn->where) - distance(t, f, turn->where) : 1.0;
        bool firmer = nearest != NULL && both_firm(t->line, f) && !both_firm(t->line, nearest);
        if (nearer > 0.0 || (nearer == 0.0 && firmer)) {
            nearest = f;
        }
    }
    return nearest;
}

static size_t step_before(const turning *t, double where) {
    size_t at = 0;
    while (at + 2 < t->line->count && t->axis[at + 1] <= where) {
        at++;
    }
    return at;
}

/* What lies within the reach of a change that is told, or among its voters, needs no telling of its own, unless both
 * its sides are firm. */
static void use_up(turning *t, const rft_line_change *told, size_t first, size_t last) {
    size_t from = told->left + 1 > VOTERS ? told->left + 1 - VOTERS : 0, to = told->right + VOTERS - 1;
    from = first < from ? first : from;
    to = last > to ? last : to;
    for (size_t i = 0; i < t->flip_count; i++) {
        rft_line_change *f = &t->flips[i];
        bool inside = f->left >= told->left && f->right <= told->right;
        bool within = f->left >= from && f->right <= to;
        f->used = f->used || inside || (within && !both_firm(t->line, f));
    }
}

static rft_transition located(turning *t, size_t index) {
    const rft_profile_line *line = t->line;
    const rft_turn *turn = &t->found.turns[index];
    double before = index > 0 ? t->found.turns[index - 1].where : 0.0;
    double after = index + 1 < t->found.count ? t->found.turns[index + 1].where : HUGE_VAL;
    rft_transition out = rft_transition_plain(RFT_TRANSITION_TURN, NULL);
    size_t from = step_before(t, turn->where), to = from + 1;
    rft_line_change *f = flip_of(t, turn);
    out.step = line->measured[from];
    if (f != NULL) {
        from = elected(t, f->left, -1, before, after);
        to = elected(t, f->right, 1, before, after);
        bool known = bound_at(line, from)->resource != RFT_RESOURCE_UNKNOWN &&
                     bound_at(line, to)->resource != RFT_RESOURCE_UNKNOWN;
        out.kind = known && !same_at(line, from, to) ? RFT_TRANSITION_FOUND : RFT_TRANSITION_TURN;
        size_t first, last;
        reach(line, f, &first, &last);
        use_up(t, f, first, last);
        f->used = true;
    }
    rft_evidence a = bound_at(line, from)->evidence, b = bound_at(line, to)->evidence;
    out.at_steps = true;
    out.by_times = true;
    out.from = line->measured[from];
    out.to = line->measured[to];
    out.where = turn->where;
    out.low = turn->low;
    out.high = turn->high;
    out.turn = *turn;
    out.turn_of = t->found.of;
    out.scatter_frac = t->found.scatter_frac;
    out.evidence = a > b ? a : b; /* the weaker */
    return out;
}

static const char *between_text(const turning *t, size_t at) {
    rft_str text = RFT_STR_INIT;
    bool along_param = t->line->profile->along_param;
    rft_str_add(&text, along_param ? "it lies between " : "measure between ");
    rft_value_format(&text, &rft_line_step(t->line, at)->value);
    rft_str_add(&text, " and ");
    rft_value_format(&text, &rft_line_step(t->line, at + 1)->value);
    rft_str_add(&text, along_param ? "" : " (refine)");
    const char *kept = rft_arena_strdup(t->line->arena, rft_str_get(&text));
    rft_str_clear(&text);
    return kept;
}

/* Why the turn of the whole line is no located one. A certain turn tells at least between which values it lies. */
static const char *whole_text(const turning *t) {
    const rft_turn *whole = &t->found.whole;
    if (!whole->wide) {
        return whole->why;
    }
    double low = whole->low, high = whole->high;
    if (t->line->profile->along_param) {
        rft_line_bracket(t->line, &low, &high);
    }
    return rft_arena_printf(
        t->line->arena,
        "the times turn for certain, somewhere between %s and %s (95 %%), which is too wide to name a place",
        rft_arena_fixed(t->line->arena, low, 0, ""), rft_arena_fixed(t->line->arena, high, 0, ""));
}

/* A change of bound between neighbours that no turn belongs to. */
static rft_transition not_located(const turning *t, size_t at) {
    rft_transition out = rft_transition_on_grid(t->line, at);
    rft_arena *arena = t->line->arena;
    const rft_line_change f = {.left = at, .right = at + 1};
    out.by_times = true;
    out.where = NAN;
    if (!both_firm(t->line, &f)) {
        if (t->found.whole.kind == RFT_TURN_UNCLEAR) {
            out.why = rft_arena_printf(arena, "%s; %s%s", out.why,
                                       t->found.whole.wide ? "" : "where the times turn: ", whole_text(t));
        }
        return out;
    }
    out.kind = RFT_TRANSITION_UNCLEAR;
    if (t->found.count > 0) {
        out.why = rft_arena_printf(arena, "the measured times do not turn there; %s", between_text(t, at));
    } else if (t->found.whole.kind == RFT_TURN_NONE && out.evidence == RFT_EVIDENCE_DECLARED) {
        out.kind = RFT_TRANSITION_NONE;
        out.why = "declared work crosses the ridge there, but the measured times go on as before";
    } else if (t->found.whole.kind == RFT_TURN_NONE) {
        out.why = "the measured times do not turn there";
    } else {
        out.why = rft_arena_printf(arena, "%s; %s", whole_text(t), between_text(t, at));
    }
    return out;
}

/* The neighbours between which time rises most steeply, or falls. */
static size_t steepest(const turning *t) {
    size_t at = 0;
    double most = -1.0;
    for (size_t i = 0; i + 1 < t->line->count; i++) {
        double rise = log(rft_point_median_s(rft_line_step(t->line, i + 1)->best) /
                          rft_point_median_s(rft_line_step(t->line, i)->best));
        double slope = fabs(rise / log(t->axis[i + 1] / t->axis[i]));
        if (slope > most) {
            most = slope;
            at = i;
        }
    }
    return at;
}

/* One bound all along, and no turn found. */
static rft_transition no_change(const turning *t) {
    rft_transition out = rft_transition_plain(RFT_TRANSITION_NONE, NULL);
    rft_arena *arena = t->line->arena;
    out.by_times = true;
    for (size_t i = 0; i < t->line->count; i++) {
        rft_evidence here = bound_at(t->line, i)->evidence;
        out.evidence = i == 0 || here > out.evidence ? here : out.evidence;
    }
    if (t->found.whole.kind != RFT_TURN_UNCLEAR) {
        return out;
    }
    if (t->found.whole.other_shape && !firm_at(t->line, 0)) { /* no ceiling explains them either */
        size_t at = steepest(t);
        rft_transition step = rft_transition_on_grid(t->line, at);
        step.kind = RFT_TRANSITION_UNCLEAR;
        step.by_times = true;
        step.where = step.ridge = NAN;
        step.why = rft_arena_printf(arena, "%s; %s", t->found.whole.why, between_text(t, at));
        return step;
    }
    out.why =
        t->found.whole.other_shape ? rft_arena_printf(arena, "%s: more values would tell", t->found.whole.why)
        : t->line->profile->along_param
            ? rft_arena_printf(arena, "the times may turn, but %s", t->found.whole.why)
            : rft_arena_printf(arena, "the times may turn near %s, but %s",
                               rft_arena_fixed(arena, t->found.whole.where, t->found.whole.where < 100.0 ? 1 : 0, ""),
                               t->found.whole.why);
    return out;
}

static bool take_axis(turning *t) {
    t->axis = rft_arena_calloc(t->line->arena, t->line->count, sizeof *t->axis);
    for (size_t i = 0; i < t->line->count; i++) {
        const rft_value *value = &rft_line_step(t->line, i)->value;
        t->axis[i] = rft_value_is_number(value) ? rft_value_number(value) : NAN;
        if (!(t->axis[i] > 0.0) || (i > 0 && !(t->axis[i] > t->axis[i - 1]))) {
            return false;
        }
    }
    return true;
}

/* The turn of the whole line is certain, its place is not: what lies in its interval is told by it. */
static rft_transition unplaced(turning *t) {
    t->found.count = 1;
    rft_transition out = located(t, 0);
    t->found.count = 0;
    for (size_t i = 0; i < t->flip_count; i++) {
        rft_line_change *f = &t->flips[i];
        f->used = f->used || (t->axis[f->right] >= out.low && t->axis[f->left] <= out.high);
    }
    out.kind = RFT_TRANSITION_UNCLEAR;
    out.why = whole_text(t);
    out.where = NAN;
    return out;
}

static double ops_of(const rft_work *work) {
    double most = 0.0;
    for (int i = 0; i < RFT_PIPE_COUNT; i++) {
        most = fmax(most, work->pipe_ops[i]);
    }
    return most;
}

/* More work in less time, beyond both intervals: a size that suits the kernels less (no whole tiles, no wide loads). */
static bool falls_at(const rft_profile_line *line, size_t at) {
    const rft_point *a = rft_line_step(line, at)->best, *b = rft_line_step(line, at + 1)->best;
    bool grows = rft_work_bytes(&b->work) >= rft_work_bytes(&a->work) && ops_of(&b->work) >= ops_of(&a->work);
    return grows && rft_point_measurement(b)->stats.high < rft_point_measurement(a)->stats.low;
}

/* Two laws through sizes that are not alike are no laws: next to such a fall no change of bound is placed. */
static void mind_falls(const turning *t, rft_transition *out) {
    size_t from = step_before(t, out->where), first = from > 0 ? from - 1 : 0;
    for (size_t i = first; i <= from + 1 && i + 1 < t->line->count; i++) {
        if (out->kind == RFT_TRANSITION_FOUND && !t->line->profile->along_param && falls_at(t->line, i)) {
            out->kind = RFT_TRANSITION_UNCLEAR;
            out->where = NAN;
            out->low = rft_value_number(&t->line->profile->steps[out->from].value);
            out->high = rft_value_number(&t->line->profile->steps[out->to].value);
            out->why = rft_arena_printf(t->line->arena,
                                        "from %s to %s the times fall though the work grows: those sizes are not alike",
                                        rft_arena_fixed(t->line->arena, t->axis[i], 0, ""),
                                        rft_arena_fixed(t->line->arena, t->axis[i + 1], 0, ""));
        }
    }
}

static void add_ridge(const rft_profile_line *line, rft_transition *out) {
    rft_bound first, second;
    if (out->at_steps && rft_transition_ridge_bounds(line, out, &first, &second)) {
        rft_ridge_of of = {&first, &second, NULL, false};
        out->ridge = isnan(out->ridge) ? rft_line_ridge(line, &of) : out->ridge;
        of.datasheet = true;
        out->ridge_datasheet = rft_line_ridge(line, &of);
    }
}

size_t rft_transitions_by_turns(const rft_profile_line *line, rft_transition *out) {
    turning t = {.line = line};
    if (!take_axis(&t)) {
        return 0;
    }
    t.flips = rft_arena_calloc(line->arena, 2 * line->count, sizeof *t.flips);
    list_flips(&t);
    t.found = rft_line_turns_of(line, t.axis, t.flips, t.flip_count);
    if (t.found.whole.kind == RFT_TURN_NOT_EXPLORED) {
        return 0;
    }
    size_t count = 0;
    for (size_t i = 0; i < t.found.count; i++) {
        out[count] = located(&t, i);
        mind_falls(&t, &out[count]);
        add_ridge(line, &out[count]);
        out[count].waves_note = rft_transition_waves(line, &out[count]);
        count++;
    }
    if (t.found.count == 0 && t.found.whole.wide) {
        out[count] = unplaced(&t);
        add_ridge(line, &out[count++]);
    }
    for (size_t i = 0; i < t.flip_count; i++) {
        if (!t.flips[i].used && t.flips[i].right == t.flips[i].left + 1) {
            out[count] = not_located(&t, t.flips[i].left);
            add_ridge(line, &out[count++]);
        }
    }
    if (count == 0) {
        out[count++] = no_change(&t);
    }
    return count;
}
