/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/peer_ours.h"

#include "base/fs.h"
#include "base/str.h"
#include "bench/bench_program.h"
#include "model/roofline/bound.h"
#include "store/store.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILES_MOST 64

typedef struct loaded {
    const char *file; /* borrowed from the table */
    char *path;       /* owned */
    rft_run *run;     /* owned; NULL: it could not be had, `err` says why */
    rft_err err;
} loaded;

struct peer_runs {
    const char *folder, *device;
    loaded items[FILES_MOST];
    size_t count;
};

peer_runs *peer_runs_new(const char *folder, const char *device) {
    peer_runs *runs = rft_calloc(1, sizeof *runs);
    runs->folder = folder;
    runs->device = device;
    return runs;
}

void peer_runs_free(peer_runs *runs) {
    for (size_t i = 0; runs && i < runs->count; i++) {
        rft_run_free(runs->items[i].run);
        free(runs->items[i].path);
    }
    free(runs);
}

static const char *sweep_path(const char *file, rft_arena *arena) {
    return bench_file_or_null(rft_arena_printf(arena, "../../sweeps/%s.lua", peer_file_sweep(file, arena)));
}

/* The script's arguments to the end of `words`, which has `at` and room for PEER_WORDS_MOST. */
static void add_arguments(const char **words, size_t at, const char *file, rft_arena *arena) {
    const char *arguments[8];
    size_t count = peer_file_arguments(arguments, 8, file, arena);
    if (count > 0 && at + count + 2 <= PEER_WORDS_MOST) {
        words[at++] = "--";
        memcpy(words + at, arguments, count * sizeof *words);
        at += count;
    }
    words[at] = NULL;
}

/* The stored run of this sweep; NULL: there is none. Heap. */
static char *stored_path(const peer_runs *runs, const char *file, rft_arena *arena) {
    static const char *const endings[] = {"db", "json.gz"};
    for (size_t i = 0; runs->folder && i < 2; i++) {
        const char *path = rft_arena_printf(arena, "%s/%s.%s", runs->folder, file, endings[i]);
        if (access(path, R_OK) == 0) {
            return rft_strdup(path);
        }
    }
    return NULL;
}

/* With the first line of what the last program wrote to stderr. */
static int say_failed(const char *what, const bench_result *result, rft_err *err) {
    static const char name[] = "rooftune: ";
    char *said = NULL;
    size_t size = 0;
    rft_fs_read(&said, &size, "err", 0, NULL);
    const char *line = said && *said ? said : "it said nothing";
    line += strncmp(line, name, sizeof name - 1) == 0 ? sizeof name - 1 : 0;
    int rc =
        rft_err_set(err, RFT_E_NOTHING, "%s ended with %d: %.*s", what, result->status, (int)strcspn(line, "\n"), line);
    free(said);
    return rc;
}

static int make(loaded *item, const char *device, const char *sweep, rft_arena *arena, rft_err *err) {
    rft_str name = RFT_STR_INIT;
    rft_str_addf(&name, "%s.db", item->file);
    item->path = rft_strdup(rft_str_get(&name));
    rft_str_clear(&name);
    const char *words[PEER_WORDS_MOST] = {"rooftune", "run",         sweep,      "-o",   item->path,
                                          "--fresh",  "--no-report", "--energy", "none", "--counters",
                                          "none",     "-d",          device};
    add_arguments(words, device ? 13 : 11, item->file, arena);
    bench_result result = bench_run(words, NULL);
    return result.status == 0 ? RFT_OK : say_failed("rooftune run", &result, err);
}

static loaded *obtain(peer_runs *runs, const char *file, rft_arena *arena) {
    for (size_t i = 0; i < runs->count; i++) {
        if (strcmp(runs->items[i].file, file) == 0) {
            return &runs->items[i];
        }
    }
    loaded *item = &runs->items[runs->count < FILES_MOST ? runs->count++ : FILES_MOST - 1];
    item->file = file;
    item->path = stored_path(runs, file, arena);
    const char *sweep = sweep_path(file, arena);
    int rc = sweep ? RFT_OK : rft_err_set(&item->err, RFT_E_NOT_FOUND, "there is no sweeps/%s.lua", file);
    if (rc == RFT_OK && !item->path) {
        rc = make(item, runs->device, sweep, arena, &item->err);
    }
    if (rc == RFT_OK && rft_store_load(&item->run, item->path, &item->err) != RFT_OK) {
        item->run = NULL;
    }
    return item;
}

static void add_word(peer_ours *ours, size_t *count, const char *word) {
    if (*count < PEER_WORDS_MOST - 1) {
        ours->words[(*count)++] = word;
        ours->words[*count] = NULL;
    }
}

