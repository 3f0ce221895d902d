/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_given.h - tests of gpu_language, in this order. */
#ifndef RFT_TESTS_GPU_GIVEN_H
#define RFT_TESTS_GPU_GIVEN_H

void given_binaries_are_measured_as_templates_are(void **state);
void a_changed_binary_is_told(void **state);

#endif
