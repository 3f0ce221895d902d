/* SPDX-License-Identifier: Apache-2.0 */
/* compare_data.c - a comparison as JSON and CSV (compare_text.h). */
#include "cli/compare_mix_text.h"
#include "cli/compare_text.h"
#include "cli/show_data.h"

#include "base/json.h"

#include <math.h>
#include <stdlib.h>

static void set_text(json_t *object, const char *key, const char *text) {
    json_object_set_new(object, key, rft_show_text_json(text));
}

static void set_number(json_t *object, const char *key, double value) {
    json_object_set_new(object, key, isfinite(value) ? json_real(value) : json_null());
}

static void set_count(json_t *object, const char *key, uint64_t value) {
    json_object_set_new(object, key, json_integer((json_int_t)value));
}

static const char *letter(const rft_compare *compare, size_t side, char buffer[2]) {
    buffer[0] = compare->sides[side].letter;
    buffer[1] = '\0';
    return buffer;
}

static json_t *side_json(const rft_compare *compare, size_t at) {
    const rft_compare_side *side = &compare->sides[at];
    const rft_compare_score *score = &compare->scores[at];
    char text[2];
    json_t *object = json_object(), *counts = json_object();
    set_text(object, "letter", letter(compare, at, text));
    set_text(object, "device", side->device);
    set_text(object, "uuid", side->run->gpu.uuid);
    set_text(object, "run", side->run->info.id);
    set_text(object, "date", side->date);
    set_text(object, "file", side->path);
    set_number(object, "timer_step_s", side->step_s > 0.0 ? side->step_s : (double)NAN);
    for (int v = RFT_COMPARE_FASTER; v < RFT_COMPARE_VERDICTS; v++) {
        set_count(counts, rft_compare_verdict_name((rft_compare_verdict)v), score->counts[v]);
    }
    json_object_set_new(object, "verdicts", at ? counts : json_null());
    if (at == 0) {
        json_decref(counts);
    }
    set_number(object, "mean_ratio", score->mean_ratio);
    return object;
}

static json_t *effort_json(const rft_compare_effort *effort) {
    json_t *object = json_object();
    json_object_set_new(object, "valid", effort->valid ? json_integer((json_int_t)effort->valid) : json_null());
    set_count(object, "tried", effort->tried);
    set_count(object, "measured", effort->measured);
    json_object_set_new(object, "complete", json_boolean(effort->complete));
    set_text(object, "strategy", effort->strategy);
    set_text(object, "budget", effort->budget);
    set_text(object, "objective", effort->objective);
    json_object_set_new(object, "race", json_boolean(effort->race));
    set_count(object, "library_tried", (uint64_t)effort->library_tried);
    return object;
}

static json_t *figure_json(const rft_compare *compare, size_t side, const rft_compare_figure *f, rft_arena *arena) {
    char text[2];
    json_t *object = json_object();
    const rft_run *run = compare->sides[side].run;
    set_text(object, "letter", letter(compare, side, text));
    set_text(object, "missing", f->missing);
    set_text(object, "source", f->present ? f->source : NULL);
    set_text(object, "variant", f->best ? run->sweeps[f->sweep].sweep.variants[f->best->variant].name : NULL);
    set_text(object, "configuration", f->best ? rft_run_config_text(run, f->best, false, arena) : NULL);
    set_number(object, "median_s", f->stats.median);
    set_number(object, "low_s", f->stats.low);
    set_number(object, "high_s", f->stats.high);
    json_object_set_new(object, "interval_is_95", json_boolean(f->stats.interval_is_95));
    set_number(object, "widened_frac", f->widen_frac);
    set_number(object, "rate", f->rate);
    set_text(object, "unit", f->present ? rft_arena_printf(arena, "%s/s", f->unit) : NULL);
    set_number(object, "rate_per_watt", f->per_joule);
    set_number(object, "rate_per_price", f->per_price);
    set_number(object, "roof_distance", f->roof);
    set_text(object, "bound", f->best ? rft_bound_text(&f->bound, arena) : NULL);
    set_number(object, "ratio", f->ratio.ratio);
    set_number(object, "ratio_low", f->ratio.low);
    set_number(object, "ratio_high", f->ratio.high);
    set_text(object, "verdict", f->verdict == RFT_COMPARE_NONE ? NULL : rft_compare_verdict_name(f->verdict));
    set_text(object, "reason", f->reason);
    json_object_set_new(object, "effort", f->problem == SIZE_MAX ? json_null() : effort_json(&f->effort));
    return object;
}

