# SPDX-License-Identifier: Apache-2.0
# A cubin or PTX that is given compiled: what check tells of it without a GPU, and what it says of files that are none.
need_nvrtc
export RFT_CACHE="$scratch/cache"
write_saxpy
cat >given.cu <<'CU'
extern "C" __global__ void __launch_bounds__(256) given(const float *x, float *y, float a, long long n) {
    __shared__ float one[32];
    one[threadIdx.x & 31] = a;
    __syncthreads();
    long long i = blockIdx.x * 256ll + threadIdx.x;
    if (i < n) y[i] += one[5] * x[i];
}
CU
# kernel_of FILE SED: kernels/saxpy_kernel.lua with this source and these edits, as NAME.lua's only kernel.
kernel_of() {
    sed "s/saxpy.cu\"/$1\"/; s/saxpy<VEC>/given/; /params/d; s/c.BLOCK \* c.VEC/256/; s/c.BLOCK/256/; s/saxpy_reference.cu:/kernels\/saxpy_reference.cu:/; s/^return/local k =/; $2" \
        kernels/saxpy_kernel.lua >given.lua
    echo 'return sweep { kernel = k, over = { n = values(64, 1024) } }' >>given.lua
}
kernel_of given.cu ''
for arch in sm_90a sm_80; do
    rooftune point given.lua --at n=64 --arch $arch --emit cubin -o $arch.cubin
    expect_status 0
done
rooftune point given.lua --at n=64 --arch sm_90 --emit ptx -o given.ptx
expect_status 0
# told FILE SED TEXT: check accepts it and says so; refused FILE SED TEXT: it fails.
told() { kernel_of "$1" "$2" && rooftune check given.lua && expect_status 0 && expect_out "$3"; }
refused() { kernel_of "$1" "$2" && rooftune check given.lua && expect_error 5 'no configuration' && expect_out "$3"; }
told sm_90a.cubin '' 'given binary sm_90a.cubin: machine code for sm_90a, by ptxas'
expect_out ' given takes 8, 8, 4, 8 bytes, blocks of 256 threads at most$'
expect_out '[1-9][0-9]* registers,    ? B spilled,    128 B shared, occupancy [1-9]'
told given.ptx '' 'given binary given.ptx: '
expect_out ' given takes 8, 8, 4, 8 bytes'
cp given.ptx other.cubin # what it holds counts, not how it is called
told other.cubin '' 'given binary other.cubin: '
rooftune check given.lua --json -
expect_out '"registers":.*"binary":"'
refused given.cu 's/block = 256/block = 512/' 'block has 512 threads: given was compiled for 256 at most'
rooftune point given.lua --at n=64 --arch sm_90a --emit ptx
expect_out '^.visible .entry given'

# What cannot be: the architecture, the entry, the arguments, the launch.
refused sm_80.cubin '' 'sm_80.cubin is for sm_80, the device is sm_90a; build it with -arch=sm_90a'
kernel_of sm_90a.cubin '' && rooftune check given.lua --arch sm_80
expect_out 'sm_90a.cubin is for sm_90a\?, the device is sm_80'
kernel_of given.ptx '' && rooftune check given.lua --arch sm_80
expect_out 'given.ptx is PTX for sm_90, the device is sm_80'
refused sm_90a.cubin 's/"given"/"gvien"/' 'no kernel with the symbol "gvien", did you mean "given"? (it has: given)'
refused given.ptx 's/"given"/"give<4>"/' 'no kernel with the symbol "give<4>", did you mean "given"?'
refused sm_90a.cubin 's/f32(2.0), //' 'launch_failed: given takes 4 parameters, 3 are given'
refused given.ptx 's/i64(p.n)/i32(p.n)/' 'argument 4 of given is i32(1024), 4 bytes: it takes 8 bytes'
refused sm_90a.cubin 's/block = 256/block = 512/' 'block has 512 threads: given was compiled for 256 at most'
refused given.ptx 's/block = 256/block = 512/' 'block has 512 threads: given was compiled for 256 at most'
kernel_of sm_90a.cubin 's/entry/params = { { "BLOCK", 256 } }, entry/' && rooftune check given.lua
expect_error 3 'kernel.params: the source is compiled already'
kernel_of sm_90a.cubin 's/entry/options = { "-DA=1" }, entry/' && rooftune check given.lua
expect_error 3 'kernel.options: the source is compiled already'
kernel_of sm_90a.cubin '' && sed -i 's/over/variants = { { "a", kernel = k, tune = { BLOCK = values(1, 2) } } }, over/; s/kernel = k, v/v/' given.lua
rooftune check given.lua
expect_error 3 'variants\[1\].tune.BLOCK: the kernel is given compiled'

