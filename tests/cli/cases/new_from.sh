# SPDX-License-Identifier: Apache-2.0
# `new --from`: a T1 file's kernel, unmodified, becomes a sweep that check accepts; what cannot be had is said by name.
mkdir -p hub/inner
cat >hub/inner/blur.cu <<'CU'
#ifndef taps
#define taps 9
#endif
#define width 512
#define most 33
__constant__ float d_weights[most * 2]; // large enough for all
__global__ void blur(float *end, float *in, float *weights) {
    int x = (blockIdx.x * block_size_x + threadIdx.x) * tile_size_x, y = blockIdx.y;
#if use_padding == 1 && block_size_z == 1
    for (int t = 0; t < tile_size_x && x + t < width; t++) {
        float sum = 0;
        for (int k = 0; k < taps; k++) sum += in[y * (width + taps - 1) + x + t + k] * d_weights[k];
        end[y * width + x + t] = sum;
    }
#endif
}
__global__ void blur_naive(float *end, float *in, float *weights) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    float sum = 0;
    for (int k = 0; k < taps; k++) sum += in[y * (width + taps - 1) + x + k] * weights[k];
    if (x < width) end[y * width + x] = sum;
}
CU
cat >hub/blur.json <<'JSON'
{ "ConfigurationSpace": { "TuningParameters": [
    { "Name": "block_size_x", "Type": "int", "Values": "[32 * i for i in range(1, 5)]", "Default": 32 },
    { "Name": "tile_size_x", "Type": "int", "Values": "[1, 2]", "Default": 2 },
    { "Name": "use_padding", "Type": "int", "Values": "[0, 1]", "Default": 0 },
    { "Name": "taps", "Type": "int", "Values": "[5]", "Default": 17 } ],
  "Conditions": [ { "Expression": "use_padding != 0 and block_size_x * tile_size_x <= 128", "Parameters": [ "use_padding" ] } ] },
  "KernelSpecification": { "Language": "CUDA", "CompilerOptions": [ "-std=c++17", "-O3" ], "KernelName": "blur",
  "KernelFile": "elsewhere/inner/blur.cu.hip", "GlobalSizeType": "CUDA", "LocalSize": { "X": "block_size_x", "Y": "1", "Z": "1" },
  "GlobalSize": { "X": "262144 // block_size_x" }, "GridDivX": [ "block_size_x", "tile_size_x" ], "GridDivY": [ "1" ],
  "ProblemSize": [ 512, 64 ], "SharedMemory": 0, "Stream": null, "Arguments": [
    { "Name": "out", "Type": "float", "MemoryType": "Vector", "AccessType": "WriteOnly", "FillType": "Constant",
      "Size": "ProblemSize[0]*ProblemSize[1]", "FillValue": 0.0, "Output": 1 },
    { "Name": "image", "Type": "float", "MemoryType": "Vector", "AccessType": "ReadOnly", "FillType": "Random",
      "Size": "(ProblemSize[0]+max(taps)-1) * ProblemSize[1]", "FillValue": 1.0 },
    { "Name": "d_weights", "Type": "float", "MemoryType": "Vector", "AccessType": "ReadOnly", "MemType": "Constant",
      "FillType": "Random", "Size": "max(taps)", "FillValue": 1.0 } ] } }
JSON
rooftune new --from hub/blur.json
expect_error 5 'KernelSpecification.KernelFile: elsewhere/inner/blur.cu.hip is not there'
expect_err 'rooftune new KERNEL.cu --from hub/blur.json'
for outside in /etc/passwd ../../../../../etc/passwd; do # nothing of it is read
    sed "s#elsewhere/inner/blur.cu.hip#$outside#" hub/blur.json >hub/outside.json
    rooftune new --from hub/outside.json
    expect_error 5 "KernelFile: $outside \(lies neither beside it nor in the folder above\|is not there\)"
