/* SPDX-License-Identifier: Apache-2.0 */
/* mix.c - a data file's JSON becomes a rft_mix_book. script/mix_read.c has checked what a mix{} holds, with the place
 * of each mistake; a table that never was one is told apart here. */
#include "model/mix/mix.h"

#include "base/json.h"
#include "model/sweep/names.h"
#include "model/sweep/value_given.h"

#include <math.h>
#include <string.h>

typedef struct mix_reader {
    rft_mix_book *book;
    const char *path;
    rft_arena *arena;
    rft_err *err;
} mix_reader;

static int refuse_mix(const mix_reader *r, const char *message, const char *remedy) {
    rft_err_set(r->err, RFT_E_SCRIPT, "%s", message);
    rft_err_place(r->err, "%s", r->path);
    return rft_err_remedy(r->err, "%s", remedy);
}

static int no_mix(const mix_reader *r) {
    return refuse_mix(r, "the file does not return a mix", "end it with: return mix { ... }, or a list of them");
}

/* One more element at the end of an array in the arena. */
static void *grown(const mix_reader *r, void *items, size_t count, size_t size) {
    char *more = rft_arena_calloc(r->arena, count + 1, size);
    if (count > 0) {
        memcpy(more, items, count * size);
    }
    return more;
}

/* What is not there, or not above 0, leaves what was. */
static double positive_or(const json_t *object, const char *key, double was) {
    double value = rft_json_real_or(object, key, NAN);
    return value > 0.0 ? value : was;
}

/* ---- operations ---- */

static bool read_item(const mix_reader *r, const json_t *from, rft_mix_item *out) {
    json_t *problem = json_object_get(from, "problem");
    const char *operation = json_string_value(json_object_get(from, "operation"));
    out->count = json_number_value(json_object_get(from, "count"));
    if (!operation || !(out->count > 0.0) || !json_is_object(problem)) {
        return false;
    }
    out->operation = rft_arena_strdup(r->arena, operation);
    size_t most = json_object_size(problem);
    if (most > RFT_AXES_MAX) { /* no sweep has them; and they would be a line each of every message */
        return false;
    }
    out->axes = rft_arena_calloc(r->arena, most + 1, sizeof *out->axes);
    out->values = rft_arena_calloc(r->arena, most + 1, sizeof *out->values);
    for (void *at = json_object_iter(problem); at; at = json_object_iter_next(problem, at)) {
        out->axes[out->axis_count] = rft_arena_strdup(r->arena, json_object_iter_key(at));
        if (!rft_value_given(&out->values[out->axis_count++], json_object_iter_value(at), r->arena)) {
            return false;
        }
    }
    return true;
}

static bool read_items(const mix_reader *r, const json_t *from, const json_t *items) {
    const char *name = json_string_value(json_object_get(from, "name"));
    const json_t *memory = json_object_get(from, "memory");
    rft_mix mix = {.path = rft_arena_strdup(r->arena, r->path), .unit = "pass", .per = 1.0};
    mix.item_count = json_array_size(items);
    size_t all = mix.item_count;
    for (size_t i = 0; i < r->book->mix_count; i++) {
        all += r->book->mixes[i].item_count;
    }
    if (mix.item_count == 0 || mix.item_count > RFT_MIX_LIST_MOST || all > RFT_MIX_ALL_MOST) {
        return mix.item_count == 0;
    }
    mix.name = rft_arena_strdup(r->arena, name);
    mix.unit = rft_arena_strdup(r->arena, rft_json_text_or(from, "unit", "pass"));
    mix.per = rft_json_real_or(from, "per", 1.0);
    mix.cards = rft_json_real_or(from, "cards", 1.0);
    mix.weights_bytes = positive_or(memory, "weights", NAN);
    mix.cache_bytes = positive_or(memory, "cache", NAN);
    const json_t *sweeps = json_object_get(from, "sweeps");
    mix.sweep_count = json_array_size(sweeps);
    mix.sweeps = rft_arena_calloc(r->arena, mix.sweep_count + 1, sizeof *mix.sweeps);
    for (size_t i = 0; i < mix.sweep_count; i++) {
        const char *file = json_string_value(json_array_get(sweeps, i));
        if (!file) {
            return false;
        }
        mix.sweeps[i] = rft_arena_strdup(r->arena, file);
    }
    mix.items = rft_arena_calloc(r->arena, mix.item_count, sizeof *mix.items);
    for (size_t i = 0; i < mix.item_count; i++) {
        if (!read_item(r, json_array_get(items, i), &mix.items[i])) {
            return false;
        }
    }
    r->book->mixes = grown(r, r->book->mixes, r->book->mix_count, sizeof *r->book->mixes);
    r->book->mixes[r->book->mix_count++] = mix;
    return name != NULL && mix.per > 0.0 && mix.cards >= 1.0;
}

/* ---- prices, names, remarks ---- */

static bool put_price(const mix_reader *r, const char *device, double amount, const char *date) {
    rft_mix_book *book = r->book;
    size_t at = 0;
    while (at < book->price_count && strcmp(book->prices[at].device, device) != 0) {
        at++;
    }
    if (at == RFT_MIX_LIST_MOST) {
        return false;
    }
    if (at == book->price_count) {
        book->prices = grown(r, book->prices, book->price_count++, sizeof *book->prices);
    }
    book->prices[at] = (rft_mix_price){rft_arena_strdup(r->arena, device), amount, date};
    return amount > 0.0 && date != NULL;
}

