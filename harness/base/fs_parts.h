/* SPDX-License-Identifier: Apache-2.0 */
/* fs_parts.h - what fs.c, fs_put.c and fs_replace.c share. Private to them. */
#ifndef RFT_BASE_FS_PARTS_H
#define RFT_BASE_FS_PARTS_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* "cannot VERB PATH: CAUSE" with the remedy that fits `cause` (an errno). Returns RFT_E_IO. */
int rft_fs_error(rft_err *err, const char *verb, const char *path, int cause);

/* All of it, whatever write() takes at a time. 0 or an errno. */
int rft_fs_write_all(int fd, const void *data, size_t size);

/* A new file "TARGET.PID.N.tmp" open for writing; its heap name in *temporary. -1 with errno. */
int rft_fs_open_beside(char **temporary, const char *target, mode_t mode);

/* A file without a name in the folder of `path`, open for writing, which is gone with its writer. -1 with errno. */
int rft_fs_open_nameless(const char *path);
/* That file system wants names for its files: what rft_fs_open_nameless() said. */
bool rft_fs_wants_names(int cause);
/* Gives the nameless file a name that is free. 0 or an errno: EEXIST when it is not free. */
int rft_fs_give_name(int fd, const char *path);
/* Nothing can be named here (no /proc, no links): what rft_fs_give_name() said. Another way says better what else is
 * wrong. */
bool rft_fs_cannot_name(int cause);

#endif
