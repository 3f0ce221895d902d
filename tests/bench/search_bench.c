/* SPDX-License-Identifier: Apache-2.0 */
/*
 * search [RECORDING...] [--strategy NAME|all] [--repeats N] [--ahead N] [--workers N [--no-guesses]] [--in-order]
 * [--traces FILE]... [--json FILE|-]: strategies replayed on recorded spaces and scored (search_scoring.h,
 * docs/search.md), in wall time where there are workers; beside them the searches of others (recorded_space.py). stdout
 * is JSON alone: an array of rows; a table with means goes to stderr. Without recordings those of RFT_SPACES (default:
 * shared/spaces beside the source tree); without them it ends with 77. The same call gives the same scores.
 */
#include "base/arena.h"
#include "base/fs.h"
#include "base/json.h"
#include "base/str.h"
#include "bench/search_replay.h"
#include "bench/search_scoring.h"
#include "bench/search_wall.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BASE_SEED 0x5ea5c4ba5eULL /* of the random searches that are the zero */
enum { RECORDINGS_MOST = 64, COLUMNS_MOST = 80, LINE_BYTES = 1 << 22 };

typedef struct column {
    char name[64];
    double score, optimum_share, exact_share; /* sums over spaces */
    size_t spaces;
} column;

typedef struct bench {
    const char *paths[RECORDINGS_MOST];
    size_t path_count;
    const char *strategy, *json;
    uint64_t repeats, ahead, workers;
    const char *traces[COLUMNS_MOST];
    size_t trace_count;
    bool no_guesses, in_order;
    json_t *rows;
    column columns[COLUMNS_MOST];
    size_t column_count;
} bench;

static _Noreturn void fail(const rft_err *err) {
    fprintf(stderr, "search: %s\n", err->message);
    if (err->remedy[0]) {
        fprintf(stderr, "  remedy: %s\n", err->remedy);
    }
    exit(1);
}

static void add_row(bench *b, const search_recording *recording, const char *strategy, const search_score *score,
                    double per_second) {
    json_t *row = json_object();
    json_object_set_new(row, "space", json_string(recording->name));
    json_object_set_new(row, "strategy", json_string(strategy));
    json_object_set_new(row, "score", rft_json_real_new(score->score));
    json_object_set_new(row, "optimum_share", rft_json_real_new(score->optimum_share));
    json_object_set_new(row, "exact_share", rft_json_real_new(score->exact_share));
    json_object_set_new(row, "proposals_per_second", rft_json_real_new(per_second));
    json_object_set_new(row, "repeats", json_integer((json_int_t)score->runs));
    json_object_set_new(row, "evaluations",
                        rft_json_real_new((double)score->evaluations / (double)(score->runs ? score->runs : 1)));
    json_array_append_new(b->rows, row);
    size_t at = 0;
    while (at < b->column_count && strcmp(b->columns[at].name, strategy) != 0) {
        at++;
    }
    if (at < COLUMNS_MOST) {
        b->column_count = at == b->column_count ? at + 1 : b->column_count;
        snprintf(b->columns[at].name, sizeof b->columns[at].name, "%s", strategy);
        b->columns[at].score += score->score;
        b->columns[at].optimum_share += score->optimum_share;
        b->columns[at].exact_share += score->exact_share;
        b->columns[at].spaces++;
    }
    fprintf(stderr, "%-28s %-24s %7.3f %7.3f %6.2f %8.0f %12.0f\n", recording->name, strategy, score->score,
            score->optimum_share, score->exact_share, (double)score->evaluations / (double)score->runs, per_second);
}

/* ---- strategies of our own ---- */

static void add_guesses(bench *b, size_t guessed, size_t right) {
    json_t *row = json_array_get(b->rows, json_array_size(b->rows) - 1);
    const double repeats = (double)b->repeats;
    json_object_set_new(row, "guessed", rft_json_real_new((double)guessed / repeats));
    json_object_set_new(row, "guessed_right", rft_json_real_new((double)right / repeats));
    fprintf(stderr, "%-28s %-24s compiled on a guess %.0f, of them asked for %.0f\n", "", "", (double)guessed / repeats,
            (double)right / repeats);
}

