/* SPDX-License-Identifier: Apache-2.0 */
/*
 * peers [options] [ROW...]: our tuned best against what people run today (torch, torch.compile, CUB), row by row of
 * peers/peers.json; a ROW is the beginning of names there. Ours is the best of a run; in every round it is measured
 * once more (`rooftune point`), and each peer right after it with as many samples behind the same cold cache.
 *
 *   --runs FOLDER    NAME.db or NAME.json.gz of sweeps/NAME.lua; a sweep that is not there is run first
 *   --rounds N       default 6, the fewest that give a 95 % interval
 *   --json FILE      everything, every round
 *   --list           the rows, and nothing else; needs no GPU
 *   --device DEV     what ours is measured on, for -d (a recording: replay:FILE); default 0
 *   --table FILE, --script FILE   instead of peers/peers.json and peers/torch_peer.py
 *
 * The vendor's library (cuBLASLt) is a baseline of the sweeps: its times and ours are those of the stored run, which
 * had both in turns; rounds are its processes then. Such rows need no GPU.
 *
 * A peer that is missing or fails is a line with its reason. Exit status as in bench_program.h; a peer that is not
 * there is no failure.
 */
#include "bench/bench_program.h"
#include "bench/peer_ours.h"
#include "bench/peer_stored.h"
#include "bench/peer_text.h"
#include "bench/peer_theirs.h"

#include "base/clock.h"
#include "base/fs.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROUNDS 6

typedef struct options {
    char *runs, *json, *table, *script; /* absolute paths, heap; NULL */
    const char *device;
    size_t rounds;
    bool list;
    char **names;
    size_t name_count;
} options;

typedef struct bench {
    const options *o;
    peer_table *table;
    peer_runs *runs;
    peer_theirs *theirs;
    rft_arena *arena;
    json_t *rows;
    rft_str configurations;
    peer_tally tally;
    size_t measured, failed;
} bench;

static _Noreturn void stop(const char *what, const rft_err *err) {
    fprintf(stderr, "peers: %s%s%s\n", what, err ? ": " : "", err ? err->message : "");
    exit(1);
}

/* ---- rows ---- */

static void measure_rounds(bench *b, const peer_ours *ours, peer_row_result *result) {
    for (size_t round = 0; round < b->o->rounds && !result->reason; round++) {
        rft_err err = RFT_ERR_INIT;
        peer_shot shot;
        if (peer_ours_measure(&shot, ours, b->arena, &err) != RFT_OK) {
            result->reason = rft_arena_strdup(b->arena, err.message);
            return;
        }
        result->ours.round_us[result->ours.rounds++] = shot.median_us;
        result->useful_bytes = isnan(result->row->useful_bytes) ? shot.useful_bytes : result->row->useful_bytes;
        result->floor_us = peer_ours_floor_us(ours, result->useful_bytes);
        result->cache = shot.cache;
        for (size_t i = 0; i < result->row->peer_count; i++) {
            peer_theirs_time(b->theirs, result->row, &result->peers[i], &shot);
        }
    }
}

/* Each peer that answers is timed in turns with ours. How many of them failed then. */
static size_t time_row(bench *b, const peer_ours *ours, peer_row_result *result) {
    bool prepared[PEERS_PER_ROW] = {false};
    size_t failed = 0;
    peer_theirs_flush_for(b->theirs, ours->run->gpu.arch);
    for (size_t i = 0; i < result->row->peer_count; i++) {
        result->peers[i].reason = peer_theirs_prepare(b->theirs, result->row, &result->row->peers[i]);
        prepared[i] = result->peers[i].reason == NULL;
    }
    measure_rounds(b, ours, result);
    peer_theirs_drop(b->theirs);
    for (size_t i = 0; i < result->row->peer_count; i++) { /* one that is not there is no failure */
        failed += prepared[i] && result->peers[i].reason != NULL;
    }
    return failed;
}

