"""Rewards: what a judge says of the completions of a prompt, as numbers that may be trained on."""

from __future__ import annotations

import asyncio
import math
import random
from types import SimpleNamespace
from typing import Any

import pytest

import evenhand as eh
from evenhand.rewards import _Group, _precision, _spread, _swiss_rounds

TREES = {"prompts": ["Name a tree."] * 3, "completions": ["Oak", "A car", "Beech"]}


def names_first(_request: eh.Request) -> str:
    return "A"


def knows_cars(request: eh.Request) -> str:
    """Judge by the place of the car in the prompt, which shows the first answer before the second."""
    first, second = (request.prompt.rfind(text) for text in ("A car", "Oak"))
    if first < 0 or second < 0:
        return "no idea"
    return "B" if first < second else "A"


def test_a_preference_for_the_first_answer_cancels() -> None:
    for group in ("all-pairs", "anchors", "swiss"):
        rewards = eh.reward(names_first, group=group)(**TREES)
        assert rewards == pytest.approx([0, 0, 0], abs=1e-9)


@pytest.mark.filterwarnings("ignore::evenhand.EvenhandWarning")
def test_a_judgment_that_fails_is_no_low_reward() -> None:
    oak, car, beech = eh.reward(knows_cars).score(**TREES)
    assert (oak.reward, oak.pairs, oak.failed) == (1, 1, 1)
    assert (car.reward, car.pairs, car.failed) == (-1, 1, 1)
    assert math.isnan(beech.reward) and math.isnan(beech.error) and beech.failed == 2
    nothing = eh.reward(lambda request: "no idea")(**TREES)
    assert all(math.isnan(reward) for reward in nothing)


def test_equal_completions_are_one_and_groups_are_apart() -> None:
    judge = eh.reward("simulated:accuracy=1")
    prompts = ["Name a tree.", "Name a sea.", "Name a tree.", "Name a tree.", "Name a sea."]
    found = judge.score(prompts, ["Oak", "North", "Oak", "A car", "South"])
    assert found[0] == found[2] and found[0].pairs == 1
    assert sum(found[place].reward for place in (0, 2, 3)) == pytest.approx(0)
    assert found[1].reward == -found[4].reward != 0
    alone, *tied = judge.score(["a", "b", "b"], ["x", "y", "y"])
    assert math.isnan(alone.reward)
    assert [one.reward for one in tied] == [0, 0]
    assert judge([], []) == []


@pytest.mark.filterwarnings("ignore::evenhand.EvenhandWarning")
def test_a_reply_is_asked_for_once(tmp_path: Any) -> None:
    asked = []

    def judge(request: eh.Request) -> str:
        asked.append(request)
        return "A"

    named = eh.Judge(judge, name="counted")
    for _ in range(2):
        eh.reward(named, store=tmp_path)(**TREES)
    assert len(asked) == 6


def test_conversations_are_taken_as_trl_gives_them() -> None:
    prompt = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Name a tree."}]
    completions = [
        [{"role": "assistant", "content": "Oak"}],
        [{"role": "assistant", "content": [{"type": "text", "text": "A car"}]}],
    ]
    reward = eh.reward("simulated:accuracy=1")
    found = reward(
        prompts=[prompt] * 2, completions=completions, completion_ids=[[1], [2]], trainer_state=None
    )
    assert sorted(found) == [-1, 1]
    assert reward.__name__ == "evenhand"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"group": "anchors:0"}, "expected 'all-pairs', 'anchors', 'anchors:K', 'swiss' or 'swiss:ROUNDS'"),
        ({"run": "x"}, "run= is decided by the reward itself"),
    ],
)
def test_settings_are_checked_at_once(given: dict[str, str], said: str) -> None:
    with pytest.raises(eh.InputError, match=said):
        eh.reward("simulated", **given)


@pytest.mark.parametrize("completion", [3, [{"role": "assistant"}], ["text"]])
def test_what_is_no_completion_is_refused(completion: Any) -> None:
    with pytest.raises(eh.InputError, match="expected a text, or messages"):
        eh.reward("simulated")(["a", "a"], ["x", completion])
    with pytest.raises(eh.InputError, match="2 prompts and 1 completions"):
        eh.reward("simulated")(["a", "a"], ["x"])


def test_an_episode_is_rewarded_as_verifiers_does() -> None:
    class Trace(SimpleNamespace):
        def record_reward(self, name: str, value: float) -> None:
            self.rewards = {name: value}

        def record_metric(self, name: str, value: float) -> None:
            self.metrics = {name: value}

    replies = [("Oak", False), ("A car", False), ("", True)]
    traces = [Trace(last_reply=text, has_error=failed, rewards={}) for text, failed in replies]
    task = SimpleNamespace(data=SimpleNamespace(prompt_text="Name a tree."))
    reward = eh.reward("simulated:accuracy=1")
    asyncio.run(reward.finalize(task, SimpleNamespace(traces=traces)))
    assert sorted(trace.rewards.get("evenhand", 0) for trace in traces) == [-1, 0, 1]
    assert traces[2].rewards == {} and traces[0].metrics["evenhand_error"] > 0


def chance(difference: float) -> float:
    return 1 / (1 + math.exp(-difference))


@pytest.mark.parametrize("design", ["all-pairs", "anchors", "swiss"])
@pytest.mark.parametrize("size", [4, 8])
@pytest.mark.parametrize(("slope", "order"), [(0.0, 0.0), (1.5, 0.0), (1.5, 0.8), (4.0, 0.0)])
def test_errors_are_as_large_as_they_are_said_to_be(
    design: str, size: int, slope: float, order: float
) -> None:
    """The mean of both orders of a judge that is random is met within two standard errors: measured misses
    are up to .08 in calls of 40 groups, where .05 are promised by a normal law.
    """
    dice = random.Random(7)
    missed = total = 0
    for _ in range(6):
        groups = []
        for _ in range(20):
            group = _Group({"instruction": ""})
            group.texts = [str(text) for text in range(size)]
            group.places = [[text] for text in range(size)]
            groups.append(group)
        strengths = [[dice.gauss(0, 1) for _ in range(size)] for _ in groups]

        def ask(number: int, a: int, b: int, strengths: list[list[float]] = strengths) -> list[float]:
            ahead = slope * (strengths[number][a] - strengths[number][b])
            orders = (chance(ahead + order), 1 - chance(order - ahead))
            return [float(dice.random() < share) for share in orders]

        for _ in range(_swiss_rounds(groups[0]) if design == "swiss" else 1):
            for number, group in enumerate(groups):
                least = size if design == "all-pairs" else 2
                pairs = [(a, b) for b in range(size) for a in range(min(b, least))]
                for a, b in group.neighbours() if design == "swiss" else pairs:
                    group.looks[a, b] = ask(number, a, b)
        precision = _precision(groups)
        spread = _spread(groups, precision)
        for number, group in enumerate(groups):
            seen = design == "all-pairs"
            scores = group.scores_as_seen(precision, spread) if seen else group.scores_by_strength(precision)
            for text, score in enumerate(scores):
                differences = [
                    slope * (strengths[number][text] - other)
                    for place, other in enumerate(strengths[number])
                    if place != text
                ]
                nets = [chance(ahead + order) - chance(order - ahead) for ahead in differences]
                missed += abs(score.reward - sum(nets) / len(nets)) > 1.96 * score.error
                total += 1
    assert missed / total < (0.11 if size == 4 else 0.09)
