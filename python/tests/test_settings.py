"""The keywords are the flags, and the stubs are the keywords."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT, run_command

import evenhand
from evenhand import _commands


def flags_of(command: str) -> set[str]:
    """Read the flags off the help that the command prints."""
    shown = run_command(*command.split(), "--help").stdout
    flags = re.findall(r"^ {2,6}(?:-\w, )?--([a-z][a-z-]*)", shown, re.MULTILINE)
    return set(flags) - {"help", "version"}


@pytest.mark.parametrize("name", sorted(_commands.RESULTS))
def test_every_flag_is_a_keyword_and_every_keyword_a_flag(name: str) -> None:
    command, _ = _commands.RESULTS[name]
    table = _commands.read_table()[command]
    places = {s["name"] for s in table["settings"] if s["positional"]}
    keywords = set(inspect.signature(getattr(_commands, name)).parameters)
    named = {keyword.replace("_", "-") for keyword in keywords} - {"on-progress"} - places
    assert named == flags_of(command) - _commands.LEFT_OUT


def test_the_stubs_are_those_of_the_table() -> None:
    script = ROOT / "scripts" / "write-python-stubs"
    written = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    stubs = Path(ROOT / "python" / "evenhand" / "_commands.pyi").read_text(encoding="utf-8")
    assert written.stdout == stubs, "scripts/write-python-stubs > python/evenhand/_commands.pyi"


@pytest.mark.parametrize("name", sorted(_commands.RESULTS))
def test_a_function_says_what_each_keyword_means(name: str) -> None:
    function = getattr(_commands, name)
    for keyword in inspect.signature(function).parameters:
        assert re.search(rf"^{keyword}: \S", function.__doc__, re.MULTILINE), keyword


def test_an_unknown_keyword_is_refused() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'jugde'"):
        evenhand.rank("data", jugde="simulated")  # type: ignore[call-arg]
