/* SPDX-License-Identifier: Apache-2.0 */
/* Which of the compiler's options a sweep may give, in every spelling that NVRTC takes. */
#include "model_fixture.h"

#include "model/sweep/compile_option.h"

#include <string.h>

typedef struct option_case {
    const char *first, *second; /* words; NULL: one */
} option_case;

/* As those who read options do: a word, or two where the second is a value. */
static int check_words(const char *const *words, size_t count, rft_err *err) {
    rft_compile_option option = {0};
    int rc = RFT_OK;
    for (size_t i = 0; i < count && rc == RFT_OK; i += option.words) {
        rc = rft_compile_option_read(&option, words, count, i, err);
    }
    return rc;
}

static int check(const option_case *words, rft_err *err) {
    const char *list[] = {words->first, words->second};
    return check_words(list, words->second ? 2 : 1, err);
}

static void what_is_safe_is_allowed(void **state) {
    (void)state;
    static const option_case allowed[] = {
        {"-std=c++20", NULL},
        {"--std=c++17", NULL},
        {"-DA", NULL},
        {"-D A=1", NULL},
        {"-D=A=1", NULL},
        {"-D", "A=unsigned int"},
        {"--define-macro=A", NULL},
        {"--undefine-macro", "A"},
        {"-use_fast_math", "-lineinfo"},
        {"-maxrregcount=64", "--restrict"},
        {"-ftz=true", "--prec-div=false"},
        {"-Xptxas", "-v"},
        {"-Xptxas=-O3", "--ptxas-options=--opt-level=2"},
        {"--ptxas-options", "-dlcm=cg"},
        {"-Xptxas=--def-load-cache=ca", "-Xptxas=--warn-on-spills"},
        {"-diag-suppress=177,550", "-w"},
        {"--split-compile=0", "-minimal"},
        {"-Iinclude", "--include-path=include"},
        {"-include", "a.h"},
    };
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++) {
        rft_err err = RFT_ERR_INIT;

        if (check(&allowed[i], &err) != RFT_OK) {
            fail_msg("%s: %s", allowed[i].first, err.message);
        }
    }
}

static void what_writes_or_is_unknown_is_refused(void **state) {
    (void)state;
    static const option_case refused[] = {
        {"--create-pch=/tmp/x", NULL},
        {"-create-pch=/tmp/x", NULL},
        {"--create-pch", "/tmp/x"},
        {"-pch", NULL},
        {"--use-pch=/tmp/x", NULL},
        {"--pch-dir=/tmp", NULL},
        {"-pch-dir", "/tmp"},
        {"--fdevice-time-trace=/tmp/x", NULL},
        {"-fdevice-time-trace", "/tmp/x"},
        {"-time=/tmp/x", NULL},
        {"--time", "/tmp/x"},
        {"--gpu-architecture=sm_80", NULL},
        {"-arch", "sm_80"},
        {"-dlto", NULL},
        {"--no-cache", NULL},
        {"  -DA=1", NULL}, /* NVRTC passes over blanks; they are never written */
        {" --create-pch=/tmp/x", NULL},
        {"@/etc/passwd", NULL},
        {"/etc/passwd", NULL},
        {"", NULL},
        {"-", NULL},
        {"-D", NULL},
        {"-D", "--create-pch=/tmp/x"}, /* is no value */
        {"-I", "-time=/tmp/x"},
        {"-ftz", "--create-pch=/tmp/x"},
        {"-ftz=maybe", NULL},
        {"-maxrregcount=64 --create-pch=/tmp/x", NULL},
        {"-std=c++17 -time=/tmp/x", NULL},
        {"-use_fast_math=true", NULL},
        {"-Xptxas", "-o"},
        {"-Xptxas=-o=/tmp/x", NULL},
        {"-Xptxas=--output-file=/tmp/x", NULL},
        {"-Xptxas=-optf=/etc/passwd", NULL},
        {"-Xptxas", "--options-file=/etc/passwd"},
        {"-Xptxas=-v -o /tmp/x", NULL},
        {"-Xptxas=/etc/passwd", NULL},
        {"-Xptxas", NULL},
        {"-Xptxas=-O3,-v", NULL},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        rft_err err = RFT_ERR_INIT;
        if (check(&refused[i], &err) != RFT_E_SCRIPT || !*err.message || !*err.remedy) {
            fail_msg("allowed: %s %s", refused[i].first, refused[i].second ? refused[i].second : "");
        }
    }
}

static void what_an_option_names_is_told(void **state) {
    (void)state;
    static const char *const words[] = {"-I", "a", "-I=b", "--include-path=c", "--pre-include=d", "-DI=-Ix"};
    static const struct {
        size_t at, words;
        rft_option_names names;
        const char *value;
    } expected[] = {
        {0, 2, RFT_OPTION_NAMES_FOLDER, "a"},      {2, 1, RFT_OPTION_NAMES_FOLDER, "b"},
        {3, 1, RFT_OPTION_NAMES_FOLDER, "c"},      {4, 1, RFT_OPTION_NAMES_FILE, "d"},
        {5, 1, RFT_OPTION_NAMES_NOTHING, "I=-Ix"},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        rft_compile_option option;
        assert_int_equal(rft_compile_option_read(&option, words, 6, expected[i].at, NULL), RFT_OK);
        assert_int_equal(option.words, expected[i].words);
        assert_int_equal(option.names, expected[i].names);
        assert_string_equal(option.value, expected[i].value);
    }
}

static void a_misspelt_option_has_a_neighbour(void **state) {
    (void)state;
    static const char *const words[] = {"--use-fast-math"};
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(check_words(words, 1, &err), RFT_E_SCRIPT);
    assert_non_null(strstr(err.message, "did you mean \"--use_fast_math\"?"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_safe_is_allowed),
        cmocka_unit_test(what_writes_or_is_unknown_is_refused),
        cmocka_unit_test(what_an_option_names_is_told),
        cmocka_unit_test(a_misspelt_option_has_a_neighbour),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
