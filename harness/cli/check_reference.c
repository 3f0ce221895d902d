/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/check_reference.h"
#include "base/fs.h"
#include "base/str.h"
#include "cli/check_source.h"
#include "run/plan/reference_log.h"
#include "run/plan/signatures.h"

#include <string.h>

static bool was_seen(rft_check_references *r, rft_ticket ticket) {
    for (size_t i = 0; i < r->count; i++) {
        if (r->tickets[i] == ticket) {
            return true;
        }
    }
    r->tickets = rft_arena_grown(r->arena, r->tickets, r->count, &r->capacity, sizeof *r->tickets);
    r->tickets[r->count++] = ticket;
    return false;
}

static void tell_fault(rft_check_references *r, const char *what, const char *why, const char *remedy, const char *text,
                       rft_str *out) {
    rft_str_addf(out, "%s\n", text);
    if (r->failed++ == 0) {
        r->first_failed = what;
        r->first_why = why;
        r->first_remedy = remedy;
    }
}

static void tell_fill(rft_check_references *r, const rft_point_spec *spec, size_t buffer,
                      const rft_compile_result *compiled, rft_str *out) {
    const rft_filler *kernel = spec->buffers[buffer].fill.kernel;
    const char *name = rft_arena_printf(r->arena, "fill of %s %s", spec->buffers[buffer].name, kernel->shown);
    const char *wrong = compiled->ok ? rft_signatures_of_fill_wrong(spec, buffer, compiled, r->arena) : NULL;
    const char *why = wrong ? "cannot be launched" : "does not compile";
    json_t *row = json_pack("{s:s,s:s,s:s,s:s}", "fill", kernel->unit.names[0], "buffer", spec->buffers[buffer].name,
                            "source", kernel->unit.source, "outcome",
                            wrong          ? "launch_failed"
                            : compiled->ok ? "compiled"
                                           : "compile_failed");
    rft_str_addf(out, "    %s %s%s\n", name,
                 compiled->ok ? "compiles" : "does not compile:", wrong ? ", but cannot be launched:" : "");
    if (!compiled->ok || wrong) {
        const char *text = wrong ? wrong : compiled->log;
        tell_fault(r, name, why, wrong ? RFT_FILL_TAKES : "correct it; it is compiled without the parameters' macros",
                   text, out);
        json_object_set_new(row, wrong ? "reason" : "log", json_string(text));
    }
    json_array_append_new(r->rows, row);
}

/* Of a variant that is the truth for others: whether anything slower says that it is right. */
static const char *verified_by(const rft_point_spec *reference, rft_arena *arena) {
    const rft_point_spec *truth = reference->check.reference;
    return !reference->is_variant ? ""
           : truth ? rft_arena_printf(arena, "; on each problem it is first verified against %s", truth->told)
                   : "; nothing verifies it: it is the truth, unverified";
}

/* What to do about a reference; where it gets what it always gets, in which order. */
static const char *remedy_of(const rft_point_spec *reference, const char *wrong, rft_arena *arena) {
    const char *told = "";
    bool of_arguments = wrong && (rft_text_starts(wrong, "argument ") || strstr(wrong, " parameter"));
    bool usual = of_arguments && !reference->is_variant && reference->launch_count == 1;
    for (size_t i = 0; usual && i < reference->launches[0].arg_count; i++) {
        const rft_arg *arg = &reference->launches[0].args[i];
        usual = arg->kind == RFT_ARG_BUFFER || arg->dim || arg->is_macro;
        const char *name = arg->kind == RFT_ARG_BUFFER ? reference->buffers[arg->buffer].name : arg->dim;
        told = usual && name ? rft_arena_printf(arena, "%s%s%s", told, i ? ", " : "", name) : told;
    }
    if (usual) {
        return rft_arena_printf(
            arena, "correct it: it gets the buffers in the order of their names, then the dimensions: %s", told);
    }
    return reference->is_variant ? "correct it, or name another in `check`"
                                 : "correct it, or name another in `check`; it is compiled without the parameters' "
                                   "macros";
}

static void tell_reference(rft_check_references *r, const rft_point_spec *spec, const rft_point_spec *reference,
                           const rft_compile_result *compiled, const char *wrong, rft_str *out) {
    json_t *row =
        json_pack("{s:s,s:s,s:s}", "reference", reference->is_variant ? reference->told : reference->unit.names[0],
                  "source", reference->unit.source, "outcome",
                  wrong          ? "launch_failed"
                  : compiled->ok ? "compiled"
                                 : "compile_failed");
    bool good = compiled->ok && !wrong;
    rft_str_addf(out, "    reference %s %s%s%s\n", reference->told,
                 compiled->ok ? "compiles" : "does not compile:", wrong ? ", but cannot be launched:" : "",
                 good ? verified_by(reference, r->arena) : "");
    if (reference->is_variant) {
        json_object_set_new(row, "verified_against",
                            reference->check.reference ? json_string(reference->check.reference->told) : json_null());
    }
    if (!compiled->ok || wrong) {
        const char *text = wrong ? wrong : rft_reference_log(spec, reference, compiled->log, r->arena);
        tell_fault(r, rft_arena_printf(r->arena, "reference %s", reference->told),
                   wrong ? "cannot be launched" : "does not compile", remedy_of(reference, wrong, r->arena), text, out);
        json_object_set_new(row, wrong ? "reason" : "log", json_string(text));
    }
    json_array_append_new(r->rows, row);
}

