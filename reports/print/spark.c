/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/print/spark.h"

#include <math.h>

#define HEIGHTS 8

int rft_spark_height(double value, const rft_spark_scale *scale) {
    if (isnan(value)) {
        return 0;
    }
    if (!(scale->high > scale->low)) {
        return HEIGHTS;
    }
    double share = (value - scale->low) / (scale->high - scale->low);
    int height = (int)floor(fmin(fmax(share, 0), 1) * HEIGHTS + 1e-9);
    return height < 1 ? 1 : height;
}

void rft_spark_add(rft_str *out, const double *values, size_t count, const rft_spark_scale *scale) {
    for (size_t i = 0; i < count; i++) {
        int height = rft_spark_height(values[i], scale);
        if (height == 0) {
            rft_str_add(out, scale->ascii ? "." : "\xc2\xb7");
        } else if (scale->ascii) {
            rft_str_add_char(out, (char)('0' + height));
        } else {
            const char bar[] = {'\xe2', '\x96', (char)(0x80 + height), '\0'}; /* U+2581 .. U+2588 */
            rft_str_add(out, bar);
        }
    }
}
