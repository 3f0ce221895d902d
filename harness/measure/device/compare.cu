/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Judging every element of an output. Each thread writes one partial result; these are folded in order, first on the
 * device, the last few by the host: no atomics, so the same buffers always give the same bits.
 */
#define RFT_LARGEST 1.7976931348623157e308

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
