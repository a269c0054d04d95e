"""Files of records: JSON, JSON lines and CSV. Errors name the file and the line."""

from __future__ import annotations

import csv
import json
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any

from evenhand._data import Data
from evenhand.errors import InputError
from evenhand.io._field import Field

StrPath = str | os.PathLike[str]
#: One file or several.
Paths = StrPath | Iterable[StrPath]


def read_each(
    paths: Paths,
    read: Callable[[Path], Data],
    patterns: Sequence[str] = ("*.json", "*.jsonl", "*.csv"),
) -> Data:
    """Read one file or several, and join what they hold. A folder stands for its files, and those of
    its folders, that have names of these patterns.
    """
    given = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    if not given:
        raise InputError("path: expected a file or several, found an empty list")
    files = [file for path in given for file in _files_of(Path(path), patterns)]
    return reduce(add, [_read_one(file, read) for file in files])


def _files_of(path: Path, patterns: Sequence[str]) -> list[Path]:
    try:
        if not path.is_dir():
            return [path]
    except ValueError:
        # A path with a NUL in it, of which reading says so.
        return [path]
    found = sorted({file for pattern in patterns for file in path.rglob(pattern) if file.is_file()})
    if not found:
        raise InputError(f"{path}: expected a folder with files {' or '.join(patterns)}, found none")
    return found


def _read_one(file: Path, read: Callable[[Path], Data]) -> Data:
    try:
        return read(file)
    except RecursionError:
        raise InputError(f"{file}: its values are nested too deeply to be read") from None


def read_text(file: Path) -> str:
    """Read a file of UTF-8, with or without a byte order mark."""
    try:
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{file}: expected UTF-8, found other bytes at {error.start}") from None
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {error.strerror or error}") from None
    except ValueError as error:
        # A path with a NUL in it.
        raise InputError(f"{str(file)!r}: cannot be read: {error}") from None


def parse_json(text: str | bytes, file: str) -> Field:
    """Parse one value of JSON."""
    try:
        return Field(json.loads(text), file)
    except ValueError as error:
        raise InputError(f"{file}: expected JSON, found other text: {error}") from None


def read_json(file: Path) -> Field:
    """Read a file that is one value of JSON."""
    return parse_json(read_text(file), str(file))


def read_lines(file: Path) -> list[Field]:
    """Read a file of JSON lines; each field knows its line."""
    lines = read_text(file).split("\n")
    named = [(line, f"{file}:{number}") for number, line in enumerate(lines, 1)]
    return [parse_json(line, place) for line, place in named if line.strip()]


def read_records(file: Path, *lists: str) -> list[Field]:
    """Read the records of JSON, JSON lines or CSV, told by the name and the first character.

    Args:
        file: the file.
        lists: fields that hold the list of records where the file is an object.
    """
    if file.suffix.lower() == ".csv":
        return _read_csv(file)
    if file.suffix.lower() == ".jsonl":
        return read_lines(file)
    try:
        whole = read_json(file)
    except InputError:
        return read_lines(file)
    listed = whole.find(*lists) or whole
    return [listed] if isinstance(listed.value, dict) else listed.elements()


def _read_csv(file: Path) -> list[Field]:
    text = read_text(file)
    # A cell holds a whole conversation: Python's limit of 128 KiB is too low.
    limit = csv.field_size_limit(sys.maxsize)
    try:
        reader = csv.DictReader(text.splitlines(keepends=True))
        return [Field(_drop_empty(row), f"{file}:{reader.line_num}") for row in reader]
    except csv.Error as error:
        raise InputError(f"{file}: expected CSV, found other text: {error}") from None
    finally:
        csv.field_size_limit(limit)


def _drop_empty(row: dict[Any, Any]) -> dict[str, Any]:
    return {name: cell for name, cell in row.items() if isinstance(name, str) and cell}
