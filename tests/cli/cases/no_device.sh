# SPDX-License-Identifier: Apache-2.0
write_saxpy
mkdir kernels && mv saxpy_kernel.lua saxpy.cu saxpy_reference.cu kernels/
printf 'return sweep { kernel = require "kernels.saxpy_kernel", over = { n = values(4) } }\n' >s.lua
rooftune devices
expect_status 0
grep -q "^device 0" out && skip "there is a GPU here"
expect_out 'remedy'
rooftune run s.lua
[ "$status" = 6 ] || [ "$status" = 7 ] || fail "expected 6 or 7"
expect_err 'remedy'
rooftune run s.lua -d seven
expect_status 2
rooftune ceilings
[ "$status" = 6 ] || [ "$status" = 7 ] || fail "expected 6 or 7"
