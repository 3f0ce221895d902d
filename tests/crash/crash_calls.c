/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crash_calls [SCENARIO...] [options]: commands are ended, or fail, at single system calls; see docs/building.md.
 *
 *   --all            every call of every scenario, killed and with each error
 *   --seconds S      stop handing out tries then (default 12; with --all no limit)
 *   --seed N         which sample (default: the day)
 *   --jobs N         at once (default: the cores)
 *   --one HOW N      one try of one scenario, whose folder is kept: kill, short, full, ENOSPC, EIO, EROFS, EACCES
 *   --keep           keep the folders of tries that went wrong
 *   --list           the calls of each scenario
 *
 * ROOFTUNE names the program, SOURCE the source tree. Without --all: killed once at each distinct place (a
 * call, its file, and the two calls before it), an error at each, then a sample of all that changes with the seed.
 */
#include "crash/crash_ground.h"
#include "crash/folder.h"

#include "base/arena.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef struct way {
    const char *name;
    crash_how how;
    int error;
} way;

static const way ways[] = {
    {"kill", CRASH_KILL, 0},      {"ENOSPC", CRASH_FAIL, ENOSPC}, {"EIO", CRASH_FAIL, EIO},
    {"EROFS", CRASH_FAIL, EROFS}, {"EACCES", CRASH_FAIL, EACCES}, {"full", CRASH_FULL, 0},
    {"short", CRASH_SHORT, 0},
};
enum { WAYS = sizeof ways / sizeof *ways, SCENARIOS_MOST = 32 };

typedef struct attempt {
    unsigned char ground, way;
    unsigned at;
} attempt;

typedef struct shared_state {
    atomic_size_t next, killed, failed, wrong, missed;
} shared_state;

typedef struct options {
    bool all, keep, list;
    double seconds;
    unsigned long seed, jobs;
    const char *one;
    unsigned one_at;
    const char *names[SCENARIOS_MOST];
    size_t name_count;
} options;

typedef struct crash_plan {
    options o;
    char scratch[PATH_MAX];
    crash_ground grounds[SCENARIOS_MOST];
    size_t ground_count;
    attempt *attempts;
    size_t count, capacity, places;
    shared_state *shared;
    double begun_s;
} crash_plan;

static double now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- which ---- */

static void add(crash_plan *p, size_t ground, size_t way_at, unsigned at) {
    RFT_GROW(p->attempts, p->capacity, p->count + 1);
    p->attempts[p->count++] = (attempt){.ground = (unsigned char)ground, .way = (unsigned char)way_at, .at = at};
}

