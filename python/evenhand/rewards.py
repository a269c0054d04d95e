"""Rewards for reinforcement learning: how a judge ranks the completions of one prompt.

Completions of the same prompt are a group. They are compared with each other in both orders, so that
a judge's preference for the first answer cancels, and each is rewarded by its net win rate within the
group: how often it is better than another one, less how often it is worse, from -1 to 1. A completion
whose judgments all fail is rewarded by NaN, never by a low number.
"""

from __future__ import annotations

import asyncio
import json
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil, exp, log2, nan, sqrt
from tempfile import TemporaryDirectory
from typing import Any

from evenhand._commands import judge as judge_trials
from evenhand.errors import EvenhandWarning, InputError, JudgeError
from evenhand.store import Run

#: What a call of a reward decides by itself.
_OWN = frozenset({"data", "design", "run", "texts", "shard", "allow_missing"})


@dataclass(frozen=True)
class Score:
    """What became of one completion."""

    #: Its net win rate against the others of its group, from -1 to 1; NaN where none of its pairs was
    #: judged, or it is alone in its group.
    reward: float
    #: The standard error of the reward: of all pairs by how much their two orders differ (NaN where no
    #: pair has both), else by the posterior of the strengths. A judge that prefers a slot makes that of
    #: all pairs larger than it need be.
    error: float
    #: Its pairs with a verdict.
    pairs: int
    #: Its pairs without one.
    failed: int


class Reward:
    """A judge as a function that rewards completions: what :func:`evenhand.reward` returns.

    ``reward(prompts=…, completions=…)`` is the signature of TRL; :meth:`finalize` is that of an
    environment of verifiers; :meth:`score` gives rewards with their standard errors.
    """

    #: Under which trackers show it.
    __name__ = "evenhand"

    def __init__(self, judge: Any, group: str, settings: dict[str, Any]) -> None:
        self._judge = judge
        self._group, self._size = _parse_group(group)
        self._settings = settings
        self._folder: TemporaryDirectory[str] | None = None
        if settings.get("store") is None:
            self._folder = TemporaryDirectory(prefix="evenhand-rewards-")
            self._settings = {**settings, "store": self._folder.name}

    def __call__(self, prompts: Sequence[Any], completions: Sequence[Any], **_columns: Any) -> list[float]:
        """Return the reward of each completion to the prompt at its place.

        Args:
            prompts: texts or lists of messages; completions of equal prompts are a group.
            completions: texts or lists of messages, as many.
        """
        return [score.reward for score in self.score(prompts, completions)]

    def score(self, prompts: Sequence[Any], completions: Sequence[Any]) -> list[Score]:
        """Return the reward of each completion with its standard error.

        Raises:
            InputError: not as many completions as prompts, or what is neither text nor messages.
            JudgeError: the judge as a whole cannot be used; a judgment that fails is NaN instead.
        """
        if len(prompts) != len(completions):
            raise InputError(
                f"reward(): {len(prompts)} prompts and {len(completions)} completions; expected as many of each"
            )
        groups = _group(prompts, completions)
        for chosen in self._rounds(groups):
            self._compare(groups, chosen)
        precision = _precision(groups)
        spread = _spread(groups, precision)
        scores: list[Score] = [Score(nan, nan, 0, 0)] * len(prompts)
        for group in groups:
            if self._group == "all-pairs":
                own = group.scores_as_seen(precision, spread)
            else:
                own = group.scores_by_strength(precision)
            for text, places in enumerate(group.places):
                for place in places:
                    scores[place] = own[text]
        return scores

    async def finalize(self, task: Any, episode: Any) -> None:
        """Reward the traces of an episode, as ``Env.finalize`` of verifiers does: each gets a reward
        ``evenhand`` and a metric ``evenhand_error``. A trace that failed, or has no verdict, gets no
        reward.
        """
        traces = [trace for trace in episode.traces if not trace.has_error]
        prompts = [task.data.prompt_text] * len(traces)
        replies = [trace.last_reply for trace in traces]
        # A call blocks until all is judged.
        scores = await asyncio.to_thread(self.score, prompts, replies)
        for trace, score in zip(traces, scores, strict=True):
            if score.reward == score.reward:
                trace.record_reward("evenhand", score.reward)
                trace.record_metric("evenhand_error", score.error)

    def _rounds(self, groups: list[_Group]) -> Iterator[list[tuple[int, int, int]]]:
        """Choose the pairs of each round: group, and the two texts. The next round is chosen when this
        one is judged.
        """
        if self._group != "swiss":
            size = self._size if self._group == "anchors" else None
            yield [
                (number, a, b)
                for number, group in enumerate(groups)
                for b in range(len(group.texts))
                for a in range(b if size is None else min(b, size))
            ]
            return
        for _ in range(self._size or max((_swiss_rounds(group) for group in groups), default=0)):
            yield [(number, a, b) for number, group in enumerate(groups) for a, b in group.neighbours()]

    def _compare(self, groups: list[_Group], chosen: list[tuple[int, int, int]]) -> None:
        """Judge these pairs, in both orders. Each is an item of two systems, so that any set of pairs is
        one call.
        """
        if not chosen:
            return
        items, responses = [], []
        for place, (number, a, b) in enumerate(chosen):
            group = groups[number]
            items.append({"id": str(place), **group.item})
            for system, text in (("a", a), ("b", b)):
                responses.append({"item": str(place), "system": system, "output": group.texts[text]})
        looks: list[list[float]] = [[] for _ in chosen]
        with TemporaryDirectory() as folder:
            run, data = f"{folder}/run", {"items": items, "responses": responses}
            try:
                rows = judge_trials(data, judge=self._judge, run=run, **self._settings).to_rows()
            except JudgeError as error:
                if not _is_judged(run, len(chosen)):
                    raise
                # Each was asked and came to nothing: few trials may do so by accident.
                warnings.warn(f"reward(): {error}", EvenhandWarning, stacklevel=4)
                rows = []
        for row in rows:
            if row["p_first"] is not None:
                share = row["p_first"] + row["p_tie"] / 2
                looks[int(row["item"])].append(share if row["first"] == "a" else 1 - share)
        for (number, a, b), found in zip(chosen, looks, strict=True):
            groups[number].looks[a, b] = found


