# SPDX-License-Identifier: Apache-2.0
# What has the name of a run's lock or of what SQLite keeps beside it, and is neither, is left as it is.
need_recording
export RFT_NVRTC=off
quick="run $SOURCE/sweeps/quick.lua -d replay:$QUICK --no-report --budget 3"
rooftune $quick -o kept.db
expect_status 0
echo 'do not touch' >victim
cp victim before
# refused NAME PATTERN: no run begins there, and none is taken away.
refused() {
    rm -f x.db
    timeout 20 "$ROOFTUNE" import "$QUICK" -o x.db >out 2>err </dev/null && status=0 || status=$?
    expect_error 9 "$2"
    [ ! -e x.db ] || fail "a file was left beside $1"
    cp kept.db x.db
    timeout 20 "$ROOFTUNE" $quick -o x.db --fresh >out 2>err </dev/null && status=0 || status=$?
    expect_error 9 "$2"
    cmp -s x.db kept.db || fail "the run beside $1 was changed"
    cmp -s victim before || fail "$1 led to a file that was changed"
}
for name in x.db-lock x.db-wal x.db-shm x.db-journal; do
    ln -s victim $name
    refused $name "$name is a symbolic link"
    [ -L $name ] || fail "the link $name is gone"
    rm $name
    ln -s nowhere $name
    refused $name "$name is a symbolic link"
    [ ! -e nowhere ] || fail "a file was made through $name"
    rm $name
    ln victim $name
    refused $name "$name is a file with several names"
    rm $name
    cp victim $name
    refused $name "$name is a file with something else in it"
    cmp $name victim || fail "$name was changed"
    rm $name
    mkfifo $name
    refused $name "$name is no regular file"
    [ -p $name ] || fail "the pipe $name is gone"
    rm $name
    mkdir $name
    refused $name "$name is \(a folder\|no regular file\)"
    rmdir $name
done
# A journal may name one more file, which SQLite would delete when it has read it.
cp kept.db x.db
head -c 512 /dev/zero >x.db-journal
printf '\331\325\005\371\040\241\143\327' >>x.db-journal
rooftune show x.db
expect_error 9 'x.db-journal is a journal that names another file'
rm x.db-journal
# What a killed writer left is no reason to refuse.
echo 4194304 >x.db-lock
rooftune $quick -o x.db --fresh
expect_status 0
[ ! -e x.db-lock ] || fail "the lock of a dead process stayed"
: >x.db-lock
rooftune show x.db
expect_status 0
[ ! -e x.db-lock ] || fail "a reader left the lock of a dead process"
# A run has one name while it is written.
rm x.db && cp kept.db y.db && ln y.db x.db
rooftune $quick -o x.db --fresh
expect_error 9 'x.db has another name'
rooftune show x.db
expect_status 0
rm x.db && ln -s nowhere.db x.db
rooftune $quick -o x.db
expect_error 11 'x.db is a symbolic link to nothing'

# A damaged run beside a log of a few bytes: SQLite makes an index to look at them, which goes when the run is refused.
mkdir torn && cp kept.db torn/x.db
printf '\377\377\377\377' | dd of=torn/x.db bs=1 seek=100 conv=notrunc 2>/dev/null
printf '\067\177\006\202' >torn/x.db-wal
rooftune show torn/x.db
expect_error 9 'torn/x.db'
printf 'sweep,problem,name,median_s\n' >torn.csv
rooftune import --baseline torn.csv torn/x.db
expect_error 9 'torn/x.db'
[ "$(ls -A torn | tr '\n' ' ')" = "x.db x.db-wal " ] || fail "left beside a refused run: $(ls -A torn)"
