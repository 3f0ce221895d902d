/* SPDX-License-Identifier: Apache-2.0 */
/* complete.h - what may stand where the cursor is: the one engine behind the completion of every shell. */
#ifndef RFT_CLI_COMPLETE_H
#define RFT_CLI_COMPLETE_H

#include "cli/cli.h"

/*
 * `words`: of a command line, without the program; the last is the one that is completed, and may be empty. Adds lines:
 * "WORD" or "WORD<tab>what it is" for each that fits; at the end ":files EXTENSION..." (":files" alone: any) or
 * ":folders" where a path may stand, which the shell completes itself. Of "--name=value" and "replay:FILE" the words
 * are whole, the path is what stands behind the sign.
 */
void rft_complete(rft_cli *cli, char **words, size_t count, rft_str *out);

#endif
