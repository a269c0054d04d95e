"""What the calls return. Every result has the command's forms: ``.json()``, ``.csv()``, ``.table``."""

from __future__ import annotations

import csv
import html
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil, inf, isfinite, isinf
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar, TypeVar, overload

from evenhand import _evenhand
from evenhand._call import Ended, cell_of_caller, notebook_cell, shows_warning, warn_of
from evenhand._wording import did_you_mean
from evenhand.errors import EvenhandError
from evenhand.store import Judgment, Run, win_shares


Default = TypeVar("Default")


class Table:
    """Rows that any library that speaks Arrow takes. Columns are there, and have their types, whatever
    the rows hold and where there are none.
    """

    #: Columns with the type of each: ``text``, ``integer``, ``number``, ``boolean``, or an empty one
    #: where the values tell.
    COLUMNS: ClassVar[Mapping[str, str]] = {}

    def to_rows(self) -> list[dict[str, Any]]:
        """Return the rows, each with the same keys and with plain values."""
        raise NotImplementedError

    def _columns(self) -> Mapping[str, str]:
        """The columns of this table: a call may have asked for more than every table has."""
        return self.COLUMNS

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return the rows as a stream of Arrow's C interface."""
        return _evenhand.stream_rows(self.to_rows(), list(self._columns().items()))

    def to_pandas(self) -> Any:
        """Return a DataFrame of pandas; whole numbers that may be missing are ``Int64``."""
        import pandas

        rows, columns = self.to_rows(), self._columns()
        names = dict.fromkeys([*columns, *(name for row in rows for name in row)])
        frame = pandas.DataFrame(rows, columns=list(names))
        types = {name: _PANDAS[kind] for name, kind in columns.items() if kind in _PANDAS}
        if int(pandas.__version__.partition(".")[0]) < 3:
            # There "str" writes a missing text as "None".
            types = {name: kind for name, kind in types.items() if kind != "str"}
        return frame.astype(types)

    def to_polars(self) -> Any:
        """Return a DataFrame of polars."""
        import polars

        return polars.DataFrame(self)


_PANDAS = {"text": "str", "integer": "Int64", "number": "float64", "boolean": "boolean"}


