/* SPDX-License-Identifier: Apache-2.0 */
#include "crash/calls.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#if defined(__x86_64__)
#define THIS_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define THIS_ARCH AUDIT_ARCH_AARCH64
#endif

/* Where a call names its file: a descriptor, or a path, which may begin at a descriptor. -1: it has none. */
typedef struct call_kind {
    long number;
    const char *name;
    int fd, path, flags; /* places of the arguments; flags: those of open() */
} call_kind;

static const call_kind kinds[] = {
    {SYS_write, "write", 0, -1, -1},
    {SYS_pwrite64, "pwrite64", 0, -1, -1},
    {SYS_writev, "writev", 0, -1, -1},
    {SYS_pwritev, "pwritev", 0, -1, -1},
    {SYS_pwritev2, "pwritev2", 0, -1, -1},
    {SYS_fsync, "fsync", 0, -1, -1},
    {SYS_fdatasync, "fdatasync", 0, -1, -1},
    {SYS_ftruncate, "ftruncate", 0, -1, -1},
    {SYS_fallocate, "fallocate", 0, -1, -1},
    {SYS_copy_file_range, "copy_file_range", 2, -1, -1},
    {SYS_sendfile, "sendfile", 0, -1, -1},
    {SYS_fchmod, "fchmod", 0, -1, -1},
    {SYS_truncate, "truncate", -1, 0, -1},
    {SYS_openat, "openat", 0, 1, 2},
    {SYS_unlinkat, "unlinkat", 0, 1, -1},
    {SYS_mkdirat, "mkdirat", 0, 1, -1},
    {SYS_linkat, "linkat", 2, 3, -1},
    {SYS_renameat2, "renameat2", 2, 3, -1},
#ifdef SYS_renameat
    {SYS_renameat, "renameat", 2, 3, -1},
#endif
#ifdef SYS_open /* newer machines have only the calls with "at" */
    {SYS_open, "open", -1, 0, 1},
    {SYS_creat, "creat", -1, 0, -1},
    {SYS_unlink, "unlink", -1, 0, -1},
    {SYS_rename, "rename", -1, 1, -1},
    {SYS_link, "link", -1, 1, -1},
    {SYS_mkdir, "mkdir", -1, 0, -1},
#endif
};

enum {
    KIND_COUNT = sizeof kinds / sizeof *kinds,
    FILTER_MOST = 4 + 5 * KIND_COUNT + 1,
    MAKES = O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY) /* opening with one of these changes something */
};

bool crash_watch_calls(void) {
    struct sock_filter filter[FILTER_MOST];
    unsigned short n = 0;
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
    filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, THIS_ARCH, 1, 0);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < KIND_COUNT; i++) {
        bool opens = kinds[i].flags >= 0;
        filter[n++] =
            (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)kinds[i].number, 0, opens ? 4 : 1);
        if (opens) {
            unsigned flags =
                (unsigned)(offsetof(struct seccomp_data, args) + sizeof(uint64_t) * (size_t)kinds[i].flags);
            filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, flags);
            filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, MAKES, 1, 0);
            filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
        }
        filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE);
    }
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {.len = n, .filter = filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* ---- which file ---- */

static bool read_link(const char *link, char *out, size_t size) {
    ssize_t got = readlink(link, out, size - 1);
    out[got > 0 ? got : 0] = '\0';
    return got > 0;
}

static bool path_of_fd(pid_t tid, int fd, char *out, size_t size) {
    char link[64];
    if (fd == AT_FDCWD) {
        snprintf(link, sizeof link, "/proc/%d/cwd", (int)tid);
    } else {
        snprintf(link, sizeof link, "/proc/%d/fd/%d", (int)tid, fd);
    }
    return read_link(link, out, size);
}

/* A text may end right before memory that is not there: pieces within pages of 4 KiB. */
static bool read_text(pid_t tid, uint64_t at, char *out, size_t size) {
    for (size_t got = 0; got + 1 < size;) {
        size_t piece = 4096 - (size_t)((at + got) % 4096);
        piece = piece < size - 1 - got ? piece : size - 1 - got;
        struct iovec here = {.iov_base = out + got, .iov_len = piece};
        struct iovec there = {.iov_base = (void *)(uintptr_t)(at + got), .iov_len = piece};
        if (process_vm_readv(tid, &here, 1, &there, 1, 0) != (ssize_t)piece) {
            return false;
        }
        if (memchr(out + got, '\0', piece)) {
            return true;
        }
        got += piece;
    }
    return false;
}

static bool file_of(pid_t tid, const call_kind *kind, const uint64_t arguments[6], char *out, size_t size) {
    char name[PATH_MAX], base[PATH_MAX];
    int fd = kind->fd >= 0 ? (int)arguments[kind->fd] : AT_FDCWD;
    if (kind->path < 0) {
        return path_of_fd(tid, fd, out, size);
    }
    if (!read_text(tid, arguments[kind->path], name, sizeof name)) {
        return false;
    }
    if (name[0] == '/') {
        return (size_t)snprintf(out, size, "%s", name) < size;
    }
    return path_of_fd(tid, fd, base, sizeof base) && (size_t)snprintf(out, size, "%s/%s", base, name) < size;
}

/* Hashes and numbers of processes differ from run to run: "H", "#". */
static void put_name(char *out, size_t size, const char *name) {
    size_t used = 0;
    while (*name && used + 1 < size) {
        size_t hex = strspn(name, "0123456789abcdef"), digits = strspn(name, "0123456789");
        if (hex >= 16 || digits > 0) {
            out[used++] = hex >= 16 ? 'H' : '#';
            name += hex >= 16 ? hex : digits;
        } else if (strncmp(name, " (deleted)", 10) == 0) {
            name += 10;
        } else {
            out[used++] = *name++;
        }
    }
    out[used] = '\0';
}

bool crash_call_changes(pid_t tid, long number, const uint64_t arguments[6], const char *folder, crash_call *call) {
    char path[2 * PATH_MAX];
    size_t length = strlen(folder);
    const call_kind *kind = kinds;
    while (kind < kinds + KIND_COUNT && kind->number != number) {
        kind++;
    }
    if (kind == kinds + KIND_COUNT || !file_of(tid, kind, arguments, path, sizeof path) ||
        strncmp(path, folder, length) != 0 || (path[length] != '/' && path[length] != '\0')) {
        return false;
    }
    call->name = kind->name;
    put_name(call->file, sizeof call->file, path[length] ? path + length + 1 : ".");
    return true;
}

bool crash_call_has_size(long number) {
    return number == SYS_write || number == SYS_pwrite64;
}

bool crash_call_takes_room(const crash_call *call) {
    static const char *const free_of_it[] = {"unlink", "unlinkat", "fchmod", "truncate"};
    for (size_t i = 0; i < sizeof free_of_it / sizeof *free_of_it; i++) {
        if (strcmp(call->name, free_of_it[i]) == 0) {
            return false;
        }
    }
    return true;
}

pid_t crash_process_of(pid_t tid) {
    char path[64], line[128];
    int process = tid;
    snprintf(path, sizeof path, "/proc/%d/status", (int)tid);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "Tgid: %d", &process) == 1) {
            break;
        }
    }
    if (file) {
        fclose(file);
    }
    return process;
}
