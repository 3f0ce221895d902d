/* SPDX-License-Identifier: Apache-2.0 */
/* new_sweep_write.c - the sweep as Lua, its reference as CUDA. */
#include "cli/new_sweep_parts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct element_type {
    const char *name, *written; /* in CUDA */
    int bytes;
    const char *header; /* NULL: none */
} element_type;

static const element_type *find_type(const char *name) {
    static const element_type types[] = {{"f32", "float", 4, NULL},
                                         {"f64", "double", 8, NULL},
                                         {"f16", "__half", 2, "cuda_fp16.h"},
                                         {"bf16", "__nv_bfloat16", 2, "cuda_bf16.h"},
                                         {"e4m3", "__nv_fp8_e4m3", 1, "cuda_fp8.h"},
                                         {"e5m2", "__nv_fp8_e5m2", 1, "cuda_fp8.h"},
                                         {"i8", "signed char", 1, NULL},
                                         {"u8", "unsigned char", 1, NULL},
                                         {"i16", "short", 2, NULL},
                                         {"u16", "unsigned short", 2, NULL},
                                         {"i32", "int", 4, NULL},
                                         {"u32", "unsigned int", 4, NULL},
                                         {"i64", "long long", 8, NULL},
                                         {"u64", "unsigned long long", 8, NULL}};
    size_t i = 0;
    while (strcmp(types[i].name, name) != 0) {
        i++;
    }
    return &types[i];
}

int rft_new_type_bytes(const char *type) {
    return find_type(type)->bytes;
}

static bool is_float(const rft_cuda_param *param) {
    return !strchr("iu", param->type[0]);
}

/* "4 * p.h * p.w": all dimensions, each after `before`. */
static void add_count(rft_str *out, const rft_new_plan *plan, int factor, const char *before) {
    if (factor != 1) {
        rft_str_addf(out, "%d * ", factor);
    }
    for (size_t i = 0; i < plan->dimension_count + plan->square; i++) {
        rft_str_addf(out, "%s%s%s", i ? " * " : "", before, plan->dimensions[plan->square ? 0 : i].name);
    }
}

/* Elements of a buffer: of a product's matrices two dimensions. */
static void add_count_of(rft_str *out, const rft_new_plan *plan, size_t param, const char *before) {
    static const size_t sides[3][2] = {{0, 2}, {2, 1}, {0, 1}}; /* of A, B, C: m, n, k */
    const rft_cuda_param *one = &plan->kernel->params[param];
    if (!plan->is_product && plan->counts[param] == 0) {
        add_count(out, plan, one->lanes, before);
        return;
    }
    if (one->lanes != 1) {
        rft_str_addf(out, "%d * ", one->lanes);
    }
    if (!plan->is_product) {
        rft_str_addf(out, "%s%s", before, plan->dimensions[plan->counts[param] - 1].name);
        return;
    }
    char letter = rft_new_matrix(one->name);
    const size_t *of = sides[letter ? letter - 'a' : 2];
    rft_str_addf(out, "%s%s * %s%s", before, plan->dimensions[plan->product[of[0]]].name, before,
                 plan->dimensions[plan->product[of[1]]].name);
}

/* ---- Lua ---- */

static void write_params(rft_str *out, const rft_new_plan *plan) {
    rft_str_add(out, "    params  = {\n");
    for (size_t i = 0; i < plan->tuned_count; i++) {
        const rft_new_tuned *one = &plan->tuned[i];
        rft_str_addf(out, "      { \"%s\", %s, \"%s\" },\n", one->name, one->preset, one->help);
    }
    rft_str_add(out, "    },\n");
}

static void write_buffers(rft_str *out, const rft_new_plan *plan) {
    const rft_cuda_entry *entry = plan->kernel;
    rft_str_addf(out, "    buffers = function(p)\n      -- TODO: %s\n      return {\n",
                 plan->is_product ? "sizes of a product of matrices, by their names"
                                  : "each has as many elements as the problem; say what it has");
    for (size_t i = 0; i < entry->param_count; i++) {
        const rft_cuda_param *param = &entry->params[i];
        if (param->pointer) {
            rft_str_addf(out, "        %s = %s(%s, ", plan->names[i],
                         !param->written_to ? "input"
                         : param->read      ? "inout"
                                            : "output",
                         param->type);
            add_count_of(out, plan, i, "p.");
            rft_str_add(out, "),");
            if (param->guessed) { /* its words are names and signs, none ends a comment */
                rft_str_addf(out, " -- TODO: %s is not known here: a guess", param->written);
            }
            rft_str_add(out, "\n");
        }
    }
    rft_str_add(out, "      }\n    end,\n");
}

