"""Which judge a function is: another code or another value is another judge, and nothing else is."""

from __future__ import annotations

import functools
import itertools
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy
import pytest

import evenhand
from evenhand import EvenhandWarning, Judge, Request
from evenhand._judge_identity import Unreadable, digest_function

SYSTEMS = ["careful", "smollm2-warm"]

#: Modules of a judge called `judge`, no two of which judge alike: what differs is its code, a
#: constant, a default, a closure, an argument of a partial, or something that these name.
DIFFERENT = """
def judge(r): return "A"
---
def judge(r): return "B"
---
def judge(r): return "A" if r else "B"
---
def judge(r): return "A" if not r else "B"
---
def judge(r, answer="A"): return answer
---
def judge(r, answer="B"): return answer
---
def judge(r, *, answer="A"): return answer
---
def judge(r, *, answer="B"): return answer
---
async def judge(r): return "A"
---
async def judge(r): return "B"
---
judge = lambda r: "A"
---
judge = lambda r: "B"
---
def make(answer):
    def judge(r): return answer
    return judge
judge = make("A")
---
def make(answer):
    def judge(r): return answer
    return judge
judge = make("B")
---
def make(answers):
    return lambda r: answers[0]
judge = make(["A", "B"])
---
def make(answers):
    return lambda r: answers[0]
judge = make(["B", "A"])
---
import functools
def always(answer, r): return answer
judge = functools.partial(always, "A")
---
import functools
def always(answer, r): return answer
judge = functools.partial(always, "B")
---
import functools
def always(r, answer): return answer
judge = functools.partial(always, answer="A")
---
import functools
def always(r, answer): return answer
judge = functools.partial(always, answer="B")
---
import functools
def always(answer, r): return answer
judge = functools.partial(functools.partial(always), "C")
---
ANSWER = "A"
def judge(r): return ANSWER
---
ANSWER = "B"
def judge(r): return ANSWER
---
WORDS = {"good": 1, "bad": -1}
def judge(r): return max(WORDS, key=WORDS.get)
---
WORDS = {"good": -1, "bad": 1}
def judge(r): return max(WORDS, key=WORDS.get)
---
LIMIT = 0.5
def judge(r): return "A" if len(r.prompt) > LIMIT else "B"
---
LIMIT = 0.25
def judge(r): return "A" if len(r.prompt) > LIMIT else "B"
---
def answer(): return "A"
def judge(r): return answer()
---
def answer(): return "B"
def judge(r): return answer()
---
def last(): return "A"
def between(): return last()
def judge(r): return between()
---
def last(): return "B"
def between(): return last()
def judge(r): return between()
---
class Words:
    answer = "A"
def judge(r): return Words.answer
---
class Words:
    answer = "B"
def judge(r): return Words.answer
---
class Base:
    def answer(self): return "A"
class Words(Base): pass
def judge(r): return Words().answer()
---
class Base:
    def answer(self): return "B"
class Words(Base): pass
def judge(r): return Words().answer()
---
class Judges:
    @classmethod
    def judge(cls, r): return "A"
judge = Judges.judge
---
class Judges:
    @classmethod
    def judge(cls, r): return "B"
judge = Judges.judge
---
import re
PATTERN = re.compile("a")
def judge(r): return PATTERN.match(r.prompt)
---
import re
PATTERN = re.compile("b")
def judge(r): return PATTERN.match(r.prompt)
---
import re
PATTERN = re.compile("b", re.IGNORECASE)
def judge(r): return PATTERN.match(r.prompt)
---
import math
def judge(r): return "A" if math.floor(1.5) else "B"
---
import math
def judge(r): return "A" if math.ceil(1.5) else "B"
---
import helper
def judge(r): return helper.first()
---
import helper
def judge(r): return helper.second()
---
def judge(r):
    import helper
    return helper.first() or 1
---
def judge(r):
    from helper import second
    return second() or 1
---
def judge(r): return judge.answer
judge.answer = "A"
---
def judge(r): return judge.answer
judge.answer = "B"
---
def judge(r):
    try: return int(r.prompt)
    except ValueError: return "A"
---
def judge(r):
    try: return int(r.prompt)
    except TypeError: return "A"
---
def judge(r): return "A" if r in {"x", "y", "z"} else "B"
---
def judge(r): return "A" if r in {"x", "y", "w"} else "B"
---
def judge(r): return 1
---
def judge(r): return 1.0
---
def judge(r): return True
---
def judge(r): return -0.0
---
def judge(r): return 0.0
---
import enum
class Answer(enum.Enum):
    FIRST = "A"
def judge(r): return Answer.FIRST.value
---
import enum
class Answer(enum.Enum):
    FIRST = "B"
def judge(r): return Answer.FIRST.value
---
find = [1, 2].__contains__
def judge(r): return find(1)
---
find = [2, 3].__contains__
def judge(r): return find(1)
---
add = (1).__add__
def judge(r): return add(1)
---
add = (2).__add__
def judge(r): return add(1)
---
class Prompt:
    "Which is better?"
def judge(r): return Prompt.__doc__
---
class Prompt:
    "Which is worse?"
def judge(r): return Prompt.__doc__
---
import dataclasses
def first(): return "A"
@dataclasses.dataclass
class Config:
    answer: object = first
    words: list = dataclasses.field(default_factory=list)
def judge(r): return Config().answer()
---
import dataclasses
def first(): return "B"
@dataclasses.dataclass
class Config:
    answer: object = first
    words: list = dataclasses.field(default_factory=list)
def judge(r): return Config().answer()
---
import functools
@functools.lru_cache
def judge(r): return "A"
---
import functools
@functools.lru_cache
def judge(r): return "B"
"""
HELPER = 'def first(): return "A"\n\ndef second(): return "B"\n'

