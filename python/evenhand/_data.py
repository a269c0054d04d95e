"""Records in memory, sorted by what they are: items, responses, battles and labels."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from evenhand.errors import InputError

Record = dict[str, Any]


@dataclass(frozen=True, repr=False)
class Data:
    """What a reader of ``evenhand.io`` found. It stands wherever a call takes data.

    Two of them are joined with ``+``: the logs of two systems make one data set.

    Examples:
        >>> import evenhand as eh
        >>> question = [{"id": "1", "instruction": "Name a colour."}]
        >>> red = eh.io.Data(question, [{"item": "1", "system": "red", "output": "Red."}])
        >>> blue = eh.io.Data(question, [{"item": "1", "system": "blue", "output": "Blue."}])
        >>> red + blue
        Data(1 item, 2 responses; 2 systems)
        >>> (red + blue).systems
        ['blue', 'red']
    """

    #: ``{id, instruction or messages, reference?, category?}``
    items: list[Record] = field(default_factory=list)
    #: ``{item, system, output}``
    responses: list[Record] = field(default_factory=list)
    #: ``{model_a, model_b, winner, question_id?}``
    battles: list[Record] = field(default_factory=list)
    #: ``{item, a, b, preferred, annotator?}``
    labels: list[Record] = field(default_factory=list)

    def by_name(self) -> dict[str, list[Record]]:
        """Return the records by what they are, without what there is none of."""
        lists = {
            "items": self.items,
            "responses": self.responses,
            "battles": self.battles,
            "labels": self.labels,
        }
        return {name: records for name, records in lists.items() if records}

    @property
    def systems(self) -> list[str]:
        """The systems that responded, or that were compared, by name."""
        answered = {record["system"] for record in self.responses}
        slots = [(self.battles, ("model_a", "model_b")), (self.labels, ("a", "b"))]
        compared = {row[key] for rows, keys in slots for row in rows for key in keys}
        return sorted(answered | compared)

    def __add__(self, other: Data) -> Data:
        """Return the records of both; an item that both have is one item.

        Raises:
            InputError: an id means two items, or a system responded to an item twice.
        """
        joined = Data(
            _join_items(self.items, other.items),
            self.responses + other.responses,
            self.battles + other.battles,
            self.labels + other.labels,
        )
        _refuse_second_responses(joined.responses)
        return joined

    def __repr__(self) -> str:
        counts = [_count(len(records), name) for name, records in self.by_name().items()]
        systems = f"; {_count(len(self.systems), 'systems')}" if self.systems else ""
        return f"Data({', '.join(counts) or 'nothing'}{systems})"


def _join_items(first: list[Record], second: list[Record]) -> list[Record]:
    items = {item["id"]: item for item in first}
    for item in second:
        if items.setdefault(item["id"], item) != item:
            raise InputError(
                f"item {item['id']!r}: the data that are joined have two items of this id, whose "
                "fields differ; rename the ids of one of them"
            )
    return list(items.values())


def _refuse_second_responses(responses: list[Record]) -> None:
    seen: set[tuple[str, str]] = set()
    for response in responses:
        key = (response["item"], response["system"])
        if key in seen:
            raise InputError(
                f"item {key[0]!r}: the data that are joined have two responses of {key[1]!r}; "
                "name the systems apart with system="
            )
        seen.add(key)


def _count(number: int, plural: str) -> str:
    return f"{number} {plural if number != 1 else plural[:-1]}"
