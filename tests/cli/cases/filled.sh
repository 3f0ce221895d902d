# SPDX-License-Identifier: Apache-2.0
# Inputs that kernels of the sweep's fill, and inputs from .npy files: what check says of them, with no GPU.
need_nvrtc
from=$SOURCE/tests/gpu/sweeps
cp "$from"/filled.lua "$from"/filled.cu "$from"/filled_inputs.cu "$from"/filled_x.npy .
# told EDIT STATUS WORDS: of filled.lua, changed by sed, check says so
told() {
    sed "$1" filled.lua >s.lua
    rooftune check s.lua --sample 1
    expect_status "$2"
    cat err >>out
    expect_out "$3"
}
told '' 0 'fill of cols filled_inputs.cu:cols compiles'
expect_out 'compiled 1, failed 0'
rooftune check filled.lua --all --json all.json # the odd problem has contents of its own, and the same code
expect_status 0
expect_file all.json
[ "$(grep -o '"fill"' all.json | wc -l)" = 4 ] || fail "a fill is compiled again for another problem"

# Names, order, arguments.
told 's/"rows", i32(p.m), i32/"row", i32(p.m), i32/' 3 's.lua:1[67]: buffers.cols.from.args\[1\]: no input has the name "row", did you mean "rows"'
told 's/"rows", i32(p.m), i32/"cols", i32(p.m), i32/' 3 'cols is the buffer itself'
told 's/:rows", args = { i32(p.m)/:rows", args = { "cols"/' 3 'a circle: cols needs rows, which needs cols'
told 's/"rows", i32(p.m), i32(p.n)/"rows", p.m, p.n/' 3 'buffers.cols.from.args\[2\]: a plain number has no type'
told 's/y = inout(f32/y = output(f32/' 3 'expected no fill: only input and inout'
told 's/grid = 1, block = 1/grid = resident()/' 3 'buffers.order.from.grid: resident() is for what is measured'
told 's/grid = 1, block = 1/grids = 1/' 3 'from.grids: unknown key, did you mean "grid"'
told 's/filled_inputs.cu:shuffle/filled_inputs.cu/' 3 'expected "FILE.cu:NAME"'
told 's/filled_inputs.cu:shuffle/gone.cu:shuffle/' 5 'there is no file gone.cu'
told 's/"rows", i32(p.m), i32(p.n)/"rows", i32(p.m)/' 5 'cols takes 6 parameters, 5 are given: cols, one u64, one u64, rows, one i32'
expect_out 'the fill of cols filled_inputs.cu:cols cannot be launched'
told 's/"rows", i32(p.m), i32(p.n)/"rows", i32(p.m), i32(p.n), f32(1)/' 0 'the fill of cols: cols takes 6 parameters, 7 are given: argument 7, one f32, is never read'
told 's/order = input(i32/order = input(u8/' 0 'fill of order' # whole numbers carry anything, and shuffle is extern "C"
told 's/y = inout(f32/y = inout(f64/' 5 'argument 1 of ramp<float> is the buffer y of f64: it takes float \*'
told 's/:shuffle/:shufle/' 5 'the fill of order filled_inputs.cu:shufle does not compile'
told 's/, grid = 1, block = 1/, block = 2048/' 12 'the fill of order (filled_inputs.cu:shuffle): block.x is 2048, the device allows 1024'
told 's/, grid = 1, block = 1/, options = { "--options-file=x" }/' 3 'from.options'

# A fill of a constant is a fill like others.
told 's/^    launch = /    constants = { gain = input(f32, 4, from "filled_inputs.cu:ramp<float>") },\n&/' 5 'constant gain: filled.cu has no'
told 's/^    launch = /    constants = { gain = input(f32, 4, from { "filled_inputs.cu:ramp<float>", args = { "rowz" } }) },\n&/' 3 'constants.gain.from.args\[1\]: no input has the name "rowz"'

# The file: header, size, place.
told 's/x = input(f32/x = input(f64/' 3 'filled_x.npy holds "<f4", and f64 is <f8 there'
told 's/x = input(f32, p.n/x = input(f32, p.m/' 3 'filled_x.npy holds 512 elements, the buffer has 4096'
told 's/filled_x.npy/none.npy/' 5 'there is no file none.npy'
told 's/filled_x.npy/filled.cu/' 5 'filled.cu: it is no .npy file'
head -c 2000 filled_x.npy >short.npy
told 's/filled_x.npy/short.npy/' 5 'short.npy: it ends early: its header tells of 2176 bytes, the file has 2000'
mkdir -p inner outer
cp filled* inner
cp filled_x.npy outer
ln -s ../outer/filled_x.npy inner/linked.npy
for name in ../outer/filled_x.npy linked.npy; do
    sed "s#filled_x.npy#$name#" filled.lua >inner/s.lua
    rooftune check inner/s.lua --sample 1
    expect_error 3 'outside of what a sweep may read'
    rooftune check inner/s.lua --sample 1 --allow-path outer
    expect_status 0
done

# What was read is stored by its hash: a run is not continued on other contents.
need_recording
run="run filled.lua -d replay:$QUICK --no-report -o f.db"
rooftune $run
rooftune report f.db -o f.md
grep -q "filled_x.npy | input | $(sha256sum filled_x.npy | cut -c1-64)" f.md || fail "the page has no hash of the file"
cp filled_x.npy kept.npy
printf '\001' | dd of=filled_x.npy bs=1 seek=2000 conv=notrunc 2>dd.err
rooftune $run
expect_error 9 'filled_x.npy is another than when this run began'
cp kept.npy filled_x.npy
echo "// another" >>filled_inputs.cu
rooftune $run
expect_error 9 'filled_inputs.cu is another than when this run began'
cp "$from/filled_inputs.cu" .
echo "// the kernel itself may be mended" >>filled.cu
rooftune $run
expect_status 12
