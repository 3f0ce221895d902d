# SPDX-License-Identifier: Apache-2.0
# A script that does not end is stopped with status 3, wherever it is: while it is read, in a constraint (once, not for each
# of its values), in the midst of a run; and where it hangs inside of Lua the process is ended. What a run has stored stays.
# All at once, since each takes its 10 to 12 s, and on one core: the limit is one of wall time.
write_saxpy
printf 'local n = 0\nwhile true do n = n + 1 end\n' >endless.lua
cat >where.lua <<'LUA'
return sweep { tune = { A = range(1, 100), B = range(1, 100) },
  where = { function(A, B) while A > 3 do end return true end } }
LUA
cat >stuck.lua <<'LUA'
local function hang()
  local t, m = {}, (1 << 19) - 1 -- the last of these makes a table of 2^19 places, where all fall into one
  for i = 1, (1 << 18) + 1 do t[i * m] = i end
  return true
end
return sweep { tune = { A = values(1, 2) }, where = { { "A", hang } } }
LUA
# The 50th configuration hangs, which is asked about when the first ones are stored.
for how in loop inside; do
    case $how in
    loop) hang='while true do end' ;;
    inside) hang='local t, m = {}, (1 << 19) - 1 for i = 1, (1 << 18) + 1 do t[i * m] = i end' ;;
    esac
    sed -e '1i local calls = 0' -e "s/launch  = function(p, c, gpu, b)/&\n calls = calls + 1 if calls > 50 then $hang end/" \
        kernels/saxpy_kernel.lua >"kernels/${how}_kernel.lua"
    printf 'return sweep { kernel = require "kernels.%s_kernel", over = { n = values(8) }, tune = { VEC = range(1, 60) } }\n' \
        $how >run_$how.lua
done
# begin NAME COMMAND...: in the background.
pids=
begin() {
    name=$1
    shift
    CASE_OF=$scratch $slowly "$ROOFTUNE" "$@" >$name.out 2>$name.err </dev/null &
    pids="$pids $name=$!"
}
begin endless check endless.lua
begin where check where.lua
begin stuck check stuck.lua
if [ -f "$QUICK" ]; then
    export RFT_NVRTC=off
    for how in loop inside; do begin run_$how run run_$how.lua -d "replay:$QUICK" -o $how.db --no-report; done
fi
for one in $pids; do
    status=0
    wait "${one#*=}" || status=$?
    cp "${one%=*}.out" out
    cp "${one%=*}.err" err
    case $one in
    endless=*) expect_error 3 'endless.lua:2: stopped at the limit of 10.0 s for one call into a script' ;;
    where=*) expect_error 3 'where.lua:2: sweep where: stopped at the limit of 10.0 s for one call' ;;
    stuck=*) expect_error 3 'function of A at stuck.lua:1: ended at the limit of 10.0 s for one call.*an operation inside Lua' ;;
    run_loop=*) expect_error 3 'kernels/loop_kernel.lua:[0-9]*: stopped at the limit' ;;
    run_inside=*) expect_error 3 'kernels/inside_kernel.lua:[0-9]*: ended at the limit' ;;
    esac
done
expect_none_left
[ -f "$QUICK" ] || exit 0
for how in loop inside; do
    rooftune show $how.db --csv -
    expect_status 0
    [ "$(grep -c not_recorded out)" -ge 10 ] || fail "$how.db lacks what was stored before"
    if grep -q script_failed out; then fail "$how.db blames a configuration"; fi
done
