/* SPDX-License-Identifier: Apache-2.0 */
#include "script/lua/lua_ways.h"

#include <ctype.h>
#include <string.h>

#define COUNT_OF(list) (sizeof(list) / sizeof((list)[0]))

typedef struct way {
    const char *written, *instead;
} way;

/* In code that the parser refused. A word is found as a whole word, a sign anywhere; the first row wins. */
static const way code_ways[] = {
    {"lambda", "a function is written function(VEC, BLOCK) return VEC * BLOCK <= 1024 end, named as what it needs"},
    {" in (", "write VEC == 1 or VEC == 2"},
    {" in [", "write VEC == 1 or VEC == 2"},
    {"? ", "write A and B or C for A ? B : C"},
    {"&&", "write and: VEC > 1 and BLOCK > 64"},
    {"||", "write or: VEC > 1 or BLOCK > 64"},
    {"!=", "write ~=: VEC ~= 3"},
    {"!", "write not: not PIPELINED"},
    {"/*", "a comment begins with -- and ends with the line, or stands in --[[ ... ]]"},
    {"([", "a list is written in braces, { 1, 2, 4 }; values take none: values(1, 2, 4)"},
    {"= [", "a list is written in braces, { 1, 2, 4 }; values to try: values(1, 2, 4)"},
    {": ", "a table's key is followed by =, not by a colon: entry = \"saxpy\""},
    {"=>", "a table's key is followed by =: entry = \"saxpy\""},
    {"**", "the power is written ^: 2^20"},
    {"++", "write n = n + 1"},
    {"+=", "write n = n + 1"},
    {"-=", "write n = n - 1"},
    {"*=", "write n = n * 2"},
    {"elif", "write elseif"},
    {"def", "write local function NAME(...) ... end"},
    {"import", "write local k = require \"kernels.NAME\""},
    {"const", "write local NAME = ..."},
    {"let", "write local NAME = ..."},
    {"var", "write local NAME = ..."},
    {"int", "write local NAME = ...: a variable has no type"},
    {"auto", "write local NAME = ..."},
};

#define NO_ASCII                                                                                                       \
    "a sign that is not of ASCII, as text out of a web page or a PDF has them: write \" for quotes, - for a dash, a "  \
    "plain blank"

/* In a message of Lua's; the first row wins. */
static const way message_ways[] = {
    {"near '<\\226>'", NO_ASCII},
    {"near '<\\194>'", NO_ASCII},
    {"near '//'", "a comment begins with --; // divides and rounds down"},
    {"near '#'", "a comment begins with --; # is the length of a list"},
    {"near 'in'", "in is a word of Lua, as end, and, not, or, repeat and until are: call it in_"},
    {"near '['", "a list is written in braces: { 1, 2, 4 }"},
    {"'}' expected", "is a comma missing before it, perhaps at the end of the line above?"},
    {"')' expected near ','", "is a ) missing before it? A list is written in braces: block = { c.BLOCK, 1, 1 }"},
    {"')' expected", "is a comma or a ) missing before it?"},
    {"'end' expected", "each function, if, for and while ends with end"},
    {"'then' expected", "an if is written if A == B then ... end"},
    {"unfinished string", "a text ends with the quote it began with, in the same line"},
    {"unfinished long", "what begins with [[ ends with ]]"},
    {"'=' expected", "a statement is local NAME = ..., a call, or return ..."},
    {"<eof> expected", "return sweep { ... } is the last statement of the file"},
    {"(local 'c')",
     "buffers, prepare, launch and traffic are called with c; work is called with p alone, as length and references "
     "are, since what is to be done does not depend on the configuration: what does belongs in traffic = function(p, "
     "c, "
     "gpu)"},
    {"(local 'gpu')", "launch and prepare are called with (p, c, gpu, b), buffers and traffic with (p, c, gpu), work "
                      "with (p)"},
    {"(local 'b')", "launch and prepare are called with (p, c, gpu, b), in this order; nothing else gets buffers"},
    {"malformed number", "numbers are written 1024, 2^20 or 1e6; from 1 to 4: range(1, 4, 1), or values(1, 2, 3, 4)"},
    {"number has no integer representation", "use // or ceil_div() where / leaves a fraction"},
    {"compare boolean with number", "a chain of comparisons is written in two: 1 <= VEC and VEC <= 4"},
    {"arithmetic on a boolean", "a value that is true or false is no number: (c.FAST and 2 or 1)"},
    {"a buffer value", "b.x:offset(bytes) is the buffer from there on"},
};

