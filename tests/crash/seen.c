/* SPDX-License-Identifier: Apache-2.0 */
#include "crash/seen.h"

#include "crash/folder.h"
#include "run/same_runs.h"

#include "base/fs.h"
#include "store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct look {
    const char *run, *events;
    const rft_run *before, *after;
    bool fresh;
} look;

__attribute__((noreturn, format(printf, 1, 2))) static void differ(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fflush(stderr);
    _exit(1);
}

/* No run: no file, or one that was killed before anything was in it. */
rft_run *crash_seen_load(const char *path) {
    rft_run *run = NULL;
    rft_err err = RFT_ERR_INIT;
    struct stat status;
    if (stat(path, &status) != 0 || status.st_size == 0) {
        return NULL;
    }
    int rc = rft_store_load(&run, path, &err);
    if (rc != RFT_OK && rc != RFT_E_NOT_FOUND) {
        differ("what is left cannot be read: %s", err.message);
    }
    return rc == RFT_OK ? run : NULL;
}

static void compare_points(const rft_run *run, const rft_run *whole) {
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_point *a = &run->points[i], *b = i < whole->point_count ? &whole->points[i] : NULL;
        const rft_measurement *x = &a->rounds[0], *y = b ? &b->rounds[0] : NULL;
        if (!b || a->id != b->id || a->sweep != b->sweep || a->problem != b->problem || a->variant != b->variant ||
            a->outcome != b->outcome || a->alias_of != b->alias_of || x->n != y->n ||
            (x->n && memcmp(x->samples_s, y->samples_s, x->n * sizeof *x->samples_s) != 0)) {
            differ("committed point %zu is not that of the undisturbed run", i + 1);
        }
    }
}

static bool is_measured_twice(const rft_run *run, size_t id) {
    const rft_point *point = run && id <= run->point_count ? &run->points[id - 1] : NULL;
    return point && point->rounds[1].n > 0;
}

/* Every whole line that tells a point. */
static void compare_told(const rft_run *run, const char *path) {
    size_t size = 0, count = run ? run->point_count : 0;
    char *text = crash_read_file(path, &size);
    for (char *line = text, *end = NULL; line && (end = strchr(line, '\n')) != NULL; line = end + 1) {
        *end = '\0';
        const char *id_text = strstr(line, "\"point\":");
        if (strncmp(line, "{\"event\":\"point\"", 16) != 0 || !id_text) {
            continue;
        }
        size_t id = strtoul(id_text + 8, NULL, 10);
        if (id > count) {
            differ("point %zu was told, but is not committed", id);
        }
        if (strstr(line, "\"final_round\":true") && strstr(line, "\"alias_of\":null") &&
            strstr(line, "\"stored\":true") && !is_measured_twice(run, id)) {
            differ("the final round of point %zu was told, but is not committed", id);
        }
    }
    free(text);
}

static void look_committed(const look *l) {
    const rft_run *run = crash_seen_load(l->run), *before = l->before, *after = l->after;
    if (l->fresh && run && run->info.seed != after->info.seed) {
        expect_same_runs(run, before); /* it was not taken away yet */
        return;
    }
    if (!l->fresh && before && (!run || run->point_count < before->point_count)) {
        differ("%zu of %zu points that were there are lost", before->point_count - (run ? run->point_count : 0),
               before->point_count);
    }
    if (run) {
        compare_points(run, after);
    }
    if (l->events) {
        compare_told(run, l->events);
    }
}

static void look_same(const look *l) {
    const rft_run *run = crash_seen_load(l->run);
    if (!run) {
        differ("there is no run");
    }
    expect_same_runs(run, l->after);
}

static char *look_apart(void (*looking)(const look *), const look *l) {
    int channel[2], status = 0;
    char said[400] = "";
    size_t used = 0;
    if (pipe(channel) != 0) {
        abort();
    }
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        dup2(channel[1], 2);
        close(channel[0]);
        close(channel[1]);
        looking(l);
        _exit(0);
    }
    close(channel[1]);
    for (ssize_t got; (got = read(channel[0], said + used, sizeof said - 1 - used)) > 0;) {
        used += (size_t)got;
    }
    close(channel[0]);
    waitpid(child, &status, 0);
    for (char *c = said; *c; c++) {
        *c = *c == '\n' ? ' ' : *c;
    }
    return status == 0 ? NULL : crash_text("%s", *said ? said : "reading it crashed");
}

char *crash_seen_committed(const char *run, const char *events, const rft_run *before, const rft_run *after,
                           bool fresh) {
    look l = {.run = run, .events = events, .before = before, .after = after, .fresh = fresh};
    return look_apart(look_committed, &l);
}

char *crash_seen_same(const char *run, const rft_run *after) {
    look l = {.run = run, .after = after};
    return look_apart(look_same, &l);
}

bool crash_seen_whole_pdf(const char *path) {
    size_t size = 0;
    char *data = crash_read_file(path, &size);
    bool whole = data && size > 8 && memcmp(data, "%PDF-", 5) == 0 && memcmp(data + size - 6, "%%EOF\n", 6) == 0;
    free(data);
    return whole;
}