static void add_choice(peer_ours *ours, size_t *count, const char *option, const char *name, const rft_value *value,
                       rft_arena *arena) {
    rft_str text = RFT_STR_INIT;
    rft_value_format(&text, value);
    add_word(ours, count, option);
    add_word(ours, count, rft_arena_printf(arena, "%s=%s", name, rft_str_get(&text)));
    rft_str_clear(&text);
}

static void spell_out(peer_ours *ours, const rft_point *best, const char *file, const char *device, rft_arena *arena) {
    const rft_sweep *sweep = &ours->run->sweeps[best->sweep].sweep;
    const rft_variant *variant = &sweep->variants[best->variant];
    const char *first[] = {"rooftune",  "point",     rft_arena_strdup(arena, sweep_path(file, arena)),
                           "--json",    "-",         "--sweep",
                           sweep->name, "--variant", variant->name};
    size_t count = 0;
    for (size_t i = 0; i < sizeof first / sizeof first[0]; i++) {
        add_word(ours, &count, first[i]);
    }
    if (device) {
        add_word(ours, &count, "-d");
        add_word(ours, &count, device);
    }
    for (size_t i = 0; i < sweep->axis_count; i++) {
        add_choice(ours, &count, "--at", sweep->axes[i].name, &sweep->problems[best->problem].values[i], arena);
    }
    for (size_t i = 0; i < variant->param_count; i++) {
        add_choice(ours, &count, "--set", variant->params[i].name, &best->config[i], arena);
    }
    add_arguments(ours->words, count, file, arena);
}

/* Of the variants that the row compares. */
static const rft_point *best_of(const rft_run *run, size_t s, size_t problem, const peer_row *row) {
    const rft_sweep *sweep = &run->sweeps[s].sweep;
    const rft_point *best = NULL;
    for (size_t v = 0; v < sweep->variant_count; v++) {
        const rft_point *point = peer_row_takes(row, sweep->variants[v].name) ? rft_run_best(run, s, v, problem) : NULL;
        if (point && (!best || rft_point_median_s(point) < rft_point_median_s(best))) {
            best = point;
        }
    }
    return best;
}

int peer_ours_find(peer_ours *out, peer_runs *runs, const peer_row *row, rft_arena *arena, rft_err *err) {
    const loaded *item = obtain(runs, row->file, arena);
    const rft_run *run = item->run;
    size_t s = 0, problem = 0;
    if (!run) {
        return rft_err_set(err, item->err.code, "%s", item->err.message);
    }
    while (s < run->sweep_count && strcmp(run->sweeps[s].sweep.name, row->sweep) != 0) {
        s++;
    }
    if (s == run->sweep_count) {
        return rft_err_set(err, RFT_E_NOT_FOUND, "%s has no sweep %s", item->path, row->sweep);
    }
    int rc = peer_row_problem(&problem, row, &run->sweeps[s].sweep, err);
    const rft_point *best = rc == RFT_OK ? best_of(run, s, problem, row) : NULL;
    if (rc == RFT_OK && !best) {
        rc = rft_err_set(err, RFT_E_NOT_FOUND, "%s measured nothing of that problem", item->path);
    }
    if (rc == RFT_OK) {
        *out = (peer_ours){.run = run,
                           .best = best,
                           .from = rft_arena_strdup(arena, item->path),
                           .variant = run->sweeps[s].sweep.variants[best->variant].name,
                           .config = rft_run_config_text(run, best, false, arena),
                           .peak = run->ceilings.items[RFT_CEILING_DRAM_READ].datasheet,
                           .ceiling = rft_bound_dram_ceiling(&run->ceilings, rft_work_read_frac(&best->work))};
        spell_out(out, best, row->file, runs->device, arena);
    }
    return rc;
}

double peer_ours_floor_us(const peer_ours *ours, double bytes) {
    const rft_ceilings *ceilings = &ours->run->ceilings;
    const rft_ceiling *launch = &ceilings->items[RFT_CEILING_LAUNCH];
    double launch_s = launch->measured ? launch->stats.median : (double)NAN;
    return (bytes / rft_ceilings_rate(ceilings, ours->ceiling) + launch_s) * 1e6;
}

int peer_ours_measure(peer_shot *out, const peer_ours *ours, rft_arena *arena, rft_err *err) {
    bench_result result = bench_run(ours->words, NULL);
    json_t *point = NULL;
    if (result.status != 0) {
        return say_failed("rooftune point", &result, err);
    }
    int rc = rft_json_parse(&point, bench_out(), strcspn(bench_out(), "\n"), "rooftune point", err);
    if (rc == RFT_OK) {
        *out = (peer_shot){.median_us = rft_json_real_or(point, "median_s", (double)NAN) * 1e6,
                           .samples = json_array_size(json_object_get(point, "samples_s")),
                           .useful_bytes = rft_json_real_or(point, "useful_bytes", (double)NAN),
                           .cache = rft_arena_strdup(arena, rft_json_text_or(point, "cache", "cold"))};
        json_decref(point);
    }
    return rc;
}
