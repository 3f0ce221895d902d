/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/new_sweep.h"

#include "cli/new_sweep_parts.h"
#include "script/script.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NAME_CHARS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

/* ---- dimensions ---- */

static bool is_integer(const rft_cuda_param *param) {
    return !param->pointer && param->type && !param->is_enum && param->lanes == 1 && param->elements == 1 &&
           (param->type[0] == 'i' || param->type[0] == 'u') &&
           (strcmp(param->type + 1, "32") == 0 || strcmp(param->type + 1, "64") == 0); /* bool, short: no size */
}

static int bad_size(const char *word, const char *why, rft_err *err) {
    rft_err_set(err, RFT_E_USAGE, "--size %.100s: %s", word, why);
    return rft_err_remedy(err, "--size n=1048576, or several values: --size n=1024,4096; repeat it for each dimension");
}

/* "1024,4096" as Lua's values; false: not whole numbers above 0. */
static bool are_sizes(const char *text) {
    do {
        char number[20] = "";
        int64_t value = 0;
        size_t length = strcspn(text, ",");
        if (length == 0 || length >= sizeof number) {
            return false;
        }
        memcpy(number, text, length);
        if (!rft_text_to_int64(number, &value) || value < 1 || value > (int64_t)1 << 40) {
            return false;
        }
        text += length + (text[length] == ',');
        if (text[-1] == ',' && *text == '\0') {
            return false;
        }
    } while (*text);
    return true;
}

static size_t find_dimension(const rft_new_plan *plan, const char *name) {
    size_t i = 0;
    while (i < plan->dimension_count && strcmp(plan->dimensions[i].name, name) != 0) {
        i++;
    }
    return i;
}

static int unknown_size(const rft_new_plan *plan, const char *word, const char *name, rft_err *err) {
    const char *names[RFT_CUDA_PARAMS_MAX];
    rft_str known = RFT_STR_INIT;
    for (size_t i = 0; i < plan->dimension_count; i++) {
        names[i] = plan->dimensions[i].name;
        rft_str_addf(&known, "%s%s", i ? ", " : "", names[i]);
    }
    const char *near = rft_text_nearest(name, names, plan->dimension_count);
    rft_err_set(err, RFT_E_USAGE, "--size %.100s: %.60s has no whole-number parameter of this name%s%s%s", word,
                plan->kernel->name, near ? ", did you mean \"" : "", near ? near : "", near ? "\"?" : "");
    rft_err_remedy(err, "it has: %.400s", rft_str_get(&known));
    rft_str_clear(&known);
    return err->code;
}

static int take_size(rft_new_plan *plan, const char *word, rft_arena *arena, rft_err *err) {
    const char *equal = strchr(word, '=');
    if (!equal || equal == word || !are_sizes(equal + 1)) {
        return bad_size(word, "expected NAME=NUMBER", err);
    }
    const char *name = rft_arena_strndup(arena, word, (size_t)(equal - word));
    size_t at = find_dimension(plan, name);
    if (at == plan->dimension_count && plan->free_dimension && at == 1 && !plan->dimensions[0].values) {
        at = 0; /* the kernel takes none: its only one is called so */
        plan->dimensions[0].name = name;
    }
    if (at == plan->dimension_count || !rft_script_name_is_free(name)) {
        return unknown_size(plan, word, name, err);
    }
    plan->dimensions[at].values = equal + 1;
    return RFT_OK;
}

static bool has_second_axis(const rft_cuda_entry *entry) {
    return entry->block_axes > 1 || entry->thread_axes > 1;
}

char rft_new_matrix(const char *name) {
    name += strncasecmp(name, "d_", 2) == 0 ? 2 : strncasecmp(name, "dev_", 4) == 0 ? 4 : 0;
    char letter = (char)(name[0] | 0x20);
    return letter >= 'a' && letter <= 'c' && name[1] == '\0' ? letter : '\0';
}