static void score_strategy(bench *b, const search_recording *recording, const search_base *base, const char *strategy) {
    search_score score = {0};
    double total_s = 0;
    size_t proposals = 0, guessed = 0, right = 0;
    for (uint64_t run = 0; run < b->repeats; run++) {
        search_replay replay = {recording,  strategy,    run + 1,        b->ahead,
                                b->workers, b->in_order, !b->no_guesses, base->budget_s};
        rft_err err = RFT_ERR_INIT;
        search_replayed found;
        if (search_replay_run(&replay, &found, &err) != RFT_OK) {
            fail(&err);
        }
        search_score_add(&score, recording, base, found.order, found.end_s, found.count);
        total_s += found.strategy_s;
        proposals += found.count;
        guessed += found.guessed;
        right += found.guessed_right;
        search_replayed_free(&found);
    }
    search_score_mean(&score);
    add_row(b, recording, strategy, &score, (double)proposals / total_s);
    if (guessed > 0) {
        add_guesses(b, guessed, right);
    }
}

static void score_ours(bench *b, const search_recording *recording, const search_base *base) {
    for (const rft_strategy_entry *entry = rft_strategy_list(); entry->name; entry++) {
        if (strcmp(b->strategy, "all") == 0 || strcmp(b->strategy, entry->name) == 0) {
            score_strategy(b, recording, base, entry->name);
        }
    }
}

/* ---- of others ---- */

/* Batch after batch: what is asked for at once is compiled side by side, though the peer may not do so. */
static size_t follow_batches(search_wall *wall, const json_t *run, uint64_t *order, double *end_s) {
    const uint64_t most = wall->recording->count;
    size_t count = 0;
    for (size_t i = 0; i < json_array_size(run); i++) {
        const json_t *batch = json_array_get(run, i);
        const size_t size = json_array_size(batch);
        for (size_t k = 0; k < size; k++) {
            const uint64_t index = (uint64_t)json_integer_value(json_array_get(batch, k));
            if (index >= most || count + k >= most) {
                rft_err err = RFT_ERR_INIT;
                rft_err_set(&err, RFT_E_RECORDING, "a trace names a configuration that is not in %s, or one twice",
                            wall->recording->name);
                fail(&err);
            }
            order[count + k] = index;
        }
        search_wall_batch(wall, order + count, size, end_s + count);
        count += size;
    }
    return count;
}

static void score_trace(bench *b, const search_recording *recording, const search_base *base, const json_t *trace) {
    search_score score = {0};
    uint64_t *order = rft_calloc(recording->count + 1, sizeof *order), shorter = 0;
    double *end_s = rft_calloc(recording->count + 1, sizeof *end_s);
    const json_t *runs = json_object_get(trace, "runs");
    for (size_t r = 0; r < json_array_size(runs); r++) {
        search_wall wall;
        search_wall_begin(&wall, recording, b->workers);
        const size_t count = follow_batches(&wall, json_array_get(runs, r), order, end_s);
        search_score_add(&score, recording, base, order, end_s, count);
        shorter += wall.now_s < base->budget_s;
    }
    search_score_mean(&score);
    add_row(b, recording, rft_json_text_or(trace, "strategy", "?"), &score,
            (double)score.evaluations / rft_json_real_or(trace, "seconds", (double)NAN));
    if (shorter > 0) {
        fprintf(stderr, "%-28s %-24s %llu of its runs end before the budget\n", "", "", (unsigned long long)shorter);
    }
    free(order);
    free(end_s);
}

static void score_traces(bench *b, const char *path, const search_recording *recording, const search_base *base) {
    FILE *file = fopen(path, "r");
    rft_err err = RFT_ERR_INIT;
    if (!file) {
        rft_err_set(&err, RFT_E_IO, "%s cannot be read", path);
        fail(&err);
    }
    char *line = rft_alloc(LINE_BYTES);
    while (fgets(line, LINE_BYTES, file)) {
        json_t *trace = NULL;
        if (rft_json_parse(&trace, line, strlen(line), path, &err) != RFT_OK) {
            fail(&err);
        }
        if (strcmp(rft_json_text_or(trace, "space", ""), recording->name) == 0) {
            score_trace(b, recording, base, trace);
        }
        json_decref(trace);
    }
    free(line);
    fclose(file);
}

/* ---- the call ---- */

static void default_paths(bench *b, rft_arena *arena) {
    static const char *const names[] = {"convolution_A100.t4",  "convolution_A4000.t4",  "convolution_MI250X.t4",
                                        "dedispersion_A100.t4", "dedispersion_A4000.t4", "dedispersion_MI250X.t4",
                                        "gemm_3090.kt"};
    const char *folder = getenv("RFT_SPACES");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *path = folder ? rft_arena_printf(arena, "%s/%s.json.gz", folder, names[i])
                                  : rft_arena_printf(arena, "%s/../shared/spaces/%s.json.gz", RFT_SOURCE_DIR, names[i]);
        if (rft_fs_exists(path)) {
            b->paths[b->path_count++] = path;
        }
    }
}

