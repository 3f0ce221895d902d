/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/peer_text.h"

#include <math.h>
#include <string.h>

void peer_add_heading(rft_str *out) {
    rft_str_add(out, "| row | ours, us | MHz | W | GB/s | of peak | goal | floor, us (of ours) | peer | its us | its "
                     "MHz | its GB/s | "
                     "ratio | goal | |\n"
                     "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
}

static int decimals_of(double value) {
    return value >= 1000 ? 0 : value >= 100 ? 1 : value >= 10 ? 2 : 3;
}

/* "62.10 [61.95, 62.31]" */
static void add_interval(rft_str *out, const rft_stats *stats) {
    if (stats->n == 0) {
        rft_str_add(out, "-");
        return;
    }
    int decimals = decimals_of(stats->median);
    rft_str_add_fixed(out, stats->median, decimals);
    rft_str_add(out, " [");
    rft_str_add_fixed(out, stats->low, decimals);
    rft_str_add(out, ", ");
    rft_str_add_fixed(out, stats->high, decimals);
    rft_str_add(out, "]");
}

static void add_number(rft_str *out, double value, int decimals, const char *unit) {
    if (isfinite(value)) {
        rft_str_add_fixed(out, value, decimals);
        rft_str_add(out, unit);
    } else {
        rft_str_add(out, "-");
    }
}

static double rate(const peer_row_result *result, double time_us) {
    return result->useful_bytes / (time_us * 1e-6);
}

/* The share of the peak that a time means, and the interval's other end the other way round. */
static const char *rate_verdict(const peer_row_result *result, const rft_stats *stats) {
    double peak = result->peak;
    return peer_verdict(rate(result, stats->median) / peak, rate(result, stats->high) / peak,
                        rate(result, stats->low) / peak, result->row->goal_frac);
}

static void add_ours(rft_str *out, const peer_row_result *result) {
    rft_stats stats = peer_series_stats(&result->ours);
    double frac = rate(result, stats.median) / result->peak;
    rft_str_addf(out, "| %s | ", result->row->name);
    add_interval(out, &stats);
    rft_str_add(out, " | ");
    add_number(out, result->clock_mhz, 0, "");
    rft_str_add(out, " | ");
    add_number(out, result->power_w, 0, "");
    rft_str_add(out, " | ");
    add_number(out, rate(result, stats.median) * 1e-9, 0, "");
    rft_str_add(out, " | ");
    add_number(out, frac * 100, 1, " %");
    rft_str_add(out, " | ");
    add_number(out, result->row->goal_frac * 100, 0, " %");
    const char *verdict = rate_verdict(result, &stats);
    rft_str_addf(out, "%s%s | ", *verdict ? ": " : "", verdict);
    add_number(out, result->floor_us, decimals_of(result->floor_us), " (");
    if (isfinite(result->floor_us)) {
        add_number(out, result->floor_us / stats.median * 100, 0, " %)");
    }
    rft_str_add(out, " | ");
}

static void add_reason(rft_str *out, const char *reason) {
    rft_str_addf(out, "%s%s |\n", reason ? "not measured: " : "", reason ? reason : "");
}

static void add_peer(rft_str *out, const peer_row_result *result, const peer_result *peer) {
    rft_stats theirs = peer_series_stats(&peer->series);
    rft_stats ratio = peer_ratio_stats(&result->ours, &peer->series);
    rft_str_addf(out, "%s | ", peer->goal->name);
    add_interval(out, &theirs);
    rft_str_add(out, " | ");
    add_number(out, peer->clock_mhz, 0, "");
    rft_str_add(out, " | ");
    add_number(out, rate(result, theirs.median) * 1e-9, 0, "");
    rft_str_add(out, " | ");
    add_interval(out, &ratio);
    rft_str_add(out, " | ");
    add_number(out, peer->goal->ratio, 2, "");
    rft_str_addf(out, " | %s", peer_verdict(ratio.median, ratio.low, ratio.high, peer->goal->ratio));
    add_reason(out, result->reason ? result->reason : peer->reason);
}

void peer_add_row(rft_str *out, const peer_row_result *result) {
    for (size_t i = 0; i < result->row->peer_count; i++) {
        if (i == 0) {
            add_ours(out, result);
        } else {
            rft_str_add(out, "| | | | | | | | | ");
        }
        add_peer(out, result, &result->peers[i]);
    }
    if (result->row->peer_count == 0) {
        add_ours(out, result);
        rft_str_add(out, "- | - | - | - | - | - | ");
        add_reason(out, result->reason);
    }
}

static void count_verdict(peer_tally *tally, const char *verdict) {
    tally->met += strncmp(verdict, "met", 3) == 0;
    tally->missed += strncmp(verdict, "not met", 7) == 0;
    tally->unsure += strstr(verdict, "unsure") != NULL;
}

void peer_add_configuration(rft_str *out, const peer_row_result *result) {
    if (result->config) {
        rft_str_addf(out, "- %s: %s, %s\n", result->row->name, result->variant, result->config);
    }
}

void peer_count_verdicts(peer_tally *tally, const peer_row_result *result) {
    rft_stats ours = peer_series_stats(&result->ours);
    count_verdict(tally, rate_verdict(result, &ours));
    for (size_t i = 0; i < result->row->peer_count; i++) {
        const peer_result *peer = &result->peers[i];
        rft_stats ratio = peer_ratio_stats(&result->ours, &peer->series);
        count_verdict(tally, peer_verdict(ratio.median, ratio.low, ratio.high, peer->goal->ratio));
        tally->not_measured += ratio.n == 0;
    }
}

static void set_stats(json_t *object, const char *name, const rft_stats *stats) {
    json_t *value = json_object();
    json_object_set_new(value, "median", rft_json_real_new(stats->median));
    json_object_set_new(value, "low", rft_json_real_new(stats->low));
    json_object_set_new(value, "high", rft_json_real_new(stats->high));
    json_object_set_new(value, "interval_is_95", json_boolean(stats->interval_is_95));
    json_object_set_new(object, name, value);
}

static void set_text(json_t *object, const char *name, const char *text) {
    json_object_set_new(object, name, text ? json_string(text) : json_null());
}

static void set_rounds(json_t *object, const peer_series *series) {
    json_t *list = json_array();
    for (size_t i = 0; i < series->rounds; i++) {
        json_array_append_new(list, rft_json_real_new(series->round_us[i]));
    }
    json_object_set_new(object, "rounds_us", list);
}

static json_t *json_of_peer(const peer_row_result *result, const peer_result *peer) {
    rft_stats theirs = peer_series_stats(&peer->series);
    rft_stats ratio = peer_ratio_stats(&result->ours, &peer->series);
    json_t *object = json_object();
    set_text(object, "peer", peer->goal->name);
    set_text(object, "reason", peer->reason);
    set_stats(object, "time_us", &theirs);
    set_rounds(object, &peer->series);
    json_object_set_new(object, "clock_mhz", rft_json_real_new(peer->clock_mhz));
    set_stats(object, "ratio", &ratio);
    json_object_set_new(object, "goal", rft_json_real_new(peer->goal->ratio));
    set_text(object, "verdict", peer_verdict(ratio.median, ratio.low, ratio.high, peer->goal->ratio));
    return object;
}

json_t *peer_row_json(const peer_row_result *result) {
    rft_stats ours = peer_series_stats(&result->ours);
    json_t *object = json_object(), *peers = json_array();
    set_text(object, "row", result->row->name);
    set_text(object, "reason", result->reason);
    set_text(object, "run", result->from);
    set_text(object, "variant", result->variant);
    set_text(object, "config", result->config);
    set_text(object, "cache", result->cache);
    set_stats(object, "time_us", &ours);
    set_rounds(object, &result->ours);
    json_object_set_new(object, "clock_mhz", rft_json_real_new(result->clock_mhz));
    json_object_set_new(object, "power_w", rft_json_real_new(result->power_w));
    json_object_set_new(object, "useful_bytes", rft_json_real_new(result->useful_bytes));
    json_object_set_new(object, "rate", rft_json_real_new(rate(result, ours.median)));
    json_object_set_new(object, "peak_frac", rft_json_real_new(rate(result, ours.median) / result->peak));
    json_object_set_new(object, "floor_us", rft_json_real_new(result->floor_us));
    set_text(object, "floor_ceiling", result->ceiling);
    json_object_set_new(object, "goal_frac", rft_json_real_new(result->row->goal_frac));
    set_text(object, "verdict", rate_verdict(result, &ours));
    for (size_t i = 0; i < result->row->peer_count; i++) {
        json_array_append_new(peers, json_of_peer(result, &result->peers[i]));
    }
    json_object_set_new(object, "peers", peers);
    return object;
}
