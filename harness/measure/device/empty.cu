/* SPDX-License-Identifier: Apache-2.0 */
/* What the launch floor is measured with. */
RFT_KERNEL rft_empty_kernel(void) {
}
