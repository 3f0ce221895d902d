/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/real_program.h"

#include "base/fs.h"
#include "base/str.h"
#include "store/store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_S 240
#define WORDS_MAX 64

static char the_program[4096];
static char the_scratch[64];
static char *the_out, *the_err;
static int the_cc;

static bool is_there(const char *path) {
    return access(path, R_OK) == 0;
}

/* The folder above the one this test's program lies in. */
static void own_root(char *root, size_t size) {
    char *program = rft_fs_program();
    char *folder = rft_fs_folder(program), *above = rft_fs_folder(folder);
    snprintf(root, size, "%s", above);
    free(program);
    free(folder);
    free(above);
}

const char *real_program_file(const char *name) {
    static char results[4][4096];
    static unsigned turn;
    char *path = results[turn++ % 4];
    char own[2048];
    const char *given = getenv("RFT_TEST_ROOT");
    own_root(own, sizeof own);
    const char *roots[] = {given, own, RFT_SOURCE_DIR};
    for (size_t i = 0; i < 3; i++) {
        if (roots[i]) {
            snprintf(path, sizeof results[0], "%s/%s", roots[i], name);
            if (is_there(path)) {
                return path;
            }
        }
    }
    fail_msg("the file %s is neither in RFT_TEST_ROOT, nor in %s, nor in the source tree", name, own);
    return NULL;
}

static void find_program(void) {
    char root[2048];
    const char *given = getenv("ROOFTUNE");
    own_root(root, sizeof root);
    if (given && *given) {
        char *path = rft_fs_absolute(given);
        snprintf(the_program, sizeof the_program, "%s", path);
        free(path);
    } else {
        snprintf(the_program, sizeof the_program, "%s/rooftune", root);
    }
}

/* ---- children ---- */

static void redirect(const char *name, int flags, int to) {
    int fd = open(name, flags, 0600);
    if (fd < 0 || dup2(fd, to) < 0) {
        _exit(126);
    }
    close(fd);
}

