# SPDX-License-Identifier: Apache-2.0
# One committed recording ($RECORDING) through every command that takes a run; its replay has the recording's own bests.
export RFT_NVRTC=off
works() {
    rooftune "$@"
    expect_status 0
}
works run "$RECORDING" -d replay: -o replay.db --no-report
works best "$RECORDING" --csv recording.csv
works best replay.db --csv replay.csv
# But for the last digit: a replay adds up in another order. Intervals to 1e-3: of equal times of a first round the point
# measured first is in the final round. That was what compiled first, and all of a final round share a variance.
awk -F, 'NR == FNR { line[FNR] = $0; lines = FNR }
    NR == 1 { for (i = 1; i <= NF; i++) most[i] = $i ~ /^(low|high)_s$/ ? 1e-3 : 1e-12 }
    NR == FNR { next }
    { n = split(line[FNR], a); if (n != NF) exit 1
      for (i = 1; i <= n; i++) if (a[i] != $i && !(a[i] - $i < most[i] * a[i] && $i - a[i] < most[i] * a[i])) exit 1 }
    END { if (FNR != lines) exit 1 }' recording.csv replay.csv || fail "the replay has other bests than the recording"
# `show` and the usual report of the recording itself: test_show_charts and report_recorded_test.
works show replay.db --json -
file=${RECORDING##*/}
case ${#file} in
*[147]) works report replay.db --full -o full.pdf ;; # of three recordings in ten; report_recorded_test makes others
*) works report replay.db --summary -o summary.pdf ;;
esac
works best replay.db --format header
works model "$RECORDING"
works export "$RECORDING" -o exported.json.gz
works compare "$RECORDING" replay.db
rooftune compare "$RECORDING" exported.json.gz
expect_error 2 'the same run'
