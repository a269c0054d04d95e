#!/usr/bin/env python3
"""Asks what `evenhand batch export` wrote, on a Ray cluster.

    judge.py waves/1/*.jsonl --to replies/1 --servers http://10.0.0.1:8000/v1 http://10.0.0.2:8000/v1

Replies are in replies/1, in parts, for `evenhand batch import`. After a crash the same command asks
only what has no reply there. A key is read from OPENAI_API_KEY, where each worker runs.
"""

import argparse
import asyncio
import hashlib
import itertools
import json
import os
import random
import sys
from pathlib import Path

import httpx
import pyarrow as pa
import ray
from ray.data.datasource import FileBasedDatasource

PASSING = {408, 409, 425, 429, 500, 502, 503, 504, 529}


class RequestLines(FileBasedDatasource):
    """Requests as lines of bytes.

    As columns (`read_json`), a field that one body has would be null in all others,
    and `read_text` ends lines at U+2028 too, which a text in JSON may hold.
    """

    def _read_stream(self, f, path):
        yield pa.table({"line": [line for line in f.readall().split(b"\n") if line]})


class Worker:
    """Asks a batch of one server, the next batch of the next, and writes a part of each.

    The part is there before Ray hears of it. Ray's own checkpoints note what its writer
    wrote, and that may be long after it was asked.
    """

    def __init__(self, to, servers, calls, attempts, timeout):
        key = os.environ.get("OPENAI_API_KEY", "").strip()
        headers = {"authorization": f"Bearer {key}"} if key else {}
        limits = httpx.Limits(max_connections=calls)
        timeout = httpx.Timeout(timeout, pool=None)
        self.client = httpx.AsyncClient(headers=headers, limits=limits, timeout=timeout)
        self.places = itertools.count(random.randrange(len(servers)))
        self.to, self.servers, self.attempts = to, servers, attempts

    async def __call__(self, batch):
        place = next(self.places)
        lines = await asyncio.gather(
            *(self.answer(line, place) for line in batch["line"])
        )
        ids = "".join(json.loads(line)["custom_id"] for line in batch["line"])
        # By its requests: who takes over from a killed worker writes the same part.
        part = self.to / f"{hashlib.sha256(ids.encode()).hexdigest()[:32]}.jsonl"
        unfinished = part.with_suffix(f".{os.getpid()}")
        unfinished.write_text("".join(f"{line}\n" for line in lines))
        unfinished.replace(part)
        replies = sum(map(has_reply, lines))
        return {"replies": [replies], "failures": [len(lines) - replies]}

    async def answer(self, line, place):
        """Returns the line for `batch import`. A request that fails is a line too."""
        request = json.loads(line)
        reply = {"custom_id": request["custom_id"], "response": None, "error": None}
        for attempt in range(self.attempts):
            url = self.servers[(place + attempt) % len(self.servers)]
            url = url.rstrip("/").removesuffix("/v1") + request["url"]
            await asyncio.sleep(attempt and random.uniform(0.5, 1) * 2**attempt)
            try:
                answer = await self.client.post(url, json=request["body"])
                response = {"status_code": answer.status_code, "body": answer.json()}
                reply.update(response=response, error=None)
                if answer.status_code not in PASSING:
                    break
            except (httpx.HTTPError, ValueError) as error:
                # Its kind alone: what it says may hold a header, and so the key.
                reply.update(response=None, error={"message": type(error).__name__})
        return json.dumps(reply)


def has_reply(line):
    response = json.loads(line)["response"]
    return response is not None and response["status_code"] == 200


def find_done(to):
    """The ids of requests that have a reply in a part."""
    lines = (line for part in to.glob("*.jsonl") for line in part.open())
    return {json.loads(line)["custom_id"] for line in lines if has_reply(line)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    flag = parser.add_argument
    flag("requests", nargs="+", type=Path, help="files of a wave; all nodes see them")
    flag("--to", required=True, type=Path, help="folder of the parts; all nodes see it")
    flag(
        "--servers", required=True, nargs="+", metavar="URL", help="http://HOST:8000/v1"
    )
    flag("--workers", type=int, default=4, help="processes that ask [4]")
    flag("--calls", type=int, default=64, help="of a worker at the same time [64]")
    flag("--rows", type=int, default=256, help="of a part: lost with a worker [256]")
    flag("--attempts", type=int, default=4, help="at one request [4]")
    flag("--timeout", type=float, default=600, help="seconds for a reply [600]")
    args = parser.parse_args()

    to = args.to.resolve()
    to.mkdir(parents=True, exist_ok=True)
    done = ray.put(find_done(to))
    workers = (to, args.servers, args.calls, args.attempts, args.timeout)
    parts = (
        ray.data.read_datasource(
            RequestLines([str(p.resolve()) for p in args.requests])
        )
        .filter(lambda row: json.loads(row["line"])["custom_id"] not in ray.get(done))
        .repartition(target_num_rows_per_block=args.rows, strict=True)
        .map_batches(
            Worker,
            fn_constructor_args=workers,
            batch_size=args.rows,
            compute=ray.data.ActorPoolStrategy(size=args.workers),
            # A worker waits for servers. With 1 each, two would take all of two cores.
            num_cpus=0.1,
        )
        .take_all()
    )
    replies = sum(part["replies"] for part in parts)
    failures = sum(part["failures"] for part in parts)
    print(f"{replies} replies and {failures} failures now; parts in {to}")
    # A wave in which everything fails is not worth another.
    sys.exit(1 if failures and not replies else 0)


if __name__ == "__main__":
    main()