done
sed -i 's/elsewhere.inner/inner/' hub/blur.json
rooftune new --from hub/blur.json
expect_status 0
expect_err 'next: rooftune check hub/blur.lua'
has() { grep -q -- "$1" hub/blur.lua || fail "no $1 in $(cat hub/blur.lua)"; }
has 'source  = "inner/blur.cu"'
has 'end_ = output(f32, p.size_x \* p.size_y)\|arg1 = output(f32, p.size_x \* p.size_y)'
has 'input(f32, ((p.size_x + 5) - 1) \* p.size_y, uniform(0, 1))'
has '"d_weights"\] = input(f32, 33 \* 2, uniform(0, 1))'
has 'grid  = { ceil_div(p.size_x, c.block_size_x \* c.tile_size_x), p.size_y }'
has 'options = { "-std=c++17", "-Dblock_size_z=1" }'
has 'left out of the compiler.s options: -O3'
has '{ "use_padding", 1 }'
has 'block_size_x = values(32, 64, 96, 128)'
has '"(use_padding ~= 0) and ((block_size_x \* tile_size_x) <= 128)"'
has 'GlobalSize is not read'
has 'the Default of taps is none of its values, and is not taken'
rooftune new --from hub/blur.json
expect_error 11 'blur.lua is there already'
rooftune new --from hub/blur.json -o other --reference-from blur_nave
expect_error 2 'did you mean "blur_naive"'
rooftune new --from hub/blur.json -o other --reference-from blur_naive
expect_status 0
grep -q 'reference = variant "blur_naive"' other/blur.lua || fail "another reference: $(cat other/blur.lua)"
rooftune new --from hub/blur.json -o third --size d_weight=9
expect_error 2 'did you mean "d_weights"'
# As KTT has it: threads as GlobalSize, a type that the kernel knows better, contents that stand elsewhere.
cat >add.cu <<'CU'
extern "C" __global__ void add(const unsigned char *a, float4 *sum, double by, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) sum[i].x += a[i] * by;
}
CU
cat >add.json <<'JSON'
{ "ConfigurationSpace": { "TuningParameters": [ { "Name": "BLOCK", "Type": "uint", "Values": "[64, 128]" } ] },
  "KernelSpecification": { "Language": "CUDA", "KernelName": "add", "KernelFile": "add.cu", "GlobalSizeType": "OpenCL",
  "GlobalSize": { "X": "4096" }, "LocalSize": { "X": "BLOCK" }, "Arguments": [
    { "Name": "a", "Type": "float", "Size": 1, "FillType": "Random", "FillValue": 1.0, "AccessType": "ReadOnly", "MemoryType": "Vector" },
    { "Name": "sum", "Type": "float", "Size": 16384, "FillType": "Generator", "DataSource": "i", "AccessType": "ReadWrite", "MemoryType": "Vector" },
    { "Name": "by", "Type": "double", "FillValue": 1.5, "MemoryType": "Scalar" },
    { "Name": "n", "Type": "int32", "FillValue": "64 * 64", "MemoryType": "Scalar" } ] } }
JSON
rooftune new --from add.json -o first
grep -q 'TODO: a has one element in the file' first/add.lua || fail "$(cat first/add.lua)"
grep -q 'TODO: sum is filled by Generator i there' first/add.lua || fail "$(cat first/add.lua)"
rooftune new --from add.json --size a=4096
grep -q 'a = input(u8, 4096)' add.lua || fail "the kernel's own type: $(cat add.lua)"
grep -q 'sum = inout(f32, 16384)' add.lua || fail "$(cat add.lua)"
grep -q 'args  = { b.a, b.sum, f64(1.5), i32(64 \* 64) }' add.lua || fail "$(cat add.lua)"
grep -q 'grid  = ceil_div(4096, c.BLOCK)' add.lua || fail "$(cat add.lua)"
# The defaults are the reference wherever they are valid, however far from the first configuration; options leave parameters alone.
many=$(seq -s, 1 300)
sed "s/\"\[64, 128\]\" }/& , { \"Name\": \"A\", \"Type\": \"int\", \"Values\": \"[$many]\", \"Default\": 299 }, { \"Name\": \"B\", \"Type\": \"int\", \"Values\": \"[$many]\", \"Default\": 300 }/
    s/\"Language\": \"CUDA\"/&, \"CompilerOptions\": [\"-DBLOCK=64\", \"-DMORE=1\"]/" add.json >far.json
rooftune new --from far.json --size a=4096
expect_status 0
grep -q 'A = values(299),' far.lua && grep -q 'B = values(300),' far.lua || fail "other defaults: $(cat far.lua)"
grep -q 'options = { "-DMORE=1" }' far.lua || fail "$(cat far.lua)"
# Sizes by a parameter are its largest value; a condition may be a plain text; nothing divides the problem here.
sed 's/"\[64, 128\]" }/& , { "Name": "WIDE", "Type": "int", "Values": "[2048, 4096]" }/; s/ \] },$/ ], "Conditions": [ "BLOCK * WIDE > 64" ] },/
    s/"Language": "CUDA"/"Language": "cuda", "ProblemSize": [ "WIDE" ]/; s/"Size": 16384/"Size": "ProblemSize[0] * 4"/' add.json >wide.json
