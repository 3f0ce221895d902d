/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/peer_table.h"

#include "base/str.h"
#include "store/value_json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TABLE_BYTES_MOST ((size_t)1 << 20)

static int read_peers(peer_row *row, const json_t *entry, const char *path, rft_err *err) {
    json_t *list = NULL;
    json_t *item = NULL;
    size_t i = 0;
    int rc = rft_json_array(&list, entry, "peers", path, err);
    if (rc == RFT_OK && json_array_size(list) > PEERS_PER_ROW) {
        rc = rft_err_set(err, RFT_E_SCRIPT, "%s: more than %d peers", path, PEERS_PER_ROW);
    }
    if (rc == RFT_OK) {
        json_array_foreach(list, i, item) {
            peer_goal *peer = &row->peers[row->peer_count++];
            peer->ratio = rft_json_real_or(item, "goal", (double)NAN);
            rc = rc ? rc : rft_json_text(&peer->name, item, "peer", path, err);
        }
    }
    return rc;
}

static int read_row(peer_table *table, size_t index, const json_t *entry, rft_err *err) {
    peer_row *row = &table->rows[index];
    char path[64];
    json_t *shape = NULL, *at = NULL;
    snprintf(path, sizeof path, "rows[%zu]", index);
    int rc = rft_json_text(&row->name, entry, "name", path, err);
    rc = rc ? rc : rft_json_text(&row->op, entry, "op", path, err);
    rc = rc ? rc : rft_json_text(&row->type, entry, "type", path, err);
    rc = rc ? rc : rft_json_object(&shape, entry, "shape", path, err);
    rc = rc ? rc : rft_json_text(&row->file, entry, "file", path, err);
    rc = rc ? rc : rft_json_text(&row->sweep, entry, "sweep", path, err);
    rc = rc ? rc : rft_json_object(&at, entry, "at", path, err);
    rc = rc ? rc : read_peers(row, entry, path, err);
    row->goal_frac = rft_json_real_or(entry, "goal_frac", (double)NAN);
    row->useful_bytes = rft_json_real_or(entry, "useful_bytes", (double)NAN);
    row->variants = json_object_get(entry, "variants");
    if (rc == RFT_OK && row->variants && !json_is_array(row->variants)) {
        rc = rft_err_set(err, RFT_E_SCRIPT, "%s.variants: expected an array", path);
    }
    row->shape = shape;
    row->at = at;
    for (size_t i = 0; rc == RFT_OK && i < index; i++) {
        if (strcmp(table->rows[i].name, row->name) == 0) {
            rc = rft_err_set(err, RFT_E_SCRIPT, "%s: there is already a row \"%s\"", path, row->name);
        }
    }
    return rc;
}

int peer_table_read(peer_table **out, const char *path, rft_err *err) {
    peer_table *table = rft_calloc(1, sizeof *table);
    json_t *rows = NULL;
    json_t *entry = NULL;
    size_t i = 0;
    int rc = rft_json_read_file(&table->root, path, TABLE_BYTES_MOST, err);
    rc = rc ? rc : rft_json_array(&rows, table->root, "rows", "the table", err);
    if (rc == RFT_OK) {
        table->count = json_array_size(rows);
        table->rows = rft_calloc(table->count + 1, sizeof *table->rows);
        json_array_foreach(rows, i, entry) {
            rc = rc ? rc : read_row(table, i, entry, err);
        }
    }
    if (rc == RFT_OK) {
        *out = table;
    } else {
        peer_table_free(table);
    }
    return rc;
}

void peer_table_free(peer_table *table) {
    if (table) {
        json_decref(table->root);
        free(table->rows);
        free(table);
    }
}

static int axis_of(size_t *out, const peer_row *row, const rft_sweep *sweep, const char *name, rft_err *err) {
    for (size_t i = 0; i < sweep->axis_count; i++) {
        if (strcmp(sweep->axes[i].name, name) == 0) {
            *out = i;
            return RFT_OK;
        }
    }
    return rft_err_set(err, RFT_E_NOT_FOUND, "row \"%s\": sweep %s has no axis %s", row->name, sweep->name, name);
}

const char *peer_file_sweep(const char *file, rft_arena *arena) {
    return rft_arena_printf(arena, "%.*s", (int)strcspn(file, "-"), file);
}

size_t peer_file_arguments(const char **out, size_t most, const char *file, rft_arena *arena) {
    size_t count = 0;
    for (const char *dash = strchr(file, '-'); dash && count < most; dash = strchr(dash + 1, '-')) {
        out[count++] = rft_arena_printf(arena, "%.*s", (int)strcspn(dash + 1, "-"), dash + 1);
    }
    return count;
}

int peer_row_problem(size_t *out, const peer_row *row, const rft_sweep *sweep, rft_err *err) {
    json_t *at = (json_t *)(uintptr_t)row->at; /* jansson's iterators take no const */
    rft_arena *arena = rft_arena_new();
    const char *name = NULL;
    json_t *value = NULL;
    int rc = RFT_OK;
    bool found = false;
    json_object_foreach(at, name, value) {
        size_t axis = 0;
        rc = rc ? rc : axis_of(&axis, row, sweep, name, err);
    }
    for (size_t p = 0; rc == RFT_OK && !found && p < sweep->problem_count; p++) {
        bool fits = !sweep->problems[p].odd;
        json_object_foreach(at, name, value) {
            size_t axis = 0;
            rft_value wanted = {0};
            fits = fits && axis_of(&axis, row, sweep, name, err) == RFT_OK &&
                   rft_json_to_value(&wanted, value, arena) == NULL &&
                   rft_value_equal(&wanted, &sweep->problems[p].values[axis]);
        }
        if (fits) {
            *out = p;
            found = true;
        }
    }
    if (rc == RFT_OK && !found) {
        char *text = rft_json_dump(at, NULL);
        rc = rft_err_set(err, RFT_E_NOT_FOUND, "row \"%s\": sweep %s has no problem %s", row->name, sweep->name, text);
        free(text);
    }
    rft_arena_free(arena);
    return rc;
}

bool peer_row_takes(const peer_row *row, const char *variant) {
    bool takes = row->variants == NULL;
    for (size_t i = 0; !takes && i < json_array_size(row->variants); i++) {
        const char *name = json_string_value(json_array_get(row->variants, i));
        takes = name && strcmp(name, variant) == 0;
    }
    return takes;
}

rft_stats peer_series_stats(const peer_series *series) {
    double known[PEER_ROUNDS_MOST];
    size_t count = 0;
    for (size_t i = 0; i < series->rounds; i++) {
        if (isfinite(series->round_us[i])) {
            known[count++] = series->round_us[i];
        }
    }
    return rft_stats_of(known, count);
}

rft_stats peer_ratio_stats(const peer_series *ours, const peer_series *theirs) {
    peer_series ratios = {.rounds = ours->rounds < theirs->rounds ? ours->rounds : theirs->rounds};
    for (size_t i = 0; i < ratios.rounds; i++) {
        ratios.round_us[i] = theirs->round_us[i] / ours->round_us[i];
    }
    return peer_series_stats(&ratios);
}

const char *peer_verdict(double value, double low, double high, double goal) {
    if (isnan(goal) || isnan(value)) {
        return "";
    }
    bool met = value >= goal, sure = goal <= low || goal > high;
    return met ? (sure ? "met" : "met, unsure") : (sure ? "not met" : "not met, unsure");
}
