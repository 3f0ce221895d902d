#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# glibc.sh FOLDER [SONAME...]: no program or library below it needs a symbol newer than GLIBC_2.34, or a library that is
# neither glibc's nor below FOLDER nor one of these. Both are read from the files, so the result does not depend on this machine's glibc.
set -u
folder=$1
shift
others=" $* "
status=0
count=0
for file in $(find "$folder" -type f | LC_ALL=C sort); do
    [ "$(head -c 4 "$file" | od -An -c | tr -d ' \n')" = '177ELF' ] || continue
    count=$((count + 1))
    newer=$(objdump -T "$file" | sed -n 's/.*(\{0,1\}GLIBC_\([0-9.]*\))\{0,1\} *\(.*\)/\1 \2/p' |
        awk '{ split($1, v, "."); if (v[1] > 2 || (v[1] == 2 && v[2] > 34)) print }')
    if [ -n "$newer" ]; then
        echo "$file needs a glibc newer than 2.34:"
        echo "$newer"
        status=1
    fi
    if readelf -d "$file" | grep -E 'RPATH|RUNPATH' | grep -E '\[:|::|:\]'; then
        echo "$file looks for libraries in whatever folder it is started from"
        status=1
    fi
    for soname in $(readelf -d "$file" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
        case $soname in
        libc.so.6 | libm.so.6 | libdl.so.2 | librt.so.1 | libpthread.so.0 | ld-linux-*) ;;
        *)
            if [ -z "$(find "$folder" -name "$soname")" ] && [ "${others#* "$soname" }" = "$others" ]; then
                echo "$file needs $soname, which does not travel with it"
                status=1
            fi
            ;;
        esac
    done
done
if [ "$count" -eq 0 ]; then
    echo "nothing to read in $folder"
    exit 1
fi
echo "$count files need nothing above GLIBC_2.34"
exit $status
