/* SPDX-License-Identifier: Apache-2.0 */
/*
 * outputs.h - what a command writes, looked at before anything is read or written: no output destroys an input, a run,
 * a recording or a script. rft_opt_parse() asks for every command; only names that a command makes up are left to it.
 */
#ifndef RFT_CLI_OUTPUTS_H
#define RFT_CLI_OUTPUTS_H

#include "cli/cli.h"

typedef enum rft_output_kind {
    RFT_OUTPUT_FILE,   /* replaced as a whole */
    RFT_OUTPUT_STREAM, /* written on and on: also a pipe or a device */
    RFT_OUTPUT_RUN     /* a run file, or a folder of them: the store looks at what is there */
} rft_output_kind;

typedef struct rft_output {
    const char *option; /* for messages: "--json" */
    const char *path;   /* NULL or "-": no file */
    rft_output_kind kind;
} rft_output;

/* What an option of this name, with this argument in its help, writes; false: nothing. */
bool rft_output_option(rft_output_kind *kind, const char *name, const char *argument);

/* `inputs`: words that may name files: also "replay:FILE", "A,FILE,B" and folders. RFT_E_USAGE: an output is also an
 * input, another output, or what belongs to a run file (-wal, -shm, -journal, -lock). RFT_E_IO: a FILE is there and is
 * no regular file, or holds a run, a recording or a script. */
int rft_outputs_check(const rft_output *outputs, size_t count, const rft_words *inputs, rft_err *err);

bool rft_output_is_stdout(const char *path); /* "-"; false for NULL */
/* At most one of the `count` texts goes to stdout, and a drawing never. `names`: the texts' options, for the message.
 * RFT_E_USAGE. */
int rft_outputs_check_stdout(const char *drawn, const char *const *texts, size_t count, const char *names,
                             rft_err *err);

#endif