class Report:
    """A result, with the keys of the command's JSON: ``report["accuracy"]``."""

    def __init__(self, ended: Ended) -> None:
        self._ended = ended
        self._dict: dict[str, Any] | list[Any] | None = None
        if not ended.settings.get("quiet"):
            ended.warned_in = cell_of_caller()
            warn_of(text for text in self.warnings if text not in ended.warned_of)

    def json(self) -> str:
        """Return the JSON that the command prints."""
        return self._ended.data

    def csv(self) -> str:
        """Return the CSV that the command prints.

        Raises:
            ValueError: the command has no CSV.
        """
        if self._ended.csv is None:
            raise ValueError("this command prints no CSV")
        return self._ended.csv

    @property
    def table(self) -> str:
        """The table that the command prints."""
        return self._ended.table if self._ended.table is not None else self._ended.data

    def to_dict(self) -> Any:
        """Return the JSON as Python's own objects."""
        if self._dict is None:
            self._dict = json.loads(self._ended.data)
        return self._dict

    @property
    def answer(self) -> str | None:
        """The answer in a sentence; None where the command gives none."""
        found = self.to_dict()
        answer = found.get("answer") if isinstance(found, dict) else None
        return answer.get("text") if isinstance(answer, dict) else answer

    @property
    def warnings(self) -> list[str]:
        """What a reader of the result should know: the command's warnings, then those on judges of
        the caller's own.
        """
        found = self.to_dict()
        said = found.get("warnings", []) if isinstance(found, dict) else []
        return [*said, *self._ended.warnings]

    @property
    def notes(self) -> list[str]:
        """What the command said while it ran."""
        return list(self._ended.notes)

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of the call, as it gave them; of tables and records in memory, only what they
        are.
        """
        return dict(self._ended.settings)

    @property
    def condition(self) -> str | None:
        """The condition of ``fail_if=`` that is met; None where none is."""
        return self._ended.condition

    @property
    def run_directory(self) -> Path | None:
        """Where the run is kept; None where there is no run."""
        return None if self._ended.run is None else Path(self._ended.run)

    def __getitem__(self, key: Any) -> Any:
        return _found(self.to_dict(), key)

    def __eq__(self, other: object) -> bool:
        """Whether both say the same; the seconds that they took are no part of it."""
        if not isinstance(other, Report) or type(other) is not type(self):
            return NotImplemented
        return bool(_without_seconds(self.to_dict()) == _without_seconds(other.to_dict()))

    def __hash__(self) -> int:
        return hash((type(self), json.dumps(_without_seconds(self.to_dict()), sort_keys=True)))

    def __contains__(self, key: object) -> bool:
        """Whether the report has this key."""
        return key in self.to_dict()

    def __repr__(self) -> str:
        return self.table.rstrip("\n")

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.table)}</pre>"


def _found(found: Any, key: Any, names: Iterable[str] = ()) -> Any:
    """Return what has this key. An error says which key, or which of the names beside the keys, is
    spelt nearly so.
    """
    try:
        return found[key]
    except KeyError:
        close = did_you_mean(key, [*names, *found]) if isinstance(key, str) else ""
        raise KeyError(f"{key}{close}" if close else key) from None


def _without_seconds(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_seconds(one) for key, one in value.items() if key != "seconds"}
    return [_without_seconds(one) for one in value] if isinstance(value, list) else value


@dataclass(frozen=True)
class Row:
    """A system's place in a ranking."""

    system: str
    #: On the scale of the ranking: infinite where the system won, or lost, everything; None where it is
    #: undefined.
    score: float | None
    #: The interval of the score, infinite at an open end; None where there is none.
    interval: tuple[float, float] | None
    rank: int | None
    #: The ranks that the data do not rule out.
    rank_interval: tuple[int, int] | None
    #: Judgments that the system is part of.
    n: int

    def to_dict(self) -> dict[str, Any]:
        """Return the row with plain values: intervals as two of them."""
        low, high = self.interval or (None, None)
        rank_low, rank_high = self.rank_interval or (None, None)
        return {
            "system": self.system,
            "score": self.score,
            "ci_low": low,
            "ci_high": high,
            "rank": self.rank,
            "rank_low": rank_low,
            "rank_high": rank_high,
            "n": self.n,
        }


@dataclass(frozen=True)
class Difference:
    """How far one system is ahead of another."""

    a: str
    b: str
    difference: float | None
    interval: tuple[float, float] | None
    p: float | None
    #: Adjusted for all pairs.
    p_adjusted: float | None
    #: Whether p is only known to be at most this, which more rounds would make smaller.
    p_is_bound: bool
    #: Whether the adjusted p is.
    p_adjusted_is_bound: bool = False


def _interval(ends: Sequence[float | None] | None) -> tuple[float, float] | None:
    if ends is None:
        return None
    low, high = ends
    return (-inf if low is None else low, inf if high is None else high)


def _difference(row: Mapping[str, Any]) -> Difference:
    interval = row.get("ci")
    return Difference(
        a=row["a"],
        b=row["b"],
        difference=row.get("difference"),
        interval=_interval(interval),
        p=row.get("p"),
        p_adjusted=row.get("p_adjusted"),
        p_is_bound=bool(row.get("p_is_bound", False)),
        p_adjusted_is_bound=bool(row.get("p_adjusted_is_bound", False)),
    )


#: What a call does once: it writes files, ends by conditions, and shows how far it is.
_ONCE = ("report", "figure", "fail_if", "min_coverage")
#: Those who answer beside the judge; a recorded run does not stand for them.
_OTHER_JUDGES = ("second_stage", "embedder")
#: What says how much a judge is asked.
_LIMITS = ("reuse", "retry", "max_calls", "max_cost", "deadline")


#: The columns of a ranking with slices, behind the others.
_SLICED = {
    "slice": "text", "n_items": "integer", "deviation": "number", "pooled": "number",
    "p_adjusted": "number",
}  # fmt: skip


