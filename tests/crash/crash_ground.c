/* SPDX-License-Identifier: Apache-2.0 */
#include "crash/crash_ground.h"

#include "crash/folder.h"
#include "crash/seen.h"

#include "base/fs.h"
#include "base/hash.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LIMIT_S = 60, HASH_AT = 8, HASHED_FROM = 72 /* of a cache entry: gpu/compile/cache_entry.h */ };

extern char **environ;

static char *path_in(const char *folder, const char *name) {
    return crash_text("%s/%s", folder, name);
}

static void make_folder(const char *path) {
    crash_folder_remove(path);
    if (mkdir(path, 0777) != 0) {
        perror(path);
        abort();
    }
}

/* ---- running ---- */

static void set_cache(const crash_scenario *scenario, const char *folder) {
    char *cache = scenario->compiles ? path_in(folder, "cache") : crash_text("off");
    setenv("RFT_CACHE", cache, 1);
    setenv("RFT_CACHE_LIMIT", "1MB", 1);
    if (scenario->compiles) {
        unsetenv("RFT_NVRTC"); /* where there is none, nothing is compiled and nothing is stored */
    } else {
        setenv("RFT_NVRTC", "off", 1);
    }
    free(cache);
}

static int stop_at(const crash_ground *ground, const crash_stop *stop, const char *folder, const char *out,
                   const char *err, crash_trace *trace, const char **why) {
    set_cache(ground->scenario, folder);
    crash_command command = {.words = ground->words,
                             .environment = environ,
                             .folder = folder,
                             .out = out,
                             .err = err,
                             .except = ground->scenario->except,
                             .who = ground->scenario->who,
                             .limit_s = LIMIT_S};
    return crash_trace_run(&command, stop, trace, why) ? 0 : 77;
}

