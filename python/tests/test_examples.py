"""The examples in the documentation of the package: every public function has one, and all hold."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from typing import Any

import pytest

import evenhand
from evenhand import batch, io, meta, stats

# pytest collects the fixture of the plugin; the native module and the entry point have no examples.
SKIPPED = {"evenhand._evenhand", "evenhand.__main__"}


def public_functions() -> Iterator[tuple[str, Any]]:
    """List the functions that users call."""
    for module in (evenhand, meta, batch, stats, io):
        for name in module.__all__:
            found = getattr(module, name)
            if inspect.isfunction(found) or inspect.isbuiltin(found):
                yield f"{module.__name__}.{name}", found


def list_modules() -> list[str]:
    """List the modules of the package."""
    names = [one.name for one in pkgutil.walk_packages(evenhand.__path__, "evenhand.")]
    return [name for name in ["evenhand", *names] if name not in SKIPPED]


@pytest.mark.parametrize(("name", "function"), list(public_functions()))
def test_every_public_function_has_an_example(name: str, function: Any) -> None:
    found = doctest.DocTestFinder(recurse=False).find(function, name)
    assert any(test.examples for test in found), f"{name} has no example"


@pytest.mark.parametrize("name", list_modules())
@pytest.mark.filterwarnings("ignore::evenhand.EvenhandWarning")
def test_the_examples_hold(name: str) -> None:
    failed, _ = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert not failed