class Ranking(Report, Table):
    """Systems in the order of their ranks."""

    COLUMNS = {
        "system": "text", "score": "number", "ci_low": "number", "ci_high": "number",
        "rank": "integer", "rank_low": "integer", "rank_high": "integer", "n": "integer",
    }  # fmt: skip

    @cached_property
    def rows(self) -> list[Row]:
        """The systems in rank order."""
        return [_row(row) for row in self.to_dict()["ranking"]]

    def _columns(self) -> Mapping[str, str]:
        has_slices = self.to_dict().get("interaction") is not None
        return {**self.COLUMNS, **_SLICED} if has_slices else self.COLUMNS

    def to_rows(self) -> list[dict[str, Any]]:
        """Return the systems in rank order. A score without a bound, or the open end of an interval, is
        infinite.

        With ``by=``, the rows of each slice follow, and all have the columns that the command's CSV has
        for slices; those of the whole ranking have None there.
        """
        whole = [row.to_dict() for row in self.rows]
        interaction = self.to_dict().get("interaction")
        if interaction is None:
            return whole
        found = {(one["system"], one["value"]): one for one in interaction.get("deviations") or []}
        rows = [{**row, **dict.fromkeys(_SLICED)} for row in whole]
        for piece in self.to_dict().get("slices") or []:
            for row in map(_row, piece.get("ranking") or []):
                apart = found.get((row.system, piece["value"]), {})
                own = {name: apart.get(name) for name in _SLICED}
                rows.append({**row.to_dict(), **own, "slice": piece["value"], "n_items": piece["n_items"]})
        return rows

    @property
    def scores(self) -> dict[str, float | None]:
        """The score of each system, in rank order: infinite where it won, or lost, everything; None where
        it is undefined.
        """
        return {row.system: row.score for row in self.rows}

    @property
    def systems(self) -> list[str]:
        """The systems in rank order."""
        return [row.system for row in self.rows]

    @overload
    def __getitem__(self, key: int) -> Row: ...
    @overload
    def __getitem__(self, key: str) -> Any: ...
    def __getitem__(self, key: str | int) -> Any:
        """Return a system's row, by its name or its place from 0, or a key of the JSON where no system
        has that name.
        """
        if isinstance(key, int):
            return self.rows[key]
        for row in self.rows:
            if row.system == key:
                return row
        return _found(self.to_dict(), key, self.systems)

    def __contains__(self, system: object) -> bool:
        """Whether a system of this name is ranked; a row is asked for by itself."""
        return system in self.rows or any(row.system == system for row in self.rows)

    def get(self, system: str, default: Default | None = None) -> Row | Default | None:
        """Return a system's row, or ``default`` where there is none."""
        return next((row for row in self.rows if row.system == system), default)

    def keys(self) -> list[str]:
        """Return the systems in rank order: ``dict(ranking)`` has the row of each."""
        return self.systems

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def slices(self) -> dict[str, list[Row]]:
        """The ranking of each value of ``by=``, in the order of the command; empty without ``by=``."""
        found = self.to_dict().get("slices") or []
        return {piece["value"]: [_row(row) for row in piece.get("ranking") or []] for piece in found}

    def differences(self) -> list[Difference]:
        """Return the difference of every two systems, with its interval and adjusted p-value.

        Where the call did not ask for them (``differences=True``), the same ranking is made again with
        them, of the data that it was made of; nothing is judged again.

        Raises:
            EvenhandError: the data or the run are no longer those that were ranked, such as a file
                that has changed.
        """
        found = self.to_dict().get("differences")
        if found is None:
            found = self._fitted_differences
        return [_difference(row) for row in found]

    @cached_property
    def _fitted_differences(self) -> list[Any]:
        ask_for_them = "call again with differences=True"
        if self._ended.repeat is None:
            raise EvenhandError(f"the data of this ranking are no longer here; {ask_for_them}")
        if self._ended.settings.get("update") is not None:
            raise EvenhandError(
                f"the board of update= holds these battles by now; {ask_for_them} in the next update"
            )
        changed: dict[str, Any] = {"differences": True, **dict.fromkeys(_ONCE)}
        run, replay = self.run_directory, self._ended.repeat
        with TemporaryDirectory() as folder:
            if run is not None:
                # What has no reply in the run is not asked, nor paid for, now.
                changed |= dict.fromkeys(_LIMITS)
                if any(self._ended.settings.get(name) is not None for name in _OTHER_JUDGES):
                    # It has made more calls than this one already.
                    changed |= {"run": run, "max_calls": 1}
                else:
                    changed |= {"judge": f"recorded:{run}", "run": f"{folder}/run", "no_reuse": True}
            try:
                again = json.loads(replay(changed).data)
            except EvenhandError as error:
                raise EvenhandError(f"they cannot be made of what is kept: {error}; {ask_for_them}") from error
        if again["ranking"] != self.to_dict()["ranking"]:
            raise EvenhandError(
                f"the data have changed since this ranking was made, and its differences would be of "
                f"other data; {ask_for_them}"
            )
        return list(again["differences"])

    def matrix(self) -> dict[str, dict[str, float]]:
        """Return the share of judgments that each system won against each other one, ties half, from
        the judgments of the run; pairs that never met are left out.

        Raises:
            ValueError: a leaderboard has no run.
        """
        return win_shares(self.run)

    def plot(self, ax: Any = None) -> Any:
        """Draw scores with their intervals by matplotlib, and return its axes.

        A bar goes to the edge where an end of the interval is open; an arrow stands at the edge for a
        system that won, or lost, everything and has no finite score.

        Args:
            ax: the axes to draw on; by default new ones.
        """
        rows = [(row.system, row.score, row.interval) for row in self.rows]
        return _draw_intervals(rows, self.to_dict()["unit"], ax)

    @property
    def usage(self) -> dict[str, Any]:
        """Calls, tokens and cost of the run."""
        return dict(self.to_dict().get("usage") or {})

    @property
    def consistency(self) -> dict[str, Any] | None:
        """How often both orders of a pair agree, with its interval."""
        found = self.to_dict().get("consistency")
        return None if found is None else dict(found)

    @property
    def failures(self) -> dict[str, int]:
        """How many trials came to no verdict, by kind."""
        return dict(self.to_dict()["coverage"]["failures"])

    @property
    def run(self) -> Run:
        """The run that is kept: its judgments in full.

        Raises:
            ValueError: a leaderboard has no run.
        """
        if self.run_directory is None:
            raise ValueError("this ranking has no run: its judgments are those of the files")
        return Run(self.run_directory)

    @property
    def judgments(self) -> list[Judgment]:
        """Every judgment of the run."""
        return list(self.run)

    def judgment(self, trial: int) -> Judgment:
        """Return the judgment of a trial: its prompts, its replies, its looks."""
        return self.run[trial]

    def _repr_html_(self) -> str:
        found = self.to_dict()
        answer = found.get("answer") or {}
        parts = [f"<p><b>{html.escape(answer['text'])}.</b></p>"] if answer else []
        # What the answer says is not said again.
        kinds = dict(zip(found.get("warnings", []), found.get("warning_kinds", []), strict=False))
        unsaid = [text for text in self.warnings if kinds.get(text) not in answer.get("says", [])]
        # Nor what stands as a warning under the same cell.
        if self._ended.warned_in is not None and self._ended.warned_in == notebook_cell():
            unsaid = [text for text in unsaid if not shows_warning(text)]
        unsaid += [f"{row['system']}: {row['note']}" for row in found["ranking"] if row.get("note")]
        if unsaid:
            parts.append("<ul>" + "".join(f"<li>{html.escape(text)}</li>" for text in unsaid) + "</ul>")
        parts.append(_html_rows(_caption(found), self.rows))
        for piece in found.get("slices") or []:
            caption = f"{self._sliced_by(found)} = {piece['value']} ({_size_of(piece)})"
            parts.append(_html_rows(caption, [_row(row) for row in piece.get("ranking") or []]))
        if (found.get("interaction") or {}).get("summary"):
            parts.append(f"<p>{html.escape(found['interaction']['summary'])}</p>")
        if found.get("differences"):
            heads = ("system", "ahead of", "by", "interval", "p", "p of all pairs")
            cells = [
                (
                    one.a,
                    one.b,
                    _shown(one.difference),
                    _between(one.interval),
                    _p_shown(one.p, one.p_is_bound),
                    _p_shown(one.p_adjusted, one.p_adjusted_is_bound),
                )
                for one in map(_difference, found["differences"])
            ]
            parts.append(_html_table("differences", heads, cells))
        parts.append(f"<details><summary>in full</summary><pre>{html.escape(self.table)}</pre></details>")
        return "".join(parts)

    def _sliced_by(self, found: Mapping[str, Any]) -> str:
        return str((found.get("interaction") or {}).get("field") or self.settings.get("by") or "slice")


