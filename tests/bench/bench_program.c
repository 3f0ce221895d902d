/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/bench_program.h"

#include "base/fs.h"
#include "base/json.h"
#include "base/str.h"
#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WORDS_MAX 1024

static char the_program[4096];
static char the_scratch[64];
static rft_str the_out;

static _Noreturn void give_up(const char *format, ...) {
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(1);
}

static double now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* The folder above the one this program lies in. */
static char *own_root(void) {
    char *program = rft_fs_program();
    char *folder = rft_fs_folder(program);
    char *above = rft_fs_folder(folder);
    free(program);
    free(folder);
    return above;
}

const char *bench_file_or_null(const char *name) {
    static char results[4][4096];
    static unsigned turn;
    char *path = results[turn++ % 4];
    char *root = own_root();
    const char *roots[] = {root, RFT_SOURCE_DIR};
    bool found = false;
    for (size_t i = 0; i < 2 && !found; i++) {
        snprintf(path, sizeof results[0], "%s/tests/bench/%s", roots[i], name);
        found = access(path, R_OK) == 0;
    }
    free(root);
    return found ? path : NULL;
}

const char *bench_file(const char *name) {
    const char *path = bench_file_or_null(name);
    if (!path) {
        give_up("tests/bench/%s is neither beside this program nor in the source tree", name);
    }
    return path;
}

static void find_program(void) {
    const char *given = getenv("ROOFTUNE");
    char *root = own_root();
    char *path = given && *given ? rft_fs_absolute(given) : rft_fs_join(root, "rooftune");
    snprintf(the_program, sizeof the_program, "%s", path);
    free(path);
    free(root);
}

/* ---- programs ---- */

