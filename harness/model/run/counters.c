/* SPDX-License-Identifier: Apache-2.0 */
#include "model/run/counters.h"

#include "base/str.h"
#include "base/units.h"

#include <math.h>
#include <string.h>

#define DIGITS 4
#define SLACK 1.02 /* readings of several passes, each with its own clock */
#define WARP 32.0

enum { SET_DEFAULT, SET_ALL };

typedef struct counter_words {
    const char *name, *unit, *label, *definition;
    int set;
} counter_words;

static const counter_words rows[RFT_COUNTER_COUNT] = {
#define COUNTER_ROW(id, name, unit, label, set, definition) {name, unit, label, definition, SET_##set},
    RFT_COUNTER_MAP(COUNTER_ROW)
#undef COUNTER_ROW
};

const char *rft_counter_name(rft_counter counter) {
    return rows[counter].name;
}

const char *rft_counter_unit(rft_counter counter) {
    return rows[counter].unit;
}

const char *rft_counter_label(rft_counter counter) {
    return rows[counter].label;
}

const char *rft_counter_definition(rft_counter counter) {
    return rows[counter].definition;
}

bool rft_counter_in_default(rft_counter counter) {
    return rows[counter].set == SET_DEFAULT;
}

bool rft_counter_from_name(rft_counter *out, const char *name) {
    for (int i = 0; i < RFT_COUNTER_COUNT; i++) {
        if (rft_text_equal(rows[i].name, name)) {
            *out = (rft_counter)i;
            return true;
        }
    }
    return false;
}

/* ---- sets ---- */
rft_counter_set rft_counter_set_none(void) {
    return (rft_counter_set){.raw = NULL};
}

static void want(rft_counter_set *set, int most) {
    for (int i = 0; i < RFT_COUNTER_COUNT; i++) {
        set->wanted[i] = set->wanted[i] || rows[i].set <= most;
    }
}

rft_counter_set rft_counter_set_default(void) {
    rft_counter_set set = rft_counter_set_none();
    want(&set, SET_DEFAULT);
    return set;
}

rft_counter_set rft_counter_set_all(void) {
    rft_counter_set set = rft_counter_set_none();
    want(&set, SET_ALL);
    return set;
}

bool rft_counter_set_is_empty(const rft_counter_set *set) {
    for (int i = 0; i < RFT_COUNTER_COUNT; i++) {
        if (set->wanted[i]) {
            return false;
        }
    }
    return set->raw_count == 0;
}

static int unknown_name(const char *word, rft_err *err) {
    const char *candidates[RFT_COUNTER_COUNT + 3] = {"none", "default", "all"};
    for (int i = 0; i < RFT_COUNTER_COUNT; i++) {
        candidates[i + 3] = rows[i].name;
    }
    const char *nearest = rft_text_nearest(word, candidates, sizeof candidates / sizeof *candidates);
    rft_err_set(err, RFT_E_USAGE, "there is no counter \"%s\"%s%s%s", word, nearest ? "; did you mean \"" : "",
                nearest ? nearest : "", nearest ? "\"?" : "");
    rft_err_remedy(err,
                   "none, default, all, or a list of names from docs/counters.md; a name with \"__\" in it is taken "
                   "as CUPTI's own");
    return RFT_E_USAGE;
}

static int add_word(rft_counter_set *set, const char **raw, const char *word, rft_err *err) {
    rft_counter counter = RFT_COUNTER_COUNT;
    if (strcmp(word, "none") == 0) {
        return 0;
    }
    if (strcmp(word, "default") == 0 || strcmp(word, "all") == 0) {
        want(set, word[0] == 'd' ? SET_DEFAULT : SET_ALL);
    } else if (rft_counter_from_name(&counter, word)) {
        set->wanted[counter] = true;
    } else if (strstr(word, "__")) {
        raw[set->raw_count++] = word;
    } else {
        return unknown_name(word, err);
    }
    return 0;
}

