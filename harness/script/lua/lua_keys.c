/* SPDX-License-Identifier: Apache-2.0 */
#include "script/lua/lua_keys.h"

#include "model/sweep/settings.h"
#include "model/sweep/work.h"

#include <string.h>

#define PIPE_KEY(name, text, ...) text,
#define ATOMIC_KEY(name, text, ...) &(text)[sizeof RFT_ATOMICS_PREFIX - 1],
#define SETTING_KEY(key, ...) key,
#define COUNT_OF(list) (sizeof(list) / sizeof((list)[0]))

static const char *const sweep_keys[] = {"name", "kernel", "variants", "over",       "problems", "with",    "along",
                                         "tune", "where",  "baseline", "diagnostic", "note",     "measure", "search"};
static const char *const variant_keys[] = {"kernel", "tune", "where", "prior"};
static const char *const kernel_keys[] = {"name",   "source",  "entry",   "problem",   "compiled",
                                          "params", "options", "buffers", "constants", "prepare",
                                          "launch", "work",    "traffic", "prior",     "check"};
static const char *const check_keys[] = {"reference", "options", "tol", "length", "odd"};
static const char *const reference_keys[] = {"grid", "block", "shared", "launch", "buffers", "set"};
static const char *const check_buffer_keys[] = {"tol"};
static const char *const measure_keys[] = {RFT_MEASURE_SETTINGS(SETTING_KEY)};
static const char *const search_keys[] = {RFT_SEARCH_SETTINGS(SETTING_KEY)};
static const char *const launch_keys[] = {"entry",       "args", "grid",   "block", "shared", "cluster",
                                          "cooperative", "pdl",  "window", "work",  "traffic"};
static const char *const window_keys[] = {"buffer", "offset", "bytes", "hit_ratio"};
static const char *const tensor_map_keys[] = {"box", "strides", "swizzle", "l2_promotion", "tf32", "im2col"};
static const char *const im2col_keys[] = {"lower", "upper"};
static const char *const work_keys[] = {"bytes", "read",    "write",
                                        "items", "atomics", RFT_PLAIN_PIPE_MAP(PIPE_KEY) RFT_TENSOR_PIPE_MAP(PIPE_KEY)};
static const char *const traffic_keys[] = {
    "dram",  "dram_read", "dram_write",
    "l2",    "l1",        "shared",
    "issue", "atomics",   RFT_PLAIN_PIPE_MAP(PIPE_KEY) RFT_TENSOR_PIPE_MAP(PIPE_KEY)};
static const char *const atomic_keys[] = {RFT_ATOMIC_PIPE_MAP(ATOMIC_KEY)};
static const char *const integers_keys[] = {"below", "order"};
static const char *const struct_keys[] = {"align"};
static const char *const from_keys[] = {"args", "grid", "block", "options"};
static const char *const vendor_matmul_keys[] = {
    "name",        "math",  "a",   "b",      "c",     "m",       "n",       "k",        "transpose_a", "transpose_b",
    "transpose_c", "exact", "tol", "output", "scale", "a_scale", "b_scale", "epilogue", "bias",        "residual"};
static const char *const mix_keys[] = {"name",   "unit",   "per",   "cards",  "memory",
                                       "sweeps", "prices", "names", "remarks"};
static const char *const mix_memory_keys[] = {"weights", "cache"};
static const char *const mix_host_keys[] = {"price", "watts"};
static const char *const mix_item_keys[] = {"count"};
static const char *const prices_keys[] = {"currency", "date", "kwh", "years", "utilisation", "pue", "host", "devices"};
static const char *const gpu_keys[] = {"name",
                                       "arch",
                                       "cc",
                                       "sms",
                                       "warp_size",
                                       "max_threads_per_block",
                                       "max_threads_per_sm",
                                       "max_blocks_per_sm",
                                       "registers_per_block",
                                       "registers_per_sm",
                                       "shared_per_block",
                                       "shared_per_block_static",
                                       "shared_per_sm",
                                       "l2_bytes",
                                       "persisting_l2_max_bytes",
                                       "memory_bytes",
                                       "memory_free",
                                       "max_cluster",
                                       "cooperative",
                                       "sm_clock_khz",
                                       "memory_clock_khz",
                                       "memory_bus_bits"};
static const char *const handle_keys[] = {"offset", "as"};

