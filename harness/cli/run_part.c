/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/run_part.h"

#include "cli/command_text.h"
#include "cli/point_choice.h"
#include "model/mix/mix_find.h"

#include <math.h>
#include <string.h>

/* ---- the part as a sweep: its variants have other places than the script knows ---- */

typedef struct part_sweep {
    const rft_sweep *whole;
    rft_sweep sweep;
    rft_sweep_vt vt;
    size_t *places; /* of each variant, in the whole sweep */
} part_sweep;

static int part_constraint(void *self, size_t variant, size_t constraint, const rft_value *problem,
                           const rft_value *config, bool *holds, rft_err *err) {
    const part_sweep *p = self;
    return p->whole->vt->constraint(p->whole->self, p->places[variant], constraint, problem, config, holds, err);
}

static int part_point(void *self, size_t variant, const rft_value *problem, const rft_value *config, rft_arena *arena,
                      rft_point_spec *out, rft_err *err) {
    const part_sweep *p = self;
    return p->whole->vt->point(p->whole->self, p->places[variant], problem, config, arena, out, err);
}

static int part_prior(void *self, size_t variant, const rft_value *problem, const rft_value *config, double *out,
                      rft_err *err) {
    const part_sweep *p = self;
    return p->whole->vt->prior(p->whole->self, p->places[variant], problem, config, out, err);
}

static int part_complete(void *self, rft_value *values, rft_arena *arena, rft_err *err) {
    const part_sweep *p = self;
    return p->whole->vt->complete(p->whole->self, values, arena, err);
}

static int part_baseline(void *self, size_t index, const rft_value *problem, rft_arena *arena, rft_point_spec *out,
                         rft_err *err) {
    const part_sweep *p = self;
    return p->whole->vt->baseline(p->whole->self, index, problem, arena, out, err);
}

static int part_along(void *self, const rft_sweep_along *call, unsigned *next, uint64_t *holds, rft_err *err) {
    const part_sweep *p = self;
    rft_sweep_along placed = *call;
    placed.variant = p->places[call->variant];
    return p->whole->vt->constraint_along(p->whole->self, &placed, next, holds, err);
}

static part_sweep *new_part(const rft_sweep *whole, rft_arena *arena) {
    part_sweep *p = rft_arena_calloc(arena, 1, sizeof *p);
    p->whole = whole;
    p->sweep = *whole;
    p->vt = (rft_sweep_vt){.constraint = part_constraint,
                           .point = part_point,
                           .prior = whole->vt->prior ? part_prior : NULL,
                           .complete = part_complete,
                           .baseline = whole->vt->baseline ? part_baseline : NULL,
                           .constraint_along = whole->vt->constraint_along ? part_along : NULL};
    p->sweep.vt = &p->vt;
    p->sweep.self = p;
    p->places = rft_arena_calloc(arena, whole->variant_count + 1, sizeof *p->places);
    return p;
}

/* ---- words ---- */

static bool means(const char *text, const rft_value *value) {
    rft_str own = RFT_STR_INIT;
    double number = 0;
    rft_value_format(&own, value);
    bool same = rft_text_equal(rft_str_get(&own), text) ||
                (rft_value_is_number(value) && rft_text_to_double(text, &number) && number == rft_value_number(value));
    rft_str_clear(&own);
    return same;
}

/* The text of "NAME=text" where the word is about `name`; NULL. */
static const char *about(const char *word, const char *name) {
    size_t length = strlen(name);
    return strncmp(word, name, length) == 0 && word[length] == '=' ? word + length + 1 : NULL;
}

static bool is_named(const rft_words *words, const char *name) {
    bool named = false;
    for (size_t i = 0; i < words->count; i++) {
        named = named || about(words->items[i], name);
    }
    return named;
}

/* Is the value of `name` one of those asked for? All are of a name that no word is about. */
static bool is_wanted(const rft_words *words, const char *name, const rft_value *value) {
    bool wanted = !is_named(words, name);
    for (size_t i = 0; i < words->count; i++) {
        const char *text = about(words->items[i], name);
        wanted = wanted || (text && means(text, value));
    }
    return wanted;
}

