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
# shellcheck disable=SC2086
printf '%s\n' $todo | xargs -n 1 sh -c '
    file=${4%%:*} stamp=${4#*:}
    if said=$("$1" -p "$2" --quiet --extra-arg=-Xclang --extra-arg=-analyzer-config --extra-arg=-Xclang \
                   --extra-arg=max-nodes="$3" "$file" 2>&1); then
        : >"$stamp"
    else
        printf "%s\n" "$said"
        exit 1
    fi' tidy "$tidy" "$build" "$nodes"
status=$?
echo "$(printf '%s\n' $todo | wc -l) files looked at"
[ $status -eq 0 ]
