/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/card_links.h"

#include "base/units.h"

#include <math.h>
#include <string.h>

#define COPY_BYTES (256ull << 20)
#define COPIES                                                                                                         \
    16 /* a sample is some milliseconds, beside which the microseconds between two cards' beginnings are few */
#define WARM_UPS 2
#define SAMPLES 11

typedef struct card {
    rft_gpu *gpu;
    rft_device_ptr in, out; /* what others write to, and what it sends */
    void *host;
    rft_event *start, *stop;
} card;

/* One transfer: `what` of card `from`, to card `to` where it is a peer's. */
typedef enum transfer_kind { TO_DEVICE, TO_HOST, TO_PEER } transfer_kind;
typedef struct transfer {
    transfer_kind kind;
    size_t from, to;
} transfer;

typedef struct bench {
    card cards[RFT_LINK_CARDS_MAX];
    size_t card_count;
    uint64_t bytes;
    size_t copies;
    rft_arena *arena;
} bench;

/* ---- memory ---- */

static int open_card(const bench *b, card *c, rft_err *err) {
    rft_gpu *gpu = c->gpu;
    int rc = gpu->vt->use(gpu, err);
    rc = rc == RFT_OK ? gpu->vt->alloc(gpu, b->bytes, &c->in, err) : rc;
    rc = rc == RFT_OK ? gpu->vt->alloc(gpu, b->bytes, &c->out, err) : rc;
    rc = rc == RFT_OK ? gpu->vt->host_alloc(gpu, b->bytes, &c->host, err) : rc;
    rc = rc == RFT_OK ? gpu->vt->event_new(gpu, &c->start, err) : rc;
    rc = rc == RFT_OK ? gpu->vt->event_new(gpu, &c->stop, err) : rc;
    rc = rc == RFT_OK ? gpu->vt->set(gpu, c->out, 0x5a, b->bytes, err) : rc;
    if (rc == RFT_OK) {
        memset(c->host, 0xa5, b->bytes); /* every page is there */
        rc = gpu->vt->sync(gpu, err);
    }
    return rc;
}

static void close_card(card *c) {
    rft_gpu *gpu = c->gpu;
    if (gpu->vt->use(gpu, NULL) != RFT_OK) {
        return;
    }
    gpu->vt->host_free(gpu, c->host);
    if (c->in) {
        gpu->vt->free(gpu, c->in);
    }
    if (c->out) {
        gpu->vt->free(gpu, c->out);
    }
}

/* ---- a sample ---- */

static int queue_copy(const bench *b, const transfer *t, rft_err *err) {
    const card *from = &b->cards[t->from], *to = &b->cards[t->to];
    const rft_gpu_vt *vt = from->gpu->vt;
    switch (t->kind) {
    case TO_DEVICE:
        return vt->host_to_device(from->gpu, from->in, from->host, b->bytes, err);
    case TO_HOST:
        return vt->device_to_host(from->gpu, from->host, from->out, b->bytes, err);
    default:
        return vt->copy_to_peer(from->gpu, from->out, to->gpu, to->in, b->bytes, err);
    }
}

static int queue_transfer(const bench *b, const transfer *t, rft_err *err) {
    const card *c = &b->cards[t->from];
    int rc = c->gpu->vt->use(c->gpu, err);
    rc = rc == RFT_OK ? c->gpu->vt->event_record(c->gpu, c->start, err) : rc;
    for (size_t i = 0; rc == RFT_OK && i < b->copies; i++) {
        rc = queue_copy(b, t, err);
    }
    return rc == RFT_OK ? c->gpu->vt->event_record(c->gpu, c->stop, err) : rc;
}

/* Queued for all before any is waited for. */
static int sample(const bench *b, const transfer *all, size_t count, double *seconds, rft_err *err) {
    int rc = RFT_OK;
    for (size_t i = 0; i < count && rc == RFT_OK; i++) {
        rc = queue_transfer(b, &all[i], err);
    }
    for (size_t i = 0; i < count && rc == RFT_OK; i++) {
        const card *c = &b->cards[all[i].from];
        rc = c->gpu->vt->use(c->gpu, err);
        rc = rc == RFT_OK ? c->gpu->vt->event_elapsed(c->gpu, c->start, c->stop, &seconds[i], err) : rc;
    }
    return rc;
}