/* Of __constant__ variables that the kernel names and the source leaves empty: as many elements as it says in numbers.
 */
static void write_constants(rft_str *out, const rft_new_plan *plan) {
    const rft_cuda_file *file = plan->request->file;
    size_t written = 0;
    for (size_t i = 0; i < file->variable_count && i < 64; i++) {
        const rft_cuda_variable *variable = &file->variables[i];
        if (!((plan->kernel->variables >> i) & 1) || !variable->type || variable->initialised) {
            continue;
        }
        rft_str_add(out, written++ ? "" : "    constants = { -- TODO: their contents\n");
        size_t elements = variable->elements ? variable->elements : 1;
        rft_str_addf(out, "      [\"%s%s\"] = input(%s, %zu),", variable->space, variable->name, variable->type,
                     elements * (size_t)variable->lanes);
        rft_str_addf(out, variable->elements ? "\n" : " -- TODO: %.80s elements\n", variable->count);
    }
    rft_str_add(out, written ? "    },\n" : "");
}

static bool is_dimension(const rft_new_plan *plan, const char *name) {
    bool found = false;
    for (size_t i = 0; i < plan->dimension_count && !plan->free_dimension; i++) {
        found = found || strcmp(plan->dimensions[i].name, name) == 0;
    }
    return found;
}

/* One argument, or a field; float4 by value is a struct of four. */
static void add_argument(rft_str *out, const rft_new_plan *plan, size_t i) {
    const rft_cuda_param *param = &plan->kernel->params[i];
    bool size = is_dimension(plan, plan->names[i]);
    if (param->pointer) {
        rft_str_addf(out, "b.%s", plan->names[i]);
        return;
    }
    rft_str_add(out, param->lanes > 1 ? "struct { " : "");
    for (int lane = 0; lane < param->lanes; lane++) {
        rft_str_addf(out, "%s%s(%s%s)", lane ? ", " : "", param->type,
                     size             ? "p."
                     : param->is_enum ? "0"
                                      : "1",
                     size ? plan->names[i] : "");
    }
    size_t bytes = (size_t)param->lanes * (size_t)find_type(param->type)->bytes;
    if (param->lanes == 2 || param->lanes == 4) {
        rft_str_addf(out, ", align = %zu", bytes < 16 ? bytes : 16);
    }
    rft_str_add(out, param->lanes > 1 ? " }" : "");
}

/* The fields of a struct, the first of which is parameter *next. */
static void add_struct(rft_str *out, const rft_new_plan *plan, const rft_cuda_param *param, size_t *next) {
    rft_str_add(out, "struct { ");
    for (size_t i = 0; i < param->field_count; i++) {
        const rft_cuda_param *field = &param->fields[i];
        for (size_t e = 0; e < field->elements && *next < plan->kernel->param_count; e++) {
            rft_str_add(out, i + e ? ", " : "");
            if (field->fields && !field->pointer) {
                add_struct(out, plan, field, next);
            } else {
                add_argument(out, plan, (*next)++);
            }
        }
    }
    if (param->align) {
        rft_str_addf(out, ", align = %zu", param->align);
    }
    rft_str_add(out, " }");
}

static void write_launch(rft_str *out, const rft_new_plan *plan) {
    const rft_cuda_entry *entry = plan->kernel;
    rft_str_add(out, "    launch  = function(p, c, gpu, b)\n      return {\n        args  = { ");
    for (size_t i = 0; i < entry->param_count;) {
        rft_str_add(out, i ? ", " : "");
        if (plan->structs[i]) {
            add_struct(out, plan, plan->structs[i], &i);
        } else {
            add_argument(out, plan, i++);
        }
    }
    rft_str_add(out, " }, -- TODO: numbers that are no size are 1\n");
    if (entry->cooperative) {
        rft_str_add(out, "        cooperative = true,\n        grid  = resident(),\n");
    } else {
        rft_str_addf(out, "        grid  = %s, -- TODO: what one block covers\n", plan->grid);
    }
    rft_str_addf(out, "        block = %s,\n", plan->block);
    if (entry->dynamic_shared) {
        rft_str_add(out, "        shared = 16 * KiB, -- TODO: bytes of the extern __shared__ array\n");
    }
    rft_str_add(out, "      }\n    end,\n");
}

