/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/point_choice.h"

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
    rc = assign(at, "axis", axis_names, sweep->axis_count, out->problem, arena, err);
    if (rc == RFT_OK) { /* derived axes follow the swept ones, unless they were given too */
        rc = sweep->vt->complete(sweep->self, out->problem, arena, err);
    }
    if (rc == RFT_OK) {
        rc = assign(at, "axis", axis_names, sweep->axis_count, out->problem, arena, err);
    }
    return rc == RFT_OK ? assign(set, "parameter", param_names, variant->param_count, out->config, arena, err) : rc;
}