static uint64_t next_random(uint64_t *state) { /* splitmix64 */
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static void shuffle(attempt *items, size_t count, uint64_t *state) {
    for (size_t i = count; i > 1; i--) {
        size_t j = (size_t)(next_random(state) % i);
        attempt kept = items[i - 1];
        items[i - 1] = items[j];
        items[j] = kept;
    }
}

/* The same call on a file of the same name, behind the same two calls. */
static bool same_place(const crash_ground *g, unsigned i, const crash_ground *h, unsigned j) {
    for (unsigned back = 0; back < 3; back++) {
        if (back > i || back > j) {
            return back > i && back > j;
        }
        if (strcmp(g->calls[i - back].name, h->calls[j - back].name) != 0 ||
            strcmp(g->calls[i - back].file, h->calls[j - back].file) != 0) {
            return false;
        }
    }
    return true;
}

/* Of each place, in whatever scenario it comes, a call of it that the seed picks. */
static void add_places(crash_plan *p, uint64_t *random) {
    attempt *first = NULL; /* of each place, in the order of the attempts */
    unsigned *found = NULL;
    size_t capacity[2] = {0};
    for (size_t ground = 0; ground < p->ground_count; ground++) {
        const crash_ground *g = &p->grounds[ground];
        for (unsigned i = 0; i < g->count; i++) {
            size_t place = 0;
            while (place < p->count && !same_place(&p->grounds[first[place].ground], first[place].at - 1, g, i)) {
                place++;
            }
            if (place == p->count) {
                add(p, ground, 0, i + 1);
                RFT_GROW(first, capacity[0], p->count);
                RFT_GROW(found, capacity[1], p->count);
                first[place] = p->attempts[place];
                found[place] = 0;
            }
            if (next_random(random) % ++found[place] == 0) {
                p->attempts[place].ground = (unsigned char)ground;
                p->attempts[place].at = i + 1;
            }
        }
    }
    free(first);
    free(found);
}

/* Every call, in the ways from `from` to before `to`. */
static void add_calls(crash_plan *p, size_t from, size_t to) {
    for (size_t g = 0; g < p->ground_count; g++) {
        for (unsigned at = 1; at <= p->grounds[g].count; at++) {
            for (size_t w = from; w < to; w++) {
                add(p, g, w, at);
            }
        }
    }
}

static void choose(crash_plan *p) {
    uint64_t random = p->o.seed;
    if (!p->o.all) {
        add_places(p, &random);
    }
    p->places = p->count;
    shuffle(p->attempts, p->places, &random);
    for (size_t place = 0; place < p->places; place++) {
        size_t error = 1 + (size_t)(next_random(&random) % (WAYS - 1));
        add(p, p->attempts[place].ground, error, p->attempts[place].at);
    }
    size_t first = p->count;
    add_calls(p, 0, p->o.all ? 1 : WAYS);
    shuffle(p->attempts + first, p->count - first, &random);
    first = p->count;
    add_calls(p, p->o.all ? 1 : WAYS, WAYS); /* all kills come before all errors */
    shuffle(p->attempts + first, p->count - first, &random);
}

/* ---- trying ---- */

static void try_one(crash_plan *p, const attempt *a, const char *place) {
    const way *w = &ways[a->way];
    const crash_ground *g = &p->grounds[a->ground];
    crash_trace trace;
    char *wrong = crash_try(g, &(crash_stop){.how = w->how, .error = w->error, .at = a->at}, place, p->o.keep, &trace);
    if (!wrong && !trace.reached) {
        p->shared->missed++;
        return;
    }
    if (w->how == CRASH_KILL) {
        p->shared->killed++;
    } else {
        p->shared->failed++;
    }
    if (wrong) {
        p->shared->wrong++;
        printf("WRONG %s %s %u (%s %s): %s%s%s\n", g->scenario->name, w->name, a->at, trace.call.name, trace.call.file,
               wrong, p->o.keep ? "; kept in " : "", p->o.keep ? place : "");
        fflush(stdout);
        free(wrong);
    }
}

static void work(crash_plan *p, unsigned long job) {
    for (size_t i; (i = atomic_fetch_add(&p->shared->next, 1)) < p->count;) {
        if (p->o.seconds > 0 && now_s() - p->begun_s > p->o.seconds) {
            return;
        }
        if (p->o.all && i % 1000 == 999) {
            printf("%zu of %zu, %.0f s\n", i + 1, p->count, now_s() - p->begun_s);
            fflush(stdout);
        }
        char *place = crash_text("%s/%lu.%zu", p->scratch, job, i);
        try_one(p, &p->attempts[i], place);
        free(place);
    }
}

static bool try_all(crash_plan *p) {
    bool well = true;
    fflush(stdout);
    for (unsigned long job = 0; job < p->o.jobs; job++) {
        pid_t child = fork();
        if (child == 0) {
            work(p, job);
            _exit(0);
        }
    }
    for (int status; wait(&status) > 0;) {
        well = well && status == 0;
    }
    return well;
}

/* ---- the command ---- */

static bool parse(options *o, int argc, char **argv) {
    *o = (options){
        .seconds = -1, .seed = (unsigned long)time(NULL) / 86400, .jobs = (unsigned long)sysconf(_SC_NPROCESSORS_ONLN)};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--all") == 0) {
            o->all = true;
        } else if (strcmp(argv[i], "--keep") == 0) {
            o->keep = true;
        } else if (strcmp(argv[i], "--list") == 0) {
            o->list = true;
        } else if (strcmp(argv[i], "--seconds") == 0 && i + 1 < argc) {
            o->seconds = strtod(argv[++i], NULL);
        } else if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc) {
            o->seed = strtoul(argv[++i], NULL, 10);
        } else if (strcmp(argv[i], "--jobs") == 0 && i + 1 < argc) {
            o->jobs = strtoul(argv[++i], NULL, 10);
        } else if (strcmp(argv[i], "--one") == 0 && i + 2 < argc) {
            o->one = argv[++i];
            o->one_at = (unsigned)strtoul(argv[++i], NULL, 10);
        } else if (argv[i][0] == '-' || o->name_count == SCENARIOS_MOST) {
            return false;
        } else {
            o->names[o->name_count++] = argv[i];
        }
    }
    o->seconds = o->seconds < 0 ? (o->all ? 0 : 12) : o->seconds;
    o->jobs = o->jobs ? o->jobs : 1;
    return true;
}

