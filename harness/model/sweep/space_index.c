/* SPDX-License-Identifier: Apache-2.0 */
/* space_index.c - indices, positions and samples: walks through the diagrams of a space that is there. */
#include "base/hash.h"
#include "model/sweep/space_parts.h"

#include <stdlib.h>
#include <string.h>

#define DRAWS_MAX 1000000

__extension__ typedef unsigned __int128 wide;

static const rft_space_edge *first_edge(const rft_space_part *part, uint32_t node) {
    return part->edges + part->nodes[node].first;
}

/* ---- index to positions ---- */

/* The edge that holds the `rest`-th configuration below a node. */
static const rft_space_edge *edge_with(const rft_space_part *part, uint32_t node, uint64_t rest) {
    const rft_space_edge *edges = first_edge(part, node);
    size_t low = 0, high = part->nodes[node].edges;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (edges[middle].before <= rest) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return &edges[low];
}

static void start(const rft_space *space, uint32_t *nodes) {
    for (size_t i = 0; i < space->part_count; i++) {
        nodes[i] = space->parts[i].root;
    }
}

void rft_space_positions(const rft_space *space, uint64_t index, uint16_t *out) {
    uint32_t nodes[RFT_SPACE_PARAMS_MAX];
    uint64_t others = space->end; /* combinations of the parts with what is bound */
    start(space, nodes);
    for (size_t i = 0; i < space->variant->param_count; i++) {
        out[i] = 0;
    }
    for (size_t i = 0; i < space->step_count; i++) {
        const rft_space_step *step = &space->steps[i];
        const rft_space_part *part = &space->parts[step->part];
        uint32_t *node = &nodes[step->part];
        others /= part->nodes[*node].count;
        const rft_space_edge *edge = edge_with(part, *node, index / others);
        index -= edge->before * others;
        out[step->param] = edge->at;
        *node = edge->child;
        others *= part->nodes[*node].count;
    }
}

void rft_space_get(const rft_space *space, uint64_t index, rft_value *out) {
    uint16_t at[RFT_SPACE_PARAMS_MAX];
    rft_space_positions(space, index, at);
    for (size_t i = 0; i < space->variant->param_count; i++) {
        out[i] = space->variant->params[i].values[at[i]];
    }
}

/* ---- and back ---- */

/* NULL when the value is not valid below the node. */
static const rft_space_edge *edge_at(const rft_space_part *part, uint32_t node, uint16_t at) {
    const rft_space_edge *edges = first_edge(part, node);
    size_t low = 0, high = part->nodes[node].edges;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (edges[middle].at == at) {
            return &edges[middle];
        }
        if (edges[middle].at < at) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return NULL;
}

/* Where the configuration stands among all that the diagrams hold. */
static uint64_t place_of(const rft_space *space, const uint16_t *positions) {
    uint32_t nodes[RFT_SPACE_PARAMS_MAX];
    uint64_t index = 0, others = space->end;
    if (space->end == 0) {
        return UINT64_MAX;
    }
    start(space, nodes);
    for (size_t i = 0; i < space->step_count; i++) {
        const rft_space_step *step = &space->steps[i];
        const rft_space_part *part = &space->parts[step->part];
        uint32_t *node = &nodes[step->part];
        const rft_space_edge *edge = edge_at(part, *node, positions[step->param]);
        if (edge == NULL) {
            return UINT64_MAX;
        }
        others /= part->nodes[*node].count;
        index += edge->before * others;
        *node = edge->child;
        others *= part->nodes[*node].count;
    }
    return index;
}

uint64_t rft_space_rank(const rft_space *space, const uint16_t *positions) {
    for (size_t i = 0; i < space->variant->param_count; i++) {
        if (positions[i] >= space->variant->params[i].value_count) {
            return UINT64_MAX;
        }
    }
    uint64_t index = place_of(space, positions);
    if (index != UINT64_MAX && space->leftover_count > 0 && !rft_space_leftovers_hold(space, positions)) {
        return UINT64_MAX;
    }
    return index;
}

