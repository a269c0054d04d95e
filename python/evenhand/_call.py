"""From keywords to arguments, from an ending to a result or an exception."""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from evenhand import _evenhand
from evenhand._inputs import Inputs
from evenhand._progress import choose_progress
from evenhand.errors import EvenhandError, EvenhandWarning, InputError, JudgeError, Stopped

Setting = Mapping[str, Any]
OnProgress = Callable[[int, int, float, str], object]

_ERRORS: dict[str, type[EvenhandError]] = {
    "usage": InputError,
    "stopped": Stopped,
    "judge": JudgeError,
    "failed": EvenhandError,
}


def _no_repeat(settings: Mapping[str, Any]) -> Any:
    raise ValueError("this result cannot be made again")


class Ended:
    """A command that did its work: what it printed, and what it said."""

    def __init__(self, called: _evenhand.Called, notes: list[str], settings: Mapping[str, Any]):
        self.data = called.data
        self.table = called.table
        self.csv = called.csv
        self.run = called.run
        self.condition = spell_as_keywords(called.message) or None
        self.notes = notes
        self.settings = dict(settings)
        #: Makes the same call with other settings.
        self.repeat: Callable[[Mapping[str, Any]], Any] = _no_repeat


def run_command(
    command: Setting, given: Mapping[str, Any], on_progress: OnProgress | None
) -> Ended:
    """Run a command with these settings, and raise what it fails of."""
    notes: list[str] = []
    inputs = Inputs()
    progress = on_progress or choose_progress(quiet=bool(given.get("quiet")))
    try:
        arguments = write_arguments(command, given, inputs)
        called = _evenhand.call(arguments, notes.append, progress)
    finally:
        _close(progress)
        inputs.close()
    if called.ending in _ERRORS:
        raise _ERRORS[called.ending](spell_as_keywords(called.message))
    return Ended(called, notes, given)


def _close(progress: object) -> None:
    close = getattr(progress, "close", None)
    if close is not None:
        close()


def warn_of(messages: Iterable[str]) -> None:
    """Warn of what a reader of the result should know, at the line of the caller's call."""
    for message in messages:
        warnings.warn(message, EvenhandWarning, stacklevel=_level_of_caller())


def _level_of_caller() -> int:
    """How many frames above `warn_of` the first one outside this package is."""
    frame, level = sys._getframe(1), 1
    while frame.f_back and frame.f_globals.get("__package__") == __package__:
        frame, level = frame.f_back, level + 1
    return level


def write_arguments(command: Setting, given: Mapping[str, Any], inputs: Inputs) -> list[str]:
    """Write the command line that these settings are; what is in memory gets a name."""
    flags: list[str] = []
    places: list[str] = []
    for setting in command["settings"]:
        value = given.get(keyword(setting["name"]))
        if value is None or value is False:
            continue
        if setting["kind"] == "switch":
            flags.append(f"--{setting['name']}")
        elif setting["positional"]:
            places += _texts_of(setting, value, inputs)
        else:
            texts = _texts_of(setting, value, inputs)
            flags += [f"--{setting['name']}={text}" for text in texts]
    if takes(command, "format"):
        flags.append("--format=json")
    return [*command["name"].split(), *flags, *(["--", *places] if places else [])]


def takes(command: Setting, name: str) -> bool:
    """Whether a command has a setting of this name."""
    return any(setting["name"] == name for setting in command["settings"])


def keyword(name: str) -> str:
    """The keyword of a flag: ``max-calls`` is ``max_calls``."""
    return name.replace("-", "_")


def _texts_of(setting: Setting, value: Any, inputs: Inputs) -> list[str]:
    name = keyword(setting["name"])
    values = inputs.values_of(setting, name, value)
    if len(values) > 1 and not setting["many"]:
        raise InputError(f"{name}=: expected one value, found {len(values)}")
    texts = [_text_of(setting, one) for one in values]
    separator = setting["separator"]
    return [separator.join(texts)] if separator and texts else texts


def _text_of(setting: Setting, value: Any) -> str:
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if isinstance(value, (str, int, float)) and not isinstance(value, bool):
        return str(value)
    name = keyword(setting["name"])
    raise InputError(f"{name}=: expected a text, a number or a path, found {type(value).__name__}")


_FLAG = re.compile(r"--([a-z][a-z-]*[a-z])(?![\w-])")


def spell_as_keywords(message: str) -> str:
    """Name settings in a message as keywords: ``--max-calls`` is ``max_calls=``."""
    return _FLAG.sub(lambda flag: f"{keyword(flag[1])}=", message)