#define NO_FILES                                                                                                       \
    "a sweep reads no files, so that it says the same everywhere: pass values after --, as in rooftune run FILE -- "   \
    "4096, and read arg[1]; require \"NAME\" runs another script, input(f32, n, file \"x.npy\") takes data"
#define NO_SYSTEM                                                                                                      \
    "a sweep sees neither the environment nor the time, so that it says the same everywhere: pass values after --, "   \
    "as in rooftune run FILE -- 4096, and read arg[1]"
#define NO_RANDOM                                                                                                      \
    "a sweep says the same whenever it is asked: strategy = \"random\" picks configurations, input(f32, n, "           \
    "uniform(0, "                                                                                                      \
    "1)) fills buffers"
#define NO_LOADING "a script's code is its files: require \"NAME\" runs another one"
#define NO_META "a sweep has plain tables, for which the limits on time and memory hold"

#define NO_TEXTURES                                                                                                    \
    "textures and surfaces are not supported: give the kernel a buffer, and have it read const T *__restrict__"

static const way name_ways[] = {
    {"texture", NO_TEXTURES},
    {"texture_object", NO_TEXTURES},
    {"tex", NO_TEXTURES},
    {"surface", NO_TEXTURES},
    {"cudaTextureObject_t", NO_TEXTURES},
    {"io", NO_FILES},
    {"open", NO_FILES},
    {"os", NO_SYSTEM},
    {"debug", "print(...) shows values while the script runs"},
    {"package", NO_LOADING},
    {"dofile", NO_LOADING},
    {"load", NO_LOADING},
    {"loadfile", NO_LOADING},
    {"loadstring", NO_LOADING},
    {"string.dump", NO_LOADING},
    {"setmetatable", NO_META},
    {"getmetatable", NO_META},
    {"rawget", NO_META},
    {"rawset", NO_META},
    {"coroutine", "a sweep describes work and has no threads: use a loop"},
    {"xpcall", "use pcall(f)"},
    {"next", "its order changes from run to run: pairs(t) is sorted"},
    {"random", NO_RANDOM},
    {"math.random", NO_RANDOM},
    {"math.randomseed", NO_RANDOM},
    {"math.pow", "write x^y"},
    {"math.log2", "write math.log(x, 2)"},
    {"math.log10", "write math.log(x, 10)"},
    {"math.round", "write math.floor(x + 0.5)"},
    {"table.getn", "write #t"},
    {"unpack", "write table.unpack(t)"},
    {"len", "write #t"},
    {"None", "write nil"},
    {"null", "write nil"},
    {"NULL", "write nil"},
    {"nullptr", "write nil"},
    {"True", "write true"},
    {"False", "write false"},
    {"int", "write i32(x) for an argument, math.floor(x) for a number"},
    {"float",
     "write f32(x) for an argument; in buffers f32: input(f32, p.n); as a value of a parameter ctype \"float\""},
    {"double",
     "write f64(x) for an argument; in buffers f64: input(f64, p.n); as a value of a parameter ctype \"double\""},
    {"half", "write f16(x) for an argument; in buffers f16: input(f16, p.n); as a value of a parameter ctype \"half\""},
    {"cdiv", "write ceil_div(a, b)"},
    {"min", "write math.min(a, b)"},
    {"max", "write math.max(a, b)"},
    {"floor", "write math.floor(x)"},
    {"ceil", "write ceil_div(a, b), or math.ceil(x)"},
    {"log2", "write math.log(x, 2)"},
    {"sqrt", "write math.sqrt(x)"},
    {"p", "buffers, prepare, launch, work and traffic are called with p first: function(p) ... end; so is what `with` "
          "computes: with = { k = function(p) return p.n end }"},
    {"zeros", "output(f32, p.n) is what a kernel writes; input(f32, p.n, uniform(0, 0)) is 0 everywhere"},
    {"ones", "input(f32, p.n, uniform(1, 1)) is 1 everywhere"},
    {"normal", "fills are uniform(a, b), integers { below = n }, from \"FILE.cu:NAME\" or file \"FILE.npy\""},
    {"randn", "fills are uniform(a, b), integers { below = n }, from \"FILE.cu:NAME\" or file \"FILE.npy\""},
    {"bool", "write u8(1) or u8(0): C++'s bool has one byte"},
    {"c", "buffers, prepare, launch and traffic are called with c behind p: function(p, c) ... end; work with p alone"},
    {"b", "launch and prepare are called with (p, c, gpu, b), in this order: function(p, c, gpu, b) ... end"},
};

