/* SPDX-License-Identifier: Apache-2.0 */
#include "model/advice/advice_tried.h"

#include "base/str.h"
#include "base/units.h"
#include "model/advice/advice_parts.h"
#include "model/roofline/counted.h"
#include "model/run/run_drift.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PARTS 5
/* Beside the one for the point's own value. */
#define BINS_THERE 3
#define BINS_BEHIND 1
_Static_assert(BINS_THERE + BINS_BEHIND + 1 == RFT_TRIED_BINS, "room for all bins");

/* ---- where a quantity is read from ---- */

static double counter_of(const rft_point *point, rft_counter counter) {
    return point->counters ? point->counters->values[counter] : (double)NAN;
}

/* A grid that is less than a wave leaves the rest of the room empty. */
static double occupancy_of(const rft_point *point) {
    return point->facts.occupancy_frac * (point->facts.waves < 1.0 ? point->facts.waves : 1.0);
}

static double achieved_of(const rft_point *point) {
    return counter_of(point, RFT_COUNTER_WARPS_ACTIVE);
}

static double waves_of(const rft_point *point) {
    return point->facts.waves;
}

static double even_of(const rft_point *point) {
    return point->facts.waves / ceil(point->facts.waves);
}

static double threads_of(const rft_point *point) {
    const int64_t *block = point->block;
    return point->has_launch ? (double)block[0] * (double)block[1] * (double)block[2] : (double)NAN;
}

static double block_shared_of(const rft_point *point) {
    const rft_facts *facts = &point->facts;
    bool known = facts->shared_static_bytes >= 0 && facts->shared_dynamic_bytes >= 0;
    return known ? (double)(facts->shared_static_bytes + facts->shared_dynamic_bytes) : (double)NAN;
}

static double spills_of(const rft_point *point) {
    return point->facts.spill_bytes >= 0 ? point->facts.spill_bytes : (double)NAN;
}

/* Lanes that read the same word count it each, so there may be more than a sector holds. */
static double useful_of(const rft_point *point, rft_counter counter) {
    double useful = counter_of(point, counter);
    return useful > 0.0 ? fmin(useful, RFT_SECTOR_BYTES) : (double)NAN;
}

static double load_useful_of(const rft_point *point) {
    return useful_of(point, RFT_COUNTER_LOAD_BYTES_PER_SECTOR);
}

static double store_useful_of(const rft_point *point) {
    return useful_of(point, RFT_COUNTER_STORE_BYTES_PER_SECTOR);
}

static double sectors_of(const rft_point *point) {
    return counter_of(point, RFT_COUNTER_SECTORS_PER_LOAD);
}

static double load_bytes_of(const rft_point *point) {
    return sectors_of(point) * load_useful_of(point) / RFT_WARP_LANES;
}

static double l2_hits_of(const rft_point *point) {
    return point->counters ? rft_counters_l2_hit_frac(point->counters) : (double)NAN;
}

static double counted_level(const rft_point *point, rft_level level) {
    rft_traffic counted = rft_counted_traffic(point);
    return counted.present ? counted.level_bytes[level] : (double)NAN;
}

static double modelled_level(const rft_point *point, rft_level level) {
    return point->traffic.present ? point->traffic.level_bytes[level] : (double)NAN;
}

#define LEVEL_READINGS(name, level)                                                                                    \
    static double name##_counted(const rft_point *point) {                                                             \
        return counted_level(point, level);                                                                            \
    }                                                                                                                  \
    static double name##_modelled(const rft_point *point) {                                                            \
        return modelled_level(point, level);                                                                           \
    }
LEVEL_READINGS(dram, RFT_LEVEL_DRAM)
LEVEL_READINGS(l2, RFT_LEVEL_L2)
LEVEL_READINGS(l1, RFT_LEVEL_L1)
LEVEL_READINGS(shared, RFT_LEVEL_SHARED)

