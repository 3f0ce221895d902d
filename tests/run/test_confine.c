/* SPDX-License-Identifier: Apache-2.0 */
/* A confined process tries what it may not do: as the user of the tests and, where that is root, as the user nobody. */
#include "run/worker/confine.h"

#include "base/fs.h"
#include "support/no_landlock.h"

#include <dirent.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define NOBODY 65534

static char folder[] = "/tmp/rft_confine_XXXXXX";
static char path_text[4][256];

static const char *in_folder(const char *name) {
    static int next;
    char *path = path_text[next++ % 4];
    snprintf(path, sizeof path_text[0], "%s/%s", folder, name);
    return path;
}

/* 0, or the error with which opening ends. */
static int open_error(const char *path, int flags) {
    int fd = open(path, flags | O_CLOEXEC, 0666);
    if (fd < 0) {
        return errno;
    }
    close(fd);
    return 0;
}

static int socket_error(int family) {
    int fd = socket(family, SOCK_STREAM, 0);
    if (fd < 0) {
        return errno;
    }
    close(fd);
    return 0;
}

#define TRY(what)                                                                                                      \
    do {                                                                                                               \
        if (!(what)) {                                                                                                 \
            fprintf(stderr, "does not hold, line %d, user %d: %s (%s)\n", __LINE__, (int)geteuid(), #what,             \
                    strerror(errno));                                                                                  \
            failures++;                                                                                                \
        }                                                                                                              \
    } while (0)

static int try_files(void) {
    int failures = 0;
    TRY(open_error(in_folder("read/file"), O_RDONLY) == 0);
    TRY(open_error(in_folder("read/below/file"), O_RDONLY) == 0);
    TRY(open_error(in_folder("outside/file"), O_RDONLY) == EACCES);
    TRY(open_error(in_folder("read/link"), O_RDONLY) == EACCES); /* leads outside */
    TRY(open_error(in_folder("read/../outside/file"), O_RDONLY) == EACCES);
    TRY(open_error("/etc/passwd", O_RDONLY) == EACCES);
    TRY(open_error("/proc/self/environ", O_RDONLY) == EACCES);
    TRY(opendir(in_folder("outside")) == NULL);
    TRY(open_error(in_folder("read/file"), O_WRONLY) == EACCES);
    TRY(open_error(in_folder("read/new"), O_WRONLY | O_CREAT) == EACCES);
    TRY(open_error(in_folder("outside/file"), O_WRONLY) == EACCES);
    TRY(open_error(in_folder("outside/new"), O_WRONLY | O_CREAT) == EACCES);
    TRY(mkdir(in_folder("read/new"), 0777) != 0 && errno == EACCES);
    TRY(unlink(in_folder("outside/file")) != 0 && errno == EACCES);
    TRY(symlink("x", in_folder("outside/new")) != 0 && errno == EACCES);
    TRY(rename(in_folder("write/file"), in_folder("outside/new")) != 0);
    TRY(open_error(in_folder("write/file"), O_RDWR | O_TRUNC) == 0);
    TRY(rft_fs_put(in_folder("write/put"), "abc", 3, false, NULL) == 0); /* without a name first, then linked */
    TRY(rft_fs_put(in_folder("write/named"), "abc", 3, true, NULL) == 0);
    TRY(unlink(in_folder("write/put")) == 0);
    return failures;
}

static int try_sockets(void) {
    int failures = 0;
    TRY(socket_error(AF_INET) == EACCES);
    TRY(socket_error(AF_INET6) == EACCES);
    TRY(socket_error(AF_UNIX) == 0);
    return failures;
}

static bool has_landlock(void) {
    const char *why = NULL;
    rft_arena *arena = rft_arena_new();
    bool has = rft_confine_describe(arena, &why) != NULL;
    rft_arena_free(arena);
    return has;
}

static void enter(void) {
    rft_arena *arena = rft_arena_new();
    rft_confinement confinement = {0};
    rft_confinement_add_read(&confinement, in_folder("read"), arena);
    rft_confinement_add_read(&confinement, in_folder("not there"), arena);
    rft_confinement_add_read(&confinement, "/dev/null", arena);
    rft_confinement_add_write(&confinement, in_folder("write"), arena);
    int rules = rft_confine_prepare(&confinement);
    rft_confine_enter(rules);
    if (rules >= 0) {
        close(rules);
    }
    rft_arena_free(arena);
}

/* What `try` counts in a process of its own, as `user` (0: as this one). */
static int failures_of(int (*try_all)(void), uid_t user) {
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        if (user && (setgid((gid_t)user) != 0 || setuid(user) != 0)) {
            _exit(99);
        }
        _exit(try_all());
    }
    assert_true(child > 0);
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 98;
}

static int confined(void) {
    enter();
    return try_files() + try_sockets() + failures_of(try_files, 0); /* and whoever it starts */
}

static int without_landlock(void) {
    int failures = 0;
    if (!hide_landlock()) {
        return 77;
    }
    TRY(!has_landlock());
    TRY(rft_confine_prepare(&(rft_confinement){0}) == -1);
    enter();
    TRY(open_error("/etc/passwd", O_RDONLY) == 0);
    return failures + try_sockets();
}

static void check_as_both(int (*try_all)(void)) {
    int mine = failures_of(try_all, 0);
    if (mine == 77) {
        skip();
    }
    assert_int_equal(mine, 0);
    if (geteuid() == 0) {
        assert_int_equal(failures_of(try_all, NOBODY), 0);
    }
}

static void a_confined_process_keeps_what_it_was_left(void **state) {
    (void)state;
    if (!has_landlock()) {
        skip();
    }
    check_as_both(confined);
}

static void without_landlock_the_internet_is_refused_all_the_same(void **state) {
    (void)state;
    check_as_both(without_landlock);
}

static void write_file(const char *name) {
    const char *path = in_folder(name);
    assert_int_equal(rft_fs_write_atomic(path, "text\n", 5, NULL), 0);
    assert_int_equal(chmod(path, 0666), 0);
}

static int make_folders(void **state) {
    (void)state;
    assert_non_null(mkdtemp(folder));
    static const char *const names[] = {".", "read", "read/below", "write", "outside"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *path = in_folder(names[i]);
        assert_int_equal(i == 0 ? 0 : mkdir(path, 0777), 0);
        assert_int_equal(chmod(path, 0777), 0); /* only the rules refuse */
    }
    write_file("read/file");
    write_file("read/below/file");
    write_file("write/file");
    write_file("outside/file");
    return symlink("../outside/file", in_folder("read/link"));
}

static int remove_folders(void **state) {
    (void)state;
    char command[300];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_confined_process_keeps_what_it_was_left),
        cmocka_unit_test(without_landlock_the_internet_is_refused_all_the_same),
    };
    return cmocka_run_group_tests(tests, make_folders, remove_folders);
}
