/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/complete.h"

#include "base/fs.h"
#include "cli/command_options.h"
#include "cli/device_facts.h"
#include "cli/run_options.h"
#include "cli/shipped.h"
#include "search/strategy.h"

#include <ctype.h>
#include <string.h>

typedef struct completing {
    rft_cli *cli;
    rft_arena *arena;
    rft_str *out;
    const char *prefix; /* stands before what is completed: "--strategy=", "replay:" */
    const char *begun;  /* of the word, behind the prefix */
} completing;

static void offer(const completing *c, const char *word, const char *help) {
    if (!rft_text_starts(word, c->begun)) {
        return;
    }
    rft_str_addf(c->out, "%s%s", c->prefix, word);
    if (help) {
        rft_str_addf(c->out, "\t%.*s", (int)strcspn(help, "\n"), help);
    }
    rft_str_add_char(c->out, '\n');
}

/* "kept|again" of an argument or a usage: words of small letters and digits, but no quantity such as 10m. False: none.
 */
static bool offer_alternatives(const completing *c, const char *text) {
    const size_t end = strcspn(text, " ");
    bool any = false;
    if (!memchr(text, '|', end)) {
        return false;
    }
    for (const char *word = text; word < text + end; word += strcspn(word, "| ") + 1) {
        size_t length = strcspn(word, "| "), small = strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789");
        if (length > 0 && small == length && (length == 1 || islower((unsigned char)*word))) {
            offer(c, rft_arena_strndup(c->arena, word, length), NULL);
            any = true;
        }
    }
    return any;
}

/* Sweeps and recordings that come with the program, a folder at a time, where no folder of that name is here. */
static void offer_shipped(const completing *c) {
    static const char top[] = "sweeps/";
    const char **roots = NULL;
    size_t root_count = rft_shipped_folders(c->cli->program, c->arena, &roots);
    if (root_count == 0 || rft_fs_exists("sweeps") || strstr(c->begun, "..")) {
        return;
    }
    if (!rft_text_starts(c->begun, top)) {
        offer(c, top, NULL);
        return;
    }
    const char *folder = rft_arena_strndup(c->arena, c->begun, (size_t)(strrchr(c->begun, '/') - c->begun) + 1);
    char **names = NULL;
    size_t count = 0;
    rft_err err = RFT_ERR_INIT;
    if (rft_fs_list(&names, &count, rft_arena_printf(c->arena, "%s/%s", roots[0], folder), NULL, &err) != RFT_OK) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        bool inside = rft_fs_is_folder(rft_arena_printf(c->arena, "%s/%s%s", roots[0], folder, names[i]));
        if (strcmp(names[i], "types") != 0 && !rft_text_ends(names[i], ".md")) {
            offer(c, rft_arena_printf(c->arena, "%s%s%s", folder, names[i], inside ? "/" : ""), NULL);
        }
    }
    rft_fs_list_free(names, count);
}

/* ---- values of options ---- */

/* By datasheet; of a list behind the last comma. */
static void offer_devices_by_name(completing *c) {
    const char *comma = strrchr(c->begun, ',');
    if (comma) {
        size_t kept = (size_t)(comma - c->begun) + 1;
        c->prefix = rft_arena_printf(c->arena, "%s%.*s", c->prefix, (int)kept, c->begun);
        c->begun += kept;
    }
    const char **names = NULL;
    size_t count = rft_device_names(c->cli, &names, c->arena);
    for (size_t i = 0; i < count; i++) {
        offer(c, names[i], NULL);
    }
}

/* /dev/nvidia0: 0 */
static void offer_device_numbers(const completing *c) {
    char **names = NULL;
    size_t count = 0;
    rft_err err = RFT_ERR_INIT;
    if (rft_fs_list(&names, &count, "/dev", NULL, &err) != RFT_OK) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const char *number = rft_text_starts(names[i], "nvidia") ? names[i] + strlen("nvidia") : "";
        if (*number && number[strspn(number, "0123456789")] == '\0') {
            offer(c, number, NULL);
        }
    }
    rft_fs_list_free(names, count);
}

static void offer_device(completing *c, const char *argument) {
    if (rft_text_starts(c->begun, "replay:")) {
        c->prefix = rft_arena_printf(c->arena, "%sreplay:", c->prefix);
        c->begun += strlen("replay:");
        offer_shipped(c);
        rft_str_add(c->out, ":files db json.gz json\n");
        return;
    }
    offer_device_numbers(c);
    if (strcmp(argument, "DEVICES") == 0) {
        offer(c, "all", "every GPU at once");
    }
    offer(c, "replay:", "answer from a recording");
}

static void offer_files(const completing *c, const char *argument) {
    if (strstr(argument, "DIR")) {
        rft_str_add(c->out, ":folders\n");
    } else if (strstr(argument, "RUN.db")) {
        rft_str_add(c->out, ":files db\n");
    } else if (strstr(argument, ".ttf")) {
        rft_str_add(c->out, ":files ttf\n");
    } else if (strstr(argument, "FILE") || strstr(argument, "OUT.")) {
        rft_str_add(c->out, ":files\n");
    }
}