static int bytes_of(const rft_new_plan *plan, bool written) {
    int bytes = 0;
    for (size_t i = 0; i < plan->kernel->param_count; i++) {
        const rft_cuda_param *param = &plan->kernel->params[i];
        bytes += param->pointer && (written ? param->written_to : param->read)
                     ? find_type(param->type)->bytes * param->lanes
                     : 0;
    }
    return bytes;
}

/* Have the buffers other sizes than all dimensions? */
static bool is_uneven(const rft_new_plan *plan) {
    bool uneven = plan->is_product;
    for (size_t i = 0; i < plan->kernel->param_count; i++) {
        uneven = uneven || plan->counts[i] > 0;
    }
    return uneven;
}

/* "4 * p.M * p.K + 4 * p.K * p.N" of what is read, or written. */
static void add_bytes(rft_str *out, const rft_new_plan *plan, bool written) {
    size_t terms = 0;
    for (size_t i = 0; i < plan->kernel->param_count; i++) {
        const rft_cuda_param *param = &plan->kernel->params[i];
        if (param->pointer && (written ? param->written_to : param->read)) {
            int each = find_type(param->type)->bytes;
            rft_str_add(out, terms++ ? " + " : "");
            if (each > 1) {
                rft_str_addf(out, "%d * ", each);
            }
            add_count_of(out, plan, i, "p.");
        }
    }
}

static void write_product_work(rft_str *out, const rft_new_plan *plan) {
    rft_str_add(out,
                "    -- TODO: the pipe of the operations (fp32, tensor_fp16, ...); the bytes are every matrix once\n"
                "    work    = function(p)\n      return { fp32 = 2");
    for (size_t d = 0; d < 3; d++) {
        rft_str_addf(out, " * p.%s", plan->dimensions[plan->product[d]].name);
    }
    rft_str_add(out, ", read = ");
    add_bytes(out, plan, false);
    rft_str_add(out, ", write = ");
    add_bytes(out, plan, true);
    rft_str_add(out, " }\n    end,\n");
}

static void write_work(rft_str *out, const rft_new_plan *plan) {
    if (plan->is_product) {
        write_product_work(out, plan);
        return;
    }
    int read = bytes_of(plan, false), written = bytes_of(plan, true);
    bool uneven = is_uneven(plan);
    rft_str_addf(out,
                 "    -- TODO: operations (fp32 = ..., an FMA is two); the bytes are every buffer once\n"
                 "    work    = function(p) return { %s",
                 read ? "read = " : "");
    if (read && uneven) {
        add_bytes(out, plan, false);
    } else if (read) {
        add_count(out, plan, read, "p.");
    }
    rft_str_add(out, read && written ? ", write = " : written ? "write = " : "");
    if (written && uneven) {
        add_bytes(out, plan, true);
    } else if (written) {
        add_count(out, plan, written, "p.");
    }
    rft_str_add(out, " } end,\n");
}

static void write_todo_notice(rft_str *out, const rft_new_plan *plan, bool file) {
    bool guessed = plan->has_type;
    for (size_t i = 0; i < plan->tuned_count; i++) {
        guessed = guessed || plan->tuned[i].guessed;
    }
    rft_str_addf(out, "-- %s.lua, a first sweep written by `rooftune new`: what says TODO is a guess.\n",
                 plan->request->name);
    rft_str_addf(
        out,
        "print(\"%s.lua has TODOs: %ssizes of buffers, arguments, grid, work%s; delete this line when they are "
        "done\")\n",
        plan->request->name, file ? "the reference, " : "",
        guessed                  ? ", parameters"
        : plan->tuned_count == 0 ? ", parameters (none yet)"
                                 : "");
}

