/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_commands [options] ROOFTUNE - runs whole commands on damaged files and odd command lines, and judges each.
 *   --seed N         the series (default 1); a series and a number stand for the same try everywhere
 *   --seconds S      how long (default 10)
 *   --iteration K    that one try alone, kept whatever it does
 *   --only KIND      recording, runfile, foreign, script, space, mix, baselines, counters or words
 *   --source DIR     the source tree with the samples
 *   --keep DIR       where failures are kept (default fuzz-failures)
 *   --plain PROGRAM  the same without sanitizers: decides on time and memory when ROOFTUNE took too much
 * Exit status 1 when a command did what none may do.
 */
#include "base/clock.h"
#include "base/fs.h"
#include "base/hash.h"
#include "base/str.h"
#include "fuzz/commands/judge.h"
#include "fuzz/commands/trial.h"
#include "support/sanitized.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BOX "a/b/box" /* so deep that "../.." stays below the root */
enum { FAULTS_MAX = 200, KEPT_OF_A_FAULT = 3 };

typedef struct fault {
    char text[320];
    size_t count;
    unsigned long long first; /* iteration */
} fault;

typedef struct session {
    unsigned long long seed, iteration;
    bool one;
    double seconds;
    const char *only, *source, *keep, *plain;
    char *root, *world, *folder; /* scratch; what the box stands in; the box */
    workplace place;
    samples samples;
    option_table options;
    rft_arena *arena;
    fault faults[FAULTS_MAX];
    size_t fault_count;
    unsigned long long tried, commands, ended[256]; /* commands by exit status */
    double begin_s;
} session;

/* Of this program where it is built with the sanitizer: each fork copies the tables of what it holds. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
    return "quarantine_size_mb=1";
}

static double now_s(void) {
    const rft_clock *clock = rft_clock_system();
    return (double)clock->monotonic_ns(clock->self) * 1e-9;
}

static void write_line(rft_str *out, const char *const *words) {
    for (size_t i = 0; words[i]; i++) {
        rft_str_add(out, i ? " '" : "'");
        for (const char *at = words[i]; *at; at++) {
            rft_str_add_n(out, *at == '\'' ? "'\\''" : at, *at == '\'' ? 4 : 1);
        }
        rft_str_add_char(out, '\'');
    }
    rft_str_add_char(out, '\n');
}

/* The box as it was, the commands and what was said. */
static void keep(const session *s, const trial *t, size_t command, const execution *done, const char *text,
                 const char *pristine) {
    rft_str note = RFT_STR_INIT;
    char *name = rft_arena_printf(t->arena, "%s/%llu-%llu", s->keep, s->seed, s->iteration);
    rft_str_addf(&note, "%s\nkind %s, status %d, signal %d, %.2f s of the processor, %zu KiB\n", text, t->kind,
                 done->status, done->signal, done->cpu_s, done->peak_bytes >> 10);
    for (size_t c = 0; c <= command; c++) {
        rft_str_add(&note, "rooftune ");
        write_line(&note, t->words[c]);
    }
    box_remove(name);
    if (!box_copy(pristine, name)) {
        fprintf(stderr, "%s could not be written whole\n", name);
    }
    const struct {
        const char *name;
        const rft_str *text;
    } files[] = {{"what.txt", &note}, {"out.txt", &done->out}, {"err.txt", &done->err}};
    for (size_t i = 0; i < 3; i++) {
        (void)rft_fs_put(rft_arena_printf(t->arena, "%s/%s", name, files[i].name), rft_str_get(files[i].text),
                         files[i].text->length, true, NULL);
    }
    printf("%s\n  --seed %llu --iteration %llu: %s\n", text, s->seed, s->iteration, name);
    fflush(stdout);
    rft_str_clear(&note);
}

/* True when this fault is to be kept. */
static bool count_fault(session *s, const char *text) {
    for (size_t i = 0; i < s->fault_count; i++) {
        if (strncmp(s->faults[i].text, text, sizeof s->faults[i].text - 1) == 0) {
            return ++s->faults[i].count <= KEPT_OF_A_FAULT;
        }
    }
    if (s->fault_count < FAULTS_MAX) {
        fault *new = &s->faults[s->fault_count++];
        snprintf(new->text, sizeof new->text, "%s", text);
        new->count = 1;
        new->first = s->iteration;
    }
    return true;
}

static size_t input_bytes(const session *s, const meaning *m) {
    size_t all = 0;
    for (size_t i = 0; i < m->input_count; i++) {
        char *path = rft_fs_join(s->folder, m->inputs[i]);
        all += verdict_inflated_bytes(path);
        free(path);
    }
    return all;
}

