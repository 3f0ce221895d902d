/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Holds the stream until the host has queued everything, so that no launch latency of the host is inside a sample.
 * words[0]: the host writes a ticket to let go of it and of all before it. Tickets count up and may wrap around.
 * words[1], words[2]: the kernel writes its ticket there (even tickets the first) when it gave up waiting: something
 * queued behind it waits for the host, and without the limit both would wait for ever.
 */
RFT_KERNEL rft_block_kernel(volatile rft_u32 *words, rft_u32 ticket, rft_u64 limit_ns) {
    rft_u64 start_ns, now_ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start_ns));
    while ((int)(words[0] - ticket) < 0) {
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now_ns));
        if (now_ns - start_ns > limit_ns) {
            words[1 + ticket % 2] = ticket;
            __threadfence_system();
            return;
        }
    }
}
