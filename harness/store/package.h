/* SPDX-License-Identifier: Apache-2.0 */
/* package.h - inside of the store room: the bytes of a package (store.h, docs/mix.md), before gzip and files. */
#ifndef RFT_STORE_PACKAGE_H
#define RFT_STORE_PACKAGE_H

#include "base/hash.h"
#include "base/str.h"
#include "store/store.h"

#define RFT_PACKAGE_FOLDER "rooftune-package/"
#define RFT_PACKAGE_MIX_BYTES ((size_t)1 << 20) /* of mix.json */

/* Is it a tar archive, of whatever? */
bool rft_package_is(const char *bytes, size_t size);
/* Appends the archive and tells the digest. Equal parts give equal bytes. */
void rft_package_bytes(const rft_package_parts *parts, rft_str *out, char digest[RFT_HASH_HEX_SIZE]);
/* Reads it; nothing is put on the disk. RFT_E_RECORDING: no package, truncated, holds what no package does, a checksum
 * that is not that of its file; errors of the recording in it. */
int rft_package_parse(rft_run **out, const char *bytes, size_t size, const char *what, rft_err *err);

#endif
