#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_broken.sh WORK [COMPILER...]: the layering test must pass on a small good tree and fail, for the right reason,
# once for every rule that is broken in it.
set -u
here=$(cd "$(dirname "$0")" && pwd)
work=$1
shift
failures=0
cases=0

spdx='/* SPDX-License-Identifier: Apache-2.0 */'
good_tree() {
    rm -rf "$work"
    for room in base model search script gpu store measure run cli; do
        mkdir -p "$work/harness/$room"
        printf '%s\n#include <stddef.h>\nsize_t rft_%s_size(void);\n' "$spdx" "$room" >"$work/harness/$room/$room.h"
        printf '%s\n#include "%s/%s.h"\n\n#include <string.h>\n' "$spdx" "$room" "$room" >"$work/harness/$room/$room.c"
    done
    mkdir -p "$work/reports" "$work/tests/unit" "$work/kernels"
    printf '%s\n#include "base/base.h"\n#include "store/store.h"\n' "$spdx" >"$work/reports/doc.c"
    printf '%s\n#include <uv.h>\n#include "gpu/gpu.h"\n' "$spdx" >"$work/harness/run/pool.c"
    printf '%s\n/* printf("in a comment") */\nstatic const char *text = "exit(1) // no";\n' "$spdx" >"$work/harness/model/quotes.c"
}

# expect WORDS: check.sh must fail and say WORDS.
expect() {
    cases=$((cases + 1))
    words=$1
    shift
    if said=$("$here/check.sh" "$work" "$@" 2>&1); then
        echo "not noticed: $words"
        failures=$((failures + 1))
    elif ! printf '%s' "$said" | grep -qF -- "$words"; then
        echo "expected '$words', but it said: $said"
        failures=$((failures + 1))
    fi
    good_tree
}
add() { printf '%s\n' "$2" >>"$work/$1"; }

good_tree
if ! said=$("$here/check.sh" "$work" "$@" 2>&1); then
    echo "the good tree does not pass: $said"
    failures=$((failures + 1))
fi

