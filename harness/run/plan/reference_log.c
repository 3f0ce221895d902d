/* SPDX-License-Identifier: Apache-2.0 */
#include "run/plan/reference_log.h"

#include <string.h>

#define OWN "rooftune: " /* what gpu/compile/log_words.h says of a log, which knows nothing of references */

/* "BLOCK" of "-DBLOCK=256"; NULL: no macro. */
static const char *macro_of(const char *option, rft_arena *arena) {
    return rft_text_starts(option, "-D") ? rft_arena_strndup(arena, option + 2, strcspn(option + 2, "=")) : NULL;
}

static bool has_macro(const rft_unit_spec *unit, const char *name, rft_arena *arena) {
    for (size_t i = 0; i < unit->option_count; i++) {
        const char *macro = macro_of(unit->options[i], arena);
        if (macro && strcmp(macro, name) == 0) {
            return true;
        }
    }
    return false;
}

static const char *under_own_line(const char *log) {
    if (!rft_text_starts(log, OWN)) {
        return log;
    }
    log += strcspn(log, "\n");
    return *log ? log + 1 : log;
}

static const char *cause(const rft_point_spec *spec, const rft_point_spec *reference, const char *log,
                         rft_arena *arena) {
    for (size_t i = 0; i < reference->unit.option_count; i++) {
        const char *name = macro_of(reference->unit.options[i], arena);
        if (name && strstr(log, rft_arena_printf(arena, " %s is a macro here", name))) {
            return rft_arena_printf(arena,
                                    "%s is a macro in the reference (%s): nothing can be named so there; leave the "
                                    "parameter out, the macro has its value, or rename it",
                                    name, reference->unit.options[i]);
        }
    }
    for (size_t i = 0; i < spec->unit.option_count; i++) {
        const char *name = macro_of(spec->unit.options[i], arena);
        if (name && !has_macro(&reference->unit, name, arena) &&
            strstr(log, rft_arena_printf(arena, "identifier \"%s\" is undefined", name))) {
            return rft_arena_printf(arena,
                                    "%s is a parameter of the kernel (%s), and a reference is compiled without them: "
                                    "put the reference into a file of its own, or that kernel between #ifdef %s and "
                                    "#endif",
                                    name, spec->unit.options[i], name);
        }
    }
    for (size_t i = 0; i < reference->launch_count; i++) {
        for (size_t a = 0; a < reference->launches[i].arg_count; a++) {
            const char *dim = reference->launches[i].args[a].dim;
            if (dim && strstr(log, rft_arena_printf(arena, "identifier \"%s\" is undefined", dim))) {
                return rft_arena_printf(
                    arena,
                    "%s is no macro in the reference: it comes as a parameter, long long %s, behind "
                    "the buffers, in the order of `problem`",
                    dim, dim);
            }
        }
    }
    return NULL;
}

const char *rft_reference_log(const rft_point_spec *spec, const rft_point_spec *reference, const char *log,
                              rft_arena *arena) {
    const char *why = reference->is_variant ? NULL : cause(spec, reference, log, arena);
    return why ? rft_arena_printf(arena, OWN "%s\n%s", why, under_own_line(log)) : log;
}
