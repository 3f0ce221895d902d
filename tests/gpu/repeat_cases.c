/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/repeat_cases.h"

#include "model/sweep/space.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#define WORDS_MOST 9
#define ARGS_MOST 3
#define CONFIGS_TRIED 4096

typedef struct repeat_row {
    const char *file, *sweep;         /* of sweeps/; sweep NULL: each of the file that has such a variant */
    const char *variants[WORDS_MOST]; /* what their names begin with */
    const char *args[ARGS_MOST];
    const char *problem; /* "n=1048579": in the sweep's own odd problem; NULL: as that is */
    bool any_order;
    bool every; /* nothing there waits: for a sanitizer alone, which looks at all variants */
} repeat_row;

#define LAST_STEPS "mma.sync, tiles by TMA", "mma.sync, a producer", "TMA and", "C by TMA", "ping-pong"
#define WGMMA_STEPS LAST_STEPS, "wgmma", "a producer", "cluster multicast", "tiles in turn, g"

#define ATTENTION "wgmma", "powers", "sums scaled", "ping-pong", "K and V", "polynomial"
#define ATTENTION_CAUSAL "longest", "blocks stay", "K and V", "polynomial"

#define LONG_ROWS "rows=5 cols=9222" /* as long as clusters take */

static const repeat_row rows[] = {
    {.file = "attention", .variants = {ATTENTION}, .problem = "causal=false"},
    {.file = "attention", .variants = {ATTENTION_CAUSAL, "unseen"}},
    {.file = "attention", .variants = {ATTENTION, "three warpgroups"}, .problem = "causal=false", .args = {"64"}},
    {.file = "attention", .variants = {ATTENTION_CAUSAL, "unseen", "three warpgroups"}, .args = {"64"}},
    {.file = "attention", .variants = {"sums scaled", "K and V"}, .problem = "causal=false", .args = {"256"}},
    {.file = "attention", .variants = {ATTENTION_CAUSAL, "unseen"}, .args = {"256"}},
    {.file = "attention", .variants = {ATTENTION}, .problem = "causal=false", .args = {"128", "1", "fp8"}},
    {.file = "attention", .variants = {ATTENTION_CAUSAL}, .args = {"128", "1", "fp8"}},
    {.file = "attention_packed", .variants = {"a block for", "longest", "blocks stay"}},
    {.file = "convolution_nhwc", .variants = {"TMA"}},
    {.file = "cross_entropy", .variants = {"row over"}, .problem = LONG_ROWS},
    {.file = "decode", .variants = {"TMA"}},
    {.file = "decode_fp8", .variants = {"TMA"}},
    {.file = "decode_groups", .variants = {"TMA"}},
    {.file = "decode_groups", .variants = {"wgmma"}, .problem = "group=16"},
    {.file = "decode_mla", .variants = {"a block", "split", "clusters"}},
    {.file = "depthwise", .variants = {"a ring"}},
    {.file = "embedding", .variants = {"copy engine"}, .problem = "v=5003"},
    {.file = "embedding_norm", .variants = {"fused, rows by the copy engine"}, .problem = "v=5003"},
    {.file = "experiments", .sweep = "arrivals", .variants = {"bulk", "tensor map"}},
    {.file = "gather", .variants = {"copy engine"}, .problem = "d=68"},
    {.file = "layernorm", .variants = {"row over"}, .problem = LONG_ROWS},
    {.file = "linear_weights", .variants = {"mma.sync, bulk", "wgmma", "begun"}},
    {.file = "matmul_bf16", .variants = {WGMMA_STEPS}},
    {.file = "matmul_fp16", .variants = {WGMMA_STEPS}},
    {.file = "matmul_fp8", .variants = {LAST_STEPS}},
    {.file = "matmul_int8", .variants = {LAST_STEPS}},
    {.file = "matmul_tf32", .variants = {LAST_STEPS}},
    {.file = "matmul_emulated", .variants = {"bf16 x", "tf32 x"}, .problem = "m=515 n=515 k=515"},
    {.file = "matmul_epilogue", .variants = {"matmul_bf16_wgmma"}, .problem = "m=515 n=515 k=515"},
    {.file = "matmul_fp8_scaled",
     .variants = {"added up in fp32", "tensor cores", "every", "matmul_fp8"},
     .problem = "m=515 n=515 k=1027"},
    {.file = "matmul_fp8_scaled", .variants = {"added up in pieces"}, .problem = "m=1027 n=515 k=1027"},
    {.file = "matmul_ffma", .variants = {"8 x 16 sums, TMA", "serpentine", "in that order", "factors"}},
    {.file = "matmul_layouts", .variants = {"matmul_bf16_wgmma"}, .problem = "m=515 n=515 k=515"},
    {.file = "matmul_layouts", .variants = {"matmul_fp16_wgmma"}, .problem = "m=515 n=515 k=515", .args = {"fp16"}},
    {.file = "matmul_llm", .variants = {"wgmma, steps"}},
    {.file = "matmul_skinny", .variants = {"wgmma"}},
    {.file = "matmul_skinny", .variants = {"wgmma", "begun"}, .args = {"fp8"}},
    {.file = "matmul_waves", .variants = {"tiles of"}, .problem = "m=1003 n=1003 k=1003"},
    {.file = "reduction", .variants = {"bulk"}, .any_order = true},
    {.file = "rmsnorm", .variants = {"row over"}, .problem = LONG_ROWS},
    {.file = "rope", .variants = {"copy engine"}},
    {.file = "scan", .variants = {"look-ahead"}},
    {.file = "scatter_add", .variants = {"copy engine"}, .problem = "d=68", .any_order = true},
    {.file = "softmax", .variants = {"row over"}, .problem = LONG_ROWS},
    {.file = "stencil", .variants = {"a ring"}},
    {.file = "stream", .variants = {"bulk"}, .problem = "n=1048579"},
    {.file = "transpose", .variants = {"TMA"}},
    {.file = "wgmma_port", .variants = {"wgmma_port"}},
    {.file = "argmax", .every = true},
    {.file = "convolution", .every = true},
    {.file = "gemv", .every = true},
    {.file = "gather", .variants = {"floats"}, .problem = "d=1", .every = true},
    {.file = "histograms", .every = true},
    {.file = "matmul_fp32", .every = true},
    {.file = "matmul_fp64", .every = true},
    {.file = "segmented_sum", .every = true},
    {.file = "select", .every = true},
    {.file = "spmv", .every = true},
    {.file = "top_k", .every = true},
};
#define ROW_COUNT (sizeof rows / sizeof *rows)

