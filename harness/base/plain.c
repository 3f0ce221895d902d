/* SPDX-License-Identifier: Apache-2.0 */
#include "base/plain.h"

#include <string.h>

size_t rft_utf8_bytes(const unsigned char *at) {
    if (at[0] < 0x80) {
        return 1;
    }
    size_t bytes = at[0] >= 0xf0 ? 4 : at[0] >= 0xe0 ? 3 : 2;
    if (at[0] < 0xc2 || at[0] > 0xf4) {
        return 0;
    }
    for (size_t i = 1; i < bytes; i++) {
        if ((at[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    bool overlong = (at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xf0 && at[1] < 0x90);
    bool outside = (at[0] == 0xed && at[1] > 0x9f) || (at[0] == 0xf4 && at[1] > 0x8f);
    return overlong || outside ? 0 : bytes;
}

unsigned rft_utf8_code(const unsigned char *at, size_t bytes) {
    static const unsigned char masks[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    unsigned code = at[0] & masks[bytes];
    for (size_t i = 1; i < bytes; i++) {
        code = code << 6 | (at[i] & 0x3f);
    }
    return code;
}

bool rft_plain_hides(unsigned code) {
    bool control = code < 0x20 || (code >= 0x7f && code < 0xa0);
    bool lines = code == 0x2028 || code == 0x2029;
    bool direction = code == 0x061c || code == 0x200e || code == 0x200f || (code >= 0x202a && code <= 0x202e) ||
                     (code >= 0x2066 && code <= 0x2069);
    bool none = code == 0xfffe || code == 0xffff; /* never characters: XML refuses them */
    return control || lines || direction || none;
}

void rft_plain_add(rft_str *out, const char *text, size_t length) {
    const char *end = text + length;
    while (text < end) {
        const unsigned char *at = (const unsigned char *)text;
        unsigned char last[5] = {0}; /* what is left, with a NUL behind it */
        for (size_t i = 0; i < 4 && i < (size_t)(end - text); i++) {
            last[i] = at[i];
        }
        size_t bytes = rft_utf8_bytes(last);
        unsigned code = bytes ? rft_utf8_code(last, bytes) : 0;
        bool stays = code == '\n' || code == '\t' || (code == '\r' && last[1] == '\n');
        if (!bytes) {
            rft_str_addf(out, "\\x%02x", last[0]);
        } else if (rft_plain_hides(code) && !stays) {
            rft_str_addf(out, "\\u%04x", code);
        } else {
            rft_str_add_n(out, text, bytes);
        }
        text += bytes ? bytes : 1;
    }
}

void rft_plain_add_xml(rft_str *out, const char *text) {
    static const char signs[] = "&<>\"'", *const references[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    rft_str plain = RFT_STR_INIT;
    rft_plain_add(&plain, text, strlen(text));
    for (const char *at = rft_str_get(&plain); *at; at++) {
        const char *sign = strchr(signs, *at);
        if (sign) {
            rft_str_add(out, references[sign - signs]);
        } else {
            rft_str_add_char(out, *at);
        }
    }
    rft_str_clear(&plain);
}