static const way key_ways[] = {
    {"tolerance", "tol"},
    {"rtol", "tol"},
    {"atol", "tol"},
    {"eps", "tol"},
    {"epsilon", "tol"},
    {"ref", "reference"},
    {"golden", "reference"},
    {"truth", "reference"},
    {"file", "source"},
    {"kernel_file", "source"},
    {"code", "source"},
    {"function", "entry"},
    {"kernel_name", "entry"},
    {"parameters", "params"},
    {"tune_params", "tune"},
    {"flags", "options"},
    {"defines", "params"},
    {"arguments", "args"},
    {"threads", "block"},
    {"block_size", "block"},
    {"blocks", "grid"},
    {"grid_size", "grid"},
    {"smem", "shared"},
    {"shmem", "shared"},
    {"shared_memory", "shared"},
    {"constraints", "where"},
    {"restrictions", "where"},
    {"sizes", "over"},
    {"flops", "fp32"},
    {"flop", "fp32"},
    {"reads", "read"},
    {"writes", "write"},
    {"benchmark", "measure"},
    {"strategies", "strategy"},
    {"max_fevals", "budget"},
    {"time_limit", "budget"},
    {"iterations", "min_samples"},
    {"repeats", "min_samples"},
    {"num_runs", "min_samples"},
    {"tensor", "tensor_fp16"},
    {"inputs", "buffers"},
    {"textures", "buffers"},
    {"cmem_args", "constants"},
    {"constant_memory", "constants"},
    {"symbols", "constants"},
};

#define PRIOR_WAY "prior = function(p, c, gpu, t) return t.floor * (1 + 1 / c.STAGES) end, the lower the better"