static _Noreturn void become(const char *const *words, int out_fd) {
    char *argv[WORDS_MAX + 1] = {0};
    for (size_t i = 0; words[i] && i < WORDS_MAX; i++) {
        argv[i] = (char *)(uintptr_t)words[i];
    }
    int null_fd = open("/dev/null", O_RDONLY);
    int err_fd = open("err", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (null_fd < 0 || err_fd < 0 || dup2(null_fd, 0) < 0 || dup2(out_fd, 1) < 0 || dup2(err_fd, 2) < 0) {
        _exit(126);
    }
    execvp(strcmp(words[0], "rooftune") == 0 ? the_program : words[0], argv);
    _exit(127);
}

/* Collects stdout until its end; returns when `awaited` first came, in seconds since `started_s`. */
static double collect(int fd, const char *awaited, double started_s) {
    double first_s = (double)NAN;
    char buffer[1 << 16];
    ssize_t got = 0;
    rft_str_truncate(&the_out, 0);
    while ((got = read(fd, buffer, sizeof buffer)) > 0 || (got < 0 && errno == EINTR)) {
        if (got > 0) {
            rft_str_add_n(&the_out, buffer, (size_t)got);
        }
        if (awaited && isnan(first_s) && strstr(rft_str_get(&the_out), awaited)) {
            first_s = now_s() - started_s;
        }
    }
    return first_s;
}

bench_result bench_run(const char *const *words, const char *awaited) {
    int ends[2];
    int status = 0;
    if (pipe2(ends, O_CLOEXEC) != 0) {
        give_up("no pipe: %s", strerror(errno));
    }
    double started_s = now_s();
    pid_t child = fork();
    if (child == 0) {
        become(words, ends[1]);
    }
    close(ends[1]);
    bench_result result = {.first_s = collect(ends[0], awaited, started_s)};
    close(ends[0]);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    result.wall_s = now_s() - started_s;
    result.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return result;
}

bench_result bench_run_well(const char *const *words, const char *awaited) {
    bench_result result = bench_run(words, awaited);
    if (result.status != 0) {
        char *said = NULL;
        size_t size = 0;
        const char *text = rft_fs_read(&said, &size, "err", 0, NULL) == RFT_OK ? said : "";
        give_up("%s %s ended with %d:\n%s%s", words[0], words[1] ? words[1] : "", result.status, rft_str_get(&the_out),
                text);
    }
    return result;
}

#define SGEMM_MORE_MOST 9

bench_result bench_run_sgemm(const char *const *more, const char *awaited) {
    const char *words[13 + SGEMM_MORE_MOST] = {"rooftune",   "run",      bench_file("sgemm/sgemm.lua"),
                                               "-o",         "sgemm.db", "--fresh",
                                               "--counters", "none",     "--energy",
                                               "none",       "--events", "-"};
    for (size_t i = 0; i < SGEMM_MORE_MOST && more[i]; i++) {
        words[12 + i] = more[i];
    }
    return bench_run_well(words, awaited);
}

const char *bench_out(void) {
    return rft_str_get(&the_out);
}

bench_parts bench_parts_of_out(void) {
    bench_parts parts = {(double)NAN, (double)NAN, (double)NAN, (double)NAN};
    bool retold = false;
    for (const char *line = bench_out(); *line; line += strcspn(line, "\n"), line += *line == '\n') {
        json_t *event = NULL;
        if (rft_json_parse(&event, line, strcspn(line, "\n"), "an event", NULL) != RFT_OK) {
            continue;
        }
        parts.end_s = rft_json_real_or(event, "at_s", parts.end_s);
        const char *what = rft_json_text_or(event, "event", "");
        if (strcmp(what, "begin") == 0) {
            retold = json_integer_value(json_object_get(event, "known")) > 0;
        } else if (strcmp(what, "point") == 0) {
            bool first = !retold && !json_is_true(json_object_get(event, "final_round"));
            parts.first_s = isnan(parts.first_s) ? parts.end_s : parts.first_s;
            parts.round_s = first ? parts.end_s : parts.round_s;
            parts.last_s = parts.end_s;
        }
        json_decref(event);
    }
    return parts;
}

/* ---- the scratch folder ---- */

static void remove_tree(const char *path) {
    const char *words[] = {"rm", "-rf", path, NULL};
    bench_run(words, NULL);
}

void bench_empty_caches(void) {
    remove_tree("cache");
    remove_tree(".cupy");
    remove_tree(".nv");
}

void bench_open_anywhere(void) {
    find_program();
    snprintf(the_scratch, sizeof the_scratch, "/tmp/rooftune-bench-XXXXXX");
    if (!mkdtemp(the_scratch) || chdir(the_scratch) != 0) {
        give_up("no scratch folder: %s", strerror(errno));
    }
    char *cache = rft_fs_join(the_scratch, "cache");
    setenv("RFT_CACHE", cache, 1);
    setenv("HOME", the_scratch, 1);
    free(cache);
}

void bench_open(void) {
    bench_open_anywhere();
    const char *words[] = {"rooftune", "devices", NULL};
    bench_run_well(words, NULL);
    if (!strstr(bench_out(), "device 0:")) {
        printf("skipped: there is no GPU here\n");
        bench_close();
        exit(77);
    }
}

void bench_close(void) {
    if (chdir("/") == 0) {
        remove_tree(the_scratch);
    }
    rft_str_clear(&the_out);
}

rft_run *bench_load(const char *name) {
    rft_run *run = NULL;
    rft_err err = RFT_ERR_INIT;
    if (rft_store_load(&run, name, &err) != RFT_OK) {
        give_up("%s: %s", name, err.message);
    }
    return run;
}

unsigned bench_compile_workers(void) {
    cpu_set_t usable;
    int cores = sched_getaffinity(0, sizeof usable, &usable) == 0 ? CPU_COUNT(&usable) : 1;
    return cores > 3 ? (unsigned)cores - 2 : (unsigned)(cores > 1 ? 2 : 1);
}

void bench_line(const char *name, const char *format, ...) {
    va_list args;
    printf("  %-34s ", name);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\n");
    fflush(stdout);
}
