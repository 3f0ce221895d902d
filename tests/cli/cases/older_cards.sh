# SPDX-License-Identifier: Apache-2.0
# Kernels on a card before sm_80: where cp.async, hints for L2 and conversions of pairs are missing, plain code stands in.
need_nvrtc
for sweep in embedding softmax rmsnorm reduction bias_dropout decode_mla; do
    rooftune check "$SOURCE/sweeps/$sweep.lua" --arch sm_75 --sample 1
    expect_status 0
    expect_out 'for sm_75 cards, .*failed 0,'
done
# A variant that the card has not takes nothing of the budget.
rooftune run "$SOURCE/sweeps/matmul_bf16_search.lua" -d "replay:$SOURCE/sweeps/recorded/nvidia-h200/matmul_bf16_search.json.gz" \
    --budget 10 --no-report -o ten.db
expect_status 0
expect_out '  10 points: 10 ok'
