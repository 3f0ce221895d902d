/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/check_reference.h"
#include "run/plan/signatures.h"

#include <string.h>

static bool was_seen(rft_check_references *r, rft_ticket ticket) {
    for (size_t i = 0; i < r->count; i++) {
        if (r->tickets[i] == ticket) {
            return true;
        }
    }
    if (r->count == r->capacity) {
        size_t capacity = r->capacity ? 2 * r->capacity : 8;
        rft_ticket *tickets = rft_arena_calloc(r->arena, capacity, sizeof *tickets);
        if (r->count) {
            memcpy(tickets, r->tickets, r->count * sizeof *tickets);
        }
        r->tickets = tickets;
        r->capacity = capacity;
    }
    r->tickets[r->count++] = ticket;
    return false;
}

/* What is compiled beside the configurations. */
typedef struct check_other {
    const char *kind;          /* "reference"; as the JSON's key, too */
    const rft_unit_spec *unit; /* one name */
    const char *of;            /* the buffer that it fills; NULL: it is the reference */
    size_t buffer;
} check_other;

static void tell_other(rft_check_references *r, const rft_point_spec *spec, const check_other *other,
                       const rft_compile_result *compiled, rft_str *out) {
    const rft_unit_spec *unit = other->unit;
    const char *slash = strrchr(unit->source, '/');
    const char *name = rft_arena_printf(r->arena, "%s:%s", slash ? slash + 1 : unit->source, unit->names[0]);
    const char *wrong = !compiled->ok ? NULL
                        : other->of   ? rft_signatures_of_fill_wrong(spec, other->buffer, compiled, r->arena)
                                      : rft_signatures_of_reference_wrong(spec, compiled, r->arena);
    json_t *row = json_pack("{s:s,s:s,s:s}", other->kind, unit->names[0], "source", unit->source, "outcome",
                            wrong          ? "launch_failed"
                            : compiled->ok ? "compiled"
                                           : "compile_failed");
    if (other->of) {
        json_object_set_new(row, "buffer", json_string(other->of));
        name = rft_arena_printf(r->arena, "of %s %s", other->of, name);
    }
    rft_str_addf(out, "    %s %s %s%s\n", other->kind, name,
                 compiled->ok ? "compiles" : "does not compile:", wrong ? ", but cannot be launched:" : "");
    if (!compiled->ok || wrong) {
        rft_str_addf(out, "%s\n", wrong ? wrong : compiled->log);
        json_object_set_new(row, wrong ? "reason" : "log", json_string(wrong ? wrong : compiled->log));
        if (r->failed++ == 0) {
            r->first_failed = rft_arena_printf(r->arena, "%s %s", other->kind, name);
            r->first_why = wrong ? "cannot be launched" : "does not compile";
            r->first_remedy = other->of && wrong ? RFT_FILL_TAKES
                              : other->of        ? "correct it; it is compiled without the parameters' macros"
                                                 : "correct it, or name another in `check`; it is compiled without the "
                                                   "parameters' macros";
        }
    }
    json_array_append_new(r->rows, row);
}

/* A dimension that is compiled in is known without an argument. */
static void warn_of_unread(rft_check_references *r, const rft_sweep *sweep, const rft_point_spec *spec,
                           const rft_compile_result *compiled) {
    bool right = compiled->ok && !rft_signatures_of_reference_wrong(spec, compiled, r->arena);
    size_t unread = right ? rft_signatures_of_reference_unread(spec, compiled) : 0;
    const rft_unit_spec *unit = &spec->check.unit;
    const char *slash = strrchr(unit->source, '/');
    size_t args = spec->check.problem_count < sweep->axis_count ? spec->check.problem_count : sweep->axis_count;
    for (size_t i = args > unread ? args - unread : 0; i < args && unread > 0; i++) {
        if (args == sweep->axis_count && !sweep->axes[i].compiled) {
            rft_check_warn(r->warnings, slash ? slash + 1 : unit->source,
                           "add the parameter, long long, behind the others, unless its results do not depend on it",
                           "the reference %s does not take the problem's %s, so it cannot follow it", unit->names[0],
                           sweep->axes[i].name);
        }
    }
}

/* Where it shares the kernel's source, the kernel's variables are told of already. */
static void warn_of_unfilled(rft_check_references *r, const rft_point_spec *spec, const rft_compile_result *compiled) {
    const char *source = spec->check.unit.source, *slash = strrchr(source, '/');
    bool own = !rft_text_equal(source, spec->unit.source);
    const rft_variable *unfilled = compiled->ok && own ? rft_signatures_unfilled(spec, compiled, r->arena) : NULL;
    if (unfilled) {
        rft_check_unfilled(r->warnings, slash ? slash + 1 : source, source, unfilled);
    }
}

static void warn_of_unread_fill(rft_check_references *r, const rft_point_spec *spec, const check_other *other,
                                const rft_compile_result *compiled) {
    const char *slash = strrchr(other->unit->source, '/');
    const char *unread = compiled->ok ? rft_signatures_of_fill_unread(spec, other->buffer, compiled, r->arena) : NULL;
    if (unread) {
        rft_check_warn(
            r->warnings, slash ? slash + 1 : other->unit->source,
            "leave it out of `args`, or add the parameter; the buffer, its count and a seed come before them",
            "the fill of %s: %s", other->of, unread);
    }
}

static int check_one(rft_check_references *r, const rft_sweep *sweep, const rft_point_spec *spec,
                     const check_other *other, double timeout_s, rft_str *out, rft_err *err) {
    const rft_compile_result *compiled = NULL;
    bool timed_out = false; /* the log says so */
    rft_compile_request request = rft_compile_request_of(other->unit, r->arch);
    rft_ticket ticket = rft_compile_pool_submit(r->pool, &request, timeout_s);
    if (was_seen(r, ticket)) {
        return RFT_OK;
    }
    int rc = rft_compile_pool_wait(r->pool, ticket, &compiled, &timed_out, err);
    if (rc == RFT_OK) {
        tell_other(r, spec, other, compiled, out);
        if (other->of) {
            warn_of_unread_fill(r, spec, other, compiled);
        } else {
            warn_of_unread(r, sweep, spec, compiled);
            warn_of_unfilled(r, spec, compiled);
        }
    }
    return rc;
}

int rft_check_reference(rft_check_references *r, const rft_sweep *sweep, const rft_point_spec *spec, double timeout_s,
                        rft_str *out, rft_err *err) {
    int rc = RFT_OK;
    for (size_t i = 0; rc == RFT_OK && i < spec->buffer_count; i++) {
        const rft_filler *kernel = spec->buffers[i].fill.kernel;
        const check_other fill = {"fill", kernel ? &kernel->unit : NULL, spec->buffers[i].name, i};
        rc = kernel ? check_one(r, sweep, spec, &fill, timeout_s, out, err) : RFT_OK;
    }
    const check_other reference = {"reference", &spec->check.unit, NULL, 0};
    return rc == RFT_OK && spec->check.unit.name_count > 0 ? check_one(r, sweep, spec, &reference, timeout_s, out, err)
                                                           : rc;
}
