# SPDX-License-Identifier: Apache-2.0
# Sizes from a CSV: read as problems, hashed, within the sweep's tree; mistakes are told with line and column.
write_saxpy
export RFT_NVRTC=off
sweep s 'problems = csv "shapes.csv"'
plan() { rooftune run s.lua --dry-run --arch sm_90a; }
refused() { # refused TEXT MESSAGE
    printf "$1" >shapes.csv
    plan
    expect_error 3 "$2"
}
printf '\357\273\277n \r\n 4096\r\n\r\n"8192"\r\n' >shapes.csv
plan
expect_error 3 'must be compiled' # in quotes it is a text
printf '\357\273\277n \r\n 4096\r\n\r\n1e4\r\n' >shapes.csv
plan
expect_status 0
expect_out 'n=4096: 1 configuration$'
expect_out 'n=10000: 1 configuration$'
# The file counts for the sweep's identity.
need_recording
rooftune run s.lua -d "replay:$QUICK" --no-report -o a.db
printf 'n\n4096\n10000\n' >shapes.csv
rooftune run s.lua -d "replay:$QUICK" --no-report -o a.db
expect_error 9 'an older text of this one'
refused '' 'csv: shapes.csv, line 1, column 1: the file is empty'
refused 'n\n' 'there are names and no values'
refused 'n,n\n1,2\n' 'line 1, column 2: the name is there twice'
refused '4,n\n1,2\n' 'line 1, column 1: this is not a dimension.s name'
refused 'n,m\n1,2\n' 'no dimension "m"'
refused 'n\n4\n5,6\n' 'line 3, column 1: the line has more cells'
refused 'n,m\n4\n' 'line 2, column 1: .* fewer cells'
refused 'n,m\n4,\n' 'line 2, column 2: the cell is empty'
refused 'n\n"4\n' 'line 2, column 1: the quote is not closed'
refused 'n\n"4"5\n' 'line 2, column 1: there is text behind the closing quote'
refused 'n\n4\000\n' 'holds a zero byte'
refused 'n\n4\n4\n' 'the same problem is listed twice'
seq 5000 | sed '1s/.*/n/' >shapes.csv
plan
expect_error 3 'line 4098, column 1: too many lines'
head -c 600000 /dev/zero | tr '\0' '1' >shapes.csv
plan
expect_error 3 'csv: '
rm shapes.csv
plan
expect_err 'csv: .*shapes.csv'
[ "$status" != 0 ] || fail "a file that is not there is read"
for path in /etc/passwd ../../../../../etc/passwd; do
    sweep s "problems = csv '$path'"
    plan
    expect_error 3 'etc/passwd'
    if grep -q root: err out; then fail "a file outside of the tree is shown"; fi
done
# Not once the script is loaded.
echo n >shapes.csv
sweep s 'over = { n = values(4) }, where = { function(n) return #csv("shapes.csv") > 0 end }'
plan
expect_error 4 'files are read while'
