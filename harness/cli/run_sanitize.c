/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/run_sanitize.h"

#include "base/clock.h"
#include "cli/command_text.h"
#include "cli/interrupt.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOOK_AGAIN_MS 200
#define LIMIT_S 600.0          /* of one point: instrumented code is a hundred times slower at worst */
#define OUTPUT_BYTES (4 << 20) /* what comes behind is not kept: the summary of a hundred errors is long before */
#define SAID_BYTES 400
#define PREFIX "========= "
#define NOT_RUN "not run: "
#define NOT_INSTALLED NOT_RUN "compute-sanitizer is not installed"

/* ---- what it says ---- */

/* The next line's text behind the tool's prefix, with its indentation; NULL: no more. */
static const char *next_message(const char **at, size_t *length) {
    while (**at) {
        const char *line = *at;
        size_t bytes = strcspn(line, "\n");
        *at += bytes + (line[bytes] == '\n');
        if (bytes > strlen(PREFIX) && strncmp(line, PREFIX, strlen(PREFIX)) == 0) {
            *length = bytes - strlen(PREFIX);
            return line + strlen(PREFIX);
        }
    }
    return NULL;
}

static bool begins(const char *text, size_t length, const char *with) {
    return length >= strlen(with) && strncmp(text, with, strlen(with)) == 0;
}

/* The first error: its headline, where in the code, and how far outside. */
static void add_first_error(rft_str *out, const char *output) {
    static const char *const no_error[] = {"COMPUTE-SANITIZER", "ERROR SUMMARY", "Target application",
                                           "Error: ", "Warning: "};
    size_t length = 0;
    bool found = false;
    for (const char *text; (text = next_message(&output, &length)) != NULL;) {
        bool detail = *text == ' ';
        bool skip = false;
        for (size_t i = 0; i < sizeof no_error / sizeof *no_error; i++) {
            skip = skip || begins(text, length, no_error[i]);
        }
        while (length > 0 && *text == ' ') {
            text++;
            length--;
        }
        if (!detail && !skip && found) {
            return;
        }
        if (!detail && !skip) {
            rft_str_add(out, ": ");
            rft_str_add_n(out, text, length);
            found = true;
        } else if (detail && found && (begins(text, length, "at ") || begins(text, length, "and is "))) {
            rft_str_add(out, ", ");
            rft_str_add_n(out, text, length);
        }
    }
}

/* The program's own message, else the tool's, else what came last. */
static void add_failure(rft_str *out, const char *output, int status) {
    static const char *const telling[] = {"", PREFIX "Error: ", "rooftune: "};
    const char *said = NULL;
    size_t best = 0;
    for (const char *line = output; *line; line += strcspn(line, "\n") + (strchr(line, '\n') != NULL)) {
        size_t rank = rft_text_starts(line, telling[2]) ? 2 : rft_text_starts(line, telling[1]) ? 1 : 0;
        if (*line != '\n' && rank >= best) {
            said = line;
            best = rank;
        }
    }
    if (said) {
        said += rft_text_starts(said, PREFIX) ? strlen(PREFIX) : 0;
        rft_str_add_n(out, said, strcspn(said, "\n"));
    } else {
        rft_str_addf(out, "compute-sanitizer ended with status %d", status);
    }
}

static const char *kept(rft_str *text, rft_arena *arena) {
    size_t length = text->length < SAID_BYTES ? text->length : SAID_BYTES;
    while (length < text->length && ((unsigned char)text->data[length] & 0xc0) == 0x80) {
        length--;
    }
    const char *out = rft_arena_strndup(arena, rft_str_get(text), length);
    rft_str_clear(text);
    return out;
}

const char *rft_sanitizer_said(const char *output, int status, rft_arena *arena) {
    static const char summary[] = "ERROR SUMMARY: ";
    rft_str text = RFT_STR_INIT;
    long errors = -1;
    size_t length = 0;
    const char *at = output;
    for (const char *line; (line = next_message(&at, &length)) != NULL;) {
        if (begins(line, length, summary) && isdigit((unsigned char)line[strlen(summary)])) {
            errors = strtol(line + strlen(summary), NULL, 10);
        }
    }
    if (errors > 0) {
        rft_str_addf(&text, "%ld error%s", errors, errors == 1 ? "" : "s");
        add_first_error(&text, output);
    } else if (errors == 0 && status == 0) {
        rft_str_add(&text, RFT_SANITIZER_CLEAN);
    } else {
        rft_str_add(&text, NOT_RUN);
        add_failure(&text, output, status);
    }
    return kept(&text, arena);
}

/* ---- running it ---- */

static void add(rft_words *w, const char *word) {
    w->items[w->count++] = word;
}

static const char *assignment(const char *name, const rft_value *value, rft_arena *arena) {
    rft_str text = RFT_STR_INIT;
    rft_str_addf(&text, "%s=", name);
    rft_value_format(&text, value);
    const char *word = rft_arena_strdup(arena, rft_str_get(&text));
    rft_str_clear(&text);
    return word;
}

