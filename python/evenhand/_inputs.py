"""Inputs that are no files: tables of any library that speaks Arrow, and lists of records."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time
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


@dataclass(frozen=True)
class KeptInput:
    """An input as it was when it was given, and the name that stands for its path."""

    name: str
    kept: _evenhand.Kept


class Inputs:
    """The inputs of one call that are in memory, under the names that stand for their paths."""

    def __init__(self) -> None:
        self._named: list[_evenhand.Named] = []
        self._protocols: list[_evenhand.RegisteredProtocol] = []
        self._judges: list[tuple[_evenhand.RegisteredJudge, JudgeThreads, str]] = []
        self._raised: list[BaseException] = []
        #: What the caller should know of its judges before they are asked.
        self.warnings: list[str] = []
        #: The settings whose values were in memory, with what is to be given to make the same call
        #: again whatever becomes of these.
        self.kept: dict[str, Any] = {}

    def values_of(self, setting: Mapping[str, Any], name: str, value: Any) -> list[Any]:
        """Return the values of a setting as the command line has them."""
        if name in DATA:
            self.kept[name] = []
            paths = self.paths_of(name, value)
            if not paths and (setting["required"] or setting["positional"]):
                raise InputError(f"{name}=: expected a path, a table or records, found none")
            return paths
        if isinstance(value, PythonProtocol):
            return [self._protocol_of(value)]
        if isinstance(value, Mapping) and name == "outcomes":
            # A word may be any cell of a file: the whole part is in quotes where one needs them.
            parts = [f"{_spell(word)}={outcome}" for word, outcome in value.items()]
            return [",".join(quote(part) for part in parts)]
        if isinstance(value, Mapping) and name == "map":
            return [",".join(f"{term}={quote(str(field))}" for term, field in value.items())]
        if name in JUDGES:
            self.kept[name] = []
            return [self._judge_of(name, one) for one in plain_values(value)]
        return plain_values(value)

    @property
    def interruption(self) -> BaseException | None:
        """What a judge or a protocol raised that is to end the call."""
        raised = [*self._raised, *(threads.interruption for _, threads, _ in self._judges)]
        return next((error for error in raised if error is not None), None)

    def interrupt(self, error: BaseException) -> None:
        """End the call, which raises this error when the run has stopped."""
        self._raised.append(error)

    @property
    def judge_error(self) -> BaseException | None:
        """What a judge raised first, if any did."""
        raised = (threads.first_error for _, threads, _ in self._judges)
        return next((error for error in raised if error is not None), None)

    def abandon(self) -> None:
        """Drop what judges are asked and have not answered."""
        for _, threads, _ in self._judges:
            threads.abandon()

    def silent_judges(self) -> list[str]:
        """List the identities of the judges that were asked nothing."""
        return [identity for _, threads, identity in self._judges if not threads.asked]

    def close(self) -> None:
        """Let the judges' threads end, and forget what the call brought."""
        for _, threads, identity in self._judges:
            threads.close()
            threads.judge.leave(identity)
        self._protocols.clear()
        self._named.clear()

    def _protocol_of(self, protocol: PythonProtocol) -> str:
        registered = protocol.register(self.interrupt)
        self._protocols.append(registered)
        return registered.spec

    def _judge_of(self, name: str, value: Any) -> Any:
        if not callable(value) and not isinstance(value, Judge):
            self.kept[name].append(value)
            return value
        # Imported here, so that `import evenhand` is quick.
        from evenhand._judge_threads import JudgeThreads

        judge = as_judge(value)
        identity, why_once = judge.identify()
        if why_once is not None:
            self.warnings.append(
                f"judge {judge.name}: its replies are kept, and no other call uses them again, also "
                f"not one that goes on with this run: {why_once}. Name it, as in eh.Judge(function, "
                'name="first"), and change the name when it becomes another judge'
            )
        threads = JudgeThreads(judge, lambda: self.interruption is not None)
        registered = _evenhand.register_python_judge(
            identity,
            threads.submit,
            threads.recall,
            under_way=2 * judge.together * judge.concurrency,
            together=judge.together * judge.concurrency,
            timeout=judge.timeout,
        )
        self._judges.append((registered, threads, identity))
        self.kept[name].append(judge.named(identity))
        return registered.spec

    def paths_of(self, name: str, value: Any) -> list[Any]:
        """Return the path of each input of a setting; what is in memory gets a name."""
        if isinstance(value, (str, bytes, os.PathLike)):
            self._keep_for_again(name, value)
            return [value]
        if isinstance(value, KeptInput):
            return [self._name(value.name, value.kept)]
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
            return self._name(name, _evenhand.keep_text(lines.encode()))
        return self._name(name, _evenhand.keep_table(stream))

    def _keep_records(self, name: str, records: list[Any]) -> str:
        lines = []
        for at, record in enumerate(records):
            try:
                lines.append(json.dumps(record, ensure_ascii=False, default=_as_json).encode())
            except (TypeError, ValueError) as error:
                field = next((key for key, value in record.items() if not _is_json(value)), None)
                raise InputError(
                    f"{name}[{at}], field {field!r}: it cannot be written as JSON: {error}"
                ) from error
        return self._name(name, _evenhand.keep_text(b"\n".join(lines)))

    def _name(self, name: str, kept: _evenhand.Kept) -> str:
        self._keep_for_again(name, KeptInput(name, kept))
        named = kept.named(name)
        self._named.append(named)
        return named.path

    def _keep_for_again(self, name: str, value: Any) -> None:
        # The name of one of several inputs is that of their setting with its place: `files[2]`.
        self.kept[name.partition("[")[0]].append(value)


def _as_json(value: Any) -> Any:
    """Return a number of numpy's as Python's, and a date as text, as in a DataFrame."""
    if type(value).__module__ == "numpy" and getattr(value, "ndim", None) == 0:
        return value.item()
    if isinstance(value, (date, time)):
        return value.isoformat()
    raise TypeError(f"found {type(value).__name__}")


def _is_json(value: Any) -> bool:
    try:
        json.dumps(value, ensure_ascii=False, default=_as_json).encode()
    except (TypeError, ValueError):
        return False
    return True


def plain_values(value: Any) -> list[Any]:
    """Return one value or several as a list; a mapping is one, as the command line writes it."""
    if isinstance(value, Mapping):
        return [",".join(f"{key}={one}" for key, one in value.items())]
    if isinstance(value, (str, bytes, os.PathLike)) or not isinstance(value, Iterable):
        return [value]
    return list(value)


def quote(name: str) -> str:
    """Write a name as a part of a list: in double quotes where it holds what parts a list."""
    if "," not in name and '"' not in name:
        return name
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def _spell(value: Any) -> str:
    """Write what is true or false as files of JSON do."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def is_table(value: Any) -> bool:
    """Whether a value is a table of a library that speaks Arrow."""
    return hasattr(value, "__arrow_c_stream__")


def _named(value: Any) -> str:
    return type(value).__name__
