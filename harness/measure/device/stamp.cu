/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Time and cycles of every SM that runs a block of the grid (one block an SM). clock64() counts per SM, so only
 * readings of the same SM may be subtracted: each SM has its own slot, and `ticket` says which stamp it is from.
 */
struct rft_stamp_slot {
    rft_u64 time_ns;
    rft_u64 cycles;
    rft_u64 ticket;
    rft_u64 unused;
};

RFT_KERNEL rft_stamp_kernel(rft_stamp_slot *slots, rft_u32 slot_count, rft_u64 ticket) {
    rft_u32 sm;
    rft_u64 time_ns;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time_ns));
    rft_u64 cycles = (rft_u64)clock64();
    if (sm < slot_count && threadIdx.x == 0) {
        rft_stamp_slot slot = {time_ns, cycles, ticket, 0};
        slots[sm] = slot;
    }
}
