/* SPDX-License-Identifier: Apache-2.0 */
#include "model/acceptance/accept_reading.h"

#include "base/fs.h"
#include "base/hash.h"
#include "model/mix/mix_total.h"
#include "model/roofline/card_peers.h"
#include "model/roofline/datasheet.h"
#include "model/roofline/placement.h"
#include "model/run/run_foreign.h"

#include <math.h>
#include <string.h>

#define NORMAL_975 1.959963984540054

const char *rft_accept_code_name(rft_accept_code code) {
#define RFT_ACCEPT_CODE_NAME(name, text) text,
    static const char *const names[] = {RFT_ACCEPT_CODE_MAP(RFT_ACCEPT_CODE_NAME)};
    return names[code];
}

/* ---- what a run is of ---- */

const char *rft_accept_source(const rft_run *run, size_t sweep, rft_arena *arena) {
    const rft_sweep *data = &run->sweeps[sweep].sweep;
    char hex[RFT_HASH_HEX_SIZE];
    rft_sha256 hash;
    if (!data->script_hash || !*data->script_hash) {
        return NULL;
    }
    rft_sha256_init(&hash);
    rft_sha256_add_text(&hash, data->script_hash);
    for (size_t v = 0; v < data->variant_count; v++) {
        const char *source = data->variants[v].source ? data->variants[v].source : "";
        const char *key = rft_arena_printf(arena, "source.%s", rft_fs_name(source));
        rft_sha256_add_text(&hash, rft_env_value(&run->env, key));
    }
    rft_sha256_hex(&hash, hex);
    return rft_arena_strndup(arena, hex, 32);
}

rft_accept_code rft_accept_refuses(const rft_run *run, const char *device, const char **reason, rft_arena *arena) {
    const char *name = run->gpu.name, *uuid = run->gpu.uuid;
    rft_accept_code code = run->info.replay_of                       ? RFT_ACCEPT_REPLAY
                           : rft_run_foreign(run)                    ? RFT_ACCEPT_FOREIGN
                           : !name || !*name || !uuid || !*uuid      ? RFT_ACCEPT_NAMELESS
                           : device && !rft_text_equal(name, device) ? RFT_ACCEPT_OTHER_DEVICE
                           : rft_text_starts(uuid, "MIG-")           ? RFT_ACCEPT_SLICE
                                                                     : RFT_ACCEPT_MET;
    *reason = code == RFT_ACCEPT_REPLAY     ? "the run is a replay: nothing was measured"
              : code == RFT_ACCEPT_FOREIGN  ? "another program measured it, by rules of its own"
              : code == RFT_ACCEPT_NAMELESS ? "the run does not say which card it was"
              : code == RFT_ACCEPT_SLICE    ? "it is a slice of a card (MIG)"
              : code == RFT_ACCEPT_OTHER_DEVICE
                  ? rft_arena_printf(arena, "it is another device: the limits are of %.100s", device)
                  : NULL;
    return code;
}

/* ---- one run ---- */

/* The run with limits of the hardware that are no higher than its card's clocks and widths allow: what its file says of
 * them may be anybody's. In the arena. */
static const rft_run *with_own_limits(const rft_run *run, rft_arena *arena) {
    rft_run *own = rft_arena_alloc(arena, sizeof *own);
    rft_ceilings ceilings = run->ceilings;
    *own = *run;
    rft_limits_apply(&ceilings, &run->gpu, arena);
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        own->ceilings.items[id].limit = fmin(run->ceilings.items[id].limit, ceilings.items[id].limit);
    }
    return own;
}

static rft_accept_reading says_nothing(rft_accept_code code, const char *reason) {
    return (rft_accept_reading){.value = NAN, .deviation = NAN, .code = code, .reason = reason};
}

/* Nobody measured that: the file was changed, or is damaged. */
static bool is_impossible(const rft_ceiling *ceiling, const rft_stats *stats) {
    bool outside = stats->median < stats->min || stats->median > stats->max;
    return outside ||
           stats->median > ceiling->limit * (1.0 + RFT_LIMIT_KNOWN_FRAC); /* never, where that is not known */
}

