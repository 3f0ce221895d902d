/* SPDX-License-Identifier: Apache-2.0 */
/* sanitized.h - is AddressSanitizer built in? gcc says so in one way, clang in another. It slows the beginning of a
 * process tenfold, and its allocator takes all the memory it will ever use at once. */
#ifndef RFT_TESTS_SANITIZED_H
#define RFT_TESTS_SANITIZED_H

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define RFT_ASAN_OF_CLANG 1
#endif
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(RFT_ASAN_OF_CLANG)
#define RFT_ASAN 1
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

#endif
