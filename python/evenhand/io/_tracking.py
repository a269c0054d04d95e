"""Rankings in trackers of experiments: MLflow and Weights & Biases."""

from __future__ import annotations

from contextlib import nullcontext
from math import isfinite
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evenhand.results import Ranking

#: Keys of a ranking's JSON that say how it came about.
_SETTINGS = ("judge", "protocol", "design", "aggregation", "seed")


def collect_metrics(ranking: Ranking) -> dict[str, float]:
    """Collect the numbers of a ranking under flat names; what is undefined or infinite is left out.

    Returns:
        ``score/SYSTEM`` and ``rank/SYSTEM``, ``consistency``, ``coverage`` (the share of trials
        with a verdict), ``warnings`` (how many) and ``usage/calls``, ``usage/cost_usd`` and so on.
    """
    found: dict[str, Any] = {}
    for row in ranking:
        found[f"score/{row.system}"] = row.score
        found[f"rank/{row.system}"] = row.rank
    found["consistency"] = (ranking.consistency or {}).get("value")
    found["coverage"] = measure_coverage(ranking)
    found["warnings"] = len(ranking.warnings)
    found |= {f"usage/{name}": value for name, value in ranking.usage.items()}
    numbers = (int, float)
    return {
        name: float(one) for name, one in found.items() if isinstance(one, numbers) and isfinite(one)
    }


def measure_coverage(ranking: Ranking) -> float | None:
    """Return the share of the trials that came to a verdict; None where there is no trial."""
    coverage = ranking.to_dict().get("coverage") or {}
    trials, verdicts = coverage.get("trials"), coverage.get("verdicts")
    return verdicts / trials if trials and verdicts is not None else None


def collect_settings(ranking: Ranking) -> dict[str, str]:
    """Collect what the ranking was made with: judge, protocol, design, aggregation, seed."""
    whole = ranking.to_dict()
    return {name: str(whole[name]) for name in _SETTINGS if whole.get(name) is not None}


def log_mlflow(ranking: Ranking) -> None:
    """Log a ranking to the run of MLflow that is active, or to one of its own.

    Scores, ranks, consistency, coverage and usage become metrics, the judge and the protocol
    parameters, and ``ranking.json`` and the table artifacts. Names that MLflow does not take in
    metrics are spelt with ``_``. Needs ``mlflow`` or ``mlflow-skinny``.

    Examples:
        >>> import evenhand as eh
        >>> battles = [{"model_a": "x", "model_b": "y", "winner": "model_a"}] * 3
        >>> eh.io.log_mlflow(eh.leaderboard(battles, ci="none"))  # doctest: +SKIP
    """
    import mlflow

    with nullcontext() if mlflow.active_run() else mlflow.start_run():
        mlflow.log_params(collect_settings(ranking))
        metrics = collect_metrics(ranking)
        mlflow.log_metrics({_spell_for_mlflow(name): value for name, value in metrics.items()})
        mlflow.log_text(ranking.json(), "ranking.json")
        mlflow.log_text(ranking.table, "ranking.txt")


def _spell_for_mlflow(name: str) -> str:
    return "".join(mark if mark.isalnum() or mark in "_-./ :" else "_" for mark in name)


def log_wandb(ranking: Ranking) -> None:
    """Log a ranking to the run of Weights & Biases that is active, or to one of its own.

    Scores, ranks, consistency, coverage and usage become the run's summary, the judge and the
    protocol its configuration, and the rows a table, ``ranking``. Needs ``wandb``.

    Examples:
        >>> import evenhand as eh
        >>> battles = [{"model_a": "x", "model_b": "y", "winner": "model_a"}] * 3
        >>> eh.io.log_wandb(eh.leaderboard(battles, ci="none"))  # doctest: +SKIP
    """
    import wandb

    with nullcontext(wandb.run) if wandb.run else wandb.init() as run:
        run.config.update(collect_settings(ranking), allow_val_change=True)
        rows = ranking.to_rows()
        columns = list(rows[0]) if rows else []
        table = wandb.Table(columns=columns, data=[list(row.values()) for row in rows])
        run.log({**collect_metrics(ranking), "ranking": table})
