# SPDX-License-Identifier: Apache-2.0
# Compiles what a replay of the quick sweep compiles, once: need_recording hands it to the cases that replay it, too.
[ -f "$QUICK" ] || exit 0
mkdir -p "$(dirname "$QUICK_CUBINS")"
RFT_CACHE=$QUICK_CUBINS
rooftune run "$SOURCE/sweeps/quick.lua" -d replay:"$QUICK" -o quick.db --no-report
expect_status 0
