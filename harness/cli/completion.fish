# SPDX-License-Identifier: Apache-2.0
# Completion of rooftune in fish: rooftune completion fish >~/.config/fish/completions/rooftune.fish. The program itself
# says what fits.
function __rooftune_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in ($words[1] completion words $words[2..-1] "$current" 2>/dev/null)
        switch $line
            case ':folders'
                __fish_complete_directories
            case ':files'
                __fish_complete_path "$current"
            case ':files *'
                for extension in (string split ' ' -- $line)[2..-1]
                    __fish_complete_suffix .$extension
                end
            case '*'
                echo $line
        end
    end
end
complete -c rooftune -f -a '(__rooftune_complete)'
