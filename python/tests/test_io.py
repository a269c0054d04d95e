"""Files of other tools, as the tools wrote them (python/tests/recorded/README.md)."""

from __future__ import annotations

import importlib.util
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import evenhand
from evenhand import io

RECORDED = Path(__file__).parent / "recorded"
DOCUMENTED = RECORDED / "by-documentation"
SKY = "What colour is a clear sky at noon?"
OUTPUTS = {"plain": "It is blue.", "wordy": "Blue, because air scatters short waves more."}
WITH_INSPECT = importlib.util.find_spec("inspect_ai") is not None

pytestmark = pytest.mark.filterwarnings("ignore::evenhand.EvenhandWarning")


def outputs_to(data: io.Data, question: str = SKY) -> dict[str, Any]:
    """Return what each system responded to a question."""
    asked = [(item["id"], item.get("instruction") or item["messages"][-1]) for item in data.items]
    ids = {id for id, text in asked if text in (question, {"role": "user", "content": question})}
    return {one["system"]: one["output"] for one in data.responses if one["item"] in ids}


def rank(data: io.Data) -> evenhand.Ranking:
    """Rank by pairs."""
    return evenhand.rank(data, judge="simulated", protocol="pairwise")


def test_the_logs_of_inspect_are_data() -> None:
    data = io.read_inspect([RECORDED / "inspect/plain.json", RECORDED / "inspect/wordy.json"])
    assert repr(data) == "Data(2 items, 4 responses; 2 systems)"
    assert outputs_to(data) == {f"mockllm/{name}": text for name, text in OUTPUTS.items()}
    assert [item["reference"] for item in data.items] == ["green\nolive green", "blue"]
    assert rank(data)["coverage"]["verdicts"] == 4


def test_a_log_with_calls_of_tools_is_a_trajectory() -> None:
    data = io.read_inspect(RECORDED / "inspect/tools.json", system="agent")
    assert [one["role"] for one in outputs_to(data)["agent"]][-2:] == ["tool", "assistant"]
    both = data + io.read_inspect(RECORDED / "inspect/plain.json")
    judgment = rank(both).judgment(0)
    assert "add" in judgment.prompt and judgment.verdict is not None


def pack(file: Path, method: int = zipfile.ZIP_DEFLATED) -> Path:
    """Write a log as Inspect packs it: a header, and a file for each sample and epoch."""
    log = json.loads(file.read_text(encoding="utf-8"))
    packed = Path(file.stem).with_suffix(".eval")
    with zipfile.ZipFile(packed, "w", method) as archive:
        for sample in log.pop("samples"):
            name = f"samples/{sample['id']}_epoch_{sample['epoch']}.json"
            archive.writestr(name, json.dumps(sample))
        archive.writestr("header.json", json.dumps(log))
    return packed


