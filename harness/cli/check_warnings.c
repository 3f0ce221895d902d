/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/check_warnings.h"

#include "base/units.h"
#include "cli/check_source.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *rft_check_place(const rft_sweep *sweep, const rft_variant *variant, rft_arena *arena) {
    return rft_arena_printf(arena, "%s: variant %s", variant->place ? variant->place : sweep->path, variant->name);
}

static bool is_there(const rft_check_warnings *w, const char *place, const char *text) {
    size_t i;
    json_t *row;
    json_array_foreach(w->rows, i, row) {
        if (strcmp(rft_json_text_or(row, "text", ""), text) == 0 &&
            strcmp(rft_json_text_or(row, "place", ""), place) == 0) {
            return true;
        }
    }
    return false;
}

void rft_check_warn(rft_check_warnings *w, const char *place, const char *remedy, const char *format, ...) {
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (!is_there(w, place, text)) {
        json_array_append_new(w->rows,
                              json_pack("{s:o,s:o,s:o}", "place", rft_json_clean_text(place, 0), "text",
                                        rft_json_clean_text(text, 0), "remedy", rft_json_clean_text(remedy, 0)));
    }
}

size_t rft_check_warning_count(const rft_check_warnings *w) {
    return json_array_size(w->rows) + w->said_before;
}

void rft_check_warnings_tell(const rft_check_warnings *w, const rft_log *log) {
    size_t i;
    json_t *row;
    json_array_foreach(w->rows, i, row) {
        rft_log_warn(log, "%s: %s\n  remedy: %s", rft_json_text_or(row, "place", ""), rft_json_text_or(row, "text", ""),
                     rft_json_text_or(row, "remedy", ""));
    }
}

void rft_check_unsized(rft_check_warnings *w, const char *place, const char *kernel) {
    rft_check_warn(w, place, "shared = BYTES in its launch, the third of <<<grid, block, bytes>>>",
                   "%.*s has an extern __shared__ array, and its launch gives it no bytes", (int)strcspn(kernel, " <"),
                   kernel);
}

void rft_check_other_type(rft_check_warnings *w, const char *place, const char *message) {
    size_t cause = message ? strcspn(message, ";") : 0;
    if (message) {
        rft_check_warn(w, place, message + cause + strspn(message + cause, "; "), "%.*s", (int)cause, message);
    }
}

void rft_check_unwritten(rft_check_warnings *w, const char *place, const rft_buffer *buffer) {
    bool scratch = buffer->role == RFT_BUFFER_TEMP;
    rft_check_warn(w, place,
                   scratch ? "is a launch, or `prepare`, missing that fills it? Else two buffers are swapped in `args`"
                           : "are two buffers swapped in `args`? Else the kernel's parameter is no pointer to const",
                   "the %s %s is only given where a kernel takes a pointer to const: nothing can write it",
                   scratch ? "temp" : "output", buffer->name);
}

void rft_check_unfilled(rft_check_warnings *w, const char *place, const char *source, const rft_variable *variable) {
    const char *slash = strrchr(source, '/');
    unsigned long long bytes = variable->bytes, each = 0;
    const char *type = rft_check_variable_type(w, source, variable->name, &each);
    char remedy[400];
    snprintf(remedy, sizeof remedy, "constants = { [\"%.200s\"] = input(%s, %llu) } fills it%s", variable->name,
             type && bytes % each == 0 ? type : "u8", type && bytes % each == 0 ? bytes / each : bytes,
             type ? "" : "; u8 stands for the type of its elements");
    rft_check_warn(w, place, remedy, "nothing fills the __constant__ variable %s of %s: it is 0", variable->name,
                   slash ? slash + 1 : source);
}

static bool defines(const rft_unit_spec *unit, const char *name) {
    size_t length = strlen(name);
    bool found = false;
    for (size_t i = 0; i < unit->option_count; i++) {
        const char *option = unit->options[i];
        found = found ||
                (strncmp(option, "-D", 2) == 0 && strncmp(option + 2, name, length) == 0 && option[2 + length] == '=');
    }
    return found;
}

