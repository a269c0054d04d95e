"""Sound files of all kinds that the program reads, as it and this script write them, and the commands that read them."""

import gzip
import io
import json
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from damage import BYTES, TEXTS, VALUE, damage

try:
    import pyarrow
    import pyarrow.parquet
except ImportError:
    pyarrow = None

ROOT = Path(__file__).resolve().parents[2]


class Kind:
    def __init__(self, name, file, commands, pack=None, ways=TEXTS):
        self.name, self.file, self.commands = name, file, commands
        self.pack = pack  # makes the file of a damaged text, where it is packed; else the file is the text
        self.ways = ways


def pack_gzip(draw, text, _):
    return gzip.compress(text, mtime=0)


def pack_zip(draw, text, _):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", draw.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))) as archive:
        for name in ("header.json", "samples/1_epoch_1.json"):
            archive.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), text)
    return packed.getvalue()


def pack_zstd(draw, text, _):
    return pyarrow.compress(text, "zstd", asbytes=True)


def pack_parquet(draw, text, sample):
    """The sample's table with a few values of the damaged text in it, written in any of the ways there are."""
    table = pyarrow.parquet.read_table(io.BytesIO(sample))
    rows = table.to_pylist()

    def put(old):
        by_type = {str: words, float: (float("nan"), 1e308, -1.0, 0.0)}
        return draw.choice((None, draw.choice(by_type.get(type(old), (old,)))))

    words = [match[0].strip(b'"').decode(errors="replace") for match in VALUE.finditer(text)] or [""]
    for _ in range(draw.choice((1, 2, 8))):
        row = draw.choice(rows)
        name = draw.choice(list(row))
        if isinstance(row[name], list):
            turns = [{key: put(inner) for key, inner in turn.items()} for turn in row[name]]
            row[name] = turns * draw.choice((0, 1, 3))
        else:
            row[name] = put(row[name])
    packed = io.BytesIO()
    pyarrow.parquet.write_table(
        pyarrow.Table.from_pylist(rows, table.schema), packed, compression=draw.choice(("none", "snappy", "gzip", "zstd", "lz4", "brotli")),
        use_dictionary=draw.random() < 0.5, data_page_version=draw.choice(("1.0", "2.0")), row_group_size=draw.choice((1, 2, 1000)),
        write_statistics=draw.random() < 0.8, write_page_index=draw.random() < 0.3,
    )  # fmt: skip
    return packed.getvalue()