def test_a_packed_log_is_read_as_the_plain_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Packed by the test with deflate, as versions before Zstandard did."""
    monkeypatch.setattr("evenhand.io._inspect._has_inspect", lambda: False)
    plain = RECORDED / "inspect/plain.json"
    read, expected = io.read_inspect(pack(plain)), io.read_inspect(plain)
    assert sorted(read.items, key=str) == sorted(expected.items, key=str)
    assert sorted(read.responses, key=str) == sorted(expected.responses, key=str)


@pytest.mark.skipif(not WITH_INSPECT, reason="inspect-ai is not installed")
def test_logs_that_inspect_writes_now_are_data() -> None:
    from inspect_ai.log import read_eval_log, write_eval_log

    log = read_eval_log(str(RECORDED / "inspect/plain.json"))
    write_eval_log(log, "now.eval")
    assert outputs_to(io.read_inspect("now.eval")) == {"mockllm/plain": OUTPUTS["plain"]}
    Path("broken.eval").write_bytes(Path("now.eval").read_bytes()[:300])
    with pytest.raises(evenhand.InputError, match=r"broken\.eval: expected a log of Inspect"):
        io.read_inspect("broken.eval")


def test_other_epochs_are_left_out_and_counted() -> None:
    log = json.loads((RECORDED / "inspect/plain.json").read_text(encoding="utf-8"))
    again = [{**sample, "epoch": 2} for sample in log["samples"]]
    Path("twice.json").write_text(json.dumps({**log, "samples": log["samples"] + again}))
    with pytest.warns(evenhand.EvenhandWarning, match=r"left out: 2 \(of an epoch") as caught:
        assert len(io.read_inspect("twice.json").responses) == 2
    assert caught[0].filename == __file__


def test_samples_of_lm_eval_are_data() -> None:
    (samples,) = (RECORDED / "lm-eval/dummy").glob("samples_colours_2*.jsonl")
    data = io.read_lm_eval(samples)
    assert data.systems == ["dummy"]
    assert data.items[0] == {
        "id": "colours/0",
        "instruction": f"Question: {SKY}\nAnswer:",
        "reference": "blue",
        "category": "colours",
    }
    assert rank(data + io.read_lm_eval(samples, system="twin")).systems


def test_a_task_that_compares_probabilities_has_no_responses() -> None:
    (samples,) = (RECORDED / "lm-eval/dummy").glob("samples_colours_mc_*.jsonl")
    with pytest.raises(evenhand.InputError, match=r"jsonl:1: field `resps\[0\]\[0\]`.*a text"):
        io.read_lm_eval(samples)


def test_results_of_promptfoo_are_data() -> None:
    with pytest.warns(evenhand.EvenhandWarning, match=r"left out: 1 \(without an output\)"):
        data = io.read_promptfoo(RECORDED / "promptfoo/colours.json")
    assert outputs_to(data) == OUTPUTS
    assert data.items[1]["reference"] == "green"
    with pytest.warns(evenhand.EvenhandWarning):
        several = io.read_promptfoo(RECORDED / "promptfoo/two-prompts.json")
    assert several.systems[:2] == ["plain / chat", "plain / {{question}}"]
    assert outputs_to(several)["plain / chat"] == OUTPUTS["plain"]


def test_what_a_test_of_promptfoo_says_of_itself_is_kept() -> None:
    def result(test: dict[str, object], output: str) -> dict[str, object]:
        return {
            "testIdx": 0, "provider": "m", "prompt": {"raw": "Hi?"}, "response": {"output": output},
            "vars": {"category": "greetings"}, "testCase": test,
        }  # fmt: skip

    metadata = {"id": 7, "lang": "en", "_promptfooFileMetadata": {}}
    results = [result({"metadata": metadata}, "Hi."), result({}, "Hello.")]
    Path("r.json").write_text(json.dumps({"results": {"results": results}}), encoding="utf-8")
    first, second = io.read_promptfoo("r.json").items
    assert first["id"] == "7"
    assert first["metadata"] == {"id": 7, "lang": "en"}
    assert first["category"] == second["category"] == "greetings"
    assert len(second["id"]) == 16
    assert "metadata" not in second


def test_lines_of_promptfoo_are_the_same_data() -> None:
    """`promptfoo eval --output results.jsonl` writes a result a line."""
    for name in ("colours", "two-prompts"):
        file = RECORDED / f"promptfoo/{name}.json"
        results = json.loads(file.read_text(encoding="utf-8"))["results"]["results"]
        lines = "".join(json.dumps(result) + "\n" for result in results)
        Path("results.jsonl").write_text(lines, encoding="utf-8")
        Path("list.json").write_text(json.dumps(results), encoding="utf-8")
        whole = io.read_promptfoo(file)
        assert io.read_promptfoo("results.jsonl").by_name() == whole.by_name()
        assert io.read_promptfoo("list.json").by_name() == whole.by_name()
    Path("one.jsonl").write_text(lines.splitlines()[0], encoding="utf-8")
    assert len(io.read_promptfoo("one.jsonl").responses) == 1


def test_logs_of_openai_evals_are_data() -> None:
    logs = sorted((RECORDED / "openai-evals").glob("*.jsonl"))
    data = io.read_openai_evals(logs)
    assert outputs_to(data) == {f"gpt-{name}": text for name, text in OUTPUTS.items()}
    assert [item["reference"] for item in data.items] == ["blue", "green"]
    assert rank(data)["coverage"]["verdicts"] == 4


def test_output_items_of_hosted_evals_are_data() -> None:
    """Written by their documentation: they come from an account."""
    with pytest.warns(evenhand.EvenhandWarning, match="without an output"):
        data = io.read_openai_evals(DOCUMENTED / "openai-output-items.json")
    assert outputs_to(data) == {"plain": OUTPUTS["plain"]}
    assert data.items[0]["reference"] == "blue"


@pytest.mark.parametrize("file", ["langfuse-traces.json", "langfuse-traces.csv"])
def test_traces_of_langfuse_are_data(file: str) -> None:
    """Written by their documentation: Langfuse is a server."""
    data = io.read_langfuse(DOCUMENTED / file, system_from="metadata.variant")
    assert {name: text.replace("\n", " ") for name, text in outputs_to(data).items()} == OUTPUTS
    with pytest.raises(evenhand.InputError, match="`model`, or system= or system_from="):
        io.read_langfuse(DOCUMENTED / file)


def test_observations_of_langfuse_are_data() -> None:
    """Written by the reference of fields of its export to blob storage."""
    with pytest.warns(evenhand.EvenhandWarning) as caught:
        data = io.read_langfuse(DOCUMENTED / "langfuse-observations.jsonl")
    assert outputs_to(data) == OUTPUTS
    text = str(caught[0].message)
    assert "1 (not of the kind GENERATION)" in text and "the user's words" in text


@pytest.mark.parametrize("file", ["phoenix-spans.csv", "phoenix-spans.json"])
def test_spans_of_phoenix_are_data(file: str) -> None:
    """Written by its documentation: Phoenix is a server."""
    data = io.read_phoenix(DOCUMENTED / file)
    assert outputs_to(data) == OUTPUTS
    assert rank(data)["coverage"]["verdicts"] == 2


def test_files_of_llm_comparator_are_read_and_written() -> None:
    data = io.read_llm_comparator(RECORDED / "llm-comparator/pairs.json")
    assert outputs_to(data) == OUTPUTS
    assert [battle["winner"] for battle in data.battles] == ["model_b", "model_b"]
    assert evenhand.leaderboard(data.battles, ci="none").systems == ["wordy", "plain"]
    # Its scores are votes on the pairs, as people's are.
    met = evenhand.meta.judge(data, judge="simulated", protocol="pairwise")
    assert met["n"] == 2
    io.write_llm_comparator("again.json", data)
    assert io.read_llm_comparator("again.json") == data
    exchanged = ("wordy", "plain")
    io.write_llm_comparator("exchanged.json", data, systems=exchanged)
    assert [one["winner"] for one in io.read_llm_comparator("exchanged.json").battles] == [
        "model_a",
        "model_a",
    ]


def test_judgments_are_written_for_llm_comparator() -> None:
    data = io.read_llm_comparator(RECORDED / "llm-comparator/pairs.json")
    longer = evenhand.Judge(lambda request: "B", name="always-second")
    ranking = evenhand.rank(data, judge=longer, protocol="pairwise/direct/swap")
    io.write_llm_comparator("judged.json", data, ranking)
    written = json.loads(Path("judged.json").read_text(encoding="utf-8"))
    ratings = written["examples"][0]["individual_rater_scores"]
    # The judge prefers what it sees second: the first system's score has the sign of its slot.
    assert [(one["is_flipped"], one["score"]) for one in ratings] == [(False, -1.5), (True, 1.5)]
    assert written["examples"][0]["score"] == 0 and ratings[0]["rationale"] == "B"
    with pytest.raises(evenhand.InputError, match="both 'plain' and 'nobody' answered"):
        io.write_llm_comparator("x.json", data, systems=("plain", "nobody"))


def test_texts_that_are_json_stay_texts() -> None:
    """What looks like a message or a request may be what the user wrote, or what was asked for."""
    text = '{"role": "assistant", "content": "x"}'
    result = {"prompt": {"raw": '{"input": "x"}'}, "provider": "m", "response": {"output": text}}
    Path("results.json").write_text(json.dumps({"results": [result]}))
    data = io.read_promptfoo("results.json")
    assert data.items[0]["instruction"] == '{"input": "x"}'
    assert data.responses[0]["output"] == text
    trace = {"input": "x", "output": '{ "colour": "red" }', "model": "m"}
    Path("traces.json").write_text(json.dumps([trace]))
    assert io.read_langfuse("traces.json").responses[0]["output"] == trace["output"]


READERS: list[Callable[..., io.Data]] = [
    io.read_inspect,
    io.read_lm_eval,
    io.read_promptfoo,
    io.read_openai_evals,
    io.read_langfuse,
    io.read_phoenix,
    io.read_llm_comparator,
]
HOSTILE: dict[str, bytes] = {
    "empty": b"",
    "no JSON": b"{'a': 1}",
    "cut short": b'{"results": {"results": [{"prompt"',
    "other bytes": b"\xff\xfe\x00PK\x03\x04",
    "null": b"null",
    "a number": b"17",
    "a list of numbers": b"[1, 2, [3]]",
    "an empty object": b"{}",
    "an empty list": b"[]",
    "nested": b'{"samples": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "lists for objects": b'{"eval": [], "samples": {}, "results": [[]], "models": [1, 2], "data": 3}',
    "objects for texts": b'{"eval": {"model": {}}, "samples": [{"input": {}, "id": {}}],'
    b' "results": [{"prompt": {"raw": {}}, "provider": {}, "response": {"output": {}}}],'
    b' "models": [{"name": {}}, {"name": []}], "examples": [null], "doc_id": {}, "spec": {},'
    b' "type": "sampling", "input": {"messages": {"role": {}}}, "output": {"choices": [[]]}}',
    "a broken number": b'{"doc_id": 1e999, "resps": [[]], "arguments": {}, "data": [NaN]}',
}


@pytest.mark.parametrize("suffix", [".json", ".jsonl", ".csv", ".eval"])
@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("kind", HOSTILE)
def test_a_broken_file_is_named(
    reader: Callable[..., io.Data], kind: str, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evenhand.io._inspect._has_inspect", lambda: False)
    file = Path(f"bad{suffix}")
    file.write_bytes(HOSTILE[kind])
    with pytest.raises(evenhand.InputError, match="bad"):
        reader(file)


@pytest.mark.parametrize("reader", READERS)
def test_a_file_that_is_not_there_is_named(reader: Callable[..., io.Data]) -> None:
    with pytest.raises(evenhand.InputError, match=r"none\.json: cannot be read: No such file"):
        reader("none.json")
    with pytest.raises(evenhand.InputError, match="expected a file or several"):
        reader([])


def test_every_field_of_a_recorded_file_may_be_broken() -> None:
    """Each value in turn becomes another one: data or an InputError, and nothing else."""
    for reader, file in [
        (io.read_inspect, "inspect/tools.json"),
        (io.read_promptfoo, "promptfoo/colours.json"),
        (io.read_openai_evals, "by-documentation/openai-output-items.json"),
        (io.read_llm_comparator, "llm-comparator/pairs.json"),
        (io.read_langfuse, "by-documentation/langfuse-traces.json"),
        (io.read_phoenix, "by-documentation/phoenix-spans.json"),
    ]:
        check_every_field(reader, json.loads((RECORDED / file).read_text(encoding="utf-8")))


def check_every_field(reader: Callable[..., io.Data], whole: Any) -> None:
    """Read a file as often as it has fields, each time with another one broken."""
    values: list[Any] = [None, [], {}, 7, "x", [[]], True, "\ud83d"]
    for number, (holder, key) in enumerate(list_places(whole)):
        kept, holder[key] = holder[key], values[number % 8]
        Path("broken.json").write_text(json.dumps(whole))
        read_whatever_it_is(reader)
        holder[key] = kept


@pytest.fixture(autouse=True)
def read_by_the_file(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Inspect's own reader is slow, and only what is written for it is read by it."""
    if "inspect_writes_now" not in request.node.name:
        monkeypatch.setattr("evenhand.io._inspect._has_inspect", lambda: False)


