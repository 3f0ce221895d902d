/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_scan_body.c - what a kernel's body does with its parameters and the grid, as far as its words tell. */
#include "base/str.h"
#include "cli/cuda_scan_parts.h"

#include <string.h>

bool rft_cuda_is_member(const rft_cuda_word *before) {
    return rft_cuda_is(before, ".") || rft_cuda_is(before, "->");
}

/* One mention of a pointer: `x[...] = ` writes, `x[...]` alone reads, anything else may do both. */
static void note_use(rft_cuda_param *param, const rft_cuda_words *words, size_t at) {
    const rft_cuda_word *next = &words->items[at + 1];
    bool moves = rft_cuda_is(next, "+=") || rft_cuda_is(next, "-="); /* out += blockIdx.y * n; */
    if (!rft_cuda_is(next, "[")) {
        param->read = param->read || !moves;
        param->written_to = param->written_to || !moves;
        return;
    }
    size_t past = rft_cuda_skip(words, at + 1);
    while (rft_cuda_is(&words->items[past], "[")) { /* x[i][k] */
        past = rft_cuda_skip(words, past);
    }
    const rft_cuda_word *behind = &words->items[past];
    const rft_cuda_word *before = &words->items[at - 1];
    while (rft_cuda_is(behind, ")") && rft_cuda_is(before, "(") && at > 2) { /* FLOAT4(x[i]) = ..., &(x[i]) */
        before -= before[-1].kind == RFT_CUDA_NAME ? 2 : 1;
        behind++;
    }
    if (rft_cuda_is(behind, ".") && behind[1].kind == RFT_CUDA_NAME && !rft_cuda_is(&behind[2], "(")) {
        behind += 2; /* x[i].y */
    }
    bool sets = rft_cuda_is(behind, "=");
    bool changes = behind->text[0] != '\0' && behind->text[1] == '=' && strchr("+-*/%&|^", behind->text[0]);
    changes = changes || rft_cuda_is(behind, "++") || rft_cuda_is(behind, "--") || rft_cuda_is(behind, ".");
    changes = changes || rft_cuda_is(before, "&") || rft_cuda_is(before, "++") || rft_cuda_is(before, "--");
    param->read = param->read || !sets || changes;
    param->written_to = param->written_to || sets || changes;
}

/* `x[...] = `, x being at `at`, wherever the kernel's body, from `from` on, is compiled. */
static bool is_assigned(const rft_cuda_entry *entry, const rft_cuda_words *words, size_t at, size_t from) {
    bool always = entry->template_count == 0 && words->items[at].level == words->items[from].level;
    return always && rft_cuda_is(&words->items[at + 1], "[") &&
           rft_cuda_is(&words->items[rft_cuda_skip(words, at + 1)], "=");
}

/* Pointers that are not const: what the body does with them. */
static void read_uses(rft_cuda_entry *entry, const rft_cuda_words *words, size_t from, size_t to) {
    for (size_t p = 0; p < entry->param_count; p++) {
        rft_cuda_param *param = &entry->params[p];
        if (!param->pointer || !param->written_to) {
            continue;
        }
        param->read = param->written_to = false;
        for (size_t i = from; i < to; i++) {
            if (rft_cuda_is(&words->items[i], param->name) && !rft_cuda_is_member(&words->items[i - 1])) {
                note_use(param, words, i);
                param->assigned = param->assigned || is_assigned(entry, words, i, from);
            }
        }
    }
    bool writes = false;
    for (size_t p = 0; p < entry->param_count; p++) {
        writes = writes || entry->params[p].written_to;
    }
    for (size_t p = 0; p < entry->param_count && !writes; p++) { /* by ways that are not seen here */
        rft_cuda_param *param = &entry->params[p];
        param->written_to = param->pointer && !param->is_const;
    }
}

/* ---- the grid ---- */

static bool is_cast(const rft_cuda_word *word) {
    return rft_cuda_is(word, "(") && word[1].kind == RFT_CUDA_NAME && rft_cuda_is(&word[2], ")") &&
           (word[3].kind == RFT_CUDA_NAME || word[3].kind == RFT_CUDA_NUMBER || rft_cuda_is(&word[3], "("));
}

