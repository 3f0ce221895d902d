/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/findings/words.h"

#include "base/str.h"
#include "base/units.h"
#include "model/roofline/over_roof.h"
#include "model/roofline/reach.h"
#include "model/run/run_drift.h"
#include "model/run/run_foreign.h"
#include "model/run/run_throttled.h"
#include "model/stats/interval_text.h"
#include "reports/page/axis.h"

#include <math.h>

const char *rft_words_tool(const rft_run *run, rft_arena *arena) {
    const rft_run_info *info = &run->info;
    const char *foreign = rft_run_foreign(run);
    return foreign ? rft_arena_printf(arena, "rooftune, from %s", foreign)
                   : rft_arena_printf(arena, "rooftune %s (%s)", info->tool_version ? info->tool_version : "unknown",
                                      info->tool_revision ? info->tool_revision : "unknown");
}

const char *rft_words_problem(const rft_run *run, size_t sweep, size_t problem, rft_arena *arena) {
    const char *text = rft_run_problem_text(run, sweep, problem, true, arena);
    const char *name = run->sweeps[sweep].sweep.name;
    return text && *text ? rft_arena_printf(arena, "%s %s", name, text) : name;
}

const char *rft_words_config(const rft_run *run, const rft_point *point, rft_arena *arena) {
    const rft_sweep *sweep = &run->sweeps[point->sweep].sweep;
    if (point->variant >= sweep->variant_count) {
        return "configuration not kept";
    }
    const char *config = rft_run_config_text(run, point, true, arena);
    if (!*config) {
        config = rft_run_config_text(run, point, false, arena); /* all of them fixed */
    }
    if (!*config) {
        config = "no parameters";
    }
    return sweep->variant_count > 1 ? rft_arena_printf(arena, "%s: %s", sweep->variants[point->variant].name, config)
                                    : config;
}

rft_measurement rft_words_measurement(const rft_measurement *m) {
    rft_measurement told = *m;
    told.batch = told.batch > 1 ? told.batch : 1;
    return told;
}

const char *rft_words_value(const rft_value *value, rft_arena *arena) {
    rft_str text = RFT_STR_INIT;
    rft_value_format(&text, value);
    const char *kept = rft_arena_strdup(arena, rft_str_get(&text));
    rft_str_clear(&text);
    return kept;
}

const char *rft_words_line(const rft_run *run, const rft_profile *profile, rft_arena *arena) {
    const rft_sweep *sweep = &run->sweeps[profile->sweep].sweep;
    rft_str text = RFT_STR_INIT;
    rft_str_add(&text, sweep->axes[profile->index].name);
    bool first = true;
    for (size_t i = 0; i < sweep->axis_count; i++) {
        if (i != profile->index && sweep->axes[i].swept) {
            rft_str_add(&text, first ? ", with " : " ");
            rft_values_format(&text, &sweep->axes[i].name, &sweep->problems[profile->problem].values[i], 1);
            first = false;
        }
    }
    if (profile->variant != SIZE_MAX) {
        rft_str_addf(&text, ", %s", sweep->variants[profile->variant].name);
    }
    const char *kept = rft_arena_strdup(arena, rft_str_get(&text));
    rft_str_clear(&text);
    return kept;
}

const char *rft_words_place(double value, bool estimated, rft_arena *arena) {
    if (isnan(value)) {
        return "n/a";
    }
    if (!estimated) {
        return rft_axis_label(value, arena);
    }
    if (value < 1e5 || !isfinite(value)) {
        return rft_figure_plain(arena, value, 3);
    }
    double unit = pow(10, floor(log10(value)) - 2);
    return rft_axis_label(round(value / unit) * unit, arena);
}

const char *rft_words_replay(const rft_run *run, rft_arena *arena) {
    const rft_run_info *info = &run->info;
    if (!info->replay_of && !info->replay_path) {
        return NULL;
    }
    return rft_arena_printf(arena, "replayed recording, %s, %s", run->gpu.name ? run->gpu.name : "unknown",
                            rft_figure_date(arena, info->replay_started_unix_ns));
}

const char *rft_words_unverified(const rft_variant *variant, rft_arena *arena) {
    const char *reference = variant->unverified_reference;
    return reference ? rft_arena_printf(arena, "compared with %s, which nothing verifies", reference) : NULL;
}

size_t rft_ties_of(const rft_run *run, const rft_point *best, rft_arena *arena) {
    const rft_point **ranked = NULL;
    size_t count = rft_run_ranked(run, best->sweep, SIZE_MAX, best->problem, arena, &ranked), ties = 0;
    double widen_frac = rft_run_widen_frac(run, best->sweep, best->problem);
    for (size_t i = 0; i < count; i++) {
        ties += ranked[i] != best && rft_run_tie(best, ranked[i], widen_frac);
    }
    return ties;
}

void rft_words_per_second(char *out, size_t size, double rate) {
    if (rate < 999.5) {
        rft_text_format(out, size, "%.3g", rate);
    } else {
        rft_units_format_count(out, size, (uint64_t)rate);
    }
}

const char *rft_words_throttled(const rft_run *run, rft_arena *arena) {
    const char *throttled = rft_run_throttled_sentence(run, arena);
    return throttled ? throttled : "n/a: clocks were not read, or not recorded";
}

const char *rft_words_sentence(const char *text, rft_arena *arena) {
    char first = *text >= 'a' && *text <= 'z' ? (char)(*text - 'a' + 'A') : *text;
    return rft_arena_printf(arena, "%c%s.", first, *text ? text + 1 : "");
}

