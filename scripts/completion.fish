
# The lines KIND WORDS of option $argv[2] of command $argv[1], or of its arguments (argument); false when it takes no value.
function __gantry_words
    set -l known 1
    for line in (__gantry_table $argv[1])
        set -l part (string split '|' -- $line)
        test "$argv[2]" = "$part[1]" -o "$argv[2]" = "$part[2]"; or continue
        test $part[3] = flag; and return 1
        set known 0
        test -n "$part[4]"; and echo "$part[3] $part[4]"
    end
    return $known
end

# Prints the words of "KIND WORDS" $argv[1] that may be $argv[2], behind $argv[3] ("--option=") and those of a list that are there.
function __gantry_reply
    set -l all (string split ' ' -- $argv[1])
    set -l front $argv[3]
    test $all[1] = list; and set front $front(string match -r '.*,' -- $argv[2]; or echo)
    printf '%s\n' "$front"$all[2..-1]
    test $all[1] = file; and __gantry_files $argv[2] $argv[3]
end

# arrays by their name without an ending, other files as they are
function __gantry_files
    for name in (__fish_complete_path $argv[1] | string match -rv '\.cfl~?(\t.*)?$' | string replace -r '\.hdr(\t.*)?$' '')
        printf '%s%s\n' $argv[2] $name
    end
end

function __gantry
    set -l before (commandline -opc)
    set -l current (commandline -ct)
    set -l count (count $before)
    set -l at 2
    while string match -qr -- '^(-[lp]|--(loop|jobs)(=|$))' "$before[$at]"
        string match -qr -- '^(-[lp]|--loop|--jobs)$' $before[$at]; and set at (math $at + 1)
        set at (math $at + 1)
    end
    # an option before the command is one that all commands have
    set -l command $__gantry_commands[1]
    test $at -le $count; and set command $before[$at]

    set -l option $before[-1]
    set -l front ''
    set -l value $current
    if string match -qr -- '^--.*=' $current
        set option (string replace -r '=.*' '' -- $current)
        set front $option=
        set value (string replace -r '^[^=]*=' '' -- $current)
    end
    if test $at -gt (math $count + 1)
        # the value of -l; -p takes a number
        contains -- $option -l --loop; and __gantry_reply (__gantry_words $command --loop) "$value" ''
        return
    end
    if test $command = help
        printf '%s\n' $__gantry_commands
        return
    end
    if string match -q -- '-*' $option; and set -l list (__gantry_words $command $option)
        if test -n "$list"
            __gantry_reply $list "$value" "$front"
        else
            __gantry_files "$value" "$front"
        end
    else if test $at -gt $count
        printf '%s\n' $__gantry_commands -l -p
        test $at -eq 2; and printf '%s\n' --help --version --exec-path
    else if string match -q -- '-*' $current
        __gantry_table $command | string match -r '^--[^|]*'
    else
        for line in (__gantry_words $command argument)
            __gantry_reply $line "$value" ''
        end
        __gantry_files "$value" ''
    end
end

complete -c gantry -f -a '(__gantry)'
