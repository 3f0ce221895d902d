/* SPDX-License-Identifier: Apache-2.0 */
/*
 * space_part.c - the decision diagram of one part, depth first.
 *
 * Every unbound parameter has a mask of the values still allowed. As soon as all parameters of a constraint but its
 * last are bound, the mask of the last one is narrowed: that binds constraints as early as can be, and an empty mask
 * ends the subtree whatever stands between. A subtree depends only on those bound parameters that unfinished
 * constraints name; it is looked up by their values, and stored once if another one is equal.
 */
#include "base/hash.h"
#include "model/sweep/space_parts.h"

#include <stdlib.h>
#include <string.h>

#define LANES 64

typedef struct memo_entry {
    uint64_t key;
    uint32_t node; /* RFT_SPACE_NO_NODE: nothing valid */
    bool used;
} memo_entry;

typedef struct memo {
    memo_entry *entries;
    size_t size, used; /* a power of two, at most half full */
} memo;

typedef struct level {
    size_t param, values, words;
    uint64_t *mask;
    rft_space_rule **rules; /* to be applied once this level is bound, in the sweep's order */
    size_t rule_count;
    size_t *key; /* levels whose values decide the subtree from here on */
    size_t key_count;
    bool remembers;
    memo seen;
} level;

typedef struct maker {
    rft_space_build *build;
    rft_space_part *part;
    rft_space_judge judge;
    uint16_t *at; /* per parameter of the variant */
    level *levels;
    rft_space_rule *rules;
    size_t *rule_last; /* per rule: level of its last parameter */
    rft_space_edge *pending;
    size_t pending_count, pending_room;
    uint32_t *unique; /* nodes by content; 0 = empty, since node 0 ends every path */
    size_t unique_size;
    uint64_t steps;
} maker;

/* ---- tables ---- */

static uint64_t mix(uint64_t key) {
    return rft_random_next(&key);
}

static memo_entry *memo_find(const memo *table, uint64_t key) {
    size_t at = (size_t)mix(key) & (table->size - 1);
    while (table->entries[at].used && table->entries[at].key != key) {
        at = (at + 1) & (table->size - 1);
    }
    return &table->entries[at];
}

static void memo_add(memo *table, uint64_t key, uint32_t node) {
    if (2 * (table->used + 1) > table->size) {
        memo larger = {.size = table->size ? table->size * 2 : 64, .used = table->used};
        larger.entries = rft_calloc(larger.size, sizeof *larger.entries);
        for (size_t i = 0; i < table->size; i++) {
            if (table->entries[i].used) {
                *memo_find(&larger, table->entries[i].key) = table->entries[i];
            }
        }
        free(table->entries);
        *table = larger;
    }
    *memo_find(table, key) = (memo_entry){key, node, true};
    table->used++;
}

static uint64_t edges_hash(const rft_space_edge *edges, size_t count) {
    uint64_t hash = count;
    for (size_t i = 0; i < count; i++) {
        hash = (hash ^ (((uint64_t)edges[i].child << 16) | edges[i].at)) * 0x9E3779B97F4A7C15;
        hash ^= hash >> 29;
    }
    return mix(hash);
}

static bool same_edges(const rft_space_edge *a, const rft_space_edge *b, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (a[i].child != b[i].child || a[i].at != b[i].at) {
            return false;
        }
    }
    return true;
}

static uint32_t *unique_find(const maker *m, const rft_space_edge *edges, size_t count) {
    size_t at = (size_t)edges_hash(edges, count) & (m->unique_size - 1);
    while (m->unique[at]) {
        const rft_space_node *node = &m->part->nodes[m->unique[at]];
        if (node->edges == count && same_edges(m->part->edges + node->first, edges, count)) {
            break;
        }
        at = (at + 1) & (m->unique_size - 1);
    }
    return &m->unique[at];
}