int rft_counter_set_parse(rft_counter_set *out, const char *text, rft_arena *arena, rft_err *err) {
    rft_counter_set set = rft_counter_set_none();
    size_t words = 1;
    for (const char *p = text; *p; p++) {
        words += *p == ',';
    }
    const char **raw = rft_arena_calloc(arena, words, sizeof *raw);
    const char *at = text;
    for (size_t i = 0; i < words; i++) {
        size_t length = strcspn(at, ",");
        size_t spaces = strspn(at, " ");
        const char *begin = at + (spaces < length ? spaces : length);
        const char *end = at + length;
        while (end > begin && end[-1] == ' ') {
            end--;
        }
        int rc = add_word(&set, raw, rft_arena_strndup(arena, begin, (size_t)(end - begin)), err);
        if (rc != 0) {
            return rc;
        }
        at += length + 1;
    }
    set.raw = raw;
    *out = set;
    return 0;
}

rft_counters rft_counters_unknown(const char *reason) {
    rft_counters counters = {.raw = NULL};
    for (int i = 0; i < RFT_COUNTER_COUNT; i++) {
        counters.values[i] = NAN;
        counters.reasons[i] = reason;
    }
    return counters;
}

rft_counters rft_counters_refused(const rft_counter_set *set, const char *reason, rft_arena *arena) {
    rft_counters counters = rft_counters_unknown(RFT_COUNTER_NOT_ASKED);
    const char *kept = rft_arena_strdup(arena, reason);
    counters.raw_count = set->raw_count;
    counters.raw = rft_arena_calloc(arena, set->raw_count + 1, sizeof *counters.raw);
    for (int i = 0; i < RFT_COUNTER_COUNT; i++) {
        counters.reasons[i] = set->wanted[i] ? kept : counters.reasons[i];
    }
    for (size_t i = 0; i < set->raw_count; i++) {
        counters.raw[i] = (rft_counter_raw){rft_arena_strdup(arena, set->raw[i]), NAN, kept};
    }
    return counters;
}

rft_counters *rft_counters_copy(const rft_counters *counters, rft_arena *arena) {
    rft_counters *copy = rft_arena_memdup(arena, counters, sizeof *counters);
    for (int i = 0; i < RFT_COUNTER_COUNT; i++) {
        copy->reasons[i] = rft_arena_strdup(arena, counters->reasons[i]);
    }
    copy->source = counters->source ? rft_arena_strdup(arena, counters->source) : NULL;
    copy->raw = rft_arena_calloc(arena, counters->raw_count + 1, sizeof *copy->raw);
    for (size_t i = 0; i < counters->raw_count; i++) {
        const rft_counter_raw *raw = &counters->raw[i];
        copy->raw[i] =
            (rft_counter_raw){rft_arena_strdup(arena, raw->name), raw->value, rft_arena_strdup(arena, raw->reason)};
    }
    return copy;
}

/* ---- text ---- */

static const char *fixed(double value, int decimals, const char *after, rft_arena *arena) {
    rft_str number = RFT_STR_INIT;
    rft_str_add_fixed(&number, value, decimals);
    const char *text = rft_arena_printf(arena, "%s%s", rft_str_get(&number), after);
    rft_str_clear(&number);
    return text;
}

/* Bytes and hertz with a prefix; numbers of things as they are up to five digits, then "33.55 M sectors". */
static const char *amount(double value, const char *unit, rft_arena *arena) {
    char text[64];
    bool thing = !rft_text_equal(unit, "B") && !rft_text_equal(unit, "Hz");
    if (thing && fabs(value) < 99999.5 && value == floor(value)) {
        return rft_arena_printf(arena, "%.0f %s", value, unit);
    }
    rft_units_format_si(text, sizeof text, value, DIGITS, thing ? "" : unit);
    return thing ? rft_arena_printf(arena, "%s %s", text, unit) : rft_arena_strdup(arena, text);
}

bool rft_counter_was_asked(double value, const char *reason) {
    return !isnan(value) || !rft_text_equal(reason, RFT_COUNTER_NOT_ASKED);
}

