"""Items and responses as a file is read, each once, and a count of what is left out."""

from __future__ import annotations

import hashlib
import json
import sys
import warnings
from collections import Counter
from typing import Any

from evenhand._data import Data, Record
from evenhand.errors import EvenhandWarning, InputError
from evenhand.io._field import Field


class Collector:
    """The items and the responses of one file."""

    def __init__(self, file: object) -> None:
        self._file = str(file)
        self._items: dict[str, Record] = {}
        self._responses: dict[tuple[str, str], Record] = {}
        self._left_out: Counter[str] = Counter()

    def add(self, item: Record, system: str, output: Any, at: Field) -> None:
        """Add a response and the item that it responds to.

        Raises:
            InputError: an item of this id is here, and asks something else.
        """
        item = {key: value for key, value in item.items() if value not in (None, "")}
        if self._items.setdefault(item["id"], item) != item:
            raise InputError(
                f"{at.file}: item {item['id']!r} was another one further up; its fields differ"
            )
        key = (item["id"], system)
        if key in self._responses:
            self.leave_out("a second response of the same system to the same item")
        else:
            self._responses[key] = {"item": item["id"], "system": system, "output": output}

    def leave_out(self, reason: str) -> None:
        """Count a record that is not a response, or not one that can be used."""
        self._left_out[reason] += 1

    def finish(self) -> Data:
        """Return what was found, and warn of what was left out.

        Raises:
            InputError: the file holds no response.
        """
        left_out = "; ".join(f"{count} ({reason})" for reason, count in self._left_out.items())
        if not self._responses:
            raise InputError(
                f"{self._file}: expected responses, found none"
                + (f"; records left out: {left_out}" if left_out else "")
            )
        if left_out:
            warn_caller(f"{self._file}: records left out: {left_out}")
        return Data(list(self._items.values()), list(self._responses.values()))


def identify(question: Record) -> str:
    """Make an id of what is asked, so that the same question has it in every file."""
    text = json.dumps(question, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def warn_caller(message: str) -> None:
    """Warn at the line outside this package that called a reader."""
    frame, level = sys._getframe(1), 2
    while frame.f_back and str(frame.f_globals.get("__name__")).startswith("evenhand."):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, EvenhandWarning, stacklevel=level)