static void unique_grow(maker *m) {
    if (2 * (m->part->node_count + 1) <= m->unique_size) {
        return;
    }
    uint32_t *old = m->unique;
    size_t old_size = m->unique_size;
    m->unique_size = old_size ? 2 * old_size : 256;
    m->unique = rft_calloc(m->unique_size, sizeof *m->unique);
    for (size_t i = 0; i < old_size; i++) {
        if (old[i]) {
            const rft_space_node *node = &m->part->nodes[old[i]];
            *unique_find(m, m->part->edges + node->first, node->edges) = old[i];
        }
    }
    free(old);
}

/* ---- nodes ---- */

static uint64_t add_capped(uint64_t a, uint64_t b) {
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static int overflow(maker *m) {
    m->build->overflow = true;
    return RFT_E_LIMIT;
}

/* The node with the edges pending from `base` on, which are taken off. */
static int make_node(maker *m, size_t base, uint32_t *out) {
    rft_space_part *part = m->part;
    size_t count = m->pending_count - base;
    m->pending_count = base;
    *out = RFT_SPACE_NO_NODE;
    if (count == 0) {
        return 0;
    }
    rft_space_edge *edges = m->pending + base;
    unique_grow(m);
    uint32_t *place = unique_find(m, edges, count);
    if (*place) {
        *out = *place;
        return 0;
    }
    if (part->edge_count + count > m->build->max_edges) {
        return overflow(m);
    }
    RFT_GROW(part->edges, part->edge_room, part->edge_count + count);
    RFT_GROW(part->nodes, part->node_room, part->node_count + 1);
    rft_space_node node = {.first = (uint32_t)part->edge_count, .edges = (uint32_t)count};
    for (size_t i = 0; i < count; i++) {
        edges[i].before = node.count;
        node.count = add_capped(node.count, part->nodes[edges[i].child].count);
    }
    memcpy(part->edges + part->edge_count, edges, count * sizeof *edges);
    part->edge_count += count;
    part->nodes[part->node_count] = node;
    *place = *out = (uint32_t)part->node_count++;
    return 0;
}

static void push_edge(maker *m, uint32_t child, size_t at) {
    RFT_GROW(m->pending, m->pending_room, m->pending_count + 1);
    m->pending[m->pending_count++] = (rft_space_edge){.child = child, .at = (uint16_t)at};
}

/* ---- narrowing ---- */

/* Narrows the mask of the rule's last parameter; *alive: something is left. */
static int apply(maker *m, size_t index, bool *alive) {
    rft_space_rule *rule = &m->rules[index];
    uint64_t *mask = m->levels[m->rule_last[index]].mask;
    uint64_t any = 0;
    for (size_t w = 0; w < rule->words; w++) {
        uint64_t holds = 0;
        if (mask[w]) {
            int code = rft_space_rule_row(rule, &m->judge, w, mask[w], &holds);
            if (code != 0) {
                return code;
            }
        }
        mask[w] = holds;
        any |= holds;
    }
    *alive = any != 0;
    return 0;
}

/* Applies the rules of a level whose parameter was bound; *applied of them, to be undone. */
static int narrow(maker *m, const level *bound, size_t *applied, bool *alive) {
    int code = 0;
    *alive = true;
    for (*applied = 0; *applied < bound->rule_count && *alive && code == 0; ++*applied) {
        rft_space_rule *rule = bound->rules[*applied];
        size_t index = (size_t)(rule - m->rules);
        memcpy(rule->saved, m->levels[m->rule_last[index]].mask, rule->words * sizeof *rule->saved);
        code = apply(m, index, alive);
    }
    return code;
}

static void undo(maker *m, const level *bound, size_t applied) {
    while (applied > 0) {
        rft_space_rule *rule = bound->rules[--applied];
        memcpy(m->levels[m->rule_last[rule - m->rules]].mask, rule->saved, rule->words * sizeof *rule->saved);
    }
}

/* ---- descending ---- */

static bool key_of(const maker *m, size_t depth, uint64_t *key) {
    const level *here = &m->levels[depth];
    *key = 0;
    if (depth + 1 == m->part->param_count && here->words == 1) {
        *key = here->mask[0]; /* nothing else is left to decide */
        return true;
    }
    for (size_t i = 0; i < here->key_count; i++) {
        const level *other = &m->levels[here->key[i]];
        *key = *key * other->values + m->at[other->param];
    }
    return here->remembers;
}

static int descend(maker *m, size_t depth, uint32_t *out);

static int try_value(maker *m, size_t depth, size_t value) {
    const level *here = &m->levels[depth];
    size_t applied = 0;
    bool alive = true;
    uint32_t child = 0;
    m->at[here->param] = (uint16_t)value;
    m->judge.config[here->param] = m->build->space->variant->params[here->param].values[value];
    int code = narrow(m, here, &applied, &alive);
    if (code == 0 && alive) {
        code = descend(m, depth + 1, &child);
        if (code == 0 && child != RFT_SPACE_NO_NODE) {
            push_edge(m, child, value);
        }
    }
    undo(m, here, applied);
    return code;
}

static int descend(maker *m, size_t depth, uint32_t *out) {
    level *here = &m->levels[depth];
    uint64_t key;
    bool remembers = key_of(m, depth, &key);
    if (remembers && here->seen.size) {
        const memo_entry *known = memo_find(&here->seen, key);
        if (known->used) {
            *out = known->node;
            return 0;
        }
    }
    size_t base = m->pending_count;
    bool last = depth + 1 == m->part->param_count;
    int code = 0;
    for (size_t w = 0; w < here->words && code == 0; w++) {
        for (uint64_t left = here->mask[w]; left && code == 0; left &= left - 1) {
            size_t value = w * LANES + (size_t)__builtin_ctzll(left);
            if (last) {
                push_edge(m, 0, value);
            } else if (++m->steps + 8 * m->judge.rows + 4 * m->judge.calls > m->build->max_steps) {
                code = overflow(m);
            } else {
                code = try_value(m, depth, value);
            }
        }
    }
    code = code == 0 ? make_node(m, base, out) : code;
    if (remembers && code == 0) {
        memo_add(&here->seen, key, *out);
    }
    return code;
}

/* ---- opening ---- */

static bool names(const rft_constraint *c, size_t param) {
    for (size_t i = 0; i < c->param_count; i++) {
        if (c->params[i] == param) {
            return true;
        }
    }
    return false;
}

static void open_levels(maker *m) {
    for (size_t l = 0; l < m->part->param_count; l++) {
        level *here = &m->levels[l];
        here->param = m->part->params[l];
        here->values = m->build->space->variant->params[here->param].value_count;
        here->words = (here->values + LANES - 1) / LANES;
        here->mask = rft_calloc(here->words, sizeof *here->mask);
        here->rules = rft_calloc(m->build->constraint_count + 1, sizeof(rft_space_rule *));
        here->key = rft_calloc(m->part->param_count, sizeof *here->key);
        memset(here->mask, 0xff, here->words * sizeof *here->mask);
        here->mask[here->words - 1] >>= (LANES - here->values % LANES) % LANES;
    }
}

static void open_rules(maker *m) {
    size_t *params = rft_calloc(m->part->param_count + 1, sizeof *params);
    for (size_t i = 0; i < m->build->constraint_count; i++) {
        const rft_constraint *c = &m->build->space->variant->constraints[m->build->constraints[i]];
        size_t count = 0, before_last = 0, last = 0;
        for (size_t l = 0; l < m->part->param_count; l++) {
            if (names(c, m->part->params[l])) {
                params[count++] = m->part->params[l];
                before_last = last;
                last = l;
            }
        }
        rft_space_rule_open(&m->rules[i], m->build->space, m->build->constraints[i], params, count);
        m->rule_last[i] = last;
        if (count > 1) {
            level *trigger = &m->levels[before_last];
            trigger->rules[trigger->rule_count++] = &m->rules[i];
        }
    }
    free(params);
}

/* The bound parameters of constraints that are not finished. No use where these are all that are bound, nor where
 * their values do not fit a key. */
static void open_keys(maker *m) {
    for (size_t depth = 1; depth < m->part->param_count; depth++) {
        level *here = &m->levels[depth];
        uint64_t room = 1;
        bool fits = true;
        for (size_t l = 0; l < depth; l++) {
            bool open = false;
            for (size_t i = 0; i < m->build->constraint_count && !open; i++) {
                const rft_constraint *c = &m->build->space->variant->constraints[m->build->constraints[i]];
                open = m->rule_last[i] >= depth && names(c, m->part->params[l]);
            }
            if (open) {
                here->key[here->key_count++] = l;
                fits = fits && !__builtin_mul_overflow(room, m->levels[l].values, &room);
            }
        }
        here->remembers = fits && here->key_count < depth;
    }
}

static int apply_unary(maker *m, bool *alive) {
    int code = 0;
    *alive = true;
    for (size_t i = 0; i < m->build->constraint_count && code == 0 && *alive; i++) {
        if (m->rules[i].param_count == 1) {
            code = apply(m, i, alive);
        }
    }
    return code;
}

static void close_maker(maker *m) {
    for (size_t l = 0; l < m->part->param_count; l++) {
        free(m->levels[l].mask);
        free(m->levels[l].rules);
        free(m->levels[l].key);
        free(m->levels[l].seen.entries);
    }
    for (size_t i = 0; i < m->build->constraint_count; i++) {
        rft_space_rule_close(&m->rules[i]);
    }
    free(m->levels);
    free(m->rules);
    free(m->rule_last);
    free(m->at);
    free(m->judge.config);
    free(m->pending);
    free(m->unique);
}

static void shrink(rft_space_part *part) {
    part->edges = rft_realloc(part->edges, part->edge_count + 1, sizeof *part->edges);
    part->nodes = rft_realloc(part->nodes, part->node_count + 1, sizeof *part->nodes);
    part->edge_room = part->edge_count + 1;
    part->node_room = part->node_count + 1;
}

int rft_space_part_make(rft_space_build *build) {
    const rft_variant *variant = build->space->variant;
    rft_space_part *part = build->part;
    maker m = {.build = build, .part = part};
    m.at = rft_calloc(variant->param_count + 1, sizeof *m.at);
    m.judge = (rft_space_judge){.space = build->space, .of = build->space, .at = m.at, .err = build->err};
    m.judge.config = rft_calloc(variant->param_count + 1, sizeof *m.judge.config);
    for (size_t i = 0; i < variant->param_count; i++) {
        const rft_param *param = &variant->params[i]; /* an unbound entry is never left unreadable */
        m.judge.config[i] = param->value_count == 1 ? param->values[0] : param->default_value;
    }
    m.levels = rft_calloc(part->param_count, sizeof *m.levels);
    m.rules = rft_calloc(build->constraint_count + 1, sizeof *m.rules);
    m.rule_last = rft_calloc(build->constraint_count + 1, sizeof *m.rule_last);
    open_levels(&m);
    open_rules(&m);
    open_keys(&m);
    RFT_GROW(part->nodes, part->node_room, 1);
    part->nodes[0] = (rft_space_node){.count = 1};
    part->node_count = 1;
    bool alive = true;
    part->root = RFT_SPACE_NO_NODE;
    build->overflow = false;
    int code = apply_unary(&m, &alive);
    if (code == 0 && alive) {
        code = descend(&m, 0, &part->root);
    }
    part->count = part->root == RFT_SPACE_NO_NODE ? 0 : part->nodes[part->root].count;
    close_maker(&m);
    if (build->overflow) {
        rft_space_part_clear(part);
        return 0;
    }
    shrink(part);
    return code;
}

void rft_space_part_clear(rft_space_part *part) {
    free(part->nodes);
    free(part->edges);
    *part = (rft_space_part){.params = part->params, .param_count = part->param_count, .root = RFT_SPACE_NO_NODE};
}