/* `rooftune point ...` as words; the first is the program. */
static void add_point(rft_words *w, const rft_run_sanitize *s, const char *program, const rft_point *point,
                      rft_arena *arena) {
    const rft_sweep *sweep = &s->file->run->sweeps[point->sweep].sweep;
    const rft_variant *variant = &sweep->variants[point->variant];
    const char *const fixed[] = {program,     "point",     s->paths[point->sweep], "--sweep",
                                 sweep->name, "--variant", variant->name,          "--bare",
                                 "--timeout", "1h"};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
        add(w, fixed[i]);
    }
    for (size_t i = 0; i < sweep->axis_count; i++) {
        add(w, "--at");
        add(w, assignment(sweep->axes[i].name, &sweep->problems[point->problem].values[i], arena));
    }
    for (size_t i = 0; i < variant->param_count; i++) {
        add(w, "--set");
        add(w, assignment(variant->params[i].name, &point->config[i], arena));
    }
    if (s->o->device) {
        add(w, "-d");
        add(w, s->o->device);
    }
    if (s->o->wait) {
        add(w, "--wait");
    }
    for (size_t i = 0; i < s->o->allow_paths.count; i++) {
        add(w, "--allow-path");
        add(w, s->o->allow_paths.items[i]);
    }
    for (size_t i = 0; i < s->o->script_args.count; i++) {
        add(w, i == 0 ? "--" : s->o->script_args.items[i - 1]);
    }
    if (s->o->script_args.count > 0) {
        add(w, s->o->script_args.items[s->o->script_args.count - 1]);
    }
}

/* Ended by NULL, which is not counted. */
static rft_words words_of(const rft_run_sanitize *s, const char *tool, const char *program, const rft_point *point,
                          rft_arena *arena) {
    /* Children compile and never touch the device. API errors are none: rooftune asks until the driver says no. The
     * tool's own padding keeps one small buffer from being taken for the next. */
    static const char *const options[] = {
        "--tool",    "memcheck", "--target-processes", "application-only", "--report-api-errors", "no",
        "--padding", "65536"};
    const rft_sweep *sweep = &s->file->run->sweeps[point->sweep].sweep;
    size_t most = 32 + 2 * (sweep->axis_count + sweep->variants[point->variant].param_count + s->o->allow_paths.count +
                            s->o->script_args.count);
    rft_words w = {rft_arena_calloc(arena, most, sizeof *w.items), 0};
    add(&w, tool);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        add(&w, options[i]);
    }
    add_point(&w, s, program, point, arena);
    return w;
}

/* Between fork and exec; a group of its own, so that all of it can be ended. */
static void become_tool(char **argv, int end, pid_t parent) {
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == parent && dup2(nothing, STDIN_FILENO) >= 0 && dup2(end, STDOUT_FILENO) >= 0 &&
        dup2(end, STDERR_FILENO) >= 0) {
        execv(argv[0], argv);
    }
    _exit(127);
}

/* Reads until its end, the limit or a signal; false: it did not end by itself. */
static bool read_all(int fd, rft_str *output) {
    const rft_clock *clock = rft_clock_system();
    int64_t begun_ns = clock->monotonic_ns(clock->self);
    char buffer[65536];
    for (;;) {
        struct pollfd watched = {.fd = fd, .events = POLLIN};
        poll(&watched, 1, LOOK_AGAIN_MS);
        if (rft_interrupt_count() > 0 || (double)(clock->monotonic_ns(clock->self) - begun_ns) * 1e-9 > LIMIT_S) {
            return false;
        }
        ssize_t got = watched.revents ? read(fd, buffer, sizeof buffer) : -1;
        if (got == 0 || (got < 0 && watched.revents && errno != EINTR && errno != EAGAIN)) {
            return true;
        }
        if (got > 0 && output->length + (size_t)got <= OUTPUT_BYTES) {
            rft_str_add_n(output, buffer, (size_t)got);
        }
    }
}

static const char *run_tool(char **argv, rft_arena *arena) {
    int ends[2];
    pid_t parent = getpid();
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return rft_arena_printf(arena, NOT_RUN "%s", strerror(errno));
    }
    pid_t pid = fork();
    if (pid == 0) {
        become_tool(argv, ends[1], parent);
    }
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return rft_arena_printf(arena, NOT_RUN "%s", strerror(errno));
    }
    setpgid(pid, pid);
    rft_str output = RFT_STR_INIT;
    bool ended = read_all(ends[0], &output);
    int status = 0;
    close(ends[0]);
    if (!ended) {
        kill(-pid, SIGKILL);
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    const char *said = ended ? rft_sanitizer_said(rft_str_get(&output), status, arena)
                             : rft_arena_printf(arena, NOT_RUN "it took longer than %.0f s", LIMIT_S);
    rft_str_clear(&output);
    return said;
}

/* ---- what is checked ---- */

static rft_point *own_point(rft_run *run, rft_point *point) {
    for (size_t i = 0; point && point->alias_of && i < run->point_count; i++) {
        if (run->points[i].id == point->alias_of) {
            return &run->points[i];
        }
    }
    return point;
}