static void measure_row(bench *b, const peer_row *row) {
    rft_err err = RFT_ERR_INIT;
    peer_ours ours;
    peer_row_result result = {
        .row = row, .useful_bytes = NAN, .floor_us = NAN, .peak = NAN, .clock_mhz = NAN, .power_w = NAN};
    for (size_t i = 0; i < row->peer_count; i++) {
        result.peers[i] = (peer_result){.goal = &row->peers[i], .clock_mhz = NAN};
    }
    if (peer_ours_find(&ours, b->runs, row, b->arena, &err) == RFT_OK) {
        result.variant = ours.variant;
        result.config = ours.config;
        result.from = ours.from;
        result.peak = ours.peak;
        result.ceiling = rft_ceiling_name(ours.ceiling);
        result.clock_mhz = rft_point_measurement(ours.best)->clock_mhz;
        const rft_load *load = ours.best->loads[RFT_LOAD_ENERGY];
        result.power_w = load ? load->power_w : NAN;
        if (peer_row_is_stored(row)) {
            peer_take_stored(&result, &ours, b->arena);
        } else {
            b->failed += time_row(b, &ours, &result);
        }
    } else {
        result.reason = rft_arena_strdup(b->arena, err.message);
    }
    b->measured += result.ours.rounds > 0;
    b->failed += result.reason != NULL;
    rft_str text = RFT_STR_INIT;
    peer_add_row(&text, &result);
    peer_add_configuration(&b->configurations, &result);
    peer_count_verdicts(&b->tally, &result);
    fputs(rft_str_get(&text), stdout);
    fflush(stdout);
    rft_str_clear(&text);
    json_array_append_new(b->rows, peer_row_json(&result));
}

static bool is_chosen(const options *o, const peer_row *row) {
    bool chosen = o->name_count == 0;
    for (size_t i = 0; i < o->name_count; i++) {
        chosen = chosen || strncmp(row->name, o->names[i], strlen(o->names[i])) == 0;
    }
    return chosen;
}

/* Nothing is timed then. */
static bool all_are_stored(const options *o, const peer_table *table) {
    bool stored = true;
    for (size_t i = 0; i < table->count; i++) {
        stored = stored && (!is_chosen(o, &table->rows[i]) || peer_row_is_stored(&table->rows[i]));
    }
    return stored;
}

static void list_rows(const options *o, const peer_table *table) {
    for (size_t i = 0; i < table->count; i++) {
        const peer_row *row = &table->rows[i];
        char *at = rft_json_dump(row->at, NULL);
        if (is_chosen(o, row)) {
            printf("%-28s sweeps/%s.lua, %s at %s;", row->name, row->file, row->sweep, at);
            for (size_t p = 0; p < row->peer_count; p++) {
                printf(" %s", row->peers[p].name);
            }
            printf("\n");
        }
        free(at);
    }
}

/* ---- the program ---- */

static char *absolute(char *old, const char *path) {
    free(old);
    return rft_fs_absolute(path);
}

static options read_options(int argc, char **argv) {
    static const struct option known[] = {
        {"runs", required_argument, NULL, 'r'},   {"rounds", required_argument, NULL, 'n'},
        {"json", required_argument, NULL, 'j'},   {"list", no_argument, NULL, 'l'},
        {"device", required_argument, NULL, 'd'}, {"table", required_argument, NULL, 't'},
        {"script", required_argument, NULL, 's'}, {NULL, 0, NULL, 0}};
    options o = {.rounds = ROUNDS};
    for (int c = 0; (c = getopt_long(argc, argv, "d:", known, NULL)) != -1;) {
        switch (c) {
        case 'r':
            o.runs = absolute(o.runs, optarg);
            break;
        case 'n':
            o.rounds = strtoul(optarg, NULL, 10);
            break;
        case 'j':
            o.json = absolute(o.json, optarg);
            break;
        case 'l':
            o.list = true;
            break;
        case 'd':
            o.device = optarg;
            break;
        case 't':
            o.table = absolute(o.table, optarg);
            break;
        case 's':
            o.script = absolute(o.script, optarg);
            break;
        default:
            exit(2);
        }
    }
    if (o.rounds < 1 || o.rounds > PEER_ROUNDS_MOST) {
        fprintf(stderr, "peers: --rounds takes 1 to %d\n", PEER_ROUNDS_MOST);
        exit(2);
    }
    o.table = o.table ? o.table : rft_strdup(bench_file("peers/peers.json"));
    o.script = o.script ? o.script : rft_strdup(bench_file("peers/torch_peer.py"));
    o.names = argv + optind;
    o.name_count = (size_t)(argc - optind);
    return o;
}

