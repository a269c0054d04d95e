"""A value of a file together with its place, so that whatever is wrong with it can be named."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from evenhand.errors import InputError


@dataclass(frozen=True)
class Field:
    """A value of a file, and where it stands there."""

    value: Any
    #: The file, with a line where it has lines.
    file: str
    #: The names and numbers that lead to the value: ``results[3].vars``.
    path: str = ""

    def find(self, *names: str) -> Field | None:
        """Return the first of these fields that is there and not null."""
        if not isinstance(self.value, dict):
            return None
        for name in names:
            if self.value.get(name) is not None:
                return self._within(self.value[name], name)
        return None

    def find_path(self, path: str) -> Field | None:
        """Return the field at a path such as ``metadata.variant``; names may hold the dots."""
        whole = self.find(path)
        if whole is not None:
            return whole
        parts = path.split(".")
        for length in range(len(parts) - 1, 0, -1):
            outer = self.find(".".join(parts[:length]))
            if outer is not None:
                return outer.parse_json().find_path(".".join(parts[length:]))
        return None

    def require(self, *names: str) -> Field:
        """Return the first of these fields that is there, and refuse the record otherwise."""
        found = self.find(*names)
        if found is None:
            listed = " or ".join(f"`{name}`" for name in names)
            raise self.refuse(f"an object with {listed}")
        return found

    def elements(self) -> list[Field]:
        """Return the elements of a list, and refuse anything else."""
        if not isinstance(self.value, list):
            raise self.refuse("a list")
        return [self._within(one, number) for number, one in enumerate(self.value)]

    def text(self) -> str:
        """Return a text, or a number as it is written, and refuse anything else."""
        if isinstance(self.value, bool) or not isinstance(self.value, (str, int, float)):
            raise self.refuse("a text")
        return repair_text(str(self.value))

    def any_text(self) -> str:
        """Return a text as it is, and anything else as JSON."""
        plain = isinstance(self.value, str)
        return repair_text(self.value if plain else json.dumps(self.value, ensure_ascii=False))

    def any_value(self) -> Any:
        """Return a copy of the value whose texts can be written."""
        return json.loads(repair_text(json.dumps(self.value, ensure_ascii=False)))

    def parse_json(self) -> Field:
        """Return what a text says in JSON, and any other value as it is."""
        if not isinstance(self.value, str) or self.value[:1] not in ("{", "["):
            return self
        try:
            return Field(json.loads(self.value), self.file, self.path)
        except (ValueError, RecursionError):
            return self

    def refuse(self, expected: str) -> InputError:
        """Make the error that says where this value is and what was expected there."""
        place = f"{self.file}: field `{self.path}`" if self.path else self.file
        return InputError(f"{place}: expected {expected}, found {describe_value(self.value)}")

    def _within(self, value: Any, step: str | int) -> Field:
        if isinstance(step, int):
            return Field(value, self.file, f"{self.path}[{step}]")
        return Field(value, self.file, f"{self.path}.{step}" if self.path else step)

    def __iter__(self) -> Iterator[Field]:
        return iter(self.elements())


def repair_text(text: str) -> str:
    """Replace halves of surrogate pairs, which no encoding can write, as browsers do."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def describe_value(value: Any) -> str:
    """Describe a value in a few words."""
    if isinstance(value, dict):
        names = ", ".join(f"`{name}`" for name in list(value)[:8])
        return f"an object with {names}" if value else "an empty object"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:60]}…"
