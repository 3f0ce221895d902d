/* SPDX-License-Identifier: Apache-2.0 */
/* A shell reads a quoted command back as the same words, and the command that continues a run asks for the same. */
#include "cli/command_text.h"
#include "cli/run_options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void test_quoting(void **state) {
    (void)state;
    static const char *const words[] = {"plain-1.5/x:y=z,%@+",
                                        "",
                                        "two words",
                                        "it's",
                                        "$HOME `id` \"q\"",
                                        "a\nb",
                                        "~",
                                        "#",
                                        "\\",
                                        "*?[x]",
                                        "a;b&c|d<e>f(g)",
                                        "n\xc3\xa4me",
                                        "!history"};
    size_t count = sizeof words / sizeof words[0];
    rft_str line = RFT_STR_INIT;
    char got[4096] = "";
    rft_str_add(&line, "printf '%s\\n--\\n' ");
    rft_command_add_words(&line, words, count);
    FILE *shell = popen(rft_str_get(&line), "r");
    assert_non_null(shell);
    got[fread(got, 1, sizeof got - 1, shell)] = '\0';
    assert_int_equal(pclose(shell), 0);
    const char *at = got;
    for (size_t i = 0; i < count; i++) {
        assert_memory_equal(at, words[i], strlen(words[i]));
        at += strlen(words[i]);
        assert_memory_equal(at, "\n--\n", 4);
        at += 4;
    }
    assert_string_equal(at, "");
    rft_str_clear(&line);
}

static void test_continue(void **state) {
    (void)state;
    rft_cli cli = {.out = stdout, .talk = stderr, .invoked_as = "./my rooftune"};
    rft_arena *arena = rft_arena_new();
    rft_run_options o = {0};
    rft_err err = RFT_ERR_INIT;
    bool helped = false;
    char *argv[] = {"a b.lua", "--fresh", "-d1", "--budget=10m", "--timeout",   "2s",         "--compile-timeout",
                    "30s",     "--seed",  "7",   "--wait",       "--no-report", "--strategy", "random",
                    "--",      "-o",      "it's"};
    assert_int_equal(rft_run_options_parse(&cli, &o, (int)(sizeof argv / sizeof argv[0]), argv, arena, &helped, &err),
                     RFT_OK);
    assert_true(o.wait && o.fresh);
    const rft_sweep plain = {0}, *asked = rft_asked_sweep(&o.asked, &plain, 1, arena);
    assert_true(asked->measure.point_timeout_s == 2.0 && asked->measure.compile_timeout_s == 30.0);
    assert_true(asked->search.budget_s == 600.0 && asked->search.seed == 7);
    assert_string_equal(rft_run_options_continue(&cli, &o, "x.db", arena),
                        "'./my rooftune' run 'a b.lua' -d 1 --wait -o x.db --no-report --timeout 2s --compile-timeout "
                        "30s --strategy random --seed 7 --budget 10m -- -o 'it'\\''s'");
    rft_arena_free(arena);
}

/* Of which points power is measured, and how long a soak is; both come back in the command that continues. */
static void test_power(void **state) {
    (void)state;
    rft_cli cli = {.out = stdout, .talk = stderr, .invoked_as = "rooftune"};
    static const char *const bad[][2] = {{"--energy", "some"}, {"--soak", "1 s"}, {"--soak", "0"}};
    rft_arena *arena = rft_arena_new();
    rft_run_options o = {0}, none = {0};
    rft_err err = RFT_ERR_INIT;
    bool helped = false;
    char *argv[] = {"a.lua", "--energy", "best", "--soak=1m"}, *plain[] = {"a.lua"};
    assert_int_equal(rft_run_options_parse(&cli, &none, 1, plain, arena, &helped, &err), RFT_OK);
    assert_true(none.exec.power == RFT_POWER_AUTO && none.exec.soak_s == 0);
    assert_int_equal(rft_run_options_parse(&cli, &o, 4, argv, arena, &helped, &err), RFT_OK);
    assert_true(o.exec.power == RFT_POWER_BEST && o.exec.soak_s == 60.0);
    assert_string_equal(rft_run_options_continue(&cli, &o, "x.db", arena),
                        "rooftune run a.lua -o x.db --energy best --soak 1m");
    /* A mix adds up the energy of all its problems, and needs no sweep to be named. */
    rft_run_options mixed = {0}, asked = {0};
    char *mix[] = {"--mix", "d.lua", "--mix", "p.lua"}, *none_of_mix[] = {"--mix", "d.lua", "--energy", "none"};
    assert_int_equal(rft_run_options_parse(&cli, &mixed, 4, mix, arena, &helped, &err), RFT_OK);
    assert_true(mixed.exec.power == RFT_POWER_BEST && mixed.mixes.count == 2);
    assert_string_equal(rft_run_options_continue(&cli, &mixed, "x.db", arena),
                        "rooftune run -o x.db --mix d.lua --mix p.lua");
    assert_int_equal(rft_run_options_parse(&cli, &asked, 4, none_of_mix, arena, &helped, &err), RFT_OK);
    assert_int_equal(asked.exec.power, RFT_POWER_NONE);
    static const char *const choices[] = {"none", "auto", "largest", "best", "all"};
    for (int i = RFT_POWER_NONE; i <= RFT_POWER_ALL; i++) {
        rft_run_options chosen = {0};
        char *words[] = {"a.lua", "--energy", (char *)(uintptr_t)choices[i]};
        assert_int_equal(rft_run_options_parse(&cli, &chosen, 3, words, arena, &helped, &err), RFT_OK);
        assert_int_equal(chosen.exec.power, i);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        rft_run_options wrong = {0};
        char *words[] = {"a.lua", (char *)(uintptr_t)bad[i][0], (char *)(uintptr_t)bad[i][1]};
        assert_int_equal(rft_run_options_parse(&cli, &wrong, 3, words, arena, &helped, &err), RFT_E_USAGE);
        assert_non_null(strstr(err.message, bad[i][1]));
        /* What may stand there is named by the message, or by a remedy. */
        assert_true(err.remedy[0] != '\0' || strstr(err.message, "expected \"none\""));
    }
    rft_arena_free(arena);
}

static void test_bad_limits(void **state) {
    (void)state;
    rft_cli cli = {.out = stdout, .talk = stderr, .invoked_as = "rooftune"};
    static const char *const bad[] = {"0", "0s", "-1", "5x", ""};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        rft_arena *arena = rft_arena_new();
        rft_run_options o = {0};
        rft_err err = RFT_ERR_INIT;
        bool helped = false;
        char value[8];
        char *argv[] = {"a.lua", "--timeout", value};
        snprintf(value, sizeof value, "%s", bad[i]);
        assert_int_equal(rft_run_options_parse(&cli, &o, 3, argv, arena, &helped, &err), RFT_E_USAGE);
        assert_non_null(strstr(err.message, "--timeout: "));
        rft_arena_free(arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quoting),
        cmocka_unit_test(test_continue),
        cmocka_unit_test(test_bad_limits),
        cmocka_unit_test(test_power),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
