/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz/commands/edit_tokens.h"

#include "base/arena.h"
#include "base/hash.h"
#include "fuzz/commands/hostile.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef enum kind { NAME, NUMBER, STRING, SPACE, SIGN } kind;

typedef struct token {
    kind kind;
    const char *text;
    size_t length;
} token;

typedef struct tokens {
    rft_arena *arena; /* of the texts that are new */
    token *items;
    size_t count, capacity;
} tokens;

static size_t string_length(const char *at, size_t left) {
    size_t length = 1;
    while (length < left && at[length] != at[0] && at[length] != '\n') {
        length += at[length] == '\\' && length + 1 < left ? 2 : 1;
    }
    return length < left ? length + 1 : left;
}

static size_t run_length(const char *at, size_t left, int (*belongs)(int)) {
    size_t length = 1;
    while (length < left &&
           (belongs((unsigned char)at[length]) || (belongs == isalnum && strchr("_.", at[length]) && at[length]))) {
        length++;
    }
    return length;
}

static size_t comment_length(const char *at, size_t left) {
    const char *end = memchr(at, '\n', left);
    return end ? (size_t)(end - at) : left;
}

static token next_token(const char *at, size_t left) {
    unsigned char c = (unsigned char)*at;
    if (c == '-' && left > 1 && at[1] == '-') {
        return (token){SPACE, at, comment_length(at, left)};
    }
    if (isspace(c)) {
        return (token){SPACE, at, run_length(at, left, isspace)};
    }
    if (isalpha(c) || c == '_') {
        return (token){NAME, at, run_length(at, left, isalnum)};
    }
    if (isdigit(c)) {
        return (token){NUMBER, at, run_length(at, left, isalnum)};
    }
    if (c == '"' || c == '\'') {
        return (token){STRING, at, string_length(at, left)};
    }
    return (token){SIGN, at, 1};
}

static void split(tokens *all, const char *text, size_t size) {
    for (size_t at = 0; at < size; at += all->items[all->count - 1].length) {
        RFT_GROW(all->items, all->capacity, all->count + 1);
        all->items[all->count++] = next_token(text + at, size - at);
    }
}

/* A token of this kind at or behind a random place; SIZE_MAX: there is none. SPACE stands for any but space. */
static size_t find(const tokens *all, kind wanted, uint64_t *random) {
    size_t start = rft_random_below(random, all->count);
    for (size_t i = 0; i < all->count; i++) {
        size_t at = (start + i) % all->count;
        kind here = all->items[at].kind;
        if (wanted == SPACE ? here != SPACE : here == wanted) {
            return at;
        }
    }
    return SIZE_MAX;
}

static void set(tokens *all, size_t at, kind as, const char *text, size_t length) {
    all->items[at] = (token){as, rft_arena_strndup(all->arena, text, length), length};
}

static void set_hostile_string(tokens *all, size_t at, uint64_t *random) {
    rft_str text = RFT_STR_INIT, quoted = RFT_STR_INIT;
    hostile_text(&text, false, random);
    bool raw = hostile_chance(random, 6);
    rft_str_add_char(&quoted, '"');
    for (size_t i = 0; i < text.length; i++) {
        if (!raw && strchr("\"\\\n", text.data[i])) {
            rft_str_add_char(&quoted, '\\');
        }
        rft_str_add_char(&quoted, text.data[i]);
    }
    rft_str_add_char(&quoted, '"');
    set(all, at, STRING, rft_str_get(&quoted), quoted.length);
    rft_str_clear(&text);
    rft_str_clear(&quoted);
}

static void take_out(tokens *all, size_t at, size_t count) {
    count = count < all->count - at ? count : all->count - at;
    memmove(&all->items[at], &all->items[at + count], (all->count - at - count) * sizeof *all->items);
    all->count -= count;
}

/* Once more what stands there, or a part of it: [at, at + count) again behind itself. */
static void repeat(tokens *all, size_t at, size_t count) {
    count = count < all->count - at ? count : all->count - at;
    RFT_GROW(all->items, all->capacity, all->count + count);
    memmove(&all->items[at + count], &all->items[at], (all->count - at) * sizeof *all->items);
    all->count += count;
}

static void exchange(tokens *all, kind of, uint64_t *random) {
    size_t a = find(all, of, random), b = find(all, of, random);
    if (a != SIZE_MAX && b != SIZE_MAX) {
        token kept = all->items[a];
        all->items[a] = all->items[b];
        all->items[b] = hostile_chance(random, 2) ? kept : all->items[b];
    }
}

