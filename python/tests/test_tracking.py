"""Rankings in MLflow and in Weights & Biases, where these are installed; else in stand-ins."""

from __future__ import annotations

import importlib.util
import sys
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import evenhand
from evenhand import io

pytestmark = pytest.mark.filterwarnings("ignore")


def installed(name: str) -> bool:
    """Whether a tracker is installed."""
    return importlib.util.find_spec(name) is not None


@pytest.fixture
def ranking() -> evenhand.Ranking:
    """A ranking with a name that MLflow does not take in metrics, and with one win undefined."""
    names = [("m@1", "y", "model_a"), ("m@1", "y", "model_b"), ("m@1", "y", "model_a")]
    rows = [{"model_a": a, "model_b": b, "winner": winner} for a, b, winner in names]
    return evenhand.leaderboard(rows, ci="none")


@pytest.mark.skipif(not installed("mlflow"), reason="mlflow is not installed")
def test_a_ranking_is_in_mlflow(
    ranking: evenhand.Ranking, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import mlflow

    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow.set_tracking_uri(tmp_path.joinpath("store").as_uri())
    with mlflow.start_run() as run:
        io.log_mlflow(ranking)
    logged = mlflow.get_run(run.info.run_id)
    assert logged.data.metrics["score/m_1"] == pytest.approx(ranking.scores["m@1"])
    assert logged.data.params["aggregation"] == "bradley-terry"
    assert mlflow.artifacts.load_text(f"{run.info.artifact_uri}/ranking.json") == ranking.json()
    io.log_mlflow(ranking)
    assert mlflow.active_run() is None and len(mlflow.search_runs(output_format="list")) == 2


@pytest.mark.skipif(not installed("wandb"), reason="wandb is not installed")
def test_a_ranking_is_in_wandb(
    ranking: evenhand.Ranking, monkeypatch: pytest.MonkeyPatch
) -> None:
    import wandb

    monkeypatch.setenv("WANDB_MODE", "offline")
    with wandb.init() as run:
        io.log_wandb(ranking)
        assert run.summary["score/m@1"] == pytest.approx(ranking.scores["m@1"])
        assert run.config["aggregation"] == "bradley-terry"
    io.log_wandb(ranking)
    assert wandb.run is None and len(list(Path("wandb").glob("offline-run-*"))) == 2


class StandIn(SimpleNamespace):
    """What a tracker was told."""

    def __init__(self) -> None:
        super().__init__(told={}, run=None)
        self.config = SimpleNamespace(update=lambda values, **_: self.told.update(values))
        self.Table = lambda columns, data: (columns, data)

    @contextmanager
    def init(self) -> Any:
        """Begin a run."""
        yield self

    start_run = init
    active_run = lambda self: None  # noqa: E731

    def log(self, values: dict[str, Any]) -> None:
        """Take values."""
        self.told.update(values)

    log_params = log_metrics = log

    def log_text(self, text: str, name: str) -> None:
        """Take a text."""
        self.told[name] = text


def test_a_ranking_is_in_a_stand_in_for_either(
    ranking: evenhand.Ranking, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With stand-ins for the modules, since neither is among what the tests install."""
    for name, log in (("mlflow", io.log_mlflow), ("wandb", io.log_wandb)):
        tracker = StandIn()
        monkeypatch.setitem(sys.modules, name, tracker)
        log(ranking)
        assert tracker.told["rank/y"] == 2 and tracker.told["coverage"] == 1
        assert tracker.told["aggregation"] == "bradley-terry"
    assert tracker.told["ranking"][1][0][0] == "m@1"
