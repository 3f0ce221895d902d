/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/show_advice.h"

#include "cli/show_data.h"
#include "model/advice/advice.h"
#include "reports/print/layout.h"

#define SHOWN 3 /* of each sweep; --json has all */

/* ---- text ---- */

/* "rule A (metric), rule B (metric)": the reasons are in the JSON. */
static void add_missing(rft_str *out, const rft_advice_list *list) {
    rft_str line = RFT_STR_INIT;
    for (size_t i = 0; i < list->missing_count; i++) {
        rft_str_addf(&line, "%s%s (%s)", i ? ", " : "not evaluated: ", list->missing[i].rule, list->missing[i].metric);
    }
    if (list->missing_count > 0) {
        rft_layout_wrapped(out, 4, 2, rft_str_get(&line));
    }
    rft_str_clear(&line);
}

void rft_show_advice(rft_str *out, const rft_run *run, size_t sweep, rft_arena *arena) {
    size_t problem = rft_run_largest(run, sweep);
    const rft_point *best = problem == SIZE_MAX ? NULL : rft_run_best(run, sweep, SIZE_MAX, problem);
    if (!best) {
        return;
    }
    rft_advice_list list = rft_advice_of(run, best, arena);
    const char *name = rft_run_problem_text(run, sweep, problem, true, arena);
    rft_str_addf(out, "\n  advice%s%s\n", *name ? " for " : "", name);
    if (list.nothing) {
        rft_layout_wrapped(out, 4, 2, list.nothing);
    }
    size_t shown = 0;
    for (size_t i = 0; i < list.count && shown < SHOWN; i++, shown++) {
        rft_layout_wrapped(out, 4, 2, rft_advice_text(&list.items[i], arena));
    }
    for (size_t i = 0; i < list.other_count && shown < SHOWN; i++, shown++) {
        rft_layout_wrapped(out, 4, 2,
                           rft_arena_printf(arena, "with other work: %s", rft_advice_text(&list.others[i], arena)));
    }
    if (list.count + list.other_count > shown) {
        rft_str_addf(out, "    %zu more: `rooftune show --json`\n", list.count + list.other_count - shown);
    }
    add_missing(out, &list);
}

/* ---- JSON ---- */

static json_t *of_advice(const rft_advice *advice) {
    json_t *numbers = json_array();
    for (size_t i = 0; i < advice->trigger_count; i++) {
        const rft_advice_trigger *one = &advice->triggers[i];
        json_array_append_new(numbers,
                              json_pack("{s:s,s:s,s:o,s:o}", "name", one->name, "unit", one->unit, "value",
                                        rft_json_real_new(one->value), "threshold", rft_json_real_new(one->threshold)));
    }
    return json_pack("{s:s,s:o,s:o,s:o,s:o,s:s,s:o}", "rule", advice->rule, "text", rft_show_text_json(advice->text),
                     "gain_frac", rft_json_real_new(advice->gain_frac), "gain_of", rft_show_text_json(advice->gain_of),
                     "rests_on", rft_show_text_json(advice->rests_on), "evidence",
                     rft_advice_evidence_name(advice->evidence), "numbers", numbers);
}

static json_t *of_list(const rft_advice *items, size_t count) {
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        json_array_append_new(list, of_advice(&items[i]));
    }
    return list;
}

json_t *rft_show_advice_json(const rft_run *run, const rft_point *point, rft_arena *arena) {
    rft_advice_list found = rft_advice_of(run, point, arena);
    json_t *missing = json_array();
    for (size_t i = 0; i < found.missing_count; i++) {
        const rft_advice_missing *one = &found.missing[i];
        json_array_append_new(missing, json_pack("{s:s,s:s,s:o}", "rule", one->rule, "metric", one->metric, "reason",
                                                 rft_show_text_json(one->reason)));
    }
    return json_pack("{s:o,s:o,s:o,s:o}", "same_work", of_list(found.items, found.count), "other_work",
                     of_list(found.others, found.other_count), "not_evaluated", missing, "nothing",
                     rft_show_text_json(found.nothing));
}
