
# The words that option $2 of command $1 takes, or its arguments ($2: argument), as "KIND WORDS"; false when it takes no value.
_gantry_words() {
    local name brief kind list known=1
    while IFS='|' read -r name brief kind list; do
        [[ $2 == "$name" || $2 == "$brief" ]] || continue
        [[ $kind == flag ]] && return 1
        known=0
        [[ -z $list ]] || print -r -- "$kind $list"
    done < <(_gantry_table $1)
    return $known
}

# Completes a word of "KIND WORDS", the last one where commas separate them.
_gantry_reply() {
    [[ ${1%% *} == list ]] && compset -P '*,'
    local -a all=(${=1#* })
    compadd -S '' -- ${(M)all:#*[=:]}
    compadd -- ${all:#*[=:]}
    [[ ${1%% *} != file ]] || _gantry_files
}

# arrays by their name without an ending, other files as they are
_gantry_files() {
    if [[ $PREFIX == [~\$]* ]]; then
        _files
        return
    fi
    local word=${(Q)PREFIX}
    local -a folders=(${~${(b)word}}*(N-/)) files=(${~${(b)word}}*(N-^/))
    compadd -f -- $folders
    compadd -- ${${files:#*.(cfl|cfl\~|hdr\~)}%.hdr}
}

_gantry() {
    local at=2 option=${words[CURRENT-1]} command=${_gantry_commands%% *} list line
    while (( at < CURRENT )); do
        case ${words[at]} in
        (-[lp]|--loop|--jobs) (( at += 2 )) ;;
        (-[lp]*|--loop=*|--jobs=*) (( at += 1 )) ;;
        (*) break ;;
        esac
    done
    # an option before the command is one that all commands have
    (( at >= CURRENT )) || command=${words[at]}

    if [[ $PREFIX == --*=* ]]; then
        option=${PREFIX%%=*}
        compset -P 1 '*='
    fi
    if (( at > CURRENT )); then
        # the value of -l; -p takes a number
        [[ $option != (-l|--loop) ]] || _gantry_reply "$(_gantry_words $command --loop)"
    elif [[ $command == help ]]; then
        _gantry_reply "value $_gantry_commands"
    elif [[ $option == -* ]] && list=$(_gantry_words $command $option); then
        if [[ -n $list ]]; then _gantry_reply "$list"; else _gantry_files; fi
    elif (( at == CURRENT )); then
        list='-l -p'
        (( at > 2 )) || list+=' --help --version --exec-path'
        _gantry_reply "value $_gantry_commands $list"
    elif [[ $PREFIX == -* ]]; then
        _gantry_reply "value $(_gantry_table $command | sed -n 's/^\(--[^|]*\)|[^|]*|flag|.*/\1/p; t; s/^\(--[^|]*\)|.*/\1=/p' | tr '\n' ' ')"
    else
        _gantry_words $command argument | while read -r line; do _gantry_reply "$line"; done
        _gantry_files
    fi
}

# Autoloaded, this file is the function itself at its first call; else it was read by a startup file.
if [[ ${funcstack[1]} == _gantry ]]; then
    _gantry "$@"
else
    compdef _gantry gantry
fi
