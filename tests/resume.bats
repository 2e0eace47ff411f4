load common

# Killed at random moments until it is done, each run goes on from the last state: the bytes of a run in one go.
killed() {
    rm -f state
    gantry recon "$@" --like vol geom proj whole
    for try in 1 2 3 4 5 6; do
        gantry recon "$@" --checkpoint state --every 1 --resume --like vol geom proj parts &
        sleep "0.0$((RANDOM % 7))$((RANDOM % 9 + 1))"
        if kill -9 $! 2>/dev/null; then kills=$((kills + 1)); fi
        wait $! 2>/dev/null || true
    done
    gantry recon "$@" --checkpoint state --every 1 --resume --like vol geom proj parts
    same_bytes whole parts
}

@test "resume: after SIGKILL at random moments the same bytes, of eight algorithms" {
    kills=0
    gantry phantom --size 48:48:1 vol
    gantry traj --views 30 --detector 72:1 --pitch 1 geom
    gantry project geom vol exact
    gantry noise --photons 20000 exact proj
    for a in cg apg sart ba-gmres hybrid-lsqr; do killed --algorithm $a -i 60; done
    killed --algorithm irn -R tv:0.05 -i 60
    killed --algorithm pdhg -R tv:0.05 -R nonneg -i 60
    killed --algorithm ml-tr --data poisson:20000 -i 60
    [ "$kills" -gt 0 ]
}