/* The best's configuration on the odd problem, where it was verified; NULL. */
static rft_point *odd_point(rft_run *run, const rft_point *best) {
    const rft_sweep *sweep = &run->sweeps[best->sweep].sweep;
    size_t count = sweep->variants[best->variant].param_count;
    for (size_t i = 0; i < run->point_count; i++) {
        rft_point *point = &run->points[i];
        if (point->sweep == best->sweep && point->variant == best->variant && sweep->problems[point->problem].odd &&
            rft_outcome_is_measured(point->outcome) && rft_values_equal(point->config, best->config, count)) {
            return own_point(run, point);
        }
    }
    return NULL;
}

static bool is_due(const rft_point *point) {
    return point && (!point->verification.sanitizer || rft_text_starts(point->verification.sanitizer, NOT_RUN));
}

/* A finished run has no writer: one is opened for this point. */
static int store_point(const rft_run_sanitize *s, const rft_point *point, rft_err *err) {
    rft_store *store = NULL;
    if (s->file->store) {
        return rft_store_put_point(s->file->store, point, err);
    }
    int rc = rft_store_open(&store, s->file->path, RFT_STORE_WRITE, err);
    rc = rc == RFT_OK ? rft_store_put_point(store, point, err) : rc;
    rft_store_close(store);
    return rc;
}

static int check_point(const rft_run_sanitize *s, rft_point *point, rft_err *err) {
    rft_run *run = s->file->run;
    if (!is_due(point)) {
        return RFT_OK;
    }
    rft_arena *arena = rft_arena_new();
    const char *said = NOT_INSTALLED;
    int rc = RFT_OK;
    fprintf(s->cli->talk, "compute-sanitizer: %s, %s, %s: ", run->sweeps[point->sweep].sweep.name,
            rft_run_problem_text(run, point->sweep, point->problem, true, arena),
            rft_run_config_text(run, point, true, arena));
    fflush(s->cli->talk);
    if (s->tool) {
        said = run_tool((char **)(uintptr_t)words_of(s, s->tool, s->cli->program, point, arena).items, arena);
    }
    if (rft_interrupt_count() > 0) {
        rft_err_set(err, RFT_E_INTERRUPTED, "stopped while compute-sanitizer ran; the run is finished and stored");
        (void)rft_err_remedy(err, "the same command again checks the rest and writes the report");
        rc = RFT_E_INTERRUPTED;
    } else {
        point->verification.sanitizer = rft_arena_strdup(run->arena, said);
        rc = store_point(s, point, err);
    }
    fprintf(s->cli->talk, "%s\n", rc == RFT_OK ? said : "stopped");
    rft_arena_free(arena);
    return rc;
}

static bool has_errors(const rft_point *point) {
    const char *said = point->verification.sanitizer;
    return !point->alias_of && said && isdigit((unsigned char)*said);
}

int rft_run_sanitize_all(const rft_run_sanitize *s, rft_err *err) {
    rft_run *run = s->file->run;
    int rc = RFT_OK;
    for (size_t i = 0; rc == RFT_OK && i < run->sweep_count; i++) {
        size_t problem = rft_run_largest(run, i);
        const rft_point *best = problem == SIZE_MAX ? NULL : rft_run_best(run, i, SIZE_MAX, problem);
        if (best) {
            rft_point *point = &run->points[best - run->points];
            rc = check_point(s, point, err);
            rc = rc == RFT_OK ? check_point(s, odd_point(run, point), err) : rc;
        }
    }
    return rc;
}

void rft_run_sanitize_look(rft_cli *cli, const char *tool) {
    if (!tool) {
        rft_log_warn(&cli->log, "compute-sanitizer is neither on PATH nor in CUDA's folder: --sanitize checks nothing\n"
                                "  remedy: install CUDA's compute-sanitizer and run the same command again, which "
                                "checks what is stored");
    }
}

int rft_run_sanitize_verdict(const rft_run_sanitize *s, rft_err *err) {
    const rft_run *run = s->file->run;
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_point *point = &run->points[i];
        if (has_errors(point)) {
            rft_arena *arena = rft_arena_new();
            rft_err_set(err, RFT_E_SOURCE, "compute-sanitizer found %s", point->verification.sanitizer);
            rft_err_place(err, "sweep %s, %s, %s", run->sweeps[point->sweep].sweep.name,
                          rft_run_problem_text(run, point->sweep, point->problem, true, arena),
                          rft_run_config_text(run, point, false, arena));
            rft_words w = words_of(s, "compute-sanitizer", s->cli->invoked_as, point, arena);
            rft_str line = RFT_STR_INIT;
            rft_command_add_words(&line, w.items, w.count);
            rft_err_remedy(err, "what was measured is stored; all errors: %s", rft_str_get(&line));
            rft_str_clear(&line);
            rft_arena_free(arena);
            return RFT_E_SOURCE;
        }
    }
    return RFT_OK;
}
