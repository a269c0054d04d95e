"""A run directory, read as it is: every judgment with its texts, prompts and replies."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import sqlite3
    from contextlib import closing


@dataclass(frozen=True)
class Call:
    """A request to a judge, and what came back."""

    judge: str
    #: The request as it was sent: its messages and what was asked of the reply.
    request: dict[str, Any]
    #: The reply; None where there was an error.
    reply: dict[str, Any] | None
    error: dict[str, Any] | None

    @property
    def prompt(self) -> str:
        """The messages as one text."""
        messages = self.request.get("messages", [])
        return "\n\n".join(str(message.get("content", "")) for message in messages)

    @property
    def text(self) -> str | None:
        """What the judge wrote; None where it wrote nothing."""
        return None if self.reply is None else self.reply.get("text")


@dataclass(frozen=True)
class Judgment:
    """A trial with its verdict or its failure."""

    trial: int
    item: str
    first: str
    second: str | None
    replicate: int
    #: What was decided; None for a failure.
    verdict: Any
    #: The kind of failure; None where there is a verdict.
    failure: str | None
    detail: str | None
    looks: list[Any]
    calls: list[Call] = field(repr=False)
    #: What the systems answered; None where the run keeps no texts (formats before 6).
    instruction: str | None = field(default=None, repr=False)
    reference: str | None = field(default=None, repr=False)
    category: str | None = None
    #: The responses by their systems, in the order in which they were shown; empty without texts.
    responses: dict[str, str] = field(default_factory=dict, repr=False)

    @property
    def prompt(self) -> str:
        """The prompt of the last call."""
        return self.calls[-1].prompt if self.calls else ""

    @property
    def reply(self) -> str | None:
        """What the judge wrote in the last call."""
        return self.calls[-1].text if self.calls else None


class Run:
    """A run directory. Nothing is changed in it."""

    def __init__(self, directory: str | os.PathLike[str]) -> None:
        self.directory = Path(directory)
        if not self._file.is_file():
            raise FileNotFoundError(f"{self.directory}: no run is kept here")

    @property
    def _file(self) -> Path:
        return self.directory / "run.sqlite"

    def _connect(self) -> closing[sqlite3.Connection]:
        # Imported here, so that `import evenhand` is quick.
        import sqlite3
        from contextlib import closing

        return closing(sqlite3.connect(f"{self._file.absolute().as_uri()}?mode=ro", uri=True))

    def __len__(self) -> int:
        with self._connect() as store:
            return int(store.execute("SELECT count(*) FROM judgments").fetchone()[0])

    def __iter__(self) -> Iterator[Judgment]:
        with self._connect() as store:
            texts = _keeps_texts(store)
            for row in store.execute(f"{_SELECT} ORDER BY trial"):
                yield _judgment(store, row, texts)

    def __getitem__(self, trial: int) -> Judgment:
        with self._connect() as store:
            row = store.execute(f"{_SELECT} WHERE trial = ?", (trial,)).fetchone()
            if row is None:
                raise KeyError(f"{self.directory}: trial {trial} is not judged")
            return _judgment(store, row, _keeps_texts(store))

    def count_calls(self) -> dict[str, int]:
        """Count the replies and errors that are kept of each judge, by its identity."""
        with self._connect() as store:
            calls = "SELECT identity, count(*) FROM calls JOIN judges ON judges.id = calls.judge"
            counts = store.execute(f"{calls} GROUP BY identity")
            return {judge: int(count) for judge, count in counts}

    def pair_verdicts(self) -> Iterator[tuple[str, str, dict[str, Any]]]:
        """Return the two systems of each judged pair, and the preference; no prompt is read."""
        with self._connect() as store:
            pairs = "SELECT first, second, verdict FROM judgments WHERE second IS NOT NULL"
            for first, second, text in store.execute(f"{pairs} ORDER BY trial"):
                verdict = _parsed(text)
                if isinstance(verdict, dict) and "second" in verdict:
                    yield first, second, verdict

    def __repr__(self) -> str:
        return f"Run({str(self.directory)!r})"


_SELECT = (
    "SELECT trial, item, first, second, replicate, verdict, failure, detail, calls, looks, systems "
    "FROM judgments"
)


def _keeps_texts(store: sqlite3.Connection) -> bool:
    tables = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'responses'"
    return bool(store.execute(tables).fetchone()[0])


def _judgment(store: sqlite3.Connection, row: tuple[Any, ...], texts: bool) -> Judgment:
    trial, item, first, second, replicate, verdict, failure, detail, calls, looks, systems = row
    shown = _parsed(systems) or [system for system in (first, second) if system is not None]
    asked = _item(store, item) if texts else (None, None, None)
    instruction, reference, category = asked
    return Judgment(
        trial=trial,
        item=item,
        first=first,
        second=second,
        replicate=replicate,
        verdict=_parsed(verdict),
        failure=failure,
        detail=detail,
        looks=_parsed(looks) or [],
        calls=[_call(store, number) for number in _parsed(calls) or []],
        instruction=instruction,
        reference=reference,
        category=category,
        responses=_responses(store, item, shown) if texts else {},
    )


def _item(store: sqlite3.Connection, item: str) -> tuple[str | None, str | None, str | None]:
    found = store.execute("SELECT text, reference, category FROM items WHERE item = ?", (item,))
    return found.fetchone() or (None, None, None)


def _responses(store: sqlite3.Connection, item: str, systems: list[str]) -> dict[str, str]:
    found = store.execute("SELECT system, text FROM responses WHERE item = ?", (item,))
    kept = dict(found.fetchall())
    return {system: kept[system] for system in systems if system in kept}


def win_shares(run: Run) -> dict[str, dict[str, float]]:
    """Return the share that each system won against each other one, ties half, over a run's pairs."""
    won: dict[tuple[str, str], list[float]] = {}
    for first, second, verdict in run.pair_verdicts():
        share = verdict["first"] + verdict["tie"] / 2
        won.setdefault((first, second), []).append(share)
        won.setdefault((second, first), []).append(1 - share)
    shares: dict[str, dict[str, float]] = {}
    for (system, other), found in sorted(won.items()):
        shares.setdefault(system, {})[other] = sum(found) / len(found)
    return shares