static double conflicts_of(const rft_point *point) {
    double wavefronts = counter_of(point, RFT_COUNTER_SHARED_WAVEFRONTS);
    return wavefronts > 0.0 ? counter_of(point, RFT_COUNTER_SHARED_CONFLICTS) / wavefronts : (double)NAN;
}

static double tensor_busy_of(const rft_point *point) {
    return counter_of(point, RFT_COUNTER_TENSOR_BUSY);
}

typedef struct source {
    double (*readings[2])(const rft_point *point); /* the first that is known of several points */
    /* Else a parameter whose name has one of these in it, in any case of letters. */
    const char *parts[PARTS];
    bool falls; /* the quantity falls as that parameter grows */
} source;

static const source sources[RFT_QUANTITY_COUNT] = {
    [RFT_QUANTITY_OCCUPANCY] = {.readings = {occupancy_of, achieved_of}},
    [RFT_QUANTITY_WAVES] = {.readings = {waves_of}},
    [RFT_QUANTITY_EVEN_WAVES] = {.readings = {even_of}},
    [RFT_QUANTITY_THREADS] = {.readings = {threads_of}},
    [RFT_QUANTITY_BLOCK_SHARED] = {.readings = {block_shared_of}},
    [RFT_QUANTITY_SPILLS] = {.readings = {spills_of}},
    [RFT_QUANTITY_LOAD_BYTES] = {.readings = {load_bytes_of}, .parts = {"VEC"}},
    [RFT_QUANTITY_LOAD_USEFUL] = {.readings = {load_useful_of}},
    [RFT_QUANTITY_STORE_USEFUL] = {.readings = {store_useful_of}},
    [RFT_QUANTITY_SECTORS] = {.readings = {sectors_of}},
    [RFT_QUANTITY_L2_HITS] = {.readings = {l2_hits_of}},
    [RFT_QUANTITY_DRAM_BYTES] = {.readings = {dram_counted, dram_modelled}},
    [RFT_QUANTITY_L2_BYTES] = {.readings = {l2_counted, l2_modelled}},
    [RFT_QUANTITY_L1_BYTES] = {.readings = {l1_counted, l1_modelled}},
    [RFT_QUANTITY_SHARED_BYTES] = {.readings = {shared_counted, shared_modelled}},
    [RFT_QUANTITY_CONFLICTS] = {.readings = {conflicts_of}, .parts = {"PAD", "SWIZZLE"}, .falls = true},
    [RFT_QUANTITY_TENSOR_BUSY] = {.readings = {tensor_busy_of}},
    [RFT_QUANTITY_MATH_SHARE] = {.readings = {rft_math_share}},
    [RFT_QUANTITY_STAGES] = {.parts = {"STAGE", "BUFFERS", "DOUBLE_BUF", "PREFETCH"}},
    [RFT_QUANTITY_LOADS] = {.parts = {"UNROLL", "ITEMS", "LOADS", "ILP", "PER_THREAD"}},
};

double rft_quantity_of(rft_quantity quantity, const rft_point *point) {
    double value = NAN;
    for (size_t i = 0; i < 2 && isnan(value) && sources[quantity].readings[i]; i++) {
        value = sources[quantity].readings[i](point);
    }
    return value;
}

static bool has_part(const char *name, const char *part) {
    size_t length = strlen(part);
    for (; *name; name++) {
        size_t i = 0;
        while (i < length && toupper((unsigned char)name[i]) == part[i]) {
            i++;
        }
        if (i == length) {
            return true;
        }
    }
    return false;
}

static const rft_variant *variant_of(const rft_run *run, const rft_point *point) {
    return &run->sweeps[point->sweep].sweep.variants[point->variant];
}

static bool stands_for(const rft_param *param, const source *from) {
    for (size_t k = 0; k < PARTS && from->parts[k]; k++) {
        if (has_part(param->name, from->parts[k])) {
            return true;
        }
    }
    return false;
}