static int plain_status(int status) {
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Without a tracer. */
static int run_plainly(const crash_ground *ground, const char *folder, const char *out, const char *err) {
    int status = 0;
    set_cache(ground->scenario, folder);
    pid_t child = fork();
    if (child == 0) {
        if (chdir(folder) == 0 && freopen(out, "w", stdout) && freopen(err, "w", stderr) &&
            freopen("/dev/null", "r", stdin)) {
            alarm(LIMIT_S);
            execve(ground->words[0], ground->words, environ);
        }
        _exit(127);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return child > 0 ? plain_status(status) : -1;
}

/* ---- what is compared ---- */

/* From `check`'s "distinct compiles: 3, 51 ms each" on, the text has times. */
static void cut_times(char *text) {
    char *line = text ? strstr(text, "\ndistinct compiles: ") : NULL, *times = line ? strchr(line, ',') : NULL;
    if (times) {
        *times = '\0';
    }
}

static bool same_out(const char *a, const char *b) {
    size_t size = 0;
    char *one = crash_read_file(a, &size), *other = crash_read_file(b, &size);
    cut_times(one), cut_times(other);
    bool same = one && other && strcmp(one, other) == 0;
    free(one);
    free(other);
    return same;
}

/* NULL, or what `err` complains of that the undisturbed command does not. */
static char *complaint_in(const char *err, const char *undisturbed) {
    size_t size = 0;
    char *text = crash_read_file(err, &size), *usual = crash_read_file(undisturbed, &size), *found = NULL;
    for (char *line = text, *end = text; line && *line && !found; line = end) {
        end = line + strcspn(line, "\n");
        end += *end == '\n';
        bool complains = strncmp(line, "rooftune:", 9) == 0 || strncmp(line, "warning:", 8) == 0;
        char *copy = strndup(line, strcspn(line, "\n"));
        if (complains && (!usual || !strstr(usual, copy))) {
            found = copy;
        } else {
            free(copy);
        }
    }
    free(text);
    free(usual);
    return found;
}

/* What a command said when it failed. */
static char *message_of(const char *err) {
    size_t size = 0;
    char *text = crash_read_file(err, &size), *at = text ? strstr(text, "rooftune: ") : NULL;
    char *said = crash_text("%.*s", at ? (int)strcspn(at, "\n") : 10, at ? at : "no message");
    free(text);
    return said;
}

/* Every entry of the cache holds the hash of itself. NULL, or the one that does not. */
static char *broken_entry(const char *folder) {
    char *cache = path_in(folder, "cache"), **names = NULL, *broken = NULL;
    size_t count = 0;
    if (rft_fs_list(&names, &count, cache, ".rftc", NULL) != 0) {
        count = 0;
    }
    for (size_t i = 0; i < count && !broken; i++) {
        char *path = path_in(cache, names[i]), hex[RFT_HASH_HEX_SIZE] = "";
        size_t size = 0;
        char *data = strncmp(names[i], "00000000", 8) == 0 ? NULL : crash_read_file(path, &size);
        if (data && size > HASHED_FROM) {
            rft_hash_hex(data + HASHED_FROM, size - HASHED_FROM, hex);
        }
        if (data && (size <= HASHED_FROM || memcmp(data + HASH_AT, hex, HASHED_FROM - HASH_AT) != 0)) {
            broken = crash_text("the cache entry %s is not whole", names[i]);
        }
        free(data);
        free(path);
    }
    rft_fs_list_free(names, count);
    free(cache);
    return broken;
}

/* ---- judgement ---- */

static char *judge_committed(const crash_ground *g, const char *work, const char *place) {
    const crash_scenario *s = g->scenario;
    if (!s->run) {
        return s->compiles ? broken_entry(work) : NULL;
    }
    char *copy = path_in(place, "seen"), *run = path_in(copy, s->run);
    char *events = s->events ? path_in(work, s->events) : NULL;
    crash_folder_copy(work, copy); /* reading a run whose writer was killed may mend it: only a copy is looked at */
    char *wrong = crash_seen_committed(run, events, g->before_run, g->after_run, s->fresh);
    free(copy), free(run), free(events);
    return wrong;
}

/* The old file or the new one, whole; after success the new one. */
static char *judge_output(const crash_ground *g, const char *work, bool succeeded) {
    if (!g->scenario->output) {
        return NULL;
    }
    char *now = path_in(work, g->scenario->output), *new = path_in(g->after, g->scenario->output);
    char *old = path_in(g->before, g->scenario->output), *wrong = NULL;
    bool is_new = crash_same_file(now, new);
    /* A report names the day of its run, which every try makes anew. */
    if (!is_new && g->scenario->run) {
        is_new = crash_seen_whole_pdf(now);
    }
    if (succeeded ? !is_new : !is_new && !crash_same_file(now, old)) {
        wrong = crash_text("%s is neither the old file nor the new one", g->scenario->output);
    }
    free(now), free(new), free(old);
    return wrong;
}

/* Is it the file that could not be removed, or the index that SQLite keeps as long as its log is there? */
static bool is_left(const char *name, const char *left) {
    return left && (strcmp(left, name) == 0 || (strstr(left, "-wal") && strstr(name, "-shm")));
}

/* NULL, or a file that is not one of the undisturbed command's. `left` (or NULL) could not be removed. Entries of the
 * cache may be those from before: room is looked for every ten minutes, whatever came of it. */
static char *judge_names(const crash_ground *g, const char *work, const char *left) {
    char *names = crash_folder_list(work), *after = crash_folder_list(g->after), *before = crash_folder_list(g->before);
    char *next = NULL, *wrong = NULL;
    for (char *name = strtok_r(names, "\n", &next); name && !wrong; name = strtok_r(NULL, "\n", &next)) {
        char *line = crash_text("%s\n", name);
        bool known = strstr(after, line) || (g->scenario->compiles && strstr(before, line));
        if (!known && !is_left(name, left)) {
            wrong = crash_text("%s is left behind", name);
        }
        free(line);
    }
    free(names), free(after), free(before);
    return wrong;
}

static char *judge_final(const crash_ground *g, const char *work, const char *out, const char *left) {
    char *wrong = judge_output(g, work, true);
    wrong = wrong ? wrong : judge_names(g, work, left);
    if (!wrong && g->scenario->run) {
        char *now = path_in(work, g->scenario->run);
        wrong = crash_seen_same(now, g->after_run);
        free(now);
    }
    if (!wrong && g->scenario->compiles) {
        wrong = same_out(out, g->after_out) ? broken_entry(work) : crash_text("its output is another one");
    }
    return wrong;
}

/* SQLite does not know why it cannot make a file beside the run; the store asks the folder, which knows nothing of what
 * happened only once. */
static bool says_so_too(const char *text, const char *cause, crash_how how) {
    bool made_beside = strstr(text, "unable to open database file") || strstr(text, "readonly database");
    return (strcmp(cause, strerror(ENOSPC)) == 0 && strstr(text, "disk full")) || (how == CRASH_FAIL && made_beside);
}

/* Status from the table; place, cause and remedy. */
static char *judge_message(const crash_trace *trace, const crash_stop *stop, const char *err) {
    size_t size = 0;
    char *text = crash_read_file(err, &size), *wrong = NULL;
    const char *cause = strerror(stop->how == CRASH_FULL ? ENOSPC : stop->error);
    if (trace->status != 9 && trace->status != 11 && trace->status != 16) {
        wrong = crash_text("status %d", trace->status);
    } else if (!text || strncmp(text, "rooftune: ", 10) != 0) {
        text = text && strstr(text, "\nrooftune: ") ? text : NULL;
        wrong = text ? NULL : crash_text("no message");
    }
    if (!wrong && !strstr(text, cause) && !says_so_too(text, cause, stop->how)) {
        wrong = crash_text("the message lacks the cause \"%s\"", cause);
    }
    if (!wrong && !strstr(text, "remedy: ")) {
        wrong = crash_text("the message lacks a remedy");
    }
    free(text);
    return wrong;
}

static bool is_warned(const char *err) {
    size_t size = 0;
    char *text = crash_read_file(err, &size);
    bool warned = text && (strncmp(text, "warning: ", 9) == 0 || strstr(text, "\nwarning: "));
    free(text);
    return warned;
}

static char *judge_success(const crash_ground *g, const crash_stop *stop, const crash_trace *trace, const char *work,
                           const char *out, const char *err) {
    const char *events = g->scenario->events;
    bool removes = strncmp(trace->call.name, "unlink", 6) == 0;
    if (g->scenario->compiles || g->scenario->reads) { /* without a cache it takes longer, nothing else */
        return same_out(out, g->after_out) ? NULL : crash_text("its output is another one");
    }
    if (events && strcmp(trace->call.file, events) == 0 && stop->how != CRASH_SHORT && !is_warned(err)) {
        return crash_text("%s is not whole, and no warning says so", events);
    }
    char *wrong = judge_final(g, work, out, removes ? trace->call.file : NULL);
    char *both = wrong ? crash_text("it says that all is well, but %s", wrong) : NULL;
    free(wrong);
    return both;
}

static char *judge_end(const crash_ground *g, const crash_stop *stop, const crash_trace *trace, const char *work,
                       const char *out, const char *err) {
    if (stop->how == CRASH_KILL) {
        return trace->status == 128 + 9 ? judge_output(g, work, false) : crash_text("status %d", trace->status);
    }
    if (trace->status != 0) {
        char *wrong =
            stop->how == CRASH_SHORT ? crash_text("status %d", trace->status) : judge_message(trace, stop, err);
        if (wrong) {
            char *said = message_of(err), *both = crash_text("%s: %s", wrong, said);
            free(said), free(wrong);
            return both;
        }
        return judge_output(g, work, false);
    }
    return judge_success(g, stop, trace, work, out, err);
}

/* The same command again. */
static char *judge_again(const crash_ground *g, const char *work, const char *place) {
    char *out = path_in(place, "out.again"), *err = path_in(place, "err.again");
    char *usual = crash_text("%s.err", g->after_out), *wrong = NULL;
    int status = run_plainly(g, work, out, err);
    bool done_before = g->scenario->once && (status == 9 || status == 11);
    char *complaint = done_before ? NULL : complaint_in(err, usual);
    if (status != 0 && !done_before) {
        char *said = message_of(err);
        wrong = crash_text("again: status %d: %s", status, said);
        free(said);
    } else if (complaint) {
        wrong = crash_text("again: %s", complaint);
    } else {
        char *end = judge_final(g, work, out, NULL);
        wrong = end ? crash_text("again: %s", end) : NULL;
        free(end);
    }
    free(complaint), free(out), free(err), free(usual);
    return wrong;
}

char *crash_try(const crash_ground *ground, const crash_stop *stop, const char *place, bool keep, crash_trace *trace) {
    const char *why = NULL;
    make_folder(place);
    char *work = path_in(place, "work"), *out = path_in(place, "out"), *err = path_in(place, "err"), *wrong = NULL;
    crash_folder_copy(ground->before, work);
    if (stop_at(ground, stop, work, out, err, trace, &why) != 0) {
        wrong = crash_text("%s", why);
    } else if (trace->reached) {
        wrong = judge_end(ground, stop, trace, work, out, err);
        wrong = wrong ? wrong : judge_committed(ground, work, place);
        wrong = wrong ? wrong : judge_again(ground, work, place);
    }
    if (!wrong || !keep) {
        crash_folder_remove(place);
    }
    free(work), free(out), free(err);
    return wrong;
}

/* ---- the ground ---- */

static char *replaced(const char *word) {
    const char *at = strchr(word, '@');
    if (!at || !(at[1] == 'S' || at[1] == 'Q')) {
        return crash_text("%s", word);
    }
    return crash_text("%.*s%s%s", (int)(at - word), word, getenv(at[1] == 'Q' ? "QUICK" : "SOURCE"), at + 2);
}

static char **words_of(const char *program, const char *command) {
    char *text = crash_text("%s", command), *next = NULL, **words = calloc(64, sizeof *words);
    size_t count = 0;
    if (words == NULL) {
        abort();
    }
    words[count++] = crash_text("%s", program);
    for (char *word = strtok_r(text, " ", &next); word && count < 63; word = strtok_r(NULL, " ", &next)) {
        words[count++] = replaced(word);
    }
    free(text);
    return words;
}

static void free_words(char **words) {
    for (size_t i = 0; words && words[i]; i++) {
        free(words[i]);
    }
    free(words);
}

static int prepare(const crash_ground *g) {
    setenv("RFT_NVRTC", "off", 1);
    set_cache(g->scenario, g->before);
    make_folder(g->before);
    if (!g->scenario->prepare) {
        return 0;
    }
    char *script = crash_text("cd '%s' && { %s; } >/dev/null 2>'%s.err'", g->before, g->scenario->prepare, g->before);
    int status = system(script);
    free(script);
    return status;
}

/* Killed in the middle. */
static int leave_half(crash_ground *g, const char *out, const char *err, const char **why) {
    crash_trace trace;
    crash_stop count = {.how = CRASH_COUNT}, half = {.how = CRASH_KILL};
    crash_ground begun = *g;
    begun.words = words_of(g->program, g->scenario->begun);
    int rc = stop_at(&begun, &count, g->before, out, err, &trace, why);
    half.at = trace.count / 2;
    free(trace.calls);
    make_folder(g->before);
    rc = rc ? rc : stop_at(&begun, &half, g->before, out, err, &trace, why);
    free_words(begun.words);
    return rc;
}

/* Of a copy: the folder stays as the stopped command left it. */
static rft_run *run_in(const crash_ground *g, const char *folder, const char *scratch) {
    if (!g->scenario->run) {
        return NULL;
    }
    char *copy = path_in(scratch, "copy");
    crash_folder_copy(folder, copy);
    char *path = path_in(copy, g->scenario->run);
    rft_run *run = crash_seen_load(path);
    crash_folder_remove(copy);
    free(copy), free(path);
    return run;
}

int crash_ground_make(crash_ground *g, const crash_scenario *scenario, const char *program, const char *scratch,
                      char **why) {
    const char *cause = "";
    crash_trace trace = {0};
    crash_stop count = {.how = CRASH_COUNT};
    *g = (crash_ground){.scenario = scenario, .program = program, .words = words_of(program, scenario->command)};
    g->before = crash_text("%s/%s.before", scratch, scenario->name);
    g->after = crash_text("%s/%s.after", scratch, scenario->name);
    g->after_out = crash_text("%s/%s.out", scratch, scenario->name);
    char *err = crash_text("%s.err", g->after_out);
    int rc = prepare(g) == 0 ? 0 : 1;
    if (rc == 0 && scenario->begun) {
        rc = leave_half(g, g->after_out, err, &cause);
    }
    if (rc == 0) {
        crash_folder_copy(g->before, g->after);
        rc = stop_at(g, &count, g->after, g->after_out, err, &trace, &cause);
    }
    g->calls = trace.calls;
    g->count = scenario->most && scenario->most < trace.count ? scenario->most : trace.count;
    *why = NULL;
    if (rc || trace.status != 0) {
        char *said = message_of(err);
        *why = crash_text("%s: %s: status %d, %s", scenario->name, cause, trace.status, said);
        rc = rc ? rc : 1;
        free(said);
    } else {
        g->before_run = run_in(g, g->before, scratch);
        g->after_run = run_in(g, g->after, scratch);
    }
    free(err);
    return rc;
}

void crash_ground_free(crash_ground *g) {
    free_words(g->words);
    rft_run_free(g->before_run);
    rft_run_free(g->after_run);
    free(g->before), free(g->after), free(g->after_out), free(g->calls);
}