bool rft_counter_is_of_nothing(rft_counter counter, double value) {
    bool average = counter == RFT_COUNTER_LOAD_BYTES_PER_SECTOR || counter == RFT_COUNTER_STORE_BYTES_PER_SECTOR ||
                   counter == RFT_COUNTER_SECTORS_PER_LOAD || counter == RFT_COUNTER_SECTORS_PER_STORE;
    return average && value == 0.0;
}

const char *rft_counter_text(rft_counter counter, double value, rft_arena *arena) {
    const char *unit = rft_counter_unit(counter);
    char text[64];
    if (!isfinite(value) || rft_counter_is_of_nothing(counter, value)) {
        return "n/a";
    }
    if (rft_text_equal(unit, "1")) {
        return fixed(value * 100.0, 1, " %", arena);
    }
    if (rft_text_equal(unit, "s")) {
        return rft_arena_strdup(arena, rft_units_format_seconds(text, sizeof text, value, DIGITS));
    }
    if (rft_text_equal(unit, "1/cycle")) {
        return fixed(value, 2, " per cycle", arena);
    }
    if (rft_text_equal(unit, "warps")) {
        return fixed(value, 2, " warps", arena);
    }
    bool ratio = value != floor(value) && fabs(value) < 1000.0; /* bytes or sectors of one access */
    return ratio ? fixed(value, 1, rft_arena_printf(arena, " %s", unit), arena) : amount(value, unit, arena);
}

const char *rft_counter_raw_text(const rft_counter_raw *raw, rft_arena *arena) {
    rft_str number = RFT_STR_INIT;
    if (isnan(raw->value)) {
        return "n/a";
    }
    rft_str_add_double(&number, raw->value);
    const char *text = rft_arena_strdup(arena, rft_str_get(&number));
    rft_str_clear(&number);
    return text;
}

/* ---- counts that cannot be: a wrong number with a good name is worse than none ---- */

typedef struct checking {
    rft_counters *counters;
    rft_arena *arena;
    size_t withdrawn;
} checking;

static double value_of(const checking *c, rft_counter counter) {
    return c->counters->values[counter];
}

static void withdraw(checking *c, rft_counter counter, const char *why) {
    if (isnan(value_of(c, counter))) {
        return;
    }
    rft_str text = RFT_STR_INIT;
    rft_str_addf(&text, "counted ");
    rft_str_add_double(&text, value_of(c, counter));
    rft_str_addf(&text, " %s, %s", rft_counter_unit(counter), why);
    c->counters->values[counter] = NAN;
    c->counters->reasons[counter] = rft_arena_strdup(c->arena, rft_str_get(&text));
    c->withdrawn++;
    rft_str_clear(&text);
}

static void check_each(checking *c) {
    for (int i = 0; i < RFT_COUNTER_COUNT; i++) {
        rft_counter counter = (rft_counter)i;
        double value = value_of(c, counter);
        bool is_share = rft_text_equal(rft_counter_unit(counter), "1") || counter == RFT_COUNTER_ISSUE;
        if (isinf(value)) {
            withdraw(c, counter, "which is not a number");
        } else if (value < 0.0) {
            withdraw(c, counter, "which is below zero");
        } else if (is_share && value > SLACK) {
            withdraw(c, counter, "which is more than there is");
        } else if (isnan(value) && !c->counters->reasons[counter]) {
            c->counters->reasons[counter] = "the profiler gave no number";
        }
    }
    const rft_counter per_sector[] = {RFT_COUNTER_LOAD_BYTES_PER_SECTOR, RFT_COUNTER_STORE_BYTES_PER_SECTOR};
    for (size_t i = 0; i < 2; i++) {
        /* Lanes that read the same word count it for each: more than 32 bytes a sector are possible, 32 x 32 at most.
         */
        if (value_of(c, per_sector[i]) > 32.0 * WARP) {
            withdraw(c, per_sector[i], "more than a warp can ask of a sector");
        }
    }
    if (value_of(c, RFT_COUNTER_TIME) == 0.0) {
        withdraw(c, RFT_COUNTER_TIME, "though something ran");
    }
}

