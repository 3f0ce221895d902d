/* SPDX-License-Identifier: Apache-2.0 */
/* new_sweep_choose.c - values to try, block and grid, by what names usually mean. */
#include "cli/new_sweep_parts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef enum tune_role { ROLE_OTHER, ROLE_WARP, ROLE_BLOCK, ROLE_TILE, ROLE_VECTOR, ROLE_ITEMS, ROLE_UNROLL } tune_role;

void rft_new_tune(rft_new_plan *plan, const char *name, const char *given, bool truth) {
    size_t at = plan->tuned_count < RFT_NEW_TUNED_MAX ? plan->tuned_count++ : RFT_NEW_TUNED_MAX - 1;
    plan->tuned[at] = (rft_new_tuned){.name = name, .given = given && *given ? given : NULL, .truth = truth};
}

static const char *lower(const char *name, char *out, size_t size) {
    size_t i = 0;
    for (; name[i] && i + 1 < size; i++) {
        out[i] = (char)tolower((unsigned char)name[i]);
    }
    out[i] = '\0';
    return out;
}

static tune_role role_of(const char *name) {
    static const struct {
        const char *part;
        tune_role role;
    } parts[] = {{"warp_size", ROLE_WARP}, {"warpsize", ROLE_WARP}, {"per_thread", ROLE_ITEMS},
                 {"items", ROLE_ITEMS},    {"unroll", ROLE_UNROLL}, {"vec", ROLE_VECTOR},
                 {"block", ROLE_BLOCK},    {"thread", ROLE_BLOCK},  {"tile", ROLE_TILE}};
    char text[64];
    lower(name, text, sizeof text);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (strstr(text, parts[i].part)) {
            return parts[i].role;
        }
    }
    bool short_tile = strlen(text) == 2 && strchr("bt", text[0]) && strchr("mnk", text[1]);
    return short_tile ? ROLE_TILE : strcmp(text, "bs") == 0 || strcmp(text, "bdim") == 0 ? ROLE_BLOCK : ROLE_OTHER;
}

/* 'x', 'y' or 'z' where the name ends so: BLOCK_X, TILEY. */
static char axis_of(const char *name) {
    size_t length = strlen(name);
    char last = (char)tolower((unsigned char)name[length - 1]);
    return length > 2 && last >= 'x' && last <= 'z' ? last : '\0';
}

/* The parameter or constant with this role and axis; 0 in `axis`: without one. NULL: none. */
static const char *term_of(const rft_new_plan *plan, tune_role role, char axis, rft_arena *arena) {
    for (size_t i = 0; i < plan->tuned_count; i++) {
        const rft_new_tuned *one = &plan->tuned[i];
        bool number = !one->truth && !one->flag; /* `bool BLOCK_SWIZZLE` is no block */
        if (number && role_of(one->name) == role && axis_of(one->name) == axis) {
            return rft_arena_printf(arena, "c.%s", one->name);
        }
    }
    const rft_cuda_file *file = plan->request->file;
    for (size_t i = 0; i < file->macro_count; i++) {
        const rft_cuda_macro *macro = &file->macros[i];
        if (macro->fixed && role_of(macro->name) == role && axis_of(macro->name) == axis &&
            strtol(macro->fixed, NULL, 0) > 0) {
            return rft_arena_printf(arena, "%ld", strtol(macro->fixed, NULL, 0));
        }
    }
    return NULL;
}

/* A number of threads that the source leaves to the launch. */
static const char *add_threads(rft_new_plan *plan, const char *name, rft_arena *arena) {
    const char *free = rft_cuda_mentions(plan->request->file, name) ? rft_arena_printf(arena, "LAUNCH_%s", name) : name;
    rft_new_tuned *one = &plan->tuned[plan->tuned_count++];
    *one = (rft_new_tuned){.name = free, .help = "threads of a block", .by_launch = true};
    return rft_arena_printf(arena, "c.%s", free);
}

static void choose_block(rft_new_plan *plan, const char *terms[2], rft_arena *arena) {
    const rft_cuda_entry *entry = plan->kernel;
    const char *x = term_of(plan, ROLE_BLOCK, 'x', arena), *y = term_of(plan, ROLE_BLOCK, 'y', arena);
    const char *one = term_of(plan, ROLE_BLOCK, '\0', arena), *tile = term_of(plan, ROLE_TILE, '\0', arena);
    if (!entry->second_axis) { /* constants of other kernels' blocks */
        x = x && strncmp(x, "c.", 2) == 0 ? x : NULL;
        y = y && strncmp(y, "c.", 2) == 0 ? y : NULL;
    }
    bool square = !x && !y && entry->second_axis && (one || tile);
    if (square && one && strtol(one, NULL, 10) > 32) { /* 256 threads in a row: the second axis is the grid's */
        x = one;
        y = "1";
    } else if (square) {
        x = y = one ? one : tile;
    } else if (x || y) {
        x = x ? x : "32";
        y = y ? y : "1";
    } else if (entry->second_axis) {
        x = add_threads(plan, "BLOCK_X", arena);
        y = add_threads(plan, "BLOCK_Y", arena);
    } else {
        x = one ? one : add_threads(plan, "BLOCK", arena);
    }
    terms[0] = x;
    terms[1] = y;
    plan->block = y ? rft_arena_printf(arena, "{ %s, %s }", x, y) : x;
    long most = entry->max_threads > 0 ? entry->max_threads : 1024;
    if (strstr(x, "c.") || (y && strstr(y, "c."))) {
        plan->limit = rft_arena_printf(arena, "%s%s%s <= %ld", x + (strncmp(x, "c.", 2) == 0 ? 2 : 0), y ? " * " : "",
                                       y ? y + (strncmp(y, "c.", 2) == 0 ? 2 : 0) : "", most);
    }
}

