"""Starts a command with mpirun, kills one rank once `metrics` has lines, and prints what the others then say.
usage: kill_a_rank.py RANK METRICS mpirun ...; the exit code is mpirun's."""
import os
import signal
import subprocess
import sys
import time

rank, metrics, command = int(sys.argv[1]), sys.argv[2], sys.argv[3:]


def process_of(rank, launcher):
    """The process id of a rank: it is a child of the launcher and has its rank in its environment."""
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/environ", "rb") as environment, open(f"/proc/{entry}/stat") as stat:
                parent = int(stat.read().rsplit(")", 1)[1].split()[1])
                if parent == launcher and f"OMPI_COMM_WORLD_RANK={rank}".encode() in environment.read().split(b"\0"):
                    return int(entry)
        except OSError:
            continue
    return None


job = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
deadline = time.monotonic() + 60
while not (os.path.exists(metrics) and os.path.getsize(metrics) > 0):
    if job.poll() is not None or time.monotonic() > deadline:
        job.kill()
        sys.exit(f"the ranks did not start training: {job.communicate()[0]}")
    time.sleep(0.05)
os.kill(process_of(rank, job.pid), signal.SIGKILL)
try:
    print(job.communicate(timeout=60)[0])
except subprocess.TimeoutExpired:
    job.kill()
    sys.exit("the job still runs a minute after its rank was killed")
print("exit code", job.returncode)
sys.exit(job.returncode)
