# SPDX-License-Identifier: Apache-2.0
# Nsight Compute's counters of a point: the command line that counts them, and its CSV into a run file, as imported.
gemv="$SOURCE/sweeps/gemv.lua"
seed="$SOURCE/tests/fuzz/corpus/ncu"
rooftune import "$SOURCE/sweeps/recorded/nvidia-h200/gemv.json.gz" -o run.db
expect_status 0

# The command line: names of the chip's metrics, this point's kernel, and the words that import takes.
point="--variant vectorised --at n=2048 --set BLOCK=32 --set ROWS=2 --set UNROLL=1"
rooftune point "$gemv" --arch sm_90a --ncu $point
expect_status 0
expect_out '^{ ncu --version; LC_ALL=C ncu --csv --page raw --print-units base .*--cache-control all '
expect_out "kernel-name 'regex:^(.\*::)?(gemv_vectorised)\\$'"
expect_out 'metrics gpu__time_duration.sum,.*,dram__bytes_read.sum,.*,launch__registers_per_thread,launch__grid_dim_x,.*,launch__block_dim_z '
expect_out "rooftune point $gemv .*--set BLOCK=32 --set ROWS=2 --set UNROLL=1 --bare; } >ncu.csv\$"
expect_out '^rooftune import --counters ncu.csv RUN.db --sweep gemv --variant vectorised --at n=2048 .*--set UNROLL=1$'
words=$(sed -n 's/^rooftune import --counters ncu.csv RUN.db //p' out)
RFT_CUPTI=off rooftune point "$gemv" --arch sm_80 --ncu --counters all
expect_status 0
expect_err 'what sm_80 calls its metrics is not known here'
expect_out 'sm__pipe_tensor_cycles_active'
rooftune point "$gemv" --arch sm_90a --ncu --emit ptx
expect_status 2
expect_err '.-emit and --ncu cannot be given together'

# Its output, with decimal points and commas, by columns and by lines.
for form in raw decimal_comma details; do
    sed 's/gemv<(int)8>/gemv_vectorised<(int)8, (int)32, (int)2, (int)1>/; s/(64, 1, 1)/(32, 1, 1)/
         s/(2, 1, 1)/(1024, 1, 1)/; s/"40"/"32"/' "$seed/$form.csv" >ncu.csv
    rooftune import --counters ncu.csv run.db $words
    expect_status 0
    expect_err 'counters of point [0-9]* (gemv, vectorised: n=2048 .*) imported from Nsight Compute 2025.3.0.0, ncu.csv$'
    id=$(sed -n 's/^counters of point \([0-9]*\) .*/\1/p' err)
    rooftune show run.db --point "$id"
    expect_out '^imported from Nsight Compute 2025.3.0.0, ncu.csv$'
    expect_out 'rooftune did not count these'
    expect_out 'device memory, read  *8.403 MB$'
    expect_out 'FP32 multiply-adds  *4.194 M'
done
rooftune show run.db
expect_out 'Counters that were imported, not counted by rooftune: '
rooftune show run.db --json -
expect_out '"passes":null,"source":"Nsight Compute 2025.3.0.0, ncu.csv"'
rooftune export run.db -o run.json.gz
rooftune show run.json.gz --point "$id"
expect_out '^imported from Nsight Compute 2025.3.0.0, ncu.csv$'
rooftune report run.db -o run.pdf
expect_status 0
if command -v pdftotext >/dev/null; then
    pdftotext -layout run.pdf text
    grep -q 'imported, not counted by rooftune' text || fail "the report does not say so"
fi

# What is not this point's, and mistakes.
rooftune import --counters ncu.csv run.db $words --set ROWS=1
expect_error 8 'the point launches gemv_vectorised<8, 32, 1, 1>; the file has void gemv_vectorised<(int)8, (int)32, (int)2'
sed 's/dram__bytes_read.sum/dram__other.sum/' ncu.csv >bad.csv
rooftune import --counters bad.csv run.db $words
expect_error 8 "bad.csv: 1 of the default set's quantities is not in it, for want of dram__bytes_read.sum"
expect_err 'remedy: .*rooftune point ... --ncu'
rooftune import --counters "$seed/refused.txt" run.db --point "$id"
expect_error 8 'Nsight Compute counted nothing: ERR_NVGPUCTRPERM'
own=$(gzip -dc "$SOURCE/sweeps/recorded/nvidia-h200/gemv.json.gz" | tr -d '\n ' | sed 's/.*"counters":\[{"point":\([0-9]*\).*/\1/')
rooftune import --counters ncu.csv run.db --point "$own"
expect_error 2 "point $own has counters of its own"
rooftune import --counters ncu.csv run.db --at n=5
expect_error 14 'sweep gemv of the run has no such problem'
rooftune import --counters ncu.csv run.db --variant vectorised --set BLOCK=3
expect_error 14 'the run has no point gemv, vectorised: .*BLOCK=3'
rooftune import --counters ncu.csv run.db --variant vectorized
expect_error 2 'no variant "vectorized", did you mean "vectorised"'
rooftune import --counters ncu.csv run.db --sweep gem
expect_error 2 'no sweep "gem"'
rooftune import --counters ncu.csv -o new.db
expect_error 2 'added to one run file'
rooftune import run.json.gz -o new.db --at n=4
expect_error 2 'a point is named for --counters alone'
rooftune import --counters missing.csv run.db --point "$id"
expect_error 11 'missing.csv'
