"""The types of keywords, written from the program's table of settings: for signatures and stubs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evenhand._inputs import DATA, JUDGES, SIDES
from evenhand._values import keyword

_KINDS = {"path": "StrPath", "integer": "int", "number": "float", "text": "str"}
#: Settings that name runs, for which a result that has one may stand.
_RUNS = frozenset({"run", "runs", "old_run", "earlier", "reuse"})
#: Settings with parts, or with values that are no texts.
_OWN = {
    "anchor": "str | tuple[str, float] | Mapping[str, float]",
    "by": "str",
    "control": "str | Sequence[str | tuple[str, str]]",
    "date": "str | datetime.date",
    "remove": "str | datetime.date",
    "design": (
        'Literal["all-pairs", "labelled", "adaptive", "swim"] | tuple[Literal["reference"], str] '
        '| tuple[Literal["sample", "swiss"], int]'
    ),
    "fail_if": "str | Sequence[str]",
    "gpu_layers": 'int | Literal["all", "none"]',
    "map": "str | Mapping[str, str]",
    "outcomes": "str | Mapping[Any, str]",
    "own": "str | Sequence[str] | Mapping[str, str]",
    "pair": "str | tuple[str, str]",
    "panel": 'Literal["mean", "majority"] | tuple[Literal["escalate"], float]',
    "ranking": (
        "Sources | Report | Sequence[Source | Report] | Mapping[str, Source | Report | Sequence[StrPath]]"
    ),
    "scale": "tuple[float, float] | tuple[float, float, float]",
    "score_column": "str | Sequence[str]",
    "shard": "str | tuple[int, int]",
    "systems": "str | Sequence[str | int]",
    "turn": "str | int",
    "until": 'Literal["order"] | tuple[Literal["top"], int] | tuple[Literal["share"], float]',
    "where": "str | Sequence[str] | Mapping[str, object]",
}


def literal(setting: Mapping[str, Any]) -> str:
    """Write the words that a setting takes as a type."""
    choices = ", ".join(f'"{choice}"' for choice in setting["choices"])
    return f"Literal[{choices}]"


def type_of(command: str, setting: Mapping[str, Any], names: Mapping[str, str]) -> str:
    """Write the type of a setting's keyword.

    Args:
        command: the name of the command.
        setting: its row of the table.
        names: the names of lists of words that have one.
    """
    name, kind = keyword(setting["name"]), setting["kind"]
    if kind == "switch":
        return "bool"
    if (command, name) in SIDES:
        return "Source | Report | None"
    if name in DATA:
        return "Sources | None" if setting["many"] else "Source | None"
    if kind == "text" and not setting["choices"] and name in _OWN:
        # Where scores have a unit of their own, it is the scale unless the judge's is meant.
        units = 'Literal["elo", "log-odds"] | ' if name == "scale" and setting["default"] else ""
        return f"{units}{_OWN[name]} | None"
    one = _KINDS[kind]
    if setting["choices"]:
        one = names.get(literal(setting), literal(setting))
    elif name in JUDGES:
        one = "str | JudgeLike"
    elif kind == "path" and name in _RUNS and (setting["positional"] or name in ("earlier", "reuse")):
        one = "StrPath | Report"
    elif name == "protocol":
        one = "str | PythonProtocol"
    if setting["many"]:
        one = f"{one} | Sequence[{one}]"
    if "none" in setting["choices"]:
        one = f"{one} | Literal[False]"
    return f"{one} | None"
