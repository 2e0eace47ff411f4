load common

@test "speed: special paths and kernels for this processor keep their lead over the general and the plain ones" {
    sanitized && skip "sanitizers take most of the time"
    unset GANTRY_DEVICE # paths and kernels of the CPU
    gantry --version >said
    isa=none
    if grep -q '^processor:.*AVX2' said; then isa=avx2; fi
    if grep -q '^processor:.*AVX-512' said; then isa=avx512; fi
    [ $isa != none ] || skip "kernels in plain C only on this processor"
    ISA=$isa PYTHONPATH=$GANTRY_SOURCE/tests /usr/bin/python3 "$GANTRY_SOURCE/tests/speed.py"
}
