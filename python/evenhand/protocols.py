"""Protocols written in Python: how a judge is asked, and how its reply is read.

A protocol is a function of a view and of ``ask``. It is run again from the top whenever a reply has
arrived, so it must do the same whenever it gets the same replies: no clock, no chance, no state of its
own. In return it is resumed, replayed and estimated like any protocol of the library.

>>> import evenhand
>>> @evenhand.protocol(form="pairwise", rounds=1)
... def better(view, ask):
...     shown = ask.between_marks(INSTRUCTION=view.instruction, A=view.responses[0], B=view.responses[1])
...     reply = ask.one(f"{shown}\\n\\nWhich answer is better? Reply with A or B.", options=["A", "B"])
...     return {"A": "first", "B": "second"}.get(reply.text.strip())
>>> better.name
'better'
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from evenhand import _evenhand
from evenhand.errors import InputError

__all__ = ["Answer", "Ask", "PythonProtocol", "Refused", "Unparsed", "View", "protocol"]


class Unparsed(Exception):
    """Raised by a protocol: the judge's reply states no verdict. A failure, never a tie."""


class Refused(Exception):
    """Raised by a protocol: the judge declined to answer. A failure, never a low score."""


class _Pending(BaseException):
    """Replies are missing. Not an ``Exception``: a protocol's own handlers must not catch it."""


@dataclass(frozen=True)
class View:
    """What a judge may see: an item, and the responses in the order of their slots."""

    #: ``id``, ``instruction``, ``messages``, ``reference``, ``category``.
    item: Mapping[str, Any]
    responses: Sequence[str]

    @property
    def instruction(self) -> str:
        """The last message of the user."""
        return str(self.item["instruction"])

    @property
    def reference(self) -> str | None:
        """The reference answer; None where the item has none."""
        reference = self.item["reference"]
        return None if reference is None else str(reference)


@dataclass(frozen=True)
class Answer:
    """What a judge replied."""

    text: str
    #: The probability of each option, where the judge gives them.
    probabilities: Mapping[str, float] | None
    #: ``stop``, ``length`` or ``refusal``.
    finish: str


class Ask:
    """The only way for a protocol to learn anything from a judge."""

    def __init__(self, replies: Sequence[Sequence[Mapping[str, Any]]], break_marks: bool) -> None:
        self._replies = iter(replies)
        self._break_marks = break_marks

    def one(
        self,
        prompt: str | Sequence[Mapping[str, str]],
        *,
        options: Sequence[str] = (),
        after: str = "",
        max_tokens: int | None = None,
    ) -> Answer:
        """Ask one thing, and return the reply.

        Args:
            prompt: the user's message, or several messages with ``role`` and ``content``.
            options: the answers whose probabilities are wanted, where the judge gives them.
            after: the answer is due when the reply ends with this; empty means at once.
            max_tokens: how long the reply may be; by default 8 with options, 1,024 without.
        """
        return self._round([_asked(prompt, options, after, max_tokens)])[0]

    def both(self, first: str, second: str, **settings: Any) -> tuple[Answer, Answer]:
        """Ask two things in one round, each as :meth:`one` does."""
        one, other = self.all([first, second], **settings)
        return one, other

    def all(self, prompts: Sequence[str], **settings: Any) -> list[Answer]:
        """Ask several things in one round, each as :meth:`one` does."""
        return self._round([_asked(prompt, **_settings_of(settings)) for prompt in prompts])

    def between_marks(self, **texts: str) -> str:
        """Show texts between marks that none of them can hold, so that a response cannot pose as the
        prompt around it. All texts of a prompt go into one call.
        """
        labelled = [(label.replace("_", " "), text) for label, text in texts.items()]
        return "\n\n".join(_evenhand.mark_texts(labelled, self._break_marks))

    def _round(self, asked: list[dict[str, Any]]) -> list[Answer]:
        replies = next(self._replies, None)
        if replies is None:
            raise _Pending(asked)
        return [_answer(one, reply) for one, reply in zip(asked, replies, strict=True)]