/* C(m, n) = A(m, k) B(k, n): by the names that everybody gives them. */
static void find_product(rft_new_plan *plan) {
    static const char *const names[3] = {"m", "n", "k"};
    size_t matrices[3] = {0}, dimensions = 0;
    for (size_t d = 0; d < 3; d++) {
        for (size_t i = 0; i < plan->dimension_count; i++) {
            if (strcasecmp(plan->dimensions[i].name, names[d]) == 0) {
                plan->product[d] = i;
                dimensions++;
            }
        }
    }
    for (size_t i = 0; i < plan->kernel->param_count; i++) {
        const rft_cuda_param *param = &plan->kernel->params[i];
        char letter = param->pointer ? rft_new_matrix(param->name) : '\0';
        if (letter && param->written_to == (letter == 'c')) {
            matrices[letter - 'a']++;
        }
    }
    plan->is_product =
        plan->dimension_count == 3 && dimensions == 3 && matrices[0] == 1 && matrices[1] == 1 && matrices[2] == 1;
}

static int find_dimensions(rft_new_plan *plan, rft_arena *arena, rft_err *err) {
    static const char *const guesses[] = {"", "1048576", "1024", "128", "32", "16", "8", "8", "4", "4", "4", "2"};
    for (size_t i = 0; i < plan->kernel->param_count && plan->dimension_count < RFT_NEW_DIMENSIONS_MAX; i++) {
        const rft_cuda_param *param = &plan->kernel->params[i];
        if (is_integer(param)) {
            plan->dimensions[plan->dimension_count++] = (rft_new_dimension){.name = plan->names[i]};
        }
    }
    if (plan->dimension_count == 0) {
        plan->free_dimension = true;
        plan->dimension_count = has_second_axis(plan->kernel) ? 2 : 1;
        plan->dimensions[0].name = has_second_axis(plan->kernel) ? "height" : "n";
        plan->dimensions[1].name = "width";
    }
    plan->square = plan->dimension_count == 1 && has_second_axis(plan->kernel);
    find_product(plan);
    int rc = RFT_OK;
    for (size_t i = 0; i < plan->request->sizes->count && rc == RFT_OK; i++) {
        rc = take_size(plan, plan->request->sizes->items[i], arena, err);
    }
    for (size_t i = 0; i < plan->dimension_count; i++) {
        rft_new_dimension *one = &plan->dimensions[i];
        one->guessed = !one->values;
        size_t dimensions = plan->dimension_count + plan->square;
        one->values = one->values        ? one->values
                      : plan->is_product ? "1024"
                                         : guesses[dimensions < 11 ? dimensions : 11];
    }
    return rc;
}

/* "N" of "BN" and "TILE_N". */
static bool ends_in_name(const char *factor, const char *name) {
    size_t length = strlen(factor), tail = strlen(name);
    const char *end = factor + (length - tail);
    return tail < length && strcasecmp(end, name) == 0 && (end[-1] == '_' || length == tail + 1);
}

/* The parameter that the index is held against: n of `if (i < n)`. */
static size_t bounding_dimension(const rft_new_plan *plan, const char *bound) {
    for (size_t i = 0; i < plan->kernel->param_count && bound; i++) {
        if (strcmp(plan->kernel->params[i].name, bound) == 0) {
            return find_dimension(plan, plan->names[i]);
        }
    }
    return plan->dimension_count;
}

const char *rft_new_factor(const rft_new_plan *plan, const rft_cuda_axis *axis, rft_arena *arena) {
    if (!axis->factor || rft_new_lua(plan, axis->factor, "c.", arena)) {
        return axis->factor;
    }
    const char *first = rft_arena_strndup(arena, axis->factor, strcspn(axis->factor, "*"));
    return !strchr(first, '(') && rft_new_lua(plan, first, "c.", arena) ? first : NULL;
}

