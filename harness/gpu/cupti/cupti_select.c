/* SPDX-License-Identifier: Apache-2.0 */
/* A set of quantities as one list of metrics, and readings back as quantities. */
#include "gpu/cupti/cupti_parts.h"

#include <math.h>
#include <string.h>

static const char not_asked[] = RFT_COUNTER_NOT_ASKED;

/* The first alternative all of whose metrics the chip accepts; text NULL when none. */
static rft_counter_formula choose(const rft_cupti_host *host, rft_counter counter, rft_arena *arena) {
    rft_counter_formula choice;
    for (size_t i = 0; rft_counter_alternative(counter, i); i++) {
        if (rft_counter_formula_parse(&choice, rft_counter_alternative(counter, i), arena) &&
            rft_cupti_host_accepts(host, choice.metrics, choice.count)) {
            return choice;
        }
    }
    return (rft_counter_formula){.text = NULL};
}

static const rft_counter_formula *choice_of(const rft_cupti_host *host, rft_cupti_choices *choices, int counter) {
    if (!choices->known[counter]) {
        choices->items[counter] = choose(host, (rft_counter)counter, choices->arena);
        choices->known[counter] = true;
    }
    return &choices->items[counter];
}

static size_t find_metric(const rft_cupti_selection *selection, const char *metric) {
    size_t i = 0;
    while (i < selection->metric_count && strcmp(selection->metrics[i], metric) != 0) {
        i++;
    }
    return i;
}

static void add_metric(rft_cupti_selection *selection, const char *metric) {
    if (find_metric(selection, metric) == selection->metric_count) {
        selection->metrics[selection->metric_count++] = metric;
    }
}

int rft_cupti_select(rft_cupti_selection *out, const rft_cupti_host *host, rft_cupti_choices *choices,
                     const rft_counter_set *set, rft_arena *arena, rft_err *err) {
    const size_t most = (size_t)RFT_COUNTER_COUNT * RFT_COUNTER_TERMS_MAX + set->raw_count;
    *out = (rft_cupti_selection){.set = *set,
                                 .metrics = rft_arena_calloc(arena, most, sizeof *out->metrics),
                                 .raw_accepted = rft_arena_calloc(arena, set->raw_count + 1, sizeof(bool))};
    const char **raw = rft_arena_calloc(arena, set->raw_count + 1, sizeof *raw);
    for (int i = 0; i < RFT_COUNTER_COUNT; i++) {
        const rft_counter_formula *choice = set->wanted[i] ? choice_of(host, choices, i) : NULL;
        for (size_t k = 0; choice && choice->text && k < choice->count; k++) {
            add_metric(out, choice->metrics[k]);
        }
    }
    for (size_t i = 0; i < set->raw_count; i++) {
        raw[i] = rft_arena_strdup(arena, set->raw[i]);
        out->raw_accepted[i] = rft_cupti_host_accepts(host, &raw[i], 1);
        if (out->raw_accepted[i]) {
            add_metric(out, raw[i]);
        }
    }
    out->set.raw = raw;
    return out->metric_count > 0 ? rft_cupti_host_config(host, out->metrics, out->metric_count, &out->config, err) : 0;
}

/* ---- words ---- */
static const char *refused(const char *chip, rft_arena *arena) {
    return rft_arena_printf(arena, "%s has no such counter, or this CUPTI does not know it", chip);
}

/* Why a quantity has no value before anything was counted; NULL when it can be counted. */
static const char *reason_for(const rft_cupti_selection *selection, const rft_cupti_choices *choices, int counter,
                              const char *no_counter) {
    if (!selection->set.wanted[counter]) {
        return not_asked;
    }
    return choices->items[counter].text ? NULL : no_counter;
}

static rft_counter_raw *raw_rows(const rft_cupti_selection *selection, const char *no_counter, rft_arena *arena) {
    rft_counter_raw *rows = rft_arena_calloc(arena, selection->set.raw_count + 1, sizeof *rows);
    for (size_t i = 0; i < selection->set.raw_count; i++) {
        rows[i] = (rft_counter_raw){.name = rft_arena_strdup(arena, selection->set.raw[i]),
                                    .value = NAN,
                                    .reason = selection->raw_accepted[i] ? NULL : no_counter};
    }
    return rows;
}

void rft_cupti_selection_plan(const rft_cupti_selection *selection, const rft_cupti_choices *choices, const char *chip,
                              rft_counter_plan *out, rft_arena *arena) {
    const char *no_counter = refused(chip, arena);
    *out = (rft_counter_plan){.chip = rft_arena_strdup(arena, chip),
                              .raw = raw_rows(selection, no_counter, arena),
                              .raw_count = selection->set.raw_count,
                              .metric_count = selection->metric_count,
                              .passes = selection->config.passes};
    for (int i = 0; i < RFT_COUNTER_COUNT; i++) {
        out->reasons[i] = reason_for(selection, choices, i, no_counter);
        out->metrics[i] = out->reasons[i] ? NULL : choices->items[i].text; /* static: of the table of alternatives */
    }
}

void rft_cupti_selection_counters(const rft_cupti_selection *selection, const rft_cupti_choices *choices,
                                  const double *values, const char *chip, rft_counters *out, rft_arena *arena) {
    const char *no_counter = refused(chip, arena);
    *out = rft_counters_unknown(not_asked);
    out->raw = raw_rows(selection, no_counter, arena);
    out->raw_count = selection->set.raw_count;
    out->passes = values ? selection->config.passes : 0;
    for (int i = 0; i < RFT_COUNTER_COUNT; i++) {
        out->reasons[i] = reason_for(selection, choices, i, no_counter);
        if (out->reasons[i] || !values) {
            continue;
        }
        const rft_counter_formula *choice = &choices->items[i];
        double sum = 0.0;
        for (size_t k = 0; k < choice->count; k++) {
            sum += choice->factors[k] * values[find_metric(selection, choice->metrics[k])];
        }
        out->values[i] = sum;
        out->reasons[i] = isnan(sum) ? "CUPTI gave no number" : NULL;
    }
    for (size_t i = 0; values && i < out->raw_count; i++) {
        if (selection->raw_accepted[i]) {
            out->raw[i].value = values[find_metric(selection, selection->set.raw[i])];
            out->raw[i].reason = isnan(out->raw[i].value) ? "CUPTI gave no number" : NULL;
        }
    }
}