def _parsed(text: str | None) -> Any:
    return None if text is None else json.loads(text)


def _call(store: sqlite3.Connection, number: int) -> Call:
    found = store.execute(
        "SELECT request, reply, error, prompt_tokens, completion_tokens, cached_tokens, "
        "reasoning_tokens FROM calls WHERE id = ?",
        (number,),
    )
    kept, reply, error, prompt, completion, cached, reasoning = found.fetchone()
    asked = json.loads(_request(store, number, kept))
    replied = _parsed(reply)
    if replied is not None and "usage" not in replied:
        replied["usage"] = {"prompt_tokens": prompt, "completion_tokens": completion}
        replied["usage"] |= {"cached_tokens": cached} if cached else {}
        replied["usage"] |= {"reasoning_tokens": reasoning} if reasoning else {}
    return Call(judge=asked["judge"], request=asked, reply=replied, error=_parsed(error))


#: Where the texts of a request's template are.
_TEXTS = {
    "i": "SELECT text FROM items WHERE id = ?",
    "r": "SELECT text FROM responses WHERE id = ?",
    "c": "SELECT reply FROM calls WHERE id = ?",
}


def _request(store: sqlite3.Connection, number: int, kept: str) -> str:
    """Put a request together that is kept as a template with the texts in its gaps, `1 i17 r58`."""
    if not kept[:1].isdigit():
        return kept
    try:
        template, *names = kept.split(" ")
        found = store.execute("SELECT text FROM templates WHERE id = ?", (int(template),))
        first, *pieces = found.fetchone()[0].split("\ufffc")
        request = [first]
        for name, piece in zip(names, pieces, strict=True):
            text = store.execute(_TEXTS[name[0]], (int(name[1:]),)).fetchone()[0]
            text = json.loads(text)["text"] if name[0] == "c" else text
            request += [json.dumps(text, ensure_ascii=False)[1:-1], piece]
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise ValueError(f"call {number} cannot be put together: the run was changed") from error
    return "".join(request)
