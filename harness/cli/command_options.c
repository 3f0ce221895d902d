/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/command_options.h"

typedef struct collecting {
    rft_command_options table;
    rft_arena *arena;
} collecting;

static const char *copied(rft_arena *arena, const char *text) {
    return text ? rft_arena_strdup(arena, text) : NULL;
}

static void collect(void *self, const rft_opt *opts, size_t count) {
    collecting *c = self;
    rft_opt *items = rft_arena_calloc(c->arena, count + 1, sizeof *items);
    for (size_t i = 0; i < count; i++) {
        items[i] = (rft_opt){.name = copied(c->arena, opts[i].name),
                             .letter = opts[i].letter,
                             .argument = copied(c->arena, opts[i].argument),
                             .help = copied(c->arena, opts[i].help)};
    }
    c->table = (rft_command_options){items, count};
}

rft_command_options rft_command_options_of(const rft_cli *cli, const rft_command *command, rft_arena *arena) {
    collecting c = {.arena = arena};
    rft_cli asking = *cli;
    char help[] = "--help", *argv[] = {help, NULL};
    rft_err err = RFT_ERR_INIT;
    asking.command = command;
    asking.describe = collect;
    asking.describe_self = &c;
    (void)command->run(&asking, 1, argv, &err); /* --help does not fail */
    return c.table;
}
