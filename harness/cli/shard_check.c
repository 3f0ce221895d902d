/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/shard_check.h"

#include "base/str.h"
#include "base/units.h"
#include "cli/run_part.h"
#include "model/roofline/card_peers.h"

#include <math.h>

static int refuse_shard(rft_err *err, const char *file, const char *first, const char *what) {
    rft_err_set(err, RFT_E_STORE, "%s is no shard of the same run as %s: %s", file, first, what);
    return rft_err_remedy(err, "import shards of one sweep, of one text, compiler and model of card");
}

/* Sources and headers, and the compiler's release: what decides of the code that was measured. */
static const char *other_fact(const rft_run *a, const rft_run *b) {
    for (size_t i = 0; i < a->env.count; i++) {
        const char *key = a->env.items[i].key;
        const bool decides =
            rft_text_starts(key, "source.") || rft_text_starts(key, "header.") || rft_text_equal(key, "nvrtc.version");
        if (decides && !rft_text_equal(a->env.items[i].value, rft_env_value(&b->env, key))) {
            return key;
        }
    }
    return NULL;
}

int rft_shard_check_new(rft_run *const *runs, const rft_words *there, const rft_run *run, const char *file,
                        rft_err *err) {
    for (size_t i = 0; i < there->count; i++) {
        if (run->info.id && rft_text_equal(runs[i]->info.id, run->info.id)) {
            rft_err_set(err, RFT_E_USAGE, "%s is the same run (%s) as %s", file, run->info.id, there->items[i]);
            return rft_err_remedy(err, "name each shard once, and of two copies the newer one");
        }
    }
    return RFT_OK;
}

int rft_shard_check_same(const rft_run *first, const rft_run *other, const char *first_file, const char *file,
                         rft_err *err) {
    if (first->sweep_count != other->sweep_count) {
        return refuse_shard(err, file, first_file, "it has other sweeps");
    }
    for (size_t s = 0; s < first->sweep_count; s++) {
        const rft_sweep *a = &first->sweeps[s].sweep, *b = &other->sweeps[s].sweep;
        if (!rft_text_equal(a->name, b->name) || !rft_text_equal(a->script_hash, b->script_hash)) {
            return refuse_shard(err, file, first_file, "it has another sweep, or another text of it");
        }
        if (!rft_run_part_same(a, b)) {
            return refuse_shard(err, file, first_file, "it has other problems, variants or values");
        }
        if (a->measure.cache != b->measure.cache || a->measure.mode != b->measure.mode) { /* by a script's arguments */
            return refuse_shard(err, file, first_file, "it was measured with another measure.cache or measure.mode");
        }
    }
    const char *key = other_fact(first, other);
    if (key) {
        return refuse_shard(err, file, first_file, rft_arena_printf(other->arena, "it has another %s", key));
    }
    const rft_gpu_info *a = &first->gpu, *b = &other->gpu;
    if (!rft_text_equal(a->name, b->name) || !rft_text_equal(a->arch, b->arch) || a->sms != b->sms ||
        a->memory_bytes != b->memory_bytes) {
        return refuse_shard(err, file, first_file, "it was measured on another model of card");
    }
    return RFT_OK;
}

/* ---- one card's ceilings ---- */

typedef struct apart {
    size_t first, other; /* runs */
    rft_ceiling_id ceiling;
    double frac, over; /* apart by; that over what may be */
} apart;

/* The worst of two runs. What the host has a part in (launches, copies) differs with the host. */
static apart worst_apart(rft_run *const *runs, size_t first, size_t other) {
    apart worst = {.first = first, .other = other, .over = 0};
    for (int id = 0; id < RFT_CEILING_LAUNCH; id++) {
        const rft_ceiling *a = &runs[first]->ceilings.items[id], *b = &runs[other]->ceilings.items[id];
        const double low = fmin(a->stats.median, b->stats.median);
        const double frac = fabs(a->stats.median - b->stats.median) / low;
        const double over = frac / rft_peers_margin_frac((size_t)id);
        if (a->measured && b->measured && !a->at_least && !b->at_least && low > 0 && over > worst.over) {
            worst.ceiling = (rft_ceiling_id)id;
            worst.frac = frac;
            worst.over = over;
        }
    }
    return worst;
}

/* The first run of the same card; `at`: there is none. */
static size_t first_of_card(rft_run *const *runs, size_t at) {
    const char *uuid = runs[at]->gpu.uuid;
    for (size_t i = 0; uuid && *uuid && i < at; i++) {
        if (rft_text_equal(runs[i]->gpu.uuid, uuid)) {
            return i;
        }
    }
    return at;
}

void rft_shard_check_ceilings(const rft_cli *cli, rft_run *const *runs, const rft_words *files) {
    apart worst = {.over = 1};
    size_t count = 0;
    for (size_t i = 1; i < files->count; i++) {
        const apart one = worst_apart(runs, first_of_card(runs, i), i);
        count += one.over > 1;
        worst = one.over > worst.over ? one : worst;
    }
    if (count == 0) {
        return;
    }
    char a[32], b[32];
    const char *unit = rft_ceiling_unit(worst.ceiling);
    const rft_run *first = runs[worst.first], *other = runs[worst.other];
    rft_units_format_si(a, sizeof a, first->ceilings.items[worst.ceiling].stats.median, 3, unit);
    rft_units_format_si(b, sizeof b, other->ceilings.items[worst.ceiling].stats.median, 3, unit);
    rft_log_warn(&cli->log,
                 "ceilings of %zu shard%s are not those of an earlier shard of the same card; furthest apart, by "
                 "%.2g %%, are %s and %s of %s: %s, %s and %s\n  remedy: its state was another (clocks, heat, other "
                 "users), and times of one shard may be slower: measure that shard anew",
                 count, count == 1 ? "" : "s", 100 * worst.frac, files->items[worst.first], files->items[worst.other],
                 first->gpu.uuid, rft_ceiling_label(worst.ceiling), a, b);
}
