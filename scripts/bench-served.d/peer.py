"""The official client's side of bench-served: judge's prompts at a fixed concurrency, and what a call costs in CPU.

Usage: peer.py URL CALLS CONCURRENCY [--wide]

Prints one line of JSON. Time is counted from the first call to the last reply, without imports and set-up. The client keeps 100
connections by default and opens the others anew; with --wide it keeps as many as there are calls at the same time.
"""
import asyncio
import json
import resource
import sys
import time

import httpx2
import openai

SYSTEM = "You are an impartial judge. You are shown an instruction and two answers to it, and you decide which of them is better."
QUESTION = "Which answer is better? Reply with a single letter and nothing else: A or B."


def messages(number):
    """As long as a pairwise prompt on short answers: 1,900 characters, none like another."""
    answers = "\n\n".join(f"Answer {slot}: response {number} says " + "word " * 160 for slot in "AB")
    user = f"Instruction {number}: say something about {number}.\n\n{answers}\n\n{QUESTION}"
    return [{"role": "system", "content": SYSTEM}, {"role": "user", "content": user}]


def client(url, concurrency, wide):
    if not wide:
        return openai.AsyncOpenAI(base_url=url, api_key="none")
    limits = httpx2.Limits(max_connections=concurrency, max_keepalive_connections=concurrency)
    return openai.AsyncOpenAI(base_url=url, api_key="none", http_client=openai.DefaultAsyncHttpxClient(limits=limits))


async def ask(judge, number):
    """The verdict and the probabilities of its alternatives, as a judge's script reads them."""
    reply = await judge.chat.completions.create(
        model="bench", messages=messages(number), max_tokens=1, temperature=0, logprobs=True, top_logprobs=5,
    )
    choice = reply.choices[0]
    likely = {token.token: token.logprob for token in choice.logprobs.content[0].top_logprobs}
    return choice.message.content, likely.get("A"), likely.get("B")


async def work(judge, numbers):
    done = 0
    for number in numbers:
        verdict, *_ = await ask(judge, number)
        assert verdict in ("A", "B"), verdict
        done += 1
    return done


async def run(url, calls, concurrency, wide):
    numbers = iter(range(calls))
    async with client(url, concurrency, wide) as judge:
        before, start = resource.getrusage(resource.RUSAGE_SELF), time.monotonic()
        done = sum(await asyncio.gather(*(work(judge, numbers) for _ in range(concurrency))))
        wall, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_SELF)
    assert done == calls
    return wall, after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime


def main():
    url, calls, concurrency = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    wall, user, system = asyncio.run(run(url, calls, concurrency, "--wide" in sys.argv))
    record = {"who": f"openai {openai.__version__}", "calls": calls, "concurrency": concurrency, "wall_s": round(wall, 3)}
    record |= {"cpu_user_s": round(user, 3), "cpu_sys_s": round(system, 3), "us_cpu_per_call": round((user + system) * 1e6 / calls, 1)}
    print(json.dumps(record))


main()
