/* SPDX-License-Identifier: Apache-2.0 */
/* fs.h - files and paths. Paths are UTF-8 text as given by the user; nothing here follows the current locale. */
#ifndef RFT_BASE_FS_H
#define RFT_BASE_FS_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Opens a regular file for reading: RFT_E_IO for all else, at once, since a pipe would wait for its writer and a device
 * may have no end. The descriptor, or a negative code. */
int rft_fs_open_file(const char *path, rft_err *err);
/* Its first bytes, as many as there are, at most `size`; 0 where there is no such file. */
size_t rft_fs_head(const char *path, void *to, size_t size);

/* Reads a whole file; *out is NUL-terminated heap memory of *size bytes (+1), owned by the caller.
 * Errors: RFT_E_IO (message names path and cause), RFT_E_LIMIT if larger than max_bytes (0 = 1 GiB). */
int rft_fs_read(char **out, size_t *size, const char *path, size_t max_bytes, rft_err *err);
/* Reads and inflates a gzip file of at most max_bytes inflated bytes. RFT_E_RECORDING when truncated or not gzip. */
int rft_fs_read_gzip(char **out, size_t *size, const char *path, size_t max_bytes, rft_err *err);
bool rft_fs_is_gzip(const char *path); /* by its first two bytes */

/* Readers see the old or the new content, also when the writer is killed. What is meant for `path` may have the name
 * ".NAME.rooftune-new" beside it for a moment; a killed writer's is removed by the next one. */
int rft_fs_write_atomic(const char *path, const void *data, size_t size, rft_err *err);
/* The same, deflated (no name or time in the header, so equal data give equal bytes; level 9 would take three times as
 * long, for a recording that is 0.3 % smaller). */
int rft_fs_write_gzip(const char *path, const void *data, size_t size, rft_err *err);
/* RFT_E_IO: both would refuse what has the name: a folder, a pipe, a device, a link to nothing. A link to a file is
 * followed: the file is replaced. */
int rft_fs_check_replaceable(const char *path, rft_err *err);
/* For caches: the file appears whole or not at all and a writer that is killed leaves nothing, but nothing is forced to
 * the disk, so that after a power cut it may be there damaged. What has the name, unless it is a folder, is replaced,
 * and meanwhile readers may find nothing. Where the file system has no nameless files, or `named` asks for it, a
 * temporary "PATH.PID.N.tmp" is written and renamed. */
int rft_fs_put(const char *path, const void *data, size_t size, bool named, rft_err *err);
/* Removes a temporary of rft_fs_put() whose writer is dead: it is older than 10 s and not locked, or an hour
 * where the file system has no locks. True when it did. */
bool rft_fs_drop_temporary(const char *path);
/* By writing a byte, which is gone at once (in ".try.PID.N.tmp" where files need names): access() knows nothing of full
 * and of read-only network disks. */
int rft_fs_can_write(const char *folder, rft_err *err);

bool rft_fs_exists(const char *path);
bool rft_fs_is_barred(const char *path); /* a folder on its way may not be entered: is it there? */
bool rft_fs_is_folder(const char *path);
/* Why somebody else may write what is in the folder: "belongs to another user" (but root), "may be written by anyone".
 * NULL: nobody may, or it is not there. */
const char *rft_fs_is_others(const char *folder);
int rft_fs_make_folders(const char *path, rft_err *err); /* mkdir -p, mode 0777 less umask */
int rft_fs_remove(const char *path, rft_err *err);       /* a missing file is no error */

/* Path arithmetic; results are heap strings owned by the caller. */
char *rft_fs_join(const char *folder, const char *name); /* an absolute `name` stands alone */
char *rft_fs_folder(const char *path);                   /* "a/b.lua" -> "a"; "b.lua" -> "." */
const char *rft_fs_name(const char *path);               /* "a/b.lua" -> "b.lua"; points into path */
char *rft_fs_stem(const char *path);                     /* "a/b.lua" -> "b" */
char *rft_fs_absolute(const char *path);                 /* realpath if it exists, else joined to the working folder */
char *rft_fs_program(void);                              /* this executable's own path */

/* Sorted names in a folder ending in `suffix` (NULL = all), without "." and "..". Free each and the array. */
int rft_fs_list(char ***out, size_t *count, const char *folder, const char *suffix, rft_err *err);
void rft_fs_list_free(char **names, size_t count);

#endif