void rft_check_redefined(rft_check_warnings *w, const char *place, const rft_unit_spec *unit, const char *log) {
    static const char says[] = "redefinition of macro \"";
    for (const char *line = log; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        const char *at = strstr(line, says);
        if (!at || at > line + strcspn(line, "\n")) {
            continue;
        }
        char name[80] = "";
        size_t length = strcspn(at + sizeof says - 1, "\"\n");
        memcpy(name, at + sizeof says - 1, length < sizeof name ? length : 0);
        if (*name && defines(unit, name)) {
            char remedy[240];
            snprintf(remedy, sizeof remedy, "put the line between `#ifndef %s` and `#endif`, or leave it out", name);
            rft_check_warn(w, place, remedy,
                           "%.*s defines %s itself, in place of what the sweep gives: every value is the same code",
                           (int)strcspn(line, ": "), line, name);
        }
    }
}

void rft_check_tolerance(rft_check_warnings *w, const char *place, const rft_point_spec *spec) {
    for (size_t i = 0; i < spec->buffer_count; i++) {
        const rft_buffer *buffer = &spec->buffers[i];
        bool judged = buffer->role == RFT_BUFFER_OUTPUT || buffer->role == RFT_BUFFER_INOUT;
        double tol = rft_spec_tolerance(spec, i);
        if (judged && tol >= 1) {
            rft_check_warn(w, place, "it is a share: tol = 1e-3 is a thousandth",
                           "the output %s has tol = %.3g: zeros everywhere pass, since |0 - r| <= tol |r|",
                           buffer->name, tol);
        }
    }
}

/* ---- work and buffers ---- */

typedef struct amounts {
    double outputs;       /* bytes of what is written in any case */
    double once;          /* bytes of reading and writing each buffer once; scratch counts for both */
    const char *elements; /* a buffer whose count of elements is what is declared as bytes; NULL */
    size_t element_bytes;
    bool is_all; /* of all buffers together */
} amounts;

static amounts amounts_of(const rft_point_spec *spec, double declared) {
    amounts found = {0};
    double all_elements = 0;
    size_t held = 0, widest = 0;
    for (size_t i = 0; i < spec->buffer_count; i++) {
        const rft_buffer *buffer = &spec->buffers[i];
        size_t each = rft_type_bytes(buffer->type);
        double bytes = (double)buffer->count * (double)each;
        bool twice = buffer->role == RFT_BUFFER_INOUT || buffer->role == RFT_BUFFER_TEMP;
        found.once += twice ? 2 * bytes : bytes;
        found.outputs += buffer->role == RFT_BUFFER_OUTPUT ? bytes : 0;
        if (buffer->role == RFT_BUFFER_TEMP) {
            continue;
        }
        held++;
        all_elements += (double)buffer->count;
        widest = each > widest ? each : widest;
        if (each > 1 && declared == (double)buffer->count && buffer->count > 1) {
            found.elements = buffer->name;
            found.element_bytes = each;
        }
    }
    if (!found.elements && held > 1 && widest > 1 && declared == all_elements) {
        found.elements = "all buffers together";
        found.is_all = true;
        found.element_bytes = widest;
    }
    return found;
}

static bool has(const rft_arg *args, size_t count, size_t buffer) {
    for (size_t i = 0; i < count; i++) {
        const rft_arg *arg = &args[i];
        bool is_address = arg->kind == RFT_ARG_BUFFER || arg->kind == RFT_ARG_TENSOR_MAP;
        if ((is_address && arg->buffer == buffer) ||
            (arg->kind == RFT_ARG_STRUCT && has(arg->fields, arg->field_count, buffer))) {
            return true;
        }
    }
    return false;
}

static bool gives(const rft_launch *launches, size_t count, size_t buffer) {
    for (size_t l = 0; l < count; l++) {
        const rft_launch *launch = &launches[l];
        if ((launch->kind == RFT_LAUNCH_MEMSET && launch->memset_buffer == buffer) ||
            (launch->kind == RFT_LAUNCH_VENDOR && launch->vendor.d == buffer)) {
            return true;
        }
        if (launch->kind == RFT_LAUNCH_KERNEL && has(launch->args, launch->arg_count, buffer)) {
            return true;
        }
    }
    return false;
}

static void look_at_outputs(rft_check_warnings *w, const char *place, const rft_point_spec *spec) {
    for (size_t i = 0; i < spec->buffer_count; i++) {
        const rft_buffer *buffer = &spec->buffers[i];
        bool judged = buffer->role == RFT_BUFFER_OUTPUT || buffer->role == RFT_BUFFER_INOUT;
        if (judged && !gives(spec->prepare, spec->prepare_count, i) && !gives(spec->launches, spec->launch_count, i)) {
            rft_check_warn(w, place, "name it in the `args` of a launch, or leave it out of `buffers`",
                           "the output %s is given to no launch: nothing fills it, and verification will say so",
                           buffer->name);
        }
    }
}