/* By path, without the positions in lists. */
static const way examples[] = {
    {"kernel.name", "name = \"saxpy\""},
    {"kernel.source", "source = \"saxpy.cu\""},
    {"kernel.entry", "entry = \"saxpy<VEC>\""},
    {"kernel.problem", "problem = { \"n\" }"},
    {"kernel.params", "params = { { \"VEC\", 1, \"floats a load\" }, { \"BLOCK\", 256 } }"},
    {"kernel.compiled", "compiled = { \"n\" }, of the names in problem"},
    {"kernel.constants", "constants = { d_filter = input(f32, 225), alpha = f32(2.0) }"},
    {"constants", "constants = function(p) return { d_filter = input(f32, 225), alpha = f32(2.0) } end"},
    {"kernel.options", "options = { \"--use_fast_math\" }"},
    {"kernel.buffers", "buffers = function(p) return { x = input(f32, p.n), y = output(f32, p.n) } end"},
    {"kernel.launch", "launch = function(p, c, gpu, b) return { args = { b.x, b.y }, grid = ..., block = ... } end"},
    {"kernel.prepare", "prepare = function(p, c, gpu, b) return { args = { b.t }, grid = ..., block = ... } end"},
    {"kernel.work", "work = function(p) return { fp32 = 2 * p.n, bytes = 12 * p.n } end"},
    {"kernel.traffic", "traffic = function(p, c, gpu) return { dram = 12 * p.n } end"},
    {"kernel.prior", PRIOR_WAY},
    {"prior", PRIOR_WAY},
    {"kernel.check.reference", "reference = \"saxpy.cu:saxpy_reference\""},
    {"kernel.check.reference.launch", "launch = function(p, c, gpu, b) return { { entry = \"scores\", args = { b.q, "
                                      "b.s }, grid = ..., block = ... }, ... } end"},
    {"kernel.check.reference.buffers", "buffers = function(p) return { s = temp(f64, p.n * p.n) } end"},
    {"kernel.check.reference.set", "set = { BLOCK = 256 }"},
    {"check.reference.grid", "grid = 256, { x, y, z }, or function(p) return ceil_div(p.n, 256) end"},
    {"check.reference.block", "block = 256, { x, y, z }, or function(p) return ... end"},
    {"check.reference.shared", "shared = 4096, in bytes, or function(p) return ... end"},
    {"kernel.check.tol", "tol = 1e-5"},
    {"kernel.check.length", "length = function(p) return p.k end, the terms of a sum"},
    {"kernel.check.odd", "odd = { n = 1021 }, a list of such, or odd = false"},
    {"kernel.check.options", "options = { \"-DREFERENCE\" }"},
    {"kernel.check", "check = { reference = \"saxpy.cu:saxpy_reference\" }"},
    {"sweep.name", "name = \"saxpy\""},
    {"sweep.kernel", "kernel = kernel { source = \"saxpy.cu\", ... }"},
    {"sweep.variants", "variants = { { \"naive\", kernel = k1 }, { \"tiled\", kernel = k2 } }"},
    {"sweep.over", "over = { n = values(2^20, 2^24) }"},
    {"sweep.problems", "problems = { { n = 1024 }, { n = 4096 } }"},
    {"sweep.with", "with = { k = 1024 }"},
    {"sweep.along", "along = { \"n\" }"},
    {"sweep.tune", "tune = { VEC = values(1, 2, 4), BLOCK = 256 }"},
    {"sweep.where", "where = { \"VEC * BLOCK <= 1024\" }"},
    {"sweep.baseline", "baseline = { \"cublaslt\" }"},
    {"sweep.measure.noise", "noise = 0.005, half a per cent"},
    {"sweep.measure", "measure = { cache = \"cold\", timeout = \"2s\" }"},
    {"sweep.search.goal", "goal = 0.95, a share of the roof"},
    {"sweep.search.objective", "objective = \"energy\""},
    {"sweep.search", "search = { strategy = \"auto\", budget = 500 }"},
    {"buffers", "buffers = function(p) return { x = input(f32, p.n), y = output(f32, p.n) } end"},
    {"launch.grid", "grid = ceil_div(p.n, c.BLOCK), or { x, y, z }; ceil_div() rounds up, // down, which leaves 0"},
    {"launch.block", "block = c.BLOCK, or { x, y, z }"},
    {"launch.args", "args = { b.x, b.y, f32(2.0), i64(p.n) }"},
    {"launch.cooperative", "cooperative = true"},
    {"launch.pdl", "pdl = true"},
    {"launch.shared", "shared = 4 * c.BLOCK, in bytes"},
    {"launch", "launch = function(p, c, gpu, b) return { args = { b.x }, grid = ..., block = ... } end"},
    {"prepare", "prepare = function(p, c, gpu, b) return { args = { b.t }, grid = ..., block = ... } end"},
    {"work", "work = function(p) return { fp32 = 2 * p.n, bytes = 12 * p.n } end"},
    {"traffic", "traffic = function(p, c, gpu) return { dram = 12 * p.n } end"},
    {"options", "options = function(c, gpu) return { \"-DFAST=1\" } end"},
    {"values", "values(1, 2, 4)"},
    {"range", "range(64, 512, 64): from, to, step"},
    {"pow2_values", "pow2_values(1, 4096): the smallest and the largest value"},
    {"refine", "refine(values(1024, 4096), 3)"},
    {"problems", "problems { { n = 1024 }, { n = 4096 } }"},
    {"ctype", "ctype \"unsigned int\""},
    {"uniform", "uniform(-1, 1)"},
    {"input.fill", "input(f32, p.n, uniform(0, 1)); uniform(0.5, 0.5) is 0.5 everywhere"},
    {"inout.fill", "inout(f32, p.n, uniform(0, 1)); uniform(0.5, 0.5) is 0.5 everywhere"},
    {"integers", "integers { below = 256, order = \"random\" }"},
    {"input", "input(f32, p.n): a type without quotes, how many"},
    {"output", "output(f32, p.n): a type without quotes, how many"},
    {"inout", "inout(f32, p.n): a type without quotes, how many"},
    {"temp", "temp(f32, p.n): a type without quotes, how many"},
    {"memset", "memset(b.y, 0)"},
    {"tensor_map", "tensor_map(b.a, { p.k, p.m }, { box = { 64, 128 }, swizzle = 128 }): fastest dimension first"},
    {"struct", "struct { i32(p.n), f32(0.5), b.x }: the fields in their order"},
    {"ceil_div", "ceil_div(p.n, c.BLOCK)"},
};

