"""From values of Python to the texts that a setting is: one place for every kind of value."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from keyword import iskeyword
from math import isfinite, isnan
from numbers import Integral, Real
from typing import Any

from evenhand.errors import InputError

#: What stands between the parts of a setting that is one text: a list or a tuple gives the parts. The
#: last of several stands between all further ones.
BETWEEN = {
    "anchor": ("=",), "design": (":",), "fail_if": (",",), "pair": (",",), "panel": (":",),
    "scale": ("..", ":"), "score_column": (",",), "shard": ("/",), "until": (":",),
}  # fmt: skip


def keyword(name: str) -> str:
    """The keyword of a flag: ``max-calls`` is ``max_calls``."""
    return name.replace("-", "_")


def called(name: str) -> str:
    """Return a function's name as it is called: ``meta.judge``."""
    dotted = re.sub("^(meta|batch)_", r"\1.", name)
    return f"{dotted}_" if iskeyword(dotted.rpartition(".")[2]) else dotted


def plain(value: Any) -> Any:
    """Return the value of numpy that is one value as Python's own, and anything else as it is."""
    if type(value).__module__ != "numpy" or getattr(value, "ndim", None) != 0:
        return value
    # A time of numpy in nanoseconds would be a number.
    is_time = "datetime64" in str(value.dtype) and str(value) != "NaT"
    if not is_time:
        return value.item()
    try:
        return datetime.fromisoformat(str(value)[:26])
    except ValueError:
        # A month or a year is no day, and is refused where it is used.
        return value


def is_on(name: str, value: Any) -> bool:
    """Whether a switch is on. A text is neither: ``"no"`` would be true."""
    found = plain(value)
    if found is True or found is False:
        return found
    raise InputError(f"{name}=: expected True or False, found {value!r}")


def listed(value: Any) -> list[Any]:
    """Return one value, or several, as a list."""
    value = plain(value)
    if isinstance(value, (str, bytes, os.PathLike, Mapping)) or not isinstance(value, Iterable):
        return [value]
    return list(value)


def texts_of(setting: Mapping[str, Any], value: Any) -> list[str]:
    """Return the texts of a setting that names neither data nor judges."""
    name = keyword(setting["name"])
    if isinstance(value, Mapping):
        values = [f"{text_of(setting, key)}={_part_of(setting, one)}" for key, one in value.items()]
        if not setting["many"]:
            values = [",".join(values)]
    elif name in BETWEEN and not isinstance(value, str):
        first, *others = [text_of(setting, one) for one in listed(value)] or [""]
        marks = BETWEEN[name]
        for place, part in enumerate(others):
            first += marks[min(place, len(marks) - 1)] + part
        values = [first]
    else:
        values = [_part_of(setting, one) for one in listed(value)]
    if len(values) > 1 and not setting["many"]:
        raise InputError(f"{name}=: expected one value, found {len(values)}")
    if setting.get("quoted") and not isinstance(value, str):
        # A text is a list as a command line has it; the values of a list are names, whatever they hold.
        values = [quote(text) for text in values]
    separator = setting["separator"]
    return [separator.join(values)] if separator and values else values


def _part_of(setting: Mapping[str, Any], value: Any) -> str:
    """Return one value of several, which may have parts: two columns of a covariate, or paths."""
    if not isinstance(value, (tuple, list)):
        return text_of(setting, value)
    between = "/" if setting["name"] == "control" else ","
    return between.join(text_of(setting, one) for one in value)


def text_of(setting: Mapping[str, Any], value: Any) -> str:
    """Return one value as a setting's text.

    Raises:
        InputError: there is no such value of the setting.
    """
    name, kind = keyword(setting["name"]), setting["kind"]
    value = plain(value)
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if isinstance(value, str):
        # An enum of texts is its text.
        return str.__str__(value)
    if name in ("date", "remove") and isinstance(value, date):
        return (value.date() if isinstance(value, datetime) else value).isoformat()
    if kind == "number" and isinstance(value, timedelta):
        return str(value.total_seconds())
    expected = {
        "integer": "a whole number from 0",
        "number": "a number",
        "path": "a path",
    }.get(kind, "a text, a number or a path")
    if value is False:
        raise InputError(f"{name}=: expected {expected}, found False; to turn it off, leave it out")
    if value is True or not isinstance(value, (Real, Decimal)) or kind == "path":
        raise InputError(f"{name}=: expected {expected}, found {shown(value)}")
    if kind == "integer" and not isinstance(value, Integral) and not isfinite(value):
        raise InputError(f"{name}=: expected {expected}, found {value}")
    # 1e3 is a whole number to whoever writes it.
    if isinstance(value, Integral) or (kind == "integer" and value == value // 1):
        if kind == "integer" and value < 0:
            raise InputError(f"{name}=: expected {expected}, found {value}")
        return str(int(value))  # type: ignore[arg-type]
    if kind == "integer" or isnan(value):
        raise InputError(f"{name}=: expected {expected}, found {value}")
    return str(float(value))


def shown(value: Any) -> str:
    """Name a value that is not what was expected: its type, and of a short one what it is."""
    if value is None or isinstance(value, (bool, int, float, complex)):
        return repr(value)
    return type(value).__name__


def write_conditions(fields: Mapping[Any, Any], *, of_rows: bool) -> list[str]:
    """Write ``{field: value, ..}``, all of which must hold, as conditions. Of several values of a
    field, one must hold.

    Args:
        fields: the fields with their values; None stands for a record without a value.
        of_rows: whether the conditions are on the rows of a run, where a fact is true or false
            (``flipped``), and not on records of files, which may hold a JSON boolean.
    """
    spelt = {True: "1", False: "0"} if of_rows else {True: "true", False: "false"}
    conditions = []
    for field, wanted in fields.items():
        if not isinstance(field, str) or not field or "=" in field:
            raise InputError(f"where=: expected the name of a field, found {field!r}")
        is_one = isinstance(wanted, (str, bytes, Mapping)) or not isinstance(wanted, Iterable)
        values = [wanted] if is_one else list(wanted)
        if not values:
            raise InputError(f"where=: {field!r} has no values, so no record can match")
        for value in values:
            found = plain(value)
            if isinstance(found, bool):
                found = spelt[found]
            elif found is None:
                found = ""
            elif isinstance(found, date):
                found = found.isoformat()
            elif isinstance(found, (Decimal, Fraction)) and not isnan(found):
                # Written as the number of a file is.
                is_whole = isfinite(found) and found == found // 1
                found = int(found) if is_whole else float(found)
            elif not isinstance(found, (str, int, float)) or found != found:
                raise InputError(
                    f"where=: {field!r}: expected texts, numbers, dates, True, False or None, "
                    f"found {found!r}"
                )
            conditions.append(f"{field}={found}")
    return conditions


def write_outcomes(words: Mapping[Any, Any]) -> str:
    """Write what the words of a file mean. A word may be any cell of a file: the whole part is in
    quotes where one needs them, and what is true or false is spelt as files of JSON do.
    """
    spelt = [
        (str(word).lower() if isinstance(plain(word), bool) else str(word), outcome)
        for word, outcome in words.items()
    ]
    return ",".join(quote(f"{word}={outcome}") for word, outcome in spelt)


def write_fields(fields: Mapping[Any, Any]) -> str:
    """Write which field of a file is which."""
    return ",".join(f"{term}={quote(str(field))}" for term, field in fields.items())


def quote(name: str) -> str:
    """Write a name as a part of a list: in double quotes where it holds what parts a list."""
    if "," not in name and '"' not in name:
        return name
    doubled = name.replace('"', '""')
    return f'"{doubled}"'