def reward(
    judge: Any,
    *,
    group: str = "all-pairs",
    protocol: Any = "pairwise/direct/swap",
    store: Any = None,
    **settings: Any,
) -> Reward:
    """Make a function that rewards the completions of a prompt by how a judge ranks them.

    Args:
        judge: who compares: a name as of ``evenhand.judge``, or a function.
        group: which completions of a prompt are compared: ``all-pairs``; ``anchors:K``, every one with
            the first K (2 where K is left out); ``swiss:ROUNDS``, each round with one of like standing
            (as many rounds as doublings make the group, where they are left out).
        protocol: how two completions are compared.
        store: a directory, ``s3://`` or ``postgres://`` address where replies are kept for the next
            process; by default they are kept until this one ends.
        settings: any others of ``evenhand.judge``.

    Returns:
        A function of ``prompts`` and ``completions``, for TRL's ``reward_funcs``; its ``finalize`` is
        for environments of verifiers.

    Raises:
        InputError: a ``group`` that is none, and a setting that a reward decides by itself.

    >>> import evenhand as eh
    >>> trees = {"prompts": ["Name a tree."] * 3, "completions": ["Oak", "A car", "Oak"]}
    >>> eh.reward("simulated:accuracy=1")(**trees)
    [0.5, -1.0, 0.5]
    >>> # A judge that always names the first answer says nothing of either.
    >>> eh.reward(lambda request: "A")(**trees)
    [0.0, 0.0, 0.0]
    """
    for name in sorted(_OWN & settings.keys()):
        raise InputError(f"reward(): {name}= is decided by the reward itself; leave it out")
    return Reward(judge, group, {"protocol": protocol, "store": store, "quiet": True, **settings})


def _parse_group(group: str) -> tuple[str, int | None]:
    name, colon, size = group.partition(":")
    fits = name in ("anchors", "swiss") and (not colon or (size.isdecimal() and 0 < int(size) <= 1000))
    if group != "all-pairs" and not fits:
        raise InputError(
            f"reward(): group={group!r}: expected 'all-pairs', 'anchors', 'anchors:K', 'swiss' or 'swiss:ROUNDS'"
        )
    default = 2 if name == "anchors" else None
    return name, int(size) if colon else default


