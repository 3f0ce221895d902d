# SPDX-License-Identifier: Apache-2.0
# The calculators as a command: figures a reader can check by hand, who changes side, and what is misspelt.
rooftune model gemm m=512 n=4096 k=4096 --dtype bf16 --devices a100,h100,h200,b200 --turn m
expect_status 0
[ ! -s err ] || fail "talk on stderr"
sed -n '/^gemm m=512/,/^```$/p' "$SOURCE/docs/calculators.md" | sed '$d' >documented
expect_file documented
head -n "$(wc -l <documented)" out | cmp - documented || fail "docs/calculators.md shows other figures"
expect_out '0 of 1 change side'
expect_narrow
# Seed 002, Q5: what an H100 gives where an A100 was.
rooftune model gemm m=8192 n=m k=m gemm m=32,256 n=4096 k=4096 flash l=512 d=128 layernorm rows=8192 n=4096 \
    --devices a100,h100
expect_status 0
expect_out 'gemm m=8192 n=m k=m bf16  *compute  *compute 3.17x$'
expect_out 'gemm m=32 n=4096 k=4096 bf16  *memory  *memory 1.64x$'
expect_out 'gemm m=256 n=4096 k=4096 bf16  *compute  *memory 2.44x  changes$'
expect_out 'flash l=512 d=128 bf16  *compute  *memory 2.75x  changes$'
expect_out 'layernorm rows=8192 n=4096 bf16  *memory  *memory 1.64x$'
expect_out '2 of 5 change side'
# Precision: half the bytes, twice the intensity; fp32 by the other pipe.
rooftune model gemm m=2^10 n=m k=m --dtype fp32,bf16,fp8 --devices h100
expect_status 0
expect_out 'intensity  171 op/B'
expect_out 'intensity  341 op/B'
expect_out 'intensity  683 op/B'
expect_out 'H100 SXM *591 op/B *tensor_fp8'
# What a datasheet does not give is not made up.
rooftune model gemm m=512 n=4096 k=4096 --devices gb10
expect_status 0
expect_out 'GB10 (DGX Spark)  *n/a  *unknown  *n/a  *154 us$'
expect_out 'leave out tensor_bf16'
rooftune model gemm m=512 n=4096 k=4096 softmax rows=8 n=1024 --devices h100,gb10 --turn m --json -
expect_status 0
for part in '"axis":"m"' '"side":"compute"' '"side":"unknown"' '"time_floor_s":1.7' '"turn":345.1' '"turn":null' \
    '"missing":\["sfu"\]' '"intensity":1.25' '"changes_side":false' '"name":"H100 SXM"'; do
    expect_out "$part"
done
rooftune model dot n=1e6 --json x.json
expect_status 0
expect_file x.json
expect_out '^dot n=1000000 bf16'
rooftune model
expect_status 0
for model in gemm gemv dot elementwise softmax layernorm rmsnorm rope embedding attention flash; do
    expect_out "^$model: "
done
awk 'length($0) > 100' out | grep . && fail "the list is wider than 100 columns"
# refused PATTERN WORDS...
refused() {
    pattern=$1
    shift
    rooftune model "$@"
    expect_error 2 "$pattern"
    [ ! -s out ] || fail "an error on stdout"
    if grep -q traceback err; then fail "a traceback for a mistyped word"; fi
}
refused 'unknown model "gem", did you mean "gemm"' gem m=1 n=2 k=3
refused 'gemm: k is missing' gemm m=1 n=2
refused 'gemm rosw=3: unknown dimension' gemm rosw=3
refused 'softmax rosw=3: .*did you mean "rows"' softmax rosw=3 n=4
refused 'gemm m=0 .*gemm.m = 0: expected a number from 1' gemm m=0 n=1 k=1
refused 'gemm k=x: "x" is neither' gemm m=1 n=2 k=x
refused 'dtype=bf61: unknown type "bf61", did you mean "bf16"' gemm m=1 n=2 k=3 --dtype bf61
refused 'weight=int5: unknown type "int5", did you mean "int' gemm m=1 n=2 k=3 weight=int5
refused 'unknown pipe "tensor_bf61", did you mean "tensor_bf16"' gemm m=1 n=2 k=3 pipe=tensor_bf61
refused 'no pipe multiplies it' gemm m=1 n=2 k=3 dtype=int4
refused 'in a circle' gemm m=n n=m k=3
refused 'stands before any model' m=1
refused 'm is given twice' gemm m=1 m=2
refused '-devices: no datasheet of a device "h1000", did you mean "h100"' gemm m=1 n=2 k=3 --devices h1000
refused 'stands for 5 devices' gemm m=1 n=2 k=3 --devices a100,pcie
refused '-turn: none of these models' gemm m=1 n=2 k=3 --turn rows
refused 'more than 1000 workloads' gemm m=1,2,3,4,5,6,7,8,9,10,11 n=1,2,3,4,5,6,7,8,9,10 k=1,2,3,4,5,6,7,8,9,10