#: Writes the digest of each of them, in a process of its own.
DIGEST = """
import sys
sys.path[:0] = [sys.argv[2]]
from evenhand._judge_identity import digest_function
for source in open(sys.argv[1], encoding="utf-8").read().split("---\\n"):
    place = {"__name__": "__main__"}
    exec(compile("\\n" * int(sys.argv[3]) + source, sys.argv[4], "exec"), place)
    print(digest_function(place["judge"]))
"""


def test_every_difference_is_another_judge_and_no_process_is(tmp_path: Path) -> None:
    (tmp_path / "sources.txt").write_text(DIFFERENT, encoding="utf-8")
    found = set()
    for seed, lines, name in (("1", "0", "cell 1"), ("2", "7", "cell 2"), ("3", "0", "judge.py")):
        # Elsewhere, on other lines, at other addresses, and with sets in another order.
        place = tmp_path / seed
        place.mkdir()
        (place / "helper.py").write_text(HELPER, encoding="utf-8")
        line = [sys.executable, "-c", DIGEST, "sources.txt", str(place), lines, name]
        environment = {"PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(evenhand.__file__).parents[1])}
        ran = subprocess.run(line, capture_output=True, text=True, check=True, env=environment)
        found.add(ran.stdout)
    assert len(found) == 1
    digests = found.pop().split()
    sources = DIFFERENT.split("---\n")
    assert len(digests) == len(sources) > 50
    for (one, first), (other, second) in itertools.combinations(zip(sources, digests, strict=True), 2):
        assert first != second, f"{one}\nand\n{other}"


def test_an_edit_of_a_module_that_is_imported_is_another_judge(tmp_path: Path) -> None:
    (tmp_path / "sources.txt").write_text("def judge(r):\n    import helper\n    return helper.first()\n")
    found = []
    for answer in ("A", "B"):
        place = tmp_path / answer
        place.mkdir()
        (place / "helper.py").write_text(f'def first(): return "{answer}"\n', encoding="utf-8")
        line = [sys.executable, "-c", DIGEST, "sources.txt", str(place), "0", "x"]
        environment = {"PYTHONPATH": str(Path(evenhand.__file__).parents[1])}
        ran = subprocess.run(line, capture_output=True, text=True, check=True, env=environment)
        found.append(ran.stdout)
    assert found[0] != found[1]


def test_what_names_itself_or_holds_itself_comes_to_an_end() -> None:
    held: list[Any] = []
    held.append(held)

    def one(request: Request) -> str:
        return other(request) if request else str(held)

    def other(request: Request) -> str:
        return one(request)

    class Chain:
        def __call__(self) -> type:
            return Chain

    def deep(request: Request) -> object:
        return Chain, one

    assert len({digest_function(one), digest_function(other), digest_function(deep)}) == 3


def test_long_chains_of_functions_are_read_to_their_end() -> None:
    def chain(last: str) -> Callable[[Request], str]:
        judge: Callable[[Request], str] = lambda request: last  # noqa: E731
        for _ in range(3000):
            judge = functools.partial(lambda inner, request: inner(request), judge)
            judge = (lambda inner: lambda request: inner(request))(judge)
        return judge

    assert digest_function(chain("A")) == digest_function(chain("A")) != digest_function(chain("B"))


def test_arrays_are_read_by_their_values() -> None:
    def judge_of(weights: Any) -> Callable[[Request], str]:
        return lambda request: str(weights)

    arrays: list[Any] = [
        numpy.arange(6), numpy.arange(6).reshape(2, 3), numpy.arange(6.0), numpy.arange(5), numpy.float64(2),
        numpy.float32(2), numpy.arange(12)[::2], numpy.arange(6)[::-1],
    ]  # fmt: skip
    digests = [digest_function(judge_of(array)) for array in arrays]
    assert len(set(digests)) == len(arrays)
    assert digests == [digest_function(judge_of(array.copy())) for array in arrays]
    with pytest.raises(Unreadable, match="its variable weights is an instance of ndarray"):
        digest_function(judge_of(numpy.array([object()])))


class Fixed:
    """A judge with a state."""

    def __init__(self, answer: str) -> None:
        self.answer = answer

    def __call__(self, request: Request) -> str:
        return self.answer

    def judge(self, request: Request) -> str:
        return self.answer


def with_instance(request: Request, fixed: Fixed = Fixed("A")) -> str:  # noqa: B008
    return fixed(request)


UNREADABLE: list[Any] = [
    Fixed("A"), Fixed("A").judge, functools.partial(Fixed("A")), len, {"A": "B"}.get, with_instance,
    functools.partial(with_instance, fixed=Fixed("B")), str, object(),
]  # fmt: skip


@pytest.mark.parametrize("judge", UNREADABLE, ids=lambda one: type(one).__name__)
def test_what_cannot_be_read_has_no_digest(judge: Any) -> None:
    with pytest.raises(Unreadable):
        digest_function(judge)


def rank(quickstart: Path, judge: Any, **settings: Any) -> evenhand.Ranking:
    """Rank two systems by pairs: 30 trials of one call each."""
    given = {"protocol": "pairwise/direct/single", "systems": SYSTEMS, "rounds": 50, **settings}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EvenhandWarning)
        return evenhand.rank(quickstart, judge=judge, **given)


