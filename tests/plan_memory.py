"""plan_memory.py COMMAND..: fails unless the peak private memory of each command is what its plan says, within 5 % or 4 MiB."""

import os
import re
import subprocess
import sys
import time

EVERY = 1 << 20  # private memory of each command [bytes]


def plan(words):
    said = subprocess.run(["gantry", "plan"] + words, capture_output=True, text=True, check=True).stdout
    return int(re.search("^memory: ([0-9]+) bytes", said, re.MULTILINE)[1])


def peak(words):
    run = subprocess.Popen(["gantry"] + words, stdout=subprocess.DEVNULL)
    most = 0
    with open(f"/proc/{run.pid}/statm", "rb", 0) as status:
        while not os.waitid(os.P_PID, run.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            pages = status.read().split()
            status.seek(0)
            most = max(most, int(pages[1]) - int(pages[2])) if pages else most
            time.sleep(0.0003)
    assert run.wait() == 0, words
    return most * os.sysconf("SC_PAGESIZE")


wrong = 0
for command in sys.argv[1:]:
    planned, taken = plan(command.split()), peak(command.split()) - EVERY
    is_wrong = abs(planned - taken) > max(0.05 * taken, 4 << 20)
    wrong += is_wrong
    print(f"{planned / 2**20:.1f} MiB planned, {taken / 2**20:.1f} taken{' (WRONG)' if is_wrong else ''}: {command}", flush=True)
sys.exit(wrong > 0)
