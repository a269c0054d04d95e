"""From keywords to arguments, from an ending to a result or an exception."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from numbers import Real
from typing import Any

from evenhand import _evenhand
from evenhand._inputs import DATA, Inputs
from evenhand._progress import choose_progress
from evenhand._values import is_on, keyword, write_conditions
from evenhand._wording import in_python, settings_of, table_in_python, word_error
from evenhand.errors import EvenhandError, EvenhandWarning, InputError, JudgeError, Stopped

Setting = Mapping[str, Any]
OnProgress = Callable[[int, int, float, str], object]

_ERRORS: dict[str, type[EvenhandError]] = {
    "usage": InputError,
    "stopped": Stopped,
    "judge": JudgeError,
    "failed": EvenhandError,
}


class Ended:
    """A command that did its work: what it printed, and what it said."""

    def __init__(
        self, called: _evenhand.Called, notes: list[str], command: Setting, settings: Mapping[str, Any]
    ):
        known = settings_of(command)
        self.data = called.data
        self.table = None if called.table is None else table_in_python(called.table, known)
        self.csv = called.csv
        self.run = called.run
        self.condition = in_python(called.message, known) or None
        self.notes = [in_python(note, known) for note in notes]
        #: As they were given. Tables and records are not kept: the result would keep them alive, and
        #: show them as they are by now.
        self.settings = {
            name: _named(value) if name in DATA else value for name, value in settings.items()
        }
        #: What a reader should know that the command does not.
        self.warnings: list[str] = []
        #: Those of them that were given before anything was asked.
        self.warned_of: list[str] = []
        #: The notebook's cell under which all of them stand; None where they stand under none.
        self.warned_in: int | None = None
        #: Makes the same call on the same inputs with some settings changed; None where the inputs are
        #: gone.
        self.repeat: Callable[[Mapping[str, Any]], Ended] | None = None

    def __copy__(self) -> Ended:
        return self

    def __deepcopy__(self, memo: object) -> Ended:
        return self

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what belongs to this process: inputs in memory, and functions."""
        settings = {name: _named(value) for name, value in self.settings.items()}
        # Another process has other cells.
        return {**vars(self), "repeat": None, "settings": settings, "warned_in": None}


def _named(value: Any) -> Any:
    """Return plain values as they are, and of anything else what it is."""
    if value is None or isinstance(value, (str, bytes, bool, int, float, os.PathLike)):
        return value
    if isinstance(value, (list, tuple)) and all(isinstance(one, (str, Real, os.PathLike)) for one in value):
        return list(value)
    return f"<{getattr(value, '__qualname__', type(value).__qualname__)}>"


def run_command(
    command: Setting, given: Mapping[str, Any], on_progress: OnProgress | None
) -> Ended:
    """Run a command with these settings, and raise what it fails of."""
    # In pytest the message stands at the test's own line.
    __tracebackhide__ = True
    inputs = Inputs()
    notes: list[str] = []
    # What can be read once only is read again where the call is made again.
    given = {
        name: list(value) if isinstance(value, Iterator) and name not in DATA else value
        for name, value in given.items()
    }
    is_quiet = is_on("quiet", given.get("quiet") or False)
    shown = None if on_progress else choose_progress(quiet=is_quiet)

    def tell(ended: int, total: int, share: float, line: str) -> None:
        try:
            on_progress(ended, total, share, line)  # type: ignore[misc]
        except BaseException as error:  # noqa: BLE001 whatever it raises is the caller's to know
            inputs.interrupt(error)

    try:
        try:
            arguments = write_arguments(command, given, inputs)
        except InputError as error:
            raise InputError(word_error(str(error), command, given)) from error.__cause__
        # Before anything is asked, and paid for.
        if not is_quiet:
            warn_of(inputs.warnings)
        called = _evenhand.call(
            arguments,
            notes.append,
            tell if on_progress else shown,
            lambda: inputs.interruption,
            inputs.abandon,
        )
    finally:
        _close(shown)
        inputs.close()
    if called.ending in _ERRORS:
        # Where the caller's own judge raised, its traceback leads to the line.
        cause = inputs.judge_error if called.ending == "judge" else None
        raise _ERRORS[called.ending](word_error(called.message, command, given)) from cause
    ended = Ended(called, notes, command, given)
    ended.warned_of = inputs.warnings
    ended.warnings = [*inputs.warnings, *_stale_warnings(ended, inputs)]
    again = {**given, **inputs.kept}
    ended.repeat = lambda changed: run_command(command, {**again, **changed}, None)
    return ended


def _stale_warnings(ended: Ended, inputs: Inputs) -> list[str]:
    """Warn of judges of the caller's that answered nothing: all their replies are older ones."""
    silent = inputs.silent_judges()
    if not silent or ended.run is None:
        return []
    # Imported here, so that `import evenhand` is quick.
    from evenhand.store import Run

    kept = Run(ended.run).count_calls()
    return [
        f"judge {judge} was not asked: all of its {kept[judge]} replies are older ones, kept in "
        f"{ended.run}. Replies are reused for the same name, or for the same code over the same values. "
        "If the judge has changed since, such as to another model, give it another name, as in "
        "eh.Judge(function, name=..)"
        for judge in silent
        if kept.get(judge)
    ]


def _close(progress: object) -> None:
    close = getattr(progress, "close", None)
    if close is not None:
        close()


def warn_of(messages: Iterable[str]) -> None:
    """Warn of what a reader of the result should know, at the line of the caller's call."""
    for message in messages:
        warnings.warn(message, EvenhandWarning, stacklevel=_level_of_caller())


def shows_warning(message: str) -> bool:
    """Whether the filters of Python's warnings show a warning under every cell that gives it."""
    for action, text, category, module, line in warnings.filters:
        is_meant = issubclass(EvenhandWarning, category) and (text is None or text.match(message))
        if is_meant and (module is None or module.match("__main__")) and line == 0:
            return action not in ("ignore", "once")
    return True


def cell_of_caller() -> int | None:
    """The number of the notebook's cell that makes the call; None where something else makes it. What
    a module warns of at one of its lines is shown once in a process, and of a cell each time it runs.
    """
    caller = sys._getframe(_level_of_caller() - 1)
    return notebook_cell() if caller.f_globals.get("__name__") == "__main__" else None


def notebook_cell() -> int | None:
    """The number of the notebook's cell that runs now, or ran last; None outside notebooks."""
    if "ipykernel" not in sys.modules:
        return None
    from IPython import get_ipython

    shell = get_ipython()
    return None if shell is None else int(shell.execution_count)


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
        name = keyword(setting["name"])
        value = given.get(name)
        if value is None:
            continue
        if setting["kind"] == "switch":
            flags += [f"--{setting['name']}"] if is_on(name, value) else []
            continue
        if value is False and "none" in setting["choices"]:
            value = "none"
        if name == "where" and isinstance(value, Mapping):
            value = write_conditions(value, of_rows=command["name"] == "judgments")
        texts = inputs.texts_of(command, setting, value)
        if setting["positional"]:
            places += texts
        else:
            flags += [f"--{setting['name']}={text}" for text in texts]
    if takes(command, "format"):
        flags.append("--format=json")
    return [*command["name"].split(), *flags, *(["--", *places] if places else [])]


def takes(command: Setting, name: str) -> bool:
    """Whether a command has a setting of this name."""
    return any(setting["name"] == name for setting in command["settings"])
