/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz/commands/hostile.h"

#include "base/hash.h"

#include <stddef.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

bool hostile_chance(uint64_t *random, uint64_t n) {
    return rft_random_below(random, n) == 0;
}

static void add_long(rft_str *out, uint64_t *random) {
    static const size_t lengths[] = {
        255, 256, 257, 300, 4000, 10000, 70000,
    };
    static const char *const pieces[] = {
        "x", "ab ", "\xc3\xa9", "%s", "\"", "\n",
    };
    size_t length = lengths[rft_random_below(random, COUNT(lengths))];
    const char *piece = pieces[hostile_chance(random, 2) ? rft_random_below(random, COUNT(pieces)) : 0];
    while (out->length < length) {
        rft_str_add(out, piece);
    }
}

void hostile_text(rft_str *out, bool utf8, uint64_t *random) {
    static const char *const texts[] = {
        "",
        " ",
        "\t",
        "\n",
        "\r",
        "a\nb",
        "a\rb",
        "\x1b[31mred",
        "\x1b]0;title\x07",
        "\x07",
        "\x08\x08",
        "\x7f",
        "\xc2\x9b[1m",
        "\xc2\x85",
        "\xe2\x80\xaetxet",
        "\xe2\x81\xa6x\xe2\x81\xa9",
        "\xe2\x80\x8b",
        "\xef\xbb\xbf",
        "\xe6\x97\xa5\xe6\x9c\xac",
        "\xce\xa9",
        "e\xcc\x81",
        "\xf0\x9f\x92\xa9",
        "%n%n%s%s",
        "%",
        "%99999999d",
        "'",
        "\"",
        "\"\"\"",
        "';--",
        "\\",
        "\\\n",
        "*/",
        "*/ #error no",
        "/*",
        "//\\",
        "]]",
        "--[[",
        "../..",
        "../../up",
        ".",
        "..",
        "-",
        "--",
        "-o",
        "--help",
        "nan",
        "inf",
        "-inf",
        "null",
        "nil",
        "true",
        "0",
        "-1",
        "18446744073709551616",
        "1e308",
        "a,b",
        "a;b",
        "=1+1",
        "<b>",
        "&amp;",
        "<![CDATA[",
        "{}",
        "[]",
        "$(id)",
        "`id`",
        "a/b",
        "a|b",
        "*",
        "(\\)",
        "n=1",
        "stdin",
        "sqlite_master",
        "ok",
        "sm_90a",
        "dram",
        "unknown",
    };
    static const char *const broken[] = {
        "\xff\xfe", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x80", "\x9b[1m",
    };
    if (hostile_chance(random, 8)) {
        add_long(out, random);
    } else if (!utf8 && hostile_chance(random, 8)) {
        rft_str_add(out, broken[rft_random_below(random, COUNT(broken))]);
    } else {
        rft_str_add(out, texts[rft_random_below(random, COUNT(texts))]);
    }
}

const char *hostile_number(uint64_t *random) {
    static const char *const numbers[] = {
        "0",
        "-0",
        "-1",
        "1",
        "2",
        "3",
        "0.5",
        "-0.5",
        "1e-300",
        "5e-324",
        "1e308",
        "1e309",
        "-1e308",
        "1e99999",
        "nan",
        "inf",
        "-inf",
        "NaN",
        "Infinity",
        "0x10",
        "0x1p70",
        "1_000",
        "1,5",
        "007",
        "+1",
        ".5",
        "5.",
        "1e",
        "2147483647",
        "2147483648",
        "-2147483648",
        "-2147483649",
        "4294967295",
        "4294967296",
        "9007199254740992",
        "9007199254740993",
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775808",
        "-9223372036854775809",
        "18446744073709551615",
        "18446744073709551616",
        "99999999999999999999999999999999999999",
        "255",
        "256",
        "65535",
        "65536",
        "1048576",
        "16777217",
        "1073741824",
        "1e6",
        "1e9",
        "1e18",
        "3.14",
    };
    return numbers[rft_random_below(random, COUNT(numbers))];
}

int64_t hostile_int(uint64_t *random) {
    static const int64_t numbers[] = {
        0,
        1,
        -1,
        2,
        3,
        7,
        31,
        32,
        33,
        255,
        256,
        1024,
        1025,
        65535,
        65536,
        1000000,
        1000001,
        INT32_MAX,
        INT32_MIN,
        UINT32_MAX,
        4294967296,
        9007199254740992,
        INT64_MAX,
        INT64_MIN,
        INT64_MAX - 1,
        -4294967296,
        1073741824,
        -2,
        1000000007,
        1LL << 40,
        1LL << 62,
    };
    return numbers[rft_random_below(random, COUNT(numbers))];
}

double hostile_real(uint64_t *random) {
    static const double numbers[] = {
        0.0,
        -0.0,
        -1.0,
        1.0,
        0.5,
        1e-9,
        1e-300,
        5e-324,
        1e300,
        1.7976931348623157e308,
        -1.7976931348623157e308,
        1e15,
        1e19,
        -1e19,
        9007199254740993.0,
        2147483648.5,
        1e-15,
        100.0,
        1.0000000000000002,
        1e38,
        3.5e38,
    };
    return numbers[rft_random_below(random, COUNT(numbers))];
}

void hostile_name(rft_str *out, uint64_t *random) {
    size_t begin = out->length;
    rft_str text = RFT_STR_INIT;
    hostile_text(&text, false, random);
    for (size_t i = 0; i < text.length && out->length - begin < 200; i++) {
        rft_str_add_char(out, text.data[i] == '/' ? '_' : text.data[i]);
    }
    rft_str_clear(&text);
    const char *name = rft_str_get(out) + begin;
    if (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0) {
        rft_str_add(out, "name");
    }
}