/* Are words [from, to) names, numbers and arithmetic alone? */
static bool is_plain(const rft_cuda_words *words, size_t from, size_t to) {
    bool plain = true;
    for (size_t i = from; i < to; i++) {
        const rft_cuda_word *word = &words->items[i];
        bool name = word->kind == RFT_CUDA_NAME && !rft_cuda_is(&word[1], "(");
        plain = plain && (name || word->kind == RFT_CUDA_NUMBER ||
                          (word->kind == RFT_CUDA_SIGN && strlen(word->text) == 1 && strchr("+-*/()", word->text[0])));
    }
    return plain;
}

/* The product at `at`, behind a * : "BLOCK*ITEMS" of BLOCK * ITEMS + threadIdx.x. */
static void read_factor(rft_cuda_axis *axis, const rft_cuda_words *words, size_t at, size_t end, rft_arena *arena) {
    const char *text = NULL;
    for (;;) {
        at += at < end && is_cast(&words->items[at]) ? 3 : 0;
        const rft_cuda_word *word = &words->items[at];
        if (at >= end || word->directive) {
            return;
        }
        if (rft_cuda_is(word, "blockDim")) {
            axis->by_threads = true;
            return;
        }
        size_t behind = rft_cuda_is(word, "(") ? rft_cuda_skip(words, at) : at + 1;
        bool single = word->kind == RFT_CUDA_NAME || word->kind == RFT_CUDA_NUMBER;
        bool called =
            single && (rft_cuda_is(&word[1], "(") || rft_cuda_is(&word[1], ".") || rft_cuda_is(&word[1], "->"));
        if (behind > end || called || !(single || rft_cuda_is(word, "(")) || !is_plain(words, at, behind)) {
            return;
        }
        const char *one = rft_cuda_join(words, at, behind, arena);
        text = text ? rft_arena_printf(arena, "%s*%s", text, one) : one;
        at = behind;
        if (!rft_cuda_is(&words->items[at], "*")) {
            break;
        }
        at++;
    }
    axis->factor = axis->factor ? axis->factor : text;
}

static bool is_single(const rft_cuda_word *word) {
    return (word->kind == RFT_CUDA_NAME || word->kind == RFT_CUDA_NUMBER) && !rft_cuda_is(&word[1], ".") &&
           !rft_cuda_is(&word[1], "(") && !rft_cuda_is(&word[1], "->");
}

/* `( ... ) * VEC` around the mention at `from`. */
static void read_times(rft_cuda_axis *axis, const rft_cuda_words *words, size_t from) {
    size_t open = from;
    while (open > 0 && open + 4 > from && !rft_cuda_is(&words->items[open], "(")) {
        open--;
    }
    size_t behind = rft_cuda_is(&words->items[open], "(") ? rft_cuda_skip(words, open) : 0;
    if (behind > from && rft_cuda_is(&words->items[behind], "*") && is_single(&words->items[behind + 1])) {
        axis->times = axis->times ? axis->times : words->items[behind + 1].text;
    }
}

/* The mention of a block's number at words [from, behind): by what it is multiplied. */
static void read_mention(rft_cuda_axis *axis, const rft_cuda_words *words, size_t from, size_t behind, size_t end,
                         rft_arena *arena) {
    read_times(axis, words, from);
    if (rft_cuda_is(&words->items[behind], "*")) {
        read_factor(axis, words, behind + 1, end, arena);
    } else if (from > 2 && rft_cuda_is(&words->items[from - 1], "*")) {
        const rft_cuda_word *word = &words->items[from - 2];
        bool member = rft_cuda_is_member(&word[-1]);
        axis->by_threads = axis->by_threads || (member && from > 3 && rft_cuda_is(&word[-2], "blockDim"));
        bool single = !member && (word->kind == RFT_CUDA_NAME || word->kind == RFT_CUDA_NUMBER);
        axis->factor = !axis->factor && single ? word->text : axis->factor;
    } else if (from > 2 && rft_cuda_is(&words->items[from - 1], "=") && words->items[from - 2].kind == RFT_CUDA_NAME &&
               strchr(";,", words->items[behind].text[0])) {
        axis->alias = words->items[from - 2].text;
    }
}