/* Those that are wanted, in `arena`. */
static rft_value *wanted_values(const rft_words *words, const char *name, const rft_value *values, size_t *count,
                                rft_arena *arena) {
    rft_value *kept = rft_arena_calloc(arena, *count + 1, sizeof *kept);
    size_t n = 0;
    for (size_t i = 0; i < *count; i++) {
        if (is_wanted(words, name, &values[i])) {
            kept[n++] = values[i];
        }
    }
    *count = n;
    return kept;
}

/* ---- what is not there ---- */

/* Names, or the values of one, each once. */
typedef struct known_list {
    const char **names;
    rft_value *values;
    size_t count;
} known_list;

static void know_value(known_list *known, const rft_value *value, rft_arena *arena) {
    for (size_t i = 0; i < known->count; i++) {
        if (rft_value_equal(&known->values[i], value)) {
            return;
        }
    }
    rft_str text = RFT_STR_INIT;
    rft_value_format(&text, value);
    known->values[known->count] = *value;
    known->names[known->count++] = rft_arena_strdup(arena, rft_str_get(&text));
    rft_str_clear(&text);
}

static known_list new_known(size_t most, rft_arena *arena) {
    return (known_list){.names = rft_arena_calloc(arena, most + 1, sizeof(const char *)),
                        .values = rft_arena_calloc(arena, most + 1, sizeof(rft_value))};
}

/* By distance among numbers, else by letters. */
static const char *nearest_value(const known_list *known, const char *text) {
    double wanted = 0, least = (double)INFINITY;
    const char *near = NULL;
    if (!rft_text_to_double(text, &wanted)) {
        return rft_text_nearest(text, known->names, known->count);
    }
    for (size_t i = 0; i < known->count; i++) {
        double away = fabs(rft_value_number(&known->values[i]) - wanted);
        if (rft_value_is_number(&known->values[i]) && away < least) {
            least = away;
            near = known->names[i];
        }
    }
    return near;
}

#define LISTED_MOST 16 /* values of a message */

static int no_value(const char *word, const char *name, const known_list *known, rft_err *err) {
    const char *near = nearest_value(known, word + strlen(name) + 1);
    rft_str list = RFT_STR_INIT;
    for (size_t i = 0; i < known->count && i < LISTED_MOST; i++) {
        rft_str_addf(&list, "%s%s", i ? ", " : "", known->names[i]);
    }
    if (known->count > LISTED_MOST) {
        rft_str_addf(&list, " and %zu more", known->count - LISTED_MOST);
    }
    rft_err_set(err, RFT_E_USAGE, "the sweep has no %s%s%s", word, near ? ", the nearest is " : "", near ? near : "");
    rft_err_remedy(err, "values of %s: %s; `rooftune point` runs others", name, rft_str_get(&list));
    rft_str_clear(&list);
    return RFT_E_USAGE;
}

/* ---- problems ---- */

static int check_at(const rft_sweep *sweep, const char *word, rft_arena *arena, rft_err *err) {
    known_list axes = new_known(sweep->axis_count, arena), values = new_known(sweep->problem_count, arena);
    size_t axis = 0;
    while (axis < sweep->axis_count && !about(word, sweep->axes[axis].name)) {
        axes.names[axes.count++] = sweep->axes[axis++].name;
    }
    if (axis == sweep->axis_count) {
        return rft_choice_unknown("axis", word, axes.names, axes.count, arena, err);
    }
    const char *name = sweep->axes[axis].name;
    for (size_t p = 0; p < sweep->problem_count; p++) {
        const rft_value *value = &sweep->problems[p].values[axis];
        if (!sweep->problems[p].odd && means(about(word, name), value)) {
            return RFT_OK;
        }
        if (!sweep->problems[p].odd) {
            know_value(&values, value, arena);
        }
    }
    return no_value(word, name, &values, err);
}

