/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/check_exact.h"

#include "base/str.h"

#include <math.h>
#include <string.h>

#define MNEMONIC 64

static bool begins_with_one_of(const char *text, const char *const *words, size_t count) {
    bool found = false;
    for (size_t i = 0; i < count; i++) {
        found = found || rft_text_starts(text, words[i]);
    }
    return found;
}

/* Of "fma.rn.f32": does it round? Moves, comparisons, signs and conversions are not asked about. */
static bool rounds(const char *mnemonic) {
    static const char *const products[] = {"mma.", "wgmma.mma"};
    static const char *const plain[] = {"add.",  "sub.",   "mul.", "fma.", "mad.", "div.", "rcp.",
                                        "sqrt.", "rsqrt.", "ex2.", "lg2.", "sin.", "cos.", "tanh."};
    static const char *const atomic[] = {"red.", "atom."};
    bool real = strstr(mnemonic, ".f") || strstr(mnemonic, ".bf16");
    bool computes = begins_with_one_of(mnemonic, plain, sizeof plain / sizeof *plain) ||
                    (begins_with_one_of(mnemonic, atomic, 2) && strstr(mnemonic, ".add"));
    return (real && computes) || begins_with_one_of(mnemonic, products, 2);
}

static bool code_rounds(const char *ptx) {
    bool found = false;
    for (const char *line = ptx; *line && !found; line += strcspn(line, "\n"), line += *line == '\n') {
        char mnemonic[MNEMONIC] = "";
        const char *at = line + strspn(line, " \t");
        at += *at == '@' ? strcspn(at, " \t\n") : 0; /* its guard */
        at += strspn(at, " \t");
        size_t length = strcspn(at, " \t\n");
        memcpy(mnemonic, at, length < MNEMONIC ? length : MNEMONIC - 1);
        found = rounds(mnemonic);
    }
    return found;
}

/* Reals of a range have all the digits of their type. */
static bool has_rounded_input(const rft_point_spec *spec) {
    bool found = false;
    for (size_t i = 0; i < spec->buffer_count; i++) {
        const rft_buffer *buffer = &spec->buffers[i];
        found = found || (buffer->fill.kind == RFT_FILL_UNIFORM && rft_type_significand_bits(buffer->type) > 0);
    }
    return found;
}

void rft_check_exact(rft_check_warnings *warnings, const char *place, const rft_point_spec *spec, const char *ptx) {
    for (size_t i = 0; i < spec->buffer_count; i++) {
        const rft_buffer *buffer = &spec->buffers[i];
        bool judged = buffer->role == RFT_BUFFER_OUTPUT || buffer->role == RFT_BUFFER_INOUT;
        int bits = rft_type_significand_bits(buffer->type);
        double tol = rft_spec_tolerance(spec, i);
        if (judged && bits > 0 && tol < ldexp(1, -bits) && has_rounded_input(spec) && code_rounds(ptx)) {
            rft_check_warn(
                warnings, place,
                "leave `tol` out: it then follows from the type and `length`, the terms of a sum; it may stay "
                "where inputs are integers { below = ... }",
                "the output %s of %s has tol = %.3g and the kernel rounds: results that differ in the last bit "
                "from the reference's are wrong",
                buffer->name, rft_type_name(buffer->type), tol);
        }
    }
}
