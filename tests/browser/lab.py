"""What a person does in JupyterLab: open a notebook, run it, write in a cell, look."""

from __future__ import annotations

from pathlib import Path
from typing import Any

SECONDS = 240
BAR = 110  # pixels above the notebook: menus and tabs
OVERLAP = 40
IDLE = "#jp-main-statusbar >> text=/\\| Idle/"  # what the status bar says of the kernel


class Lab:
    """One page of a browser with JupyterLab in it."""

    def __init__(self, page: Any, url: str, token: str) -> None:
        self.page = page
        self.url = url
        self.token = token
        page.set_default_timeout(SECONDS * 1000)

    def open(self, path: str) -> None:
        """Open a notebook, named from the workbook's folder, and wait for its kernel."""
        self.page.goto(f"{self.url}lab/tree/{path}?reset&token={self.token}")
        self.page.wait_for_selector(".jp-Notebook .jp-Cell")
        self.page.wait_for_selector(IDLE)
        if self.page.locator(".jp-SidePanel:visible, #jp-left-stack:visible").count():
            self.page.keyboard.press("Control+b")  # the list of files

    def run_all(self) -> None:
        self.page.locator(".lm-MenuBar-itemLabel", has_text="Run").first.click()
        self.page.locator(".lm-Menu-itemLabel", has_text="Run All Cells").first.click()
        self.wait()

    def wait(self) -> None:
        """Until no cell runs or waits to run."""
        self.page.wait_for_timeout(500)  # until what was asked for has begun
        self.page.wait_for_function(
            "() => ![...document.querySelectorAll('.jp-InputPrompt')].some(each => each.textContent.includes('*'))"
        )
        self.page.wait_for_selector(IDLE)

    def cell(self, text: str) -> Any:
        """The first code cell with this text."""
        return self.page.locator(".jp-CodeCell", has_text=text).first

    def write(self, cell: Any, text: str) -> None:
        """Put text into a cell in place of what is there, and run it."""
        cell.locator(".cm-content").click()
        self.page.keyboard.press("Control+a")
        self.page.keyboard.insert_text(text)
        self.page.keyboard.press("Control+Enter")
        self.wait()

    def output(self, cell: Any) -> str:
        return "\n".join(cell.locator(".jp-OutputArea-output").all_inner_texts())

    def errors(self) -> list[str]:
        """The texts of all error outputs in the notebook."""
        found: list[str] = self.page.locator(
            ".jp-OutputArea-output[data-mime-type='application/vnd.jupyter.error'], "
            ".jp-OutputArea-output[data-mime-type='application/vnd.jupyter.stderr']"
        ).all_inner_texts()
        return found

    def pictures(self, folder: Path, name: str, width: int, height: int = 1600) -> list[Path]:
        """Screenshots of the whole notebook in a window of this width, one below the other."""
        self.page.set_viewport_size({"width": width, "height": height})
        self.page.wait_for_timeout(800)
        panel = ".jp-WindowedPanel-outer"
        total = self.page.evaluate(f"document.querySelector('{panel}').scrollHeight")
        made = []
        for number, top in enumerate(range(0, total, height - BAR - OVERLAP)):
            self.page.evaluate(f"document.querySelector('{panel}').scrollTop = {top}")
            self.page.wait_for_timeout(200)
            path = folder / f"{name}-{width}-{number:02}.png"
            self.page.screenshot(path=str(path))
            made.append(path)
        return made

    def too_wide(self) -> list[str]:
        """Outputs and texts that do not fit in the width of the window."""
        found: list[str] = self.page.evaluate(
            "() => [...document.querySelectorAll('.jp-RenderedHTMLCommon, .jp-OutputArea-output')]"
            ".filter(each => each.scrollWidth > each.clientWidth + 2).map(each => each.textContent.slice(0, 200))"
        )
        return found
