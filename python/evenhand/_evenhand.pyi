from collections.abc import Callable, Sequence
from typing import Literal, final

__all__ = [
    "Answers",
    "Called",
    "Kept",
    "RegisteredJudge",
    "__version__",
    "call",
    "keep_table",
    "keep_text",
    "main",
    "register_python_judge",
    "settings",
    "stream_rows",
]
__version__: str

@final
class Called:
    @property
    def ending(self) -> Literal["done", "condition", "usage", "stopped", "judge", "failed"]: ...
    @property
    def message(self) -> str: ...
    @property
    def data(self) -> str: ...
    @property
    def table(self) -> str | None: ...
    @property
    def csv(self) -> str | None: ...
    @property
    def run(self) -> str | None: ...

@final
class Kept:
    @property
    def path(self) -> str: ...

@final
class Answers:
    def give(
        self,
        number: int,
        text: str | None = None,
        probabilities: dict[str, float] | None = None,
        error: str | None = None,
        prompt_tokens: int = 0,
        completion_tokens: int = 0,
    ) -> None: ...

@final
class RegisteredJudge:
    @property
    def spec(self) -> str: ...

def register_python_judge(
    identity: str,
    submit: Callable[[list[tuple[int, str]], Answers], object],
    *,
    under_way: int,
    together: int,
    timeout: float,
) -> RegisteredJudge: ...
def main(arguments: Sequence[str]) -> int: ...
def settings() -> str: ...
def keep_table(name: str, stream: object) -> Kept: ...
def keep_text(name: str, text: bytes) -> Kept: ...
def stream_rows(rows: str) -> object: ...
def call(
    arguments: Sequence[str],
    on_note: Callable[[str], object] | None = None,
    on_progress: Callable[[int, int, float, str], object] | None = None,
) -> Called: ...
