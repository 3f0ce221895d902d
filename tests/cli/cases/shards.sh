# SPDX-License-Identifier: Apache-2.0
# A run divided among machines, and put together again.
need_recording
export RFT_NVRTC=off
quick=$SOURCE/sweeps/quick.lua
# points FILE: what was tried, a line each.
points() {
    "$ROOFTUNE" show "$1" --csv - 2>/dev/null | sed 1d | cut -d, -f2-5 | sort
}
rooftune run "$quick" -d "replay:$QUICK" -o whole.db --no-report
expect_status 0
for k in 1 2 3; do
    rooftune run "$quick" -d "replay:$QUICK" --shard $k/3 -o "s$k.db" --no-report
    expect_status 0
    points s$k.db | grep -v 'n=65539\|=515\|=1027\|=131\|odd' >"s$k.points"
done
# Each configuration has one shard, and none is much larger than another.
points whole.db >whole.points
cat s1.points s2.points s3.points | sort | uniq -d | head -n 3 >twice
sort -u s1.points s2.points s3.points | comm -13 whole.points - >strange
[ ! -s strange ] || fail "shards have what the whole run has not: $(head -n 2 strange)"
[ "$(wc -l <s1.points)" -gt 35 ] && [ "$(wc -l <s1.points)" -lt 85 ] || fail "a third of 176 is $(wc -l <s1.points)"
rooftune import s1.db s2.db s3.db -o all.db
expect_status 0
expect_err '209 points of 3 shards written to all.db, 0 of them measured twice'
expect_err '0 configurations are missing'
points all.db | cmp - whole.points || fail "the shards together are not the whole"
rooftune show all.db
expect_out '^not finished'
rooftune run "$quick" -d "replay:$QUICK" -o all.db --no-report
expect_err 'continuing all.db: 209 points are stored'
for file in all whole; do
    "$ROOFTUNE" best $file.db --csv - | cut -d, -f1-4 >$file.best
done
cmp all.best whole.best || fail "another best"
# One is missing: the run goes on with what it would have measured, on another card of the model.
rooftune import s1.db s3.db -o two.db
expect_err '[1-9][0-9]* configurations are missing'
uuid=$(gzip -dc "$QUICK" | grep -o 'GPU-[0-9a-f-]*' | head -n 1)
gzip -dc "$QUICK" | sed "s/$uuid/GPU-00000000-1111-2222-3333-444444444444/g" | gzip -n >other.json.gz
rooftune run "$quick" -d replay:other.json.gz -o two.db --no-report
expect_status 0
points two.db | cmp - whole.points || fail "what was missing is missing"
rooftune export two.db -o two.json.gz
gzip -dc two.json.gz | grep -q '"uuid":"GPU-00000000' || fail "the ranked times are not of the card that went on"
gzip -dc two.json.gz | grep -q '"run.shards","1/3 of GPU-' || fail "the shards are not named"
# A recording may not say how many configurations there are.
rooftune export s1.db -o s1.json.gz && rooftune export s3.db -o s3.json.gz
for file in s1 s3; do
    gzip -dc $file.json.gz | sed 's/,"cartesian":\[[^]]*\]//g; s/,"valid":\[[^]]*\]//g' >$file.json
done
grep -q '"valid"' s1.json && fail "the recording tells the number of its configurations"
rooftune import s1.json s3.json -o untold.db
expect_status 0
expect_err 'an unknown number of configurations are missing'
# With more shards than configurations some have none: no failure.
rooftune run "$quick" -d "replay:$QUICK" --shard 1/8192 -o none.db --no-report
expect_status 0
expect_err 'no configuration belongs to shard 1/8192'
rooftune import none.db s1.db -o some.db
expect_status 0
# A shard measured on another day, which finds one result wrong and the others slower by a fifth.
if command -v python3 >/dev/null; then
    python3 - s1.json.gz again.json.gz <<'END'
import gzip, json, sys
run = json.load(gzip.open(sys.argv[1]))
run["rooftune"]["run"]["id"] = "0123456789ab"
run["rooftune"]["points"]["outcome"][1] = "wrong_result"
for result in run["results"]:
    result["times"]["runtimes"] = [x * 1.2 for x in result["times"]["runtimes"]]
