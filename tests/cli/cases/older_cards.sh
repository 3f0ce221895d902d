# SPDX-License-Identifier: Apache-2.0
# Kernels on a card before sm_80: where cp.async, hints for L2 and conversions of pairs are missing, plain code stands in.
need_nvrtc
for sweep in embedding softmax rmsnorm reduction bias_dropout decode_mla; do
    rooftune check "$SOURCE/sweeps/$sweep.lua" --arch sm_75 --sample 1
    expect_status 0
    expect_out 'for sm_75 cards, .*failed 0,'
done
rooftune check "$SOURCE/sweeps/matmul_bf16_search.lua" --arch sm_75
expect_error 4 'no configuration is valid'
expect_err "remedy: .*take sweeps/matmul_search.lua"
