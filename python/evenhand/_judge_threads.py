"""Where functions judge: threads of their own, and one event loop for those that are async."""

from __future__ import annotations

import asyncio
import inspect
import threading
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from pathlib import Path
from queue import Empty, SimpleQueue
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

    def __init__(self, judge: Judge, is_ending: Callable[[], bool]) -> None:
        """Make the threads of a judge.

        Args:
            judge: whose function they call.
            is_ending: whether the call is about to end, so that nothing more is begun.
        """
        self.judge = judge
        self._is_ending = is_ending
        #: How many requests came.
        self.asked = 0
        #: What the function raised that is to end the call: Ctrl-C, or the interpreter's exit.
        self.interruption: BaseException | None = None
        #: What else it raised first.
        self.first_error: BaseException | None = None
        self._pieces: SimpleQueue[Piece | None] = SimpleQueue()
        self._threads: list[_JudgeThread] = []
        self._loop = _EventLoop()
        # Guards the two below: a piece that is interrupted after the recall is dropped at once.
        self._lock = threading.Lock()
        self._interrupted: list[Piece] = []
        self._is_recalled = False

    def submit(self, requests: list[tuple[int, str]], answers: Answers) -> None:
        """Take requests, and return at once."""
        self.asked += len(requests)
        self._replace_stuck()
        for piece in self.judge.pieces(requests):
            self._pieces.put((piece, answers))

    def recall(self) -> None:
        """Drop what no thread has begun, and what the function was interrupted at: the run is to end.
        What is begun goes on.
        """
        with self._lock:
            self._is_recalled = True
            dropped, self._interrupted = self._interrupted, []
        try:
            while True:
                piece = self._pieces.get_nowait()
                if piece is not None:
                    dropped.append(piece)
        except Empty:
            pass
        for piece in dropped:
            drop(piece)

    def abandon(self) -> None:
        """Drop everything that has no answer, also what is begun."""
        self.recall()
        for thread in self._threads:
            if thread.piece is not None:
                drop(thread.piece)

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
        if self._is_ending():
            self._leave(piece)
            return
        try:
            returned = self.judge.call([Request(text) for _, text in requests])
            if inspect.isawaitable(returned):
                returned = self._loop.run(returned)
            give_all(answers, numbers, self.judge.as_list(returned))
        except (KeyboardInterrupt, SystemExit) as error:
            # No failure of the judge's: whoever waits for the call raises it, and ends the run.
            self.interruption = self.interruption or error
            self._leave(piece)
        except BaseException as error:  # noqa: BLE001 whatever else a function raises is its failure
            self.first_error = self.first_error or error
            for number in numbers:
                answers.give(number, error=describe_error(error))

    def _leave(self, piece: Piece) -> None:
        """Leave a piece without an answer, which is said once the run is to end."""
        with self._lock:
            if not self._is_recalled:
                self._interrupted.append(piece)
                return
        drop(piece)


def drop(piece: Piece) -> None:
    """Say of the requests of a piece that they are not answered."""
    requests, answers = piece
    for number, _ in requests:
        answers.drop(number)


class _JudgeThread(threading.Thread):
    """Takes pieces until it is told to end."""

    def __init__(self, pieces: SimpleQueue[Piece | None], answer: Callable[[Piece], None]) -> None:
        super().__init__(name="evenhand-judge", daemon=True)
        self._queue = pieces
        self._answer = answer
        self._busy_since: float | None = None
        #: The piece that it is at.
        self.piece: Piece | None = None

    def run(self) -> None:
        while (piece := self._queue.get()) is not None:
            self._busy_since = time.monotonic()
            self.piece = piece
            self._answer(piece)
            self.piece = None
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
        future = asyncio.run_coroutine_threadsafe(_await(awaitable), self._started())
        returned = future.result()
        if isinstance(returned, _Interrupted):
            raise returned.error
        return returned

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


@dataclass(frozen=True)
class _Interrupted:
    error: BaseException


async def _await(awaitable: Any) -> Any:
    try:
        return await awaitable
    except (KeyboardInterrupt, SystemExit) as error:
        # Raised in a loop, these end the loop, and whoever waits for the result waits for ever.
        return _Interrupted(error)


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
            reward=None if answer.reward is None else float(answer.reward),
        )
    elif isinstance(answer, Real) and not isinstance(answer, bool):
        answers.give(number, reward=float(answer))
    elif isinstance(answer, BaseException):
        answers.give(number, error=describe_error(answer))
    else:
        expected = "expected a text, a mapping of probabilities, a reward or a Reply"
        raise TypeError(f"{expected}, found {type(answer).__name__}")


def describe_error(error: BaseException) -> str:
    """Say what a function raised, and where, in one line."""
    said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if Path(frame.filename).parent != _HERE]
    # The innermost line may be a library's; the function's own is the first outside this package.
    return f"{said} ({Path(own[0].filename).name}, line {own[0].lineno})" if own else said


_HERE = Path(__file__).parent