static bool is_wanted(const options *o, const char *name) {
    for (size_t i = 0; i < o->name_count; i++) {
        if (strcmp(o->names[i], name) == 0) {
            return true;
        }
    }
    return o->name_count == 0;
}

/* The recording of quick.lua with the points alone that the scenarios ask for: every try reads it twice. */
static bool cut_recording(const char *scratch) {
    char *small = crash_text("%s/quick.json.gz", scratch);
    char *script =
        crash_text("cd '%s' && \"$ROOFTUNE\" run \"$SOURCE/sweeps/quick.lua\" -o cut.db --budget 12 --no-report "
                   "-d \"replay:$SOURCE/sweeps/recorded/nvidia-h200/quick.json.gz\" >cut.out 2>&1 && "
                   "\"$ROOFTUNE\" export cut.db -o '%s' >cut.out 2>&1 || { cat cut.out; exit 1; }",
                   scratch, small);
    setenv("RFT_NVRTC", "off", 1);
    setenv("QUICK", small, 1);
    bool made = system(script) == 0;
    free(script), free(small);
    return made;
}

/* 0; 77: nothing can be traced here; 1: one does not even work undisturbed. */
static int make_grounds(crash_plan *p) {
    int worst = 0;
    for (size_t i = 0; i < crash_scenario_count; i++) {
        char *why = NULL;
        if (!is_wanted(&p->o, crash_scenarios[i].name)) {
            continue;
        }
        int rc =
            crash_ground_make(&p->grounds[p->ground_count], &crash_scenarios[i], getenv("ROOFTUNE"), p->scratch, &why);
        if (rc == 0) {
            const crash_ground *g = &p->grounds[p->ground_count++];
            printf("%-18s %5u calls\n", g->scenario->name, g->count);
            for (unsigned c = 0; c < g->count && p->o.list; c++) {
                printf("%5u %s %s\n", c + 1, g->calls[c].name, g->calls[c].file);
            }
        } else {
            printf("%s\n", why);
            crash_ground_free(&p->grounds[p->ground_count]);
        }
        free(why);
        if (rc == 77) {
            return 77;
        }
        worst = rc ? rc : worst;
    }
    return worst;
}

static int try_that(crash_plan *p) {
    for (size_t w = 0; w < WAYS; w++) {
        if (strcmp(ways[w].name, p->o.one) == 0 && p->ground_count == 1) {
            add(p, 0, w, p->o.one_at);
            p->o.keep = true;
            work(p, 0);
            return p->shared->wrong ? 1 : 0;
        }
    }
    printf("--one needs the name of one scenario\n");
    return 2;
}

int main(int argc, char **argv) {
    static crash_plan p;
    const char *temporary = getenv("TMPDIR");
    char name[PATH_MAX / 2];
    if (!parse(&p.o, argc, argv) || !getenv("ROOFTUNE") || !getenv("SOURCE")) {
        printf("see the beginning of tests/crash/crash_calls.c\n");
        return 2;
    }
    snprintf(name, sizeof name, "%s/crash_XXXXXX", temporary ? temporary : "/tmp");
    if (!mkdtemp(name) || !realpath(name, p.scratch)) {
        perror(name);
        return 1;
    }
    setenv("LC_ALL", "C", 1);
    setenv("ASAN_OPTIONS", "detect_leaks=0", 0); /* its leak checker is a tracer itself */
    p.shared = mmap(NULL, sizeof *p.shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (p.shared == MAP_FAILED) {
        return 1;
    }
    p.begun_s = now_s();
    int rc = cut_recording(p.scratch) ? make_grounds(&p) : 1;
    if (rc != 77 && p.o.one) {
        rc = try_that(&p);
    } else if (rc != 77 && !p.o.list) {
        choose(&p);
        rc = try_all(&p) && p.shared->wrong == 0 ? rc : 1;
        size_t all = p.shared->next < p.count ? p.shared->next : p.count;
        printf("%zu of %zu distinct places\n", all < p.places ? all : p.places, p.places);
        printf(
            "seed %lu: %zu of %zu tries in %.1f s: %zu kills, %zu errors injected, %zu not reached; %zu went wrong\n",
            p.o.seed, all, p.count, now_s() - p.begun_s, (size_t)p.shared->killed, (size_t)p.shared->failed,
            (size_t)p.shared->missed, (size_t)p.shared->wrong);
    }
    for (size_t g = 0; g < p.ground_count; g++) {
        crash_ground_free(&p.grounds[g]);
    }
    free(p.attempts);
    if (!p.o.keep) {
        crash_folder_remove(p.scratch);
    }
    return rc;
}