def _size_of(piece: Mapping[str, Any]) -> str:
    """Say how many items a slice has, and what is to be known of it, as the command does."""
    items, questions = piece["n_items"], piece.get("n_questions", piece["n_items"])
    said = "1 item" if items == 1 else f"{items} items"
    if questions != items:
        said += f" of {questions} question{'' if questions == 1 else 's'}"
    if piece.get("too_small"):
        said += "; too small: intervals are too narrow"
    return f"{said}; {piece['note']}" if piece.get("note") else said


def _caption(found: Mapping[str, Any]) -> str:
    """Say what the numbers of a ranking are, and of how many judgments."""
    coverage, intervals = found["coverage"], found.get("ci") or {}
    said = [f"{found['unit']} by {found['aggregation']}"]
    if intervals.get("method") and intervals.get("level"):
        said.append(f"{100 * intervals['level']:g} % intervals ({intervals['method']})")
    said.append(f"{coverage['verdicts']} of {coverage['trials']} trials have a verdict")
    if coverage["failures"]:
        listed = ", ".join(f"{count} {kind}" for kind, count in coverage["failures"].items())
        said.append(f"failures: {listed}")
    return "; ".join(said)


def _row(row: Mapping[str, Any]) -> Row:
    interval, ranks = row.get("ci"), row.get("rank_ci")
    return Row(
        system=row["system"],
        # JSON has no infinity: it says that the system won, or lost, everything.
        score=_INFINITE.get(row.get("no_score", ""), row["score"]),
        interval=_interval(interval),
        rank=row["rank"],
        rank_interval=None if ranks is None else (ranks[0], ranks[1]),
        n=row["n"],
    )


