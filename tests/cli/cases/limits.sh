# SPDX-License-Identifier: Apache-2.0
# What exceeds the device is skipped with its numbers, in `check` and in a run; the rest goes on.
need_nvrtc
write_saxpy
cd kernels
sed 's/block = c.BLOCK/block = c.BLOCK, shared = c.BLOCK * 1024/' saxpy_kernel.lua >dynamic_kernel.lua
sed 's/saxpy.cu"/static.cu"/' saxpy_kernel.lua >static_kernel.lua
cat >static.cu <<'CU'
template <int VEC> __global__ void saxpy(const float *x, float *y, float a, long long n) {
    __shared__ float s[BLOCK * 128];
    s[threadIdx.x * 128] = a * x[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < n) y[threadIdx.x] = s[(threadIdx.x + 1) % BLOCK * 128];
}
CU
cd ..
# skipped NAME KERNEL FIELDS PATTERN: the pattern is why, here and in a replayed run.
skipped() {
    printf 'return sweep { kernel = require "kernels.%s_kernel", %s }\n' "$2" "$3" >"$1.lua"
    rooftune check "$1.lua"
    expect_status 0
    expect_out "skipped: $4"
    expect_out 'skipped 1$'
    [ -f "$QUICK" ] || return 0
    rooftune run "$1.lua" -d "replay:$QUICK" -o "$1.db" --no-report
    expect_error 12 'the recording has no such point'
    expect_out "1 skipped: $4"
    expect_out '1 not_recorded'
}
skipped block saxpy 'over = { n = values(8) }, tune = { BLOCK = values(128, 2048) }' 'block.x is 2048, the device allows 1024'
skipped dynamic dynamic 'over = { n = values(8) }, tune = { BLOCK = values(128, 256) }' 'dynamic shared memory (bytes) is 262144, the device allows 232448'
skipped static static 'over = { n = values(8) }, tune = { BLOCK = values(128, 512) }' '262144 bytes of shared memory per block (262144 static), the'
skipped memory saxpy 'over = { n = values(8, 2^37) }' 'needs 2560.0 of [0-9.]* GiB'
# A compile that takes longer than it may costs itself; the sweep's own limit is overridden, in both directions.
sweep slow 'over = { n = values(8) }, measure = { compile_timeout = "1m" }'
rm -rf "$RFT_CACHE" # from which it takes a millisecond
rooftune check slow.lua --compile-timeout 2ms
expect_out 'timed_out: no end after 0.002 s'
sweep quick 'over = { n = values(8) }, measure = { compile_timeout = "2ms" }'
rooftune check quick.lua --compile-timeout 1m
expect_status 0
expect_out 'compiled 1, failed 0'
if [ -f "$QUICK" ]; then
    rm -rf "$RFT_CACHE"
    rooftune run slow.lua -d "replay:$QUICK" -o slow.db --no-report --compile-timeout 2ms
    expect_status 12
    expect_out '1 timed_out: no end after 0.002 s'
fi
