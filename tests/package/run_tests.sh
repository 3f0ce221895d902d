#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run_tests.sh SOURCE WORK: the kit's run-tests counts tests, failures, crashes and skips, and says so in its last line;
# with --repeat before it how often each failed. All rounds share one cache, which is gone afterwards.
set -u
source=$1 kit=$2
failures=0
rm -rf "$kit"
mkdir -p "$kit/tests/files" # a folder beside the programs is no test
cp "$source/cmake/run-tests" "$kit/run-tests"

program() {
    cat >"$kit/tests/$1"
    chmod 755 "$kit/tests/$1"
}
# expect STATUS LAST_LINE [WORD...]
expect() {
    status=$1 line=$2
    shift 2
    said=$("$kit/run-tests" "$@" 2>&1)
    got=$?
    if [ $got -ne "$status" ] || [ "$(printf '%s\n' "$said" | tail -n 1)" != "$line" ]; then
        echo "expected status $status and '$line', got $got and:"
        printf '%s\n' "$said"
        failures=$((failures + 1))
    fi
}

expect 1 "0 passed, 0 failed, 0 skipped"
program gpu_tests <<'P' # which the others call: no test
#!/bin/sh
exit 1
P
expect 1 "0 passed, 0 failed, 0 skipped"
program gpu_good <<'P'
#!/bin/sh
[ -x "$RFT_TEST_ROOT/run-tests" ] || exit 9
printf '[==========] Running 2 test(s).\n[ RUN      ] a\n[       OK ] a\n[ RUN      ] b\n[  SKIPPED ] b\n'
printf '[==========] 2 test(s) run.\n[  PASSED  ] 1 test(s).\n[  SKIPPED ] 1 test(s), listed below:\n[  SKIPPED ] b\n'
P
expect 0 "1 passed, 0 failed, 1 skipped"
program gpu_none <<'P'
#!/bin/sh
echo "no GPU"
exit 77
P
expect 0 "1 passed, 0 failed, 2 skipped"
program gpu_bad <<'P'
#!/bin/sh
printf '[ RUN      ] c\n[       OK ] c\n[ RUN      ] d\nwhy\n[  FAILED  ] d\n[  FAILED  ] 1 test(s), listed below:\n[  FAILED  ] d\n'
exit 1
P
expect 1 "2 passed, 1 failed, 2 skipped"
program gpu_crash <<'P'
#!/bin/sh
printf '[ RUN      ] e\n[       OK ] e\n[ RUN      ] f\n'
kill -SEGV $$
P
expect 1 "3 passed, 2 failed, 2 skipped"
expect 0 "1 passed, 0 failed, 1 skipped" good
expect 1 "1 passed, 1 failed, 0 skipped" crash
program gpu_third <<'P'
#!/bin/sh
mkdir -p "$RFT_CACHE" && echo >>"$RFT_CACHE/rounds"
echo "$RFT_CACHE" >"$RFT_TEST_ROOT/cache"
printf '[ RUN      ] g\n'
[ "$(wc -l <"$RFT_CACHE/rounds")" -ne 2 ] || { printf '[  FAILED  ] g\n'; exit 1; }
printf '[       OK ] g\n'
P
expect 1 "2 passed, 1 failed, 0 skipped" --repeat 3 third
if ! printf '%s\n' "$said" | grep -qx 'failed 1 of 3 times: gpu_third: g' || [ -e "$(cat "$kit/cache")" ]; then
    echo "a table and no cache left behind, not:"
    printf '%s\n' "$said"
    failures=$((failures + 1))
fi
expect 2 "run-tests: --repeat needs a number from 1 on" --repeat third
expect 0 "2 passed, 0 failed, 2 skipped" --repeat 2 good
rm -rf "$kit"
[ $failures -eq 0 ] && echo "run-tests counts as it should"
