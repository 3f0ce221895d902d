# SPDX-License-Identifier: Apache-2.0
# Sweeps and recordings that come with the program are found from any folder; what is here comes first.
need_recording
recording=sweeps/recorded/nvidia-h200/quick.json.gz
rooftune show "$recording" --points points.json --csv points.csv
expect_status 0
[ "$(grep -o '"point":' points.json | wc -l)" = $(($(wc -l <points.csv) - 1)) ] || fail "JSON and CSV have other points"
grep -q '"problem":{"n":' points.json || fail "a problem is no object"
RFT_NVRTC=off rooftune run sweeps/quick.lua -d "replay:$recording" --at n=4096 --variant vectorised -o q.db --no-report
expect_status 0
rooftune check sweeps/gemv.lua --sample 0
expect_status 0
rooftune check sweeps/gemw.lua
expect_error 11 'sweeps/gemw.lua'
rooftune check sweeps/../kernels/gemv/gemv.lua
expect_error 11 'sweeps/../kernels'
mkdir sweeps && echo 'return nil' >sweeps/gemv.lua
rooftune check sweeps/gemv.lua
expect_error 3 '^rooftune: gemv.lua: return'
rooftune show "$recording" --points "$recording"
expect_error 11 "$recording"