static void write_tuned(rft_str *out, const rft_new_plan *plan) {
    rft_str_add(out, "{\n");
    for (size_t i = 0; i < plan->tuned_count; i++) {
        const rft_new_tuned *one = &plan->tuned[i];
        rft_str_addf(out, "    %s = values(%s),%s\n", one->name, one->values,
                     one->guessed ? " -- TODO: what it means is not known here" : "");
    }
    for (size_t i = 0; i < plan->request->file->macro_count; i++) {
        const rft_cuda_macro *macro = &plan->request->file->macros[i];
        if (rft_new_is_fixed(macro)) {
            rft_str_addf(
                out, "    -- %.60s is %ld in the source: with `#ifndef %.60s` and `#endif` around it, `new` tunes it\n",
                macro->name, strtol(macro->fixed, NULL, 0), macro->name);
        }
    }
    rft_str_add(out, "  }");
    if (plan->limit) {
        rft_str_addf(out, ", where = { \"%s\" }", plan->limit);
    }
}

static void write_over(rft_str *out, const rft_new_plan *plan) {
    rft_str_add(out, "  over = {");
    for (size_t i = 0; i < plan->dimension_count; i++) {
        rft_str_addf(out, "%s %s = values(%s)", i ? "," : "", plan->dimensions[i].name, plan->dimensions[i].values);
    }
    rft_str_addf(out, " },%s\n",
                 plan->dimensions[0].guessed
                     ? " -- TODO: the sizes you need; what is no size (a seed, a level) is a number in args"
                     : "");
}

/* What stands in `kernel { }`; `reference` is Lua. */
static void write_kernel(rft_str *out, const rft_new_plan *plan, const char *reference) {
    const rft_new_request *request = plan->request;
    rft_str_add(out, "kernel {\n    source  = ");
    rft_str_add_lua(out, request->source);
    rft_str_add(out, ",");
    if (request->copied) {
        rft_str_add(out, " -- without the host code of ");
        rft_str_add_lua(out, request->copied);
        rft_str_add(out, ": the kernel is changed here");
    }
    rft_str_add(out, "\n    entry   = ");
    rft_str_add_lua(out, plan->entry);
    rft_str_addf(out, ",%s\n    problem = {", plan->has_type ? " -- TODO: the type" : "");
    for (size_t i = 0; i < plan->dimension_count; i++) {
        rft_str_addf(out, "%s \"%s\"", i ? "," : "", plan->dimensions[i].name);
    }
    rft_str_add(out, " },\n");
    write_params(out, plan);
    for (size_t i = 0; i < request->option_count; i++) {
        rft_str_add(out, i ? ", " : "    options = { ");
        rft_str_add_lua(out, request->options[i]);
        rft_str_add(out, i + 1 == request->option_count ? " },\n" : "");
    }
    write_constants(out, plan);
    write_buffers(out, plan);
    write_launch(out, plan);
    write_work(out, plan);
    rft_str_addf(out, "    check   = { reference = %s", reference);
    if (plan->is_product) { /* terms of a sum: its tolerance follows from them */
        rft_str_addf(out, ", length = function(p) return p.%s end", plan->dimensions[plan->product[2]].name);
    }
    rft_str_add(out, " },\n  }");
}

static void write_with_file(rft_str *out, const rft_new_plan *plan) {
    rft_str name = RFT_STR_INIT, quoted = RFT_STR_INIT;
    rft_str_addf(&name, "%s:reference", plan->request->reference);
    rft_str_add_lua(&quoted, rft_str_get(&name));
    rft_str_add(out, "return sweep {\n  kernel = ");
    write_kernel(out, plan, rft_str_get(&quoted));
    rft_str_add(out, ",\n");
    write_over(out, plan);
    rft_str_add(out, "  tune = ");
    write_tuned(out, plan);
    rft_str_add(out, ",\n}\n");
    rft_str_clear(&name);
    rft_str_clear(&quoted);
}

static void write_with_truth(rft_str *out, const rft_new_plan *plan, const rft_new_plan *truth) {
    const rft_new_plan *plans[] = {truth, plan};
    rft_str named = RFT_STR_INIT;
    rft_str_add(&named, "variant ");
    rft_str_add_lua(&named, truth->kernel->name);
    for (size_t i = 0; i < 2; i++) {
        rft_str_addf(out, "local %s = ", i ? "tuned" : "truth");
        write_kernel(out, plans[i], rft_str_get(&named));
        rft_str_add(out, "\n");
    }
    rft_str_add(out, "return sweep {\n  variants = {\n");
    for (size_t i = 0; i < 2; i++) {
        rft_str_add(out, "  { ");
        rft_str_add_lua(out, plans[i]->kernel->name);
        rft_str_addf(out, ", kernel = %s, tune = ", i ? "tuned" : "truth");
        write_tuned(out, plans[i]);
        rft_str_add(out, " },\n");
    }
    rft_str_add(out, "  },\n");
    write_over(out, plan);
    rft_str_add(out, "}\n");
    rft_str_clear(&named);
}

