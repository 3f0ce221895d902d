/* SPDX-License-Identifier: Apache-2.0 */
#include "run/worker/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The kernel's interface, which linux/landlock.h of older systems knows in part; the numbers are those of every
 * architecture. */
enum { LANDLOCK_CREATE = 444, LANDLOCK_ADD = 445, LANDLOCK_RESTRICT = 446 };
enum { ASK_VERSION = 1, RULE_PATH_BENEATH = 1 };
#define RIGHT_EXECUTE (UINT64_C(1) << 0)
#define RIGHT_WRITE_FILE (UINT64_C(1) << 1)
#define RIGHT_READ_FILE (UINT64_C(1) << 2)
#define RIGHT_READ_DIR (UINT64_C(1) << 3)
#define RIGHTS_FIRST ((UINT64_C(1) << 13) - 1) /* these, and making and removing files of every kind */
#define RIGHT_REFER (UINT64_C(1) << 13)        /* from version 2 on: to another folder */
#define RIGHT_TRUNCATE (UINT64_C(1) << 14)     /* from 3 on */
#define RIGHT_IOCTL_DEVICE (UINT64_C(1) << 15) /* from 5 on */
#define RIGHTS_READ (RIGHT_EXECUTE | RIGHT_READ_FILE | RIGHT_READ_DIR)
#define RIGHTS_OF_FILES                                                                                                \
    (RIGHT_EXECUTE | RIGHT_WRITE_FILE | RIGHT_READ_FILE | RIGHT_TRUNCATE | RIGHT_IOCTL_DEVICE) /* the rest: folders'   \
                                                                                                */

typedef struct ruleset_attr {
    uint64_t handled_access_fs; /* what is not granted by a rule is denied */
} ruleset_attr;

typedef struct __attribute__((packed)) path_attr {
    uint64_t allowed_access;
    int32_t parent_fd;
} path_attr;

static int landlock_version(void) {
    return (int)syscall(LANDLOCK_CREATE, NULL, (size_t)0, ASK_VERSION);
}

static uint64_t rights_of_version(int version) {
    return RIGHTS_FIRST | (version >= 2 ? RIGHT_REFER : 0) | (version >= 3 ? RIGHT_TRUNCATE : 0) |
           (version >= 5 ? RIGHT_IOCTL_DEVICE : 0);
}

static void add_path(const char ***paths, size_t *count, const char *path, rft_arena *arena) {
    const char **longer = rft_arena_calloc(arena, *count + 1, sizeof *longer);
    if (*count) {
        memcpy(longer, *paths, *count * sizeof *longer);
    }
    longer[(*count)++] = rft_arena_strdup(arena, path);
    *paths = longer;
}

void rft_confinement_add_read(rft_confinement *confinement, const char *path, rft_arena *arena) {
    add_path(&confinement->read, &confinement->read_count, path, arena);
}

void rft_confinement_add_write(rft_confinement *confinement, const char *path, rft_arena *arena) {
    add_path(&confinement->write, &confinement->write_count, path, arena);
}

static void allow(int rules, const char *path, uint64_t rights) {
    struct stat status;
    path_attr rule = {.allowed_access = rights, .parent_fd = open(path, O_PATH | O_CLOEXEC)};
    if (rule.parent_fd < 0) {
        return;
    }
    if (fstat(rule.parent_fd, &status) == 0) {
        rule.allowed_access &= S_ISDIR(status.st_mode) ? rights : RIGHTS_OF_FILES;
        (void)syscall(LANDLOCK_ADD, rules, RULE_PATH_BENEATH, &rule, 0);
    }
    close(rule.parent_fd);
}

int rft_confine_prepare(const rft_confinement *confinement) {
    int version = landlock_version();
    if (version < 1) {
        return -1;
    }
    const ruleset_attr handled = {rights_of_version(version)};
    int rules = (int)syscall(LANDLOCK_CREATE, &handled, sizeof handled, 0);
    if (rules < 0) {
        return -1;
    }
    fcntl(rules, F_SETFD, FD_CLOEXEC);
    for (size_t i = 0; i < confinement->read_count; i++) {
        allow(rules, confinement->read[i], RIGHTS_READ);
    }
    for (size_t i = 0; i < confinement->write_count; i++) {
        allow(rules, confinement->write[i], handled.handled_access_fs);
    }
    return rules;
}

#if defined __x86_64__
#define NATIVE_ARCH AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define NATIVE_ARCH AUDIT_ARCH_AARCH64
#endif

/* socket() of the internet's families is refused; so are io_uring, which makes sockets without it, and the system calls
 * of other architectures. */
static void refuse_internet(void) {
#ifdef NATIVE_ARCH
#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offsetof(struct seccomp_data, field))
#define SKIP_UNLESS(test, value, lines) BPF_JUMP(BPF_JMP | (test) | BPF_K, (uint32_t)(value), 0, (lines))
#define ANSWER(error) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (error))
    struct sock_filter filter[] = {
        LOAD(arch),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NATIVE_ARCH, 1, 0),
        ANSWER(ENOSYS),
        LOAD(nr),
        SKIP_UNLESS(BPF_JGE, 0x40000000, 1), /* x32 */
        ANSWER(ENOSYS),
        SKIP_UNLESS(BPF_JEQ, SYS_io_uring_setup, 1),
        ANSWER(ENOSYS),
        SKIP_UNLESS(BPF_JEQ, SYS_socket, 5),
        LOAD(args[0]),
        SKIP_UNLESS(BPF_JEQ, AF_INET, 1),
        ANSWER(EACCES),
        SKIP_UNLESS(BPF_JEQ, AF_INET6, 1),
        ANSWER(EACCES),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {.len = sizeof filter / sizeof *filter, .filter = filter};
    (void)prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
#endif
}

void rft_confine_enter(int rules) {
    (void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); /* both ask for it */
    if (rules >= 0) {
        (void)syscall(LANDLOCK_RESTRICT, rules, 0);
    }
    refuse_internet();
}

const char *rft_confine_describe(rft_arena *arena, const char **why) {
    int version = landlock_version();
    int cause = version < 1 ? errno : 0;
    bool seccomp = prctl(PR_GET_SECCOMP, 0, 0, 0, 0) >= 0;
#ifndef NATIVE_ARCH
    seccomp = false;
#endif
    *why = NULL;
    if (version >= 1) {
        return rft_arena_printf(arena, "Landlock %d%s", version, seccomp ? " and seccomp" : "; no seccomp");
    }
    *why = rft_arena_printf(arena, "the kernel offers no Landlock (%s)%s",
                            cause == EOPNOTSUPP ? "it is switched off" : strerror(cause),
                            seccomp ? "; seccomp refuses the internet" : ", and no seccomp");
    return NULL;
}
