#!/usr/bin/env python3
"""Writes week1.csv and week2.csv from the quickstart's answers: one row for each answer.

v1 is the small model at a moderate temperature, v2 the same told to be terse, v3 answers written
with care. make_answers.py QUICKSTART
"""

import csv
import json
import sys
from pathlib import Path

SYSTEMS = {"v1": "smollm2-warm", "v2": "smollm2-terse", "v3": "careful"}


def read_lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def write_week(name, versions, items, answers):
    with open(name, "w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["id", "question", "topic", "version", "answer"])
        for item in items:
            for version in versions:
                answer = answers[item["id"], SYSTEMS[version]]
                rows.writerow(
                    [item["id"], item["instruction"], item["category"], version, answer]
                )


folder = Path(sys.argv[1])
items = read_lines(folder / "items.jsonl")
answers = {
    (one["item"], one["system"]): one["output"] for one in read_lines(folder / "responses.jsonl")
}
write_week("week1.csv", ["v1", "v2"], items, answers)
write_week("week2.csv", ["v1", "v2", "v3"], items, answers)
