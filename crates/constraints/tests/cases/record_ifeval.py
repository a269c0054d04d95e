"""Records what lm-eval's checker of IFEval says of many texts, for ifeval.rs: writes ifeval.json beside itself.

    python record_ifeval.py LM_EVAL SHARED_DATA

LM_EVAL is a folder with the package lm_eval (unzipped wheel; only lm_eval/tasks/ifeval is used), SHARED_DATA the folder of shared data.
Recorded with Python 3.11, lm-eval 0.4.13, nltk 3.10.4 with the punkt_tab tables (NLTK_DATA; the wheel of llama-index-core 0.14.25
holds them), langdetect 1.0.9 with
DetectorFactory.seed = 0.  The versions at hand are written to the file.

No text of the shared data is written: a text is made from its prompt (by position) and an answer (by position) by the rules below, which
ifeval.rs has too, and the SHA-256 of the texts of a prompt proves that both made the same.  Of each prompt the verdicts on all texts and
constraints, strict and loose, are bits in the order made, as hexadecimal.

- Answers: for prompt i and k in 0..PLAIN the file (i + k) mod 54 of the sorted answers of AlpacaEval, then of MT-Bench (both turns),
  then of Arena-Hard, and in it the answer (31 i + 17 k) mod (number of answers).  The word lists of `sentences/words.rs` were tried on
  the answers of the first two and not on those of Arena-Hard.
- Aimed texts: for constraint j of the prompt, take t in 0..TAKES and variant v in 0..4, `aim` turns the answer number k = 8 j + 7 t into a
  text that follows constraint j or just misses it.  Each is taken as it is, and once more with a line before it, a line after it, both,
  or in asterisks (by v), which the loose check forgives or does not.
- Prompts whose letter is not one of a to z are left out: the checker draws a random letter for them.
"""

import functools
import gzip
import hashlib
import importlib
import json
import sys
import types
from importlib.metadata import version
from pathlib import Path

import langdetect

PLAIN, TAKES = 54, 5
HERE = Path(__file__).parent
CAPITALS = ["NASA", "U.S.", "DON'T", "I'm", "I", "CANNOT", "A-B", "HTML5", "IT’S", "word", "X,Y", "A:1", "É", "USA's", "(OK)", "Gimme"]
LANGUAGES = json.loads((HERE / "languages.json").read_text())


def load_checker(folder):
    """Of the package only the checker, without the rest's dependencies."""
    for name in ["lm_eval", "lm_eval.tasks", "lm_eval.tasks.ifeval"]:
        module = sys.modules[name] = types.ModuleType(name)
        module.__path__ = [str(Path(folder, *name.split(".")))]
    langdetect.DetectorFactory.seed = 0
    langdetect.detect = functools.lru_cache(100_000)(langdetect.detect)
    return importlib.import_module("lm_eval.tasks.ifeval.utils")


def lines(path):
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
        return [json.loads(line) for line in file]


def answer_files(data):
    alpaca = sorted((data / "alpaca_eval/outputs").glob("*.jsonl.gz"), key=lambda path: path.name)
    bench = sorted((data / "mt_bench/answers").glob("*.jsonl.gz"), key=lambda path: path.name)
    hard = sorted((data / "arena_hard/answers").glob("*.jsonl.gz"), key=lambda path: path.name)
    outputs = [[row["output"] for row in lines(path)] for path in alpaca]
    turns = [[turn for row in lines(path) for turn in row["turns"]] for path in bench]
    return outputs + turns + [[row["answer"] for row in lines(path)] for path in hard]


def answer(files, i, k):
    file = files[(i + k) % len(files)]
    return file[(31 * i + 17 * k) % len(file)]


def cycled(parts, n):
    return [parts[i % len(parts)] for i in range(max(n, 0))]


def words(items, n):
    return "".join(item + " " for item in cycled(items, n))


def escaped(text):
    for a, b in [("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n")]:
        text = text.replace(a, b)
    return text


