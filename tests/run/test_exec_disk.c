/* SPDX-License-Identifier: Apache-2.0 */
/* The run file is in trouble: the disk is full at every write of a session in turn, another run writes to it, it goes
 * away, it may not be written. What was committed stays, and the continued run is what an undisturbed one is. */
#include "run/full_disk.h"
#include "run/same_runs.h"
#include "run/scene.h"

#include "base/fs.h"
#include "support/sanitized.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const scripted_sweep_opts mixed = {.fates = {"ok", "odd_wrong", "too_large", "wrong"},
                                          .speeds = {10, 20},
                                          .cosmetics = 2,
                                          .sizes = {1000, 2000},
                                          .odd = 1001};

static void remove_run(scene *s, const char *name) {
    const char *suffixes[] = {"", "-wal", "-shm", "-journal", "-lock"};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        char file[64];
        snprintf(file, sizeof file, "%s%s", name, suffixes[i]);
        unlink(scene_path(s, file));
    }
}

static size_t stored_points(scene *s, const char *name) {
    rft_run *run = NULL;
    size_t count = 0;
    if (rft_fs_exists(scene_path(s, name)) && rft_store_load(&run, scene_path(s, name), NULL) == RFT_OK) {
        count = run->point_count;
    }
    rft_run_free(run);
    return count;
}

/* A recording answers at once: a session is over in milliseconds and every write of it can be tried. */
static const rft_run *scene_of_replay(scene *s) {
    scene_open(s, 2);
    scene_sweep(s, &mixed);
    scene_run(s, "recorded.db");
    scene_replay(s, "recorded.db");
    s->opts.pool = NULL;
    return scene_run(s, "whole.db");
}

static void expect_full(const scene *s, int rc, unsigned write, const char *remedy) {
    if (rc != RFT_E_STORE || !strstr(s->err.message, "disk full while") || !strstr(s->err.message, "disk.db") ||
        !strstr(s->err.remedy, remedy)) {
        fail_msg("write %u: %d %s (%s)", write, rc, s->err.message, s->err.remedy);
    }
}

/* Each write fails, one for good and the next one once, in turn; each both ways with RFT_ALL_DRAWS. */
#ifdef RFT_ALL_DRAWS
#define FILLED_BOTH true
#define FILLED_ONCE(write) false
#else
#define FILLED_BOTH false
#define FILLED_ONCE(write) ((write) % 2 == 0)
#endif

/* From that write on everything fails, until there is room again. False: the session has fewer writes. */
static bool fill_from(scene *s, const rft_run *whole, unsigned write, bool once) {
    unsigned reports = 0;
    remove_run(s, "disk.db");
    full_disk_fail(write, once);
    int rc = scene_session(s, "disk.db", 1);
    unsigned writes = full_disk_writes();
    bool reached = writes >= write;
    reports = s->reports;
    full_disk_fail(0, false);
    if (rc != RFT_OK) {
        assert_true(reached);
        expect_full(s, rc, write, "make room");
        size_t stored = stored_points(s, "disk.db");
        assert_true(stored >= reports || reports > whole->point_count); /* what was reported is stored */
        assert_int_equal(scene_session(s, "disk.db", 1), RFT_OK);
        assert_true(s->last.done - s->last.taken >= stored); /* and was not taken again */
    }
    /* Room may run out only while the file is tidied up at its end: then nothing is lost and nothing is said. */
    expect_same_runs(whole, scene_load(s, "disk.db"));
    return reached;
}

static void a_disk_that_is_full_at_any_write(void **state) {
    (void)state;
    scene s;
    const rft_run *whole = scene_of_replay(&s);
    full_disk_install();
    unsigned write = 1;
    while (fill_from(&s, whole, write, FILLED_ONCE(write))) {
        if (FILLED_BOTH) {
            fill_from(&s, whole, write, true);
        }
        write += SANITIZED ? 3 : 1;
    }
    print_message("of %u writes each%s\n", write - 1, SANITIZED ? " third" : "");
    assert_true(write > 100);
    full_disk_remove();
    remove_run(&s, "disk.db");
    scene_close(&s);
}