/* The parameter of the point's variant that stands for the quantity, a tuned one first; NULL. */
static const char *param_name(const rft_run *run, const rft_point *point, const source *from) {
    const rft_variant *variant = variant_of(run, point);
    const char *found = NULL;
    for (size_t i = variant->param_count; i-- > 0;) {
        const rft_param *param = &variant->params[i];
        bool tuned = param->value_count > 1 || !found;
        found = tuned && stands_for(param, from) ? param->name : found;
    }
    return found;
}

static double param_value(const rft_run *run, const rft_point *point, const char *name) {
    const rft_variant *variant = variant_of(run, point);
    for (size_t i = 0; i < variant->param_count; i++) {
        if (rft_text_equal(variant->params[i].name, name)) {
            return rft_value_number(&point->config[i]);
        }
    }
    return NAN;
}

/* ---- the points, by the quantity ---- */

typedef struct known {
    double value;
    const rft_point *point;
} known;

typedef struct crowd {
    known *items; /* ascending */
    size_t count;
} crowd;

static int compare_known(const void *a, const void *b) {
    const known *x = a, *y = b;
    return x->value != y->value ? (x->value < y->value ? -1 : 1) : (x->point->id > y->point->id) - 1;
}

/* Reads the quantity of all witnesses in one way; how many have it. */
static size_t read_all(crowd *all, const rft_run *run, const rft_tried *tried, size_t reading,
                       const rft_witnesses *witnesses) {
    const source *from = &sources[tried->change.quantity];
    all->count = 0;
    for (size_t i = 0; i < witnesses->count; i++) {
        double value = tried->param ? param_value(run, witnesses->points[i], tried->param)
                                    : from->readings[reading](witnesses->points[i]);
        if (isfinite(value)) {
            all->items[all->count++] = (known){value, witnesses->points[i]};
        }
    }
    return all->count;
}

static double value_in(const crowd *all, const rft_point *point) {
    for (size_t i = 0; i < all->count; i++) {
        if (all->items[i].point == point) {
            return all->items[i].value;
        }
    }
    return NAN;
}

/* The first way of reading that is known of the point and of another. */
static void read_crowd(crowd *all, const rft_run *run, rft_tried *tried, const rft_point *point,
                       const rft_witnesses *witnesses) {
    const source *from = &sources[tried->change.quantity];
    for (size_t i = 0; i < 2 && from->readings[i]; i++) {
        size_t count = read_all(all, run, tried, i, witnesses);
        tried->own = value_in(all, point);
        if (count > 1 && isfinite(tried->own)) {
            return;
        }
    }
    tried->param = param_name(run, point, from);
    if (tried->param) {
        read_all(all, run, tried, 0, witnesses);
        tried->own = value_in(all, point);
    }
}

/* ---- which is faster ---- */

/* Both of the final round, which measures side by side, else both of the sweep. */
static bool is_faster(const rft_point *a, const rft_point *b) {
    for (int round = RFT_ROUNDS - 1; round >= 0; round--) {
        if (a->rounds[round].n > 0 && b->rounds[round].n > 0) {
            return a->rounds[round].stats.median < b->rounds[round].stats.median;
        }
    }
    return rft_point_median_s(a) < rft_point_median_s(b);
}

static bool gains_over(const rft_point *a, const rft_point *b, double widen_frac) {
    return is_faster(a, b) && !rft_run_tie(a, b, widen_frac);
}

/* The sweep's best few are in the final round: what is there goes before what is not. */
static const rft_point *best_of(const known *items, size_t count) {
    const rft_point *best = NULL;
    for (size_t i = 0; i < count; i++) {
        const rft_point *one = items[i].point;
        bool final = one->rounds[RFT_ROUNDS - 1].n > 0, best_final = best && best->rounds[RFT_ROUNDS - 1].n > 0;
        if (!best || (final != best_final ? final : is_faster(one, best))) {
            best = one;
        }
    }
    return best;
}

