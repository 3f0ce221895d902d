/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/import_shards.h"

#include "base/fs.h"
#include "base/hash.h"
#include "base/str.h"
#include "base/units.h"
#include "cli/interrupt.h"
#include "cli/run_file.h"
#include "cli/shard_check.h"
#include "model/run/run_cards.h"
#include "store/store.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool rft_is_of_shards(const rft_run *run) {
    return rft_env_value(&run->env, RFT_ENV_SHARDS) != NULL;
}

/* ---- points ---- */

/* Points that two shards measured and found otherwise. */
typedef struct disagreement {
    size_t points;
    const char *example; /* the first, and what both found */
} disagreement;

typedef struct merged_run {
    rft_run *run; /* of the first shard, which the others are added to */
    rft_arena *arena;
    size_t capacity; /* of its points */
    size_t *slots;   /* a point's place + 1, by the hash of its configuration; 0: empty */
    size_t slot_count;
    size_t twice; /* timed by two shards */
    disagreement outcomes, times;
    rft_run_card *cards; /* of every shard, and of those that have none */
    size_t card_count;
    double *ratios; /* of the shard in hand: its times over those of the first shard's card */
    size_t ratio_count;
} merged_run;

static uint64_t place_hash(const rft_point *point, size_t params) {
    rft_str text = RFT_STR_INIT;
    rft_str_addf(&text, "%zu %zu %zu", point->sweep, point->variant, point->problem);
    for (size_t i = 0; i < params; i++) {
        rft_str_add_char(&text, '\n');
        rft_value_format(&text, &point->config[i]);
    }
    const uint64_t hash = rft_hash_fnv1a(text.data, text.length);
    rft_str_clear(&text);
    return hash;
}

static size_t params_of(const merged_run *m, const rft_point *point) {
    return m->run->sweeps[point->sweep].sweep.variants[point->variant].param_count;
}

/* Where a point stands among those that are known, or would. */
static size_t merged_slot(const merged_run *m, const rft_point *point) {
    const size_t params = params_of(m, point);
    for (size_t at = (size_t)place_hash(point, params);; at++) {
        at &= m->slot_count - 1;
        if (m->slots[at] == 0) {
            return at;
        }
        const rft_point *known = &m->run->points[m->slots[at] - 1];
        if (known->sweep == point->sweep && known->variant == point->variant && known->problem == point->problem &&
            rft_values_equal(known->config, point->config, params)) {
            return at;
        }
    }
}

/* Room for so many points, at twice the size each time: a thousand shards are no thousand copies. */
static void give_room(merged_run *m, size_t points) {
    if (m->slots && points <= m->capacity) {
        return;
    }
    m->capacity = points > 2 * m->capacity ? points : 2 * m->capacity;
    rft_point *moved = rft_arena_calloc(m->arena, m->capacity + 1, sizeof *moved);
    if (m->run->point_count) {
        memcpy(moved, m->run->points, m->run->point_count * sizeof *moved);
    }
    m->run->points = moved;
    for (m->slot_count = 64; m->slot_count < 2 * m->capacity;) {
        m->slot_count *= 2;
    }
    m->slots = rft_arena_calloc(m->arena, m->slot_count, sizeof *m->slots);
    for (size_t i = 0; i < m->run->point_count; i++) {
        m->slots[merged_slot(m, &m->run->points[i])] = i + 1;
    }
}

#define APART_FRAC 0.05

static const char *found_text(const rft_point *point, rft_arena *arena) {
    char text[32];
    return rft_outcome_is_measured(point->outcome)
               ? rft_arena_strdup(arena, rft_units_format_seconds(text, sizeof text, point->rounds[0].stats.median, 4))
               : rft_outcome_name(point->outcome);
}

static void note_apart(merged_run *m, disagreement *of, const rft_point *known, const rft_point *again) {
    if (of->points++ == 0) {
        of->example = rft_arena_printf(m->arena, "sweep %s, %s, %s: %s and %s", m->run->sweeps[known->sweep].sweep.name,
                                       rft_run_problem_text(m->run, known->sweep, known->problem, true, m->arena),
                                       rft_run_config_text(m->run, known, false, m->arena), found_text(known, m->arena),
                                       found_text(again, m->arena));
    }
}

static void judge_twice(merged_run *m, const rft_point *known, const rft_point *again) {
    const double a = known->rounds[0].stats.median, b = again->rounds[0].stats.median;
    const bool both = isfinite(a) && isfinite(b);
    if (both) {
        m->twice++;
        if (known->id <= m->cards[0].last) {
            m->ratios[m->ratio_count++] = b / a;
        }
    }
    if (rft_outcome_is_measured(known->outcome) != rft_outcome_is_measured(again->outcome)) {
        note_apart(m, &m->outcomes, known, again);
    } else if (both && fabs(a - b) > APART_FRAC * fmin(a, b)) {
        note_apart(m, &m->times, known, again);
    }
}

