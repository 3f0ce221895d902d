#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check.sh ROOT [COMPILER FLAGS...]: holds the tree at ROOT against rooms.txt; with a compiler, compiles every header
# alone that the build does not: a .c that includes the header of its name first has done it. Prints each broken rule;
# exit status 1 when there is one.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$1
shift
cd "$root" || exit 2
status=0

sources=$(find harness reports -name '*.[ch]' | LC_ALL=C sort)
if [ -z "$sources" ]; then
    echo "no sources under $root: nothing was checked"
    exit 2
fi
# shellcheck disable=SC2086 # file names in this tree have no spaces
awk -f "$here/check.awk" "$here/rooms.txt" $sources || status=1
# shellcheck disable=SC2086
awk -f "$here/names.awk" $sources | awk -f "$here/house.awk" "$here/rooms.txt" - || status=1

twice=$(find harness reports tests kernels -name '*.[ch]' -o -name '*.cu' 2>/dev/null | sed 's|.*/||' | LC_ALL=C sort | uniq -d)
for name in $twice; do
    echo "$name: two files of that name: $(find harness reports tests kernels -name "$name" 2>/dev/null | tr '\n' ' ')"
    status=1
done

[ $# -eq 0 ] && exit $status

# cuBLASLt's header is the one that the build does without where it is not there; who shows its types cannot be compiled.
has_cublaslt=$(echo '#include <cublasLt.h>' | "$@" -fsyntax-only -x c - 2>/dev/null && echo yes)
# Names of headers, as they are included, that the .c of the same name includes before anything else.
built=" $(find harness reports tests -name '*.c' -exec awk '
    FNR == 1 { looking = 1 }
    looking && /^# *include/ {
        looking = 0
        own = FILENAME
        sub(/.*\//, "", own)
        sub(/c$/, "h", own)
        name = $NF
        gsub(/"/, "", name)
        if (name == own || substr(name, length(name) - length(own)) == "/" own) printf "%s ", name
    }' {} +) "
alone=0 proven=0
for header in $(find harness reports tests -name '*.h' | LC_ALL=C sort); do
    if [ -z "$has_cublaslt" ] && grep -q '^#include <cublasLt.h>' "$header"; then
        echo "$header: not compiled, cublasLt.h is not here"
        continue
    fi
    included=${header#harness/}
    case $built in
    *" ${included#tests/} "*)
        proven=$((proven + 1))
        continue
        ;;
    esac
    alone=$((alone + 1))
    if ! "$@" -Wall -Wextra -Wpedantic -Werror -fsyntax-only -x c "$header"; then
        echo "$header: does not compile alone"
        status=1
    fi
done
echo "$(echo "$sources" | wc -l) files held against the table, $alone headers compiled alone, $proven by the build"
exit $status