def read_whatever_it_is(reader: Callable[..., io.Data]) -> None:
    """Read a file that may be broken; what is read can be written as JSON in UTF-8."""
    try:
        data = reader("broken.json")
    except evenhand.InputError as error:
        assert "broken.json" in str(error)
    else:
        json.dumps(data.by_name(), ensure_ascii=False).encode()


#: Long parts of the files that no reader looks into.
UNREAD = ("plan", "stats", "prompts", "tokenUsage", "gradingResult", "metadata", "scores")


def list_places(value: Any) -> list[tuple[Any, Any]]:
    """List the places of a value: each object or list with each of its keys."""
    keys = list(value) if isinstance(value, dict) else range(len(value))
    places = [(value, key) for key in keys]
    inner = [value[key] for key in keys if key not in UNREAD and value[key]]
    inner = [one for one in inner if isinstance(one, (dict, list))]
    return places + [place for one in inner for place in list_places(one)]


def test_data_are_joined_and_conflicts_are_named() -> None:
    one = io.Data([{"id": "1", "instruction": "a"}], [{"item": "1", "system": "x", "output": "o"}])
    other = io.Data([{"id": "1", "instruction": "b"}])
    with pytest.raises(evenhand.InputError, match="item '1': .* two items of this id"):
        one + other
    with pytest.raises(evenhand.InputError, match=r"two responses of 'x'.*system="):
        one + one
    assert repr(io.Data()) == "Data(nothing)"


def test_a_folder_stands_for_its_files(tmp_path: Path) -> None:
    sample = {"id": 1, "epoch": 1, "input": "Name a colour.", "target": "red",
              "output": {"completion": "Red.", "choices": []}}  # fmt: skip
    for folder, model in ((tmp_path / "logs", "m"), (tmp_path / "logs" / "later", "n")):
        folder.mkdir()
        log = {"version": 2, "eval": {"task": "colours", "model": model}, "samples": [sample]}
        (folder / "log.json").write_text(json.dumps(log), encoding="utf-8")
        (folder / "notes.txt").write_text("no log", encoding="utf-8")
    files = sorted((tmp_path / "logs").rglob("*.json"))
    assert evenhand.io.read_inspect(tmp_path / "logs") == evenhand.io.read_inspect(files)
    assert evenhand.io.read_inspect(tmp_path / "logs").systems == ["m", "n"]
    (tmp_path / "empty").mkdir()
    with pytest.raises(evenhand.InputError, match=r"empty: expected a folder with files \*.eval or \*.json"):
        evenhand.io.read_inspect(tmp_path / "empty")
