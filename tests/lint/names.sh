#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# names.sh ROOT: what pages name in `backticks` is there: files and folders of the tree, functions (rft_…, …()), tests (-R, -t),
# commands of rooftune. CITATION.cff, CMakeLists.txt and CHANGELOG.md name one version.
set -u
cd "$1" || exit 2
LC_ALL=C
export LC_ALL
bad=0
complain() {
    echo "$1"
    bad=1
}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
find harness reports -name '*.[ch]' -exec cat {} + | grep -o '[a-z][a-z0-9_]*' | sort -u >"$work/names"
find tests -name '*.txt' -exec cat {} + | tr -c 'a-zA-Z0-9_' '\n' | sort -u >"$work/tests"
grep -o '"[a-z]*"' harness/cli/main.c | tr -d '"' | sort -u >"$work/commands"
for page in *.md docs/*.md; do
    [ "$page" = CHANGELOG.md ] && continue
    # Paths, alone or in a command: from a folder of the tree on, without placeholders.
    tr '`' '\n' <"$page" | tr ' ,;:()' '\n' | grep -E '^(harness|reports|kernels|sweeps|tests|cmake|docs)/[A-Za-z0-9_./*-]*$' |
        grep -vE 'NAME|FOLDER|nvbench|kernels/gemm' | sed 's/[.]$//' | sort -u | while read -r path; do
        ls -d $path >/dev/null 2>&1 || echo "$page: no $path"
    done >"$work/missing"
    [ -s "$work/missing" ] && cat "$work/missing" && bad=1
    for name in $(grep -o '`rft_[a-z0-9_]*\|`[a-z][a-z0-9_]*_[a-z0-9_]*()`' "$page" | tr -d '`()' | sort -u); do
        grep -qx "$name" "$work/names" || complain "$page: no $name"
    done
    for name in $(grep -o '`test_[a-z0-9_]*`\|-[Rt] .\{0,2\}test_[a-z0-9_]*' "$page" | grep -o 'test_[a-z0-9_]*' | sort -u); do
        grep -qx "$name" "$work/tests" || [ -n "$(find tests -name "$name.*")" ] ||
            complain "$page: no test $name"
    done
    for name in $({ grep -o '`rooftune [a-z]*' "$page"; sed -n '/^```/,/^```$/p' "$page" | grep -o '^\(\$ \)\{0,1\}rooftune [a-z]*'; } |
        sed 's/.*rooftune //' | sort -u); do
        grep -qx "$name" "$work/commands" || complain "$page: no command $name"
    done
done
version=$(sed -n 's/^project(rooftune VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
grep -qx "version: $version" CITATION.cff || complain "CITATION.cff: another version than $version"
[ "$(sed -n 's/^## \([0-9.]*\).*/\1/p' CHANGELOG.md | head -1)" = "$version" ] || complain "CHANGELOG.md: another version than $version"
exit $bad
