"""Samples of the LM Evaluation Harness, ``samples_TASK_DATE.jsonl`` (``--log_samples``)."""

from __future__ import annotations

import re
from pathlib import Path

from evenhand._data import Data, Record
from evenhand.io._collect import Collector
from evenhand.io._field import Field
from evenhand.io._files import Paths, read_each, read_lines

_NAME = re.compile(r"samples_(?P<task>.+?)(?:_\d{4}-\d\d-\d\dT[\d.-]+)?")


def read_lm_eval(path: Paths, system: str | None = None) -> Data:
    """Read samples of the LM Evaluation Harness, of tasks in which the model writes.

    An item is a document, by its task and number; its instruction is the prompt as it was sent, its
    reference the target. Of several filters the reply before any of them is read, and of several
    repeats the first.

    Args:
        path: one ``samples_*.jsonl`` or several.
        system: the system's name; by default that of the directory, which the harness names after
            the model.

    Raises:
        InputError: a file is not such a file, or its task only compares probabilities.

    Examples:
        >>> import json, pathlib, evenhand as eh
        >>> sample = {"doc_id": 0, "doc": {}, "target": "red", "resps": [["Red."]],
        ...           "arguments": {"gen_args_0": {"arg_0": "Name a colour.", "arg_1": {}}}}
        >>> _ = pathlib.Path("samples_colours.jsonl").write_text(json.dumps(sample))
        >>> data = eh.io.read_lm_eval("samples_colours.jsonl", system="m")
        >>> data.items[0]["id"], data.items[0]["reference"]
        ('colours/0', 'red')
    """
    return read_each(path, lambda file: _read_samples(file, system), ("samples_*.jsonl",))


def _read_samples(file: Path, system: str | None) -> Data:
    named = _NAME.fullmatch(file.stem)
    task = named["task"] if named else None
    name = system or file.absolute().parent.name
    collector = Collector(file)
    seen: set[str] = set()
    for sample in read_lines(file):
        number = sample.require("doc_id").text()
        # A task with several filters has a line for each.
        if number not in seen:
            seen.add(number)
            _add_sample(collector, sample, name, task, number)
    return collector.finish()


def _add_sample(
    collector: Collector, sample: Field, system: str, task: str | None, number: str
) -> None:
    output = _read_reply(sample)
    target = sample.find("target")
    item: Record = {
        "id": f"{task}/{number}" if task else number,
        "instruction": _read_prompt(sample),
        "reference": target.any_text() if target else None,
        "category": task,
    }
    collector.add(item, system, output, sample)


def _read_prompt(sample: Field) -> str:
    """Return the prompt, in the shape of today (by name) or of older versions (a list)."""
    arguments = sample.require("arguments")
    if isinstance(arguments.value, dict):
        return arguments.require("gen_args_0").require("arg_0").any_text()
    return _first(_first(arguments)).any_text()


def _read_reply(sample: Field) -> str:
    reply = _first(_first(sample.require("resps")))
    if not isinstance(reply.value, str):
        raise reply.refuse("a text (tasks that compare probabilities have none)")
    return reply.text()


def _first(field: Field) -> Field:
    elements = field.elements()
    if not elements:
        raise field.refuse("a list with at least one element")
    return elements[0]
