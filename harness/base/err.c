/* SPDX-License-Identifier: Apache-2.0 */
#include "base/err.h"

#include "base/str.h"

#include <stdio.h>
#include <string.h>

/* Formats into a buffer that may itself be among the arguments; a text that does not fit ends in "...". */
static void format_field(char *out, size_t size, const char *format, va_list args) {
    char text[sizeof(((rft_err *)0)->message)];
    int length = rft_text_vformat(text, size, format, args);
    if (length < 0) {
        snprintf(text, size, "(a message that cannot be formatted)");
    } else if ((size_t)length >= size) {
        size_t end = size - 4;
        while (end > 0 && ((unsigned char)text[end] & 0xC0) == 0x80) {
            end--; /* never cut a UTF-8 sequence */
        }
        memcpy(text + end, "...", 4);
    }
    memcpy(out, text, strlen(text) + 1);
}

int rft_err_setv(rft_err *err, int code, const char *format, va_list args) {
    if (err) {
        format_field(err->message, sizeof err->message, format, args);
        err->code = code;
        err->place[0] = '\0';
        err->remedy[0] = '\0';
    }
    return code;
}

/* Parenthesised names: err.h has macros of these names for analysers. */
int(rft_err_set)(rft_err *err, int code, const char *format, ...) {
    va_list args;
    va_start(args, format);
    rft_err_setv(err, code, format, args);
    va_end(args);
    return code;
}

int(rft_err_place)(rft_err *err, const char *format, ...) {
    if (!err) {
        return RFT_E_INTERNAL;
    }
    va_list args;
    va_start(args, format);
    format_field(err->place, sizeof err->place, format, args);
    va_end(args);
    return err->code;
}

int(rft_err_remedy)(rft_err *err, const char *format, ...) {
    if (!err) {
        return RFT_E_INTERNAL;
    }
    va_list args;
    va_start(args, format);
    format_field(err->remedy, sizeof err->remedy, format, args);
    va_end(args);
    return err->code;
}

int(rft_err_context)(rft_err *err, const char *format, ...) {
    if (!err) {
        return RFT_E_INTERNAL;
    }
    char context[512];
    va_list args;
    va_start(args, format);
    format_field(context, sizeof context, format, args);
    va_end(args);
    size_t room = sizeof err->message - 1;
    size_t prefix = strlen(context);
    size_t kept = strlen(err->message);
    if (kept > room - prefix - 2) {
        kept = room - prefix - 2;
        while (kept > 0 && ((unsigned char)err->message[kept] & 0xC0) == 0x80) {
            kept--;
        }
    }
    memmove(err->message + prefix + 2, err->message, kept);
    memcpy(err->message, context, prefix);
    memcpy(err->message + prefix, ": ", 2);
    err->message[prefix + 2 + kept] = '\0';
    return err->code;
}

void rft_err_clear(rft_err *err) {
    if (err) {
        *err = (rft_err)RFT_ERR_INIT;
    }
}

const char *rft_code_text(int code) {
    switch (code) {
    case RFT_OK:
        return "ok";
#define RFT_CODE_TEXT(name, exit_status, text)                                                                         \
    case RFT_E_##name:                                                                                                 \
        return text;
        RFT_CODE_MAP(RFT_CODE_TEXT)
#undef RFT_CODE_TEXT
    case RFT_E_SCRIPT_STOPPED:
        return "a sweep script was stopped at a limit";
    default:
        return "unknown error";
    }
}

int rft_code_exit_status(int code) {
    switch (code) {
    case RFT_OK:
        return 0;
#define RFT_CODE_STATUS(name, exit_status, text)                                                                       \
    case RFT_E_##name:                                                                                                 \
        return exit_status;
        RFT_CODE_MAP(RFT_CODE_STATUS)
#undef RFT_CODE_STATUS
    case RFT_E_SCRIPT_STOPPED:
        return rft_code_exit_status(RFT_E_SCRIPT);
    default:
        return -(RFT_E_INTERNAL);
    }
}
