"""Results of promptfoo: ``promptfoo eval --output results.json``, or ``results.jsonl``."""

from __future__ import annotations

from pathlib import Path

from evenhand._data import Data, Record
from evenhand.io._collect import Collector, identify
from evenhand.io._field import Field
from evenhand.io._files import Paths, read_each, read_records
from evenhand.io._messages import is_conversation, read_prompt

#: Assertions whose value is an answer, and so a reference.
_REFERENCES = ("equals", "factuality", "model-graded-factuality", "similar", "answer-relevance")


def read_promptfoo(path: Paths, system: str | None = None) -> Data:
    """Read results of promptfoo, as JSON or JSON lines.

    A system is a provider, by its label; where several prompts are compared, each with each
    provider is a system, and the item is then what the variables say, else it is the prompt as it
    was sent. An ``equals`` or ``factuality`` assertion has the reference. The ``id`` and the
    ``category`` of an item are those of the test's metadata, else of its variables, and the item
    keeps the ``metadata``.

    Args:
        path: one file or several.
        system: the system's name, where the file has one.

    Raises:
        InputError: a file is not such a file, or has no output.

    Examples:
        >>> import json, pathlib, evenhand as eh
        >>> result = {"testIdx": 0, "promptIdx": 0, "provider": {"id": "m"},
        ...           "prompt": {"raw": "Name a colour.", "label": "p"},
        ...           "response": {"output": "Red."}}
        >>> whole = {"results": {"results": [result]}}
        >>> _ = pathlib.Path("results.json").write_text(json.dumps(whole))
        >>> eh.io.read_promptfoo("results.json")
        Data(1 item, 1 response; 1 system)
    """
    return read_each(path, lambda file: _read_results(file, system))


def _read_results(file: Path, system: str | None) -> Data:
    found = _find_results(read_records(file))
    several = len({_prompt_of(result) for result in found}) > 1
    collector = Collector(file)
    for result in found:
        _add_result(collector, result, system, several)
    return collector.finish()


def _find_results(records: list[Field]) -> list[Field]:
    """Return the results of a whole evaluation; in JSON lines each record is one."""
    if len(records) != 1 or records[0].find("prompt"):
        return records
    results = records[0].require("results")
    if isinstance(results.value, dict):
        results = results.require("results")
    return results.elements()


def _prompt_of(result: Field) -> str:
    """Return the name of a prompt, which is its template unless it was given another."""
    label = result.require("prompt").find("label", "raw")
    return label.any_text() if label else ""


def _add_result(collector: Collector, result: Field, system: str | None, several: bool) -> None:
    output = _read_output(result)
    question = _read_question(result, several)
    if output is None:
        collector.leave_out("without an output")
    elif question is None:
        collector.leave_out("without a question at the end of the prompt")
    else:
        metadata = _read_metadata(result)
        told = {"category": _name_in(result, metadata, "category"), "metadata": metadata}
        item = {**question, "reference": _read_reference(result)}
        item |= {name: value for name, value in told.items() if value}
        item["id"] = _name_in(result, metadata, "id") or identify(item)
        collector.add(item, system or _name_system(result, several), output, result)


def _read_metadata(result: Field) -> Record:
    """Return the metadata of a test, without what promptfoo keeps there itself."""
    test = result.find("testCase")
    metadata = test.find("metadata") if test else None
    found = metadata.any_value() if metadata and isinstance(metadata.value, dict) else {}
    return {name: value for name, value in found.items() if not name.startswith("_promptfoo")}


def _name_in(result: Field, metadata: Record, field: str) -> str | None:
    """Return what a test says of itself in its metadata, or else in its variables."""
    variables = result.find("vars")
    told = variables.find(field) if variables else None
    for value in (metadata.get(field), told.value if told else None):
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if isinstance(value, str) and value.strip():
            return value
    return None


def _read_output(result: Field) -> str | None:
    response = result.find("response")
    output = response.find("output") if response else None
    text = output.any_text() if output else ""
    return text if text.strip() else None


def _read_question(result: Field, several: bool) -> Record | None:
    variables = result.find("vars")
    if several and variables is not None and isinstance(variables.value, dict):
        return _describe_variables(variables)
    return _read_sent(result.require("prompt").require("raw"))


def _read_sent(prompt: Field) -> Record | None:
    """Read a prompt, which is a text or the JSON of messages."""
    messages = prompt.parse_json()
    return read_prompt(messages if is_conversation(messages.value) else prompt)


def _describe_variables(variables: Field) -> Record | None:
    """Say what the variables are: the value of one, or a line for each of several."""
    found = {name: field for name in variables.value if (field := variables.find(name))}
    if len(found) == 1:
        return {"instruction": next(iter(found.values())).any_text()}
    lines = [f"{name}: {field.any_text()}" for name, field in found.items()]
    return {"instruction": "\n".join(lines)} if lines else None


def _name_system(result: Field, several: bool) -> str:
    provider = result.require("provider")
    named = provider if isinstance(provider.value, str) else _label_of(provider)
    return f"{named.text()} / {_prompt_of(result)}" if several else named.text()


def _label_of(provider: Field) -> Field:
    label = provider.find("label")
    return label if label and label.value else provider.require("id")


def _read_reference(result: Field) -> str | None:
    test = result.find("testCase")
    asserted = test.find("assert") if test else None
    for one in asserted or ():
        kind, value = one.find("type"), one.find("value")
        if kind and kind.value in _REFERENCES and value and isinstance(value.value, str):
            return value.text()
    return None