def asked_now(ranking: evenhand.Ranking) -> int:
    """Read how many calls were made, off the note that says so."""
    note = next(note for note in ranking.notes if "calls made now" in note)
    return int(note.split(" calls made now")[0].rsplit(" ", 1)[1])


def pairs_of_judges() -> Iterator[tuple[str, Callable[[], Any], Callable[[], Any]]]:
    """Two judges of one name, one for A and one for B."""

    def defined(answer: str) -> Any:
        place: dict[str, Any] = {}
        exec(f"def judge(request):\n    return {answer!r}", place)
        return place["judge"]

    def with_lambda(answer: str) -> Any:
        return eval(f"lambda request: {answer!r}")

    def closure(answer: str) -> Any:
        return lambda request: answer

    def partial(answer: str) -> Any:
        return functools.partial(lambda answer, request: answer, answer)

    def batched(answer: str) -> Any:
        return evenhand.batched(7)(lambda requests: [answer for _ in requests])

    def judge_of(answer: str) -> Any:
        return Judge(lambda request: answer)

    for make in (defined, with_lambda, closure, partial, batched, judge_of, Fixed):
        yield make.__name__, functools.partial(make, "A"), functools.partial(make, "B")


@pytest.mark.parametrize(("name", "make_a", "make_b"), list(pairs_of_judges()), ids=lambda one: str(one)[:9])
@pytest.mark.parametrize("run", [None, "runs/x"])
def test_no_judge_is_given_the_verdicts_of_another(
    quickstart: Path, name: str, make_a: Any, make_b: Any, run: str | None
) -> None:
    first = rank(quickstart, make_a())
    second = rank(quickstart, make_b())
    assert asked_now(first) == asked_now(second) == 30
    assert [judgment.reply for judgment in second.judgments] == ["B"] * 30
    again = rank(quickstart, make_a(), run=run)
    assert [judgment.reply for judgment in again.judgments] == ["A"] * 30
    # The same code over the same values is the same judge; of an instance nobody can tell.
    assert asked_now(again) == (30 if name == "Fixed" else 0)


