# SPDX-License-Identifier: Apache-2.0
write_saxpy
cat >s.lua <<'LUA'
return sweep {
  kernel = require "kernels.saxpy_kernel",
  over = { n = values(2^10, 2^20) },
  tune = { VEC = values(1, 2, 4), BLOCK = values(128, 256, 512, 1024) },
  where = { function(VEC, BLOCK) return VEC * BLOCK <= 2048 end },
}
LUA
rooftune check s.lua --sample 0 --json -
expect_status 0
expect_out '^{.*"configurations":24'
expect_out '"valid":22'
rooftune check s.lua --sample 0 --json counts.json
expect_status 0
grep -q '"valid":22' counts.json || fail "counts.json lacks the counts"
rooftune check s.lua s.lua
expect_error 2 'takes one sweep'
rooftune check s.lua --sample some
expect_error 2 '"some"'
for meant in 90:sm_90a compute_80:sm_80 8.9:sm_89 sm_90A:sm_90a sm120:sm_120a; do
    rooftune check s.lua --arch "${meant%:*}"
    expect_error 2 "did you mean \"${meant#*:}\"?"
done
rooftune s.lua
expect_error 2 'unknown command "s.lua"'
expect_err 'remedy: rooftune check s.lua'
rooftune saxpy.cu
expect_err 'remedy: rooftune new saxpy.cu'
rooftune check s.lua --arch sm_12
expect_error 2 'unknown architecture "sm_12"'
expect_err 'sm_90a'
need_nvrtc
for arch in sm_80 sm_90a sm_100a; do
    rooftune check s.lua --arch $arch --sample 3
    expect_status 0
    expect_out '22 of 24 valid over all problems$'
    expect_out '^    compiled for n=1048576:$'
    expect_out 'BLOCK=.* registers, .* spilled, .* shared, occupancy'
    expect_out "^for $arch .*compiled 3, failed 0"
done
rooftune point s.lua --arch sm_100a --emit ptx --set VEC=4
expect_status 0
expect_out '^.target sm_100a'
rooftune point s.lua --arch sm_100a --emit ptx --set VC=4
expect_error 2 'no parameter "VC", did you mean "VEC"'
rooftune point s.lua --arch sm_100a --emit ptx --at m=4
expect_error 2 'no axis "m"'
rooftune point s.lua --arch sm_100a --emit ptx --set VEC
expect_error 2 'NAME=value'
rooftune point s.lua --arch sm_100a --emit sass
expect_error 2 '"sass"'
rooftune point s.lua --arch sm_100a --emit log
expect_status 0
expect_out 'saxpy<1>: .* registers'
