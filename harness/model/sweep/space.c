/* SPDX-License-Identifier: Apache-2.0 */
/* space.c - from a sweep to the parts of a space; what to leave out of the diagrams when they grow too large. */
#include "model/sweep/space.h"

#include "base/hash.h"
#include "model/sweep/space_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_VALUES 65536 /* positions are uint16_t */
#define MAX_EDGES 4194304
#define MAX_STEPS (UINT64_C(1) << 25) /* values tried of one part; seconds */
#define DRAWS 10000                   /* for an estimate */
#define DRAWS_MAX 1000000             /* until the first valid one */

__extension__ typedef unsigned __int128 wide;

static uint64_t multiply(uint64_t a, uint64_t b) {
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static int check_limits(const rft_variant *variant, rft_err *err) {
    if (variant->param_count > RFT_SPACE_PARAMS_MAX) {
        return rft_err_set(err, RFT_E_LIMIT, "%s: %zu parameters, at most %d can be tuned", variant->name,
                           variant->param_count, RFT_SPACE_PARAMS_MAX);
    }
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

/* ---- what stays out of the diagrams ---- */

bool rft_space_leftovers_hold(const rft_space *space, const uint16_t *at) {
    size_t params = space->variant->param_count;
    rft_value *config = rft_calloc(params + 1, sizeof *config);
    rft_space_judge judge = {.of = space, .at = at, .config = config};
    bool holds = true;
    for (size_t i = 0; i < params; i++) {
        config[i] = space->variant->params[i].values[at[i]];
    }
    for (size_t i = 0; i < space->leftover_count && holds; i++) {
        if (rft_space_judge_one(&judge, space->leftovers[i], &holds) != 0) {
            holds = false;
        }
    }
    free(config);
    return holds;
}

/* Draws until the share of valid ones is known well enough, or hope is lost. */
static int estimate(rft_space *space, rft_err *err) {
    uint64_t random = 1, drawn = 0, valid = 0;
    uint16_t at[RFT_SPACE_PARAMS_MAX];
    while (drawn < DRAWS || (valid == 0 && drawn < DRAWS_MAX)) {
        rft_space_positions(space, rft_random_below(&random, space->end), at);
        valid += rft_space_leftovers_hold(space, at);
        drawn++;
    }
    if (valid == 0) {
        rft_err_set(err, RFT_E_LIMIT,
                    "%s: the space is too large to be counted, and none of %d configurations drawn from it is valid",
                    space->variant->name, DRAWS_MAX);
        rft_err_remedy(err, "constraints on few parameters each can be counted; try fewer values first");
        return RFT_E_LIMIT;
    }
    double share = (double)valid / (double)drawn;
    space->count = (uint64_t)(((wide)space->end * (uint64_t)ceil(share * 4294967296.0)) >> 32);
    space->count = space->count ? space->count : 1;
    snprintf(space->basis, sizeof space->basis, "estimated: %llu of %llu drawn are valid", (unsigned long long)valid,
             (unsigned long long)drawn);
    return 0;
}

/* ---- parts ---- */

typedef struct making {
    rft_space *space;
    bool *used;   /* per constraint: in a diagram */
    size_t *root; /* per parameter: of its part (union-find) */
    uint64_t max_edges, max_steps;
    bool overflow;
    rft_err *err;
} making;

static bool is_tuned(const rft_space *space, size_t param) {
    return space->variant->params[param].value_count > 1;
}

static size_t find_root(size_t *root, size_t param) {
    while (root[param] != param) {
        param = root[param] = root[root[param]];
    }
    return param;
}

/* The first parameter with several values that a constraint names; SIZE_MAX when there is none. */
static size_t first_param(const rft_space *space, const rft_constraint *c) {
    size_t first = SIZE_MAX;
    for (size_t i = 0; i < c->param_count; i++) {
        if (is_tuned(space, c->params[i]) && c->params[i] < first) {
            first = c->params[i];
        }
    }
    return first;
}

static void link_params(making *m) {
    const rft_variant *variant = m->space->variant;
    for (size_t i = 0; i < variant->param_count; i++) {
        m->root[i] = i;
    }
    for (size_t c = 0; c < variant->constraint_count; c++) {
        const rft_constraint *constraint = &variant->constraints[c];
        size_t first = first_param(m->space, constraint);
        for (size_t i = 0; i < constraint->param_count && m->used[c]; i++) {
            if (is_tuned(m->space, constraint->params[i])) {
                size_t a = find_root(m->root, first), b = find_root(m->root, constraint->params[i]);
                m->root[a < b ? b : a] = a < b ? a : b;
            }
        }
    }
}

static void clear_parts(rft_space *space) {
    for (size_t i = 0; i < space->part_count; i++) {
        rft_space_part_clear(&space->parts[i]);
        free(space->parts[i].params);
    }
    space->part_count = 0;
}

/* The constraint to do without: what links most parameters; the later one where several do. */
static void leave_out(making *m, const rft_space_build *build) {
    const rft_variant *variant = m->space->variant;
    size_t worst = build->constraints[0];
    for (size_t i = 1; i < build->constraint_count; i++) {
        size_t c = build->constraints[i];
        if (variant->constraints[c].param_count >= variant->constraints[worst].param_count) {
            worst = c;
        }
    }
    m->used[worst] = false;
    m->max_steps = MAX_STEPS / 4;
}

/* In the order of parameters, else in one that binds constraints earlier. */
static int make_part(making *m, rft_space_part *part) {
    const rft_variant *variant = m->space->variant;
    size_t *constraints = rft_calloc(variant->constraint_count + 1, sizeof *constraints);
    rft_space_build build = {.space = m->space,
                             .part = part,
                             .constraints = constraints,
                             .max_edges = part->param_count > 1 ? m->max_edges : MAX_VALUES,
                             .max_steps = m->max_steps,
                             .err = m->err};
    for (size_t c = 0; c < variant->constraint_count; c++) {
        size_t first = first_param(m->space, &variant->constraints[c]);
        if (m->used[c] && first != SIZE_MAX && find_root(m->root, first) == find_root(m->root, part->params[0])) {
            constraints[build.constraint_count++] = c;
        }
    }
    int code = rft_space_part_make(&build);
    if (code == 0 && build.overflow) {
        rft_space_part_reorder(&build);
        bool reordered = part->reordered;
        code = reordered ? rft_space_part_make(&build) : 0;
        part->reordered = reordered;
    }
    if (code == 0 && build.overflow) {
        leave_out(m, &build);
        m->overflow = true;
    }
    free(constraints);
    return code;
}

static int make_parts(making *m) {
    rft_space *space = m->space;
    const rft_variant *variant = space->variant;
    uint64_t edges = m->max_edges;
    int code = 0;
    m->overflow = false;
    link_params(m);
    clear_parts(space);
    for (size_t i = 0; i < variant->param_count && code == 0 && !m->overflow; i++) {
        if (!is_tuned(space, i) || find_root(m->root, i) != i) {
            continue;
        }
        rft_space_part *part = &space->parts[space->part_count++];
        *part = (rft_space_part){.root = RFT_SPACE_NO_NODE};
        part->params = rft_calloc(variant->param_count, sizeof *part->params);
        for (size_t p = i; p < variant->param_count; p++) {
            if (is_tuned(space, p) && find_root(m->root, p) == i) {
                part->params[part->param_count++] = p;
            }
        }
        code = make_part(m, part);
        m->max_edges -= part->edge_count < m->max_edges ? part->edge_count : m->max_edges;
        if (code == 0 && !m->overflow && part->count == 0) {
            break; /* nothing is valid, whatever the others hold */
        }
    }
    m->max_edges = edges;
    return code;
}

/* Every parameter at the place where indices count it. */
static void order_steps(rft_space *space, size_t *root) {
    bool *placed = rft_calloc(space->part_count + 1, sizeof *placed);
    for (size_t param = 0; param < space->variant->param_count; param++) {
        size_t part = 0;
        while (part < space->part_count && find_root(root, space->parts[part].params[0]) != find_root(root, param)) {
            part++;
        }
        if (!is_tuned(space, param) || part == space->part_count || placed[part]) {
            continue;
        }
        if (!space->parts[part].reordered) {
            space->steps[space->step_count++] = (rft_space_step){part, param};
            continue;
        }
        placed[part] = true;
        for (size_t i = 0; i < space->parts[part].param_count; i++) {
            space->steps[space->step_count++] = (rft_space_step){part, space->parts[part].params[i]};
        }
    }
    free(placed);
}

/* Constraints on nothing that is tuned hold or do not. */
static int judge_fixed(making *m, bool *holds) {
    const rft_variant *variant = m->space->variant;
    rft_value *config = rft_calloc(variant->param_count + 1, sizeof *config);
    rft_space_judge judge = {.space = m->space, .of = m->space, .config = config, .err = m->err};
    int code = 0;
    *holds = true;
    for (size_t i = 0; i < variant->param_count; i++) {
        *holds = *holds && variant->params[i].value_count > 0;
        config[i] =
            variant->params[i].value_count == 1 ? variant->params[i].values[0] : variant->params[i].default_value;
    }
    for (size_t c = 0; c < variant->constraint_count && code == 0 && *holds; c++) {
        if (m->used[c] && first_param(m->space, &variant->constraints[c]) == SIZE_MAX) {
            code = rft_space_judge_one(&judge, c, holds);
        }
    }
    free(config);
    return code;
}

static int count_all(making *m) {
    rft_space *space = m->space;
    bool empty = false;
    uint64_t product = 1;
    for (size_t i = 0; i < space->part_count; i++) {
        empty = empty || space->parts[i].count == 0;
        product = multiply(product, space->parts[i].count);
    }
    if (!empty && product == UINT64_MAX) {
        rft_err_set(m->err, RFT_E_LIMIT, "%s: more valid configurations than 64 bits can count", space->variant->name);
        rft_err_remedy(m->err, "tune fewer values, or add constraints to `where`");
        return RFT_E_LIMIT;
    }
    space->end = space->count = empty ? 0 : product;
    snprintf(space->basis, sizeof space->basis, "exact");
    for (size_t c = 0; c < space->variant->constraint_count && !empty; c++) {
        if (!m->used[c] && first_param(space, &space->variant->constraints[c]) != SIZE_MAX) {
            space->leftovers[space->leftover_count++] = c;
        }
    }
    return space->leftover_count > 0 ? estimate(space, m->err) : 0;
}

static int make(making *m, const bool *unused) {
    rft_space *space = m->space;
    bool holds = true;
    int code = judge_fixed(m, &holds);
    if (code != 0 || !holds) {
        snprintf(space->basis, sizeof space->basis, "exact");
        return code;
    }
    uint64_t errors = space->errors;
    do {
        space->errors = errors; /* of the last attempt alone */
        code = make_parts(m);
    } while (code == 0 && m->overflow);
    if (code == 0) {
        order_steps(space, m->root);
        for (size_t c = 0; unused && c < space->variant->constraint_count; c++) {
            m->used[c] = m->used[c] || unused[c]; /* not left over, but not wanted */
        }
        code = count_all(m);
    }
    return code;
}

int rft_space_new(rft_space **out, const rft_sweep *sweep, size_t variant, const rft_value *problem,
                  const rft_space_opts *opts, rft_err *err) {
    const rft_variant *of = &sweep->variants[variant];
    *out = NULL;
    int code = check_limits(of, err);
    if (code != 0) {
        return code;
    }
    rft_space *space = rft_alloc(sizeof *space);
    *space = (rft_space){.sweep = sweep, .variant = of, .variant_index = variant, .problem = problem, .cartesian = 1};
    space->parts = rft_calloc(of->param_count + 1, sizeof *space->parts);
    space->steps = rft_calloc(of->param_count + 1, sizeof *space->steps);
    space->leftovers = rft_calloc(of->constraint_count + 1, sizeof *space->leftovers);
    for (size_t i = 0; i < of->param_count; i++) {
        space->cartesian = multiply(space->cartesian, of->params[i].value_count);
    }
    making m = {.space = space, .max_edges = MAX_EDGES, .max_steps = MAX_STEPS, .err = err};
    m.max_edges = opts && opts->max_edges > 0 ? opts->max_edges : MAX_EDGES;
    m.used = rft_calloc(of->constraint_count + 1, sizeof *m.used);
    m.root = rft_calloc(of->param_count + 1, sizeof *m.root);
    const bool *unused = opts ? opts->unused : NULL;
    for (size_t c = 0; c < of->constraint_count; c++) {
        m.used[c] = !unused || !unused[c];
    }
    code = make(&m, unused);
    free(m.used);
    free(m.root);
    if (code != 0) {
        rft_space_free(space);
        return code;
    }
    *out = space;
    return 0;
}

void rft_space_free(rft_space *space) {
    if (space != NULL) {
        clear_parts(space);
        free(space->parts);
        free(space->steps);
        free(space->leftovers);
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

uint64_t rft_space_index_end(const rft_space *space) {
    return space->end;
}

bool rft_space_exact(const rft_space *space) {
    return space->leftover_count == 0;
}

const char *rft_space_count_basis(const rft_space *space) {
    return space->basis;
}

size_t rft_space_size_bytes(const rft_space *space) {
    size_t bytes = sizeof *space;
    for (size_t i = 0; i < space->part_count; i++) {
        bytes += space->parts[i].node_room * sizeof(rft_space_node);
        bytes += space->parts[i].edge_room * sizeof(rft_space_edge);
    }
    return bytes;
}

uint64_t rft_space_errors(const rft_space *space) {
    return space->errors;
}

const char *rft_space_first_error(const rft_space *space) {
    return space->first_error ? space->first_error : "";
}
