"""One peer, one task, one process: reads battles, computes, writes the scores and the CPU time so far as JSON.

Usage: peer.py PEER TASK BATTLES ROUNDS OUT.json   (TASK: read, fit, sandwich, bootstrap, elo)

Each peer is called as its own documentation calls it, with its own default tolerances; only the number of processes is set to 1.
Scores are written on the Elo scale (400 per factor of ten in odds).
"""
import importlib.util
import json
import multiprocessing
import os
import resource
import sys
import types

import numpy as np
import pandas as pd


def cpu():
    """User and system seconds of this process and of its children that have ended, from its start."""
    both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return {"user": sum(use.ru_utime for use in both), "system": sum(use.ru_stime for use in both)}


def read(path):
    return pd.read_parquet(path) if path.endswith(".parquet") else pd.read_csv(path)


class Evalica:
    """Rust behind Python. Its winners are its own enum, so the column is mapped, as its documentation does."""

    def __init__(self, battles):
        import evalica

        self.peer = evalica
        won = {"model_a": evalica.Winner.X, "model_b": evalica.Winner.Y}
        won |= {"tie": evalica.Winner.Draw, "tie (bothbad)": evalica.Winner.Draw}
        self.data = (battles["model_a"], battles["model_b"], battles["winner"].map(won))

    def fit(self):
        return (400 * np.log10(self.peer.bradley_terry(*self.data).scores)).to_dict()

    def bootstrap(self, rounds):
        # Its default, BCa, takes a jackknife of as many fits as there are battles: percentile, as
        # the others do.
        self.peer.bootstrap(
            self.peer.bradley_terry, *self.data, n_resamples=rounds, bootstrap_method="percentile", random_state=0
        )

    def elo(self):
        return self.peer.elo(*self.data).scores.to_dict()


class ArenaRank:
    """LMArena's package (JAX), with a sandwich and a bootstrap of counts."""

    def __init__(self, battles):
        from arena_rank.models.bradley_terry import BradleyTerry
        from arena_rank.utils.data_utils import PairDataset

        self.model = BradleyTerry
        self.data = PairDataset.from_pandas(battles)

    def result(self, **options):
        model = self.model(n_competitors=len(self.data.competitors))
        return model.compute_ratings_and_cis(self.data, **options)

    def fit(self):
        model = self.model(n_competitors=len(self.data.competitors)).fit(self.data)
        return dict(zip(self.data.competitors, (np.asarray(model.params["ratings"]) * model.alpha).tolist()))

    def sandwich(self):
        found = self.result(ci_method="sandwich")
        rows = zip(found["rating_lower"].tolist(), found["rating_upper"].tolist())
        self.intervals = dict(zip(found["competitors"], rows))
        return dict(zip(found["competitors"], found["ratings"].tolist()))

    def bootstrap(self, rounds):
        # Its pool forks by default, and JAX waits for ever in a forked process: spawn, as JAX's
        # documentation advises.
        multiprocessing.set_start_method("spawn", force=True)
        self.result(ci_method="bootstrap", num_bootstrap=rounds, n_jobs=1)


class FastChat:
    """fschat of PyPI. Modules that its analysis imports for plots and logs, and which need torch, are stand-ins; its fit is its own."""

    def __init__(self, battles):
        import fastchat

        for name, item in [("model", None), ("model.model_registry", "get_model_info"),
                           ("serve.monitor.basic_stats", "get_log_files"),
                           ("serve.monitor.clean_battle_data", "clean_battle_data")]:
            module = sys.modules[f"fastchat.{name}"] = types.ModuleType(f"fastchat.{name}")
            module.__path__ = []
            if item:
                setattr(module, item, None)
        from fastchat.serve.monitor import elo_analysis

        self.peer, self.battles = elo_analysis, battles

    def fit(self):
        return self.peer.compute_elo_mle_with_tie(self.battles).to_dict()

    def bootstrap(self, rounds):
        self.peer.get_bootstrap_result(self.battles, self.peer.compute_elo_mle_with_tie, num_round=rounds)

    def elo(self):
        return self.peer.compute_elo(self.battles)


class FastChatGit:
    """FastChat's later rating_systems.py, which is in its repository and not on PyPI; FASTCHAT_RATING_SYSTEMS names the file."""

    def __init__(self, battles):
        spec = importlib.util.spec_from_file_location("rating_systems", os.environ["FASTCHAT_RATING_SYSTEMS"])
        self.peer = sys.modules["rating_systems"] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.peer)
        self.battles = battles

    def fit(self):
        return self.peer.compute_bt(self.battles).to_dict()

    def bootstrap(self, rounds):
        self.peer.compute_bootstrap_bt(self.battles, rounds, num_cpu=1)

    def elo(self):
        return self.peer.compute_elo(self.battles)


class Choix:
    """It has no ties and no reader: battles become a matrix of points, a tie half to each."""

    def __init__(self, battles):
        codes, self.names = pd.factorize(pd.concat([battles["model_a"], battles["model_b"]]))
        a, b = codes[: len(battles)], codes[len(battles) :]
        won = battles["winner"].map({"model_a": 1.0, "model_b": 0.0}).fillna(0.5).to_numpy()
        self.points = np.zeros((len(self.names), len(self.names)))
        np.add.at(self.points, (a, b), won)
        np.add.at(self.points, (b, a), 1.0 - won)

    def fit(self):
        import choix

        strengths = choix.ilsr_pairwise_dense(self.points, max_iter=1000)
        return dict(zip(self.names, (strengths * 400 / np.log(10)).tolist()))


PEERS = {"evalica": Evalica, "arena-rank": ArenaRank, "fschat": FastChat, "fastchat-git": FastChatGit, "choix": Choix}


def timed_bootstrap(peer, rounds):
    """Twice, with few rounds and with more: the difference is what a round costs, whatever starting costs."""
    few = max(1, rounds // 5)
    before = cpu()
    peer.bootstrap(few)
    between = cpu()
    peer.bootstrap(rounds)
    return {"before": before, "few": few, "between": between, "rounds": rounds, "after": cpu()}


def main():
    name, task, battles, rounds, out = sys.argv[1:]
    data = read(battles)
    result = {"rows": len(data)}
    if task != "read":
        peer = PEERS[name](data)
        if task == "bootstrap":
            result["bootstrap"] = timed_bootstrap(peer, int(rounds))
        else:
            result["scores"] = getattr(peer, task)()
            result["intervals"] = getattr(peer, "intervals", None)
    with open(out, "w") as file:
        json.dump(result, file)


if __name__ == "__main__":
    main()
