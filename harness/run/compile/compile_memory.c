/* SPDX-License-Identifier: Apache-2.0 */
#include "run/compile/compile_memory.h"

#include "base/fs.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define FIRST_TO_GO "1000" /* the highest oom_score_adj; raising it takes no privilege */

/* The number in a one-line file ("max", no file: `fallback`). */
static uint64_t number_in(const char *path, uint64_t fallback) {
    char *text = NULL;
    size_t size = 0;
    if (rft_fs_read(&text, &size, path, 4096, NULL) != 0) {
        return fallback;
    }
    char *end = text;
    unsigned long long value = strtoull(text, &end, 10);
    uint64_t number = end == text ? fallback : (uint64_t)value;
    free(text);
    return number;
}

static uint64_t machine_bytes(void) {
    long pages = sysconf(_SC_PHYS_PAGES);
    long page_bytes = sysconf(_SC_PAGESIZE);
    uint64_t machine = pages > 0 && page_bytes > 0 ? (uint64_t)pages * (uint64_t)page_bytes : RFT_COMPILE_MEMORY_MIN;
    uint64_t group = number_in("/sys/fs/cgroup/memory.max", UINT64_MAX); /* of a container: version 2, version 1 */
    uint64_t older = number_in("/sys/fs/cgroup/memory/memory.limit_in_bytes", UINT64_MAX);
    machine = group < machine ? group : machine;
    return older < machine ? older : machine;
}

uint64_t rft_compile_memory_bytes(size_t workers) {
    uint64_t share = machine_bytes() / (workers ? workers : 1);
    share = share < RFT_COMPILE_MEMORY_MIN ? RFT_COMPILE_MEMORY_MIN : share;
    share = share > RFT_COMPILE_MEMORY_MAX ? RFT_COMPILE_MEMORY_MAX : share;
    return share >> 20 << 20; /* whole MiB read better in a message */
}

uint64_t rft_compile_memory_alone_bytes(void) {
    uint64_t least = rft_compile_memory_bytes(1), most = machine_bytes() / 4 * 3;
    return (most > least ? most : least) >> 20 << 20;
}

/* What counts towards RLIMIT_DATA already, in bytes; field 6 of statm, in pages. A sanitizer's shadow is most of it. */
static uint64_t data_bytes(void) {
    char *text = NULL;
    size_t size = 0;
    if (rft_fs_read(&text, &size, "/proc/self/statm", 4096, NULL) != 0) {
        return 0;
    }
    const char *at = text;
    for (int field = 1; field < 6; field++) {
        at += strcspn(at, " ");
        at += strspn(at, " ");
    }
    uint64_t pages = strtoull(at, NULL, 10);
    free(text);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

void rft_compile_memory_limit(uint64_t bytes) {
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd >= 0) {
        ssize_t written = write(fd, FIRST_TO_GO, sizeof FIRST_TO_GO - 1);
        (void)written; /* a sandbox may forbid it; the limit below still holds */
        close(fd);
    }
    struct rlimit now;
    if (bytes == 0 || getrlimit(RLIMIT_DATA, &now) != 0) {
        return;
    }
    rlim_t wanted = (rlim_t)(data_bytes() + bytes);
    now.rlim_cur = now.rlim_cur == RLIM_INFINITY || wanted < now.rlim_cur ? wanted : now.rlim_cur;
    setrlimit(RLIMIT_DATA, &now);
}

void rft_compile_memory_raise(uint64_t more_bytes) {
    struct rlimit now;
    if (getrlimit(RLIMIT_DATA, &now) == 0 && now.rlim_cur != RLIM_INFINITY) {
        rlim_t wanted = now.rlim_cur + (rlim_t)more_bytes;
        now.rlim_cur = wanted < now.rlim_max ? wanted : now.rlim_max; /* RLIM_INFINITY is the largest */
        setrlimit(RLIMIT_DATA, &now);
    }
}
