"""The command, started by tests: Ctrl-C reaches it, and nothing is left behind.

A process that is started by one that ignores SIGINT ignores it too: tests under `nohup`, in the
background of a script or behind `trap '' INT` would wait in vain for a command that they
interrupt. So the command begins with the signal as a terminal would give it, whatever the tests
were given.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, suppress

DEFAULT, IGNORED = "SIG_DFL", "SIG_IGN"
PATIENCE = 900
"""Seconds after which something is taken to hang; a slow machine is no failure."""
_BEGIN = """
import os, signal, sys
signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
signal.signal(signal.SIGINT, getattr(signal, sys.argv[1]))
os.execv(sys.executable, [sys.executable, *sys.argv[2:]])
"""


@contextmanager
def running(*arguments: object, interrupt: str = DEFAULT):
    """Run `python ARGUMENTS` in a session of its own; in the end all that it started is killed."""
    command = (sys.executable, "-c", _BEGIN, interrupt, *map(str, arguments))
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    ) as process:
        try:
            yield process
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def wait_until(what, process):
    """Wait until something is so; fail if the process ends before, or everything hangs."""
    deadline = time.monotonic() + PATIENCE
    while not what():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline, "it hangs"
        time.sleep(0.01)
