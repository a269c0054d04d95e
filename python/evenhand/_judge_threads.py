"""Where functions judge: threads of their own, and one event loop for those that are async."""

from __future__ import annotations

import asyncio
import inspect
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from evenhand.judges import Reply, Request

if TYPE_CHECKING:
    from evenhand._evenhand import Answers
    from evenhand.judges import Judge

#: Requests that are answered together, each with its number, and where the answers go.
Piece = tuple[list[tuple[int, str]], "Answers"]


class JudgeThreads:
    """Calls a judge's function, as many times at once as it allows.

    The threads are daemons: a function that hangs keeps neither the run nor the interpreter. Its
    requests count as failed after the judge's timeout, and another thread takes its place.
    """

    def __init__(self, judge: Judge) -> None:
        self.judge = judge
        self._pieces: SimpleQueue[Piece | None] = SimpleQueue()
        self._threads: list[_JudgeThread] = []
        self._loop = _EventLoop()

    def submit(self, requests: list[tuple[int, str]], answers: Answers) -> None:
        """Take requests, and return at once."""
        self._replace_stuck()
        for piece in self.judge.pieces(requests):
            self._pieces.put((piece, answers))

    def close(self) -> None:
        """Let the threads end once they have nothing to do."""
        for _ in self._threads:
            self._pieces.put(None)
        self._loop.close()

    def _replace_stuck(self) -> None:
        alive = [thread for thread in self._threads if not thread.is_stuck(self.judge.timeout)]
        missing = self.judge.concurrency - len(alive)
        new = [_JudgeThread(self._pieces, self._answer) for _ in range(missing)]
        for thread in new:
            thread.start()
        self._threads = alive + new

    def _answer(self, piece: Piece) -> None:
        requests, answers = piece
        numbers = [number for number, _ in requests]
        try:
            returned = self.judge.call([Request(text) for _, text in requests])
            if inspect.isawaitable(returned):
                returned = self._loop.run(returned)
            give_all(answers, numbers, self.judge.as_list(returned))
        except BaseException as error:  # noqa: BLE001 whatever a function raises is its failure
            for number in numbers:
                answers.give(number, error=describe_error(error))


class _JudgeThread(threading.Thread):
    """Takes pieces until it is told to end."""

    def __init__(self, pieces: SimpleQueue[Piece | None], answer: Callable[[Piece], None]) -> None:
        super().__init__(name="evenhand-judge", daemon=True)
        self._queue = pieces
        self._answer = answer
        self._busy_since: float | None = None

    def run(self) -> None:
        while (piece := self._queue.get()) is not None:
            self._busy_since = time.monotonic()
            self._answer(piece)
            self._busy_since = None

    def is_stuck(self, timeout: float) -> bool:
        """Whether it has been at one piece for longer than that."""
        since = self._busy_since
        return not self.is_alive() or (since is not None and time.monotonic() - since > timeout)


class _EventLoop:
    """One event loop for all calls, so that they can share a client; started when first needed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None

    def run(self, awaitable: Any) -> Any:
        """Wait for an awaitable, on the loop's thread."""
        return asyncio.run_coroutine_threadsafe(_await(awaitable), self._started()).result()

    def close(self) -> None:
        """Stop the loop, where there is one."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._loop.stop)

    def _started(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                run = self._loop.run_forever
                threading.Thread(target=run, name="evenhand-judge-loop", daemon=True).start()
            return self._loop


async def _await(awaitable: Any) -> Any:
    return await awaitable


def give_all(answers: Answers, numbers: Sequence[int], given: Sequence[Any]) -> None:
    """Give each request its answer."""
    if len(given) != len(numbers):
        raise ValueError(f"expected {len(numbers)} replies, found {len(given)}")
    for number, answer in zip(numbers, given, strict=True):
        give(answers, number, answer)


def give(answers: Answers, number: int, answer: Any) -> None:
    """Give one request its answer; what is no answer is an error of that request alone."""
    try:
        _give(answers, number, answer)
    except (TypeError, ValueError, OverflowError) as error:
        answers.give(number, error=f"the judge's reply is not understood: {error}")


def _give(answers: Answers, number: int, answer: Any) -> None:
    if isinstance(answer, str):
        answers.give(number, text=answer)
    elif isinstance(answer, Mapping):
        answers.give(number, probabilities=dict(answer))
    elif isinstance(answer, Reply):
        answers.give(
            number,
            text=answer.text,
            probabilities=None if answer.probabilities is None else dict(answer.probabilities),
            prompt_tokens=answer.prompt_tokens,
            completion_tokens=answer.completion_tokens,
        )
    elif isinstance(answer, BaseException):
        answers.give(number, error=describe_error(answer))
    else:
        expected = "expected a text, a mapping of probabilities or a Reply"
        raise TypeError(f"{expected}, found {type(answer).__name__}")


def describe_error(error: BaseException) -> str:
    """Say what a function raised, in one line."""
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
