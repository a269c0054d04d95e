"""Files of LLM Comparator: two systems side by side, with a score for each pair of responses."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand._data import Data, Record
from evenhand.errors import InputError
from evenhand.io._collect import identify
from evenhand.io._field import Field, repair_text
from evenhand.io._files import Paths, StrPath, read_each, read_json

if TYPE_CHECKING:
    from evenhand.results import Judgments, Ranking
    from evenhand.store import Judgment

#: The ends of LLM Comparator's scale: the first response is better, the second is.
_BEST = 1.5


def read_llm_comparator(path: Paths, system: str | None = None) -> Data:
    """Read files of LLM Comparator: items, responses, and a battle for each score.

    A score above 0 is a win of the first model, below 0 one of the second, and 0 a tie. An item is
    its prompt, its category the first tag. ``evenhand.leaderboard(data.battles)`` ranks by the
    scores, ``evenhand.rank(data, ..)`` judges anew.

    Args:
        path: one file or several.
        system: the name of the first model, in place of the file's own.

    Raises:
        InputError: a file is not such a file.

    Examples:
        >>> import json, pathlib, evenhand as eh
        >>> example = {"input_text": "Name a colour.", "tags": [], "output_text_a": "Red.",
        ...            "output_text_b": "Blue.", "score": 1.5}
        >>> file = {"models": [{"name": "a"}, {"name": "b"}], "examples": [example]}
        >>> _ = pathlib.Path("pairs.json").write_text(json.dumps(file))
        >>> eh.io.read_llm_comparator("pairs.json")
        Data(1 item, 2 responses, 1 battle; 2 systems)
    """
    return read_each(path, lambda file: _read_file(file, system))


def _read_file(file: Path, system: str | None) -> Data:
    whole = read_json(file)
    models = whole.require("models")
    if len(models.elements()) != 2:
        raise models.refuse("a list of two models")
    names = [model.require("name").text() for model in models]
    if system is not None:
        names[0] = system
    if names[0] == names[1]:
        raise models.refuse("two models of different names; name the first with system=")
    data, seen = Data(), defaultdict[str, int](int)
    for example in whole.require("examples"):
        _add_example(data, example, names, seen)
    return data


def _add_example(data: Data, example: Field, names: list[str], seen: dict[str, int]) -> None:
    question = {"instruction": example.require("input_text").text()}
    item = {"id": _name_item(question, seen), **question, **_read_category(example)}
    data.items.append(item)
    for name, slot in zip(names, "ab", strict=True):
        output = example.require(f"output_text_{slot}").text()
        data.responses.append({"item": item["id"], "system": name, "output": output})
    score = example.find("score")
    if score is not None:
        battle = {"model_a": names[0], "model_b": names[1], "winner": _read_winner(score)}
        data.battles.append({**battle, "question_id": item["id"]})


def _name_item(question: Record, seen: dict[str, int]) -> str:
    """Name an item after what it asks; the second that asks the same has a number."""
    name = identify(question)
    seen[name] += 1
    return name if seen[name] == 1 else f"{name}/{seen[name]}"


def _read_category(example: Field) -> Record:
    tags = example.find("tags")
    elements = tags.elements() if tags else []
    return {"category": elements[0].text()} if elements else {}


def _read_winner(score: Field) -> str:
    if isinstance(score.value, bool) or not isinstance(score.value, (int, float)):
        raise score.refuse("a number")
    if score.value == 0:
        return "tie"
    return "model_a" if score.value > 0 else "model_b"


def write_llm_comparator(
    path: StrPath,
    data: Data,
    judged: Ranking | Judgments | None = None,
    *,
    systems: tuple[str, str] | None = None,
) -> None:
    """Write two systems side by side, for the app of LLM Comparator.

    Args:
        path: the file to write.
        data: the items and the responses, and the battles where nothing is judged.
        judged: a ranking or judgments by pairs with their run: each look of the judge is an
            individual score, with the reply as its rationale.
        systems: the two systems; by default the first two by name.

    Raises:
        InputError: the data have no such systems, or no item that both responded to.

    Examples:
        >>> import json, pathlib, evenhand as eh
        >>> items = [{"id": "1", "instruction": "Name a colour."}]
        >>> responses = [{"item": "1", "system": name, "output": name} for name in ("red", "blue")]
        >>> data = eh.io.Data(items, responses)
        >>> judged = eh.judge(data, judge="simulated", protocol="pairwise")
        >>> eh.io.write_llm_comparator("pairs.json", data, judged)
        >>> json.loads(pathlib.Path("pairs.json").read_text())["models"]
        [{'name': 'blue'}, {'name': 'red'}]
    """
    pair = systems or _choose_pair(data)
    scores = _scores_of_battles(data, pair) if judged is None else _scores_of_run(judged, pair)
    outputs = {(one["item"], one["system"]): one["output"] for one in data.responses}
    examples = [
        _write_example(item, [outputs[item["id"], name] for name in pair], scores[item["id"]])
        for item in data.items
        if all((item["id"], name) in outputs for name in pair)
    ]
    if not examples:
        raise InputError(f"data: expected an item that both {pair[0]!r} and {pair[1]!r} answered")
    schema = [{"name": "item", "type": "string"}]
    whole = {
        "metadata": {"source_path": "evenhand", "custom_fields_schema": schema},
        "models": [{"name": name} for name in pair],
        "examples": examples,
    }
    Path(path).write_text(json.dumps(whole, ensure_ascii=False, indent=1), encoding="utf-8")


def _choose_pair(data: Data) -> tuple[str, str]:
    for pair in combinations(data.systems, 2):
        return pair
    raise InputError("data: expected two systems to show side by side, found fewer")


def _write_example(item: Record, outputs: list[Any], ratings: list[Record]) -> Record:
    total = sum(rating["score"] for rating in ratings)
    return {
        "input_text": _write_text(item.get("instruction") or item.get("messages")),
        "tags": [item["category"]] if item.get("category") else [],
        "output_text_a": _write_text(outputs[0]),
        "output_text_b": _write_text(outputs[1]),
        "score": total / len(ratings) if ratings else None,
        "individual_rater_scores": ratings,
        "custom_fields": {"item": item["id"]},
    }


def _write_text(value: Any) -> str:
    return repair_text(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


Scores = defaultdict[str, list[Record]]


def _scores_of_battles(data: Data, pair: tuple[str, str]) -> Scores:
    scores: Scores = defaultdict(list)
    for battle in data.battles:
        slots = (battle["model_a"], battle["model_b"])
        if set(slots) == set(pair) and "question_id" in battle:
            won = {"model_a": _BEST, "model_b": -_BEST}.get(battle["winner"], 0.0)
            scores[battle["question_id"]].append(_write_rating(won, slots != pair, ""))
    return scores


def _scores_of_run(judged: Ranking | Judgments, pair: tuple[str, str]) -> Scores:
    scores: Scores = defaultdict(list)
    for judgment in _pairs_of(judged.run, pair):
        verdict = judgment.verdict
        won = _BEST * (verdict["first"] - verdict["second"])
        flipped = judgment.first != pair[0]
        scores[judgment.item].append(_write_rating(won, flipped, judgment.reply or ""))
    return scores


def _pairs_of(run: Iterable[Judgment], pair: tuple[str, str]) -> Iterable[Judgment]:
    for judgment in run:
        compared = {judgment.first, judgment.second} == set(pair)
        if compared and isinstance(judgment.verdict, dict) and "second" in judgment.verdict:
            yield judgment


def _write_rating(score: float, flipped: bool, rationale: str) -> Record:
    """Write a score as that of the first system; flipped is a pair shown the other way round."""
    return {
        "is_flipped": flipped,
        "score": -score if flipped else score,
        "rationale": repair_text(rationale),
    }
