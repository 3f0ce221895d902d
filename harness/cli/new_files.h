/* SPDX-License-Identifier: Apache-2.0 */
/* new_files.h - the files that `new` writes, and what their sweep reads besides. */
#ifndef RFT_CLI_NEW_FILES_H
#define RFT_CLI_NEW_FILES_H

#include "cli/cli.h"
#include "cli/device_copy.h"

#define RFT_NEW_FILES_MAX (3 + RFT_COPY_HEADERS_MAX)
#define RFT_NEW_TREES_MAX (2 * RFT_COPY_FOLDERS_MAX)

typedef struct rft_new_file {
    const char *path, *text;
    const char *copied; /* whose device code it is; NULL: it is no copy */
} rft_new_file;

/* The sweep, then what it needs beside it. */
typedef struct rft_new_files {
    rft_new_file items[RFT_NEW_FILES_MAX];
    size_t count;
    const char *trees[RFT_NEW_TREES_MAX]; /* absolute: what the sweep reads besides its folder */
    size_t tree_count;
} rft_new_files;

void rft_new_files_add(rft_new_files *files, const char *path, const char *text, const char *copied);

/* `tree`, unless it lies in `own`, the sweep's folder, or in another that was added. Both absolute. */
void rft_new_files_allow(rft_new_files *files, const char *tree, const char *own);

/* Makes the folder, writes all or, where one of them is there already, none (RFT_E_IO), and tells what is next. */
int rft_new_files_write(rft_cli *cli, const char *folder, const rft_new_files *files, rft_err *err);

#endif