/* Of several dimensions the one that an element of the buffer is held against. */
static void find_counts(rft_new_plan *plan) {
    bool several = plan->dimension_count > 1 && !plan->free_dimension && !plan->is_product;
    for (size_t i = 0; i < plan->kernel->param_count && several; i++) {
        size_t dimension = bounding_dimension(plan, plan->kernel->params[i].count_of);
        plan->counts[i] = dimension < plan->dimension_count ? dimension + 1 : 0;
    }
}

/* By what the kernel itself calls it: the dimension N of blockIdx.x * BN, rows of row = blockIdx.x. */
static size_t seen_dimension(const rft_new_plan *plan, const rft_cuda_axis *axis, rft_arena *arena) {
    size_t bounding = bounding_dimension(plan, axis->bound);
    if (bounding < plan->dimension_count) {
        return bounding;
    }
    const char *factor = rft_new_factor(plan, axis, arena);
    bool known = factor != NULL; /* row * cols is no block's extent */
    for (size_t i = 0; i < plan->dimension_count; i++) {
        const char *name = plan->dimensions[i].name;
        bool row = axis->alias && !known && !axis->by_threads && axis->alias[1] && strstr(name, axis->alias);
        if (row || (known && ends_in_name(factor, name))) {
            return i;
        }
    }
    return plan->dimension_count;
}

/* Which dimension the blocks of x, y and z walk along: as the kernel says, by name, else the last and those before. */
static size_t axis_dimension(const rft_new_plan *plan, size_t axis, rft_arena *arena) {
    static const char *const names[3][8] = {{"w", "width", "nx", "cols", "columns", "size_x", "x", NULL},
                                            {"h", "height", "ny", "rows", "m", "size_y", "y", NULL},
                                            {"d", "depth", "nz", "size_z", "z", "batch", NULL}};
    size_t seen = seen_dimension(plan, &plan->kernel->axes[axis], arena);
    for (size_t k = 0; names[axis][k] && seen == plan->dimension_count; k++) {
        seen = find_dimension(plan, names[axis][k]);
    }
    size_t last = plan->dimension_count - 1;
    return seen < plan->dimension_count ? seen : last > axis ? last - axis : 0;
}

/* ---- parameters ---- */

static int refuse_param(const rft_cuda_entry *entry, const rft_cuda_param *param, rft_err *err) {
    bool texture = rft_cuda_is_texture(param);
    bool map = strstr(param->written, "CUtensorMap") != NULL;
    const char *star = strchr(param->written, '*');
    bool pointers = star && strchr(star + 1, '*');
    rft_err_set(err, RFT_E_SOURCE, "line %zu: the parameter \"%.60s\" of %.60s is %s%.100s, which `new` cannot fill",
                entry->line, param->name, entry->name, texture ? "a texture: " : "of the type ", param->written);
    return rft_err_remedy(err, texture ? "sweeps have no textures: read through a pointer (__ldg) instead"
                               : pointers
                                   ? "a buffer holds numbers, no pointers: give the kernel one buffer, and where each "
                                     "part begins"
                               : map ? "write the sweep by hand: tensor_map() in docs/sweeps.md gives one"
                                     : "write the sweep by hand: struct { ... } in docs/sweeps.md gives one by value");
}

static int refuse_template(const rft_cuda_entry *entry, const rft_cuda_template *one, rft_err *err) {
    rft_err_set(err, RFT_E_SOURCE,
                "line %zu: the template parameter \"%.60s %.60s\" of %.60s has no value that `new` knows", entry->line,
                one->kind, one->name, entry->name);
    return rft_err_remedy(err, "give it a default in the source, or write `entry` by hand (docs/sweeps.md)");
}

static void add_fields(rft_cuda_entry *flat, const rft_cuda_param *param) {
    for (size_t i = 0; i < param->field_count; i++) {
        for (size_t e = 0; e < param->fields[i].elements && flat->param_count < RFT_CUDA_PARAMS_MAX; e++) {
            if (param->fields[i].fields && !param->fields[i].pointer) {
                add_fields(flat, &param->fields[i]);
            } else {
                flat->params[flat->param_count++] = param->fields[i];
            }
        }
    }
}

