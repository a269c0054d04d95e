"""Traces: exports of Langfuse and of Phoenix, one record for each call of a model or trace."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from evenhand._data import Data
from evenhand.errors import InputError
from evenhand.io._collect import Collector, identify
from evenhand.io._field import Field
from evenhand.io._files import Paths, read_each, read_records
from evenhand.io._messages import read_logged_reply, read_question


@dataclass(frozen=True)
class Layout:
    """Where a tool's records hold what is needed; of several paths the first that is there."""

    kind: tuple[str, ...]
    #: The kind of records that are calls of a model.
    call: str
    input: tuple[str, ...]
    output: tuple[str, ...]
    model: tuple[str, ...]


LANGFUSE = Layout(
    kind=("type",),
    call="GENERATION",
    input=("input",),
    output=("output",),
    model=("model", "providedModelName", "provided_model_name"),
)
PHOENIX = Layout(
    kind=("span_kind", "attributes.openinference.span.kind"),
    call="LLM",
    input=("attributes.input.value", "input", "attributes.llm.input_messages"),
    output=("attributes.output.value", "output", "attributes.llm.output_messages"),
    model=("attributes.llm.model_name", "model"),
)


def read_langfuse(
    path: Paths, system: str | None = None, *, system_from: str | None = None
) -> Data:
    """Read traces or observations exported from Langfuse, as JSON, JSON lines or CSV.

    Exports of a table, of blob storage and of one trace are known. Where observations of models
    (``GENERATION``) are among the records, they are read and the others left out. An item is what
    was asked: the same input is the same item in every file.

    Args:
        path: one file or several.
        system: the system's name.
        system_from: the field that has it, such as ``metadata.variant`` or ``release``; by default
            the model.

    Raises:
        InputError: a file is not such an export, or a record does not say which system it is of.

    Examples:
        >>> import json, pathlib, evenhand as eh
        >>> trace = {"id": "t1", "input": {"question": "Name a colour."}, "output": "Red.",
        ...          "metadata": {"variant": "short"}}
        >>> _ = pathlib.Path("traces.json").write_text(json.dumps([trace]))
        >>> eh.io.read_langfuse("traces.json", system_from="metadata.variant").systems
        ['short']
    """
    name = _choose_name(LANGFUSE, system, system_from)
    return read_each(path, lambda file: _read_traces(file, LANGFUSE, name))


def read_phoenix(
    path: Paths, system: str | None = None, *, system_from: str | None = None
) -> Data:
    """Read spans exported from Phoenix, as JSON, JSON lines or CSV.

    These are the frame of ``get_spans_dataframe`` (``to_csv``, ``to_json(orient="records")``) and
    the list of ``get_spans``. Where spans of models (``LLM``) are among them, they are read and the
    others left out. An item is what was asked: the same input is the same item in every file.

    Args:
        path: one file or several.
        system: the system's name.
        system_from: the field that has it, such as ``attributes.metadata.variant``; by default the
            model.

    Raises:
        InputError: a file is not such an export, or a record does not say which system it is of.

    Examples:
        >>> import pathlib, evenhand as eh
        >>> head = "span_kind,attributes.input.value,attributes.output.value"
        >>> _ = pathlib.Path("spans.csv").write_text(f"{head}\\nLLM,Name a colour.,Red.\\n")
        >>> eh.io.read_phoenix("spans.csv", system="m")
        Data(1 item, 1 response; 1 system)
    """
    name = _choose_name(PHOENIX, system, system_from)
    return read_each(path, lambda file: _read_traces(file, PHOENIX, name))


Name = Callable[[Field], str]


def _choose_name(layout: Layout, system: str | None, system_from: str | None) -> Name:
    """Choose how the system of a record is named."""
    if system is not None and system_from is not None:
        raise InputError("system= and system_from= both name the systems; give one of them")
    if system is not None:
        return lambda record: system
    paths = layout.model if system_from is None else (system_from,)

    def name(record: Field) -> str:
        found = _find(record, paths)
        if found is None:
            raise record.refuse(f"`{paths[0]}`, or system= or system_from=, to name the system")
        return found.text()

    return name


def _find(record: Field, paths: tuple[str, ...]) -> Field | None:
    found = (record.find_path(path) for path in paths)
    return next((one for one in found if one is not None), None)


def _read_traces(file: Path, layout: Layout, name: Name) -> Data:
    records = read_records(file, "observations", "data", "traces")
    calls = [record for record in records if _is_call(record, layout)]
    collector = Collector(file)
    for _ in range(len(records) - len(calls) if calls else 0):
        collector.leave_out(f"not of the kind {layout.call}")
    for record in calls or records:
        _add_record(collector, record, layout, name)
    return collector.finish()


def _is_call(record: Field, layout: Layout) -> bool:
    kind = _find(record, layout.kind)
    return kind is not None and kind.value == layout.call


def _add_record(collector: Collector, record: Field, layout: Layout, name: Name) -> None:
    asked, replied = _find(record, layout.input), _find(record, layout.output)
    question = read_question(asked) if asked else None
    output = read_logged_reply(replied) if replied else None
    if question is None:
        collector.leave_out("without an input that ends with the user's words")
    elif output is None:
        collector.leave_out("without an output that is text")
    else:
        collector.add({"id": identify(question), **question}, name(record), output, record)
