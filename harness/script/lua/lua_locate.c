/* SPDX-License-Identifier: Apache-2.0 */
#include "script/lua/lua_locate.h"

#include <ctype.h>
#include <string.h>

#define DEPTH_MAX 12

typedef struct scanner {
    const char *at;
    int line;
} scanner;

typedef enum token_kind { TOKEN_END, TOKEN_WORD, TOKEN_TEXT, TOKEN_SIGN } token_kind;

typedef struct token {
    token_kind kind;
    const char *begin;
    size_t length;
    int line;
} token;

static void skip_to(scanner *s, const char *end) {
    for (; s->at < end; s->at++) {
        s->line += *s->at == '\n';
    }
}

/* Past the "[==[ ... ]==]" that begins here; false when none does. */
static bool skip_long(scanner *s) {
    size_t level = strspn(s->at + 1, "=");
    if (s->at[0] != '[' || s->at[1 + level] != '[') {
        return false;
    }
    const char *end = s->at + 2 + level;
    while (*end && !(end[0] == ']' && strspn(end + 1, "=") == level && end[1 + level] == ']')) {
        end++;
    }
    skip_to(s, *end ? end + 2 + level : end);
    return true;
}

static void skip_blank(scanner *s) {
    for (;;) {
        if (isspace((unsigned char)*s->at)) {
            skip_to(s, s->at + 1);
        } else if (s->at[0] == '-' && s->at[1] == '-') {
            s->at += 2;
            if (!skip_long(s)) {
                s->at += strcspn(s->at, "\n");
            }
        } else {
            return;
        }
    }
}

static token next_token(scanner *s) {
    skip_blank(s);
    token found = {.kind = TOKEN_SIGN, .begin = s->at, .line = s->line};
    const char *end = s->at;
    if (!*end) {
        found.kind = TOKEN_END;
    } else if (isalnum((unsigned char)*end) || *end == '_') {
        found.kind = TOKEN_WORD;
        while (isalnum((unsigned char)*end) || *end == '_') {
            end++;
        }
    } else if (*end == '"' || *end == '\'') {
        found.kind = TOKEN_TEXT;
        char quote = *end++;
        while (*end && *end != quote && *end != '\n') {
            end += *end == '\\' && end[1] ? 2 : 1;
        }
        end += *end == quote;
    } else if (skip_long(s)) {
        found.kind = TOKEN_TEXT;
        end = s->at;
    } else {
        end++;
    }
    skip_to(s, end);
    found.length = (size_t)(s->at - found.begin);
    return found;
}

static bool is(const token *t, const char *text) {
    return t->kind != TOKEN_TEXT && strlen(text) == t->length && strncmp(t->begin, text, t->length) == 0;
}

/* What a token adds to the depth of brackets and of function ... end. */
static int depth_of(const token *t) {
    static const char *const opens[] = {"{", "(", "[", "function", "if", "do", "repeat"};
    static const char *const closes[] = {"}", ")", "]", "end", "until"};
    for (size_t i = 0; i < sizeof(opens) / sizeof(opens[0]); i++) {
        if (is(t, opens[i])) {
            return 1;
        }
    }
    for (size_t i = 0; i < sizeof(closes) / sizeof(closes[0]); i++) {
        if (is(t, closes[i])) {
            return -1;
        }
    }
    return 0;
}

/* Past the comma behind the value; false when it is the last one. */
static bool skip_value(scanner *s) {
    int depth = 0;
    for (token t = next_token(s); t.kind != TOKEN_END; t = next_token(s)) {
        depth += depth_of(&t);
        if (depth < 0) {
            return false;
        }
        if (depth == 0 && (is(&t, ",") || is(&t, ";"))) {
            return true;
        }
    }
    return false;
}

/* Behind an opening bracket: the line of the entry, the scanner at its value; 0 when it is not there. */
static int find_entry(scanner *s, const rft_at *step) {
    lua_Integer position = 0;
    do {
        scanner first = *s;
        token key = next_token(s), sign = next_token(s);
        bool named = key.kind == TOKEN_WORD && is(&sign, "=") && *s->at != '=';
        position += !named && !is(&key, "[");
        if (key.kind == TOKEN_END || depth_of(&key) < 0) {
            return 0;
        }
        bool here = named ? step->key && is(&key, step->key) : !step->key && position == step->index;
        if (!named) {
            *s = first;
        }
        if (here) {
            return key.line;
        }
    } while (skip_value(s));
    return 0;
}

/* At a value: into `{`, `(`, `NAME {` or `NAME (`. False for anything else. */
static bool enter(scanner *s) {
    token t = next_token(s);
    if (t.kind == TOKEN_WORD) {
        t = next_token(s);
    }
    scanner inner = *s;
    token second = next_token(&inner);
    if (is(&t, "(") && is(&second, "{")) { /* values({ ... }) */
        *s = inner;
    }
    return is(&t, "{") || is(&t, "(");
}

/* Into the call `root {` of this line. */
static bool enter_call(scanner *s, const char *root, int line) {
    for (token t = next_token(s); t.kind != TOKEN_END && t.line == line; t = next_token(s)) {
        scanner call = *s;
        token sign = next_token(&call);
        if (is(&t, root) && (is(&sign, "{") || is(&sign, "("))) {
            return enter(s);
        }
    }
    return false;
}

/* Into the one `return {` of the function that begins in this line. */
static bool enter_return(scanner *s, int line) {
    token t = next_token(s);
    while (t.kind != TOKEN_END && t.line == line && !is(&t, "function")) {
        t = next_token(s);
    }
    scanner found = {0};
    int depth = is(&t, "function") && t.line == line;
    while (depth > 0 && t.kind != TOKEN_END) {
        t = next_token(s);
        depth += depth_of(&t);
        scanner value = *s;
        if (is(&t, "return")) {
            if (found.at || !enter(&value)) {
                return false;
            }
            found = value;
        }
    }
    *s = found;
    return found.at != NULL;
}

int rft_locate(const char *text, int line, const rft_at *at) {
    const rft_at *steps[DEPTH_MAX];
    size_t count = 0;
    for (; at && count < DEPTH_MAX; at = at->up) {
        steps[count++] = at;
    }
    scanner begin = {text, 1};
    while (*begin.at && begin.line < line) {
        skip_to(&begin, begin.at + 1);
    }
    scanner s = begin, in_function = begin;
    if (at || count < 2 || !steps[count - 1]->key) {
        return 0;
    }
    if (!enter_call(&s, steps[count - 1]->key, line)) {
        if (!enter_return(&in_function, line)) {
            return 0;
        }
        s = in_function;
    }
    int found = 0;
    for (size_t i = count - 1; i-- > 0;) {
        int deeper = find_entry(&s, steps[i]);
        if (deeper == 0) {
            break;
        }
        found = deeper;
        if (i > 0 && !enter(&s)) {
            break;
        }
    }
    return found;
}