class _Group:
    """The distinct completions of a prompt, and what was said of them."""

    def __init__(self, item: dict[str, Any]) -> None:
        self.item = item
        self.texts: list[str] = []
        #: Where each text stands among the completions of the call.
        self.places: list[list[int]] = []
        #: By two texts, the shares of the first that were seen, one for each order.
        self.looks: dict[tuple[int, int], list[float]] = {}

    def neighbours(self) -> list[tuple[int, int]]:
        """Choose pairs of texts that stand near each other and have not met, each text once."""
        won = [0.0] * len(self.texts)
        for (a, b), looks in self.looks.items():
            for share in looks:
                won[a] += share - 0.5
                won[b] += 0.5 - share
        order = sorted(range(len(self.texts)), key=lambda text: (-won[text], text))
        pairs = []
        while order:
            one = order.pop(0)
            others = [(min(one, text), max(one, text)) for text in order]
            pair = next((pair for pair in others if pair not in self.looks), None)
            if pair is not None:
                pairs.append(pair)
                order.remove(pair[0] if pair[1] == one else pair[1])
        return pairs

    @property
    def shares(self) -> dict[tuple[int, int], float]:
        """By two texts with a verdict, the share of the first, over both orders."""
        return {pair: sum(looks) / len(looks) for pair, looks in self.looks.items() if looks}

    def chances(self, precision: float) -> _Pairs:
        """By two texts with a verdict, the chance of the first by the strengths."""
        strengths, _ = _fit(len(self.texts), self.shares, precision)
        return {(a, b): _logistic(strengths[a] - strengths[b]) for a, b in self.shares}

    def scores_as_seen(self, precision: float, spread: float) -> list[Score]:
        """Score each text by its pairs with a verdict. The variance of a share is `spread` times that of
        two tosses of a coin, whose chance the strengths tell.
        """
        shares, scores = self.shares, []
        chances = self.chances(precision)
        for text, places in enumerate(self.places):
            # Equal texts tie.
            weight, net, variance = len(places) - 1.0, 0.0, 0.0
            for pair, share in shares.items():
                if text in pair:
                    others = len(self.places[pair[0] if pair[1] == text else pair[1]])
                    weight += others
                    net += others * (2 * share - 1 if pair[0] == text else 1 - 2 * share)
                    tosses = chances[pair] * (1 - chances[pair]) / len(self.looks[pair])
                    variance += (2 * others) ** 2 * spread * tosses
            scores.append(self._score(text, net, variance, weight))
        return scores

    def scores_by_strength(self, precision: float) -> list[Score]:
        """Score each text by what its strength is expected to win against all others, met or not (Bradley
        and Terry, 1952, with a normal prior of this precision).
        """
        strengths, covariances = _fit(len(self.texts), self.shares, precision)
        scores = []
        for text, places in enumerate(self.places):
            weight, net, slopes = len(places) - 1.0, 0.0, [0.0] * len(self.texts)
            for other, others in enumerate(self.places):
                if other != text:
                    chance = _logistic(strengths[text] - strengths[other])
                    weight += len(others)
                    net += len(others) * (2 * chance - 1)
                    slopes[text] += len(others) * 2 * chance * (1 - chance)
                    slopes[other] -= len(others) * 2 * chance * (1 - chance)
            owed = [sum(a * b for a, b in zip(slopes, row, strict=True)) for row in covariances]
            variance = sum(a * b for a, b in zip(slopes, owed, strict=True))
            scores.append(self._score(text, net, variance, weight))
        return scores

    def _score(self, text: int, net: float, variance: float, weight: float) -> Score:
        pairs = [pair for pair in self.looks if text in pair]
        judged = sum(1 for pair in pairs if self.looks[pair])
        # Texts that are all equal are known to tie; else a verdict is needed.
        if not judged and (len(self.texts) > 1 or not weight):
            return Score(nan, nan, 0, len(pairs))
        return Score(net / weight, sqrt(variance) / weight, judged, len(pairs) - judged)


_Pairs = dict[tuple[int, int], float]


def _group(prompts: Sequence[Any], completions: Sequence[Any]) -> list[_Group]:
    groups: dict[str, _Group] = {}
    for place, (prompt, completion) in enumerate(zip(prompts, completions, strict=True)):
        item = _item(prompt)
        group = groups.setdefault(json.dumps(item, sort_keys=True), _Group(item))
        text = _text(completion)
        if text not in group.texts:
            group.texts.append(text)
            group.places.append([])
        group.places[group.texts.index(text)].append(place)
    return list(groups.values())


