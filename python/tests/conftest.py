"""What the tests share: the quickstart data, and the command of the same wheel."""

from __future__ import annotations

import re
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
QUICKSTART = ROOT / "examples" / "quickstart"


@pytest.fixture
def quickstart() -> Path:
    """Our own data set."""
    return QUICKSTART


@pytest.fixture(autouse=True)
def own_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs are kept in a directory of the test's own."""
    monkeypatch.chdir(tmp_path)


def run_command(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command that came with the package."""
    line = [sys.executable, "-m", "evenhand", *arguments]
    return subprocess.run(line, capture_output=True, text=True, check=False)


def without_seconds(text: str) -> str:
    """Return JSON with no time that the process took; every other byte is as it was."""
    return re.sub(r'("seconds": )[0-9.e+-]+', r"\1-", text)


def wait_for_calls(run: Path) -> None:
    """Wait until some replies are kept."""
    for _ in range(2000):
        time.sleep(0.01)
        if (run / "run.sqlite").exists() and count_calls(run) > 5:
            return
    raise AssertionError("no reply was kept")


def count_calls(run: Path) -> int:
    """Count the calls that a run holds; 0 where there is no table yet."""
    try:
        with sqlite3.connect(run / "run.sqlite") as store:
            return int(store.execute("SELECT count(*) FROM calls").fetchone()[0])
    except sqlite3.OperationalError:
        return 0
