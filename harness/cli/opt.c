/* SPDX-License-Identifier: Apache-2.0 */
#include "base/fs.h"
#include "cli/cli.h"
#include "cli/outputs.h"
#include "cli/shipped.h"

#include <errno.h>
#include <string.h>

static void print_options(const rft_cli *cli, const rft_opt *opts, size_t count) {
    fprintf(cli->out, "usage: rooftune %s%s%s\n%s\n\n", cli->command->name, *cli->command->usage ? " " : "",
            cli->command->usage, cli->command->help);
    bool grouped = false;
    for (size_t i = 0; i < count; i++) {
        char left[64];
        if (!opts[i].name) {
            fprintf(cli->out, "%s%s:\n", grouped ? "\n" : "", opts[i].help);
            grouped = true;
            continue;
        }
        char letter[5] = "    ";
        if (opts[i].letter) {
            snprintf(letter, sizeof letter, "-%c, ", opts[i].letter);
        }
        snprintf(left, sizeof left, "%s--%s%s%s", letter, opts[i].name, opts[i].argument ? " " : "",
                 opts[i].argument ? opts[i].argument : "");
        fprintf(cli->out, "  %-28s %s\n", left, opts[i].help);
    }
    fprintf(cli->out, "%s  %-28s %s\n", grouped ? "\n" : "", "    --help", "this text");
}

static const rft_opt *find_opt(const rft_opt *opts, size_t count, const char *name, size_t length) {
    for (size_t i = 0; i < count; i++) {
        if (opts[i].name && strlen(opts[i].name) == length && strncmp(opts[i].name, name, length) == 0) {
            return &opts[i];
        }
    }
    return NULL;
}

static int unknown(const rft_opt *opts, size_t count, const char *word, rft_arena *arena, rft_err *err) {
    const char **names = rft_arena_calloc(arena, count + 1, sizeof *names);
    size_t name_count = 0;
    for (size_t i = 0; i < count; i++) {
        if (opts[i].name) {
            names[name_count++] = opts[i].name;
        }
    }
    const char *near = rft_text_nearest(word + strspn(word, "-"), names, name_count);
    rft_err_set(err, RFT_E_USAGE, "unknown option \"%s\"%s%s%s", word, near ? ", did you mean \"--" : "",
                near ? near : "", near ? "\"?" : "");
    return rft_err_remedy(err, "--help lists the options");
}

static void append_word(rft_arena *arena, rft_words *words, const char *word) {
    if ((words->count & (words->count + 1)) == 0 ||
        !words->items) { /* grow when the count reaches a power of two - 1 */
        const char **items = rft_arena_calloc(arena, (words->count + 1) * 2, sizeof *items);
        for (size_t i = 0; words->items && i < words->count; i++) {
            items[i] = words->items[i];
        }
        words->items = items;
    }
    words->items[words->count++] = word;
}

/* Handles argv[*i] as an option; *i moves past a separate argument. */
static int take_option(const rft_opt *opts, size_t count, int argc, char **argv, int *i, rft_arena *arena,
                       rft_err *err) {
    const char *word = argv[*i];
    const char *value = NULL;
    const rft_opt *opt = NULL;
    if (word[1] == '-') {
        const char *equal = strchr(word, '=');
        opt = find_opt(opts, count, word + 2, equal ? (size_t)(equal - word - 2) : strlen(word + 2));
        value = equal ? equal + 1 : NULL;
    } else {
        for (size_t o = 0; o < count && !opt; o++) {
            opt = opts[o].letter == word[1] ? &opts[o] : NULL;
        }
        value = opt && word[2] ? word + 2 : NULL;
    }
    if (!opt || (!opt->argument && value)) {
        return unknown(opts, count, word, arena, err);
    }
    if (opt->flag) {
        *opt->flag = true;
        return RFT_OK;
    }
    value = opt->argument ? value : opt->name;
    if (!value && *i + 1 >= argc) {
        return rft_err_set(err, RFT_E_USAGE, "option \"%s\" needs %s", word, opt->argument);
    }
    value = value ? value : argv[++*i];
    if (opt->text) {
        *opt->text = value;
    } else {
        append_word(arena, opt->words, value);
    }
    return RFT_OK;
}

