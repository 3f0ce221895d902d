/* SPDX-License-Identifier: Apache-2.0 */
/* without_call landlock|memfd|eventfd PROGRAM ARGS...: runs it as where the kernel, or a container's seccomp profile,
 * refuses that. Exit status 77: that cannot be done here. */
#include "support/no_landlock.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv) {
    if (argc < 3) {
        return 2;
    }
    const bool refused = strcmp(argv[1], "memfd") == 0     ? refuse_call(SYS_memfd_create, EPERM)
                         : strcmp(argv[1], "eventfd") == 0 ? refuse_call(SYS_eventfd2, EPERM)
                                                           : hide_landlock();
    if (!refused) {
        return 77;
    }
    execv(argv[2], argv + 2);
    return 127;
}
