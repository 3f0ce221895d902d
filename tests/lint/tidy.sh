#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tidy.sh ROOT BUILD CLANG_TIDY ROOM NODES: clang-tidy over one room (harness/model, reports). A file that was clean is not
# looked at again until it, a header, the flags or the rules change (stamps in BUILD/tidy). The analyser takes
# nine tenths of the time and follows NODES states of a function, 225000 by default: the whole check must be done in
# minutes on two cores.
set -u
root=$1 build=$2 tidy=$3 room=$4 nodes=$5
case $tidy in
*NOTFOUND | "") echo "clang-tidy not found: apt-get install clang-tidy"; exit 77 ;;
esac
cd "$root" || exit 2
stamps=$build/tidy
mkdir -p "$stamps"
common=$({ echo "$nodes"; cat .clang-tidy; grep '"command"' "$build/compile_commands.json" | grep -o ' -[DfIO][^ ]*' | sort -u
           find harness reports -name '*.h' | LC_ALL=C sort | xargs cat; "$tidy" --version; } | sha256sum | cut -c1-64)

todo=
for file in $(find "$room" -name '*.c' | LC_ALL=C sort); do
    # A file that is not built here (an adapter without its headers) has no flags to be read with.
    grep -q "\"file\": \"$root/$file\"" "$build/compile_commands.json" || continue
    stamp=$stamps/$(echo "$common" | cat - "$file" | sha256sum | cut -c1-64)
    [ -e "$stamp" ] || todo="$todo $file:$stamp"
done
if [ -z "$todo" ]; then
    echo "nothing changed since the last clean look"
    exit 0
fi
# Twelve at a time: starting takes longer than reading a file. Those of a clean dozen are stamped; of another one each is
# looked at alone.
# shellcheck disable=SC2086
printf '%s\n' $todo | xargs -n 12 sh -c '
    tidy=$1 build=$2 nodes=$3
    shift 3
    look() {
        "$tidy" -p "$build" --quiet --extra-arg=-Xclang --extra-arg=-analyzer-config --extra-arg=-Xclang \
            --extra-arg=max-nodes="$nodes" "$@" 2>&1
    }
    files= status=0
    for pair in "$@"; do
        files="$files ${pair%%:*}"
    done
    look $files >/dev/null
    all=$?
    for pair in "$@"; do
        if [ $all -eq 0 ] || said=$(look "${pair%%:*}"); then
            : >"${pair#*:}"
        else
            printf "%s\n" "$said"
            status=1
        fi
    done
    exit $status' tidy "$tidy" "$build" "$nodes"
status=$?
echo "$(printf '%s\n' $todo | wc -l) files looked at"
[ $status -eq 0 ]
