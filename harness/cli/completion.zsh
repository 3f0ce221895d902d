#compdef rooftune
# SPDX-License-Identifier: Apache-2.0
# Completion of rooftune in zsh: eval "$(rooftune completion zsh)" in ~/.zshrc, behind compinit; or this file as
# _rooftune in a folder of $fpath. The program itself says what fits.
_rooftune() {
    local -a lines told begun
    local line name paths=
    lines=("${(@f)$($words[1] completion words "${(@)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)}")
    for line in $lines; do
        name=${line%%$'\t'*}
        case $line in
        :*) paths=$line ;;
        *[/:=]) begun+=("$name") ;;
        *$'\t'*) told+=("${name//:/\\:}:${line#*$'\t'}") ;;
        *) told+=("${name//:/\\:}") ;;
        esac
    done
    (($#told)) && _describe -V rooftune told
    (($#begun)) && compadd -Q -S '' -a begun
    [[ -n $paths ]] || return
    [[ $PREFIX == (--*=|replay:)* ]] && compset -P '*[=:]'
    case $paths in
    :folders) _files -/ ;;
    :files) _files ;;
    *) _files -g "*.(${${paths#:files }// /|})" ;;
    esac
}
if [[ $funcstack[1] == _rooftune ]]; then
    _rooftune "$@"
else
    compdef _rooftune rooftune
fi
