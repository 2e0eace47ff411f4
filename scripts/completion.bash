# shellcheck shell=bash
# shellcheck disable=SC2154 # scripts/completion writes _gantry_commands and _gantry_table before this

# COMP_WORDS as the shell will see them, in $line: bash takes them apart at ':' and '='. Of the last one, $cut is what readline leaves as it is.
_gantry_line() {
    local k word last join=0 apart
    line=() cut=
    for ((k = 0; k <= COMP_CWORD; k++)); do
        word=${COMP_WORDS[k]} apart=0
        [[ -n $word && -z ${word//[:=]/} ]] && apart=1
        [[ -z $word && ${COMP_LINE:0:${COMP_POINT:-0}} == *[[:blank:]] ]] && join=0
        if ((k > 1 && (join || apart))); then
            last=${line[-1]}
            line[-1]=$last$word
            cut=$last
            ((apart)) && cut=$last$word
        else
            line+=("$word")
            cut=
        fi
        join=$apart
    done
}

# The words that option $2 of command $1 takes, or its arguments ($2: argument), as "KIND WORDS"; false when it takes no value.
_gantry_words() {
    local name brief kind words known=1
    while IFS='|' read -r name brief kind words; do
        [[ $2 == "$name" || $2 == "$brief" ]] || continue
        [[ $kind == flag ]] && return 1
        known=0
        [[ -z $words ]] || echo "$kind $words"
    done < <(_gantry_table "$1")
    return $known
}

# Adds completions of $2 from "KIND WORDS" $1, the last word of a list, behind $3 ("--option=").
_gantry_reply() {
    local kind=${1%% *} front=$3 value=$2
    if [[ $kind == list && $value == *,* ]]; then
        front+=${value%,*},
        value=${value##*,}
    fi
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -P "$front" -W "${1#* }" -- "$value")
    [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[=:] ]] && compopt -o nospace
    [[ $kind != file ]] || _gantry_files "$2" "$3"
}

# arrays by their name without an ending, other files as they are
_gantry_files() {
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <({
        compgen -f -- "$1" | grep -vE '\.(cfl|hdr)~?$'
        compgen -f -X '!*.hdr' -- "$1" | sed 's/\.hdr$//'
    } | while IFS= read -r name; do printf '%s\n' "$2$name"; done)
    compopt -o filenames
}

# The completions of the last word of $line.
_gantry_last() {
    local last=$((${#line[@]} - 1)) at=1 command words option front=
    local cur=${line[last]}
    while ((at < last)); do
        case ${line[at]} in
        -[lp] | --loop | --jobs) ((at += 2)) ;;
        -[lp]* | --loop=* | --jobs=*) ((at += 1)) ;;
        *) break ;;
        esac
    done
    # an option before the command is one that all commands have
    command=${_gantry_commands%% *}
    ((at >= last)) || command=${line[at]}

    option=${line[last - 1]}
    if [[ $cur == --*=* ]]; then
        option=${cur%%=*}
        front=$option=
        cur=${cur#*=}
    fi
    if ((at > last)); then
        # the value of -l; -p takes a number
        [[ $option != -l && $option != --loop ]] || _gantry_reply "$(_gantry_words "$command" --loop)" "$cur"
    elif [[ $command == help ]]; then
        _gantry_reply "value $_gantry_commands" "$cur"
    elif [[ $option == -* ]] && words=$(_gantry_words "$command" "$option"); then
        if [[ -n $words ]]; then _gantry_reply "$words" "$cur" "$front"; else _gantry_files "$cur" "$front"; fi
    elif ((at == last)); then
        words='-l -p'
        ((at > 1)) || words+=' --help --version --exec-path'
        _gantry_reply "value $_gantry_commands $words" "$cur"
    elif [[ $cur == -* ]]; then
        words=$(_gantry_table "$command" | sed -n 's/^\(--[^|]*\)|[^|]*|flag|.*/\1/p; t; s/^\(--[^|]*\)|.*/\1=/p')
        _gantry_reply "value $words" "$cur"
    else
        while read -r words; do
            _gantry_reply "$words" "$cur"
        done < <(_gantry_words "$command" argument)
        _gantry_files "$cur"
    fi
}

_gantry() {
    local line cut k
    COMPREPLY=()
    _gantry_line
    _gantry_last
    for k in "${!COMPREPLY[@]}"; do COMPREPLY[k]=${COMPREPLY[k]#"$cut"}; done
}

complete -F _gantry gantry
