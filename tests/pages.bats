load common

# page FILE: its command lines run as they are printed
page() {
    "$GANTRY_SOURCE/tests/page_commands" "$GANTRY_SOURCE/$1" > commands.sh
    [ "$(grep -c gantry commands.sh)" -ge "$2" ]
    { echo 'trap "echo \"at \$place: \$BASH_COMMAND\"" ERR'; cat commands.sh; } | bash -E
}

@test "pages: the command lines of README run and print what is printed there" {
    page README.md 15
}

@test "pages: the command lines of 'Coming from another package' run" {
    cp "$GANTRY_SOURCE/examples/data/tooth-aps/tooth.h5" .
    page doc/coming-from.md 20
}

@test "pages: the command lines of 'Which method?' run" {
    gantry phantom --size 32:32:4 v
    gantry traj --views 40 --sod 400 --sdd 600 --pitch 1.5 --detector 48:8 geom
    gantry project geom v - | gantry noise --photons 1e5 - proj
    page doc/choosing.md 3
}

@test "pages: commands and options that pages name exist" {
    "$GANTRY_SOURCE/tests/page_options"
}

@test "pages: links lead to files and headings that exist" {
    "$GANTRY_SOURCE/tests/page_links"
}
