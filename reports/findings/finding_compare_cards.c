/* SPDX-License-Identifier: Apache-2.0 */
/* finding_compare_cards.c - what the cards of a comparison are, can, draw and cost, side by side (compare_findings.h).
 */
#include "base/str.h"
#include "model/roofline/held_clock.h"
#include "reports/figures.h"
#include "reports/findings/compare_findings.h"

#include <math.h>

#define IN_TEXT_SIDES 3 /* of a table on a terminal */

/* ---- what is known of one ---- */

/* Watts while the template's bests worked: the median over the workloads that have them; NaN. */
static double watts_of(const rft_compare *c, size_t side, rft_arena *arena) {
    double *watts = rft_arena_calloc(arena, c->workload_count + 1, sizeof *watts);
    size_t count = 0;
    for (size_t w = 0; w < c->workload_count; w++) {
        const rft_point *best = c->workloads[w].figures[side].best;
        const rft_load *load = best ? best->loads[RFT_LOAD_ENERGY] : NULL;
        if (load && !load->reason && load->power_w > 0.0) {
            watts[count++] = load->power_w;
        }
    }
    return count ? rft_stats_of(watts, count).median : (double)NAN;
}

/* Work per joule of a workload over that of the first, with the sensors' uncertainty. */
static rft_compare_ratio joule_ratio(const rft_compare_figure *a, const rft_compare_figure *b) {
    const rft_load *first = a->best ? a->best->loads[RFT_LOAD_ENERGY] : NULL;
    const rft_load *other = b->best ? b->best->loads[RFT_LOAD_ENERGY] : NULL;
    double ratio = b->per_joule / a->per_joule;
    double half = first && other ? hypot(first->uncertainty_frac, other->uncertainty_frac) : (double)NAN;
    return (rft_compare_ratio){ratio, ratio * exp(-half), ratio * exp(half), isfinite(half), 0.0};
}

/* Rate per price over that of the first: as the speed, prices are exact. */
static rft_compare_ratio price_ratio(const rft_compare_figure *a, const rft_compare_figure *b) {
    rft_compare_ratio out = b->ratio;
    double ratio = b->per_price / a->per_price, factor = ratio / b->ratio.ratio;
    out.ratio = ratio;
    out.low *= factor;
    out.high *= factor;
    return out;
}

/* Geometric mean of one of these, over the workloads that have both and whose speeds may be compared; NaN. *count: how
 * many. */
static rft_compare_ratio against_first(const rft_compare *c, size_t side, bool per_price, size_t *count) {
    rft_compare_mean mean = {.additive = false};
    for (size_t w = 0; w < c->workload_count && side > 0; w++) {
        const rft_compare_figure *a = &c->workloads[w].figures[0], *b = &c->workloads[w].figures[side];
        rft_compare_ratio ratio = per_price ? price_ratio(a, b) : joule_ratio(a, b);
        if (isfinite(b->ratio.ratio) && isfinite(ratio.ratio) && ratio.ratio > 0.0) {
            rft_compare_mean_add(&mean, &ratio, 1.0);
        }
    }
    *count = mean.count;
    return rft_compare_mean_of(&mean);
}

/* A ceiling that some workload may need: memory, L2, and the pipes that some best of some run works on; FP32 where none
 * is known. */
static bool is_asked_for(const rft_compare *c, rft_ceiling_id id) {
    bool any_pipe = false;
    if (id == RFT_CEILING_DRAM_READ || id == RFT_CEILING_L2_READ) {
        return true;
    }
    for (size_t w = 0; w < c->workload_count; w++) {
        for (size_t side = 0; side < c->side_count; side++) {
            const rft_point *best = c->workloads[w].figures[side].best;
            rft_pipe pipe = best ? rft_work_main_pipe(&best->work) : RFT_PIPE_COUNT;
            rft_ceiling_id own;
            any_pipe = any_pipe || pipe < RFT_PIPE_COUNT;
            if (pipe < RFT_PIPE_COUNT && rft_ceiling_from_name(&own, rft_pipe_name(pipe)) && own == id) {
                return true;
            }
        }
    }
    return !any_pipe && id == RFT_CEILING_FP32;
}

/* ---- for people: a row a fact, a column a run ---- */

typedef struct card_table {
    const rft_compare *compare;
    rft_arena *arena;
    rft_cell_table *table;
    const size_t *sides; /* the runs of this table */
    size_t count;
    const rft_compare_base *bases; /* of every run, over all sweeps */
} card_table;