#: A score that has no number because a system won, or lost, everything.
_INFINITE = {"won-all": inf, "lost-all": -inf}


def _html_rows(caption: str, rows: Sequence[Row]) -> str:
    heads = ("rank", "system", "score", "interval", "ranks", "n")
    cells = [
        (
            _shown(row.rank),
            row.system,
            _shown(row.score),
            _between(row.interval),
            _between(row.rank_interval),
            str(row.n),
        )
        for row in rows
    ]
    return _html_table(caption, heads, cells)


def _html_table(caption: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f"<th>{html.escape(name)}</th>" for name in heads)
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return (
        f"<table><caption>{html.escape(caption)}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table>"
    )


def _shown(value: float | None) -> str:
    """Show a number to three digits; the whole part, as of Elo points, is never cut."""
    if value is None:
        return "–"
    if isinf(value):
        return f"{value:+}"
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _p_shown(p: float | None, is_bound: bool = False) -> str:
    """Write a p-value as the command does (crates/core/src/p_value.rs): never as 0."""
    if p is None:
        return "–"
    if p < 0.001:
        return "< 0.001"
    return f"at most {ceil(p * 1000 - 1e-9) / 1000:.3f}" if is_bound else f"{p:.3f}"


def _between(interval: tuple[float, float] | None) -> str:
    return "–" if interval is None else f"{_shown(interval[0])} to {_shown(interval[1])}"


def _in_percent(value: float | None, share: bool) -> str:
    """Show a mean as the answer does: a share in per cent."""
    return f"{100 * value:.1f} %" if share and value is not None else _shown(value)


def _in_points(value: float | None, share: bool) -> str:
    """Show a difference with its sign, of shares in points."""
    if value is None or isinf(value):
        return _shown(value)
    return f"{100 * value + 0.0:+.1f} points" if share else f"{value:+.3g}"


def _between_points(interval: tuple[float, float] | None, share: bool) -> str:
    """Show the interval of a difference, of shares in points."""
    if interval is None or not share:
        return _between(interval)
    low, high = (f"{100 * end + 0.0:.1f}" if isfinite(end) else _shown(end) for end in interval)
    return f"{low} to {high}"


