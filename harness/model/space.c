/* SPDX-License-Identifier: Apache-2.0 */
#include "model/space.h"

#include "base/str.h"

#include <stdlib.h>
#include <string.h>

#define MAX_CONFIGURATIONS 20000000
__extension__ typedef unsigned __int128 rft_wide;

#define MAX_VALUES 65536 /* positions are uint16_t */

struct rft_space {
    const rft_sweep *sweep;
    const rft_variant *variant;
    size_t variant_index;
    uint16_t *positions; /* count * param_count, in lexicographic order */
    size_t capacity;     /* of positions, in uint16_t */
    uint64_t count;
    uint64_t cartesian;
    uint64_t *rejected; /* per constraint */
    uint64_t errors;
    char *first_error; /* NULL: none */
};

/* What the enumeration needs beside the space it fills. */
typedef struct walk {
    rft_space *space;
    const rft_value *problem;
    uint64_t max_configurations;
    size_t *level;     /* per constraint: how many parameters must be bound */
    uint64_t *subtree; /* per level: configurations below one node whose first `level` parameters are bound */
    rft_value *config;
    uint16_t *at;
    rft_err *err;
} walk;

static uint64_t multiply(uint64_t a, uint64_t b) {
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static uint64_t add(uint64_t a, uint64_t b) {
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* A constraint is applied once the last parameter it names is bound; one that names none, before the first. */
static size_t level_of(const rft_constraint *constraint) {
    size_t level = 0;
    for (size_t i = 0; i < constraint->param_count; i++) {
        if (constraint->params[i] + 1 > level) {
            level = constraint->params[i] + 1;
        }
    }
    return level;
}

static void keep_error(rft_space *space, const rft_err *raised) {
    space->errors = add(space->errors, 1);
    if (space->first_error == NULL) {
        rft_str text = RFT_STR_INIT;
        if (raised->place[0] != '\0') {
            rft_str_addf(&text, "%s: ", raised->place);
        }
        rft_str_add(&text, raised->message);
        space->first_error = rft_str_take(&text);
    }
}

/* Whether every constraint of this level holds for what is bound. 0 or a negative code (only what is not the script's
 * own error ends the enumeration). */
static int constraints_hold(walk *w, size_t level, bool *out) {
    rft_space *space = w->space;
    for (size_t i = 0; i < space->variant->constraint_count; i++) {
        if (w->level[i] != level) {
            continue;
        }
        bool holds = false;
        rft_err raised = RFT_ERR_INIT;
        int code = space->sweep->vt->constraint(space->sweep->self, space->variant_index, i, w->problem, w->config,
                                                &holds, &raised);
        if (code == RFT_E_SCRIPT) {
            keep_error(space, &raised);
            holds = false;
        } else if (code != 0) {
            if (w->err != NULL) {
                *w->err = raised;
            }
            return code;
        }
        if (!holds) {
            space->rejected[i] = add(space->rejected[i], w->subtree[level]);
            *out = false;
            return 0;
        }
    }
    *out = true;
    return 0;
}

static int keep_configuration(walk *w) {
    rft_space *space = w->space;
    size_t params = space->variant->param_count;
    if (space->count >= w->max_configurations) {
        rft_err_set(w->err, RFT_E_LIMIT, "%s: more than %llu valid configurations", space->variant->name,
                    (unsigned long long)w->max_configurations);
        rft_err_remedy(w->err, "tune fewer values, or add constraints to `where`");
        return RFT_E_LIMIT;
    }
    size_t used = (size_t)space->count * params;
    RFT_GROW(space->positions, space->capacity, used + params);
    if (params > 0) {
        memcpy(space->positions + used, w->at, params * sizeof *w->at);
    }
    space->count++;
    return 0;
}

static int descend(walk *w, size_t level) {
    bool holds;
    int code = constraints_hold(w, level, &holds);
    if (code != 0 || !holds) {
        return code;
    }
    const rft_variant *variant = w->space->variant;
    if (level == variant->param_count) {
        return keep_configuration(w);
    }
    const rft_param *param = &variant->params[level];
    for (size_t i = 0; i < param->value_count; i++) {
        w->at[level] = (uint16_t)i;
        w->config[level] = param->values[i];
        code = descend(w, level + 1);
        if (code != 0) {
            return code;
        }
    }
    return 0;
}

static int check_limits(const rft_variant *variant, rft_err *err) {
    for (size_t i = 0; i < variant->param_count; i++) {
        if (variant->params[i].value_count > MAX_VALUES) {
            rft_err_set(err, RFT_E_LIMIT, "%s: parameter %s has %zu values, at most %d can be tried", variant->name,
                        variant->params[i].name, variant->params[i].value_count, MAX_VALUES);
            rft_err_remedy(err, "use a coarser range");
            return RFT_E_LIMIT;
        }
    }
    return 0;
}

static int enumerate(rft_space *space, const rft_value *problem, uint64_t max_configurations, rft_err *err) {
    const rft_variant *variant = space->variant;
    walk w = {.space = space, .problem = problem, .max_configurations = max_configurations, .err = err};
    w.level = rft_calloc(variant->constraint_count + 1, sizeof *w.level);
    w.subtree = rft_calloc(variant->param_count + 1, sizeof *w.subtree);
    w.config = rft_calloc(variant->param_count + 1, sizeof *w.config);
    w.at = rft_calloc(variant->param_count + 1, sizeof *w.at);
    for (size_t i = 0; i < variant->constraint_count; i++) {
        w.level[i] = level_of(&variant->constraints[i]);
    }
    w.subtree[variant->param_count] = 1;
    for (size_t i = variant->param_count; i > 0; i--) {
        w.subtree[i - 1] = multiply(w.subtree[i], variant->params[i - 1].value_count);
        /* Constraints may look only at what they name, yet an unbound entry is never left unreadable. */
        w.config[i - 1] = variant->params[i - 1].default_value;
    }
    space->cartesian = w.subtree[0];
    int code = descend(&w, 0);
    free(w.level);
    free(w.subtree);
    free(w.config);
    free(w.at);
    return code;
}

int rft_space_new(rft_space **out, const rft_sweep *sweep, size_t variant, const rft_value *problem,
                  const rft_space_opts *opts, rft_err *err) {
    *out = NULL;
    int code = check_limits(&sweep->variants[variant], err);
    if (code != 0) {
        return code;
    }
    rft_space *space = rft_alloc(sizeof *space);
    space->sweep = sweep;
    space->variant = &sweep->variants[variant];
    space->variant_index = variant;
    space->rejected = rft_calloc(space->variant->constraint_count + 1, sizeof *space->rejected);
    RFT_GROW(space->positions, space->capacity, 1); /* never NULL, even with nothing in it */
    uint64_t max = opts && opts->max_configurations > 0 ? opts->max_configurations : MAX_CONFIGURATIONS;
    code = enumerate(space, problem, max, err);
    if (code != 0) {
        rft_space_free(space);
        return code;
    }
    *out = space;
    return 0;
}

void rft_space_free(rft_space *space) {
    if (space != NULL) {
        free(space->positions);
        free(space->rejected);
        free(space->first_error);
        free(space);
    }
}

const rft_variant *rft_space_variant(const rft_space *space) {
    return space->variant;
}

uint64_t rft_space_cartesian(const rft_space *space) {
    return space->cartesian;
}

uint64_t rft_space_count(const rft_space *space) {
    return space->count;
}

static const uint16_t *stored(const rft_space *space, uint64_t index) {
    return space->positions + (size_t)index * space->variant->param_count;
}

void rft_space_positions(const rft_space *space, uint64_t index, uint16_t *out) {
    memcpy(out, stored(space, index), space->variant->param_count * sizeof *out);
}

void rft_space_get(const rft_space *space, uint64_t index, rft_value *out) {
    const uint16_t *at = stored(space, index);
    for (size_t i = 0; i < space->variant->param_count; i++) {
        out[i] = space->variant->params[i].values[at[i]];
    }
}

static int compare_positions(const uint16_t *a, const uint16_t *b, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (a[i] != b[i]) {
            return a[i] < b[i] ? -1 : 1;
        }
    }
    return 0;
}

/* Positions of the values in their lists; false when one is not in it. */
static bool positions_of(const rft_variant *variant, const rft_value *values, uint16_t *out) {
    for (size_t i = 0; i < variant->param_count; i++) {
        const rft_param *param = &variant->params[i];
        size_t at = 0;
        while (at < param->value_count && !rft_value_equal(&param->values[at], &values[i])) {
            at++;
        }
        if (at == param->value_count) {
            return false;
        }
        out[i] = (uint16_t)at;
    }
    return true;
}

uint64_t rft_space_rank(const rft_space *space, const uint16_t *positions) {
    uint64_t low = 0, high = space->count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        int order = compare_positions(stored(space, middle), positions, space->variant->param_count);
        if (order == 0) {
            return middle;
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return UINT64_MAX;
}

uint64_t rft_space_find(const rft_space *space, const rft_value *values) {
    uint16_t *wanted = rft_calloc(space->variant->param_count + 1, sizeof *wanted);
    uint64_t found = positions_of(space->variant, values, wanted) ? rft_space_rank(space, wanted) : UINT64_MAX;
    free(wanted);
    return found;
}

bool rft_space_exact(const rft_space *space) {
    (void)space;
    return true;
}

const char *rft_space_count_basis(const rft_space *space) {
    (void)space;
    return "exact";
}

uint64_t rft_space_index_end(const rft_space *space) {
    return space->count;
}

uint64_t rft_space_sample(const rft_space *space, uint64_t random64) {
    return space->count == 0 ? UINT64_MAX : (uint64_t)(((rft_wide)random64 * space->count) >> 64);
}

static int ascending(const void *a, const void *b) {
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return left < right ? -1 : left > right;
}

size_t rft_space_neighbours(const rft_space *space, uint64_t index, rft_space_near near, uint64_t *out, size_t most) {
    size_t params = space->variant->param_count, count = 0, room = 0;
    uint16_t *at = rft_calloc(params + 1, sizeof *at);
    for (size_t i = 0; i < params; i++) {
        room += space->variant->params[i].value_count;
    }
    uint64_t *found = rft_calloc(room + 1, sizeof *found);
    rft_space_positions(space, index, at);
    for (size_t i = 0; i < params; i++) {
        size_t own = at[i], values = space->variant->params[i].value_count;
        size_t first = near == RFT_SPACE_HAMMING ? 0 : own - (own > 0);
        size_t end = near == RFT_SPACE_HAMMING || own + 2 > values ? values : own + 2;
        for (size_t v = first; v < end; v++) {
            at[i] = (uint16_t)v;
            uint64_t rank = v == own ? UINT64_MAX : rft_space_rank(space, at);
            if (rank != UINT64_MAX) {
                found[count++] = rank;
            }
        }
        at[i] = (uint16_t)own;
    }
    qsort(found, count, sizeof *found, ascending);
    memcpy(out, found, (count < most ? count : most) * sizeof *out);
    free(found);
    free(at);
    return count;
}

uint64_t rft_space_rejected(const rft_space *space, size_t constraint) {
    return space->rejected[constraint];
}

uint64_t rft_space_errors(const rft_space *space) {
    return space->errors;
}

const char *rft_space_first_error(const rft_space *space) {
    return space->first_error ? space->first_error : "";
}
