/* SPDX-License-Identifier: Apache-2.0 */
#include "base/fs.h"
#include "base/units.h"
#include "cli/cli.h"
#include "cli/command_text.h"
#include "cli/interrupt.h"
#include "cli/plain_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Grouped by what they are for. */
static const rft_command commands[] = {
    {"write a sweep", "new", "KERNEL.cu|--from T1.json [-o DIR] [options]",
     "a first sweep of a kernel you have, and its reference to fill in", rft_cmd_new},
    {"write a sweep", "check", "SWEEP.lua|SPACE.json [options]", "count the space, compile a sample; needs no GPU",
     rft_cmd_check},
    {"measure", "devices", "[options]", "what works here: driver, NVRTC, counters, power, libraries", rft_cmd_devices},
    {"measure", "ceilings", "[options]", "measure what this card can do at most", rft_cmd_ceilings},
    {"measure", "point", "SWEEP.lua [--at n=4096] [--set TILE=128] [options]",
     "one point alone, for ncu, sanitizers and debugging", rft_cmd_point},
    {"measure", "run", "SWEEP.lua|RECORDING... [options] [-- script arguments]", "measure a sweep and write its report",
     rft_cmd_run},
    {"read results", "show", "RUN.db... [options]", "the findings of a run as text, JSON or CSV", rft_cmd_show},
    {"read results", "report", "RUN.db... [-o OUT.pdf] [options]",
     "draw the PDF of a run or a recording; -o OUT.md, OUT.html: as Markdown, as HTML", rft_cmd_report},
    {"read results", "compare", "A B [...] [-o OUT.pdf] [options]",
     "two to eight runs beside each other (devices, cards, dates), or a fleet", rft_cmd_compare},
    {"decide", "test", "LIMITS.lua RUN.db... [options]",
     "hold delivered cards to a table of limits: PASS, FAIL or UNDECIDED", rft_cmd_test},
    {"use results", "best", "RUN.db... [options]", "the best configuration of every problem", rft_cmd_best},
    {"use results", "model", "[MODEL KEY=VALUE[,VALUE...]...]...|RUN.db|FILE.json.gz [options]",
     "the roofline of common operations by datasheet, or a run under other devices' ceilings", rft_cmd_model},
    {"exchange files", "import", "FILE.json.gz|SHARD.db... -o RUN.db, or --baseline|--counters FILE RUN.db",
     "read a recording (T4, Kernel Tuner) into a run file, or baselines, or counters", rft_cmd_import},
    {"exchange files", "export", "RUN.db -o FILE.json.gz", "write a run as a recording, as T4 JSON or for Kernel Tuner",
     rft_cmd_export},
    {"set up a shell", "completion", "bash|zsh|fish", "completion in your shell: eval \"$(rooftune completion bash)\"",
     rft_cmd_completion},
    {"set up a shell", "manual", "", "the manual page, as roff: rooftune manual | man -l -", rft_cmd_manual},
    {NULL, NULL, NULL, NULL, NULL},
};

/* Workers are started by run itself: not a command for people. */
static const rft_command worker_command = {NULL, "worker", "compile|device [ORDINAL]", "(internal)", rft_cmd_worker};

const rft_command *rft_command_table(void) {
    return commands;
}

static void print_help(FILE *out) {
    fprintf(out,
            "rooftune %s: finds the best configuration of CUDA kernels and how far from the roof it is.\n\n"
            "usage: rooftune COMMAND [arguments]\n",
            RFT_VERSION);
    const char *group = "";
    for (const rft_command *command = commands; command->name; command++) {
        if (strcmp(command->group, group) != 0) {
            group = command->group;
            fprintf(out, "\n%s:\n", group);
        }
        fprintf(out, "  %-10s %s\n", command->name, command->help);
    }
    fprintf(out, "\nRUN.db is a run file, or a recording (FILE.json.gz). `rooftune COMMAND --help` lists a\n"
                 "command's options. Quantities take units: 2s, 10m, 64MiB. Results go to stdout, messages to\n"
                 "stderr. Exit statuses: docs/exit-codes.md.\n");
}