def _draw_intervals(
    rows: Iterable[tuple[str, float | None, tuple[float, float] | None]], unit: str, ax: Any
) -> Any:
    """Draw values with their intervals, the first on top."""
    from matplotlib import pyplot

    axes = ax if ax is not None else pyplot.subplots()[1]
    drawn = list(reversed(list(rows)))
    for place, (_, value, interval) in enumerate(drawn):
        if value is not None and isfinite(value):
            axes.plot([value], [place], "o", color="black")
        # The finite ends decide how wide the axes are.
        ends = [end for end in interval or () if isfinite(end)]
        axes.plot(ends, [place] * len(ends), "-", color="black")
    low, high = axes.get_xlim()
    for place, (_, value, interval) in enumerate(drawn):
        if value is not None and not isfinite(value):
            at, mark = (high, ">") if value > 0 else (low, "<")
            axes.plot([at], [place], mark, color="black", clip_on=False)
        # A bar to the edge where an end is open: without one the value would look certain.
        if interval is not None and not all(map(isfinite, interval)):
            axes.plot([max(low, interval[0]), min(high, interval[1])], [place, place], "-", color="black")
    axes.set_xlim(low, high)
    axes.set_ylim(-0.5, len(drawn) - 0.5)
    axes.set_yticks(range(len(drawn)), [name for name, *_ in drawn])
    axes.set_xlabel(unit)
    return axes


class Figures(Report, Table):
    """Figures that the command has as CSV too: a table with these rows and columns."""

    @cached_property
    def _cells(self) -> tuple[list[str], list[list[str]]]:
        header, *rows = csv.reader(io.StringIO(self.csv()))
        return header, rows

    @cached_property
    def _kinds(self) -> dict[str, str]:
        header, rows = self._cells
        columns = (
            [cell for cell in column if cell]
            for column in (zip(*rows, strict=True) if rows else ([] for _ in header))
        )
        return {name: _kind_of(cells) for name, cells in zip(header, columns, strict=True)}

    def _columns(self) -> Mapping[str, str]:
        return self._kinds

    def to_rows(self) -> list[dict[str, Any]]:
        """Return the rows of the CSV, with numbers as numbers; an empty cell is None."""
        header, rows = self._cells
        kinds = [_VALUES[self._kinds[name]] for name in header]
        return [
            {name: read(cell) if cell else None for name, read, cell in zip(header, kinds, row, strict=True)}
            for row in rows
        ]


#: How a cell of CSV is read.
_VALUES: dict[str, Any] = {"integer": int, "number": float, "boolean": "true".__eq__, "text": str}


def _kind_of(cells: Iterable[str]) -> str:
    """Return the type of a column of CSV: a column without a value is one of figures."""
    kinds = set()
    for cell in cells:
        if cell in ("true", "false"):
            kinds.add("boolean")
        elif re.fullmatch(r"-?[0-9]{1,18}", cell):
            kinds.add("integer")
        elif re.fullmatch(r"-?[0-9]+(\.[0-9]+)?(e-?[0-9]+)?", cell):
            kinds.add("number")
        else:
            kinds.add("text")
    if kinds <= {"integer", "number"}:
        return "integer" if kinds == {"integer"} else "number"
    return kinds.pop() if len(kinds) == 1 else "text"


class Lines(Report, Table):
    """One record for each line of JSON that the command prints."""

    def to_dict(self) -> list[Any]:
        """Return the records."""
        if self._dict is None:
            self._dict = [json.loads(line) for line in self._ended.data.splitlines() if line]
        return self._dict  # type: ignore[return-value]

    def to_rows(self) -> list[dict[str, Any]]:
        """Return the records."""
        return self.to_dict()

    def __iter__(self) -> Iterator[Any]:
        return iter(self.to_dict())

    def __len__(self) -> int:
        return len(self.to_dict())

    @property
    def table(self) -> str:
        """What the command prints."""
        return self._ended.data


#: How many judgments a notebook shows, and how much of a text.
_SHOWN_ROWS, _SHOWN_TEXT = 100, 120


