/* SPDX-License-Identifier: Apache-2.0 */
/* The coordinator is killed at 80 random moments (200 with RFT_ALL_DRAWS), over several runs one after another: what
 * each leaves in the end is what an undisturbed run leaves, and nothing that was committed is measured again. */
#include "run/same_runs.h"
#include "run/scene.h"
#include "support/sanitized.h"

#include "base/fs.h"
#include "base/hash.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef RFT_ALL_DRAWS
enum { KILLS = SANITIZED ? 40 : 200 };
#else
enum { KILLS = SANITIZED ? 40 : 80 };
#endif
enum { KNEE_ADDED = 4 };

/* Twins, what is wrong on the odd size only, what fails early and late, and what takes its worker down. */
static const scripted_sweep_opts mixed = {.fates = {"ok", "odd_wrong", "compile_refused", "too_large"},
                                          .speeds = {10, 20, 30},
                                          .cosmetics = 2,
                                          .odd = 1001,
                                          .sizes = {1000, 2000}};
static const scripted_sweep_opts deadly = {.name = "deadly", .fates = {"exits", "ok"}, .sizes = {500, 600, 700}};

/* What refine() adds is derived from points, and is there again. One of the two is far ahead: no turns in the final
 * round, whose requests look alike. */
static const scripted_sweep_opts knee = {.name = "knee",
                                         .fates = {"knee"},
                                         .speeds = {10, 60},
                                         .sizes = {500, 1000, 2000, 4000, 8000, 16000, 32000},
                                         .refine = 2};

/* ---- a session in a process of its own ---- */

static pid_t start_session(scene *s, const char *name) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        scene_append(s->measure_log, "session\n");
        scene_workers(s, 2);
        int rc = scene_session(s, name, 1);
        if (rc != RFT_OK) {
            print_error("%s: %s\n", s->err.place, s->err.message);
        }
        _exit(rc == RFT_OK ? 0 : 1);
    }
    return child;
}

/* Did it end by itself? */
static bool ended_well(pid_t child) {
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) ? WTERMSIG(status) == SIGKILL : WEXITSTATUS(status) == 0);
    return !WIFSIGNALED(status);
}

/* ---- what was measured ---- */

typedef struct measures {
    char *text;
    const char **lines; /* of the text */
    size_t count;
} measures;

static measures read_measures(const char *path) {
    measures m = {0};
    rft_err err = RFT_ERR_INIT;
    size_t size = 0, capacity = 0;
    assert_int_equal(rft_fs_read(&m.text, &size, path, 0, &err), RFT_OK);
    for (char *line = strtok(m.text, "\n"); line; line = strtok(NULL, "\n")) {
        RFT_GROW(m.lines, capacity, m.count + 1);
        m.lines[m.count++] = line;
    }
    return m;
}

static void free_measures(measures *m) {
    free(m->lines);
    free(m->text);
}

static bool is_session(const char *line) {
    return strcmp(line, "session") == 0;
}

static bool has_line(const measures *m, const char *line, size_t until) {
    for (size_t i = 0; i < until; i++) {
        if (strcmp(m->lines[i], line) == 0) {
            return true;
        }
    }
    return false;
}

/* Only what was in flight when the coordinator was killed is measured again, and what had just been answered: it is
 * stored while the next is at work. The last two of a session, among the first two of a later one. */
static void expect_no_repetition(const measures *all, const measures *undisturbed) {
    const char *in_flight[2] = {"", ""}, *last[2] = {"", ""};
    size_t different = 0, expected = 0, may = 0;
    for (size_t i = 0; i < all->count; i++) {
        const char *line = all->lines[i];
        if (is_session(line)) {
            memcpy(in_flight, last, sizeof in_flight);
            may = 2;
            continue;
        }
        bool again = has_line(all, line, i);
        if (again && (may == 0 || (strcmp(line, in_flight[0]) != 0 && strcmp(line, in_flight[1]) != 0))) {
            fail_msg("measured again: %s", line);
        }
        different += again ? 0 : 1;
        last[0] = last[1];
        last[1] = line;
        may -= may > 0 ? 1 : 0;
    }
    for (size_t i = 0; i < undisturbed->count; i++) {
        if (!is_session(undisturbed->lines[i])) {
            expected++;
            assert_true(has_line(all, undisturbed->lines[i], all->count));
        }
    }
    assert_int_equal(different, expected);
}

/* ---- the test ---- */

typedef struct undisturbed {
    rft_run *run;
    measures measured;
    double seconds; /* of its session */
} undisturbed;

static undisturbed run_undisturbed(scene *s) {
    undisturbed made = {0};
    s->measure_log = scene_path(s, "whole.log");
    double begun_s = scene_now_s();
    assert_true(ended_well(start_session(s, "whole.db")));
    made.seconds = scene_now_s() - begun_s;
    made.run = scene_load(s, "whole.db");
    assert_true(made.run->info.finished_unix_ns > 0);
    made.measured = read_measures(s->measure_log);
    return made;
}

/* Kills sessions of one run until it has ended, or there were enough. Returns how many were killed. */
static unsigned disturb(scene *s, const char *name, double session_s, unsigned most, uint64_t *seed) {
    unsigned kills = 0;
    bool ended = false;
    while (!ended) {
        pid_t child = start_session(s, name);
        if (kills < most) {
            scene_sleep_s(session_s * rft_random_unit(seed));
            kill(child, SIGKILL);
        }
        ended = ended_well(child);
        kills += ended ? 0 : 1;
        assert_true(scene_wait_end(s, 5)); /* no worker outlives it */
    }
    return kills;
}

static void killed_at_any_moment_a_run_becomes_what_it_would_have_been(void **state) {
    (void)state;
    scene s;
    /* A leak check that is killed half-way can leave its process waiting for ever: none in workers. */
    setenv("LSAN_OPTIONS", "detect_leaks=0", 1);
    uint64_t seed = 20;
    unsigned kills = 0, runs = 0;
    scene_open(&s, 2);
    scene_sweep(&s, &mixed);
    scene_sweep(&s, &deadly);
    scene_sweep(&s, &knee);
    s.opts.ceilings = scene_give_ceilings;
    undisturbed whole = run_undisturbed(&s);
    assert_int_equal(whole.run->sweeps[2].sweep.problem_count, 7 + KNEE_ADDED);
    for (; kills < KILLS; runs++) {
        char name[32], log[32];
        snprintf(name, sizeof name, "run%u.db", runs);
        snprintf(log, sizeof log, "run%u.log", runs);
        s.measure_log = scene_path(&s, log);
        kills += disturb(&s, name, whole.seconds, KILLS - kills, &seed);
        measures all = read_measures(s.measure_log);
        expect_same_runs(whole.run, scene_load(&s, name));
        expect_no_repetition(&all, &whole.measured);
        free_measures(&all);
        assert_false(rft_fs_exists(scene_path(&s, "run0.db-wal")));
        assert_false(rft_fs_exists(scene_path(&s, "run0.db-lock")));
    }
    print_message("%u kills in %u runs of %.3f s\n", kills, runs, whole.seconds);
    free_measures(&whole.measured);
    scene_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(killed_at_any_moment_a_run_becomes_what_it_would_have_been),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
