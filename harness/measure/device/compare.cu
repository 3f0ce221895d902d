/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Judging every element of an output. Each thread writes one partial result; these are folded in order, first on the
 * device, the last few by the host: no atomics, so the same buffers always give the same bits.
 */
#define RFT_LARGEST 1.7976931348623157e308

typedef struct rft_magnitude_partial {
    double sum;
    rft_u64 count; /* finite reference values */
} rft_magnitude_partial;

typedef struct rft_compare_partial {
    double worst;   /* -1: the thread had no element */
    double squares; /* sum of the squared fractions */
    rft_u64 index;
    rft_u64 wrong;
    double got, want; /* at index */
} rft_compare_partial;

/* An infinite reference value must not make the scale, and so every tolerance, infinite. */
RFT_KERNEL rft_magnitude_kernel(const void *ref, int ref_type, rft_u64 count, rft_magnitude_partial *partials) {
    rft_magnitude_partial partial = {0.0, 0};
    rft_u64 i;
    for (i = RFT_THREAD; i < count; i += RFT_THREADS) {
        double magnitude = fabs(rft_load_real(ref, ref_type, i));
        if (magnitude <= RFT_LARGEST) {
            partial.sum += magnitude;
            partial.count++;
        }
    }
    partials[RFT_THREAD] = partial;
}

/* |out - ref| / (tol * (|ref| + scale)); 0 when equal, infinite when either is NaN. */
RFT_DEVICE double rft_error_frac(double got, double want, double tol, double scale) {
    double allowed = tol * (fabs(want) + scale);
    double error = fabs(got - want);
    if (got == want) {
        return 0.0;
    }
    if (!(error <= RFT_LARGEST) || !(allowed > 0.0)) { /* NaN, or only one of them infinite */
        return rft_from_bits(0x7FF0000000000000ull);
    }
    return error / allowed;
}

RFT_KERNEL rft_compare_kernel(const void *out, int out_type, const void *ref, int ref_type, rft_u64 count, double tol,
                              double scale, rft_compare_partial *partials) {
    rft_compare_partial partial = {-1.0, 0.0, 0, 0, 0.0, 0.0};
    rft_u64 i;
    for (i = RFT_THREAD; i < count; i += RFT_THREADS) {
        double got = rft_load_real(out, out_type, i);
        double want = rft_load_real(ref, ref_type, i);
        double frac;
        if (out_type >= RFT_T_I8 && rft_load_integer(out, out_type, i) == rft_load_integer(ref, ref_type, i)) {
            frac = 0.0;
        } else {
            frac = rft_error_frac(got, want, tol, scale);
            if (out_type >= RFT_T_I8 && got == want) {
                frac = rft_error_frac(got + 1.0, got, tol, scale); /* 64-bit values that differ below 2^-53 */
            }
        }
        partial.squares += frac * frac;
        if (frac > partial.worst) {
            partial.worst = frac;
            partial.index = i;
            partial.got = got;
            partial.want = want;
        }
        if (frac > 1.0) {
            partial.wrong++;
        }
    }
    partials[RFT_THREAD] = partial;
}

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