/* What one block covers along an axis. */
static const char *covered(const rft_new_plan *plan, const char *threads, char axis, rft_arena *arena) {
    static const tune_role more[] = {ROLE_VECTOR, ROLE_ITEMS, ROLE_TILE};
    const char *text = threads;
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        const char *own = term_of(plan, more[i], axis, arena);
        const char *any = axis == 'x' && more[i] != ROLE_TILE ? term_of(plan, more[i], '\0', arena) : NULL;
        const char *factor = own ? own : any;
        text = factor ? rft_arena_printf(arena, "%s * %s", text, factor) : text;
    }
    return text;
}

static void choose_grid(rft_new_plan *plan, const char *const terms[2], rft_arena *arena) {
    const char *x = rft_arena_printf(arena, "ceil_div(p.%s, %s)", plan->dimensions[plan->along_x].name,
                                     covered(plan, terms[0], 'x', arena));
    plan->grid = x;
    if (terms[1]) {
        plan->grid = rft_arena_printf(arena, "{ %s, ceil_div(p.%s, %s) }", x, plan->dimensions[plan->along_y].name,
                                      covered(plan, terms[1], 'y', arena));
    }
}

/* ---- values ---- */

static void set_values(rft_new_tuned *one, const char *values, const char *preset, const char *help) {
    one->values = values;
    one->preset = preset;
    one->help = one->help ? one->help : help;
}

static void choose_values(rft_new_plan *plan, rft_new_tuned *one) {
    bool plane = plan->block[0] == '{';
    char axis = axis_of(one->name);
    switch (role_of(one->name)) {
    case ROLE_BLOCK:
        if (!plane) {
            set_values(one, "64, 128, 256, 512", "256", "threads of a block");
        } else if (axis == 'y') {
            set_values(one, "4, 8, 16", "8", "threads of a block along y");
        } else if (axis == 'z') {
            set_values(one, "1", "1", "threads of a block along z");
        } else {
            set_values(one, "8, 16, 32", "16",
                       axis ? "threads of a block along x" : "threads of a block along x and y");
        }
        break;
    case ROLE_TILE:
        if (axis && plane) {
            set_values(one, "1, 2, 4", "1", "results of a thread along the axis");
        } else {
            set_values(one, "8, 16, 32", "16", "a tile's width");
        }
        break;
    case ROLE_VECTOR:
        set_values(one, "1, 2, 4", "1", "elements of a load");
        break;
    case ROLE_ITEMS:
    case ROLE_UNROLL:
        set_values(one, "1, 2, 4, 8", "1",
                   role_of(one->name) == ROLE_ITEMS ? "elements of a thread" : "unrolled steps");
        break;
    case ROLE_WARP:
        set_values(one, "32", "32", "threads of a warp");
        break;
    case ROLE_OTHER:
        one->guessed = !one->flag;
        set_values(one, one->flag ? "0, 1" : "1", one->flag ? "0" : "1", one->flag ? "asked in #if" : "");
        break;
    }
}

static bool is_listed(const char *values, int64_t number) {
    bool listed = false;
    for (const char *at = values; *at && !listed; at += strcspn(at, " "), at += *at == ' ') {
        listed = strtoll(at, NULL, 10) == number;
    }
    return listed;
}

/* The source's own value is the preset, and one of the values. */
static void keep_given(rft_new_tuned *one, rft_arena *arena) {
    char *end = NULL;
    int64_t number = one->given ? strtoll(one->given, &end, 0) : 0;
    bool plain = one->given && end != one->given && strspn(end, "uUlL") == strlen(end);
    if (plain && one->guessed) {
        one->values = one->preset = rft_arena_printf(arena, "%lld", (long long)number);
    } else if (plain) {
        one->preset = rft_arena_printf(arena, "%lld", (long long)number);
        one->values =
            is_listed(one->values, number) ? one->values : rft_arena_printf(arena, "%s, %s", one->values, one->preset);
    }
}

void rft_new_choose(rft_new_plan *plan, rft_arena *arena) {
    const char *terms[2] = {NULL, NULL};
    if (plan->tuned_count > RFT_NEW_TUNED_MAX - 1) {
        plan->tuned_count = RFT_NEW_TUNED_MAX - 1; /* two are left for the launch */
    }
    choose_block(plan, terms, arena);
    choose_grid(plan, terms, arena);
    for (size_t i = 0; i < plan->tuned_count; i++) {
        rft_new_tuned *one = &plan->tuned[i];
        if (one->truth) {
            set_values(one, "false, true", one->given && strcmp(one->given, "true") == 0 ? "true" : "false", "");
        } else if (one->by_launch && axis_of(one->name)) {
            set_values(one, axis_of(one->name) == 'x' ? "16, 32, 64" : "4, 8, 16",
                       axis_of(one->name) == 'x' ? "32" : "8", "threads of a block");
        } else {
            choose_values(plan, one);
            keep_given(one, arena);
        }
    }
}