/* F of `... * F + threadIdx.x`, `F * blockIdx.y + threadIdx.x` and `threadIdx.x + blockIdx.x * F`; NULL: none of these.
 * `at` is that of threadIdx. */
static const char *extent_of(const rft_cuda_words *words, size_t at) {
    const rft_cuda_word *items = words->items;
    if (at > 4 && rft_cuda_is(&items[at - 1], "+")) {
        const rft_cuda_word *last = &items[at - 2];
        bool factor = is_single(last) && rft_cuda_is(&last[-1], "*");
        bool member = at > 7 && rft_cuda_is(&last[-1], ".") && rft_cuda_is(&last[-2], "blockIdx") &&
                      rft_cuda_is(&last[-3], "*") && is_single(&last[-4]) && !rft_cuda_is(&last[-5], ".");
        return factor ? last->text : member ? last[-4].text : NULL;
    }
    const rft_cuda_word *next = &items[at + 3];
    bool turned = rft_cuda_is(next, "+") && rft_cuda_is(&next[1], "blockIdx") && rft_cuda_is(&next[2], ".") &&
                  rft_cuda_is(&next[4], "*") && is_single(&next[5]);
    return turned ? next[5].text : NULL;
}

/* F of `for (int i = threadIdx.x; i < n; i += F)`, `at` being that of threadIdx; NULL: it is no such loop. */
static const char *stride_of(const rft_cuda_words *words, size_t at, size_t end) {
    const rft_cuda_word *items = words->items;
    size_t open = at;
    while (open > 0 && open + 12 > at && !strchr(";{}", items[open].text[0]) && !rft_cuda_is(&items[open], "for")) {
        open--;
    }
    if (!rft_cuda_is(&items[open], "for") || !rft_cuda_is(&items[open + 1], "(")) {
        return NULL;
    }
    size_t close = rft_cuda_skip(words, open + 1) - 1;
    bool strided = close < end && close > at + 3 && rft_cuda_is(&items[close - 2], "+=");
    return strided && is_single(&items[close - 1]) ? items[close - 1].text : NULL;
}

/* i of `int i = ... blockIdx.x ...`, the mention being at `at`; NULL: it is no such statement. */
static const char *made_of(const rft_cuda_words *words, size_t at, size_t from) {
    while (at > from + 1 && !strchr(";{}", words->items[at].text[0]) && !rft_cuda_is(&words->items[at], "=")) {
        at--;
    }
    const rft_cuda_word *name = &words->items[at - 1];
    return rft_cuda_is(&words->items[at], "=") && name->kind == RFT_CUDA_NAME ? name->text : NULL;
}

/* The kernel's parameter of the word's name; NULL: no parameter is called so. */
static const char *param_named(const rft_cuda_entry *entry, const rft_cuda_word *word) {
    for (size_t p = 0; p < entry->param_count; p++) {
        if (rft_cuda_is(word, entry->params[p].name)) {
            return entry->params[p].name;
        }
    }
    return NULL;
}

/* The parameter n of the first `i < n`, `i >= n`, `n > i` and `n <= i`; NULL: there is none. `>=` is two words. */
static const char *bound_of(const rft_cuda_entry *entry, const rft_cuda_words *words, const char *index, size_t from,
                            size_t to) {
    for (size_t i = from; i + 3 < to && index; i++) {
        const rft_cuda_word *word = &words->items[i];
        bool least = rft_cuda_is(&word[1], ">") && rft_cuda_is(&word[2], "=");
        const rft_cuda_word *behind = &word[least ? 3 : 2];
        bool less = least || rft_cuda_is(&word[1], "<");
        bool more = !least && (rft_cuda_is(&word[1], ">") || rft_cuda_is(&word[1], "<="));
        const char *bound = less && rft_cuda_is(word, index)     ? param_named(entry, behind)
                            : more && rft_cuda_is(behind, index) ? param_named(entry, word)
                                                                 : NULL;
        if (bound) {
            return bound;
        }
    }
    return NULL;
}

