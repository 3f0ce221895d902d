/* SPDX-License-Identifier: Apache-2.0 */
/* mix_package.h - the mixes that runs were sent with (`run --mix ... --package`), as one book. */
#ifndef RFT_CLI_MIX_PACKAGE_H
#define RFT_CLI_MIX_PACKAGE_H

#include "model/mix/mix.h"
#include "model/run/run.h"

/* What the packages among `runs` hold; *out NULL: none holds a mix. Several have to hold the same operations, and the
 * same assumptions but for prices of devices and names: of those each has its own, and of two cards of one model, each
 * its bidder's price. RFT_E_USAGE: they differ. RFT_E_SCRIPT: they are no mixes, or of two currencies. In `arena`. */
int rft_mix_packages_read(rft_mix_book **out, const rft_run *const *runs, size_t count, rft_arena *arena, rft_err *err);

#endif
