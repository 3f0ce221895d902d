/* SPDX-License-Identifier: Apache-2.0 */
/* fs_parts.h - what fs.c and fs_put.c share. Private to them. */
#ifndef RFT_BASE_FS_PARTS_H
#define RFT_BASE_FS_PARTS_H

#include "base/err.h"

#include <stddef.h>
#include <sys/types.h>

/* "cannot VERB PATH: CAUSE" with the remedy that fits `cause` (an errno). Returns RFT_E_IO. */
int rft_fs_error(rft_err *err, const char *verb, const char *path, int cause);

/* All of it, whatever write() takes at a time. 0 or an errno. */
int rft_fs_write_all(int fd, const void *data, size_t size);

/* A new file "TARGET.PID.N.tmp" open for writing; its heap name in *temporary. -1 with errno. */
int rft_fs_open_beside(char **temporary, const char *target, mode_t mode);

#endif
