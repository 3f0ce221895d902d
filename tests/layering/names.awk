# SPDX-License-Identifier: Apache-2.0
# Reads C files as clang-format leaves them and prints what each file names outside of its functions, one a line:
#   include FILE HEADER | declared FILE FUNCTION | defined FILE FUNCTION | static FILE FUNCTION
#   body FILE TAG | alias FILE TYPE TAG   (struct, union or enum with its members; typedef and the tag behind it, or -)
#   lines FILE COUNT

function say(kind, name) { print kind, FILENAME, name }

# The name before the first parenthesis.
function function_name(text) {
    if (text ~ /^[a-z]+\([a-z_0-9]+\)\(/) sub(/\(/, " ", text) # int(name)(...), where a macro has the name as well
    sub(/ *[()].*/, "", text)
    sub(/.*[ *]/, "", text)
    return text
}

# A statement of the file; how is what it ends with: ";" or "{".
function statement(text, how,    tag) {
    gsub(/__attribute__ *\(\([^()]*(\([^()]*\))?\)\) */, "", text)
    if (text ~ /^typedef /) {
        tag = "-"
        if (match(text, /^typedef (const )?(struct|union|enum) [A-Za-z_0-9]+/)) {
            tag = substr(text, RSTART, RLENGTH)
            sub(/.* /, "", tag)
        }
        if (how == "{") {
            if (tag != "-") say("body", tag)
            open_alias = tag
            return
        }
        sub(/ *;$/, "", text)
        if (text ~ /\(\*[a-z_0-9]+\)\(/) { # a pointer to a function
            sub(/\)\(.*/, "", text)
        } else {
            sub(/\(.*/, "", text)
        }
        gsub(/\[[^]]*\]/, "", text)
        sub(/.*[ *(]/, "", text)
        print "alias", FILENAME, text, tag
    } else if (text ~ /^(static )?(const )?(struct|union|enum) [A-Za-z_0-9]+ *\{/) {
        sub(/ *\{.*/, "", text)
        sub(/.* /, "", text)
        say("body", text)
    } else if (text ~ /^[A-Za-z_].*\(/ && text !~ /^[^(]*=/ && text !~ /^[A-Z_0-9]+\(/ && text !~ /^(static|extern)? *(const )?(struct|union|enum) *\{/) {
        say(text ~ /^static / ? "static" : how == "{" ? "defined" : "declared", function_name(text))
    }
}

FNR == 1 {
    if (file != "") print "lines", file, last
    file = FILENAME
    in_comment = in_body = in_macro = 0
    text = open_alias = ""
}

{ last = FNR }

in_macro || /^[ \t]*#/ {
    if ($0 ~ /^[ \t]*#[ \t]*include[ \t]*"/) {
        split($0, quoted, "\"")
        say("include", quoted[2])
    }
    in_macro = $0 ~ /\\$/
    next
}

in_body {
    if (substr($0, 1, 1) != "}") next
    in_body = 0
    if (open_alias != "" && match($0, /[A-Za-z_0-9]+;/)) {
        print "alias", FILENAME, substr($0, RSTART, RLENGTH - 1), open_alias
    }
    open_alias = ""
    next
}

{
    line = $0
    if (in_comment && !sub(/^.*\*\//, "", line)) next
    in_comment = 0
    gsub(/\/\*([^*]|\*+[^*\/])*\*+\//, "", line)
    if (sub(/\/\*.*/, "", line)) in_comment = 1
    sub(/^[ \t]+/, "", line)
    sub(/[ \t]+$/, "", line)
    if (line == "") next
    text = text == "" ? line : text " " line
    if (text ~ /[;}]$/) {
        statement(text, text ~ /\{.*\}$/ ? "{" : ";")
        text = ""
    } else if (text ~ /\{$/) {
        statement(text, "{")
        in_body = 1
        text = ""
    }
}

END { if (file != "") print "lines", file, last }