/* Options whose argument may be a file that is read. */
static bool reads_file(const rft_opt *opt) {
    return opt->argument && (strstr(opt->argument, "FILE") || rft_text_starts(opt->name, "device"));
}

/* Words, and the device: it may be a recording. */
static void find_all_shipped(rft_cli *cli, const rft_opt *opts, size_t count, rft_words *rest, rft_arena *arena) {
    for (size_t i = 0; i < rest->count; i++) {
        rest->items[i] = rft_shipped_find(cli->program, rest->items[i], arena);
    }
    for (size_t o = 0; o < count; o++) {
        if (opts[o].text && *opts[o].text && opts[o].letter == 'd') {
            *opts[o].text = rft_shipped_find(cli->program, *opts[o].text, arena);
        }
    }
}

/* No output destroys an input: every file that the words name is known here. */
static int check_outputs(const rft_opt *opts, size_t count, const rft_words *rest, rft_arena *arena, rft_err *err) {
    rft_output *outputs = rft_arena_calloc(arena, count + 1, sizeof *outputs);
    rft_words inputs = {0};
    size_t used = 0;
    for (size_t i = 0; i < rest->count; i++) {
        append_word(arena, &inputs, rest->items[i]);
    }
    for (size_t o = 0; o < count; o++) {
        rft_output_kind kind;
        if (opts[o].text && *opts[o].text && rft_output_option(&kind, opts[o].name, opts[o].argument)) {
            const char *option = rft_arena_printf(arena, "--%s", opts[o].name);
            outputs[used++] = (rft_output){option, *opts[o].text, kind};
        } else if (opts[o].text && *opts[o].text && reads_file(&opts[o])) {
            append_word(arena, &inputs, *opts[o].text);
        }
        for (size_t i = 0; opts[o].words && i < opts[o].words->count; i++) {
            append_word(arena, &inputs, opts[o].words->items[i]);
        }
    }
    return rft_outputs_check(outputs, used, &inputs, err);
}

int rft_opt_parse(rft_cli *cli, const rft_opt *opts, size_t opt_count, int argc, char **argv, rft_arena *arena,
                  rft_words *rest, rft_words *script_args, bool *helped, rft_err *err) {
    *helped = false;
    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            if (cli->describe) {
                cli->describe(cli->describe_self, opts, opt_count);
            } else {
                print_options(cli, opts, opt_count);
            }
            *helped = true;
            return RFT_OK;
        }
        if (strcmp(argv[i], "--") == 0) {
            if (!script_args) {
                return rft_err_set(err, RFT_E_USAGE, "\"--\" has no meaning here: nothing takes script arguments");
            }
            while (++i < argc) {
                append_word(arena, script_args, argv[i]);
            }
            break;
        }
        if (argv[i][0] == '-' && argv[i][1] != '\0') {
            int rc = take_option(opts, opt_count, argc, argv, &i, arena, err);
            if (rc != RFT_OK) {
                return rc;
            }
        } else {
            append_word(arena, rest, argv[i]);
        }
    }
    find_all_shipped(cli, opts, opt_count, rest, arena);
    return check_outputs(opts, opt_count, rest, arena, err);
}

int rft_opt_allow_paths(rft_cli *cli, const rft_words *words, rft_err *err) {
    for (size_t i = 0; i < words->count; i++) {
        if (!rft_fs_exists(words->items[i])) {
            rft_err_set(err, RFT_E_USAGE, "--allow-path %.300s: there is no such folder", words->items[i]);
            return rft_err_remedy(err, "it names a folder that scripts and sources may read from");
        }
    }
    cli->allow_paths = words;
    return RFT_OK;
}

int rft_opt_no_words(const rft_cli *cli, const rft_words *rest, rft_err *err) {
    if (rest->count == 0) {
        return RFT_OK;
    }
    rft_err_set(err, RFT_E_USAGE, "%s takes no \"%s\"", cli->command->name, rest->items[0]);
    return rft_err_remedy(err, "`rooftune %s --help` lists the options", cli->command->name);
}
