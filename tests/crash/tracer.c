/* SPDX-License-Identifier: Apache-2.0 */
#include "crash/tracer.h"

#include "crash/calls.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TASKS_MOST = 512 };

typedef struct tracer {
    const crash_command *command;
    const crash_stop *stop;
    crash_trace *trace;
    pid_t root;
    pid_t tasks[TASKS_MOST];
    size_t task_count;
    bool dying, full;
    size_t capacity;
} tracer;

/* ---- what the machine calls its registers ---- */

/* The call is not made; its caller gets -error. */
static bool fail_call(pid_t tid, int error) {
    struct user_regs_struct registers;
    struct iovec all = {.iov_base = &registers, .iov_len = sizeof registers};
    if (ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &all) != 0) {
        return false;
    }
#if defined(__x86_64__)
    registers.orig_rax = (unsigned long long)-1;
    registers.rax = (unsigned long long)-(long long)error;
#elif defined(__aarch64__)
    int none = -1;
    struct iovec number = {.iov_base = &none, .iov_len = sizeof none};
    if (ptrace(PTRACE_SETREGSET, tid, NT_ARM_SYSTEM_CALL, &number) != 0) {
        return false;
    }
    registers.regs[0] = (unsigned long long)-(long long)error;
#else
#error "say here how a system call is skipped"
#endif
    return ptrace(PTRACE_SETREGSET, tid, NT_PRSTATUS, &all) == 0;
}

/* The third argument: how many bytes are written. */
static bool set_size(pid_t tid, unsigned long size) {
    struct user_regs_struct registers;
    struct iovec all = {.iov_base = &registers, .iov_len = sizeof registers};
    if (ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &all) != 0) {
        return false;
    }
#if defined(__x86_64__)
    registers.rdx = size;
#elif defined(__aarch64__)
    registers.regs[2] = size;
#endif
    return ptrace(PTRACE_SETREGSET, tid, NT_PRSTATUS, &all) == 0;
}

/* ---- its processes and threads ---- */

static void add_task(tracer *t, pid_t tid) {
    for (size_t i = 0; i < t->task_count; i++) {
        if (t->tasks[i] == tid) {
            return;
        }
    }
    if (t->task_count < TASKS_MOST) {
        t->tasks[t->task_count++] = tid;
    }
}

static void remove_task(tracer *t, pid_t tid) {
    for (size_t i = 0; i < t->task_count; i++) {
        if (t->tasks[i] == tid) {
            t->tasks[i] = t->tasks[--t->task_count];
            return;
        }
    }
}

static void kill_all(tracer *t) {
    t->dying = true;
    for (size_t i = 0; i < t->task_count; i++) {
        kill(t->tasks[i], SIGKILL);
    }
}

/* ---- a call ---- */

static bool is_counted(const tracer *t, pid_t tid, const crash_call *call) {
    const char *except = t->command->except;
    return !(except && strncmp(call->file, except, strlen(except)) == 0) &&
           (crash_process_of(tid) == t->root) == (t->command->who == CRASH_COORDINATOR);
}

static void list_call(tracer *t, const crash_call *call) {
    crash_trace *trace = t->trace;
    if (trace->count > t->capacity) {
        t->capacity = t->capacity ? 2 * t->capacity : 1024;
        trace->calls = realloc(trace->calls, t->capacity * sizeof *trace->calls);
        if (trace->calls == NULL) {
            abort();
        }
    }
    trace->calls[trace->count - 1] = *call;
}

static void on_call(tracer *t, pid_t tid) {
    struct __ptrace_syscall_info info;
    crash_call call;
    if (ptrace(PTRACE_GET_SYSCALL_INFO, tid, sizeof info, &info) <= 0 ||
        !crash_call_changes(tid, (long)info.seccomp.nr, info.seccomp.args, t->command->folder, &call) ||
        !is_counted(t, tid, &call)) {
        return;
    }
    const crash_stop *stop = t->stop;
    t->trace->count++;
    bool here = t->trace->count == stop->at;
    if (stop->how == CRASH_COUNT) {
        list_call(t, &call);
        return;
    }
    if (here) {
        t->trace->reached = true;
        t->trace->call = call;
    }
    if (here && stop->how == CRASH_KILL) {
        kill_all(t);
    } else if (here && stop->how == CRASH_FAIL) {
        fail_call(tid, stop->error);
    } else if (here && stop->how == CRASH_SHORT && crash_call_has_size((long)info.seccomp.nr)) {
        set_size(tid, (unsigned long)(info.seccomp.args[2] + 1) / 2);
    } else if (stop->how == CRASH_FULL && t->trace->count >= stop->at && crash_call_takes_room(&call)) {
        fail_call(tid, ENOSPC);
    }
}