/* A dimension that is compiled in is known without an argument. */
static void warn_of_unread(rft_check_references *r, const rft_point_spec *reference,
                           const rft_compile_result *compiled) {
    for (size_t i = 0; i < reference->launch_count; i++) {
        const rft_launch *launch = &reference->launches[i];
        for (size_t k = rft_signatures_taken(launch, compiled); k < launch->arg_count; k++) {
            if (launch->args[k].dim) {
                rft_check_warn(
                    r->warnings, rft_fs_name(reference->unit.source),
                    "add the parameter, long long, behind the others, unless its results do not depend on it",
                    "the reference %s does not take the problem's %s, so it cannot follow it", launch->entry,
                    launch->args[k].dim);
            }
        }
    }
}

/* Where it shares the kernel's source, the kernel's variables are told of already. */
static void warn_of_unfilled(rft_check_references *r, const rft_point_spec *spec, const rft_point_spec *reference,
                             const rft_compile_result *compiled) {
    const char *source = reference->unit.source;
    bool own = !rft_text_equal(source, spec->unit.source);
    const rft_variable *unfilled = compiled->ok && own ? rft_signatures_unfilled(reference, compiled, r->arena) : NULL;
    if (unfilled) {
        rft_check_unfilled(r->warnings, rft_fs_name(source), source, unfilled);
    }
}

static void warn_of_unread_fill(rft_check_references *r, const rft_point_spec *spec, size_t buffer,
                                const rft_compile_result *compiled) {
    const char *source = spec->buffers[buffer].fill.kernel->unit.source;
    const char *unread = compiled->ok ? rft_signatures_of_fill_unread(spec, buffer, compiled, r->arena) : NULL;
    if (unread) {
        rft_check_warn(
            r->warnings, rft_fs_name(source),
            "leave it out of `args`, or add the parameter; the buffer, its count and a seed come before them",
            "the fill of %s: %s", spec->buffers[buffer].name, unread);
    }
}

static int check_one(rft_check_references *r, const rft_point_spec *spec, rft_point_spec *reference, double timeout_s,
                     rft_str *out, rft_err *err) {
    const rft_compile_result *compiled = NULL;
    bool timed_out = false; /* the log says so */
    rft_compile_request request = rft_compile_request_of(&reference->unit, r->arch);
    rft_ticket ticket = rft_compile_pool_submit(r->pool, &request, timeout_s);
    int rc = rft_compile_pool_wait(r->pool, ticket, &compiled, &timed_out, err);
    if (rc != RFT_OK) {
        return rc;
    }
    if (compiled->ok) {
        rft_signatures_settle(reference, compiled);
    }
    /* The same code may be given other arguments for another kernel. */
    const char *wrong = compiled->ok ? rft_signatures_wrong(reference, compiled, r->arena) : NULL;
    bool is_new = !was_seen(r, ticket);
    if (is_new || (wrong && !rft_text_equal(wrong, r->last_wrong))) {
        tell_reference(r, spec, reference, compiled, wrong, out);
        r->last_wrong = wrong;
    }
    if (is_new && compiled->ok && !wrong) {
        warn_of_unread(r, reference, compiled);
        rft_check_other_type(r->warnings, rft_fs_name(reference->unit.source),
                             rft_signatures_other_type(reference, compiled, r->arena));
        warn_of_unfilled(r, spec, reference, compiled);
        if (!reference->is_variant) {
            rft_check_source(r->warnings, rft_fs_name(reference->unit.source), reference,
                             remedy_of(reference, "argument ", r->arena));
        }
    }
    return RFT_OK;
}

static int check_fill(rft_check_references *r, const rft_point_spec *spec, size_t buffer, double timeout_s,
                      rft_str *out, rft_err *err) {
    const rft_compile_result *compiled = NULL;
    bool timed_out = false; /* the log says so */
    rft_compile_request request = rft_compile_request_of(&spec->buffers[buffer].fill.kernel->unit, r->arch);
    rft_ticket ticket = rft_compile_pool_submit(r->pool, &request, timeout_s);
    if (was_seen(r, ticket)) {
        return RFT_OK;
    }
    int rc = rft_compile_pool_wait(r->pool, ticket, &compiled, &timed_out, err);
    if (rc == RFT_OK) {
        tell_fill(r, spec, buffer, compiled, out);
        warn_of_unread_fill(r, spec, buffer, compiled);
        rft_check_fill_source(r->warnings, spec, buffer);
    }
    return rc;
}

int rft_check_reference(rft_check_references *r, const rft_point_spec *spec, double timeout_s, rft_str *out,
                        rft_err *err) {
    int rc = RFT_OK;
    for (size_t i = 0; rc == RFT_OK && i < spec->buffer_count; i++) {
        rc = spec->buffers[i].fill.kernel ? check_fill(r, spec, i, timeout_s, out, err) : RFT_OK;
    }
    for (rft_point_spec *reference = spec->check.reference; reference && rc == RFT_OK;
         reference = reference->check.reference) {
        rc = reference->unit.name_count ? check_one(r, spec, reference, timeout_s, out, err) : RFT_OK;
    }
    return rc;
}
