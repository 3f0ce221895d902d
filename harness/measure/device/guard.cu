/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The padding around buffers (harness/measure/guards.h): marked once, and looked at after the verified run. What a byte
 * holds follows from its own address, so that what is copied from one padding into another is found out, too.
 * In the common part of C and CUDA C++ but for the kernels at the end, which tests do without.
 */
#define RFT_GUARD_BAND 65536ull /* RFT_GUARD_BYTES of model/sweep/spec.h */
#define RFT_GUARD_AREAS 192     /* of device_kernels.h */

typedef struct rft_guard_area {
    rft_u64 data, bytes; /* address and size of what lies between two bands */
} rft_guard_area;

/* An argument by value: no kernel under test can write to it, as it could to a table in memory. */
typedef struct rft_guard_list {
    rft_guard_area areas[RFT_GUARD_AREAS];
} rft_guard_list;

typedef struct rft_guard_partial {
    rft_u64 distance; /* from the buffer to the nearest changed byte, 0 beside it; all bits set: none is changed */
    rft_u64 band;     /* which is the nearest: 2 * area before, 2 * area + 1 behind */
    rft_u64 changed;  /* bytes, of all bands */
} rft_guard_partial;

/* Of a byte's address; bands are numbered as in the partial. */
RFT_DEVICE rft_u8 *rft_guard_byte(const rft_guard_area *areas, rft_u64 band, rft_u64 distance) {
    const rft_guard_area *area = &areas[band / 2];
    return (rft_u8 *)(size_t)(band % 2 ? area->data + area->bytes + distance : area->data - 1 - distance);
}

RFT_DEVICE rft_u8 rft_guard_pattern(const rft_u8 *at) {
    rft_u64 address = (rft_u64)(size_t)at;
    return (rft_u8)(rft_mix(address / 8) >> (address % 8 * 8));
}

RFT_DEVICE void rft_guard_mark(const rft_guard_area *areas, rft_u32 count) {
    rft_u64 i;
    for (i = RFT_THREAD; i < 2 * count * RFT_GUARD_BAND; i += RFT_THREADS) {
        rft_u8 *at = rft_guard_byte(areas, i / RFT_GUARD_BAND, i % RFT_GUARD_BAND);
        *at = rft_guard_pattern(at);
    }
}

/* The nearer one counts; of equally near ones the first. */
RFT_DEVICE void rft_guard_merge(rft_guard_partial *all, const rft_guard_partial *more) {
    rft_u64 changed = all->changed + more->changed;
    if (more->distance < all->distance || (more->distance == all->distance && more->band < all->band)) {
        *all = *more;
    }
    all->changed = changed;
}

/* Eight bytes of a band, from `distance` on: at one go where they are a word as the pattern has it. */
RFT_DEVICE void rft_guard_look(const rft_guard_area *areas, rft_u64 band, rft_u64 distance, rft_guard_partial *all) {
    const rft_u8 *lowest = rft_guard_byte(areas, band, band % 2 ? distance : distance + 7);
    rft_u64 address = (rft_u64)(size_t)lowest, end = distance + 8;
    if (address % 8 == 0 && *(const rft_u64 *)(const void *)lowest == rft_mix(address / 8)) {
        return;
    }
    for (; distance < end; distance++) {
        const rft_u8 *at = rft_guard_byte(areas, band, distance);
        if (*at != rft_guard_pattern(at)) {
            rft_guard_partial one = {distance, band, 1};
            rft_guard_merge(all, &one);
        }
    }
}

RFT_DEVICE void rft_guard_check(const rft_guard_area *areas, rft_u32 count, rft_guard_partial *partials) {
    rft_guard_partial all = {~0ull, ~0ull, 0};
    rft_u64 i;
    for (i = 8 * RFT_THREAD; i < 2 * count * RFT_GUARD_BAND; i += 8 * RFT_THREADS) {
        rft_guard_look(areas, i / RFT_GUARD_BAND, i % RFT_GUARD_BAND, &all);
    }
    partials[RFT_THREAD] = all;
}

#ifndef RFT_HOST_KERNELS
RFT_KERNEL rft_guard_mark_kernel(const __grid_constant__ rft_guard_list list, rft_u32 count) {
    rft_guard_mark(list.areas, count);
}

RFT_KERNEL rft_guard_check_kernel(const __grid_constant__ rft_guard_list list, rft_u32 count,
                                  rft_guard_partial *partials) {
    rft_guard_check(list.areas, count, partials);
}
#endif