static uint64_t count_word(const char *name, const char *word) {
    int64_t number = 0;
    if (!word || !rft_text_to_int64(word, &number) || number < 1) {
        fprintf(stderr, "search: %s takes a number from 1\n", name);
        exit(2);
    }
    return (uint64_t)number;
}

static void parse_words(bench *b, int argc, char **argv) {
    for (int i = 1; i < argc && argv[i]; i++) {
        const char *word = argv[i], *next = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(word, "--no-guesses") == 0) {
            b->no_guesses = true;
        } else if (strcmp(word, "--in-order") == 0) {
            b->in_order = true;
        } else if (strcmp(word, "--traces") == 0 && next && b->trace_count < COLUMNS_MOST) {
            b->traces[b->trace_count++] = argv[++i];
        } else if (strcmp(word, "--workers") == 0 && next) {
            b->workers = count_word(word, argv[++i]);
        } else if (strcmp(word, "--strategy") == 0 && next) {
            b->strategy = argv[++i];
        } else if (strcmp(word, "--json") == 0 && next) {
            b->json = argv[++i];
        } else if (strcmp(word, "--repeats") == 0 && next) {
            b->repeats = count_word(word, argv[++i]);
        } else if (strcmp(word, "--ahead") == 0 && next) {
            b->ahead = count_word(word, argv[++i]);
        } else if (word[0] != '-' && b->path_count < RECORDINGS_MOST) {
            b->paths[b->path_count++] = word;
        } else {
            fprintf(stderr, "search [RECORDING...] [--strategy NAME|all] [--repeats N] [--ahead N] "
                            "[--workers N [--no-guesses]] [--in-order] [--traces FILE]... [--json FILE|-]\n");
            exit(strcmp(word, "--help") == 0 ? 0 : 2);
        }
    }
}

/* Returns how many parts the file has. */
static size_t score_recording(bench *b, const char *path, size_t part) {
    search_recording *recording = NULL;
    search_base base;
    rft_err err = RFT_ERR_INIT;
    size_t parts = 0;
    if (search_recording_open(&recording, path, part, &parts, &err) != RFT_OK) {
        fail(&err);
    }
    search_base_make(&base, recording, b->workers, BASE_SEED);
    fprintf(stderr, "%s: %llu of %llu configurations valid, median / optimum %.2f, random search needs %llu: %.0f s\n",
            recording->name, (unsigned long long)recording->valid, (unsigned long long)recording->count,
            recording->median_s / recording->best_s, (unsigned long long)base.evaluations, base.budget_s);
    score_ours(b, recording, &base);
    for (size_t i = 0; i < b->trace_count && parts == 1; i++) { /* a part's ordinals are not those of its file */
        score_traces(b, b->traces[i], recording, &base);
    }
    search_recording_free(recording);
    return parts;
}

int main(int argc, char **argv) {
    bench b = {.strategy = "all", .repeats = 25, .ahead = 1, .json = "-", .rows = json_array()};
    rft_arena *arena = rft_arena_new();
    rft_err err = RFT_ERR_INIT;
    parse_words(&b, argc, argv);
    if (b.path_count == 0) {
        default_paths(&b, arena);
    }
    if (b.path_count == 0) {
        fprintf(stderr, "search: no recordings: name some, or the folder that has them in RFT_SPACES\n");
        return 77;
    }
    fprintf(stderr, "%-28s %-24s %7s %7s %6s %8s %12s\n", "space", "strategy", "score", "opt/f", "exact", "evals",
            "proposals/s");
    for (size_t i = 0; i < b.path_count; i++) {
        for (size_t part = 0, parts = 1; part < parts; part++) {
            parts = score_recording(&b, b.paths[i], part);
        }
    }
    for (size_t i = 0; i < b.column_count; i++) {
        const column *c = &b.columns[i];
        double spaces = (double)c->spaces;
        fprintf(stderr, "%-28s %-24s %7.3f %7.3f %6.2f\n", "mean", c->name, c->score / spaces,
                c->optimum_share / spaces, c->exact_share / spaces);
    }
    size_t size = 0;
    char *text = rft_json_dump(b.rows, &size);
    int rc = RFT_OK;
    if (strcmp(b.json, "-") == 0) {
        printf("%s\n", text);
    } else {
        rc = rft_fs_write_atomic(b.json, text, size, &err);
    }
    free(text);
    json_decref(b.rows);
    rft_arena_free(arena);
    if (rc != RFT_OK) {
        fail(&err);
    }
    return 0;
}
