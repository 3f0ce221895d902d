/* SPDX-License-Identifier: Apache-2.0 */
/* new_sweep_choose.c - values to try, block and grid, by what names usually mean. */
#include "cli/new_sweep_parts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef enum tune_role {
    ROLE_OTHER,
    ROLE_WARP,
    ROLE_WARPS,
    ROLE_BLOCK,
    ROLE_TILE,
    ROLE_OWN_TILE, /* of a thread: TM */
    ROLE_VECTOR,
    ROLE_ITEMS,
    ROLE_UNROLL,
    ROLE_STAGES,
    ROLE_HEAD
} tune_role;

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
    } parts[] = {{"num_blocks", ROLE_OTHER}, {"warp_size", ROLE_WARP}, {"warpsize", ROLE_WARP},
                 {"per_thread", ROLE_ITEMS}, {"warps", ROLE_WARPS},    {"items", ROLE_ITEMS},
                 {"unroll", ROLE_UNROLL},    {"stages", ROLE_STAGES},  {"head_dim", ROLE_HEAD},
                 {"headdim", ROLE_HEAD},     {"head_size", ROLE_HEAD}, {"head_d", ROLE_HEAD},
                 {"d_head", ROLE_HEAD},      {"vec", ROLE_VECTOR},     {"thread", ROLE_BLOCK},
                 {"per_block", ROLE_TILE},   {"block", ROLE_BLOCK},    {"tile", ROLE_TILE}};
    char text[64];
    lower(name, text, sizeof text);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (strstr(text, parts[i].part)) {
            return parts[i].role;
        }
    }
    bool short_tile = strlen(text) == 2 && strchr("bt", text[0]) && strchr("mnk", text[1]);
    bool axis = strlen(text) > 2 && strchr("xyz", text[strlen(text) - 1]);
    text[strlen(text) - axis] = '\0';
    return short_tile                                             ? text[0] == 't' ? ROLE_OWN_TILE : ROLE_TILE
           : strcmp(text, "bs") == 0 || strcmp(text, "bdim") == 0 ? ROLE_BLOCK
                                                                  : ROLE_OTHER;
}