def _settings_of(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {"options": (), "after": "", "max_tokens": None, **settings}


def _asked(
    prompt: str | Sequence[Mapping[str, str]],
    options: Sequence[str],
    after: str,
    max_tokens: int | None,
) -> dict[str, Any]:
    messages = [{"role": "user", "content": prompt}] if isinstance(prompt, str) else list(prompt)
    usual = 8 if options and not after else 1024
    return {
        "messages": messages,
        "max_tokens": usual if max_tokens is None else max_tokens,
        "options": list(options),
        "after": after,
    }


def _answer(asked: Mapping[str, Any], reply: Mapping[str, Any]) -> Answer:
    shares = reply["probabilities"]
    named = None if shares is None else dict(zip(asked["options"], shares, strict=True))
    return Answer(text=reply["text"], probabilities=named, finish=reply["finish"])


Verdict = str | float | Mapping[str, float] | None
Judging = Callable[[View, Ask], Verdict]


@dataclass(frozen=True)
class PythonProtocol:
    """A protocol, for ``protocol=`` of rank, judge, estimate and the others."""

    function: Judging
    name: str
    form: str
    version: str
    rounds: int
    both_orders: bool
    probabilities: bool

    def register(self, interrupt: Callable[[BaseException], object]) -> _evenhand.RegisteredProtocol:
        """Give the protocol a name for one call of the engine.

        Args:
            interrupt: takes what the function raises that is to end the call.
        """

        def step(view: str, replies: str) -> str:
            try:
                return self.step(view, replies)
            except (KeyboardInterrupt, SystemExit) as error:
                interrupt(error)
                return _failed("invalid", f"{type(error).__name__}: {error}")

        try:
            return _evenhand.register_python_protocol(
                self.name,
                step,
                form=self.form,
                version=self.version,
                rounds=self.rounds,
                both_orders=self.both_orders,
                probabilities=self.probabilities,
            )
        except ValueError as error:
            raise InputError(str(error)) from None

    def step(self, view: str, replies: str) -> str:
        """Run the function from the top with the replies so far, and say how far it came."""
        seen = json.loads(view)
        shown = View(seen["item"], [response["text"] for response in seen["responses"]])
        ask = Ask(json.loads(replies), seen["break_marks"])
        try:
            return json.dumps(_conclude(self.function(shown, ask)))
        except _Pending as pending:
            return json.dumps({"asks": pending.args[0]})
        except Unparsed as error:
            return _failed("unparsed", str(error))
        except Refused as error:
            return _failed("refused", str(error))


def _failed(kind: str, detail: str) -> str:
    return json.dumps({"failed": {"kind": kind, "detail": detail}})


_SHARES = {"first": [1.0, 0.0, 0.0], "tie": [0.0, 1.0, 0.0], "second": [0.0, 0.0, 1.0]}


def _conclude(verdict: Verdict) -> dict[str, Any]:
    if isinstance(verdict, str) and verdict in _SHARES:
        return {"preference": _SHARES[verdict]}
    if isinstance(verdict, Mapping):
        return {"preference": [float(verdict.get(slot, 0.0)) for slot in _SHARES]}
    if isinstance(verdict, (int, float)) and not isinstance(verdict, bool):
        return {"score": float(verdict)}
    if verdict is None:
        return {"failed": {"kind": "unparsed", "detail": "the protocol found no verdict"}}
    _refuse_verdict(verdict)


def _refuse_verdict(verdict: object) -> NoReturn:
    expected = 'expected "first", "second", "tie", their probabilities, a score, or None'
    raise TypeError(f"{expected}; the protocol returned {verdict!r}")


def protocol(
    *,
    form: str = "pairwise",
    name: str | None = None,
    version: str = "1",
    rounds: int = 4,
    both_orders: bool = True,
    probabilities: bool = False,
) -> Callable[[Judging], PythonProtocol]:
    """Make a protocol of a function of a view and of ``ask``.

    The function returns ``"first"``, ``"second"`` or ``"tie"``, their probabilities as a mapping, a
    score for a pointwise form, or None where the reply states no verdict.

    Args:
        form: ``pairwise``, ``pairwise-tie`` or ``pointwise:LOW-HIGH``.
        name: by default the function's own.
        version: raise it when the function comes to other verdicts from the same replies.
        rounds: the most rounds of calls, one after the other.
        both_orders: whether each pair is judged in both orders.
        probabilities: whether it asks for the probabilities of options.

    >>> @protocol(form="pointwise:1-5", rounds=1)
    ... def stars(view, ask):
    ...     reply = ask.one(f"How many stars of 5?\\n\\n{ask.between_marks(ANSWER=view.responses[0])}")
    ...     return float(reply.text) if reply.text.strip() in list("12345") else None
    """

    def make(function: Judging) -> PythonProtocol:
        return PythonProtocol(
            function, name or function.__name__, form, version, rounds, both_orders, probabilities
        )

    return make
