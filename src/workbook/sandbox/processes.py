"""Other processes, as /proc shows them (Linux): their children, their memory. Elsewhere there is nothing to see."""

from __future__ import annotations

import os

_COUNTED = (b"RssAnon:", b"RssShmem:", b"VmSwap:")


def children(pid: int) -> list[int]:
    """The children of a process, orphans that it adopted included."""
    found: list[int] = []
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/children", "rb") as listed:
                found += map(int, listed.read().split())
    except OSError:
        pass
    return found


def descendants(pid: int, most: int = 5000) -> list[int]:
    """All processes below one, at most `most`."""
    found = children(pid)
    for child in found:  # grows meanwhile
        if len(found) >= most:
            break
        found += children(child)
    return found


def memory(pid: int) -> int:
    """Bytes of memory that a process has filled itself: no file mappings. 0 where the system does not tell."""
    try:
        with open(f"/proc/{pid}/status", "rb") as status:
            lines = [line.split() for line in status if line.startswith(_COUNTED)]
    except OSError:
        return 0
    return sum(int(line[1]) for line in lines) * 1024
