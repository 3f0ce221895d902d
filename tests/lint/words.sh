#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# words.sh ROOT: the README and docs/ stay readable: they have at most so many words together, so who adds cuts.
set -u
limit=58000
cd "$1" || exit 2
words=$(cat README.md docs/*.md | wc -w)
[ "$words" -le "$limit" ] || { echo "README.md and docs/ have $words words, $((words - limit)) more than $limit: cut as many"; exit 1; }
echo "$words of $limit words"
