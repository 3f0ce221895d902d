# SPDX-License-Identifier: Apache-2.0
# More runs than stand beside each other. test_model_fleet has cards that differ.
need_recording
copy() { # NUMBER: the recording as another card's
    gzip -dc "$QUICK" | sed "s/$uuid/GPU-000000$1-1111-2222-3333-444444444444/g; s/\"id\":\"[0-9a-f]*\"/\"id\":\"0000000000$1\"/" |
        gzip -n >"card$1.json.gz"
}
uuid=$(gzip -dc "$QUICK" | grep -o 'GPU-[0-9a-f-]*' | head -n 1)
for k in 10 11 12 13 14 15 16 17 18; do
    copy $k
done
files=$(echo card*.json.gz)
rooftune compare $files
expect_status 0
expect_out '^9 runs of 9 cards of NVIDIA H200'
expect_out '^Cards that fall out: 0 of 9'
expect_out 'No host falls out\|Hosts are not judged'
rooftune compare $files --csv cards.csv --json fleet.json -o fleet.pdf
expect_status 0
expect_file fleet.pdf
head -n 1 cards.csv | grep -q '^uuid,serial,host,pci_id,figure,unit,value,over_median,sd,card_p,falls_out' || fail "another CSV"
"$PLAIN_TEXT" fleet.json || fail "JSON is not plain"
tr -d ' \n' <fleet.json | grep -q '"runs":9,"cards_count":9,"judged":9' || fail "JSON: $(head -c 300 fleet.json)"
# What was bought and what there is.
printf '# order 7\ncard\n"GPU-00000010-1111-2222-3333-444444444444", rack 3\nGPU-00000099-1111-2222-3333-444444444444\n' >bought.csv
rooftune compare $files --expected bought.csv
expect_status 0
expect_out 'Cards of the list without a run, 1 of 2'
expect_out '8 cards are not on the list'
printf '\357\273\277gpu-00000098-1111-2222-3333-444444444444\r\ngpu-00000011-1111-2222-3333-444444444444\r\n' >marked.csv
rooftune compare $files --expected marked.csv
expect_out 'Cards of the list without a run, 1 of 2'
expect_out '8 cards are not on the list'
printf 'GPU-1\nnothing here\n' >wrong.txt
rooftune compare $files --expected wrong.txt
expect_error 2 'line 2 of wrong.txt names no card'
# Another cache mode is another figure, and one card nine times is no fleet.
gzip -dc card18.json.gz | sed 's/"cold"/"hot"/g' | gzip -n >hot.json.gz
rooftune compare $(echo $files | sed 's/card18/hot/')
expect_out 'cache hot\|, cache'
for k in 10 11 12 13 14 15 16 17 18; do
    gzip -dc card$k.json.gz | sed 's/GPU-000000..-1111/GPU-00000010-1111/g' | gzip -n >one$k.json.gz
done
rooftune compare one*.json.gz
expect_out 'all runs are of one card'
# What cannot be read, is there twice, or is another sweep's, is left out and told.
echo nothing >broken.db
cp card10.json.gz again.json.gz
rooftune compare $files broken.db again.json.gz "$SOURCE/sweeps/recorded/nvidia-h200/gemv.json.gz"
expect_status 0
expect_out '3 files were left out, the first broken.db'
expect_out '^9 runs of 9 cards'
expect_err 'broken.db is left out: '
# What most files are of is the fleet, wherever the others stand.
gzip -dc card18.json.gz | sed "s/NVIDIA H200/NVIDIA H100/g; s/000000000018/000000000019/" | gzip -n >h100.json.gz
rooftune compare "$SOURCE/sweeps/recorded/nvidia-h200/gemv.json.gz" h100.json.gz $files
expect_status 0
expect_out '^9 runs of 9 cards of NVIDIA H200'
expect_err 'gemv.json.gz is left out: it has sweep gemv, and most have '
expect_err 'h100.json.gz is left out: it is of NVIDIA H100, and most are of NVIDIA H200'
rooftune compare "$SOURCE/sweeps/recorded/nvidia-h200/gemv.json.gz" $files --csv -
! grep -q ',gemv [a-z]*=' out || fail "a figure of no card of the fleet"
# A stopped run has the best so far.
gzip -dc card18.json.gz | sed 's/"finished_unix_ns":[0-9]*/"finished_unix_ns":0/' | gzip -n >stopped.json.gz
rooftune compare $(echo $files | sed 's/card18/stopped/')
expect_status 0
expect_out '^8 runs of 8 cards'
expect_err 'stopped.json.gz is left out: it is not finished'
for k in 1 2 3 4 5 6 7 8; do cp stopped.json.gz stopped$k.json.gz; done
rooftune compare card10.json.gz stopped*.json.gz
expect_error 14 'of 10 files one is left'
expect_err '1 more files are left out'
rooftune compare stopped*.json.gz
expect_error 14 'none of the files has a run'
expect_err 'it is not finished'
: >e1
rooftune compare e1 e1 e1 e1 e1 e1 e1 e1 e1
[ "$status" != 0 ] || fail "nine empty files are a fleet"
expect_err 'none of the files has a run'
rooftune compare $files --mix x.lua
expect_error 2 '[-][-]mix is of runs that stand beside each other'
