/* SPDX-License-Identifier: Apache-2.0 */
/* Checksums, and the joining of partial results. */
/* Eight bytes, 0 behind the end. A variable of a module need not lie on a multiple of eight. */
RFT_DEVICE rft_u64 rft_word_at(const unsigned char *data, rft_u64 bytes, rft_u64 i) {
    const unsigned char *at = data + 8 * i;
    rft_u64 word = 0, b, have = bytes - 8 * i < 8 ? bytes - 8 * i : 8;
    if (have == 8 && ((rft_u64)at & 7) == 0) {
        return *(const rft_u64 *)at;
    }
    for (b = 0; b < have; b++) {
        word |= (rft_u64)at[b] << 8 * b;
    }
    return word;
}

/* Order-dependent sum of the bits: shows whether a kernel wrote to its inputs. */
RFT_KERNEL rft_checksum_kernel(const void *data, rft_u64 bytes, rft_u64 *partials) {
    rft_u64 sum = 0, i;
    for (i = RFT_THREAD; 8 * i < bytes; i += RFT_THREADS) {
        sum += rft_mix(rft_word_at((const unsigned char *)data, bytes, i) ^ (i * 0x9E3779B97F4A7C15ull));
    }
    partials[RFT_THREAD] = sum;
}

/* What the partials are of. */
#define RFT_FOLD_MAGNITUDE 0
#define RFT_FOLD_COMPARE 1
#define RFT_FOLD_CHECKSUM 2
#define RFT_FOLD_GUARD 3

/* Each thread folds its `per` neighbours into one. Of equal errors the one of the lowest index counts. */
RFT_KERNEL rft_fold_kernel(int what, const void *partials, rft_u32 per, void *out) {
    rft_u64 first = RFT_THREAD * per, i;
    if (what == RFT_FOLD_MAGNITUDE) {
        const rft_magnitude_partial *in = (const rft_magnitude_partial *)partials + first;
        rft_magnitude_partial all = in[0];
        for (i = 1; i < per; i++) {
            all.sum += in[i].sum;
            all.count += in[i].count;
        }
        ((rft_magnitude_partial *)out)[RFT_THREAD] = all;
    } else if (what == RFT_FOLD_COMPARE) {
        const rft_compare_partial *in = (const rft_compare_partial *)partials + first;
        rft_compare_partial all = in[0];
        for (i = 1; i < per; i++) {
            rft_u64 wrong = all.wrong + in[i].wrong;
            double squares = all.squares + in[i].squares;
            if (in[i].worst > all.worst || (in[i].worst == all.worst && in[i].index < all.index)) {
                all = in[i];
            }
            all.wrong = wrong;
            all.squares = squares;
        }
        ((rft_compare_partial *)out)[RFT_THREAD] = all;
    } else if (what == RFT_FOLD_GUARD) {
        const rft_guard_partial *in = (const rft_guard_partial *)partials + first;
        rft_guard_partial all = in[0];
        for (i = 1; i < per; i++) {
            rft_guard_merge(&all, &in[i]);
        }
        ((rft_guard_partial *)out)[RFT_THREAD] = all;
    } else {
        const rft_u64 *in = (const rft_u64 *)partials + first;
        rft_u64 all = 0;
        for (i = 0; i < per; i++) {
            all += in[i];
        }
        ((rft_u64 *)out)[RFT_THREAD] = all;
    }
}