static int is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* Past the text or comment that begins at `at`; `at` when none does. */
static const char *skip_quoted(const char *at) {
    if (at[0] == '-' && at[1] == '-') {
        return at + strcspn(at, "\n");
    }
    if (*at != '"' && *at != '\'') {
        return at;
    }
    char quote = *at++;
    while (*at && *at != quote && *at != '\n') {
        at += *at == '\\' && at[1] ? 2 : 1;
    }
    return *at == quote ? at + 1 : at;
}

static int stands_at(const char *line, const char *at, const char *written) {
    size_t length = strlen(written);
    if (strncmp(at, written, length) != 0) {
        return 0;
    }
    return !is_word(*written) || ((at == line || !is_word(at[-1])) && !is_word(at[length]));
}

static int stands_in(const char *line, const char *written) {
    for (const char *at = line; *at && *at != '\n';) {
        const char *past = skip_quoted(at);
        if (past == at && stands_at(line, at, written)) {
            return 1;
        }
        at = past == at ? at + 1 : past;
    }
    return 0;
}

const char *rft_ways_of_message(const char *message, const char *line) {
    int is_syntax = strstr(message, " near ") != NULL;
    for (size_t i = 0; line && is_syntax && i < COUNT_OF(code_ways); i++) {
        if (stands_in(line, code_ways[i].written)) {
            return code_ways[i].instead;
        }
    }
    for (size_t i = 0; i < COUNT_OF(message_ways); i++) {
        if (strstr(message, message_ways[i].written)) {
            return message_ways[i].instead;
        }
    }
    return NULL;
}

static const char *find(const way *ways, size_t count, const char *written, size_t length) {
    for (size_t i = 0; i < count; i++) {
        if (strlen(ways[i].written) == length && strncmp(ways[i].written, written, length) == 0) {
            return ways[i].instead;
        }
    }
    return NULL;
}

const char *rft_ways_of_name(const char *name) {
    return find(name_ways, COUNT_OF(name_ways), name, strlen(name));
}

const char *rft_ways_of_key(const char *word, const char *const *candidates, size_t count) {
    const char *meant = find(key_ways, COUNT_OF(key_ways), word, strlen(word));
    for (size_t i = 0; meant && i < count; i++) {
        if (strcmp(candidates[i], meant) == 0) {
            return meant;
        }
    }
    return NULL;
}

const char *rft_ways_example(const char *path) {
    char plain[240];
    size_t length = 0;
    for (const char *at = path; *at && length < sizeof(plain); at++) {
        if (*at == '[') {
            at += strcspn(at, "]");
            at -= *at == '\0';
        } else {
            plain[length++] = *at;
        }
    }
    while (length > 0) {
        const char *found = find(examples, COUNT_OF(examples), plain, length);
        if (found) {
            return found;
        }
        while (length > 0 && plain[--length] != '.') {
        }
    }
    return NULL;
}
