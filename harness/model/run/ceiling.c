/* SPDX-License-Identifier: Apache-2.0 */
#include "model/run/ceiling.h"

#include "base/str.h"

#include <math.h>

typedef struct ceiling_row {
    const char *name, *label, *unit;
} ceiling_row;

static const ceiling_row rows[RFT_CEILING_COUNT] = {
#define CEILING_ROW(name, text, label, unit) {text, label, unit},
    RFT_CEILING_MAP(CEILING_ROW)
#undef CEILING_ROW
};

const char *rft_ceiling_name(rft_ceiling_id id) {
    return id < RFT_CEILING_COUNT ? rows[id].name : "none";
}

const char *rft_ceiling_label(rft_ceiling_id id) {
    return id < RFT_CEILING_COUNT ? rows[id].label : "none";
}

const char *rft_ceiling_unit(rft_ceiling_id id) {
    return id < RFT_CEILING_COUNT ? rows[id].unit : "";
}

bool rft_ceiling_from_name(rft_ceiling_id *out, const char *name) {
    for (int i = 0; i < RFT_CEILING_COUNT; i++) {
        if (rft_text_equal(rows[i].name, name)) {
            *out = (rft_ceiling_id)i;
            return true;
        }
    }
    return false;
}

const char *rft_ceiling_not_asked(rft_ceiling_id id) {
    return id >= RFT_CEILING_SEVERAL_FIRST ? "of several cards: `rooftune ceilings -d all` measures it"
                                           : "not asked for: `rooftune ceilings` measures all";
}

rft_ceiling rft_ceiling_none(const char *reason) {
    return (rft_ceiling){.reason = reason,
                         .stats = rft_stats_of(NULL, 0),
                         .clock_mhz = NAN,
                         .datasheet = NAN,
                         .limit = NAN,
                         .sustained = rft_stats_of(NULL, 0),
                         .sustained_clock_mhz = NAN,
                         .sustained_power_w = NAN};
}

static bool can_judge(const rft_ceilings *ceilings, rft_ceiling_id id) {
    return id < RFT_CEILING_COUNT && ceilings->items[id].measured && !ceilings->items[id].at_least;
}

double rft_ceilings_rate(const rft_ceilings *ceilings, rft_ceiling_id id) {
    return can_judge(ceilings, id) ? ceilings->items[id].stats.median : NAN;
}

double rft_ceilings_sustained_rate(const rft_ceilings *ceilings, rft_ceiling_id id) {
    bool there = can_judge(ceilings, id) && ceilings->items[id].sustained.n > 0;
    return there ? ceilings->items[id].sustained.median : NAN;
}

/* Caches, shared memory and pipes do so much a cycle. */
static double per_cycle(rft_ceiling_id id, double rate, double clock_mhz) {
    bool follows = id >= RFT_CEILING_L2_READ && id < RFT_CEILING_TENSOR_END;
    return follows && clock_mhz > 0.0 ? rate / (clock_mhz * 1e6) : (double)NAN;
}

double rft_ceilings_per_cycle(const rft_ceilings *ceilings, rft_ceiling_id id) {
    double rate = rft_ceilings_rate(ceilings, id);
    return id < RFT_CEILING_COUNT ? per_cycle(id, rate, ceilings->items[id].clock_mhz) : (double)NAN;
}

double rft_ceilings_sustained_per_cycle(const rft_ceilings *ceilings, rft_ceiling_id id) {
    double rate = rft_ceilings_sustained_rate(ceilings, id);
    return id < RFT_CEILING_COUNT ? per_cycle(id, rate, ceilings->items[id].sustained_clock_mhz) : (double)NAN;
}

const char *rft_ceiling_prefix(const rft_ceiling *ceiling) {
    return ceiling->measured && ceiling->at_least ? "at least " : "";
}

bool rft_ceiling_sags(const rft_ceiling *ceiling) {
    return ceiling->measured && ceiling->sustained.n > 0 &&
           fabs(ceiling->sustained.median / ceiling->stats.median - 1.0) > 0.03;
}

int64_t rft_ceilings_measured_unix_ns(const rft_ceilings *ceilings) {
    int64_t oldest = 0;
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        const rft_ceiling *c = &ceilings->items[id];
        if (c->measured && c->measured_unix_ns > 0 && (oldest == 0 || c->measured_unix_ns < oldest)) {
            oldest = c->measured_unix_ns;
        }
    }
    return oldest;
}

const char *rft_ceilings_age_text(const rft_ceilings *ceilings, int64_t at_unix_ns, rft_arena *arena) {
    int64_t then_ns = rft_ceilings_measured_unix_ns(ceilings);
    int64_t age_s = (at_unix_ns - then_ns) / 1000000000;
    if (then_ns == 0 || at_unix_ns <= then_ns) {
        return NULL;
    }
    return age_s >= 3600 ? rft_arena_printf(arena, "%lld h", (long long)((age_s + 1800) / 3600))
           : age_s >= 60 ? rft_arena_printf(arena, "%lld min", (long long)((age_s + 30) / 60))
                         : rft_arena_printf(arena, "%lld s", (long long)age_s);
}
