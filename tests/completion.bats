# Completion of command lines: what bash, zsh and fish make of a line.

load common

setup() {
    common_setup
    touch volume.hdr volume.cfl volume.cfl~ list.txt 'two words.hdr'
    mkdir folder
    touch folder/vol.hdr
}

needs() {
    command -v "$1" >/dev/null || skip "$1 is not installed"
}

generated() { # SHELL FILE
    "$GANTRY_SOURCE/scripts/completion" "$GANTRY_BUILD" "$1" >"$2"
}

# The words of a line as bash takes them apart, the last one is completed; prints what replaces its part behind the last ':' or '='.
in_bash() {
    [ -s completion.bash ] || generated bash completion.bash
    bash --norc -c '
        . ./completion.bash
        compopt() { :; }
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _gantry
        printf "%s\n" "${COMPREPLY[@]}"' bash "$@"
}

# What one TAB makes of a line, the first in a new zsh that finds the file _gantry as installed; a blank follows what is complete.
in_zsh() {
    [ -s site/_gantry ] || { mkdir site && generated zsh site/_gantry; }
    rm -f line.txt
    timeout 60 zsh -f -c '
        zmodload zsh/zpty
        zpty shell zsh -f -i
        zpty -w shell "PROMPT=; fpath=($PWD/site \$fpath); autoload -Uz compinit; compinit -D -u
            keep() { print -r -- \"\$BUFFER\" >line.txt; exit }; zle -N keep; bindkey ^G keep; print READY\$((1 + 1))"
        zpty -r -m shell said "*READY2*"
        zpty -w -n shell "$1"$'\''\t\a'\''
        zpty -r shell said "to the end"' zsh "$1" || true
    cat line.txt
}

# The completions of the last word of a line.
in_fish() {
    [ -s completion.fish ] || generated fish completion.fish
    HOME=$PWD fish --no-config -c 'source completion.fish; complete -C $argv[1]' "$1" | cut -f 1
}

# gives 'WORDS' COMMAND...: these lines, in this order
gives() {
    local want=$1 got
    shift
    got=$("$@" | tr '\n' ' ')
    got=${got% }
    [ "$got" = "$want" ] || { printf '%s\n  gave     "%s"\n  expected "%s"\n' "$*" "$got" "$want" >&2; false; }
}

@test "completion: --completion lists the words that options and arguments take" {
    words() { gantry "$1" --completion | awk -F '\t' -v name="$2" '$2 == name { print $4 ": " $5 }'; }
    gives 'value: joseph siddon sf' words recon model
    gives 'file: circle' words recon mask
    gives 'list: x y z u v view channel time' words recon loop
    gives 'flag: ' words recon quiet
    gives 'value: ' words recon iterations
}

@test "completion: the words of -R are the kinds of terms that the parser knows" {
    gantry ones --size 4:4:4 vol
    gantry traj --views 4 --sod 40 --sdd 60 --detector 6:6 geom
    gantry project geom vol proj
    run -2 gantry recon -R nosuch:1 geom proj out
    known=$(sed -n 's/.*valid: //p' <<<"$output" | sed 's/[,)]//g; s/ or / /')
    [ "$(wc -w <<<"$known")" -ge 12 ]
    [ "$(gantry recon --completion | awk -F '\t' '$2 == "regularise" { print $5 }' | tr -d ':')" = "$known" ]
}

@test "completion: an unknown shell is refused" {
    run -2 "$GANTRY_SOURCE/scripts/completion" "$GANTRY_BUILD" tcsh
    [[ $output == *"unknown shell 'tcsh' (valid: bash, zsh, fish)"* ]]
}

@test "completion: bash, commands and options" {
    generated bash completion.bash
    bash -n completion.bash
    gives zeros in_bash gantry zero
    gives zeros in_bash gantry help zero
    gives '-l -p --help --version --exec-path' in_bash gantry -
    gives --size= in_bash gantry zeros --si
    gives --quiet in_bash gantry zeros --qu
    gives --filter= in_bash gantry fbp --fil
    gives --filter= in_bash gantry -l z fbp --fil
    gives --filter= in_bash gantry -l z -p 2 fbp --fil
    gives --filter= in_bash gantry --loop = z --jobs 2 fbp --fil
    gives 'v view' in_bash gantry -l v
}

@test "completion: bash, values" {
    gives 'hamming hann' in_bash gantry fbp --filter = ha
    gives 'hamming hann' in_bash gantry fbp --filter ha
    gives 'complex32 complex64 complex128' in_bash gantry recon --type c
    gives 'joseph' in_bash gantry recon --model j
    gives 'cg cgne' in_bash gantry recon -a cg
    gives 'poisson: polychromatic:' in_bash gantry recon --data p
    gives 'x,v x,view' in_bash gantry fft x,v
    gives '' in_bash gantry -p ''
}

@test "completion: bash, a word with ':' keeps what is typed" {
    gives wavelet: in_bash gantry recon -R w
    gives wavelet: in_bash gantry recon --regularise = w
    touch 0.1 x:y
    gives '' in_bash gantry recon -R tv :
    gives '' in_bash gantry recon -R tv : 0
    gives '' in_bash gantry recon --regularise = tv : 0
    # a file whose name has a colon, of which the part behind it is replaced
    gives y in_bash gantry copy x :
    # where the user took ':' and '=' out of COMP_WORDBREAKS
    gives '' in_bash gantry recon -R tv:0
    gives --regularise=wavelet: in_bash gantry recon --regularise=w
    gives x:y in_bash gantry copy x:
}

@test "completion: bash, names of arrays and files" {
    gives volume in_bash gantry copy vol
    gives list.txt in_bash gantry copy li
    gives folder/vol in_bash gantry copy folder/
    gives 'two words' in_bash gantry copy two
    gives volume in_bash gantry recon --like vol
    gives list.txt in_bash gantry recon --mask = li
    gives circle in_bash gantry recon --mask ci
}

@test "completion: zsh, the first TAB of a new shell" {
    needs zsh
    gives 'gantry zeros ' in_zsh 'gantry zero'
    zsh -n site/_gantry
    [ "$(head -1 site/_gantry)" = '#compdef gantry' ]
    gives 'gantry help zeros ' in_zsh 'gantry help zero'
    gives 'gantry -l z -p 2 fbp --filter=' in_zsh 'gantry -l z -p 2 fbp --fil'
    gives 'gantry --loop=z fbp --filter=' in_zsh 'gantry --loop=z fbp --fil'
    gives 'gantry fbp --filter=hann ' in_zsh 'gantry fbp --filter=hann'
    gives 'gantry recon --type float16 ' in_zsh 'gantry recon --type float1'
    gives 'gantry recon --model joseph ' in_zsh 'gantry recon --model j'
    gives 'gantry recon --data polychromatic:' in_zsh 'gantry recon --data pol'
    gives 'gantry recon -R wavelet:' in_zsh 'gantry recon -R w'
    gives 'gantry recon -R tv:0' in_zsh 'gantry recon -R tv:0'
    gives 'gantry fft x,view ' in_zsh 'gantry fft x,vi'
    gives 'gantry -l channel ' in_zsh 'gantry -l ch'
}

@test "completion: zsh, names of arrays and files" {
    needs zsh
    gives 'gantry copy volume ' in_zsh 'gantry copy vol'
    gives 'gantry copy folder/vol ' in_zsh 'gantry copy folder/'
    gives 'gantry copy two\ words ' in_zsh 'gantry copy two'
    gives 'gantry recon --mask=list.txt ' in_zsh 'gantry recon --mask=li'
    gives 'gantry recon --mask=circle ' in_zsh 'gantry recon --mask=ci'
}

@test "completion: zsh, read by a startup file" {
    needs zsh
    generated zsh gantry.zsh
    gives '_gantry' zsh -f -c 'autoload -Uz compinit; compinit -D -u; . ./gantry.zsh; print $_comps[gantry]'
}

@test "completion: fish" {
    needs fish
    generated fish completion.fish
    fish -n completion.fish
    gives zeros in_fish 'gantry zero'
    gives zeros in_fish 'gantry help zero'
    gives --filter in_fish 'gantry fbp --fil'
    gives --filter in_fish 'gantry -l z -p 2 fbp --fil'
    gives --filter in_fish 'gantry --loop=z fbp --fil'
    gives 'v view' in_fish 'gantry -l v'
    gives 'hamming hann' in_fish 'gantry fbp --filter ha'
    gives '--filter=hamming --filter=hann' in_fish 'gantry fbp --filter=ha'
    gives 'float16 float32 float64' in_fish 'gantry recon --type fl'
    gives joseph in_fish 'gantry recon --model j'
    gives 'poisson: polychromatic:' in_fish 'gantry recon --data p'
    gives wavelet: in_fish 'gantry recon -R w'
    gives '' in_fish 'gantry recon -R tv:0'
    gives 'x,v x,view' in_fish 'gantry fft x,v'
    gives volume in_fish 'gantry copy vol'
    gives folder/vol in_fish 'gantry copy folder/'
    gives --like=volume in_fish 'gantry recon --like=vol'
    gives --mask=list.txt in_fish 'gantry recon --mask=li'
    gives '' in_fish 'gantry -p '
}
