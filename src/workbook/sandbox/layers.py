"""What a worker gives up before it runs a learner's code, layer by layer.

Each layer is optional: one that a system lacks is left out and named as missing, with the reason, never pretended. The
zygote prepares a Sandbox once; each worker enters it. The grader keeps deadlines and a memory watch of its own.
"""

from __future__ import annotations

import os
import site
import sys
import sysconfig
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from workbook.sandbox import landlock, namespaces, privileges, seccomp, syscalls, trees, view
from workbook.sandbox.limits import Allowance, limit_resources
from workbook.sandbox.scratch import make_root

LAYERS = {
    "process": "a process of its own, which never holds a reference or a result",
    "session": "a process group of its own, killed as a whole",
    "rlimits": "the system's limits on processor time, memory, file size, open files and processes",
    "privileges": "no new privileges, and no other process may look into its memory",
    "scratch": "a small folder in memory for its files, which vanishes with it",
    "namespaces": "no network, no signals to other processes, and nothing that it started survives it",
    "view": "nothing else of the file system in sight, no process, and what is in sight cannot be changed",
    "landlock": "no files but the libraries', the submission's folder and the scratch folder; no signals to others",
    "seccomp": "no sockets, no programs, and none of the kernel's rarer parts",
}
FULL = tuple(LAYERS)  # what --require-sandbox asks for

# Layers named here are left out ("all" for every one): for tests, which show that each is needed.
SWITCH = "WORKBOOK_SANDBOX_WITHOUT"
KEPT_ENVIRONMENT = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "OMP_NUM_THREADS", "MKL_NUM_THREADS")

_LINUX_ONLY = "only Linux has it"
_SYSTEM_FILES = (
    *("/lib", "/lib32", "/lib64", "/usr/lib", "/usr/lib32", "/usr/lib64", "/etc/ld.so.cache"),
    *("/etc/localtime", "/usr/share/zoneinfo", "/dev/urandom", "/dev/random", "/proc/cpuinfo"),
    *("/sys/devices/system/cpu", "/sys/devices/system/node"),
)
_NEEDS_NAMESPACES = {
    "scratch": "it needs namespaces; the folder is on disk, and its size is watched",
    "view": "it needs namespaces",
}


@dataclass(frozen=True)
class Isolation:
    """The layers that hold for a worker, and of the others why they do not."""

    active: tuple[str, ...] = ()
    missing: dict[str, str] = field(default_factory=dict)
    folder: str = ""  # the scratch folder where it is one on disk, whose size must be watched


class Sandbox:
    """Made once, in the zygote: what all its workers share."""

    def __init__(self) -> None:
        names = os.environ.get(SWITCH, "").replace(",", " ").split()
        off = set(LAYERS) - {"process"} if "all" in names else set(names)
        self.missing = {name: f"switched off by {SWITCH}" for name in LAYERS if name in off}
        self.root, self._lock = make_root()
        self.rules: list[landlock.Rule] = []
        self.landlock = landlock.version()
        readable = [*_SYSTEM_FILES, *_library_folders()]
        self.visible = view.distinct([*readable, os.devnull])
        if not self.landlock:
            self.lacks("landlock", "this kernel has it not" if sys.platform == "linux" else _LINUX_ONLY)
        else:
            self.rules += landlock.rules(readable, landlock.READ)
            self.rules += landlock.rules([os.devnull], landlock.READ | landlock.WRITE)
        _scrub_environment()
        reason = syscalls.unavailable()
        self.filters = {} if reason else {own: seccomp.program(own_files_only=own) for own in (False, True)}
        if reason:
            self.lacks("seccomp", reason)
            self.lacks("namespaces", reason)
        if sys.platform != "linux":
            self.lacks("privileges", _LINUX_ONLY)
        elif "privileges" not in self.missing:
            privileges.set_dumpable(False)

    def lacks(self, layer: str, reason: str) -> None:
        self.missing.setdefault(layer, reason)

    def fork(self, number: int, allowance: Allowance, folder: str) -> tuple[int, Entry | None]:
        """Fork a worker: (pid, None) in the parent, (0, entry) in the child. Raises OSError.

        Args:
            number: of the worker; names its scratch folder.
            allowance: what it may use.
            folder: what it may read beside the libraries; "" for nothing.
        """
        scratch = os.path.join(self.root, str(number))
        os.mkdir(scratch, 0o700)
        start = None
        try:
            if "namespaces" not in self.missing:
                try:
                    pid, start = namespaces.clone()
                except namespaces.Refused as refused:
                    self.lacks("namespaces", str(refused))
            if "namespaces" in self.missing:
                pid = os.fork()
        except OSError:
            os.rmdir(scratch)
            raise
        return pid, None if pid else Entry(self, start, scratch, allowance, folder)

    def forget(self, number: int) -> None:
        """Remove what a worker that has ended left on disk."""
        trees.remove(os.path.join(self.root, str(number)))

    def close(self) -> None:
        trees.remove(self.root)


