/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"
#include "cli/complete.h"

#include <string.h>

extern const unsigned char rft_embedded_completion_bash[], rft_embedded_completion_zsh[],
    rft_embedded_completion_fish[];

static int print_script(rft_cli *cli, const char *shell, rft_err *err) {
    static const struct {
        const char *shell;
        const unsigned char *script;
    } scripts[] = {{"bash", rft_embedded_completion_bash},
                   {"zsh", rft_embedded_completion_zsh},
                   {"fish", rft_embedded_completion_fish}};
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        if (strcmp(scripts[i].shell, shell) == 0) {
            fputs((const char *)scripts[i].script, cli->out);
            return RFT_OK;
        }
    }
    rft_err_set(err, RFT_E_USAGE, "there is no completion for \"%.80s\"", shell);
    return rft_err_remedy(err, "known shells: bash, zsh, fish");
}

int rft_cmd_completion(rft_cli *cli, int argc, char **argv, rft_err *err) {
    rft_words rest = {0};
    bool helped = false;
    if (argc > 0 && strcmp(argv[0], "words") == 0) { /* what these scripts ask; any word may follow, options too */
        rft_str lines = RFT_STR_INIT;
        rft_complete(cli, argv + 1, (size_t)argc - 1, &lines);
        fputs(rft_str_get(&lines), cli->out);
        rft_str_clear(&lines);
        return RFT_OK;
    }
    rft_arena *arena = rft_arena_new();
    int rc = rft_opt_parse(cli, NULL, 0, argc, argv, arena, &rest, NULL, &helped, err);
    if (rc == RFT_OK && !helped && rest.count != 1) {
        rft_err_set(err, RFT_E_USAGE, "completion takes one shell, %zu were given", rest.count);
        rc = rft_err_remedy(err, "in ~/.bashrc: eval \"$(rooftune completion bash)\"");
    }
    rc = rc || helped ? rc : print_script(cli, rest.items[0], err);
    rft_arena_free(arena);
    return rc;
}
