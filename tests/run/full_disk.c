/* SPDX-License-Identifier: Apache-2.0 */
#include "run/full_disk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sqlite3.h>
#include <string.h>

typedef struct thin_file {
    sqlite3_file base; /* first: SQLite sees this */
    sqlite3_io_methods methods;
    sqlite3_file *inner; /* behind it in the same memory */
} thin_file;

static struct {
    sqlite3_vfs vfs;
    sqlite3_vfs *inner;
    unsigned writes, first;
    bool once;
} disk;

static bool is_full(void) {
    disk.writes++;
    return disk.first && (disk.once ? disk.writes == disk.first : disk.writes >= disk.first);
}

static sqlite3_file *inner_of(sqlite3_file *file) {
    return ((thin_file *)file)->inner;
}

static int do_close(sqlite3_file *file) {
    return inner_of(file)->pMethods->xClose(inner_of(file));
}

static int do_read(sqlite3_file *file, void *data, int amount, sqlite3_int64 at) {
    return inner_of(file)->pMethods->xRead(inner_of(file), data, amount, at);
}

static int do_write(sqlite3_file *file, const void *data, int amount, sqlite3_int64 at) {
    return is_full() ? SQLITE_FULL : inner_of(file)->pMethods->xWrite(inner_of(file), data, amount, at);
}

static int do_truncate(sqlite3_file *file, sqlite3_int64 size) {
    return inner_of(file)->pMethods->xTruncate(inner_of(file), size);
}

/* Nothing is flushed: no test cuts the power, and a thousand sessions would wait for the disk. */
static int do_sync(sqlite3_file *file, int flags) {
    (void)file, (void)flags;
    return is_full() ? SQLITE_FULL : SQLITE_OK;
}

static int do_size(sqlite3_file *file, sqlite3_int64 *size) {
    return inner_of(file)->pMethods->xFileSize(inner_of(file), size);
}

static int do_lock(sqlite3_file *file, int level) {
    return inner_of(file)->pMethods->xLock(inner_of(file), level);
}

static int do_unlock(sqlite3_file *file, int level) {
    return inner_of(file)->pMethods->xUnlock(inner_of(file), level);
}

static int do_check_lock(sqlite3_file *file, int *out) {
    return inner_of(file)->pMethods->xCheckReservedLock(inner_of(file), out);
}

static int do_control(sqlite3_file *file, int what, void *argument) {
    return inner_of(file)->pMethods->xFileControl(inner_of(file), what, argument);
}

static int do_sector_size(sqlite3_file *file) {
    return inner_of(file)->pMethods->xSectorSize(inner_of(file));
}

static int do_characteristics(sqlite3_file *file) {
    return inner_of(file)->pMethods->xDeviceCharacteristics(inner_of(file));
}

static int do_shm_map(sqlite3_file *file, int page, int size, int extend, void volatile **out) {
    return inner_of(file)->pMethods->xShmMap(inner_of(file), page, size, extend, out);
}

static int do_shm_lock(sqlite3_file *file, int offset, int count, int flags) {
    return inner_of(file)->pMethods->xShmLock(inner_of(file), offset, count, flags);
}

static void do_shm_barrier(sqlite3_file *file) {
    inner_of(file)->pMethods->xShmBarrier(inner_of(file));
}

static int do_shm_unmap(sqlite3_file *file, int remove) {
    return inner_of(file)->pMethods->xShmUnmap(inner_of(file), remove);
}

static const sqlite3_io_methods all_methods = {
    .iVersion = 2, /* no memory mapping: every write is seen */
    .xClose = do_close,
    .xRead = do_read,
    .xWrite = do_write,
    .xTruncate = do_truncate,
    .xSync = do_sync,
    .xFileSize = do_size,
    .xLock = do_lock,
    .xUnlock = do_unlock,
    .xCheckReservedLock = do_check_lock,
    .xFileControl = do_control,
    .xSectorSize = do_sector_size,
    .xDeviceCharacteristics = do_characteristics,
    .xShmMap = do_shm_map,
    .xShmLock = do_shm_lock,
    .xShmBarrier = do_shm_barrier,
    .xShmUnmap = do_shm_unmap,
};

static int do_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out_flags) {
    thin_file *thin = (thin_file *)file;
    (void)vfs;
    thin->inner = (sqlite3_file *)(thin + 1);
    thin->base.pMethods = NULL;
    int status = disk.inner->xOpen(disk.inner, name, thin->inner, flags, out_flags);
    if (thin->inner->pMethods) {
        thin->methods = all_methods;
        thin->methods.iVersion = thin->inner->pMethods->iVersion < 2 ? 1 : 2; /* journals have no shared memory */
        thin->base.pMethods = &thin->methods;
    }
    return status;
}

void full_disk_install(void) {
    disk.inner = sqlite3_vfs_find(NULL);
    disk.vfs = *disk.inner;
    disk.vfs.zName = "full_disk";
    disk.vfs.szOsFile += (int)sizeof(thin_file);
    disk.vfs.xOpen = do_open;
    full_disk_fail(0, false);
    assert_int_equal(sqlite3_vfs_register(&disk.vfs, 1), SQLITE_OK);
}

void full_disk_remove(void) {
    assert_int_equal(sqlite3_vfs_unregister(&disk.vfs), SQLITE_OK);
    assert_int_equal(sqlite3_vfs_register(disk.inner, 1), SQLITE_OK);
}

void full_disk_fail(unsigned first, bool once) {
    disk.first = first;
    disk.once = once;
    disk.writes = 0;
}

unsigned full_disk_writes(void) {
    return disk.writes;
}
