"""Tries the installed package on the processor that runs this.

try_wheel.py MODEL KERNELS SCORES PROTOCOL..: the model must judge by each protocol, with the kernels
of that name (haswell, ..) in use. SCORES is a file, written by the first to come, that the others
are held to.
"""

import json
import math
import sys
import tempfile
import time
import warnings
from pathlib import Path

import evenhand

BATTLES = [
    {"model_a": "x", "model_b": "y", "winner": "model_a"},
    {"model_a": "y", "model_b": "x", "winner": "tie"},
    {"model_a": "x", "model_b": "y", "winner": "model_a"},
]
DATA = {
    "items": [{"id": "0", "instruction": "Name a bird."}, {"id": "1", "instruction": "Name a fish."}],
    "responses": [
        {"item": "0", "system": "one", "output": "The blackbird."},
        {"item": "0", "system": "two", "output": "Wren, or robin: both sing."},
        {"item": "1", "system": "one", "output": "The trout of the brook."},
        {"item": "1", "system": "two", "output": "Pike."},
    ],
}
# Kernels round differently: by 0.011 between those of SSE4.2 and AVX-512. Other weights in any one
# matrix of the model changed some score by 0.034 to 1.
TOLERANCE = 0.03


def check_leaderboard():
    """Two wins and a tie of three between two systems: odds of 5 to 1."""
    scores = evenhand.leaderboard(BATTLES, ci="none").scores
    assert math.isclose(scores["x"] - scores["y"], 400 * math.log10(5), abs_tol=1e-6), scores


def judge_by(protocol, model, folder):
    """Returns the number that each verdict comes to."""
    run = evenhand.rank(DATA, judge=f"gguf:{model}", protocol=protocol, threads=1, ci="none", run=folder)
    assert run.failures == {}, run.failures
    verdicts = {f"{protocol} {one.item} {one.first}": one.verdict for one in run.judgments}
    assert verdicts
    return {key: verdict.get("score", verdict.get("first")) for key, verdict in verdicts.items()}


def libraries_in_use():
    """Returns the names of our libraries in this process."""
    mapped = {Path(line.split()[-1]) for line in Path("/proc/self/maps").read_text().splitlines()}
    package = Path(evenhand.__file__).parent.resolve()
    return {path.name for path in mapped if path.parent == package / "_lib"}


def check_libraries(kernels):
    """The kernels are those asked for, and the rest has names that no other package's libraries have."""
    rest = {f"lib{name}.so.evenhand" for name in ("ggml", "ggml-base", "llama")}
    assert libraries_in_use() == rest | {f"libggml-cpu-{kernels}.so"}, libraries_in_use()


def hold_to(path, scores):
    """Returns how far the scores are from those of the first that was tried."""
    if not path.exists():
        path.write_text(json.dumps(scores))
    first = json.loads(path.read_text())
    apart = max(abs(score - first[key]) for key, score in scores.items())
    assert apart < TOLERANCE, (scores, first)
    return apart


def main(model, kernels, path, *protocols):
    began = time.monotonic()
    warnings.simplefilter("ignore", evenhand.EvenhandWarning)
    check_leaderboard()
    scores = {}
    with tempfile.TemporaryDirectory() as folder:
        for at, protocol in enumerate(protocols):
            scores |= judge_by(protocol, model, f"{folder}/{at}")
    check_libraries(kernels)
    apart = hold_to(Path(path), scores)
    seconds = time.monotonic() - began
    print(f"{kernels}: {len(scores)} verdicts in {seconds:.1f} s, at most {apart:.4f} from the first")


main(*sys.argv[1:])
