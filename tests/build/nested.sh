#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# nested.sh asan|nocuda SOURCE BUILD GENERATOR CUDA_ROOT LAUNCHER: configures and builds BUILD/KIND, runs those of its
# tests that could find something else there. Prints what a step said only when it fails.
set -u
kind=$1 source=$2 generator=$4 cuda_root=$5 launcher=$6
build=$3/$kind
jobs=$(nproc 2>/dev/null || echo 2)
log=$build.log
export CCACHE_DEPEND=1 CCACHE_NOHASHDIR=1 # as ./quickstart test: what is compiled as in BUILD is taken from there

step() {
    if ! "$@" >"$log" 2>&1; then
        echo "failed: $*"
        grep -nE 'error:|Error|FAILED|\*\*\*' "$log" | head -n 40
        tail -n 60 "$log"
        exit 1
    fi
}

set -- -DRFT_WERROR=ON -DRFT_TESTS=ON
case $kind in
asan)
    command -v clang >/dev/null || { echo "clang not found"; exit 77; }
    # -O1 and the lines alone: two thirds of the time to compile, and the same findings.
    set -- "$@" -DCMAKE_C_COMPILER=clang -DRFT_SANITIZE=address,undefined "-DRFT_CUDA_ROOT=$cuda_root" \
        -DCMAKE_BUILD_TYPE=Debug "-DCMAKE_C_FLAGS_DEBUG=-O1 -gline-tables-only -DNDEBUG"
    # Those left out run one run over and over, to end it or its disk at each place, compute for long, or ask what a run
    # chooses: others come by all that code (shared files of other tuners: fuzz_t1 and test_exchange).
    set_of_tests='-L ^(unit|script|store|measure|run|fuzz)$ -E ^test_(exec_killed|exec_disk|worker_faults|ceilings|ceiling_tensor|load|space_parts|exchange_shared|throttling|exec_(clock|drift|order|power|prior|processes|progress|prune|refine))$'
    targets=
    ;;
nocuda)
    set -- "$@" -DRFT_CUDA=OFF
    # No room but gpu/ is compiled with CUDA's headers: the program where it says what it can do, and where it needs none.
    targets="rooftune json_lines plain_text without_call"
    set_of_tests='-R ^cli_(companions|devices|help|model|no_device|no_nvrtc|outputs|replay)$'
    ;;
esac
step cmake -S "$source" -B "$build" -G "$generator" "-DCMAKE_C_COMPILER_LAUNCHER=$launcher" "$@"
# shellcheck disable=SC2086 # two words
[ -n "$targets" ] || targets="rooftune $(ctest --test-dir "$build" -N $set_of_tests | sed -n 's/^ *Test *#[0-9]*: //p')" # of their names
# shellcheck disable=SC2086 # several words
step cmake --build "$build" --parallel "$jobs" --target $targets
# shellcheck disable=SC2086 # two words
# Many of them wait for processes: two at a time for each core.
step ctest --test-dir "$build" --parallel $((2 * jobs + 1)) --output-on-failure --no-tests=error $set_of_tests
grep -E 'tests passed|tests failed' "$log"
