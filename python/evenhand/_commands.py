"""The commands as functions, made from the program's own table of settings.

A keyword is here because the command has the flag, and only then: both are read off one
definition. ``_commands.pyi`` is written from the same table (``scripts/write-python-stubs``).
"""

from __future__ import annotations

import datetime  # noqa: F401 named by annotations
import inspect
import json
import sys
from collections.abc import Callable, Mapping, Sequence  # noqa: F401 named by annotations
from difflib import get_close_matches
from functools import cache
from typing import Any, Literal  # noqa: F401 named by annotations

from evenhand import _evenhand
from evenhand._call import Ended, OnProgress, Setting, run_command  # noqa: F401 named by annotations
from evenhand._examples import write_example
from evenhand._inputs import Source, Sources, StrPath  # noqa: F401 named by annotations
from evenhand._types import type_of
from evenhand._values import called, keyword
from evenhand._wording import in_python, settings_of, word_missing
from evenhand.errors import InputError
from evenhand.judges import JudgeLike  # noqa: F401 named by annotations
from evenhand.protocols import PythonProtocol  # noqa: F401 named by annotations
from evenhand.results import Comparison, Figures, Judgments, Lines, Plan, Ranking, Report

#: The functions, their commands, and what they return.
RESULTS: dict[str, tuple[str, Callable[[Ended], Any]]] = {
    "rank": ("rank", Ranking),
    "leaderboard": ("leaderboard", Ranking),
    "judge": ("judge", Judgments),
    "estimate": ("estimate", Report),
    "audit": ("audit", Report),
    "check": ("check", Report),
    "align": ("align", Lines),
    "compare": ("compare", Comparison),
    "migrate": ("migrate", Report),
    "plan": ("plan", Plan),
    "runs": ("runs", Report),
    "cite": ("cite", Report),
    "merge": ("merge", Report),
    "models_try": ("models try", Report),
    "show": ("show", Report),
    "judgments": ("judgments", Judgments),
    "batch_export": ("batch export", Report),
    "batch_import": ("batch import", Report),
    "batch_run": ("batch run", Report),
    "meta_judge": ("meta judge", Figures),
    "meta_fit": ("meta fit", Figures),
    "meta_bencher": ("meta bencher", Figures),
    "meta_consistency": ("meta consistency", Figures),
    "meta_people": ("meta people", Figures),
    "meta_conformal": ("meta conformal", Figures),
    "meta_select": ("meta select", Figures),
    "meta_self_preference": ("meta self-preference", Figures),
    "meta_study": ("meta study", Figures),
    "meta_translations": ("meta translations", Figures),
    "meta_wordings": ("meta wordings", Figures),
}

#: Flags that are no keywords: every result has all forms.
LEFT_OUT = frozenset({"format"})

_LEADING = ("data", "file")

#: Keywords of other tools, and what they are here.
_FOREIGN = {
    **dict.fromkeys(("model", "judge_model", "grader", "evaluator", "annotators_config"), ("judge",)),
    **dict.fromkeys(("limit", "n", "samples", "num_samples", "max_instances"), ("items",)),
    **dict.fromkeys(("dataset", "responses", "answers", "input", "model_outputs"), ("data", "files")),
    **dict.fromkeys(("output", "output_path", "out"), ("report", "out")),
}


@cache
def read_table() -> dict[str, Setting]:
    """Read the table of settings: every command by its name."""
    return {command["name"]: command for command in json.loads(_evenhand.settings())}


#: The keywords that are used most, in this order before the others.
COMMON = (
    "judge", "protocol", "design", "run", "pair", "systems", "where", "items", "by", "aggregate",
    "ci", "level", "differences", "control", "labels", "max_calls", "max_cost", "report", "fail_if",
    "quiet",
)  # fmt: skip
#: The groups of the others, in their order.
GROUPS = ("Data", "Judge", "Protocol", "Probes", "Statistics", "Run", "Limits and safety", "Output")


