/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store.h - a run on disk: one SQLite file (WAL). Every point is committed before the next is taken.
 * And its exchange form: a recording, gzip T4 JSON with a `rooftune` section (docs/recording.md).
 */
#ifndef RFT_STORE_STORE_H
#define RFT_STORE_STORE_H

#include "base/hash.h"
#include "model/run/run.h"

#define RFT_STORE_SCHEMA 12
#define RFT_STORE_SCHEMA_READ 2 /* the oldest that can be read; what it has not is "not recorded" */

typedef struct rft_store rft_store;

typedef enum rft_store_mode {
    RFT_STORE_CREATE, /* RFT_E_STORE when the file exists and holds something */
    RFT_STORE_BEGIN,  /* an existing one, to continue; created where there is none, or nothing in it */
    RFT_STORE_FRESH,  /* created, in the place of a run of any schema, but of nothing else */
    RFT_STORE_WRITE,  /* an existing one, to continue */
    RFT_STORE_READ
} rft_store_mode;

/* A writer holds the lock before it looks at the file. A reader puts into the file what a killed writer left beside it,
 * where no other program uses it and that is allowed. Errors: RFT_E_IO (cannot be opened or created: path and cause),
 * RFT_E_STORE (not a run file, damaged, with objects that no run has, locked by another run, something else has the
 * name of the lock or of a companion), RFT_E_SCHEMA (another schema, or an older one to continue: says both versions
 * and the remedy), RFT_E_NOT_FOUND (its creator was killed before there was anything in it). */
int rft_store_open(rft_store **out, const char *path, rft_store_mode mode, rft_err *err);
bool rft_store_is_new(const rft_store *store); /* created by this rft_store_open() */
/* After the last write: one file without companions, which is easier to copy and can be read where nothing can be
 * written. While a program reads it stays as it is, and the next that opens it does it. RFT_E_STORE: the disk does not
 * let it; nothing is lost. Closing does the same without a word. */
int rft_store_complete(rft_store *store, rft_err *err);
/* SQLite keeps no account of its memory, which threads that read side by side would wait for. Of a process, before it
 * opens anything: later it changes nothing. */
void rft_store_keep_no_accounts(void);
void rft_store_close(rft_store *store);   /* NULL is accepted */
void rft_store_discard(rft_store *store); /* the same; a file that is new goes with it, before the lock does */

/* Everything but the points, in one transaction: info, gpu, env, ceilings, sweeps, references. Call once after CREATE.
 * All writers: RFT_E_STORE on failure ("disk full" names the file and what to do; so does a file that was removed or
 * replaced meanwhile); what was committed stays. */
int rft_store_put_run(rft_store *store, const rft_run *run, rft_err *err);
/* The points, too, in the same transaction. Once after CREATE, in place of rft_store_put_run(). */
int rft_store_put_whole(rft_store *store, const rft_run *run, rft_err *err);
/* Device, environment and ceilings in the place of those that are there: another card goes on with a run that was put
 * together from shards. One transaction. */
int rft_store_put_device(rft_store *store, const rft_run *run, rft_err *err);
/* Budgets, goal, sampling and time limits of the sweeps, as `run` has them now: a run that is continued may be asked
 * for more than it began with. One transaction. */
int rft_store_put_asked(rft_store *store, const rft_run *run, rft_err *err);
int rft_store_put_ceilings(rft_store *store, const rft_ceilings *ceilings, rft_err *err);
/* Inserts the point, or replaces the one with the same id (its final round came in). One transaction. */
int rft_store_put_point(rft_store *store, const rft_point *point, rft_err *err);
/* The same, and in the same transaction what rft_store_finish() writes: the sums always fit the points. */
int rft_store_put_step(rft_store *store, const rft_point *point, const rft_run_info *info, rft_err *err);
/* Appends the reading with this place in run->references; with the sums of `info`. One transaction. */
int rft_store_put_reference(rft_store *store, size_t position, const rft_reference *reference, const rft_run_info *info,
                            rft_err *err);
/* Appends the problems of a sweep from `first` on, with the sizes of their spaces, as they are in `run`: what refine()
 * adds while the run goes on. One transaction. */
int rft_store_put_problems(rft_store *store, const rft_run *run, size_t sweep, size_t first, rft_err *err);
/* What the device draws when it does nothing. */
int rft_store_put_idle(rft_store *store, const rft_load *idle, rft_err *err);
/* Inserts baselines, or replaces those of the same problem, name and which; with the sums of `info`. One transaction.
 */
int rft_store_put_baselines(rft_store *store, const rft_baseline *baselines, size_t count, const rft_run_info *info,
                            rft_err *err);
/* `unexplored` of a sweep; finishing time, recompile counts, and elapsed, busy and compile seconds of the run. */
int rft_store_put_unexplored(rft_store *store, size_t sweep, const char *why, rft_err *err);
int rft_store_finish(rft_store *store, const rft_run_info *info, rft_err *err);

