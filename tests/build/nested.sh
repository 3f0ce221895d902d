#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# nested.sh asan|nocuda SOURCE BUILD GENERATOR CUDA_ROOT LAUNCHER: configures and builds BUILD/KIND, runs its tests.
# Prints what a step said only when it fails.
set -u
kind=$1 source=$2 generator=$4 cuda_root=$5 launcher=$6
build=$3/$kind
jobs=$(nproc 2>/dev/null || echo 2)
log=$build.log

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
    set -- "$@" -DCMAKE_C_COMPILER=clang -DRFT_SANITIZE=address,undefined "-DRFT_CUDA_ROOT=$cuda_root"
    labels='^(unit|script|store|measure|run|fuzz)$'
    ;;
nocuda)
    set -- "$@" -DRFT_CUDA=OFF
    labels='^(store|cli|report)$' # the rooms of unit know nothing of CUDA
    ;;
esac
step cmake -S "$source" -B "$build" -G "$generator" "-DCMAKE_C_COMPILER_LAUNCHER=$launcher" "$@"
step cmake --build "$build" --parallel "$jobs"
step ctest --test-dir "$build" --parallel "$jobs" --output-on-failure --no-tests=error -L "$labels"
grep -E 'tests passed|tests failed' "$log"
