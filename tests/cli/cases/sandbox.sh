# SPDX-License-Identifier: Apache-2.0
# A sweep from elsewhere: it writes no file, and reads none outside of its tree. Each attack is tried by `check`
# and by `run`; "forbidden-word" stands for what a file outside would give away.
need_nvrtc
need_recording
mkdir outside tree
echo 'forbidden-word' >outside/secret.txt
echo 'forbidden-word' >outside/secret.h
echo 'return "forbidden-word"' >outside/stolen.lua
cd tree
write_saxpy
cp kernels/saxpy.cu saxpy.before
over='over = { n = values(1024) }, tune = { VEC = values(1, 2) }'

# attack NAME PATTERN: NAME.lua is refused by both commands with the pattern, and nothing leaks or is written.
attack() {
    for command in ${commands-check run}; do
        if [ $command = run ]; then set -- "$1" "$2" -d "replay:$QUICK" -o stolen.db --no-report; fi
        name=$1 pattern=$2
        shift 2
        rooftune $command "$name.lua" "$@"
        [ "$status" != 0 ] || fail "$command accepts $name"
        expect_err "$pattern"
        grep -q '^  remedy: .' err || fail "no remedy"
        grep -rq 'forbidden-word' out err stolen.db* 2>/dev/null && fail "$command of $name: the file's text is out"
        [ "$(ls ../outside)" = 'secret.h
secret.txt
stolen.lua' ] || fail "$command of $name wrote: $(ls ../outside)"
        rm -f stolen.db*
        set -- "$name" "$pattern"
    done
}
# options NAME OPTIONS PATTERN: the saxpy kernel with these options.
options() {
    sed "2i options = $2," kernels/saxpy_kernel.lua >kernels/given.lua
    echo "return sweep { kernel = require 'kernels.given', $over }" >"$1.lua"
    attack "$1" "kernels/given.lua:[0-9]*: .*options\[[0-9]\]: $3"
}
written=$(cd ../outside && pwd)/written
# By `run` the first and the last: what reads the options is the same.
options create_pch "{ '--create-pch=$written' }" 'the option "--create-pch=.*" is not allowed'
commands=check
options two_words "{ '-DA=1', '--create-pch', '$written' }" 'the option "--create-pch" is not allowed'
options time_trace "{ '--fdevice-time-trace=$written' }" 'the option "--fdevice-time-trace=.*" is not allowed'
options time "function(c) return { '-time=$written' } end" 'the option "-time=.*" is not allowed'
options pch_dir "{ '-pch', '--pch-dir=$written' }" 'the option "-pch" is not allowed'
options ptxas_writes "{ '-Xptxas=-o=$written' }" 'the option "-o=.*" is not allowed'
options ptxas_reads "{ '--ptxas-options', '--options-file=$written/../secret.txt' }" 'the option "--options-file=.*" is not'
options include "{ '-include', '$written/../secret.txt' }" '.*/secret.txt.* is outside of what a sweep may read'
options pre_include "{ '--pre-include=../../outside/secret.txt' }" '.*secret.txt.* is outside of what a sweep may read'
unset commands
options folder "{ '-I../../outside' }" '.*/outside.* is outside of what a sweep may read'

# source NAME PATH PATTERN: a kernel, then a reference, of this source.
source_of() {
    sed "s#\"saxpy.cu\"#\"$2\"#" kernels/saxpy_kernel.lua >kernels/given.lua
    echo "return sweep { kernel = require 'kernels.given', $over }" >"$1.lua"
    attack "$1" "$3"
    [ "$1" = passwd ] || return 0
    sed "s#\"saxpy_reference.cu:#\"$2:#" kernels/saxpy_kernel.lua >kernels/given.lua
    attack "$1" "$3"
}
outside='is outside of what a sweep may read'
source_of passwd /etc/passwd "given.lua:[0-9]*: kernel.*: /etc/passwd $outside"
source_of dots ../../outside/secret.txt "outside/secret.txt.* $outside"
ln -s ../../outside/secret.txt kernels/link.cu
source_of link link.cu "outside/secret.txt.* $outside"

# text NAME PATTERN: a source that begins with what stdin has.
text() {
    cat - saxpy.before >kernels/saxpy.cu
    echo "return sweep { kernel = require 'kernels.saxpy_kernel', $over }" >"$1.lua"
    attack "$1" "$2"
}
echo '#include "/etc/shadow"' | text shadow "saxpy.cu:1: #include \"/etc/shadow\": .*$outside"
echo '#include "../../outside/secret.h"' | text relative "saxpy.cu:1: .*secret.h.* $outside"
ln -s ../../outside/secret.h kernels/link.h
printf '\n#include "link.h"\n' | text linked "saxpy.cu:2: #include \"link.h\": .*secret.h.* $outside"
printf '#include "between.h"\n' >kernels/first.h
printf '#include "link.h"\n' >kernels/between.h
echo '#include "first.h"' | text deeper "between.h:1: #include \"link.h\": .*secret.h.* $outside"
cp saxpy.before kernels/saxpy.cu

# require: through a link, and upwards beside what is not the tree.
ln -s ../../outside/stolen.lua kernels/stolen.lua
echo 'error(require "kernels.stolen")' >module.lua
attack module "module.lua:1: require: .*outside/stolen.lua.* $outside"
echo 'error(require "outside.stolen")' >upwards.lua
attack upwards "upwards.lua:1: require: .*outside/stolen.lua.* $outside"

# What the scan of #include lines cannot know, the kernel refuses: a macro's name, a spliced line, the process itself.
rooftune devices
expect_out 'confinement of workers: '
if grep -q 'confinement of workers: Landlock' out; then
    cannot='cannot open source file'
    # hidden NAME: as text(), but the compiler's log is where the refusal stands.
    hidden() {
        cat - saxpy.before >kernels/saxpy.cu
        rm -f stolen.db*
        rooftune check allowed.lua
        expect_error 5 'no configuration'
        expect_out "$cannot"
        expect_out 'allow-path'
        rooftune run allowed.lua -d "replay:$QUICK" -o stolen.db --no-report
        [ "$status" != 0 ] || fail "run accepts a hidden include"
        grep -rq 'forbidden-word' out err stolen.db* && fail "hidden include: the file's text is out"
        return 0
    }
    echo "return sweep { kernel = require 'kernels.saxpy_kernel', $over }" >allowed.lua
    printf '#define WHAT "%s"\n#include WHAT\n' "$written/../secret.txt" | sed 's#/written/\.\.##' | hidden
    printf '#define WHAT "../../outside/secret.h"\n#inc\\\nlude WHAT\n' | hidden
    SECRET_VARIABLE=forbidden-word
    export SECRET_VARIABLE
    printf '#/* */include "/proc/self/environ"\n' | hidden
    unset SECRET_VARIABLE
    cp saxpy.before kernels/saxpy.cu
fi
# Elsewhere rooftune says so and works.
for command in 'devices' 'check allowed.lua --sample 1'; do
    echo "return sweep { kernel = require 'kernels.saxpy_kernel', $over }" >allowed.lua
    status=0
    "$WITHOUT_CALL" landlock "$ROOFTUNE" $command >out 2>err || status=$?
    [ $status = 77 ] || expect_status 0
    [ $status = 77 ] || [ "$command" != devices ] || expect_out 'confinement of workers: no, .*Landlock'
done

# What the user allows is allowed, and the command that continues says it again.
echo 'extern int allowed;' >../outside/secret.h
{ echo '#include "link.h"' && cat saxpy.before; } >kernels/saxpy.cu
echo "return sweep { kernel = require 'kernels.saxpy_kernel', $over }" >allowed.lua
rooftune check allowed.lua --allow-path ../outside
expect_status 0
expect_out 'compiled 2, failed 0'
rooftune point allowed.lua --emit cubin --arch sm_90a -o allowed.cubin --allow-path ../outside
expect_status 0
rooftune point allowed.lua --emit cubin --arch sm_90a -o refused.cubin
expect_error 3 "$outside"
rooftune run allowed.lua -d "replay:$QUICK" --no-report -o allowed.db --allow-path ../outside
if grep -q "$outside" err; then fail "what is allowed is refused"; fi
ln -s ../outside through
rooftune check allowed.lua --allow-path through --sample 1 # itself a link
expect_status 0
rooftune check allowed.lua --allow-path ../nowhere
expect_error 2 'no such folder'

# A tree that is reached through a link is a tree all the same.
ln -s tree ../seen
cp saxpy.before kernels/saxpy.cu
rooftune check ../seen/allowed.lua --sample 1
expect_status 0

# The process that reads the script does not even load the compiler, the workers do.
cp saxpy.before kernels/saxpy.cu
for command in 'check allowed.lua --sample 1' 'point allowed.lua --emit log --arch sm_90a' \
    "run allowed.lua -d replay:$QUICK --no-report -o loads.db"; do
    rm -f loads.*
    # shellcheck disable=SC2086 # the words of a command
    LD_DEBUG=libs LD_DEBUG_OUTPUT=loads sh -c 'echo $$ >first && exec "$@"' sh "$ROOFTUNE" $command >out 2>err </dev/null ||
        true
    set -- loads.*
    [ -f "loads.$(cat first)" ] || break # a static program
    if grep -q 'libnvrtc' "loads.$(cat first)"; then fail "the coordinator of $command loads NVRTC"; fi
    grep -q 'libnvrtc' "$@" || fail "NVRTC is not loaded over $command"
done
