#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# slurm.sh ROOFTUNE SOURCE: a real Slurm cluster of three nodes on this machine (loopback alone) runs what
# `rooftune run --sbatch` prints, over a replayed space. One shard is killed, one is requeued, one node is drained. The
# run in the end has the points and bests of an undivided one, in a folder and under a name that a shell would cut; so
# it has when the jobs are submitted again to a run that is not finished, with a shard lost and another damaged.
# Exit status 77: Slurm is not here, or cannot be started.
set -u
rooftune=$1 source=$2
PATH=$PATH:/usr/sbin:/sbin
for program in slurmctld slurmd sbatch munged; do
    command -v $program >/dev/null || { echo "skipped: no $program (apt-get install slurmd slurmctld slurm-client munge)"; exit 77; }
done
[ "$(id -u)" = 0 ] || { echo "skipped: the daemons want root"; exit 77; }
quick=$source/sweeps/quick.lua
recording=$source/sweeps/recorded/nvidia-h200/quick.json.gz
T=$(mktemp -d /tmp/rft_slurm_XXXXXX)
pids=()
end() {
    if [ ${#pids[@]} -gt 0 ]; then # of this cluster: a step that still runs would outlive its daemons
        squeue -h -o %A 2>/dev/null | xargs -r scancel 2>/dev/null
        for _ in $(seq 50); do [ -n "$(squeue -h 2>/dev/null)" ] || break; sleep 0.1; done
        kill "${pids[@]}" 2>/dev/null
    fi
    wait 2>/dev/null
    rm -rf "$T"
}
trap end EXIT
fail() {
    echo "FAILED: $*"
    squeue 2>&1
    tail -n 5 "$T"/log/ctld "$T"/work/*/*.log 2>/dev/null
    exit 1
}

# ---- the cluster ----
mkdir -p "$T"/{log,state,work} "$T"/spool/{n1,n2,n3}
base=$((20000 + $$ % 20000))
cat >"$T/slurm.conf" <<CONF
ClusterName=t
SlurmctldHost=$(hostname -s)(127.0.0.1)
AuthType=auth/munge
AuthInfo=socket=$T/munge.sock
SlurmctldPort=$base
StateSaveLocation=$T/state
SlurmdSpoolDir=$T/spool/%n
SlurmctldPidFile=$T/ctld.pid
SlurmdPidFile=$T/slurmd.%n.pid
SlurmctldLogFile=$T/log/ctld
SlurmdLogFile=$T/log/%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SlurmUser=root
SlurmdUser=root
SelectType=select/cons_tres
ReturnToService=2
MpiDefault=none
SchedulerParameters=sched_interval=1,batch_sched_delay=0
NodeName=n[1-3] NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=$((base + 1))-$((base + 3)) CPUs=2 RealMemory=100
PartitionName=p Nodes=n[1-3] Default=YES State=UP
CONF
export SLURM_CONF=$T/slurm.conf
head -c 1024 /dev/urandom >"$T/key"
chmod 400 "$T/key"
munged --foreground --force --key-file="$T/key" --socket="$T/munge.sock" --pid-file="$T/m.pid" --log-file="$T/log/m" \
    --seed-file="$T/seed" >/dev/null 2>&1 &
pids+=($!)
for _ in $(seq 50); do [ -S "$T/munge.sock" ] && break; sleep 0.1; done
slurmctld -D >/dev/null 2>&1 &
pids+=($!)
for node in n1 n2 n3; do
    slurmd -D -N $node >/dev/null 2>&1 &
    pids+=($!)
done
idle() { [ "$(sinfo -h -t idle -o %D 2>/dev/null)" = 3 ]; }
for _ in $(seq 150); do idle && break; sleep 0.2; done
idle || { echo "skipped: the cluster does not start here: $(tail -n 2 "$T/log/ctld" 2>/dev/null)"; exit 77; }

# ---- the run ----
mkdir "$T/work/it's \$here" && cd "$T/work/it's \$here" || exit 1
whole="a 'run' & more.db" shard=a--run----more
export RFT_NVRTC=off RFT_CACHE=$T/cache
scontrol update nodename=n3 state=drain reason=test || fail "n3 cannot be drained"
"$rooftune" run "$quick" -d "replay:$recording" --sbatch nodes=6,gpus=0,time=5,partition=p -o "$whole" >jobs.sh 2>err || fail "$(cat err)"
sh jobs.sh >submitted || fail "not submitted: $(cat submitted)"
array=$(sed 's/shards: job \([0-9]*\);.*/\1/' submitted)
scancel "${array}_2" || fail "shard 2 cannot be killed"
for _ in $(seq 150); do [ -s $shard-4-of-6.db ] && break; sleep 0.2; done
scontrol requeue "${array}_4" 2>/dev/null # it has run, or runs: it goes on with its file
wait_for_jobs() {
    for _ in $(seq 300); do
        [ -n "$(squeue -h)" ] || break
        scontrol update JobId="${array}_4" StartTime=now 2>/dev/null # Slurm lets a requeued job wait for two minutes
        sleep 0.2
    done
    [ -z "$(squeue -h)" ] || fail "jobs are left"
}
wait_for_jobs

scontrol -o show job "${array}_1" | grep -q 'JobState=COMPLETED .*ExitCode=0:0' || fail "Slurm does not say that shard 1 ended well"

# ---- the whole ----
points() { "$rooftune" show "$1" --csv - 2>/dev/null | sed 1d | cut -d, -f2-5 | sort; }
bests() { "$rooftune" best "$1" --csv - | cut -d, -f1-4; }
check_whole() {
    [ -s "$whole" ] || fail "the shards were not put together"
    cmp <(points "$whole") <(points undivided.db) || fail "other points than an undivided run"
    [ -z "$(points "$whole" | uniq -d)" ] || fail "a point is there twice"
    cmp <(bests "$whole") <(bests undivided.db) || fail "other bests"
}
"$rooftune" run "$quick" -d "replay:$recording" -o undivided.db --no-report >/dev/null 2>&1
check_whole
"$rooftune" export $shard-1-of-6.db -o one.json.gz 2>/dev/null
gzip -dc one.json.gz | grep -q '"replay.host.slurm","job [0-9]*, array '"$array"', task 1, node n[12], partition p' ||
    fail "the shard does not say which job it was"
# ---- submitted again: the run is there and not finished, a shard is lost, another damaged ----
"$rooftune" import $shard-1-of-6.db $shard-4-of-6.db -o part.db >/dev/null 2>&1 && mv part.db "$whole"
head -c 20000 $shard-5-of-6.db >cut && mv cut $shard-5-of-6.db
rm -f $shard-6-of-6.db
sh jobs.sh >submitted || fail "not submitted again: $(cat submitted)"
array=$(sed 's/shards: job \([0-9]*\);.*/\1/' submitted)
wait_for_jobs
scontrol -o show job "${array}_5" | grep -q 'JobState=FAILED .*ExitCode=9:0' || fail "Slurm does not say that shard 5 failed"
grep -q "$shard-5-of-6.db is left out" $shard-all.log || fail "the damaged shard is not told"
grep -q 'points of 6 shards written' $shard-all.log || fail "the new shards were not put together with the run"
check_whole
! cat ./*.log | grep -n "node n3" || fail "a drained node worked"
echo "$(points "$whole" | wc -l) points of $(ls $shard-*-of-6.db | wc -l) shards, one killed, one requeued, a node drained; again with one lost and one damaged"