/* `i = (cast)blockIdx.x * factor + threadIdx.x;`, the mention being at `at`. */
static bool is_one_each(const rft_cuda_words *words, size_t at) {
    const rft_cuda_word *items = words->items;
    size_t before = at > 4 && rft_cuda_is(&items[at - 1], ")") ? at - 4 : at - 1, i = at + 4;
    bool begins = at > 4 && rft_cuda_is(&items[before], "=") && rft_cuda_is(&items[at + 3], "*");
    i += begins && is_cast(&items[i]) ? 3 : 0;
    i += begins && rft_cuda_is(&items[i], "blockDim") ? 3 : 1;
    return begins && rft_cuda_is(&items[i], "+") && rft_cuda_is(&items[i + 1], "threadIdx") &&
           strcmp(items[i + 3].text, items[at + 2].text) == 0 && strchr(";,", items[i + 4].text[0]);
}

/* Is the index held against n itself wherever it is, never in a loop's head, and no block takes another's part? */
static bool is_condition(const rft_cuda_words *words, const char *index, const char *bound, size_t from, size_t to) {
    bool whole = index && bound;
    for (size_t i = from + 4; i + 1 < to && whole; i++) {
        const rft_cuda_word *word = &words->items[i];
        bool least = rft_cuda_is(&word[-1], "=") && rft_cuda_is(&word[-2], ">");
        const rft_cuda_word *first = &word[least ? -3 : -2];
        bool compared = (least || rft_cuda_is(&word[-1], "<")) && rft_cuda_is(first, index) && rft_cuda_is(word, bound);
        bool ends = rft_cuda_is(&word[1], "||") || rft_cuda_is(&word[1], "&&") || strchr(")?", word[1].text[0]);
        bool loops = rft_cuda_is(&first[-1], "(") && rft_cuda_is(&first[-2], "while");
        whole = !(compared && (!ends || loops)) && !rft_cuda_is(word, "gridDim");
    }
    return whole;
}

static void read_grid(rft_cuda_entry *entry, const rft_cuda_words *words, size_t from, size_t to, rft_arena *arena) {
    for (size_t i = from; i + 2 < to; i++) {
        const rft_cuda_word *word = &words->items[i];
        bool block = rft_cuda_is(word, "blockIdx"), thread = rft_cuda_is(word, "threadIdx");
        char axis = word[2].text[0];
        if ((!block && !thread) || axis < 'x' || axis > 'z' || word[2].text[1]) {
            continue;
        }
        int *most = block ? &entry->block_axes : &entry->thread_axes;
        *most = axis - 'x' + 1 > *most ? axis - 'x' + 1 : *most;
        const char **extent = &entry->extents[axis - 'x'];
        if (thread && !*extent) {
            const char *seen = extent_of(words, i);
            *extent = seen ? seen : stride_of(words, i, to);
        }
        if (block) {
            rft_cuda_axis *seen = &entry->axes[axis - 'x'];
            read_mention(seen, words, i, i + 3, to, arena);
            if (!seen->bound) {
                const char *index = made_of(words, i, from);
                seen->bound = bound_of(entry, words, index, from, to);
                seen->index = seen->bound ? index : NULL;
                seen->once = is_one_each(words, i) && is_condition(words, index, seen->bound, from, to);
            }
        }
    }
    for (size_t a = 0; a < 3; a++) {
        for (size_t i = from; i < to && entry->axes[a].alias; i++) {
            const rft_cuda_word *word = &words->items[i];
            if (rft_cuda_is(word, entry->axes[a].alias) && !rft_cuda_is_member(&word[-1])) {
                rft_cuda_axis seen = entry->axes[a];
                read_mention(&seen, words, i, i + 1, to, arena);
                entry->axes[a].factor = seen.factor;
                entry->axes[a].by_threads = seen.by_threads;
                entry->axes[a].times = seen.times;
            }
        }
    }
}

/* FLOAT4 of FLOAT4(x[i]): a macro that may take more than the element. */
static bool looks_like_cast(const rft_cuda_word *word) {
    return word->kind == RFT_CUDA_NAME && word->text[0] >= 'A' && word->text[0] <= 'Z';
}

