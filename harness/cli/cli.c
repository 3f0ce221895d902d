/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"

#include "base/fs.h"

#include <errno.h>
#include <string.h>

void rft_cli_wipe_progress(rft_cli *cli) {
    if (cli->progress_lines == 0) {
        return;
    }
    if (cli->talk_moves) {
        fputs("\r\033[K", cli->screen);
        for (int line = 1; line < cli->progress_lines; line++) {
            fputs("\033[A\033[K", cli->screen);
        }
    } else {
        fprintf(cli->screen, "\r%*s\r", cli->progress_columns, "");
    }
    fflush(cli->screen);
    cli->progress_lines = 0;
    cli->progress_columns = 0;
}

int rft_cli_write(rft_cli *cli, const char *path, const char *text, size_t length, rft_err *err) {
    if (strcmp(path, "-") != 0) {
        return rft_fs_write_atomic(path, text, length, err);
    }
    if (fwrite(text, 1, length, cli->out) != length || fflush(cli->out) != 0) {
        return rft_err_set(err, RFT_E_IO, "stdout cannot be written: %s", strerror(errno));
    }
    return RFT_OK;
}
