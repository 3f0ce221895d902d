/* SPDX-License-Identifier: Apache-2.0 */
/* Seeded contents (rft_fill of model/sweep/spec.h). Element i depends on key and i alone: not on grid or device. */

#define RFT_FILL_IS_UNIFORM 1 /* else INTEGERS */
#define RFT_ORDER_IS_SORTED 1
#define RFT_ORDER_IS_ZIPF 2

/* Rounding must not leave the half-open range: `high` itself becomes its neighbour below. A range that the type cannot
 * represent at all stays at the type's largest value. */
RFT_DEVICE rft_u32 rft_encode_below(double real, double high, int man, int exp, rft_u32 max_bits, int has_infinity) {
    rft_u32 bits = rft_encode_small(real, man, exp, max_bits);
    rft_u32 magnitude = bits & ((1u << (man + exp)) - 1u);
    if (rft_decode_small(bits, man, exp, has_infinity) >= high) {
        if (real > 0) {
            bits -= magnitude > 0 ? 1 : 0;
        } else {
            bits += magnitude < max_bits ? 1 : 0;
        }
    }
    return bits;
}

RFT_DEVICE void rft_store_real(void *out, int type, rft_u64 i, double real, double high) {
    rft_bits32 single;
    switch (type) {
    case RFT_T_F64:
        ((double *)out)[i] = real;
        return;
    case RFT_T_F32:
        single.bits = rft_encode_below(real, high, 23, 8, 0x7F7FFFFFu, 1);
        ((float *)out)[i] = single.real;
        return;
    case RFT_T_F16:
        ((rft_u16 *)out)[i] = (rft_u16)rft_encode_below(real, high, 10, 5, 0x7BFFu, 1);
        return;
    case RFT_T_BF16:
        ((rft_u16 *)out)[i] = (rft_u16)rft_encode_below(real, high, 7, 8, 0x7F7Fu, 1);
        return;
    case RFT_T_E4M3:
        ((rft_u8 *)out)[i] = (rft_u8)rft_encode_below(real, high, 3, 4, 0x7Eu, 0);
        return;
    default:
        ((rft_u8 *)out)[i] = (rft_u8)rft_encode_below(real, high, 2, 5, 0x7Bu, 1);
        return;
    }
}

RFT_DEVICE void rft_store_integer(void *out, int type, rft_u64 i, rft_i64 whole) {
    switch (type) {
    case RFT_T_I8:
    case RFT_T_U8:
        ((rft_u8 *)out)[i] = (rft_u8)whole;
        return;
    case RFT_T_I16:
    case RFT_T_U16:
        ((rft_u16 *)out)[i] = (rft_u16)whole;
        return;
    case RFT_T_I32:
    case RFT_T_U32:
        ((rft_u32 *)out)[i] = (rft_u32)whole;
        return;
    default:
        ((rft_i64 *)out)[i] = whole;
        return;
    }
}

/* Whole numbers in [0, below). ZIPF: P(k) proportional to ln((k + 2) / (k + 1)), near 1 / (k + 1): the continuous form
 * of exponent 1, whose distribution function can be inverted. SORTED: one draw in each of `count` equal strata. */
RFT_DEVICE rft_i64 rft_draw_integer(double unit, rft_u64 i, rft_u64 count, rft_i64 below, int order) {
    double drawn;
    rft_i64 whole;
    if (order == RFT_ORDER_IS_ZIPF) {
        drawn = exp2(unit * log2((double)below + 1.0)) - 1.0;
    } else if (order == RFT_ORDER_IS_SORTED) {
        drawn = ((double)i + unit) / (double)count * (double)below;
    } else {
        drawn = unit * (double)below;
    }
    whole = drawn > 0.0 ? (rft_i64)drawn : 0;
    return whole < below ? whole : below - 1;
}

RFT_KERNEL rft_fill_kernel(void *out, rft_u64 count, int type, int kind, int order, double low, double high,
                           rft_i64 below, rft_u64 key) {
    rft_u64 i;
    for (i = RFT_THREAD; i < count; i += RFT_THREADS) {
        double unit = (double)(rft_mix(key + (i + 1) * 0x9E3779B97F4A7C15ull) >> 11) * rft_pow2(-53);
        if (kind == RFT_FILL_IS_UNIFORM) {
            double real = low + (high - low) * unit;
            real = real < high ? real : low;
            if (type >= RFT_T_I8) {
                rft_store_integer(out, type, i, (rft_i64)floor(real));
            } else {
                rft_store_real(out, type, i, real, high);
            }
        } else {
            rft_i64 whole = rft_draw_integer(unit, i, count, below, order);
            if (type >= RFT_T_I8) {
                rft_store_integer(out, type, i, whole);
            } else {
                rft_store_real(out, type, i, (double)whole, (double)below);
            }
        }
    }
}
