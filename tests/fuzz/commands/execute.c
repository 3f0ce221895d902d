/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz/commands/execute.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const size_t inherited_slack_bytes = (size_t)4 << 20;
enum { FILE_LIMIT_BYTES = 256 << 20, ENV_MAX = 16 };

static double now_s(void) {
    const rft_clock *clock = rft_clock_system();
    return (double)clock->monotonic_ns(clock->self) * 1e-9;
}

static size_t resident_bytes(void) {
    size_t size = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file) {
        resident = fscanf(file, "%zu %zu", &size, &resident) == 2 ? resident : 0;
        fclose(file);
    }
    return resident * (size_t)sysconf(_SC_PAGESIZE);
}

/* A fixed environment: the same everywhere, no device, caches of its own. */
static void environment(char *out[ENV_MAX], const workplace *place, rft_arena *arena) {
    static const char *const passed[] = {"CUDA_HOME", "LD_LIBRARY_PATH"};
    size_t n = 0;
    out[n++] = "PATH=/usr/bin:/bin";
    out[n++] = "LC_ALL=C";
    out[n++] = "TERM=xterm";
    out[n++] = "CUDA_VISIBLE_DEVICES=";
    out[n++] = "ASAN_OPTIONS=exitcode=99:handle_abort=1:hard_rss_limit_mb=4000:quarantine_size_mb=8:detect_leaks=0:"
               "allocator_may_return_null=1";
    out[n++] = "UBSAN_OPTIONS=print_stacktrace=1";
    out[n++] = rft_arena_printf(arena, "HOME=%s/home", place->root);
    out[n++] = rft_arena_printf(arena, "RFT_CACHE=%s/cache", place->root);
    for (size_t i = 0; i < sizeof passed / sizeof *passed; i++) {
        const char *value = getenv(passed[i]);
        if (value) {
            out[n++] = rft_arena_printf(arena, "%s=%s", passed[i], value);
        }
    }
    out[n] = NULL;
}

static void become(const workplace *place, char **argv, char **env, const char *out, const char *err) {
    const struct rlimit no_core = {0, 0}, file = {FILE_LIMIT_BYTES, FILE_LIMIT_BYTES};
    int null = open("/dev/null", O_RDONLY), to = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    int talk = open(err, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setsid();
    setrlimit(RLIMIT_CORE, &no_core);
    setrlimit(RLIMIT_FSIZE, &file);
    if (dup2(null, 0) == 0 && dup2(to, 1) == 1 && dup2(talk, 2) == 2 && chdir(place->folder) == 0) {
        execve(place->program, argv, env);
    }
    _exit(127);
}

/* Children of children that were left to this process (it is their reaper): waits for them, and ends them at last. */
static size_t reap_orphans(void) {
    double until = now_s() + 2;
    size_t ended = 0;
    for (;;) {
        pid_t pid = waitpid(-1, NULL, WNOHANG);
        if (pid < 0) {
            return ended;
        }
        if (pid > 0) {
            continue;
        }
        if (now_s() < until) {
            usleep(5000);
            continue;
        }
        char path[64];
        snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
        FILE *list = fopen(path, "r");
        int child = 0;
        while (list && fscanf(list, "%d", &child) == 1) {
            ended += kill(child, SIGKILL) == 0;
        }
        if (list) {
            fclose(list);
        }
        until = now_s() + 2;
        if (!child) {
            return ended + 1;
        }
    }
}

/* Waits for it until the limit, then ends it. */
static void await(execution *out, pid_t pid, size_t inherited, double begin_s, double limit_s) {
    const struct timespec step = {.tv_nsec = 50000000};
    struct rusage usage = {0};
    int how = 0;
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    while (wait4(pid, &how, WNOHANG, &usage) == 0) {
        if (!out->hung && now_s() - begin_s > limit_s) {
            out->hung = true;
            kill(pid, SIGKILL);
        }
        (void)sigtimedwait(&child, NULL, &step);
    }
    out->wall_s = now_s() - begin_s;
    out->signal = WIFSIGNALED(how) ? WTERMSIG(how) : 0;
    out->status = WIFEXITED(how) ? WEXITSTATUS(how) : -1;
    out->cpu_s = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                 (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
    /* A process begins with the peak of the one that forked it: below that nothing is known. */
    size_t peak = (size_t)usage.ru_maxrss << 10;
    out->peak_bytes = peak > inherited ? peak : 0;
}

static void read_back(rft_str *to, const char *path) {
    char *data = NULL;
    size_t size = 0;
    if (rft_fs_read(&data, &size, path, 0, NULL) == RFT_OK) {
        rft_str_add_n(to, data, size);
    }
    free(data);
}

void execute(execution *out, const workplace *place, const char *const *words, double wall_limit_s) {
    rft_arena *arena = rft_arena_new();
    char *env[ENV_MAX];
    size_t count = 0;
    *out = (execution){.status = 127};
    environment(env, place, arena);
    while (words[count]) {
        count++;
    }
    char **argv = rft_arena_calloc(arena, count + 2, sizeof *argv);
    argv[0] = rft_arena_strdup(arena, place->program);
    for (size_t i = 0; i < count; i++) {
        argv[i + 1] = rft_arena_strdup(arena, words[i]);
    }
    char *to = rft_arena_printf(arena, "%s/out", place->root), *talk = rft_arena_printf(arena, "%s/err", place->root);
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, NULL);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    double begin_s = now_s();
    size_t inherited = resident_bytes() + inherited_slack_bytes;
    pid_t pid = fork();
    if (pid == 0) {
        become(place, argv, env, to, talk);
    }
    if (pid > 0) {
        await(out, pid, inherited, begin_s, wall_limit_s);
        out->left_behind = reap_orphans();
        read_back(&out->out, to);
        read_back(&out->err, talk);
    }
    rft_arena_free(arena);
}

void execution_clear(execution *done) {
    rft_str_clear(&done->out);
    rft_str_clear(&done->err);
}