static _Noreturn void become_program(char *const argv[]) {
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* nothing of ours outlives a test that was ended */
    if (chdir(the_scratch) != 0) {
        _exit(126);
    }
    redirect("/dev/null", O_RDONLY, STDIN_FILENO);
    redirect("out", O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
    redirect("err", O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
    execv(the_program, argv);
    _exit(127);
}

pid_t real_program_start(const char *const *words) {
    char *argv[WORDS_MAX + 2] = {the_program};
    for (size_t i = 0; words[i] && i < WORDS_MAX; i++) {
        argv[i + 1] = (char *)(uintptr_t)words[i];
    }
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        become_program(argv);
    }
    return child;
}

static void read_text(char **text, const char *name) {
    size_t size = 0;
    char *path = rft_fs_join(the_scratch, name);
    free(*text);
    if (rft_fs_read(text, &size, path, 0, NULL) != RFT_OK) {
        *text = rft_strdup("");
    }
    free(path);
}

static void nap(void) {
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
}

/* -1 when it did not end in time and was killed. */
static int wait_for(pid_t child) {
    int status = 0;
    bool late = true;
    time_t end = time(NULL) + PATIENCE_S;
    while (late && time(NULL) < end) {
        pid_t got = waitpid(child, &status, WNOHANG);
        late = !(got == child || (got < 0 && errno != EINTR));
        if (late) {
            nap();
        }
    }
    if (late) {
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
    }
    read_text(&the_out, "out");
    read_text(&the_err, "err");
    if (late) {
        return -1;
    }
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

bool real_program_is_running(pid_t child) {
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0;
}

int real_program_wait(pid_t child) {
    int status = child > 0 ? wait_for(child) : -1;
    if (status < 0) {
        fail_msg("rooftune did not end within %d s; it said:\n%s%s", PATIENCE_S, the_out, the_err);
    }
    return status;
}

int real_program(const char *const *words) {
    return real_program_wait(real_program_start(words));
}

void real_program_expect(int status, const char *const *words) {
    int got = real_program(words);
    if (got != status) {
        fail_msg("rooftune %s %s ...: exit status %d, expected %d; it said:\n%s%s", words[0], words[1] ? words[1] : "",
                 got, status, the_out, the_err);
    }
}

const char *real_program_out(void) {
    return the_out;
}

const char *real_program_err(void) {
    return the_err;
}

void real_program_said(const char *text, const char *part) {
    if (!strstr(text, part)) {
        fail_msg("\"%s\" is not in:\n%s", part, text);
    }
}

/* ---- run files ---- */

static rft_run *load(const char *name, rft_err *err) {
    rft_run *run = NULL;
    char *path = rft_fs_join(the_scratch, name);
    int rc = rft_store_load(&run, path, err);
    free(path);
    return rc == RFT_OK ? run : NULL;
}

const char *real_program_scratch(void) {
    return the_scratch;
}

rft_run *real_program_try_load(const char *name) {
    return real_program_has_file(name) ? load(name, NULL) : NULL;
}

rft_run *real_program_load(const char *name) {
    rft_err err = RFT_ERR_INIT;
    rft_run *run = load(name, &err);
    if (!run) {
        fail_msg("%s: %s", name, err.message);
    }
    return run;
}

bool real_program_has_file(const char *name) {
    struct stat facts;
    char *path = rft_fs_join(the_scratch, name);
    bool there = stat(path, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size > 0;
    free(path);
    return there;
}

const char *real_program_point_text(const rft_run *run, const rft_point *point) {
    return rft_arena_printf(run->arena, "%s %s %s: %s%s%s", run->sweeps[point->sweep].sweep.name,
                            rft_run_problem_text(run, point->sweep, point->problem, false, run->arena),
                            rft_run_config_text(run, point, false, run->arena), rft_outcome_name(point->outcome),
                            point->reason ? ": " : "", point->reason ? point->reason : "");
}

/* ---- the whole ---- */

static int open_program(void) {
    find_program();
    snprintf(the_scratch, sizeof the_scratch, "/tmp/rooftune-test-XXXXXX");
    if (!mkdtemp(the_scratch)) {
        printf("no scratch folder: %s\n", strerror(errno));
        return 1;
    }
    char *cache = rft_fs_join(the_scratch, "cache");
    setenv("RFT_CACHE", cache, 0); /* one given from outside is used */
    free(cache);
    int status = wait_for(real_program_start(WORDS("devices")));
    if (status != 0) {
        printf("%s devices ended with %d:\n%s%s", the_program, status, the_out, the_err);
        return 1;
    }
    const char *device = strstr(the_out, "device 0:"), *arch = device ? strstr(device, ", sm_") : NULL;
    if (!device || strstr(the_out, "no NVRTC")) {
        const char *rest = strstr(the_out, "libraries\n");
        printf("skipped:\n%.*s", rest ? (int)(rest - the_out) : (int)strlen(the_out), the_out);
        return 77;
    }
    the_cc = arch ? atoi(arch + 5) : 0;
    return 0;
}

static void remove_folder(const char *path) {
    char **names = NULL;
    size_t count = 0;
    if (rft_fs_list(&names, &count, path, NULL, NULL) != RFT_OK) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        char *each = rft_fs_join(path, names[i]);
        if (rft_fs_is_folder(each)) {
            remove_folder(each);
        } else {
            unlink(each);
        }
        free(each);
    }
    rft_fs_list_free(names, count);
    rmdir(path);
}

static void close_program(void) {
    if (the_scratch[0]) {
        remove_folder(the_scratch);
    }
    free(the_out);
    free(the_err);
    the_out = the_err = NULL;
}

const char *real_program_path(void) {
    if (!*the_program) {
        find_program();
    }
    return the_program;
}

int real_program_cc(void) {
    return the_cc;
}

int real_program_tests(const struct CMUnitTest *tests, size_t count, int least_cc, const char *what) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    int status = open_program();
    if (status == 0 && the_cc < least_cc) {
        printf("skipped: %s needs compute capability %d.%d\n", what, least_cc / 10, least_cc % 10);
        status = 77;
    }
    if (status == 0) {
        status = _cmocka_run_group_tests("tests", tests, count, NULL, NULL);
    }
    close_program();
    return status;
}
