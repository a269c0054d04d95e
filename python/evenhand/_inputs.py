"""Inputs that are no files: tables of any library that speaks Arrow, and lists of records."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from evenhand import _evenhand
from evenhand._data import Data
from evenhand.errors import InputError
from evenhand.judges import Judge, as_judge
from evenhand.protocols import PythonProtocol

if TYPE_CHECKING:
    from evenhand._judge_threads import JudgeThreads

#: The settings that name judges, which may be functions.
JUDGES = frozenset({"judge", "second_stage", "rewriter"})


@runtime_checkable
class ArrowTable(Protocol):
    """A table of pandas, polars, pyarrow, DuckDB, or of any library with this interface."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return a capsule with a stream of the table's rows."""


StrPath = str | os.PathLike[str]
#: What stands for a file: a path, a table, or records.
Source = StrPath | ArrowTable | Iterable[Mapping[str, Any]]
#: What stands for files: one input, several, or several by names of their own.
Sources = Source | Sequence[Source] | Mapping[str, Source] | Data


#: The settings that name files of data, for which tables and records may stand.
DATA = frozenset({
    "data", "files", "gold", "instruction_difficulty", "item_weights", "labels",
    "length_control_weights", "ratings", "recorded",
    "reference_answers", "reviewed", "rewritten",
})  # fmt: skip


class Inputs:
    """The inputs of one call that are in memory, under the names that stand for their paths."""

    def __init__(self) -> None:
        self._kept: list[_evenhand.Kept] = []
        self._protocols: list[_evenhand.RegisteredProtocol] = []
        self._judges: list[tuple[_evenhand.RegisteredJudge, JudgeThreads]] = []

    def values_of(self, setting: Mapping[str, Any], name: str, value: Any) -> list[Any]:
        """Return the values of a setting as the command line has them."""
        if name in DATA:
            return self.paths_of(name, value)
        if isinstance(value, PythonProtocol):
            return [self._protocol_of(value)]
        if name in JUDGES:
            return [self._judge_of(one) for one in plain_values(value)]
        return plain_values(value)

    def close(self) -> None:
        """Forget what the call brought."""
        for _, threads in self._judges:
            threads.close()
        self._judges.clear()
        self._protocols.clear()
        self._kept.clear()

    def _protocol_of(self, protocol: PythonProtocol) -> str:
        registered = protocol.register()
        self._protocols.append(registered)
        return registered.spec

    def _judge_of(self, value: Any) -> Any:
        if not callable(value) and not isinstance(value, Judge):
            return value
        # Imported here, so that `import evenhand` is quick.
        from evenhand._judge_threads import JudgeThreads

        judge = as_judge(value)
        threads = JudgeThreads(judge)
        registered = _evenhand.register_python_judge(
            f"python:{judge.name}",
            threads.submit,
            under_way=2 * judge.together * judge.concurrency,
            together=judge.together * judge.concurrency,
            timeout=judge.timeout,
        )
        self._judges.append((registered, threads))
        return registered.spec

    def paths_of(self, name: str, value: Any) -> list[Any]:
        """Return the path of each input of a setting; what is in memory gets a name."""
        if isinstance(value, (str, bytes, os.PathLike)):
            return [value]
        if isinstance(value, Data):
            value = value.by_name()
        if is_table(value):
            return [self._keep_table(name, value)]
        if isinstance(value, Mapping):
            paths = (self.paths_of(f"{name}[{key!r}]", one) for key, one in value.items())
            return [path for found in paths for path in found]
        if not isinstance(value, Iterable):
            raise InputError(f"{name}=: expected a path, a table or records, found {_named(value)}")
        return self._paths_of_many(name, list(value))

    def _paths_of_many(self, name: str, values: list[Any]) -> list[Any]:
        if values and all(isinstance(one, Mapping) for one in values):
            return [self._keep_records(name, values)]
        paths = (self.paths_of(f"{name}[{at}]", one) for at, one in enumerate(values))
        return [path for found in paths for path in found]

    def _keep_table(self, name: str, table: Any) -> str:
        try:
            stream = table.__arrow_c_stream__()
        except ImportError:
            # pandas speaks Arrow by pyarrow, which it does not require.
            if not hasattr(table, "to_json"):
                raise
            lines = table.to_json(orient="records", lines=True, date_format="iso")
            return self._keep(_evenhand.keep_text(name, lines.encode()))
        return self._keep(_evenhand.keep_table(name, stream))

    def _keep_records(self, name: str, records: list[Any]) -> str:
        try:
            lines = [json.dumps(record, ensure_ascii=False) for record in records]
            text = "\n".join(lines).encode()
        except (TypeError, ValueError) as error:
            raise InputError(f"{name}=: the records cannot be written as JSON: {error}") from error
        return self._keep(_evenhand.keep_text(name, text))

    def _keep(self, kept: _evenhand.Kept) -> str:
        self._kept.append(kept)
        return kept.path


def plain_values(value: Any) -> list[Any]:
    """Return one value or several as a list; a mapping is one, as the command line writes it."""
    if isinstance(value, Mapping):
        return [",".join(f"{key}={one}" for key, one in value.items())]
    if isinstance(value, (str, bytes, os.PathLike)) or not isinstance(value, Iterable):
        return [value]
    return list(value)


def is_table(value: Any) -> bool:
    """Whether a value is a table of a library that speaks Arrow."""
    return hasattr(value, "__arrow_c_stream__")


def _named(value: Any) -> str:
    return type(value).__name__
