# SPDX-License-Identifier: Apache-2.0
# Reads rooms.txt, then C files (paths relative to the root); prints "FILE:LINE: what is wrong" for each broken rule.

function fail(what) { print FILENAME ":" FNR ": " what; failed = 1 }

# Shell-like pattern: only * is special.
function matches(text, pattern,    regex) {
    regex = pattern
    gsub(/[.]/, "[.]", regex)
    gsub(/[*]/, ".*", regex)
    return text ~ ("^" regex "$")
}

function matches_any(text, patterns,    list, count, i) {
    count = split(patterns, list, " ")
    for (i = 1; i <= count; i++) {
        if (matches(text, list[i])) {
            return 1
        }
    }
    return 0
}

function rest_of_line(    text) {
    text = $0
    sub(/^[^ ]+ +[^ ]+ */, "", text)
    return text
}

# The room of a path below harness/ or of reports/...: a folder within a room is a room of its own where the table names it.
function room_within(path,    parts, count) {
    count = split(path, parts, "/")
    return count > 2 && ((parts[1] "/" parts[2]) in known) ? parts[1] "/" parts[2] : parts[1]
}

function room_of(path) {
    sub(/^harness\//, "", path)
    return room_within(path)
}

function check_library(header,    i) {
    for (i = 1; i <= library_count; i++) {
        if (matches(header, library_header[i])) {
            if (!matches_any(FILENAME, library_place[i])) {
                fail("<" header "> may be included only in " library_place[i])
            }
            return
        }
    }
    if (!(header in standard)) {
        fail("<" header "> is not a header this project knows: add it to tests/layering/rooms.txt, in one place")
    }
    if (matches_any(header, pure[house])) {
        fail("<" header "> in the room " room ", which has no I/O, no clock and no device")
    }
}

function check_own(header,    other) {
    if (header !~ /\//) {
        if (!matches_any(header, may_include[room])) {
            fail("\"" header "\" must be written with its folder: \"" room "/" header "\"")
        }
        return
    }
    other = room_within(header)
    if (other != room && !matches_any(header, may_include[room])) {
        fail("the room " room " may not include \"" header "\"")
    }
}

# The line without comments and without what stands in quotes.
function code_of(line,    out, at, two, quote, c) {
    out = ""
    at = 1
    while (at <= length(line)) {
        two = substr(line, at, 2)
        c = substr(two, 1, 1)
        if (in_comment) {
            if (two == "*/") { in_comment = 0; at++ }
            at++
        } else if (two == "/*") {
            in_comment = 1
            at += 2
        } else if (two == "//") {
            fail("comments are written /* */")
            return out
        } else if (c == "\"" || c == "'") {
            quote = c
            out = out quote
            for (at++; at <= length(line) && substr(line, at, 1) != quote; at++) {
                if (substr(line, at, 1) == "\\") at++
            }
            out = out quote
            at++
        } else {
            out = out c
            at++
        }
    }
    return out
}

function check_names(code,    word) {
    while (match(code, /[A-Za-z_][A-Za-z0-9_]*/)) {
        word = substr(code, RSTART, RLENGTH)
        if ((word in below) && !((FILENAME, word) in excepted) &&
            substr(code, RSTART - 1, 1) != "." && substr(code, RSTART - 2, 2) != "->") {
            fail(word " below cli: return an rft_err, take an rft_log, or hand the text up")
        }
        code = substr(code, RSTART + RLENGTH)
    }
}

FILENAME ~ /rooms\.txt$/ {
    if ($1 == "room") may_include[$2] = rest_of_line() " "
    if ($1 == "room") known[$2] = 1
    if ($1 == "library") { library_header[++library_count] = $2; library_place[library_count] = rest_of_line() }
    if ($1 == "standard") for (i = 2; i <= NF; i++) standard[$i] = 1
    if ($1 == "pure") pure[$2] = rest_of_line()
    if ($1 == "below") for (i = 2; i <= NF; i++) below[$i] = 1
    if ($1 == "except") for (i = 3; i <= NF; i++) excepted[$2, $i] = 1
    next
}

FNR == 1 {
    in_comment = 0
    room = room_of(FILENAME)
    if (!(room in known)) fail("no such room: " room)
    house = room
    sub(/\/.*/, "", house)
    if ($0 !~ /SPDX-License-Identifier: Apache-2\.0/) fail("the first line must be the licence identifier")
}

/^[ \t]*#[ \t]*include/ {
    header = $0
    if (sub(/^[ \t]*#[ \t]*include[ \t]*</, "", header)) {
        sub(/>.*/, "", header)
        check_library(header)
    } else if (sub(/^[ \t]*#[ \t]*include[ \t]*"/, "", header)) {
        sub(/".*/, "", header)
        check_own(header)
    }
    next
}

{
    code = code_of($0)
    gsub(/format *\( *(__)?printf(__)?/, "", code) # the attribute, not the function
    if (room != "cli") check_names(code)
}

END { exit failed }