rooftune new --from wide.json --size a=4096
expect_status 0
grep -q 'sum = inout(f32, 4096 \* 4)' wide.lua || fail "the size of the largest: $(cat wide.lua)"
grep -q '"(BLOCK \* WIDE) > 64"' wide.lua || fail "$(cat wide.lua)"
grep -q 'grid  = ceil_div(4096, c.BLOCK)' wide.lua || fail "GlobalSize: $(cat wide.lua)"
sed 's/"Name": "n", "Type": "int32"/"Name": "n", "Type": "unsigned int"/; s/"Name": "a", "Type": "float"/"Name": "a", "Type": "uchar"/' add.json >plain.json
rooftune new --from plain.json --size a=4096
grep -q 'a = input(u8, 4096, uniform' plain.lua || fail "a type of C's: $(cat plain.lua)"
sed 's/"KernelName": "add"/"KernelName": "sum"/' add.json >named.json
rooftune new --from named.json
expect_error 2 'add.cu has no kernel "sum"'
expect_err 'KernelSpecification.KernelName: add'
# A header that NVRTC has not: the device code alone; a macro that nothing defines is a TODO.
(echo '#include <math.h>'; cat add.cu; echo 'int host() { return DEPTH; }') >fmath.cu
sed 's/add.cu/fmath.cu/' add.json >fmath.json
rooftune new --from fmath.json
expect_status 0
expect_err 'fmath_device.cu is fmath.cu without its host code'
! grep -q 'TODO: .*nothing defines' fmath.lua || fail "DEPTH went with the host code: $(cat fmath.lua)"
sed -i 's/sum\[i\].x += /sum[i].x += DEPTH * /' fmath.cu
rooftune new --from fmath.json -o open
grep -q 'TODO: DEPTH is used in the kernel, and nothing defines it' open/fmath.lua || fail "$(cat open/fmath.lua)"
# What a Kernel Tuner script prints, with the kernel in it.
cat >tuner.json <<'JSON'
{ "kernel_name": "scale<real>", "problem_size": [{ "dtype": "int32", "shape": [], "low": 1000, "high": 1000 }, 1], "lang": "CUDA",
  "kernel_source": "__constant__ float d_shift;\ntemplate <typename T> __global__ void scale(T *y, const T *x, T by, const int *rows) {\n  int i = blockIdx.x * block_size_x + threadIdx.x;\n  if (i < 1000) y[i] = x[rows[i]] * by * d_shift;\n}\n",
  "arguments": [ { "dtype": "float32", "shape": [1000], "low": 0, "high": 0 }, { "dtype": "float32", "shape": [10, 100], "low": -2.5, "high": 2.5 },
    { "dtype": "float32", "shape": [], "low": 3.5, "high": 3.5 }, { "dtype": "int32", "shape": [1000], "low": 0, "high": 999 } ],
  "tune_params": { "block_size_x": [64, 128], "real": ["float"] }, "restrictions": ["block_size_x >= 64"],
  "cmem_args": { "d_shft": { "dtype": "float32", "shape": [], "low": 1, "high": 1 } }, "compiler_options": null }
