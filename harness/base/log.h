/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log.h - talk for the user, passed down as an object. Rooms below cli never print: they call rft_log_warn() on the
 * rft_log they were given, and cli decides what reaches stderr. NULL is accepted everywhere and says nothing.
 */
#ifndef RFT_BASE_LOG_H
#define RFT_BASE_LOG_H

typedef enum rft_log_level { RFT_LOG_DEBUG, RFT_LOG_INFO, RFT_LOG_WARN } rft_log_level;

typedef struct rft_log {
    void (*line)(void *self, rft_log_level level, const char *text);
    void *self;
} rft_log;

void rft_log_debug(const rft_log *log, const char *format, ...) __attribute__((format(printf, 2, 3)));
void rft_log_info(const rft_log *log, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A warning names its cause and a remedy. */
void rft_log_warn(const rft_log *log, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
