"""Starts a command and kills it with SIGKILL once the metrics file says that a step is done.
usage: kill_at_step.py STEP METRICS COMMAND...; exits with 0 only if the command was killed."""
import json
import os
import signal
import subprocess
import sys
import time


def last_step(path):
    """The step of the last whole line, 0 without one."""
    try:
        with open(path) as file:
            lines = [line for line in file if line.endswith("\n")]
        return json.loads(lines[-1])["step"] if lines else 0
    except OSError:
        return 0


step, metrics, command = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
process = subprocess.Popen(command)
deadline = time.monotonic() + 120
while last_step(metrics) < step:
    if process.poll() is not None or time.monotonic() > deadline:
        process.kill()
        sys.exit(f"the command ended before step {step}")
    time.sleep(0.002)
process.send_signal(signal.SIGKILL)
sys.exit(0 if process.wait() == -signal.SIGKILL else "the command ended by itself")
