# SPDX-License-Identifier: Apache-2.0
# A run under the ceilings of other devices: figures that follow from the datasheets, what stays the same, what is wrong.
need_recording
GEMV="$SOURCE/sweeps/recorded/nvidia-h200/gemv.json.gz"
MATMUL="$SOURCE/sweeps/recorded/nvidia-h200/matmul_fp32.json.gz"
[ -f "$GEMV" ] && [ -f "$MATMUL" ] || skip "no recordings of gemv and matmul_fp32"
# The same device by its datasheet: its own ceilings come back, so nothing changes.
rooftune model "$GEMV" --devices h200
expect_status 0
expect_out '^PROJECTION, not measured: '
expect_out '1.00x to 1.0[1-9]x  c$'
expect_out '^  0 of 5 change side$'
# docs/calculators.md shows what the program says.
rooftune model "$GEMV" --devices a100
sed -n '/^PROJECTION/,/^```$/p' "$SOURCE/docs/calculators.md" | sed '$d' >documented
expect_file documented
head -n "$(wc -l <documented)" out | cmp - documented || fail "docs/calculators.md shows another projection"
# Device memory of an A100 is 2.039 of an H200's 4.8 TB/s: 0.42x at the same share.
rooftune model "$GEMV" --devices a100,h100
expect_status 0
expect_out '^gemv (cold cache): NVIDIA H200 -> A100 SXM 80 GB$'
expect_out 'n=16384 .* memory 9[67] % *memory *0.42x to 0.44x  c$'
expect_out 'n=4096 .* latency 5[0-9] % *memory .*  c changes$'
expect_out '^  1 of 5 changes side$'
expect_out 'n=1024 .*1.00x\* to '
expect_out 'what it waits for is assumed'
expect_narrow
# FP32 of an L4 is 30.3 of 66.9 TFLOP/s: 0.45x, 0.44x with its share; another run by its own ceilings: the same card.
rooftune model "$MATMUL" --devices "l4,$GEMV"
expect_status 0
expect_out 'n=8192 .* compute .* compute *0.4[45]x to 0.6'
expect_out '^  NVIDIA H200: ceilings measured on it, run [0-9a-f]*$'
expect_out '^matmul_fp32 (cold cache): NVIDIA H200 -> NVIDIA H200$'
expect_out 'n=4096 .* compute .* compute *1.00x to '
rooftune model "$GEMV" --devices a100 --json -
expect_status 0
for part in '"projection":true' '"ceilings":"datasheet x this card.s share of its own"' '"low_is_same_time":true' \
    '"side":"launch"' '"changes_side":true' '"evidence":"counted"' '"l2_read":null' '"nearest":"dram"'; do
    expect_out "$part"
done
grep -q PROJECTION out && fail "text beside JSON"
# A run file is as good as its recording.
rooftune import "$GEMV" -o gemv.db
rooftune model gemv.db --devices h200 --json x.json
expect_status 0
expect_file x.json
expect_out '^  0 of 5 change side$'
# No ceilings and no work, as in another tuner's file: unknown, and not made up.
rooftune model "$SOURCE/tests/store/invented.ktt.json" --devices h100
expect_status 0
expect_out 'unknown *unknown *n/a'
expect_out 'unknown: no bound is known here'
rooftune model "$GEMV" "$MATMUL"
expect_error 2 'a projection is of one run'
rooftune model "$GEMV" --devices h1000
expect_error 2 'no datasheet of a device "h1000", did you mean "h100"'
rooftune model "$GEMV" --turn n
expect_error 2 '-turn is for models, not for a run'
rooftune model missing.json.gz
expect_error 11 'missing.json.gz'
rooftune model "$GEMV" --devices missing.db
expect_status 11
# A file that happens to be called like a model stands in no way.
echo nothing >gemm
rooftune model gemm m=512 n=4096 k=4096 --devices h100
expect_status 0
expect_out '^gemm m=512'