typedef const char *fact_of(const card_table *of, size_t side);

static const char *arch_fact(const card_table *of, size_t side) {
    const rft_gpu_info *gpu = &of->compare->sides[side].run->gpu;
    return gpu->sms > 0 ? gpu->arch ? gpu->arch : "?" : NULL;
}

static const char *sms_fact(const card_table *of, size_t side) {
    int sms = of->compare->sides[side].run->gpu.sms;
    return sms > 0 ? rft_figure_count(of->arena, (uint64_t)sms) : NULL;
}

static const char *memory_fact(const card_table *of, size_t side) {
    int64_t bytes = of->compare->sides[side].run->gpu.memory_bytes;
    return bytes > 0 ? rft_figure_bytes(of->arena, bytes) : NULL;
}

static const char *limit_fact(const card_table *of, size_t side) {
    double watts = rft_run_power_limit_w(of->compare->sides[side].run);
    return watts > 0.0 ? rft_figure_si(of->arena, watts, "W") : NULL;
}

static const char *watts_fact(const card_table *of, size_t side) {
    double watts = watts_of(of->compare, side, of->arena);
    return watts > 0.0 ? rft_figure_si(of->arena, watts, "W") : NULL;
}

static const char *price_fact(const card_table *of, size_t side) {
    const rft_compare_price *price = &of->compare->sides[side].price;
    return price->amount > 0.0 ? rft_arena_printf(of->arena, "%s %s", rft_mix_exact_text(price->amount, of->arena),
                                                  price->currency ? price->currency : "")
                               : NULL;
}

/* Then the intervals stand in the tables below alone. */
static bool is_many(const card_table *of) {
    return of->compare->side_count > RFT_COMPARE_ROOMY;
}

/* "1.14x (1.13 to 1.15), over 22"; of the first 1. */
static const char *mean_words(const card_table *of, size_t side, const rft_compare_ratio *mean, size_t count) {
    return side == 0 ? (of->compare->workload_count ? "1" : NULL)
           : isfinite(mean->ratio)
               ? rft_arena_printf(of->arena, "%s, over %zu",
                                  is_many(of) ? rft_compare_dashed(rft_compare_mean_words(mean, of->arena), of->arena)
                                              : rft_compare_mean_words(mean, of->arena),
                                  count)
               : NULL;
}

static const char *versus_words(const card_table *of, size_t side, bool per_price) {
    size_t count = 0;
    const rft_compare_ratio mean = against_first(of->compare, side, per_price, &count);
    return mean_words(of, side, &mean, count);
}

static const char *peak_fact(const card_table *of, size_t side) {
    const rft_compare_base *base = &of->bases[side];
    return mean_words(of, side, &base->peak, base->shared);
}

static const char *base_fact(const card_table *of, size_t side) {
    const rft_compare_base *base = &of->bases[side];
    return mean_words(of, side, &base->speed, base->shared);
}

static const char *keeps_fact(const card_table *of, size_t side) {
    const rft_compare_base *base = &of->bases[side];
    return !base->workloads ? NULL
           : is_many(of)    ? rft_compare_percent(base->keeps.ratio, of->arena)
                         : rft_arena_printf(of->arena, "%s, over %zu", rft_compare_kept_text(&base->keeps, of->arena),
                                            base->workloads);
}

static const char *energy_fact(const card_table *of, size_t side) {
    return versus_words(of, side, false);
}

static const char *worth_fact(const card_table *of, size_t side) {
    return versus_words(of, side, true);
}

/* Left out where no run knows it; the first alone, against itself, knows nothing. */
static void add_fact(card_table *of, const char *name, fact_of *fact, bool versus) {
    bool any = false;
    for (size_t side = versus; side < of->compare->side_count; side++) {
        any = any || fact(of, side) != NULL;
    }
    if (!any) {
        return;
    }
    rft_datum *cells = rft_cell_table_row(of->table)->cells;
    cells[0] = rft_datum_text(name);
    for (size_t i = 0; i < of->count; i++) {
        const char *words = fact(of, of->sides[i]);
        cells[1 + i] = words ? rft_datum_text(words) : rft_datum_absent();
    }
}

