/* SPDX-License-Identifier: Apache-2.0 */
/* space_order.c - an order of a part's parameters in which constraints are decided early. */
#include "model/sweep/space_parts.h"

#include <math.h>
#include <stdlib.h>

typedef struct ordering {
    const rft_space_build *build;
    bool *bound; /* per parameter of the variant */
} ordering;

static const rft_constraint *constraint_at(const ordering *o, size_t i) {
    return &o->build->space->variant->constraints[o->build->constraints[i]];
}

static bool is_tuned(const ordering *o, size_t param) {
    return o->build->space->variant->params[param].value_count > 1;
}

static bool is_open(const ordering *o, const rft_constraint *c) {
    for (size_t i = 0; i < c->param_count; i++) {
        if (!o->bound[c->params[i]] && is_tuned(o, c->params[i])) {
            return true;
        }
    }
    return false;
}

/* How many ways the bound parameters of unfinished constraints can be combined (its logarithm): as many subtrees may
 * differ. */
static double width(const ordering *o) {
    size_t params = o->build->space->variant->param_count;
    bool *counted = rft_calloc(params + 1, sizeof *counted);
    double sum = 0;
    for (size_t i = 0; i < o->build->constraint_count; i++) {
        const rft_constraint *c = constraint_at(o, i);
        bool open = is_open(o, c);
        for (size_t k = 0; k < c->param_count && open; k++) {
            size_t param = c->params[k];
            if (o->bound[param] && is_tuned(o, param) && !counted[param]) {
                counted[param] = true;
                sum += log2((double)o->build->space->variant->params[param].value_count);
            }
        }
    }
    free(counted);
    return sum;
}

/* Greedily: next is what leaves the fewest subtrees to tell apart; the earlier parameter where several do. */
void rft_space_part_reorder(const rft_space_build *build) {
    rft_space_part *part = build->part;
    size_t count = part->param_count;
    ordering o = {.build = build};
    o.bound = rft_calloc(build->space->variant->param_count + 1, sizeof *o.bound);
    for (size_t place = 0; place < count; place++) {
        size_t best = place;
        double least = (double)INFINITY;
        for (size_t i = place; i < count; i++) {
            o.bound[part->params[i]] = true;
            double now = width(&o);
            o.bound[part->params[i]] = false;
            if (now < least) {
                least = now;
                best = i;
            }
        }
        size_t chosen = part->params[best];
        for (size_t i = best; i > place; i--) {
            part->params[i] = part->params[i - 1];
        }
        part->params[place] = chosen;
        o.bound[chosen] = true;
        part->reordered = part->reordered || best != place;
    }
    free(o.bound);
}