class Judgments(Lines):
    """Judgments, in the order of the plan."""

    COLUMNS = {
        "trial": "integer", "item": "text", "first": "text", "second": "text", "p_first": "number",
        "p_tie": "number", "p_second": "number", "score": "number", "failure": "text", "detail": "text",
        "replicate": "integer", "category": "text",
    }  # fmt: skip

    @property
    def run(self) -> Run:
        """The run that is kept: its judgments in full."""
        if self.run_directory is None:
            raise ValueError("these judgments have no run")
        return Run(self.run_directory)

    def csv(self) -> str:
        """Refuse: judgments have no CSV here.

        Raises:
            ValueError: always.
        """
        raise ValueError("the judgments have no .csv() here; use .to_pandas().to_csv(FILE)")

    def judgment(self, trial: int) -> Judgment:
        """Return the judgment of a trial: its prompts, its replies, its looks."""
        return self.run[trial]

    def _repr_html_(self) -> str:
        rows = self.to_dict()
        names = ("trial", "item", "first", "second", "p_first", "score", "failure", "instruction", "reply")
        heads = [name for name in names if any(row.get(name) is not None for row in rows)] or ["trial"]
        cells = [[_clipped(row.get(name)) for name in heads] for row in rows[:_SHOWN_ROWS]]
        left = f", of which the first {_SHOWN_ROWS} are here" if len(rows) > _SHOWN_ROWS else ""
        noun = "judgment" if len(rows) == 1 else "judgments"
        return _html_table(f"{len(rows)} {noun}{left}", heads, cells)


def _clipped(value: Any) -> str:
    if value is None or isinstance(value, (int, float)):
        return _shown(value)
    text = " ".join(str(value).split())
    return text if len(text) <= _SHOWN_TEXT else text[: _SHOWN_TEXT - 1] + "…"


@dataclass(frozen=True)
class Change:
    """What changed for a system, from the baseline of a comparison to the current side."""

    system: str
    baseline_system: str
    #: Such as ``worse``, or ``no difference found``.
    verdict: str
    before: float | None
    now: float | None
    difference: float | None
    interval: tuple[float, float] | None
    p: float | None
    #: Adjusted for all systems.
    p_adjusted: float | None
    items: int
    #: The answer as a sentence.
    answer: str


@dataclass(frozen=True)
class Gate:
    """A condition of ``fail_if=``, and what became of it."""

    condition: str
    outcome: str
    why: str
    #: How many more items would decide what is not decided.
    more_items: int | None


