# SPDX-License-Identifier: Apache-2.0
# What a user without rights, with tight limits or in a container meets: place, cause and remedy, and nothing that was
# measured is lost.
need_recording
export RFT_NVRTC=off
replay="$SOURCE/sweeps/quick.lua -d replay:$QUICK"
# user ARGS...: rooftune by one who is held to permissions, which root without these capabilities is, too.
user() {
    status=0
    $plain "$ROOFTUNE" "$@" >out 2>err </dev/null || status=$?
}
plain=
if [ "$(id -u)" = 0 ]; then
    plain="setpriv --bounding-set=-dac_override,-dac_read_search"
    $plain true 2>/dev/null || skip "root cannot give up its rights here"
fi

# The sweep's file comes before the driver, which may be missing, too.
echo 'return nothing' >secret.lua
chmod 000 secret.lua
for command in run point; do
    user $command none.lua
    expect_error 11 'cannot read none.lua: No such file'
    user $command secret.lua
    expect_error 11 'cannot read secret.lua: Permission denied'
done

# What a sweep names, behind a folder that may not be entered.
mkdir -m 000 shut
echo 'return require "shut.module"' >module.lua
echo 'return sweep { kernel = kernel { source = "shut/saxpy.cu" } }' >source.lua
for kind in module source; do
    user check $kind.lua
    expect_error 11 "$kind.lua:1: .*cannot look at .*shut/.*: Permission denied"
done
chmod 755 shut

# A folder without write permission: for the run, its report, the cache. A run in it is read.
# shellcheck disable=SC2086 # words
rooftune run $replay --no-report -o whole.db
mkdir locked
cp whole.db locked/
chmod 555 locked
# shellcheck disable=SC2086
user run $replay -o locked/new.db
expect_error 11 'cannot create locked/new.db: Permission denied'
# shellcheck disable=SC2086
user run $replay -o new.db --report locked/new.pdf
expect_error 11 'the report cannot be written to locked/new.pdf: Permission denied'
[ ! -e new.db ] || fail "the report's place is looked at after the run"
user show locked/whole.db
expect_status 0
user report locked/whole.db
expect_error 11 'cannot write locked/whole.pdf: Permission denied'
[ "$(ls locked)" = whole.db ] || fail "left in the folder: $(ls locked)"
RFT_CACHE=$PWD/locked user devices
expect_out 'cache of cubins and ceilings: no, cannot write in the folder'
(unset RFT_CACHE XDG_CACHE_HOME && HOME=$PWD/locked user devices) # a home that is not one's own
expect_out 'cache of cubins and ceilings: no, cannot write in the folder'
mkdir open && chmod 777 open
RFT_CACHE=$PWD/open rooftune devices
expect_out 'let RFT_CACHE name a folder of your own'

# Without HOME, locale and TMPDIR; an empty variable is one that is not set.
env -i PATH="$PATH" TMPDIR=/nonexistent RFT_NVRTC=off "$ROOFTUNE" report whole.db -o bare.pdf 2>err || fail "bare"
expect_file bare.pdf
(unset HOME XDG_CACHE_HOME && RFT_CACHE='' "$ROOFTUNE" devices >out)
expect_out 'cache of cubins and ceilings: no, there is no folder for it'
! grep -q /dev/shm "$ROOFTUNE" || fail "/dev/shm is used, which a container may lack"

# Limits: open files, memory.
for files in 4 5 6 12 16; do # libuv itself ends the program at 4 and 5
    # What a terminal or ctest left open is closed: the loader needs one for the libraries.
    # shellcheck disable=SC2086
    (exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&- && ulimit -n $files && exec "$ROOFTUNE" run $replay --fresh -o few.db) \
        >out 2>err </dev/null && status=0 || status=$?
    expect_error 13 'too many open files'
    expect_err 'remedy: .*ulimit -n'
done
[ ! -e few.db ] || fail "an empty run was left behind"
# How much is too little depends on the libraries: whatever is missing, the limit is named.
for kib in 10000 11000 19000 24000; do
    # shellcheck disable=SC2086
    (ulimit -v $kib && exec "$ROOFTUNE" show whole.db --json -) >out 2>err </dev/null && status=0 || status=$?
    [ $status = 0 ] || [ $status = 127 ] || expect_err 'ulimit -v'
done

# A container's seccomp profile: the run is whole, the PDF is told to be drawn otherwise.
refused() {
    status=0
    call=$1
    shift
    "$WITHOUT_CALL" "$call" "$ROOFTUNE" "$@" >out 2>err </dev/null || status=$?
    [ $status != 77 ] || skip "no seccomp here"
}
refused memfd report whole.db -o sealed.pdf
expect_error 11 'a font cannot be kept in memory: Operation not permitted'
expect_err 'remedy: .*memfd_create.*-o FILE.md'
refused memfd report whole.db -o sealed.md
expect_status 0
# shellcheck disable=SC2086
refused eventfd run $replay -o sealed.db
expect_error 13 'operation not permitted'
expect_err 'remedy: .*seccomp'