JSON
rooftune new --from tuner.json
expect_error 3 'has no __constant__ variable d_shft, did you mean "d_shift"'
sed -i 's/d_shft/d_shift/' tuner.json
rooftune new --from tuner.json
expect_status 0
expect_err 'tuner.lua and tuner.cu written'
grep -q 'y = output(f32, 1000)' tuner.lua || fail "$(cat tuner.lua)"
grep -q 'rows = input(i32, 1000, uniform(0, 1000))' tuner.lua || fail "$(cat tuner.lua)"
grep -q "TODO: rows is filled by the script's whole numbers there, and at random here" tuner.lua || fail "$(cat tuner.lua)"
grep -q 'f32(3.5)' tuner.lua || fail "$(cat tuner.lua)"
grep -q 'grid  = ceil_div(p.size_x, c.block_size_x)' tuner.lua || fail "$(cat tuner.lua)"
# By name: place, cause, remedy.
refuse() {
    sed "$1" "$2" >refused.json
    rooftune new --from refused.json
    expect_error "$3" "$4"
    expect_err 'remedy: '
    [ ! -e refused.lua ] || fail "a sweep was written"
}
refuse 's/"CUDA", "KernelName"/"OpenCL", "KernelName"/' add.json 3 'KernelSpecification.Language: the kernel is written in OpenCL'
refuse 's/"double"/"custom"/' add.json 3 'Arguments\[2\].Type: a type of its own (custom)'
refuse 's/"Name": "a", "Type"/"MemType": "Texture", "Type"/' add.json 3 'Arguments\[0\]: a texture'
refuse 's/64 \* 64/__import__(1)/' add.json 3 'Arguments\[3\].FillValue: __import__() with 1 arguments'
refuse 's/"X": "4096"/"X": "<function f at 0x7f>"/' add.json 3 'GlobalSize.X: a Python function, which is not run'
refuse 's/"Size": 16384/"Size": "max(BLOCK) * BLOCK"/' add.json 3 'Arguments\[1\].Size: "BLOCK" is a list of values here: max(BLOCK)'
refuse 's/"Size": 16384/"Size": "n * 4"/' add.json 3 'Arguments\[1\].Size: "n" is not a parameter of the space'
expect_err 'remedy: known: BLOCK; ProblemSize\[0\] is the first size'
refuse 's/"\[64, 128\]"/"[1 << i for i in range(6, 8)]"/' add.json 3 'TuningParameters\[0\].Values'
expect_err 'remedy: write 2\*\*i'
refuse 's/\] },$/], "Conditions": [ { "Expression": "BLOCK > 9 || BLOCK < 3" } ] },/' add.json 3 'is not understood here, at character 11'
expect_err 'remedy: Python.s words are and, or and not'
refuse '/"Name": "by"/d' add.json 3 'Arguments: 3 are given, and add (line 1) takes 4: const unsigned char\* a, float4\* sum'
refuse 's/"Name": "by"/"Size": 1, "Name": "by"/; s/1.5, "MemoryType": "Scalar"/1.5, "MemoryType": "Vector"/' add.json 3 'Arguments\[2\]: a Vector, and the kernel takes double by'
refuse 's/"KernelName": "add"/"KernelName": "ad"/' add.json 2 'did you mean "add"'
refuse 's/"KernelSpecification"/"Kernel"/' add.json 3 'has no KernelSpecification'
refuse 's/, "LocalSize"/ "LocalSize"/' add.json 3 'is not JSON'
refuse 's/\] },$/], "Conditions": [ { "Expression": "BLOCK > 999" } ] },/' add.json 4 'leave no configuration'
refuse 's/"lang": "CUDA"/"texmem_args": { "t": 1 }/' tuner.json 3 'texmem_args: a texture'
refuse 's/"block_size_x >= 64"/"<function r at 0x7f>"/' tuner.json 3 ': restrictions\[0\]: a Python function'
refuse 's/\[64, 128\], "real"/[], "real"/' tuner.json 3 ': tune_params\[0\]: expected at least one value'
refuse 's/"lang": "CUDA"/"lang": "HIP"/' tuner.json 3 ': lang: the kernel is written in HIP'
expect_err 'then say "lang": "CUDA" there'
refuse 's/"kernel_name": "scale/"kernel_name": "scal/' tuner.json 2 'did you mean "scale"'
expect_err 'remedy: name one: kernel_name: scale'
refuse 's/"kernel_source": "__c/"kernel_source": "<function made at 0x7f>__c/' tuner.json 3 'kernel_source: a Python function'
refuse 's/"kernel_source": "__c.*/"kernel_source": "<bound method T.render of <T x>>",/' tuner.json 3 'kernel_source: a Python function'
refuse 's/"shape": \[10, 100\]/"shape": [0]/' tuner.json 3 'arguments\[1\]: an array without elements'
refuse 's/"Size": 16384/"Size": 0/' add.json 3 'Arguments\[1\].Size: an array without elements'
refuse 's/"CUDA", "KernelName"/"Hypertuner", "KernelName"/' add.json 3 'the kernel is written in Hypertuner'
refuse 's/"lang": "CUDA"/"grid_div_x": ["<function <lambda> at 0x7f>"]/' tuner.json 3 'grid_div_x\[0\]: a Python function'
refuse 's/"shape": \[\], "low": 3.5, "high": 3.5/"low": 3/' tuner.json 3 'arguments\[2\]: expected { dtype, shape'
rooftune new add.json
expect_error 2 'add.json is no CUDA source'
rooftune new --from missing.json
expect_error 11 'missing.json'
need_nvrtc
for sweep in hub/blur.lua add.lua fmath.lua tuner.lua; do
    rooftune check $sweep --sample 2
    expect_status 0
    expect_out 'failed 0, .* skipped 0'
done
rooftune check other/blur.lua --allow-path . --sample 2
expect_status 0