static bool is_in_mix(const rft_mix_book *book, const rft_sweep *sweep, size_t problem) {
    bool wanted = false;
    for (size_t i = 0; i < book->mix_count; i++) {
        for (size_t k = 0; k < book->mixes[i].item_count && !wanted; k++) {
            wanted = rft_mix_wants(&book->mixes[i].items[k], sweep, problem);
        }
    }
    return wanted;
}

static bool is_problem_wanted(const rft_sweep *sweep, const rft_run_part *part, size_t index) {
    const rft_problem *problem = &sweep->problems[index];
    bool wanted = true;
    for (size_t a = 0; a < sweep->axis_count && !problem->odd; a++) {
        wanted = wanted && is_wanted(&part->at, sweep->axes[a].name, &problem->values[a]);
    }
    return wanted && (!part->book || problem->odd || is_in_mix(part->book, sweep, index));
}

/* Of a mix's problems, which are no grid: values of axes that are left, and no line to follow. */
static void keep_used(rft_sweep *sweep, rft_arena *arena) {
    for (size_t a = 0; a < sweep->axis_count; a++) {
        rft_axis *axis = &sweep->axes[a];
        rft_value *kept = rft_arena_calloc(arena, axis->value_count + 1, sizeof *kept);
        size_t count = 0;
        for (size_t v = 0; v < axis->value_count; v++) {
            bool used = false;
            for (size_t p = 0; p < sweep->problem_count; p++) {
                const rft_problem *problem = &sweep->problems[p];
                used = used || (!problem->odd && rft_value_equal(&problem->values[a], &axis->values[v]));
            }
            if (used) {
                kept[count++] = axis->values[v];
            }
        }
        axis->values = kept;
        axis->value_count = count;
        axis->along = false;
    }
}

static void keep_axes(rft_sweep *sweep, const rft_words *at, rft_arena *arena) {
    sweep->axes = rft_arena_memdup(arena, sweep->axes, sweep->axis_count * sizeof *sweep->axes);
    for (size_t a = 0; a < sweep->axis_count; a++) {
        rft_axis *axis = &sweep->axes[a];
        axis->values = wanted_values(at, axis->name, axis->values, &axis->value_count, arena);
        axis->along = axis->along && (axis->value_count > 1 || !is_named(at, axis->name));
    }
}

static int keep_problems(rft_sweep *sweep, const rft_run_part *part, rft_arena *arena, rft_err *err) {
    const rft_words *at = &part->at;
    size_t timed = 0, count = 0;
    rft_problem *kept = rft_arena_calloc(arena, sweep->problem_count + 1, sizeof *kept);
    for (size_t i = 0; i < at->count; i++) {
        int rc = check_at(sweep, at->items[i], arena, err);
        if (rc != RFT_OK) {
            return rc;
        }
    }
    for (size_t p = 0; p < sweep->problem_count; p++) {
        if (is_problem_wanted(sweep, part, p)) {
            kept[count++] = sweep->problems[p];
            timed += sweep->problems[p].odd ? 0 : 1;
        }
    }
    if (timed == 0 && part->book) {
        rft_err_set(err, RFT_E_USAGE, "the mix has no operation that is one of its problems%s",
                    at->count ? " with the values of --at" : "");
        return rft_err_remedy(err, "leave the sweep out, or put the operation into the mix");
    }
    if (timed == 0) {
        rft_err_set(err, RFT_E_USAGE, "the sweep has each value of --at, and no problem with all of them");
        return rft_err_remedy(err, "name fewer axes; `rooftune run --dry-run` without --at lists the problems");
    }
    keep_axes(sweep, at, arena);
    sweep->problems = kept;
    sweep->problem_count = count;
    if (part->book) {
        keep_used(sweep, arena);
    }
    return RFT_OK;
}

/* ---- variants and their values ---- */

static int check_variant(const rft_sweep *sweep, const char *name, rft_arena *arena, rft_err *err) {
    known_list known = new_known(sweep->variant_count, arena);
    for (size_t v = 0; v < sweep->variant_count; v++) {
        known.names[known.count++] = sweep->variants[v].name;
        if (strcmp(name, sweep->variants[v].name) == 0) {
            return RFT_OK;
        }
    }
    return rft_choice_unknown("variant", name, known.names, known.count, arena, err);
}

