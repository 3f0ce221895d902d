/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/point_choice.h"

#include "model/sweep/space.h"

#include <string.h>

int rft_choice_unknown(const char *what, const char *word, const char *const *names, size_t count, rft_arena *arena,
                       rft_err *err) {
    const char *name = rft_arena_strndup(arena, word, strcspn(word, "="));
    const char *near = rft_text_nearest(name, names, count);
    rft_str list = RFT_STR_INIT;
    for (size_t i = 0; i < count; i++) {
        rft_str_addf(&list, "%s%s", i ? ", " : "", names[i]);
    }
    rft_err_set(err, RFT_E_USAGE, "no %s \"%s\"%s%s%s", what, name, near ? ", did you mean \"" : "", near ? near : "",
                near ? "\"?" : "");
    rft_err_remedy(err, "known: %s", rft_str_get(&list));
    rft_str_clear(&list);
    return RFT_E_USAGE;
}

static rft_value read_value(const char *text, rft_arena *arena) {
    int64_t integer = 0;
    double real = 0;
    if (rft_text_to_int64(text, &integer)) {
        return rft_value_int(integer);
    }
    if (rft_text_to_double(text, &real)) {
        return rft_value_real(real);
    }
    if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0) {
        return rft_value_bool(strcmp(text, "true") == 0);
    }
    return rft_value_text(rft_arena_strdup(arena, text));
}

/* Applies "NAME=value" words to values by the names' positions. */
static int assign(const rft_words *words, const char *what, const char **names, size_t count, rft_value *values,
                  rft_arena *arena, rft_err *err) {
    for (size_t w = 0; w < words->count; w++) {
        const char *equal = strchr(words->items[w], '=');
        if (!equal) {
            return rft_err_set(err, RFT_E_USAGE, "\"%s\": expected NAME=value", words->items[w]);
        }
        const char *name = rft_arena_strndup(arena, words->items[w], (size_t)(equal - words->items[w]));
        size_t i = 0;
        while (i < count && strcmp(names[i], name) != 0) {
            i++;
        }
        if (i == count) {
            return rft_choice_unknown(what, name, names, count, arena, err);
        }
        rft_value value = read_value(equal + 1, arena);
        bool number = values[i].kind != RFT_VALUE_TEXT;
        if (number == (value.kind == RFT_VALUE_TEXT)) {
            return rft_err_set(err, RFT_E_USAGE, "%s %s: \"%s\" is %s", what, name, equal + 1,
                               number ? "no number" : "no text value");
        }
        values[i] = value;
    }
    return RFT_OK;
}

static int choose_variant(size_t *out, const rft_sweep *sweep, const char *name, rft_arena *arena, rft_err *err) {
    const char **names = rft_arena_calloc(arena, sweep->variant_count + 1, sizeof *names);
    *out = 0;
    for (size_t v = 0; v < sweep->variant_count; v++) {
        names[v] = sweep->variants[v].name;
        if (name && strcmp(name, names[v]) == 0) {
            *out = v;
            return RFT_OK;
        }
    }
    return name ? rft_choice_unknown("variant", name, names, sweep->variant_count, arena, err) : RFT_OK;
}

/* 4096 and 4096.0 are one value. */
static bool same_values(const rft_value *a, const rft_value *b, size_t count) {
    for (size_t i = 0; i < count; i++) {
        bool texts = a[i].kind == RFT_VALUE_TEXT || b[i].kind == RFT_VALUE_TEXT;
        if (texts ? !rft_value_equal(&a[i], &b[i]) : rft_value_number(&a[i]) != rft_value_number(&b[i])) {
            return false;
        }
    }
    return true;
}

/* *fits: naming these values does not change the problem. */
static int holds(const rft_problem *problem, const rft_sweep *sweep, const char **axis_names, const rft_words *at,
                 bool *fits, rft_arena *arena, rft_err *err) {
    rft_value *values = rft_values_copy(arena, problem->values, sweep->axis_count);
    int rc = assign(at, "axis", axis_names, sweep->axis_count, values, arena, err);
    *fits = rc == RFT_OK && same_values(values, problem->values, sweep->axis_count);
    return rc;
}