static void check_together(checking *c) {
    double sectors = value_of(c, RFT_COUNTER_L2_READ) + value_of(c, RFT_COUNTER_L2_WRITE);
    double atomic = value_of(c, RFT_COUNTER_L2_ATOMIC);
    if (!isnan(atomic) && value_of(c, RFT_COUNTER_L2_HIT) > SLACK * (sectors + atomic)) {
        withdraw(c, RFT_COUNTER_L2_HIT, "more than the sectors asked for");
    }
    if (value_of(c, RFT_COUNTER_SHARED_CONFLICTS) > SLACK * value_of(c, RFT_COUNTER_SHARED_WAVEFRONTS)) {
        withdraw(c, RFT_COUNTER_SHARED_CONFLICTS, "more than all wavefronts");
    }
    static const rft_counter arithmetic[] = {RFT_COUNTER_FADD, RFT_COUNTER_FMUL, RFT_COUNTER_FFMA,
                                             RFT_COUNTER_DADD, RFT_COUNTER_DMUL, RFT_COUNTER_DFMA,
                                             RFT_COUNTER_HADD, RFT_COUNTER_HMUL, RFT_COUNTER_HFMA};
    double executed = WARP * value_of(c, RFT_COUNTER_WARP_INSTRUCTIONS), sum = 0.0;
    for (size_t i = 0; i < sizeof arithmetic / sizeof *arithmetic; i++) {
        double value = value_of(c, arithmetic[i]);
        sum += isnan(value) ? 0.0 : value;
    }
    /* Twice: Blackwell's packed FP32 instructions are counted as the two that they do. */
    if (sum > 2.0 * SLACK * executed) {
        withdraw(c, RFT_COUNTER_WARP_INSTRUCTIONS, "fewer than its arithmetic takes");
    }
}

static void check_device(checking *c, const rft_gpu_info *gpu) {
    double seconds = value_of(c, RFT_COUNTER_TIME);
    double bus = 2.0 * (double)gpu->memory_clock_khz * 1e3 * (double)gpu->memory_bus_bits / 8.0;
    double dram = value_of(c, RFT_COUNTER_DRAM_READ) + value_of(c, RFT_COUNTER_DRAM_WRITE);
    if (bus > 0.0 && dram > SLACK * bus * seconds) {
        withdraw(c, RFT_COUNTER_DRAM_READ, "with the writes more than the bus can carry in that time");
        withdraw(c, RFT_COUNTER_DRAM_WRITE, "with the reads more than the bus can carry in that time");
    }
    double cycles = (double)gpu->sm_clock_khz * 1e3 * seconds * (double)gpu->sms;
    if (cycles > 0.0 && value_of(c, RFT_COUNTER_FFMA) > SLACK * cycles * (double)rft_gpu_info_fp32_lanes(gpu) &&
        rft_gpu_info_fp32_lanes(gpu) > 0) {
        withdraw(c, RFT_COUNTER_FFMA, "more than the lanes can do in that time");
    }
    if (gpu->sm_clock_khz > 0 && value_of(c, RFT_COUNTER_SM_CLOCK) > SLACK * (double)gpu->sm_clock_khz * 1e3) {
        withdraw(c, RFT_COUNTER_SM_CLOCK, "above the highest clock");
    }
    if (cycles > 0.0 && value_of(c, RFT_COUNTER_SHARED_WAVEFRONTS) > SLACK * cycles) {
        withdraw(c, RFT_COUNTER_SHARED_WAVEFRONTS, "more than one per SM and cycle");
    }
}

size_t rft_counters_check(rft_counters *counters, const rft_gpu_info *gpu, rft_arena *arena) {
    checking c = {.counters = counters, .arena = arena};
    check_each(&c);
    check_together(&c);
    if (gpu) {
        check_device(&c, gpu);
    }
    return c.withdrawn;
}
