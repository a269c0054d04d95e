"""OpenAI Evals: the logs of ``oaieval``, and the output items of the hosted evaluations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from evenhand._data import Data, Record
from evenhand.io._collect import Collector, identify
from evenhand.io._field import Field
from evenhand.io._files import Paths, read_each, read_records
from evenhand.io._messages import read_prompt, read_reply


def read_openai_evals(path: Paths, system: str | None = None) -> Data:
    """Read logs of OpenAI Evals.

    Two kinds are known: the events that ``oaieval`` logs, as JSON lines, where the first
    ``sampling`` of a sample is the response and its ``match`` has the reference; and the output
    items of hosted evaluations, as JSON (the list, or ``{"data": [..]}``) or JSON lines.

    Args:
        path: one file or several.
        system: the system's name; by default the model.

    Raises:
        InputError: a file is neither, or holds no response.

    Examples:
        >>> import json, pathlib, evenhand as eh
        >>> spec = {"spec": {"completion_fns": ["m"]}}
        >>> event = {"sample_id": "colours.0", "type": "sampling",
        ...          "data": {"prompt": "Name a colour.", "sampled": ["Red."]}}
        >>> lines = [json.dumps(one) for one in (spec, event)]
        >>> _ = pathlib.Path("log.jsonl").write_text("\\n".join(lines))
        >>> eh.io.read_openai_evals("log.jsonl").responses
        [{'item': 'colours.0', 'system': 'm', 'output': 'Red.'}]
    """
    return read_each(path, lambda file: _read_file(file, system))


def _read_file(file: Path, system: str | None) -> Data:
    records = read_records(file, "data")
    collector = Collector(file)
    if any(record.find("sample", "datasource_item") for record in records):
        for record in records:
            _add_output_item(collector, record, system)
    else:
        _add_events(collector, records, system, file)
    return collector.finish()


def _add_events(
    collector: Collector, records: list[Field], system: str | None, file: Path
) -> None:
    name = system or _find_model(records, file)
    references = _find_references(records)
    sampled = [one for one in records if _kind_of(one) == "sampling"]
    first = {one.require("sample_id").text(): one for one in reversed(sampled)}
    # In the order of the log; the later samplings of a sample are those of a judge.
    for sample, event in reversed(first.items()):
        data = event.require("data")
        item: Record = {"id": sample, "reference": references.get(sample)}
        _add(collector, item, data.require("prompt"), data.require("sampled"), name)


def _kind_of(event: Field) -> Any:
    kind = event.find("type")
    return kind.value if kind else None


def _find_model(records: list[Field], file: Path) -> str:
    specs = [spec for record in records if (spec := record.find("spec")) is not None]
    if not specs:
        head = records[0] if records else Field(None, str(file))
        raise head.refuse("a first line with `spec`, or system= to name the system")
    models = specs[0].require("completion_fns")
    return next((model.text() for model in models), "model")


def _find_references(records: list[Field]) -> dict[str, str]:
    found = {}
    for event in records:
        expected = event.require("data").find("expected") if _kind_of(event) == "match" else None
        if expected is not None:
            listed = expected.elements() if isinstance(expected.value, list) else [expected]
            found[event.require("sample_id").text()] = "\n".join(one.any_text() for one in listed)
    return found


def _add_output_item(collector: Collector, record: Field, system: str | None) -> None:
    sample = record.find("sample")
    asked, replied = (sample.find("input"), sample.find("output")) if sample else (None, None)
    if sample is None or asked is None or replied is None or not replied.value:
        collector.leave_out("without an output")
        return
    item: Record = {"id": None, "reference": _find_ideal(record)}
    _add(collector, item, asked, replied, system or sample.require("model").text())


def _find_ideal(record: Field) -> str | None:
    source = record.find("datasource_item")
    inner = source.find("item") if source else None
    ideal = (inner or source or record).find("ideal", "reference", "expected", "ground_truth")
    return ideal.any_text() if ideal else None


def _add(
    collector: Collector, item: Record, asked: Field, replied: Field, system: str
) -> None:
    question, output = read_prompt(asked), _read_sampled(replied)
    if question is None:
        collector.leave_out("without a question at the end of the prompt")
    elif output is None:
        collector.leave_out("without an output")
    else:
        item = {**item, **question}
        collector.add({**item, "id": item["id"] or identify(item)}, system, output, replied)


def _read_sampled(replied: Field) -> str | None:
    """Return the text: of the first sample, or of the last message."""
    if isinstance(replied.value, list) and replied.value and isinstance(replied.value[0], str):
        return read_reply(replied.elements()[0])
    return read_reply(replied) if replied.value else None