def aim(id, args, text, v):
    """The text turned so that it follows the constraint, or just misses it."""
    n = next((value for name, value in args.items() if isinstance(value, int) and name != "nth_paragraph"), 0)
    name = id.split(":")[1]
    if name == "capital_word_frequency":
        return text.lower() + "\n\n" + words(CAPITALS, n - 2 + 2 * v)
    if name == "english_capital":
        return [text.upper(), text.upper()[:60], text.upper() + " a", text[:200].upper() + " É. 12"][v]
    if name == "english_lowercase":
        return [text.lower(), text.lower()[:40], text.lower() + " A", "ß " + text.lower()[:150]][v]
    if name == "repeat_prompt":
        prompt = args["prompt_to_repeat"]
        return [prompt + "\n\n" + text, "  " + prompt.upper() + text, prompt[:-1] + text, "Sure. " + prompt + "\n\n" + text][v]
    if name == "two_responses":
        return [f"{text}\n******\n{text} Yes.", f"{text}\n******\n{text}\n", f"******{text}******Yes.******No.", f"******\n{text}******No."][v]
    if name == "number_placeholders":
        return text + "\n\n" + words(["[name]", "[the\nplace]", "[]", "[a] [b]"][v : v + 1], n - (v == 0))
    if name == "postscript":
        return text + ["\n\nP.S. Yes", "\n\nP.P.S Yes", " p. s. yes", "\n\nP. p. s yes"][v]
    if name == "constrained_response":
        return ["My answer is yes.", text + " My answer is maybe.", "my answer is no.", "My answer is **no**."][v]
    if name == "json_format":
        inner = '{"a": "' + escaped(text) + '"}'
        return [inner, "```json\n" + inner + "\n```", "```\n[1, NaN, " + inner + "]\n```", inner[:-1]][v]
    if name == "multiple_sections":
        mark = args["section_spliter"] if v < 3 else args["section_spliter"].swapcase()
        return "".join(f"{mark} {i + 1}\n{part}\n\n" for i, part in enumerate(cycled(text.split("\n"), n - 1 + v)))
    if name == "number_bullet_lists":
        bare = text.replace("*", "").replace("-", "")
        return bare + "\n" + (["* a", "- b", "\n  * *c*", "** d"][v] + "\n") * n
    if name == "number_highlighted_sections":
        bare = text.replace("*", "")
        return bare + "\n" + words([["*word*"], ["**two words**"], ["* *", "*a*"], ["***b***"]][v], [n, (n + 1) // 2, n, n // 2][v])
    if name == "title":
        return ["<<" + text[:20] + ">>\n\n" + text, "<< >>\n" + text, "<title>\n" + text, "**<<<A title>>**\n" + text][v]
    if name == "existence":
        k = args["keywords"]
        return text + "\n\n" + [" ".join(k), "x".join(k).upper(), " ".join(k[1:]), ", ".join(k) + "."][v]
    if name == "forbidden_words":
        word = args["forbidden_words"][0]
        return text + "\n\n" + [word.upper() + ".", word + "s", "_" + word, "a-" + word + "é"][v]
    if name == "frequency":
        return text.replace(args["keyword"], "") + "\n\n" + words([args["keyword"] + ".", args["keyword"].upper()], n - 1 + v % 3)
    if name == "letter_frequency":
        letter = args["letter"]
        bare = text.replace(letter, "").replace(letter.upper(), "")
        return bare + " " + "".join(cycled([letter, letter.upper()], n - 1 + v % 3))
    if name == "response_language":
        own, other = LANGUAGES[args["language"]], LANGUAGES[["en", "hi", "ru", "es"][v]]
        return [own, own + "\n" + text[:60], own + "\n" + other, own + " " + own.upper() + " " + text[:20]][v]
    if name == "nth_paragraph_first_word":
        parts = cycled([part for part in text.split("\n\n") if part.strip()] or ["a"], n + (v == 2))
        nth, word = args["nth_paragraph"] - 1, args["first_word"]
        parts[nth] = [word + " ", '"' + word.upper() + ", ", word + " ", word + "'s "][v] + parts[nth]
        return "\n\n".join(parts)
    if name == "number_paragraphs":
        parts = cycled(text.replace("***", "").split("\n\n"), n - (v == 3))
        return ["\n***\n", "\n\n***\n\n", " *** ", "***"][v].join(parts)
    if name == "number_sentences":
        parts = text.split(". ")
        return ". ".join(cycled(parts, n - 2 + v))
    if name == "number_words":
        return " ".join(cycled(text.split(" "), n - [40, 3, 0, 15][v]))
    if name == "no_comma":
        bare = text.replace(",", "")
        return [bare, bare + "，", bare + "\nSo, yes.", bare + ","][v]
    if name == "end_checker":
        phrase = args["end_phrase"]
        return [f"{text}\n{phrase}", f'"{text} {phrase.upper()}"', f"{text} {phrase}!", f"{text} {phrase}\n\nYes."][v]
    if name == "quotation":
        return [f'"{text}"', f'"{text[:30]}"\n', f'"{text}', f'**"{text}"**'][v]
    raise ValueError(id)


def framed(text, v):
    return ["Sure, here it is:\n\n" + text, text + "\n\nIs that what you want?", "Yes, of course:\n" + text + "\nDone, as asked.", "**" + text + "**"][v]


def texts(files, i, prompt):
    yield from (answer(files, i, k) for k in range(PLAIN))
    for j, (id, args) in enumerate(zip(prompt["instruction_id_list"], prompt["kwargs"])):
        for t in range(TAKES):
            for v in range(4):
                text = aim(id, args, answer(files, i, 8 * j + 7 * t), v)
                yield text
                yield framed(text, v)


def packed(bits):
    bits = bits + [False] * (-len(bits) % 4)
    nibbles = (bits[i : i + 4] for i in range(0, len(bits), 4))
    return "".join("0123456789abcdef"[8 * a + 4 * b + 2 * c + d] for a, b, c, d in nibbles)


def record(checker, files, i, prompt):
    example = checker.InputExample(**prompt)
    digest, strict, loose = hashlib.sha256(), [], []
    for text in texts(files, i, prompt):
        digest.update(text.encode() + b"\0")
        strict += checker.test_instruction_following_strict(example, text).follow_instruction_list
        loose += checker.test_instruction_following_loose(example, text).follow_instruction_list
    return {"prompt": i, "texts": digest.hexdigest()[:16], "strict": packed(strict), "loose": packed(loose)}


def is_random(args):
    letter = args.get("letter", "a").lower()
    return not "a" <= letter <= "z"


def main(folder, data):
    checker, files = load_checker(folder), answer_files(Path(data))
    prompts = lines(Path(data) / "ifeval/prompts.jsonl.gz")
    whole = [(i, prompt) for i, prompt in enumerate(prompts) if not any(map(is_random, prompt["kwargs"]))]
    cases = [record(checker, files, i, prompt) for i, prompt in whole]
    versions = {name: version(name) for name in ["nltk", "langdetect"]} | {"python": sys.version.split()[0], "lm-eval": "0.4.13"}
    rows = ",\n".join(json.dumps(case) for case in cases)
    (HERE / "ifeval.json").write_text(f'{{"versions": {json.dumps(versions)}, "cases": [\n{rows}\n]}}\n')


if __name__ == "__main__":
    main(*sys.argv[1:])
