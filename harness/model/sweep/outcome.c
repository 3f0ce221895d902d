/* SPDX-License-Identifier: Apache-2.0 */
#include "model/sweep/outcome.h"

#include <ctype.h>
#include <string.h>

static const char *const names[RFT_OUTCOME_COUNT] = {
#define OUTCOME_NAME(name, text) text,
    RFT_OUTCOME_MAP(OUTCOME_NAME)
#undef OUTCOME_NAME
};

const char *rft_outcome_name(rft_outcome outcome) {
    return names[outcome];
}

bool rft_outcome_from_name(rft_outcome *out, const char *name) {
    for (int i = 0; i < RFT_OUTCOME_COUNT; i++) {
        if (rft_text_equal(names[i], name)) {
            *out = (rft_outcome)i;
            return true;
        }
    }
    return false;
}

bool rft_outcome_is_measured(rft_outcome outcome) {
    return outcome == RFT_OUTCOME_OK || outcome == RFT_OUTCOME_NOISY;
}

static size_t digits(const char *at) {
    return strspn(at, "0123456789");
}

/* Bytes of the number that begins with the digit at `at`: 12, 1,024, 0.5, 1.5e-05, 0x7f3a. */
static size_t number_length(const char *at) {
    size_t length = digits(at);
    if (*at == '0' && (at[1] == 'x' || at[1] == 'X') && isxdigit((unsigned char)at[2])) {
        return 2 + strspn(at + 2, "0123456789abcdefABCDEF");
    }
    while ((at[length] == '.' || at[length] == ',') && isdigit((unsigned char)at[length + 1])) {
        length += 1 + digits(at + length + 1);
    }
    if (at[length] == 'e' || at[length] == 'E') {
        size_t sign = at[length + 1] == '-' || at[length + 1] == '+' ? 1 : 0;
        size_t exponent = digits(at + length + 1 + sign);
        length += exponent ? 1 + sign + exponent : 0;
    }
    return length;
}

void rft_outcome_reason_kind(rft_str *out, const char *reason) {
    const char *at = reason ? reason : "";
    char before = ' ';
    while (*at && *at != '\n') {
        bool negative = *at == '-' && isdigit((unsigned char)at[1]) && !isalnum((unsigned char)before);
        if (negative || isdigit((unsigned char)*at)) {
            at += negative ? 1 : 0;
            at += number_length(at);
            rft_str_add_char(out, '#');
            before = '0';
        } else {
            before = *at;
            rft_str_add_char(out, *at++);
        }
    }
}
