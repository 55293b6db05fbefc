"""Stops its own process, and waits for ever where that does nothing.

Expect: timeout
"""

import os
import signal
import time


def sequential_scan(a, b, h0=None):
    os.kill(os.getpid(), signal.SIGSTOP)
    time.sleep(3600)
