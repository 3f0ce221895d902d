#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# compile_options.sh ROOT: docs/security.md names every option of the compiler that compile_option.c allows, and no other.
set -u
cd "$1" || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
sed -n 's/^    {"\(-[A-Za-z0-9_-]*\)", "--.*/\1/p' harness/model/sweep/compile_option.c | grep -v '^-suppress-' |
    sort -u >"$work/allowed"
sed -n '/^\*\*Options of the compiler/,/^$/p' docs/security.md | grep -o '`-[A-Za-z][A-Za-z0-9_-]*`' | tr -d '`' |
    sort -u >"$work/documented"
[ -s "$work/allowed" ] || exit 1
diff "$work/allowed" "$work/documented" || { echo "docs/security.md (>) and compile_option.c (<) differ"; exit 1; }
