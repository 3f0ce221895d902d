/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache_folder.h - the folder of the cubin cache: one file "<key>.rftc" an entry, and one file ".lock", which never
 * holds a byte. Knows nothing of what entries mean. Private to the cubin cache.
 *
 * Bytes of ".lock" are locked, not written (locks of open file descriptions: they end with their holder, however that
 * ends, and leave nothing): byte 0 by the process that makes room, one byte a run by its process that warns, and from
 * 2^61 on one byte a key by the process that compiles it. Its modification time says when room was last made. Used by
 * several processes at once; after fork() by parent and child.
 */
#ifndef RFT_GPU_CACHE_FOLDER_H
#define RFT_GPU_CACHE_FOLDER_H

#include "base/log.h"
#include "gpu/compiler.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One for a process and the children it forks: in memory that they share, since a child's own ends with its request. */
typedef struct rft_cache_shared {
    _Atomic bool writable;            /* false after the first failure to write */
    _Atomic bool warned;              /* this process or a child of it has warned */
    _Atomic uint64_t unchecked_bytes; /* written since room was last made by any of them */
    _Atomic unsigned unchecked_count;
} rft_cache_shared;

typedef struct rft_cache_folder {
    char *path, *lock_path;
    uint64_t limit_bytes;
    double wait_s;
    const rft_log *log;
    uint64_t run_id;
    bool named_temporaries;
    bool others; /* somebody else may write there: nothing is read or written */
    int lock_fd; /* for the run's byte, shared with children; -1: no locks here */
    rft_cache_shared *shared;
    rft_cache_shared own; /* where no memory can be shared */
} rft_cache_folder;

/* Never fails: a folder that cannot be written warns, and is read from if it is there; one that somebody else may write
 * warns, and is not: its entries are code. */
void rft_cache_folder_open(rft_cache_folder *out, const rft_compile_cache_opts *opts);
void rft_cache_folder_close(rft_cache_folder *folder);

/* Heap bytes of the entry, NULL when there is none that can be read. Not verified. `key` is 64 hex digits. */
char *rft_cache_folder_read(const rft_cache_folder *folder, const char *key, size_t *size);
/* The entry was good and is used: it goes last when room is made. */
void rft_cache_folder_touch(const rft_cache_folder *folder, const char *key);
/* Replaces what is there. The first failure of a process warns; after one that is not the entry's own nothing more is
 * written. Makes room now and then. */
void rft_cache_folder_write(rft_cache_folder *folder, const char *key, const void *data, size_t size);

/* Waits, at most opts.wait_s, until no other process holds the key. -1 without the lock: the wait was too long or there
 * are no locks here, and the caller goes on all the same. Ends with rft_cache_folder_unlock() or with the process. */
int rft_cache_folder_lock(const rft_cache_folder *folder, const char *key);
void rft_cache_folder_unlock(int lock);

/* Removes the entries unused longest until the folder is a tenth below its limit, and temporaries of dead writers; what
 * is not the cache's own stays and does not count. Does nothing while another process is at it. */
void rft_cache_make_room(rft_cache_folder *folder);
/* A new description of ".lock"; -1 with errno. */
int rft_cache_open_lock(const rft_cache_folder *folder);
/* 0, or an errno: EAGAIN when another description holds that byte. */
int rft_cache_lock_byte(int fd, int64_t byte);

#endif