static bool is_variant_wanted(const rft_words *variants, const char *name) {
    bool wanted = variants->count == 0;
    for (size_t i = 0; i < variants->count; i++) {
        wanted = wanted || strcmp(variants->items[i], name) == 0;
    }
    return wanted;
}

/* Of the variants that are left. */
static int check_set(const rft_sweep *sweep, const char *word, rft_arena *arena, rft_err *err) {
    size_t most = 0;
    for (size_t v = 0; v < sweep->variant_count; v++) {
        for (size_t i = 0; i < sweep->variants[v].param_count; i++) {
            most += 1 + sweep->variants[v].params[i].value_count;
        }
    }
    known_list params = new_known(most, arena), values = new_known(most, arena);
    const char *name = NULL;
    for (size_t v = 0; v < sweep->variant_count; v++) {
        for (size_t i = 0; i < sweep->variants[v].param_count; i++) {
            const rft_param *param = &sweep->variants[v].params[i];
            const rft_value named = rft_value_text(param->name);
            know_value(&params, &named, arena);
            const char *text = about(word, param->name);
            name = text ? param->name : name;
            for (size_t k = 0; text && k < param->value_count; k++) {
                if (means(text, &param->values[k])) {
                    return RFT_OK;
                }
                know_value(&values, &param->values[k], arena);
            }
        }
    }
    return name ? no_value(word, name, &values, err)
                : rft_choice_unknown("parameter", word, params.names, params.count, arena, err);
}

/* False: the variant has a parameter, and no value of it that is wanted. */
static bool keep_values(rft_variant *variant, const rft_words *set, rft_arena *arena) {
    bool left = true;
    variant->params = rft_arena_memdup(arena, variant->params, variant->param_count * sizeof *variant->params);
    for (size_t i = 0; i < variant->param_count; i++) {
        rft_param *param = &variant->params[i];
        param->values = wanted_values(set, param->name, param->values, &param->value_count, arena);
        left = left && param->value_count > 0;
    }
    return left;
}

static int keep_variants(part_sweep *p, const rft_run_part *part, rft_arena *arena, rft_err *err) {
    rft_sweep *sweep = &p->sweep;
    size_t count = 0;
    int rc = RFT_OK;
    sweep->variants = rft_arena_calloc(arena, p->whole->variant_count + 1, sizeof *sweep->variants);
    for (size_t i = 0; i < part->variants.count && rc == RFT_OK; i++) {
        rc = check_variant(p->whole, part->variants.items[i], arena, err);
    }
    for (size_t v = 0; v < p->whole->variant_count; v++) {
        if (is_variant_wanted(&part->variants, p->whole->variants[v].name)) {
            p->places[count] = v;
            sweep->variants[count++] = p->whole->variants[v];
        }
    }
    sweep->variant_count = count;
    for (size_t i = 0; i < part->set.count && rc == RFT_OK; i++) {
        rc = check_set(sweep, part->set.items[i], arena, err);
    }
    count = 0;
    for (size_t v = 0; v < sweep->variant_count && rc == RFT_OK; v++) {
        rft_variant kept = sweep->variants[v];
        if (keep_values(&kept, &part->set, arena)) {
            p->places[count] = p->places[v];
            sweep->variants[count++] = kept;
        }
    }
    sweep->variant_count = count;
    if (rc == RFT_OK && count == 0) {
        rft_err_set(err, RFT_E_USAGE, "each value of --set is one of some variant, and no variant has all of them");
        rc = rft_err_remedy(err, "name fewer parameters, or one variant's values");
    }
    return rc;
}

/* ---- of a run ---- */

static int check_pairs(const rft_words *words, const char *option, const char *argument, rft_err *err) {
    for (size_t i = 0; i < words->count; i++) {
        const char *equal = strchr(words->items[i], '=');
        if (!equal || equal == words->items[i] || !equal[1]) {
            rft_err_set(err, RFT_E_USAGE, "\"%s\": expected %s", words->items[i], argument);
            return rft_err_remedy(err, "%s takes a name and one value: %s", option, argument);
        }
    }
    return RFT_OK;
}

