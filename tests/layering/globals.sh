#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# globals.sh LIBRARY.a...: no room keeps mutable state outside objects that are passed around. Whatever the compiler
# put into .data or .bss is such state; constants live in .rodata and .data.rel.ro.
set -u
found=$(for library in "$@"; do
    objdump -t "$library" | awk -v library="$(basename "$library")" '
        /file format/ { object = $1 }
        # value, flags, section, size, name: only objects ("O") in the two mutable sections
        $0 ~ /[ \t](\.data|\.bss)(\.[A-Za-z0-9_.]+)?\t/ && $0 !~ /\.data\.rel\.ro/ && / O / {
            print library " " object " " $NF
        }'
done)
if [ -n "$found" ]; then
    echo "mutable globals below cli (library, object, name):"
    echo "$found"
    exit 1
fi
echo "no mutable globals in $# libraries"
