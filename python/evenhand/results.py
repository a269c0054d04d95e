"""What the calls return. Every result has the command's forms: ``.json()``, ``.csv()``, ``.table``."""

from __future__ import annotations

import html
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf, isfinite
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from evenhand import _evenhand
from evenhand._call import Ended, warn_of
from evenhand.errors import EvenhandError
from evenhand.store import Judgment, Run, win_shares


class Table:
    """Rows that any library that speaks Arrow takes."""

    def to_rows(self) -> list[dict[str, Any]]:
        """Return the rows, each with the same keys and with plain values."""
        raise NotImplementedError

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return the rows as a stream of Arrow's C interface."""
        return _evenhand.stream_rows(self.to_rows())

    def to_pandas(self) -> Any:
        """Return a DataFrame of pandas."""
        import pandas

        return pandas.DataFrame(self.to_rows())

    def to_polars(self) -> Any:
        """Return a DataFrame of polars."""
        import polars

        return polars.DataFrame(self)


class Report:
    """A result, with the keys of the command's JSON: ``report["accuracy"]``."""

    def __init__(self, ended: Ended) -> None:
        self._ended = ended
        self._dict: dict[str, Any] | list[Any] | None = None
        if not ended.settings.get("quiet"):
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
        return self.to_dict()[key]

    def __repr__(self) -> str:
        return self.table.rstrip("\n")

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.table)}</pre>"


@dataclass(frozen=True)
class Row:
    """A system's place in a ranking."""

    system: str
    #: On the scale of the ranking; None where it is undefined.
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
        low, high = (_finite(end) for end in self.interval or (inf, inf))
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


def _interval(ends: Sequence[float | None] | None) -> tuple[float, float] | None:
    if ends is None:
        return None
    low, high = ends
    return (-inf if low is None else low, inf if high is None else high)


def _finite(end: float) -> float | None:
    return end if isfinite(end) else None


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
    )


#: What a call does once: it writes files, ends by conditions, and shows how far it is.
_ONCE = ("report", "figure", "fail_if", "min_coverage")
#: Those who answer beside the judge; a recorded run does not stand for them.
_OTHER_JUDGES = ("second_stage", "embedder")
#: What says how much a judge is asked.
_LIMITS = ("reuse", "retry", "max_calls", "max_cost", "deadline")


class Ranking(Report, Table):
    """Systems in the order of their ranks."""

    @cached_property
    def rows(self) -> list[Row]:
        """The systems in rank order."""
        return [_row(row) for row in self.to_dict()["ranking"]]

    def to_rows(self) -> list[dict[str, Any]]:
        """Return the systems in rank order, with the columns of the CSV."""
        return [row.to_dict() for row in self.rows]

    @property
    def scores(self) -> dict[str, float | None]:
        """The score of each system, in rank order; None where it is undefined."""
        return {row.system: row.score for row in self.rows}

    @property
    def systems(self) -> list[str]:
        """The systems in rank order."""
        return [row.system for row in self.rows]

    def __getitem__(self, key: str | int) -> Any:
        """Return a system's row, by its name or its place from 0, or a key of the JSON where no system
        has that name.
        """
        if isinstance(key, int):
            return self.rows[key]
        for row in self.rows:
            if row.system == key:
                return row
        return self.to_dict()[key]

    def __contains__(self, system: object) -> bool:
        """Whether a system of this name is ranked; a row is asked for by itself."""
        return system in self.rows or any(row.system == system for row in self.rows)

    def get(self, system: str, default: Any = None) -> Any:
        """Return a system's row, or ``default`` where there is none."""
        return next((row for row in self.rows if row.system == system), default)

    def keys(self) -> list[str]:
        """Return the systems in rank order: ``dict(ranking)`` has the row of each."""
        return self.systems

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

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
            raise EvenhandError(f"the data of this ranking are not here any more; {ask_for_them}")
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

        Args:
            ax: the axes to draw on; by default new ones.
        """
        from matplotlib import pyplot

        axes = ax if ax is not None else pyplot.subplots()[1]
        for place, row in enumerate(reversed(self.rows)):
            if row.score is not None:
                axes.plot([row.score], [place], "o", color="black")
            if row.interval is not None:
                axes.plot(list(row.interval), [place, place], "-", color="black")
        axes.set_yticks(range(len(self)), [row.system for row in reversed(self.rows)])
        axes.set_xlabel(self.to_dict()["unit"])
        return axes

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
        given = {row["system"]: row for row in found["ranking"]}
        rows = "".join(_html_row(row, given[row.system]) for row in self.rows)
        answer = found.get("answer") or {}
        lead = f"<p><b>{html.escape(answer['text'])}.</b></p>" if answer else ""
        # What the answer says is not said again.
        kinds = dict(zip(found.get("warnings", []), found.get("warning_kinds", []), strict=False))
        unsaid = [text for text in self.warnings if kinds.get(text) not in answer.get("says", [])]
        warnings = "".join(f"<li>{html.escape(text)}</li>" for text in unsaid)
        heads = ("rank", "system", "score", "interval", "ranks", "n")
        head = "".join(f"<th>{name}</th>" for name in heads)
        listed = f"<ul>{warnings}</ul>" if warnings else ""
        coverage = found["coverage"]
        caption = f"{found['unit']}; {coverage['verdicts']} of {coverage['trials']} trials have a verdict"
        # What was asked for beside the ranking is shown at once, the rest of what the command says
        # when it is opened.
        is_open = " open" if found.get("slices") or found.get("differences") else ""
        return (
            f"{lead}{listed}<table><caption>{html.escape(caption)}</caption><thead><tr>{head}</tr></thead>"
            f"<tbody>{rows}</tbody></table>"
            f"<details{is_open}><summary>in full</summary><pre>{html.escape(self.table)}</pre></details>"
        )


def _row(row: Mapping[str, Any]) -> Row:
    interval, ranks = row.get("ci"), row.get("rank_ci")
    return Row(
        system=row["system"],
        score=row["score"],
        interval=_interval(interval),
        rank=row["rank"],
        rank_interval=None if ranks is None else (ranks[0], ranks[1]),
        n=row["n"],
    )


#: A score that has no number because a system won, or lost, everything.
_INFINITE = {"won-all": "+inf", "lost-all": "-inf"}


def _html_row(row: Row, given: Mapping[str, Any]) -> str:
    cells = (
        _shown(row.rank),
        html.escape(row.system),
        _INFINITE.get(given.get("no_score", ""), _shown(row.score)),
        _between(row.interval),
        _between(row.rank_interval),
        str(row.n),
    )
    return "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"


def _shown(value: float | None) -> str:
    return "–" if value is None else f"{value:.6g}"


def _between(interval: tuple[float, float] | None) -> str:
    return "–" if interval is None else f"{_shown(interval[0])} to {_shown(interval[1])}"


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


class Judgments(Lines):
    """Judgments, in the order of the plan."""

    @property
    def run(self) -> Run:
        """The run that is kept: its judgments in full."""
        if self.run_directory is None:
            raise ValueError("these judgments have no run")
        return Run(self.run_directory)

    def judgment(self, trial: int) -> Judgment:
        """Return the judgment of a trial: its prompts, its replies, its looks."""
        return self.run[trial]