/* Does the way that is asked for lead to larger values of what was read? */
static bool is_up(const rft_tried *tried) {
    return tried->change.more != (tried->param && sources[tried->change.quantity].falls);
}

static bool is_enough(size_t count, size_t of) {
    double share = ceil(RFT_TRIED_SHARE * (double)of);
    return count >= RFT_TRIED_LEAST && (double)count >= fmin(share, RFT_TRIED_ALWAYS);
}

/* ---- bins ---- */

/* Equal values stay together; a bin is as near to its part of the points as they let it be. */
static void split(rft_tried *tried, const known *items, size_t count, size_t bins) {
    for (size_t from = 0, to = 0; from < count; from = to, bins--) {
        size_t target = (count - from) / bins;
        while (to < count) {
            size_t next = to + 1;
            while (next < count && items[next].value == items[to].value) {
                next++;
            }
            bool nearer = to == from || next - from <= target ||
                          (to - from < target && next - from - target < target - (to - from));
            if (!nearer && bins > 1) {
                break;
            }
            to = next;
        }
        rft_tried_bin *bin = &tried->bins[tried->bin_count++];
        *bin =
            (rft_tried_bin){items[from].value, items[to - 1].value, to - from, best_of(items + from, to - from), NAN};
    }
}

/* All bins by the final round, or all by the sweep: a single process on a cool card reads less. */
static void time_bins(rft_tried *tried) {
    bool final = true, swept = true;
    for (size_t i = 0; i < tried->bin_count; i++) {
        final = final && tried->bins[i].best->rounds[RFT_ROUNDS - 1].n > 0;
        swept = swept && tried->bins[i].best->rounds[0].n > 0;
    }
    tried->swept = !final && swept;
    for (size_t i = 0; i < tried->bin_count; i++) {
        rft_tried_bin *bin = &tried->bins[i];
        bin->best_s = tried->swept ? bin->best->rounds[0].stats.median : rft_point_median_s(bin->best);
        tried->best_bin = bin->best_s < tried->bins[tried->best_bin].best_s ? i : tried->best_bin;
    }
}

/* ---- the verdict ---- */

/* Enough went there in vain; or none did, and the way to here brought nothing either. */
static void judge(rft_tried *tried, const crowd *all, double widen_frac) {
    double step = RFT_TRIED_STEP_FRAC * fabs(tried->own);
    size_t below = 0, above = 0;
    for (size_t i = 0; i < all->count; i++) {
        below += all->items[i].value < tried->own - step;
        above += all->items[i].value > tried->own + step;
    }
    bool up = is_up(tried);
    size_t same = all->count - below - above;
    const known *middle = all->items + below, *last = middle + same;
    tried->there = up ? above : below;
    tried->behind = up ? below : above;
    const rft_point *there = best_of(up ? last : all->items, tried->there), *own = best_of(middle, same);
    const rft_point *behind = best_of(up ? all->items : last, tried->behind);
    tried->there_s = there ? rft_point_median_s(there) : (double)NAN;
    tried->gained = there && gains_over(there, behind && is_faster(behind, own) ? behind : own, widen_frac);
    bool flat = behind && is_enough(tried->behind, all->count) && !gains_over(own, behind, widen_frac);
    bool in_vain = is_enough(tried->there, all->count) || (tried->there == 0 && flat);
    tried->verdict = in_vain && !tried->gained ? RFT_TRIED_IN_VAIN : RFT_TRIED_OPEN;
    split(tried, all->items, below, up ? BINS_BEHIND : BINS_THERE);
    split(tried, middle, same, 1);
    split(tried, last, above, up ? BINS_THERE : BINS_BEHIND);
    time_bins(tried);
}

