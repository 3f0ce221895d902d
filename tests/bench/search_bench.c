/* SPDX-License-Identifier: Apache-2.0 */
/*
 * search [RECORDING...] [--strategy NAME|all] [--repeats N] [--ahead N] [--kernel-tuner] [--json FILE|-]: strategies
 * replayed on recorded spaces and scored (search_scoring.h, docs/search.md). stdout is JSON alone: an array of rows; a
 * table with means goes to stderr. Without recordings those of RFT_SPACES (default: shared/spaces beside the source
 * tree); without them it ends with 77. The same call gives the same scores.
 */
#include "base/arena.h"
#include "base/fs.h"
#include "base/json.h"
#include "base/str.h"
#include "bench/search_replay.h"
#include "bench/search_scoring.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BASE_SEED 0x5ea5c4ba5eULL /* of the random searches that are the zero */
enum { RECORDINGS_MOST = 64, COLUMNS_MOST = 40, LINE_BYTES = 1 << 20 };

typedef struct column {
    char name[64];
    double score, optimum_share, exact_share; /* sums over spaces */
    size_t spaces;
} column;

typedef struct bench {
    const char *paths[RECORDINGS_MOST];
    size_t path_count;
    const char *strategy, *json;
    uint64_t repeats, ahead;
    bool kernel_tuner;
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

static void score_strategy(bench *b, const search_recording *recording, const search_base *base, const char *strategy) {
    uint64_t *order = rft_calloc(recording->count + 1, sizeof *order);
    search_score score = {0};
    double total_s = 0;
    size_t proposals = 0;
    for (uint64_t run = 0; run < b->repeats; run++) {
        search_replay replay = {recording, strategy, run + 1, b->ahead, base->budget_s};
        rft_err err = RFT_ERR_INIT;
        size_t count = 0;
        double strategy_s = 0;
        if (search_replay_run(&replay, order, &count, &strategy_s, &err) != RFT_OK) {
            fail(&err);
        }
        search_score_add(&score, recording, base, order, count);
        total_s += strategy_s;
        proposals += count;
    }
    search_score_mean(&score);
    add_row(b, recording, strategy, &score, (double)proposals / total_s);
    free(order);
}

static void score_ours(bench *b, const search_recording *recording, const search_base *base) {
    for (const rft_strategy_entry *entry = rft_strategy_list(); entry->name; entry++) {
        if (strcmp(b->strategy, "all") == 0 || strcmp(b->strategy, entry->name) == 0) {
            score_strategy(b, recording, base, entry->name);
        }
    }
}

/* ---- Kernel Tuner's ---- */

static void score_trace(bench *b, const search_recording *recording, const search_base *base, const json_t *trace) {
    search_score score = {0};
    uint64_t *order = rft_calloc(recording->count + 1, sizeof *order);
    const json_t *runs = json_object_get(trace, "runs");
    for (size_t r = 0; r < json_array_size(runs); r++) {
        const json_t *run = json_array_get(runs, r);
        size_t count = 0;
        for (; count < json_array_size(run) && count < recording->count; count++) {
            order[count] = (uint64_t)json_integer_value(json_array_get(run, count));
            if (order[count] >= recording->count) {
                rft_err err = RFT_ERR_INIT;
                rft_err_set(&err, RFT_E_RECORDING, "a trace names a configuration that is not in %s", recording->name);
                fail(&err);
            }
        }
        search_score_add(&score, recording, base, order, count);
    }
    search_score_mean(&score);
    char name[64];
    snprintf(name, sizeof name, "kernel_tuner:%s", rft_json_text_or(trace, "strategy", "?"));
    double seconds = rft_json_real_or(trace, "seconds", (double)NAN);
    add_row(b, recording, name, &score, (double)score.evaluations / seconds);
    free(order);
}

/* Its strategies run in Python (kt_strategies.py) and say what they evaluate; scored as our own. */
static void score_kernel_tuner(bench *b, const char *path, const search_recording *recording, const search_base *base) {
    rft_str command = RFT_STR_INIT;
    rft_str_addf(&command, "python3 '%s/tests/bench/kt_strategies.py' '%s' ", RFT_SOURCE_DIR, path);
    rft_str_add_double(&command, base->budget_s);
    rft_str_addf(&command, " %llu", (unsigned long long)b->repeats);
    FILE *pipe = popen(rft_str_get(&command), "r");
    rft_str_clear(&command);
    char *line = rft_alloc(LINE_BYTES);
    while (pipe && fgets(line, LINE_BYTES, pipe)) {
        json_t *trace = NULL;
        rft_err err = RFT_ERR_INIT;
        if (rft_json_parse(&trace, line, strlen(line), "kt_strategies.py", &err) != RFT_OK) {
            fail(&err);
        }
        score_trace(b, recording, base, trace);
        json_decref(trace);
    }
    free(line);
    if (!pipe || pclose(pipe) != 0) {
        rft_err err = RFT_ERR_INIT;
        rft_err_set(&err, RFT_E_IO, "Kernel Tuner's strategies could not be run on %s", recording->name);
        rft_err_remedy(&err, "python3 needs kernel_tuner 1.4: pip install kernel_tuner==1.4.0");
        fail(&err);
    }
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
        if (strcmp(word, "--kernel-tuner") == 0) {
            b->kernel_tuner = true;
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
            fprintf(stderr, "search [RECORDING...] [--strategy NAME|all] [--repeats N] [--ahead N] [--kernel-tuner] "
                            "[--json FILE|-]\n");
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
    search_base_make(&base, recording, BASE_SEED);
    fprintf(stderr, "%s: %llu of %llu configurations valid, median / optimum %.2f, random search needs %llu: %.0f s\n",
            recording->name, (unsigned long long)recording->valid, (unsigned long long)recording->count,
            recording->median_s / recording->best_s, (unsigned long long)base.evaluations, base.budget_s);
    score_ours(b, recording, &base);
    if (b->kernel_tuner && parts == 1) { /* a part's ordinals are not those of its file */
        score_kernel_tuner(b, path, recording, &base);
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