def keywords_of(command: Setting) -> list[Setting]:
    """List the settings that are keywords: those that may be given by place, those that are used most,
    then the others by what they are about.
    """
    settings = [s for s in command["settings"] if s["name"] not in LEFT_OUT]
    return sorted(settings, key=_place_of)


def _place_of(setting: Setting) -> tuple[int, int]:
    name, group = keyword(setting["name"]), setting["heading"]
    if by_place(setting):
        return (0, 0)
    if name in COMMON:
        return (1, COMMON.index(name))
    return (2, GROUPS.index(group) if group in GROUPS else len(GROUPS))


def by_place(setting: Setting) -> bool:
    """Whether a setting may be given without its name."""
    return bool(setting["positional"]) or setting["name"] in _LEADING


def signature_of(command: Setting) -> inspect.Signature:
    """Make the signature of a command's function."""
    parameters = [_parameter(command, setting) for setting in keywords_of(command)]
    kind = inspect.Parameter.KEYWORD_ONLY
    parameters.append(
        inspect.Parameter("on_progress", kind, default=None, annotation="OnProgress | None")
    )
    return inspect.Signature(parameters)


def _parameter(command: Setting, setting: Setting) -> inspect.Parameter:
    kind = inspect.Parameter
    return kind(
        keyword(setting["name"]),
        kind.POSITIONAL_OR_KEYWORD if by_place(setting) else kind.KEYWORD_ONLY,
        default=False if setting["kind"] == "switch" else None,
        annotation=type_of(command["name"], setting, {}),
    )


def _describe(command: Setting) -> str:
    about = command["about"].replace("the flags of", "the settings of")
    lines = [f"{about}: ``evenhand {command['name']}``.", ""]
    settings = settings_of(command)
    group = None
    for setting in keywords_of(command):
        place = _place_of(setting)
        begun = GROUPS[place[1]] if place[0] == 2 and place[1] < len(GROUPS) else None
        if begun is not None and begun != group:
            lines += ["", f"{begun}", ""]
            group = begun
        help_lines = in_python(setting["help"], settings).splitlines() or [""]
        lines.append(f"{keyword(setting['name'])}: {help_lines[0]}")
        lines += [f"    {line}" if line else "" for line in help_lines[1:]]
    lines.append("on_progress: a function of (ended, total, share, line), in place of the bar")
    return "\n".join(lines)


def _make_function(name: str, command: Setting, result: Callable[[Ended], Any]) -> Any:
    signature = signature_of(command).replace(return_annotation=result.__name__)
    command = {**command, "function": called(name)}
    placed = [word for word, one in signature.parameters.items() if one.kind is not one.KEYWORD_ONLY]

    def function(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        try:
            given = signature.bind(*args, **kwargs).arguments
        except TypeError as error:
            if len(args) > len(placed):
                first = f"only {' and '.join(placed)} may be" if placed else "none is"
                raise TypeError(f"{called(name)}(): {first} given without a name, found {len(args)}") from None
            close = [
                like
                for word in sorted(kwargs.keys() - signature.parameters.keys())
                for like in (*_FOREIGN.get(word, ()), *get_close_matches(word, signature.parameters, 1))
                if like in signature.parameters
            ]
            hint = f"; did you mean {close[0]}=?" if close else ""
            if not close and name == "meta_study":
                hint = "; a study's other settings are in its file, as in run = \"runs/mine\""
            raise TypeError(f"{called(name)}() {error}{hint}") from None
        for setting in command["settings"]:
            # Without the first of two places the second would be taken for it.
            needed = setting["required"] and setting["positional"] and given.get("config") is None
            if needed and given.get(keyword(setting["name"])) is None:
                raise InputError(word_missing(f"{called(name)}()", [setting["name"]], settings_of(command)))
        on_progress = given.pop("on_progress", None)
        return result(run_command(command, given, on_progress))

    function.__name__ = function.__qualname__ = name
    function.__module__ = __name__
    function.__doc__ = f"{_describe(command)}\n\n{write_example(name)}"
    annotations = {one.name: one.annotation for one in signature.parameters.values()}
    function.__annotations__ = {**annotations, "return": result.__name__}
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
