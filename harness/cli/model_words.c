/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/model_words.h"

#include <math.h>
#include <string.h>

#define WORKLOADS_MAX 1000
#define KEYS_MAX 24
#define NAMES_MAX 64

/* One model as typed: each key with its list. */
typedef struct group {
    const json_t *model;
    const char *name;
    const char *keys[KEYS_MAX];
    const char *lists[KEYS_MAX];
    size_t count;
} group;

static const json_t *find_named(const json_t *list, const char *name) {
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *entry = json_array_get(list, i);
        const char *own = json_is_string(entry) ? json_string_value(entry) : rft_json_text_or(entry, "name", "");
        if (strcmp(own, name) == 0) {
            return entry;
        }
    }
    return NULL;
}

static size_t add_names(const char **names, size_t count, const json_t *list) {
    for (size_t i = 0; i < json_array_size(list) && count < NAMES_MAX; i++) {
        const json_t *entry = json_array_get(list, i);
        names[count++] = json_is_string(entry) ? json_string_value(entry) : rft_json_text_or(entry, "name", "");
    }
    return count;
}

/* "gemm: no X "y", did you mean ...": the remedy lists all there are. */
static int unknown(const char *what, const char *word, const json_t *first, const json_t *second, rft_err *err) {
    const char *names[NAMES_MAX];
    size_t count = add_names(names, add_names(names, 0, first), second);
    const char *near = rft_text_nearest(word, names, count);
    rft_str all = RFT_STR_INIT;
    for (size_t i = 0; i < count; i++) {
        rft_str_addf(&all, "%s%s", i ? ", " : "", names[i]);
    }
    rft_err_set(err, RFT_E_USAGE, "unknown %s \"%s\"%s%s%s", what, word, near ? ", did you mean \"" : "",
                near ? near : "", near ? "\"?" : "");
    int code = rft_err_remedy(err, "there are %s; `rooftune model` explains them", rft_str_get(&all));
    rft_str_clear(&all);
    return code;
}

static const json_t *dimensions(const json_t *model) {
    return json_object_get(model, "dimensions");
}

bool rft_model_has_dimension(const json_t *catalogue, const char *model, const char *key) {
    const json_t *found = find_named(json_object_get(catalogue, "models"), model);
    return found && find_named(dimensions(found), key);
}

static int add_key(group *to, const char *word, const json_t *catalogue, rft_arena *arena, rft_err *err) {
    const json_t *options = json_object_get(catalogue, "options");
    const char *equal = strchr(word, '=');
    const char *key = rft_arena_strndup(arena, word, (size_t)(equal - word));
    if (!find_named(dimensions(to->model), key) && !find_named(options, key)) {
        unknown("dimension", key, dimensions(to->model), options, err);
        return rft_err_place(err, "%s %s", to->name, word);
    }
    for (size_t i = 0; i < to->count; i++) {
        if (strcmp(to->keys[i], key) == 0) {
            rft_err_set(err, RFT_E_USAGE, "%s is given twice", key);
            rft_err_place(err, "%s %s", to->name, word);
            return rft_err_remedy(err, "several values stand in one list: %s=%s,%s", key, to->lists[i], equal + 1);
        }
    }
    to->keys[to->count] = key;
    to->lists[to->count++] = equal + 1;
    return RFT_OK;
}

/* "4096", "2^20", "1e6". */
static bool read_number(const char *text, double *out) {
    double base, power;
    const char *caret = strchr(text, '^');
    char left[32];
    if (!caret) {
        return rft_text_to_double(text, out);
    }
    rft_text_format(left, sizeof left, "%.*s", (int)(caret - text < 31 ? caret - text : 31), text);
    bool good = rft_text_to_double(left, &base) && rft_text_to_double(caret + 1, &power);
    *out = good ? pow(base, power) : 0;
    return good && isfinite(*out);
}

/* The value as the Lua module reads it; NULL with the error. */
static const char *read_value(const group *of, const char *key, const char *value, const json_t *catalogue,
                              rft_arena *arena, rft_err *err) {
    double number;
    if (!find_named(dimensions(of->model), key)) {
        bool is_pipe = strcmp(key, "pipe") == 0;
        const json_t *known = json_object_get(catalogue, is_pipe ? "pipes" : "types");
        if (find_named(known, value)) {
            return value;
        }
        unknown(is_pipe ? "pipe" : "type", value, known, NULL, err);
    } else if (find_named(dimensions(of->model), value)) {
        return value;
    } else if (read_number(value, &number)) {
        rft_str text = RFT_STR_INIT;
        rft_str_add_double(&text, number);
        const char *kept = rft_arena_strdup(arena, rft_str_get(&text));
        rft_str_clear(&text);
        return kept;
    } else {
        rft_err_set(err, RFT_E_USAGE, "\"%s\" is neither a number nor another dimension", value);
        rft_err_remedy(err, "%s=4096, %s=2^20, %s=1,8,32, or the name of a dimension that it equals", key, key, key);
    }
    rft_err_place(err, "%s %s=%s", of->name, key, value);
    return NULL;
}

static size_t list_length(const char *list) {
    size_t count = 1;
    for (; *list; list++) {
        count += *list == ',';
    }
    return count;
}

static const char *list_item(const char *list, size_t index, rft_arena *arena) {
    for (; index > 0; index--) {
        list = strchr(list, ',') + 1;
    }
    return rft_arena_strndup(arena, list, strcspn(list, ","));
}

