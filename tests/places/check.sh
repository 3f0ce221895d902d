#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check.sh SOURCE BUILD [full]: what has to be touched to add a metric, an option, a pipe, a chart.
#
# Each *.diff here is such a change, whole and working. Its first line says what it adds, a line "places: N files" (or
# "N edits": runs of changed lines) how many places it may take. A place is in a file that is compiled, built in or run:
# pages for readers (*.md, sweeps/types/), tests and their lists are counted beside it, without a limit. A line "also:
# FILE, why" is a place, too, which the diff leaves out because it could not be applied for long (a number that grows).
# CONTRIBUTING.md ("How to add") names each of these files.
# Each diff is applied to a copy of the tree, and the C files that it touches are compiled (syntax alone). With "full",
# or RFT_PLACES=build, the patched tree is built and the tests that its line "tests: REGEX" names are run: minutes each.
set -u
source=$1 build=$2 kind=${3:-${RFT_PLACES:-}}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
bad=0
complain() {
    echo "$1"
    bad=1
}
[ -f "$build/compile_commands.json" ] && git -C "$source" rev-parse >/dev/null 2>&1 || {
    echo "needs git and compile_commands.json"
    exit 77
}

copy_tree() { # the files as they stand, not as committed
    rm -rf "$work/tree" && mkdir "$work/tree" && (cd "$source" && git ls-files -z --cached --others --exclude-standard |
        xargs -0 sh -c 'for f; do [ ! -f "$f" ] || printf "%s\0" "$f"; done' sh | tar -c --null -T - 2>/dev/null) |
        tar -x -C "$work/tree"
}

head_line() { sed -n "/^diff /q; s/^$2: //p" "$1"; }
files_of() { sed -n 's,^+++ b/,,p' "$1" | sed 's/\t.*//' | sort -u; }

# Runs of changed lines in the files named on stdin.
edits_of() {
    awk -v names="$(cat)" 'BEGIN { n = split(names, list, "\n"); for (i = 1; i <= n; i++) wanted[list[i]] = 1 }
        /^diff --git/ { in_hunk = 0 } /^\+\+\+ b\// { counted = substr($2, 3) in wanted }
        /^@@/ { in_hunk = 1; run = 0; next }
        in_hunk { changed = /^[-+]/; if (changed && !run && counted) edits++; run = changed }
        END { print edits + 0 }' "$1"
}

is_read='^docs/|\.md$|^sweeps/types/'

count_places() {
    code=$(files_of "$1" | grep -Ev "$is_read|^tests/")
    files=$(echo "$code" | grep -c .)
    also=$(head_line "$1" also | grep -c .)
    files=$((files + also))
    edits=$(($(echo "$code" | edits_of "$1") + also))
    echo "$name: $files files and $edits edits; for readers $(files_of "$1" | grep -Ec "$is_read")," \
        "tests $(files_of "$1" | grep -c '^tests/')"
    set -- $(head_line "$1" places)
    case "${2:-}" in
    files) taken=$files ;;
    edits) taken=$edits ;;
    *) complain "$name: its head has no line \"places: N files\" or \"places: N edits\"" && return ;;
    esac
    [ "$taken" -le "$1" ] || complain "$name: $taken $2 to touch, and $1 are allowed"
}

# The table of CONTRIBUTING.md names each place.
check_table() {
    for file in $(files_of "$1" | grep -v '^tests/') $(head_line "$1" also | sed 's/,.*//'); do
        [ -f "$source/$file" ] || file=$(dirname "$file") # a new one: its folder
        grep -q "[\`(]$file[\`)#]" "$source/CONTRIBUTING.md" || complain "$name: CONTRIBUTING.md does not name $file"
    done
}

# The C files of the diff, with the flags of the build, in the copy. A new file has those of a neighbour.
compile_touched() {
    for file in $(files_of "$1" | grep '\.c$'); do
        known=$source/$file
        [ -f "$known" ] || known=$(ls "$source/$(dirname "$file")"/*.c | head -1)
        command=$(awk -v file="$known" -F'"' '/"command":/ { c = $0 } /"file":/ && $4 == file { print c; exit }' \
            "$build/compile_commands.json" | sed 's/^ *"command": "//; s/",$//; s/\\"/"/g; s/\\\\/\\/g')
        [ -n "$command" ] || continue # built elsewhere: a GPU test
        command=$(echo "$command" | sed "s, -o [^ ]*\.o , ,; s,$known,$source/$file,; s,$build/,@,g; s,$source/,$work/tree/,g
            s,$source ,$work/tree ,g; s,@,$build/,g")
        (cd "$build" && sh -c "$command -fsyntax-only") >"$work/log" 2>&1 ||
            { complain "$name: $file does not compile any more with it:" && cat "$work/log"; }
    done
}

build_whole() {
    (cmake -S "$work/tree" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DRFT_WERROR=ON \
        -DCMAKE_C_COMPILER_LAUNCHER="${CMAKE_C_COMPILER_LAUNCHER:-}" &&
        cmake --build "$work/build" -j2 -t $(head_line "$1" build) &&
        ctest --test-dir "$work/build" --output-on-failure --no-tests=error -R "$(head_line "$1" tests)") >"$work/log" 2>&1 ||
        { complain "$name: built whole:" && grep -v "^\[.*Building" "$work/log" | tail -60; }
    rm -rf "$work/build"
}

for diff in "$source"/tests/places/*.diff; do
    [ -f "$diff" ] || continue
    name=$(basename "$diff")
    count_places "$diff"
    check_table "$diff"
    copy_tree
    if ! (cd "$work/tree" && GIT_DIR=/nonexistent git apply -C1 "$diff") 2>"$work/log" &&
        ! (cd "$work/tree" && patch -s -f -p1 -F3 --no-backup-if-mismatch <"$diff" >"$work/log" 2>&1); then
        complain "$name no longer applies:" && cat "$work/log"
        echo "  remedy: make the change again by hand (patch -p1 -F3 <tests/places/$name leaves .rej files), then" \
            "write \`git diff\` behind the head of tests/places/$name, and take the change back with \`git checkout\`"
        continue
    fi
    if [ "$kind" = build ] || [ "$kind" = full ]; then build_whole "$diff"; else compile_touched "$diff"; fi
done
exit $bad
