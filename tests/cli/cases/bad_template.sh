# SPDX-License-Identifier: Apache-2.0
# A template that does not compile: the compiler's log, with the configuration.
need_nvrtc
write_saxpy
sed -i 's/y\[i + k\] += a/y[i + k] += b/' kernels/saxpy.cu
sweep s 'over = { n = values(4, 8) }, tune = { BLOCK = values(128, 256) }'
rooftune check s.lua
expect_error 5 'no configuration of the sample compiles'
expect_out 'VEC=1 BLOCK=256 .*compile_failed'
expect_out 'saxpy.cu(3): error: identifier "b" is undefined'
expect_out '^the compiler, of 2 configurations:$'
[ "$(grep -c '1 error detected' out)" = 1 ] || fail "the log does not stand there once"
rooftune check s.lua --json -
expect_status 5
expect_out '"log":"saxpy.cu(3): error'
rooftune point s.lua --arch sm_90a --emit log --set BLOCK=128
expect_error 5 's, saxpy: n=4 VEC=1 BLOCK=128: it does not compile, the log says why'
expect_out 'identifier "b" is undefined'
grep -q 'registers' out && fail "registers of what did not compile"
rooftune point s.lua --arch sm_90a --emit cubin # stdout is text: what is none came out mangled
expect_status 2
expect_err 'name a file: -o FILE.cubin'
rooftune point s.lua --arch sm_90a --emit cubin -o s.cubin
expect_error 5 's, saxpy: n=4 VEC=1 BLOCK=256: it does not compile'
expect_err 'identifier "b" is undefined'
[ ! -e s.cubin ] || fail "a cubin was left behind"
need_recording
rooftune run s.lua -d "replay:$QUICK" -o s.db --no-report
expect_error 5 'sweep s, n=4, VEC=1 BLOCK=.*no configuration compiles'
expect_err 'saxpy.cu(3): error: identifier "b" is undefined'
rooftune show s.db
expect_status 0
expect_out '4 compile_failed: saxpy.cu(3): error'
expect_out 'e.g. n=4, VEC=1 BLOCK='
expect_out '      1 error detected'
