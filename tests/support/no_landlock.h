/* SPDX-License-Identifier: Apache-2.0 */
/* no_landlock.h - makes this process, and what it starts, believe that the kernel is without Landlock,
 * or refuses another call. */
#ifndef TESTS_SUPPORT_NO_LANDLOCK_H
#define TESTS_SUPPORT_NO_LANDLOCK_H

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/prctl.h>

/* False where the system allows no filter. */
static inline bool refuse_call(unsigned number, unsigned error) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {.len = sizeof filter / sizeof *filter, .filter = filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

static inline bool hide_landlock(void) {
    return refuse_call(444, ENOSYS); /* landlock_create_ruleset, on every architecture */
}

#endif
