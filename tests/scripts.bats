load common

# The pieces of scripts/quickstart and scripts/test that can be tried without touching the machine.

packages() {
    bash -c "set -euo pipefail; cd '$GANTRY_SOURCE'; . scripts/packages.sh; cd '$PWD'; $1"
}

@test "scripts: only the packages whose need is not met are missing" {
    run -0 packages 'missing_packages "here has_command sh" "gone has_command no-such-command" "lib has_library libc.so.6" \
        "nolib has_library libnothing.so.0" "header has_header stdio.h" "noheader has_header no/such.h"'
    [ "$output" = "gone
nolib
noheader" ]
}

@test "scripts: packages are installed by one update and one install, and said first" {
    mkdir bin
    printf '#!/bin/sh\necho "$@" >> "%s/calls"\n' "$PWD" >bin/apt-get
    chmod +x bin/apt-get
    run -0 packages "PATH=$PWD/bin:\$PATH; as_root() { \"\$@\"; }; install_packages $PWD/log one two"
    [ "$output" = "Installing with apt-get: one two" ]
    [ "$(cat calls)" = "update
install -y --no-install-recommends one two" ]
}

@test "scripts: a failed installation is a sentence and the end" {
    mkdir bin
    printf '#!/bin/sh\necho E: no such package; exit 100\n' >bin/apt-get
    chmod +x bin/apt-get
    run -1 packages "PATH=$PWD/bin:\$PATH; as_root() { \"\$@\"; }; install_packages $PWD/log one || die 'the machine lacks it'"
    [[ $output == *"E: no such package"*"could not install one"*"the machine lacks it"* ]]
}

@test "scripts: help and unknown options" {
    for s in quickstart test bare-debian; do
        run -0 "$GANTRY_SOURCE/scripts/$s" --help
        [[ $output == "Usage: scripts/$s"* ]]
        run -2 "$GANTRY_SOURCE/scripts/$s" --nonsense
        [[ $output == *"--nonsense"* ]]
    done
}
