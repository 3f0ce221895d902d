/* SPDX-License-Identifier: Apache-2.0 */
/*
 * same_again [--runs 8] [-d DEVICE] [--to FOLDER] [--rooftune PATH] SWEEP.lua... [-- OPTIONS of rooftune run]
 * same_again --judge [--draws 200] FILE|FOLDER...
 *
 * The first makes A/A runs: run 1 of every sweep, then run 2 of every sweep, ..., so that runs of one sweep lie minutes
 * apart; what FOLDER has already is kept. Then it judges them, as the second does with runs that exist (run files or
 * recordings; of several cards too): two runs of one card are equal, so FASTER and SLOWER between them are false. What
 * is printed: docs/benchmarks.md. Exit status 1 where a goal is missed or nothing could be judged.
 */
#include "bench/again_report.h"
#include "bench/bench_program.h"

#include "base/fs.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RUNS 8
#define DRAWS_DEFAULT 200
#define WORDS_MOST 40

typedef struct options {
    size_t runs, draws;
    bool judge_only;
    const char *device;
    char *folder;
    char **paths; /* absolute */
    size_t path_count;
    char **more; /* for rooftune run; ends with NULL */
} options;

static options read_options(int argc, char **argv) {
    static const struct option known[] = {{"runs", required_argument, NULL, 'n'},
                                          {"draws", required_argument, NULL, 'r'},
                                          {"judge", no_argument, NULL, 'j'},
                                          {"device", required_argument, NULL, 'd'},
                                          {"to", required_argument, NULL, 't'},
                                          {"rooftune", required_argument, NULL, 'p'},
                                          {NULL, 0, NULL, 0}};
    options o = {.runs = RUNS, .draws = DRAWS_DEFAULT, .device = "0", .folder = rft_fs_absolute("same-again")};
    int own = 0;
    while (own < argc && strcmp(argv[own], "--") != 0) {
        own++;
    }
    o.more = argv + (own < argc ? own + 1 : argc);
    for (int c = 0; (c = getopt_long(own, argv, "d:", known, NULL)) != -1;) {
        switch (c) {
        case 'n':
            o.runs = strtoul(optarg, NULL, 10);
            break;
        case 'r':
            o.draws = strtoul(optarg, NULL, 10);
            break;
        case 'j':
            o.judge_only = true;
            break;
        case 'd':
            o.device = optarg;
            break;
        case 't':
            free(o.folder);
            o.folder = rft_fs_absolute(optarg);
            break;
        case 'p':
            setenv("ROOFTUNE", optarg, 1);
            break;
        default:
            exit(2);
        }
    }
    o.paths = rft_calloc((size_t)(own - optind) + 1, sizeof *o.paths);
    for (int i = optind; i < own; i++) {
        o.paths[o.path_count++] = rft_fs_absolute(argv[i]);
    }
    if (o.path_count == 0 || o.runs < 2) {
        fprintf(stderr, "same_again: %s\n",
                o.runs < 2 ? "--runs takes 2 or more" : "name a sweep, or --judge and runs");
        exit(2);
    }
    return o;
}

static void make_run(const options *o, const char *sweep, size_t number) {
    const char *words[WORDS_MOST] = {"rooftune", "run",         sweep,      "-d",   o->device,    "-o",
                                     NULL,       "--no-report", "--energy", "none", "--counters", "none"};
    size_t count = 12;
    char *stem = rft_fs_stem(sweep), *name = NULL;
    rft_str text = RFT_STR_INIT;
    rft_str_addf(&text, "%s-%zu.db", stem, number);
    name = rft_fs_join(o->folder, rft_str_get(&text));
    words[6] = name;
    for (size_t i = 0; o->more[i] && count < WORDS_MOST - 1; i++) {
        words[count++] = o->more[i];
    }
    bench_result result = bench_run_well(words, NULL);
    bench_line(rft_str_get(&text), "%.1f s", result.wall_s);
    rft_str_clear(&text);
    free(stem);
    free(name);
}

static void make_runs(options *o) {
    rft_err err = RFT_ERR_INIT;
    if (rft_fs_make_folders(o->folder, &err) != RFT_OK) {
        fprintf(stderr, "same_again: %s\n", err.message);
        exit(1);
    }
    bench_open();
    printf("%zu runs of %zu sweeps into %s\n", o->runs, o->path_count, o->folder);
    for (size_t n = 1; n <= o->runs; n++) {
        for (size_t i = 0; i < o->path_count; i++) {
            make_run(o, o->paths[i], n);
        }
    }
    bench_close();
}

int main(int argc, char **argv) {
    options o = read_options(argc, argv);
    again_set *set = again_set_new();
    rft_err err = RFT_ERR_INIT;
    int rc = RFT_OK;
    if (!o.judge_only) {
        make_runs(&o);
        rc = again_set_read(set, o.folder, &err);
    }
    for (size_t i = 0; o.judge_only && i < o.path_count && rc == RFT_OK; i++) {
        rc = again_set_read(set, o.paths[i], &err);
    }
    if (rc != RFT_OK) {
        fprintf(stderr, "same_again: %s %s\n", err.place, err.message);
    }
    int status = rc == RFT_OK ? again_report(set, o.draws) : 1;
    again_set_free(set);
    for (size_t i = 0; i < o.path_count; i++) {
        free(o.paths[i]);
    }
    free(o.paths);
    free(o.folder);
    return status;
}