static bool put_name(const mix_reader *r, const char *device, const char *name) {
    rft_mix_book *book = r->book;
    size_t at = 0;
    while (at < book->name_count && strcmp(book->names[at].device, device) != 0) {
        at++;
    }
    if (at == RFT_MIX_LIST_MOST) {
        return false;
    }
    if (at == book->name_count) {
        book->names = grown(r, book->names, book->name_count++, sizeof *book->names);
    }
    book->names[at] = (rft_mix_name){rft_arena_strdup(r->arena, device), rft_arena_strdup(r->arena, name)};
    return name != NULL;
}

static int read_prices(const mix_reader *r, const json_t *prices) {
    rft_mix_book *book = r->book;
    const char *currency = json_string_value(json_object_get(prices, "currency"));
    const char *date = rft_arena_strdup(r->arena, json_string_value(json_object_get(prices, "date")));
    if (currency && book->currency && strcmp(currency, book->currency) != 0) {
        char message[200];
        snprintf(message, sizeof message, "prices are in %.32s here, in %.32s in a file before", currency,
                 book->currency);
        return refuse_mix(r, message, "give all prices of one command in one currency");
    }
    book->currency = currency ? rft_arena_strdup(r->arena, currency) : book->currency;
    const json_t *host = json_object_get(prices, "host");
    double utilisation = positive_or(prices, "utilisation", book->utilisation);
    double pue = positive_or(prices, "pue", book->pue);
    if (utilisation > 1.0 || pue < 1.0) {
        return no_mix(r);
    }
    book->utilisation = utilisation;
    book->pue = pue;
    book->kwh_date = rft_json_real_or(prices, "kwh", NAN) > 0.0 ? date : book->kwh_date;
    book->kwh = positive_or(prices, "kwh", book->kwh);
    book->years = positive_or(prices, "years", book->years);
    book->host_date = rft_json_real_or(host, "price", NAN) > 0.0 ? date : book->host_date;
    book->host_price = positive_or(host, "price", book->host_price);
    book->host_watts = positive_or(host, "watts", book->host_watts);
    json_t *devices = json_object_get(prices, "devices");
    for (void *at = json_object_iter(devices); at; at = json_object_iter_next(devices, at)) {
        if (!put_price(r, json_object_iter_key(at), json_number_value(json_object_iter_value(at)), date)) {
            return no_mix(r);
        }
    }
    return RFT_OK;
}

static int read_mix(const mix_reader *r, const json_t *from) {
    rft_mix_book *book = r->book;
    const json_t *items = json_object_get(from, "items");
    const json_t *remarks = json_object_get(from, "remarks");
    json_t *names = json_object_get(from, "names");
    bool empty = json_is_object(items) && json_object_size(items) == 0; /* Lua's {} */
    if (!(json_is_array(items) || empty) || !read_items(r, from, items)) {
        return no_mix(r);
    }
    for (void *at = json_object_iter(names); at; at = json_object_iter_next(names, at)) {
        if (!put_name(r, json_object_iter_key(at), json_string_value(json_object_iter_value(at)))) {
            return no_mix(r);
        }
    }
    for (size_t i = 0; i < json_array_size(remarks); i++) {
        const char *remark = json_string_value(json_array_get(remarks, i));
        if (!remark || book->remark_count == RFT_MIX_LIST_MOST) {
            return no_mix(r);
        }
        book->remarks = grown(r, book->remarks, book->remark_count, sizeof *book->remarks);
        book->remarks[book->remark_count++] = rft_arena_strdup(r->arena, remark);
    }
    return read_prices(r, json_object_get(from, "prices"));
}

rft_mix_book *rft_mix_book_new(rft_arena *arena) {
    rft_mix_book *book = rft_arena_calloc(arena, 1, sizeof *book);
    book->kwh = book->years = book->utilisation = book->pue = book->host_price = book->host_watts = NAN;
    return book;
}

int rft_mix_book_add(rft_mix_book *book, const char *json, const char *path, rft_arena *arena, rft_err *err) {
    const mix_reader r = {book, path, arena, err};
    json_t *root = NULL;
    int rc = rft_json_parse(&root, json, strlen(json), path, err);
    if (rc == RFT_OK && json_is_array(root)) {
        size_t count = json_array_size(root);
        rc = count == 0 || count > RFT_MIX_FILE_MOST ? no_mix(&r) : RFT_OK;
        for (size_t i = 0; i < count && rc == RFT_OK; i++) {
            rc = read_mix(&r, json_array_get(root, i));
        }
    } else if (rc == RFT_OK) {
        rc = read_mix(&r, root);
    }
    json_decref(root);
    return rc;
}

/* ---- which card is meant ---- */

static bool is_called(const char *key, const char *wanted) {
    return wanted && *wanted && strcmp(key, wanted) == 0;
}

const rft_mix_price *rft_mix_price_of(const rft_mix_book *book, const rft_gpu_info *gpu) {
    const rft_mix_price *by_name = NULL;
    for (size_t i = 0; i < book->price_count; i++) {
        if (is_called(book->prices[i].device, gpu->uuid)) {
            return &book->prices[i];
        }
        by_name = is_called(book->prices[i].device, gpu->name) ? &book->prices[i] : by_name;
    }
    return by_name;
}

const char *rft_mix_name_of(const rft_mix_book *book, const rft_gpu_info *gpu) {
    const char *by_name = NULL;
    for (size_t i = 0; i < book->name_count; i++) {
        if (is_called(book->names[i].device, gpu->uuid)) {
            return book->names[i].name;
        }
        by_name = is_called(book->names[i].device, gpu->name) ? book->names[i].name : by_name;
    }
    return by_name;
}
