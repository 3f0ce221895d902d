/* SPDX-License-Identifier: Apache-2.0 */
/* new_sweep_given_write.c - the sweep of a given specification as Lua. */
#include "cli/new_sweep_parts.h"

#include <string.h>

/* On one line of a comment, whatever the file has in its names. */
static void add_comment(rft_str *out, const char *text) {
    rft_str_add(out, "-- ");
    for (; *text; text++) {
        rft_str_add_char(out, (unsigned char)*text < 0x20 || *text == 0x7f ? '?' : *text);
    }
    rft_str_add_char(out, '\n');
}

static void add_lua_value(rft_str *out, const rft_value *value) {
    if (value->kind == RFT_VALUE_TEXT) { /* Kernel Tuner writes it down as it is: a type, an expression */
        rft_str_add(out, "ctype ");
        rft_str_add_lua(out, value->as.text);
    } else {
        rft_value_format(out, value);
    }
}

static void write_open(rft_str *out, const rft_given_plan *plan) {
    const rft_given_request *request = plan->request;
    rft_str line = RFT_STR_INIT;
    rft_str_addf(&line, "%s.lua, from %.200s by `rooftune new --from`: what says TODO is a guess.", request->name,
                 request->from);
    add_comment(out, rft_str_get(&line));
    rft_str_clear(&line);
    for (size_t i = 0; i < plan->remark_count; i++) {
        add_comment(out, plan->remarks[i]);
    }
    rft_str_addf(out,
                 "print(\"%s.lua has TODOs: the operations of `work`%s%s; delete this line when they are done\")\n",
                 request->name, request->truth ? "" : ", a reference", plan->sizes_open ? ", inputs" : "");
}

static void write_list(rft_str *out, const char *const *items, size_t count) {
    rft_str_add(out, "{");
    for (size_t i = 0; i < count; i++) {
        rft_str_add(out, i ? ", " : " ");
        rft_str_add_lua(out, items[i]);
    }
    rft_str_add(out, count ? " }" : "}");
}

static void write_given_params(rft_str *out, const rft_given_plan *plan) {
    const rft_t1_kernel *kernel = plan->request->kernel;
    rft_str_add(out, "  params  = {\n");
    for (size_t i = 0; i < kernel->param_count; i++) {
        rft_str_addf(out, "    { \"%s\", ", kernel->params[i].name);
        add_lua_value(out, plan->presets[i]);
        rft_str_add(out, " },\n");
    }
    rft_str_add(out, "  },\n");
}

static void add_fill(rft_str *out, const rft_given_argument *a, bool filled) {
    if (filled && a->fill) {
        rft_str_addf(out, ", %s", a->fill);
    }
    rft_str_add(out, "),\n");
}

static void write_given_buffers(rft_str *out, const rft_given_plan *plan) {
    size_t constants = 0;
    rft_str_add(out, "  buffers = function(p)\n    return {\n");
    for (size_t i = 0; i < plan->request->kernel->argument_count; i++) {
        const rft_given_argument *a = &plan->arguments[i];
        if (a->in_launch && a->size) {
            rft_str_addf(out, "      %s = %s(%s, %s", a->name,
                         !a->written ? "input"
                         : a->read   ? "inout"
                                     : "output",
                         a->type, a->size);
            add_fill(out, a, a->read || !a->written);
        }
        constants += a->is_symbol;
    }
    rft_str_add(out, "    }\n  end,\n");
    if (constants == 0) {
        return;
    }
    rft_str_add(out, "  constants = function(p)\n    return {\n");
    for (size_t i = 0; i < plan->request->kernel->argument_count; i++) {
        const rft_given_argument *a = &plan->arguments[i];
        if (a->is_symbol) {
            rft_str_add(out, "      [");
            rft_str_add_lua(out, a->given->name);
            rft_str_addf(out, "] = input(%s, %s", a->constant_type, a->constant_size);
            add_fill(out, a, true);
        }
    }
    rft_str_add(out, "    }\n  end,\n");
}

static void add_three(rft_str *out, const char *const items[3]) {
    size_t count = strcmp(items[2], "1") != 0 ? 3 : strcmp(items[1], "1") != 0 ? 2 : 1;
    rft_str_add(out, count > 1 ? "{ " : "");
    for (size_t i = 0; i < count; i++) {
        rft_str_addf(out, "%s%s", i ? ", " : "", items[i]);
    }
    rft_str_add(out, count > 1 ? " }" : "");
}

static void write_given_launch(rft_str *out, const rft_given_plan *plan, const char *const grid[3]) {
    const rft_t1_kernel *kernel = plan->request->kernel;
    const char *comma = "";
    rft_str_add(out, "  launch  = function(p, c, gpu, b)\n    return {\n      args  = { ");
    for (size_t i = 0; i < kernel->argument_count; i++) {
        const rft_given_argument *a = &plan->arguments[i];
        if (a->in_launch && a->size) {
            rft_str_addf(out, "%sb.%s", comma, a->name);
        } else if (a->in_launch) {
            rft_str_addf(out, "%s%s(%s)", comma, a->type, a->given->value);
        }
        comma = a->in_launch ? ", " : comma;
    }
    rft_str_add(out, " },\n      grid  = ");
    add_three(out, grid);
    rft_str_add(out, ",\n      block = ");
    add_three(out, kernel->block);
    rft_str_addf(out, "%s%s,\n    }\n  end,\n", kernel->shared ? ",\n      shared = " : "",
                 kernel->shared ? kernel->shared : "");
}

