/* SPDX-License-Identifier: Apache-2.0 */
/* space_parts.h - how a space is stored and made. Private to space*.c. */
#ifndef RFT_MODEL_SPACE_PARTS_H
#define RFT_MODEL_SPACE_PARTS_H

#include "model/sweep/space.h"

#define RFT_SPACE_PARAMS_MAX 1024
#define RFT_SPACE_NO_NODE UINT32_MAX

/* One value of the parameter of a level. Ascending by `at` within a node. */
typedef struct rft_space_edge {
    uint64_t before; /* configurations of the node that come before this value's */
    uint32_t child;
    uint16_t at;
} rft_space_edge;

typedef struct rft_space_node {
    uint64_t count; /* configurations below */
    uint32_t first, edges;
} rft_space_node;

/* Parameters that constraints link, and the diagram of what is valid of them. Node 0 is the end of every path. */
typedef struct rft_space_part {
    size_t *params; /* in the order of levels */
    size_t param_count;
    bool reordered; /* the levels do not follow the order of parameters */
    rft_space_node *nodes;
    size_t node_count, node_room;
    rft_space_edge *edges;
    size_t edge_count, edge_room;
    uint32_t root;  /* RFT_SPACE_NO_NODE: nothing is valid */
    uint64_t count; /* saturates */
} rft_space_part;

/* Where in the diagrams a parameter is decided. */
typedef struct rft_space_step {
    size_t part, param;
} rft_space_step;

struct rft_space {
    const rft_sweep *sweep;
    const rft_variant *variant;
    size_t variant_index;
    const rft_value *problem; /* borrowed */
    rft_space_part *parts;
    size_t part_count;
    rft_space_step *steps; /* of every parameter with several values, in the order of indices */
    size_t step_count;
    size_t *leftovers; /* constraints that are in no diagram */
    size_t leftover_count;
    uint64_t cartesian, count, end;
    char basis[64];
    uint64_t errors;
    char *first_error; /* NULL: none */
};

/* A constraint within the part it belongs to: which of its parameters is bound last, and answers already known. */
typedef struct rft_space_rule {
    size_t constraint;
    size_t *params; /* those with several values, ascending by level */
    size_t param_count;
    rft_expr_code *code; /* NULL: values are tried one by one */
    uint16_t *slot_at;   /* per slot of the expression: position of its value */
    uint64_t row_count;  /* of known and truth; 0: too many to keep */
    uint64_t *known, *truth;
    uint64_t *saved; /* the mask of the last parameter before this rule was applied */
    size_t words;
} rft_space_rule;

/* What evaluating constraints needs. */
typedef struct rft_space_judge {
    rft_space *space; /* errors are kept there; NULL in `quiet` use */
    const rft_space *of;
    const uint16_t *at; /* per parameter; of what is bound */
    rft_value *config;  /* the values at these positions */
    uint64_t calls;     /* into the script */
    uint64_t rows;      /* evaluated, not looked up */
    rft_err *err;
} rft_space_judge;

/* `params` ascending by level, at least one. */
void rft_space_rule_open(rft_space_rule *rule, const rft_space *space, size_t constraint, const size_t *params,
                         size_t count);
void rft_space_rule_close(rft_space_rule *rule);
/* For which of the `wanted` values 64 * word + i of the rule's last parameter it holds. 0 or a negative code that is
 * not the script's own error. */
int rft_space_rule_row(rft_space_rule *rule, rft_space_judge *judge, size_t word, uint64_t wanted, uint64_t *holds);
/* Whether a constraint holds for the judge's configuration. */
int rft_space_judge_one(rft_space_judge *judge, size_t constraint, bool *holds);

typedef struct rft_space_build {
    rft_space *space;
    rft_space_part *part;
    const size_t *constraints; /* of this part, in the sweep's order */
    size_t constraint_count;
    uint64_t max_edges, max_steps;
    bool overflow; /* out: a limit was reached */
    rft_err *err;
} rft_space_build;
/* Makes the diagram of build->part from its params. 0, also on overflow; or a negative code. */
int rft_space_part_make(rft_space_build *build);
void rft_space_part_clear(rft_space_part *part); /* keeps params */

/* Orders a part's parameters so that constraints are decided early. */
void rft_space_part_reorder(const rft_space_build *build);

/* Whether the constraints left out of the diagrams hold. */
bool rft_space_leftovers_hold(const rft_space *space, const uint16_t *at);

#endif