/* Several launches, or blocks that wait for each other, may have to read again what no cache holds. */
static bool is_one_pass(const rft_point_spec *spec) {
    return spec->launch_count == 1 && !spec->launches[0].cooperative;
}

#define WRITTEN_LEAST 0.01 /* of what is read: the one sum of a long row is left out with reason */

/* `read` alone, though there are outputs of some size. */
static bool warn_of_nothing_written(rft_check_warnings *w, const char *place, const rft_point_spec *spec) {
    double outputs = 0;
    for (size_t i = 0; i < spec->buffer_count; i++) {
        const rft_buffer *buffer = &spec->buffers[i];
        bool written = buffer->role == RFT_BUFFER_OUTPUT || buffer->role == RFT_BUFFER_INOUT;
        outputs += written ? (double)buffer->count * (double)rft_type_bytes(buffer->type) : 0;
    }
    bool found =
        spec->work.bytes_read > 0 && spec->work.bytes_written == 0 && outputs > WRITTEN_LEAST * spec->work.bytes_read;
    if (found) {
        char holds[32];
        rft_units_format_si(holds, sizeof holds, outputs, 3, "B");
        rft_check_warn(w, place, "write = 4 * p.n for n floats, beside `read`",
                       "work declares bytes that are read and none that are written, and the outputs are %s", holds);
    }
    return found;
}

/* `read` and `write` on their own: as many bytes as there are elements to read, or to write. */
static bool warn_of_elements(rft_check_warnings *w, const char *place, const rft_point_spec *spec, bool write) {
    double declared = write ? spec->work.bytes_written : spec->work.bytes_read, elements = 0, bytes = 0;
    rft_buffer_role role = write ? RFT_BUFFER_OUTPUT : RFT_BUFFER_INPUT;
    for (size_t i = 0; i < spec->buffer_count; i++) {
        const rft_buffer *buffer = &spec->buffers[i];
        bool counts = buffer->role == role || buffer->role == RFT_BUFFER_INOUT;
        elements += counts ? (double)buffer->count : 0;
        bytes += counts ? (double)buffer->count * (double)rft_type_bytes(buffer->type) : 0;
    }
    bool found = elements > 1 && declared == elements && bytes > elements;
    if (found) {
        rft_check_warn(
            w, place, "bytes are elements times their size: read = 4 * p.n for n floats",
            "work declares that %.0f bytes are %s, which is the number of elements of the %s: they take %.0f", declared,
            write ? "written" : "read", write ? "outputs" : "inputs", bytes);
    }
    return found;
}

void rft_check_amounts(rft_check_warnings *w, const char *place, const rft_point_spec *spec) {
    double declared = rft_work_bytes(&spec->work);
    const amounts found = amounts_of(spec, declared);
    char says[32], holds[32];
    snprintf(says, sizeof says, "%.2g B", declared);
    if (declared >= 1) {
        rft_units_format_si(says, sizeof says, declared, 3, "B");
    }
    look_at_outputs(w, place, spec);
    if (!(declared > 0)) {
        w->said_before += rft_work_ops(&spec->work) > 0 ? 0 : 1;
        return;
    }
    if (found.elements) {
        rft_check_warn(w, place,
                       "bytes are elements times their size: bytes = 12 * p.n where 3 floats are moved for each",
                       "work declares %s, which is the number of elements of %s: they take %s%zu bytes each", says,
                       found.elements, found.is_all ? "up to " : "", found.element_bytes);
    } else if (warn_of_elements(w, place, spec, false) + warn_of_elements(w, place, spec, true) > 0) {
        return;
    } else if (warn_of_nothing_written(w, place, spec)) {
        return;
    } else if (declared < found.outputs) {
        rft_units_format_si(holds, sizeof holds, found.outputs, 3, "B");
        rft_check_warn(w, place, "count what is read and what is written in `work`, in bytes",
                       "work declares %s, and the outputs alone are %s", says, holds);
    } else if (declared > found.once * (1 + 1e-9) && is_one_pass(spec)) {
        rft_units_format_si(holds, sizeof holds, found.once, 3, "B");
        rft_check_warn(
            w, place,
            "is a buffer shorter than what the kernel reads, or an output read first (inout)? Else declare in "
            "`work` what any kernel must move, each byte once; what this one moves besides is `traffic`",
            "work declares %s, and reading and writing each buffer once is %s", says, holds);
    }
}
