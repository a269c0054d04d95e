"""An example for the documentation of each command's function. The tests run them."""

_DATA = """
>>> import evenhand as eh
>>> items = [
...     {"id": "1", "instruction": "Name a colour."},
...     {"id": "2", "instruction": "Name a tree."},
... ]
>>> responses = [
...     {"item": item["id"], "system": system, "output": f"The {system} answer."}
...     for item in items for system in ("long", "short")
... ]
>>> data = {"items": items, "responses": responses}
"""

#: By the names of the functions in ``evenhand._commands``.
EXAMPLES = {
    "rank": _DATA + """
>>> ranking = eh.rank(data, judge="simulated:accuracy=0.9", protocol="pairwise", run="runs/x")
>>> sorted(ranking.systems)
['long', 'short']
>>> ranking["coverage"]["verdicts"]
4
>>> # A tournament asks about neighbours of the order so far, and not about all pairs.
>>> four = [
...     {"item": str(n), "system": system, "output": f"The {system} answer to {n}."}
...     for n in range(1, 31) for system in ("best", "good", "fair", "poor")
... ]
>>> asked = [{"id": str(n), "instruction": f"Name thing {n}."} for n in range(1, 31)]
>>> for design in ("swiss:2", "swim"):
...     board = eh.rank({"items": asked, "responses": four}, judge="simulated:accuracy=0.9",
...                     protocol="pairwise", design=design, run=f"runs/{design[:4]}-4")
...     print(design, board.systems[0], board["coverage"]["trials"] < 30 * 12)
swiss:2 best True
swim best True
""",
    "leaderboard": """
>>> import evenhand as eh
>>> battles = [
...     {"model_a": "x", "model_b": "y", "winner": "model_a"},
...     {"model_a": "y", "model_b": "x", "winner": "model_a"},
...     {"model_a": "x", "model_b": "y", "winner": "model_a"},
... ]
>>> eh.leaderboard(battles, ci="none").systems
['x', 'y']
>>> # What it is worth to be named first is taken out, and shown with its interval.
>>> battles = [
...     {"model_a": a, "model_b": b, "winner": "model_a" if n % 4 else "model_b"}
...     for n in range(40) for a, b in (("x", "y"), ("y", "x"))
... ]
>>> order = eh.leaderboard(battles, control="order")["style"][0]
>>> order["covariate"], round(order["log_odds"], 2), order["ci"][0] > 0
('order', 1.1, True)
""",
    "judge": _DATA + """
>>> judgments = eh.judge(data, judge="simulated", protocol="pairwise", run="runs/judged")
>>> [(one["item"], one["first"], one["second"]) for one in judgments][:2]
[('1', 'long', 'short'), ('1', 'short', 'long')]
""",
    "merge": _DATA + """
>>> for part in (1, 2):
...     run = f"parts/{part}"
...     judged = eh.judge(data, judge="simulated", protocol="pairwise", shard=(part, 2), run=run)
>>> merged = eh.merge("parts", run="whole")
>>> merged["complete"], merged["verdicts"]
(True, 4)
""",
    "estimate": _DATA + """
>>> estimate = eh.estimate(data, judge="simulated", protocol="pairwise")
>>> estimate["trials"], estimate["calls"]
(4, 4)
""",
    "audit": _DATA + """
>>> card = eh.audit(data, judge="simulated", protocol="pairwise", run="runs/audit")
>>> card["findings"][0]["probe"], card["findings"][0]["unbiased"]
('position', 0.5)
>>> # All pairs of systems of each item, and not one that is drawn.
>>> card = eh.audit(data, judge="simulated:accuracy=0.9,distractor=0.4", protocol="pairwise",
...                 probes="distractors", rewrites="assertive", pairs="all", run="runs/audit-all")
>>> card["pairs"]
'all'
""",
    "check": """
>>> import evenhand as eh
>>> lower = {"instruction_id_list": ["change_case:english_lowercase"], "kwargs": [{}]}
>>> items = [{"id": "1", "instruction": "Name a colour, in lowercase.", "constraints": lower}]
>>> words = {"calm": "red is a colour", "loud": "RED IS A COLOUR"}
>>> responses = [{"item": "1", "system": name, "output": text} for name, text in words.items()]
>>> checked = eh.check({"items": items, "responses": responses})
>>> {row["system"]: row["instruction_strict"] for row in checked["systems"]}
{'calm': 1.0, 'loud': 0.0}
""",
    "align": """
>>> import json, pathlib, evenhand as eh
>>> pair = {"a": "Red is warm. Blue is cold.", "b": "Blue is cold. Red is warm."}
>>> _ = pathlib.Path("pairs.jsonl").write_text(json.dumps(pair))
>>> len(eh.align("pairs.jsonl"))
1
""",
    "compare": _DATA + """
>>> _ = eh.rank(data, judge="simulated", protocol="pairwise", run="compared/x")
>>> change = eh.compare("compared/x", pair="long,short", fail_if="worse(short,long)")
>>> change["systems"][0]["measure"], change["gates"][0]["condition"]
('head-to-head', 'worse(short,long)')
>>> # A judge that is looked at every week, at one false-alarm rate over all looks.
>>> import pathlib
>>> asked = [{"id": str(n), "instruction": f"Name thing {n}."} for n in range(20)]
>>> said = [
...     {"item": str(n), "system": system, "output": f"The {system} answer to {n}."}
...     for n in range(20) for system in ("long", "short")
... ]
>>> _ = pathlib.Path("anchors.txt").write_text("\\n".join(item["id"] for item in asked))
>>> for week in range(3):
...     _ = eh.rank({"items": asked, "responses": said}, judge="simulated:accuracy=0.9",
...                 protocol="pairwise", run=f"weeks/w{week}", no_reuse=True)
>>> looked = eh.compare("weeks/w0", "weeks/w2", anchors="anchors.txt", sequential=True,
...                     earlier=["weeks/w1"], fail_if="drift")
>>> [look["run"] for look in looked["judge_drift"]["looks"]["looks"]]
['weeks/w1', 'weeks/w2']
""",
    "migrate": """
>>> import evenhand as eh
>>> items = [{"id": str(n), "instruction": f"Name thing {n}."} for n in range(40)]
>>> responses = [
...     {"item": str(n), "system": system, "output": f"The {system} answer to {n}."}
...     for n in range(40) for system in ("long", "short")
... ]
>>> _ = eh.rank({"items": items, "responses": responses}, judge="simulated:gap=3",
...             protocol="pairwise", run="judges/old")
>>> moved = eh.migrate("judges/old", judge="simulated:gap=3,seed=1", run="judges/new")
>>> moved["ranking"], moved["judgments_asked"] < moved["judgments"]
('same', True)
""",
    "models_try": """
>>> import evenhand as eh
>>> tried = eh.models_try("simulated:accuracy=1", pairs=40, run="runs/tried")
>>> tried["models"][0]["ways"][0]["accuracy"]["value"], tried["best"]["above_coin"]
(1.0, True)
""",
    "plan": """
>>> import evenhand as eh
>>> planned = eh.plan(difference=5, variance="0.3,0.02,0.1,0.4")
>>> planned["designs"][0]["items"] > 100
True
""",
    "runs": _DATA + """
>>> _ = eh.rank(data, judge="simulated", protocol="pairwise", run="kept/x")
>>> [run["run"] for run in eh.runs("kept").to_dict()]
['kept/x']
""",
    "cite": _DATA + """
>>> _ = eh.rank(data, judge="simulated", protocol="mec+bpc", run="cited/x")
>>> [one["key"] for one in eh.cite("cited/x").to_dict()["citations"]][:2]
['evenhand', 'wang2024large']
""",
    "show": _DATA + """
>>> _ = eh.rank(data, judge="simulated", protocol="pairwise", run="shown/x")
>>> eh.show("shown/x")["counts"]["judgments"]
4
>>> judgment = eh.show("shown/x", 1)
>>> judgment["item"]["text"], [one["system"] for one in judgment["responses"]]
('Name a colour.', ['short', 'long'])
""",
    "judgments": _DATA + """
>>> _ = eh.rank(data, judge="simulated", protocol="pairwise", run="found/x")
>>> found = eh.judgments("found/x", where=["flipped=0", "item=2"])
>>> [(one["trial"], one["instruction"], one["reply"]) for one in found][:1]
[(2, 'Name a tree.', 'A')]
""",
    "batch_export": _DATA + """
>>> written = eh.batch.export(
...     data, judge="openai:gpt-4.1-mini", protocol="pairwise", run="runs/batch", out="requests"
... )
>>> written["files"], written["requests"]
(['requests/batch-001.jsonl'], 4)
""",
    "batch_import": _DATA + """
>>> import json, pathlib
>>> _ = eh.batch.export(
...     data, judge="openai:gpt-4.1-mini", protocol="pairwise", run="runs/sent", out="sent"
... )
>>> message = {"role": "assistant", "content": "A"}
>>> body = {"choices": [{"message": message, "finish_reason": "stop"}]}
>>> sent = pathlib.Path("sent/batch-001.jsonl").read_text().splitlines()
>>> results = [
...     {"custom_id": json.loads(line)["custom_id"], "response": {"status_code": 200, "body": body}}
...     for line in sent
... ]
>>> eh.batch.import_(results, run="runs/sent")["replies"]
4
""",
    "batch_run": _DATA + """
>>> import json, pathlib
>>> asked = dict(judge="openai:gpt-4.1", protocol="pairwise", run="runs/handed")
>>> _ = eh.batch.export(data, **asked, out="handed")
>>> message = {"role": "assistant", "content": "A"}
>>> body = {"choices": [{"message": message, "finish_reason": "stop"}]}
>>> handed = pathlib.Path("handed/batch-001.jsonl").read_text().splitlines()
>>> results = [
...     {"custom_id": json.loads(line)["custom_id"], "response": {"status_code": 200, "body": body}}
...     for line in handed
... ]
>>> _ = eh.batch.import_(results, run="runs/handed")
>>> done = eh.batch.run(data, **asked)  # nothing is missing any more, so nothing is handed in
>>> done["waves"], done["left"]
(0, 0)
""",
    "meta_judge": _DATA + """
>>> labels = [{"item": item["id"], "a": "long", "b": "short", "preferred": "a"} for item in items]
>>> report = eh.meta.judge({**data, "labels": labels}, judge="simulated", protocol="pairwise",
...                        run="runs/labelled")
>>> 0 <= report["accuracy"] <= 1
True
""",
    "meta_bencher": """
>>> import pathlib, evenhand as eh
>>> _ = pathlib.Path("scores.csv").write_text("system,score\\nx,3\\ny,1\\nz,2\\n")
>>> ratings = [{"system": name, "rating": one} for name, one in {"x": 9, "y": 3, "z": 4}.items()]
>>> eh.meta.bencher(ranking="scores.csv", ratings=ratings)["spearman"]
1.0
""",
    "meta_consistency": _DATA + """
>>> portia = "pairwise/direct/portia:3,original-first"
>>> report = eh.meta.consistency(data, judge="simulated", protocol=portia, run="runs/both")
>>> report["pairs"]
2
""",
    "meta_people": """
>>> import evenhand as eh
>>> said = {"1": ["a", "a"], "2": ["b", "b"], "3": ["tie", "a"]}
>>> labels = [
...     {"item": item, "a": "x", "b": "y", "preferred": preferred, "annotator": name}
...     for item, both in said.items() for name, preferred in zip(["ann", "bob"], both)
... ]
>>> people = eh.meta.people(labels=labels)
>>> round(people["agreement"], 2), people["annotators"]
(0.67, 2)
""",
    "meta_conformal": """
>>> import evenhand as eh
>>> said = [{"item": str(n), "system": "x", "score": n % 10} for n in range(60)]
>>> people = [{"item": str(n), "system": "x", "score": 2 * (n % 10)} for n in range(50)]
>>> eh.meta.conformal(recorded=said, labels=people)["line"]["slope"]
2.0
""",
    "meta_fit": _DATA + """
>>> labels = [{"item": item["id"], "a": "long", "b": "short", "preferred": "a"} for item in items]
>>> labelled = {**data, "labels": labels}
>>> try:  # a head reads what the layers of a GGUF model on this machine make of a response
...     report = eh.meta.fit(labelled, judge="simulated", out="head.json")
... except ValueError as error:
...     print("gguf:" in str(error))
True
""",
    "meta_select": """
>>> import evenhand as eh
>>> said = [{"item": str(n), "model_a": "x", "model_b": "y", "winner": "model_a"}
...         for n in range(60)]
>>> eh.meta.select(recorded=said, labels=said)["threshold"]["accepted"]
60
""",
    "meta_self_preference": """
>>> import evenhand as eh, json, pathlib
>>> for judge in ("a", "b", "c"):
...     rows = [
...         {"item": str(n), "system": system, "score": (7 * n * (k + 2) + ord(judge) * n) % 5}
...         for n in range(40) for k, system in enumerate("abcdef")
...     ]
...     _ = pathlib.Path(f"{judge}.jsonl").write_text("\\n".join(map(json.dumps, rows)))
>>> found = eh.meta.self_preference(recorded=["a.jsonl", "b.jsonl", "c.jsonl"])
>>> [row["system"] for row in found["judges"]]
['a', 'b', 'c']
""",
    "meta_study": _DATA + """
>>> import json, pathlib
>>> for name, records in data.items():
...     _ = pathlib.Path(f"{name}.jsonl").write_text("\\n".join(map(json.dumps, records)))
>>> study = '''
... types = ["pairwise"]
... run = "runs/study"
... [inputs.small]
... data = ["items.jsonl", "responses.jsonl"]
... [judges.one]
... spec = "simulated"
... [ratings]
... file = "ratings.csv"
... '''
>>> _ = pathlib.Path("study.toml").write_text(study)
>>> _ = pathlib.Path("ratings.csv").write_text("system,rating\\nlong,9\\nshort,3\\n")
>>> len(eh.meta.study("study.toml")["benchers"]) > 0
True
""",
    "meta_translations": """
>>> import evenhand as eh
>>> items = [
...     {"id": f"{n}-{code}", "question_id": str(n), "language": code, "instruction": f"{n} ({code})"}
...     for n in range(4) for code in ("de", "en")
... ]
>>> responses = [
...     {"item": item["id"], "system": system, "output": f"The {system} answer."}
...     for item in items for system in ("long", "short")
... ]
>>> data = {"items": items, "responses": responses}
>>> found = eh.meta.translations(data, judge="simulated", protocol="pairwise", run="runs/t")
>>> [row["language"] for row in found["languages"]]
['de', 'en']
""",
    "meta_wordings": """
>>> import evenhand as eh, json, pathlib
>>> for shift in range(2):
...     rows = [
...         {"item": str(n), "system": "x", "score": min(4, max(0, n % 5 + (n + shift) % 3 - 1))}
...         for n in range(60)
...     ]
...     file = pathlib.Path(f"wording-{shift}.jsonl")
...     _ = file.write_text("\\n".join(map(json.dumps, rows)))
>>> found = eh.meta.wordings(recorded=["wording-0.jsonl", "wording-1.jsonl"])
>>> len(found["wordings"]), found["reliability"] > 0.5
(2, True)
""",
}


def write_example(name: str) -> str:
    """Write the section of a function's documentation that has its example.

    A command without one still works; a test says that it lacks it.
    """
    lines = EXAMPLES.get(name, "").strip().splitlines()
    kept = [f"    {line}" if line else "" for line in lines if line]
    return "\n".join(["Examples:", *kept]) if kept else ""
