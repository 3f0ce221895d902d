/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scene.h - everything a run needs, in a scratch folder: scripted sweeps, workers that are processes, a store. Failing
 * to set it up fails the test.
 */
#ifndef RFT_TEST_SCENE_H
#define RFT_TEST_SCENE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "run/compile/compile_pool.h"
#include "run/exec.h"
#include "run/scripted_sweep.h"
#include "run/worker/remote_probe.h"

#define SCENE_SWEEPS 4

typedef struct scene {
    rft_arena *arena;
    char folder[64];     /* scratch; removed at the end */
    const char *program; /* the scripted worker under a name of its own, by which its processes are found */
    rft_loop *loop;
    rft_compile_pool *pool;
    rft_probe *probe;                /* counts what goes through it */
    rft_probe *remote;               /* behind it: one of rft_remote_probe_new(), as long as nothing is replayed */
    unsigned measured;               /* probe requests */
    unsigned counted;                /* requests to count */
    unsigned loaded;                 /* of `measured`: points under load */
    unsigned idled;                  /* requests for idle power */
    size_t followed;                 /* processes to come, as the probe was told; 0: it was not */
    rft_sweep *sweeps[SCENE_SWEEPS]; /* tests may ask more of them before a session */
    size_t sweep_count;
    rft_exec_opts opts;     /* of the next session; the members below are filled in by scene_session() */
    unsigned stop_after;    /* progress reports until the user stops; 0: never */
    unsigned stop_measured; /* probe requests until the user stops; 0: never */
    unsigned reports;
    void (*progress_hook)(void *payload, const rft_exec_progress *now); /* NULL: none */
    void *hook_payload;
    const char *measure_log;       /* file that every probe request is appended to; NULL: none */
    void (*prepare)(rft_run *run); /* of a run that begins, before it is stored; NULL: none */
    double rival_s;                /* of the last probe request */
    const char *doomed; /* its problem and configuration, as in measure_log, crash in the final round; NULL */
    int doomed_turn;    /* there in this turn alone, from 1; 0: in all */
    void (*measured_hook)(void *payload, const rft_probe_request *asked, const rft_probe_result *got); /* NULL: none */
    const rft_clock *clock; /* NULL: the system's */
    rft_exec_progress last; /* what progress() said last; its points are gone */
    char last_doing[128];   /* what was done behind the final round, as progress() said it last */
    bool went_back;         /* done, taken or the time shrank, or done exceeded planned */
    bool stopped;           /* by the last session */
    rft_err err;            /* of the last session */
} scene;

/* Workers are started when they are needed. */
void scene_open(scene *s, size_t compile_workers);
/* In a forked child: a loop, a pool and a probe of its own instead of the parent's. */
void scene_workers(scene *s, size_t compile_workers);
/* Ends everything; there must be no process left then. */
void scene_close(scene *s);

/* Adds a sweep; the folder is filled in. Returns it for changes. */
rft_sweep *scene_sweep(scene *s, const scripted_sweep_opts *opts);

const char *scene_worker_program(void); /* what s->program is a link to */
/* A path in the scratch folder. */
const char *scene_path(scene *s, const char *name);
/* Writes a small file there. */
void scene_file(scene *s, const char *name, const char *text);
/* Appends to a file by its path, at one go. */
void scene_append(const char *path, const char *line);

/* One session of a run in the folder's file `name`: begins it, or continues it when the file is there. Returns what
 * rft_exec() or opening did. */
int scene_session(scene *s, const char *name, uint64_t seed);
/* What the file holds. Owned by the scene. */
rft_run *scene_load(scene *s, const char *name);
/* A session that must end well, and what it left. */
rft_run *scene_run(scene *s, const char *name);
/* Replaces the probe by a replay of that run. */
void scene_replay(scene *s, const char *name);

/* For opts.ceilings: device memory gives 1.05 GB/s, FP32 1 TFLOP/s, and nothing else is known. */
int scene_give_ceilings(void *payload, rft_err *err);

/* The point of a configuration of sweep 0, variant 0; cosmetic 0. NULL. */
const rft_point *scene_point(const rft_run *run, size_t problem, const char *fate, int speed);
/* Fails with all there is to know. */
void scene_expect(const rft_run *run, const rft_point *point, rft_outcome outcome, const char *reason_part);
/* No two points are the same, ids count up from 1. */
void scene_expect_once(const rft_run *run);

/* ---- processes (scene_processes.c) ---- */
/* Living processes of this scene's workers; `ids` may be NULL. */
size_t scene_processes(const scene *s, long *ids, size_t most);
/* Wait up to `seconds` until there are at least `count`, and until there are none. */
bool scene_wait_processes(const scene *s, size_t count, double seconds);
bool scene_wait_end(const scene *s, double seconds);
double scene_now_s(void);
void scene_sleep_s(double seconds);

#endif
