/* SPDX-License-Identifier: Apache-2.0 */
/* command_options.h - the options of a command as its --help lists them, for what is made of them: completion, manual.
 */
#ifndef RFT_CLI_COMMAND_OPTIONS_H
#define RFT_CLI_COMMAND_OPTIONS_H

#include "cli/cli.h"

typedef struct rft_command_options {
    const rft_opt *items; /* headings too: without a name */
    size_t count;
} rft_command_options;

/* Texts live in `arena`; where values would go is not to be used. */
rft_command_options rft_command_options_of(const rft_cli *cli, const rft_command *command, rft_arena *arena);

#endif