static void add_bytes(rft_str *out, const rft_given_plan *plan, bool written) {
    size_t terms = 0;
    for (size_t i = 0; i < plan->request->kernel->argument_count; i++) {
        const rft_given_argument *a = &plan->arguments[i];
        if (a->in_launch && a->size && (written ? a->written : a->read || !a->written)) {
            bool simple = !strpbrk(a->size, "+-/%^");
            rft_str_addf(out, "%s%d * %s%s%s", terms++ ? " + " : "", rft_new_type_bytes(a->type), simple ? "" : "(",
                         a->size, simple ? "" : ")");
        }
    }
    rft_str_add(out, terms ? "" : "0");
}

static void write_given_work(rft_str *out, const rft_given_plan *plan) {
    rft_str_add(out,
                "  -- TODO: operations (fp32 = ..., an FMA is two). The bytes are every buffer once: the least that "
                "moves\n  work    = function(p)\n    return { read = ");
    add_bytes(out, plan, false);
    rft_str_add(out, ",\n             write = ");
    add_bytes(out, plan, true);
    rft_str_add(out, " }\n  end,\n");
}

/* `truth`: the other kernel of the file, whose threads each have one result. */
static void write_given_kernel(rft_str *out, const rft_given_plan *plan, const rft_cuda_entry *truth) {
    const rft_t1_kernel *kernel = plan->request->kernel;
    rft_str grid[3] = {RFT_STR_INIT, RFT_STR_INIT, RFT_STR_INIT};
    const char *texts[3];
    for (size_t i = 0; i < 3; i++) {
        bool plain = truth && kernel->extent[i] && strcmp(kernel->extent[i], "1") != 0;
        rft_str_addf(&grid[i], plain ? "ceil_div(%s, %s)" : "%s", plain ? kernel->extent[i] : kernel->grid[i],
                     kernel->block[i]);
        texts[i] = rft_str_get(&grid[i]);
    }
    rft_str_addf(out, "local %s = kernel {\n  source  = ", truth ? "truth" : "given");
    rft_str_add_lua(out, plan->request->source);
    rft_str_add(out, ",\n  entry   = ");
    rft_str_add_lua(out, truth ? truth->name : kernel->name);
    rft_str_add(out, ",\n  problem = ");
    write_list(out, kernel->size_names, kernel->size_count);
    rft_str_add(out, ",\n");
    write_given_params(out, plan);
    if (plan->option_count) {
        rft_str_add(out, "  options = ");
        write_list(out, plan->options, plan->option_count);
        rft_str_add(out, ",\n");
    }
    write_given_buffers(out, plan);
    rft_str_add(out, truth ? "  -- TODO: one result a thread is a guess\n" : "");
    write_given_launch(out, plan, texts);
    write_given_work(out, plan);
    rft_str_add(out, plan->request->truth ? ""
                                          : "  -- TODO: the kernel's own default configuration is taken to be right; "
                                            "\"FILE.cu:NAME\" is better.\n");
    rft_str_add(out, "  -- No odd problem: sizes stand in the kernel and in its arguments.\n"
                     "  check   = { reference = variant ");
    rft_str_add_lua(out, plan->request->truth ? plan->request->truth->name : "default");
    rft_str_add(out, ", odd = false },\n}\n");
    for (size_t i = 0; i < 3; i++) {
        rft_str_clear(&grid[i]);
    }
}

static void write_tune(rft_str *out, const rft_given_plan *plan, bool presets) {
    const rft_t1_kernel *kernel = plan->request->kernel;
    for (size_t i = 0; i < kernel->param_count; i++) {
        const rft_t1_param *param = &kernel->params[i];
        rft_str_addf(out, "      %s = values(", param->name);
        for (size_t v = 0; v < (presets ? 1 : param->value_count); v++) {
            rft_str_add(out, v ? ", " : "");
            add_lua_value(out, presets ? plan->presets[i] : &param->values[v]);
        }
        rft_str_add(out, "),\n");
    }
}

void rft_given_write(rft_str *out, const rft_given_plan *plan) {
    const rft_t1_kernel *kernel = plan->request->kernel;
    write_open(out, plan);
    const rft_cuda_entry *truth = plan->request->truth;
    write_given_kernel(out, plan, NULL);
    if (truth) {
        write_given_kernel(out, plan, truth);
    }
    rft_str_add(out, "return sweep {\n  variants = {\n    { ");
    rft_str_add_lua(out, truth ? truth->name : "default");
    rft_str_addf(out, ", kernel = %s, tune = {\n", truth ? "truth" : "given");
    write_tune(out, plan, true);
    rft_str_add(out, "    } },\n    { \"tuned\", kernel = given, tune = {\n");
    write_tune(out, plan, false);
    rft_str_add(out, "    }");
    if (kernel->condition_count) {
        rft_str_add(out, ", where = {\n");
        for (size_t i = 0; i < kernel->condition_count; i++) {
            rft_str_add(out, "      ");
            rft_str_add_lua(out, kernel->conditions[i]);
            rft_str_add(out, ",\n");
        }
        rft_str_add(out, "    }");
    }
    rft_str_add(out, " },\n  },\n");
    for (size_t i = 0; i < kernel->size_count; i++) {
        rft_str_addf(out, "%s %s = values(%s)%s", i ? "," : "  over = {", kernel->size_names[i], kernel->sizes[i],
                     i + 1 == kernel->size_count ? " },\n" : "");
    }
    rft_str_add(out, "}\n");
}