static void offer_value(completing *c, const rft_command *command, const rft_opt *opt) {
    const char *const *choices = strcmp(command->name, "run") == 0 ? rft_run_options_choices(opt->name) : NULL;
    for (; choices && *choices; choices++) {
        offer(c, *choices, NULL);
    }
    if (strcmp(opt->name, "strategy") == 0) {
        for (const rft_strategy_entry *entry = rft_strategy_list(); entry->name; entry++) {
            offer(c, entry->name, NULL);
        }
    } else if (strcmp(opt->name, "devices") == 0 || strcmp(opt->name, "arch") == 0) {
        offer_devices_by_name(c);
    } else if (strcmp(opt->name, "device") == 0) {
        offer_device(c, opt->argument);
    } else if (strcmp(opt->name, "counters") == 0) {
        offer_alternatives(c, "default|none|all");
    } else {
        offer_alternatives(c, opt->argument);
        offer_files(c, opt->argument);
    }
}

/* ---- words ---- */

/* The option that the word is, up to "="; NULL: none. */
static const rft_opt *option_of(const rft_command_options *table, const char *word) {
    size_t length = strcspn(word, "=");
    for (size_t i = 0; i < table->count; i++) {
        const rft_opt *opt = &table->items[i];
        bool is_long = opt->name && rft_text_starts(word, "--") && length == strlen(opt->name) + 2 &&
                       strncmp(word + 2, opt->name, length - 2) == 0;
        bool is_letter = opt->name && length == 2 && word[0] == '-' && opt->letter && word[1] == opt->letter;
        if (is_long || is_letter) {
            return opt;
        }
    }
    return NULL;
}

static void offer_options(const completing *c, const rft_command_options *table) {
    for (size_t i = 0; i < table->count; i++) {
        if (table->items[i].name) {
            offer(c, rft_arena_printf(c->arena, "--%s", table->items[i].name), table->items[i].help);
        }
    }
    offer(c, "--help", "what the options are");
}

/* By what the command's usage names. */
static void offer_arguments(const completing *c, const rft_command *command) {
    const char *usage = command->usage;
    bool sweeps = strstr(usage, "SWEEP.lua");
    bool runs = strstr(usage, "RUN.db") || strstr(usage, "RECORDING") || rft_text_starts(usage, "A B");
    if (offer_alternatives(c, usage)) {
        return;
    }
    if (sweeps || runs) {
        offer_shipped(c);
    }
    if (sweeps || runs || strstr(usage, "KERNEL.cu")) {
        rft_str_addf(c->out, ":files%s%s%s%s\n", sweeps ? " lua" : "", runs ? " db json.gz" : "",
                     strstr(usage, ".json") || strstr(usage, "RECORDING") ? " json" : "",
                     strstr(usage, "KERNEL.cu") ? " cu" : "");
    }
}

static void offer_commands(const completing *c) {
    for (const rft_command *command = rft_command_table(); command->name; command++) {
        offer(c, command->name, command->help);
    }
    if (*c->begun == '-') {
        offer(c, "--help", "the commands");
        offer(c, "--version", NULL);
    }
}

static const rft_command *command_of(const char *word) {
    const rft_command *command = rft_command_table();
    while (command->name && strcmp(command->name, word) != 0) {
        command++;
    }
    return command->name ? command : NULL;
}

static bool behind_dashes(char **words, size_t count) {
    for (size_t i = 1; i + 1 < count; i++) {
        if (strcmp(words[i], "--") == 0) {
            return true;
        }
    }
    return false;
}

static void complete_of_command(completing *c, const rft_command *command, char **words, size_t count) {
    const rft_command_options table = rft_command_options_of(c->cli, command, c->arena);
    const rft_opt *before = count > 2 && !strchr(words[count - 2], '=') ? option_of(&table, words[count - 2]) : NULL;
    const char *equal = rft_text_starts(c->begun, "--") ? strchr(c->begun, '=') : NULL;
    const rft_opt *here = equal ? option_of(&table, c->begun) : NULL;
    if (behind_dashes(words, count)) {
        rft_str_add(c->out, ":files\n");
    } else if (before && before->argument) {
        offer_value(c, command, before);
    } else if (here && here->argument) {
        c->prefix = rft_arena_strndup(c->arena, c->begun, (size_t)(equal - c->begun) + 1);
        c->begun = equal + 1;
        offer_value(c, command, here);
    } else if (*c->begun == '-') {
        offer_options(c, &table);
    } else {
        offer_arguments(c, command);
    }
}

void rft_complete(rft_cli *cli, char **words, size_t count, rft_str *out) {
    rft_arena *arena = rft_arena_new();
    completing c = {.cli = cli, .arena = arena, .out = out, .prefix = "", .begun = count ? words[count - 1] : ""};
    const rft_command *command = count > 1 ? command_of(words[0]) : NULL;
    if (count <= 1) {
        offer_commands(&c);
    } else if (command) {
        complete_of_command(&c, command, words, count);
    }
    rft_arena_free(arena);
}