bool rft_new_is_fixed(const rft_cuda_macro *macro) {
    long number = macro->fixed ? strtol(macro->fixed, NULL, 0) : 0;
    tune_role role = role_of(macro->name);
    bool usual = role != ROLE_OTHER && role != ROLE_WARP && role != ROLE_HEAD;
    return usual && number > 0 && number <= 1024;
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

/* The parameter or constant of this name, in Lua, `before` in front of a parameter; NULL: neither. */
static const char *named_term(const rft_new_plan *plan, const char *name, const char *before, rft_arena *arena) {
    for (size_t i = 0; i < plan->tuned_count; i++) {
        const rft_new_tuned *one = &plan->tuned[i];
        if (strcmp(one->name, name) == 0 && !one->truth && !one->flag) {
            return rft_arena_printf(arena, "%s%s", before, name);
        }
    }
    const rft_cuda_file *file = plan->request->file;
    for (size_t i = 0; i < file->macro_count; i++) {
        const rft_cuda_macro *macro = &file->macros[i];
        long number = macro->fixed && strcmp(macro->name, name) == 0 ? strtol(macro->fixed, NULL, 0) : 0;
        if (number > 0) {
            return rft_arena_printf(arena, "%ld", number);
        }
    }
    return NULL;
}

const char *rft_new_lua(const rft_new_plan *plan, const char *text, const char *before, rft_arena *arena) {
    rft_str out = RFT_STR_INIT;
    bool known = text != NULL;
    while (known && *text) {
        size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
        size_t digits = strspn(text, "0123456789");
        const char *term = length > digits && digits == 0
                               ? named_term(plan, rft_arena_strndup(arena, text, length), before, arena)
                               : "";
        known = term && (length == digits || digits == 0) && (length > 0 || strchr("+-*/()", *text));
        if (length > 0) {
            rft_str_add_n(&out, digits ? text : known ? term : "", digits ? digits : known ? strlen(term) : 0);
        } else {
            rft_str_addf(&out, strchr("+-*", *text) ? " %c " : *text == '/' ? " /%c " : "%c", *text);
        }
        text += length ? length : 1;
    }
    const char *lua = known ? rft_arena_strdup(arena, rft_str_get(&out)) : NULL;
    rft_str_clear(&out);
    return lua;
}

/* Threads as __launch_bounds__ says them, where they follow from parameters; false: it does not. */
static bool take_bounds(rft_new_plan *plan, const char *terms[3], rft_arena *arena) {
    const char *bound = rft_new_lua(plan, plan->kernel->threads, "c.", arena);
    if (!bound || !strstr(bound, "c.") || plan->kernel->thread_axes > 1) {
        return false;
    }
    terms[0] = bound;
    plan->block = bound;
    plan->limit = rft_arena_printf(arena, "%s <= 1024", rft_new_lua(plan, plan->kernel->threads, "", arena));
    return true;
}

static const char *limit_of(const rft_new_plan *plan, const char *const terms[3], long most, rft_arena *arena) {
    rft_str out = RFT_STR_INIT;
    bool tuned = false;
    for (size_t i = 0; i < 3 && terms[i]; i++) {
        bool own = strncmp(terms[i], "c.", 2) == 0;
        tuned = tuned || own;
        rft_str_addf(&out, "%s%s", i ? " * " : "", terms[i] + (own ? 2 : 0));
    }
    const char *limit = tuned ? rft_arena_printf(arena, "%s <= %ld", rft_str_get(&out), most) : plan->limit;
    rft_str_clear(&out);
    return limit;
}

/* Threads along each of several axes as the kernel itself counts them: `blockIdx.x * BX + threadIdx.x`. */
static bool take_extents(rft_new_plan *plan, const char *terms[3], rft_arena *arena) {
    const rft_cuda_entry *entry = plan->kernel;
    const char *seen[3] = {NULL};
    bool known = entry->thread_axes > 1, tuned = false;
    for (int axis = 0; axis < entry->thread_axes && known; axis++) {
        seen[axis] = rft_new_lua(plan, entry->extents[axis], "c.", arena);
        known = seen[axis] != NULL;
        tuned = tuned || (known && rft_text_starts(seen[axis], "c."));
    }
    if (!known || !tuned) {
        return false;
    }
    memcpy(terms, seen, sizeof seen);
    plan->block = seen[2] ? rft_arena_printf(arena, "{ %s, %s, %s }", seen[0], seen[1], seen[2])
                          : rft_arena_printf(arena, "{ %s, %s }", seen[0], seen[1]);
    plan->limit = limit_of(plan, terms, entry->max_threads > 0 ? entry->max_threads : 1024, arena);
    return true;
}

static void choose_block(rft_new_plan *plan, const char *terms[3], rft_arena *arena) {
    const rft_cuda_entry *entry = plan->kernel;
    bool plane = entry->thread_axes > 1 || (entry->thread_axes == 0 && entry->block_axes > 1);
    if (take_bounds(plan, terms, arena) || take_extents(plan, terms, arena)) {
        return;
    }
    const char *x = term_of(plan, ROLE_BLOCK, 'x', arena), *y = term_of(plan, ROLE_BLOCK, 'y', arena);
    const char *one = term_of(plan, ROLE_BLOCK, '\0', arena), *warps = term_of(plan, ROLE_WARPS, '\0', arena),
               *tile = term_of(plan, ROLE_TILE, '\0', arena);
    if (!plane) { /* constants of other kernels' blocks */
        x = x && strncmp(x, "c.", 2) == 0 ? x : NULL;
        y = x && y && strncmp(y, "c.", 2) == 0 ? y : NULL;
    }
    bool square = !x && !y && plane && (one || tile);
    if (square && one && strtol(one, NULL, 10) > 32) { /* 256 threads in a row: the second axis is the grid's */
        x = one;
        y = "1";
    } else if (square) {
        x = y = one ? one : tile;
    } else if (x || y) {
        x = x ? x : "32";
        y = y || !plane ? y : "1";
    } else if (plane) {
        x = add_threads(plan, "BLOCK_X", arena);
        y = add_threads(plan, "BLOCK_Y", arena);
    } else {
        x = one                                     ? one
            : warps && strncmp(warps, "c.", 2) == 0 ? rft_arena_printf(arena, "32 * %s", warps)
                                                    : add_threads(plan, "BLOCK", arena);
    }
    const char *z = y && entry->thread_axes > 2 ? term_of(plan, ROLE_BLOCK, 'z', arena) : NULL;
    terms[0] = x;
    terms[1] = y;
    terms[2] = z;
    plan->block = z   ? rft_arena_printf(arena, "{ %s, %s, %s }", x, y, z)
                  : y ? rft_arena_printf(arena, "{ %s, %s }", x, y)
                      : x;
    plan->limit = limit_of(plan, terms, entry->max_threads > 0 ? entry->max_threads : 1024, arena);
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

/* Blocks along one axis: what the kernel multiplies blockIdx by is what one covers, else its threads and more. */
static const char *blocks_along(const rft_new_plan *plan, size_t axis, const char *threads, rft_arena *arena) {
    const rft_cuda_axis *seen = &plan->kernel->axes[axis];
    const char *size = plan->dimensions[plan->along[axis]].name;
    const char *own = rft_new_lua(plan, rft_new_factor(plan, seen, arena), "c.", arena);
    const char *times = rft_new_lua(plan, seen->times, "c.", arena);
    bool alone = seen->alias && !seen->by_threads && !own; /* row = blockIdx.x: one block, one row */
    if (alone || (!threads && !own)) {
        return rft_arena_printf(arena, "p.%s", size);
    }
    bool whole = own && (!threads || times || strcmp(own, threads) != 0);
    if (times && (own || seen->by_threads)) {
        return rft_arena_printf(arena, "ceil_div(p.%s, %s * %s)", size, own ? own : threads, times);
    }
    return rft_arena_printf(arena, "ceil_div(p.%s, %s)", size,
                            whole ? own : covered(plan, threads, (char)('x' + axis), arena));
}

static void choose_grid(rft_new_plan *plan, const char *const terms[3], rft_arena *arena) {
    const rft_cuda_entry *entry = plan->kernel;
    int by_threads = terms[2] ? 3 : terms[1] ? 2 : 1;
    int axes = entry->block_axes > 0 ? entry->block_axes : by_threads;
    const char *all[3];
    for (int axis = 0; axis < 3; axis++) {
        all[axis] = axis < axes ? blocks_along(plan, (size_t)axis, terms[axis], arena) : NULL;
    }
    plan->grid = axes == 3   ? rft_arena_printf(arena, "{ %s, %s, %s }", all[0], all[1], all[2])
                 : axes == 2 ? rft_arena_printf(arena, "{ %s, %s }", all[0], all[1])
                             : all[0];
}

/* ---- values ---- */

static void set_values(rft_new_tuned *one, const char *values, const char *preset, const char *help) {
    one->values = values;
    one->preset = preset;
    one->help = one->help ? one->help : help;
}

/* TX of `blockIdx.x * TX + threadIdx.x` is threads of a block; false: it is no such factor. */
static bool choose_extent(const rft_new_plan *plan, rft_new_tuned *one, bool plane) {
    static const char *const values[] = {"16, 32, 64", "4, 8, 16", "1"}, *const presets[] = {"32", "8", "1"};
    for (int a = 0; a < 3; a++) {
        const char *extent = plan->kernel->extents[a];
        if (extent && strcmp(extent, one->name) == 0) {
            set_values(one, plane ? values[a] : "64, 128, 256, 512", plane ? presets[a] : "256", "threads of a block");
            return true;
        }
    }
    return false;
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
    case ROLE_OWN_TILE:
        set_values(one, "1, 2, 4, 8", "4", "results of a thread along it");
        break;
    case ROLE_VECTOR:
        set_values(one, "1, 2, 4", "1", "elements of a load");
        break;
    case ROLE_ITEMS:
    case ROLE_UNROLL:
        set_values(one, "1, 2, 4, 8", "1",
                   role_of(one->name) == ROLE_ITEMS ? "elements of a thread" : "unrolled steps");
        break;
    case ROLE_WARPS:
        set_values(one, "2, 4, 8", "4", "warps of a block");
        break;
    case ROLE_STAGES:
        set_values(one, "2, 3, 4", "2", "stages of a pipeline");
        break;
    case ROLE_HEAD:
        one->guessed = true;
        set_values(one, "128", "128", "width of a head");
        break;
    case ROLE_WARP:
        set_values(one, "32", "32", "threads of a warp");
        break;
    case ROLE_OTHER:
        if (!one->values && !choose_extent(plan, one, plane)) {
            one->guessed = !one->flag;
            set_values(one, one->flag ? "0, 1" : "1", one->flag ? "0" : "1", one->flag ? "asked in #if" : "");
        }
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

/* __launch_bounds__(128) as a number: of the threads in a row only those that it allows. */
static void keep_bound(const rft_new_plan *plan, rft_new_tuned *one, rft_arena *arena) {
    long most = plan->kernel->max_threads;
    bool alone = rft_text_starts(plan->block, "c.") && strcmp(plan->block + 2, one->name) == 0;
    if (!alone || most < 64 || most >= 256) {
        return;
    }
    rft_str values = RFT_STR_INIT;
    for (long threads = 32; threads <= most; threads *= 2) {
        rft_str_addf(&values, "%s%ld", values.length ? ", " : "", threads);
        one->preset = rft_arena_printf(arena, "%ld", threads);
    }
    one->values = rft_arena_strdup(arena, rft_str_get(&values));
    rft_str_clear(&values);
}

void rft_new_choose(rft_new_plan *plan, rft_arena *arena) {
    const char *terms[3] = {NULL, NULL, NULL};
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
            keep_bound(plan, one, arena);
            keep_given(one, arena);
        }
    }
}