/* The first problem that fits; an odd one where no other does. */
static int choose_stored(rft_point_choice *out, const rft_sweep *sweep, const char **axis_names, const rft_words *at,
                         rft_arena *arena, rft_err *err) {
    const rft_problem *odd = NULL, *found = NULL;
    int rc = RFT_OK;
    for (size_t i = 0; i < sweep->problem_count && !found && rc == RFT_OK; i++) {
        const rft_problem *problem = &sweep->problems[i];
        bool fits = false;
        rc = holds(problem, sweep, axis_names, at, &fits, arena, err);
        found = fits && !problem->odd ? problem : NULL;
        odd = fits && problem->odd && !odd ? problem : odd;
    }
    found = found ? found : odd;
    if (rc == RFT_OK && !found) {
        rft_err_set(err, RFT_E_NOT_FOUND, "sweep %s of the run has no such problem", sweep->name);
        return rft_err_remedy(err, "`rooftune show --csv -` lists every point with its problem");
    }
    if (rc == RFT_OK) {
        out->problem = found->values;
    }
    return rc;
}

const rft_point *rft_point_choice_find(const rft_point_choice *choice, const rft_run *run, size_t sweep) {
    const rft_sweep *of = &run->sweeps[sweep].sweep;
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_point *point = &run->points[i];
        if (point->sweep == sweep && point->variant == choice->variant &&
            same_values(of->problems[point->problem].values, choice->problem, of->axis_count) &&
            same_values(point->config, choice->config, of->variants[choice->variant].param_count)) {
            return point;
        }
    }
    return NULL;
}

const char *rft_point_choice_text(const rft_point_choice *choice, const rft_sweep *sweep, rft_arena *arena) {
    rft_str text = RFT_STR_INIT;
    const rft_variant *variant = &sweep->variants[choice->variant];
    rft_str_addf(&text, "%s, %s:", sweep->name, variant->name);
    for (size_t i = 0; i < sweep->axis_count; i++) {
        rft_str_addf(&text, " %s=", sweep->axes[i].name);
        rft_value_format(&text, &choice->problem[i]);
    }
    for (size_t i = 0; i < variant->param_count; i++) {
        rft_str_addf(&text, " %s=", variant->params[i].name);
        rft_value_format(&text, &choice->config[i]);
    }
    const char *name = rft_arena_strdup(arena, rft_str_get(&text));
    rft_str_clear(&text);
    return name;
}

int rft_point_choose(rft_point_choice *out, const rft_sweep *sweep, const char *variant_name, const rft_words *at,
                     const rft_words *set, rft_arena *arena, rft_err *err) {
    int rc = choose_variant(&out->variant, sweep, variant_name, arena, err);
    if (rc != RFT_OK) {
        return rc;
    }
    const rft_variant *variant = &sweep->variants[out->variant];
    const char **axis_names = rft_arena_calloc(arena, sweep->axis_count + 1, sizeof *axis_names);
    const char **param_names = rft_arena_calloc(arena, variant->param_count + 1, sizeof *param_names);
    size_t first = 0;
    while (first + 1 < sweep->problem_count && sweep->problems[first].odd) {
        first++;
    }
    out->problem = rft_values_copy(arena, sweep->problems[first].values, sweep->axis_count);
    out->config = rft_arena_calloc(arena, variant->param_count + 1, sizeof *out->config);
    for (size_t i = 0; i < sweep->axis_count; i++) {
        axis_names[i] = sweep->axes[i].name;
    }
    for (size_t i = 0; i < variant->param_count; i++) {
        param_names[i] = variant->params[i].name;
        out->config[i] = variant->params[i].default_value;
    }
    if (!sweep->vt) {
        rc = choose_stored(out, sweep, axis_names, at, arena, err);
        return rc ? rc : assign(set, "parameter", param_names, variant->param_count, out->config, arena, err);
    }
    rc = assign(at, "axis", axis_names, sweep->axis_count, out->problem, arena, err);
    if (rc == RFT_OK) { /* derived axes follow the swept ones, unless they were given too */
        rc = sweep->vt->complete(sweep->self, out->problem, arena, err);
    }
    if (rc == RFT_OK) {
        rc = assign(at, "axis", axis_names, sweep->axis_count, out->problem, arena, err);
    }
    return rc == RFT_OK ? assign(set, "parameter", param_names, variant->param_count, out->config, arena, err) : rc;
}

/* ---- where ---- */

#define TRIED_MOST 65536u /* valid configurations that are looked through for a near one */