/* ---- the loop ---- */

static void on_stop(tracer *t, pid_t tid, int status) {
    int signal_number = WSTOPSIG(status), event = status >> 16;
    unsigned long child = 0;
    add_task(t, tid);
    if (t->dying) {
        kill(tid, SIGKILL);
    }
    switch (event) {
    case PTRACE_EVENT_SECCOMP:
        on_call(t, tid);
        break;
    case PTRACE_EVENT_FORK:
    case PTRACE_EVENT_VFORK:
    case PTRACE_EVENT_CLONE:
        if (ptrace(PTRACE_GETEVENTMSG, tid, NULL, &child) == 0) {
            add_task(t, (pid_t)child);
        }
        break;
    case PTRACE_EVENT_STOP:
        if (signal_number != SIGTRAP) { /* it was stopped as by Ctrl-Z, and waits for SIGCONT */
            ptrace(PTRACE_LISTEN, tid, NULL, NULL);
            return;
        }
        break;
    case 0:
        ptrace(PTRACE_CONT, tid, NULL, (void *)(long)signal_number);
        return;
    default:
        break;
    }
    ptrace(PTRACE_CONT, tid, NULL, NULL);
}

static volatile sig_atomic_t is_late;

static void on_alarm(int number) {
    (void)number;
    is_late = 1;
}

static void follow(tracer *t) {
    for (;;) {
        int status = 0;
        pid_t tid = waitpid(-1, &status, __WALL);
        if (is_late && !t->dying) {
            kill_all(t);
        }
        if (tid < 0 && errno != EINTR) {
            return; /* all are gone */
        }
        if (tid > 0 && WIFSTOPPED(status)) {
            on_stop(t, tid, status);
        } else if (tid > 0) {
            remove_task(t, tid);
            if (tid == t->root) {
                t->trace->status = is_late ? 124 : WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
            }
        }
    }
}

/* ---- the start ---- */

static int open_output(const char *path, int fd) {
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    return file >= 0 && dup2(file, fd) == fd && close(file) == 0 ? 0 : -1;
}

static void become(const crash_command *command, int go) {
    char byte;
    int nothing = open("/dev/null", O_RDONLY);
    if (nothing < 0 || dup2(nothing, 0) != 0 || chdir(command->folder) != 0 || open_output(command->out, 1) != 0 ||
        open_output(command->err, 2) != 0) {
        _exit(126);
    }
    close(nothing);
    if (read(go, &byte, 1) != 1 || !crash_watch_calls()) {
        _exit(126);
    }
    close(go);
    execve(command->words[0], command->words, command->environment);
    _exit(127);
}

bool crash_trace_run(const crash_command *command, const crash_stop *stop, crash_trace *trace, const char **why) {
    enum {
        OPTIONS =
            PTRACE_O_TRACESECCOMP | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL
    };
    tracer t = {.command = command, .stop = stop, .trace = trace};
    int go[2];
    *trace = (crash_trace){.status = -1};
    if (pipe2(go, O_CLOEXEC) != 0 || (t.root = fork()) < 0) {
        *why = "no process can be started";
        return false;
    }
    if (t.root == 0) {
        close(go[1]);
        become(command, go[0]);
    }
    close(go[0]);
    add_task(&t, t.root);
    is_late = 0;
    sigaction(SIGALRM, &(struct sigaction){.sa_handler = on_alarm}, NULL);
    setitimer(ITIMER_REAL,
              &(struct itimerval){.it_value.tv_sec = (time_t)command->limit_s, .it_interval.tv_usec = 100000}, NULL);
    bool seized = ptrace(PTRACE_SEIZE, t.root, NULL, (void *)(long)OPTIONS) == 0;
    if (seized && write(go[1], "", 1) != 1) {
        seized = false;
    }
    close(go[1]);
    follow(&t);
    setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
    *why = !seized ? "ptrace is not permitted here" : "a seccomp filter is not permitted here, or nothing to run";
    return seized && trace->status != 126 && trace->status != 127;
}
