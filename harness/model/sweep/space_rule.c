/* SPDX-License-Identifier: Apache-2.0 */
/* space_rule.c - evaluating constraints: compiled where possible, many values at a time, and each answer once. */
#include "model/sweep/space_parts.h"

#include <stdlib.h>
#include <string.h>

#define LANES 64
#define KEPT_WORDS 262144 /* answers kept of one constraint: 16 million, twice 2 MiB */
#define NOT_BOUND SIZE_MAX

static const rft_constraint *constraint_of(const rft_space *space, size_t constraint) {
    return &space->variant->constraints[constraint];
}

/* ---- one value ---- */

/* "n=1024 A=3 B=0" of what the constraint names. */
static void add_values(rft_str *text, const rft_space_judge *judge, size_t constraint) {
    const rft_constraint *c = constraint_of(judge->of, constraint);
    const char *gap = "";
    for (size_t i = 0; i < c->axis_count; i++) {
        rft_str_addf(text, "%s%s=", gap, judge->of->sweep->axes[c->axes[i]].name);
        rft_value_format(text, &judge->of->problem[c->axes[i]]);
        gap = " ";
    }
    for (size_t i = 0; i < c->param_count; i++) {
        rft_str_addf(text, "%s%s=", gap, judge->of->variant->params[c->params[i]].name);
        rft_value_format(text, &judge->config[c->params[i]]);
        gap = " ";
    }
    rft_str_add(text, *gap ? ": " : "");
}

static void keep_error(rft_space_judge *judge, size_t constraint, const rft_err *raised) {
    rft_space *space = judge->space;
    if (space == NULL) {
        return;
    }
    space->errors += space->errors < UINT64_MAX;
    if (space->first_error == NULL) {
        rft_str text = RFT_STR_INIT;
        add_values(&text, judge, constraint);
        size_t length = strcspn(raised->message, "\n"); /* the traceback names nothing that is not in the place */
        if (raised->place[0] != '\0' && strncmp(raised->message, raised->place, strlen(raised->place)) != 0) {
            rft_str_addf(&text, "%s: ", raised->place);
        }
        rft_str_addf(&text, "%.*s", (int)length, raised->message);
        space->first_error = rft_str_take(&text);
    }
}

/* 0 where it was the script's own error, which is kept; else the code, with the caller's error set. */
static int judge_error(rft_space_judge *judge, size_t constraint, int code, const rft_err *raised) {
    if (code == RFT_E_SCRIPT) {
        keep_error(judge, constraint, raised);
        return 0;
    }
    if (judge->err != NULL) {
        *judge->err = *raised;
    }
    return code;
}

#define SLOTS_MAX 64

/* Whether the expression decides it. */
static bool evaluate(const rft_space_judge *judge, const rft_constraint *c, bool *holds) {
    rft_expr_value slots[SLOTS_MAX], result;
    if (c->expr == NULL || c->slot_count > SLOTS_MAX) {
        return false;
    }
    for (size_t i = 0; i < c->slot_count; i++) {
        const rft_constraint_slot *slot = &c->slots[i];
        static const rft_value none = {RFT_VALUE_BOOL, {0}};
        slots[i] = rft_expr_value_of(slot->kind == RFT_SLOT_PARAM  ? &judge->config[slot->index]
                                     : slot->kind == RFT_SLOT_AXIS ? &judge->of->problem[slot->index]
                                                                   : &none);
    }
    if (!rft_expr_eval(c->expr, slots, &result) || result.kind != RFT_EXPR_BOOL) {
        return false;
    }
    *holds = result.as.integer != 0;
    return true;
}

int rft_space_judge_one(rft_space_judge *judge, size_t constraint, bool *holds) {
    const rft_space *space = judge->of;
    *holds = false;
    if (evaluate(judge, constraint_of(space, constraint), holds)) {
        return 0;
    }
    rft_err raised = RFT_ERR_INIT;
    judge->calls++;
    int code = space->sweep->vt->constraint(space->sweep->self, space->variant_index, constraint, space->problem,
                                            judge->config, holds, &raised);
    if (code != 0) {
        *holds = false;
        code = judge_error(judge, constraint, code, &raised);
    }
    return code;
}

/* ---- many ---- */

static int try_each(rft_space_rule *rule, rft_space_judge *judge, size_t word, uint64_t wanted, uint64_t *holds) {
    size_t last = rule->params[rule->param_count - 1];
    const rft_value *values = judge->of->variant->params[last].values + word * LANES;
    for (uint64_t left = wanted; left; left &= left - 1) {
        int i = __builtin_ctzll(left);
        bool truth = false;
        judge->config[last] = values[i];
        int code = rft_space_judge_one(judge, rule->constraint, &truth);
        if (code != 0) {
            return code;
        }
        *holds |= (uint64_t)truth << i;
    }
    return 0;
}

