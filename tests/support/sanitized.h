/* SPDX-License-Identifier: Apache-2.0 */
/* sanitized.h - SANITIZED is defined where AddressSanitizer is built in (gcc says so in one way, clang in another). */
#ifndef RFT_TESTS_SANITIZED_H
#define RFT_TESTS_SANITIZED_H

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif

#endif
