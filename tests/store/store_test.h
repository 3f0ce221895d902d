/* SPDX-License-Identifier: Apache-2.0 */
/* store_test.h - cmocka and the headers it wants before it. */
#ifndef RFT_TESTS_STORE_STORE_TEST_H
#define RFT_TESTS_STORE_STORE_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