static int ask_script(rft_space_rule *rule, rft_space_judge *judge, size_t word, uint64_t wanted, uint64_t *holds) {
    const rft_space *space = judge->of;
    size_t last = rule->params[rule->param_count - 1];
    rft_sweep_along call = {.variant = space->variant_index,
                            .constraint = rule->constraint,
                            .problem = space->problem,
                            .config = judge->config,
                            .param = last,
                            .values = space->variant->params[last].values + word * LANES,
                            .wanted = wanted};
    judge->calls += (uint64_t)__builtin_popcountll(wanted);
    for (unsigned next = 0; next < LANES; next++) {
        rft_err raised = RFT_ERR_INIT;
        int code = space->sweep->vt->constraint_along(space->sweep->self, &call, &next, holds, &raised);
        if (code == 0) {
            break;
        }
        judge->config[last] = call.values[next];
        code = judge_error(judge, rule->constraint, code, &raised);
        if (code != 0) {
            return code;
        }
    }
    return 0;
}

static int find_row(rft_space_rule *rule, rft_space_judge *judge, size_t word, uint64_t wanted, uint64_t *holds) {
    const rft_constraint *c = constraint_of(judge->of, rule->constraint);
    uint64_t unknown = wanted;
    judge->rows++;
    *holds = 0;
    if (rule->code != NULL) {
        for (size_t i = 0; i < c->slot_count; i++) {
            rule->slot_at[i] = c->slots[i].kind == RFT_SLOT_PARAM ? judge->at[c->slots[i].index] : 0;
        }
        rft_expr_run(rule->code, rule->slot_at, word, holds, &unknown);
        unknown &= wanted;
        *holds &= wanted;
    }
    if (unknown == 0) {
        return 0;
    }
    bool one_by_one = (c->expr != NULL && rule->code == NULL) || judge->of->sweep->vt->constraint_along == NULL;
    return one_by_one ? try_each(rule, judge, word, unknown, holds) : ask_script(rule, judge, word, unknown, holds);
}

int rft_space_rule_row(rft_space_rule *rule, rft_space_judge *judge, size_t word, uint64_t wanted, uint64_t *holds) {
    if (rule->row_count == 0) {
        return find_row(rule, judge, word, wanted, holds);
    }
    uint64_t row = 0;
    for (size_t i = 0; i + 1 < rule->param_count; i++) {
        row = row * judge->of->variant->params[rule->params[i]].value_count + judge->at[rule->params[i]];
    }
    uint64_t *known = &rule->known[row * rule->words + word], *truth = &rule->truth[row * rule->words + word];
    uint64_t missing = wanted & ~*known;
    if (missing) {
        uint64_t found = 0;
        int code = find_row(rule, judge, word, missing, &found);
        if (code != 0) {
            return code;
        }
        *known |= missing;
        *truth |= found;
    }
    *holds = *truth & wanted;
    return 0;
}

/* ---- opening ---- */

static void compile(rft_space_rule *rule, const rft_space *space) {
    const rft_constraint *c = constraint_of(space, rule->constraint);
    if (c->expr == NULL || c->slot_count == 0) {
        return;
    }
    static const rft_value none = {RFT_VALUE_BOOL, {0}};
    rft_expr_slot *slots = rft_calloc(c->slot_count, sizeof *slots);
    size_t varying = NOT_BOUND;
    for (size_t i = 0; i < c->slot_count; i++) {
        const rft_constraint_slot *from = &c->slots[i];
        slots[i] = (rft_expr_slot){&none, 1};
        if (from->kind == RFT_SLOT_AXIS) {
            slots[i] = (rft_expr_slot){&space->problem[from->index], 1};
        } else if (from->kind == RFT_SLOT_PARAM) {
            const rft_param *param = &space->variant->params[from->index];
            slots[i] = (rft_expr_slot){param->values, param->value_count};
            varying = from->index == rule->params[rule->param_count - 1] ? i : varying;
        }
    }
    rule->code = varying == NOT_BOUND ? NULL : rft_expr_specialise(c->expr, slots, varying);
    rule->slot_at = rft_calloc(c->slot_count, sizeof *rule->slot_at);
    free(slots);
}

void rft_space_rule_open(rft_space_rule *rule, const rft_space *space, size_t constraint, const size_t *params,
                         size_t count) {
    *rule = (rft_space_rule){.constraint = constraint, .param_count = count};
    rule->params = rft_calloc(count, sizeof *rule->params);
    memcpy(rule->params, params, count * sizeof *params);
    rule->words = (space->variant->params[params[count - 1]].value_count + LANES - 1) / LANES;
    rule->saved = rft_calloc(rule->words, sizeof *rule->saved);
    compile(rule, space);
    uint64_t rows = 1;
    for (size_t i = 0; i + 1 < count && rows <= KEPT_WORDS; i++) {
        rows *= space->variant->params[params[i]].value_count;
    }
    if (count > 1 && rows * rule->words <= KEPT_WORDS) {
        rule->row_count = rows;
        rule->known = rft_calloc(rows * rule->words, sizeof *rule->known);
        rule->truth = rft_calloc(rows * rule->words, sizeof *rule->truth);
    }
}

void rft_space_rule_close(rft_space_rule *rule) {
    rft_expr_code_free(rule->code);
    free(rule->params);
    free(rule->slot_at);
    free(rule->known);
    free(rule->truth);
    free(rule->saved);
}
