/* SPDX-License-Identifier: Apache-2.0 */
/* Quantities and plain numbers: what parses must be finite, not negative, and survive formatting. */
#include "base/arena.h"
#include "base/str.h"
#include "base/units.h"
#include "fuzz/fuzz.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = rft_alloc(size + 1);
    memcpy(text, data ? data : (const uint8_t *)"", size);
    rft_err err = RFT_ERR_INIT;
    char formatted[64];
    double seconds = 0, real = 0, back = 0;
    uint64_t bytes = 0;
    int64_t whole = 0;
    if (rft_units_parse_seconds(&seconds, text, &err) == 0) {
        require(isfinite(seconds) && seconds >= 0);
        rft_units_format_seconds(formatted, sizeof formatted, seconds, 3);
        require(strlen(formatted) > 0);
    } else {
        require(err.code == RFT_E_USAGE && err.message[0] && err.remedy[0]);
    }
    if (rft_units_parse_bytes(&bytes, text, &err) == 0) {
        rft_units_format_bytes(formatted, sizeof formatted, bytes);
        rft_units_format_count(formatted, sizeof formatted, bytes);
    }
    if (rft_text_to_double(text, &real)) {
        rft_str str = RFT_STR_INIT;
        rft_str_add_double(&str, real);
        require(rft_text_to_double(rft_str_get(&str), &back) && back == real);
        rft_str_clear(&str);
        rft_units_format_si(formatted, sizeof formatted, real, 1 + (int)(size % 9), "B/s");
    }
    if (rft_text_to_int64(text, &whole)) {
        rft_units_format_utc(formatted, sizeof formatted, whole);
    }
    static const char *const known[] = {"grid", "block", "shared", "cluster"};
    rft_text_nearest(text, known, 4);
    free(text);
    return 0;
}
