#!/usr/bin/env python3
"""Writes portia_naive.csv: what the exhaustive search of shared/reference/portia_naive.py finds for k = 2 and 3 on every pair of
answers that shared/data/vicuna_bench/portia_pairs.json names as available.

Usage: record_portia.py SHARED > portia_naive.csv   (SHARED: the folder with reference/ and data/; minutes)

The search is the reference's own; only its similarity of two texts is remembered, since it is asked for the same ones again and
again.  Columns: system_a, system_b, question_id, k, score (shortest text of the double), cuts of a, cuts of b (characters, spaces
between); the last three empty where it finds none.
"""
import functools
import gzip
import json
import sys
from pathlib import Path

shared = Path(sys.argv[1])
sys.path.insert(0, str(shared / "reference"))
import portia_naive  # noqa: E402

portia_naive.similarity = functools.lru_cache(1 << 22)(portia_naive.similarity)


def answers(model):
    with gzip.open(shared / f"data/vicuna_bench/answers/{model}.jsonl.gz", "rt") as lines:
        return {row["question_id"]: row["answer"] for row in map(json.loads, lines)}


print("system_a,system_b,question_id,k,score,a,b")
for pair in json.loads((shared / "data/vicuna_bench/portia_pairs.json").read_text()):
    if pair["available"]:
        names = pair["assistant_a"], pair["assistant_b"]
        a, b = map(answers, names)
        for question in sorted(set(a) & set(b)):
            portia_naive.similarity.cache_clear()
            for k in (2, 3):
                found = portia_naive.align(a[question], b[question], k)
                score = "" if found["score"] is None else repr(found["score"])
                cuts = [" ".join(map(str, found[side] or [])) for side in "ab"]
                print(*names, question, k, score, *cuts, sep=",", flush=True)