uint64_t rft_space_find(const rft_space *space, const rft_value *values) {
    uint16_t at[RFT_SPACE_PARAMS_MAX];
    for (size_t i = 0; i < space->variant->param_count; i++) {
        const rft_param *param = &space->variant->params[i];
        size_t place = 0;
        while (place < param->value_count && !rft_value_equal(&param->values[place], &values[i])) {
            place++;
        }
        if (place == param->value_count) {
            return UINT64_MAX;
        }
        at[i] = (uint16_t)place;
    }
    return rft_space_rank(space, at);
}

/* ---- many in a row ---- */

/* A path through all steps: the edge taken at each, and where the part stood before it. */
typedef struct path {
    const rft_space *space;
    const rft_space_edge **taken, **past; /* per step; past: behind the last edge of the node */
    size_t *before;                       /* per step: the step of the same part before it, + 1; 0 = none */
    uint16_t *at;
} path;

static uint32_t node_at(const path *p, size_t step) {
    return p->before[step] ? p->taken[p->before[step] - 1]->child : p->space->parts[p->space->steps[step].part].root;
}

static void take_edge(path *p, size_t step, const rft_space_edge *edge) {
    p->taken[step] = edge;
    p->at[p->space->steps[step].param] = edge->at;
}

/* Takes the first edge of every step from `step` on. */
static void take_first(path *p, size_t step) {
    for (; step < p->space->step_count; step++) {
        const rft_space_part *part = &p->space->parts[p->space->steps[step].part];
        uint32_t node = node_at(p, step);
        const rft_space_edge *edges = first_edge(part, node);
        p->past[step] = edges + part->nodes[node].edges;
        take_edge(p, step, edges);
    }
}

/* To the next configuration; false behind the last. */
static bool go_on(path *p) {
    size_t step = p->space->step_count;
    while (step > 0 && p->taken[step - 1] + 1 == p->past[step - 1]) {
        step--;
    }
    if (step == 0) {
        return false;
    }
    take_edge(p, step - 1, p->taken[step - 1] + 1);
    take_first(p, step);
    return true;
}

static void open_path(path *p, const rft_space *space, uint64_t first) {
    size_t steps = space->step_count;
    size_t *latest = rft_calloc(space->part_count + 1, sizeof *latest);
    p->space = space;
    p->taken = rft_calloc(steps + 1, sizeof(rft_space_edge *));
    p->past = rft_calloc(steps + 1, sizeof(rft_space_edge *));
    p->before = rft_calloc(steps + 1, sizeof *p->before);
    p->at = rft_calloc(space->variant->param_count + 1, sizeof *p->at);
    rft_space_positions(space, first, p->at);
    for (size_t i = 0; i < steps; i++) {
        size_t of = space->steps[i].part;
        const rft_space_part *part = &space->parts[of];
        p->before[i] = latest[of];
        latest[of] = i + 1;
        uint32_t node = node_at(p, i);
        p->past[i] = first_edge(part, node) + part->nodes[node].edges;
        take_edge(p, i, edge_at(part, node, p->at[space->steps[i].param]));
    }
    free(latest);
}

size_t rft_space_list(const rft_space *space, uint64_t first, size_t count, uint16_t *out) {
    size_t params = space->variant->param_count, listed = 0;
    path p = {0};
    if (first >= space->end || count == 0) {
        return 0;
    }
    open_path(&p, space, first);
    do {
        memcpy(out + listed * params, p.at, params * sizeof *out);
        listed++;
    } while (listed < count && go_on(&p));
    free(p.taken);
    free(p.past);
    free(p.before);
    free(p.at);
    return listed;
}

/* ---- samples ---- */

uint64_t rft_space_sample(const rft_space *space, uint64_t random64) {
    if (space->end == 0) {
        return UINT64_MAX;
    }
    if (space->leftover_count == 0) {
        return (uint64_t)(((wide)random64 * space->end) >> 64);
    }
    uint16_t at[RFT_SPACE_PARAMS_MAX];
    for (int i = 0; i < DRAWS_MAX; i++) {
        uint64_t index = (uint64_t)(((wide)rft_random_next(&random64) * space->end) >> 64);
        rft_space_positions(space, index, at);
        if (rft_space_leftovers_hold(space, at)) {
            return index;
        }
    }
    return UINT64_MAX;
}