const char *rft_words_plural(uint64_t count, const char *one, const char *many, rft_arena *arena) {
    return rft_arena_printf(arena, "%s %s", rft_figure_count(arena, count), count == 1 ? one : many);
}

bool rft_rate_in_ops(const rft_placement *place) {
    bool has_ops = isfinite(place->rate_ops_s) && place->rate_ops_s > 0;
    bool has_bytes = isfinite(place->rate_bytes_s) && place->rate_bytes_s > 0;
    if (!has_ops || !has_bytes) {
        return has_ops;
    }
    /* Without a roof: by the side of any present device's ridge the work is surely on. */
    return isnan(place->roof_s) ? place->intensity > 10 : place->roof == RFT_RESOURCE_PIPE;
}

double rft_rate_of(const rft_placement *place) {
    double rate = rft_rate_in_ops(place) ? place->rate_ops_s : place->rate_bytes_s;
    return rate > 0 ? rate : NAN;
}

const char *rft_rate_unit(const rft_placement *place) {
    if (!rft_rate_in_ops(place)) {
        return "B/s";
    }
    return place->roof == RFT_RESOURCE_PIPE ? rft_pipe_unit(place->roof_pipe) : "FLOP/s";
}

const char *rft_words_rate(const rft_placement *place, rft_arena *arena) {
    return rft_figure_si(arena, rft_rate_of(place), rft_rate_unit(place));
}

const char *rft_words_reach(const rft_reach *reach, rft_arena *arena) {
    return rft_arena_printf(arena, "%s%s",
                            reach->back_to_back ? "back to back "
                            : reach->at_most    ? "at most "
                                                : "",
                            rft_figure_percent(arena, reach->frac));
}

const char *rft_words_share_note(const rft_run *run, const rft_point *point, rft_arena *arena) {
    rft_over_roof over = rft_over_roof_of(run, point, arena);
    if (!over.text || rft_reach_of(run, point).back_to_back) {
        return rft_reach_note(run, point, arena);
    }
    return rft_arena_printf(arena, "%s of its roof: %s", rft_arena_fixed(arena, over.factor * 100.0, 1, " %"),
                            over.text);
}

const char *rft_words_roof(const rft_placement *place) {
    return place->roof == RFT_RESOURCE_PIPE ? rft_pipe_label(place->roof_pipe) : "memory";
}

rft_measure rft_measure_of(const rft_placement *place, const rft_point *best, rft_arena *arena) {
    rft_measure m;
    double rate = rft_rate_of(place), time_s = rft_point_median_s(best);
    m.amount = rate * time_s;
    m.scale = isnan(rate) ? rft_figure_scale_of(arena, &time_s, 1, "s")
                          : rft_figure_scale_of(arena, &rate, 1, rft_rate_unit(place));
    m.title = rft_arena_printf(arena, "%s (%s)", isnan(rate) ? "median time" : "useful rate", m.scale.unit);
    return m;
}

double rft_measure_shown(const rft_measure *m, double time_s) {
    return (isnan(m->amount) ? time_s : m->amount / time_s) / m->scale.factor;
}

const char *rft_words_unbroken(const char *words, rft_arena *arena) {
    rft_str text = RFT_STR_INIT;
    for (; *words; words++) {
        rft_str_add_n(&text, *words == ' ' ? "\xc2\xa0" : words, *words == ' ' ? 2 : 1);
    }
    const char *kept = rft_arena_strdup(arena, rft_str_get(&text));
    rft_str_clear(&text);
    return kept;
}

const char *rft_words_time(const rft_measurement *m, rft_arena *arena) {
    rft_interval_text time = rft_stats_text(&m->stats, 0.0, "s", arena);
    return rft_arena_printf(arena, "%s, %s%s, n = %zu, %s, %s", time.value,
                            time.interval ? "95 % interval " : "no 95 % interval", time.interval ? time.interval : "",
                            m->n, rft_stop_reason_name(m->stop), rft_protocol_words(m->cache, m->mode));
}

const char *rft_words_turns(const rft_bound *bound, rft_arena *arena) {
    const rft_share *first = bound->shares, *other = rft_bound_turns(bound);
    return other ? rft_arena_printf(arena, "%s and %s %s", rft_resource_name(first->resource, first->pipe),
                                    rft_resource_name(other->resource, other->pipe), rft_bound_turns_word(bound))
                 : NULL;
}

const char *rft_words_bound_name(const rft_bound *bound, rft_arena *arena) {
    const char *name = rft_resource_name(bound->resource, bound->pipe), *turns = rft_words_turns(bound, arena);
    return turns ? rft_arena_printf(arena, "%s (%s)", name, turns) : name;
}

const char *rft_words_beside(const rft_bound *bound, rft_arena *arena) {
    return bound->step ? rft_arena_printf(arena, ", in step %zu", bound->step) : rft_bound_busy_text(bound, arena);
}

const char *rft_words_bound(const rft_bound *bound, rft_arena *arena) {
    if (bound->resource == RFT_RESOURCE_UNKNOWN) {
        return "not known";
    }
    const char *name = rft_words_bound_name(bound, arena), *of = rft_words_beside(bound, arena);
    return bound->firmness == RFT_FIRM_NONE
               ? rft_arena_printf(arena, "%s%s", name, of)
               : rft_arena_printf(arena, "%s%s %.0f %%, %s%s", bound->firmness == RFT_FIRM_MOSTLY ? "mostly " : "",
                                  name, bound->frac * 100, rft_evidence_name(bound->evidence), of);
}