void rft_new_write_sweep(rft_str *out, const rft_new_plan *plan, const rft_new_plan *truth) {
    write_todo_notice(out, plan, !truth);
    if (truth) {
        write_with_truth(out, plan, truth);
    } else {
        write_with_file(out, plan);
    }
}

/* ---- CUDA ---- */

typedef struct named_param {
    const char *name;
    const rft_cuda_param *param;
} named_param;

static int compare_names(const void *a, const void *b) {
    return strcmp(((const named_param *)a)->name, ((const named_param *)b)->name);
}

static size_t sort_buffers(named_param *out, const rft_new_plan *plan) {
    size_t count = 0;
    for (size_t i = 0; i < plan->kernel->param_count; i++) {
        if (plan->kernel->params[i].pointer) {
            out[count++] = (named_param){plan->names[i], &plan->kernel->params[i]};
        }
    }
    qsort(out, count, sizeof *out, compare_names);
    return count;
}

static void add_reference_param(rft_str *out, const named_param *one) {
    const rft_cuda_param *param = one->param;
    bool exact = param->written_to && is_float(param);
    rft_str_addf(out, "%s%s *%s, ", param->written_to ? "" : "const ",
                 exact ? "double" : find_type(param->type)->written, one->name);
}

static void add_headers(rft_str *out, const named_param *buffers, size_t count) {
    static const char *const headers[] = {"cuda_fp16.h", "cuda_bf16.h", "cuda_fp8.h"};
    for (size_t h = 0; h < sizeof headers / sizeof *headers; h++) {
        bool needed = false;
        for (size_t i = 0; i < count; i++) {
            const char *header = find_type(buffers[i].param->type)->header;
            needed = needed || (header && strcmp(header, headers[h]) == 0 && !buffers[i].param->written_to);
        }
        if (needed) {
            rft_str_addf(out, "#include <%s>\n", headers[h]);
        }
    }
}

/* A buffer of a size of its own has its own condition. */
static void write_result(rft_str *out, const rft_new_plan *plan, const named_param *one) {
    bool uneven = is_uneven(plan);
    if (uneven) {
        rft_str_add(out, "    if (i < ");
        add_count_of(out, plan, (size_t)(one->param - plan->kernel->params), "");
        rft_str_add(out, ") {\n");
    }
    rft_str_addf(out,
                 is_float(one->param) ? "        %s[i] = nan(\"\"); // TODO: no result passes until this is right\n"
                                      : "        %s[i] = 0, __trap(); // TODO: no result passes until this is right\n",
                 one->name);
    rft_str_add(out, uneven ? "    }\n" : "");
}

void rft_new_write_reference(rft_str *out, const rft_new_plan *plan) {
    named_param buffers[RFT_CUDA_PARAMS_MAX];
    size_t count = sort_buffers(buffers, plan);
    int lanes = 1;
    rft_str_addf(
        out,
        "// The reference of %s.lua: plain, in double, one thread an element. TODO: what each element should be.\n"
        "// The buffers come in the order of their names, then the problem's dimensions.\n",
        plan->request->name);
    add_headers(out, buffers, count);
    rft_str_add(out, "extern \"C\" __global__ void reference(");
    for (size_t i = 0; i < count; i++) {
        add_reference_param(out, &buffers[i]);
        lanes = buffers[i].param->lanes > lanes ? buffers[i].param->lanes : lanes;
    }
    for (size_t i = 0; i < plan->dimension_count; i++) {
        rft_str_addf(out, "%slong long %s", i ? ", " : "", plan->dimensions[i].name);
    }
    rft_str_add(out, ") {\n    const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;\n");
    if (!is_uneven(plan)) {
        rft_str_add(out, "    if (i < ");
        add_count(out, plan, lanes, "");
        rft_str_add(out, ") {\n");
    }
    for (size_t i = 0; i < count; i++) {
        if (buffers[i].param->written_to) {
            write_result(out, plan, &buffers[i]);
        }
    }
    rft_str_add(out, is_uneven(plan) ? "}\n" : "    }\n}\n");
}
