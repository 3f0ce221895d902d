/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cold cache: writing one buffer pushes everything else out but leaves dirty lines, whose write-back would overlap
 * the kernel under test; reading another buffer pushes those out in turn and leaves clean lines of nobody's.
 * Lines that were asked to stay (evict last) would outlive accesses that ask for nothing. So what is written asks to
 * stay, too, which makes the older ones the next to go, and is let go of again before the other buffer is read.
 */
RFT_DEVICE void rft_flush_store(uint4 *to, uint4 item) {
#if __CUDA_ARCH__ >= 800
    rft_u64 policy;
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
    asm volatile("st.global.L2::cache_hint.v4.u32 [%0], {%1, %2, %3, %4}, %5;" ::"l"(to), "r"(item.x), "r"(item.y),
                 "r"(item.z), "r"(item.w), "l"(policy)
                 : "memory");
#else
    *to = item;
#endif
}

RFT_KERNEL rft_flush_write_kernel(uint4 *out, rft_u64 count, rft_u32 value) {
    for (rft_u64 i = RFT_THREAD; i < count; i += RFT_THREADS) {
        rft_flush_store(out + i, make_uint4(value, value, value, value));
    }
}

RFT_KERNEL rft_flush_read_kernel(const uint4 *in, rft_u64 count, rft_u32 never, rft_u32 *out, uint4 *written) {
#if __CUDA_ARCH__ >= 800
    for (rft_u64 i = 8 * RFT_THREAD; i < count; i += 8 * RFT_THREADS) {
        asm volatile("applypriority.global.L2::evict_normal [%0], 128;" ::"l"(written + i) : "memory");
    }
#endif
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
