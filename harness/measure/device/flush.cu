/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cold cache: writing one buffer pushes everything else out but leaves dirty lines, whose write-back would overlap
 * the kernel under test; reading another buffer pushes those out in turn and leaves clean lines of nobody's.
 */
RFT_KERNEL rft_flush_write_kernel(uint4 *out, rft_u64 count, rft_u32 value) {
    for (rft_u64 i = RFT_THREAD; i < count; i += RFT_THREADS) {
        out[i] = make_uint4(value, value, value, value);
    }
}

RFT_KERNEL rft_flush_read_kernel(const uint4 *in, rft_u64 count, rft_u32 never, rft_u32 *out) {
    rft_u32 sum = 0;
#pragma unroll 4
    for (rft_u64 i = RFT_THREAD; i < count; i += RFT_THREADS) {
        uint4 item = in[i];
        sum += item.x ^ item.y ^ item.z ^ item.w;
    }
    if (sum == never) { /* an argument the compiler cannot know */
        *out = sum;
    }
}