json.dump(run, gzip.open(sys.argv[2], "wt"))
END
    rooftune import s1.db again.json.gz -o again.db
    expect_status 0
    expect_err 'measured 1 have another outcome, .* one is sweep [a-z_]*, [a-z]*=.*: .* and wrong_result'
    expect_err 'disagree by more than 5 %, .* one is sweep [a-z_]*, [a-z]*=.*: .* and '
    slower() { # FILE.json.gz: as the card that is slower by 8 %
        gzip -dc "$1" | python3 -c '
import json, sys
run = json.load(sys.stdin)
run["rooftune"]["gpu"]["uuid"] = "GPU-00000009-1111-2222-3333-444444444444"
for result in run["results"]:
    result["times"]["runtimes"] = [x * 1.08 for x in result["times"]["runtimes"]]
json.dump(run, sys.stdout)' | gzip -n
    }
    # A card that is slower by 8 % had one shard: its best are contenders all the same, though nothing tells by how much.
    for k in 2 3; do rooftune export s$k.db -o part$k.json.gz; done
    slower s1.json.gz >slow.json.gz
    rooftune import part2.json.gz part3.json.gz slow.json.gz -o mixed.db
    ! grep -q ceilings err || fail "ceilings that agree, or are another card's, are told"
    rooftune run "$quick" -d "replay:$QUICK" -o mixed.db --no-report
    expect_status 0
    "$ROOFTUNE" best mixed.db --csv - | cut -d, -f1,2,5 >mixed.best
    "$ROOFTUNE" best whole.db --csv - | cut -d, -f1,2,5 | paste -d, mixed.best - | awk -F, 'NR > 1 && $3 > 1.015 * $6' >lost
    [ ! -s lost ] || fail "the slower card's best are lost: $(cat lost)"
    # One card had two shards, and the slower one goes on: what that measures is held against its own times alone.
    slower "$QUICK" >all_slow.json.gz
    rooftune run "$quick" -d replay:all_slow.json.gz -o slow.db --no-report
    rooftune import s2.db s3.db -o goes.db
    rooftune run "$quick" -d replay:all_slow.json.gz -o goes.db --no-report
    expect_status 0
    for file in slow goes; do
        "$ROOFTUNE" best $file.db --csv - | cut -d, -f1,2,5 >$file.best
    done
    paste -d, goes.best slow.best | awk -F, 'NR > 1 && $3 > 1.015 * $6' >lost
    [ ! -s lost ] || fail "the bests of the card that goes on are lost: $(cat lost)"
    rooftune show goes.db
    expect_out 'Measured by 2 cards'
    # One card, and a ceiling that it does not have on two days.
    gzip -dc part3.json.gz | python3 -c '
import json, sys
run = json.load(sys.stdin)
run["rooftune"]["ceilings"]["dram_copy"]["stats"]["median"] *= 0.96
json.dump(run, sys.stdout)' | gzip -n >tired.json.gz
    rooftune import part2.json.gz tired.json.gz slow.json.gz -o tired.db
    expect_status 0
    expect_err 'ceilings of 1 shard are not .* by 4.2 %, are part2.json.gz and tired.json.gz of GPU-.*, copy (1:1), 4.27 TB/s and 4.10 TB/s'
fi
# The recording of a shard is replayed as any other: it is no shard, and can be continued.
for time in first again; do
    rooftune run "$quick" -d replay:s1.json.gz -o replayed.db --no-report
    expect_status 0
done
# What does not go together.
cp s1.db copy.db
rooftune import s1.db s3.db copy.db -o x.db
expect_error 2 'copy.db is the same run ([0-9a-f]*) as s1.db'
head -c 20000 s3.db >cut.db
rooftune import s1.db cut.db -o x.db
expect_error 9 'cut.db: database disk image is malformed'
expect_err 'remedy: copy it again, or leave it out (--skip-damaged)'
rooftune import cut.db s1.db --skip-damaged -o part.db
expect_status 0
expect_err 'cut.db is left out, and what it has will be measured again: .*database disk image is malformed'
expect_err 'points of 1 shards written to part.db'
expect_err '[1-9][0-9]* configurations are missing'
cp cut.db cut2.db
rooftune import cut.db cut2.db --skip-damaged -o x.db
expect_error 9 'cut2.db: database disk image is malformed'
rooftune run "$quick" -d "replay:$QUICK" --shard 1/3 -o s2.db
expect_error 9 'the file holds shard 2/3 of a run'
rooftune run "$quick" -d "replay:$QUICK" --shard 4/3 -o x.db
expect_error 2 '[-][-]shard takes K/N'
rooftune run "$quick" -d "replay:$QUICK" --shard 1/3 --budget 10 -o x.db
expect_error 2 'is searched (a budget or a goal)'
rooftune import s1.db "$SOURCE/sweeps/recorded/nvidia-h200/gemv.json.gz" -o x.db
expect_error 9 'is no shard of the same run'
[ ! -e x.db ] || fail "half a run is there"
rooftune export s3.db -o s3.json.gz
gzip -dc s3.json.gz | sed 's/"cold"/"hot"/g' | gzip -n >hot.json.gz
rooftune import s1.db hot.json.gz -o x.db
expect_error 9 'another measure.cache'
rooftune import whole.db -o x.db
expect_error 2 'whole.db is a run file already'
# The only one that is left; one that a job left before it began.
rooftune import s1.db -o alone.db
expect_status 0
points alone.db >lone.points
points s1.db | cmp - lone.points || fail "one shard is not itself"
if command -v python3 >/dev/null; then
    python3 -c 'import sqlite3; d = sqlite3.connect("s0.db"); d.execute("create table t(a)"); d.execute("drop table t")'
    rooftune import s0.db s1.db -o lone.db
    expect_status 0
    expect_err 's0.db ended before it began'
    expect_err "$(wc -l <lone.points) points of 1 shards written to lone.db"
    rooftune import s0.db -o x.db
    expect_error 14 "it ended before it began"
