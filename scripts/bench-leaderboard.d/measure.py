"""Processes measured as a whole, from exec to exit: CPU, wall and memory, one core each unless told otherwise."""
import json
import os
import signal
import subprocess
import threading
import time


def run(command, cores, timeout, environment=None):
    """What the process and the children that it waited for used; `error` where it failed."""
    load = os.getloadavg()[0]
    start = time.monotonic()
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        env=os.environ | single_threaded(cores) | (environment or {}), preexec_fn=lambda: pin(cores),
    )
    timer = threading.Timer(timeout, os.killpg, (process.pid, signal.SIGKILL))
    timer.start()
    errors = []
    reader = threading.Thread(target=lambda: errors.append(process.stderr.read()))
    reader.start()
    output = process.stdout.read()
    reader.join()
    _, status, used = os.wait4(process.pid, 0)
    timer.cancel()
    code = process.returncode = os.waitstatus_to_exitcode(status)
    record = {"user": used.ru_utime, "system": used.ru_stime, "wall": time.monotonic() - start}
    record |= {"peak_mb": used.ru_maxrss / 1024, "load_before": load, "output": output}
    if code != 0:
        record["error"] = f"stopped after {timeout} s" if code == -signal.SIGKILL else (errors[0].strip() or f"exit code {code}")[-400:]
    return record


def pin(cores):
    """The last cores: the first is the busiest with interrupts."""
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-cores:])


def single_threaded(cores):
    """As many threads as cores for libraries that would take all, and spin."""
    names = ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS", "ARROW_NUM_THREADS"]
    return {name: str(cores) for name in names}


def memory_available():
    """Bytes."""
    with open("/proc/meminfo") as lines:
        return next(1024 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable"))


class Cache:
    """Measurements by name in one JSON file, written after each."""

    def __init__(self, path):
        self.path = path
        self.known = json.load(open(path)) if os.path.exists(path) else {}

    def get(self, name, measure, again=False):
        """What is known, or else what is measured now; a failure is kept only if it took all the time it was given."""
        if again or name not in self.known:
            found = measure()
            if not found.get("error", "stopped").startswith("stopped"):
                return found
            self.known[name] = found
            with open(self.path + ".new", "w") as out:
                json.dump(self.known, out, indent=1)
            os.replace(self.path + ".new", self.path)
        return self.known[name]