class Comparison(Report, Table):
    """Two sides, system by system."""

    COLUMNS = {
        "system": "text", "baseline_system": "text", "verdict": "text", "before": "number",
        "now": "number", "difference": "number", "ci_low": "number", "ci_high": "number",
        "p": "number", "p_adjusted": "number", "items": "integer",
    }  # fmt: skip

    @cached_property
    def rows(self) -> list[Change]:
        """What changed, for each system."""
        return [_change(row) for row in self.to_dict()["systems"]]

    @property
    def systems(self) -> list[str]:
        """The systems that are compared, by their names on the current side."""
        return [row.system for row in self.rows]

    @property
    def gates(self) -> list[Gate]:
        """The conditions of ``fail_if=``, and what became of each."""
        found = self.to_dict().get("gates") or []
        return [Gate(one["condition"], one["outcome"], one["why"], one.get("more_items")) for one in found]

    def get(self, system: str, default: Default | None = None) -> Change | Default | None:
        """Return what changed for a system, or ``default`` where it is not compared."""
        return next((row for row in self.rows if row.system == system), default)

    def keys(self) -> list[str]:
        """Return the systems: ``dict(comparison)`` has the change of each."""
        return self.systems

    def __getitem__(self, key: Any) -> Any:
        """Return what changed for a system, by its name or its place, or a key of the JSON."""
        if isinstance(key, int):
            return self.rows[key]
        found = self.get(key)
        return _found(self.to_dict(), key, self.systems) if found is None else found

    def __contains__(self, system: object) -> bool:
        """Whether a system of this name is compared."""
        return system in self.systems

    def __iter__(self) -> Iterator[Change]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def to_rows(self) -> list[dict[str, Any]]:
        """Return what changed for each system; the open end of an interval is infinite."""
        rows = []
        for row in self.rows:
            low, high = row.interval or (None, None)
            values = {**vars(row), "ci_low": low, "ci_high": high}
            rows.append({name: values[name] for name in self.COLUMNS})
        return rows

    def plot(self, ax: Any = None) -> Any:
        """Draw what changed for each system, with its interval, by matplotlib, and return its axes.

        The line is no change; right of it the later side is better. A bar goes to the edge where an end
        of the interval is open.

        Args:
            ax: the axes to draw on; by default new ones.
        """
        rows = []
        for row in self.rows:
            is_pair = row.system != row.baseline_system
            name = f"{row.system} against {row.baseline_system}" if is_pair else row.system
            rows.append((name, row.difference, row.interval))
        axes = _draw_intervals(rows, "difference: later less earlier", ax)
        axes.axvline(0, color="grey", linewidth=1)
        return axes

    def _repr_html_(self) -> str:
        before, now = "before", "now"
        # Two systems of one run have no before and after: each has its name.
        pair = self.to_dict()
        is_pair = pair.get("current") is None and len(self.rows) == 1
        if is_pair:
            before, now = self.rows[0].baseline_system, self.rows[0].system
        # Each judged against the other: what one does not win is the other's.
        is_share = is_pair and pair["systems"][0]["measure"] == "head-to-head"
        heads = ("system", "verdict", before, now, "difference", "interval", "p", "items")
        cells = []
        for row, found in zip(self.rows, pair["systems"], strict=True):
            # Where no answer changed and nothing is left but the judge's own change, nothing could differ.
            same = row.system == row.baseline_system and not found["items_changed"]
            if same and row.difference == 0 and row.interval in (None, (0, 0)):
                continue
            share = found["measure"] != "score"
            earlier = 1 - row.now if is_share and row.now is not None else row.before
            cells.append(
                (row.system, row.verdict, _in_percent(earlier, share), _in_percent(row.now, share),
                 _in_points(row.difference, share), _between_points(row.interval, share),
                 _p_shown(row.p), str(row.items))
            )  # fmt: skip
        answer = (pair.get("answer") or {}).get("text")
        answer = f"<p><b>{html.escape(answer)}.</b></p>" if answer else ""
        changed = _html_table("what changed", heads, cells) if cells else ""
        gates = [(one.condition, one.outcome, one.why) for one in self.gates]
        return (
            answer
            + changed
            + (_html_table("conditions", ("condition", "outcome", "why"), gates) if gates else "")
            + f"<details><summary>in full</summary><pre>{html.escape(self.table)}</pre></details>"
        )


def _change(row: Mapping[str, Any]) -> Change:
    change = row["change"]
    return Change(
        system=row["system"],
        baseline_system=row["baseline_system"],
        verdict=row["verdict"],
        before=row["before"],
        now=row["now"],
        difference=change["difference"],
        interval=_interval(change["ci"]),
        p=change["p"],
        p_adjusted=row["p_adjusted"],
        items=change["items"],
        answer=row["answer"],
    )


class Plan(Report, Table):
    """Designs that find a difference, the fewest calls first as the command lists them."""

    COLUMNS = {
        "items": "integer", "questions": "integer", "orders": "integer", "repeats": "integer",
        "judges": "integer", "judgments": "integer", "calls": "integer", "cost_usd": "number",
        "power": "number", "detectable": "number",
    }  # fmt: skip

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The designs, the best first."""
        return self.to_rows()

    def to_rows(self) -> list[dict[str, Any]]:
        """Return the designs."""
        return [{name: row.get(name) for name in self.COLUMNS} for row in self.to_dict()["designs"]]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.to_rows())

    def __len__(self) -> int:
        return len(self.to_rows())

    def _repr_html_(self) -> str:
        found = self.to_dict()
        cells = [[_shown(row[name]) for name in self.COLUMNS] for row in self]
        table = _html_table(f"{found['unit']}; power {found['power']:g}", list(self.COLUMNS), cells)
        sentence = html.escape(found["answer"]["text"] + ".")
        return (
            f"<p><b>{sentence}</b></p>{table}"
            f"<details><summary>in full</summary><pre>{html.escape(self.table)}</pre></details>"
        )