/* The unit stands in the name: eight columns are narrow. */
static void add_rate(card_table *of, rft_ceiling_id id, bool sheet) {
    const rft_compare *c = of->compare;
    double *rates = rft_arena_calloc(of->arena, c->side_count, sizeof *rates), least = INFINITY;
    for (size_t side = 0; side < c->side_count; side++) {
        const rft_ceilings *ceilings = &c->sides[side].run->ceilings;
        rates[side] = sheet ? ceilings->items[id].datasheet : rft_ceilings_rate(ceilings, id);
        least = rates[side] > 0.0 ? fmin(least, rates[side]) : least;
    }
    if (!isfinite(least)) {
        return;
    }
    const rft_figure_scale scale = rft_figure_scale_of(of->arena, &least, 1, rft_ceiling_unit(id));
    rft_cell_row *row = rft_cell_table_row(of->table);
    row->quiet = sheet;
    row->cells[0] = rft_datum_text(rft_arena_printf(of->arena, "%s, %s (%s)", rft_ceiling_label(id),
                                                    sheet ? "datasheet" : "measured", scale.unit));
    for (size_t i = 0; i < of->count; i++) {
        double rate = rates[of->sides[i]];
        row->cells[1 + i] =
            rate > 0.0 ? rft_datum_text(rft_figure_plain(of->arena, rate / scale.factor, 3)) : rft_datum_absent();
    }
}

/* ---- for programs: an object a run ---- */

void rft_compare_set_mean(rft_finding *f, const char *key, const rft_compare_ratio *mean) {
    rft_finding_set(f, key, rft_datum_number(mean->ratio));
    rft_finding_set(f, rft_arena_printf(f->arena, "%s_low", key), rft_datum_number(mean->low));
    rft_finding_set(f, rft_arena_printf(f->arena, "%s_high", key), rft_datum_number(mean->high));
}

static rft_finding *card_data(const rft_compare *c, const rft_compare_base *base, size_t side, rft_arena *arena) {
    rft_finding *f = rft_finding_new(arena), *rates = rft_finding_new(arena);
    const rft_run *run = c->sides[side].run;
    size_t count = 0;
    rft_finding_set(f, "letter", rft_datum_text(rft_compare_letter(c, side, arena)));
    rft_finding_set(f, "says", rft_datum_text(rft_compare_card_sentence(c, side, arena)));
    rft_finding_set(f, "arch", rft_datum_text(run->gpu.arch && *run->gpu.arch ? run->gpu.arch : NULL));
    rft_finding_set(f, "sms", run->gpu.sms > 0 ? rft_datum_count(run->gpu.sms) : rft_datum_absent());
    rft_finding_set(f, "memory_bytes",
                    run->gpu.memory_bytes > 0 ? rft_datum_count(run->gpu.memory_bytes) : rft_datum_absent());
    rft_finding_set(f, "power_limit_w", rft_datum_number(rft_run_power_limit_w(run)));
    rft_finding_set(f, "power_w", rft_datum_number(watts_of(c, side, arena)));
    rft_finding_set(f, "price",
                    rft_datum_number(c->sides[side].price.amount > 0.0 ? c->sides[side].price.amount : NAN));
    rft_finding_set(f, "currency", rft_datum_text(c->sides[side].price.currency));
    const rft_compare_ratio per_joule = against_first(c, side, false, &count);
    const rft_compare_ratio per_price = against_first(c, side, true, &count);
    rft_compare_set_mean(f, "work_per_joule_ratio", &per_joule);
    rft_compare_set_mean(f, "rate_per_price_ratio", &per_price);
    rft_compare_set_mean(f, "peak_ratio", &base->peak);
    rft_compare_set_mean(f, "base_ratio", &base->speed);
    rft_compare_set_mean(f, "base_of_peak_frac", &base->keeps);
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        rft_finding_set(rates, rft_ceiling_name((rft_ceiling_id)id),
                        rft_datum_number(rft_ceilings_rate(&run->ceilings, (rft_ceiling_id)id)));
    }
    rft_finding_add(f, "ceilings", rates);
    return f;
}