/* A pointer to a struct is one to its fields, if all are of one type without holes (a complex number), else to its
 * bytes. */
static void point_to_fields(rft_cuda_param *param) {
    rft_cuda_place places[16];
    size_t count = 0, bytes = rft_cuda_layout(param, places, 16, &count);
    bool alike = count > 0 && count < 16;
    for (size_t i = 0; i < count && alike; i++) {
        const rft_cuda_param *field = places[i].field;
        alike = !field->pointer && strcmp(field->type, places[0].field->type) == 0;
    }
    size_t each = alike ? (size_t)strtoul(places[0].field->type + 1, NULL, 10) / 8 : 0;
    if (alike && count * each == bytes) {
        param->type = places[0].field->type;
        param->lanes = (int)count;
        param->guessed = false;
    } else if (bytes > 0 && bytes <= 4096) {
        param->type = "u8";
        param->lanes = (int)bytes;
    }
}

/* Structs by value as their fields, each a parameter. */
static const rft_cuda_entry *flatten(rft_new_plan *plan, const rft_cuda_entry *entry, rft_arena *arena) {
    rft_cuda_entry *flat = rft_arena_memdup(arena, entry, sizeof *flat);
    flat->param_count = 0;
    for (size_t i = 0; i < entry->param_count && flat->param_count < RFT_CUDA_PARAMS_MAX; i++) {
        const rft_cuda_param *param = &entry->params[i];
        if (param->fields && !param->pointer) {
            plan->structs[flat->param_count] = param;
            add_fields(flat, param);
            continue;
        }
        flat->params[flat->param_count++] = *param;
        if (param->fields) {
            point_to_fields(&flat->params[flat->param_count - 1]);
        }
    }
    return flat;
}

static int check_params(const rft_cuda_entry *entry, rft_err *err) {
    size_t pointers = 0, written = 0;
    for (size_t i = 0; i < entry->param_count; i++) {
        if (!entry->params[i].type) {
            return refuse_param(entry, &entry->params[i], err);
        }
        pointers += entry->params[i].pointer;
        written += entry->params[i].pointer && entry->params[i].written_to;
    }
    if (written == 0) {
        rft_err_set(err, RFT_E_SOURCE, "line %zu: %.60s takes no pointer%s, so that no result can be looked at",
                    entry->line, entry->name, pointers ? " that it writes to" : "");
        return rft_err_remedy(err, "give it a buffer for its results");
    }
    return RFT_OK;
}

/* in_ of in, which Lua has itself; n_4 of a second n. */
static const char *spare_name(const char *name, size_t index, rft_arena *arena) {
    return rft_script_name_is_free(name) ? rft_arena_printf(arena, "%.40s_%zu", name, index + 1)
                                         : rft_arena_printf(arena, "%.50s_", name);
}

/* Names for Lua: those of the source where they can be. */
static void choose_names(rft_new_plan *plan, rft_arena *arena) {
    const rft_cuda_entry *entry = plan->kernel;
    for (size_t i = 0; i < entry->param_count; i++) {
        const char *name = entry->params[i].name;
        bool good = *name && strlen(name) < 55 && rft_script_name_is_free(name);
        for (size_t k = 0; k < i; k++) { /* structs may have fields of one name */
            good = good && strcmp(plan->names[k], name) != 0;
        }
        plan->names[i] = good ? name : *name ? spare_name(name, i, arena) : rft_arena_printf(arena, "arg%zu", i + 1);
    }
}

static bool is_type_template(const rft_cuda_template *one) {
    return rft_text_starts(one->kind, "typename") || rft_text_starts(one->kind, "class");
}

