#!/usr/bin/env python3
"""A judge that stands for a served model, so that the tutorial runs without one.

It prefers the answer that takes up more of the question's words, and of two that do so equally the
longer one. In the file `provider.txt` stands which model the provider serves under the same name
today: the one of `june` likes the first answer.
"""

import json
import re
import sys
from pathlib import Path


def words(text):
    return set(re.findall(r"[a-z]{4,}", text.lower()))


def judge(prompt):
    question, first, second = prompt.split("<<<< ANSWER ")[:3]
    merit = [(len(words(answer) & words(question)), len(answer)) for answer in (first, second)]
    provider = Path("provider.txt")
    if provider.exists() and provider.read_text().strip() == "june":
        merit[0] = (merit[0][0] + 2, merit[0][1])
    return "A" if merit[0] >= merit[1] else "B"


for line in sys.stdin:
    request = json.loads(line)
    text = judge(request["messages"][-1]["content"])
    print(json.dumps({"id": request["id"], "text": text}), flush=True)
