/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli.h - what every subcommand gets. cli is the composition root: the only room that prints, reads argv and the
 * environment, and decides which implementation stands behind a seam. stdout carries results, stderr talk.
 */
#ifndef RFT_CLI_CLI_H
#define RFT_CLI_CLI_H

#include "base/arena.h"
#include "base/err.h"
#include "base/log.h"
#include "base/str.h"
#include "cli/opt.h"

#include <stdbool.h>
#include <stdio.h>

typedef struct rft_command rft_command;

struct rft_cli {
    FILE *out;    /* results; like `talk` it spells out what would act on a terminal (plain_stream.h) */
    FILE *talk;   /* messages, warnings */
    FILE *screen; /* stderr as it is, for drawing the progress; written through rft_plain_add() */
    bool talk_is_terminal;
    bool talk_moves;            /* the terminal understands the cursor movements of ECMA-48 */
    int progress_lines;         /* of progress that stand on the terminal, the cursor at the end of the last; 0: none */
    int progress_columns;       /* of the last of them */
    rft_log log;                /* writes to talk */
    const char *program;        /* absolute path of this executable */
    const char *invoked_as;     /* its name as typed, for commands to paste */
    const char *command_line;   /* as typed, for the record: "rooftune run 'my sweep.lua'" */
    const rft_command *command; /* the one that runs */
    const rft_words *allow_paths; /* of --allow-path; NULL: none */
    /* Gets the options of a command that is called with --help; NULL: they are printed. */
    void (*describe)(void *self, const rft_opt *opts, size_t count);
    void *describe_self;
};

/* A subcommand. `run` gets argv without the program and the subcommand's name; it returns 0 or a negative rft_code with
 * `err` set, which main() prints (place, message, remedy) and turns into the exit status. */
struct rft_command {
    const char *group; /* its heading in --help */
    const char *name;
    const char *usage; /* "SWEEP.lua... [options]" */
    const char *help;  /* one line */
    int (*run)(rft_cli *cli, int argc, char **argv, rft_err *err);
};

/* All of them, in the order of --help; terminated by a NULL name. */
const rft_command *rft_command_table(void);

/* Takes the progress off the terminal, before anything else is said there. */
void rft_cli_wipe_progress(rft_cli *cli);

/* Writes `text` to a file, or to cli->out for "-". */
int rft_cli_write(rft_cli *cli, const char *path, const char *text, size_t length, rft_err *err);

/* The subcommands, one file each. */
int rft_cmd_run(rft_cli *cli, int argc, char **argv, rft_err *err);
int rft_cmd_new(rft_cli *cli, int argc, char **argv, rft_err *err);
int rft_cmd_check(rft_cli *cli, int argc, char **argv, rft_err *err);
int rft_cmd_point(rft_cli *cli, int argc, char **argv, rft_err *err);
int rft_cmd_report(rft_cli *cli, int argc, char **argv, rft_err *err);
int rft_cmd_compare(rft_cli *cli, int argc, char **argv, rft_err *err);
int rft_cmd_test(rft_cli *cli, int argc, char **argv, rft_err *err);
int rft_cmd_show(rft_cli *cli, int argc, char **argv, rft_err *err);
int rft_cmd_best(rft_cli *cli, int argc, char **argv, rft_err *err);
int rft_cmd_export(rft_cli *cli, int argc, char **argv, rft_err *err);
int rft_cmd_import(rft_cli *cli, int argc, char **argv, rft_err *err);
int rft_cmd_ceilings(rft_cli *cli, int argc, char **argv, rft_err *err);
int rft_cmd_devices(rft_cli *cli, int argc, char **argv, rft_err *err);
int rft_cmd_model(rft_cli *cli, int argc, char **argv, rft_err *err);
int rft_cmd_completion(rft_cli *cli, int argc, char **argv, rft_err *err);
int rft_cmd_manual(rft_cli *cli, int argc, char **argv, rft_err *err);
int rft_cmd_worker(rft_cli *cli, int argc, char **argv, rft_err *err); /* not in the table: started by run itself */

#endif