fi
# As jobs of Slurm: printed, and nothing else. tests/slurm runs them.
rooftune run "$quick" --sbatch nodes=2,gpus=4,cpus=12,time=1:00:00,partition=gpu --at n=4096 -o 'my run.db'
expect_status 0
expect_out '^#SBATCH --array=1-8$'
expect_out '^#SBATCH --gpus=1$'
expect_out '^#SBATCH --cpus-per-task=12$'
expect_out '^#SBATCH --time=1:00:00$'
expect_out '^#SBATCH --partition=gpu$'
expect_out 'run .*--at n=4096.* --shard "[$]k/8" *.*$\|run .*--shard "[$]k/8".*--at n=4096'
expect_out "^    if .* import .* -o 'my run.db.part'"
expect_out "^        mv 'my run.db.part' 'my run.db'"
sh -n out || fail "no script"
# The second job is refused: the first one is cancelled, or it is told how.
mkdir refusing
cat >refusing/sbatch <<'SH'
#!/bin/sh
cat >/dev/null
case $* in *--dependency*) exit 1 ;; esac
echo '77;cluster'
SH
printf '#!/bin/sh\necho "$@" >cancelled\n' >refusing/scancel
chmod +x refusing/*
refused() {
    status=0
    PATH=$PWD/refusing:$PATH "$ROOFTUNE" run "$quick" --sbatch nodes=2 --submit >out 2>err || status=$?
    expect_error 11 'could not be submitted'
    expect_err "the job behind the shards was refused; they (job 77) are $1\$"
}
refused cancelled
grep -qx 77 cancelled || fail "cancelled: $(cat cancelled)"
printf '#!/bin/sh\nexit 1\n' >refusing/scancel
refused 'not cancelled: run scancel 77'
# What follows the shards runs with none, with one, and after an import that was ended in its middle.
whole_job() { # [NAME]
    sed -n '/^whole=/,/^RFT_END/p' out | sed '1d;$d' >whole.sh
    sh whole.sh >job.log 2>&1 || fail "the last job: $(cat job.log)"
    points "${1-job}.db" | cmp - whole.points || fail "the last job's run is not the whole"
}
rooftune run "$quick" -d "replay:$QUICK" --sbatch nodes=1 -o job.db --no-report --events log.jsonl
grep 'shard' out | grep -q events && fail "shards write one stream of events"
cp out out.job
whole_job
grep -q 'no shard 1' job.log || fail "not told: $(cat job.log)"
rm job.db
cp out.job out
cp s1.db job-1-of-1.db
cp s2.db job.db.part
echo 'of a killed import' >job.db.part-wal
whole_job
grep -q 'points of 1 shards' job.log || fail "the shard is not there: $(cat job.log)"
[ ! -e job.db.part ] || fail "half a run is left"
# One of two shards is damaged: the other counts, and the last job measures the rest.
rooftune run "$quick" -d "replay:$QUICK" --shard 1/2 -o torn-1-of-2.db --no-report
rooftune run "$quick" -d "replay:$QUICK" --sbatch nodes=2 -o torn.db --no-report
head -c 30000 torn-1-of-2.db >torn-2-of-2.db
whole_job torn
grep -q 'torn-2-of-2.db is left out' job.log || fail "the damaged shard is not told: $(cat job.log)"
grep -q 'points of 1 shards' job.log || fail "the other shard is not there: $(cat job.log)"
# Submitted again: what shards have measured since the run was put together goes into it, and what it has stays.
rooftune import s1.db s2.db -o later.db
expect_status 0
rooftune run "$quick" -d "replay:$QUICK" --sbatch nodes=3 -o later.db --no-report
cp out out.job
sleep 0.1
cp s1.db later-1-of-3.db
cp s3.db later-3-of-3.db
whole_job later
grep -q '209 points of 3 shards written to later.db.part, 0 of them measured twice' job.log || fail "$(cat job.log)"
grep -q 'continuing later.db: 209 points' job.log || fail "shards and run: $(cat job.log)"
touch later-3-of-3.db # the run is finished
cp out.job out
whole_job later
! grep -q 'written to' job.log || fail "put together again: $(cat job.log)"
rooftune import s1.db s3.db -o later.db.new
sleep 0.1
mv later.db.new later.db
touch later.db # it is newer than the shards
cp out.job out
whole_job later
! grep -q 'written to' job.log || fail "nothing was new: $(cat job.log)"
rooftune import all.db later.db -o x.db
expect_error 2 'there is no shard beside'
rooftune run "$quick" --sbatch nodes=2 -d all
expect_error 2 'a job for each card'
rooftune run "$quick" --sbatch nodes=2 -d 1
expect_error 2 'a job has one GPU, 0, and -d names 1'
rooftune run "$quick" --sbatch nodes=2 -o missing/x.db
expect_error 11 'cannot create missing/x.db'
rooftune run "$quick" --sbatch nodes=2 -o whole.points
expect_error 9 'whole.points is there and is no run file'
rooftune run "$quick" --submit -d "replay:$QUICK" -o x.db
expect_error 2 'there is no --sbatch'
rooftune run "$quick" --sbatch nodes=2 --budget 5
expect_error 2 '[a-z_]* is searched (a budget or a goal)'
# What `check` would say of the sweep, no job has to.
rooftune run "$quick" --sbatch nodes=2 --at m=7
expect_error 2 'no axis "m"'
echo 'return sweep { kernl = 1 }' >broken.lua
rooftune run broken.lua --sbatch nodes=2
expect_error 3 'broken.lua:1: sweep.kernl: unknown key'
[ ! -s out ] || fail "jobs of a broken script are printed"
write_saxpy
sweep learns 'over = { n = values(1024) }, search = { strategy = "memetic" }'
rooftune run learns.lua --sbatch nodes=2
expect_error 2 'learns.* is searched (memetic)'
sweep elsewhere 'over = function(gpu) assert(gpu.arch ~= "sm_90a") return { n = values(1024) } end'
rooftune run elsewhere.lua --sbatch nodes=2
expect_status 0
rooftune run "$quick" --sbatch nodes=2 --fresh
expect_error 2 'goes on with the files that are there'
rooftune run "$quick" --sbatch nodes=0
expect_error 2 'nodes takes a number from 1'
for time in 5 90 90:30 2:00:00 1-12 1-12:30 1-12:30:30 0 unlimited; do
    rooftune run "$quick" --sbatch time=$time,partition=a,b,gpus=2
    expect_status 0
    expect_out "^#SBATCH --time=$time\$"
    expect_out '^#SBATCH --partition=a,b$'
    expect_out '^#SBATCH --array=1-2$'
done
for time in abc '' 5m 1:2:3:4 1- -5 1-2-3 5: :5 1-1:1:1:1 9999999; do
    rooftune run "$quick" --sbatch "nodes=2,time=$time"
    expect_error 2 'time takes M, M:S\|does not understand "time='
done
for time in 1 4:59 0:04:59; do
    rooftune run "$quick" --sbatch time=$time
    expect_error 2 "time=$time is over before a job has measured"
done
rooftune run "$quick" --sbatch partition=a,gpus
expect_error 2 'gpus takes a number'
rooftune run "$quick" --sbatch nodes=1000
! grep -q MaxArraySize err || fail "1000 shards fit an array"
rooftune run "$quick" --sbatch nodes=143,gpus=7
expect_status 0
expect_err 'an array of 1001 shards needs a MaxArraySize of 1002'
rooftune run "$quick" --sbatch 'time=1
#SBATCH --uid=0'
expect_error 2 'does not understand'
ln -s "$quick" 'zz
RFT_END
touch stray; #.lua'
rooftune run ./zz* --sbatch nodes=2
expect_error 2 'a line break in ./zz'
rooftune run "$quick" --sbatch nodes=2 --shard 1/2
expect_error 2 'without --shard'
