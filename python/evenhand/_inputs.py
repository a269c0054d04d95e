"""Inputs that are no files: tables of any library that speaks Arrow, and lists of records."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable
from uuid import UUID

from evenhand import _evenhand
from evenhand._data import Data
from evenhand._values import (
    keyword,
    listed,
    shown,
    text_of,
    texts_of,
    write_fields,
    write_outcomes,
)
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
#: What stands for files: one input, several, or several by names of their own; or columns by name.
Sources = Source | Sequence[Source] | Mapping[str, Source] | Mapping[str, Iterable[Any]] | Data


#: The settings that name files of data, for which tables and records may stand.
DATA = frozenset({
    "data", "files", "gold", "instruction_difficulty", "item_weights", "labels",
    "length_control_weights", "names", "ratings", "recorded",
    "reference_answers", "reviewed", "rewritten",
})  # fmt: skip


#: Of these, the ones that take judgments, which a result that has a run stands for.
JUDGED = frozenset({"files", "labels", "recorded"})

#: The sides of a comparison: runs, or data that were judged already.
SIDES = frozenset({("compare", "baseline"), ("compare", "current")})


#: How the names of files of data end.
_ENDINGS = (".jsonl", ".json", ".csv", ".tsv", ".parquet", ".feather", ".arrow", ".gz", ".zst", ".eval")


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

    def texts_of(self, command: Mapping[str, Any], setting: Mapping[str, Any], value: Any) -> list[str]:
        """Return the values of a setting as the command line has them."""
        name = keyword(setting["name"])
        if name in DATA or (command["name"], name) in SIDES:
            self.kept[name] = []
            given = _judgments_of(value) if name in JUDGED else value
            paths = self.paths_of(name, _directory_of(name, given))
            if not paths and (setting["required"] or setting["positional"]):
                raise InputError(f"{name}=: expected a path, a table or records, found none")
            return self._as_texts(setting, paths)
        if name == "ranking":
            return self._benchers_of(setting, value)
        if isinstance(value, PythonProtocol):
            return [self._protocol_of(value)]
        if isinstance(value, Mapping) and name == "outcomes":
            return [write_outcomes(value)]
        if isinstance(value, Mapping) and name == "map":
            return [write_fields(value)]
        if name in JUDGES:
            self.kept[name] = []
            return self._as_texts(setting, [self._judge_of(name, one) for one in listed(value)])
        if setting["kind"] == "path":
            directory = _directory_of(name, value)
            if is_table(directory):
                raise InputError(f"{name}=: expected a path, found {shown(value)}")
            is_one = directory is not value or isinstance(value, Mapping)
            value = directory if is_one else [_directory_of(name, one) for one in listed(value)]
        return texts_of(setting, value)

    def _benchers_of(self, setting: Mapping[str, Any], value: Any) -> list[str]:
        """Write benchers: each a text as the command line has it, or what is in memory; a mapping
        names them.
        """
        # Imported here: results are of calls.
        from evenhand.results import Report

        # No result of a bencher is made again.
        self.kept["ranking"] = []
        if isinstance(value, Mapping) and not _is_columns(value):
            named = [(f"{text_of(setting, name)}=", one) for name, one in value.items()]
        elif isinstance(value, (list, tuple)) and not all(isinstance(one, Mapping) for one in value):
            named = [("", one) for one in value]
        else:
            named = [("", value)]
        texts = []
        for at, (name, one) in enumerate(named):
            place = "ranking" if len(named) == 1 else f"ranking[{at}]"
            paths = [self._ranking_of(place, one)] if isinstance(one, Report) else self.paths_of(place, one)
            texts.append(name + ",".join(text_of(setting, path) for path in paths))
        del self.kept["ranking"]
        return texts

    def _ranking_of(self, name: str, result: Any) -> Any:
        """Return the path of a ranking that a call made, or of the judgments that it lists."""
        # Imported here: results are of calls.
        from evenhand.results import Judgments, Ranking

        if isinstance(result, Ranking):
            return self._name(name, _evenhand.keep_text(result.json().encode()))
        if isinstance(result, Judgments):
            return self._keep_records(name, result.to_dict())
        raise InputError(
            f"{name}=: expected a ranking, a table of scores or judgments, found the {type(result).__name__} "
            "of another call"
        )

    def _as_texts(self, setting: Mapping[str, Any], values: list[Any]) -> list[str]:
        if len(values) > 1 and not setting["many"]:
            raise InputError(f"{keyword(setting['name'])}=: expected one value, found {len(values)}")
        return [text_of(setting, one) for one in values]

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
                f"judge {judge.name}: its replies are kept, but no other call can reuse them, not even "
                f"one that resumes this run: {why_once}. Name it, as in eh.Judge(function, "
                'name="first"), and change the name when the judge changes'
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
        if isinstance(value, Mapping) and _is_columns(value):
            return [self._keep_records(name, _records_of(name, value))]
        if isinstance(value, Mapping):
            paths = (self.paths_of(f"{name}[{key!r}]", one) for key, one in value.items())
            return [path for found in paths for path in found]
        if hasattr(value, "collect") and hasattr(value, "lazy"):
            raise InputError(f"{name}=: found {shown(value)}, which is not read yet; give .collect() of it")
        if hasattr(value, "dtype") or hasattr(value, "groups") or not isinstance(value, Iterable):
            # An array, a column or groups of rows: their rows have no names of columns.
            raise InputError(
                f"{name}=: expected a path, a table or records, found {shown(value)}{_remedy(value)}"
            )
        return self._paths_of_many(name, list(value))

    def _paths_of_many(self, name: str, values: list[Any]) -> list[Any]:
        if values and all(isinstance(one, Mapping) for one in values):
            return [self._keep_records(name, values)]
        if values and all(isinstance(one, (tuple, list)) for one in values) and not any(map(_is_data, values)):
            raise InputError(
                f"{name}[0]: expected a record such as {{\"model_a\": .., \"model_b\": .., \"winner\": ..}}, "
                f"found {shown(values[0])}: its values have no names"
            )
        paths = (self.paths_of(f"{name}[{at}]", one) for at, one in enumerate(values))
        return [path for found in paths for path in found]

    def _keep_table(self, name: str, table: Any) -> str:
        try:
            kept = _evenhand.keep_table(table.__arrow_c_stream__())
        except (ImportError, NotImplementedError, TypeError, ValueError) as error:
            # What polars hands out of a column without a value is not what Arrow says.
            if hasattr(table, "to_dicts"):
                return self._keep_records(name, table.to_dicts())
            # pandas speaks Arrow by pyarrow, which it does not require, and which takes no column of
            # texts and numbers, such as winners 1, 2 and "tie".
            if hasattr(table, "to_json") and hasattr(table, "columns"):
                return self._name(name, _evenhand.keep_text(_lines_of(name, table)))
            if isinstance(error, ImportError):
                raise
            raise InputError(
                f"{name}=: expected a path, a table or records, found {shown(table)}{_remedy(table)}"
            ) from error
        return self._name(name, kept)

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


def _lines_of(name: str, frame: Any) -> bytes:
    """Return the rows of a DataFrame of pandas as JSON lines."""
    try:
        lines: str = frame.to_json(orient="records", lines=True, date_format="iso")
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"{name}=: the table cannot be read: {error}") from error
    return lines.encode()


def _is_data(rows: Any) -> bool:
    """Whether a list holds records, tables or what may be paths."""
    return any(
        isinstance(one, (Mapping, os.PathLike)) or is_table(one) or (isinstance(one, str) and _is_path(one))
        for one in rows
    )


def _is_path(text: str) -> bool:
    return text.endswith(_ENDINGS) or os.sep in text or os.path.exists(text)


def _is_columns(value: Mapping[Any, Any]) -> bool:
    """Whether a mapping has the columns of one table: lists of plain values under their names."""
    return bool(value) and all(_is_column(one) for one in value.values()) and not all(
        isinstance(one, (list, tuple)) and _is_data(one) for one in value.values()
    )


def _is_column(value: Any) -> bool:
    if hasattr(value, "dtype") and getattr(value, "ndim", 1) == 1:
        return True
    return isinstance(value, (list, tuple)) and not any(isinstance(one, Mapping) for one in value)


def _records_of(name: str, columns: Mapping[Any, Any]) -> list[dict[str, Any]]:
    lengths = {str(column): len(values) for column, values in columns.items()}
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{column} {length}" for column, length in lengths.items())
        raise InputError(f"{name}=: expected columns of one length, found {told}")
    rows = zip(*columns.values(), strict=True)
    return [dict(zip(lengths, row, strict=True)) for row in rows]


def _remedy(value: Any) -> str:
    if hasattr(value, "groups"):
        return "; give the table that was grouped, and by= the column"
    if getattr(getattr(value, "dtype", None), "names", None):
        return "; give pandas.DataFrame(array)"
    if hasattr(value, "dtype"):
        return ", which is no table: give the DataFrame with its columns"
    return ""


def _as_json(value: Any) -> Any:
    """Return a value of another library as JSON has it, and a date as text, as in a DataFrame."""
    if type(value).__module__ == "numpy":
        return value.item() if getattr(value, "ndim", None) == 0 else value.tolist()
    if type(value).__name__ in ("NAType", "NaTType"):
        return None
    if isinstance(value, (date, time)):
        return value.isoformat()
    if isinstance(value, (Decimal, Fraction)):
        return float(value)
    if isinstance(value, (UUID, os.PathLike)):
        return str(value)
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=str)
    raise TypeError(f"found {type(value).__name__}")


def _is_json(value: Any) -> bool:
    try:
        json.dumps(value, ensure_ascii=False, default=_as_json).encode()
    except (TypeError, ValueError):
        return False
    return True


def _judgments_of(value: Any) -> Any:
    """Return the records of a result's judgments, and anything else as it is."""
    # Imported here: results are of calls.
    from evenhand import judgments
    from evenhand.results import Judgments, Report

    if isinstance(value, Report) and not isinstance(value, Judgments) and value.run_directory is not None:
        value = judgments(value.run_directory)
    return value.to_dict() if isinstance(value, Judgments) else value


def _directory_of(name: str, value: Any) -> Any:
    """Return the directory of the run that a result has, and anything else as it is."""
    # Imported here: results are of calls.
    from evenhand.results import Report

    if not isinstance(value, Report):
        return value
    directory = value.run_directory
    if directory is None:
        raise InputError(
            f"{name}=: this {type(value).__name__} has no run; give the data that it was made of, or the "
            "result of a call that judged"
        )
    return directory


def is_table(value: Any) -> bool:
    """Whether a value is a table of a library that speaks Arrow."""
    return hasattr(value, "__arrow_c_stream__")