/* The address of an element, as atomicAdd(&x[i], 1) and __ldg(&x[i]) take it: of this one alone. */
static bool is_whole_address(const rft_cuda_word *items, size_t at) {
    return at > 3 && rft_cuda_is(&items[at - 2], "(") &&
           (rft_text_starts(items[at - 3].text, "atomic") || rft_cuda_is(&items[at - 3], "__ldg"));
}

/* x[i] and x[0], and no mention of x that is another. */
static const char *count_of(const rft_cuda_entry *entry, const rft_cuda_words *words, const char *name, size_t from,
                            size_t to) {
    const rft_cuda_axis *axis = &entry->axes[0];
    const rft_cuda_word *items = words->items;
    bool seen = false;
    for (size_t i = from; i + 3 < to; i++) {
        if (!rft_cuda_is(&items[i], name) || rft_cuda_is_member(&items[i - 1])) {
            continue;
        }
        bool single = rft_cuda_is(&items[i + 1], "[") && rft_cuda_is(&items[i + 3], "]");
        bool own = single && rft_cuda_is(&items[i + 2], axis->index);
        bool macro = rft_cuda_is(&items[i - 1], "(") && looks_like_cast(&items[i - 2]);
        bool address = rft_cuda_is(&items[i - 1], "&") && !is_whole_address(items, i);
        if ((!own && !(single && items[i + 2].kind == RFT_CUDA_NUMBER)) || macro || address) {
            return NULL;
        }
        seen = seen || own;
    }
    return seen ? axis->bound : NULL;
}

static void read_counts(rft_cuda_entry *entry, const rft_cuda_words *words, size_t from, size_t to) {
    for (size_t p = 0; p < entry->param_count && entry->axes[0].index && entry->block_axes < 2; p++) {
        rft_cuda_param *param = &entry->params[p];
        param->count_of = param->pointer && *param->name ? count_of(entry, words, param->name, from, to) : NULL;
    }
}

/* `this_grid().sync()`, or `grid.sync()` where grid is made of this_grid(). */
static bool waits_for_grid(const rft_cuda_words *words, size_t from, size_t to) {
    const rft_cuda_word *items = words->items;
    const char *grid = NULL;
    for (size_t i = from; i + 4 < to; i++) {
        bool own = rft_cuda_is(&items[i], "this_grid") && rft_cuda_is(&items[i + 1], "(");
        const char *made = own ? made_of(words, i, from) : NULL;
        bool behind = own && rft_cuda_is(&items[i + 3], ".") && rft_cuda_is(&items[i + 4], "sync");
        bool named = grid && rft_cuda_is(&items[i], grid) && rft_cuda_is(&items[i + 1], ".") &&
                     rft_cuda_is(&items[i + 2], "sync");
        grid = made ? made : grid;
        if (behind || named) {
            return true;
        }
    }
    return false;
}

void rft_cuda_read_body(rft_cuda_entry *entry, const rft_cuda_words *words, size_t from, size_t to,
                        const rft_cuda_variable *variables, size_t variable_count, rft_arena *arena) {
    read_uses(entry, words, from, to);
    read_grid(entry, words, from, to, arena);
    read_counts(entry, words, from, to);
    bool grid = false, sync = false;
    for (size_t i = from; i < to; i++) {
        const rft_cuda_word *word = &words->items[i];
        grid = grid || rft_cuda_is(word, "this_grid");
        sync = sync || rft_cuda_is(word, "sync");
        bool extern_array = rft_cuda_is(word, "extern") && rft_cuda_is(&word[1], "__shared__");
        bool always = entry->template_count == 0 && word->level == words->items[from].level;
        entry->dynamic_shared = entry->dynamic_shared || extern_array;
        entry->always_dynamic = entry->always_dynamic || (extern_array && always);
        for (size_t v = 0; v < variable_count && v < 64; v++) {
            entry->variables |= (uint64_t)rft_cuda_is(word, variables[v].name) << v;
        }
    }
    entry->cooperative = grid && sync;
    entry->waits = waits_for_grid(words, from, to);
}