int rft_run_part_check(const rft_run_part *part, rft_err *err) {
    int rc = check_pairs(&part->at, "--at", "AXIS=VALUE", err);
    return rc ? rc : check_pairs(&part->set, "--set", "PARAM=VALUE", err);
}

static int take_part(const rft_run_part *part, const rft_sweep **sweep, rft_arena *arena, rft_err *err) {
    part_sweep *p = new_part(*sweep, arena);
    int rc = keep_problems(&p->sweep, part, arena, err);
    rc = rc ? rc : keep_variants(p, part, arena, err);
    if (rc != RFT_OK) {
        return rft_err_context(err, "sweep %s", (*sweep)->name);
    }
    *sweep = &p->sweep;
    return RFT_OK;
}

int rft_run_part_take(const rft_run_part *part, const rft_sweep **sweeps, const char **paths, size_t *count,
                      rft_arena *arena, const rft_log *log, rft_err *err) {
    size_t kept = 0;
    rft_err *lacks = rft_arena_calloc(arena, *count, sizeof *lacks);
    if (!rft_run_part_text(part, arena) && !part->book) {
        return RFT_OK;
    }
    for (size_t i = 0; i < *count; i++) {
        if (take_part(part, &sweeps[i], arena, &lacks[i]) == RFT_OK) {
            paths[kept] = paths[i];
            sweeps[kept++] = sweeps[i];
        }
    }
    for (size_t i = 0; i < *count && kept > 0; i++) {
        if (lacks[i].code != RFT_OK) {
            rft_log_info(log, "left out: %s", lacks[i].message);
        }
    }
    if (kept == 0) {
        if (err) {
            *err = lacks[0];
        }
        return lacks[0].code;
    }
    *count = kept;
    return RFT_OK;
}

const char *rft_run_part_text(const rft_run_part *part, rft_arena *arena) {
    const struct {
        const char *option;
        const rft_words *words;
    } lists[] = {{"--at ", &part->at}, {"--variant ", &part->variants}, {"--set ", &part->set}};
    rft_str text = RFT_STR_INIT;
    for (size_t l = 0; l < sizeof lists / sizeof *lists; l++) {
        for (size_t i = 0; i < lists[l].words->count; i++) {
            rft_str_addf(&text, "%s%s", text.length ? " " : "", lists[l].option);
            rft_command_add_word(&text, lists[l].words->items[i]);
        }
    }
    const char *kept = text.length ? rft_arena_strdup(arena, rft_str_get(&text)) : NULL;
    rft_str_clear(&text);
    return kept;
}

/* ---- the same part ---- */

static bool same_values(const rft_variant *a, const rft_variant *b) {
    bool same = rft_text_equal(a->name, b->name) && a->param_count == b->param_count;
    for (size_t i = 0; same && i < a->param_count; i++) {
        const rft_param *x = &a->params[i], *y = &b->params[i];
        same = rft_text_equal(x->name, y->name) && x->value_count == y->value_count &&
               rft_values_equal(x->values, y->values, x->value_count);
    }
    return same;
}

/* Behind the others stand those of refine(). */
static size_t own_problems(const rft_sweep *sweep) {
    size_t count = 0;
    while (count < sweep->problem_count && sweep->problems[count].refined == 0) {
        count++;
    }
    return count;
}

bool rft_run_part_same(const rft_sweep *a, const rft_sweep *b) {
    size_t problems = own_problems(a);
    bool same = a->variant_count == b->variant_count && a->axis_count == b->axis_count && problems == own_problems(b);
    for (size_t v = 0; same && v < a->variant_count; v++) {
        same = same_values(&a->variants[v], &b->variants[v]);
    }
    for (size_t p = 0; same && p < problems; p++) {
        same = rft_values_equal(a->problems[p].values, b->problems[p].values, a->axis_count);
    }
    return same;
}