static const rft_key_set sets[RFT_KEYS_COUNT] = {
    [RFT_KEYS_SWEEP] = {"rooftune.sweep", sweep_keys, COUNT_OF(sweep_keys)},
    [RFT_KEYS_VARIANT] = {"rooftune.variant", variant_keys, COUNT_OF(variant_keys)},
    [RFT_KEYS_KERNEL] = {"rooftune.kernel", kernel_keys, COUNT_OF(kernel_keys)},
    [RFT_KEYS_CHECK] = {"rooftune.check", check_keys, COUNT_OF(check_keys)},
    [RFT_KEYS_REFERENCE] = {"rooftune.reference", reference_keys, COUNT_OF(reference_keys)},
    [RFT_KEYS_CHECK_BUFFER] = {"rooftune.check_buffer", check_buffer_keys, COUNT_OF(check_buffer_keys)},
    [RFT_KEYS_MEASURE] = {"rooftune.measure", measure_keys, COUNT_OF(measure_keys)},
    [RFT_KEYS_SEARCH] = {"rooftune.search", search_keys, COUNT_OF(search_keys)},
    [RFT_KEYS_LAUNCH] = {"rooftune.launch", launch_keys, COUNT_OF(launch_keys)},
    [RFT_KEYS_WINDOW] = {"rooftune.window", window_keys, COUNT_OF(window_keys)},
    [RFT_KEYS_TENSOR_MAP] = {"rooftune.tensor_map_options", tensor_map_keys, COUNT_OF(tensor_map_keys)},
    [RFT_KEYS_IM2COL] = {"rooftune.im2col", im2col_keys, COUNT_OF(im2col_keys)},
    [RFT_KEYS_WORK] = {"rooftune.work", work_keys, COUNT_OF(work_keys)},
    [RFT_KEYS_TRAFFIC] = {"rooftune.traffic", traffic_keys, COUNT_OF(traffic_keys)},
    [RFT_KEYS_ATOMICS] = {"rooftune.atomics", atomic_keys, COUNT_OF(atomic_keys)},
    [RFT_KEYS_INTEGERS] = {"rooftune.integers_options", integers_keys, COUNT_OF(integers_keys)},
    [RFT_KEYS_STRUCT] = {"rooftune.struct", struct_keys, COUNT_OF(struct_keys)},
    [RFT_KEYS_FROM] = {"rooftune.from_options", from_keys, COUNT_OF(from_keys)},
    [RFT_KEYS_VENDOR_MATMUL] = {"rooftune.vendor_matmul", vendor_matmul_keys, COUNT_OF(vendor_matmul_keys)},
    [RFT_KEYS_MIX] = {"rooftune.mix", mix_keys, COUNT_OF(mix_keys)},
    [RFT_KEYS_MIX_ITEM] = {"rooftune.mix_item", mix_item_keys, COUNT_OF(mix_item_keys)},
    [RFT_KEYS_MIX_MEMORY] = {"rooftune.mix_memory", mix_memory_keys, COUNT_OF(mix_memory_keys)},
    [RFT_KEYS_MIX_HOST] = {"rooftune.mix_host", mix_host_keys, COUNT_OF(mix_host_keys)},
    [RFT_KEYS_PRICES] = {"rooftune.prices", prices_keys, COUNT_OF(prices_keys)},
    [RFT_KEYS_GPU] = {"rooftune.gpu", gpu_keys, COUNT_OF(gpu_keys)},
    [RFT_KEYS_HANDLE] = {"rooftune.handle", handle_keys, COUNT_OF(handle_keys)},
};

const rft_key_set *rft_keys(rft_key_table table) {
    return &sets[table];
}

static const char *const lua_words[] = {"and",      "break",  "do",   "else", "elseif", "end",  "false", "for",
                                        "function", "goto",   "if",   "in",   "local",  "nil",  "not",   "or",
                                        "repeat",   "return", "then", "true", "until",  "while"};

/* ISO C++20 [lex.key], alternative tokens, and what CUDA headers define as macros or built-in names. */
static const char *const reserved_words[] = {
    "alignas",  "alignof",      "asm",       "auto",      "bitand",       "bitor",         "bool",
    "case",     "catch",        "char",      "char8_t",   "char16_t",     "char32_t",      "class",
    "compl",    "concept",      "const",     "consteval", "constexpr",    "constinit",     "const_cast",
    "continue", "co_await",     "co_return", "co_yield",  "decltype",     "default",       "delete",
    "double",   "dynamic_cast", "enum",      "explicit",  "export",       "extern",        "float",
    "friend",   "inline",       "int",       "long",      "mutable",      "namespace",     "new",
    "noexcept", "operator",     "private",   "protected", "public",       "register",      "reinterpret_cast",
    "requires", "short",        "signed",    "sizeof",    "static",       "static_assert", "static_cast",
    "struct",   "switch",       "template",  "this",      "thread_local", "throw",         "try",
    "typedef",  "typeid",       "typename",  "union",     "unsigned",     "using",         "virtual",
    "void",     "volatile",     "wchar_t",   "xor",       "not_eq",       "or_eq",         "and_eq",
    "xor_eq",   "threadIdx",    "blockIdx",  "blockDim",  "gridDim",      "warpSize",      "NULL",
    "min",      "max",          "half",      "half2",     "main",         "std",           "gpu",
    "NDEBUG",   "INFINITY",     "NAN",       "assert",    "defined"};

static int is_in(const char *word, const char *const *words, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (strcmp(word, words[i]) == 0) {
            return 1;
        }
    }
    return 0;
}

int rft_keys_is_lua_word(const char *word) {
    return is_in(word, lua_words, COUNT_OF(lua_words));
}

int rft_keys_is_reserved(const char *word) {
    return is_in(word, reserved_words, COUNT_OF(reserved_words)) || rft_keys_is_lua_word(word);
}