/* Does the plain program take too much as well? On a copy of the box, by the strict limits. */
static bool plain_agrees(const session *s, const trial *t, size_t command, evidence e, const char *pristine) {
    char *root = rft_fs_join(s->root, "plain"), *folder = rft_fs_join(root, BOX);
    const workplace place = {.program = s->plain, .root = s->root, .folder = folder};
    execution done = {0};
    box_remove(root);
    (void)box_copy(pristine, folder);
    for (size_t c = 0; c <= command; c++) {
        execution_clear(&done);
        execute(&done, &place, t->words[c], verdict_wall_limit_s());
    }
    box_list after = box_look(root, t->arena);
    e.done = &done;
    e.before = e.after = &after;
    e.sanitized = false;
    verdict v = verdict_of(&e, t->arena);
    bool agrees = false;
    for (size_t i = 0; i < v.count; i++) {
        agrees = agrees || strstr(v.texts[i], "too") || strstr(v.texts[i], "does not end");
    }
    execution_clear(&done);
    box_remove(root);
    free(root);
    free(folder);
    return agrees;
}

/* Reading a FIFO waits for its writer, as it should. */
static bool would_wait(const meaning *m) {
    for (size_t i = 0; i < m->input_count; i++) {
        if (strcmp(rft_fs_name(m->inputs[i]), "fifo") == 0) {
            return true;
        }
    }
    return false;
}

/* Runs and judges one command of the try; true when the next may follow. */
static bool run_command(session *s, const trial *t, size_t command, const char *pristine, bool *failed) {
    execution done;
    meaning means = option_table_meaning(&s->options, t->words[command]);
    evidence e = {.done = &done, .means = &means, .folder = BOX, .script_runs = t->script_runs};
    if (would_wait(&means)) {
        return false;
    }
    e.sanitized = SANITIZED;
    e.input_bytes = input_bytes(s, &means);
    box_list before = box_look(s->world, t->arena);
    execute(&done, &s->place, t->words[command], verdict_wall_limit_s());
    box_list after = box_look(s->world, t->arena);
    e.before = &before;
    e.after = &after;
    s->commands++;
    s->ended[done.status < 0 ? 255 : done.status]++;
    verdict v = verdict_of(&e, t->arena);
    bool kept = false;
    for (size_t i = 0; i < v.count; i++) {
        if (SANITIZED && s->plain && strstr(v.texts[i], "takes too") && !plain_agrees(s, t, command, e, pristine)) {
            continue;
        }
        *failed = true;
        if (count_fault(s, v.texts[i]) && !kept) {
            keep(s, t, command, &done, v.texts[i], pristine);
            kept = true;
        }
    }
    bool go_on = done.status == 0 && v.count == 0;
    if (s->one && !kept) {
        keep(s, t, command, &done, "nothing is wrong", pristine);
    }
    execution_clear(&done);
    return go_on;
}

static void try_one(session *s) {
    rft_arena *arena = rft_arena_new();
    trial t;
    uint64_t random = s->seed * 0x9e3779b97f4a7c15ULL + s->iteration;
    bool failed = false;
    (void)rft_random_next(&random);
    box_remove(s->world);
    rft_fs_make_folders(s->folder, NULL);
    trial_make(&t, s->folder, &s->samples, &s->options, s->only, arena, &random);
    char *pristine = rft_fs_join(s->root, "pristine");
    box_remove(pristine);
    (void)box_copy(s->folder, pristine);
    for (size_t c = 0; c < t.command_count && run_command(s, &t, c, pristine, &failed); c++) {
    }
    s->tried++;
    free(pristine);
    rft_arena_free(arena);
}

static int read_help(session *s, const char *name, rft_str *out) {
    const char *const whole[] = {"--help", NULL}, *const of_command[] = {name, "--help", NULL};
    execution done;
    execute(&done, &s->place, name ? of_command : whole, 60);
    rft_str_add(out, rft_str_get(&done.out));
    int status = done.status;
    if (status != 0) {
        fprintf(stderr, "rooftune %s --help: status %d\n%s", name ? name : "", status, rft_str_get(&done.err));
    }
    execution_clear(&done);
    return status;
}

static int read_options(session *s) {
    rft_str help = RFT_STR_INIT;
    int rc = read_help(s, NULL, &help);
    option_table_read(&s->options, rft_str_get(&help), s->arena);
    for (size_t i = 0; rc == 0 && i < s->options.count; i++) {
        rft_str_truncate(&help, 0);
        rc = read_help(s, s->options.items[i].name, &help);
        option_table_add(&s->options.items[i], rft_str_get(&help), s->arena);
    }
    rft_str_clear(&help);
    return rc == 0 && s->options.count ? 0 : -1;
}