add harness/base/base.c '#include "model/model.h"';       expect 'the room base may not include "model/model.h"'
add harness/model/model.c '#  include "search/search.h"'; expect 'the room model may not include'
add harness/script/script.c '#include "store/store.h"';   expect 'the room script may not include'
add harness/gpu/gpu.c '#include "measure/measure.h"';     expect 'the room gpu may not include'
add harness/measure/measure.c '#include "gpu/nvrtc.h"';   expect 'the room measure may not include "gpu/nvrtc.h"'
add harness/measure/measure.c '#include "store/store.h"'; expect 'the room measure may not include'
# A folder that the table names is a room of its own.
add_room() { mkdir -p "$work/harness/$1"; cp "$work/harness/base/base.c" "$work/harness/$1/$2"; add "harness/$1/$2" "$3"; }
add_room model/stats means.c '#include "model/run/run.h"'; expect 'the room model/stats may not include "model/run/run.h"'
add_room model/stats means.c '#include <time.h>';      expect 'which has no I/O, no clock and no device'
add harness/run/run.c '#include "cli/cli.h"';             expect 'the room run may not include'
add harness/run/run.c '#include "store/store_parts.h"';  expect 'the room run may not include'
add harness/store/store.c '#include "reports/doc.h"';     expect 'the room store may not include'
add reports/doc.c '#include "run/run.h"';                 expect 'the room reports may not include'
add reports/doc.c '#include "store/store_parts.h"';      expect 'the room reports may not include'
add harness/cli/cli.c '#include "script/lua_state.h"';    expect 'the room cli may not include'
add harness/base/base.c '#include "base.h"';              expect 'must be written with its folder'
add harness/measure/measure.c '#include <cuda.h>';        expect '<cuda.h> may be included only in'
add harness/measure/measure.c '#include <nvrtc.h>';       expect '<nvrtc.h> may be included only in'
add harness/run/run.c '#include <nvml.h>';                expect '<nvml.h> may be included only in'
add harness/cli/cli.c '#include <cupti.h>';               expect '<cupti.h> may be included only in'
add harness/cli/cli.c '#include <cublasLt.h>';            expect '<cublasLt.h> may be included only in'
add harness/cli/cli.c '#include <lua.h>';                 expect '<lua.h> may be included only in'
add harness/cli/cli.c '#include <lauxlib.h>';             expect '<lauxlib.h> may be included only in'
add harness/cli/cli.c '#include <sqlite3.h>';             expect '<sqlite3.h> may be included only in'
add harness/cli/cli.c '#include <uv.h>';                  expect '<uv.h> may be included only in'
add harness/store/store.c '#include <jansson.h>';         expect '<jansson.h> may be included only in'
add reports/doc.c '#include <hpdf.h>';                    expect '<hpdf.h> may be included only in'
add harness/run/run.c '#include <curl/curl.h>';           expect 'not a header this project knows'
add harness/model/model.c '#include <time.h>';            expect 'which has no I/O, no clock and no device'
add harness/store/store.c 'void f(void) { printf("x"); }'; expect 'printf below cli'
add harness/store/store.c 'void f(void) { if (0) exit (1); }'; expect 'exit below cli'
add harness/gpu/gpu.c 'char *f(void) { return getenv("HOME"); }'; expect 'getenv below cli'
add harness/gpu/gpu.c 'void f(void) { abort(); }';        expect 'abort below cli'
add reports/doc.c 'void f(void) { fprintf(stderr, "x"); }'; expect 'fprintf below cli'
add harness/run/run.c '// a comment';                     expect 'comments are written /* */'
printf 'int x;\n' >"$work/harness/base/bare.c";           expect 'the first line must be the licence identifier'
cp "$work/harness/base/base.c" "$work/tests/unit/base.c"; expect 'base.c: two files of that name'
mkdir "$work/harness/misc"; cp "$work/reports/doc.c" "$work/harness/misc/odd.c"; expect 'no such room: misc'
printf '%s\ntypedef uint64_t rft_word;\n' "$spdx" >"$work/harness/model/word.h"; expect 'word.h: does not compile alone' "$@"
# Its .c includes it, but not first: the build would not see it.
printf '%s\n#include <stdint.h>\n\n#include "model/model.h"\n' "$spdx" >"$work/harness/model/model.c"
add harness/model/model.h 'uint64_t rft_model_hash(void);'; expect 'model.h: does not compile alone' "$@"
# Finding one's way.
put() { printf '%s\n%s\n' "$spdx" "$2" >"$work/harness/$1"; }
add harness/model/model.h 'int rft_far(int a);'; put model/other.c 'int rft_far(int a) {
    return a;
}';                                                       expect 'model.h: rft_far() stands in harness/model/other.c'
add harness/model/model.h 'int rft_far(int a);'; put model/model_far.c 'int rft_far(int a) {
    return a;
}'; add harness/model/model.c 'size_t rft_model_size(void) {
}';                                                       expect 'model.h: its 2 sources have 10 lines together'
put model/a.h 'typedef struct rft_thing {
    int a;
} rft_thing;'; put search/b.c 'struct rft_thing {
    int b;
};';                                                      expect 'the type rft_thing means several things'
put model/a.h 'typedef int rft_thing;'; put search/b.c 'typedef double (*rft_thing)(int a);'
expect 'the type rft_thing means several things: harness/model/a.h harness/search/b.c'
for file in base/a model/b search/c gpu/d run/e; do put $file.c 'static int dull(int a) {
    return a;
}'; done;                                                 expect 'static dull() in 5 files'
for pair in a-b b-c c-d d-e e-a; do put "model/${pair%-*}.h" "#include \"model/${pair#*-}.h\""; done
expect '5 files include each other in a circle: harness/model/'
rm -rf "$work/harness" "$work/reports"; mkdir "$work/harness" "$work/reports"; expect 'nothing was checked'

rm -rf "$work"
echo "$cases broken trees, $failures not noticed or for the wrong reason"
[ "$failures" -eq 0 ]