static void add_cards(rft_finding *f, const rft_compare *c, const rft_compare_base *bases, const size_t *sides,
                      size_t count, unsigned where) {
    rft_trait fields[1 + RFT_COMPARE_MOST] = {{.title = "", .wraps = true}};
    for (size_t i = 0; i < count; i++) {
        fields[1 + i] =
            (rft_trait){.title = rft_compare_letter(c, sides[i], f->arena), .align = RFT_ALIGN_RIGHT, .wraps = true};
    }
    card_table of = {.compare = c, .arena = f->arena, .sides = sides, .count = count, .bases = bases};
    of.table = rft_finding_table(f, NULL, fields, 1 + count);
    of.table->where = where;
    add_fact(&of, "Architecture", arch_fact, false);
    add_fact(&of, "SMs", sms_fact, false);
    add_fact(&of, "Memory", memory_fact, false);
    for (int id = 0; id < RFT_CEILING_LAUNCH; id++) {
        if (is_asked_for(c, (rft_ceiling_id)id)) {
            add_rate(&of, (rft_ceiling_id)id, false);
            add_rate(&of, (rft_ceiling_id)id, true);
        }
    }
    add_fact(&of, "Power limit", limit_fact, false);
    add_fact(&of, "Power at work, median of the bests", watts_fact, false);
    add_fact(&of, "Price", price_fact, false);
    add_fact(&of, "Peak: speed with the best for each problem, A = 1", peak_fact, true);
    add_fact(&of, "Base: speed with one configuration a sweep, A = 1", base_fact, true);
    add_fact(&of, "Base of peak; the rest is what the one costs", keeps_fact, false);
    add_fact(&of, "Work per joule, A = 1", energy_fact, true);
    add_fact(&of, "Rate per price, A = 1", worth_fact, true);
}

/* Something is known of the card, measured on it or by its datasheet. */
static bool is_known(const rft_compare *c, const rft_compare_base *bases, size_t side, rft_arena *arena) {
    static fact_of *const facts[] = {arch_fact, memory_fact, limit_fact, watts_fact, price_fact, keeps_fact};
    const card_table of = {.compare = c, .arena = arena, .bases = bases};
    bool known = false;
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        known = known || facts[i](&of, side);
    }
    for (int id = 0; id < RFT_CEILING_LAUNCH; id++) {
        const rft_ceilings *ceilings = &c->sides[side].run->ceilings;
        bool told = rft_ceilings_rate(ceilings, (rft_ceiling_id)id) > 0.0 || ceilings->items[id].datasheet > 0.0;
        known = known || (told && is_asked_for(c, (rft_ceiling_id)id));
    }
    return known;
}

/* Runs whose card nothing is known of have no column. */
static size_t known_sides(rft_finding *f, const rft_compare *c, const rft_compare_base *bases, size_t *sides) {
    size_t count = 0;
    rft_str text = RFT_STR_INIT;
    for (size_t side = 0; side < c->side_count; side++) {
        if (is_known(c, bases, side, f->arena)) {
            sides[count++] = side;
        } else {
            rft_str_addf(&text, "%s%c", text.length ? ", " : "", c->sides[side].letter);
        }
    }
    if (count == 0) {
        rft_finding_note(f, RFT_TO_PEOPLE, "No run tells anything of its card: other tuners' files have times alone.");
    } else if (text.length) {
        rft_finding_body(f, RFT_TO_PEOPLE, "%s: the file tells nothing of the card.", rft_str_get(&text));
    }
    rft_str_clear(&text);
    return count;
}

/* So many runs a table: more would leave no room for the names of the facts. */
static void add_in_parts(rft_finding *f, const rft_compare *c, const rft_compare_base *bases, const size_t *sides,
                         size_t count, size_t most, unsigned where) {
    for (size_t first = 0; first < count; first += most) {
        size_t left = count - first;
        add_cards(f, c, bases, sides + first, left < most ? left : most, where);
    }
}

rft_finding *rft_finding_cards(const rft_compare *c, rft_arena *arena) {
    rft_finding *f = rft_finding_new(arena);
    rft_finding_heading(f, RFT_TO_PEOPLE, 2, "What the cards are, can and cost");
    rft_compare_base *bases = rft_arena_calloc(arena, c->side_count, sizeof *bases);
    for (size_t side = 0; side < c->side_count; side++) {
        bases[side] = rft_compare_base_of(c, 0, c->workload_count, side);
    }
    size_t sides[RFT_COMPARE_MOST], count = known_sides(f, c, bases, sides);
    add_in_parts(f, c, bases, sides, count, RFT_COMPARE_ROOMY, RFT_ON_PAGE);
    add_in_parts(f, c, bases, sides, count, IN_TEXT_SIDES, RFT_IN_TEXT);
    if (count > 0) {
        rft_finding_note(f, RFT_TO_PEOPLE,
                         "Measured on the card that ran. Watts and joules are those of the board's own sensor. Means "
                         "are geometric ones over as many workloads as both sides tell, with their 95 %% interval.");
    }
    rft_item *list = rft_finding_list(f, "cards");
    list->where = RFT_IN_DATA;
    for (size_t side = 0; side < c->side_count; side++) {
        rft_finding_append(f, list, card_data(c, &bases[side], side, arena));
    }
    return f;
}
