/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/mix_package.h"

#include "base/json.h"

#include <stdlib.h>
#include <string.h>

/* A bidder's own: what a card of this run costs, where others of its name may cost something else. */
static void price_by_uuid(json_t *list, const rft_gpu_info *gpu) {
    for (size_t i = 0; i < json_array_size(list) && gpu->name && gpu->uuid && *gpu->uuid; i++) {
        json_t *devices = json_object_get(json_object_get(json_array_get(list, i), "prices"), "devices");
        json_t *price = json_object_get(devices, gpu->name);
        if (price && !json_object_get(devices, gpu->uuid)) {
            json_object_set(devices, gpu->uuid, price);
        }
    }
}

/* What all have to agree on: the list without prices of devices, names and remarks, and what is empty then. */
static char *common_text(const json_t *list) {
    json_t *common = json_array();
    for (size_t i = 0; i < json_array_size(list); i++) {
        json_t *mix = json_deep_copy(json_array_get(list, i)), *prices = json_object_get(mix, "prices");
        json_object_del(mix, "names");
        json_object_del(mix, "remarks");
        json_object_del(prices, "devices");
        json_object_del(prices, "date");
        json_object_del(prices, "currency"); /* two are refused where prices are read */
        if (json_object_size(prices) == 0) {
            json_object_del(mix, "prices");
        }
        if (json_array_size(json_object_get(mix, "items")) > 0 || json_object_get(mix, "prices")) {
            json_array_append(common, mix);
        }
        json_decref(mix);
    }
    char *text = rft_json_dump(common, NULL);
    json_decref(common);
    return text;
}

/* Leaves what is not common. */
static void keep_own(json_t *list) {
    static const char *const shared[] = {"kwh", "years", "utilisation", "pue", "host"};
    for (size_t i = 0; i < json_array_size(list); i++) {
        json_t *mix = json_array_get(list, i), *prices = json_object_get(mix, "prices");
        for (size_t k = 0; k < sizeof shared / sizeof *shared; k++) {
            json_object_del(prices, shared[k]);
        }
        if (json_is_object(mix)) {
            json_object_set_new(mix, "items", json_array());
        }
    }
}

static int add_list(rft_mix_book *book, json_t *list, const char *name, rft_arena *arena, rft_err *err) {
    char *text = rft_json_dump(list, NULL);
    int rc = rft_mix_book_add(book, text, name, arena, err);
    free(text);
    return rc;
}

/* Of several packages each has its own. */
static const char *mix_name(const rft_run *run, rft_arena *arena) {
    return rft_arena_printf(arena, "mix.json in the package of run %s", run->info.id);
}

static int differ(const rft_run *a, const rft_run *b, rft_err *err) {
    rft_err_set(err, RFT_E_USAGE, "the packages of runs %s and %s hold different mixes", a->info.id, b->info.id);
    return rft_err_remedy(err, "--mix FILE sums all of them up by one");
}

/* What the packages so far made. */
typedef struct merged {
    rft_mix_book *book;
    const rft_run *first; /* that held a mix */
    char *common;         /* of that one; owned */
    rft_arena *arena;
} merged;

static int merge_list(merged *m, const rft_run *run, json_t *list, rft_err *err) {
    char *common = common_text(list);
    bool same = !m->first || strcmp(common, m->common) == 0;
    if (m->first) {
        free(common);
        keep_own(list);
    } else {
        m->first = run;
        m->common = common;
        m->book = rft_mix_book_new(m->arena);
    }
    price_by_uuid(list, &run->gpu);
    return same ? add_list(m->book, list, mix_name(run, m->arena), m->arena, err) : differ(m->first, run, err);
}

int rft_mix_packages_read(rft_mix_book **out, const rft_run *const *runs, size_t count, rft_arena *arena,
                          rft_err *err) {
    merged m = {.arena = arena};
    int rc = RFT_OK;
    for (size_t i = 0; i < count && rc == RFT_OK; i++) {
        json_t *list = NULL;
        const char *mixes = runs[i]->package ? runs[i]->package->mixes : NULL;
        if (mixes) {
            rc = rft_json_parse(&list, mixes, strlen(mixes), mix_name(runs[i], arena), err);
            rc = rc ? rc : merge_list(&m, runs[i], list, err);
        }
        json_decref(list);
    }
    free(m.common);
    *out = m.book;
    return rc;
}
