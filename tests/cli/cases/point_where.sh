# SPDX-License-Identifier: Apache-2.0
# A point that `where` leaves out is not run: what leaves it out is told, and the nearest that is allowed.
write_saxpy
sweep s 'over = { n = values(4096) }, tune = { VEC = values(1, 2, 4), BLOCK = values(64, 128, 256) }, where = { "VEC * BLOCK <= 256", function(VEC, n) return VEC * n > 4096 end }'
point() { rooftune point s.lua --arch sm_90a --emit ptx "$@"; }
export RFT_NVRTC=off # a point that is let through gets as far as the compiler
point
expect_error 4 's.lua: `where` of variant saxpy leaves out VEC=1 n=4096: function at s.lua:1'
expect_err 'the nearest that it allows: --set VEC=2 --set BLOCK=64'
point --set VEC=2 --set BLOCK=64
expect_error 7 ''
point --at n=8192
expect_error 7 ''
point --set VEC=2
expect_error 4 'leaves out VEC=2 BLOCK=256: VEC \* BLOCK <= 256'
expect_err 'the nearest that it allows: --set BLOCK=64'
point --at n=1
expect_error 4 'leaves out VEC=1 n=1: '
expect_err 'allows no configuration of this problem'
# What raises an error leaves out as well, as in a run.
sweep e 'over = { n = values(4) }, tune = { VEC = values(1, 2) }, where = { "n // (VEC - 1) > 0" }'
rooftune point e.lua --arch sm_90a --emit ptx
expect_error 4 'leaves out VEC=1 n=4: n // (VEC - 1) > 0 raises an error: '
expect_err 'the nearest that it allows: --set VEC=2'
