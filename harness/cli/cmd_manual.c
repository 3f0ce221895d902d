/* SPDX-License-Identifier: Apache-2.0 */
/* The manual page, of the same tables as --help: rooftune(1) as roff for man(7). */
#include "cli/cli.h"
#include "cli/command_options.h"

#include <string.h>

/* As it stands: no escape, no request, and a hyphen that can be copied. */
static void put(FILE *out, const char *text) {
    if (*text == '.' || *text == '\'') {
        fputs("\\&", out);
    }
    for (; *text; text++) {
        if (*text == '\\') {
            fputs("\\e", out);
        } else if (*text == '-') {
            fputs("\\-", out);
        } else if (*text != '\n') {
            fputc(*text, out);
        } else {
            text += strspn(text, "\n "); /* of a help in several lines, which are filled anew */
            fputc(' ', out);
            text--;
        }
    }
}

static void put_line(FILE *out, const char *text) {
    put(out, text);
    fputc('\n', out);
}

static void put_option(FILE *out, const rft_opt *opt) {
    char letter[2] = {opt->letter, '\0'};
    fputs(".TP\n", out);
    if (opt->letter) {
        fputs("\\fB\\-", out);
        put(out, letter);
        fputs("\\fR, ", out);
    }
    fputs("\\fB\\-\\-", out);
    put(out, opt->name);
    fputs("\\fR", out);
    if (opt->argument) {
        fputs(" \\fI", out);
        put(out, opt->argument);
        fputs("\\fR", out);
    }
    fputc('\n', out);
    put_line(out, opt->help);
}

static void put_command(rft_cli *cli, const rft_command *command) {
    rft_arena *arena = rft_arena_new();
    const rft_command_options table = rft_command_options_of(cli, command, arena);
    fprintf(cli->out, ".SS \"rooftune ");
    put(cli->out, command->name);
    fputs("\"\n\\fBrooftune ", cli->out);
    put(cli->out, command->name);
    fputs(*command->usage ? "\\fR " : "\\fR", cli->out);
    put_line(cli->out, command->usage);
    fputs(".PP\n", cli->out);
    put_line(cli->out, command->help);
    for (size_t i = 0; i < table.count; i++) {
        if (table.items[i].name) {
            put_option(cli->out, &table.items[i]);
        }
    }
    rft_arena_free(arena);
}

static void put_examples(FILE *out) {
    static const char *const examples[][2] = {
        {"rooftune new kernel.cu", "writes a first sweep of a kernel, and a reference to fill in"},
        {"rooftune check kernel.lua", "compiles a sample of it; needs no GPU"},
        {"rooftune run kernel.lua", "measures it and draws its report"},
        {"rooftune show RUN.db", "tells the findings as text"},
        {"rooftune run sweeps/quick.lua -d replay:sweeps/recorded/nvidia-h200/quick.json.gz",
         "replays a recording, on any machine"},
    };
    fputs(".SH EXAMPLES\n", out);
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        fputs(".TP\n.B ", out);
        put_line(out, examples[i][0]);
        put_line(out, examples[i][1]);
    }
}

static void put_statuses(FILE *out) {
#define STATUS(name, exit_status, text) {exit_status, text},
    static const struct {
        int status;
        const char *text;
    } statuses[] = {{0, "done"}, RFT_CODE_MAP(STATUS)};
#undef STATUS
    fputs(".SH \"EXIT STATUS\"\n", out);
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        fprintf(out, ".TP\n%d\n", statuses[i].status);
        put_line(out, statuses[i].text);
    }
}

static void put_environment(FILE *out) {
    static const char *const variables[][2] = {
        {"RFT_CACHE",
         "folder of compiled kernels and kept ceilings; off: none. Default: $XDG_CACHE_HOME/rooftune, else "
         "~/.cache/rooftune"},
        {"RFT_CACHE_LIMIT", "size of that folder, such as 500MB; default 1GiB"},
        {"RFT_NVRTC", "NVRTC's folder, or off"},
        {"RFT_CUPTI", "CUPTI's folder, or off"},
        {"RFT_CUBLASLT", "cuBLASLt's folder, or off"},
        {"RFT_CUDA_ROOT", "a CUDA toolkit, or a folder of NVIDIA's wheels, for all three"},
        {"CUDA_HOME", "a CUDA toolkit"},
    };
    fputs(".SH ENVIRONMENT\n", out);
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        fprintf(out, ".TP\n.B %s\n", variables[i][0]);
        put_line(out, variables[i][1]);
    }
}

static void put_page(rft_cli *cli) {
    FILE *out = cli->out;
    const char *group = "";
    fprintf(
        out,
        ".\\\" SPDX-License-Identifier: Apache-2.0\n"
        ".TH ROOFTUNE 1 \"\" \"rooftune %s\" \"User Commands\"\n"
        ".SH NAME\n"
        "rooftune \\- finds the best configuration of CUDA kernels and how far from the roof it is\n"
        ".SH SYNOPSIS\n"
        ".B rooftune\n"
        ".I COMMAND\n"
        ".RI [ arguments ]\n"
        ".SH DESCRIPTION\n"
        "A sweep is a Lua script: a kernel template, the parameters to tune, the problem sizes.\n"
        "rooftune compiles every configuration, checks its results, measures it, and places it under ceilings\n"
        "measured on the same card.\n"
        "Each run is one SQLite file, RUN.db, and one PDF; a recording, FILE.json.gz, stands wherever RUN.db does.\n"
        "sweeps/NAME that is not in the current folder is the one that ships.\n"
        "Quantities take units: 2s, 10m, 64MiB.\n"
        "Results go to stdout, messages to stderr.\n",
        RFT_VERSION);
    for (const rft_command *command = rft_command_table(); command->name; command++) {
        if (strcmp(command->group, group) != 0) {
            group = command->group;
            fputs(".SH \"COMMANDS: ", out);
            put(out, group);
            fputs("\"\n", out);
        }
        put_command(cli, command);
    }
    put_examples(out);
    put_environment(out);
    put_statuses(out);
}

int rft_cmd_manual(rft_cli *cli, int argc, char **argv, rft_err *err) {
    rft_words rest = {0};
    bool helped = false;
    rft_arena *arena = rft_arena_new();
    int rc = rft_opt_parse(cli, NULL, 0, argc, argv, arena, &rest, NULL, &helped, err);
    rc = rc || helped ? rc : rft_opt_no_words(cli, &rest, err);
    if (rc == RFT_OK && !helped) {
        put_page(cli);
    }
    rft_arena_free(arena);
    return rc;
}
