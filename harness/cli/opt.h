/* SPDX-License-Identifier: Apache-2.0 */
/* opt.h - the options of a command line. */
#ifndef RFT_CLI_OPT_H
#define RFT_CLI_OPT_H

#include "base/arena.h"
#include "base/err.h"

#include <stdbool.h>

typedef struct rft_cli rft_cli;

typedef struct rft_words {
    const char **items; /* in the arena given to rft_opt_parse */
    size_t count;
} rft_words;

/* One option, or a heading of --help: `help` alone. Exactly one of flag, text, words is set. */
typedef struct rft_opt {
    const char *name;     /* "output" for --output */
    char letter;          /* 'o' for -o; 0 = none */
    const char *argument; /* "FILE"; NULL for a flag */
    const char *help;
    bool *flag;
    const char **text; /* the last one given wins; without an argument: `name` when it is given */
    rft_words *words;  /* every one given, in order */
} rft_opt;

/* Parses argv into the options and `rest` (positional words; what follows "--" goes to `script_args` if it is not
 * NULL). Prints the help of cli->command and sets *helped when --help is given. RFT_E_USAGE: unknown option (with the
 * nearest), missing argument. What is written (-o, --json, --csv, --report, --events) is checked against all that is
 * read, see outputs.h. */
int rft_opt_parse(rft_cli *cli, const rft_opt *opts, size_t opt_count, int argc, char **argv, rft_arena *arena,
                  rft_words *rest, rft_words *script_args, bool *helped, rft_err *err);

/* --allow-path DIR, for the commands that load a script. */
#define RFT_OPT_ALLOW_PATH(words)                                                                                      \
    { "allow-path", 0, "DIR", "scripts and sources may read there too (repeat; docs/security.md)", NULL, NULL, (words) }
/* From here on scripts may read there. RFT_E_USAGE: there is no such folder. `words` is borrowed. */
int rft_opt_allow_paths(rft_cli *cli, const rft_words *words, rft_err *err);

/* For commands that take nothing but options. RFT_E_USAGE when `rest` has words. */
int rft_opt_no_words(const rft_cli *cli, const rft_words *rest, rft_err *err);

#endif
