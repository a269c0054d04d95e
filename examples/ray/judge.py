#!/usr/bin/env python3
"""Asks what `evenhand batch export` wrote, on a Ray cluster.

    judge.py waves/1/*.jsonl --to replies/1 --servers http://10.0.0.1:8000/v1 http://10.0.0.2:8000/v1

Replies are in replies/1/parts, for `evenhand batch import`. After a crash the same command asks only
what has no reply there. A key is read from OPENAI_API_KEY, where each worker runs.
"""

import argparse
import asyncio
import itertools
import json
import os
import random
import sys
from pathlib import Path

import httpx
import pyarrow as pa
import ray
from ray.data import ActorPoolStrategy, DataContext
from ray.data.checkpoint import CheckpointConfig
from ray.data.datasource import BlockBasedFileDatasink, FileBasedDatasource

PASSING = {408, 409, 425, 429, 500, 502, 503, 504, 529}


class RequestLines(FileBasedDatasource):
    """Requests as lines of text: as columns, a field that one body has would be null in all."""

    def _read_stream(self, f, path):
        lines = [line.decode() for line in f.readall().splitlines() if line.strip()]
        yield pa.table({"custom_id": [json.loads(x)["custom_id"] for x in lines], "line": lines})


class ReplyLines(BlockBasedFileDatasink):
    """Replies as the lines that the workers made."""

    def write_block_to_file(self, block, file):
        file.write("".join(f"{line}\n" for line in block.to_arrow()["line"].to_pylist()).encode())


class Worker:
    """Asks the requests of a batch of one server, the next batch of the next server."""

    def __init__(self, servers, calls, attempts, timeout):
        key = os.environ.get("OPENAI_API_KEY")
        headers = {"authorization": f"Bearer {key}"} if key else {}
        limits = httpx.Limits(max_connections=calls)
        timeout = httpx.Timeout(timeout, pool=None)
        self.client = httpx.AsyncClient(headers=headers, limits=limits, timeout=timeout)
        self.places = itertools.count(random.randrange(len(servers)))
        self.servers, self.attempts = servers, attempts

    async def __call__(self, batch):
        place = next(self.places)
        replies = await asyncio.gather(*(self.answer(line, place) for line in batch["line"]))
        return {"custom_id": batch["custom_id"], "line": replies}

    async def answer(self, line, place):
        """Returns the line for `batch import`. A request that fails is a line too."""
        request = json.loads(line)
        reply = {"custom_id": request["custom_id"], "response": None, "error": None}
        for attempt in range(self.attempts):
            await asyncio.sleep(attempt and random.uniform(0.5, 1) * 2**attempt)
            server = self.servers[(place + attempt) % len(self.servers)].removesuffix("/v1")
            try:
                answer = await self.client.post(server + request["url"], json=request["body"])
                response = {"status_code": answer.status_code, "body": answer.json()}
                reply.update(response=response, error=None)
                if answer.status_code not in PASSING:
                    break
            except Exception as error:  # What one request meets must not end those beside it.
                reply.update(response=None, error={"message": f"{type(error).__name__}: {error}"})
        return json.dumps(reply)


def has_reply(line):
    response = json.loads(line)["response"]
    return response is not None and response["status_code"] == 200


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("requests", nargs="+", help="files of one wave, which every node sees")
    parser.add_argument("--to", required=True, type=Path, help="folder that every node sees")
    parser.add_argument("--servers", required=True, nargs="+", metavar="URL")
    parser.add_argument("--workers", type=int, default=4, help="processes that ask [4]")
    parser.add_argument("--calls", type=int, default=64, help="of one worker at a time [64]")
    parser.add_argument("--rows", type=int, default=256, help="of a part, lost with a worker [256]")
    parser.add_argument("--attempts", type=int, default=4, help="for one request [4]")
    parser.add_argument("--timeout", type=float, default=600, help="seconds for one reply [600]")
    args = parser.parse_args()

    to = args.to.resolve()
    (to / "parts").mkdir(parents=True, exist_ok=True)
    DataContext.get_current().checkpoint_config = CheckpointConfig(
        id_column="custom_id",
        checkpoint_path=str(to / "done"),
        delete_checkpoint_on_success=False,
    )
    requests = [str(Path(path).resolve()) for path in args.requests]
    (
        ray.data.read_datasource(RequestLines(requests))
        .repartition(target_num_rows_per_block=args.rows)
        .map_batches(
            Worker,
            fn_constructor_args=(args.servers, args.calls, args.attempts, args.timeout),
            batch_size=args.rows,
            num_cpus=0.1,  # A worker waits for servers: with 1 each, three take all of two cores.
            compute=ActorPoolStrategy(size=args.workers),
        )
        .write_datasink(ReplyLines(str(to / "parts"), file_format="jsonl"))
    )
    parts = (to / "parts").glob("*.jsonl")
    replies = [has_reply(line) for part in parts for line in part.open()]
    print(f"{sum(replies)} replies and {len(replies) - sum(replies)} failures in {to / 'parts'}")
    sys.exit(0 if any(replies) else 1)


if __name__ == "__main__":
    main()
