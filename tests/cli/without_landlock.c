/* SPDX-License-Identifier: Apache-2.0 */
/* without_landlock PROGRAM ARGS...: runs it as on a kernel without Landlock. Exit status 77: that cannot be done here.
 */
#include "support/no_landlock.h"

#include <unistd.h>

int main(int argc, char **argv) {
    if (argc < 2 || !hide_landlock()) {
        return 77;
    }
    execv(argv[1], argv + 1);
    return 127;
}