static const rft_command *find_command(const char *name, rft_err *err) {
    const char *names[sizeof commands / sizeof commands[0]];
    size_t count = 0;
    if (strcmp(name, worker_command.name) == 0) {
        return &worker_command;
    }
    for (const rft_command *command = commands; command->name; command++) {
        if (strcmp(command->name, name) == 0) {
            return command;
        }
        names[count++] = command->name;
    }
    const char *near = rft_text_nearest(name, names, count);
    rft_err_set(err, RFT_E_USAGE, "unknown command \"%s\"%s%s%s", name, near ? ", did you mean \"" : "",
                near ? near : "", near ? "\"?" : "");
    if (rft_text_ends(name, ".lua")) {
        rft_err_remedy(err, "rooftune check %.300s looks at it, rooftune run %.300s measures", name, name);
    } else if (rft_text_ends(name, ".cu")) {
        rft_err_remedy(err, "rooftune new %.300s writes a first sweep of it", name);
    } else {
        rft_err_remedy(err, "`rooftune --help` lists the commands");
    }
    return NULL;
}

/* What helps where the level that failed knew nothing better. docs/exit-codes.md has the same. */
static const char *usual_remedy(const rft_cli *cli, int code) {
    switch (code) {
    case RFT_E_USAGE:
        return cli->command ? "--help after the command lists its options" : "`rooftune --help` lists the commands";
    case RFT_E_SCRIPT:
        return "docs/sweeps.md describes the language; with sweeps/types/rooftune.lua an editor shows its keys";
    case RFT_E_SPACE:
        return "`rooftune check SWEEP.lua` counts what each constraint removes";
    case RFT_E_SOURCE:
        return "`rooftune point SWEEP.lua --emit log` shows what the compiler says";
    case RFT_E_SCHEMA:
        return "read it with the version of rooftune that wrote it";
    case RFT_E_NOTHING:
        return "`rooftune show RUN.db` groups the failures by reason";
    case RFT_E_LIMIT:
        return "stay below the limit: a smaller file, fewer values";
    case RFT_E_REPORT:
        return "`rooftune show --full` says the same as text";
    case RFT_E_RECORDING:
        return "copy or download the file again, and try `gzip -t` on it";
    case RFT_E_STORE:
    case RFT_E_IO:
        return "check the disk and the permissions there";
    case RFT_E_DEVICE:
    case RFT_E_COMPILER:
        return "`rooftune devices` says what works here and what helps where it does not";
    case RFT_E_WORKER:
        return "check the host's memory; `rooftune point` runs one point alone";
    case RFT_E_BUSY:
        return "--wait waits until it is free";
    case RFT_E_NOT_FOUND:
        return "`rooftune show` lists what there is";
    case RFT_E_INTERNAL:
        return "this is a fault of rooftune: please report it, with this message";
    default:
        return "";
    }
}

static void talk_line(void *self, rft_log_level level, const char *text) {
    rft_cli *cli = self;
    if (level == RFT_LOG_DEBUG) {
        return;
    }
    rft_cli_wipe_progress(cli);
    fprintf(cli->talk, "%s%s\n", level == RFT_LOG_WARN ? "warning: " : "", text);
}

static void print_error(rft_cli *cli, const rft_err *err) {
    const char *remedy = *err->remedy ? err->remedy : usual_remedy(cli, err->code);
    rft_cli_wipe_progress(cli);
    fprintf(cli->talk, "rooftune: %s%s%s\n", err->place, *err->place ? ": " : "",
            *err->message ? err->message : rft_code_text(err->code));
    if (*remedy) {
        fprintf(cli->talk, "  remedy: %s\n", remedy);
    }
}