static int check_complete(const group *of, rft_err *err) {
    const json_t *list = dimensions(of->model);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *entry = json_array_get(list, i);
        const char *name = rft_json_text_or(entry, "name", "");
        bool given = rft_json_text_or(entry, "absent", NULL) != NULL;
        for (size_t k = 0; k < of->count && !given; k++) {
            given = strcmp(of->keys[k], name) == 0;
        }
        if (!given) {
            rft_err_set(err, RFT_E_USAGE, "%s is missing: %s", name, rft_json_text_or(entry, "help", ""));
            rft_err_place(err, "%s", of->name);
            return rft_err_remedy(err, "add %s=...; `rooftune model` lists every model's dimensions", name);
        }
    }
    return RFT_OK;
}

static int spell_out(rft_workloads *out, group *of, const char *dtype, const json_t *catalogue, rft_arena *arena,
                     rft_err *err) {
    bool typed = false;
    for (size_t k = 0; k < of->count; k++) {
        typed = typed || strcmp(of->keys[k], "dtype") == 0;
    }
    if (!typed) {
        of->keys[of->count] = "dtype";
        of->lists[of->count++] = dtype;
    }
    size_t total = 1;
    for (size_t k = 0; k < of->count; k++) {
        total *= list_length(of->lists[k]);
        if (total > WORKLOADS_MAX - out->count) {
            rft_err_set(err, RFT_E_USAGE, "more than %d workloads", WORKLOADS_MAX);
            rft_err_place(err, "%s %s=%s", of->name, of->keys[k], of->lists[k]);
            return rft_err_remedy(err, "shorten the lists");
        }
    }
    for (size_t i = 0; i < total; i++) {
        rft_workload *made = &out->items[out->count++];
        *made = (rft_workload){.model = of->name, .count = of->count};
        made->keys = rft_arena_memdup(arena, of->keys, of->count * sizeof *of->keys);
        made->values = rft_arena_calloc(arena, of->count, sizeof *made->values);
        for (size_t k = of->count, rest = i; k-- > 0;) {
            size_t length = list_length(of->lists[k]);
            const char *value = list_item(of->lists[k], rest % length, arena);
            made->values[k] = read_value(of, of->keys[k], value, catalogue, arena, err);
            if (!made->values[k]) {
                return RFT_E_USAGE;
            }
            rest /= length;
        }
    }
    return RFT_OK;
}

static int finish_group(rft_workloads *out, group *of, const char *dtype, const json_t *catalogue, rft_arena *arena,
                        rft_err *err) {
    int rc = of->model ? check_complete(of, err) : RFT_OK;
    return rc == RFT_OK && of->model ? spell_out(out, of, dtype, catalogue, arena, err) : rc;
}

int rft_model_words(rft_workloads *out, const rft_words *words, const char *dtype, const json_t *catalogue,
                    rft_arena *arena, rft_err *err) {
    const json_t *models = json_object_get(catalogue, "models");
    group now = {0};
    int rc = RFT_OK;
    *out = (rft_workloads){.items = rft_arena_calloc(arena, WORKLOADS_MAX, sizeof *out->items)};
    for (size_t i = 0; i < words->count && rc == RFT_OK; i++) {
        const char *word = words->items[i];
        if (!strchr(word, '=')) {
            rc = finish_group(out, &now, dtype, catalogue, arena, err);
            now = (group){.model = find_named(models, word), .name = word};
            if (rc == RFT_OK && !now.model) {
                rc = unknown("model", word, models, NULL, err);
            }
        } else if (!now.model) {
            rft_err_set(err, RFT_E_USAGE, "\"%s\" stands before any model", word);
            rc = rft_err_remedy(err, "begin with the model: rooftune model gemm m=512 n=4096 k=4096");
        } else if (now.count + 1 >= KEYS_MAX) {
            rc = rft_err_set(err, RFT_E_USAGE, "%s: too many words", now.name);
        } else {
            rc = add_key(&now, word, catalogue, arena, err);
        }
    }
    return rc == RFT_OK ? finish_group(out, &now, dtype, catalogue, arena, err) : rc;
}

const char *rft_workload_label(const rft_workload *workload, rft_arena *arena) {
    rft_str text = RFT_STR_INIT;
    rft_str_add(&text, workload->model);
    for (size_t i = 0; i < workload->count; i++) {
        bool bare = strcmp(workload->keys[i], "dtype") == 0;
        rft_str_addf(&text, " %s%s%s", bare ? "" : workload->keys[i], bare ? "" : "=", workload->values[i]);
    }
    const char *kept = rft_arena_strdup(arena, rft_str_get(&text));
    rft_str_clear(&text);
    return kept;
}

static void list_entries(rft_str *out, const json_t *list) {
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *entry = json_array_get(list, i);
        const char *absent = rft_json_text_or(entry, "absent", NULL);
        rft_str_addf(out, "    %-9s %s%s%s%s\n", rft_json_text_or(entry, "name", ""),
                     rft_json_text_or(entry, "help", ""), absent ? " (default " : "", absent ? absent : "",
                     absent ? ")" : "");
    }
}

void rft_model_list(rft_str *out, const json_t *catalogue) {
    const json_t *models = json_object_get(catalogue, "models");
    const char *lists[] = {"types", "pipes"};
    for (size_t i = 0; i < json_array_size(models); i++) {
        const json_t *model = json_array_get(models, i);
        rft_str_addf(out, "%s: %s\n", rft_json_text_or(model, "name", ""), rft_json_text_or(model, "help", ""));
        list_entries(out, dimensions(model));
    }
    rft_str_add(out, "every model also takes\n");
    list_entries(out, json_object_get(catalogue, "options"));
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
        const char *names[NAMES_MAX];
        size_t count = add_names(names, 0, json_object_get(catalogue, lists[k]));
        rft_str_addf(out, "%s:", lists[k]);
        for (size_t i = 0; i < count; i++) {
            rft_str_addf(out, " %s", names[i]);
        }
        rft_str_add(out, "\n");
    }
}