/* ---- problems ---- */

static void put_value(const rft_sweep *sweep, rft_value *values, const char *name, size_t length, const char *text) {
    for (size_t i = 0; i < sweep->axis_count; i++) {
        if (strlen(sweep->axes[i].name) == length && strncmp(sweep->axes[i].name, name, length) == 0) {
            bool flag = values[i].kind == RFT_VALUE_BOOL;
            values[i] = flag ? rft_value_bool(*text == 't') : rft_value_int(strtoll(text, NULL, 10));
        }
    }
}

/* Of the rows' "m=515 n=515" what the sweep has an axis for. */
static void put_values(const rft_sweep *sweep, rft_value *values, const char *words) {
    while (words && *words) {
        size_t length = strcspn(words, "=");
        put_value(sweep, values, words, length, words + length + 1);
        words += strcspn(words, " ");
        words += strspn(words, " ");
    }
}

static const rft_value *odd_problem(const rft_sweep *sweep) {
    for (size_t i = 0; i < sweep->problem_count; i++) {
        if (sweep->problems[i].odd) {
            return sweep->problems[i].values;
        }
    }
    return sweep->problems[0].values;
}

/* The even one has no odd size left: what is above 64 is a multiple of 64, what is above 16 one of 16. A share in per
 * cent is no size. */