rft_tried rft_tried_of(const rft_run *run, const rft_point *point, rft_change change, const rft_witnesses *witnesses,
                       rft_arena *arena) {
    rft_tried tried = {.change = change, .own = NAN, .there_s = NAN};
    crowd all = {rft_arena_calloc(arena, witnesses->count + 1, sizeof *all.items), 0};
    read_crowd(&all, run, &tried, point, witnesses);
    if (all.count < 2 || !isfinite(tried.own)) {
        return tried;
    }
    qsort(all.items, all.count, sizeof *all.items, compare_known);
    tried.points = all.count;
    judge(&tried, &all, witnesses->widen_frac);
    return tried;
}

/* ---- words ---- */

static const struct {
    const char *name, *unit;
} names[] = {
#define QUANTITY_NAME(id, name, unit) {name, unit},
    RFT_QUANTITY_MAP(QUANTITY_NAME)
#undef QUANTITY_NAME
};

const char *rft_quantity_name(rft_quantity quantity) {
    return names[quantity].name;
}

const char *rft_tried_name(const rft_tried *tried) {
    return tried->param ? tried->param : rft_quantity_name(tried->change.quantity);
}

const char *rft_tried_direction(const rft_tried *tried) {
    return is_up(tried) ? "more" : "less";
}

static const char *value_text(const rft_tried *tried, double value, bool with_unit, rft_arena *arena) {
    const char *unit = tried->param ? "" : names[tried->change.quantity].unit;
    char text[48];
    if (unit[0] == '1') {
        return rft_arena_fixed(arena, 100.0 * value, 100.0 * value < 9.95 ? 1 : 0, with_unit ? " %" : "");
    }
    if (unit[0] == 'B' && value >= 1e3) {
        return rft_arena_strdup(arena, rft_units_format_si(text, sizeof text, value, 3, "B"));
    }
    int decimals = value == round(value) ? 0 : value < 1.0 ? 3 : 2;
    return rft_arena_fixed(arena, value, decimals, unit[0] && with_unit ? " B" : "");
}

const char *rft_tried_range(const rft_tried *tried, size_t bin, rft_arena *arena) {
    const char *low = value_text(tried, tried->bins[bin].low, true, arena);
    const char *high = value_text(tried, tried->bins[bin].high, true, arena);
    return rft_text_equal(low, high)
               ? high
               : rft_arena_printf(arena, "%s to %s", value_text(tried, tried->bins[bin].low, false, arena), high);
}

static const char *time_text(double seconds, rft_arena *arena) {
    char text[48];
    return rft_arena_strdup(arena, rft_units_format_si(text, sizeof text, seconds, 3, "s"));
}

static const char *count_text(size_t count, rft_arena *arena) {
    char text[32];
    return rft_arena_strdup(arena, rft_units_format_count(text, sizeof text, count));
}

const char *rft_tried_text(const rft_tried *tried, rft_arena *arena) {
    rft_str text = RFT_STR_INIT;
    rft_str_addf(&text, "%s: tried, %s points, %s of them with %s: best at %s (%s)", rft_tried_name(tried),
                 count_text(tried->points, arena), tried->there ? count_text(tried->there, arena) : "none",
                 rft_tried_direction(tried), rft_tried_range(tried, tried->best_bin, arena),
                 time_text(tried->bins[tried->best_bin].best_s, arena));
    for (size_t i = 0; i < tried->bin_count; i++) {
        if (i != tried->best_bin) {
            rft_str_addf(&text, "; %s: %s", rft_tried_range(tried, i, arena), time_text(tried->bins[i].best_s, arena));
        }
    }
    if (tried->swept && tried->bins[tried->best_bin].best->rounds[RFT_ROUNDS - 1].n > 0) {
        rft_str_add(&text, ", all as the sweep read them, before the final round");
    }
    const char *kept = rft_arena_strdup(arena, rft_str_get(&text));
    rft_str_clear(&text);
    return kept;
}

const char *rft_tried_note(const rft_tried *tried, rft_arena *arena) {
    return tried->there > 0 && !tried->gained
               ? rft_arena_printf(arena, "tried by %s of %s points", count_text(tried->there, arena),
                                  count_text(tried->points, arena))
               : NULL;
}
