# SPDX-License-Identifier: Apache-2.0
# Completion of rooftune in bash: eval "$(rooftune completion bash)" in ~/.bashrc. The program itself says what fits.
_rooftune() {
    local line=${COMP_LINE:0:COMP_POINT} words=() replies=() reply extension
    # shellcheck disable=SC2162 # a backslash quotes, as in the line
    read -a words <<<"$line"
    [[ $line == *[[:space:]] ]] && words+=("")
    # readline parts words at these signs, and replaces what stands behind the last.
    local whole=${words[${#words[@]} - 1]} part
    part=$whole
    [[ $COMP_WORDBREAKS == *=* ]] && part=${part##*=}
    [[ $COMP_WORDBREAKS == *:* ]] && part=${part##*:}
    local fixed=${whole%"$part"} path=${whole#--*=}
    path=${path#replay:}
    mapfile -t replies < <("$1" completion words "${words[@]:1}" 2>/dev/null)
    COMPREPLY=()
    for reply in "${replies[@]}"; do
        case $reply in
        :folders | :files*)
            compopt -o filenames 2>/dev/null
            mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -d -- "$path")
            [[ $reply == :files ]] && mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "$path")
            for extension in ${reply#:*s}; do
                mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -X "!*.$extension" -- "$path")
            done
            ;;
        *)
            reply=${reply%%$'\t'*}
            COMPREPLY+=("${reply#"$fixed"}")
            ;;
        esac
    done
    [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[/=:] ]] && compopt -o nospace 2>/dev/null
    return 0
}
complete -F _rooftune rooftune
