/* SPDX-License-Identifier: Apache-2.0 */
/* The front of an .npy file: an error with words and a remedy, or an array that lies behind its header. */
#include "base/npy.h"
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    rft_npy npy;
    rft_err err = RFT_ERR_INIT;
    int rc = rft_npy_parse(&npy, data, size, &err);
    if (rc) {
        require(rc == RFT_E_SOURCE && err.message[0] && err.remedy[0]);
    } else {
        require(npy.offset_bytes <= size && npy.offset_bytes <= RFT_NPY_HEADER_MAX);
        require(npy.item_bytes >= 1 && npy.item_bytes <= 16 && strchr("fiubV", npy.kind));
        require(npy.count <= INT64_MAX / npy.item_bytes && strlen(npy.dtype) < sizeof npy.dtype);
    }
    return 0;
}
