# SPDX-License-Identifier: Apache-2.0
# What `run` looks at before it measures, with a driver of our own: what ends it is told with its place and a remedy.
need_nvrtc
[ -f "$FAKE_CUDA/libcuda.so.1" ] || skip "no driver of our own: built without CUDA's headers"
export LD_LIBRARY_PATH="$FAKE_CUDA${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
write_saxpy
two='over = { n = values(1024) }, tune = { VEC = values(1, 2), BLOCK = values(64, 128) }'
sweep good "$two"
rooftune check good.lua
# refused NAME EDIT STATUS MESSAGE: sed's edit of the kernel's script; of two files this is the second.
refused() {
    sed "$2" kernels/saxpy_kernel.lua >kernels/$1.lua
    printf 'return sweep { kernel = require "kernels.%s", %s }\n' "$1" "$two" >"$1.lua"
    rooftune check "$1.lua" # into the cache: what is compiled late is looked at late
    for try in 1 2 3; do # status 6: this driver's kernels, on a machine too busy for an answer in time
        rooftune run good.lua "$1.lua" -o "$1.db" --no-report --fresh
        [ "$status" = 6 ] || break
    done
    expect_error "$3" "$4"
    rooftune show "$1.db"
    ! grep -q 'fastest\|GB/s' out || fail "$1: something was measured"
}
refused few 's/f32(2.0), //' 5 'kernels/few.lua:1: sweep few, variant [a-z]*: saxpy<1> takes 4 parameters, 3 are given: x, y, one i64'
# Failures are not cached: everything is compiled anew, and rooftune's own kernels, which are larger, are waited for.
export RFT_CACHE=off
refused typo 's/"saxpy<VEC>"/"sapxy<VEC>"/' 5 'kernels/typo.lua:1: sweep typo, variant [a-z]*: saxpy.cu has no kernel sapxy; did you mean saxpy?'
refused unnamed 's/:saxpy_reference/:saxpy_ref/' 5 'saxpy_reference.cu: the reference saxpy_reference.cu:saxpy_ref does not compile'
refused nowhere 's/saxpy_reference.cu/none.cu/' 5 'there is no file'
export RFT_CACHE="$scratch/cache"
sed 's/block = c.BLOCK }/block = 4096 }/' kernels/saxpy_kernel.lua >kernels/block.lua
printf 'return sweep { kernel = require "kernels.block", %s }\n' "$two" >block.lua
rooftune run block.lua -o block.db --no-report
expect_error 12 'nothing can run on NVIDIA Fake: each of 4 configurations exceeds it; the first: block.x is 4096'
# A plan asks the device only what it is.
rooftune run good.lua --dry-run
expect_status 0
expect_out '^4 of 4 combinations are valid on NVIDIA Fake; nothing was measured'
