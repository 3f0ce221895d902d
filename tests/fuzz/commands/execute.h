/* SPDX-License-Identifier: Apache-2.0 */
/* execute.h - one command as a process: what it said, what it took, how it ended. */
#ifndef RFT_TESTS_FUZZ_EXECUTE_H
#define RFT_TESTS_FUZZ_EXECUTE_H

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct execution {
    int status;   /* exit status; -1: a signal ended it */
    int signal;   /* 0: none */
    bool hung;    /* ended here, at the wall clock's limit */
    double cpu_s; /* of it and of the children it waited for */
    double wall_s;
    size_t peak_bytes;  /* resident, of the largest of them; 0: not above this process's own */
    size_t left_behind; /* processes of it that outlived it by two seconds; they are ended */
    rft_str out, err;   /* what it wrote */
} execution;

typedef struct workplace {
    const char *program; /* absolute */
    const char *root;    /* folder for out, err, home, cache */
    const char *folder;  /* the command's working folder */
} workplace;

/* words: argv without the program, ends with NULL. Not started at all: status 127. Clear with execution_clear(). */
void execute(execution *out, const workplace *place, const char *const *words, double wall_limit_s);
void execution_clear(execution *done);

#endif