static void edit_once(tokens *all, const char *const *snippets, size_t snippet_count, uint64_t *random) {
    static const char signs[] = "{}()[],;=.#+-*/%<>~^&|:\"'\\";
    size_t at = find(all, SPACE, random), value = SIZE_MAX;
    switch (at == SIZE_MAX ? 99 : rft_random_below(random, 10)) {
    case 0:
    case 1:
        value = find(all, NUMBER, random);
        if (value != SIZE_MAX) {
            const char *number = hostile_number(random);
            set(all, value, NUMBER, number, strlen(number));
        }
        break;
    case 2:
        value = find(all, STRING, random);
        if (value != SIZE_MAX) {
            set_hostile_string(all, value, random);
        }
        break;
    case 3:
        exchange(all, hostile_chance(random, 2) ? NAME : SPACE, random);
        break;
    case 4:
        take_out(all, at, 1 + rft_random_below(random, hostile_chance(random, 4) ? 60 : 2));
        break;
    case 5:
        repeat(all, at, 1 + rft_random_below(random, hostile_chance(random, 4) ? 60 : 2));
        break;
    case 6:
        set(all, at, SIGN, &signs[rft_random_below(random, sizeof signs - 1)], 1);
        break;
    case 7:
    case 8:
        value = find(all, hostile_chance(random, 2) ? NUMBER : STRING, random);
        if (snippet_count && value != SIZE_MAX) {
            const char *snippet = snippets[rft_random_below(random, snippet_count)];
            set(all, value, SIGN, snippet, strlen(snippet));
        }
        break;
    default:
        exchange(all, hostile_chance(random, 2) ? NUMBER : STRING, random);
        break;
    }
}

void edit_tokens(rft_str *out, const char *text, size_t size, const char *const *snippets, size_t snippet_count,
                 uint64_t *random) {
    tokens all = {.arena = rft_arena_new()};
    split(&all, text, size);
    for (size_t left = 1 + rft_random_below(random, 4); left && all.count; left--) {
        edit_once(&all, snippets, snippet_count, random);
    }
    for (size_t i = 0; i < all.count; i++) {
        rft_str_add_n(out, all.items[i].text, all.items[i].length);
    }
    free(all.items);
    rft_arena_free(all.arena);
}

const char *const *edit_tokens_lua(size_t *count) {
    static const char *const snippets[] = {
        "nil",
        "{}",
        "{ {} }",
        "{ 1, nil, 3 }",
        "function() end",
        "function(...) return ... end",
        "function(p) return p end",
        "(0/0)",
        "math.huge",
        "-math.huge",
        "math.mininteger",
        "math.maxinteger",
        "(1 << 62)",
        "-1",
        "2^53",
        "true",
        "false",
        "(\"x\"):rep(1000)",
        "(\"x\"):rep(100000)",
        "(\"x\"):rep(1 << 40)",
        "(\"a\"):rep(10000):gsub(\".\", \"%0%0\")",
        "(\"\\27[31m\\7\\226\\128\\174\")",
        "\"\\0\"",
        "setmetatable({}, { __index = function(t, k) return t[k] end })",
        "setmetatable({}, { __len = function() return 1 << 60 end })",
        "setmetatable({}, { __tostring = error })",
        "(function() local t = {} t.t = t return t end)()",
        "(function() local t = {} for i = 1, 3e5 do t[i] = i end return t end)()",
        "error(\"\\27[2Jstop\")",
        "error({})",
        "error(nil)",
        "print",
        "tostring(print)",
        "tostring({})",
        "string.format(\"%p\", {})",
        "print((\"y\"):rep(100000))",
        "pcall(error)",
        "coroutine.wrap(function() error() end)()",
        "require \"no.such\"",
        "require \"../../secret\"",
        "require \"kernels.copy_scale\"",
        "range(1, 1e12)",
        "range(1, 0)",
        "range(0, 1, 0)",
        "pow2_values(1, 2^62)",
        "pow2_values(0, 8)",
        "pow2_values(8, 1)",
        "values()",
        "values({})",
        "values(1, \"a\", true)",
        "refine(1, 4096)",
        "derived(function() return 0/0 end)",
        "function(p, c) return 1/0 end",
        "function(p, c) error(\"no\") end",
        "function(p, c) return {} end",
        "function(p, c) return c end",
        "function(p) return -p.n end",
        "\"../../../../etc/hostname\"",
        "{ \"--create-pch=written.out\" }",
        "{ \"-time=written.out\" }",
        "{ \"-include\", \"/etc/hostname\" }",
        "{ \"-I../..\", \"-DX=\\\"\" }",
        "{ \"--fdevice-time-trace=written.out\" }",
        "{ \"-o\", \"written.out\" }",
        "{ \"\" }",
        "{ \"-G\", \"-lineinfo\" }",
        "\"n > 0 and\"",
        "\"((((((((((((((((((((((((((((((((n))))\"",
        "\"n // 0\"",
        "\"n % 0\"",
        "\"9223372036854775807 + n\"",
        "\"-9223372036854775808 // -1\"",
        "\"n * n * n * n * n * n * n\"",
        "vendor.matmul { math = \"fp16\" }",
        "vendor.matmul {}",
        "\"cublaslt\"",
        "input(f32, 1 << 60)",
        "input(f32, -1)",
        "output(f64, 0)",
        "i64(1 << 63)",
        "f32(0/0)",
        "ceil_div(1, 0)",
        "n",
        "p",
        "c",
        "gpu",
        "_G",
        "_ENV",
        "self",
        "...",
        "# error",
    };
    *count = sizeof snippets / sizeof *snippets;
    return snippets;
}
