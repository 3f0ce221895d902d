# SPDX-License-Identifier: Apache-2.0
# The step of sm_100a, which no card has run: only when it is asked for, and there it compiles.
need_nvrtc
ladder=$SOURCE/sweeps/matmul_bf16.lua
rooftune point "$ladder" --arch sm_100a --at n=4096 --variant 'tcgen05 (never run)' --emit ptx -- tcgen05
expect_status 0
expect_out 'tcgen05.mma.cta_group::1.kind::f16'
expect_out 'tcgen05.dealloc'
rooftune check "$ladder" --arch sm_100a --sample 0
expect_status 0
grep -q tcgen05 out && fail "it is there unasked"
rooftune check "$ladder" --arch sm_90a --sample 0 -- tcgen05
expect_status 0
expect_out 'tcgen05 (never run): 0 of 42 valid'
rooftune check "$ladder" --sample 0 -- tcgen5
[ "$status" != 0 ] || fail "a misspelt argument is taken"
expect_err 'an argument is a size or tcgen05, not "tcgen5"'
# Its ceiling alone.
rooftune point "$SOURCE/sweeps/wgmma_port.lua" --arch sm_100a --at columns=256 --emit ptx -- tcgen05
expect_status 0
expect_out 'tcgen05.mma.cta_group::1.kind::f16'
rooftune check "$SOURCE/sweeps/wgmma_port.lua" --arch sm_90a --sample 0 -- tcgen05
expect_error 4 'no configuration is valid' "tensor memory is sm_100a's alone"
