/* SPDX-License-Identifier: Apache-2.0 */
/* What was asked of a sweep: in a paragraph, or (--full) with every value, meaning and constraint. */
#include "model/run/baseline.h"
#include "reports/doc_build.h"

#include "base/fs.h"
#include "base/str.h"

#include <math.h>
#include <string.h>

#define VALUES_MOST 12 /* values listed one by one */
#define VALUES_FEW 4   /* the same where a chapter is lines alone */

static const char *values_text(const rft_build *b, const rft_value *values, size_t count) {
    rft_str text = RFT_STR_INIT;
    size_t most = b->detail == RFT_DETAIL_LINES ? VALUES_FEW : VALUES_MOST;
    for (size_t i = 0; i < count; i++) {
        if (count > most && i == most / 2) {
            rft_str_addf(&text, " \xe2\x80\xa6 (%zu in all) \xe2\x80\xa6 ", count);
            i = count - most / 3;
        } else if (i > 0) {
            rft_str_add(&text, ", ");
        }
        rft_value_format(&text, &values[i]);
    }
    const char *kept = rft_arena_strdup(b->arena, rft_str_get(&text));
    rft_str_clear(&text);
    return kept;
}

/* "VEC=1 BLOCK=256": the parameters with one value. */
static const char *fixed_params(const rft_build *b, const rft_variant *variant) {
    rft_str text = RFT_STR_INIT;
    for (size_t i = 0; i < variant->param_count; i++) {
        if (variant->params[i].value_count == 1) {
            rft_str_add(&text, text.length ? " " : "");
            rft_values_format(&text, &variant->params[i].name, variant->params[i].values, 1);
        }
    }
    const char *kept = rft_arena_strdup(b->arena, rft_str_get(&text));
    rft_str_clear(&text);
    return kept;
}

static void add_params(rft_build *b, const rft_sweep *sweep) {
    static const rft_column columns[] = {{.title = "Variant", .wraps = true},
                                         {.title = "Parameter"},
                                         {.title = "Values", .wraps = true},
                                         {.title = "Default"},
                                         {.title = "Meaning", .wraps = true}};
    rft_table *table = rft_doc_table(b->doc, columns, 5);
    for (size_t v = 0; v < sweep->variant_count; v++) {
        const rft_variant *variant = &sweep->variants[v];
        size_t first = table->row_count;
        for (size_t i = 0; i < variant->param_count; i++) {
            const rft_param *param = &variant->params[i];
            if (param->value_count < 2) {
                continue;
            }
            rft_row *row = rft_doc_row(b->doc, table);
            row->cells[1] = param->name;
            row->cells[2] = values_text(b, param->values, param->value_count);
            row->cells[3] = values_text(b, &param->default_value, 1);
            row->cells[4] = param->help;
        }
        const char *fixed = fixed_params(b, variant);
        if (*fixed || table->row_count == first) {
            rft_row *row = rft_doc_row(b->doc, table);
            bool given = rft_variant_is_given(variant);
            row->cells[1] = given ? "given binary" : *fixed ? "not tuned" : "none";
            row->cells[2] = given ? rft_fs_name(variant->source) : fixed;
        }
        table->rows[first].cells[0] = variant->name;
        table->rows[first].rule = v > 0;
    }
}

static const char *axis_role(const rft_build *b, const rft_axis *axis) {
    const char *refined = axis->refine_depth > 0
                              ? rft_arena_printf(b->arena, ", halved up to %d time%s where the bound changes",
                                                 axis->refine_depth, axis->refine_depth == 1 ? "" : "s")
                              : "";
    return rft_arena_printf(b->arena, "%s%s%s%s", axis->swept ? "swept" : "listed or derived",
                            axis->along ? ", transitions looked for" : "", refined,
                            axis->compiled ? ", compile-time" : "");
}

/* The distinct values an axis takes over the problems, in their order. */
static const char *axis_values(const rft_build *b, const rft_sweep *sweep, size_t a) {
    const rft_axis *axis = &sweep->axes[a];
    if (axis->value_count > 0) {
        return values_text(b, axis->values, axis->value_count);
    }
    rft_value *seen = rft_arena_calloc(b->arena, sweep->problem_count + 1, sizeof *seen);
    size_t count = 0;
    for (size_t p = 0; p < sweep->problem_count; p++) {
        const rft_value *value = &sweep->problems[p].values[a];
        size_t i = 0;
        while (i < count && !rft_value_equal(&seen[i], value)) {
            i++;
        }
        if (i == count && !sweep->problems[p].odd) {
            seen[count++] = *value;
        }
        if (count > 64) {
            break;
        }
    }
    return values_text(b, seen, count);
}

static void add_axes(rft_build *b, const rft_sweep *sweep) {
    static const rft_column columns[] = {
        {.title = "Axis"}, {.title = "Values", .wraps = true}, {.title = "How", .wraps = true}};
    rft_table *table = rft_doc_table(b->doc, columns, 3);
    for (size_t a = 0; a < sweep->axis_count; a++) {
        rft_row *row = rft_doc_row(b->doc, table);
        row->cells[0] = sweep->axes[a].name;
        row->cells[1] = axis_values(b, sweep, a);
        row->cells[2] = axis_role(b, &sweep->axes[a]);
    }
}

