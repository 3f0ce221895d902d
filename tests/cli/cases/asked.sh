# SPDX-License-Identifier: Apache-2.0
# What the command line asks is stored as if the script had said it; the report and compare tell of what ran.
need_recording
export RFT_NVRTC=off # compiling changes nothing of it
say() {
    cat >"$1.lua" <<LUA
return sweep {
  name = "strided_read", kernel = require "kernels.strided_read",
  over = { stride = values(1, 2) }, with = { n = 2^23 }, tune = { ITEMS = values(1, 4, 8) }, $2
}
LUA
}
run_asked() { # run_asked NAME OPTION...: what is stored of the sweep, but for its script's text
    asked_name=$1
    shift
    rooftune run "$asked_name.lua" -d "replay:$QUICK" --no-report -o "$asked_name.db" "$@"
    expect_status 0
    rooftune export "$asked_name.db" -o "$asked_name.json"
    tr ',' '\n' <"$asked_name.json" |
        grep -E '"(compile_timeout_s|point_timeout_s|min_seconds|processes|no_race|strategy|budget_s|budget_points|budget_gpu_s|search_seed|search_seed_given|goal_frac|objective)"' \
            >"$asked_name.asked"
    [ "$(wc -l <"$asked_name.asked")" = 13 ] || fail "$asked_name.json lacks a field of the sweep"
}
say plain ""
run_asked plain
# twin FIELD IN_THE_LANGUAGE OPTION...: said either way, the stored sweep is the same, and not the plain one.
twin() {
    field=$1
    echo "$3" | tr -d - >>seen
    say said "$2"
    shift 2
    run_asked said
    rm -f plain.db plain.json
    cp plain.asked before.asked
    run_asked plain "$@"
    cmp -s said.asked plain.asked || fail "$*: stored otherwise than said in the script: $(diff said.asked plain.asked)"
    diff before.asked plain.asked | grep -q "\"$field\"" || fail "$*: $field is stored as if nothing had been asked"
    cp before.asked plain.asked
    rm -f said.db said.json plain.db plain.json
}
rm -f plain.db plain.json
twin strategy 'search = { strategy = "random" }' --strategy random
twin search_seed 'search = { seed = 7 }' --seed 7
twin budget_points 'search = { budget = 2 }' --budget 2
twin budget_s 'search = { budget = "10m" }' --budget 10m
twin budget_gpu_s 'search = { budget = "gpu:30s" }' --budget gpu:30s
twin goal_frac 'search = { goal = 0.5 }' --goal 50%
twin objective 'search = { objective = "energy" }' --objective energy
twin point_timeout_s 'measure = { timeout = "3s" }' --timeout 3s
twin compile_timeout_s 'measure = { compile_timeout = "9s" }' --compile-timeout 9s
twin min_seconds 'measure = { min_time = "0.1s" }' --min-time 0.1s
twin processes 'measure = { processes = 4 }' --processes 4
twin no_race 'measure = { race = false }' --no-race
# Each option of the table has been tried.
sed -n '/_SETTINGS(X)/,/^$/p' "$SOURCE/harness/model/sweep/settings.h" | tr -d '\\\n-' |
    grep -o 'X("[a-z_]*", [A-Z]*, [a-z_.]*, [a-z_A-Z]*, *"[a-z]*"' | sed 's/.*"\(.*\)"/\1/' | sort >table
[ -s table ] && sort -u seen | diff table - || fail "an option with a twin in the language has not been tried"

# A run goes on as it began.
rooftune run plain.lua -d "replay:$QUICK" -o p.db --report p.pdf --strategy random --seed 7
expect_status 0
pdftotext -layout p.pdf p.txt
grep -q 'random  *7 ' p.txt || fail "the Method page names another search than ran"
rooftune run plain.lua -d "replay:$QUICK" -o p.db
expect_error 9 'p.db: the run of sweep strided_read was begun with --strategy random'

# Two strategies with the same budget: which is better is not to be had from two searches that ended early.
recorded=$SOURCE/sweeps/recorded/nvidia-h200/matmul_search.json.gz
for strategy in random memetic; do
    rooftune run "$recorded" -d replay: --budget 200 --strategy $strategy -o $strategy.db --no-report
    expect_status 0
done
rooftune compare random.db memetic.db
expect_status 0
expect_out '1.015.*AMBIGUOUS'
