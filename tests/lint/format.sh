#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# format.sh ROOT CLANG_FORMAT: every C file is as clang-format 14 writes it. Repair: clang-format -i FILE.
set -u
case $2 in
*NOTFOUND | "") echo "clang-format not found: apt-get install clang-format"; exit 77 ;;
esac
cd "$1" || exit 2
version=$("$2" --version | sed 's/.*version \([0-9]*\).*/\1/')
if [ "$version" != 14 ]; then
    echo "clang-format $version: the tree is formatted with 14 (Debian 12), others differ in details"
    exit 77
fi
files=$(find harness reports tests -name '*.[ch]' | LC_ALL=C sort)
# shellcheck disable=SC2086
if ! "$2" --dry-run --Werror $files; then
    exit 1
fi
echo "$(echo "$files" | wc -l) files"
