"""The commands as functions, made from the program's own table of settings.

A keyword is here because the command has the flag, and only then: both are read off one
definition. ``_commands.pyi`` is written from the same table (``scripts/write-python-stubs``).
"""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Callable
from difflib import get_close_matches
from typing import Any

from evenhand import _evenhand
from evenhand._call import Ended, Setting, run_command
from evenhand._examples import write_example
from evenhand._values import keyword
from evenhand.errors import InputError
from evenhand.results import Judgments, Lines, Ranking, Report

#: The functions, their commands, and what they return.
RESULTS: dict[str, tuple[str, Callable[[Ended], Any]]] = {
    "rank": ("rank", Ranking),
    "leaderboard": ("leaderboard", Ranking),
    "judge": ("judge", Judgments),
    "estimate": ("estimate", Report),
    "audit": ("audit", Report),
    "check": ("check", Report),
    "align": ("align", Lines),
    "compare": ("compare", Report),
    "migrate": ("migrate", Report),
    "plan": ("plan", Report),
    "runs": ("runs", Report),
    "merge": ("merge", Report),
    "models_try": ("models try", Report),
    "show": ("show", Report),
    "judgments": ("judgments", Judgments),
    "batch_export": ("batch export", Report),
    "batch_import": ("batch import", Report),
    "batch_run": ("batch run", Report),
    "meta_judge": ("meta judge", Report),
    "meta_bencher": ("meta bencher", Report),
    "meta_consistency": ("meta consistency", Report),
    "meta_people": ("meta people", Report),
    "meta_conformal": ("meta conformal", Report),
    "meta_select": ("meta select", Report),
    "meta_self_preference": ("meta self-preference", Report),
    "meta_study": ("meta study", Report),
    "meta_translations": ("meta translations", Report),
    "meta_wordings": ("meta wordings", Report),
}

#: Flags that are no keywords: every result has all forms.
LEFT_OUT = frozenset({"format"})

_LEADING = ("data", "file")


def read_table() -> dict[str, Setting]:
    """Read the table of settings: every command by its name."""
    table = {command["name"]: command for command in json.loads(_evenhand.settings())}
    for command in table.values():
        # A flag with the name of an argument that has none (`compare`'s baseline) is no keyword.
        placed = {s["name"] for s in command["settings"] if s["positional"]}
        command["settings"] = [
            s for s in command["settings"] if s["positional"] or s["name"] not in placed
        ]
    return table


def keywords_of(command: Setting) -> list[Setting]:
    """List the settings that are keywords, those that may be given by place first."""
    settings = [s for s in command["settings"] if s["name"] not in LEFT_OUT]
    return sorted(settings, key=lambda setting: not by_place(setting))


def by_place(setting: Setting) -> bool:
    """Whether a setting may be given without its name."""
    return bool(setting["positional"]) or setting["name"] in _LEADING


def signature_of(command: Setting) -> inspect.Signature:
    """Make the signature of a command's function."""
    parameters = [_parameter(setting) for setting in keywords_of(command)]
    parameters.append(
        inspect.Parameter("on_progress", inspect.Parameter.KEYWORD_ONLY, default=None)
    )
    return inspect.Signature(parameters)


def _parameter(setting: Setting) -> inspect.Parameter:
    kind = inspect.Parameter
    return kind(
        keyword(setting["name"]),
        kind.POSITIONAL_OR_KEYWORD if by_place(setting) else kind.KEYWORD_ONLY,
        default=False if setting["kind"] == "switch" else None,
    )


def _describe(command: Setting) -> str:
    lines = [f"{command['about']}: ``evenhand {command['name']}``.", ""]
    for setting in keywords_of(command):
        help_lines = setting["help"].splitlines() or [""]
        lines.append(f"{keyword(setting['name'])}: {help_lines[0]}")
        lines += [f"    {line}" if line else "" for line in help_lines[1:]]
    lines.append("on_progress: a function of (ended, total, share, line), in place of the bar")
    return "\n".join(lines)


def _make_function(name: str, command: Setting, result: Callable[[Ended], Any]) -> Any:
    signature = signature_of(command)

    def function(*args: Any, **kwargs: Any) -> Any:
        try:
            given = signature.bind(*args, **kwargs).arguments
        except TypeError as error:
            close = [
                like
                for word in kwargs.keys() - signature.parameters.keys()
                for like in get_close_matches(word, signature.parameters, 1)
            ]
            hint = f"; did you mean {close[0]}=?" if close else ""
            raise TypeError(f"{name}() {error}{hint}") from None
        for setting in command["settings"]:
            # A file of settings may have it.
            needed = setting["required"] and given.get("config") is None
            if needed and given.get(keyword(setting["name"])) is None:
                raise InputError(f"{name}(): {keyword(setting['name'])}= is missing")
        on_progress = given.pop("on_progress", None)
        return result(run_command(command, given, on_progress))

    function.__name__ = function.__qualname__ = name
    function.__module__ = __name__
    function.__doc__ = f"{_describe(command)}\n\n{write_example(name)}"
    function.__signature__ = signature  # type: ignore[attr-defined]
    return function


def _without_only_form(command: Setting) -> Setting:
    """Leave out ``--format`` where it has no choice of JSON: the one form is what is read."""
    settings = command["settings"]
    kept = [s for s in settings if s["name"] != "format" or "json" in s["choices"]]
    return {**command, "settings": kept}


def _make_functions() -> None:
    table = read_table()
    for name, (command, result) in RESULTS.items():
        function = _make_function(name, _without_only_form(table[command]), result)
        setattr(sys.modules[__name__], name, function)


_make_functions()