@dataclass
class Entry:
    """One worker's way into the sandbox."""

    sandbox: Sandbox
    start: namespaces.Start | None
    scratch: str
    allowance: Allowance
    folder: str

    def enter(self) -> Isolation:
        """Apply every layer to this process, for good. Never raises: a layer that fails is missing."""
        self.missing = dict(self.sandbox.missing)
        self._apply("session", os.setsid)
        if self.start is None:
            for layer, reason in _NEEDS_NAMESPACES.items():
                self.missing.setdefault(layer, reason)
        else:
            self._apply("namespaces", self.start.map_ids)
            self._apply("namespaces", self.start.seal)
        owner = (os.geteuid(), os.getegid())
        as_nobody = "privileges" not in self.missing and privileges.becomes_nobody()
        if as_nobody:
            owner = (privileges.NOBODY, privileges.NOBODY)
            os.chown(self.scratch, *owner)
        self._apply("rlimits", lambda: limit_resources(self.allowance, self.start is not None))
        if self.start is not None:
            self._mount(owner)
        os.chdir(self.scratch)
        os.environ.update(HOME=self.scratch, TMPDIR=self.scratch)
        tempfile.tempdir = self.scratch
        rules = [*self.sandbox.rules]
        if "landlock" not in self.missing:  # the paths are opened before the right to is given up
            # On disk a deleted file that is still open would take room that the grader cannot see.
            in_memory = "scratch" not in self.missing
            rules += landlock.rules([self.scratch], landlock.OWN & (-1 if in_memory else ~landlock.REMOVE_FILE))
            rules += landlock.rules([self.folder] if self.folder else [], landlock.READ)
        self._apply("privileges", lambda: privileges.renounce(as_nobody))
        self._apply("landlock", lambda: landlock.restrict(rules, self.sandbox.landlock))
        # Where it owns nothing but its scratch folder, or sees nothing else that it could change, mode and times of
        # files are its own affair: copying a file sets them.
        own_files_only = "view" not in self.missing or (as_nobody and "privileges" not in self.missing)
        self._apply("seccomp", lambda: seccomp.install(self.sandbox.filters[own_files_only]))
        active = tuple(name for name in LAYERS if name not in self.missing)
        return Isolation(active, self.missing, "" if "scratch" in active else self.scratch)

    def _mount(self, owner: tuple[int, int]) -> None:
        megabytes = self.allowance.files_mb
        if "scratch" in self.missing:
            self.missing.setdefault("view", "it needs a scratch folder in memory")
        visible = self.sandbox.visible
        shown = view.distinct([*visible, self.folder]) if self.folder else visible
        self._apply("view", lambda: view.narrow(shown, self.scratch, owner, megabytes))
        if "view" in self.missing:
            self._apply("scratch", lambda: view.mount_scratch(self.scratch, owner, megabytes))

    def _apply(self, layer: str, action: Callable[[], Any]) -> None:
        if layer in self.missing:
            return
        try:
            action()
        except Exception as error:
            self.missing[layer] = f"the system refuses it ({error})"


def _library_folders() -> set[str]:
    """Where Python and its libraries are: never a whole prefix, in which the workbook itself might lie."""
    found = {sysconfig.get_paths()[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    found |= {os.path.join(prefix, "lib") for prefix in (sys.prefix, sys.base_prefix, sys.base_exec_prefix)}
    found |= {*site.getsitepackages(), os.path.dirname(os.path.dirname(os.path.abspath(__file__)))}
    if site.ENABLE_USER_SITE:
        found.add(site.getusersitepackages())
    for name in ("torch", "numpy"):  # wherever these were imported from
        found |= {str(Path(path)) for path in getattr(sys.modules.get(name), "__path__", ())}
    return found


def _scrub_environment() -> None:
    for name in set(os.environ) - set(KEPT_ENVIRONMENT):
        del os.environ[name]
