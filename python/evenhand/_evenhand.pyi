from collections.abc import Callable, Sequence
from typing import Any, Literal, final

__all__ = [
    "Answers",
    "Called",
    "Kept",
    "Named",
    "RegisteredJudge",
    "RegisteredProtocol",
    "StatisticsError",
    "__version__",
    "adjust",
    "bradley_terry",
    "call",
    "cohen_kappa",
    "correlate",
    "correlation_interval",
    "keep_table",
    "keep_text",
    "krippendorff_alpha",
    "main",
    "mark_texts",
    "mcnemar",
    "ppi_mean",
    "register_python_judge",
    "register_python_protocol",
    "settings",
    "stream_rows",
    "tau_u",
    "warning_kinds",
    "wilson",
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
    def named(self, name: str) -> Named: ...

@final
class Named:
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
        reward: float | None = None,
    ) -> None: ...
    def drop(self, number: int) -> None: ...

@final
class RegisteredJudge:
    @property
    def spec(self) -> str: ...

def register_python_judge(
    identity: str,
    submit: Callable[[list[tuple[int, str]], Answers], object],
    recall: Callable[[], object],
    *,
    under_way: int,
    together: int,
    timeout: float,
) -> RegisteredJudge: ...
@final
class RegisteredProtocol:
    @property
    def spec(self) -> str: ...

def register_python_protocol(
    name: str,
    step: Callable[[str, str], str],
    *,
    form: str,
    version: str,
    rounds: int,
    both_orders: bool,
    probabilities: bool,
) -> RegisteredProtocol: ...
def mark_texts(texts: list[tuple[str, str]], break_marks: bool) -> list[str]: ...
def main(arguments: Sequence[str]) -> int: ...
def settings() -> str: ...
def warning_kinds() -> list[str]: ...
def keep_table(stream: object) -> Kept: ...
def keep_text(text: bytes) -> Kept: ...
def stream_rows(rows: Sequence[dict[str, Any]], types: Sequence[tuple[str, str]]) -> object: ...
def call(
    arguments: Sequence[str],
    on_note: Callable[[str], object] | None = None,
    on_progress: Callable[[int, int, float, str], object] | None = None,
    interruption: Callable[[], BaseException | None] | None = None,
    abandon: Callable[[], object] | None = None,
) -> Called: ...

class StatisticsError(ValueError): ...

_Plan = tuple[int, float, int]
_PoweredValue = tuple[float, float | None, float | None, float | None]

def correlate(name: str, x: list[float], y: list[float]) -> float: ...
def correlation_interval(
    name: str, x: list[float], y: list[float], plan: _Plan
) -> tuple[float | None, float | None]: ...
def tau_u(
    scores: list[float], ratings: list[tuple[float, float, float]], u: float
) -> tuple[float, float, int]: ...
def cohen_kappa(
    first: list[int], second: list[int], categories: int, weights: str
) -> tuple[float, float | None]: ...
def krippendorff_alpha(
    units: list[list[float | None]], scale: str, level: float
) -> tuple[float, float | None, float | None, int, int]: ...
def mcnemar(only_first: int, only_second: int) -> tuple[float, float]: ...
def wilson(successes: float, trials: float, level: float) -> tuple[float, float, float]: ...
def adjust(name: str, p: list[float]) -> list[float]: ...
def ppi_mean(
    labelled: list[tuple[int, float, float]],
    judged: list[tuple[int, float]],
    power: float | None,
    level: float,
) -> tuple[_PoweredValue, _PoweredValue, float, float | None]: ...
def bradley_terry(
    systems: int, rows: list[tuple[int, int, float, float]], elo: bool
) -> list[float]: ...