static rft_accept_reading read_ceiling(const rft_limit *limit, const rft_run *run, rft_arena *arena) {
    const rft_ceiling *ceiling = &run->ceilings.items[limit->ceiling];
    const rft_stats *stats = limit->sustained ? &ceiling->sustained : &ceiling->stats;
    if (!ceiling->measured || ceiling->at_least || stats->n == 0 || !(stats->median > 0.0)) {
        const char *why = ceiling->at_least                       ? "only a lower bound of it was measured"
                          : ceiling->measured && limit->sustained ? "its rate under load was not measured"
                                                                  : ceiling->reason;
        return says_nothing(RFT_ACCEPT_MISSING,
                            rft_arena_printf(arena, "not measured: %s", why ? why : "no reason is recorded"));
    }
    if (is_impossible(ceiling, stats)) {
        return says_nothing(RFT_ACCEPT_IMPOSSIBLE, "it reads more than the hardware can do, or than its samples do");
    }
    double samples = stats->interval_is_95 ? rft_stats_half_width_frac(stats) / NORMAL_975 : 0.0;
    double runs = RFT_PEERS_MARGIN_FRAC / NORMAL_975;
    bool closer = limit->cards >= RFT_LIMITS_CARDS_LEAST && limit->spread < runs / 2.0;
    return (rft_accept_reading){.value = stats->median,
                                .deviation = hypot(samples, closer ? limit->spread : runs),
                                .freedom = closer ? (double)limit->cards - 1.0 : RFT_ACCEPT_MANY,
                                .runs = 1};
}

static bool has_sweep(const rft_run *run, const char *name) {
    bool found = false;
    for (size_t s = 0; s < run->sweep_count && !found; s++) {
        found = rft_text_equal(run->sweeps[s].sweep.name, name);
    }
    return found;
}

static rft_accept_reading read_time(const rft_limit *limit, const rft_mix_line *line, const rft_run *run,
                                    rft_arena *arena) {
    const rft_measurement *m = line->measurement;
    if (line->impossible) {
        return says_nothing(RFT_ACCEPT_IMPOSSIBLE, line->missing);
    }
    if (!m) {
        return has_sweep(run, limit->problem.operation)
                   ? says_nothing(RFT_ACCEPT_OTHER_PROBLEM, line->missing)
                   : says_nothing(RFT_ACCEPT_MISSING, rft_arena_printf(arena, "not measured: %s", line->missing));
    }
    const char *source = rft_accept_source(run, line->sweep, arena), *cache = rft_protocol_name(m->cache, m->mode);
    if (limit->source && !rft_text_equal(source, limit->source)) {
        return says_nothing(RFT_ACCEPT_OTHER_SOURCE,
                            source ? "script or sources of the sweep are not those that the limit was made with"
                                   : "the run does not say which script it was");
    }
    if (limit->cache && !rft_text_equal(cache, limit->cache)) {
        return says_nothing(RFT_ACCEPT_OTHER_CACHE, rft_arena_printf(arena,
                                                                     "measured with a %s cache, the limit is of "
                                                                     "a %s one",
                                                                     cache, limit->cache));
    }
    if (!(m->stats.median > 0.0)) {
        return says_nothing(RFT_ACCEPT_MISSING, "its time is none");
    }
    bool known = rft_repeat_is_known(&m->repeat) && m->repeat.processes > 1;
    return (rft_accept_reading){.value = m->stats.median,
                                .deviation = known ? rft_repeat_figure_deviation(&m->repeat) : (double)NAN,
                                .freedom = known ? m->repeat.freedom : 0.0,
                                .processes = m->repeat.processes ? m->repeat.processes : 1,
                                .runs = 1};
}

/* The times are found as those of a mix are: the better of template and library (mix_total.h). */
static void read_times(const rft_limits *limits, const rft_run *run, rft_accept_reading *out, rft_arena *arena) {
    rft_mix mix = {
        .name = "limits", .unit = "pass", .per = 1.0, .cards = 1.0, .weights_bytes = NAN, .cache_bytes = NAN};
    rft_mix_total *total = NULL;
    mix.items = rft_arena_calloc(arena, limits->count + 1, sizeof *mix.items);
    for (size_t i = 0; i < limits->count; i++) {
        if (!limits->items[i].is_ceiling) {
            mix.items[mix.item_count++] = limits->items[i].problem;
        }
    }
    if (mix.item_count == 0 ||
        rft_mix_total_of(&total, &mix, rft_mix_book_new(arena), &run, 1, arena, NULL) != RFT_OK) {
        return;
    }
    for (size_t i = 0, line = 0; i < limits->count; i++) {
        if (!limits->items[i].is_ceiling) {
            out[i] = read_time(&limits->items[i], &total->lines[line++], run, arena);
        }
    }
}