/* What the shard's card has contributed, and how it compares with the first. */
static void note_card(merged_run *m, const rft_run *shard, int64_t behind) {
    rft_run_card card = {.uuid = rft_arena_strdup(m->run->arena, shard->gpu.uuid),
                         .first = behind + 1,
                         .last = (int64_t)m->run->point_count,
                         .common = m->ratio_count};
    const char *number = rft_env_value(&shard->env, RFT_ENV_SHARD);
    card.shard = number ? rft_arena_strdup(m->run->arena, number) : NULL;
    for (int64_t i = behind; i < card.last; i++) {
        card.timed += rft_outcome_is_measured(m->run->points[i].outcome);
    }
    const rft_stats stats = rft_stats_of(m->ratios, m->ratio_count);
    card.ratio = stats.median;
    card.low = stats.interval_is_95 ? stats.low : (double)NAN;
    card.high = stats.interval_is_95 ? stats.high : (double)NAN;
    m->cards[m->card_count++] = card;
}

/* Of a run that was put together before: copies of shards' points, which are known, and what its own card has measured
 * since, which counts. What it has of a shard that is not here comes without that shard's card, and does not. */
static bool leaves_out(const merged_run *m, const rft_run *other, const rft_point *point, const int64_t *ids) {
    const rft_run_card *card = rft_run_first_card(other, point->id);
    return point->problem >= m->run->sweeps[point->sweep].sweep.problem_count || /* refine() added it */
           (card && !rft_text_equal(card->uuid, other->gpu.uuid)) || (point->alias_of && ids[point->alias_of - 1] == 0);
}

/* What one shard measured: its first round alone, since what compares is measured again. Points borrow from `other`. */
static void add_shard_points(merged_run *m, const rft_run *other) {
    const bool merged = rft_is_of_shards(other);
    const int64_t behind = (int64_t)m->run->point_count;
    int64_t *ids = rft_arena_calloc(m->arena, other->point_count + 1, sizeof *ids);
    give_room(m, m->run->point_count + other->point_count);
    m->ratios = rft_arena_calloc(m->arena, other->point_count + 1, sizeof *m->ratios);
    m->ratio_count = 0;
    for (size_t i = 0; i < other->point_count; i++) {
        rft_point point = other->points[i];
        const size_t slot = merged_slot(m, &point);
        if (m->slots[slot]) {
            ids[i] = (int64_t)m->slots[slot];
            if (!merged) {
                judge_twice(m, &m->run->points[ids[i] - 1], &point);
            }
            continue;
        }
        if (leaves_out(m, other, &point, ids)) {
            continue;
        }
        point.id = ids[i] = (int64_t)m->run->point_count + 1;
        point.alias_of = point.alias_of ? ids[point.alias_of - 1] : 0;
        point.rounds[1] = rft_measurement_none();
        for (size_t k = 0; k < RFT_LOAD_POINT_KINDS; k++) {
            point.loads[k] = NULL;
        }
        point.counters = NULL;
        m->slots[slot] = (size_t)point.id;
        m->run->points[m->run->point_count++] = point;
    }
    if (!merged || (int64_t)m->run->point_count > behind) {
        note_card(m, other, behind);
    }
}

/* ---- the run ---- */

/* What compares is measured again, on the card that goes on; so are ceilings, where that is not the first shard's. */
static void begin_merged(rft_run *run) {
    run->point_count = 0;
    run->spans = (rft_run_spans){.first = NULL};
    run->reference_count = 0;
    run->baseline_count = 0;
    run->idle = NULL;
    run->info.finished_unix_ns = 0;
    for (size_t s = 0; s < run->sweep_count; s++) {
        run->sweeps[s].unexplored = NULL;
    }
}

static void add_sums(rft_run_info *info, const rft_run_info *more) {
    info->elapsed_s += more->elapsed_s;
    info->busy_s += more->busy_s;
    info->compile_s += more->compile_s;
    if (more->started_unix_ns < info->started_unix_ns) {
        info->started_unix_ns = more->started_unix_ns;
    }
}

static bool of_one_card(const merged_run *m) {
    for (size_t i = 1; i < m->card_count; i++) {
        if (!rft_text_equal(m->cards[i].uuid, m->cards[0].uuid)) {
            return false;
        }
    }
    return true;
}