/* Rates of each, and of all together: the bytes of all over the time of the longest. `together` NULL: not asked for. */
static int measure(const bench *b, const transfer *all, size_t count, rft_stats *each, rft_stats *together,
                   rft_err *err) {
    const double bytes = (double)b->bytes * (double)b->copies;
    double rates[RFT_LINK_CARDS_MAX][SAMPLES], sums[SAMPLES], seconds[RFT_LINK_CARDS_MAX];
    for (int s = -WARM_UPS; s < SAMPLES; s++) {
        double longest = 1e-9;
        int rc = sample(b, all, count, seconds, err);
        if (rc != RFT_OK) {
            return rc;
        }
        for (size_t i = 0; s >= 0 && i < count; i++) {
            rates[i][s] = bytes / fmax(seconds[i], 1e-9);
            longest = fmax(longest, seconds[i]);
        }
        if (s >= 0) {
            sums[s] = bytes * (double)count / longest;
        }
    }
    for (size_t i = 0; each && i < count; i++) {
        each[i] = rft_stats_of(rates[i], SAMPLES);
    }
    if (together) {
        *together = rft_stats_of(sums, SAMPLES);
    }
    return RFT_OK;
}

/* ---- all of them ---- */

static int measure_host(const bench *b, transfer_kind kind, rft_stats *each, rft_err *err) {
    transfer all[RFT_LINK_CARDS_MAX];
    for (size_t i = 0; i < b->card_count; i++) {
        all[i] = (transfer){kind, i, i};
    }
    return measure(b, all, b->card_count, each, NULL, err);
}

static int measure_link(const bench *b, rft_link *link, rft_err *err) {
    const transfer there = {TO_PEER, link->from, link->to};
    rft_gpu *gpu = b->cards[link->from].gpu;
    int rc = gpu->vt->use(gpu, err);
    rc = rc == RFT_OK ? gpu->vt->peer_open(gpu, b->cards[link->to].gpu, &link->direct, err) : rc;
    return rc == RFT_OK ? measure(b, &there, 1, &link->one_way, NULL, err) : rc;
}

static rft_link *find_link(const rft_links *links, size_t from, size_t to) {
    for (size_t i = 0; i < links->count; i++) {
        if (links->items[i].from == from && links->items[i].to == to) {
            return &links->items[i];
        }
    }
    return NULL;
}

static int measure_both_ways(const bench *b, rft_links *links, rft_link *link, rft_err *err) {
    const transfer both[] = {{TO_PEER, link->from, link->to}, {TO_PEER, link->to, link->from}};
    if (link->from > link->to) { /* its reverse was first */
        link->both_ways = find_link(links, link->to, link->from)->both_ways;
        return RFT_OK;
    }
    return measure(b, both, 2, NULL, &link->both_ways, err);
}

static int measure_pairs(const bench *b, rft_links *out, rft_err *err) {
    int rc = RFT_OK;
    out->items = rft_arena_calloc(b->arena, b->card_count * b->card_count, sizeof *out->items);
    for (size_t from = 0; from < b->card_count; from++) {
        for (size_t to = 0; to < b->card_count && rc == RFT_OK; to++) {
            if (from != to) {
                out->items[out->count] = (rft_link){.from = from, .to = to};
                rc = measure_link(b, &out->items[out->count++], err);
            }
        }
    }
    for (size_t i = 0; i < out->count && rc == RFT_OK; i++) { /* both sides are open now */
        rc = measure_both_ways(b, out, &out->items[i], err);
    }
    return rc;
}

int rft_links_measure(rft_gpu *const *gpus, size_t count, const rft_links_opts *opts, rft_arena *arena, rft_links *out,
                      rft_err *err) {
    bench b = {.card_count = count, .bytes = COPY_BYTES, .copies = COPIES, .arena = arena};
    b.bytes = opts && opts->bytes ? opts->bytes : b.bytes;
    b.copies = opts && opts->copies ? opts->copies : b.copies;
    *out = (rft_links){.card_count = count};
    if (count < 2 || count > RFT_LINK_CARDS_MAX) {
        return rft_err_set(err, RFT_E_LIMIT, "links are measured between 2 to %d cards", RFT_LINK_CARDS_MAX);
    }
    int rc = RFT_OK;
    for (size_t i = 0; i < count; i++) {
        b.cards[i].gpu = gpus[i];
        out->ordinals[i] = (int)i;
        rc = rc == RFT_OK ? open_card(&b, &b.cards[i], err) : rc;
    }
    rc = rc == RFT_OK ? measure_host(&b, TO_DEVICE, out->h2d, err) : rc;
    rc = rc == RFT_OK ? measure_host(&b, TO_HOST, out->d2h, err) : rc;
    rc = rc == RFT_OK ? measure_pairs(&b, out, err) : rc;
    for (size_t i = 0; i < count; i++) {
        close_card(&b.cards[i]);
    }
    return rc;
}
