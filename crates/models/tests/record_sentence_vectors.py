#!/usr/bin/env python3
"""Usage: record_sentence_vectors.py FOLDER > sentence_vectors.json   (needs numpy)

The slow twin of the embedded engine's sentence embeddings: a BERT encoder with mean pooling in
64-bit floats. FOLDER holds all-MiniLM-L6-v2 as sentence-transformers publishes it (config.json,
vocab.txt, model.safetensors); scripts/fetch-embedder says where it comes from. Devlin et al. 2019;
Reimers and Gurevych 2019, section 3 (mean pooling).
"""
import json
import math
import struct
import sys
import unicodedata
from pathlib import Path

import numpy as np

TEXTS = [
    "The cat sits on the mat.",
    "A kitten is lying on the rug.",
    "Paris is the capital of France.",
    "La capitale de la France est Paris.",
    "Multiply two by three to get six!",
    "def add(a, b): return a + b",
    "Antidisestablishmentarianism, \u00e9t\u00e9 and na\u00efvet\u00e9.",
    "Well done \U0001f642, 42 %.",
    "A longer text of several sentences. It goes on for a while. It says little, and says it twice. "
    "It goes on for a while, and ends here.",
]


class Encoder:
    def __init__(self, folder):
        self.config = json.loads((folder / "config.json").read_text())
        words = (folder / "vocab.txt").read_text(encoding="utf-8").split("\n")
        self.vocabulary = {word: number for number, word in enumerate(words)}
        self.raw = (folder / "model.safetensors").read_bytes()
        (length,) = struct.unpack_from("<Q", self.raw)
        self.table = json.loads(self.raw[8 : 8 + length])
        self.start = 8 + length

    def weight(self, name):
        entry = self.table[name]
        start, end = (self.start + offset for offset in entry["data_offsets"])
        return np.frombuffer(self.raw[start:end], dtype="<f4").reshape(entry["shape"]).astype(np.float64)

    def linear(self, x, name):
        return x @ self.weight(name + ".weight").T + self.weight(name + ".bias")

    def norm(self, x, name):
        spread = np.sqrt(x.var(-1, keepdims=True) + self.config["layer_norm_eps"])
        return (x - x.mean(-1, keepdims=True)) / spread * self.weight(name + ".weight") + self.weight(name + ".bias")

    def pieces(self, word):
        found, start = [], 0
        while start < len(word):
            ends = range(len(word), start, -1)
            spelled = (("##" if start else "") + word[start:end] for end in ends)
            piece = next((piece for piece in spelled if piece in self.vocabulary), None)
            if piece is None:
                return ["[UNK]"]
            found.append(piece)
            start += len(piece) - (2 if start else 0)
        return found

    def tokens(self, text):
        pieces = [piece for word in words_of(text) for piece in self.pieces(word)]
        return [self.vocabulary[piece] for piece in ["[CLS]", *pieces, "[SEP]"]]

    def attend(self, x, layer):
        heads = self.config["num_attention_heads"]
        size = self.config["hidden_size"] // heads
        query, key, value = (
            self.linear(x, f"{layer}attention.self.{name}").reshape(len(x), heads, size).transpose(1, 0, 2)
            for name in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 2, 1) / math.sqrt(size)
        shares = np.exp(scores - scores.max(-1, keepdims=True))
        shares /= shares.sum(-1, keepdims=True)
        mixed = (shares @ value).transpose(1, 0, 2).reshape(len(x), -1)
        return self.norm(x + self.linear(mixed, layer + "attention.output.dense"), layer + "attention.output.LayerNorm")

    def feed(self, x, layer):
        hidden = self.linear(x, layer + "intermediate.dense")
        hidden = hidden * 0.5 * (1 + np.vectorize(math.erf)(hidden / math.sqrt(2)))
        return self.norm(x + self.linear(hidden, layer + "output.dense"), layer + "output.LayerNorm")

    def embed(self, text):
        tokens = self.tokens(text)
        x = self.weight("embeddings.word_embeddings.weight")[tokens]
        x = x + self.weight("embeddings.position_embeddings.weight")[: len(tokens)]
        x = self.norm(x + self.weight("embeddings.token_type_embeddings.weight")[0], "embeddings.LayerNorm")
        for number in range(self.config["num_hidden_layers"]):
            layer = f"encoder.layer.{number}."
            x = self.feed(self.attend(x, layer), layer)
        mean = x.mean(0)
        return mean / np.linalg.norm(mean)


def words_of(text):
    """Returns words and punctuation of a text in lower case without accents."""
    plain = "".join(c for c in unicodedata.normalize("NFD", text.lower()) if unicodedata.category(c) != "Mn")
    apart = "".join(f" {c} " if is_mark(c) else c for c in plain)
    return apart.split()


def is_mark(char):
    return unicodedata.category(char).startswith("P") or char in "$+<=>^`|~"


encoder = Encoder(Path(sys.argv[1]))
recorded = [[round(float(value), 5) for value in encoder.embed(text)] for text in TEXTS]
print(json.dumps({"texts": TEXTS, "vectors": recorded}))
