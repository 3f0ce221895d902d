/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/peer_theirs.h"

#include "bench/bench_program.h"
#include "bench/peer_flush.h"
#include "bench/peer_process.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PREPARE_LIMIT_S 300.0
#define TIME_LIMIT_S 60.0
#define ABOUT_LIMIT_S 120.0
#define CUB_SAMPLES_LEAST 10

struct peer_theirs {
    peer_process *process;
    const char *no_torch; /* why; NULL */
    char cub[4096];       /* the program; "": none */
    const char *no_cub;   /* why; NULL */
    char flush[64];       /* a cubin (peer_flush.h); "": none */
    const char *no_flush; /* why; NULL */
    rft_arena *arena;     /* borrowed */
};

peer_theirs *peer_theirs_new(const char *script, rft_arena *arena) {
    peer_theirs *t = rft_calloc(1, sizeof *t);
    t->process = peer_process_new(script, "peers.log");
    t->arena = arena;
    return t;
}

void peer_theirs_free(peer_theirs *t) {
    if (t) {
        peer_process_free(t->process);
        free(t);
    }
}

const char *peer_theirs_meet(peer_theirs *t) {
    rft_err err = RFT_ERR_INIT;
    json_t *about = NULL;
    json_t *request = json_pack("{s:s}", "do", "about");
    if (peer_process_ask(t->process, request, ABOUT_LIMIT_S, &about, &err) != RFT_OK) {
        t->no_torch = rft_arena_strdup(t->arena, err.message);
        return rft_arena_printf(t->arena, "no torch: %s", t->no_torch);
    }
    const char *text =
        rft_arena_printf(t->arena, "torch %s, triton %s, on %s", rft_json_text_or(about, "torch", "none"),
                         rft_json_text_or(about, "triton", "none"), rft_json_text_or(about, "device", "no device"));
    json_decref(about);
    return text;
}

void peer_theirs_flush_for(peer_theirs *t, const char *arch) {
    rft_err err = RFT_ERR_INIT;
    char file[sizeof t->flush];
    snprintf(file, sizeof file, "flush-%.40s.cubin", arch ? arch : "");
    t->no_flush = NULL;
    if (strcmp(file, t->flush) == 0) {
        return;
    }
    if (!arch || !*arch) {
        t->no_flush = "no flush of the L2 for them: the run does not say for which architecture";
    } else if (peer_flush_write(file, arch, &err) != RFT_OK) {
        t->no_flush = rft_arena_strdup(t->arena, err.message);
    }
    snprintf(t->flush, sizeof t->flush, "%s", t->no_flush ? "" : file);
}

static void compile_cub(peer_theirs *t, const char *source) {
    const char *nvccs[] = {"nvcc", "/usr/local/cuda/bin/nvcc"};
    bench_result built = {.status = 127};
    for (size_t i = 0; i < 2 && built.status == 127; i++) {
        const char *words[] = {nvccs[i], "-O3", "-std=c++17", "-arch=native", "-o", "cub_reduce", source, NULL};
        built = bench_run(words, NULL);
    }
    if (built.status == 0) {
        snprintf(t->cub, sizeof t->cub, "./cub_reduce");
    } else {
        t->no_cub = built.status == 127 ? "there is no nvcc" : "nvcc does not compile cub_reduce.cu";
    }
}

/* A program that lies beside this one, else one compiled here; looked for when the first row asks for it. */
static void meet_cub(peer_theirs *t) {
    if (*t->cub || t->no_cub) {
        return;
    }
    const char *built = bench_file_or_null("../../bench/cub_reduce");
    const char *source = bench_file_or_null("cub_reduce.cu");
    if (built) {
        snprintf(t->cub, sizeof t->cub, "%s", built);
    } else if (source) {
        compile_cub(t, source);
    } else {
        t->no_cub = "there is no cub_reduce.cu";
    }
}

static bool is_cub(const peer_goal *goal) {
    return strcmp(goal->name, "cub") == 0;
}

const char *peer_theirs_prepare(peer_theirs *t, const peer_row *row, const peer_goal *goal) {
    rft_err err = RFT_ERR_INIT;
    json_t *reply = NULL;
    if (t->no_flush) {
        return t->no_flush;
    }
    if (is_cub(goal)) {
        meet_cub(t);
        return t->no_cub;
    }
    if (t->no_torch) {
        return t->no_torch;
    }
    json_t *request = json_pack("{s:s,s:s,s:s,s:s,s:O}", "do", "prepare", "peer", goal->name, "op", row->op, "type",
                                row->type, "shape", row->shape);
    if (peer_process_ask(t->process, request, PREPARE_LIMIT_S, &reply, &err) != RFT_OK) {
        return rft_arena_strdup(t->arena, err.message);
    }
    json_decref(reply);
    return NULL;
}

static double median_of(const json_t *reply) {
    json_t *samples = json_object_get(reply, "samples_us");
    size_t count = json_array_size(samples);
    double *values = rft_calloc(count + 1, sizeof *values);
    for (size_t i = 0; i < count; i++) {
        values[i] = json_number_value(json_array_get(samples, i));
    }
    double median = rft_stats_of(values, count).median;
    free(values);
    return median;
}

static int time_cub(const peer_theirs *t, const peer_row *row, size_t samples, json_t **reply, rft_err *err) {
    char n[32], count[32];
    snprintf(n, sizeof n, "%lld", (long long)rft_json_int_or(row->shape, "n", 0));
    snprintf(count, sizeof count, "%zu", samples < CUB_SAMPLES_LEAST ? CUB_SAMPLES_LEAST : samples);
    const char *words[] = {t->cub, "--op",      row->op, "--type",  row->type, "--n",
                           n,      "--samples", count,   "--flush", t->flush,  NULL};
    bench_result result = bench_run(words, NULL);
    const char *line = strchr(bench_out(), '{');
    if (result.status != 0 || !line) {
        return rft_err_set(err, RFT_E_NOTHING, "cub_reduce ended with %d", result.status);
    }
    return rft_json_parse(reply, line, strcspn(line, "\n"), "cub_reduce", err);
}

void peer_theirs_time(peer_theirs *t, const peer_row *row, peer_result *peer, const peer_shot *ours) {
    rft_err err = RFT_ERR_INIT;
    json_t *reply = NULL;
    double *into = &peer->series.round_us[peer->series.rounds++];
    *into = (double)NAN;
    if (peer->reason) {
        return;
    }
    int rc = RFT_OK;
    if (is_cub(peer->goal)) {
        rc = time_cub(t, row, ours->samples, &reply, &err);
    } else {
        const bool cold = strcmp(ours->cache, "hot") != 0 && strcmp(ours->cache, "rotating") != 0;
        const char *cache = cold ? "cold" : ours->cache;
        json_t *request = json_pack("{s:s,s:s,s:I,s:s,s:s}", "do", "time", "peer", peer->goal->name, "samples",
                                    (json_int_t)ours->samples, "cache", cache, "flush", t->flush);
        rc = peer_process_ask(t->process, request, TIME_LIMIT_S, &reply, &err);
    }
    if (rc == RFT_OK) {
        *into = median_of(reply);
        json_decref(reply);
    } else {
        peer->reason = rft_arena_strdup(t->arena, err.message);
    }
}

void peer_theirs_drop(peer_theirs *t) {
    json_t *reply = NULL;
    if (!t->no_torch &&
        peer_process_ask(t->process, json_pack("{s:s}", "do", "drop"), TIME_LIMIT_S, &reply, NULL) == RFT_OK) {
        json_decref(reply);
    }
}