/* Reads everything. Aliases carry the numbers of the point they stand for. */
int rft_store_read(rft_store *store, rft_run **out, rft_err *err);
/* What a reader needs of a run file. */
typedef enum rft_store_need {
    RFT_NEED_ALL,
    /* Device, environment, ceilings, sweeps, and what ranks points: no configurations, resources, verification, work,
     * steps, counters, baselines or references; intervals and clocks as they were stored (rft_run_fill_figures()). */
    RFT_NEED_FIGURES
} rft_store_need;

/* Opens, reads, closes. RFT_E_NOT_FOUND: a run file whose run ended before it began: nothing is in it. What is gzip or
 * begins with a brace, or ends in .json, is read as a recording: rooftune's own, or one of another tuner, told apart by
 * content (store/exchange/exchange.h). */
int rft_store_load(rft_run **out, const char *path, rft_err *err);
/* The same; what is not needed may be left out. A recording is read whole. */
int rft_store_load_for(rft_run **out, const char *path, rft_store_need need, rft_err *err);
/* Would rft_store_load() try? False also for what is not there. */
bool rft_store_looks_like_run(const char *path);
/* Does it begin as a run file does, or any SQLite database? Not of recordings. */
bool rft_store_is_database(const char *path);
#define RFT_STORE_MAGIC "SQLite format 3" /* how a run file, as any SQLite database, begins */
/* Where `path` is named like what SQLite and the lock keep beside a run ("a.db-wal"): the length of the run's name (4).
 * 0: it is not. */
size_t rft_store_companion_of(const char *path);

/* Baselines that others measured, from the text of a JSON or CSV file (docs/baselines.md), into run->baselines as
 * "other protocol"; one of the same problem and name is replaced. RFT_E_RECORDING with place and remedy: nothing is to
 * be stored then. RFT_E_NOT_FOUND: all of it is of other problems. */
typedef struct rft_import_counts {
    size_t taken;
    size_t elsewhere; /* of problems that the run does not have: left out */
} rft_import_counts;
int rft_baselines_import(rft_run *run, const char *text, size_t size, const char *what, rft_import_counts *out,
                         rft_err *err);

/* What Nsight Compute counted of a point, from the text of its CSV (`what` names the file; docs/counters.md), in place
 * of the point's counters: RFT_E_USAGE where rooftune counted them itself, or the point's kernels are not known by
 * name; RFT_E_RECORDING with place and remedy where the file is damaged, or its launches are not the point's, by name,
 * template arguments, shape, registers or compute capability, or lack a quantity of the default set. The point of an
 * alias is the one it stands for. */
typedef struct rft_ncu_taken {
    int64_t point;      /* whose counters they are now */
    const char *source; /* as in rft_counters; of the run */
    size_t runs;        /* how often the file has the point: the last is taken */
    size_t lacking;     /* quantities; more than 0: refused for that */
} rft_ncu_taken;
int rft_ncu_import(rft_run *run, int64_t point, const char *text, size_t size, const char *what, rft_ncu_taken *out,
                   rft_err *err);

/* Recordings. RFT_E_RECORDING: truncated, not gzip, not JSON, wrong shape (with the JSON path); RFT_E_SCHEMA. */
int rft_recording_read(rft_run **out, const char *path, rft_err *err);
int rft_recording_write(const rft_run *run, const char *path, rft_err *err);

/* A package is what a bidder sends back in one file (docs/mix.md): a gzipped tar of run.json (a recording), mix.json,
 * README.md and SHA256SUMS. rft_store_load() reads it as a run with its `package` set, after it has held every file
 * against its sum; that finds damage, not forgery. `digest`: SHA-256 of SHA256SUMS in hex. RFT_E_IO; RFT_E_LIMIT: more
 * than is read of one. */
typedef struct rft_package_parts {
    const rft_run *run;
    const char *mixes; /* JSON: a list of mixes, as rft_mix_book_add() takes it; NULL: none */
    const char *page;  /* Markdown, for people; NULL: none */
} rft_package_parts;
int rft_package_write(const rft_package_parts *parts, const char *path, char digest[RFT_HASH_HEX_SIZE], rft_err *err);

/* For other programs (docs/exchange.md): the points of one variant on one problem, as plain T4 JSON or as a cache file
 * of Kernel Tuner; gzip where the path ends in .gz. `count`: points written. RFT_E_NOT_FOUND: there are none. Reading
 * them is rft_store_load()'s affair, as of every run. */
typedef enum rft_exchange_kind { RFT_EXCHANGE_T4, RFT_EXCHANGE_KT } rft_exchange_kind;
typedef struct rft_exchange_pick {
    size_t sweep, variant, problem;
} rft_exchange_pick;
int rft_exchange_write(const rft_run *run, const rft_exchange_pick *pick, rft_exchange_kind kind, const char *path,
                       size_t *count, rft_err *err);

#endif