def test_a_name_alone_says_which_judge_it_is(quickstart: Path) -> None:
    first = rank(quickstart, Judge(Fixed("A"), name="fixed"))
    assert first["judge"] == "python:fixed"
    again = rank(quickstart, Judge(Fixed("B"), name="fixed"))
    assert asked_now(again) == 0 and again.scores == first.scores
    assert asked_now(rank(quickstart, Judge(Fixed("B"), name="fixed, edited"))) == 30
    with pytest.raises(evenhand.InputError, match="name=: expected a text"):
        Judge(Fixed("A"), name="")


@pytest.mark.parametrize("judge", [lambda request: "A", Judge(Fixed("A"), name="fixed")])
def test_a_judge_that_was_asked_nothing_is_warned_of(quickstart: Path, judge: Any) -> None:
    given: dict[str, Any] = {"protocol": "pairwise/direct/single", "systems": SYSTEMS, "rounds": 50}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        first = evenhand.rank(quickstart, judge=judge, **given)
    assert not [one for one in caught if "asked nothing" in str(one.message)]
    with pytest.warns(EvenhandWarning, match="was not asked: all of its 30 replies are older"):
        again = evenhand.rank(quickstart, judge=judge, **given)
    assert again.scores == first.scores
    assert [text for text in again.warnings if "was not asked" in text]
    # One more system, and it is asked again, for that system alone.
    more = {**given, "systems": [*SYSTEMS, "smollm2-terse"]}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        larger = evenhand.rank(quickstart, judge=judge, **more)
    assert asked_now(larger) == 60
    assert not [one for one in caught if "asked nothing" in str(one.message)]


def test_other_commands_warn_too(quickstart: Path) -> None:
    given: dict[str, Any] = {"protocol": "pairwise/direct/single", "systems": SYSTEMS}
    judge = Judge(Fixed("A"), name="fixed")
    evenhand.judge(quickstart, judge=judge, **given)
    with pytest.warns(EvenhandWarning, match="was not asked"):
        evenhand.judge(quickstart, judge=judge, **given)
    audited: dict[str, Any] = {"protocol": "pairwise", "systems": SYSTEMS, "items": 3}
    evenhand.audit(quickstart, judge=judge, **audited)
    with pytest.warns(EvenhandWarning, match="was not asked"):
        evenhand.audit(quickstart, judge=judge, **audited)


def test_a_judge_without_an_identity_is_warned_of_before_it_is_asked(quickstart: Path) -> None:
    asked = []

    class Counts:
        def __call__(self, request: Request) -> str:
            asked.append(request)
            return "A"

    with warnings.catch_warnings():
        warnings.simplefilter("error", EvenhandWarning)
        with pytest.raises(EvenhandWarning, match="an instance of .*Counts.*name="):
            evenhand.rank(quickstart, judge=Counts(), protocol="pairwise", systems=SYSTEMS)
    assert not asked
