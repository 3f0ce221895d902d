# SPDX-License-Identifier: Apache-2.0
# Kernels on a card before sm_80: where cp.async, hints for L2 and conversions of pairs are missing, plain code stands in.
need_nvrtc
for sweep in embedding softmax rmsnorm reduction bias_dropout decode_mla; do
    rooftune check "$SOURCE/sweeps/$sweep.lua" --arch sm_75 --sample 1
    expect_status 0
    expect_out 'for sm_75 cards, .*failed 0,'
done
# A card that this NVRTC compiles for no more: the replay goes without, and the remedy is no newer one.
command -v python3 >/dev/null && {
    python3 "$SOURCE/tests/cli/personas.py" "$QUICK" . v100
    rooftune run "$SOURCE/sweeps/quick.lua" -d replay:v100.json.gz --budget 2 --no-report -o v100.db
    expect_status 0
    grep -q '^nothing was compiled' out && expect_err 'NVRTC 1.* does not compile for sm_70 any more'
    grep -q 'Install a newer' err && fail "an older card is called newer"
}
# A variant that the card has not takes nothing of the budget.
export RFT_NVRTC=off # compiling changes nothing of it
rooftune run "$SOURCE/sweeps/matmul_bf16_search.lua" -d "replay:$SOURCE/sweeps/recorded/nvidia-h200/matmul_bf16_search.json.gz" \
    --budget 10 --no-report -o ten.db
expect_status 0
expect_out '  10 points: 10 ok'