static rft_accept_reading *read_run(const rft_limits *limits, const rft_run *as_told, rft_arena *arena) {
    const rft_run *run = with_own_limits(as_told, arena);
    rft_accept_reading *out = rft_arena_calloc(arena, limits->count + 1, sizeof *out);
    const char *reason = NULL;
    rft_accept_code refused = rft_accept_refuses(run, limits->device, &reason, arena);
    for (size_t i = 0; i < limits->count; i++) {
        out[i] = refused != RFT_ACCEPT_MET     ? says_nothing(refused, reason)
                 : limits->items[i].is_ceiling ? read_ceiling(&limits->items[i], run, arena)
                                               : says_nothing(RFT_ACCEPT_MISSING, "not measured");
    }
    if (refused == RFT_ACCEPT_MET) {
        read_times(limits, run, out, arena);
    }
    return out;
}

/* ---- all runs of a card ---- */

/* What comes nearest to a reading: a problem that is not there says more than a sweep that is not. */
static bool says_more(rft_accept_code a, rft_accept_code b) {
    return (a == RFT_ACCEPT_MISSING ? RFT_ACCEPT_CODE_COUNT : a) <
           (b == RFT_ACCEPT_MISSING ? RFT_ACCEPT_CODE_COUNT : b);
}

/* The standard deviation of n numbers about their mean; 0 of one. */
static double deviation_of(const double *logs, size_t n, double mean) {
    double squares = 0.0;
    for (size_t i = 0; i < n; i++) {
        squares += (logs[i] - mean) * (logs[i] - mean);
    }
    return n > 1 ? sqrt(squares / (double)(n - 1)) : 0.0;
}

static bool is_among(double value, const double *values, size_t count) {
    bool found = false;
    for (size_t i = 0; i < count && !found; i++) {
        found = values[i] == value;
    }
    return found;
}

/* `of`: what each run reads for one figure. One run whose deviation is not known leaves it unknown. */
static rft_accept_reading together(const rft_accept_reading *const *of, size_t at, size_t count, rft_arena *arena) {
    double *logs = rft_arena_calloc(arena, count + 1, sizeof *logs), sum = 0.0;
    rft_accept_reading out = of[0][at];
    size_t known = 0;
    for (size_t r = 0; r < count; r++) {
        const rft_accept_reading *one = &of[r][at];
        if (isnan(one->value)) {
            out = known == 0 && says_more(one->code, out.code) ? *one : out;
            continue;
        }
        if (one->processes == 0 && is_among(log(one->value), logs, known)) {
            continue; /* ceilings that were kept from the run before: one measurement */
        }
        bool wider = known == 0 || isnan(one->deviation) || one->deviation > out.deviation;
        size_t processes = known && out.processes < one->processes ? out.processes : one->processes;
        out = wider && !(known && isnan(out.deviation)) ? *one : out;
        out.processes = processes;
        logs[known] = log(one->value);
        sum += logs[known++];
    }
    if (known > 0) {
        double among = deviation_of(logs, known, sum / (double)known);
        out.value = exp(sum / (double)known);
        out.freedom = among > out.deviation ? (double)known - 1.0 : out.freedom;
        out.deviation = (among > out.deviation ? among : out.deviation) / sqrt((double)known);
        out.runs = known;
    }
    return out;
}

rft_accept_reading *rft_accept_read(const rft_limits *limits, const rft_run *const *runs, size_t count,
                                    rft_arena *arena) {
    const rft_accept_reading **of = rft_arena_calloc(arena, count + 1, sizeof *of);
    rft_accept_reading *out = rft_arena_calloc(arena, limits->count + 1, sizeof *out);
    for (size_t r = 0; r < count; r++) {
        of[r] = read_run(limits, runs[r], arena);
    }
    for (size_t i = 0; i < limits->count; i++) {
        out[i] = count ? together(of, i, count, arena) : says_nothing(RFT_ACCEPT_MISSING, "not measured");
    }
    return out;
}