static bool is_number_template(const rft_cuda_template *one) {
    static const char *const kinds[] = {"int",         "unsigned", "unsigned int",  "size_t",  "std::size_t",
                                        "long long",   "long",     "int32_t",       "int64_t", "uint32_t",
                                        "std::size_t", "short",    "uint64_t",      "uint",    "char",
                                        "uint8_t",     "long int", "unsigned long", "auto"};
    bool number = false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        number = number || strcmp(one->kind, kinds[i]) == 0;
    }
    return number;
}

static bool is_name(const char *kind) {
    bool name = *kind != '\0';
    for (const char *c = kind; *c; c++) {
        name = name && (*c == '_' || *c == ':' || (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                        (c != kind && *c >= '0' && *c <= '9'));
    }
    return name && strcmp(kind, "typename") != 0 && strcmp(kind, "class") != 0;
}

/* A default with earlier parameters in it: float of `class Out = In`. `spelled` are those before. */
static const char *default_of(const rft_cuda_entry *entry, size_t index, const char *const *spelled, rft_arena *arena) {
    const char *at = entry->templates[index].given;
    rft_str out = RFT_STR_INIT;
    while (*at) {
        size_t length = strspn(at, NAME_CHARS), i = 0;
        while (i < index &&
               (strlen(entry->templates[i].name) != length || strncmp(entry->templates[i].name, at, length) != 0)) {
            i++;
        }
        bool whole = length > 0 && i < index && !rft_text_ends(rft_str_get(&out), "::");
        rft_str_add_n(&out, whole ? spelled[i] : at, whole ? strlen(spelled[i]) : length ? length : 1);
        at += length ? length : 1;
    }
    const char *text = rft_arena_strdup(arena, rft_str_get(&out));
    rft_str_clear(&out);
    return text;
}

/* The entry's name expression; its numbers become parameters of the sweep. */
static int spell_entry(rft_new_plan *plan, rft_arena *arena, rft_err *err) {
    const rft_cuda_entry *entry = plan->kernel;
    rft_str out = RFT_STR_INIT;
    int rc = RFT_OK;
    rft_str_addf(&out, "%s%s", entry->name, entry->template_count ? "<" : "");
    const char *spelled[RFT_CUDA_PARAMS_MAX];
    for (size_t i = 0; i < entry->template_count && rc == RFT_OK; i++) {
        const rft_cuda_template *one = &entry->templates[i];
        rft_str_add(&out, i ? ", " : "");
        size_t from = out.length;
        if (is_number_template(one) || strcmp(one->kind, "bool") == 0) {
            bool good = one->name[0] && one->name[1] && strlen(one->name) < 55 && rft_script_name_is_free(one->name) &&
                        !rft_text_starts(one->name, "_");
            const char *name =
                good ? one->name : rft_arena_printf(arena, "%.50s_value%zu", *one->name == '_' ? "" : one->name, i + 1);
            rft_new_tune(plan, *name == '_' ? name + 1 : name, one->given, strcmp(one->kind, "bool") == 0);
            rft_str_add(&out, plan->tuned[plan->tuned_count - 1].name);
        } else if (is_type_template(one) && !strstr(one->kind, "...")) {
            plan->has_type = true;
            rft_str_add(&out, one->given ? default_of(entry, i, spelled, arena) : "float");
        } else if (one->given) {
            rft_str_add(&out, default_of(entry, i, spelled, arena));
        } else if (is_name(one->kind)) { /* an enumeration's */
            plan->has_type = true;
            rft_str_addf(&out, "(%s)0", one->kind);
        } else {
            rc = refuse_template(entry, one, err);
        }
        spelled[i] = rft_arena_strdup(arena, rft_str_get(&out) + from);
    }
    rft_str_add(&out, entry->template_count ? ">" : "");
    plan->entry = rft_arena_strdup(arena, rft_str_get(&out));
    rft_str_clear(&out);
    return rc;
}

static bool is_templates(const rft_cuda_entry *entry, const char *name) {
    bool found = false;
    for (size_t i = 0; i < entry->template_count; i++) {
        found = found || strcmp(entry->templates[i].name, name) == 0;
    }
    return found;
}

static void take_macros(rft_new_plan *plan) {
    const rft_cuda_file *file = plan->request->file;
    for (size_t i = 0; i < file->macro_count; i++) {
        const rft_cuda_macro *macro = &file->macros[i];
        bool taken = macro->fixed || is_templates(plan->kernel, macro->name) ||
                     find_dimension(plan, macro->name) < plan->dimension_count || !macro->name[1] ||
                     strlen(macro->name) > 55 || rft_text_starts(macro->name, "_") ||
                     !rft_script_name_is_free(macro->name);
        if (macro->given && !*macro->given) {
            taken = true; /* an include guard, or a text as default */
        }
        if (!taken) {
            rft_new_tune(plan, macro->name, macro->given, false);
            plan->tuned[plan->tuned_count - 1].flag = macro->only_in_if;
        }
    }
}

/* All of it but the dimensions, which both kernels share. */
static int finish_plan(rft_new_plan *plan, rft_arena *arena, rft_err *err) {
    int rc = spell_entry(plan, arena, err);
    if (rc == RFT_OK) {
        take_macros(plan);
        for (size_t axis = 0; axis < 3; axis++) {
            plan->along[axis] = axis_dimension(plan, axis, arena);
        }
        rft_new_choose(plan, arena);
    }
    return rc;
}

int rft_new_same_params(const rft_cuda_entry *entry, const rft_cuda_entry *truth, rft_err *err) {
    bool same = truth->param_count == entry->param_count;
    for (size_t i = 0; i < entry->param_count && same; i++) {
        const rft_cuda_param *a = &entry->params[i], *b = &truth->params[i];
        same = a->pointer == b->pointer && rft_text_equal(a->type, b->type);
    }
    if (same) {
        return RFT_OK;
    }
    rft_err_set(err, RFT_E_USAGE, "%.60s (line %zu) and %.60s (line %zu) take other parameters", entry->name,
                entry->line, truth->name, truth->line);
    return rft_err_remedy(err, "--reference-from is for a kernel with the same parameters in the same order");
}

static int plan_truth(rft_new_plan *truth, const rft_new_plan *plan, rft_cuda_entry *entry, rft_arena *arena,
                      rft_err *err) {
    int rc = rft_new_same_params(plan->request->entry, plan->request->truth, err);
    *entry = *plan->request->truth; /* with the kernel's names: the buffers are the same ones */
    memcpy(entry->params, plan->kernel->params, sizeof entry->params);
    entry->param_count = plan->kernel->param_count;
    *truth = *plan;
    truth->kernel = entry;
    truth->tuned_count = 0;
    truth->limit = NULL;
    truth->has_type = false;
    return rc ? rc : finish_plan(truth, arena, err);
}

int rft_new_sweep(rft_str *sweep, rft_str *reference, const rft_new_request *request, rft_arena *arena, rft_err *err) {
    rft_new_plan *plan = rft_calloc(1, sizeof *plan), *truth = rft_calloc(1, sizeof *truth);
    rft_cuda_entry *entry = rft_calloc(1, sizeof *entry);
    plan->request = request;
    plan->kernel = flatten(plan, request->entry, arena);
    int rc = check_params(plan->kernel, err);
    choose_names(plan, arena);
    rc = rc ? rc : find_dimensions(plan, arena, err);
    find_counts(plan);
    rc = rc || !request->truth ? rc : plan_truth(truth, plan, entry, arena, err);
    rc = rc ? rc : finish_plan(plan, arena, err);
    if (rc == RFT_OK) {
        rft_new_write_sweep(sweep, plan, request->truth ? truth : NULL);
    }
    if (rc == RFT_OK && !request->truth) {
        rft_new_write_reference(reference, plan);
    }
    free(plan);
    free(truth);
    free(entry);
    return rc;
}