/* "--set VEC=2 --set BLOCK=64": what to change for the valid configuration that differs in the fewest parameters. */
static const char *nearest_allowed(const rft_point_choice *choice, const rft_space *space, rft_arena *arena) {
    const rft_variant *variant = rft_space_variant(space);
    size_t least = SIZE_MAX;
    rft_value *config = rft_arena_calloc(arena, variant->param_count + 1, sizeof *config);
    rft_value *nearest = rft_arena_calloc(arena, variant->param_count + 1, sizeof *nearest);
    for (uint64_t i = 0; i < rft_space_count(space) && i < TRIED_MOST; i++) {
        size_t apart = 0;
        rft_space_get(space, i, config);
        for (size_t k = 0; k < variant->param_count; k++) {
            apart += rft_value_equal(&config[k], &choice->config[k]) ? 0 : 1;
        }
        if (apart < least) {
            least = apart;
            memcpy(nearest, config, variant->param_count * sizeof *nearest);
        }
    }
    rft_str text = RFT_STR_INIT;
    for (size_t k = 0; k < variant->param_count && least != SIZE_MAX; k++) {
        if (!rft_value_equal(&nearest[k], &choice->config[k])) {
            rft_str_addf(&text, "%s--set %s=", text.length ? " " : "", variant->params[k].name);
            rft_value_format(&text, &nearest[k]);
        }
    }
    const char *kept = rft_arena_strdup(arena, rft_str_get(&text));
    rft_str_clear(&text);
    return kept;
}

/* The remedy of a choice that is left out. */
static int tell_allowed(const rft_point_choice *choice, const rft_sweep *sweep, rft_arena *arena, rft_err *err) {
    rft_space *space = NULL;
    rft_space_opts opts = {0};
    rft_err ignored = RFT_ERR_INIT;
    int rc = rft_space_new(&space, sweep, choice->variant, choice->problem, &opts, &ignored);
    const char *words = rc == RFT_OK && rft_space_exact(space) ? nearest_allowed(choice, space, arena) : "";
    bool empty = rc == RFT_OK && rft_space_count(space) == 0;
    rft_space_free(space);
    if (*words) {
        return rft_err_remedy(err, "the nearest that it allows: %s", words);
    }
    return rft_err_remedy(err, empty ? "it allows no configuration of this problem: choose another with --at"
                                     : "choose other values with --set, or loosen `where`");
}

/* "VEC=1 BLOCK=256 n=4096": what the constraint names. */
static const char *named_values(const rft_point_choice *choice, const rft_sweep *sweep, const rft_constraint *c,
                                rft_arena *arena) {
    const rft_variant *variant = &sweep->variants[choice->variant];
    rft_str text = RFT_STR_INIT;
    for (size_t i = 0; i < c->param_count; i++) {
        rft_str_addf(&text, "%s%s=", text.length ? " " : "", variant->params[c->params[i]].name);
        rft_value_format(&text, &choice->config[c->params[i]]);
    }
    for (size_t i = 0; i < c->axis_count; i++) {
        rft_str_addf(&text, "%s%s=", text.length ? " " : "", sweep->axes[c->axes[i]].name);
        rft_value_format(&text, &choice->problem[c->axes[i]]);
    }
    const char *kept = rft_arena_strdup(arena, text.length ? rft_str_get(&text) : "everything");
    rft_str_clear(&text);
    return kept;
}

int rft_point_check_where(const rft_point_choice *choice, const rft_sweep *sweep, rft_arena *arena, rft_err *err) {
    const rft_variant *variant = &sweep->variants[choice->variant];
    for (size_t i = 0; i < variant->constraint_count; i++) {
        const rft_constraint *c = &variant->constraints[i];
        bool holds = false;
        rft_err raised = RFT_ERR_INIT;
        int rc =
            sweep->vt->constraint(sweep->self, choice->variant, i, choice->problem, choice->config, &holds, &raised);
        if (rc == RFT_E_SCRIPT_STOPPED) {
            if (err) {
                *err = raised;
            }
            return rc;
        }
        if (rc != RFT_OK || !holds) {
            rft_err_set(err, RFT_E_SPACE, "`where` of variant %s leaves out %s: %s%s%s", variant->name,
                        named_values(choice, sweep, c, arena), c->text, rc ? " raises an error: " : "", raised.message);
            rft_err_place(err, "%s", sweep->path);
            return tell_allowed(choice, sweep, arena, err);
        }
    }
    return RFT_OK;
}
