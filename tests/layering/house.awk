# SPDX-License-Identifier: Apache-2.0
# Reads rooms.txt, then what names.awk prints of all files; prints each place where the tree is harder to find one's way in
# than it may be: functions apart from their header, one name for two types, one static name in many files, circles.

function fail(what) { print what; failed = 1 }
function folder(file) { sub(/[^\/]*$/, "", file); return file }
function stem(file) { sub(/.*\//, "", file); sub(/\.[ch]$/, "", file); return file }
function within(text, pattern) {
    gsub(/[.]/, "[.]", pattern)
    gsub(/[*]/, ".*", pattern)
    return text ~ ("^" pattern "$")
}

# Whether what HEADER declares may stand in FILE.
function belongs(header, file,    own, i, list, count) {
    own = stem(header)
    sub(/_parts$/, "", own)
    if (folder(file) == folder(header) && (stem(file) == own || index(stem(file), own "_") == 1)) return 1
    count = split(seam[header], list, " ")
    for (i = 1; i <= count; i++) {
        if (within(file, list[i])) return 1
    }
    return 0
}

# Files that include each other, directly or not, by Tarjan: `low` is the first file met that one of a circle reaches.
function visit(node,    i, list, count, other, size, files) {
    order[node] = low[node] = ++met
    waiting[++height] = node
    on_way[node] = 1
    count = split(includes[node], list, " ")
    for (i = 1; i <= count; i++) {
        other = list[i]
        if (!(other in order)) visit(other)
        if (on_way[other] && low[other] < low[node]) low[node] = low[other]
    }
    if (low[node] != order[node]) return
    do {
        other = waiting[height--]
        on_way[other] = 0
        size++
        files = files " " other
    } while (other != node)
    if (size > limit["circle"]) fail(size " files include each other in a circle:" files)
}

FILENAME ~ /rooms\.txt$/ {
    sub(/ *#.*/, "")
    what = $1
    if (what == "seam") { name = $2; sub(/^[^ ]+ +[^ ]+ */, ""); seam[name] = $0 }
    if (what == "limit") limit[$2] = $3
    next
}

$1 == "lines" { lines[$2] = $3 }
$1 == "declared" && $2 ~ /\.h$/ { header_of[$3] = $2 }
$1 == "defined" { place[++places] = $2; function_at[places] = $3 }
$1 == "static" && !(($3, $2) in met_static) { met_static[$3, $2] = 1; static_count[$3]++; static_files[$3] = static_files[$3] " " $2 }
$1 == "body" || ($1 == "alias" && $3 != $4) {
    if (!(($3, $2) in meaning)) { meaning[$3, $2] = 1; type_count[$3]++; type_files[$3] = type_files[$3] " " $2 }
}
$1 == "include" {
    node = $2
    other = $3
    if (other !~ /^reports\//) other = "harness/" other
    sub(/\.[ch]$/, "", node)
    sub(/\.[ch]$/, "", other)
    if (node != other) includes[node] = includes[node] " " other
}

END {
    for (i = 1; i <= places; i++) {
        name = function_at[i]
        header = header_of[name]
        if (header == "") continue
        if (!belongs(header, place[i])) {
            fail(header ": " name "() stands in " place[i])
        } else if (!((header, place[i]) in holds)) {
            holds[header, place[i]] = 1
            if (folder(place[i]) == folder(header) && !(header in seam)) { sources[header]++; together[header] += lines[place[i]] }
        }
    }
    for (header in sources) {
        if (sources[header] > 1 && together[header] <= limit["stem"]) {
            fail(header ": its " sources[header] " sources have " together[header] " lines together: one file")
        }
    }
    for (name in static_count) {
        if (static_count[name] > limit["static"]) {
            fail("static " name "() in " static_count[name] " files:" static_files[name])
        }
    }
    for (name in type_count) {
        if (type_count[name] > 1) fail("the type " name " means several things:" type_files[name])
    }
    for (node in includes) {
        if (!(node in order)) visit(node)
    }
    exit failed
}