# As a baseline.
kernel_of sm_90a.cubin '' && sed -i 's/return sweep.*/return sweep { kernel = require "kernels.saxpy_kernel", over = { n = values(64, 1024) }, baseline = { k } }/' given.lua
rooftune check given.lua
expect_status 0
expect_out '^  baseline sm_90a$'
expect_out ' given takes 8, 8, 4, 8 bytes'
sed -i 's/f32(2.0), //' given.lua && rooftune check given.lua
expect_error 5 'configurations fail'
expect_out '    given takes 4 parameters, 3 are given'
kernel_of given.cu '' && sed -i 's/return sweep {/return sweep { baseline = { k },/' given.lua
rooftune check given.lua
expect_error 3 'a baseline is a library or a given binary, given is neither'

# Files that are something else.
: >empty.cubin && refused empty.cubin '' 'empty.cubin is neither a cubin'
head -c 20 sm_90a.cubin >tiny.cubin && refused tiny.cubin '' 'cut off or damaged.* of its 20 bytes'
head -c 2000 sm_90a.cubin >short.cubin && refused short.cubin '' 'cut off or damaged'
cp "$ROOFTUNE" host.cubin && refused host.cubin '' 'is an ELF file, but for another machine'
printf 'PTX\0PTX' >nul.ptx && refused nul.ptx '' 'it holds a NUL byte'
printf '\120\355\125\272fat' >fat.fatbin && refused fat.fatbin '' 'is a fat binary; take the cubin out of it'
{ head -c 4 sm_90a.cubin && printf '\001' && tail -c +6 sm_90a.cubin; } >class.cubin && refused class.cubin '' 'of 32 bits'
mkfifo pipe.cubin && kernel_of pipe.cubin '' && rooftune check given.lua
expect_error 5 'kernel.source: .*pipe.cubin is no file'
kernel_of '..\/..\/..\/..\/..\/..\/bin\/true' 's/true"/true.cubin"/' && rooftune check given.lua
expect_err 'there is no file'
mkdir -p outside inside && cp sm_90a.cubin outside/far.cubin && kernel_of '..\/outside\/far.cubin' 's/kernels/..\/kernels/' && mv given.lua inside
rooftune check inside/given.lua
expect_error 3 'far.cubin.*outside'

# Facts that a compiler left beside it; and its bytes are part of what the sweep is.
echo '{ "name": "given", "num_warps": 8, "shared": 0, "none": null }' >given.json
kernel_of sm_90a.cubin 's/"given"/json("given.json").name/; s/block = 256/block = json and 32 * META.num_warps, shared = META.shared/; 1i local META = json "given.json"'
rooftune check given.lua
expect_status 0
expect_out ' given takes 8'
sed -i 's/8,/4,,/' given.json
rooftune check given.lua
expect_error 3 'json: given.json'
need_recording
kernel_of sm_90a.cubin ''
rooftune run given.lua -d "replay:$QUICK" --no-report -o a.db
rooftune show a.db
printf 'x' >>sm_90a.cubin
rooftune run given.lua -d "replay:$QUICK" --no-report -o a.db
expect_error 9 'sm_90a.cubin is another than when this run began'
