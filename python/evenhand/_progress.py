"""Progress of a run: one line in a terminal or a notebook, nothing in tests and pipes."""

from __future__ import annotations

import os
import sys
from typing import Any

WIDTH = 16


class TerminalProgress:
    """A line on stderr that is written over."""

    def __init__(self) -> None:
        self.length = 0

    def __call__(self, ended: int, total: int, share: float, line: str) -> None:
        text = f"{draw_bar(share)} {100 * share:3.0f} % {line}"
        sys.stderr.write("\r" + text.ljust(self.length))
        sys.stderr.flush()
        self.length = len(text)

    def close(self) -> None:
        """Take the line away."""
        if self.length:
            sys.stderr.write("\r" + " " * self.length + "\r")
            sys.stderr.flush()


class NotebookProgress:
    """A line under the cell."""

    def __init__(self, display: Any) -> None:
        self.display = display
        self.handle: Any = None

    def __call__(self, ended: int, total: int, share: float, line: str) -> None:
        shown = {"text/plain": f"{draw_bar(share)} {100 * share:3.0f} % {line}"}
        if self.handle is None:
            self.handle = self.display(shown, raw=True, display_id=True)
        else:
            self.handle.update(shown, raw=True)

    def close(self) -> None:
        """Take the line away: the result says what was done."""
        if self.handle is not None:
            self.handle.update({"text/plain": "", "text/html": ""}, raw=True)


def draw_bar(share: float) -> str:
    """Draw how much is done, from 0 to 1."""
    full = round(share * WIDTH)
    return "█" * full + "░" * (WIDTH - full)


def choose_progress(*, quiet: bool) -> TerminalProgress | NotebookProgress | None:
    """Choose how progress is shown where the caller does not say."""
    if quiet or "PYTEST_CURRENT_TEST" in os.environ:
        return None
    if "ipykernel" in sys.modules:
        from IPython.display import display

        return NotebookProgress(display)
    if sys.stderr is not None and sys.stderr.isatty():
        return TerminalProgress()
    return None