static char *join_command_line(int argc, char **argv) {
    rft_str line = RFT_STR_INIT;
    rft_str_add(&line, "rooftune ");
    rft_command_add_words(&line, (const char *const *)argv + 1, (size_t)argc - 1);
    return rft_str_take(&line);
}

/* Can lines above the last one be rewritten? */
static bool moves_cursor(void) {
    const char *terminal = getenv("TERM");
    return terminal && *terminal && strcmp(terminal, "dumb") != 0;
}

/* A closed descriptor 0, 1 or 2 would be given to the next file that is opened: a run file, or a worker's pipe, into
 * which a message would be written. Read-only, so that what is written to a closed stdout is an error. */
static int open_missing_streams(rft_err *err) {
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDONLY) != fd) {
            return rft_err_set(err, RFT_E_IO, "/dev/null cannot be opened: %s", strerror(errno));
        }
    }
    return RFT_OK;
}

/* *results: stdout, for as long as it is open. */
static int make_plain(rft_cli *cli, FILE **results, rft_err *err) {
    FILE *out = rft_plain_stream(STDOUT_FILENO, isatty(STDOUT_FILENO) == 1 ? _IOLBF : _IOFBF, NULL);
    FILE *talk = rft_plain_stream(STDERR_FILENO, _IONBF, results);
    if (!out || !talk) {
        return rft_err_set(err, RFT_E_INTERNAL, "no stream can be made: %s", strerror(errno));
    }
    *results = cli->out = out;
    cli->talk = talk;
    return RFT_OK;
}

/* What waits in it is written. False: some of it, or of what came before, is lost. */
static bool close_plain(FILE *file) {
    bool written = !ferror(file);
    return fclose(file) == 0 && written;
}

static int do_command(rft_cli *cli, int argc, char **argv, rft_err *err) {
    if (argc < 2) {
        print_help(cli->talk);
        return RFT_E_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
        print_help(cli->out);
        return RFT_OK;
    }
    if (strcmp(argv[1], "--version") == 0) {
        fprintf(cli->out, "rooftune %s\n", RFT_VERSION);
        return RFT_OK;
    }
    char *program = rft_fs_program();
    char *line = join_command_line(argc, argv);
    cli->program = program;
    cli->invoked_as = argv[0];
    cli->command_line = line;
    cli->command = find_command(argv[1], err);
    int rc = cli->command ? cli->command->run(cli, argc - 2, argv + 2, err) : err->code;
    free(program);
    free(line);
    return rc;
}

int main(int argc, char **argv) {
    if (argc < 2 || strcmp(argv[1], worker_command.name) != 0) {
        rft_interrupt_begin(); /* a worker ignores signals, once it is one */
    }
    rft_cli cli = {.out = stdout, .talk = stderr, .screen = stderr};
    rft_err err = RFT_ERR_INIT;
    FILE *results = NULL;
    int rc = open_missing_streams(&err);
    rc = rc == RFT_OK ? make_plain(&cli, &results, &err) : rc;
    const bool plain = cli.out != stdout;
    cli.talk_is_terminal = isatty(STDERR_FILENO) == 1;
    cli.talk_moves = cli.talk_is_terminal && moves_cursor();
    cli.log = (rft_log){.line = talk_line, .self = &cli};
    signal(SIGXFSZ, SIG_IGN); /* a file over the size limit is a full disk: an error, not the end */
    rc = rc == RFT_OK ? do_command(&cli, argc, argv, &err) : rc;
    bool written = !plain || close_plain(cli.out);
    results = NULL;
    if (rc == RFT_OK && (!written || fflush(stdout) != 0 || ferror(stdout))) { /* events go to stdout itself */
        rc = rft_err_set(&err, RFT_E_IO, "stdout cannot be written: the output is incomplete");
    }
    if (rc != RFT_OK && argc > 1) { /* the help alone says enough */
        print_error(&cli, &err);
    }
    if (plain) {
        (void)close_plain(cli.talk); /* nothing is left to tell */
    }
    return rft_code_exit_status(rc);
}
