/* SPDX-License-Identifier: Apache-2.0 */
#include "model/sweep/vendor_math.h"

#include "base/str.h"

static const struct {
    const char *name;
    rft_type input, output;
} maths[] = {
#define VENDOR_ROW(name, in, out, text, cc) {text, RFT_TYPE_##in, RFT_TYPE_##out},
    RFT_VENDOR_MATH_MAP(VENDOR_ROW)
#undef VENDOR_ROW
};

const char *rft_vendor_math_name(rft_vendor_math math) {
    return maths[math].name;
}

bool rft_vendor_math_from_name(rft_vendor_math *out, const char *name) {
    for (int i = 0; i < RFT_VENDOR_MATH_COUNT; i++) {
        if (rft_text_equal(maths[i].name, name)) {
            *out = (rft_vendor_math)i;
            return true;
        }
    }
    return false;
}

bool rft_vendor_math_of_type(rft_vendor_math *out, rft_type input) {
    for (int i = 0; i < RFT_VENDOR_MATH_COUNT; i++) {
        if (rft_vendor_math_reads((rft_vendor_math)i, input)) {
            *out = (rft_vendor_math)i; /* fp32 comes before tf32 */
            return true;
        }
    }
    return false;
}

bool rft_vendor_math_reads(rft_vendor_math math, rft_type input) {
    return input == maths[math].input || (math == RFT_VENDOR_FP8 && input == RFT_TYPE_E5M2);
}

rft_type rft_vendor_input_type(rft_vendor_math math) {
    return maths[math].input;
}

rft_type rft_vendor_output_type(rft_vendor_math math) {
    return maths[math].output;
}

bool rft_vendor_math_writes(rft_vendor_math math, rft_type output) {
    bool narrow = math == RFT_VENDOR_FP16 || math == RFT_VENDOR_BF16 || math == RFT_VENDOR_FP8;
    return output == maths[math].output || (narrow && output == RFT_TYPE_F32) ||
           (math == RFT_VENDOR_FP8 && output == RFT_TYPE_F16);
}

enum { SCALED = 128, FILLED = 4 };

static const char *const scales[] = {
#define VENDOR_SCALE_TEXT(name, text) text,
    RFT_VENDOR_SCALE_MAP(VENDOR_SCALE_TEXT)
#undef VENDOR_SCALE_TEXT
};

const char *rft_vendor_scale_name(rft_vendor_scale scale) {
    return scales[scale];
}

bool rft_vendor_scale_from_name(rft_vendor_scale *out, const char *name) {
    for (int i = 0; i < RFT_VENDOR_SCALE_COUNT; i++) {
        if (rft_text_equal(scales[i], name)) {
            *out = (rft_vendor_scale)i;
            return true;
        }
    }
    return false;
}

static int64_t ceil_div(int64_t a, int64_t b) {
    return (a + b - 1) / b;
}

int64_t rft_vendor_scales_of_a(rft_vendor_scale scale, int64_t m, int64_t k) {
    return scale == RFT_VENDOR_SCALE_TENSOR   ? 1
           : scale == RFT_VENDOR_SCALE_ROWS   ? m
           : scale == RFT_VENDOR_SCALE_BLOCKS ? m * ceil_div(k, SCALED)
                                              : 0;
}

int64_t rft_vendor_scales_of_b(rft_vendor_scale scale, int64_t n, int64_t k) {
    return scale == RFT_VENDOR_SCALE_TENSOR   ? 1
           : scale == RFT_VENDOR_SCALE_ROWS   ? n
           : scale == RFT_VENDOR_SCALE_BLOCKS ? ceil_div(n, SCALED) * ceil_div(ceil_div(k, SCALED), FILLED) * FILLED
                                              : 0;
}

static const struct {
    const char *name;
    bool has_bias;
} epilogues[] = {
#define VENDOR_EPILOGUE_ROW(name, text, vector) {text, vector},
    RFT_VENDOR_EPILOGUE_MAP(VENDOR_EPILOGUE_ROW)
#undef VENDOR_EPILOGUE_ROW
};

const char *rft_vendor_epilogue_name(rft_vendor_epilogue epilogue) {
    return epilogues[epilogue].name;
}

bool rft_vendor_epilogue_from_name(rft_vendor_epilogue *out, const char *name) {
    for (int i = 0; i < RFT_VENDOR_EPILOGUE_COUNT; i++) {
        if (rft_text_equal(epilogues[i].name, name)) {
            *out = (rft_vendor_epilogue)i;
            return true;
        }
    }
    return false;
}

bool rft_vendor_epilogue_has_bias(rft_vendor_epilogue epilogue) {
    return epilogues[epilogue].has_bias;
}