/* "1/2 of GPU-..., 2/2 of GPU-..." */
static void describe_shards(merged_run *m, rft_run *const *runs, const rft_words *files) {
    rft_str text = RFT_STR_INIT, ids = RFT_STR_INIT;
    char hex[RFT_HASH_HEX_SIZE];
    for (size_t i = 0; i < files->count; i++) {
        const char *shard = rft_env_value(&runs[i]->env, RFT_ENV_SHARD);
        rft_str_addf(&text, "%s%s of %s", i ? ", " : "", shard ? shard : rft_fs_name(files->items[i]),
                     runs[i]->gpu.uuid);
        rft_str_addf(&ids, "%s ", runs[i]->info.id);
    }
    rft_hash_hex(rft_str_get(&ids), ids.length, hex);
    m->run->info.id = rft_arena_strndup(m->run->arena, hex, 12);
    rft_env_set(&m->run->env, m->run->arena, RFT_ENV_SHARD, NULL, "put together from shards");
    rft_env_set(&m->run->env, m->run->arena, RFT_ENV_SHARDS, rft_arena_strdup(m->run->arena, rft_str_get(&text)), NULL);
    rft_str_clear(&ids);
    rft_str_clear(&text);
}

/* Configurations of the sweeps that no shard has. False: a recording does not say how many there are. */
static bool count_missing(const rft_run *run, uint64_t *out) {
    uint64_t valid = 0, there = 0;
    for (size_t s = 0; s < run->sweep_count; s++) {
        const rft_sweep *sweep = &run->sweeps[s].sweep;
        if (!run->sweeps[s].valid) {
            return false;
        }
        for (size_t i = 0; i < sweep->variant_count * sweep->problem_count; i++) {
            valid += sweep->problems[i % sweep->problem_count].odd ? 0 : run->sweeps[s].valid[i];
        }
    }
    for (size_t i = 0; i < run->point_count; i++) {
        there += !run->sweeps[run->points[i].sweep].sweep.problems[run->points[i].problem].odd;
    }
    *out = valid > there ? valid - there : 0;
    return true;
}

static void note_losses(merged_run *m, const rft_shard_loss *losses, size_t count) {
    for (size_t i = 0; i < count; i++) {
        rft_run_card *card = NULL;
        for (size_t k = 0; k < m->card_count && !card; k++) {
            card = rft_text_equal(m->cards[k].uuid, losses[i].uuid) ? &m->cards[k] : NULL;
        }
        if (!card) {
            card = &m->cards[m->card_count++];
            *card = (rft_run_card){.uuid = losses[i].uuid, .first = 1, .ratio = NAN, .low = NAN, .high = NAN};
        }
        card->end = losses[i].end;
    }
}

static void merge(merged_run *m, rft_run **runs, const rft_words *files, const rft_shard_losses *losses) {
    rft_run *first = runs[0];
    rft_run whole = *first; /* its points, before the run is emptied */
    const size_t lost = losses ? losses->count : 0;
    m->cards = rft_arena_calloc(m->arena, files->count + lost, sizeof *m->cards);
    m->run = first;
    begin_merged(first);
    add_shard_points(m, &whole);
    for (size_t i = 1; i < files->count; i++) {
        add_shard_points(m, runs[i]);
        if (!rft_is_of_shards(runs[i])) { /* which has the shards' sums in its own */
            add_sums(&first->info, &runs[i]->info);
        }
    }
    describe_shards(m, runs, files);
    if (lost) {
        note_losses(m, losses->items, lost);
    }
    if (lost || !of_one_card(m)) {
        rft_run_put_cards(first, m->cards, m->card_count);
    }
}

int rft_import_write(const rft_run *run, const char *output, rft_err *err) {
    rft_store *store = NULL;
    int rc = rft_store_open(&store, output, RFT_STORE_CREATE, err);
    if (rc != RFT_OK) {
        return rc;
    }
    rc = rft_store_put_whole(store, run, err);
    if (rc == RFT_OK && (rc = rft_store_complete(store, err)) != RFT_OK) {
        rft_err_remedy(err, "make room on that disk or check it, then import again: %s was removed", output);
    }
    if (rc == RFT_OK) {
        rft_store_close(store);
    } else { /* half a run would pass for one */
        rft_store_discard(store);
    }
    return rc;
}

/* What one card computes rightly and another wrongly is told of every run; times that differ are told of cards. */
static void tell_apart(const rft_cli *cli, const merged_run *m, bool of_cards) {
    const char *whose = of_cards ? "card" : "shard";
    if (m->outcomes.points > 0) {
        rft_log_warn(&cli->log,
                     "of the points that two %ss measured %zu have another outcome, and the first %s's stand; one is "
                     "%s\n  remedy: run such a point again (`rooftune point`) on both cards: one may be faulty",
                     whose, m->outcomes.points, whose, m->outcomes.example);
    }
    if (m->times.points > 0 && !of_cards) {
        rft_log_warn(&cli->log,
                     "of the points that two shards measured %zu disagree by more than %g %%, and the first shard's "
                     "stand; one is %s",
                     m->times.points, APART_FRAC * 100, m->times.example);
    }
}