/* "function at FILE:12": those of one file stand in one row. The length up to the colon; 0 for other constraints. */
static size_t function_stem(const char *text) {
    const char *colon = strrchr(text, ':');
    return strncmp(text, "function at ", 12) == 0 && colon ? (size_t)(colon - text) + 1 : 0;
}

static void add_variant_constraints(rft_build *b, rft_table *table, const rft_variant *variant, bool named) {
    rft_str text = RFT_STR_INIT;
    for (size_t i = 0; i < variant->constraint_count; i++) {
        const char *own = variant->constraints[i].text;
        size_t stem = function_stem(own), next = i + 1;
        rft_str_truncate(&text, 0);
        rft_str_add(&text, own);
        while (stem > 0 && next < variant->constraint_count && function_stem(variant->constraints[next].text) == stem &&
               strncmp(own, variant->constraints[next].text, stem) == 0) {
            rft_str_addf(&text, ", %s", variant->constraints[next++].text + stem);
        }
        i = next - 1;
        rft_row *row = rft_doc_row(b->doc, table);
        row->cells[0] = rft_arena_strdup(b->arena, rft_str_get(&text));
        if (named) {
            row->cells[1] = variant->name;
        }
    }
    rft_str_clear(&text);
}

static void add_constraints(rft_build *b, const rft_sweep *sweep) {
    static const rft_column columns[] = {{.title = "Constraint", .wraps = true}, {.title = "Variant", .wraps = true}};
    size_t count = 0;
    for (size_t v = 0; v < sweep->variant_count; v++) {
        count += sweep->variants[v].constraint_count;
    }
    if (count == 0) {
        rft_doc_text(b->doc, RFT_TEXT_NOTE, "No constraints.");
        return;
    }
    bool named = sweep->variant_count > 1;
    rft_table *table = rft_doc_table(b->doc, columns, named ? 2 : 1);
    for (size_t v = 0; v < sweep->variant_count; v++) {
        add_variant_constraints(b, table, &sweep->variants[v], named);
    }
}

/* "sweeps/gemv.lua. n: 1024, 2048. 36 points: 30 ok, 6 skipped." */
static void add_paragraph(rft_build *b, size_t s) {
    const rft_sweep *sweep = &b->run->sweeps[s].sweep;
    const rft_counts counts = rft_counts_of(b->run, s);
    rft_str text = RFT_STR_INIT;
    rft_str_addf(&text, "%s.", sweep->path && *sweep->path ? sweep->path : "Script path not kept");
    for (size_t a = 0; a < sweep->axis_count; a++) {
        rft_str_addf(&text, "%s%s: %s", a ? "; " : " ", sweep->axes[a].name, axis_values(b, sweep, a));
    }
    rft_str_addf(&text, "%s %s.", sweep->axis_count ? "." : "", rft_counts_text(b->run, s, b->arena));
    if (counts.points + counts.odd_checked + counts.aliases == 0) {
        rft_str_add(&text, " No configuration was taken up.");
    }
    if (b->run->sweeps[s].unexplored) {
        rft_str_addf(&text, " Not every valid configuration was tried: %s.", b->run->sweeps[s].unexplored);
    }
    const char *objective = rft_objective_text(sweep->search.objective);
    if (objective) {
        rft_str_addf(&text, " The objective is not time: %s.", objective);
    }
    rft_doc_text(b->doc, RFT_TEXT_NOTE, rft_str_get(&text));
    rft_str_clear(&text);
}

void rft_build_asked(rft_build *b, size_t s) {
    const rft_sweep *sweep = &b->run->sweeps[s].sweep;
    if (b->detail != RFT_DETAIL_FULL) {
        add_paragraph(b, s);
        rft_print_page(b->doc, rft_finding_unverified(b->run, s, b->arena));
        return;
    }
    rft_doc_heading(b->doc, 2, "What was asked", NULL);
    rft_doc_textf(b->doc, RFT_TEXT_NOTE, "%s; points are one configuration on one problem.",
                  sweep->path && *sweep->path ? sweep->path : "script path not kept");
    rft_print_page(b->doc, rft_finding_counts(b->run, s, b->arena));
    add_axes(b, sweep);
    add_params(b, sweep);
    add_constraints(b, sweep);
    if (sweep->baseline_count > 0 && !rft_run_has_baselines(b->run, s)) {
        rft_str names = RFT_STR_INIT;
        for (size_t i = 0; i < sweep->baseline_count; i++) {
            rft_str_addf(&names, "%s%s", i ? ", " : "", sweep->baselines[i]);
        }
        rft_doc_textf(b->doc, RFT_TEXT_NOTE, "Baselines asked for and not part of this run's data: %s.",
                      rft_str_get(&names));
        rft_str_clear(&names);
    }
}