def _item(prompt: Any) -> dict[str, Any]:
    if isinstance(prompt, str):
        return {"instruction": prompt}
    messages = [{"role": message["role"], "content": _text([message])} for message in prompt]
    return {"messages": messages}


def _text(completion: Any) -> str:
    """Return the text of a completion: its own, or that of its messages."""
    if isinstance(completion, str):
        return completion
    texts = []
    for message in completion if isinstance(completion, list | tuple) else [completion]:
        content = message.get("content") if isinstance(message, dict) else None
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        if not isinstance(parts, list):
            raise InputError(
                f"reward(): expected a text, or messages with a text as their content; found {message!r:.200}"
            )
        texts += [part["text"] for part in parts if part.get("type") == "text"]
    return "\n\n".join(texts)


def _is_judged(run: str, pairs: int) -> bool:
    """Tell whether a run has a judgment of each pair."""
    try:
        return len({judgment.item for judgment in Run(run)}) == pairs
    except FileNotFoundError:
        return False


def _swiss_rounds(group: _Group) -> int:
    return ceil(log2(len(group.texts))) if len(group.texts) > 1 else 0


def _spread(groups: list[_Group], precision: float) -> float:
    """Return by how much more, or less, both orders of a pair differ than two tosses of a coin, whose
    chance the strengths tell: 1 where verdicts are such tosses, less where they are probabilities, more
    where the order changes them. NaN where no pair has both. One pair of even coins is added, so that
    a few pairs that agree are not taken for certain.
    """
    seen, expected, pairs = 0.125, 0.125, 0
    for group in groups:
        for pair, chance in group.chances(precision).items():
            looks = group.looks[pair]
            if len(looks) > 1:
                seen += (looks[0] - looks[1]) ** 2 / 4
                expected += chance * (1 - chance) / 2
                pairs += 1
    return seen / expected if pairs else nan


def _precision(groups: list[_Group]) -> float:
    """Return the precision of the prior that makes the shares of all groups most probable (empirical
    Bayes, by expectation and maximisation), as if one more strength of variance 1 were known.
    """
    precision = 1.0
    for _ in range(50):
        count, squares = 1, 1.0
        for group in groups:
            if group.shares:
                strengths, covariances = _fit(len(group.texts), group.shares, precision)
                count += len(strengths)
                squares += sum(strength**2 for strength in strengths)
                squares += sum(row[at] for at, row in enumerate(covariances))
        before, precision = precision, count / squares
        if abs(precision - before) < 0.01 * before:
            break
    return precision


def _fit(count: int, shares: _Pairs, precision: float) -> tuple[list[float], list[list[float]]]:
    """Return the most probable strengths in log-odds, each found in turn by Newton's steps until none
    moves, and their covariances there (Laplace's approximation). A share is of two verdicts.
    """
    strengths = [0.0] * count
    for _ in range(1000):
        moved = 0.0
        for text in range(count):
            slope, curvature = -precision * strengths[text], precision
            for (a, b), share in shares.items():
                if text in (a, b):
                    chance = _logistic(strengths[a] - strengths[b])
                    slope += (share - chance) * (2 if text == a else -2)
                    curvature += 2 * chance * (1 - chance)
            strengths[text] += slope / curvature
            moved = max(moved, abs(slope / curvature))
        if moved < 1e-8:
            break
    curvatures = [[precision if row == column else 0.0 for column in range(count)] for row in range(count)]
    for a, b in shares:
        chance = _logistic(strengths[a] - strengths[b])
        for row, column, sign in ((a, a, 2), (b, b, 2), (a, b, -2), (b, a, -2)):
            curvatures[row][column] += sign * chance * (1 - chance)
    return strengths, _inverse(curvatures)


def _logistic(x: float) -> float:
    return 1 / (1 + exp(-x)) if x > -700 else 0.0


def _inverse(matrix: list[list[float]]) -> list[list[float]]:
    """Invert a positive definite matrix by Gauss and Jordan."""
    size = len(matrix)
    rows = [row[:] + [float(at == column) for column in range(size)] for at, row in enumerate(matrix)]
    for pivot in range(size):
        scale = rows[pivot][pivot]
        rows[pivot] = [cell / scale for cell in rows[pivot]]
        for at in range(size):
            factor = rows[at][pivot]
            if at != pivot and factor:
                rows[at] = [cell - factor * top for cell, top in zip(rows[at], rows[pivot], strict=True)]
    return [row[size:] for row in rows]