static void tell_merged(rft_cli *cli, const merged_run *m, size_t shards, const char *output) {
    uint64_t missing = 0;
    const char *many = count_missing(m->run, &missing) ? rft_arena_printf(m->arena, "%llu", (unsigned long long)missing)
                                                       : "an unknown number of";
    rft_log_info(&cli->log, "%zu points of %zu shards written to %s, %zu of them measured twice", m->run->point_count,
                 shards, output, m->twice);
    rft_log_info(
        &cli->log,
        "%s configurations are missing; `rooftune run SWEEP.lua -o %s` measures them, and the contenders again", many,
        output);
}

static int load_shard(rft_run **out, const char *file, rft_err *err) {
    int rc = rft_store_load(out, file, err);
    rc = rc ? rc : rft_run_file_check_ids(*out, file, err);
    if (rc == RFT_OK) {
        return RFT_OK;
    }
    rft_run_free(*out);
    *out = NULL;
    return rft_err_remedy(err, "copy it again, or leave it out (--skip-damaged): `rooftune run` measures what no shard "
                               "has");
}

/* Reads those that have begun: a job may be ended before it has written anything. */
static int load_shards(rft_cli *cli, const rft_words *files, bool skip_damaged, rft_run **runs, rft_words *there,
                       rft_err *err) {
    int rc = RFT_OK;
    for (size_t i = 0; i < files->count && rc == RFT_OK; i++) {
        const char *file = files->items[i];
        const bool last = there->count + (files->count - i) == 1; /* without it there would be none */
        rft_run *run = NULL;
        rc = load_shard(&run, file, err);
        if (rc == RFT_E_NOT_FOUND && !last) {
            rft_log_warn(&cli->log, "%s ended before it began, and is left out", file);
            rc = RFT_OK;
            continue;
        }
        if (rc != RFT_OK && skip_damaged && !last) {
            rft_log_warn(&cli->log, "%s is left out, and what it has will be measured again: %s", file, err->message);
            rc = RFT_OK;
            continue;
        }
        rc = rc ? rc : rft_shard_check_new(runs, there, run, file, err);
        rc = rc || there->count == 0 ? rc : rft_shard_check_same(runs[0], run, there->items[0], file, err);
        runs[there->count] = run;
        there->items[there->count] = file;
        there->count += run != NULL;
    }
    return rc;
}

/* A run that was put together before goes last: of what both have, the shard's counts. */
static void put_shards_first(rft_run **runs, rft_words *there, rft_arena *arena) {
    rft_run **as_named = rft_arena_memdup(arena, runs, there->count * sizeof *runs);
    const char **files = rft_arena_memdup(arena, there->items, there->count * sizeof *files);
    size_t placed = 0;
    for (size_t i = 0; i < 2 * there->count; i++) {
        const size_t at = i % there->count;
        if (rft_is_of_shards(as_named[at]) == (i >= there->count)) {
            runs[placed] = as_named[at];
            there->items[placed++] = files[at];
        }
    }
}

static int check_any(const rft_run *first, const char *file, rft_err *err) {
    if (!rft_is_of_shards(first)) {
        return RFT_OK;
    }
    rft_err_set(err, RFT_E_USAGE, "there is no shard beside %s, which was put together before", file);
    return rft_err_remedy(err, "`rooftune run SWEEP.lua -o %s` goes on with it", file);
}

int rft_import_shards(rft_cli *cli, const rft_words *files, const rft_import_opts *opts, const char *output,
                      rft_err *err) {
    const rft_shard_losses *losses = opts->losses;
    rft_run **runs = rft_calloc(files->count, sizeof *runs);
    merged_run m = {.arena = rft_arena_new()};
    rft_words there = {.items = rft_arena_calloc(m.arena, files->count, sizeof *there.items)};
    int rc = load_shards(cli, files, opts->skip_damaged, runs, &there, err);
    rft_interrupt_defer(); /* from here on the file is finished first */
    if (rc == RFT_OK) {
        put_shards_first(runs, &there, m.arena);
        rc = check_any(runs[0], there.items[0], err);
    }
    if (rc == RFT_OK) {
        rft_shard_check_ceilings(cli, runs, &there);
        merge(&m, runs, &there, losses);
        rc = rft_import_write(m.run, output, err);
    }
    if (rc == RFT_OK) {
        tell_apart(cli, &m, losses != NULL);
    }
    if (rc == RFT_OK && !losses) { /* else more is to come at once */
        tell_merged(cli, &m, there.count, output);
    }
    for (size_t i = 0; i < there.count; i++) {
        rft_run_free(runs[i]);
    }
    free(runs);
    rft_arena_free(m.arena);
    return rc;
}