/* bench_open() makes the scratch folder the home: python3 still finds what the user has installed. */
static void keep_python_packages(void) {
    const char *home = getenv("HOME");
    if (home && !getenv("PYTHONUSERBASE")) {
        char *base = rft_fs_join(home, ".local");
        setenv("PYTHONUSERBASE", base, 1);
        free(base);
    }
}

/* What it compiles goes with the scratch folder. */
static void keep_torch_tidy(void) {
    char *cache = rft_fs_join(getenv("HOME"), "torch");
    setenv("TORCHINDUCTOR_CACHE_DIR", cache, 1);
    free(cache);
}

static void write_json(const bench *b) {
    rft_err err = RFT_ERR_INIT;
    json_t *root = json_pack("{s:I,s:O}", "rounds", (json_int_t)b->o->rounds, "rows", b->rows);
    size_t size = 0;
    char *text = rft_json_dump(root, &size);
    if (b->o->json && rft_fs_write_atomic(b->o->json, text, size, &err) != RFT_OK) {
        stop("--json", &err);
    }
    free(text);
    json_decref(root);
}

static double now_s(void) {
    const rft_clock *clock = rft_clock_system();
    return (double)clock->monotonic_ns(clock->self) * 1e-9;
}

static void work_through(bench *b) {
    rft_str heading = RFT_STR_INIT;
    double begun_s = now_s();
    printf("%s\n", peer_theirs_meet(b->theirs));
    printf("%zu rounds in turns (cuBLASLt: the run's own processes); [ ]: %s of the rounds' medians\n\n", b->o->rounds,
           b->o->rounds >= 6 ? "95 % interval" : "range");
    peer_add_heading(&heading);
    fputs(rft_str_get(&heading), stdout);
    rft_str_clear(&heading);
    for (size_t i = 0; i < b->table->count; i++) {
        if (is_chosen(b->o, &b->table->rows[i])) {
            measure_row(b, &b->table->rows[i]);
        }
    }
    printf(
        "\n%zu goals met, %zu not met (%zu of both within the interval), %zu peers not measured; %.0f s\n\nOurs:\n%s",
        b->tally.met, b->tally.missed, b->tally.unsure, b->tally.not_measured, now_s() - begun_s,
        rft_str_get(&b->configurations));
    rft_str_clear(&b->configurations);
    write_json(b);
}

int main(int argc, char **argv) {
    rft_err err = RFT_ERR_INIT;
    options o = read_options(argc, argv);
    bench b = {.o = &o, .arena = rft_arena_new(), .rows = json_array()};
    if (peer_table_read(&b.table, o.table, &err) != RFT_OK) {
        stop(o.table, &err);
    }
    if (o.list) {
        list_rows(&o, b.table);
    } else {
        keep_python_packages();
        if (all_are_stored(&o, b.table) || (o.device && strncmp(o.device, "replay:", strlen("replay:")) == 0)) {
            bench_open_anywhere();
        } else {
            bench_open();
        }
        keep_torch_tidy();
        b.runs = peer_runs_new(o.runs, o.device);
        b.theirs = peer_theirs_new(o.script, b.arena);
        work_through(&b);
        peer_theirs_free(b.theirs);
        peer_runs_free(b.runs);
        bench_close();
    }
    int status = o.list ? 0 : b.measured == 0 ? 77 : b.failed > 0 ? 1 : 0;
    json_decref(b.rows);
    rft_arena_free(b.arena);
    peer_table_free(b.table);
    free(o.runs);
    free(o.json);
    free(o.table);
    free(o.script);
    return status;
}
