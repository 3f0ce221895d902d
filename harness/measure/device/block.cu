/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Holds the stream until the host has queued everything, so that no launch latency of the host is inside a sample.
 * words[0]: the host writes the ticket to let go. words[1]: the kernel writes it when it gave up waiting: something
 * queued behind it waits for the host, and without the limit both would wait for ever.
 */
RFT_KERNEL rft_block_kernel(volatile rft_u32 *words, rft_u32 ticket, rft_u64 limit_ns) {
    rft_u64 start_ns, now_ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start_ns));
    while (words[0] != ticket) {
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now_ns));
        if (now_ns - start_ns > limit_ns) {
            words[1] = ticket;
            __threadfence_system();
            return;
        }
    }
}