def pack_database(draw, text, sample):
    """The sample's database with a few cells replaced: by nothing, numbers, bytes, or their own text damaged."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.sqlite"
        path.write_bytes(sample)
        db = sqlite3.connect(path)
        # Append-only tables are changed all the same: whoever sends a run can do it.
        triggers = db.execute("select name, sql from sqlite_master where type = 'trigger'").fetchall()
        for name, _ in triggers:
            db.execute(f"drop trigger {name}")
        tables = [
            name
            for (name,) in db.execute(
                "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name"
            )
        ]
        filled = [table for table in tables if db.execute(f"select 1 from {table} limit 1").fetchone()]
        for _ in range(draw.choice((1, 1, 2, 5))):
            table = draw.choice(filled)
            column = draw.choice([row[1] for row in db.execute(f"pragma table_info({table})")])
            held = db.execute(f"select {column} from {table}").fetchall()
            old = draw.choice(held)[0]
            as_text = old.encode(errors="replace") if isinstance(old, str) else str(old).encode()
            new = (None, -1, 2**63 - 1, 1e308, float("inf"), b"\xff\x00", "", text[:1000].decode(errors="replace"))
            own = damage(draw, as_text, [as_text], TEXTS).decode(errors="replace")
            try:
                db.execute(
                    f"update {table} set {column} = ? where {column} is ?", (draw.choice((*new, own, own, own, own, own, own)), old)
                )
            except (sqlite3.Error, OverflowError):
                pass  # A constraint of the table: the others are changed.
        for _, sql in triggers:
            db.execute(sql)
        db.commit()
        db.close()
        return path.read_bytes()


def lines(records):
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records).encode()


def write_samples(program, folder):
    """Writes a folder of sound files for each kind, and returns the kinds."""

    def run(place, command):
        done = subprocess.run([program, *command.split()], cwd=place, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"mutate-inputs: {command}: exit {done.returncode}: {done.stderr[:1000]}")
        return done.stdout.encode()

    kinds = []

    def kind(name, file, commands, files, pack=None, ways=TEXTS):
        place = folder / name.replace(" ", "-")
        place.mkdir(exist_ok=True)
        for at, content in files.items():
            (place / at).parent.mkdir(parents=True, exist_ok=True)
            (place / at).write_bytes(content)
        kinds.append(Kind(name, file, [commands] if isinstance(commands, str) else commands, pack, ways))
        return place

    draw = random.Random(0)
    ids, systems = [f"q{at}" for at in range(6)], ("fox", "owl", "bär")
    items = [
        {
            "id": id,
            "category": draw.choice(("math", "prose")),
            "instruction": f"Say what {id} is.",
            "reference": "42",
            "criteria": ["It is short.", "It is right."],
            "meta": {"lang": "de"},
        }
        for id in ids
    ]
    items[1]["turns"] = ["What is it?", "And why?"]
    responses = [{"item": id, "system": s, "output": f"It is **{id}**, says {s}.\n\n- 1\n- 2"} for id in ids for s in systems]
    for response in responses[3:6]:
        response["turns"] = ["First.", "Second."]
    data = {"data/items.jsonl": lines(items), "data/responses.jsonl": lines(responses)}
    judge = "judge --data data --judge simulated --no-reuse --run out --format json --quiet"
    kind("items", "data/items.jsonl", [judge, judge + " --protocol pointwise:1-5/cot"], data)
    kind(
        "responses",
        "data/responses.jsonl",
        [judge, "estimate --data data --judge simulated --allow-missing", judge + " --skip-bad 3"],
        data,
    )
    table = "item,system,output\n" + "".join(f'{id},{s},"It is ""{id}"", says {s}.\nYes"\n' for id in ids for s in systems)
    kind("responses CSV", "data/responses.csv", judge, {"data/items.jsonl": lines(items), "data/responses.csv": table.encode()})
    array = json.dumps(
        [{"dataset": "d", "instruction": f"Say {id}.", "output": f"{id}!", "generator": s} for id in ids for s in systems], indent=1
    ).encode()
    kind("alpaca outputs", "out.json", judge.replace("--data data", "--data out.json"), {"out.json": array})
    best = [
        {
            "id": id,
            "prompt": f"Say {id}.",
            "chosen": ["right"],
            "rejected": ["no", "nay", "never"],
            "num_correct": 1,
            "subset": "Math",
        }
        for id in ids
    ]
    kind("RewardBench", "best.jsonl", judge.replace("--data data", "--data best.jsonl"), {"best.jsonl": lines(best)})
    chats = [
        {
            "prompt": f"Say {id}.",
            **{
                side: [{"role": "user", "content": "q"}, {"role": "assistant", "content": word}]
                for side, word in (("chosen", "yes"), ("rejected", "no"))
            },
        }
        for id in ids
    ]
    kind("preferences", "chats.jsonl", judge.replace("--data data", "--data chats.jsonl"), {"chats.jsonl": lines(chats)})

    labels = lines(
        {"item": id, "a": "fox", "b": "owl", "preferred": draw.choice(("a", "b", "tie")), "annotator": who}
        for id in ids
        for who in ("ann", "bob")
    )
    place = kind(
        "labels",
        "labels.jsonl",
        [
            "meta judge --recorded judgments.jsonl --labels labels.jsonl --rounds 20",
            "meta people --labels labels.jsonl --rounds 20",
        ],
        {**data, "labels.jsonl": labels},
    )
    judgments = run(place, judge)
    shutil.rmtree(place / "out")
    (place / "judgments.jsonl").write_bytes(judgments)
    kind(
        "judgments",
        "judgments.jsonl",
        ["meta judge --recorded judgments.jsonl --labels labels.jsonl --rounds 20", "leaderboard judgments.jsonl --ci none"],
        {"judgments.jsonl": judgments, "labels.jsonl": labels},
    )
    ours = {
        "question_id": "q",
        "model": "m1",
        "judge": "j",
        "baseline": "m0",
        "games": [{"score": "B>>A", "judgment": "x"}, {"score": "A=B"}],
    }
    kind(
        "Arena-Hard",
        "games.jsonl",
        "leaderboard games.jsonl --ci none",
        {"games.jsonl": lines({**ours, "question_id": id, "model": s} for id in ids for s in systems)},
    )
    marks = [
        {
            "instruction": f"Say {id}.",
            "output_1": "a",
            "generator_1": "fox",
            "output_2": "b c",
            "generator_2": "owl",
            "annotator": "w",
            "preference": draw.choice((1, 2, 1.5, 1.73)),
        }
        for id in ids
    ]
    kind(
        "alpaca annotations",
        "marks.json",
        ["leaderboard marks.json --ci none", "leaderboard marks.json --length-control --ci none"],
        {"marks.json": json.dumps(marks).encode()},
    )
    turns = [
        {
            "question_id": id,
            "model": s,
            "judge": ["gpt-4", "single-v1"],
            "judgment": "[[7]]",
            "score": draw.randint(1, 10),
            "turn": turn,
            "tstamp": 1.5,
        }
        for id in ids
        for s in systems
        for turn in (1, 2)
    ]
    kind("MT-Bench scores", "single.jsonl", "leaderboard single.jsonl --ci none", {"single.jsonl": lines(turns)})
    scores = [
        {"item": id, "system": s, "score": draw.choice((1, 2.5, 4, True, None)), "meta": {"lang": "de"}}
        for id in ids
        for s in systems
    ]
    kind(
        "scores",
        "scores.jsonl",
        ["leaderboard scores.jsonl --rounds 20", "compare scores.jsonl scores.jsonl --rounds 20"],
        {"scores.jsonl": lines(scores)},
    )
    table = "item,system,score\n" + "".join(f"{id},{s},{draw.randint(1, 9)}\n" for id in ids for s in systems)
    kind("scores CSV", "scores.csv", "leaderboard scores.csv --rounds 20", {"scores.csv": table.encode()})

    outcomes = ("model_a", "model_b", "tie", "tie (bothbad)")
    fights = [
        {
            "model_a": a,
            "model_b": b,
            "winner": draw.choice(outcomes),
            "language": draw.choice(("de", "en")),
            "weight": 1.0,
            "turn": 1,
        }
        for _ in ids
        for a in systems
        for b in systems
        if a != b
    ]
    for fight in fights:
        fight["conversation_a"] = [{"role": "user", "content": "q"}, {"role": "assistant", "content": "# Head\n- an answer"}]
        fight["conversation_b"] = [{"role": "user", "content": "q"}, {"role": "assistant", "content": "another one"}]
        fight["text_a"], fight["text_b"], fight["tag"] = (
            "# Head\n- an answer",
            "**another** " * draw.randint(1, 9),
            {"math_v0.1": {"math": draw.random() < 0.5}},
        )
    flat = [{key: fight[key] for key in ("model_a", "model_b", "winner", "language", "weight")} for fight in fights]
    table = ("model_a,model_b,winner,language,weight\n" + "".join(",".join(map(str, row.values())) + "\n" for row in flat)).encode()
    rank = "leaderboard {} --ci none"
    styled = " --texts text_a,text_b --control length,bold"
    kind(
        "battles CSV",
        "battles.csv",
        [rank.format("battles.csv"), rank.format("battles.csv --by language"), rank.format("battles.csv --weight weight")],
        {"battles.csv": table},
    )
    kind(
        "battles",
        "battles.jsonl",
        [
            rank.format("battles.jsonl"),
            rank.format("battles.jsonl --skip-bad 5"),
            "leaderboard battles.jsonl" + styled,
            rank.format("battles.jsonl --by tag.math_v0.1.math"),
        ],
        {"battles.jsonl": lines(fights[:12])},
    )
    kind("battles, one array", "battles.json", rank.format("battles.json"), {"battles.json": json.dumps(flat, indent=2).encode()})
    kind("battles, gzip", "battles.csv.gz", rank.format("battles.csv.gz"), {"battles.csv.gz": table}, pack_gzip)
    kind("battles, zip", "log.eval", rank.format("log.eval"), {"log.eval": table}, pack_zip)
    counts = "model_a,model_b,wins_a,wins_b,ties\nfox,owl,3,4,1\nowl,bär,5,0,2\nfox,bär,1,1,1\n".encode()
    kind("counts", "counts.csv", ["leaderboard counts.csv --counts --ci none"], {"counts.csv": counts})
    if pyarrow:
        kind("battles, zstd", "battles.csv.zst", rank.format("battles.csv.zst"), {"battles.csv.zst": table}, pack_zstd)
        for name, rows, commands in (
            ("Parquet", flat, [rank.format("battles.parquet"), rank.format("battles.parquet --by language")]),
            (
                "Parquet, nested",
                fights[:12],
                [
                    rank.format("battles.parquet"),
                    "leaderboard battles.parquet" + styled,
                    rank.format("battles.parquet --by tag.math_v0.1.math"),
                ],
            ),
        ):
            packed = io.BytesIO()
            pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), packed, row_group_size=5, write_page_index=True)
            kind(name, "battles.parquet", commands, {"battles.parquet": packed.getvalue()}, pack_parquet)
        packed = io.BytesIO()
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(responses), packed)
        kind(
            "responses, Parquet",
            "data/responses.parquet",
            judge,
            {"data/items.jsonl": lines(items), "data/responses.parquet": packed.getvalue()},
            pack_parquet,
        )

    place = kind(
        "board",
        "board.json",
        [
            "leaderboard battles.csv --update board.json --date 2026-01-02 --ci none",
            "leaderboard --update board.json --date 2026-01-02 --ci none",
        ],
        {"battles.csv": table.replace(b"fox", b"elk")},
    )
    (place / "first.csv").write_bytes(table)
    run(place, "leaderboard first.csv --update board.json --date 2026-01-01 --ci none")
    (place / "first.csv").unlink()
    rank_run = "rank --data data --judge simulated --no-reuse --run run --quiet --rounds 20"
    place = kind("baseline", "base.json", ["compare base.json run --rounds 20", "compare base.json base.json --rounds 20"], data)
    run(place, rank_run)
    run(place, "baseline save run --out base.json")
    reads = [
        "show run",
        "judgments run --format json",
        "compare run --pair fox,owl --rounds 20",
        "report run --out page.html",
        "baseline save run --out b.json",
        rank_run,
        "plan run",
    ]
    place = kind("run database", "run/run.sqlite", reads, data, pack_database, BYTES)
    run(place, rank_run)
    place = kind(
        "labels of a run",
        "run/labels.jsonl",
        ["judgments run --where people=any", "report run --out page.html"],
        {**data, "run/labels.jsonl": labels},
    )
    run(place, rank_run)
    results = {**data, "results.jsonl": b""}
    place = kind("batch results", "results.jsonl", "batch import results.jsonl --run run", results)
    run(place, "batch export --data data --judge openai:m@http://127.0.0.1:9/v1 --protocol pairwise/direct --run run --out batches")
    keys = [
        json.loads(line)["custom_id"]
        for path in sorted((place / "batches").glob("*.jsonl"))
        for line in path.read_text().splitlines()
    ]
    body = {
        "choices": [{"message": {"content": "A"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 9, "completion_tokens": 1},
    }
    (place / "results.jsonl").write_bytes(
        lines({"custom_id": key, "response": {"status_code": 200, "body": body}} for key in keys[:6])
    )
    prompts = ROOT / "crates/protocols/prompts"
    for name in ("pairwise", "pointwise", "checklist"):
        pack = (prompts / f"{name}.toml").read_bytes()
        kind(
            f"prompts, {name}",
            f"pack/{name}.toml",
            f"prompts render --data data --prompt-pack pack --protocol {name}{':1-5' if name == 'pointwise' else ''} --trials 2",
            {**data, f"pack/{name}.toml": pack},
        )
    prices = b"""date = "2026-11-22"

