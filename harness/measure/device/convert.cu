/* SPDX-License-Identifier: Apache-2.0 */
/* The original values of an inout buffer as the reference wants them. */
RFT_KERNEL rft_convert_kernel(double *out, const void *in, int type, rft_u64 count) {
    rft_u64 i;
    for (i = RFT_THREAD; i < count; i += RFT_THREADS) {
        out[i] = rft_load_real(in, type, i);
    }
}
