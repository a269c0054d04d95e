"""Judges written in Python: any function can judge.

``judge=`` takes a function of one request, sync or async, or one made with :func:`batched`, which
takes a list of them. It returns the text that the judge writes, the probabilities of the answers
that the request names, a number under the protocol ``reward``, or a :class:`Reply`; what it raises is a failed call, which is counted, and
asked again by the next run.

Its replies are kept, and used again for the same judge: one of the same ``name=``, or, without a
name, of the same code over the same values.
"""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evenhand.errors import InputError

__all__ = ["Judge", "Reply", "Request", "batched"]


class Request:
    """What a judge is asked."""

    __slots__ = ("_json", "_parsed")

    def __init__(self, text: str) -> None:
        self._json = text
        self._parsed: dict[str, Any] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the request: its ``messages``, its ``task``, its ``sample``."""
        if self._parsed is None:
            self._parsed = json.loads(self._json)
        return self._parsed

    @property
    def messages(self) -> list[dict[str, str]]:
        """The conversation: each message has a ``role`` and a ``content``."""
        return list(self.to_dict()["messages"])

    @property
    def prompt(self) -> str:
        """The messages as one text."""
        return "\n\n".join(message["content"] for message in self.to_dict()["messages"])

    @property
    def options(self) -> list[str]:
        """The answers whose probabilities are wanted, such as A and B; empty where none are."""
        answers = self.to_dict()["task"].get("answers")
        return [] if answers is None else list(answers["options"])

    @property
    def max_tokens(self) -> int:
        """How long a reply may be, in tokens."""
        return int(self.to_dict()["task"]["decoding"]["max_tokens"])

    @property
    def temperature(self) -> float:
        """The temperature at which the judge is to write."""
        return float(self.to_dict()["task"]["decoding"]["temperature"])

    def __repr__(self) -> str:
        return f"Request({self.prompt[:60]!r}…)"


@dataclass(frozen=True)
class Reply:
    """What a judge says: a text, the probability of each answer, or both; or a reward."""

    text: str | None = None
    probabilities: Mapping[str, float] | None = None
    prompt_tokens: int = 0
    completion_tokens: int = 0
    #: What a reward model gives the answer that the conversation ends with (protocol ``reward``).
    reward: float | None = None


Answer = str | float | Mapping[str, float] | Reply
One = Callable[[Request], Answer | Awaitable[Answer]]
Many = Callable[[list[Request]], Sequence[Answer] | Awaitable[Sequence[Answer]]]


class Judge:
    """A function as a judge, with a say in how it is called.

    Args:
        function: takes a :class:`Request`, or a list of them where ``together`` is above 1.
        name: what makes its replies its own: kept replies are used again for a judge of the same
            name, whatever its code. Change it where the judge becomes another. By default the
            function's own name with a digest of its code, constants, defaults, closure and partial
            arguments, and of whatever of yours these name. Of instances and built-in functions there
            is no digest: without a name, their replies are used again by no other call.
        together: how many requests it takes at a time; each is answered in the list's order.
        concurrency: how many calls of it are under way at a time.
        timeout: after so many seconds a request counts as failed.
    """

    def __init__(
        self,
        function: One | Many,
        *,
        name: str | None = None,
        together: int = 1,
        concurrency: int = 1,
        timeout: float = 600.0,
    ) -> None:
        if not callable(function):
            raise InputError(f"judge=: expected a function, found {type(function).__name__}")
        if name is not None and (not isinstance(name, str) or not name.strip()):
            raise InputError(f"name=: expected a text that is not empty, found {name!r}")
        if isinstance(function, _Batched):
            together = function.size
        if together < 1 or concurrency < 1:
            raise InputError("together= and concurrency=: expected a whole number of at least 1")
        self.function = function
        self.name = name or _name_of(function)
        #: Whether the name was given, and alone says which judge it is.
        self.is_named = name is not None
        self.together = together
        self.concurrency = concurrency
        self.timeout = timeout
        self._takes_many = together > 1 or isinstance(function, _Batched)

    def identify(self) -> tuple[str, str | None]:
        """Return what its replies are kept under, and why no other call may use them again; None
        where others may.
        """
        if self.is_named:
            return f"python:{self.name}", None
        # Imported here, so that `import evenhand` is quick.
        from evenhand._judge_identity import Unreadable, identify_function

        try:
            return f"python:{self.name}:{identify_function(_plain(self.function))}", None
        except Unreadable as error:
            # Equal to nothing: whoever cannot tell two judges apart must not take one for the other.
            return f"python:{self.name}:once-{os.urandom(8).hex()}", str(error)

    def named(self, identity: str) -> Judge:
        """Return the judge under the identity that it had, whatever has become of its function."""
        return Judge(
            self.function,
            name=identity.removeprefix("python:"),
            together=self.together,
            concurrency=self.concurrency,
            timeout=self.timeout,
        )

    def leave(self, identity: str) -> None:
        """Remember that a run under this identity left the function as it is now."""
        if not self.is_named:
            from evenhand._judge_identity import leave_function

            leave_function(_plain(self.function), identity.rpartition(":")[2])

    def pieces(self, requests: list[Any]) -> list[list[Any]]:
        """Cut requests into lists of as many as the function takes at a time."""
        size = self.together
        return [requests[at : at + size] for at in range(0, len(requests), size)]

    def call(self, requests: list[Request]) -> Any:
        """Call the function with the requests of one piece."""
        if self._takes_many:
            return self.function(requests)  # type: ignore[arg-type]
        return self.function(requests[0])  # type: ignore[arg-type]

    def as_list(self, returned: Any) -> Sequence[Any]:
        """Return what the function returned as one answer for each request."""
        if not self._takes_many:
            return [returned]
        if isinstance(returned, (str, Mapping)):
            raise TypeError(f"expected a list of replies, found {type(returned).__name__}")
        return list(returned)


class _Batched:
    """A function of a list of requests, with how many it takes."""

    def __init__(self, function: Many, size: int) -> None:
        self.function = function
        self.size = size

    def __call__(self, requests: list[Request]) -> Any:
        return self.function(requests)


def _plain(function: Any) -> Any:
    return function.function if isinstance(function, _Batched) else function


def batched(size: int) -> Callable[[Many], Many]:
    """Mark a function as one of a list of requests, of up to ``size`` at a time.

    >>> import evenhand
    >>> @evenhand.batched(256)
    ... def first_is_better(requests):
    ...     return ["A"] * len(requests)
    """
    return lambda function: _Batched(function, size)


#: What judges: a function, or a judge made of one.
JudgeLike = Judge | One | Many


def as_judge(value: Any) -> Judge:
    """Return a function as a judge; a judge is one already."""
    if isinstance(value, Judge):
        return value
    return Judge(value)


def _name_of(function: Any) -> str:
    if isinstance(function, _Batched):
        return _name_of(function.function)
    if isinstance(function, functools.partial):
        return f"partial({_name_of(function.func)})"
    module = getattr(function, "__module__", "") or ""
    name = getattr(function, "__qualname__", "") or type(function).__qualname__
    return f"{module}.{name}" if module not in ("", "__main__") else name