static json_t *workloads_json(const rft_compare *compare, rft_arena *arena) {
    json_t *list = json_array();
    for (size_t w = 0; w < compare->workload_count; w++) {
        const rft_compare_workload *of = &compare->workloads[w];
        json_t *object = json_object(), *figures = json_array();
        set_text(object, "workload", of->name);
        set_text(object, "sweep", of->sweep_name);
        json_object_set_new(object, "bounds_differ", json_boolean(of->changed_side));
        for (size_t side = 0; side < compare->side_count; side++) {
            json_array_append_new(figures, figure_json(compare, side, &of->figures[side], arena));
        }
        json_object_set_new(object, "sides", figures);
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *carries_json(const rft_compare *compare) {
    json_t *list = json_array();
    for (size_t i = 0; i < compare->carry_count; i++) {
        const rft_compare_carry *c = &compare->carries[i];
        char text[2];
        json_t *object = json_object();
        set_text(object, "workload", compare->workloads[c->workload].name);
        set_text(object, "from", letter(compare, c->from, text));
        set_text(object, "to", letter(compare, c->to, text));
        set_number(object, "frac", c->frac);
        json_object_set_new(object, "tie", json_boolean(c->tie));
        set_text(object, "reason", c->reason);
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *variations_json(const rft_compare *compare) {
    json_t *list = json_array();
    for (size_t i = 0; i < compare->variation_count; i++) {
        const rft_compare_variation *v = &compare->variations[i];
        json_t *object = json_object();
        set_text(object, "device", compare->sides[v->model].device);
        set_text(object, "workload", compare->workloads[v->workload].name);
        set_count(object, "runs", v->runs);
        set_count(object, "cards", v->cards);
        set_number(object, "card_to_card_frac", v->card_frac);
        set_number(object, "run_to_run_frac", v->run_to_run_frac);
        set_number(object, "largest_half_width_frac", v->half_width_frac);
        json_array_append_new(list, object);
    }
    return list;
}

void rft_compare_json(rft_str *out, const rft_compare *compare) {
    rft_arena *arena = rft_arena_new();
    json_t *root = json_object(), *sides = json_array(), *alone = json_array(), *caveats = json_array();
    char text[2];
    for (size_t side = 0; side < compare->side_count; side++) {
        json_array_append_new(sides, side_json(compare, side));
    }
    for (size_t i = 0; i < compare->alone_count; i++) {
        json_t *object = json_object();
        set_text(object, "letter", letter(compare, compare->alone[i].side, text));
        set_text(object, "what", compare->alone[i].text);
        json_array_append_new(alone, object);
    }
    for (size_t i = 0; i < compare->caveat_count; i++) {
        json_array_append_new(caveats, rft_show_text_json(compare->caveats[i]));
    }
    json_object_set_new(root, "sides", sides);
    json_object_set_new(root, "workloads", workloads_json(compare, arena));
    json_object_set_new(root, "carries", carries_json(compare));
    json_object_set_new(root, "variation", variations_json(compare));
    json_object_set_new(root, "without_partner", alone);
    json_object_set_new(root, "caveats", caveats);
    rft_compare_mixes_json(root, compare->mixes);
    char *dump = rft_json_dump(root, NULL);
    rft_str_addf(out, "%s\n", dump);
    free(dump);
    json_decref(root);
    rft_arena_free(arena);
}

static void add_csv(rft_str *out, const rft_compare *compare, size_t workload, size_t side, rft_arena *arena) {
    const rft_compare_workload *w = &compare->workloads[workload];
    const rft_compare_figure *f = &w->figures[side];
    const rft_compare_side *of = &compare->sides[side];
    char text[2];
    const char *texts[] = {w->name,  letter(compare, side, text), of->device, of->run->info.id,
                           of->date, f->present ? f->source : ""};
    const double numbers[] = {f->stats.median, f->stats.low, f->stats.high,  f->rate,      f->per_joule,
                              f->per_price,    f->roof,      f->ratio.ratio, f->ratio.low, f->ratio.high};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        rft_str_add(out, i ? "," : "");
        rft_show_csv_text(out, texts[i]);
    }
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        rft_str_add_char(out, ',');
        if (isfinite(numbers[i])) {
            rft_str_add_double(out, numbers[i]);
        }
    }
    const char *last[] = {
        f->present ? rft_arena_printf(arena, "%s/s", f->unit) : "", f->best ? rft_bound_text(&f->bound, arena) : "",
        f->verdict == RFT_COMPARE_NONE ? "" : rft_compare_verdict_name(f->verdict), f->reason ? f->reason : ""};
    for (size_t i = 0; i < sizeof last / sizeof *last; i++) {
        rft_str_add_char(out, ',');
        rft_show_csv_text(out, last[i]);
    }
    rft_str_add(out, "\r\n"); /* RFC 4180 */
}

void rft_compare_csv(rft_str *out, const rft_compare *compare) {
    rft_arena *arena = rft_arena_new();
    rft_str_add(out, "workload,letter,device,run,date,source,median_s,low_s,high_s,rate,rate_per_watt,rate_per_price,"
                     "roof_distance,ratio,ratio_low,ratio_high,unit,bound,verdict,reason\r\n");
    for (size_t w = 0; w < compare->workload_count; w++) {
        for (size_t side = 0; side < compare->side_count; side++) {
            add_csv(out, compare, w, side, arena);
        }
    }
    rft_arena_free(arena);
}
