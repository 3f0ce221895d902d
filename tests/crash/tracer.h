/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tracer.h - a program under ptrace: it is stopped at every system call that changes a file of one folder, and there it
 * can be ended, or the call can be made to fail. The kernel does the watching (seccomp), so glibc's own writes and a
 * static program's are seen as well. What is ended is a process, not the machine: no page is lost as in a power cut.
 */
#ifndef RFT_TESTS_CRASH_TRACER_H
#define RFT_TESTS_CRASH_TRACER_H

#include <stdbool.h>
#include <stddef.h>

/* Whose calls count: the program's own, or those of its other processes. */
typedef enum crash_who { CRASH_COORDINATOR, CRASH_WORKERS } crash_who;

typedef enum crash_how {
    CRASH_COUNT, /* nothing is done, every call is listed */
    CRASH_KILL,  /* all processes get SIGKILL; the call is not made */
    CRASH_FAIL,  /* the call is not made and returns `error` */
    CRASH_FULL,  /* like a disk that stays full: this write and all later ones return ENOSPC */
    CRASH_SHORT  /* a write takes half of its bytes */
} crash_how;

typedef struct crash_command {
    char *const *words;       /* NULL at the end */
    char *const *environment; /* NULL at the end */
    const char *folder;       /* absolute, without links: the working folder, whose files count */
    const char *out, *err;    /* where its output goes: files that do not count */
    const char *except;       /* calls on files that begin so do not count; NULL: all do */
    crash_who who;
    unsigned limit_s;
} crash_command;

typedef struct crash_stop {
    crash_how how;
    int error;
    unsigned at; /* 1: the first call */
} crash_stop;

typedef struct crash_call {
    const char *name; /* "pwrite64" */
    char file[80];    /* within the folder, numbers and hashes taken out: "run.db-wal" */
} crash_call;

typedef struct crash_trace {
    int status;        /* as a shell has it: 128 + signal; 124: it ran past limit_s */
    unsigned count;    /* calls seen */
    bool reached;      /* stop.at was among them */
    crash_call call;   /* the one stopped at */
    crash_call *calls; /* CRASH_COUNT: `count` of them, the caller's to free */
} crash_trace;

/* False: ptrace or seccomp is not permitted here, or the program cannot be started; *why tells. No other child of the
 * calling process may be alive. */
bool crash_trace_run(const crash_command *command, const crash_stop *stop, crash_trace *trace, const char **why);

#endif