static void make_even(const rft_sweep *sweep, rft_value *values) {
    for (size_t i = 0; i < sweep->axis_count; i++) {
        bool is_size = values[i].kind == RFT_VALUE_INT && strcmp(sweep->axes[i].name, "spread") != 0;
        if (is_size && values[i].as.integer > 16) {
            int64_t step = values[i].as.integer > 64 ? 64 : 16;
            values[i].as.integer = (values[i].as.integer + step - 1) / step * step;
        }
    }
}

/* ---- configurations ---- */

static rft_space *space_of(const rft_sweep *sweep, size_t variant, const rft_value *problem) {
    rft_space *space = NULL;
    rft_err err = RFT_ERR_INIT;
    if (rft_space_new(&space, sweep, variant, problem, NULL, &err) != RFT_OK) {
        fail_msg("%s: %s", sweep->name, err.message);
    }
    return space;
}

/* The defaults where they are valid, else the first that both problems have, else the first. False: there is none. */
static bool choose(const rft_space *space, const rft_space *other, rft_value *out) {
    const rft_variant *variant = rft_space_variant(space);
    for (size_t i = 0; i < variant->param_count; i++) {
        out[i] = variant->params[i].default_value;
    }
    uint64_t end = rft_space_index_end(space), most = end < CONFIGS_TRIED ? end : CONFIGS_TRIED;
    if (rft_space_find(space, out) != UINT64_MAX) {
        return true;
    }
    for (uint64_t i = 0; i < most; i++) {
        rft_space_get(space, i, out);
        if (rft_space_find(other, out) != UINT64_MAX) {
            return true;
        }
    }
    if (end > 0) {
        rft_space_get(space, 0, out);
    }
    return end > 0;
}

static const char *text_of(const repeat_case *c, rft_arena *arena) {
    const rft_variant *variant = &c->sweep->variants[c->variant];
    rft_str text = RFT_STR_INIT;
    rft_str_addf(&text, "%s, %s:", c->sweep->name, variant->name);
    for (size_t i = 0; i < c->sweep->axis_count; i++) {
        rft_str_addf(&text, " %s=", c->sweep->axes[i].name);
        rft_value_format(&text, &c->problem[i]);
    }
    for (size_t i = 0; i < variant->param_count; i++) {
        rft_str_addf(&text, " %s=", variant->params[i].name);
        rft_value_format(&text, &c->config[i]);
    }
    const char *kept = rft_arena_strdup(arena, rft_str_get(&text));
    rft_str_clear(&text);
    return kept;
}

/* may_lack: it may be for other cards. */
static void add_variant(repeat_cases *cases, const repeat_row *row, const rft_sweep *sweep, size_t variant,
                        bool may_lack) {
    rft_value *problems[2];
    rft_space *spaces[2];
    size_t before = cases->count;
    for (size_t even = 0; even < 2; even++) {
        problems[even] = rft_values_copy(cases->arena, odd_problem(sweep), sweep->axis_count);
        put_values(sweep, problems[even], row->problem);
        if (even) {
            make_even(sweep, problems[even]);
        }
        spaces[even] = space_of(sweep, variant, problems[even]);
    }
    for (size_t even = 0; even < 2; even++) {
        rft_value *config = rft_arena_calloc(cases->arena, sweep->variants[variant].param_count + 1, sizeof *config);
        repeat_case one = {.sweep = sweep,
                           .variant = variant,
                           .problem = problems[even],
                           .config = config,
                           .even = even,
                           .any_order = row->any_order};
        if (choose(spaces[even], spaces[!even], config)) {
            one.text = text_of(&one, cases->arena);
            RFT_GROW(cases->items, cases->capacity, cases->count + 1);
            cases->items[cases->count++] = one;
        }
    }
    rft_space_free(spaces[0]);
    rft_space_free(spaces[1]);
    if (cases->count == before) {
        print_error("%s, %s: no configuration for either problem\n", sweep->name, sweep->variants[variant].name);
        cases->lost += may_lack ? 0 : 1;
    }
}

