/* SPDX-License-Identifier: Apache-2.0 */
#include "model/sweep/kernel_name.h"

#include "base/str.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

const char *rft_entry_substitute(rft_arena *arena, const char *entry, const char *const *names,
                                 const char *const *texts, size_t count, bool *used) {
    rft_str out = RFT_STR_INIT;
    const char *at = entry;
    while (*at) {
        size_t length = 1;
        while (is_word(at[0]) && is_word(at[length])) {
            length++;
        }
        /* ns::NAME is another name, and a digit begins a number. */
        bool whole =
            is_word(at[0]) && !isdigit((unsigned char)at[0]) && !(at >= entry + 2 && at[-1] == ':' && at[-2] == ':');
        size_t found = count;
        for (size_t i = 0; whole && i < count && found == count; i++) {
            if (strlen(names[i]) == length && strncmp(names[i], at, length) == 0) {
                found = i;
            }
        }
        if (found < count) {
            rft_str_add(&out, texts ? texts[found] : "");
            used[found] = true;
        } else {
            rft_str_add_n(&out, at, length);
        }
        at += length;
    }
    const char *kept = rft_arena_strdup(arena, rft_str_get(&out));
    rft_str_clear(&out);
    return kept;
}

/* ---- the name itself ---- */

typedef struct name_part {
    const char *at;
    size_t length;
} name_part;

static bool is_mangled(const char *name) {
    return name[0] == '_' && name[1] == 'Z';
}

/* Itanium's form: the last of the lengths with a name behind them that the symbol begins with. */
static name_part mangled_base(const char *symbol) {
    name_part base = {symbol, 0};
    const char *at = symbol + 2 + (symbol[2] == 'N' ? 1 : 0);
    while (isdigit((unsigned char)*at)) {
        char *behind = NULL;
        unsigned long length = strtoul(at, &behind, 10);
        if (length == 0 || length > strlen(behind)) {
            break;
        }
        base = (name_part){behind, length};
        at = behind + length;
    }
    return base;
}

/* The last word before the template arguments or the parameters. */
static name_part written_base(const char *entry) {
    static const char unnamed[] = "<unnamed>::";
    const char *behind = strstr(entry, unnamed);
    entry = behind && behind == entry + strcspn(entry, "<(") ? behind + strlen(unnamed) : entry;
    size_t end = strcspn(entry, "<(");
    while (end > 0 && !is_word(entry[end - 1])) {
        end--;
    }
    size_t begin = end;
    while (begin > 0 && is_word(entry[begin - 1])) {
        begin--;
    }
    return (name_part){entry + begin, end - begin};
}

static name_part base_of(const char *entry) {
    return is_mangled(entry) ? mangled_base(entry) : written_base(entry);
}

const char *rft_kernel_base_name(const char *entry, rft_arena *arena) {
    name_part base = base_of(entry);
    return rft_arena_strndup(arena, base.at, base.length);
}

/* Behind the name as a whole word, outside of all template arguments and before the parameters; NULL. */
static const char *find_name(const char *shown, name_part base) {
    int depth = 0;
    for (const char *at = shown; *at && base.length > 0; at++) {
        depth += *at == '<' ? 1 : *at == '>' && depth > 0 ? -1 : 0; /* ncu prints "void unnamed>::gemv" */
        if (depth == 0 && *at == '(' && !rft_text_starts(at, "(anonymous ")) {
            return NULL;
        }
        if (depth == 0 && strncmp(at, base.at, base.length) == 0 && (at == shown || !is_word(at[-1])) &&
            !is_word(at[base.length]) && at[base.length] != ':') {
            return at + base.length;
        }
    }
    return NULL;
}

/* ---- template arguments ---- */

/* The next argument of "<4, (bool)1, A<2>>"; *at goes behind it. False when there is none. */
static bool next_argument(const char **at, name_part *out) {
    int depth = 0;
    if (**at != '<' && **at != ',') {
        return false;
    }
    const char *begin = ++*at;
    while (**at && (depth > 0 || (**at != ',' && **at != '>'))) {
        depth += strchr("<([{", **at) ? 1 : strchr(">)]}", **at) ? -1 : 0;
        ++*at;
    }
    *out = (name_part){begin, (size_t)(*at - begin)};
    return true;
}

/* "4", "(int)4", "4u", "true"; false for what is no such number. */
static bool number_of(name_part argument, long long *out) {
    char text[40];
    char *end = NULL;
    while (argument.length > 0 && *argument.at == ' ') {
        argument = (name_part){argument.at + 1, argument.length - 1};
    }
    const char *cast = argument.length > 0 && *argument.at == '(' ? memchr(argument.at, ')', argument.length) : NULL;
    if (cast) {
        argument = (name_part){cast + 1, argument.length - (size_t)(cast + 1 - argument.at)};
    }
    if (argument.length == 0 || argument.length >= sizeof text) {
        return false;
    }
    memcpy(text, argument.at, argument.length);
    text[argument.length] = '\0';
    bool truth = strcmp(text, "true") == 0;
    if (truth || strcmp(text, "false") == 0) {
        *out = truth;
        return true;
    }
    *out = strtoll(text, &end, 0);
    return end != text && end[strspn(end, "uUlL ")] == '\0';
}

static bool same_arguments(const char *shown, const char *entry) {
    name_part theirs, ours;
    long long their_number = 0, our_number = 0;
    while (next_argument(&shown, &theirs) && next_argument(&entry, &ours)) {
        if (number_of(theirs, &their_number) && number_of(ours, &our_number) && their_number != our_number) {
            return false;
        }
    }
    return true;
}

rft_kernel_likeness rft_kernel_compare(const char *shown, const char *entry) {
    name_part base = base_of(entry);
    if (is_mangled(shown)) {
        name_part theirs = mangled_base(shown);
        bool same = base.length > 0 && theirs.length == base.length && !memcmp(theirs.at, base.at, base.length);
        return same ? RFT_KERNEL_SAME : RFT_KERNEL_OTHER;
    }
    const char *arguments = find_name(shown, base);
    if (!arguments) {
        return RFT_KERNEL_OTHER;
    }
    bool same = is_mangled(entry) || same_arguments(arguments, base.at + base.length);
    return same ? RFT_KERNEL_SAME : RFT_KERNEL_OTHER_ARGUMENTS;
}