static void report(const session *s) {
    double minutes = (now_s() - s->begin_s) / 60;
    printf("seed %llu: %llu tries, %llu commands in %.1f min, %.0f commands a minute, %zu kinds of failure\n", s->seed,
           s->tried, s->commands, minutes, minutes > 0 ? (double)s->commands / minutes : 0, s->fault_count);
    printf("exit statuses:");
    for (size_t i = 0; i < sizeof s->ended / sizeof *s->ended; i++) {
        if (s->ended[i]) {
            printf(" %zu: %llu", i, s->ended[i]);
        }
    }
    printf("\n");
    for (size_t i = 0; i < s->fault_count; i++) {
        printf("%6zu x %s (first: --iteration %llu)\n", s->faults[i].count, s->faults[i].text, s->faults[i].first);
    }
}

static int prepare(session *s) {
    static const char *const folders[] = {"home", "cache", BOX};
    const char *temporary = getenv("TMPDIR");
    char *root = rft_arena_printf(s->arena, "%s/fuzz_commands.XXXXXX", temporary && *temporary ? temporary : "/tmp");
    if (!mkdtemp(root)) {
        perror(root);
        return -1;
    }
    s->root = root;
    s->world = rft_arena_printf(s->arena, "%s/world", root);
    s->folder = rft_arena_printf(s->arena, "%s/" BOX, s->world);
    for (size_t i = 0; i < 2; i++) {
        rft_fs_make_folders(rft_arena_printf(s->arena, "%s/%s", root, folders[i]), NULL);
    }
    rft_fs_make_folders(s->folder, NULL);
    s->place.root = root;
    s->place.folder = s->folder;
    return read_options(s) || samples_load(&s->samples, s->source, &s->place, s->arena) ? -1 : 0;
}

static int usage(void) {
    fprintf(stderr, "fuzz_commands [--seed N] [--seconds S] [--iteration K] [--only KIND] [--source DIR] [--keep DIR] "
                    "[--plain PROGRAM] ROOFTUNE\n");
    return 2;
}

static bool take_value(session *s, const char *name, const char *value) {
    double seconds = 0;
    int64_t number = 0;
    if (strcmp(name, "--seconds") == 0) {
        s->seconds = rft_text_to_double(value, &seconds) ? seconds : 0;
        return s->seconds > 0;
    }
    if (strcmp(name, "--seed") == 0 || strcmp(name, "--iteration") == 0) {
        bool fits = rft_text_to_int64(value, &number) && number >= 0;
        if (strcmp(name, "--seed") == 0) {
            s->seed = (unsigned long long)number;
        } else {
            s->iteration = (unsigned long long)number;
            s->one = true;
        }
        return fits;
    }
    const char **text = strcmp(name, "--only") == 0     ? &s->only
                        : strcmp(name, "--source") == 0 ? &s->source
                        : strcmp(name, "--keep") == 0   ? &s->keep
                        : strcmp(name, "--plain") == 0  ? &s->plain
                                                        : NULL;
    if (text) {
        *text = value;
    }
    return text != NULL;
}

static bool is_kind(const char *name) {
    for (const char *const *kind = trial_kinds(); *kind; kind++) {
        if (strcmp(*kind, name) == 0) {
            return true;
        }
    }
    return false;
}

int main(int argc, char **argv) {
    session *s = rft_alloc(sizeof *s);
    s->arena = rft_arena_new();
    s->seed = 1;
    s->seconds = 10;
    s->source = RFT_SOURCE_DIR;
    s->keep = "fuzz-failures";
    int i = 1;
    while (i + 1 < argc && strncmp(argv[i], "--", 2) == 0 && take_value(s, argv[i], argv[i + 1])) {
        i += 2;
    }
    if (i + 1 != argc || (s->only && !is_kind(s->only))) {
        return usage();
    }
    s->place.program = rft_fs_absolute(argv[i]);
    s->plain = s->plain ? rft_fs_absolute(s->plain) : NULL;
    int rc = prepare(s);
    s->begin_s = now_s();
    while (rc == 0 && (s->tried == 0 || (!s->one && now_s() - s->begin_s < s->seconds))) {
        try_one(s);
        s->iteration++;
    }
    if (rc == 0) {
        report(s);
        rc = s->fault_count != 0;
    }
    if (s->root) {
        box_remove(s->root);
    }
    return rc ? 1 : 0;
}