[[price]]
provider = "openai"
model = "m"
input = 0.5
cached_input = 0.1
output = 1.5
batch_discount = 0.5
source = "x"

[[price]]
kind = "electricity"
provider = "openai"
url = "http://10.0.0.1:8000"
model = "*"
watts = 700
devices = 4
tokens_per_second = 2685
usd_per_kwh = 0.17
"""
    kind(
        "prices",
        "prices.toml",
        [
            "estimate --data data --judge openai:m@http://10.0.0.1:8000/v1 --prices prices.toml",
            "estimate --data data --judge openai:m --prices prices.toml",
        ],
        {**data, "prices.toml": prices},
    )
    # A panel is fitted to ten labelled items at least.
    ids = [f"p{at}" for at in range(24)]
    many = {"data/items.jsonl": lines({"id": id, "instruction": f"Say {id}."} for id in ids)}
    many["data/responses.jsonl"] = lines({"item": id, "system": s, "output": f"{s}: {id}"} for id in ids for s in systems)
    many["data/labels.jsonl"] = lines({"item": id, "a": "fox", "b": "owl", "preferred": draw.choice("ab")} for id in ids)
    place = kind(
        "panel", "panel.toml", "judge --data data --judge panel:panel.toml --no-reuse --run out --format json --quiet", many
    )
    run(
        place,
        "meta judge --data data --judge simulated --judge simulated:gap=1 --fit panel.toml --no-reuse --run out --rounds 20 --quiet",
    )
    shutil.rmtree(place / "out")
    settings = (
        b'judge = ["simulated"]\nprotocol = "pairwise/direct/swap"\ndata = ["data"]\nseed = 3\nlevel = 0.9\nno-reuse = true\n'
    )
    kind(
        "settings",
        "evenhand.toml",
        "estimate --data data --judge simulated --config evenhand.toml",
        {**data, "evenhand.toml": settings},
    )

    # What is packed is made of its text, as its damaged forms will be.
    for one in kinds:
        path = folder / one.name.replace(" ", "-") / one.file
        one.text = path.read_bytes()
        if one.pack in (pack_gzip, pack_zip, pack_zstd):
            path.write_bytes(one.pack(draw, one.text, None))
        one.sample = path.read_bytes()
        if one.pack in (pack_parquet, pack_database):
            one.text = table
    return kinds