static bool begins(const char *variant, const char *word) {
    bool waits_not = strstr(variant, "mma.sync, tiles in") || strstr(variant, ", mma.sync");
    return strncmp(variant, word, strlen(word)) == 0 && !waits_not;
}

static bool is_named(const repeat_row *row, const char *variant) {
    bool named = false;
    for (size_t i = 0; i < WORDS_MOST && row->variants[i]; i++) {
        named = named || begins(variant, row->variants[i]);
    }
    return named;
}

static bool same_script(const repeat_row *a, const repeat_row *b) {
    bool same = strcmp(a->file, b->file) == 0;
    for (size_t i = 0; i < ARGS_MOST; i++) {
        const char *one = a->args[i] ? a->args[i] : "", *other = b->args[i] ? b->args[i] : "";
        same = same && strcmp(one, other) == 0;
    }
    return same;
}

/* What no row names is the script's first row's, where every variant is asked for. */
static bool is_left_to(const repeat_row *row, const char *variant) {
    bool first = true;
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (same_script(row, &rows[i])) {
            if (is_named(&rows[i], variant) || (first && &rows[i] != row)) {
                return false;
            }
            first = false;
        }
    }
    return true;
}

static bool is_asked(const repeat_row *row, const rft_sweep *sweep) {
    return !row->sweep || strcmp(row->sweep, sweep->name) == 0;
}

/* A word without a variant tests nothing. */
static void check_words(repeat_cases *cases, const repeat_row *row, const rft_script *script) {
    for (size_t i = 0; i < WORDS_MOST && row->variants[i]; i++) {
        bool found = false;
        for (size_t s = 0; s < rft_script_sweep_count(script); s++) {
            const rft_sweep *sweep = rft_script_sweep(script, s);
            for (size_t v = 0; v < sweep->variant_count && is_asked(row, sweep); v++) {
                found = found || begins(sweep->variants[v].name, row->variants[i]);
            }
        }
        if (!found) {
            print_error("%s: no variant's name begins with \"%s\"\n", row->file, row->variants[i]);
            cases->lost++;
        }
    }
}

static void add_row(repeat_cases *cases, const repeat_row *row, const rft_gpu_info *gpu, const char *path) {
    rft_err err = RFT_ERR_INIT;
    rft_script *script = NULL;
    size_t arg_count = 0;
    while (arg_count < ARGS_MOST && row->args[arg_count]) {
        arg_count++;
    }
    const rft_script_opts opts = {.gpu = gpu, .args = row->args, .arg_count = arg_count};
    if (rft_script_load(&script, path, &opts, &err) != RFT_OK) {
        fail_msg("%s: %s", err.place, err.message);
    }
    cases->scripts[cases->script_count++] = script;
    check_words(cases, row, script);
    for (size_t s = 0; s < rft_script_sweep_count(script); s++) {
        const rft_sweep *sweep = rft_script_sweep(script, s);
        for (size_t v = 0; v < sweep->variant_count; v++) {
            const rft_variant *variant = &sweep->variants[v];
            bool left = cases->every && !rft_variant_is_library(variant) && is_left_to(row, variant->name);
            if ((is_asked(row, sweep) && is_named(row, variant->name)) || left) {
                add_variant(cases, row, sweep, v, left);
            }
        }
    }
}

void repeat_cases_make(repeat_cases *out, const rft_gpu_info *gpu, const char *(*file)(const char *name), bool every) {
    *out = (repeat_cases){.arena = rft_arena_new(), .every = every};
    out->scripts = calloc(ROW_COUNT, sizeof *out->scripts);
    assert_non_null(out->scripts);
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (every || !rows[i].every) {
            add_row(out, &rows[i], gpu, file(rft_arena_printf(out->arena, "sweeps/%s.lua", rows[i].file)));
        }
    }
    assert_int_equal(out->lost, 0);
}

void repeat_cases_free(repeat_cases *cases) {
    for (size_t i = 0; i < cases->script_count; i++) {
        rft_script_free(cases->scripts[i]);
    }
    free(cases->scripts);
    free(cases->items);
    rft_arena_free(cases->arena);
}
