"""Logs of Inspect: ``.eval``, a zip archive of JSON, and ``.json``."""

from __future__ import annotations

import zipfile
import zlib
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from evenhand._data import Data, Record
from evenhand.errors import InputError
from evenhand.io._collect import Collector
from evenhand.io._field import Field
from evenhand.io._files import Paths, parse_json, read_each, read_json
from evenhand.io._messages import is_conversation, read_prompt, read_reply


def read_inspect(path: Paths, system: str | None = None, *, epoch: int = 1) -> Data:
    """Read logs of Inspect, ``.eval`` or ``.json``.

    Where ``inspect_ai`` is installed it reads the files, so that every version of them can be read;
    else they are read as they are. An item is a sample, by its id; its category is the task, its
    reference the target. Where tools were called, the response is the trajectory.

    Args:
        path: one log or several; a folder stands for its logs.
        system: the system's name; by default the model.
        epoch: which epoch to read; samples of the others are left out, and counted in a warning.

    Raises:
        InputError: a file is not such a log.

    Examples:
        >>> import json, pathlib, evenhand as eh
        >>> sample = {"id": 1, "epoch": 1, "input": "Name a colour.", "target": "red",
        ...           "output": {"completion": "Red.", "choices": []}}
        >>> log = {"version": 2, "eval": {"task": "colours", "model": "m"}, "samples": [sample]}
        >>> _ = pathlib.Path("log.json").write_text(json.dumps(log))
        >>> eh.io.read_inspect("log.json").responses
        [{'item': '1', 'system': 'm', 'output': 'Red.'}]
    """
    return read_each(path, lambda file: _read_log(file, system, epoch), ("*.eval", "*.json"))


def _read_log(file: Path, system: str | None, epoch: int) -> Data:
    log = _open_log(file)
    run = log.require("eval")
    name = system or run.require("model").text()
    category = run.find("task")
    collector = Collector(file)
    for sample in log.require("samples"):
        number = sample.find("epoch")
        if number is not None and number.value != epoch:
            collector.leave_out(f"of an epoch other than {epoch}")
        else:
            _add_sample(collector, sample, name, category.text() if category else None)
    return collector.finish()


def _open_log(file: Path) -> Field:
    plain = file.suffix != ".eval"
    if file.is_file() and _has_inspect():
        try:
            return _open_with_inspect(file)
        except InputError:
            # A log that is cut down to what is read here is no log to Inspect.
            if not plain:
                raise
    return read_json(file) if plain else _open_archive(file)


def _has_inspect() -> bool:
    try:
        return find_spec("inspect_ai") is not None
    except ValueError:
        return False


def _open_with_inspect(file: Path) -> Field:
    from inspect_ai.log import read_eval_log

    try:
        log = read_eval_log(str(file)).model_dump(mode="json")
    except Exception as error:
        # Whatever Inspect raises of a broken file, it is the file that cannot be used.
        raise InputError(f"{file}: expected a log of Inspect: {error}") from error
    return Field(log, str(file))


def _open_archive(file: Path) -> Field:
    try:
        with zipfile.ZipFile(file) as archive:
            return _read_archive(archive, file)
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {error.strerror or error}") from None
    except NotImplementedError:
        raise InputError(
            f"{file}: is packed with Zstandard, which Python reads from 3.14 on: install "
            "inspect-ai, or write the log as JSON (inspect log convert --to json)"
        ) from None
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, KeyError) as error:
        raise InputError(f"{file}: expected a log of Inspect, a zip archive: {error}") from None


def _read_archive(archive: zipfile.ZipFile, file: Path) -> Field:
    names = archive.namelist()
    # A run that was cut short has no header, but what it began with.
    head = "header.json" if "header.json" in names else "_journal/start.json"
    log: Any = dict(parse_json(archive.read(head), f"{file}: {head}").require("eval").value)
    samples = [name for name in names if name.startswith("samples/") and name.endswith(".json")]
    read = [parse_json(archive.read(name), f"{file}: {name}").value for name in samples]
    return Field({"eval": log, "samples": read}, str(file))


def _add_sample(collector: Collector, sample: Field, system: str, category: str | None) -> None:
    question = read_prompt(sample.require("input"))
    output = _read_output(sample)
    if sample.find("error") is not None:
        collector.leave_out("samples that ended with an error")
    elif question is None:
        collector.leave_out("without a question at the end of the input")
    elif output is None:
        collector.leave_out("without an output")
    else:
        item: Record = {"id": sample.require("id").text(), **question, "category": category}
        collector.add({**item, "reference": _read_target(sample)}, system, output, sample)


def _read_target(sample: Field) -> str | None:
    target = sample.find("target")
    if target is None:
        return None
    if isinstance(target.value, list):
        return "\n".join(one.text() for one in target)
    return target.text()


def _read_output(sample: Field) -> Any:
    """Return the trajectory where tools were called, and the text of the reply elsewhere."""
    messages = sample.find("messages")
    if messages is not None and is_conversation(messages.value) and _calls_tools(messages):
        return messages.any_value()
    output = sample.find("output")
    if output is None or not output.find("choices", "completion"):
        return None
    reply = read_reply(output)
    completion = output.find("completion")
    return completion.text() if completion and completion.value else reply


def _calls_tools(messages: Field) -> bool:
    return any(message.find("tool_calls") is not None for message in messages)
