/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/peer_stored.h"

#include "model/run/baseline.h"

#include <math.h>
#include <string.h>

bool peer_row_is_stored(const peer_row *row) {
    bool stored = row->peer_count > 0;
    for (size_t i = 0; i < row->peer_count; i++) {
        stored = stored && strncmp(row->peers[i].name, "cuBLASLt", strlen("cuBLASLt")) == 0;
    }
    return stored;
}

/* A measurement that names no processes is one. */
static void add_processes(peer_series *series, const rft_measurement *m) {
    size_t begin = 0, count = m->process_count ? m->process_count : 1;
    for (size_t i = 0; i < count && series->rounds < PEER_ROUNDS_MOST; i++) {
        size_t n = m->process_count ? m->process_n[i] : m->n;
        series->round_us[series->rounds++] = n ? rft_stats_of(m->samples_s + begin, n).median * 1e6 : (double)NAN;
        begin += n;
    }
}

/* The best of its list, never its first. */
static const rft_baseline *library_of(const peer_ours *ours, const char *label, rft_arena *arena) {
    const rft_baseline **all = NULL;
    size_t count = rft_run_baselines(ours->run, ours->best->sweep, ours->best->problem, arena, &all);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(all[i]->which, RFT_BASELINE_BEST) == 0 &&
            strcmp(rft_baseline_short_label(all[i], arena), label) == 0) {
            return all[i];
        }
    }
    return NULL;
}

void peer_take_stored(peer_row_result *result, const peer_ours *ours, rft_arena *arena) {
    add_processes(&result->ours, rft_point_measurement(ours->best));
    for (size_t i = 0; i < result->row->peer_count; i++) {
        peer_result *peer = &result->peers[i];
        const rft_baseline *library = library_of(ours, peer->goal->name, arena);
        if (library && rft_baseline_is_measured(library)) {
            add_processes(&peer->series, &library->measurement);
            peer->clock_mhz = library->measurement.clock_mhz;
        } else {
            peer->reason = library ? library->reason : "the run has no such baseline";
        }
    }
}
