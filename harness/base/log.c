/* SPDX-License-Identifier: Apache-2.0 */
#include "base/log.h"

#include "base/str.h"

#include <stdarg.h>

__attribute__((format(printf, 3, 0))) static void log_line(const rft_log *log, rft_log_level level, const char *format,
                                                           va_list args) {
    if (!log || !log->line) {
        return;
    }
    rft_str text = RFT_STR_INIT;
    rft_str_addv(&text, format, args);
    log->line(log->self, level, rft_str_get(&text));
    rft_str_clear(&text);
}

void rft_log_debug(const rft_log *log, const char *format, ...) {
    va_list args;
    va_start(args, format);
    log_line(log, RFT_LOG_DEBUG, format, args);
    va_end(args);
}

void rft_log_info(const rft_log *log, const char *format, ...) {
    va_list args;
    va_start(args, format);
    log_line(log, RFT_LOG_INFO, format, args);
    va_end(args);
}

void rft_log_warn(const rft_log *log, const char *format, ...) {
    va_list args;
    va_start(args, format);
    log_line(log, RFT_LOG_WARN, format, args);
    va_end(args);
}
