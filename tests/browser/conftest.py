"""A real JupyterLab on a learner's copy of the workbook, and a real Chromium in front of it."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))  # what the other tests share

from lab import Lab

from workbook.author.build import lessons
from workbook.author.copy import learners_copy
from workbook.content import catalog

ROOT = Path(__file__).parents[2]
START_SECONDS = 120
STOP_SECONDS = 60
# The whole notebook is in the page, and nothing is fetched or pops up.
SETTINGS = {
    "@jupyterlab/notebook-extension/tracker": {"windowingMode": "none"},
    "@jupyterlab/apputils-extension/notification": {
        "checkForUpdates": False,
        "doNotDisturbMode": True,
        "fetchNews": "false",
    },
}
FLAGS = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--no-first-run",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--screenshots", metavar="DIR", type=Path, help="keep pictures of every notebook, wide and narrow")


@dataclass
class Server:
    """A running JupyterLab."""

    url: str  # of its first page, without the token
    token: str
    process: subprocess.Popen[bytes]


@pytest.fixture(scope="session")
def chromium() -> str:
    found = os.environ.get("CHROMIUM") or shutil.which("chromium")
    assert found, "Chromium is not found: install it (apt-get install chromium), or name it with CHROMIUM=path."
    return found


@pytest.fixture
def book(tmp_path: Path) -> catalog.Catalog:
    """A learner's copy, the first notebook built."""
    folder = tmp_path / "workbook"
    folder.mkdir()
    learners_copy(catalog.load(ROOT), folder)
    copied = catalog.load(folder)
    lessons.make(copied, copied.problem(1))
    return copied


@pytest.fixture
def server(book: catalog.Catalog, tmp_path: Path) -> Iterator[Server]:
    """`workbook notebook 1 --no-browser`, with a home of its own; Ctrl-C ends it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    token = "for-this-test"
    settings = tmp_path / "lab-settings"
    for name, values in SETTINGS.items():
        (settings / f"{name}.jupyterlab-settings").parent.mkdir(parents=True, exist_ok=True)
        (settings / f"{name}.jupyterlab-settings").write_text(json.dumps(values), encoding="utf-8")
    folders = {name: str(tmp_path / name.lower()) for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "IPYTHONDIR")}
    environment = {
        **os.environ,
        **folders,
        "HOME": str(tmp_path / "home"),
        "JUPYTER_RUNTIME_DIR": str(tmp_path / "runtime"),
        "JUPYTERLAB_SETTINGS_DIR": str(settings),
        "JUPYTERLAB_WORKSPACES_DIR": str(tmp_path / "workspaces"),
        "JUPYTER_PORT": str(port),
        "JUPYTER_TOKEN": token,
    }
    (tmp_path / "home").mkdir()
    log = tmp_path / "jupyter.log"
    with open(log, "wb") as file:
        process = subprocess.Popen(
            [sys.executable, "-m", "workbook", "notebook", "1", "--no-browser"],
            cwd=book.root,
            env=environment,
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        yield Server(_address(process, log), token, process)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGINT)
            try:
                process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def _address(process: subprocess.Popen[bytes], log: Path) -> str:
    """The address that the server prints once it runs."""
    end = time.monotonic() + START_SECONDS
    while process.poll() is None and time.monotonic() < end:
        found = re.search(r"(http://(?:localhost|127\.0\.0\.1):\d+/)\S*token=", log.read_text(encoding="utf-8"))
        if found:
            return found[1]
        time.sleep(0.1)
    raise AssertionError(f"JupyterLab did not start: {log.read_text(encoding='utf-8')}")


@pytest.fixture
def lab(server: Server, chromium: str, tmp_path: Path) -> Iterator[Lab]:
    """A browser with a fresh profile."""
    from playwright.sync_api import sync_playwright

    flags = [*FLAGS, *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch_persistent_context(
            str(tmp_path / "profile"), executable_path=chromium, args=flags, viewport={"width": 1400, "height": 1000}
        )
        try:
            yield Lab(browser.pages[0], server.url, server.token)
        finally:
            browser.close()
