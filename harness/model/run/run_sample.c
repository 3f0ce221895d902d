/* SPDX-License-Identifier: Apache-2.0 */
#include "model/run/run_sample.h"

#include <string.h>

#define DAY_NS INT64_C(86400000000000)

/* Different texts among those added; "" and NULL do not count. */
typedef struct text_set {
    const char **items;
    size_t count;
} text_set;

static bool add_new(text_set *set, const char *text) {
    for (size_t i = 0; i < set->count; i++) {
        if (strcmp(set->items[i], text) == 0) {
            return false;
        }
    }
    set->items[set->count++] = text;
    return true;
}

static bool is_told(const char *text) {
    return text && *text;
}

static int64_t begun_ns(const rft_run *run) {
    return run->info.replay_of ? run->info.replay_started_unix_ns : run->info.started_unix_ns;
}

static void add_time(rft_run_sample *out, int64_t begun) {
    out->first_unix_ns = out->first_unix_ns == 0 || begun < out->first_unix_ns ? begun : out->first_unix_ns;
    out->last_unix_ns = begun > out->last_unix_ns ? begun : out->last_unix_ns;
}

rft_run_sample rft_run_sample_of(const rft_run *const *runs, size_t count, rft_arena *arena) {
    rft_run_sample out = {0};
    text_set sets[4] = {{0}};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        sets[i].items = rft_arena_calloc(arena, count + 1, sizeof *sets[i].items);
    }
    for (size_t i = 0; i < count; i++) {
        const rft_run *run = runs[i];
        const char *host = rft_env_value(&run->env, "host.id");
        if (is_told(run->info.id) && !add_new(&sets[0], run->info.id)) {
            continue;
        }
        out.runs++;
        out.cards += is_told(run->gpu.uuid) && add_new(&sets[1], run->gpu.uuid);
        out.cards_unknown += !is_told(run->gpu.uuid);
        out.hosts += is_told(host) && add_new(&sets[2], host);
        out.hosts_unknown += !is_told(host);
        int64_t begun = begun_ns(run);
        if (begun > 0) {
            out.days += add_new(&sets[3], rft_arena_printf(arena, "%lld", (long long)(begun / DAY_NS)));
            add_time(&out, begun);
        }
    }
    return out;
}

static const char *number_of(size_t count, const char *one, const char *many, rft_arena *arena) {
    return count == 1 ? rft_arena_printf(arena, "one %s", one) : rft_arena_printf(arena, "%zu %s", count, many);
}

static const char *known_of(size_t known, size_t unknown, const char *one, const char *many, rft_arena *arena) {
    if (known == 0) {
        return rft_arena_printf(arena, "%s not recorded", one);
    }
    return rft_arena_printf(
        arena, "%s%s", number_of(known, one, many, arena),
        unknown ? rft_arena_printf(arena, " and %s without its name", number_of(unknown, "run", "runs", arena)) : "");
}

const char *rft_run_sample_text(const rft_run_sample *sample, rft_arena *arena) {
    return rft_arena_printf(arena, "%s, %s, %s%s%s",
                            known_of(sample->cards, sample->cards_unknown, "card", "cards", arena),
                            known_of(sample->hosts, sample->hosts_unknown, "host", "hosts", arena),
                            sample->days ? number_of(sample->days, "day", "days", arena) : "day not recorded", ", ",
                            number_of(sample->runs, "run", "runs", arena));
}
