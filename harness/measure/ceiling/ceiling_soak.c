/* SPDX-License-Identifier: Apache-2.0 */
/* The rate of a load that has run for seconds: power and heat have settled, and the clock with them. */
#include "measure/ceiling/ceilings.h"

#include <math.h>
#include <string.h>

#define BATCH_S 0.05   /* what one sample runs: events, stamps and the host's turn are nothing beside it */
#define LAST_S 1.0     /* of the load, which counts */
#define BATCH_MAX 4096 /* launches */
#define KEPT 64        /* samples: more than LAST_S holds */

typedef struct soak {
    const rft_timed *load;
    size_t launches; /* of a batch */
    double amount;   /* of one launch */
    double soak_s, spent_s;
    rft_sample last[KEPT]; /* a ring */
    size_t taken;
} soak;

static int queue_batch(void *self, rft_err *err) {
    const soak *s = self;
    int rc = RFT_OK;
    for (size_t i = 0; rc == RFT_OK && i < s->launches; i++) {
        rc = s->load->queue(s->load->self, err);
    }
    return rc;
}

static bool wants_more(void *self, size_t in_flight) {
    const soak *s = self;
    return in_flight == 0 && s->spent_s < s->soak_s;
}

static void take(void *self, const rft_sample *sample) {
    soak *s = self;
    s->last[s->taken++ % KEPT] = *sample;
    s->spent_s += fmax(sample->seconds, 1e-6);
}

/* The samples of the last second, at least one. */
static void conclude(const soak *s, rft_ceiling *out) {
    double rates[KEPT], clocks[KEPT], behind_s = 0.0;
    size_t n = 0;
    while (n < s->taken && n < KEPT && (n == 0 || behind_s < LAST_S)) {
        const rft_sample *sample = &s->last[(s->taken - 1 - n) % KEPT];
        behind_s += sample->seconds;
        rates[n] = s->amount * (double)s->launches / fmax(sample->seconds, 1e-9);
        clocks[n++] = sample->clock_mhz;
    }
    out->sustained = rft_stats_of(rates, n);
    out->sustained_clock_mhz = rft_timing_median(clocks, n);
}

int rft_bench_soak(rft_protocol *p, const rft_timed *load, double amount, rft_ceiling *out, rft_err *err) {
    soak s = {.load = load, .amount = amount, .soak_s = p->asked->soak_s};
    const bool blocking = p->blocking;
    double launch_s = amount / out->stats.median;
    s.launches = launch_s > 0.0 && launch_s < BATCH_S ? (size_t)fmin(BATCH_S / launch_s, BATCH_MAX) : 1;
    rft_timed batch = {.queue = queue_batch, .self = &s, .cache = RFT_CACHE_HOT};
    rft_sampler sampler = {.wants = wants_more, .take = take, .self = &s, .one_at_a_time = true};
    p->blocking = false; /* a batch need not fit the driver's queue, and the host's part in it is nothing */
    int rc = rft_timing_many(p, &batch, &sampler, err);
    p->blocking = blocking;
    p->busy_s += s.spent_s;
    if (rc == RFT_OK && s.taken > 0) {
        conclude(&s, out);
    }
    return rc;
}
