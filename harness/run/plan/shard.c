/* SPDX-License-Identifier: Apache-2.0 */
#include "run/plan/shard.h"

#include "base/hash.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

int rft_shard_parse(rft_shard *out, const char *text, rft_err *err) {
    char *end = NULL;
    const unsigned long number = strtoul(text, &end, 10);
    const unsigned long of = *end == '/' ? strtoul(end + 1, &end, 10) : 0;
    if (*end || number < 1 || of < 1 || number > of || of > RFT_SHARDS_MOST || strpbrk(text, "+- ")) {
        rft_err_set(err, RFT_E_USAGE, "--shard takes K/N, not \"%s\"", text);
        return rft_err_remedy(err, "--shard 1/4 to --shard 4/4 for four machines; at most %d", RFT_SHARDS_MOST);
    }
    *out = (rft_shard){(unsigned)number, (unsigned)of};
    return RFT_OK;
}

int rft_shard_check(const rft_sweep *sweep, rft_err *err) {
    const rft_search_opts *search = &sweep->search;
    const bool any_order = rft_text_equal(search->strategy, "auto") || rft_text_equal(search->strategy, "exhaustive") ||
                           rft_text_equal(search->strategy, "random");
    const bool limited =
        search->budget_points > 0 || search->budget_s > 0 || search->budget_gpu_s > 0 || search->goal_frac > 0;
    if (any_order && !limited) {
        return RFT_OK;
    }
    rft_err_set(err, RFT_E_USAGE, "sweep %s is searched (%s), and --shard and --split divide what is measured whole",
                sweep->name, limited ? "a budget or a goal" : search->strategy);
    return rft_err_remedy(err, "leave out the budget and the strategy: a search of each part would be %s",
                          "one of its own, which none of them knows the results of");
}

typedef struct placed {
    uint64_t hash, index;
} placed;

static int compare_hashes(const void *a, const void *b) {
    const placed *one = a, *other = b;
    return one->hash < other->hash ? -1 : one->hash > other->hash;
}

static void add_values(rft_str *text, const rft_value *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        rft_str_add_char(text, '\n');
        rft_value_format(text, &values[i]);
    }
}

size_t rft_shard_list(rft_shard shard, const rft_sweep *sweep, size_t variant, const rft_value *problem,
                      const rft_space *space, rft_arena *arena, uint64_t **out) {
    const size_t params = rft_space_variant(space)->param_count;
    const uint64_t end = rft_space_index_end(space);
    placed *found = rft_arena_calloc(arena, (size_t)rft_space_count(space) + 1, sizeof *found);
    rft_value *config = rft_arena_calloc(arena, params + 1, sizeof *config);
    rft_str text = RFT_STR_INIT;
    size_t n = 0;
    rft_str_addf(&text, "%s\n%s", sweep->name, sweep->variants[variant].name);
    add_values(&text, problem, sweep->axis_count);
    const size_t shared = text.length;
    for (uint64_t index = 0; index < end; index++) {
        rft_space_get(space, index, config);
        text.length = shared;
        add_values(&text, config, params);
        uint64_t state = rft_hash_fnv1a(text.data, text.length);
        const uint64_t hash = rft_random_next(&state); /* FNV's low bits alone are uneven */
        if (hash % shard.of == shard.number - 1) {
            found[n++] = (placed){hash, index};
        }
    }
    rft_str_clear(&text);
    qsort(found, n, sizeof *found, compare_hashes);
    *out = rft_arena_calloc(arena, n + 1, sizeof **out);
    for (size_t i = 0; i < n; i++) {
        (*out)[i] = found[i].index;
    }
    return n;
}
