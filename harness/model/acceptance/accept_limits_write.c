/* SPDX-License-Identifier: Apache-2.0 */
/* accept_limits_write.c - a table of limits as the Lua file that accept_limits_read.c reads again. */
#include "model/acceptance/accept_limits.h"

#include "base/units.h"

#include <math.h>
#include <string.h>

/* A key of a table; in brackets where Lua would not read it as a name. */
static void add_key(rft_str *out, const char *name) {
    static const char words[] = " and break do else elseif end false for function goto if in local nil not or repeat "
                                "return then true until while ";
    char spaced[80];
    bool plain = *name && strspn(name, "0123456789") == 0 && strlen(name) < sizeof spaced - 2 &&
                 strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789") == strlen(name);
    rft_text_format(spaced, sizeof spaced, " %.70s ", name);
    if (plain && !strstr(words, spaced)) {
        rft_str_add(out, name);
    } else {
        rft_str_add(out, "[");
        rft_str_add_lua(out, name);
        rft_str_add(out, "]");
    }
}

static void add_value(rft_str *out, const rft_value *value) {
    if (value->kind == RFT_VALUE_TEXT) {
        rft_str_add_lua(out, value->as.text);
    } else if (value->kind == RFT_VALUE_BOOL) {
        rft_str_add(out, value->as.integer ? "true" : "false");
    } else {
        rft_value_format(out, value);
    }
}

static void write_problem(rft_str *out, const rft_limit *limit) {
    rft_str_add(out, "sweep = ");
    rft_str_add_lua(out, limit->problem.operation);
    rft_str_add(out, ", problem = { ");
    for (size_t i = 0; i < limit->problem.axis_count; i++) {
        rft_str_add(out, i ? ", " : "");
        add_key(out, limit->problem.axes[i]);
        rft_str_add(out, " = ");
        add_value(out, &limit->problem.values[i]);
    }
    rft_str_add(out, " }");
}

static void add_text_field(rft_str *out, const char *key, const char *text) {
    if (text) {
        rft_str_addf(out, ", %s = ", key);
        rft_str_add_lua(out, text);
    }
}

static void add_amount(rft_str *out, const char *before, double amount, const rft_limit *limit) {
    char text[64];
    if (isfinite(amount)) {
        rft_str_addf(out, "%s%s", before,
                     strcmp(rft_limit_unit(limit), "s") == 0
                         ? rft_units_format_seconds(text, sizeof text, amount, 4)
                         : rft_units_format_si(text, sizeof text, amount, 4, rft_limit_unit(limit)));
    }
}

static void add_limit(rft_str *out, const rft_limit *limit) {
    rft_str_add(out, "    { ");
    if (limit->is_ceiling) {
        rft_str_addf(out, "ceiling = \"%s\"%s", rft_ceiling_name(limit->ceiling),
                     limit->sustained ? ", sustained = true" : "");
    } else {
        write_problem(out, limit);
    }
    rft_str_addf(out, ", %s = %.10g, unit = \"%s\", from = \"%s\"", limit->at_most ? "at_most" : "at_least",
                 limit->value, rft_limit_unit(limit), rft_limit_from_name(limit->from));
    if (limit->cards) {
        rft_str_addf(out, ", cards = %zu", limit->cards);
    }
    if (isfinite(limit->spread)) {
        rft_str_addf(out, ", spread = %.3g", limit->spread);
    }
    add_text_field(out, "cache", limit->cache);
    add_text_field(out, "source", limit->source);
    add_text_field(out, "note", limit->note);
    rft_str_add(out, " },");
    add_amount(out, " -- this card reads ", limit->reading, limit);
    add_amount(out, isfinite(limit->reading) ? "; datasheet: " : " -- datasheet: ", limit->datasheet, limit);
    rft_str_add(out, "\n");
}

static void add_sources(rft_str *out, const rft_limits *limits, size_t tolerances) {
    if (tolerances) {
        rft_str_addf(
            out,
            "-- \"tolerance\": one-sided tolerance limits of the logarithms over the reference cards\n"
            "-- (ISO 16269-6:2014), content 1 - (1 - share) / %zu, each with the confidence below; and below them\n"
            "-- the guard band of a delivery of %u cards. spread: standard deviation of the logarithms.\n",
            tolerances, RFT_LIMITS_DELIVERY);
    }
    if (tolerances < limits->count) {
        rft_str_addf(
            out,
            "-- \"contract\": %.0f %% off what one card reads, since there are under %u reference cards; a time as\n"
            "-- far off as another run of that card may read it, where that is more. A proposal: nothing is owed\n"
            "-- before buyer and seller agree on it. \"datasheet\": its own figure.\n",
            RFT_LIMITS_PROPOSED_FRAC * 100.0, RFT_LIMITS_CARDS_LEAST);
    }
    rft_str_add(out, "-- Guard band of `rooftune test`: JCGM 106:2012, 8.3. docs/acceptance.md\n");
}

void rft_limits_write(rft_str *out, const rft_limits *limits) {
    size_t tolerances = 0;
    for (size_t i = 0; i < limits->count; i++) {
        tolerances += limits->items[i].from == RFT_LIMIT_FROM_TOLERANCE;
    }
    rft_str_addf(out, RFT_LIMITS_HEAD "; %zu reference card%s\n", limits->cards, limits->cards == 1 ? "" : "s");
    add_sources(out, limits, tolerances);
    rft_str_add(out, "return {\n    device = ");
    rft_str_add_lua(out, limits->device);
    add_text_field(out, "\n    name", limits->name);
    rft_str_addf(out, ",\n    risk = %.10g, -- of a wrong PASS or FAIL by measuring, over cards x limits\n",
                 limits->risk);
    if (tolerances) {
        rft_str_addf(out,
                     "    share = %.10g, -- of cards like the reference cards passes all tolerance limits\n"
                     "    confidence = %.10g,\n",
                     limits->share, limits->confidence);
    }
    rft_str_add(out, "    limits = {\n");
    for (size_t i = 0; i < limits->count; i++) {
        rft_str_add(out, "    ");
        add_limit(out, &limits->items[i]);
    }
    rft_str_add(out, "    },\n}\n");
}