/* The same by a limit of the system, and by as much as a point at a time: the file grows, then may not grow further. */
static void a_limit_that_is_lifted_bit_by_bit(void **state) {
    (void)state;
    scene s;
    const rft_run *whole = scene_of_replay(&s);
    struct rlimit limit, before;
    getrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, SIG_IGN);
    limit = before;
    unsigned sessions = 0, failed = 0;
    int rc = RFT_E_STORE;
    for (limit.rlim_cur = 4096; rc != RFT_OK; limit.rlim_cur += 4096, sessions++) {
        assert_true(sessions < 1000);
        setrlimit(RLIMIT_FSIZE, &limit);
        rc = scene_session(&s, "disk.db", 1);
        setrlimit(RLIMIT_FSIZE, &before);
        if (rc != RFT_OK) {
            failed++;
            expect_full(&s, rc, sessions, "allow larger files (ulimit -f)");
        }
    }
    signal(SIGXFSZ, SIG_DFL);
    assert_true(failed > 10);
    expect_same_runs(whole, scene_load(&s, "disk.db"));
    scene_close(&s);
}

/* ---- others ---- */

typedef struct meddling {
    scene *scene;
    int status; /* of the other */
    uint64_t at;
} meddling;

/* In the middle of the first run, a second one with the same file. */
static void start_another(void *payload, const rft_exec_progress *now) {
    meddling *m = payload;
    if (now->done != m->at) {
        return;
    }
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        scene other = *m->scene;
        other.progress_hook = NULL;
        scene_workers(&other, 1);
        int rc = scene_session(&other, "a.db", 1);
        char holder[32];
        snprintf(holder, sizeof holder, "process %ld", (long)getppid());
        bool told = strstr(other.err.message, "another rooftune is writing") && strstr(other.err.message, holder) &&
                    strstr(other.err.remedy, "wait until it has finished");
        _exit(rc == RFT_E_STORE && told ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &m->status, 0), child);
}

static void a_second_run_with_the_same_file_is_sent_away(void **state) {
    (void)state;
    scene s;
    scene_open(&s, 2);
    scene_sweep(&s, &mixed);
    const rft_run *whole = scene_run(&s, "whole.db");
    meddling m = {.scene = &s, .status = -1, .at = 5};
    s.progress_hook = start_another;
    s.hook_payload = &m;
    const rft_run *run = scene_run(&s, "a.db");
    assert_true(WIFEXITED(m.status) && WEXITSTATUS(m.status) == 0);
    expect_same_runs(whole, run); /* the first never noticed */
    scene_close(&s);
}

static void take_away(void *payload, const rft_exec_progress *now) {
    meddling *m = payload;
    if (now->done == m->at) {
        assert_int_equal(unlink(scene_path(m->scene, "a.db")), 0);
    }
}

/* SQLite would write on into nothing and the run would end well, with nothing to show for it. */
static void a_run_file_that_is_removed_ends_the_run(void **state) {
    (void)state;
    scene s;
    scene_open(&s, 2);
    scene_sweep(&s, &mixed);
    meddling m = {.scene = &s, .at = 5};
    s.progress_hook = take_away;
    s.hook_payload = &m;
    assert_int_equal(scene_session(&s, "a.db", 1), RFT_E_STORE);
    assert_non_null(strstr(s.err.message, "a.db was removed, renamed or replaced"));
    assert_non_null(strstr(s.err.remedy, "run the same command again"));
    assert_int_equal(s.reports, 5); /* at the next point */
    s.progress_hook = NULL;
    const rft_run *run = scene_run(&s, "a.db"); /* begins again */
    assert_int_equal(s.last.taken, run->point_count);
    scene_expect_once(run);
    scene_close(&s);
}

/* /sys is a folder in which no user may create files. */
static void a_folder_that_cannot_be_written(void **state) {
    (void)state;
    scene s;
    scene_open(&s, 1);
    scene_sweep(&s, &mixed);
    rft_store *store = NULL;
    assert_int_equal(rft_store_open(&store, "/sys/run.db", RFT_STORE_CREATE, &s.err), RFT_E_IO);
    assert_non_null(strstr(s.err.message, "cannot create /sys/run.db"));
    assert_non_null(strstr(s.err.remedy, "that you may write to"));
    assert_null(store);
    scene_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_disk_that_is_full_at_any_write),
        cmocka_unit_test(a_limit_that_is_lifted_bit_by_bit),
        cmocka_unit_test(a_second_run_with_the_same_file_is_sent_away),
        cmocka_unit_test(a_run_file_that_is_removed_ends_the_run),
        cmocka_unit_test(a_folder_that_cannot_be_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
